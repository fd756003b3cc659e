/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Copies and fills of ranges, with direction and sizes derived from the arguments.
 */

#ifndef PORTACL_COPY_HPP
#define PORTACL_COPY_HPP

#include <cstdint>
#include <type_traits>

#include "span.hpp"
#include "stream.hpp"

namespace portacl {

namespace detail {

template <typename T, typename U>
constexpr aclrtMemcpyKind kind(Span<T>, Span<U>) noexcept {
    return ACL_MEMCPY_HOST_TO_HOST;
}
template <typename T, typename U>
constexpr aclrtMemcpyKind kind(DeviceSpan<T>, Span<U>) noexcept {
    return ACL_MEMCPY_HOST_TO_DEVICE;
}
template <typename T, typename U>
constexpr aclrtMemcpyKind kind(Span<T>, DeviceSpan<U>) noexcept {
    return ACL_MEMCPY_DEVICE_TO_HOST;
}
template <typename T, typename U>
constexpr aclrtMemcpyKind kind(DeviceSpan<T>, DeviceSpan<U>) noexcept {
    return ACL_MEMCPY_DEVICE_TO_DEVICE;
}

template <typename Dst, typename Src>
constexpr void check_elements(Dst dst, Src src) noexcept {
    using To = std::remove_pointer_t<decltype(dst.data())>;
    using From = std::remove_pointer_t<decltype(src.data())>;
    static_assert(!std::is_const_v<To>, "the destination is read only");
    static_assert(std::is_same_v<To, std::remove_const_t<From>>,
                  "source and destination have elements of different types");
    static_assert(std::is_trivially_copyable_v<To>, "its bytes are copied");
}

template <typename Dst, typename Src>
void copy(Dst dst, Src src, SourceLocation where) {
    check_elements(dst, src);
    // The call compares the sizes and reports the one that is too small.
    check(aclrtMemcpy(dst.data(), dst.size_bytes(), src.data(), src.size_bytes(), kind(dst, src)), where);
}

template <typename Dst, typename Src>
void copy_async(Dst dst, Src src, StreamRef stream, SourceLocation where) {
    check_elements(dst, src);
    check(aclrtMemcpyAsync(dst.data(), dst.size_bytes(), src.data(), src.size_bytes(), kind(dst, src), stream.get()),
          where);
}

}  // namespace detail

/**
 * Copies a range synchronously. Each end is a DeviceBuffer, AsyncBuffer, DeviceSpan or HostBuffer,
 * or any other range in host memory with data() and size(): a Span, std::span, std::vector,
 * std::array, an array.
 *
 * @param dst the destination: at least as many elements, of the same type.
 * @param src the source.
 * @param where the source location of the call.
 */
template <typename Dst, typename Src>
void copy(Dst&& dst, const Src& src, SourceLocation where = SourceLocation::current()) {
    detail::copy(view(dst), view(src), where);
}

/**
 * Enqueues a copy of a range. Page-locked host memory must not change until the copy is complete;
 * other host memory has been read, or written, when this returns.
 *
 * @param dst the destination: at least as many elements, of the same type.
 * @param src the source.
 * @param stream the stream; null: the default stream.
 * @param where the source location of the call.
 */
template <typename Dst, typename Src>
void copy_async(Dst&& dst, const Src& src, StreamRef stream, SourceLocation where = SourceLocation::current()) {
    detail::copy_async(view(dst), view(src), stream, where);
}

/**
 * Fills every byte of a range in device memory synchronously.
 *
 * @param dst the range.
 * @param value the byte.
 * @param where the source location of the call.
 */
template <typename Dst>
void fill_bytes(Dst&& dst, std::uint8_t value, SourceLocation where = SourceLocation::current()) {
    const auto range = view(dst);
    check(aclrtMemset(range.data(), range.size_bytes(), value, range.size_bytes()), where);
}

/**
 * Enqueues a fill of every byte of a range in device memory.
 *
 * @param dst the range.
 * @param value the byte.
 * @param stream the stream; null: the default stream.
 * @param where the source location of the call.
 */
template <typename Dst>
void fill_bytes_async(Dst&& dst, std::uint8_t value, StreamRef stream,
                      SourceLocation where = SourceLocation::current()) {
    const auto range = view(dst);
    check(aclrtMemsetAsync(range.data(), range.size_bytes(), value, range.size_bytes(), stream.get()), where);
}

}  // namespace portacl

#endif /* PORTACL_COPY_HPP */

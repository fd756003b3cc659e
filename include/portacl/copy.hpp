/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Copies and fills of ranges, with direction and sizes derived from the arguments.
 */

#ifndef PORTACL_COPY_HPP
#define PORTACL_COPY_HPP

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

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

// The type of the elements of a range.
template <typename Range>
using Element = std::remove_pointer_t<decltype(view(std::declval<Range&>()).data())>;

// The value of a fill, for the two sizes that the API fills with.
template <typename T>
std::uint32_t word_of(const T& value) noexcept {
    static_assert(!std::is_const_v<T>, "the destination is read only");
    static_assert(std::is_trivially_copyable_v<T>, "its bytes are copied");
    static_assert(sizeof(T) == 1 || sizeof(T) == 4, "elements of 1 or 4 bytes are filled");
    if constexpr (sizeof(T) == 1) {
        std::uint8_t byte = 0;
        std::memcpy(&byte, &value, 1);
        return byte;
    } else {
        std::uint32_t word = 0;
        std::memcpy(&word, &value, 4);
        return word;
    }
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

/**
 * Sets every element of a range synchronously: of device memory, or of page-locked host memory.
 *
 * @param dst the range; its elements have 1 or 4 bytes.
 * @param value the value of each element.
 * @param where the source location of the call.
 */
template <typename Dst>
void fill(Dst&& dst, const detail::Element<Dst>& value, SourceLocation where = SourceLocation::current()) {
    const auto range = view(dst);
    const std::uint32_t word = detail::word_of<detail::Element<Dst>>(value);
    if constexpr (sizeof value == 1) {
        check(aclrtMemset(range.data(), range.size_bytes(), static_cast<std::int32_t>(word), range.size_bytes()),
              where);
    } else {
        check(aclrtMemsetD32(range.data(), range.size_bytes(), word, range.size()), where);
    }
}

/**
 * Enqueues an assignment to every element of a range: of device memory, or of page-locked host memory.
 *
 * @param dst the range; its elements have 1 or 4 bytes.
 * @param value the value of each element.
 * @param stream the stream; null: the default stream.
 * @param where the source location of the call.
 */
template <typename Dst>
void fill_async(Dst&& dst, const detail::Element<Dst>& value, StreamRef stream,
                SourceLocation where = SourceLocation::current()) {
    const auto range = view(dst);
    const std::uint32_t word = detail::word_of<detail::Element<Dst>>(value);
    if constexpr (sizeof value == 1) {
        check(aclrtMemsetAsync(range.data(), range.size_bytes(), static_cast<std::int32_t>(word), range.size_bytes(),
                               stream.get()),
              where);
    } else {
        check(aclrtMemsetD32Async(range.data(), range.size_bytes(), word, range.size(), stream.get()), where);
    }
}

}  // namespace portacl

#endif /* PORTACL_COPY_HPP */

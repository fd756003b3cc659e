/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Ranges of elements in host and device memory, and what copies take as one.
 */

#ifndef PORTACL_SPAN_HPP
#define PORTACL_SPAN_HPP

#if __cplusplus < 201703L
#error "portacl's C++ headers need C++17 (-std=c++17); its C headers, as acl/acl.h, take C++11"
#endif

#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace portacl {

template <typename T>
class DeviceSpan;

namespace detail {

template <typename T, typename U>
constexpr bool kSameButConst = std::is_same_v<T, U> || std::is_same_v<T, const U>;

// What a range consists of, if it is in host memory: buffers of device memory have data(), too.
template <typename Range,
          typename T = std::remove_pointer_t<decltype(std::data(std::declval<Range&>()))>>
using HostElement = std::enable_if_t<!std::is_convertible_v<Range&, DeviceSpan<T>>, T>;

}  // namespace detail

/** Elements in host memory that somebody else owns, as std::span of C++20. @tparam T their type. */
template <typename T>
class Span {
  public:
    /** Nothing. */
    constexpr Span() noexcept = default;
    /** @param data the first element. @param size how many there are. */
    constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
    /** All of a range with data() and size(): std::vector, std::array, std::span, HostBuffer.
     * @param range the range, which outlives this. */
    template <typename Range,
              typename = std::enable_if_t<detail::kSameButConst<T, detail::HostElement<Range>>>>
    constexpr Span(Range& range) noexcept : Span(std::data(range), std::size(range)) {}

    /** The first element. @return its address. */
    constexpr T* data() const noexcept { return data_; }
    /** How many elements there are. @return the number. */
    constexpr std::size_t size() const noexcept { return size_; }
    /** How many bytes that are. @return the number. */
    constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    /** The first one. @return its place. */
    constexpr T* begin() const noexcept { return data_; }
    /** Past the last one. @return the place. */
    constexpr T* end() const noexcept { return data_ + size_; }
    /** An element. @param index below size(). @return the element. */
    constexpr T& operator[](std::size_t index) const { return data_[index]; }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/** Elements in device memory that somebody else owns. Their addresses are for the device: the host
 * does not follow them. @tparam T their type. */
template <typename T>
class DeviceSpan {
  public:
    /** Nothing. */
    constexpr DeviceSpan() noexcept = default;
    /** @param data the first element. @param size how many there are. */
    constexpr DeviceSpan(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
    /** The same, to be read only. @param other what may be written. */
    template <typename U, typename = std::enable_if_t<detail::kSameButConst<T, U>>>
    constexpr DeviceSpan(DeviceSpan<U> other) noexcept : DeviceSpan(other.data(), other.size()) {}

    /** The first element. @return its address on the device. */
    constexpr T* data() const noexcept { return data_; }
    /** How many elements there are. @return the number. */
    constexpr std::size_t size() const noexcept { return size_; }
    /** How many bytes that are. @return the number. */
    constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }

    /**
     * A part of it.
     *
     * @param first the first element of the part.
     * @param count how many.
     * @return the part; std::out_of_range is thrown if it is not inside.
     */
    constexpr DeviceSpan subspan(std::size_t first, std::size_t count) const {
        if (first > size_ || count > size_ - first) {
            throw std::out_of_range("portacl::DeviceSpan::subspan: " + std::to_string(count) +
                                    " elements from " + std::to_string(first) + " on of " +
                                    std::to_string(size_));
        }
        return DeviceSpan(data_ + first, count);
    }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/** A DeviceSpan as it is. @param span the span. @return itself. */
template <typename T>
constexpr DeviceSpan<T> view(DeviceSpan<T> span) noexcept {
    return span;
}

/** A Span as it is. @param span the span. @return itself. */
template <typename T>
constexpr Span<T> view(Span<T> span) noexcept {
    return span;
}

/** A range of host memory as a Span. @param range anything with data() and size(), or an array.
 * @return all of it. */
template <typename Range, typename T = detail::HostElement<Range>>
constexpr Span<T> view(Range& range) noexcept {
    return Span<T>(std::data(range), std::size(range));
}

}  // namespace portacl

#endif /* PORTACL_SPAN_HPP */

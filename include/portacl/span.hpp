/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Ranges of elements in host and device memory, and the types that copies accept as ranges.
 */

#ifndef PORTACL_SPAN_HPP
#define PORTACL_SPAN_HPP

#if __cplusplus < 201703L
#error "portacl's C++ headers need C++17 (-std=c++17); its C headers, such as acl/acl.h, need only C++11"
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

// The element type of a range in host memory: buffers of device memory have data(), too.
template <typename Range, typename T = std::remove_pointer_t<decltype(std::data(std::declval<Range&>()))>>
using HostElement = std::enable_if_t<!std::is_convertible_v<Range&, DeviceSpan<T>>, T>;

}  // namespace detail

/** Elements in host memory without ownership, as std::span of C++20. @tparam T their type. */
template <typename T>
class Span {
  public:
    /** Creates an empty span. */
    constexpr Span() noexcept = default;
    /** @param data the first element. @param size number of elements. */
    constexpr Span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
    /** Creates a span of a range with data() and size(): std::vector, std::array, std::span,
     * HostBuffer. @param range the range, which must outlive the span. */
    template <typename Range, typename = std::enable_if_t<detail::kSameButConst<T, detail::HostElement<Range>>>>
    constexpr Span(Range& range) noexcept : Span(std::data(range), std::size(range)) {}

    /** Returns the first element. @return its address. */
    constexpr T* data() const noexcept { return data_; }
    /** Returns the number of elements. @return the number. */
    constexpr std::size_t size() const noexcept { return size_; }
    /** Returns the size in bytes. @return the number. */
    constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
    /** Returns an iterator to the first element. @return the iterator. */
    constexpr T* begin() const noexcept { return data_; }
    /** Returns an iterator past the last element. @return the iterator. */
    constexpr T* end() const noexcept { return data_ + size_; }
    /** Returns an element. @param index less than size(). @return the element. */
    constexpr T& operator[](std::size_t index) const { return data_[index]; }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/** Elements in device memory without ownership. Their addresses are for the device: the host must
 * not dereference them. @tparam T their type. */
template <typename T>
class DeviceSpan {
  public:
    /** Creates an empty span. */
    constexpr DeviceSpan() noexcept = default;
    /** @param data the first element. @param size number of elements. */
    constexpr DeviceSpan(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
    /** Creates a read-only span. @param other a writable span. */
    template <typename U, typename = std::enable_if_t<detail::kSameButConst<T, U>>>
    constexpr DeviceSpan(DeviceSpan<U> other) noexcept : DeviceSpan(other.data(), other.size()) {}

    /** Returns the first element. @return its device address. */
    constexpr T* data() const noexcept { return data_; }
    /** Returns the number of elements. @return the number. */
    constexpr std::size_t size() const noexcept { return size_; }
    /** Returns the size in bytes. @return the number. */
    constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }

    /**
     * Returns a subspan.
     *
     * @param first index of the first element.
     * @param count number of elements.
     * @return the subspan; std::out_of_range is thrown if it is not inside.
     */
    constexpr DeviceSpan subspan(std::size_t first, std::size_t count) const {
        if (first > size_ || count > size_ - first) {
            throw std::out_of_range("portacl::DeviceSpan::subspan: first is " + std::to_string(first) +
                                    " and count is " + std::to_string(count) +
                                    "; their sum must be at most the size of the span, " + std::to_string(size_));
        }
        return DeviceSpan(data_ + first, count);
    }

  private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/** Returns a DeviceSpan unchanged. @param span the span. @return the span. */
template <typename T>
constexpr DeviceSpan<T> view(DeviceSpan<T> span) noexcept {
    return span;
}

/** Returns a Span unchanged. @param span the span. @return the span. */
template <typename T>
constexpr Span<T> view(Span<T> span) noexcept {
    return span;
}

/** Returns a Span of a range in host memory. @param range anything with data() and size(), or an
 * array. @return a span of all elements. */
template <typename Range, typename T = detail::HostElement<Range>>
constexpr Span<T> view(Range& range) noexcept {
    return Span<T>(std::data(range), std::size(range));
}

}  // namespace portacl

#endif /* PORTACL_SPAN_HPP */

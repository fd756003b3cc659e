/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Ranges of rows in host and device memory, and copies of them.
 */

#ifndef PORTACL_COPY_2D_HPP
#define PORTACL_COPY_2D_HPP

#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "copy.hpp"
#include "span.hpp"
#include "stream.hpp"

namespace portacl {

namespace detail {

// Whether rows are in a range of `size` elements. No product overflows.
constexpr bool contains_rows(std::size_t size, std::size_t width, std::size_t height, std::size_t pitch) noexcept {
    if (width == 0 || height == 0) return true;
    if (pitch < width || width > size) return false;
    return height - 1 <= (size - width) / pitch;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_rows(std::size_t size, std::size_t width, std::size_t height,
                                                               std::size_t pitch) {
    throw std::out_of_range("portacl::view_2d: width is " + std::to_string(width) + ", height is " +
                            std::to_string(height) + " and pitch is " + std::to_string(pitch) +
                            "; allowed: a pitch of at least the width, and (height - 1) * pitch + width of at most "
                            "range.size(), " +
                            std::to_string(size) + ". Pass a smaller width or height, another pitch or a larger range");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_rectangle(std::size_t x, std::size_t y, std::size_t width,
                                                                    std::size_t height, std::size_t most_width,
                                                                    std::size_t most_height) {
    throw std::out_of_range("portacl::Span2D::subspan (or row(y)): x is " + std::to_string(x) + ", y is " +
                            std::to_string(y) + ", width is " + std::to_string(width) + " and height is " +
                            std::to_string(height) + "; allowed: x + width of at most width(), " +
                            std::to_string(most_width) + ", and y + height of at most height(), " +
                            std::to_string(most_height) + ". Pass smaller numbers");
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_destination(const char* call, std::size_t dst_width,
                                                                      std::size_t dst_height, std::size_t width,
                                                                      std::size_t height, SourceLocation where) {
    throw Error(ACL_ERROR_INVALID_PARAM,
                std::string(call) + ": dst.width() is " + std::to_string(dst_width) + " and dst.height() is " +
                    std::to_string(dst_height) + "; allowed: at least those of src, " + std::to_string(width) +
                    " and " + std::to_string(height) + ". Pass a larger dst, or a subspan of src",
                where);
}

// A pitch in bytes. One beyond the address space is requested too, and refused with a text.
template <typename T>
constexpr std::size_t pitch_bytes(std::size_t pitch) noexcept {
    return pitch > static_cast<std::size_t>(-1) / sizeof(T) ? static_cast<std::size_t>(-1) : pitch * sizeof(T);
}

}  // namespace detail

/** Rows of elements in memory, without ownership: Span2D and DeviceSpan2D. @tparam Row Span<T> or
 * DeviceSpan<T>, the type of a row. */
template <typename Row>
class BasicSpan2D {
  public:
    /** The type of its elements. */
    using element_type = std::remove_pointer_t<decltype(Row().data())>;

    /** Creates an empty range. */
    constexpr BasicSpan2D() noexcept = default;
    /** @param data the first element. @param width elements of a row. @param height number of rows. @param pitch
     * elements from the start of a row to the start of the next one, at least `width`. */
    constexpr BasicSpan2D(element_type* data, std::size_t width, std::size_t height, std::size_t pitch) noexcept
        : data_(data), width_(width), height_(height), pitch_(pitch) {}
    /** Creates a read-only range. @param other a writable one. */
    template <typename Other, typename = std::enable_if_t<std::is_convertible_v<Other&, Row>>>
    constexpr BasicSpan2D(BasicSpan2D<Other> other) noexcept
        : BasicSpan2D(other.data(), other.width(), other.height(), other.pitch()) {}

    /** Returns the first element. @return its address. */
    constexpr element_type* data() const noexcept { return data_; }
    /** Returns the number of elements of a row. @return the number. */
    constexpr std::size_t width() const noexcept { return width_; }
    /** Returns the number of rows. @return the number. */
    constexpr std::size_t height() const noexcept { return height_; }
    /** Returns the distance of two rows. @return elements from the start of one to the start of the next. */
    constexpr std::size_t pitch() const noexcept { return pitch_; }

    /**
     * Returns a row.
     *
     * @param index less than height().
     * @return its elements.
     */
    constexpr Row row(std::size_t index) const { return subspan(0, index, width_, 1).first_row(); }

    /**
     * Returns a rectangle of these rows.
     *
     * @param x index of its first element in a row.
     * @param y index of its first row.
     * @param width elements of a row.
     * @param height number of rows.
     * @return the rectangle, with the same pitch; std::out_of_range is thrown if it is not inside.
     */
    constexpr BasicSpan2D subspan(std::size_t x, std::size_t y, std::size_t width, std::size_t height) const {
        if (x > width_ || width > width_ - x || y > height_ || height > height_ - y)
            detail::refuse_rectangle(x, y, width, height, width_, height_);
        // An address is computed only where there are elements.
        if (width == 0 || height == 0) return BasicSpan2D(nullptr, width, height, pitch_);
        return BasicSpan2D(data_ + y * pitch_ + x, width, height, pitch_);
    }

  private:
    template <typename>
    friend class BasicSpan2D;

    constexpr Row first_row() const noexcept { return Row(data_, width_); }

    element_type* data_ = nullptr;
    std::size_t width_ = 0;
    std::size_t height_ = 0;
    std::size_t pitch_ = 0;
};

/** Rows of elements in host memory. @tparam T their type. */
template <typename T>
using Span2D = BasicSpan2D<Span<T>>;

/** Rows of elements in device memory. @tparam T their type. */
template <typename T>
using DeviceSpan2D = BasicSpan2D<DeviceSpan<T>>;

/**
 * Returns a range of memory as rows.
 *
 * @param range a range of device or host memory, as for portacl::copy.
 * @param width elements of a row.
 * @param height number of rows.
 * @param pitch elements from the start of a row to the start of the next one, at least `width`; what lies between two
 * rows is neither read nor written.
 * @return a Span2D or DeviceSpan2D; std::out_of_range is thrown if the range is too small.
 */
template <typename Range>
constexpr auto view_2d(Range&& range, std::size_t width, std::size_t height, std::size_t pitch) {
    const auto memory = view(range);
    if (!detail::contains_rows(memory.size(), width, height, pitch))
        detail::refuse_rows(memory.size(), width, height, pitch);
    return BasicSpan2D<std::remove_const_t<decltype(memory)>>(memory.data(), width, height, pitch);
}

/** As view_2d() with a pitch, for rows that follow each other. @param range the range. @param width elements of a row.
 * @param height number of rows. @return a Span2D or DeviceSpan2D. */
template <typename Range>
constexpr auto view_2d(Range&& range, std::size_t width, std::size_t height) {
    return view_2d(range, width, height, width);
}

/**
 * Copies rows between the host and a device, synchronously.
 *
 * @param dst the destination: at least as wide and as high, with elements of the same type.
 * @param src the source.
 * @param where the source location of the call.
 */
template <typename To, typename From>
void copy_2d(BasicSpan2D<To> dst, BasicSpan2D<From> src, SourceLocation where = SourceLocation::current()) {
    detail::check_elements(To(), From());
    constexpr aclrtMemcpyKind kKind = detail::kind(To(), From());
    static_assert(kKind == ACL_MEMCPY_HOST_TO_DEVICE || kKind == ACL_MEMCPY_DEVICE_TO_HOST,
                  "rows are copied between the host and a device; copy_2d_async also copies them on devices");
    if (dst.width() < src.width() || dst.height() < src.height())
        detail::refuse_destination("portacl::copy_2d", dst.width(), dst.height(), src.width(), src.height(), where);
    using T = typename BasicSpan2D<To>::element_type;
    check(aclrtMemcpy2d(dst.data(), detail::pitch_bytes<T>(dst.pitch()), src.data(),
                        detail::pitch_bytes<T>(src.pitch()), src.width() * sizeof(T), src.height(), kKind),
          where);
}

/**
 * Enqueues a copy of rows, between the host and a device, on a device, or between devices. Page-locked host memory must
 * not change until the copy is complete; other host memory has been read, or written, when this returns.
 *
 * @param dst the destination: at least as wide and as high, with elements of the same type.
 * @param src the source.
 * @param stream the stream; null: the default stream.
 * @param where the source location of the call.
 */
template <typename To, typename From>
void copy_2d_async(BasicSpan2D<To> dst, BasicSpan2D<From> src, StreamRef stream,
                   SourceLocation where = SourceLocation::current()) {
    detail::check_elements(To(), From());
    constexpr aclrtMemcpyKind kKind = detail::kind(To(), From());
    static_assert(kKind != ACL_MEMCPY_HOST_TO_HOST, "streams copy to and from devices");
    if (dst.width() < src.width() || dst.height() < src.height())
        detail::refuse_destination("portacl::copy_2d_async", dst.width(), dst.height(), src.width(), src.height(),
                                   where);
    using T = typename BasicSpan2D<To>::element_type;
    check(aclrtMemcpy2dAsync(dst.data(), detail::pitch_bytes<T>(dst.pitch()), src.data(),
                             detail::pitch_bytes<T>(src.pitch()), src.width() * sizeof(T), src.height(), kKind,
                             stream.get()),
          where);
}

}  // namespace portacl

#endif /* PORTACL_COPY_2D_HPP */

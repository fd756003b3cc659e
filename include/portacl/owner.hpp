/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Common parts of the owners of objects.
 */

#ifndef PORTACL_OWNER_HPP
#define PORTACL_OWNER_HPP

#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

#include "error.hpp"

namespace portacl {

/**
 * The unique owner of an object of the C API: it can be moved, and its destructor destroys the
 * object. A failure there is recorded (portaclNoteReleaseFailure), and the leak report contains it.
 *
 * @tparam Kind provides the type `Handle`, a value without object `none()`, and `destroy(Handle)`,
 * which does not throw.
 */
template <typename Kind>
class Owner {
  public:
    /** The type of the handle in the C API. */
    using Handle = typename Kind::Handle;

    /** Owns nothing. */
    Owner() noexcept = default;
    /** Takes the object of another owner, which is empty afterwards. @param other the other owner.
     */
    Owner(Owner&& other) noexcept : handle_(other.release()) {}
    /** Destroys its object and takes the object of the other owner. @param other the other owner.
     * @return this object.
     */
    Owner& operator=(Owner&& other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    ~Owner() { reset(); }

    /** Returns the handle, for calls of the C API. @return the handle; the owner keeps the object.
     */
    Handle get() const noexcept { return handle_; }

    /** Gives up ownership. @return the handle, which the caller must destroy. */
    [[nodiscard]] Handle release() noexcept { return std::exchange(handle_, Kind::none()); }

    /** Destroys the object now. */
    void reset() noexcept { reset(Kind::none()); }

    /** Returns whether there is an object. @return true if there is. */
    explicit operator bool() const noexcept { return handle_ != Kind::none(); }

  protected:
    /** Owns an object. @param handle its handle. */
    explicit Owner(Handle handle) noexcept : handle_(handle) {}

  private:
    void reset(Handle next) noexcept {
        const Handle old = std::exchange(handle_, next);
        if (old != Kind::none()) Kind::destroy(old);
    }

    Handle handle_ = Kind::none();
};

namespace detail {

// Marks a constructor that takes an object of the C API instead of creating one.
struct Adopted {};

// Converts to units of the C API, rounded up so that no wait is shorter than requested, and limited
// to the maximum.
template <typename Unit, typename Rep, typename Period>
int32_t timeout(std::chrono::duration<Rep, Period> wait) noexcept {
    constexpr int32_t kLongest = std::numeric_limits<int32_t>::max();
    if (wait <= wait.zero()) return 0;
    // Compared as floating point: a conversion of very long durations could overflow.
    using Approximate = std::chrono::duration<double, typename Unit::period>;
    if (Approximate(wait).count() >= static_cast<double>(kLongest)) return kLongest;
    return static_cast<int32_t>(std::chrono::ceil<Unit>(wait).count());
}

// The result of a wait with a timeout: true if it completed, false if it timed out.
inline bool in_time(aclError code, aclError too_long, SourceLocation where) {
    if (code != too_long) {
        check(code, where);
        return true;
    }
    aclGetRecentErrMsg();  // or a later reader would take it for a failure
    return false;
}

}  // namespace detail

}  // namespace portacl

#endif /* PORTACL_OWNER_HPP */

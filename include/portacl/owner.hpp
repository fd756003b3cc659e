/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * What the owners of objects have in common.
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
 * The only owner of an object of the C API: it can be moved, and destroys the object at its end. A
 * failure there is noted by portaclNoteReleaseFailure and part of the leak report.
 *
 * @tparam Kind has the handle's type as `Handle`, a value that is no object as `none()`, and
 * `destroy(Handle)`, which does not throw.
 */
template <typename Kind>
class Owner {
  public:
    /** The type of the handle in the C API. */
    using Handle = typename Kind::Handle;

    /** Owns nothing. */
    Owner() noexcept = default;
    /** Takes the object of another owner, which then has none. @param other the other owner. */
    Owner(Owner&& other) noexcept : handle_(other.release()) {}
    /** Destroys its own object and takes the other's. @param other the other owner. @return itself.
     */
    Owner& operator=(Owner&& other) noexcept {
        if (this != &other) reset(other.release());
        return *this;
    }
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    ~Owner() { reset(); }

    /** The handle, for calls of the C API. @return it; the object stays this owner's. */
    Handle get() const noexcept { return handle_; }

    /** Gives the object away. @return the handle, which the caller has to destroy. */
    [[nodiscard]] Handle release() noexcept { return std::exchange(handle_, Kind::none()); }

    /** Destroys the object now. */
    void reset() noexcept { reset(Kind::none()); }

    /** Whether there is an object. @return true if so. */
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

// In whole units of the C API, rounded up so that no wait is shorter than asked for, at most the
// longest one there is.
template <typename Unit, typename Rep, typename Period>
int32_t timeout(std::chrono::duration<Rep, Period> wait) noexcept {
    constexpr int32_t kLongest = std::numeric_limits<int32_t>::max();
    if (wait <= wait.zero()) return 0;
    // Compared as floating point: a conversion of very long durations could overflow.
    using Approximate = std::chrono::duration<double, typename Unit::period>;
    if (Approximate(wait).count() >= static_cast<double>(kLongest)) return kLongest;
    return static_cast<int32_t>(std::chrono::ceil<Unit>(wait).count());
}

// Of a wait with a time limit: true if it has ended well, false if it was too long.
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

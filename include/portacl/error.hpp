/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Failures as exceptions: portacl::Error, and portacl::check for calls of the C API.
 */

#ifndef PORTACL_ERROR_HPP
#define PORTACL_ERROR_HPP

#if __cplusplus < 201703L
#error "portacl's C++ headers need C++17 (-std=c++17); its C headers, as acl/acl.h, take C++11"
#endif

#include <stdexcept>
#include <string>

#include "../acl/acl.h"
#include "portacl.h"

namespace portacl {

/** A place in the source of a program. Functions that can fail take one as their last argument; its
 * default is the place of the call. */
struct SourceLocation {
    /** The file, as the compiler was given it. */
    const char* file = "";
    /** The line, from 1. */
    int line = 0;

    /**
     * The place where this is called, or where a function is called whose default argument this is.
     *
     * @param file left out.
     * @param line left out.
     * @return the place.
     */
    static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                            int line = __builtin_LINE()) noexcept {
        return {file, line};
    }
};

/** A call of the C API that did not return ACL_SUCCESS. what() has all of it: place, text, name. */
class Error : public std::runtime_error {
  public:
    /**
     * A failure.
     *
     * @param code what the call returned.
     * @param text what the library says of it.
     * @param where the place of the call.
     */
    Error(aclError code, const std::string& text, SourceLocation where)
        : std::runtime_error(std::string(where.file) + ":" + std::to_string(where.line) + ": " +
                             text + " [" + name_of(code) + "]"),
          code_(code),
          text_(text),
          where_(where) {}

    /** What the call returned. @return the code. */
    aclError code() const noexcept { return code_; }

    /** The name of the code. @return such as "ACL_ERROR_RT_PARAM_INVALID"; "unknown code" if it has
     * none. */
    const char* name() const noexcept { return name_of(code_); }

    /** What the library says: call, argument, value, bound, and what to do. @return the text. */
    const std::string& text() const noexcept { return text_; }

    /** Where the call is. @return the file. */
    const char* file() const noexcept { return where_.file; }

    /** Where the call is. @return the line. */
    int line() const noexcept { return where_.line; }

  private:
    static const char* name_of(aclError code) noexcept {
        const char* name = portaclErrorName(code);
        return name != nullptr ? name : "unknown code";
    }

    aclError code_;
    std::string text_;
    SourceLocation where_;
};

namespace detail {

// Out of line and cold: a call that succeeds pays for one comparison.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail(aclError code, SourceLocation where) {
    const char* text = aclGetRecentErrMsg();
    throw Error(code, text != nullptr ? text : "no text", where);
}

// For destructors, which cannot throw.
inline void note(const char* call, aclError code) noexcept {
    if (code != ACL_SUCCESS) portaclNoteReleaseFailure(call, code);
}

}  // namespace detail

/**
 * Throws an Error, with the library's text, unless a call has succeeded.
 *
 * @param code what a call of the C API has returned, on this thread and just now.
 * @param where the place of the call.
 */
inline void check(aclError code, SourceLocation where = SourceLocation::current()) {
    if (code != ACL_SUCCESS) detail::fail(code, where);
}

}  // namespace portacl

#endif /* PORTACL_ERROR_HPP */

/* SPDX-License-Identifier: Apache-2.0 */

/** @file
 * Errors as exceptions: portacl::Error, and portacl::check for calls of the C API.
 */

#ifndef PORTACL_ERROR_HPP
#define PORTACL_ERROR_HPP

#if __cplusplus < 201703L
#error "portacl's C++ headers need C++17 (-std=c++17); its C headers, such as acl/acl.h, need only C++11"
#endif

#include <stdexcept>
#include <string>

#include "../acl/acl.h"
#include "portacl.h"

namespace portacl {

/** A source location in a program. Functions that can fail take one as their last argument; the
 * default is the location of the call. */
struct SourceLocation {
    /** The file name as passed to the compiler. */
    const char* file = "";
    /** The line, from 1. */
    int line = 0;

    /**
     * Returns the location of this call, or, as a default argument, the location of the call of
     * that function.
     *
     * @param file do not pass it.
     * @param line do not pass it.
     * @return the location.
     */
    static constexpr SourceLocation current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) noexcept {
        return {file, line};
    }
};

/** A call of the C API that did not return ACL_SUCCESS. what() contains location, text and name. */
class Error : public std::runtime_error {
  public:
    /**
     * Creates the exception.
     *
     * @param code the code that the call returned.
     * @param text the library's text.
     * @param where the source location of the call.
     */
    Error(aclError code, const std::string& text, SourceLocation where)
        : std::runtime_error(std::string(where.file) + ":" + std::to_string(where.line) + ": " + text + " [" +
                             name_of(code) + "]"),
          code_(code),
          text_(text),
          where_(where) {}

    /** Returns the code of the call. @return the code. */
    aclError code() const noexcept { return code_; }

    /** Returns the name of the code. @return for example "ACL_ERROR_RT_PARAM_INVALID"; "unknown
     * code" if it has none. */
    const char* name() const noexcept { return name_of(code_); }

    /** Returns the library's text: call, argument, value, bound and remedy. @return the text. */
    const std::string& text() const noexcept { return text_; }

    /** Returns the file of the call. @return the file. */
    const char* file() const noexcept { return where_.file; }

    /** Returns the line of the call. @return the line. */
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
    throw Error(code, text != nullptr ? text : "no error text", where);
}

// For destructors, which cannot throw.
inline void note(const char* call, aclError code) noexcept {
    if (code != ACL_SUCCESS) portaclNoteReleaseFailure(call, code);
}

}  // namespace detail

/**
 * Throws an Error with the library's text, unless the call succeeded.
 *
 * @param code the code that a call of the C API has just returned on this thread.
 * @param where the source location of the call.
 */
inline void check(aclError code, SourceLocation where = SourceLocation::current()) {
    if (code != ACL_SUCCESS) detail::fail(code, where);
}

}  // namespace portacl

#endif /* PORTACL_ERROR_HPP */

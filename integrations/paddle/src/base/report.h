// Paddle shows the status of a callback without a text, so the text is written to standard error.
#pragma once

#include <acl/acl.h>

#include "base/interface.h"

namespace portacl_paddle {

// Writes one line; `format` must not contain a newline.
void Say(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Converts the library's code for `callback` to a status; reports a failure with the library's
// text.
C_Status Answer(const char* callback, aclError code);

// As Answer, for calls that Paddle's destructors make before they release something: in a forked
// child there is nothing to set or to wait for.
C_Status AnswerUnlessForked(const char* callback, aclError code);

// Reports an argument that is invalid without calling the library.
C_Status Refuse(const char* callback, const char* why);

// Returns whether this is a child that was forked after the library was initialized: no call works
// there, and releases have to return success, because Paddle's destructors do not survive a
// failure.
bool InForkedChild();

}  // namespace portacl_paddle

// Paddle shows the status of a callback and no words, so the words go to the standard error stream.
#pragma once

#include <acl/acl.h>

#include "interface.h"

namespace portacl_paddle {

// One line. Stays on the line: no newline in `format`.
void Say(const char* format, ...) __attribute__((format(printf, 1, 2)));

// The status for what the library answered to `callback`; a failure is told with the library's
// words.
C_Status Answer(const char* callback, aclError code);

// As Answer, for calls that Paddle's destructors make before they give something back: in a forked
// child there is nothing to set or to wait for.
C_Status AnswerUnlessForked(const char* callback, aclError code);

// An argument that the library need not be asked about.
C_Status Refuse(const char* callback, const char* why);

// In a child that was forked after the library had begun its work: nothing works there, and what
// only gives something back has to pass for done, because Paddle's destructors do not survive a
// failure.
bool InForkedChild();

}  // namespace portacl_paddle

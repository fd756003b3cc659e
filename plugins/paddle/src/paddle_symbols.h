// Functions and variables of Paddle's own libraries. They are looked up instead of linked: Python
// loads those libraries out of others' sight, and a plug-in with an unresolved symbol ends the
// process.
#pragma once

namespace portacl_paddle {

// The address of what has this name for the linker; null where Paddle does not have it, or is not
// there.
void* FindInPaddle(const char* name);

}  // namespace portacl_paddle

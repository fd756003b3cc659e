// Functions and variables of Paddle's libraries. They are looked up instead of linked: Python loads
// those libraries with local symbols, and a plug-in with an unresolved symbol ends the process.
#pragma once

namespace portacl_paddle {

// The address of a linker symbol; null if Paddle does not have it, or is not loaded.
void* FindInPaddle(const char* name);

}  // namespace portacl_paddle

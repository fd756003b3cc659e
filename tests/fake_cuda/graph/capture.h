// Calls that captures of streams forbid.
#pragma once

#include "base/call.h"

namespace fake {

// The calling thread calls this function. Returns an error if a capture forbids it; the capture is
// invalid then. The lock is held.
CUresult disturb_captures(const char* name);

}  // namespace fake

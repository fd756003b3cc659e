// What captures of streams forbid.
#pragma once

#include "call.h"

namespace fake {

// The calling thread calls this function. Not CUDA_SUCCESS where a capture forbids it, which is
// invalid then. The lock is held.
CUresult disturb_captures(const char* name);

}  // namespace fake

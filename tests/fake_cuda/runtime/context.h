// Primary contexts and the stack of current contexts that each thread has.
#pragma once

#include "base/state.h"

namespace fake {

// The calling thread's current context, null if it has none. It may be inactive.
Context* current_context();

// Null for an invalid ordinal.
Context* device(CUdevice ordinal);

// Null for an invalid handle.
Context* find_context(CUcontext handle);

}  // namespace fake

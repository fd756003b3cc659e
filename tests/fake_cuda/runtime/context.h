// Primary contexts and the stack of current contexts that each thread has.
#pragma once

#include "base/state.h"

namespace fake {

// Assumption: Any context may be current, also a destroyed one of another library; calls without a context of their
// own then fail with 201, 400 or 709.
// Source: CUDA Driver API, Context Management
// Test: ForeignContext.MayBeLeftCurrent, ForeignContext.MayBeDestroyedWhileItIsCurrent

// The calling thread's current context, null if it has none. It may be inactive.
Context* current_context();

// Null for an invalid ordinal.
Context* device(CUdevice ordinal);

// Null for an invalid handle.
Context* find_context(CUcontext handle);

}  // namespace fake

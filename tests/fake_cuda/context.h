// Primary contexts and the stack of current contexts that each thread has.
#pragma once

#include "state.h"

namespace fake {

// The calling thread's current context, null if it has none. It may be inactive.
Context* current_context();

// Null for a number that is no device.
Context* device(CUdevice ordinal);

// Null for a number that is no context.
Context* find_context(CUcontext handle);

}  // namespace fake

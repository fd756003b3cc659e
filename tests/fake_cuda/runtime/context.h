// Contexts, and the stack of current contexts that each thread has.
#pragma once

#include "base/call.h"
#include "base/state.h"

namespace fake {

// Assumption: Any context may be current, also a destroyed one of another library, or one that has failed; calls
// without a context of their own then fail with 201, 400 or 709, or return that context's failure, which says nothing
// about others.
// Source: CUDA Driver API, Context Management: cuCtxDestroy, cuCtxSetCurrent; the note "may also return error codes
// from previous, asynchronous launches" of most functions
// Test: ForeignContext.MayBeLeftCurrent, ForeignContext.MayBeDestroyedWhileItIsCurrent

// Assumption: A device has further contexts beside its primary one. Their streams, events and kernels are their own,
// and kernels and fills of one context do not use the memory of another; copies do.
// Source: CUDA Driver API, Context Management: cuCtxCreate; Unified Addressing
// Test: NativeContext.AStreamOfAnotherContextIsRefused, NativeContext.MemoryOfAnotherContextIsCopied,
// ForeignContext.MayBeLeftCurrent

// Returns the calling thread's current context, or null if it has none. It may be inactive.
Context* current_context();

// Returns the primary context of a device, or null for an invalid ordinal.
Context* device(CUdevice ordinal);

// Returns CUDA_SUCCESS, or a reported misuse: there is no such device.
CUresult check_device(const Call& call, CUdevice ordinal);

// Gives a new context its handle.
void name_context(Context& context);

// Returns the context with this handle, or null if the handle is invalid.
Context* find_context(CUcontext handle);

}  // namespace fake

// Host functions in streams.
#pragma once

#include "base/call.h"
#include "base/state.h"

namespace fake {

// Enqueues a call of `function` on the thread of host functions.
CUresult queue_host_function(const Call& call, Stream& stream, CUhostFn function, void* data);

}  // namespace fake

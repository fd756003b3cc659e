// Captures of streams: what they forbid, and what is captured.
#pragma once

#include "base/call.h"

namespace fake {

// The calling thread calls this function. Returns an error if a capture forbids it; the capture is
// invalid then. The lock is held.
CUresult disturb_captures(const char* name);

// The capture of this stream, null if it is not captured.
Capture* capture_of(CUstream handle);

// A call asks whether work of a captured stream is complete, which invalidates the capture. Returns `code`, or that the
// capture was invalid already; success if the stream is not captured.
CUresult disturb_capture_of(CUstream handle, CUresult code);

}  // namespace fake

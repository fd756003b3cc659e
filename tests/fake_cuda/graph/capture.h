// Captures of streams: what they forbid, and what is captured.
#pragma once

#include "base/call.h"

namespace fake {

// Applies the rules of captures to the function that the calling thread calls. Returns an error if a capture forbids
// it; the capture is invalid then. The lock is held.
CUresult disturb_captures(const char* name);

// Returns the capture of this stream, or null if it is not captured.
Capture* capture_of(CUstream handle);

// Invalidates the capture of a stream, because a call queries whether its work is complete. Returns `code`, or that the
// capture was invalid already; success if the stream is not captured.
CUresult disturb_capture_of(CUstream handle, CUresult code);

}  // namespace fake

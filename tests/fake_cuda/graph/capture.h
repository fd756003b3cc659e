// Captures of streams: what they forbid, and what is captured.
#pragma once

#include "base/call.h"

namespace fake {

// Applies the rules of captures to the function that the calling thread calls. Returns an error if a capture forbids
// it; the capture is invalid then. The lock is held.
CUresult disturb_captures(const char* name);

// Returns the capture of this stream, or null if it is not captured.
Capture* capture_of(CUstream handle);

// Returns the capture with this number, or null if it has ended.
Capture* capture_with(uint64_t id);

// Captures an operation of a stream.
CUresult capture_work(Capture& capture, CUstream handle);

// Orders a stream after a point of a capture: the stream joins the capture.
CUresult join_capture(uint64_t id, const CapturedPoint& point, CUstream handle);

// Invalidates a capture, because a call does what no capture allows. Returns `code`, or that the capture was invalid
// already.
CUresult invalidate(Capture& capture, CUresult code);

// Invalidates the capture of a stream, because a call queries whether its work is complete. Returns success if the
// stream is not captured.
CUresult disturb_capture_of(CUstream handle, CUresult code);

// Invalidates the captures in a context, because a call waits for all of its work.
CUresult disturb_captures_in(const Context& context);

}  // namespace fake

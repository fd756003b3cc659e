// Captures of streams: what they forbid, and that work submitted to a captured stream does not run. The graph that
// results has no nodes.

#include "graph/capture.h"

#include "graph/graph.h"
#include "stream/stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace fake {
namespace {

enum Mode : unsigned { kGlobal = 0, kThreadLocal = 1, kRelaxed = 2 };

thread_local unsigned mode_of_thread = kGlobal;

// Whether captures allow a call: it enqueues work, builds graphs, or only reads what the driver has in host memory. The
// documentation says "potentially unsafe", and names cudaMalloc as an example. Here all other calls are unsafe.
bool is_safe(const char* name) {
    static const char* const kSafe[] = {"Async",
                                        "cuCtxGet",
                                        "cuCtxPop",
                                        "cuCtxPush",
                                        "cuCtxSet",
                                        "cuDeviceGet",
                                        "cuDeviceCan",
                                        "cuDriver",
                                        "cuEventCreate",
                                        "cuEventDest",
                                        "cuEventRecord",
                                        "cuGetError",
                                        "cuGraphAdd",
                                        "cuInit",
                                        "cuGraphCreate",
                                        "cuGraphDest",
                                        "cuGraphLaunch",
                                        "cuLaunch",
                                        "cuPointerGet",
                                        "cuStreamGet",
                                        "cuStreamWait",
                                        "cuStreamWrite",
                                        "cuThreadExchange",
                                        "Captur",
                                        "cuDeviceTotal",
                                        "cuMemGetAddressRange",
                                        "cuMemGetAllocationGranularity",
                                        "cuMemHostGetDevicePointer",
                                        "cuDeviceCompute"};
    return std::any_of(std::begin(kSafe), std::end(kSafe),
                       [&](const char* part) { return std::strstr(name, part) != nullptr; });
}

}  // namespace

// Assumption: A capture forbids calls such as cuMemAlloc, cuMemFree and cuEventQuery, by the modes of capture and
// thread, and is then invalid. In the relaxed mode a thread may make them. All calls are forbidden here but those that
// enqueue work, build graphs or read what the driver has in host memory.
// Source: CUDA Driver API, Stream Management: cuThreadExchangeStreamCaptureMode, cuStreamBeginCapture
// Test: NativeCapture.IsValidAfterAFreeOnAnotherThread, NativeCapture.IsValidAfterCallsOfItsThread,
// StreamWait.ACaptureOfAnotherLibraryStaysValid

CUresult disturb_captures(const char* name) {
    if (mode_of_thread == kRelaxed || state().captures.empty() || is_safe(name)) return CUDA_SUCCESS;
    CUresult code = CUDA_SUCCESS;
    for (Capture& capture : state().captures) {
        const bool own = capture.thread == std::this_thread::get_id();
        if (capture.mode == kRelaxed) continue;
        if (!own && (capture.mode != kGlobal || mode_of_thread == kThreadLocal)) continue;
        capture.valid = false;
        code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return code;
}

Capture* capture_of(CUstream handle) {
    auto& captures = state().captures;
    const auto found = std::find_if(captures.begin(), captures.end(),
                                    [&](const Capture& one) { return one.streams.count(handle) != 0; });
    return found == captures.end() ? nullptr : &*found;
}

Capture* capture_with(uint64_t id) {
    auto& captures = state().captures;
    const auto found = std::find_if(captures.begin(), captures.end(), [&](const Capture& one) { return one.id == id; });
    return found == captures.end() ? nullptr : &*found;
}

CUresult capture_work(Capture& capture, CUstream handle) {
    if (!capture.valid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    ++capture.streams[handle][handle];
    return CUDA_SUCCESS;
}

// Assumption: A stream that waits for an event of a captured stream joins the capture: its work is captured, until the
// stream that began ends the capture. A captured stream does not wait for work outside of its capture (905) or in
// another capture (902), and the capture ends without a graph if a joined stream has work that its first stream has not
// waited for (904).
// Source: CUDA Driver API, Stream Management: cuStreamWaitEvent, cuStreamEndCapture; CUDA C++ Programming Guide, CUDA
// Graphs: Cross-stream Dependencies and Events
// Test: JoinedCapture.AStreamThatJoinsIsNotQueried

CUresult join_capture(uint64_t id, const CapturedPoint& point, CUstream handle) {
    Capture* const capture = capture_with(id);
    if (capture == nullptr) return CUDA_ERROR_CAPTURED_EVENT;
    if (!capture->valid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    Capture* const own = capture_of(handle);
    if (own != nullptr && own != capture) {
        own->valid = false;
        return invalidate(*capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    }
    CapturedPoint& after = capture->streams[handle];
    for (const auto& [stream, count] : point) after[stream] = std::max(after[stream], count);
    return CUDA_SUCCESS;
}

// Assumption: A query or synchronization of a captured stream or event, or of the context of a captured stream, fails
// with 900, 901 or 907, and invalidates the capture, in every mode; cuStreamIsCapturing does not.
// Source: CUDA C++ Programming Guide, CUDA Graphs: Prohibited and Unhandled Operations; CUDA Driver API,
// cuStreamIsCapturing
// Test: NativeCapture.IsValidAfterARefusedWait, JoinedCapture.AStreamThatJoinsIsNotQueried,
// JoinedCapture.AnEventOfACaptureIsNotQueried

CUresult invalidate(Capture& capture, CUresult code) {
    return std::exchange(capture.valid, false) ? code : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}

CUresult disturb_capture_of(CUstream handle, CUresult code) {
    Capture* const capture = capture_of(handle);
    return capture == nullptr ? CUDA_SUCCESS : invalidate(*capture, code);
}

CUresult disturb_captures_in(const Context& context) {
    CUresult code = CUDA_SUCCESS;
    for (Capture& capture : state().captures) {
        const auto stream = state().streams.find(number_of(capture.origin));
        if (stream != nullptr && stream->context == &context) {
            code = invalidate(capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
        }
    }
    return code;
}

}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuStreamIsCapturing(CUstream handle, int* status) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    if (find_stream(call, handle, &code) == nullptr) return code;
    if (status == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "captureStatus is null");
    const Capture* const capture = capture_of(handle);
    constexpr int kNone = 0, kActive = 1, kInvalidated = 2;
    *status = capture == nullptr ? kNone : capture->valid ? kActive : kInvalidated;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuThreadExchangeStreamCaptureMode(unsigned* mode) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (mode == nullptr || *mode > kRelaxed) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "mode is null, or names none");
    }
    std::swap(*mode, mode_of_thread);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuStreamBeginCapture_v2(CUstream handle, unsigned mode) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream_to_submit(call, handle, &code);
    if (stream == nullptr) return code;
    if (mode > kRelaxed) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "mode %u is none", mode);
    }
    if (capture_of(handle) != nullptr) return call.misuse(CUDA_ERROR_ILLEGAL_STATE, "the stream is captured already");
    Capture capture{++state().captures_begun, handle, std::this_thread::get_id(), mode, true, {}};
    capture.streams[handle];
    state().captures.push_back(std::move(capture));
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuStreamEndCapture(CUstream handle, CUgraph* out) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    Capture* const found = capture_of(handle);
    if (out == nullptr || found == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "phGraph is null, or hStream is not captured");
    }
    if (found->origin != handle) return invalidate(*found, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    if (found->mode != kRelaxed && found->thread != std::this_thread::get_id()) {
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    }
    const Capture capture = *found;
    state().captures.erase(state().captures.begin() + (found - state().captures.data()));
    *out = nullptr;
    if (!capture.valid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    const CapturedPoint& end = capture.streams.at(handle);
    const auto is_joined = [&end](const auto& stream) {
        const auto last = stream.second.find(stream.first);
        const auto reached = end.find(stream.first);
        return last == stream.second.end() || (reached != end.end() && reached->second >= last->second);
    };
    if (!std::all_of(capture.streams.begin(), capture.streams.end(), is_joined)) {
        return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    }
    auto graph = std::make_shared<Graph>();
    graph->context = &call.context();
    *out = reinterpret_cast<CUgraph>(state().graphs.add(std::move(graph)));
    return CUDA_SUCCESS;
}

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

// Whether a call is one that drivers are known to refuse. The documentation says "potentially unsafe", and names none.
bool is_unsafe(const char* name) {
    static const char* const kUnsafe[] = {"cuEventQuery", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemFreeHost",
                                          "cuMemHostAlloc"};
    return std::any_of(std::begin(kUnsafe), std::end(kUnsafe),
                       [&](const char* one) { return std::strcmp(one, name) == 0; });
}

}  // namespace

// Assumption: A capture forbids calls such as cuMemFree and cuEventQuery, by the modes of capture and thread. In the
// relaxed mode a thread may make them.
// Source: CUDA Driver API, cuThreadExchangeStreamCaptureMode
// Test: NativeCapture.IsValidAfterAFreeOnAnotherThread, StreamWait.ACaptureOfAnotherLibraryStaysValid

CUresult disturb_captures(const char* name) {
    if (mode_of_thread == kRelaxed || state().captures.empty() || !is_unsafe(name)) return CUDA_SUCCESS;
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
    const auto found =
        std::find_if(captures.begin(), captures.end(), [&](const Capture& one) { return one.stream == handle; });
    return found == captures.end() ? nullptr : &*found;
}

// Assumption: A query or synchronization of a captured stream or event fails with 900, 901 or 907, and invalidates
// the capture; cuStreamIsCapturing does not.
// Source: CUDA Programming Guide, CUDA Graphs: Prohibited and Unhandled Operations
// Test: NativeCapture.IsValidAfterARefusedWait

CUresult disturb_capture_of(CUstream handle, CUresult code) {
    Capture* const capture = capture_of(handle);
    if (capture == nullptr) return CUDA_SUCCESS;
    return std::exchange(capture->valid, false) ? code : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
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
    state().captures.push_back({handle, std::this_thread::get_id(), mode, true});
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuStreamEndCapture(CUstream handle, CUgraph* out) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    auto& captures = state().captures;
    const auto found =
        std::find_if(captures.begin(), captures.end(), [&](const Capture& one) { return one.stream == handle; });
    if (out == nullptr || found == captures.end()) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "phGraph is null, or hStream is not captured");
    }
    const bool valid = found->valid;
    captures.erase(found);
    *out = nullptr;
    if (!valid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    auto graph = std::make_shared<Graph>();
    graph->context = &call.context();
    *out = reinterpret_cast<CUgraph>(state().graphs.add(std::move(graph)));
    return CUDA_SUCCESS;
}

// Captures of streams, as far as they forbid calls to other threads: work submitted to a captured
// stream is not modelled, and its graph has no nodes.

#include "graph/capture.h"

#include "graph/graph.h"
#include "stream/stream.h"

#include <algorithm>
#include <cstring>

namespace fake {
namespace {

enum Mode : unsigned { kGlobal = 0, kThreadLocal = 1, kRelaxed = 2 };

thread_local unsigned mode_of_thread = kGlobal;

// Calls that drivers are known to refuse. The documentation says "potentially unsafe", and names
// none.
bool is_unsafe(const char* name) {
    static const char* const kUnsafe[] = {"cuEventQuery", "cuMemAlloc_v2"};
    return std::any_of(std::begin(kUnsafe), std::end(kUnsafe),
                       [&](const char* one) { return std::strcmp(one, name) == 0; });
}

}  // namespace

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

}  // namespace fake

using namespace fake;

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

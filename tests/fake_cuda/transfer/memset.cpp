// Memory sets.

#include <algorithm>
#include <cstring>

#include "memory/memory.h"
#include "stream/stream.h"
#include "transfer/memcpy.h"

// Assumption: cuMemsetD8 and cuMemsetD32 return before they are complete.
// Source: CUDA Driver API, API synchronization behavior: Memset
// Test: Memset.DoesNotWaitForStreams

namespace fake {
namespace {

enum class WaitOf { kIfPinned, kNever };

template <typename T>
CUresult queue_fill(Call& call, Stream& stream, uint64_t address, T value, size_t count, WaitOf wait) {
    if (count == 0) return CUDA_SUCCESS;
    if (address % sizeof(T) != 0 || count > SIZE_MAX / sizeof(T)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "dst 0x%llx is not aligned to %zu bytes, or N is out of range",
                           static_cast<unsigned long long>(address), sizeof(T));
    }
    Operand dst;
    const size_t size = count * sizeof(T);
    if (CUresult code = resolve(call, "dst", address, size, *stream.context, &dst)) return code;
    if (dst.pageable()) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "dst 0x%llx is pageable host memory",
                           static_cast<unsigned long long>(address));
    }
    const Context& owner = *dst.block->context;
    if (dst.block->kind == BlockKind::kDevice && &owner != stream.context &&
        stream.context->peers.count(owner.ordinal) == 0) {
        return call.misuse(
            CUDA_ERROR_INVALID_VALUE,
            "dst is memory of another context, on device %d, which this one, on device %d, may not touch: "
            "make its context current, or cuCtxEnablePeerAccess",
            owner.ordinal, stream.context->ordinal);
    }
    const bool waits = wait == WaitOf::kIfPinned && !dst.on_device();
    Operation operation;
    dst.keep_in(operation.blocks);
    operation.body = [to = dst.bytes, value, count] {
        // Copies from the part that is filled already, which is fast even in unoptimized builds.
        memcpy(to, &value, sizeof value);
        const size_t all = count * sizeof value;
        for (size_t done = sizeof value; done < all; done += std::min(done, all - done)) {
            memcpy(to + done, to, std::min(done, all - done));
        }
        return CUDA_SUCCESS;
    };
    if (CUresult code = submit(call, stream, std::move(operation))) return code;
    return waits ? wait_for(call, stream) : CUDA_SUCCESS;
}

template <typename T>
CUresult fill_now(Call& call, uint64_t address, T value, size_t count) {
    if (call.refused()) return call.refused();
    const auto internal = call.context().internal;
    return queue_fill(call, *internal, address, value, count, WaitOf::kIfPinned);
}

template <typename T>
CUresult fill_async(Call& call, uint64_t address, T value, size_t count, CUstream handle) {
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream_to_submit(call, handle, &code);
    if (stream == nullptr) return code;
    return queue_fill(call, *stream, address, value, count, WaitOf::kNever);
}

}  // namespace

CUresult queue_fill(Call& call, Stream& stream, uint64_t address, unsigned element, unsigned value, size_t count) {
    if (element == 1) {
        return queue_fill(call, stream, address, static_cast<unsigned char>(value), count, WaitOf::kNever);
    }
    return queue_fill(call, stream, address, value, count, WaitOf::kNever);
}

}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuMemsetD8_v2(CUdeviceptr dst, unsigned char value, size_t count) {
    Call call(__func__, Needs::kContext);
    return fill_now(call, dst, value, count);
}

FAKE_CUDA_EXPORT CUresult cuMemsetD32_v2(CUdeviceptr dst, unsigned value, size_t count) {
    Call call(__func__, Needs::kContext);
    return fill_now(call, dst, value, count);
}

FAKE_CUDA_EXPORT CUresult cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count, CUstream stream) {
    Call call(__func__, Needs::kContext);
    return fill_async(call, dst, value, count, stream);
}

FAKE_CUDA_EXPORT CUresult cuMemsetD32Async(CUdeviceptr dst, unsigned value, size_t count, CUstream stream) {
    Call call(__func__, Needs::kContext);
    return fill_async(call, dst, value, count, stream);
}

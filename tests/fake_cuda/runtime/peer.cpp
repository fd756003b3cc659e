// Access between devices.

#include "base/call.h"
#include "base/config.h"
#include "runtime/context.h"

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuDeviceCanAccessPeer(int* out, CUdevice from, CUdevice to) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (CUresult code = check_device(call, from)) return code;
    if (CUresult code = check_device(call, to)) return code;
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "canAccessPeer is null");
    *out = from != to && !config().vgpu ? 1 : 0;
    return CUDA_SUCCESS;
}

namespace {

// Returns integer operations and exchanges of 32 and 64 bits, and floating-point additions of 32 bits without a result.
CUresult query_atomics(const Call& call, unsigned* bits, const unsigned* operations, unsigned count) {
    if (bits == nullptr || operations == nullptr || count == 0)
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "capabilities or operations is null, or count 0");
    for (unsigned i = 0; i < count; ++i) {
        if (operations[i] > 12)
            return call.misuse(CUDA_ERROR_INVALID_VALUE, "operation %u does not exist", operations[i]);
        bits[i] = operations[i] < 10 ? 1 | 2 | 8 | 16 : 1 | 4 | 8;
    }
    return CUDA_SUCCESS;
}

}  // namespace

FAKE_CUDA_EXPORT CUresult cuDeviceGetHostAtomicCapabilities(unsigned* bits, const unsigned* operations, unsigned count,
                                                            CUdevice device) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (CUresult code = check_device(call, device)) return code;
    return query_atomics(call, bits, operations, count);
}

FAKE_CUDA_EXPORT CUresult cuDeviceGetP2PAtomicCapabilities(unsigned* bits, const unsigned* operations, unsigned count,
                                                           CUdevice from, CUdevice to) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (CUresult code = check_device(call, from)) return code;
    if (CUresult code = check_device(call, to)) return code;
    if (from == to) return call.misuse(CUDA_ERROR_INVALID_DEVICE, "both are device %d", from);
    return query_atomics(call, bits, operations, count);
}

FAKE_CUDA_EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const Context* other = find_context(peer);
    if (other == nullptr || !other->active || other->device == call.context().device)
        return call.misuse(CUDA_ERROR_INVALID_CONTEXT, "%p is not another device's live context",
                           static_cast<void*>(peer));
    if (flags != 0) return call.misuse(CUDA_ERROR_INVALID_VALUE, "flags are 0x%x, not 0", flags);
    if (config().vgpu) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    const bool fresh = call.context().peers.insert(other->ordinal).second;
    return fresh ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

FAKE_CUDA_EXPORT CUresult cuCtxDisablePeerAccess(CUcontext peer) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const Context* other = find_context(peer);
    if (other == nullptr || !other->active)
        return call.misuse(CUDA_ERROR_INVALID_CONTEXT, "%p is not a live context", static_cast<void*>(peer));
    return call.context().peers.erase(other->ordinal) != 0 ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

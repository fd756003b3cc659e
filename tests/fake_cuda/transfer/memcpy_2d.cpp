// 2D copies.

#include "base/config.h"
#include "runtime/context.h"
#include "transfer/memcpy.h"

namespace fake {
namespace {

// One end of a copy, as its structure describes it.
struct Side {
    const char* argument;
    unsigned type;
    uint64_t address;
    size_t x;
    size_t y;
    size_t pitch;
    // The device that accesses the memory.
    const Context* device;
};

bool is_row_based(size_t z, size_t lod) {
    return z == 0 && lod == 0;
}

// Assumption: Rows of copies are at most as far apart as the device attribute MAX_PITCH says.
// Source: CUDA Driver API, Memory Management: cuMemcpy2D; Device Management: CU_DEVICE_ATTRIBUTE_MAX_PITCH
// Test: none: it needs two rows 2 GiB apart

// Resolves the rows; all of them must be in one range of the kind that the type names.
CUresult resolve_rows(const Call& call, const Side& side, size_t width, size_t height, Rows* out) {
    if (side.pitch > config().max_pitch || side.x > side.pitch || width > side.pitch - side.x) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "%sPitch %zu is below the row of %zu and %zu bytes, or above %zu",
                           side.argument, side.pitch, side.x, width, config().max_pitch);
    }
    const uint64_t first = side.address + side.y * side.pitch + side.x;
    const size_t size = (height - 1) * side.pitch + width;
    Operand memory;
    if (side.address == 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "the address of %s is null", side.argument);
    }
    if (CUresult code = resolve(call, side.argument, first, size, *side.device, &memory)) {
        return code;
    }
    bool fits = false;
    switch (side.type) {
        case CU_MEMORYTYPE_HOST:
            fits = !memory.only_on_device();
            break;
        case CU_MEMORYTYPE_DEVICE:
            fits = memory.managed() || (memory.on_device() && memory.block->context == side.device);
            break;
        case CU_MEMORYTYPE_UNIFIED:
            fits = !memory.pageable();
            break;
    }
    if (!fits) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "%sMemoryType is %u, which the address 0x%llx is not of on device %d", side.argument,
                           side.type, static_cast<unsigned long long>(first), side.device->ordinal);
    }
    *out = {memory, side.pitch};
    return CUDA_SUCCESS;
}

CUresult copy_rows(Call& call, Stream& stream, const Side& dst, const Side& src, size_t width, size_t height) {
    if (width == 0 || height == 0) return CUDA_SUCCESS;
    Rows to;
    Rows from;
    if (CUresult code = resolve_rows(call, dst, width, height, &to)) return code;
    if (CUresult code = resolve_rows(call, src, width, height, &from)) return code;
    return queue_rows(call, stream, to, from, width, height, Wait::kIfNeeded);
}

uint64_t address_of(unsigned type, const void* host, CUdeviceptr device) {
    return type == CU_MEMORYTYPE_HOST ? reinterpret_cast<uint64_t>(host) : device;
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (copy == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "pCopy is null");
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream_to_submit(call, handle, &code);
    if (stream == nullptr) return code;
    const Side dst{"dst",
                   copy->dstMemoryType,
                   address_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice),
                   copy->dstXInBytes,
                   copy->dstY,
                   copy->dstPitch,
                   stream->context};
    const Side src{"src",
                   copy->srcMemoryType,
                   address_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice),
                   copy->srcXInBytes,
                   copy->srcY,
                   copy->srcPitch,
                   stream->context};
    return copy_rows(call, *stream, dst, src, copy->WidthInBytes, copy->Height);
}

// This supports 3D copies of one layer only.
FAKE_CUDA_EXPORT CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* copy, CUstream handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (copy == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "pCopy is null");
    if (CUresult code = check_peers(call, copy->dstContext, copy->srcContext)) return code;
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream_to_submit(call, handle, &code);
    if (stream == nullptr) return code;
    if (copy->Depth == 0) return CUDA_SUCCESS;
    if (copy->Depth != 1 || !is_row_based(copy->dstZ, copy->dstLOD) || !is_row_based(copy->srcZ, copy->srcLOD) ||
        copy->Height > copy->dstHeight || copy->Height > copy->srcHeight) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "a box of more than one layer, or of %zu rows in heights %zu and %zu", copy->Height,
                           copy->dstHeight, copy->srcHeight);
    }
    const Side dst{"dst",
                   copy->dstMemoryType,
                   address_of(copy->dstMemoryType, copy->dstHost, copy->dstDevice),
                   copy->dstXInBytes,
                   copy->dstY,
                   copy->dstPitch,
                   find_context(copy->dstContext)};
    const Side src{"src",
                   copy->srcMemoryType,
                   address_of(copy->srcMemoryType, copy->srcHost, copy->srcDevice),
                   copy->srcXInBytes,
                   copy->srcY,
                   copy->srcPitch,
                   find_context(copy->srcContext)};
    return copy_rows(call, *stream, dst, src, copy->WidthInBytes, copy->Height);
}

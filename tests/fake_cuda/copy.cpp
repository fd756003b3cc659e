// Copies.

#include <cstring>

#include "context.h"
#include "memory.h"
#include "stream.h"

namespace fake {
namespace {

// Which sides of a copy must be what.
enum class Direction { kAny, kToDevice, kFromDevice, kOnDevice };

enum class Wait { kIfNeeded, kAlways };

CUresult check_direction(const Call& call, Direction direction, const Operand& dst,
                         const Operand& src) {
    const bool wants_device_dst =
        direction == Direction::kToDevice || direction == Direction::kOnDevice;
    const bool wants_device_src =
        direction == Direction::kFromDevice || direction == Direction::kOnDevice;
    // Pinned memory has a device address, so it passes for either.
    if (wants_device_dst && dst.pageable()) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "dst %p is host memory",
                           static_cast<void*>(dst.bytes));
    }
    if (wants_device_src && src.pageable()) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "src %p is host memory",
                           static_cast<void*>(src.bytes));
    }
    if (direction == Direction::kToDevice && src.on_device()) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "src is memory of device %d, not of the host",
                           src.block->context->ordinal);
    }
    if (direction == Direction::kFromDevice && dst.on_device()) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "dst is memory of device %d, not of the host",
                           dst.block->context->ordinal);
    }
    return CUDA_SUCCESS;
}

// Queues a copy on `stream`. Reads a pageable source before it returns; waits where the driver
// does: for a pageable destination, and between host addresses.
CUresult queue_copy(Call& call, Stream& stream, Direction direction, uint64_t dst_address,
                    uint64_t src_address, size_t size, Wait wait) {
    if (size == 0) return CUDA_SUCCESS;
    Operand dst;
    Operand src;
    if (CUresult code = resolve(call, "dst", dst_address, size, *stream.context, &dst)) return code;
    if (CUresult code = resolve(call, "src", src_address, size, *stream.context, &src)) return code;
    if (CUresult code = check_direction(call, direction, dst, src)) return code;

    Operation operation;
    if (dst.block != nullptr) operation.blocks.push_back(dst.block);
    if (src.block != nullptr) operation.blocks.push_back(src.block);
    const bool waits =
        wait == Wait::kAlways || dst.pageable() || (!dst.on_device() && !src.on_device());
    if (src.pageable() && !waits) {
        auto staged = std::make_shared<std::vector<uint8_t>>(src.bytes, src.bytes + size);
        operation.body = [to = dst.bytes, staged] {
            memcpy(to, staged->data(), staged->size());
            return CUDA_SUCCESS;
        };
    } else {
        operation.body = [to = dst.bytes, from = src.bytes, size] {
            memmove(to, from, size);
            return CUDA_SUCCESS;
        };
    }
    if (CUresult code = submit(call, stream, std::move(operation))) return code;
    return waits ? wait_for(call.lock(), stream) : CUDA_SUCCESS;
}

CUresult copy_async(Call& call, Direction direction, uint64_t dst, uint64_t src, size_t size,
                    CUstream handle) {
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream_to_submit(call, handle, &code);
    if (stream == nullptr) return code;
    return queue_copy(call, *stream, direction, dst, src, size, Wait::kIfNeeded);
}

// The synchronous functions. Only those that touch pageable or pinned host memory wait: a copy
// between devices' addresses returns before it has happened, as in the driver.
CUresult copy_now(Call& call, Direction direction, uint64_t dst, uint64_t src, size_t size) {
    if (call.refused()) return call.refused();
    const auto source = find_block(src);
    const auto target = find_block(dst);
    const bool pinned = (source != nullptr && source->kind == BlockKind::kPinned) ||
                        (target != nullptr && target->kind == BlockKind::kPinned);
    const auto internal = call.context().internal;
    return queue_copy(call, *internal, direction, dst, src, size,
                      pinned ? Wait::kAlways : Wait::kIfNeeded);
}

CUresult check_peers(const Call& call, CUcontext dst, CUcontext src) {
    const Context* const target = find_context(dst);
    const Context* const source = find_context(src);
    if (target == nullptr || source == nullptr || !target->active || !source->active) {
        return call.misuse(CUDA_ERROR_INVALID_CONTEXT, "a context is unknown or released");
    }
    return CUDA_SUCCESS;
}

uint64_t address_of(const void* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t size) {
    Call call(__func__, Needs::kContext);
    return copy_now(call, Direction::kAny, dst, src, size);
}

FAKE_CUDA_EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void* src, size_t size) {
    Call call(__func__, Needs::kContext);
    return copy_now(call, Direction::kToDevice, dst, address_of(src), size);
}

FAKE_CUDA_EXPORT CUresult cuMemcpyDtoH_v2(void* dst, CUdeviceptr src, size_t size) {
    Call call(__func__, Needs::kContext);
    return copy_now(call, Direction::kFromDevice, address_of(dst), src, size);
}

FAKE_CUDA_EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t size) {
    Call call(__func__, Needs::kContext);
    return copy_now(call, Direction::kOnDevice, dst, src, size);
}

FAKE_CUDA_EXPORT CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src,
                                       CUcontext src_context, size_t size) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (CUresult code = check_peers(call, dst_context, src_context)) return code;
    return copy_now(call, Direction::kOnDevice, dst, src, size);
}

FAKE_CUDA_EXPORT CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t size,
                                        CUstream stream) {
    Call call(__func__, Needs::kContext);
    return copy_async(call, Direction::kAny, dst, src, size, stream);
}

FAKE_CUDA_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void* src, size_t size,
                                               CUstream stream) {
    Call call(__func__, Needs::kContext);
    return copy_async(call, Direction::kToDevice, dst, address_of(src), size, stream);
}

FAKE_CUDA_EXPORT CUresult cuMemcpyDtoHAsync_v2(void* dst, CUdeviceptr src, size_t size,
                                               CUstream stream) {
    Call call(__func__, Needs::kContext);
    return copy_async(call, Direction::kFromDevice, address_of(dst), src, size, stream);
}

FAKE_CUDA_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t size,
                                               CUstream stream) {
    Call call(__func__, Needs::kContext);
    return copy_async(call, Direction::kOnDevice, dst, src, size, stream);
}

FAKE_CUDA_EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src,
                                            CUcontext src_context, size_t size, CUstream stream) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (CUresult code = check_peers(call, dst_context, src_context)) return code;
    return copy_async(call, Direction::kOnDevice, dst, src, size, stream);
}

// Copies.

#include <cstring>

#include "base/config.h"
#include "runtime/context.h"
#include "transfer/memcpy.h"

namespace fake {
namespace {

// The required kind of memory on each side of a copy.
enum class Direction { kAny, kToDevice, kFromDevice, kOnDevice };

CUresult check_direction(const Call& call, Direction direction, const Operand& dst, const Operand& src) {
    const bool wants_device_dst = direction == Direction::kToDevice || direction == Direction::kOnDevice;
    const bool wants_device_src = direction == Direction::kFromDevice || direction == Direction::kOnDevice;
    // Pinned memory has a device address, so it is accepted as either kind.
    if (wants_device_dst && dst.pageable()) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "dst %p is host memory", static_cast<void*>(dst.bytes));
    }
    if (wants_device_src && src.pageable()) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "src %p is host memory", static_cast<void*>(src.bytes));
    }
    if (direction == Direction::kToDevice && src.only_on_device()) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "src is memory of device %d, not of the host",
                           src.block->context->ordinal);
    }
    if (direction == Direction::kFromDevice && dst.only_on_device()) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "dst is memory of device %d, not of the host",
                           dst.block->context->ordinal);
    }
    return CUDA_SUCCESS;
}

// Enqueues a copy of one row between addresses of `dst_device` and `src_device`.
CUresult queue_copy(Call& call, Stream& stream, Direction direction, uint64_t dst_address, const Context& dst_device,
                    uint64_t src_address, const Context& src_device, size_t size, Wait wait) {
    if (size == 0) return CUDA_SUCCESS;
    Operand dst;
    Operand src;
    if (CUresult code = resolve(call, "dst", dst_address, size, dst_device, &dst)) return code;
    if (CUresult code = resolve(call, "src", src_address, size, src_device, &src)) return code;
    if (CUresult code = check_direction(call, direction, dst, src)) return code;
    return queue_rows(call, stream, {dst, size}, {src, size}, size, 1, wait);
}

CUresult copy_async(Call& call, Direction direction, uint64_t dst, uint64_t src, size_t size, CUstream handle) {
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream_to_submit(call, handle, &code);
    if (stream == nullptr) return code;
    return queue_copy(call, *stream, direction, dst, *stream->context, src, *stream->context, size, Wait::kIfNeeded);
}

// Assumption: A synchronous copy between device addresses may return before it is complete.
// Source: CUDA Driver API, API synchronization behavior: Memcpy, Synchronous
// Test: FreeInUse.PendingCopiesStillReadTheData

// Implements the synchronous functions. Only those with pageable or pinned host memory wait: a copy between device
// addresses returns before it is complete, as in the driver.
CUresult copy_now(Call& call, Direction direction, uint64_t dst, uint64_t src, size_t size) {
    if (call.refused()) return call.refused();
    const auto source = find_block(src);
    const auto target = find_block(dst);
    const auto is_pinned = [](const std::shared_ptr<Block>& block) { return block != nullptr && block->pinned(); };
    const bool pinned = is_pinned(source) || is_pinned(target);
    const auto internal = call.context().internal;
    return queue_copy(call, *internal, direction, dst, *internal->context, src, *internal->context, size,
                      pinned ? Wait::kAlways : Wait::kIfNeeded);
}

// Copies between the memory of two contexts, each of which accesses its own end.
CUresult copy_peer_async(Call& call, CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context,
                         size_t size, CUstream handle) {
    if (call.refused()) return call.refused();
    if (CUresult code = check_peers(call, dst_context, src_context)) return code;
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream_to_submit(call, handle, &code);
    if (stream == nullptr) return code;
    const Context& to = *find_context(dst_context);
    const Context& from = *find_context(src_context);
    const auto target = find_block(dst);
    const auto source = find_block(src);
    if ((target != nullptr && target->context != &to) || (source != nullptr && source->context != &from)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "dst is not of the context of device %d, or src not of device %d's", to.ordinal,
                           from.ordinal);
    }
    return queue_copy(call, *stream, Direction::kOnDevice, dst, to, src, from, size, Wait::kIfNeeded);
}

uint64_t address_of(const void* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
}

}  // namespace

// Assumption: A copy to pageable memory returns when it is complete, whatever its size. One from pageable memory
// returns when the source was read: up to 64 KiB it waits for no other work, above it may wait for the work before it.
// Source: CUDA Driver API, API synchronization behavior: Memcpy; CUDA C++ Programming Guide, Concurrent Execution
// between Host and Device: 64 KB
// Test: MemcpyAsync.APageableSourceIsReadInStreamOrder, MemcpyAsync.APageableDestinationIsCompleteOnReturn

CUresult queue_rows(Call& call, Stream& stream, const Rows& dst, const Rows& src, size_t width, size_t height,
                    Wait wait) {
    Operation operation;
    for (const Rows* rows : {&dst, &src}) {
        rows->memory.keep_in(operation.blocks);
    }
    const auto copy = [width, height](uint8_t* to, size_t to_pitch, const uint8_t* from, size_t from_pitch) {
        for (size_t row = 0; row < height; ++row) {
            memmove(to + row * to_pitch, from + row * from_pitch, width);
        }
    };
    // The size up to which copies fit the driver's staging memory.
    constexpr size_t kStaged = size_t{64} << 10;
    const bool waits = wait == Wait::kAlways || dst.memory.pageable() ||
                       (!dst.memory.on_device() && !src.memory.on_device()) ||
                       (config().blocking && src.memory.pageable() && width * height > kStaged);
    if (src.memory.pageable() && !waits) {
        auto staged = std::make_shared<std::vector<uint8_t>>(width * height);
        copy(staged->data(), width, src.memory.bytes, src.pitch);
        operation.body = [copy, width, to = dst.memory.bytes, pitch = dst.pitch, staged] {
            copy(to, pitch, staged->data(), width);
            return CUDA_SUCCESS;
        };
    } else {
        operation.body = [copy, to = dst.memory.bytes, to_pitch = dst.pitch, from = src.memory.bytes,
                          from_pitch = src.pitch] {
            copy(to, to_pitch, from, from_pitch);
            return CUDA_SUCCESS;
        };
    }
    if (CUresult code = submit(call, stream, std::move(operation))) return code;
    if (!waits) return CUDA_SUCCESS;
    call.block(*stream.context, [&stream, ticket = stream.submitted] { return stream.completed >= ticket; });
    return stream.context->sticky;
}

CUresult check_peers(const Call& call, CUcontext dst, CUcontext src) {
    const Context* const target = find_context(dst);
    const Context* const source = find_context(src);
    if (target == nullptr || source == nullptr || !target->active || !source->active) {
        return call.misuse(CUDA_ERROR_INVALID_CONTEXT, "a context is unknown or released");
    }
    return CUDA_SUCCESS;
}

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

FAKE_CUDA_EXPORT CUresult cuMemcpyPeer(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src, CUcontext src_context,
                                       size_t size) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (CUresult code = check_peers(call, dst_context, src_context)) return code;
    return copy_now(call, Direction::kOnDevice, dst, src, size);
}

FAKE_CUDA_EXPORT CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream) {
    Call call(__func__, Needs::kContext);
    return copy_async(call, Direction::kAny, dst, src, size, stream);
}

FAKE_CUDA_EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void* src, size_t size, CUstream stream) {
    Call call(__func__, Needs::kContext);
    return copy_async(call, Direction::kToDevice, dst, address_of(src), size, stream);
}

FAKE_CUDA_EXPORT CUresult cuMemcpyDtoHAsync_v2(void* dst, CUdeviceptr src, size_t size, CUstream stream) {
    Call call(__func__, Needs::kContext);
    return copy_async(call, Direction::kFromDevice, address_of(dst), src, size, stream);
}

FAKE_CUDA_EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream) {
    Call call(__func__, Needs::kContext);
    return copy_async(call, Direction::kOnDevice, dst, src, size, stream);
}

FAKE_CUDA_EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_context, CUdeviceptr src,
                                            CUcontext src_context, size_t size, CUstream stream) {
    Call call(__func__, Needs::kContext);
    return copy_peer_async(call, dst, dst_context, src, src_context, size, stream);
}

// Managed memory: one address for the host and all devices. It never migrates.

#include "base/config.h"
#include "memory/memory.h"
#include "pool/mem_pool.h"
#include "runtime/context.h"
#include "stream/stream.h"

namespace fake {
namespace {

using ull = unsigned long long;

// Returns CUDA_SUCCESS if the range is in managed memory and the location exists.
[[maybe_unused]] CUresult check(const Call& call, uint64_t address, size_t size, CUmemLocation location, Operand* out) {
    if (size == 0) return call.misuse(CUDA_ERROR_INVALID_VALUE, "count is 0");
    if (CUresult code = resolve(call, "devPtr", address, size, call.context(), out)) return code;
    if (!out->managed()) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "devPtr 0x%llx is not managed memory", ull{address});
    }
    const bool place =
        location.type == CU_MEM_LOCATION_TYPE_DEVICE
            ? device(location.id) != nullptr
            : location.type >= CU_MEM_LOCATION_TYPE_HOST && location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
    if (!place) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "there is no place of type %d with id %d", location.type,
                           location.id);
    }
    return CUDA_SUCCESS;
}

}  // namespace
}  // namespace fake

using namespace fake;

// Assumption: Managed memory has one address for the host and the devices, and copies and fills accept it.
// Source: CUDA Driver API, Memory Management: cuMemAllocManaged; CUDA C++ Programming Guide, Unified Memory Programming
// Test: Memcpy2d.ManagedMemory, NativeCuda.MemoryOfOtherLibrariesIsCopiedAndFilled

FAKE_CUDA_EXPORT CUresult cuMemAllocManaged(CUdeviceptr* out, size_t size, unsigned flags) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (out == nullptr || size == 0 || flags != CU_MEM_ATTACH_GLOBAL) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "dptr is null, bytesize is 0, or flags 0x%x are not CU_MEM_ATTACH_GLOBAL", flags);
    }
    if (config().vgpu) return CUDA_ERROR_NOT_SUPPORTED;
    Context& context = call.context();
    if (!make_room(context, size)) return CUDA_ERROR_OUT_OF_MEMORY;
    const uint64_t address = allocate_host(size, size >= kHuge ? kHuge : kPage);
    if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    context.device->used += size;
    auto* const bytes = reinterpret_cast<uint8_t*>(address);
    add_block(std::make_shared<Block>(BlockKind::kManaged, &context, address, size, bytes));
    *out = address;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemAdvise_v2(CUdeviceptr address, size_t size, int advice, CUmemLocation location) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "advice %d is unknown", advice);
    }
    Operand range;
    return check(call, address, size, location, &range);
}

FAKE_CUDA_EXPORT CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t size, CUmemLocation location,
                                                unsigned flags, CUstream handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (flags != 0) return call.misuse(CUDA_ERROR_INVALID_VALUE, "flags are not 0");
    Operand range;
    if (CUresult code = check(call, address, size, location, &range)) return code;
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream_to_submit(call, handle, &code);
    if (stream == nullptr) return code;
    Operation operation;
    operation.blocks.push_back(range.block);
    operation.body = [] { return CUDA_SUCCESS; };
    return submit(call, *stream, std::move(operation));
}

// Assumption: A batch of prefetches is one operation of the stream, and its prefetches have no order. Every device has
// to have access to managed memory while the host uses it. The legacy stream is refused.
// Source: CUDA Driver API, Unified Addressing: cuMemPrefetchBatchAsync
// Test: Prefetch.Batch

FAKE_CUDA_EXPORT CUresult cuMemPrefetchBatchAsync(CUdeviceptr* addresses, size_t* sizes, size_t count,
                                                  CUmemLocation* locations, size_t* firsts, size_t location_count,
                                                  ull flags, CUstream handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (addresses == nullptr || sizes == nullptr || locations == nullptr || firsts == nullptr || flags != 0 ||
        location_count == 0 || location_count > count || firsts[0] != 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "a list is null or empty, or flags are not 0");
    }
    if (config().vgpu) return CUDA_ERROR_INVALID_DEVICE;
    Operation operation;
    size_t location = 0;
    for (size_t i = 0; i < count; ++i) {
        if (location + 1 < location_count && firsts[location + 1] == i) ++location;
        Operand range;
        if (CUresult code = check(call, addresses[i], sizes[i], locations[location], &range)) return code;
        operation.blocks.push_back(range.block);
    }
    if (location + 1 != location_count) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "prefetchLocIdxs do not ascend, or reach count");
    }
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream_to_submit(call, handle, &code);
    if (stream == nullptr) return code;
    operation.body = [] { return CUDA_SUCCESS; };
    return submit(call, *stream, std::move(operation));
}

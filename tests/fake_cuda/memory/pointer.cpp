// Queries of addresses.

#include "memory/memory.h"
#include "pool/mem_pool.h"

// Assumption: A query of an address that the driver does not know returns 1, also for freed memory.
// Source: CUDA Driver API, Unified Addressing: cuPointerGetAttribute
// Test: NativeCuda.MemoryOfOtherLibrariesIsFound, PointerGetAttributes.OfFreedMemory

namespace fake {
namespace {

enum PointerAttribute : int {
    kContext = 1,
    kMemoryType = 2,
    kDevicePointer = 3,
    kHostPointer = 4,
    kSyncMemops = 6,
    kBufferId = 7,
    kIsManaged = 8,
    kDeviceOrdinal = 9,
    kIsLegacyIpcCapable = 10,
    kRangeStart = 11,
    kRangeSize = 12,
    kMapped = 13,
    kAllowedHandleTypes = 14,
    kIsRdmaCapable = 15,
    kAccessFlags = 16,
    kPool = 17,
};

template <typename T>
void put(void* data, T value) {
    *static_cast<T*>(data) = value;
}

// Writes the attribute of an address in `block`, which may be null. Returns CUDA_ERROR_INVALID_VALUE for an unknown
// attribute, and then writes nothing.
CUresult write(int attribute, const Block* block, uint64_t address, void* data) {
    const bool pinned = block != nullptr && block->pinned();
    const bool managed = block != nullptr && block->managed();
    const bool device = block != nullptr && !pinned;
    const bool pooled = block != nullptr && block->kind == BlockKind::kPooled;
    switch (attribute) {
        case kContext:
            put<CUcontext>(data, block == nullptr ? nullptr : block->context->handle);
            return CUDA_SUCCESS;
        case kMemoryType:
            put<unsigned>(data, device ? CU_MEMORYTYPE_DEVICE : pinned ? CU_MEMORYTYPE_HOST : 0u);
            return CUDA_SUCCESS;
        case kDevicePointer:
        case kHostPointer: {
            const bool has = attribute == kDevicePointer ? block != nullptr : pinned || managed;
            put<uint64_t>(data, has ? address : 0);
            return CUDA_SUCCESS;
        }
        case kBufferId:
            put<uint64_t>(data, block == nullptr ? 0 : block->id);
            return CUDA_SUCCESS;
        case kIsManaged:
            put<unsigned>(data, managed);
            return CUDA_SUCCESS;
        case kSyncMemops:
        case kIsLegacyIpcCapable:
        case kIsRdmaCapable:
            put<unsigned>(data, 0);
            return CUDA_SUCCESS;
        case kDeviceOrdinal:
            put<int>(data, block == nullptr ? -2 : block->context->ordinal);
            return CUDA_SUCCESS;
        case kRangeStart:
            put<uint64_t>(data, block == nullptr ? 0 : block->address);
            return CUDA_SUCCESS;
        case kRangeSize:
            put<size_t>(data, block == nullptr ? 0 : block->size);
            return CUDA_SUCCESS;
        case kMapped:
            put<unsigned>(data, block != nullptr);
            return CUDA_SUCCESS;
        case kAllowedHandleTypes:
            put<uint64_t>(data, pooled ? block->pool->handle_types : 0);
            return CUDA_SUCCESS;
        case kAccessFlags:
            put<unsigned>(data, block == nullptr ? 0 : CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
            return CUDA_SUCCESS;
        case kPool:
            put<uint64_t>(data, pooled ? block->pool->handle : 0);
            return CUDA_SUCCESS;
        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
}

// Rejects free memory of a pool, for which the driver's result is undefined.
CUresult check_live(const Call& call, uint64_t address) {
    return pool_with_free(address) == nullptr
               ? CUDA_SUCCESS
               : call.misuse(CUDA_ERROR_INVALID_VALUE,
                             "0x%llx was freed to its memory pool, or never allocated from it",
                             static_cast<unsigned long long>(address));
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuPointerGetAttribute(void* data, int attribute, CUdeviceptr address) {
    Call call(__func__, Needs::kStream);
    if (call.refused()) return call.refused();
    if (data == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "data is null");
    const auto block = find_block(address);
    if (CUresult code = check_live(call, address)) return code;
    // Querying pageable memory is valid; this is its result.
    if (block == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return write(attribute, block.get(), address, data);
}

FAKE_CUDA_EXPORT CUresult cuPointerGetAttributes(unsigned count, const int* attributes, void** data,
                                                 CUdeviceptr address) {
    Call call(__func__, Needs::kStream);
    if (call.refused()) return call.refused();
    if (count == 0 || attributes == nullptr || data == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "numAttributes is 0, or an argument is null");
    }
    const auto block = find_block(address);
    if (CUresult code = check_live(call, address)) return code;
    for (unsigned i = 0; i < count; ++i) {
        if (data[i] == nullptr) {
            return call.misuse(CUDA_ERROR_INVALID_VALUE, "data[%u] is null", i);
        }
        if (CUresult code = write(attributes[i], block.get(), address, data[i])) return code;
    }
    return CUDA_SUCCESS;
}

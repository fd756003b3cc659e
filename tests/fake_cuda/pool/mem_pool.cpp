// The API of memory pools.

#include "pool/mem_pool.h"

#include <algorithm>
#include <cstring>

#include "base/config.h"
#include "memory/shared_file.h"
#include "runtime/context.h"
#include "stream/stream.h"

// Assumption: A pool releases what exceeds its threshold at the next synchronization of a stream, an event or the
// context.
// Source: CUDA Driver API, Stream Ordered Memory Allocator: cuMemPoolSetAttribute, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
// Test: MemPoolAttributeTest.SynchronizingTrimsToTheThreshold, MemPoolAttributeTest.MemoryUpToTheThresholdIsKept

namespace fake {
namespace {

using ull = unsigned long long;

enum PoolAttribute : int {
    kFollowEvents = 1,
    kOpportunistic = 2,
    kInternalDependencies = 3,
    kReleaseThreshold = 4,
    kReservedCurrent = 5,
    kReservedHigh = 6,
    kUsedCurrent = 7,
    kUsedHigh = 8,
};

// The usage of a pool whose memory the device's engine for decompression reads and writes.
constexpr int kHwDecompress = 2;

// Assumption: A pool of managed memory exists since CUDA 13. Its location is a preference, or none; it is not shared,
// has no maximum and no usage, and every device has to have access to managed memory while the host uses it.
// Source: CUDA Driver API, Stream Ordered Memory Allocator: cuMemPoolCreate. The status of an older driver is not known
// Test: ManagedMemPool.MemoryIsTheHostsAndEveryDevices

CUresult check_managed_props(const Call& call, const CUmemPoolProps& props) {
    if (config().driver_version < 13000) return CUDA_ERROR_INVALID_VALUE;
    if (config().vgpu) return CUDA_ERROR_NOT_SUPPORTED;
    if (props.handleTypes != CU_MEM_HANDLE_TYPE_NONE || props.maxSize != 0 || props.usage != 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "a pool of managed memory has a handle type, a maximum or a usage");
    }
    return CUDA_SUCCESS;
}

CUresult check_props(const Call& call, const CUmemPoolProps* props) {
    const auto is_set = [](unsigned char byte) { return byte != 0; };
    const bool managed = props != nullptr && props->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED;
    if (props == nullptr || (!managed && props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) ||
        props->win32SecurityAttributes != nullptr ||
        std::any_of(std::begin(props->reserved), std::end(props->reserved), is_set)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "poolProps is null, its type is unknown, or a field that has to be 0 "
                           "is not");
    }
    if (managed) {
        if (CUresult code = check_managed_props(call, *props)) return code;
    }
    if (CUresult code = check_location(call, *props)) return code;
    if (props->usage == kHwDecompress && config().decompress) {
        // Those of managed memory are refused above.
        if (props->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
    } else if (props->usage != 0) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    switch (props->handleTypes) {
        case CU_MEM_HANDLE_TYPE_NONE:
        case CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR:
            return CUDA_SUCCESS;
        default:
            // The result is consistent with the attributes of the devices.
            return CUDA_ERROR_NOT_SUPPORTED;
    }
}

// Returns where a counter attribute or the threshold is stored, or null for other attributes.
uint64_t* find_number(Pool& pool, int attribute) {
    switch (attribute) {
        case kReleaseThreshold:
            return &pool.threshold;
        case kReservedCurrent:
            return &pool.reserved;
        case kReservedHigh:
            return &pool.reserved_high;
        case kUsedCurrent:
            return &pool.used;
        case kUsedHigh:
            return &pool.used_high;
        default:
            return nullptr;
    }
}

bool is_switch(int attribute) {
    return attribute >= kFollowEvents && attribute <= kInternalDependencies;
}

CUresult take_async(Call& call, CUdeviceptr* out, size_t size, const std::shared_ptr<Pool>& pool,
                    const std::shared_ptr<Stream>& stream) {
    if (out == nullptr || size == 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "dptr is null or bytesize is 0");
    }
    if (pool->imported) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "the pool is another process's: its blocks are imported, not allocated");
    }
    std::vector<std::shared_ptr<PoolOperation>> waits;
    bool is_full = false;
    const auto block = allocate_block(pool, *stream, size, &waits, &is_full);
    if (block == nullptr) {
        if (is_full) take_all_memory(call, *pool->context);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    block->allocation = next_operation(*stream);
    Operation operation;
    operation.body = [waits, block, context = stream->context] {
        if (!waits.empty()) {
            Lock lock(state().mutex);
            state().changed.wait(lock, [&] {
                const auto is_done = [](const auto& release) { return release->done; };
                return context->sticky != CUDA_SUCCESS || std::all_of(waits.begin(), waits.end(), is_done);
            });
        }
        poison(block->bytes, block->size);
        return CUDA_SUCCESS;
    };
    operation.always = [allocation = block->allocation] { allocation->done = true; };
    if (CUresult code = submit(call, *stream, std::move(operation))) {
        block->allocation->done = true;
        free_block(*block, block->allocation);
        return code;
    }
    *out = block->address;
    return CUDA_SUCCESS;
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuMemPoolCreate(CUmemoryPool* out, const CUmemPoolProps* props) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_supported(call)) return code;
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "pool is null");
    if (CUresult code = check_props(call, props)) return code;
    Context* const context =
        props->location.type == CU_MEM_LOCATION_TYPE_DEVICE ? device(props->location.id) : state().contexts[0].get();
    auto pool = std::make_shared<Pool>(*context, *props);
    if (pool->handle_types != CU_MEM_HANDLE_TYPE_NONE) {
        pool->file = SharedFile::create(*context);
        if (pool->file == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    }
    pool->handle = state().pools.add(pool);
    *out = reinterpret_cast<CUmemoryPool>(pool->handle);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemPoolDestroy(CUmemoryPool handle) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_supported(call)) return code;
    CUresult code = CUDA_SUCCESS;
    const auto pool = find_pool(call, handle, &code);
    if (pool == nullptr) return code;
    if (pool->is_default) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "device %d's default pool cannot be destroyed",
                           pool->context->ordinal);
    }
    forget_current(*pool);
    if (pool->file != nullptr && !pool->imported) pool->file->close_door();
    state().pools.remove(pool->handle);
    if (pool.use_count() > 1) state().ended_pools.push_back(pool);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemPoolGetAttribute(CUmemoryPool handle, int attribute, void* value) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_supported(call)) return code;
    CUresult code = CUDA_SUCCESS;
    const auto pool = find_pool(call, handle, &code);
    if (pool == nullptr) return code;
    const uint64_t* const number = find_number(*pool, attribute);
    if (value == nullptr || (number == nullptr && !is_switch(attribute))) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "value is null, or attribute %d unknown", attribute);
    }
    if (number != nullptr) {
        memcpy(value, number, sizeof *number);
    } else {
        memcpy(value, &pool->reuse_switches[attribute - kFollowEvents], sizeof(int));
    }
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemPoolSetAttribute(CUmemoryPool handle, int attribute, void* value) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_supported(call)) return code;
    CUresult code = CUDA_SUCCESS;
    const auto pool = find_pool(call, handle, &code);
    if (pool == nullptr) return code;
    if (value == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "value is null");
    if (is_switch(attribute)) {
        int wanted = 0;
        memcpy(&wanted, value, sizeof wanted);
        pool->reuse_switches[attribute - kFollowEvents] = wanted != 0;
        return CUDA_SUCCESS;
    }
    uint64_t wanted = 0;
    memcpy(&wanted, value, sizeof wanted);
    if (attribute == kReleaseThreshold) {
        pool->threshold = wanted;
        return CUDA_SUCCESS;
    }
    if ((attribute != kReservedHigh && attribute != kUsedHigh) || wanted != 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "attribute %d cannot be set, or not to %llu; the highest counts can be "
                           "set to 0",
                           attribute, ull{wanted});
    }
    (attribute == kReservedHigh ? pool->reserved_high : pool->used_high) =
        attribute == kReservedHigh ? pool->reserved : pool->used;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemPoolTrimTo(CUmemoryPool handle, size_t keep) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_supported(call)) return code;
    CUresult code = CUDA_SUCCESS;
    const auto pool = find_pool(call, handle, &code);
    if (pool == nullptr) return code;
    if (pool->imported) return call.misuse(CUDA_ERROR_INVALID_VALUE, "the pool is another process's");
    // It is rounded up: the largest numbers overflow to 0.
    trim(*pool, keep > SIZE_MAX - (size_t{2} << 20) ? 0 : keep);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc* descriptions, size_t count) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_supported(call)) return code;
    CUresult code = CUDA_SUCCESS;
    const auto pool = find_pool(call, handle, &code);
    if (pool == nullptr) return code;
    if (descriptions == nullptr || count == 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "map is null or count is 0");
    }
    for (size_t i = 0; i < count; ++i) {
        const CUmemAccessDesc& wanted = descriptions[i];
        const bool known = wanted.flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                           wanted.flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                           wanted.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        if (!known || wanted.location.type != CU_MEM_LOCATION_TYPE_DEVICE || device(wanted.location.id) == nullptr) {
            return call.misuse(CUDA_ERROR_INVALID_VALUE, "map[%zu]: location type %d, id %d or flags %d unknown", i,
                               wanted.location.type, wanted.location.id, wanted.flags);
        }
        if (!pool->on_host() && device(wanted.location.id) == pool->context &&
            wanted.flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
            return call.misuse(CUDA_ERROR_INVALID_VALUE, "map[%zu]: device %d has the pool and keeps its access", i,
                               wanted.location.id);
        }
    }
    for (size_t i = 0; i < count; ++i) {
        pool->access[descriptions[i].location.id] = descriptions[i].flags;
    }
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemPoolGetAccess(int* flags, CUmemoryPool handle, CUmemLocation* location) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_supported(call)) return code;
    CUresult code = CUDA_SUCCESS;
    const auto pool = find_pool(call, handle, &code);
    if (pool == nullptr) return code;
    if (flags == nullptr || location == nullptr ||
        (location->type == CU_MEM_LOCATION_TYPE_DEVICE && device(location->id) == nullptr) ||
        location->type < CU_MEM_LOCATION_TYPE_DEVICE || location->type > CU_MEM_LOCATION_TYPE_HOST_NUMA) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "flags or location is null, or there is no such location");
    }
    *flags = location->type == CU_MEM_LOCATION_TYPE_DEVICE ? pool->access_of(location->id)
             : pool->on_host()                             ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                                                           : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
}

// Like the next two functions it takes the context from the stream: a driver needs a current one
// only for a default stream.
FAKE_CUDA_EXPORT CUresult cuMemAllocFromPoolAsync(CUdeviceptr* out, size_t size, CUmemoryPool handle,
                                                  CUstream stream_handle) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_supported(call)) return code;
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream(call, stream_handle, &code);
    if (stream == nullptr) return code;
    const auto pool = find_pool(call, handle, &code);
    if (pool == nullptr) return code;
    return take_async(call, out, size, pool, stream);
}

FAKE_CUDA_EXPORT CUresult cuMemAllocAsync(CUdeviceptr* out, size_t size, CUstream stream_handle) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_supported(call)) return code;
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream(call, stream_handle, &code);
    if (stream == nullptr) return code;
    return take_async(call, out, size, current_pool(*stream->context), stream);
}

FAKE_CUDA_EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream_handle) {
    Call call(__func__, Needs::kStream);
    if (CUresult code = check_supported(call)) return code;
    CUresult code = CUDA_SUCCESS;
    const auto stream = find_stream(call, stream_handle, &code);
    if (stream == nullptr) return code;
    const auto entry = state().blocks.find(address);
    if (entry == state().blocks.end() || entry->second->kind != BlockKind::kPooled) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "0x%llx is not the start of a live block of a pool", address);
    }
    const auto block = entry->second;
    check_order(call, *stream, *block);
    auto release = next_operation(*stream);
    Operation operation;
    operation.always = [release, block] {
        release->done = true;
        // Work that is ordered before the free has used the block by now.
        if (block->uses != 0) {
            char text[120];
            snprintf(text, sizeof text, "0x%llx is still used by %d operations of other streams", ull{block->address},
                     block->uses);
            report_misuse("cuMemFreeAsync", text);
        }
    };
    code = submit(call, *stream, std::move(operation));
    if (code == CUDA_SUCCESS) free_block(*block, std::move(release));
    return code;
}

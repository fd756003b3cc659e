// Memory pools shared by processes.

#include <cstring>

#include "base/arena.h"
#include "base/config.h"
#include "memory/shared_file.h"
#include "pool/mem_pool.h"
#include "runtime/context.h"

namespace fake {
namespace {

// Windows share no page with other memory, whatever their size.
constexpr size_t kWindowPage = size_t{2} << 20;

static_assert(sizeof(SharedName) <= sizeof(CUmemPoolPtrExportData), "the name fits");

}  // namespace
}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuMemPoolExportToShareableHandle(void* out, CUmemoryPool handle, int type,
                                                           unsigned long long flags) {
    Call call(__func__, Needs::kStream);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto pool = find_pool(call, handle, &code);
    if (pool == nullptr) return code;
    if (out == nullptr || flags != 0 || pool->imported || type == CU_MEM_HANDLE_TYPE_NONE ||
        type != pool->handle_types) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "handle_out is null, flags are 0x%llx, the pool is another process's, or "
                           "it was not made for handles of type %d",
                           flags, type);
    }
    const int descriptor = pool->file->duplicate();
    if (descriptor < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    pool->is_exported = true;
    memcpy(out, &descriptor, sizeof descriptor);
    return CUDA_SUCCESS;
}

// Assumption: A pool that was created for file descriptors is imported by another process, which imports its blocks one
// by one, can allocate none, and cannot trim it. Programs that a process starts inherit the descriptors.
// Source: CUDA Programming Guide, Stream Ordered Memory Allocator: Interprocess Communication
// Test: MemPoolSharing.EachProcessReadsTheOthersWrites, MemPoolSharing.AnImportedPoolOnlyImports

FAKE_CUDA_EXPORT CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* out, void* handle, int type,
                                                             unsigned long long flags) {
    Call call(__func__, Needs::kStream);
    if (call.refused()) return call.refused();
    if (out == nullptr || flags != 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "pool_out is null, or flags are not 0");
    }
    if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || !config().memory_pools) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    // Data from another process may be invalid.
    auto file = SharedFile::open(static_cast<int>(reinterpret_cast<intptr_t>(handle)));
    if (file == nullptr || device(file->device()) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUmemPoolProps props{};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.handleTypes = type;
    props.location = {CU_MEM_LOCATION_TYPE_DEVICE, file->device()};
    auto pool = std::make_shared<Pool>(*device(file->device()), props);
    pool->imported = true;
    pool->file = std::move(file);
    pool->handle = state().pools.add(pool);
    *out = reinterpret_cast<CUmemoryPool>(pool->handle);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* out, CUdeviceptr address) {
    Call call(__func__, Needs::kStream);
    if (call.refused()) return call.refused();
    const auto entry = state().blocks.find(address);
    const Block* const block = entry == state().blocks.end() ? nullptr : entry->second.get();
    if (out == nullptr || block == nullptr || block->pool == nullptr || block->pool->file == nullptr ||
        block->pool->imported) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "shareData_out is null, or 0x%llx is not the start of a live block of a "
                           "pool of this process that can be shared",
                           address);
    }
    SharedName name;
    if (!block->pool->file->name(*block, &name)) return CUDA_ERROR_OUT_OF_MEMORY;
    *out = {};
    memcpy(out, &name, sizeof name);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemPoolImportPointer(CUdeviceptr* out, CUmemoryPool handle,
                                                 const CUmemPoolPtrExportData* data) {
    Call call(__func__, Needs::kStream);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto pool = find_pool(call, handle, &code);
    if (pool == nullptr) return code;
    if (out == nullptr || data == nullptr || !pool->imported) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "ptr_out or shareData is null, or the pool is no other process's");
    }
    SharedName name;
    memcpy(&name, data, sizeof name);
    SharedRange range;
    // Data from another process may be invalid.
    if (!pool->file->find(name, &range)) return CUDA_ERROR_INVALID_VALUE;
    Context& context = *pool->context;
    const size_t skipped = range.offset % kPage;
    const size_t size = round_up(skipped + range.size, kWindowPage);
    const uint64_t address = context.device->arena.allocate(size, kWindowPage);
    if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    const auto window = std::make_shared<Window>(context, address, size);
    if (!pool->file->map(context, address, {range.offset - skipped, round_up(skipped + range.size, kPage)})) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    auto block = std::make_shared<Block>(BlockKind::kPooled, &context, address + skipped, range.size,
                                         context.device->arena.alias(address + skipped));
    block->pool = pool;
    block->window = window;
    *out = block->address;
    pool->used += round_up(block->size, Arena::kGrain);
    pool->used_high = pool->used > pool->used_high ? pool->used : pool->used_high;
    add_block(std::move(block));
    return CUDA_SUCCESS;
}

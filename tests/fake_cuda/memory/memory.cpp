#include "memory/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "base/config.h"
#include "memory/virtual_memory.h"
#include "pool/mem_pool.h"
#include "stream/stream.h"

// Assumption: Device memory is aligned to at least 256 bytes, and cuMemFree may wait for all work in the context.
// Source: CUDA C++ Programming Guide, Device Memory Accesses; CUDA Driver API, Memory Management: cuMemFree
// Test: Malloc.AddressesAreAligned, FreeInUse.OnSeveralStreams, FreeInUse.ABlockedStreamKeepsMuchMemoryAndNoCallWaits

namespace fake {
namespace {

using ull = unsigned long long;

uint64_t next_id() {
    static uint64_t id = 0;
    return ++id;
}

CUresult free_pooled(const Call& call, const Block& block) {
    // The caller knows that all work is complete, so this does not wait.
    if (block.uses != 0 || (block.allocation != nullptr && !block.allocation->done)) {
        call.misuse(CUDA_SUCCESS,
                    "0x%llx of a pool has not been allocated yet, or is still used by %d "
                    "operations",
                    ull{block.address}, block.uses);
    }
    free_block(block, nullptr);
    return CUDA_SUCCESS;
}

}  // namespace

// Poisons only the ends of large blocks, so that untouched pages stay unallocated.
void poison(uint8_t* bytes, size_t size) {
    constexpr size_t kEnd = size_t{64} << 10;
    const size_t head = std::min(size, kEnd);
    memset(bytes, 0xCB, head);
    const size_t tail = std::min(size - head, kEnd);
    memset(bytes + size - tail, 0xCB, tail);
}

void add_block(std::shared_ptr<Block> block) {
    block->id = next_id();
    const uint64_t address = block->address;
    state().blocks.emplace(address, std::move(block));
}

std::shared_ptr<Block> allocate_device(Context& context, size_t size) {
    if (size > context.device->total || !make_room(context, round_up(size, Arena::kGrain))) return nullptr;
    const uint64_t address = context.device->arena.allocate(size, size >= kHuge ? kHuge : Arena::kGrain);
    if (address == 0) return nullptr;
    context.device->used += round_up(size, Arena::kGrain);
    uint8_t* const bytes = context.device->arena.alias(address);
    poison(bytes, size);
    auto block = std::make_shared<Block>(BlockKind::kDevice, &context, address, size, bytes);
    add_block(block);
    return block;
}

uint64_t allocate_host(size_t size, size_t alignment) {
    Arena& arena = *state().pinned_arena;
    const size_t length = round_up(size, kPage);
    const uint64_t address = length < size ? 0 : arena.allocate(length, alignment);
    if (address == 0) return 0;
    void* const start = reinterpret_cast<void*>(address);
    if (mprotect(start, length, PROT_READ | PROT_WRITE) != 0) {
        arena.free(address, length);
        return 0;
    }
    poison(static_cast<uint8_t*>(start), size);
    return address;
}

void free_host(uint64_t address, size_t size) {
    // The memory is not unmapped, so that the address stays recognisable.
    const size_t length = round_up(size, kPage);
    mmap(reinterpret_cast<void*>(address), length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
         -1, 0);
    state().pinned_arena->free(address, length);
}

const char* name_of(BlockKind kind) {
    switch (kind) {
        case BlockKind::kDevice:
            return "allocation";
        case BlockKind::kPinned:
            return "pinned block";
        case BlockKind::kMapped:
            return "mapped range";
        case BlockKind::kRegistered:
            return "registration";
        case BlockKind::kManaged:
            return "managed allocation";
        case BlockKind::kPooled:
            return "block of a memory pool";
        case BlockKind::kForeign:
            return "memory of another process";
    }
    return "block";
}

Block::~Block() {
    if (kind == BlockKind::kDevice) {
        context->device->file->forget(address);
        context->device->file->discard(*context, address, size);
        context->device->arena.free(address, size);
        context->device->used -= round_up(size, Arena::kGrain);
    } else if (kind == BlockKind::kPinned || kind == BlockKind::kManaged) {
        if (kind == BlockKind::kManaged) context->device->used -= size;
        free_host(address, size);
    }
}

bool Block::pinned() const {
    return kind == BlockKind::kPinned || kind == BlockKind::kRegistered ||
           (kind == BlockKind::kPooled && pool->on_host() && !pool->managed());
}

bool Block::managed() const {
    return kind == BlockKind::kManaged || (kind == BlockKind::kPooled && pool->managed());
}

std::shared_ptr<Block> find_block(uint64_t address) {
    const auto& blocks = state().blocks;
    auto found = blocks.upper_bound(address);
    if (found == blocks.begin()) {
        return nullptr;
    }
    --found;
    return address - found->first < found->second->size ? found->second : nullptr;
}

bool is_driver_address(uint64_t address) {
    const State& all = state();
    const auto inside = [address](const auto& context) { return context->device->arena.contains(address); };
    return std::any_of(all.contexts.begin(), all.contexts.end(), inside) || all.pinned_arena->contains(address) ||
           all.mapped_arena->contains(address);
}

namespace {

// Whether a device may access a mapped range; otherwise a misuse is reported.
CUresult check_access(const Call& call, const char* argument, const Block& block, const Context& device) {
    const auto access = block.access.find(device.ordinal);
    if (access != block.access.end() && access->second != CU_MEM_ACCESS_FLAGS_PROT_NONE) {
        return CUDA_SUCCESS;
    }
    return call.misuse(CUDA_ERROR_INVALID_VALUE, "%s: 0x%llx is mapped without access for device %d; cuMemSetAccess",
                       argument, ull{block.address}, device.ordinal);
}

}  // namespace

std::vector<std::shared_ptr<Block>> mapped_behind(const Block& first, uint64_t end) {
    std::vector<std::shared_ptr<Block>> found;
    uint64_t next = first.address + first.size;
    while (first.kind == BlockKind::kMapped && next < end) {
        auto block = find_block(next);
        if (block == nullptr || block->kind != BlockKind::kMapped || block->context != first.context) {
            break;
        }
        next += block->size;
        found.push_back(std::move(block));
    }
    return found;
}

CUresult resolve(const Call& call, const char* argument, uint64_t address, size_t size, const Context& device,
                 Operand* out) {
    if (address == 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "%s is null", argument);
    }
    auto block = find_block(address);
    if (block == nullptr) {
        const uint64_t last = address + size - 1;
        if (is_driver_address(address) || last < address || is_driver_address(last)) {
            return call.misuse(CUDA_ERROR_INVALID_VALUE, "%s 0x%llx is freed, unmapped or was never allocated",
                               argument, ull{address});
        }
        *out = {reinterpret_cast<uint8_t*>(address), nullptr, {}};
        return CUDA_SUCCESS;
    }
    const size_t offset = address - block->address;
    auto beyond = mapped_behind(*block, address + size);
    const Block& last = beyond.empty() ? *block : *beyond.back();
    if (size > last.address + last.size - address) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "%s 0x%llx and %zu bytes cross the end of the %s 0x%llx of %zu bytes", argument,
                           ull{address}, size, name_of(block->kind), ull{block->address}, block->size);
    }
    if (block->kind == BlockKind::kMapped) {
        if (CUresult code = check_access(call, argument, *block, device)) return code;
        for (const auto& part : beyond) {
            if (CUresult code = check_access(call, argument, *part, device)) return code;
        }
    }
    // This applies to host memory, too: only the host has access to it from the beginning.
    if (block->kind == BlockKind::kPooled && block->pool->access_of(device.ordinal) == CU_MEM_ACCESS_FLAGS_PROT_NONE) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "%s 0x%llx is of a memory pool without access for device %d; "
                           "cuMemPoolSetAccess",
                           argument, ull{address}, device.ordinal);
    }
    *out = {block->bytes + offset, std::move(block), std::move(beyond)};
    return CUDA_SUCCESS;
}

}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuMemAlloc_v2(CUdeviceptr* out, size_t size) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (out == nullptr || size == 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "dptr is null or bytesize is 0");
    }
    const auto block = allocate_device(call.context(), size);
    if (block == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *out = block->address;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemFree_v2(CUdeviceptr address) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (address == 0) return CUDA_SUCCESS;
    auto entry = state().blocks.find(address);
    if (entry == state().blocks.end() ||
        (entry->second->kind != BlockKind::kDevice && entry->second->kind != BlockKind::kManaged &&
         entry->second->kind != BlockKind::kPooled) ||
        entry->second->is_variable) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "0x%llx is not the start of a live allocation", address);
    }
    const auto block = entry->second;
    Context& context = *block->context;
    if (context.sticky != CUDA_SUCCESS) return context.sticky;
    if (block->kind == BlockKind::kPooled) return free_pooled(call, *block);
    // The address is invalid from here on, so that a second free or a use on another thread is found.
    state().blocks.erase(entry);
    // The call waits for all earlier work of the device, and holds up other calls while it waits.
    call.block(context, work_so_far(context));
    if (block->uses != 0) {
        call.misuse(CUDA_SUCCESS, "0x%llx is still used by %d operations of another device", address, block->uses);
    }
    return context.sticky;
}

// Assumption: The driver counts memory in pages of its own: a small allocation may change nothing.
// Source: CUDA Driver API, Memory Management: cuMemGetInfo, which says nothing of pages; run on an H200 (docs/gpu,
// 2026-11-27)
// Test: MemInfo.FollowsAllocations, MemInfo.FreeIsAtMostTotal

FAKE_CUDA_EXPORT CUresult cuMemGetInfo_v2(size_t* available, size_t* total) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (available == nullptr || total == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "free or total is null");
    }
    // The driver counts whole pages, as the system does: a small block may cost one page, or nothing.
    const size_t used = round_up(call.context().device->used, kHuge);
    *available = used < call.context().device->total ? call.context().device->total - used : 0;
    *total = call.context().device->total;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* size, CUdeviceptr address) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const auto block = find_block(address);
    if (block == nullptr) return CUDA_ERROR_NOT_FOUND;
    if (base != nullptr) *base = block->address;
    if (size != nullptr) *size = block->size;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemHostAlloc(void** out, size_t size, unsigned flags) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (out == nullptr || size == 0 || flags > CU_MEMHOSTALLOC_ALL_FLAGS) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "pp is null, bytesize is 0, or flags 0x%x are unknown", flags);
    }
    const uint64_t address = allocate_host(size, kPage);
    if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    auto* const bytes = reinterpret_cast<uint8_t*>(address);
    add_block(std::make_shared<Block>(BlockKind::kPinned, &call.context(), address, size, bytes));
    *out = bytes;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemAllocHost_v2(void** out, size_t size) {
    return cuMemHostAlloc(out, size, 0);
}

FAKE_CUDA_EXPORT CUresult cuMemFreeHost(void* pointer) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const auto address = reinterpret_cast<uint64_t>(pointer);
    const auto entry = state().blocks.find(address);
    if (entry == state().blocks.end() || entry->second->kind != BlockKind::kPinned) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "%p is not the start of a live pinned block", pointer);
    }
    const auto block = entry->second;
    state().blocks.erase(entry);
    if (block->uses != 0) {
        call.misuse(CUDA_SUCCESS, "%p is still used by %d queued operations", pointer, block->uses);
        call.wait_inside([&] { return block->uses == 0; });
    }
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* out, void* pointer, unsigned flags) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const auto address = reinterpret_cast<uint64_t>(pointer);
    const auto block = find_block(address);
    if (out == nullptr || flags != 0 || block == nullptr ||
        (block->kind != BlockKind::kPinned && block->kind != BlockKind::kRegistered)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "%p is not pinned memory, pdptr is null, or flags are not 0",
                           pointer);
    }
    *out = address;
    return CUDA_SUCCESS;
}

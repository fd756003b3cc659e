#include "memory/virtual_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "base/call.h"
#include "base/config.h"
#include "memory/memory.h"
#include "pool/mem_pool.h"
#include "runtime/context.h"

namespace fake {
namespace {

constexpr size_t kGranularity = size_t{2} << 20;
constexpr const char* kPhysicalName = "fake_cuda physical memory";

using ull = unsigned long long;

CUresult check_prop(const Call& call, const CUmemAllocationProp* prop) {
    if (config().vgpu) return CUDA_ERROR_NOT_SUPPORTED;
    if (prop == nullptr || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED ||
        prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "prop is null, its type is not PINNED, or its location is no device");
    }
    if (device(prop->location.id) == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_DEVICE, "prop names device %d, which is not there", prop->location.id);
    }
    // The result is consistent with the attributes of the device.
    const bool shared = prop->requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return prop->requestedHandleTypes == 0 || shared ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

// Returns the reservation that contains the whole range, or null.
std::shared_ptr<Reservation> find_reservation(uint64_t address, size_t size) {
    const auto& all = state().reservations;
    auto found = all.upper_bound(address);
    if (found == all.begin()) {
        return nullptr;
    }
    --found;
    const Reservation& range = *found->second;
    const uint64_t offset = address - range.address;
    const bool inside = offset < range.size && size <= range.size - offset;
    return inside ? found->second : nullptr;
}

// Returns the mapped ranges in [address, address + size).
std::vector<std::shared_ptr<Block>> mapped_in(uint64_t address, size_t size) {
    std::vector<std::shared_ptr<Block>> found;
    const auto& blocks = state().blocks;
    for (auto entry = blocks.begin(); entry != blocks.end(); ++entry) {
        const Block& block = *entry->second;
        if (block.kind == BlockKind::kMapped && block.address < address + size &&
            address < block.address + block.size) {
            found.push_back(entry->second);
        }
    }
    return found;
}

// Checks that whole mappings cover the range without a gap.
bool covers(const std::vector<std::shared_ptr<Block>>& blocks, uint64_t address, size_t size) {
    size_t sum = 0;
    for (const auto& block : blocks) {
        const bool inside = block->address >= address && block->address + block->size <= address + size;
        sum += inside ? block->size : 0;
    }
    return sum == size && size != 0;
}

}  // namespace

Physical::Physical(Context* context_, size_t size_) : context(context_), size(size_) {
    file = memfd_create(kPhysicalName, MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, static_cast<off_t>(size)) != 0) {
        close(file);
        file = -1;
    }
    context->device->used += size;
}

Physical::Physical(Context* context_, size_t size_, int foreign_file)
    : context(context_), size(size_), file(foreign_file), foreign(true), shareable(true) {}

Physical::~Physical() {
    if (file >= 0) close(file);
    if (!foreign) context->device->used -= size;
}

bool Physical::appear(uint8_t* at) const {
    return mmap(at, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0) != MAP_FAILED;
}

void Physical::disappear(uint8_t* at) const {
    mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuMemGetAllocationGranularity(size_t* out, const CUmemAllocationProp* prop, int option) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (CUresult code = check_prop(call, prop)) return code;
    if (out == nullptr || option < 0 || option > 1) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "granularity is null, or option %d unknown", option);
    }
    *out = kGranularity;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemAddressReserve(CUdeviceptr* out, size_t size, size_t alignment, CUdeviceptr wish,
                                              unsigned long long flags) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (out == nullptr || size == 0 || size % kGranularity != 0 || flags != 0 || (alignment & (alignment - 1)) != 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "ptr is null, size %zu is no multiple of %zu, alignment %zu is no power "
                           "of two, or flags are not 0",
                           size, kGranularity, alignment);
    }
    if (config().vgpu) return CUDA_ERROR_NOT_SUPPORTED;
    Arena& arena = *state().mapped_arena;
    if (alignment < kGranularity) alignment = kGranularity;
    // An unavailable address is only a hint.
    uint64_t address = wish % alignment == 0 ? arena.allocate_at(wish, size) : 0;
    if (address == 0) address = arena.allocate(size, alignment);
    if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    state().reservations.emplace(address, std::make_shared<Reservation>(Reservation{address, size}));
    *out = address;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    const auto entry = state().reservations.find(address);
    if (entry == state().reservations.end() || entry->second->size != size) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "0x%llx with %zu bytes is no reservation", address, size);
    }
    if (!mapped_in(address, size).empty()) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "0x%llx still has mapped memory; cuMemUnmap", address);
    }
    state().reservations.erase(entry);
    state().mapped_arena->free(address, size);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemCreate(CUmemGenericAllocationHandle* out, size_t size, const CUmemAllocationProp* prop,
                                      unsigned long long flags) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (CUresult code = check_prop(call, prop)) return code;
    if (out == nullptr || size == 0 || size % kGranularity != 0 || flags != 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "handle is null, size %zu is no multiple of %zu, or flags are not 0", size, kGranularity);
    }
    Context* const context = device(prop->location.id);
    if (!make_room(*context, size)) return CUDA_ERROR_OUT_OF_MEMORY;
    auto physical = std::make_shared<Physical>(context, size);
    if (physical->file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    physical->shareable = prop->requestedHandleTypes != 0;
    *out = state().physical.add(std::move(physical));
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemExportToShareableHandle(void* out, CUmemGenericAllocationHandle handle, int type,
                                                       unsigned long long flags) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    const auto physical = state().physical.find(handle);
    if (physical == nullptr)
        return call.refuse_handle(state().physical, "memory handle", handle, CUDA_ERROR_INVALID_VALUE);
    if (out == nullptr || flags != 0 || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || !physical->shareable) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "shareableHandle is null, flags are 0x%llx, or the memory was not made "
                           "for handles of type %d",
                           flags, type);
    }
    const int descriptor = fcntl(physical->file, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    physical->is_exported = true;
    memcpy(out, &descriptor, sizeof descriptor);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* out, void* handle, int type) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (out == nullptr || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "handle is null, or of type %d", type);
    }
    // Data from another process may be invalid.
    const int descriptor = static_cast<int>(reinterpret_cast<intptr_t>(handle));
    const std::string link = "/proc/thread-self/fd/" + std::to_string(descriptor);
    char target[128] = {};
    struct stat status {};
    if (readlink(link.c_str(), target, sizeof target - 1) < 0 || strstr(target, kPhysicalName) == nullptr ||
        fstat(descriptor, &status) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    const auto size = static_cast<size_t>(status.st_size);
    *out = state().physical.add(std::make_shared<Physical>(&call.context(), size, own));
    return CUDA_SUCCESS;
}

// Assumption: cuMemRetainAllocationHandle returns a handle of the memory that is mapped at an address. cuMemRelease
// releases it.
// Source: CUDA Driver API, Virtual Memory Management: cuMemRetainAllocationHandle
// Test: IpcSharing.MemoryOnHugePages

FAKE_CUDA_EXPORT CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* out, void* address) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    const auto blocks = mapped_in(reinterpret_cast<uintptr_t>(address), 1);
    if (out == nullptr || blocks.empty())
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "handle is null, or nothing is mapped at %p", address);
    *out = state().physical.add(blocks.front()->physical);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (state().physical.find(handle) == nullptr)
        return call.refuse_handle(state().physical, "memory handle", handle, CUDA_ERROR_INVALID_VALUE);
    // Mapped memory stays allocated.
    state().physical.remove(handle);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                                   unsigned long long flags) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    const auto physical = state().physical.find(handle);
    if (physical == nullptr)
        return call.refuse_handle(state().physical, "memory handle", handle, CUDA_ERROR_INVALID_VALUE);
    if (offset != 0 || flags != 0 || size != physical->size || address % kGranularity != 0 ||
        find_reservation(address, size) == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "0x%llx with %zu bytes is not reserved or not aligned, size is not the "
                           "handle's %zu, or offset or flags are not 0",
                           address, size, physical->size);
    }
    if (!mapped_in(address, size).empty()) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "0x%llx has mapped memory already", address);
    }
    uint8_t* const bytes = state().mapped_arena->alias(address);
    if (!physical->appear(bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
    auto block = std::make_shared<Block>(BlockKind::kMapped, physical->context, address, size, bytes);
    block->physical = physical;
    add_block(std::move(block));
    return CUDA_SUCCESS;
}

// Assumption: cuMemUnmap does not wait. Work of any stream that still uses the mapping fails its context with 700.
// Source: CUDA Driver API, Virtual Memory Management: cuMemUnmap, which says nothing of pending work. Not known whether
// drivers wait; the next run on a card asks it by tests/interop/queue_probe.py
// Test: none: the library unmaps memory after the work that it knows (NativeContext.UnmappingWaitsForAWrappedStream),
// so its tests pass either way

FAKE_CUDA_EXPORT CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    const auto blocks = mapped_in(address, size);
    if (!covers(blocks, address, size)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "0x%llx with %zu bytes is not made of whole mappings", address,
                           size);
    }
    for (const auto& block : blocks) {
        state().blocks.erase(block->address);
        if (block->uses == 0) {
            block->physical->disappear(block->bytes);
            continue;
        }
        block->is_unmapped = true;
        fprintf(stderr, "fake_cuda: cuMemUnmap: 0x%llx is still used by %d queued operations, which fail\n",
                ull{block->address}, block->uses);
    }
    return CUDA_SUCCESS;
}

// Assumption: Access between devices is for memory of cuMemAlloc. Mapped memory gets the access of each device by
// cuMemSetAccess; cuCtxEnablePeerAccess does not include it.
// Source: CUDA Driver API, Virtual Memory Management: cuMemSetAccess; Peer Context Memory Access: cuCtxEnablePeerAccess
// Test: Peer.KernelsUseMemoryOnHugePages

// Assumption: Physical memory is mapped at reserved addresses, in pieces of the granularity, and no device has access
// before cuMemSetAccess.
// Source: CUDA Driver API, Virtual Memory Management: cuMemMap, cuMemSetAccess
// Test: VirtualMemory.MappedMemoryIsUsedLikeAllocatedMemory

FAKE_CUDA_EXPORT CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc* descriptions,
                                         size_t count) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    const auto blocks = mapped_in(address, size);
    if (!covers(blocks, address, size)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "0x%llx with %zu bytes is not made of whole mappings", address,
                           size);
    }
    if (descriptions == nullptr || count == 0) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "desc is null or count is 0");
    }
    for (size_t i = 0; i < count; ++i) {
        const CUmemAccessDesc& wanted = descriptions[i];
        const bool known = wanted.flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                           wanted.flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                           wanted.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        if (!known || wanted.location.type != CU_MEM_LOCATION_TYPE_DEVICE || device(wanted.location.id) == nullptr) {
            return call.misuse(CUDA_ERROR_INVALID_VALUE, "desc[%zu]: location type %d, id %d or flags %d unknown", i,
                               wanted.location.type, wanted.location.id, wanted.flags);
        }
    }
    for (const auto& block : blocks) {
        for (size_t i = 0; i < count; ++i) {
            block->access[descriptions[i].location.id] = descriptions[i].flags;
        }
    }
    return CUDA_SUCCESS;
}

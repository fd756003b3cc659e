// Host memory of the caller that is registered with the driver.

#include <sys/mman.h>

#include <algorithm>

#include "base/arena.h"
#include "memory/memory.h"

// Assumption: Registered host memory has a device address, and cannot be registered twice.
// Source: CUDA Driver API, Memory Management: cuMemHostRegister, cuMemHostGetDevicePointer; Data types:
// CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
// Test: HostRegister.ReturnsAnAddressForKernels, HostRegister.TwiceIsAnError

namespace fake {
namespace {

constexpr unsigned kAllFlags = 0xF;

// Whether all pages of the range are mapped.
bool is_mapped(uint64_t address, size_t size) {
    const uint64_t start = address & ~uint64_t{kPage - 1};
    return msync(reinterpret_cast<void*>(start), address + size - start, MS_ASYNC) == 0;
}

bool overlaps_a_block(uint64_t address, size_t size) {
    const auto& blocks = state().blocks;
    return std::any_of(blocks.begin(), blocks.end(), [&](const auto& entry) {
        const Block& block = *entry.second;
        return block.address < address + size && address < block.address + block.size;
    });
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuMemHostRegister_v2(void* pointer, size_t size, unsigned flags) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const auto address = reinterpret_cast<uint64_t>(pointer);
    if (pointer == nullptr || size == 0 || flags > kAllFlags || address + size < address) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "p is null, bytesize is 0 or too large, or flags 0x%x are unknown",
                           flags);
    }
    if (overlaps_a_block(address, size)) return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    // This is no misuse, because the caller cannot always know.
    if (!is_mapped(address, size)) return CUDA_ERROR_INVALID_VALUE;
    add_block(std::make_shared<Block>(BlockKind::kRegistered, &call.context(), address, size,
                                      static_cast<uint8_t*>(pointer)));
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuMemHostUnregister(void* pointer) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const auto entry = state().blocks.find(reinterpret_cast<uint64_t>(pointer));
    if (entry == state().blocks.end() || entry->second->kind != BlockKind::kRegistered) {
        return call.misuse(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "%p is not the start of a registration", pointer);
    }
    const auto block = entry->second;
    state().blocks.erase(entry);
    if (block->uses != 0) {
        call.misuse(CUDA_SUCCESS, "%p is still used by %d queued operations", pointer, block->uses);
        call.wait_inside([&] { return block->uses == 0; });
    }
    return CUDA_SUCCESS;
}

// Device memory shared by processes, with handles of plain bytes.

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "base/arena.h"
#include "memory/memory.h"
#include "memory/shared_file.h"
#include "runtime/context.h"

namespace fake {
namespace {

// Windows share no page with other memory, whatever their size.
constexpr size_t kWindowPage = size_t{2} << 20;

using ull = unsigned long long;

// The content of a handle: the block and file, and where the file can be opened.
struct IpcName {
    SharedName name;
    int process;
    int descriptor;
};
static_assert(sizeof(IpcName) <= sizeof(CUipcMemHandle), "the name fits");

// Assumption: The handle of memory that is open already yields the same address, and is counted.
// Source: CUDA Driver API, Memory Management: cuIpcOpenMemHandle
// Test: IpcSharing.OpeningAgainIsCounted

// Assumption: The driver may take small allocations from a larger block, which other processes then get as a whole. The
// handle of such an allocation opens where the allocation begins.
// Source: CUDA C++ Programming Guide, Interprocess Communication: cudaMalloc may sub-allocate from a larger block, and
// the whole block is shared. Where the handle opens is not known; the next run on a card asks it by the test
// Test: IpcSharing.ASmallBlockIsFoundBetweenOthers

// Opens the file of a handle. Returns null if its process has ended, or if the handle is invalid.
std::shared_ptr<SharedFile> open_file(const IpcName& named) {
    const std::string path = "/proc/" + std::to_string(named.process) + "/fd/" + std::to_string(named.descriptor);
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return nullptr;
    auto file = SharedFile::open(descriptor);
    close(descriptor);
    return file;
}

bool same(const SharedName& a, const SharedName& b) {
    return a.pool == b.pool && a.number == b.number;
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuIpcGetMemHandle(CUipcMemHandle* out, CUdeviceptr address) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const auto entry = state().blocks.find(address);
    Block* const block = entry == state().blocks.end() ? nullptr : entry->second.get();
    if (out == nullptr || block == nullptr || block->kind != BlockKind::kDevice) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "pHandle is null, or 0x%llx is not the start of an allocation of "
                           "cuMemAlloc",
                           address);
    }
    IpcName named{};
    if (!block->context->device->file->name(*block, &named.name)) return CUDA_ERROR_OUT_OF_MEMORY;
    named.process = getpid();
    named.descriptor = block->context->device->file->descriptor();
    block->is_exported = true;
    *out = {};
    memcpy(out, &named, sizeof named);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* out, CUipcMemHandle handle, unsigned flags) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (out == nullptr || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "pdptr is null, or flags 0x%x are not LAZY_ENABLE_PEER_ACCESS",
                           flags);
    }
    IpcName named;
    memcpy(&named, &handle, sizeof named);
    if (named.process == getpid()) {
        return call.misuse(CUDA_ERROR_INVALID_CONTEXT, "the handle is of this process");
    }
    Context& context = call.context();
    // In one context the same memory has one address.
    for (const auto& [address, block] : state().blocks) {
        if (block->kind == BlockKind::kForeign && block->context == &context && same(block->name, named.name)) {
            ++block->opened;
            *out = address;
            return CUDA_SUCCESS;
        }
    }
    const auto file = open_file(named);
    SharedRange range;
    // Data from another process may be invalid.
    if (file == nullptr || !file->find(named.name, &range)) return CUDA_ERROR_INVALID_VALUE;
    const size_t skipped = range.offset % kPage;
    const size_t size = round_up(skipped + range.size, kWindowPage);
    const uint64_t address = context.device->arena.allocate(size, kWindowPage);
    if (address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    const auto window = std::make_shared<Window>(context, address, size);
    if (!file->map(context, address, {range.offset - skipped, round_up(skipped + range.size, kPage)})) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    auto block = std::make_shared<Block>(BlockKind::kForeign, &context, address + skipped, range.size,
                                         context.device->arena.alias(address + skipped));
    block->window = window;
    block->name = named.name;
    block->opened = 1;
    *out = block->address;
    add_block(std::move(block));
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuIpcOpenMemHandle(CUdeviceptr* out, CUipcMemHandle handle, unsigned flags) {
    return cuIpcOpenMemHandle_v2(out, handle, flags);
}

FAKE_CUDA_EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const auto entry = state().blocks.find(address);
    if (entry == state().blocks.end() || entry->second->kind != BlockKind::kForeign) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "0x%llx is not where memory of another process begins", address);
    }
    const auto block = entry->second;
    if (--block->opened > 0) return CUDA_SUCCESS;
    state().blocks.erase(entry);
    if (block->uses != 0) {
        call.misuse(CUDA_SUCCESS, "0x%llx is still used by %d queued operations", ull{address}, block->uses);
    }
    return CUDA_SUCCESS;
}

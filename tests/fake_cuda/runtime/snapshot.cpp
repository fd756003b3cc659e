// Checkpoints of this process: its calls block, and the content of device memory is saved and
// restored.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/call.h"
#include "memory/memory.h"
#include "memory/virtual_memory.h"
#include "pool/mem_pool.h"
#include "stream/stream.h"

// Assumption: A locked process has no pending work, and its calls wait until it is unlocked; its memory returns at
// the same addresses.
// Source: CUDA Driver API, CUDA Checkpointing: cuCheckpointProcessLock, cuCheckpointProcessCheckpoint,
// cuCheckpointProcessRestore
// Test: Snapshot.LockingWaitsForPendingWork, Snapshot.MemoryIsRestoredAtItsAddresses

namespace fake {
namespace {

using Bytes = std::vector<uint8_t>;

// Saved contents and their origin: memory of blocks, and physical memory, which stays allocated until they are
// restored.
struct Saved {
    std::map<std::shared_ptr<Block>, Bytes> blocks;
    std::map<std::shared_ptr<Physical>, Bytes> physical;
};

Saved& saved() {
    static Saved* const value = new Saved;
    return *value;
}

bool is_idle() {
    const auto idle = [](const std::unique_ptr<Context>& context) {
        const auto& streams = context->streams;
        return std::all_of(streams.begin(), streams.end(),
                           [](const auto& stream) { return stream->completed == stream->submitted; });
    };
    const State& all = state();
    return std::all_of(all.contexts.begin(), all.contexts.end(), idle) &&
           std::all_of(all.created.begin(), all.created.end(), idle);
}

// Whether a block is memory on the GPUs of this process, and not of other processes.
bool is_saved(const Block& block) {
    if (block.kind == BlockKind::kPooled) return !block.pool->on_host();
    return block.kind == BlockKind::kDevice;
}

// Assumption: A process that has exported or imported memory cannot be checkpointed. Drivers of release 610 and later
// may allow it.
// Source: README of cuda-checkpoint, section Functionality, which lists CUDA IPC memory as not supported
// Test: Snapshot.SharedMemoryPreventsALock

bool shares_memory() {
    const State& all = state();
    for (const auto& [address, block] : all.blocks) {
        if (block->kind == BlockKind::kForeign || block->window != nullptr || block->is_exported) return true;
        if (block->physical != nullptr && (block->physical->foreign || block->physical->is_exported)) return true;
    }
    for (const auto& [handle, physical] : all.physical.live())
        if (physical->foreign || physical->is_exported) return true;
    for (const auto& [handle, pool] : all.pools.live())
        if (pool->imported || pool->is_exported) return true;
    return false;
}

CUresult check(const Call& call, int process, ProcessState wanted) {
    if (process != getpid()) return CUDA_ERROR_NOT_SUPPORTED;
    if (state().process == wanted) return CUDA_SUCCESS;
    return call.misuse(CUDA_ERROR_ILLEGAL_STATE, "the process is in state %d, not %d",
                       static_cast<int>(state().process), static_cast<int>(wanted));
}

struct LockArgs {
    unsigned timeout_ms;
    unsigned reserved[15];
};

}  // namespace

FAKE_CUDA_EXPORT CUresult cuCheckpointProcessLock(int process, LockArgs* args) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (const CUresult code = check(call, process, ProcessState::kRunning)) return code;
    if (shares_memory()) return call.misuse(CUDA_ERROR_NOT_SUPPORTED, "memory was exported or imported");
    State& all = state();
    all.process = ProcessState::kLocked;
    const std::chrono::milliseconds limit(args == nullptr ? 0 : args->timeout_ms);
    if (!call.wait_inside(is_idle, limit)) {
        all.process = ProcessState::kRunning;
        all.changed.notify_all();
        return CUDA_ERROR_NOT_READY;
    }
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuCheckpointProcessCheckpoint(int process, void*) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (const CUresult code = check(call, process, ProcessState::kLocked)) return code;
    State& all = state();
    Saved kept;
    for (const auto& [handle, physical] : all.physical.live()) kept.physical[physical];
    for (const auto& [address, block] : all.blocks) {
        // Real drivers do not promise that the process survives this.
        if (block->kind == BlockKind::kManaged) {
            return call.misuse(CUDA_ERROR_NOT_SUPPORTED, "0x%llx is managed memory",
                               static_cast<unsigned long long>(address));
        }
        if (block->physical != nullptr) kept.physical[block->physical];
        if (is_saved(*block)) kept.blocks[block];
    }
    for (auto& [physical, bytes] : kept.physical) {
        bytes.resize(physical->size);
        if (pread(physical->file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (auto& [block, bytes] : kept.blocks) bytes.assign(block->bytes, block->bytes + block->size);
    // The memory now contains garbage, as if another process had used it.
    const Bytes rubbish(1 << 20, 0xCB);
    for (const auto& [physical, bytes] : kept.physical)
        for (size_t at = 0; at < bytes.size(); at += rubbish.size())
            if (pwrite(physical->file, rubbish.data(), std::min(rubbish.size(), bytes.size() - at),
                       static_cast<off_t>(at)) < 0)
                return CUDA_ERROR_UNKNOWN;
    for (const auto& [block, bytes] : kept.blocks) memset(block->bytes, 0xCB, bytes.size());
    saved() = std::move(kept);
    all.process = ProcessState::kCheckpointed;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuCheckpointProcessRestore(int process, void*) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (const CUresult code = check(call, process, ProcessState::kCheckpointed)) return code;
    for (const auto& [physical, bytes] : saved().physical)
        if (pwrite(physical->file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
            return CUDA_ERROR_OUT_OF_MEMORY;
    for (const auto& [block, bytes] : saved().blocks) memcpy(block->bytes, bytes.data(), bytes.size());
    saved() = Saved();
    state().process = ProcessState::kLocked;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuCheckpointProcessUnlock(int process, void*) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (const CUresult code = check(call, process, ProcessState::kLocked)) return code;
    state().process = ProcessState::kRunning;
    state().changed.notify_all();
    return CUDA_SUCCESS;
}

}  // namespace fake

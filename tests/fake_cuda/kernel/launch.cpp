// Launches of kernels: their arguments, and the memory that they access.

#include <cstring>

#include "base/call.h"
#include "kernel/module.h"
#include "memory/memory.h"
#include "stream/stream.h"

// Assumption: A launch copies its arguments before it returns.
// Source: CUDA Driver API, Execution Control: cuLaunchKernel
// Test: KernelLaunch.ParametersOfEverySizeArrive

// Assumption: A kernel that executes trap fails its context with 719.
// Source: CUDA C++ Programming Guide, Trap function; PTX ISA, Miscellaneous Instructions: trap; run on an H200
// (docs/gpu, 2026-11-27)
// Test: KernelTrap.FailsTheDevice

namespace fake {
namespace {

constexpr unsigned kMostThreads = 1024;

// Runs the threads one after the other.
CUresult run(const Function& function, const std::vector<uint8_t>& parameters, const Grid& grid) {
    Accessor memory(function);
    Thread thread{{}, grid.threads, {}, grid.blocks};
    auto& [x, y, z] = thread.tid;
    auto& [block_x, block_y, block_z] = thread.ctaid;
    try {
        for (block_z = 0; block_z < grid.blocks[2]; ++block_z)
            for (block_y = 0; block_y < grid.blocks[1]; ++block_y)
                for (block_x = 0; block_x < grid.blocks[0]; ++block_x)
                    for (z = 0; z < grid.threads[2]; ++z)
                        for (y = 0; y < grid.threads[1]; ++y)
                            for (x = 0; x < grid.threads[0]; ++x) function.entry.run(thread, parameters.data(), memory);
    } catch (const CUresult failure) {
        return failure;
    }
    return CUDA_SUCCESS;
}

// Collects the arguments of a launch in one block, from either form. Returns false if they are invalid.
bool collect(const Entry& entry, void** parameters, void** extra, std::vector<uint8_t>* block) {
    block->assign(entry.size(), 0);
    if (extra != nullptr) {
        const void* first = nullptr;
        const size_t* size = nullptr;
        for (; *extra != nullptr; extra += 2) {
            const auto what = reinterpret_cast<uintptr_t>(*extra);
            if (what == 1) {
                first = extra[1];
            } else if (what == 2) {
                size = static_cast<const size_t*>(extra[1]);
            } else {
                return false;
            }
        }
        if (parameters != nullptr || first == nullptr || size == nullptr || *size < block->size()) {
            return false;
        }
        memcpy(block->data(), first, block->size());
        return true;
    }
    for (size_t i = 0; i < entry.parameters.size(); ++i) {
        if (parameters == nullptr || parameters[i] == nullptr) return false;
        memcpy(block->data() + entry.parameters[i].offset, parameters[i], entry.parameters[i].size);
    }
    return true;
}

}  // namespace

CUresult make_launch(const Call& call, CUfunction handle, const Grid& grid, unsigned shared, const Context& device,
                     void** parameters, void** extra, Launch* out) {
    CUresult code = CUDA_SUCCESS;
    const auto function = find_function(call, handle, &code);
    if (function == nullptr) return code;
    if (function->context != &device) {
        return call.misuse(CUDA_ERROR_INVALID_HANDLE, "the function belongs to device %d, the stream to device %d",
                           function->context->ordinal, device.ordinal);
    }
    const auto [grid_x, grid_y, grid_z] = grid.blocks;
    const auto [block_x, block_y, block_z] = grid.threads;
    const uint64_t threads = uint64_t{block_x} * block_y * block_z;
    if (grid_x == 0 || grid_x > 0x7FFFFFFF || grid_y == 0 || grid_y > 0xFFFF || grid_z == 0 || grid_z > 0xFFFF ||
        block_x == 0 || block_y == 0 || block_z == 0 || block_z > 64 || threads > function->entry.most_threads ||
        threads > kMostThreads || shared > function->most_shared) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "grid %u x %u x %u of blocks %u x %u x %u with %u bytes of shared "
                           "memory; a block has at most %u threads and %u bytes",
                           grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, function->entry.most_threads,
                           function->most_shared);
    }
    std::vector<uint8_t> block;
    if (!collect(function->entry, parameters, extra, &block)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "kernelParams must be %zu pointers, or extra a buffer of %zu bytes",
                           function->entry.parameters.size(), function->entry.size());
    }
    out->context = &device;
    out->name = function->name;
    out->body = [function, block, grid] { return run(*function, block, grid); };
    return CUDA_SUCCESS;
}

CUresult queue_launch(const Call& call, Stream& stream, const Launch& launch) {
    Operation operation;
    operation.body = launch.body;
    const CUresult code = submit(call, stream, std::move(operation));
    if (code == CUDA_SUCCESS) ++state().launches[launch.name];
    return code;
}

}  // namespace fake

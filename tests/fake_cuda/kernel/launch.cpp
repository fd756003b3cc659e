// Launches of kernels: their arguments, and the memory that they access.

#include <cstdio>
#include <cstring>

#include "base/call.h"
#include "kernel/module.h"
#include "kernel/own_module.h"
#include "memory/memory.h"
#include "stream/stream.h"

// Assumption: A launch copies its arguments before it returns.
// Source: CUDA Driver API, cuLaunchKernel
// Test: KernelLaunch.ParametersOfEverySizeArrive

namespace fake {
namespace {

constexpr unsigned kMostThreads = 1024;

using ull = unsigned long long;

// The effect of a kernel's access to a bad address. Unlike a device, the test double prints the
// reason.
CUresult fail(const Function& function, CUresult code, const char* argument, uint64_t address, const char* why) {
    char text[200];
    snprintf(text, sizeof text, "kernel argument %s 0x%llx %s", argument, ull{address}, why);
    const Lock lock(state().mutex);
    report_misuse(function.name.c_str(), text);
    return code;
}

uint64_t end_of(const Block& block) {
    return block.address + block.size;
}

// Translates a kernel's pointer when the kernel runs; null and a failure if the device cannot
// access it.
uint8_t* reach(const Function& function, const char* argument, uint64_t address, uint64_t count, size_t element,
               CUresult* failure, std::vector<std::shared_ptr<Block>>* keep) {
    if (address % element != 0) {
        *failure = fail(function, CUDA_ERROR_MISALIGNED_ADDRESS, argument, address, "is not aligned to the element");
        return nullptr;
    }
    const char* why = nullptr;
    {
        const Lock lock(state().mutex);
        const auto block = find_block(address);
        const Context& here = *function.context;
        if (block == nullptr) {
            why = "is no live device or pinned memory";
        } else if (const auto beyond = mapped_behind(*block, address + count * element);
                   count > (end_of(beyond.empty() ? *block : *beyond.back()) - address) / element) {
            why = "and the count cross the end of the memory";
        } else if (block->kind == BlockKind::kDevice && block->context != &here &&
                   here.peers.count(block->context->ordinal) == 0) {
            why = "is memory of another device without peer access";
        } else if (block->kind == BlockKind::kMapped &&
                   (block->access.count(here.ordinal) == 0 ||
                    block->access.at(here.ordinal) != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)) {
            why = "is mapped without access";
        } else {
            keep->push_back(block);
            return block->bytes + (address - block->address);
        }
    }
    *failure = fail(function, CUDA_ERROR_ILLEGAL_ADDRESS, argument, address, why);
    return nullptr;
}

CUresult run(const Function& function, const Arguments& arguments, uint64_t threads) {
    if (arguments.count == 0) {
        return CUDA_SUCCESS;
    }
    std::vector<std::shared_ptr<Block>> keep;
    CUresult failure = CUDA_SUCCESS;
    const size_t element = function.reduction.element_size;
    uint8_t* const dst = reach(function, "dst", arguments.dst, arguments.count, element, &failure, &keep);
    const uint8_t* const src =
        dst == nullptr ? nullptr : reach(function, "src", arguments.src, arguments.count, element, &failure, &keep);
    if (src != nullptr) {
        function.reduction.run(dst, src, arguments.count, threads);
    }
    // Memory is freed under the lock only.
    const Lock lock(state().mutex);
    keep.clear();
    return failure;
}

CUresult run_user(const Function& function, const std::vector<uint8_t>& arguments, const Grid& grid) {
    std::vector<std::shared_ptr<Block>> keep;
    CUresult failure = CUDA_SUCCESS;
    function.user(
        arguments, grid,
        [&](const char* argument, uint64_t address, uint64_t count, size_t element) {
            return reach(function, argument, address, count, element, &failure, &keep);
        },
        [&](const char* name) { return function.variables.at(name).address; });
    const Lock lock(state().mutex);
    keep.clear();
    return failure;
}

// The arguments of a launch in one block, from either form; false if they are invalid.
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
    // The reductions use one dimension only; in another one, threads would repeat the work.
    const bool flat = grid_y == 1 && grid_z == 1 && block_y == 1 && block_z == 1;
    if (grid_x == 0 || grid_x > 0x7FFFFFFF || grid_y == 0 || grid_y > 0xFFFF || grid_z == 0 || grid_z > 0xFFFF ||
        block_x == 0 || block_y == 0 || block_z == 0 || block_z > 64 || threads > function->entry.most_threads ||
        threads > kMostThreads || shared > function->most_shared || (function->user == nullptr && !flat)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "grid %u x %u x %u of blocks %u x %u x %u with %u bytes of shared "
                           "memory; a block has at most %u threads and %u bytes, and reductions "
                           "are launched in one dimension",
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
    if (function->user != nullptr) {
        out->body = [function, block, grid] { return run_user(*function, block, grid); };
    } else {
        Arguments arguments{};
        memcpy(&arguments, block.data(), sizeof arguments);
        out->body = [function, arguments, all = uint64_t{grid.blocks[0]} * grid.threads[0]] {
            return run(*function, arguments, all);
        };
    }
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

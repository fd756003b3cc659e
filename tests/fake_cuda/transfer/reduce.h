// The reduction kernels, run by the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fake {

// Runs a kernel on `count` elements; `threads` is the number of threads in the whole grid.
using ReduceFunction = void (*)(void* dst, const void* src, uint64_t count, uint64_t threads);

struct Reduction {
    ReduceFunction run = nullptr;
    size_t element_size = 0;
};

// The kernel with this name; `run` is null if there is none.
Reduction find_reduction(const std::string& name);

}  // namespace fake

// Modules of PTX text and the kernels in them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/state.h"
#include "kernel/ptx.h"

namespace fake {

struct Module {
    Context* context = nullptr;
    PtxProgram program;
    std::map<std::string, uint64_t> functions;
};

struct Function {
    Context* context = nullptr;
    std::string name;
    Entry entry;
    std::map<std::string, Variable> variables;
    // The number of bytes of shared memory that a launch may request.
    unsigned most_shared = 49152;
};

// Returns the function with this handle, or null and a code if there is none.
std::shared_ptr<Function> find_function(const Call& call, CUfunction handle, CUresult* code);

// The blocks of a launch, and the threads of a block.
struct Grid {
    std::array<unsigned, 3> blocks;
    std::array<unsigned, 3> threads;
};

// A kernel with its arguments, ready to run.
struct Launch {
    const Context* context = nullptr;
    std::string name;
    std::function<CUresult()> body;
};

// Checks a launch on a device, and reads its arguments.
CUresult make_launch(const Call& call, CUfunction function, const Grid& grid, unsigned shared, const Context& device,
                     void** parameters, void** extra, Launch* out);

CUresult queue_launch(const Call& call, Stream& stream, const Launch& launch);

}  // namespace fake

// Modules of PTX text and the kernels in them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/call.h"
#include "base/state.h"
#include "kernel/user_kernel.h"
#include "transfer/reduce.h"

namespace fake {

// A kernel as its module declares it.
struct Entry {
    struct Parameter {
        size_t offset;
        size_t size;
    };
    std::vector<Parameter> parameters;
    unsigned most_threads = 1024;

    size_t size() const { return parameters.empty() ? 0 : parameters.back().offset + parameters.back().size; }
};

// A variable as its module declares it.
struct Variable {
    // Initial bytes; the rest is 0.
    std::vector<uint8_t> bytes;
    // In device memory, while the module is loaded.
    uint64_t address = 0;
};

struct Module {
    Context* context = nullptr;
    std::map<std::string, Entry> entries;
    std::map<std::string, Variable> variables;
    std::map<std::string, uint64_t> functions;
};

struct Function {
    Context* context = nullptr;
    std::string name;
    Entry entry;
    std::map<std::string, Variable> variables;
    // One of the two.
    Reduction reduction;
    UserKernel user = nullptr;
    // Bytes of shared memory that a launch may ask for.
    unsigned most_shared = 49152;
};

// The arguments of a reduction.
struct Arguments {
    uint64_t dst;
    uint64_t src;
    uint64_t count;
};

// The function with this handle; null and a code if there is none.
std::shared_ptr<Function> find_function(const Call& call, CUfunction handle, CUresult* code);

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

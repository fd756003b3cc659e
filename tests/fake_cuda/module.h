// Modules of PTX text and the kernels in them.
#pragma once

#include <string>
#include <vector>

#include "reduce.h"
#include "state.h"
#include "user_kernel.h"

namespace fake {

// What a module says of a kernel.
struct Entry {
    struct Parameter {
        size_t offset;
        size_t size;
    };
    std::vector<Parameter> parameters;
    unsigned most_threads = 1024;

    size_t size() const {
        return parameters.empty() ? 0 : parameters.back().offset + parameters.back().size;
    }
};

struct Module {
    Context* context = nullptr;
    std::map<std::string, Entry> entries;
    std::map<std::string, uint64_t> functions;
};

struct Function {
    Context* context = nullptr;
    std::string name;
    Entry entry;
    // One of the two.
    Reduction reduction;
    UserKernel user = nullptr;
    // Bytes of shared memory that a launch may ask for.
    unsigned most_shared = 49152;
};

}  // namespace fake

// Modules of PTX text and the kernels in them.
#pragma once

#include <string>

#include "reduce.h"
#include "state.h"

namespace fake {

struct Module {
    Context* context = nullptr;
    std::set<std::string> entries;
    std::map<std::string, uint64_t> functions;
};

struct Function {
    Context* context = nullptr;
    std::string name;
    Reduction reduction;
};

}  // namespace fake

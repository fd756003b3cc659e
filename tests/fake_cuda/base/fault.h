// Faults that a test has configured.
#pragma once

#include "base/abi.h"

namespace fake {

struct Fault {
    CUresult code = CUDA_SUCCESS;
    // Whether the call succeeds and its operation fails when it runs.
    bool late = false;
    // Whether the call takes long, and succeeds.
    bool slow = false;
};

// Parses "name:nth:code[:late]" and "name:nth:slow", several separated by commas; nth 0 is every call. Returns false,
// and changes nothing, for an invalid text. The lock is held.
bool set_faults(const char* spec);

// Counts a call of `name` and returns whether it must fail. The lock is held.
Fault next_fault(const char* name);

}  // namespace fake

// Faults that a test asked for.
#pragma once

#include "abi.h"

namespace fake {

struct Fault {
    CUresult code = CUDA_SUCCESS;
    // The call succeeds and its operation fails when it runs.
    bool late = false;
};

// Reads "name:nth:code[:late]", several separated by commas; nth 0 is every call. False for a text
// that cannot be read, which then changes nothing. The lock is held.
bool set_faults(const char* spec);

// Counts a call of `name` and says whether it is one that must fail. The lock is held.
Fault next_fault(const char* name);

}  // namespace fake

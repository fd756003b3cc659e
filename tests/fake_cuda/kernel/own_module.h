// The kernels of portacl's CUDA backend except the reductions, run by the host.
#pragma once

#include "kernel/user_kernel.h"

namespace fake {

// The kernel with this name, null if there is none.
UserKernel find_own_kernel(const std::string& name);

}  // namespace fake

// The kernels of random_num.cu, which generate random numbers: their CUDA source, run by the host.
#pragma once

#include "kernel/user_kernel.h"

namespace fake {

// The kernel with this name, null if it is none of them.
UserKernel find_random_num_kernel(const std::string& name);

}  // namespace fake

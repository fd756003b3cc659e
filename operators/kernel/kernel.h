// The kernel that runs operators, as the library calls it.
#pragma once

#include <portacl/kernel.h>

#include <cstddef>
#include <cstdint>

namespace operators {

// Runs `work` with the device's addresses of its storages.
using Computation = void (*)(const portaclBlock* block, uintptr_t work, void* const* storages);

// The numbers of storages for which there is a kernel, and their names.
constexpr size_t kCapacities[] = {4, 16, 64, 256};
constexpr const char* kKernelNames[] = {"run_4", "run_16", "run_64", "run_256"};

}  // namespace operators

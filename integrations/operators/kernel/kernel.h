// The kernel that runs operators, as the library calls it.
#pragma once

#include <portacl/kernel.h>

#include <cstddef>
#include <cstdint>

namespace operators {

// The functions of the library that the kernel calls.
struct Callbacks {
    // Runs `work` with the device's addresses of its storages.
    void (*compute)(const portaclBlock* block, uintptr_t work, void* const* storages);
    // Releases the work of a launch that has run, that an abort has dropped, or whose last graph has ended.
    void (*release)(uintptr_t work);
    // Returns the memory that the work uses, with the program's addresses of its storages, as NAME_portacl_uses of
    // portacl/kernel.h does.
    size_t (*uses)(uintptr_t work, void* const* storages, portaclUse* uses, size_t capacity);
};

// The head of a kernel's arguments.
struct Head {
    Callbacks callbacks;
    uintptr_t work;
};

// The numbers of storages for which there is a kernel, and their names.
constexpr size_t kCapacities[] = {4, 16, 64, 256};
constexpr const char* kKernelNames[] = {"run_4", "run_16", "run_64", "run_256"};

}  // namespace operators

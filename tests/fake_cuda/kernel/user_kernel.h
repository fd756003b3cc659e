// Kernels of the samples and tests, run by the host. The test double has no compiler: it identifies
// a program by the names of its kernels.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fake {

struct Grid {
    std::array<unsigned, 3> blocks;
    std::array<unsigned, 3> threads;

    uint64_t count() const {
        uint64_t all = 1;
        for (const unsigned n : blocks) all *= n;
        for (const unsigned n : threads) all *= n;
        return all;
    }
};

// The host address of `count` elements at a device address; null if the device cannot access them.
using Reach = std::function<uint8_t*(const char* argument, uint64_t address, uint64_t count, size_t element)>;

// The host address of a variable of the kernel's module.
using AddressOf = std::function<uint64_t(const char* name)>;

// The arguments in one block. False if Reach has refused one of them.
using UserKernel = bool (*)(const std::vector<uint8_t>& arguments, const Grid& grid, const Reach& reach,
                            const AddressOf& address_of);

// The kernel with this name, null if there is none.
UserKernel find_user_kernel(const std::string& name);

}  // namespace fake

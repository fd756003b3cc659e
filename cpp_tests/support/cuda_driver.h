// The CUDA driver below the library, as another library of the process uses it.
#pragma once

#include <gtest/gtest.h>

#include <dlfcn.h>

namespace portacl_test {

// A function of the driver, or of the test double's own. It has to be there.
template <typename Function>
Function DriverFunction(const char* name) {
    // Once more than the library has it, and never closed: drivers stay loaded anyway.
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    void* const found = library ? dlsym(library, name) : nullptr;
    EXPECT_NE(found, nullptr) << name << ": no such function, or no driver";
    return reinterpret_cast<Function>(found);
}

// Calls a function of the driver. A refusal fails the test.
template <typename... Arguments>
void Driver(const char* name, Arguments... arguments) {
    const auto function = DriverFunction<int (*)(Arguments...)>(name);
    if (!function) return;
    EXPECT_EQ(function(arguments...), 0) << name;
}

// The test double fails as told (FAKE_CUDA_FAIL in its README), in place of what it was told
// before.
inline void FailDriver(const char* calls) {
    Driver("fakeCudaFail", calls);
}

}  // namespace portacl_test

// The CUDA driver below the library, as another library of the process uses it.
#pragma once

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

namespace portacl_test {

// Returns a function of the driver or of its test double. It must exist.
template <typename Function>
Function DriverFunction(const char* name) {
    // This is a second reference to the library's driver. It is never closed, because drivers stay loaded anyway.
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    void* const found = library ? dlsym(library, name) : nullptr;
    EXPECT_NE(found, nullptr) << name << ": no such function, or no driver";
    return reinterpret_cast<Function>(found);
}

// Calls a function of the driver. A failure fails the test.
template <typename... Arguments>
void Driver(const char* name, Arguments... arguments) {
    const auto function = DriverFunction<int (*)(Arguments...)>(name);
    if (!function) return;
    EXPECT_EQ(function(arguments...), 0) << name;
}

// Whether the driver has a function, which came with a later release than the oldest one that works. The cpu backend
// needs none.
inline bool DriverHas(const char* name) {
    const char* backend = std::getenv("PORTACL_BACKEND");
    if (!backend || std::strcmp(backend, "cuda") != 0) return true;
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    return library && dlsym(library, name);
}

// Configures failures of the test double (FAKE_CUDA_FAIL in its README), replacing earlier ones.
inline void FailDriver(const char* calls) {
    Driver("fakeCudaFail", calls);
}

}  // namespace portacl_test

// Skips a test if the driver has no such function. A driver of release 580 has all of them.
#define NEEDS_DRIVER_WITH(function) \
    if (!::portacl_test::DriverHas(function)) GTEST_SKIP() << "needs a driver with " function

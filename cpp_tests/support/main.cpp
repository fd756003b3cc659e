// main() of every test program: prints the backend, and runs the tests.
#include <acl/acl.h>
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "support/skips.h"

using namespace portacl_test;

namespace {

// Holds the primary context of the first device until the program ends, as another library of the process may. A driver
// takes most of a second to create a context, and nearly every test would. Programs that tests start do not inherit it.
void HoldContext() {
    if (!std::getenv("PORTACL_TEST_HOLD_CONTEXT") || testing::GTEST_FLAG(list_tests)) return;
    unsetenv("PORTACL_TEST_HOLD_CONTEXT");
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    const auto init = reinterpret_cast<int (*)(unsigned)>(driver ? dlsym(driver, "cuInit") : nullptr);
    const auto retain =
        reinterpret_cast<int (*)(void**, int)>(driver ? dlsym(driver, "cuDevicePrimaryCtxRetain") : nullptr);
    void* context = nullptr;
    const bool holds = init && retain && init(0) == 0 && retain(&context, 0) == 0;
    std::printf("%s the context of device 0\n", holds ? "holds" : "cannot hold");
}

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    std::printf("PORTACL_BACKEND=%s PORTACL_CPU_ASYNC=%s PORTACL_CPU_GUARD=%s\n", Setting("PORTACL_BACKEND", "auto"),
                Setting("PORTACL_CPU_ASYNC", "off"), Setting("PORTACL_CPU_GUARD", "0"));
    HoldContext();
    std::fflush(stdout);
    return RunTests([] {
        uint32_t devices = 0;
        return aclrtGetDeviceCount(&devices) == ACL_SUCCESS ? static_cast<int>(devices) : -1;
    });
}

// main() of every test program: prints the backend, and runs the tests.
#include <acl/acl.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "support/skips.h"

using namespace portacl_test;

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    std::printf("PORTACL_BACKEND=%s PORTACL_CPU_ASYNC=%s PORTACL_CPU_GUARD=%s\n", Setting("PORTACL_BACKEND", "auto"),
                Setting("PORTACL_CPU_ASYNC", "off"), Setting("PORTACL_CPU_GUARD", "0"));
    std::fflush(stdout);
    return RunTests([] {
        uint32_t devices = 0;
        return aclrtGetDeviceCount(&devices) == ACL_SUCCESS ? static_cast<int>(devices) : -1;
    });
}

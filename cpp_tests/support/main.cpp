// Defines main() of every test program: prints the backend, and runs the tests.
#include <acl/acl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/base/cuda_driver.h"
#include "support/own_process.h"
#include "support/skips.h"
#include "support/suite/events.h"
#include "support/suite/of_source.h"

using namespace portacl_test;

namespace {

// Holds the primary context of the first device until the program ends, as another library of the process may. A driver
// takes a quarter of a second or more for a context, and nearly every test would. Programs that tests start hold one,
// too, if the variable is "all".
void HoldContext() {
    const std::string hold = Setting("PORTACL_TEST_HOLD_CONTEXT", "");
    if (hold.empty() || testing::GTEST_FLAG(list_tests)) return;
    if (hold != "all") unsetenv("PORTACL_TEST_HOLD_CONTEXT");
    const auto init = DriverFunction<int (*)(unsigned)>("cuInit");
    const auto retain = DriverFunction<int (*)(void**, int)>("cuDevicePrimaryCtxRetain");
    void* context = nullptr;
    const bool holds = init && retain && init(0) == 0 && retain(&context, 0) == 0;
    std::printf("%s the context of device 0\n", holds ? "holds" : "cannot hold");
}

// A program that a test starts ends with it: what hangs in a test that timed out would keep the processor busy.
void EndWithParent() {
    if (std::getenv(kOwnProcess) != nullptr) prctl(PR_SET_PDEATHSIG, SIGKILL);
}

}  // namespace

int main(int argc, char** argv) {
    EndWithParent();
    testing::InitGoogleTest(&argc, argv);
    if (HasNameTwice()) return 2;
    SelectTestsOfSource(argc > 0 ? argv[0] : "");
    std::printf("PORTACL_BACKEND=%s PORTACL_CPU_ASYNC=%s PORTACL_CPU_GUARD=%s\n", Setting("PORTACL_BACKEND", "auto"),
                Setting("PORTACL_CPU_ASYNC", "off"), Setting("PORTACL_CPU_GUARD", "0"));
    HoldContext();
    std::fflush(stdout);
    return RunTests([] {
        uint32_t devices = 0;
        return aclrtGetDeviceCount(&devices) == ACL_SUCCESS ? static_cast<int>(devices) : -1;
    });
}

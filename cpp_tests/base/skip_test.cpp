// Tests that a machine cannot run are skipped with their reason, also those that run in a process of their own. The
// process that runs them is made such a machine: the kernel accepts no filters of system calls, stacks have a hard
// limit, the driver is old, or root may do little.
#include <acl/acl.h>

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <string>

#include "process/driver/driver_path.h"
#include "support/own_process.h"
#include "support/process/refused_call.h"

using namespace portacl_test;

namespace {

// With the setting of tools/gpu/program.py, or without it. A process that skips a test half way leaves objects to its
// end.
ProcessResult Run(const char* program, const char* tests, bool lent, Settings settings = {}) {
    settings.insert(settings.end(), {{"PORTACL_TEST_NO_SKIPS", "1"}, {"FAKE_CUDA_LEAK_CHECK", "0"}});
    if (lent) settings.emplace_back("PORTACL_TEST_ON_GPU", "1");
    return RunProcess(ProgramDirectory() / program, {std::string("--gtest_filter=") + tests}, settings);
}

void ExpectASkip(const ProcessResult& result, const std::string& line) {
    EXPECT_TRUE(Succeeded(result));
    EXPECT_NE(result.output.find("\n" + line), std::string::npos) << result.output;
}

void ExpectAFailure(const ProcessResult& result) {
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.output.find("tests skipped, and PORTACL_TEST_NO_SKIPS is set"), std::string::npos)
        << result.output;
}

}  // namespace

OWN_PROCESS_TEST(Skip, WithoutFiltersOfSystemCalls) {
    ASSERT_TRUE(RefuseCall(SYS_seccomp, EINVAL));
    const char* const tests = "RefusedCall.UnansweredQuestionsAboutPagesAreNoHoles:RefusedCall.TheEndNeedsNoShutdown";
    ExpectASkip(Run("refused_call_test", tests, true), "skipped: 2 tests: needs seccomp filters: Invalid argument\n");
    ExpectAFailure(Run("refused_call_test", tests, false));
}

OWN_PROCESS_TEST(Skip, WithAHardLimitOfStacks) {
    const rlimit limit{8 << 20, 8 << 20};
    ASSERT_EQ(0, setrlimit(RLIMIT_STACK, &limit));
    const char* const tests = "ThreadStack.ItGrowsWithTheLimitOfTheShell:ThreadStack.WithoutALimitItIsEightMebibytes";
    const ProcessResult result = Run("thread_stack_test", tests, true);
    ExpectASkip(result, "skipped: 1 test: needs a hard limit of stacks of 32 MiB or more\n");
    ExpectASkip(result, "skipped: 1 test: needs stacks without a hard limit\n");
    ExpectAFailure(Run("thread_stack_test", tests, false));
}

// The programs that it starts are those of a user, or of root in a container.
OWN_PROCESS_TEST(Skip, WithoutPrivileges) {
    if (geteuid() == 0) {
        ASSERT_EQ(0, prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0));
    }
    const ProcessResult result = Run("ipc_hostile_test", "IpcHostile.AnotherContainerGetsNothing", false);
    ExpectASkip(result, "skipped: 1 test: needs unshare --pid: unshare: unshare failed: Operation not permitted\n");
}

OWN_PROCESS_TEST(Skip, WithOneHardwareQueue) {
    const char* const tests = "HostFunction.BlocksItsStreamOnly:*.FunctionsOfDifferentStreamsMayWaitForEachOther";
    const ProcessResult result = Run("callback_test", tests, false, {{"FAKE_CUDA_CONNECTIONS", "1"}});
    ExpectASkip(result, "skipped: 1 test: needs 2 hardware queues\n");
    ExpectASkip(result, "skipped: 1 test: needs 8 hardware queues\n");
    const ProcessResult enough = Run("callback_test", tests, false, {{"FAKE_CUDA_CONNECTIONS", "8"}});
    EXPECT_TRUE(Succeeded(enough));
    EXPECT_EQ(enough.output.find("skipped: "), std::string::npos) << enough.output;
}

OWN_PROCESS_TEST(Skip, WithAnOldDriver) {
    const std::string reason = "needs a driver with ", lock = "cuCheckpointProcessLock\n";
    ExpectASkip(Run("snapshot_process_test", "*", true, {OLD_DRIVER}), "skipped: 3 tests: " + reason + lock);
    ExpectASkip(Run("snapshot_callback_test", "*", true, {OLD_DRIVER}), "skipped: 4 tests: " + reason + lock);
    const char* const atomics = "Atomics.OfTheHost";
    ExpectASkip(Run("atomics_test", atomics, true, {OLD_DRIVER}),
                "skipped: 1 test: " + reason + "cuDeviceGetHostAtomicCapabilities\n");
    ExpectAFailure(Run("atomics_test", atomics, false, {OLD_DRIVER}));
}

// Statistics on a system that supplies less than was requested. Each test has its own process,
// because the privileges it drops cannot be regained.
#include <portacl/portacl.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "process/memory_stats/stats.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/process/usage.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 8 << 20, kHugePage = 2 << 20;

// Opens a session with device 0.
void Begin() {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
}

OWN_PROCESS_TEST(MemoryStatsSystem, CountsMemoryThatCannotBeLocked) {
    // A privileged process has no limit.
    if (geteuid() == 0) {
        ASSERT_EQ(setresuid(65534, 65534, 65534), 0);
    }
    const rlimit nothing{0, 0};
    ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &nothing), 0);
    Begin();
    EXPECT_EQ(Stats(-1, PORTACL_MEMORY_PINNED).unlockedBytes, 0u);
    void* memory = nullptr;
    ACL_OK(aclrtMallocHost(&memory, kSize));
    std::memset(memory, 1, kSize);
    // A GPU's driver locks memory itself, and under a sanitizer mlock does nothing.
    const uint64_t unlocked = Stats(-1, PORTACL_MEMORY_PINNED).unlockedBytes;
    if (OnCpu() && !kSanitized)
        EXPECT_EQ(unlocked, kSize);
    else
        EXPECT_EQ(unlocked, 0u);
    // The sum of all failures so far, like the other failure counts.
    ACL_OK(aclrtFreeHost(memory));
    EXPECT_EQ(Stats(-1, PORTACL_MEMORY_PINNED).unlockedBytes, unlocked);
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(MemoryStatsSystem, CountsUnavailableHugePages) {
    ASSERT_EQ(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0), 0);
    Begin();
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtMemset(memory, kSize, 1, kSize));
    const uint64_t fallbacks = Stats(0, PORTACL_MEMORY_DEVICE).hugePageFallbacks;
    // A GPU's driver chooses its pages and does not report them.
    if (OnCpu())
        EXPECT_EQ(fallbacks, kSize / kHugePage);
    else
        EXPECT_EQ(fallbacks, 0u);
    ACL_OK(aclrtFree(memory));
    ACL_OK(aclFinalize());
}

}  // namespace

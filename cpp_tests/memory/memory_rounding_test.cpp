// How much of a device's memory rounding costs. docs/memory_hooks.md has the same figures.

#include <portacl/portacl.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/objects.h"
#include "support/own_process.h"

namespace {

constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB, kDevice = 64 * kMiB;

// Allocates blocks until the device is full, and returns their number.
size_t BlocksUntilFull(size_t size, aclrtMemMallocPolicy policy) {
    std::vector<void*> blocks;
    void* block = nullptr;
    while (aclrtMalloc(&block, size, policy) == ACL_SUCCESS) blocks.push_back(block);
    for (void* each : blocks) ACL_EXPECT_OK(aclrtFree(each));
    return blocks.size();
}

// Opens a device of 64 MiB.
void Open() {
    ACL_EXPECT_OK(aclInit(nullptr));
    ACL_EXPECT_OK(aclrtSetDevice(0));
    size_t free = 0, total = 0;
    ACL_EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    EXPECT_EQ(total, kDevice);
}

OWN_PROCESS_TEST(MemoryRounding, CostsAtMostAnEighth, {"PORTACL_CPU_MEMORY", "64M"}) {
    if (!portacl_test::OnCpu()) GTEST_SKIP() << "for CPUs only: a GPU cannot be made small";
    Open();
    for (const auto policy : {ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_NORMAL_ONLY}) {
        for (size_t size = 32 * kKiB; size < 24 * kMiB; size += size / 7) {
            SCOPED_TRACE(size);
            // The readable tail is no rounding.
            const size_t tail = 32 + 31, taken = (size + tail) + (size + tail) / 8;
            EXPECT_GE(BlocksUntilFull(size, policy), kDevice / taken);
        }
    }
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(MemoryRounding, HasTheFiguresOfTheDocument, {"PORTACL_CPU_MEMORY", "64M"}) {
    if (!portacl_test::OnCpu()) GTEST_SKIP() << "for CPUs only: a GPU cannot be made small";
    Open();
    EXPECT_EQ(BlocksUntilFull(1'000'000, ACL_MEM_MALLOC_HUGE_FIRST), 66u);
    EXPECT_EQ(BlocksUntilFull(1'468'000, ACL_MEM_MALLOC_HUGE_FIRST), 45u);
    // Guard mode counts no readable tail.
    const char* const guard = std::getenv("PORTACL_CPU_GUARD");
    const bool guarded = guard && std::string(guard) == "1";
    EXPECT_EQ(BlocksUntilFull(2 * kMiB, ACL_MEM_MALLOC_HUGE_FIRST), guarded ? 32u : 31u);
    EXPECT_EQ(BlocksUntilFull(2'200'000, ACL_MEM_MALLOC_HUGE_FIRST), 30u);
    ACL_OK(aclFinalize());
}

// Blocks of all sizes, in a random order: the memory is full when its bytes are used, not when its addresses are.
OWN_PROCESS_TEST(MemoryRounding, LeavesLittleBetweenBlocksOfManySizes, {"PORTACL_CPU_MEMORY", "64M"}) {
    if (!portacl_test::OnCpu()) GTEST_SKIP() << "for CPUs only: a GPU cannot be made small";
    Open();
    uint64_t seed = 1;
    const auto next = [&] { return seed = seed * 6364136223846793005u + 1442695040888963407u, size_t{seed >> 33}; };
    for (int round = 0; round < 20; ++round) {
        std::vector<void*> blocks;
        size_t used = 0;
        for (;;) {
            const size_t size = 64 * kKiB + next() % (5 * kMiB);
            void* block = nullptr;
            if (aclrtMalloc(&block, size, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) {
                EXPECT_GE(used + size + size / 8, kDevice - kDevice / 8) << "refused " << size;
                break;
            }
            blocks.push_back(block);
            used += size;
        }
        for (void* each : blocks) ACL_OK(aclrtFree(each));
    }
    ACL_OK(aclFinalize());
}

}  // namespace

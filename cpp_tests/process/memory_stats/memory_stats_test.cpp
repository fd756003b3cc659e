// Memory statistics: current, peak and total bytes, by kind and page size. memory_stats_pool_test.cpp tests those of
// pools.

#include <portacl/portacl.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "process/memory_stats/stats.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

TEST_F(MemoryStats, CountDeviceMemoryExactly) {
    const auto before = Stats(0, PORTACL_MEMORY_DEVICE);
    EXPECT_EQ(before.currentCount, 0u);
    uint64_t bytes = 0, made = 0, failed = before.failures;
    std::vector<void*> live;
    // Small blocks, which are cached when they are freed, and large ones, which are not.
    for (const size_t size : {100, 100, 5000, 3 << 20, 100, 700000}) {
        void* memory = nullptr;
        ACL_OK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_NORMAL_ONLY));
        live.push_back(memory);
        ++made;
        const auto now = Stats(0, PORTACL_MEMORY_DEVICE);
        EXPECT_EQ(now.currentCount, live.size());
        EXPECT_EQ(now.totalCount, before.totalCount + made);
        EXPECT_GE(now.currentBytes, bytes + Rounded(memory));
        EXPECT_EQ(now.totalBytes, before.totalBytes + now.currentBytes);
        EXPECT_EQ(now.failures, failed);
        bytes = now.currentBytes;
        ExpectAgreement();
    }
    const auto most = Stats(0, PORTACL_MEMORY_DEVICE);
    while (!live.empty()) {
        ACL_OK(aclrtFree(live.back()));
        live.pop_back();
        const auto now = Stats(0, PORTACL_MEMORY_DEVICE);
        EXPECT_EQ(now.currentCount, live.size());
        EXPECT_LT(now.currentBytes, bytes);
        bytes = now.currentBytes;
        EXPECT_EQ(now.totalCount, most.totalCount);
        EXPECT_EQ(now.totalBytes, most.totalBytes);
        EXPECT_EQ(now.peakBytes, most.peakBytes);
        EXPECT_EQ(now.peakCount, most.peakCount);
        ExpectAgreement();
    }
    EXPECT_EQ(bytes, 0u);
    void* memory = nullptr;
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&memory, size_t{1} << 60, ACL_MEM_MALLOC_NORMAL_ONLY));
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_DEVICE).failures, failed + 1);
    // Not a request that could have been served.
    EXPECT_NE(aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
    EXPECT_NE(aclrtFree(&memory), ACL_SUCCESS);
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_DEVICE).failures, failed + 1);
    aclGetRecentErrMsg();
}

// An allocation from the cache counts like any other.
TEST_F(MemoryStats, CountMemoryThatIsUsedAgain) {
    const auto before = Stats(0, PORTACL_MEMORY_DEVICE);
    uint64_t each = 0;
    for (int i = 0; i < 50; ++i) {
        const DeviceMemory memory(4096);
        each = Stats(0, PORTACL_MEMORY_DEVICE).currentBytes;
    }
    const auto after = Stats(0, PORTACL_MEMORY_DEVICE);
    EXPECT_EQ(after.totalCount, before.totalCount + 50);
    EXPECT_EQ(after.totalBytes, before.totalBytes + 50 * each);
    EXPECT_EQ(after.currentBytes, 0u);
    ExpectAgreement();
#ifndef __SANITIZE_ADDRESS__
    // With the sanitizer, as in guard mode, freed memory is not cached: uses after the free are reported.
    const char* guard = std::getenv("PORTACL_CPU_GUARD");
    if (OnCpu() && !(guard && std::string(guard) == "1")) {
        EXPECT_GE(after.keptBytes, each);
    }
#endif
}

TEST_F(MemoryStats, CountAllocationsOfAllThreads) {
    constexpr int kThreads = 4, kTurns = 2000;
    const auto before = Stats(0, PORTACL_MEMORY_DEVICE);
    const auto host = Stats(kHost, PORTACL_MEMORY_PINNED);
    uint64_t small = 0, large = 0;
    {
        const DeviceMemory one(1000);
        small = Stats(0, PORTACL_MEMORY_DEVICE).currentBytes;
        const DeviceMemory other(3 * kMiB);
        large = Stats(0, PORTACL_MEMORY_DEVICE).currentBytes - small;
    }
    std::atomic<void*> handed{nullptr};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            for (int turn = 0; turn < kTurns; ++turn) {
                void *mine = nullptr, *pinned = nullptr;
                const size_t size = turn % 100 ? 1000 : 3 * kMiB;
                ACL_EXPECT_OK(aclrtMalloc(&mine, size, ACL_MEM_MALLOC_NORMAL_ONLY));
                ACL_EXPECT_OK(aclrtMallocHost(&pinned, 64));
                // Mostly a block of another thread is freed.
                void* other = handed.exchange(mine);
                if (other) {
                    ACL_EXPECT_OK(aclrtFree(other));
                }
                ACL_EXPECT_OK(aclrtFreeHost(pinned));
                (void)Stats(0, PORTACL_MEMORY_MANAGED);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    ACL_OK(aclrtFree(handed));
    const auto after = Stats(0, PORTACL_MEMORY_DEVICE);
    const uint64_t all = kThreads * kTurns;
    EXPECT_EQ(after.currentCount, 0u);
    EXPECT_EQ(after.currentBytes, 0u);
    EXPECT_EQ(after.totalCount, before.totalCount + all + 2);
    EXPECT_EQ(after.totalBytes, before.totalBytes + (all - all / 100) * small + all / 100 * large + small + large);
    EXPECT_EQ(after.failures, before.failures);
    const auto pinned = Stats(kHost, PORTACL_MEMORY_PINNED);
    EXPECT_EQ(pinned.currentCount, host.currentCount);
    EXPECT_EQ(pinned.totalCount, host.totalCount + all);
    EXPECT_LE(pinned.peakCount, host.currentCount + kThreads);
    ExpectAgreement();
}

TEST_F(MemoryStats, CountKindsSeparately) {
    const auto device = Stats(0, PORTACL_MEMORY_DEVICE);
    const auto managed = Stats(0, PORTACL_MEMORY_MANAGED);
    const auto pinned = Stats(kHost, PORTACL_MEMORY_PINNED);
    void *shared = nullptr, *host = nullptr;
    ACL_OK(aclrtMemAllocManaged(&shared, 6 * kMiB - 5, ACL_RT_MEM_ATTACH_GLOBAL));
    ACL_OK(aclrtMallocHost(&host, 1000));
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_DEVICE).totalCount, device.totalCount);
    const auto more = Stats(0, PORTACL_MEMORY_MANAGED);
    EXPECT_EQ(more.currentCount, 1u);
    EXPECT_EQ(more.currentBytes, 6 * kMiB);
    EXPECT_EQ(more.reservedBytes, managed.reservedBytes + 6 * kMiB);
    const auto locked = Stats(kHost, PORTACL_MEMORY_PINNED);
    EXPECT_EQ(locked.currentCount, pinned.currentCount + 1);
    EXPECT_GE(locked.currentBytes, pinned.currentBytes + Rounded(host));
    EXPECT_EQ(locked.reservedBytes, locked.currentBytes);
    ExpectAgreement();
    ACL_OK(aclrtFree(shared));
    ACL_OK(aclrtFreeHost(host));
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_MANAGED).currentBytes, 0u);
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_MANAGED).peakBytes, 6 * kMiB);
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_MANAGED).totalBytes, 6 * kMiB);
    EXPECT_EQ(Stats(kHost, PORTACL_MEMORY_PINNED).currentBytes, pinned.currentBytes);
    ExpectAgreement();
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION,
              aclrtMemAllocManaged(&shared, uint64_t{1} << 60, ACL_RT_MEM_ATTACH_GLOBAL));
    ACL_FAILS(ACL_ERROR_BAD_ALLOC, aclrtMallocHost(&host, SIZE_MAX - 100));
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_MANAGED).failures, 1u);
    EXPECT_EQ(Stats(kHost, PORTACL_MEMORY_PINNED).failures, pinned.failures + 1);
    aclGetRecentErrMsg();
}

// Freed while in use: not live any more, still reserved.
TEST_F(MemoryStats, CountMemoryOfPendingWork) {
    const Stream stream;
    const uint64_t before = Stats(0, PORTACL_MEMORY_DEVICE).reservedBytes;
    void* going = DeviceMemory(8 * kMiB).Release();
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemsetAsync(going, 8 * kMiB, 1, 8 * kMiB, stream));
    ACL_OK(aclrtFree(going));
    const auto freed = Stats(0, PORTACL_MEMORY_DEVICE);
    EXPECT_EQ(freed.currentBytes, 0u);
    EXPECT_GE(freed.reservedBytes, before + 8 * kMiB);
    ExpectAgreement();
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_DEVICE).reservedBytes, before);
    ExpectAgreement();
}

TEST_F(MemoryStats, ResettingPeaksSetsThemToLiveBytes) {
    const DeviceMemory stays(3 * kMiB);
    void *managed = nullptr, *host = nullptr;
    ACL_OK(aclrtMallocHost(&host, 100));
    { const DeviceMemory goes(5 * kMiB), too(100); }
    ACL_OK(aclrtMemAllocManaged(&managed, 1, ACL_RT_MEM_ATTACH_GLOBAL));
    ACL_OK(aclrtFree(managed));
    const auto high = Stats(0, PORTACL_MEMORY_DEVICE);
    EXPECT_GE(high.peakBytes, 8 * kMiB + 100);
    EXPECT_GE(high.peakCount, 3u);
    ACL_OK(portaclMemoryResetPeak(0, PORTACL_MEMORY_DEVICE));
    const auto low = Stats(0, PORTACL_MEMORY_DEVICE);
    EXPECT_EQ(low.peakBytes, low.currentBytes + low.keptBytes);
    EXPECT_EQ(low.peakReservedBytes, low.reservedBytes);
    EXPECT_LT(low.peakBytes, high.peakBytes);
    EXPECT_LT(low.peakCount, high.peakCount);
    EXPECT_EQ(low.totalBytes, high.totalBytes);
    ExpectAgreement();
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_MANAGED).peakBytes, 2 * kMiB) << "another kind";
    ACL_OK(portaclMemoryResetPeak(0, PORTACL_MEMORY_MANAGED));
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_MANAGED).peakBytes, 0u);
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_MANAGED).peakReservedBytes, 0u);
    ExpectAgreement();
    ACL_OK(aclrtFreeHost(host));
    ACL_OK(portaclMemoryResetPeak(kHost, PORTACL_MEMORY_PINNED));
    const auto pinned = Stats(kHost, PORTACL_MEMORY_PINNED);
    EXPECT_EQ(pinned.peakBytes, pinned.currentBytes);
    EXPECT_EQ(pinned.peakCount, pinned.currentCount);
}

TEST_F(MemoryStats, StartAgainWithTheDevice) {
    { const DeviceMemory memory(1000); }
    EXPECT_NE(Stats(0, PORTACL_MEMORY_DEVICE).totalCount, 0u);
    ACL_OK(aclrtResetDevice(0));
    auto none = Stats(0, PORTACL_MEMORY_DEVICE);
    EXPECT_EQ(none.totalCount, 0u) << "not in use";
    ACL_OK(portaclMemoryResetPeak(0, PORTACL_MEMORY_DEVICE));
    EXPECT_TRUE(Pools(0).empty());
    EXPECT_TRUE(PageSizes(0, PORTACL_MEMORY_DEVICE).empty());
    ACL_OK(aclrtSetDevice(0));
    none = Stats(0, PORTACL_MEMORY_DEVICE);
    EXPECT_EQ(none.totalCount, 0u);
    EXPECT_EQ(none.peakReservedBytes, 0u);
}

TEST_F(MemoryStats, ArePerDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    {
        const DeviceMemory far(3 * kMiB);
        EXPECT_EQ(Stats(1, PORTACL_MEMORY_DEVICE).currentCount, 1u);
        EXPECT_EQ(Stats(0, PORTACL_MEMORY_DEVICE).currentCount, 0u);
    }
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(MemoryStats, ListPageSizes) {
    NEEDS_HUGE_PAGES(4 * kMiB);
    EXPECT_TRUE(PageSizes(0, PORTACL_MEMORY_DEVICE).empty());
    const DeviceMemory ordinary(100, ACL_MEM_MALLOC_NORMAL_ONLY), another(5000),
        huge(3 * kMiB, ACL_MEM_MALLOC_HUGE_ONLY);
    uint64_t bytes = 0, count = 0;
    const auto sizes = PageSizes(0, PORTACL_MEMORY_DEVICE);
    for (const auto& row : sizes) {
        EXPECT_EQ(row.structSize, sizeof row);
        bytes += row.bytes;
        count += row.count;
        uint64_t same = 0;
        for (const DeviceMemory* memory : {&ordinary, &another, &huge}) {
            aclrtPtrAttributes reported{};
            ACL_OK(aclrtPointerGetAttributes(memory->At(), &reported));
            same += reported.pageSize == row.pageSize;
        }
        EXPECT_EQ(row.count, same);
    }
    ASSERT_EQ(sizes.size(), 2u);
    EXPECT_EQ(sizes[0].pageSize, 4096u);
    EXPECT_EQ(sizes[1].pageSize, 2 * kMiB);
    EXPECT_EQ(sizes[1].bytes, 4 * kMiB);
    const auto stats = Stats(0, PORTACL_MEMORY_DEVICE);
    EXPECT_EQ(bytes, stats.currentBytes);
    EXPECT_EQ(count, stats.currentCount);
    EXPECT_TRUE(PageSizes(0, PORTACL_MEMORY_MANAGED).empty());
    const PinnedMemory host(100);
    const auto pinned = PageSizes(kHost, PORTACL_MEMORY_PINNED);
    ASSERT_EQ(pinned.size(), 1u);
    EXPECT_EQ(pinned[0].count, 1u);
    auto first = Poison<portaclMemoryPageStats>();
    first.structSize = sizeof first;
    size_t reported = 0;
    ACL_OK(portaclMemoryListPageSizes(0, PORTACL_MEMORY_DEVICE, &first, 1, &reported));
    EXPECT_EQ(reported, 2u);
    EXPECT_EQ(first.pageSize, 4096u);
}

TEST_F(MemoryStats, BadArguments) {
    auto stats = Poison<portaclMemoryStats>();
    const auto kind = PORTACL_MEMORY_DEVICE;
    size_t count = Poison<size_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemoryGetStats(0, kind, nullptr), "stats", "null");
    stats.structSize = 8;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemoryGetStats(0, kind, &stats), "stats->structSize is 8",
                     std::to_string(sizeof stats));
    stats.structSize = sizeof stats;
    for (const int wrong : {-1, 6, 1 << 30}) {
        const auto unknown = static_cast<portaclMemoryKind>(wrong);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemoryGetStats(0, unknown, &stats),
                         "kind is " + std::to_string(wrong));
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemoryResetPeak(0, unknown), "kind");
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemoryListPageSizes(0, unknown, nullptr, 0, &count), "kind");
    }
    for (const int32_t wrong : {-2, 1000, INT32_MIN, INT32_MAX}) {
        for (const auto each :
             {PORTACL_MEMORY_DEVICE, PORTACL_MEMORY_MANAGED, PORTACL_MEMORY_POOL, PORTACL_MEMORY_IMPORTED}) {
            ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, portaclMemoryGetStats(wrong, each, &stats), "deviceId",
                             std::to_string(wrong));
            ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclMemoryResetPeak(wrong, each));
        }
        ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclMemoryListPools(wrong, nullptr, 0, &count));
        ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclMemoryListPageSizes(wrong, kind, nullptr, 0, &count));
    }
    ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, portaclMemoryGetStats(kHost, kind, &stats), "-1", "host memory");
    ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, portaclMemoryGetStats(0, PORTACL_MEMORY_PINNED, &stats),
                     "deviceId is 0", "must be -1");
    portaclMemoryPoolStats pools[2] = {Poison<portaclMemoryPoolStats>(), Poison<portaclMemoryPoolStats>()};
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemoryListPools(0, pools, 2, nullptr), "count");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemoryListPools(0, pools, 2, &count), "pools->structSize");
    portaclMemoryPageStats sizes = Poison<portaclMemoryPageStats>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemoryListPageSizes(0, kind, &sizes, 1, nullptr), "count");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemoryListPageSizes(0, kind, &sizes, 1, &count),
                     "sizes->structSize");
    EXPECT_TRUE(IsPoison(count));
    EXPECT_TRUE(IsPoison(sizes));
    EXPECT_TRUE(IsPoison(pools[0]));
    aclGetRecentErrMsg();
}

TEST_F(MemoryStats, RefusedInsideAHostFunction) {
    struct Codes {
        std::atomic<aclError> get{0}, reset{0}, pools{0}, pages{0};
    };
    auto* codes = MakeImmortal<Codes>();
    const auto ask = [](void* argument) {
        auto& codes = *static_cast<Codes*>(argument);
        portaclMemoryStats stats{};
        stats.structSize = sizeof stats;
        size_t count = 0;
        codes.get = portaclMemoryGetStats(0, PORTACL_MEMORY_DEVICE, &stats);
        codes.reset = portaclMemoryResetPeak(0, PORTACL_MEMORY_DEVICE);
        codes.pools = portaclMemoryListPools(0, nullptr, 0, &count);
        codes.pages = portaclMemoryListPageSizes(0, PORTACL_MEMORY_DEVICE, nullptr, 0, &count);
    };
    ACL_OK(aclrtLaunchHostFunc(nullptr, ask, codes));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    for (const aclError code : {codes->get.load(), codes->reset.load(), codes->pools.load(), codes->pages.load()})
        EXPECT_EQ(code, ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(MemoryStats, NeedNoDeviceInThisThreadButTheLibrary) {
    const DeviceMemory memory(1000);
    OnNewThread([] { EXPECT_EQ(Stats(0, PORTACL_MEMORY_DEVICE).currentCount, 1u); });
}

TEST_F(MemoryStats, AreUnavailableAfterFinalize) {
    ACL_OK(aclFinalize());
    auto stats = Poison<portaclMemoryStats>();
    stats.structSize = sizeof stats;
    size_t count = Poison<size_t>();
    const auto kind = PORTACL_MEMORY_DEVICE;
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclMemoryGetStats(0, kind, &stats));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclMemoryResetPeak(0, kind));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclMemoryListPools(0, nullptr, 0, &count));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclMemoryListPageSizes(0, kind, nullptr, 0, &count));
    EXPECT_TRUE(IsPoison(count));
    ACL_OK(aclInit(nullptr));
}

}  // namespace

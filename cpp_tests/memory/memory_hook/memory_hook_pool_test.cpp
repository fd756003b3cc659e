// Memory hooks and pools: hooks report the segments that a pool of the library allocates from the
// device. A driver's pool is not visible.

#include <portacl/portacl.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "support/gate.h"
#include "support/memory/memory_hook.h"
#include "support/pool/mem_pool.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

class MemoryHookPool : public MemoryHook {
  protected:
    // Hook calls of a request that needs more memory than the pool has.
    static Words Grown() { return OnCpu() ? kFromDevice : kFromCache; }
};

TEST_F(MemoryHookPool, ReportsWhetherMemoryComesFromTheDevice) {
    const Stream stream;
    const MemPool pool;
    const Recorder hook(call_log, "one");
    void* first = pool.Allocate(1000, stream);
    const std::vector<portacl_test::HookCall> reported = call_log.Take();
    ASSERT_EQ(CallLog::Words(reported), Grown());
    for (const auto& [name, what, event] : reported) {
        SCOPED_TRACE(what);
        EXPECT_EQ(event.kind, PORTACL_MEMORY_POOL);
        EXPECT_EQ(event.deviceId, 0);
        EXPECT_EQ(event.stream, stream);
        EXPECT_EQ(event.failed, 0);
        const bool after = what.rfind("after", 0) == 0;
        EXPECT_EQ(event.memoryId != 0, after);
        EXPECT_EQ(event.pageSize != 0, after);
        if (what.find("malloc") != std::string::npos) {
            EXPECT_EQ(event.size, 1000u);
            EXPECT_EQ(event.ptr, after ? first : nullptr);
        } else {
            // A segment, which has room for more blocks.
            EXPECT_EQ(event.size, 0u);
            EXPECT_EQ(event.roundedSize, Reserved(pool));
            EXPECT_GE(event.roundedSize, 2 * kMiB);
            EXPECT_EQ(event.ptr != nullptr, after);
        }
    }
    void* second = pool.Allocate(1000, stream);
    EXPECT_EQ(Calls(), kFromCache) << "there is room";
    Free(second, stream);
    EXPECT_EQ(Calls(), kFreed);
    second = pool.Allocate(1000, stream);
    EXPECT_EQ(Calls(), kFromCache) << "it was freed here";
    void* large = pool.Allocate(64 * kMiB, stream);
    EXPECT_EQ(Calls(), Grown());
    ACL_OK(aclrtFree(large));
    EXPECT_EQ(Calls(), kFreed);
    Free(first, stream);
    Free(second, stream);
}

TEST_F(MemoryHookPool, ReportsTheDefaultPool) {
    const Stream stream;
    const Recorder hook(call_log, "one");
    void* memory = nullptr;
    ACL_OK(portaclMallocAsync(&memory, 1000, stream));
    EXPECT_EQ(Calls(), Grown());
    ACL_OK(portaclFreeAsync(memory, stream));
    EXPECT_EQ(Calls(), kFreed);
}

TEST_F(MemoryHookPool, ReportsPoolsInHostMemory) {
    aclrtMemPoolProps props = PoolProps();
    props.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    aclrtMemPool handle = nullptr;
    if (aclrtMemPoolCreate(&handle, &props) != ACL_SUCCESS) GTEST_SKIP() << "for CPUs only: " << TakeText();
    const Stream stream;
    const Recorder hook(call_log, "one");
    void* memory = nullptr;
    ACL_OK(aclrtMemPoolMallocAsync(&memory, 1000, handle, stream));
    const std::vector<portacl_test::HookCall> reported = call_log.Take();
    EXPECT_EQ(CallLog::Words(reported), Grown());
    for (const auto& one : reported) EXPECT_EQ(one.event.deviceId, -1);
    Free(memory, stream);
    ACL_OK(aclrtMemPoolDestroy(handle));
}

TEST_F(MemoryHookPool, MayRefuseASegment) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: there is no alloc";
    const Stream stream;
    const MemPool pool;
    Recorder first(call_log, "first"), strict(call_log, "strict");
    strict.also = [](const std::string& what, const portaclMemoryEvent&) {
        return what == "before alloc" ? 424242 : ACL_SUCCESS;
    };
    void* memory = Poison<void*>();
    ACL_FAILS(424242, aclrtMemPoolMallocAsync(&memory, 1000, pool, stream));
    EXPECT_TRUE(IsPoison(memory));
    const std::vector<portacl_test::HookCall> reported = call_log.Take();
    EXPECT_EQ(CallLog::Words(reported, true),
              (Words{"first: before malloc", "strict: before malloc", "first: before alloc", "strict: before alloc",
                     "first: after alloc", "first: after malloc", "strict: after malloc"}));
    for (const size_t after : {4, 5, 6}) EXPECT_EQ(reported[after].event.failed, 1);
    EXPECT_EQ(Reserved(pool), 0u);
    portaclMemoryStats stats{};
    stats.structSize = sizeof stats;
    ACL_OK(portaclMemoryGetStats(0, PORTACL_MEMORY_POOL, &stats));
    EXPECT_EQ(stats.failures, 0u) << "the pool was not asked";
    EXPECT_EQ(stats.totalCount, 0u);
    strict.also = nullptr;
    Free(pool.Allocate(1000, stream), stream);
}

TEST_F(MemoryHookPool, ReportsFailedAllocations) {
    const Stream stream;
    const MemPool limited(PoolProps(0, 2 * kMiB)), pool;
    const Recorder hook(call_log, "one");
    void* memory = nullptr;
    EXPECT_NE(aclrtMemPoolMallocAsync(&memory, 64 * kMiB, limited, stream), ACL_SUCCESS);
    std::vector<portacl_test::HookCall> reported = call_log.Take();
    EXPECT_EQ(CallLog::Words(reported), kFromCache) << "the pool is at its limit, so the device is not called";
    EXPECT_EQ(reported.back().event.failed, 1);
    if (!OnCpu()) return;
    size_t free = 0, total = 0;
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    const size_t most = free / 2 + 2 * kMiB;
    const DeviceMemory half(most, ACL_MEM_MALLOC_NORMAL_ONLY);
    (void)call_log.Take();
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&memory, most, pool, stream));
    reported = call_log.Take();
    const Words words = CallLog::Words(reported);
    EXPECT_GE(words.size(), 4u);
    EXPECT_EQ(words.front(), "before malloc");
    EXPECT_EQ(words.back(), "after malloc");
    EXPECT_EQ(std::count(words.begin(), words.end(), "before alloc"),
              std::count(words.begin(), words.end(), "after alloc"));
    for (const auto& one : reported) EXPECT_EQ(one.event.failed, one.what.rfind("after", 0) == 0);
    portaclMemoryStats stats{};
    stats.structSize = sizeof stats;
    ACL_OK(portaclMemoryGetStats(0, PORTACL_MEMORY_POOL, &stats));
    EXPECT_EQ(stats.failures, 2u);
}

// Some short blocks are cached when a pool grows; a pool that may not grow merges them first.
TEST_F(MemoryHookPool, ShortBlocksAreMergedBeforeARequestFails) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: how drivers cut their memory is not known";
    constexpr size_t kShort = 64 << 10, kAll = 64 * kMiB, kFew = 7;
    const Stream stream;
    for (const bool hooked : {false, true}) {
        const MemPool pool(PoolProps(0, kAll));
        // It does not look for pending frees to wait for either.
        pool.Allow(true, true, false);
        std::vector<void*> blocks(kAll / kShort);
        for (void*& block : blocks) block = pool.Allocate(kShort, stream);
        std::sort(blocks.begin(), blocks.end());
        for (size_t i = 0; i < kFew; i++) Free(blocks[100 + i], stream);
        std::optional<Recorder> hook;
        if (hooked) hook.emplace(call_log, "one");
        void* joined = nullptr;
        ACL_OK(aclrtMemPoolMallocAsync(&joined, kFew * kShort, pool, stream));
        EXPECT_EQ(joined, blocks[100]) << (hooked ? "between hooks" : "without hooks");
        void* none = nullptr;
        ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&none, 1, pool, stream));
        hook.reset();
        (void)call_log.Take();
        blocks.erase(blocks.begin() + 101, blocks.begin() + 100 + kFew);
        for (void* block : blocks) Free(block, stream);
    }
}

// As without hooks: before a request fails, it waits for frees of other streams.
TEST_F(MemoryHookPool, WaitsForFreesOfOtherStreams) {
    const Stream busy, stream;
    const MemPool pool(PoolProps(0, 2 * kMiB));
    pool.Allow(false, false, true);
    const Recorder hook(call_log, "one");
    void* memory = pool.Allocate(2 * kMiB, busy);
    Gate gate;
    ACL_OK(gate.Hold(busy));
    Free(memory, busy);
    void* again = nullptr;
    if (OnCpu()) {
        ACL_OK(aclrtMemPoolMallocAsync(&again, 2 * kMiB, pool, stream));
        EXPECT_EQ(again, memory);
        (void)call_log.Take();
        Free(again, stream);
    }
    gate.Open();
    Synchronize(busy);
    Synchronize(stream);
}

// A pool at its limit frees segments that are too small, and allocates a larger one.
TEST_F(MemoryHookPool, APoolAtItsLimitReplacesSmallSegmentsByALargerOne) {
    const Stream busy, stream;
    const MemPool pool(PoolProps(0, 64 * kMiB));
    pool.SetThreshold(UINT64_MAX);
    pool.Allow(false, false, false);
    const Recorder hook(call_log, "one");
    void* const first = pool.Allocate(16 * kMiB, busy);
    void* const second = pool.Allocate(16 * kMiB, busy);
    Free(first, busy);
    Free(second, busy);
    Synchronize(busy);
    (void)call_log.Take();
    void* const longer = pool.Allocate(48 * kMiB, stream);
    const auto reported = call_log.Take();
    ASSERT_NE(longer, nullptr);
    EXPECT_EQ(CallLog::Words(reported), Grown());
    EXPECT_LE(Reserved(pool), 64 * kMiB);
    Free(longer, stream);
    Synchronize(stream);
}

// Each thread checks before the hooks run, and allocates after them.
TEST_F(MemoryHookPool, ThreadsThatGrowAPoolDoNotExceedItsLimit) {
    constexpr size_t kMost = 64 * kMiB;
    const Recorder hook(call_log, "all", PORTACL_MEMORY_HOOK_PROCESS);
    for (int turn = 0; turn < 20; ++turn) {
        const MemPool pool(PoolProps(0, kMost));
        pool.SetThreshold(UINT64_MAX);
        std::atomic<int> allocated{0};
        OnThreads(4, [&](int) {
            ACL_OK(aclrtSetDevice(0));
            const Stream stream;
            void* memory = nullptr;
            if (aclrtMemPoolMallocAsync(&memory, 20 * kMiB, pool, stream) != ACL_SUCCESS) return;
            ++allocated;
            Free(memory, stream);
            Synchronize(stream);
        });
        EXPECT_GE(allocated, 2);
        EXPECT_LE(PoolAttribute(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH), kMost);
    }
    (void)call_log.Take();
}

TEST_F(MemoryHookPool, MayDoAnythingWhileAPoolGrows) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: there is no alloc";
    MemPool other;
    Stream stream;
    aclrtMemPool pool = nullptr;
    const aclrtMemPoolProps props = PoolProps();
    ACL_OK(aclrtMemPoolCreate(&pool, &props));
    Recorder hook(call_log, "busy");
    // The hook is not called for its own calls.
    hook.also = [&](const std::string& what, const portaclMemoryEvent&) -> aclError {
        if (what != "before alloc") return ACL_SUCCESS;
        void* memory = nullptr;
        const aclError code = aclrtMemPoolMallocAsync(&memory, 5000, other, stream);
        return code ? code : aclrtMemPoolFreeAsync(memory, stream);
    };
    void* memory = nullptr;
    ACL_OK(aclrtMemPoolMallocAsync(&memory, 1000, pool, stream));
    EXPECT_EQ(Calls(), kFromDevice);
    Free(memory, stream);
    Synchronize(stream);
    ACL_OK(aclrtMemPoolTrimTo(pool, 0));
    hook.also = [&](const std::string& what, const portaclMemoryEvent&) -> aclError {
        return what == "before alloc" ? aclrtMemPoolDestroy(pool) : ACL_SUCCESS;
    };
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolMallocAsync(&memory, 1000, pool, stream), "memPool");
    hook.also = [&](const std::string& what, const portaclMemoryEvent&) -> aclError {
        return what == "before alloc" ? aclrtResetDevice(0) : ACL_SUCCESS;
    };
    ACL_OK(aclrtMemPoolCreate(&pool, &props));
    EXPECT_NE(aclrtMemPoolMallocAsync(&memory, 1000, pool, stream), ACL_SUCCESS);
    // They ended with the device.
    (void)stream.Release();
    (void)other.Release();
    aclGetRecentErrMsg();
    ACL_OK(aclrtSetDevice(0));
}

}  // namespace

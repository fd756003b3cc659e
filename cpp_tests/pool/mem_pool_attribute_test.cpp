// Attributes of pools: counters, release threshold, trimming, limits.

#include "pool/figures.h"
#include "pool/small_device.h"
#include "support/gate.h"
#include "support/own_process.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

class MemPoolAttributeTest : public WithDevice {};

void SetHigh(aclrtMemPool pool, aclrtMemPoolAttr attribute) {
    uint64_t zero = 0;
    ACL_EXPECT_OK(aclrtMemPoolSetAttr(pool, attribute, &zero));
}

}  // namespace

TEST_F(MemPoolAttributeTest, ANewPoolIsEmptyAndAllowsAllReuse) {
    const MemPool pool;
    const Figures figures = Ask(pool);
    EXPECT_EQ(figures.reserved_high, 0u);
    EXPECT_EQ(figures.used_high, 0u);
    EXPECT_EQ(PoolAttribute(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD), 0u);
    for (auto attribute : {ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC,
                           ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES}) {
        // An int: the bytes after it do not change.
        int values[2] = {-1, -1};
        ACL_OK(aclrtMemPoolGetAttr(pool, attribute, values));
        EXPECT_EQ(values[0], 1);
        EXPECT_EQ(values[1], -1);
        int off = 0;
        ACL_OK(aclrtMemPoolSetAttr(pool, attribute, &off));
        ACL_OK(aclrtMemPoolGetAttr(pool, attribute, values));
        EXPECT_EQ(values[0], 0);
    }
}

TEST_F(MemPoolAttributeTest, CountersFollowEveryStep) {
    const Stream stream;
    const MemPool pool;
    pool.SetThreshold(UINT64_MAX);
    void* first = pool.Allocate(1000, stream);
    Figures figures = Ask(pool);
    const uint64_t one = figures.used;
    EXPECT_GE(one, 1000u);
    EXPECT_EQ(figures.used_high, one);
    if (IsExact()) {
        EXPECT_LT(one, 3000u);
    }
    void* second = pool.Allocate(5 * kMiB, stream);
    figures = Ask(pool);
    const uint64_t both = figures.used, reserved = figures.reserved;
    EXPECT_GE(both, one + 5 * kMiB);
    EXPECT_EQ(figures.used_high, both);
    EXPECT_EQ(figures.reserved_high, reserved);

    Gate gate;
    ACL_OK(gate.Hold(stream));
    Free(first, stream);
    // Memory counts as free from the call on, not when the stream reaches the free.
    figures = Ask(pool);
    if (IsExact()) {
        EXPECT_EQ(figures.used, both - one);
    }
    EXPECT_EQ(figures.used_high, both);
    EXPECT_EQ(figures.reserved, reserved);
    gate.Open();
    Synchronize(stream);
    figures = Ask(pool);
    EXPECT_EQ(figures.used, both - one);
    EXPECT_EQ(figures.used_high, both);

    SetHigh(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH);
    figures = Ask(pool);
    EXPECT_EQ(figures.used_high, both - one);
    EXPECT_EQ(figures.reserved_high, reserved);
    Free(second, stream);
    Synchronize(stream);
    figures = Ask(pool);
    EXPECT_EQ(figures.used, 0u);
    EXPECT_EQ(figures.used_high, both - one);
    ACL_OK(aclrtMemPoolTrimTo(pool, 0));
    figures = Ask(pool);
    EXPECT_EQ(figures.reserved_high, reserved);
    if (IsExact()) {
        EXPECT_EQ(figures.reserved, 0u);
    }
    SetHigh(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH);
    SetHigh(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH);
    figures = Ask(pool);
    EXPECT_EQ(figures.used_high, 0u);
    EXPECT_EQ(figures.reserved_high, figures.reserved);
}

TEST_F(MemPoolAttributeTest, ReadOnlyAttributesAreRefused) {
    constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
    const MemPool pool;
    uint64_t value = 0;
    ACL_FAILS(kInvalid, aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, nullptr));
    ACL_FAILS(kInvalid, aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, nullptr));
    for (auto attribute : {ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT}) {
        ACL_FAILS_SAYING(kInvalid, aclrtMemPoolSetAttr(pool, attribute, &value), "only be read");
    }
    value = 1;
    for (auto attribute : {ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH}) {
        ACL_FAILS_SAYING(kInvalid, aclrtMemPoolSetAttr(pool, attribute, &value), "value is 1", "allowed: 0, which");
    }
    int flag = 2;
    ACL_FAILS_SAYING(kInvalid, aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, &flag),
                     "value is 2", "allowed: 0 and 1");
    for (int attribute : {-1, 0, 9, 1000}) {
        auto unknown = static_cast<aclrtMemPoolAttr>(attribute);
        auto figures = Poison<uint64_t>();
        ACL_FAILS(kInvalid, aclrtMemPoolGetAttr(pool, unknown, &figures));
        EXPECT_TRUE(IsPoison(figures));
        ACL_FAILS(kInvalid, aclrtMemPoolSetAttr(pool, unknown, &value));
    }
    ACL_FAILS(kInvalid, aclrtMemPoolGetAttr(nullptr, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &value));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolGetAttr(&value, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &value));
    ACL_FAILS(kInvalid, aclrtMemPoolSetAttr(nullptr, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value));
}

// Each kind of synchronize trims the pool to the threshold, which is 0 at first.
TEST_F(MemPoolAttributeTest, SynchronizingTrimsToTheThreshold) {
    const Stream stream;
    for (int kind = 0; kind < 3; ++kind) {
        const MemPool pool;
        const Event event;
        Gate gate;
        void* memory = pool.Allocate(10 * kMiB, stream);
        ACL_OK(gate.Hold(stream));
        Free(memory, stream);
        ACL_OK(aclrtRecordEvent(event, stream));
        const uint64_t reserved = Reserved(pool);
        EXPECT_GE(reserved, 10 * kMiB);
        gate.Open();
        while (!IsIdle(stream)) std::this_thread::yield();
        // No call has waited for the free yet.
        if (IsExact()) {
            EXPECT_EQ(Reserved(pool), reserved);
        }
        switch (kind) {
            case 0:
                Synchronize(stream);
                break;
            case 1:
                ACL_OK(aclrtSynchronizeEvent(event));
                break;
            default:
                ACL_OK(aclrtSynchronizeDevice());
        }
        if (IsExact()) {
            EXPECT_EQ(Reserved(pool), 0u) << kind;
        }
    }
}

TEST_F(MemPoolAttributeTest, ASynchronizeThatTimesOutDoesNotTrim) {
    const Stream stream;
    const MemPool pool;
    Gate gate;
    void* memory = pool.Allocate(10 * kMiB, stream);
    ACL_OK(gate.Hold(stream));
    Free(memory, stream);
    const uint64_t reserved = Reserved(pool);
    ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 1));
    EXPECT_EQ(Reserved(pool), reserved);
    gate.Open();
    ACL_OK(aclrtSynchronizeStreamWithTimeout(stream, 30000));
    if (IsExact()) {
        EXPECT_EQ(Reserved(pool), 0u);
    }
}

TEST_F(MemPoolAttributeTest, MemoryUpToTheThresholdIsKept) {
    const Stream stream;
    const MemPool pool;
    pool.SetThreshold(64 * kMiB);
    // Each block needs its own segment.
    void* blocks[4];
    for (void*& block : blocks) block = pool.Allocate(32 * kMiB, stream);
    EXPECT_GE(Reserved(pool), 128 * kMiB);
    for (void* block : blocks) Free(block, stream);
    Synchronize(stream);
    if (IsExact()) {
        EXPECT_EQ(Reserved(pool), 64 * kMiB);
        pool.SetThreshold(0);
        EXPECT_EQ(Reserved(pool), 64 * kMiB);
        Synchronize(stream);
        EXPECT_EQ(Reserved(pool), 0u);
    }
}

TEST_F(MemPoolAttributeTest, TrimmingIsImmediateAndIgnoresTheThreshold) {
    const Stream stream;
    const MemPool pool;
    pool.SetThreshold(UINT64_MAX);
    void* blocks[4];
    for (void*& block : blocks) block = pool.Allocate(32 * kMiB, stream);
    const uint64_t all = Reserved(pool);
    ACL_OK(aclrtMemPoolTrimTo(pool, 0));
    EXPECT_EQ(Reserved(pool), all) << "all of it is in use";
    for (void* block : blocks) Free(block, stream);
    if (IsExact()) {
        // The host has not waited for the frees.
        ACL_OK(aclrtMemPoolTrimTo(pool, 0));
        EXPECT_EQ(Reserved(pool), all);
    }
    Synchronize(stream);
    EXPECT_EQ(Reserved(pool), all) << "the threshold is higher";
    ACL_OK(aclrtMemPoolTrimTo(pool, all + 1));
    EXPECT_EQ(Reserved(pool), all) << "it has less than it is to keep";
    ACL_OK(aclrtMemPoolTrimTo(pool, SIZE_MAX));
    EXPECT_EQ(Reserved(pool), all);
    ACL_OK(aclrtMemPoolTrimTo(pool, 50 * kMiB));
    EXPECT_GE(Reserved(pool), 50 * kMiB);
    if (IsExact()) {
        const uint64_t kept = Reserved(pool);
        EXPECT_LE(kept, 64 * kMiB);
        const size_t free = FreeBytes();
        ACL_OK(aclrtMemPoolTrimTo(pool, 0));
        EXPECT_EQ(Reserved(pool), 0u);
        EXPECT_EQ(FreeBytes(), free + kept);
    }
}

// A pool caches short blocks without merging them, unlike long ones.
TEST_F(MemPoolAttributeTest, ShortBlocksAreInUseUntilTheHostHasObservedTheirFrees) {
    if (!IsExact()) GTEST_SKIP() << "for CPUs only: drivers may observe completed frees by themselves";
    const Stream stream;
    const MemPool pool;
    pool.SetThreshold(UINT64_MAX);
    void* blocks[64];
    for (void*& block : blocks) block = pool.Allocate(kMiB / 16, stream);
    const uint64_t all = Reserved(pool);
    for (void* block : blocks) Free(block, stream);
    ACL_OK(aclrtMemPoolTrimTo(pool, 0));
    EXPECT_EQ(Reserved(pool), all);
    Synchronize(stream);
    ACL_OK(aclrtMemPoolTrimTo(pool, 0));
    EXPECT_EQ(Reserved(pool), 0u);
}

TEST_F(MemPoolAttributeTest, TrimmingKeepsWhatIsInUse) {
    const Stream stream;
    const MemPool pool;
    pool.SetThreshold(UINT64_MAX);
    void* kept = pool.Allocate(32 * kMiB, stream);
    void* freed = pool.Allocate(32 * kMiB, stream);
    ACL_OK(aclrtMemsetAsync(kept, 32 * kMiB, 3, 32 * kMiB, stream));
    Free(freed, stream);
    Synchronize(stream);
    ACL_OK(aclrtMemPoolTrimTo(pool, 0));
    EXPECT_GE(Reserved(pool), 32 * kMiB);
    if (IsExact()) {
        EXPECT_EQ(Reserved(pool), 32 * kMiB);
    }
    unsigned char byte = 0;
    ACL_OK(aclrtMemcpy(&byte, 1, static_cast<char*>(kept) + 32 * kMiB - 1, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(byte, 3);
    Free(kept, stream);
}

TEST_F(MemPoolAttributeTest, AnAllocationAboveTheLimitFailsAndChangesNothing) {
    const Stream stream;
    const MemPool pool(PoolProps(0, 64 * kMiB));
    pool.SetThreshold(UINT64_MAX);
    void* first = pool.Allocate(40 * kMiB, stream);
    const Figures before = Ask(pool);
    auto other = Poison<void*>();
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&other, 40 * kMiB, pool, stream));
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&other, 65 * kMiB, pool, stream));
    EXPECT_TRUE(IsPoison(other));
    const Figures after = Ask(pool);
    EXPECT_EQ(after.used, before.used);
    EXPECT_EQ(after.used_high, before.used_high);
    if (IsExact()) {
        EXPECT_EQ(after.reserved, before.reserved);
        EXPECT_EQ(after.reserved_high, before.reserved_high);
    }
    EXPECT_LE(after.reserved, 64 * kMiB);
    // Free memory is allocated.
    Free(first, stream);
    void* again = pool.Allocate(40 * kMiB, stream);
    ASSERT_NE(again, nullptr);
    Free(again, stream);
}

// The limit allows a segment of this length, but not beside the existing ones.
TEST_F(MemPoolAttributeTest, APoolAtItsLimitReplacesSmallSegmentsByALargerOne) {
    NEEDS_QUEUES(2);
    const Stream busy, stream;
    const MemPool pool(PoolProps(0, 64 * kMiB));
    pool.SetThreshold(UINT64_MAX);
    pool.Allow(false, false, false);
    auto free_both = [&] {
        void* const first = pool.Allocate(16 * kMiB, busy);
        void* const second = pool.Allocate(16 * kMiB, busy);
        Free(first, busy);
        Free(second, busy);
    };
    free_both();
    Synchronize(busy);
    void* longer = pool.Allocate(48 * kMiB, stream);
    ASSERT_NE(longer, nullptr);
    EXPECT_LE(Reserved(pool), 64 * kMiB);
    Free(longer, stream);
    Synchronize(stream);
    ACL_OK(aclrtMemPoolTrimTo(pool, 0));

    // Memory whose free the host has not observed stays.
    Gate gate;
    ACL_OK(gate.Hold(busy));
    free_both();
    const Figures before = Ask(pool);
    auto none = Poison<void*>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&none, 48 * kMiB, pool, stream),
                     "50331648");
    EXPECT_TRUE(IsPoison(none));
    const Figures after = Ask(pool);
    EXPECT_EQ(after.used, before.used);
    if (IsExact()) {
        EXPECT_EQ(after.reserved, before.reserved);
        EXPECT_EQ(after.reserved_high, before.reserved_high);
    }
    gate.Open();
    Synchronize(busy);
    longer = pool.Allocate(48 * kMiB, stream);
    ASSERT_NE(longer, nullptr);
    Free(longer, stream);
    Synchronize(stream);
}

TEST_F(MemPoolAttributeTest, ALimitIsRoundedUpToASegment) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: a driver rounds as it likes";
    const Stream stream;
    const MemPool pool(PoolProps(0, 1));
    void* memory = pool.Allocate(1, stream);
    ASSERT_NE(memory, nullptr);
    Free(memory, stream);
}

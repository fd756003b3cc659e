// Which freed memory a stream gets: its own at once, that of other streams as the pool's three
// switches say. On a GPU the driver need not reuse memory when it may, but must not when it may
// not.

#include <utility>
#include <vector>

#include "support/gate.h"
#include "support/pool/mem_pool.h"

using namespace portacl_test;

namespace {

// A size of which a segment has room for one block only, so that reuse is visible.
constexpr size_t kSize = 24 * kMiB;

// Two streams, and a pool with a block that the first stream freed.
class MemPoolReuseTest : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (HasFatalFailure()) return;
        ACL_OK(aclrtCreateStream(&first_));
        ACL_OK(aclrtCreateStream(&second_));
        const aclrtMemPoolProps props = PoolProps();
        ACL_OK(aclrtMemPoolCreate(&pool_, &props));
        uint64_t all = UINT64_MAX;
        ACL_OK(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &all));
    }

    void TearDown() override {
        for (auto [memory, stream] : kept_) Free(memory, stream);
        ACL_EXPECT_OK(aclrtMemPoolDestroy(pool_));
        ACL_EXPECT_OK(aclrtDestroyStream(second_));
        ACL_EXPECT_OK(aclrtDestroyStream(first_));
        WithDevice::TearDown();
    }

    void Allow(bool follow_events, bool opportunistic, bool internal) {
        const std::pair<aclrtMemPoolAttr, int> switches[] = {
            {ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, follow_events},
            {ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, opportunistic},
            {ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, internal},
        };
        for (auto [attribute, on] : switches) ACL_EXPECT_OK(aclrtMemPoolSetAttr(pool_, attribute, &on));
    }

    void* Allocate(aclrtStream stream) {
        void* memory = nullptr;
        ACL_EXPECT_OK(aclrtMemPoolMallocAsync(&memory, kSize, pool_, stream));
        return memory;
    }

    // Another pool, with room for one block, so that no other memory is left.
    void UseSmallPool() {
        const aclrtMemPoolProps props = PoolProps(0, 32 * kMiB);
        ACL_EXPECT_OK(aclrtMemPoolDestroy(pool_));
        ACL_EXPECT_OK(aclrtMemPoolCreate(&pool_, &props));
    }

    // A block that the first stream has freed; the gate keeps the stream from reaching the free.
    void* FreedBehind(Gate& gate) {
        ACL_EXPECT_OK(gate.Hold(first_));
        void* memory = Allocate(first_);
        Free(memory, first_);
        return memory;
    }

    // Later work of the second stream is ordered after all work of the first stream so far.
    void OrderSecondAfter(const Event& event) {
        ACL_EXPECT_OK(aclrtRecordEvent(event, first_));
        ACL_EXPECT_OK(aclrtStreamWaitEvent(second_, event));
    }

    // Memory that `stream` gets must be `wanted` on backends with exact figures; on others it may
    // be.
    void ExpectReuse(void* wanted, aclrtStream stream) {
        void* memory = Allocate(stream);
        if (IsExact()) {
            EXPECT_EQ(memory, wanted);
        } else {
            RecordProperty("reused", memory == wanted);
        }
        Free(memory, stream);
    }

    // Memory that `stream` gets must not be `forbidden`.
    void ExpectNoReuse(void* forbidden, aclrtStream stream) {
        void* memory = Allocate(stream);
        EXPECT_NE(memory, forbidden);
        // The stream that freed it gets it first.
        kept_.emplace_back(memory, stream);
    }

    aclrtStream first_ = nullptr, second_ = nullptr;
    aclrtMemPool pool_ = nullptr;

  private:
    std::vector<std::pair<void*, aclrtStream>> kept_;
};

}  // namespace

TEST_F(MemPoolReuseTest, AStreamReusesItsFreedMemoryAtOnce) {
    Allow(false, false, false);
    Gate gate;
    void* memory = FreedBehind(gate);
    ExpectReuse(memory, first_);
}

TEST_F(MemPoolReuseTest, NotByAnotherStreamWithoutPermission) {
    Allow(false, false, false);
    void* memory = Allocate(first_);
    Free(memory, first_);
    // Neither waiting for the first stream nor its completion is enough: the host has not observed
    // it.
    const Event event;
    OrderSecondAfter(event);
    while (!IsIdle(first_)) std::this_thread::yield();
    ExpectNoReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, ByAnyStreamAfterAHostWait) {
    Allow(false, false, false);
    void* memory = Allocate(first_);
    Free(memory, first_);
    Synchronize(first_);
    ExpectReuse(memory, second_);
    Synchronize(second_);

    memory = Allocate(first_);
    Free(memory, first_);
    const Event event;
    ACL_OK(aclrtRecordEvent(event, first_));
    ACL_OK(aclrtSynchronizeEvent(event));
    ExpectReuse(memory, second_);
    Synchronize(second_);

    memory = Allocate(first_);
    Free(memory, first_);
    ACL_OK(aclrtSynchronizeDevice());
    ExpectReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, NotAfterAHostWaitForAnEarlierEvent) {
    Allow(false, false, false);
    void* memory = Allocate(first_);
    const Event event;
    ACL_OK(aclrtRecordEvent(event, first_));
    Free(memory, first_);
    ACL_OK(aclrtSynchronizeEvent(event));
    ExpectNoReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, AHostWaitIncludesTheStreamsDependencies) {
    Allow(false, false, false);
    void* memory = Allocate(first_);
    Free(memory, first_);
    const Event event;
    OrderSecondAfter(event);
    Synchronize(second_);
    ExpectReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, AfterAnEventRecordedAfterTheFree) {
    Allow(true, false, false);
    Gate gate;
    void* memory = FreedBehind(gate);
    const Event event;
    OrderSecondAfter(event);
    ExpectReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, AfterAnEventOfTheOlderKinds) {
    Allow(true, false, false);
    for (const bool plain : {true, false}) {
        Gate gate;
        void* memory = FreedBehind(gate);
        aclrtEvent event = nullptr;
        if (plain) {
            ACL_OK(aclrtCreateEvent(&event));
        } else {
            ACL_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
        }
        ACL_OK(aclrtRecordEvent(event, first_));
        ACL_OK(aclrtStreamWaitEvent(second_, event));
        ExpectReuse(memory, second_);
        gate.Open();
        ACL_OK(aclrtSynchronizeDevice());
        ACL_OK(aclrtDestroyEvent(event));
    }
}

TEST_F(MemPoolReuseTest, NotAfterAnEventRecordedBeforeTheFree) {
    Allow(true, false, false);
    Gate gate;
    ACL_OK(gate.Hold(first_));
    void* memory = Allocate(first_);
    const Event event;
    ACL_OK(aclrtRecordEvent(event, first_));
    Free(memory, first_);
    ACL_OK(aclrtStreamWaitEvent(second_, event));
    ExpectNoReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, AWaitKeepsTheRecordThatItSaw) {
    Allow(true, false, false);
    Gate gate;
    ACL_OK(gate.Hold(first_));
    void* memory = Allocate(first_);
    const Event event;
    OrderSecondAfter(event);
    Free(memory, first_);
    ACL_OK(aclrtRecordEvent(event, first_));
    ExpectNoReuse(memory, second_);
    // Recorded again, and waited for again.
    ACL_OK(aclrtStreamWaitEvent(second_, event));
    ExpectReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, NotAfterAnEventOfAThirdStream) {
    Allow(true, false, false);
    const Stream third;
    Gate gate;
    void* memory = FreedBehind(gate);
    const Event event;
    ACL_OK(aclrtRecordEvent(event, third));
    ACL_OK(aclrtStreamWaitEvent(second_, event));
    ExpectNoReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, AfterAChainOfEvents) {
    Allow(true, false, false);
    const Stream third, fourth;
    const Event to_third, to_fourth, to_second;
    Gate gate;
    void* memory = FreedBehind(gate);
    ACL_OK(aclrtRecordEvent(to_third, first_));
    ACL_OK(aclrtStreamWaitEvent(third, to_third));
    ACL_OK(aclrtRecordEvent(to_fourth, third));
    ACL_OK(aclrtStreamWaitEvent(fourth, to_fourth));
    // A stream that is not ordered after the first stream.
    const Event early;
    ACL_OK(aclrtRecordEvent(early, second_));
    ACL_OK(aclrtRecordEvent(to_second, fourth));
    ExpectNoReuse(memory, second_);
    ACL_OK(aclrtStreamWaitEvent(second_, to_second));
    ExpectReuse(memory, second_);
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
}

TEST_F(MemPoolReuseTest, NotAfterAChainRecordedTooEarly) {
    Allow(true, false, false);
    const Stream third;
    const Event to_third, to_second;
    Gate gate;
    void* memory = FreedBehind(gate);
    ACL_OK(aclrtRecordEvent(to_third, first_));
    // The third stream waits for the first one only after this record.
    ACL_OK(aclrtRecordEvent(to_second, third));
    ACL_OK(aclrtStreamWaitEvent(third, to_third));
    ACL_OK(aclrtStreamWaitEvent(second_, to_second));
    ExpectNoReuse(memory, second_);
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
}

TEST_F(MemPoolReuseTest, NotAfterAWaitThatMayTimeOut) {
    if (!IsExact()) GTEST_SKIP() << "for CPUs only: what a driver makes of such a wait it decides";
    Allow(true, false, false);
    Gate gate;
    void* memory = FreedBehind(gate);
    const Event event;
    ACL_OK(aclrtRecordEvent(event, first_));
    ACL_OK(aclrtStreamWaitEventWithTimeout(second_, event, 600));
    ExpectNoReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, OpportunisticallyWhenTheFreeIsComplete) {
    Allow(false, true, false);
    Gate gate;
    void* memory = FreedBehind(gate);
    void* other = Allocate(second_);
    EXPECT_NE(other, memory);
    gate.Open();
    while (!IsIdle(first_)) std::this_thread::yield();
    ExpectReuse(memory, second_);
    Free(other, second_);
}

TEST_F(MemPoolReuseTest, AfterAWaitThatThePoolAdds) {
    UseSmallPool();
    Allow(false, false, true);
    Gate gate;
    void* memory = Allocate(first_);
    PinnedMemory seen(kSize, 0);
    ACL_OK(gate.Hold(first_));
    ACL_OK(aclrtMemsetAsync(memory, kSize, 1, kSize, first_));
    ACL_OK(aclrtMemcpyAsync(seen.At(), kSize, memory, kSize, ACL_MEMCPY_DEVICE_TO_HOST, first_));
    Free(memory, first_);
    void* again = nullptr;
    const aclError code = aclrtMemPoolMallocAsync(&again, kSize, pool_, second_);
    if (!IsExact()) {
        RecordProperty("reused", code == ACL_SUCCESS);
    } else {
        ACL_OK(code);
        EXPECT_EQ(again, memory);
    }
    if (code == ACL_SUCCESS) {
        // It is ordered after the first stream's use of it.
        ACL_OK(aclrtMemsetAsync(again, kSize, 2, kSize, second_));
        EXPECT_FALSE(IsIdle(second_));
        gate.Open();
        Synchronize(second_);
        EXPECT_EQ(seen.Copy(), std::vector<unsigned char>(kSize, 1));
        Free(again, second_);
    }
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
}

TEST_F(MemPoolReuseTest, AnAddedWaitCoversOtherFreedBlocks) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: what a driver adds it decides";
    UseSmallPool();
    Allow(true, false, true);
    Gate gate;
    ACL_OK(gate.Hold(first_));
    void *large = nullptr, *small = nullptr, *again = nullptr, *other = nullptr;
    ACL_OK(aclrtMemPoolMallocAsync(&large, 20 * kMiB, pool_, first_));
    ACL_OK(aclrtMemPoolMallocAsync(&small, 12 * kMiB, pool_, first_));
    Free(large, first_);
    Free(small, first_);
    ACL_OK(aclrtMemPoolMallocAsync(&again, 12 * kMiB, pool_, second_));
    // The wait for one block covers the other, which was freed before the wait was added.
    Allow(true, false, false);
    ACL_OK(aclrtMemPoolMallocAsync(&other, 20 * kMiB, pool_, second_));
    Free(again, second_);
    Free(other, second_);
}

TEST_F(MemPoolReuseTest, NotAfterAddedWaitsIfTheyAreForbidden) {
    UseSmallPool();
    Allow(true, true, false);
    Gate gate;
    FreedBehind(gate);
    auto again = Poison<void*>();
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&again, kSize, pool_, second_));
    EXPECT_TRUE(IsPoison(again));
}

TEST_F(MemPoolReuseTest, AbortedWaitsOrderNothing) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: a driver drops nothing that is queued";
    Allow(true, false, false);
    Gate gate;
    void* memory = FreedBehind(gate);
    const Event event;
    OrderSecondAfter(event);
    ACL_OK(aclrtStreamAbort(second_));
    ExpectNoReuse(memory, second_);
}

// Free short blocks are cached unmerged, under the same rules.
TEST_F(MemPoolReuseTest, ShortBlocksFollowTheSameRules) {
    Allow(false, false, false);
    for (const size_t size : {size_t{1}, 100 * kKiB, kMiB}) {
        Gate gate;
        void *memory = nullptr, *other = nullptr, *again = nullptr;
        ACL_OK(aclrtMemPoolMallocAsync(&memory, size, pool_, first_));
        ACL_OK(gate.Hold(first_));
        Free(memory, first_);
        ACL_OK(aclrtMemPoolMallocAsync(&other, size, pool_, second_));
        EXPECT_NE(other, memory) << size;
        ACL_OK(aclrtMemPoolMallocAsync(&again, size, pool_, first_));
        if (OnCpu()) {
            EXPECT_EQ(again, memory) << size;
        }
        Free(again, first_);
        gate.Open();
        while (!IsIdle(first_)) std::this_thread::yield();
        // The free is complete, but the host has not waited for it.
        void* third = nullptr;
        ACL_OK(aclrtMemPoolMallocAsync(&third, size, pool_, second_));
        EXPECT_NE(third, memory) << size;
        ACL_OK(aclrtMemPoolMallocAsync(&memory, size, pool_, first_));
        Free(memory, first_);
        Synchronize(first_);
        ACL_OK(aclrtMemPoolMallocAsync(&again, size, pool_, second_));
        if (OnCpu()) {
            EXPECT_EQ(again, memory) << size;
        }
        for (void* block : {other, third, again}) Free(block, second_);
        Synchronize(second_);
        ACL_OK(aclrtMemPoolTrimTo(pool_, 0));
        if (IsExact()) {
            EXPECT_EQ(Reserved(pool_), 0u) << size;
        }
    }
}

TEST_F(MemPoolReuseTest, AReusedBlockHasItsNewLength) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: a driver rounds as it likes";
    void *memory = nullptr, *again = nullptr;
    ACL_OK(aclrtMemPoolMallocAsync(&memory, 100 * kKiB, pool_, first_));
    for (const size_t size : {97 * kKiB, 100 * kKiB, 99 * kKiB}) {
        Free(memory, first_);
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(memory, 1, 0, 1));
        ACL_OK(aclrtMemPoolMallocAsync(&again, size, pool_, first_));
        EXPECT_EQ(again, memory);
        ACL_OK(aclrtMemset(again, size, 1, size));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(again, size + 1, 1, size + 1));
    }
    Free(again, first_);
}

// Free blocks of a destroyed pool do not hide later allocations at their addresses.
TEST_F(MemPoolReuseTest, ADestroyedPoolLeavesNoBlocksBehind) {
    constexpr size_t kBlock = 4 * kKiB;
    for (const bool destroys : {false, true}) {
        std::vector<void*> blocks(200);
        for (void*& block : blocks) ACL_OK(aclrtMemPoolMallocAsync(&block, kBlock, pool_, first_));
        for (void* block : blocks) Free(block, first_);
        Synchronize(first_);
        void* last = nullptr;
        ACL_OK(aclrtMemPoolMallocAsync(&last, kBlock, pool_, first_));
        Free(last, first_);
        Synchronize(first_);
        if (destroys) {
            UseSmallPool();
        } else {
            ACL_OK(aclrtMemPoolTrimTo(pool_, 0));
        }
        const DeviceMemory memory(32 * kMiB);
        const auto* begin = static_cast<char*>(memory.At());
        int inside = 0;
        for (void* block : blocks) {
            const auto* at = static_cast<char*>(block);
            if (at < begin || at + kBlock > begin + 32 * kMiB) continue;
            inside++;
            ACL_OK(aclrtMemset(block, kBlock, 1, kBlock));
        }
        RecordProperty("inside", inside);
    }
}

TEST_F(MemPoolReuseTest, DataIsNeverCorrupted) {
    // Blocks move between streams in every allowed way; each read returns what was written.
    constexpr int kTurns = 100;
    constexpr size_t kBytes = 256 * kKiB;
    Allow(true, true, true);
    const aclrtStream streams[] = {first_, second_};
    const Event event;
    PinnedMemory back(kBytes * kTurns, 0);
    for (int turn = 0; turn < kTurns; ++turn) {
        const aclrtStream stream = streams[turn % 2];
        void* memory = nullptr;
        ACL_OK(aclrtMemPoolMallocAsync(&memory, kBytes, pool_, stream));
        ACL_OK(aclrtMemsetAsync(memory, kBytes, turn, kBytes, stream));
        ACL_OK(aclrtMemcpyAsync(back.At(turn * kBytes), kBytes, memory, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        Free(memory, stream);
        if (turn % 3 == 0) {
            ACL_OK(aclrtRecordEvent(event, stream));
            ACL_OK(aclrtStreamWaitEvent(streams[(turn + 1) % 2], event));
        }
    }
    ACL_OK(aclrtSynchronizeDevice());
    for (int turn = 0; turn < kTurns; ++turn) {
        const unsigned char* bytes = back.Bytes() + turn * kBytes;
        for (size_t at = 0; at < kBytes; ++at) {
            ASSERT_EQ(bytes[at], static_cast<unsigned char>(turn)) << "turn " << turn << ", " << at;
        }
    }
}

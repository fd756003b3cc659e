// Whose freed memory a stream is given: its own at once, that of others as the pool's three
// switches say. On a GPU the driver need not use memory again where it may, but never where it may
// not.

#include <utility>
#include <vector>

#include "support/gate.h"
#include "support/mem_pool.h"

using namespace portacl_test;

namespace {

// A size of which a pool's smallest piece has room for one only, so that using it again shows.
constexpr size_t kSize = 24 * kMiB;

// Two streams and a pool in which something of the first was freed.
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
        for (auto [attribute, on] : switches)
            ACL_EXPECT_OK(aclrtMemPoolSetAttr(pool_, attribute, &on));
    }

    void* Allocate(aclrtStream stream) {
        void* memory = nullptr;
        ACL_EXPECT_OK(aclrtMemPoolMallocAsync(&memory, kSize, pool_, stream));
        return memory;
    }

    // Another pool, with room for one, so that nothing else is left.
    void UseSmallPool() {
        const aclrtMemPoolProps props = PoolProps(0, 32 * kMiB);
        ACL_EXPECT_OK(aclrtMemPoolDestroy(pool_));
        ACL_EXPECT_OK(aclrtMemPoolCreate(&pool_, &props));
    }

    // Memory that the first stream has freed and, held at the gate, does not come to.
    void* FreedBehind(Gate& gate) {
        ACL_EXPECT_OK(gate.Hold(first_));
        void* memory = Allocate(first_);
        Free(memory, first_);
        return memory;
    }

    // What comes next in the second stream comes behind all that the first one was given.
    void LetSecondFollow(const Event& event) {
        ACL_EXPECT_OK(aclrtRecordEvent(event, first_));
        ACL_EXPECT_OK(aclrtStreamWaitEvent(second_, event));
    }

    // Memory that `stream` is given must be `wanted` where figures are exact; else it may be.
    void ExpectReuse(void* wanted, aclrtStream stream) {
        void* memory = Allocate(stream);
        if (IsExact()) {
            EXPECT_EQ(memory, wanted);
        } else {
            RecordProperty("reused", memory == wanted);
        }
        Free(memory, stream);
    }

    // Memory that `stream` is given must not be `forbidden`.
    void ExpectNoReuse(void* forbidden, aclrtStream stream) {
        void* memory = Allocate(stream);
        EXPECT_NE(memory, forbidden);
        // The stream would have it again before any other memory.
        kept_.emplace_back(memory, stream);
    }

    aclrtStream first_ = nullptr, second_ = nullptr;
    aclrtMemPool pool_ = nullptr;

  private:
    std::vector<std::pair<void*, aclrtStream>> kept_;
};

}  // namespace

TEST_F(MemPoolReuseTest, AStreamHasItsOwnAgainAtOnce) {
    Allow(false, false, false);
    Gate gate;
    void* memory = FreedBehind(gate);
    ExpectReuse(memory, first_);
}

TEST_F(MemPoolReuseTest, AnotherStreamHasItNotWithoutAnyPermission) {
    Allow(false, false, false);
    void* memory = Allocate(first_);
    Free(memory, first_);
    // Neither because it waits for the first one, nor because that is done: the host has not seen
    // it.
    const Event event;
    LetSecondFollow(event);
    while (!IsIdle(first_)) std::this_thread::yield();
    ExpectNoReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, WhatTheHostHasWaitedForIsEverybodys) {
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

TEST_F(MemPoolReuseTest, TheHostHasNotSeenWhatWasFreedAfterTheEvent) {
    Allow(false, false, false);
    void* memory = Allocate(first_);
    const Event event;
    ACL_OK(aclrtRecordEvent(event, first_));
    Free(memory, first_);
    ACL_OK(aclrtSynchronizeEvent(event));
    ExpectNoReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, WaitingForAStreamIsWaitingForWhatItComesBehind) {
    Allow(false, false, false);
    void* memory = Allocate(first_);
    Free(memory, first_);
    const Event event;
    LetSecondFollow(event);
    Synchronize(second_);
    ExpectReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, BehindAnEventAfterTheFree) {
    Allow(true, false, false);
    Gate gate;
    void* memory = FreedBehind(gate);
    const Event event;
    LetSecondFollow(event);
    ExpectReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, BehindAnEventOfTheOlderKinds) {
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

TEST_F(MemPoolReuseTest, NotBehindAnEventBeforeTheFree) {
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
    LetSecondFollow(event);
    Free(memory, first_);
    ACL_OK(aclrtRecordEvent(event, first_));
    ExpectNoReuse(memory, second_);
    // Recorded again, and waited for again.
    ACL_OK(aclrtStreamWaitEvent(second_, event));
    ExpectReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, NotBehindTheEventOfAThirdStream) {
    Allow(true, false, false);
    const Stream third;
    Gate gate;
    void* memory = FreedBehind(gate);
    const Event event;
    ACL_OK(aclrtRecordEvent(event, third));
    ACL_OK(aclrtStreamWaitEvent(second_, event));
    ExpectNoReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, BehindAChainOfEvents) {
    Allow(true, false, false);
    const Stream third, fourth;
    const Event to_third, to_fourth, to_second;
    Gate gate;
    void* memory = FreedBehind(gate);
    ACL_OK(aclrtRecordEvent(to_third, first_));
    ACL_OK(aclrtStreamWaitEvent(third, to_third));
    ACL_OK(aclrtRecordEvent(to_fourth, third));
    ACL_OK(aclrtStreamWaitEvent(fourth, to_fourth));
    // What comes behind nothing of the first stream.
    const Event early;
    ACL_OK(aclrtRecordEvent(early, second_));
    ACL_OK(aclrtRecordEvent(to_second, fourth));
    ExpectNoReuse(memory, second_);
    ACL_OK(aclrtStreamWaitEvent(second_, to_second));
    ExpectReuse(memory, second_);
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
}

TEST_F(MemPoolReuseTest, NotBehindAChainThatWasRecordedTooEarly) {
    Allow(true, false, false);
    const Stream third;
    const Event to_third, to_second;
    Gate gate;
    void* memory = FreedBehind(gate);
    ACL_OK(aclrtRecordEvent(to_third, first_));
    // The third stream waits for the first one only after this.
    ACL_OK(aclrtRecordEvent(to_second, third));
    ACL_OK(aclrtStreamWaitEvent(third, to_third));
    ACL_OK(aclrtStreamWaitEvent(second_, to_second));
    ExpectNoReuse(memory, second_);
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
}

TEST_F(MemPoolReuseTest, NotBehindAWaitThatMayEndWithoutTheEvent) {
    if (!IsExact()) GTEST_SKIP() << "for CPUs only: what a driver makes of such a wait it decides";
    Allow(true, false, false);
    Gate gate;
    void* memory = FreedBehind(gate);
    const Event event;
    ACL_OK(aclrtRecordEvent(event, first_));
    ACL_OK(aclrtStreamWaitEventWithTimeout(second_, event, 600));
    ExpectNoReuse(memory, second_);
}

TEST_F(MemPoolReuseTest, OpportunisticallyWhenTheFreeHasHappened) {
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

TEST_F(MemPoolReuseTest, ByAWaitThatThePoolAdds) {
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
        // It comes behind what the first stream does with it.
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

TEST_F(MemPoolReuseTest, AfterAWaitThatThePoolAddedOtherMemoryFollows) {
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
    // The wait for the one covers the other, which was freed before it was added.
    Allow(true, false, false);
    ACL_OK(aclrtMemPoolMallocAsync(&other, 20 * kMiB, pool_, second_));
    Free(again, second_);
    Free(other, second_);
}

TEST_F(MemPoolReuseTest, NotByAddedWaitsWhereTheyAreForbidden) {
    UseSmallPool();
    Allow(true, true, false);
    Gate gate;
    FreedBehind(gate);
    auto again = Poison<void*>();
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION,
              aclrtMemPoolMallocAsync(&again, kSize, pool_, second_));
    EXPECT_TRUE(IsPoison(again));
}

TEST_F(MemPoolReuseTest, AbortedWaitsOrderNothing) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: a driver drops nothing that is queued";
    Allow(true, false, false);
    Gate gate;
    void* memory = FreedBehind(gate);
    const Event event;
    LetSecondFollow(event);
    ACL_OK(aclrtStreamAbort(second_));
    ExpectNoReuse(memory, second_);
}

// Short blocks are kept as they are when they are free: to the same rules.
TEST_F(MemPoolReuseTest, ShortBlocksAreGivenLikeOthers) {
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
        // It has happened, but the host has not waited for it.
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

TEST_F(MemPoolReuseTest, ABlockThatIsGivenAgainHasItsNewLength) {
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

// What was free in a pool does not hide what is allocated there later.
TEST_F(MemPoolReuseTest, NothingIsLeftWhereAPoolWas) {
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

TEST_F(MemPoolReuseTest, DataIsNeverMixedUp) {
    // Memory wanders between streams in every allowed way; what is read back is what was written.
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
        ACL_OK(aclrtMemcpyAsync(back.At(turn * kBytes), kBytes, memory, kBytes,
                                ACL_MEMCPY_DEVICE_TO_HOST, stream));
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

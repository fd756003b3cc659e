// Which freed memory a stream gets: its own at once, that of other streams as the pool's three
// switches say. On a GPU the driver need not reuse memory when it may, but must not when it may
// not.

#include <vector>

#include "pool/reuse/mem_pool_reuse.h"
#include "support/gate.h"
#include "support/pool/mem_pool.h"

using namespace portacl_test;

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
        ACL_OK(aclrtSynchronizeStream(first_));
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

// Reuse of freed memory by streams that wait for the stream that freed it, by events or because the pool makes them
// wait.

#include <vector>

#include "pool/reuse/mem_pool_reuse.h"
#include "support/gate.h"
#include "support/pool/mem_pool.h"

using namespace portacl_test;

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

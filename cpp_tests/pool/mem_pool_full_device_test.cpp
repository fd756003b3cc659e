// Pools on a full device: which frees an allocation waits for, and what other pools release.

#include "pool/figures.h"
#include "pool/small_device.h"
#include "support/gate.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"
#include "support/stream/notify.h"

using namespace portacl_test;

namespace {

constexpr size_t kSmallDevice = 256 * kMiB;

const Settings kSmall = SmallDevice(kSmallDevice);

void BeginSmall() {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ASSERT_LE(FreeBytes(), kSmallDevice);
}

}  // namespace

OWN_PROCESS_TEST(MemPoolMemoryTest, FreesThatCompleteByThemselvesAreWaitedFor, kSmall[0], kSmall[1]) {
    NEEDS_A_SMALL_DEVICE();
    BeginSmall();
    {
        const Stream first, second;
        const MemPool pool;
        pool.Allow(false, false, false);
        pool.SetThreshold(UINT64_MAX);
        void* memory = pool.Allocate(200 * kMiB, first);
        ACL_OK(aclrtMemsetAsync(memory, 200 * kMiB, 1, 200 * kMiB, first));
        Free(memory, first);
        // The only memory for the allocation is what the first stream is about to free.
        void* again = pool.Allocate(150 * kMiB, second);
        ASSERT_NE(again, nullptr);
        Free(again, second);
        ACL_OK(aclrtSynchronizeDevice());
    }
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(MemPoolMemoryTest, FreesAfterHostFunctionsAreNotWaitedFor, kSmall[0], kSmall[1]) {
    NEEDS_A_SMALL_DEVICE();
    BeginSmall();
    {
        const Stream first, second, third;
        const MemPool pool;
        pool.Allow(false, false, false);
        pool.SetThreshold(UINT64_MAX);
        void* memory = pool.Allocate(200 * kMiB, first);
        Gate gate;
        ACL_OK(gate.Hold(first));
        const Event event;
        ACL_OK(aclrtRecordEvent(event, first));
        Free(memory, first);
        auto again = Poison<void*>();
        ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&again, 150 * kMiB, pool, second));
        EXPECT_TRUE(IsPoison(again));
        gate.Open();
        Synchronize(first);
        memory = pool.Allocate(150 * kMiB, second);
        ASSERT_NE(memory, nullptr);
        // Nor are frees after a wait for such work.
        Gate other;
        ACL_OK(other.Hold(first));
        ACL_OK(aclrtRecordEvent(event, first));
        ACL_OK(aclrtStreamWaitEvent(third, event));
        const Event other_event;
        ACL_OK(aclrtRecordEvent(other_event, second));
        ACL_OK(aclrtStreamWaitEvent(third, other_event));
        Free(memory, third);
        ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&again, 150 * kMiB, pool, second));
        other.Open();
        ACL_OK(aclrtSynchronizeDevice());
    }
    ACL_OK(aclFinalize());
}

// Waits for a value in memory, and for a notify that another process may have: they may never
// complete.
OWN_PROCESS_TEST(MemPoolMemoryTest, FreesAfterExternalWaitsAreNotWaitedFor, kSmall[0], kSmall[1]) {
    NEEDS_QUEUES(2);
    NEEDS_A_SMALL_DEVICE();
    BeginSmall();
    for (const bool by_value : {true, false}) {
        const Stream first, second;
        const MemPool pool;
        const Notify notify;
        const PinnedMemory word(sizeof(uint64_t), 0);
        pool.Allow(false, false, false);
        pool.SetThreshold(UINT64_MAX);
        void* memory = pool.Allocate(200 * kMiB, first);
        if (by_value) {
            ACL_OK(aclrtValueWait(word.At(), 1, ACL_STREAM_WAIT_VALUE_EQ, first));
        } else {
            ACL_OK(aclrtWaitAndResetNotify(notify, first, 0));
        }
        Free(memory, first);
        auto again = Poison<void*>();
        ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&again, 150 * kMiB, pool, second));
        EXPECT_TRUE(IsPoison(again));
        if (by_value) {
            ACL_OK(aclrtValueWrite(word.At(), 1, 0, second));
        } else {
            ACL_OK(aclrtRecordNotify(notify, second));
        }
        Synchronize(first);
        memory = pool.Allocate(150 * kMiB, second);
        ASSERT_NE(memory, nullptr);
        Free(memory, second);
        ACL_OK(aclrtSynchronizeDevice());
    }
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(MemPoolMemoryTest, OtherPoolsReleaseUnusedMemory, kSmall[0], kSmall[1]) {
    NEEDS_A_SMALL_DEVICE();
    BeginSmall();
    {
        const Stream stream;
        const MemPool hoarder, pool;
        hoarder.SetThreshold(UINT64_MAX);
        Free(hoarder.Allocate(200 * kMiB, stream), stream);
        Synchronize(stream);
        EXPECT_GE(Reserved(hoarder), 200 * kMiB);
        void* memory = pool.Allocate(150 * kMiB, stream);
        ASSERT_NE(memory, nullptr);
        EXPECT_LT(Reserved(hoarder), 100 * kMiB);
        Free(memory, stream);
        Synchronize(stream);

        // Also for plain allocations.
        Free(hoarder.Allocate(200 * kMiB, stream), stream);
        Synchronize(stream);
        const DeviceMemory ordinary(150 * kMiB);
        EXPECT_NE(ordinary.At(), nullptr);
    }
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(MemPoolMemoryTest, AFullDeviceIsReportedAndNothingChanges, kSmall[0], kSmall[1]) {
    NEEDS_A_SMALL_DEVICE();
    BeginSmall();
    {
        const Stream stream;
        const MemPool pool;
        void* memory = pool.Allocate(150 * kMiB, stream);
        const Figures before = Ask(pool);
        auto again = Poison<void*>();
        ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&again, 150 * kMiB, pool, stream));
        EXPECT_TRUE(IsPoison(again));
        const Figures after = Ask(pool);
        EXPECT_EQ(after.used, before.used);
        EXPECT_EQ(after.used_high, before.used_high);
        EXPECT_EQ(after.reserved, before.reserved);
        Free(memory, stream);
        memory = pool.Allocate(150 * kMiB, stream);
        ASSERT_NE(memory, nullptr);
        Free(memory, stream);
        Synchronize(stream);
    }
    ACL_OK(aclFinalize());
}

// Memory of pools after the end of the pool, the stream, the device or the session.

#include "support/pool/mem_pool.h"

#include <vector>

#include "pool/pool_memory.h"
#include "support/gate.h"
#include "support/own_process.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

class MemPoolEnd : public WithDevice {};

}  // namespace

TEST_F(MemPoolEnd, AddressesOfReleasedSegmentsAreReused) {
    constexpr int kBlocks = 8;
    const Stream stream;
    for (const size_t size : {64 * kKiB, 3 * kMiB, 512 * kKiB}) {
        const MemPool pool;
        void* blocks[kBlocks];
        // Twice, so that the second time the addresses are reused.
        for (int turn = 0; turn < 2; ++turn) {
            for (void*& block : blocks) block = pool.Allocate(size, stream);
            for (void* block : blocks) ExpectKnown(block, size, ACL_MEM_LOCATION_TYPE_DEVICE, 0);
            for (void* block : blocks) Free(block, stream);
        }
        // In blocks of other sizes.
        void* memory = pool.Allocate(kBlocks / 2 * size, stream);
        ExpectKnown(memory, kBlocks / 2 * size, ACL_MEM_LOCATION_TYPE_DEVICE, 0);
        Free(memory, stream);
        Synchronize(stream);
        ACL_OK(aclrtMemPoolTrimTo(pool, 0));
        const DeviceMemory plain(2 * kBlocks * size);
        ExpectKnown(plain.At(), 2 * kBlocks * size, ACL_MEM_LOCATION_TYPE_DEVICE, 0);
        const MemPool other;
        memory = other.Allocate(size + kKiB, stream);
        ExpectKnown(memory, size + kKiB, ACL_MEM_LOCATION_TYPE_DEVICE, 0);
        EXPECT_EQ(Used(pool), 0u);
        EXPECT_GE(Used(other), size + kKiB);
        Free(memory, stream);
        ExpectUnknown(memory);
    }
}

TEST_F(MemPoolEnd, DestroyingAPoolKeepsItsLiveMemory) {
    const Stream stream;
    size_t before = 0, during = 0, after = 0, total = 0;
    Synchronize(stream);
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    MemPool pool;
    const std::vector<unsigned char> data = Pattern(kMiB);
    void* first = pool.Allocate(kMiB, stream);
    void* second = pool.Allocate(kMiB, stream);
    ACL_OK(aclrtMemcpyAsync(first, kMiB, data.data(), kMiB, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    Free(second, stream);
    // At once, although a free is still pending.
    ACL_OK(aclrtMemPoolDestroy(pool.Release()));
    ExpectKnown(first, kMiB, ACL_MEM_LOCATION_TYPE_DEVICE, 0);
    gate.Open();
    std::vector<unsigned char> back(kMiB);
    ACL_OK(aclrtMemcpyAsync(back.data(), kMiB, first, kMiB, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    Synchronize(stream);
    EXPECT_EQ(back, data);
    if (IsExact()) {
        ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &during, &total));
        EXPECT_LT(during, before);
    }
    Free(first, stream);
    Synchronize(stream);
    ExpectUnknown(first);
    if (IsExact()) {
        ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
        EXPECT_EQ(after, before);
    }
}

TEST_F(MemPoolEnd, FreeAcceptsMemoryOfADestroyedPool) {
    const Stream stream;
    MemPool pool;
    void* memory = pool.Allocate(kMiB, stream);
    Synchronize(stream);
    ACL_OK(aclrtMemPoolDestroy(pool.Release()));
    ACL_OK(aclrtFree(memory));
    ExpectUnknown(memory);
}

TEST_F(MemPoolEnd, FreedMemoryOfADestroyedStreamIsReused) {
    const Stream other;
    const MemPool pool;
    pool.Allow(false, false, false);
    pool.SetThreshold(UINT64_MAX);
    Stream stream;
    void* memory = pool.Allocate(24 * kMiB, stream);
    const uint64_t reserved = Reserved(pool);
    Free(memory, stream);
    ACL_OK(aclrtDestroyStream(stream.Release()));
    // No other rule lets another stream reuse it.
    void* again = pool.Allocate(24 * kMiB, other);
    if (IsExact()) {
        EXPECT_EQ(again, memory);
        EXPECT_EQ(Reserved(pool), reserved);
    }
    Free(again, other);
}

TEST_F(MemPoolEnd, FreedMemoryOfAStreamDestroyedByForceIsReused) {
    const MemPool pool;
    pool.SetThreshold(UINT64_MAX);
    for (int turn = 0; turn < 10; ++turn) {
        Stream stream;
        void* memory = pool.Allocate(24 * kMiB, stream);
        ACL_OK(aclrtMemsetAsync(memory, kMiB, turn, kMiB, stream));
        Free(memory, stream);
        ACL_OK(aclrtDestroyStreamForce(stream.Release()));
    }
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(Used(pool), 0u);
    ACL_OK(aclrtMemPoolTrimTo(pool, 0));
}

TEST_F(MemPoolEnd, ResettingADeviceDestroysItsPools) {
    constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
    Stream stream;
    MemPool pool, retired;
    void* memory = pool.Allocate(kMiB, stream);
    void* orphan = retired.Allocate(kMiB, stream);
    ACL_OK(aclrtMemPoolDestroy(retired.Release()));
    const aclrtMemPool dead = pool.Release();
    stream.Release();
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_OK(aclrtSetDevice(0));
    auto again = Poison<void*>();
    ACL_FAILS_SAYING(kDead, aclrtMemPoolMallocAsync(&again, 1, dead, nullptr), "released with its device");
    ACL_DESTROYS_LATE(aclrtMemPoolDestroy(dead));
    for (void* gone : {memory, orphan}) {
        ACL_FAILS(kDead, aclrtMemPoolFreeAsync(gone, nullptr));
        ACL_FAILS(kDead, aclrtFree(gone));
    }
    const MemPool next;
    Free(next.Allocate(kMiB, nullptr), nullptr);
}

TEST_F(MemPoolEnd, AStreamThatOutlivesItsDeviceKeepsMemoryOfAnother) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    const MemPool pool(PoolProps(1));
    pool.SetThreshold(UINT64_MAX);
    const Stream other;
    ACL_OK(aclrtSetDevice(0));
    Gate gate;
    Stream stream;
    void* memory = pool.Allocate(24 * kMiB, stream);
    ACL_OK(gate.Hold(stream));
    ASSERT_TRUE(gate.AwaitArrival());
    Free(memory, stream);
    ACL_OK(aclrtDestroyStreamForce(stream.Release()));
    ACL_OK(aclrtSetDevice(1));
    std::vector<void*> taken = {pool.Allocate(24 * kMiB, other)};
    EXPECT_NE(taken.back(), memory);
    // If the driver runs the work, a reset waits for it up to a timeout.
    if (!OnCpu()) gate.Open();
    ACL_OK(aclrtResetDeviceForce(0));
    if (OnCpu()) {
        Synchronize(other);
        taken.push_back(pool.Allocate(24 * kMiB, other));
        EXPECT_NE(taken.back(), memory);
    }
    gate.Open();
    // Allocates other memory until the stream has left the gate.
    while (taken.back() != memory && taken.size() < 100) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        taken.push_back(pool.Allocate(24 * kMiB, other));
    }
    if (IsExact()) {
        EXPECT_EQ(taken.back(), memory);
    }
    for (void* each : taken) Free(each, other);
}

TEST_F(MemPoolEnd, PoolsOfHostMemoryEndWithTheSession) {
    MemPool pool(PropsAt(ACL_MEM_LOCATION_TYPE_HOST, 0));
    void* memory = pool.Allocate(kMiB, nullptr);
    const aclrtMemPool dead = pool.Release();
    ACL_OK(aclFinalize());
    auto again = Poison<void*>();
    ACL_DESTROYS_LATE(aclrtMemPoolDestroy(dead));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(memory));
    aclrtMemPoolProps props = PoolProps();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemPoolCreate(&again, &props));
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolDestroy(dead));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolMallocAsync(&again, 1, dead, nullptr));
    EXPECT_TRUE(IsPoison(again));
}

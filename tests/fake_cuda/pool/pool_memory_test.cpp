// Tests of what pools take from their device, and when it gets that back.

#include <thread>

#include "pool/pool_fixture.h"

namespace {

size_t available() {
    size_t free = 0;
    size_t total = 0;
    EXPECT_EQ(CUDA_SUCCESS, cuMemGetInfo_v2(&free, &total));
    return free;
}

TEST_F(Pools, MemoryOfADestroyedPoolStaysUntilTheNextCallForAPool) {
    const size_t before = available();
    const CUdeviceptr block = allocate_async(kPage, stream);
    OK(cuMemPoolDestroy(pool));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(pool));
    pool = nullptr;
    OK(cuMemsetD8Async(block, 1, kPage, stream));
    EXPECT_EQ(before - kPage, available());
    OK(cuMemFreeAsync(block, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(before - kPage, available()) << "neither a wait nor a question is a call for a pool";
    pool = create(props());
    EXPECT_EQ(before, available());
    expected_misuses = 1;
}

TEST_F(Pools, MemoryOfAPoolThatIsDestroyedAfterItsFreesIsFree) {
    const size_t before = available();
    set(kThreshold, UINT64_MAX);
    const CUdeviceptr block = allocate_async(kPage, stream);
    OK(cuMemFreeAsync(block, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(before - kPage, available()) << "the pool keeps it";
    OK(cuMemPoolDestroy(pool));
    pool = nullptr;
    EXPECT_EQ(before, available());
}

TEST_F(Pools, ARefusalTakesAllMemoryMeanwhile) {
    const size_t before = available();
    std::thread asks([&] {
        OK(cuCtxSetCurrent(context));
        CUdeviceptr none = 0;
        EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&none, before + 1, pool, stream));
    });
    size_t least = before;
    for (int i = 0; i < 100'000 && least != 0; ++i) {
        least = available();
        std::this_thread::yield();
    }
    EXPECT_EQ(0u, least);
    asks.join();
    EXPECT_EQ(before, available());
    // One that its maximum refuses does not ask the device.
    CUmemPoolProps wanted = props();
    wanted.maxSize = kPage;
    OK(cuMemPoolDestroy(pool));
    pool = create(wanted);
    CUdeviceptr none = 0;
    EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&none, before + 1, pool, stream));
}

}  // namespace

// Tests of when memory of a pool is reused: events, complete frees, and inserted waits.

#include "pool/pool_fixture.h"

#include <thread>

namespace {

using Bytes = std::vector<uint8_t>;

TEST_F(Pools, MemoryIsReusedAfterAnEventRecordedAfterTheFree) {
    allow_only(kFollowEvents);
    fakeCudaHold();
    const CUdeviceptr block = allocate_async(kMiB, stream);
    OK(cuMemFreeAsync(block, stream));
    EXPECT_FALSE(reuses(block, kMiB, second)) << "nothing orders the two";
    order(stream, second);
    EXPECT_TRUE(reuses(block, kMiB, second));
    fakeCudaRelease();
    OK(cuCtxSynchronize());
}

TEST_F(Pools, AnEventRecordedBeforeTheFreeOrdersNothing) {
    allow_only(kFollowEvents);
    fakeCudaHold();
    const CUdeviceptr block = allocate_async(kMiB, stream);
    order(stream, second);
    OK(cuMemFreeAsync(block, stream));
    EXPECT_FALSE(reuses(block, kMiB, second));
    fakeCudaRelease();
    OK(cuCtxSynchronize());
}

TEST_F(Pools, OrderIsTransitive) {
    allow_only(kFollowEvents);
    CUstream third = nullptr;
    OK(cuStreamCreate(&third, CU_STREAM_NON_BLOCKING));
    fakeCudaHold();
    const CUdeviceptr block = allocate_async(kMiB, stream);
    OK(cuMemFreeAsync(block, stream));
    order(stream, third);
    EXPECT_FALSE(reuses(block, kMiB, second));
    order(third, second);
    EXPECT_TRUE(reuses(block, kMiB, second));
    fakeCudaRelease();
    OK(cuCtxSynchronize());
    OK(cuStreamDestroy_v2(third));
}

TEST_F(Pools, WithoutTheSwitchEventsChangeNothing) {
    allow_only(0);
    fakeCudaHold();
    const CUdeviceptr block = allocate_async(kMiB, stream);
    OK(cuMemFreeAsync(block, stream));
    order(stream, second);
    EXPECT_FALSE(reuses(block, kMiB, second));
    fakeCudaRelease();
    OK(cuCtxSynchronize());
}

TEST_F(Pools, ACompleteFreeIsReusedIfAllowed) {
    for (const bool allowed : {false, true}) {
        allow_only(allowed ? kOpportunistic : 0);
        fakeCudaHold();
        const CUdeviceptr block = allocate_async(kPage, stream);
        OK(cuMemFreeAsync(block, stream));
        const CUdeviceptr other = allocate_async(kPage, second);
        EXPECT_NE(block, other) << "the free is not complete yet";
        fakeCudaRelease();
        while (cuStreamQuery(stream) != CUDA_SUCCESS) std::this_thread::yield();
        EXPECT_EQ(allowed, reuses(block, kPage, second));
        OK(cuMemFreeAsync(other, second));
        // After a host wait no switch is needed.
        set(kThreshold, UINT64_MAX);
        OK(cuCtxSynchronize());
        allow_only(0);
        EXPECT_TRUE(reuses(block, kPage, second));
        OK(cuCtxSynchronize());
        OK(cuMemPoolTrimTo(pool, 0));
        set(kThreshold, 0);
    }
}

TEST_F(Pools, AStreamWaitsForAnotherWhenMemoryHasRunOut) {
    for (const bool allowed : {false, true}) {
        CUmemPoolProps wanted = props();
        wanted.maxSize = kPage;
        OK(cuMemPoolDestroy(pool));
        pool = create(wanted);
        allow_only(allowed ? kInternalDependencies : 0);
        fakeCudaHold();
        const CUdeviceptr block = allocate_async(kPage, stream);
        OK(cuMemsetD8Async(block, 1, kPage, stream));
        OK(cuMemFreeAsync(block, stream));
        CUdeviceptr other = 0;
        EXPECT_EQ(allowed ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY,
                  cuMemAllocFromPoolAsync(&other, kMiB, pool, second));
        if (allowed) {
            EXPECT_EQ(block, other);
            OK(cuMemsetD8Async(other, 2, kMiB, second));
        }
        fakeCudaRelease();
        OK(cuStreamSynchronize(second));
        if (allowed) {
            EXPECT_EQ(Bytes(kMiB, 2), read(other, kMiB)) << "the free came before";
            OK(cuMemFreeAsync(other, second));
        }
        OK(cuCtxSynchronize());
    }
}

TEST_F(Pools, AnInsertedWaitCoversEarlierFrees) {
    CUmemPoolProps wanted = props();
    wanted.maxSize = kPage;
    OK(cuMemPoolDestroy(pool));
    pool = create(wanted);
    allow_only(kInternalDependencies);
    set(kFollowEvents, 1);
    fakeCudaHold();
    const CUdeviceptr large = allocate_async(20 * kMiB, stream);
    const CUdeviceptr small = allocate_async(12 * kMiB, stream);
    OK(cuMemFreeAsync(large, stream));
    OK(cuMemFreeAsync(small, stream));
    const CUdeviceptr waited_for = allocate_async(12 * kMiB, second);
    EXPECT_EQ(small, waited_for);
    set(kInternalDependencies, 0);
    const CUdeviceptr followed = allocate_async(20 * kMiB, second);
    EXPECT_EQ(large, followed);
    for (const CUdeviceptr block : {waited_for, followed}) OK(cuMemFreeAsync(block, second));
    fakeCudaRelease();
    OK(cuCtxSynchronize());
}

TEST_F(Pools, TheBlocksOfADestroyedStreamAreReused) {
    allow_only(0);
    CUstream third = nullptr;
    OK(cuStreamCreate(&third, CU_STREAM_NON_BLOCKING));
    const CUdeviceptr block = allocate_async(kPage, third);
    OK(cuMemFreeAsync(block, third));
    OK(cuStreamDestroy_v2(third));
    OK(cuCtxSynchronize());
    const CUdeviceptr again = allocate_async(kPage, stream);
    OK(cuMemFreeAsync(again, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(kPage, get(kReservedHigh));
}

// Checks that the best fit of many free segments is taken, and of those with one length the first.
TEST_F(Pools, TheBestOfManyFreeSegmentsIsTaken) {
    constexpr size_t kStep = 512;
    set(kThreshold, UINT64_MAX);
    // The blocks have 1 to 16 steps in turns. Those of odd lengths are free.
    std::vector<CUdeviceptr> blocks;
    for (size_t i = 0; i < 64; ++i) blocks.push_back(allocate_async((1 + i % 16) * kStep, stream));
    for (size_t i = 0; i < 64; i += 2) OK(cuMemFreeAsync(blocks[i], stream));
    std::vector<CUdeviceptr> live;
    const auto allocate_steps = [&](size_t steps) {
        live.push_back(allocate_async(steps * kStep, stream));
        return live.back();
    };
    EXPECT_EQ(blocks[6], allocate_steps(7));
    EXPECT_EQ(blocks[22], allocate_steps(7));
    EXPECT_EQ(blocks[8], allocate_steps(8)) << "there is none of 8 steps";
    EXPECT_EQ(blocks[0], allocate_steps(1));
    EXPECT_EQ(blocks[8] + 8 * kStep, allocate_steps(1)) << "what the block of 8 steps left";
    EXPECT_EQ(blocks[16], allocate_steps(1));
    // Neighbours that no stream uses become one segment: of 2, 3, 4 and 5 steps.
    OK(cuMemFreeAsync(blocks[1], stream));
    OK(cuMemFreeAsync(blocks[3], stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(blocks[1], allocate_steps(14)) << "better than a segment of 15 steps";
    for (size_t i = 5; i < 64; i += 2) live.push_back(blocks[i]);
    for (const CUdeviceptr block : live) OK(cuMemFreeAsync(block, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemPoolTrimTo(pool, 0));
    EXPECT_EQ(0u, get(kReserved)) << "all of it is one free segment again";
}

}  // namespace

// Tests of the test double's memory pools.

#include "pool/pool_fixture.h"

#include <atomic>
#include <thread>

namespace {

using ::testing::ExitedWithCode;
using Bytes = std::vector<uint8_t>;

TEST_F(Pools, ABlockIsValidForLaterWorkOfItsStream) {
    fakeCudaHold();
    const CUdeviceptr block = allocate_async(1000, stream);
    EXPECT_EQ(0u, block % 256);
    OK(cuMemsetD8Async(block, 7, 1000, stream));
    OK(cuMemFreeAsync(block, stream));
    const CUdeviceptr again = allocate_async(1000, stream);
    EXPECT_EQ(block, again) << "the same stream may have it at once";
    fakeCudaRelease();
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Bytes(1000, 0xCB), read(again, 1000)) << "new memory holds rubbish";
    OK(cuMemFreeAsync(again, stream));
}

TEST_F(Pools, AllocatingAndFreeingNeedNoCurrentContext) {
    std::thread([&] {
        CUcontext none = nullptr;
        OK(cuCtxGetCurrent(&none));
        ASSERT_EQ(nullptr, none);
        CUdeviceptr block = 0, other = 0;
        OK(cuMemAllocFromPoolAsync(&block, 1000, pool, stream));
        OK(cuMemAllocAsync(&other, 1000, stream));
        OK(cuMemFreeAsync(block, stream));
        OK(cuMemFreeAsync(other, stream));
    }).join();
    OK(cuStreamSynchronize(stream));
}

TEST_F(Pools, CountsAreExact) {
    fakeCudaHold();
    const CUdeviceptr first = allocate_async(1, stream);
    EXPECT_EQ(512u, get(kUsed));
    EXPECT_EQ(kPage, get(kReserved));
    const CUdeviceptr large = allocate_async(kPage + 1, stream);
    EXPECT_EQ(kPage + 1024, get(kUsed));
    EXPECT_EQ(3 * kPage, get(kReserved));
    OK(cuMemFreeAsync(first, stream));
    EXPECT_EQ(kPage + 512, get(kUsed));
    EXPECT_EQ(kPage + 1024, get(kUsedHigh));
    set(kUsedHigh, 0);
    EXPECT_EQ(kPage + 512, get(kUsedHigh)) << "it starts again from what is used now";
    fakeCudaRelease();
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(2 * kPage, get(kReserved)) << "unused memory is freed";
    EXPECT_EQ(3 * kPage, get(kReservedHigh));
    set(kReservedHigh, 0);
    EXPECT_EQ(2 * kPage, get(kReservedHigh));
    OK(cuMemFreeAsync(large, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(0u, get(kReserved));
    EXPECT_EQ(0u, get(kUsed));
    uint64_t value = 1;
    for (const Attribute attribute : {kReservedHigh, kUsedHigh, kReserved, kUsed}) {
        EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAttribute(pool, attribute, &value));
    }
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolGetAttribute(pool, 9, &value));
    expected_misuses = 5;
}

TEST_F(Pools, MemoryAboveTheThresholdIsFreedAtTheNextWait) {
    CUevent event = nullptr;
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    const auto free_both = [&] {
        const CUdeviceptr blocks[] = {allocate_async(kPage, stream), allocate_async(kPage, stream)};
        for (const CUdeviceptr block : blocks) OK(cuMemFreeAsync(block, stream));
        OK(cuEventRecord(event, stream));
        while (cuStreamQuery(stream) != CUDA_SUCCESS) std::this_thread::yield();
        EXPECT_EQ(2 * kPage, get(kReserved)) << "a question is no wait";
    };
    set(kThreshold, kPage + 1);
    free_both();
    OK(cuStreamSynchronize(second));
    EXPECT_EQ(2 * kPage, get(kReserved)) << "nor is a wait for something else";
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(2 * kPage, get(kReserved)) << "less would be too little";
    set(kThreshold, kPage);
    OK(cuStreamSynchronize(second));
    EXPECT_EQ(kPage, get(kReserved));
    set(kThreshold, 0);
    free_both();
    OK(cuEventSynchronize(event));
    EXPECT_EQ(0u, get(kReserved));
    free_both();
    OK(cuCtxSynchronize());
    EXPECT_EQ(0u, get(kReserved));
    OK(cuEventDestroy_v2(event));
}

TEST_F(Pools, TrimmingKeepsUsedMemoryAndTheRequestedMinimum) {
    set(kThreshold, UINT64_MAX);
    const CUdeviceptr kept = allocate_async(kPage, stream);
    fakeCudaHold();
    const CUdeviceptr freed = allocate_async(3 * kPage, stream);
    OK(cuMemFreeAsync(freed, stream));
    OK(cuMemPoolTrimTo(pool, 0));
    EXPECT_EQ(4 * kPage, get(kReserved)) << "no call has waited for the free";
    fakeCudaRelease();
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(4 * kPage, get(kReserved));
    OK(cuMemPoolTrimTo(pool, 4 * kPage));
    EXPECT_EQ(4 * kPage, get(kReserved));
    OK(cuMemPoolTrimTo(pool, 2 * kPage + 1));
    EXPECT_EQ(3 * kPage, get(kReserved));
    OK(cuMemPoolTrimTo(pool, 0));
    EXPECT_EQ(kPage, get(kReserved));
    OK(cuMemFreeAsync(kept, stream));
}

TEST_F(Pools, AMaximumSizeHolds) {
    CUmemPoolProps wanted = props();
    wanted.maxSize = 3 * kMiB;
    OK(cuMemPoolDestroy(pool));
    pool = create(wanted);
    const CUdeviceptr block = allocate_async(3 * kMiB, stream);
    CUdeviceptr none = 0;
    EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&none, 1, pool, stream));
    EXPECT_EQ(3 * kMiB, get(kUsed));
    EXPECT_EQ(kPage, get(kReserved));
    OK(cuMemFreeAsync(block, stream));
    EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&none, 3 * kMiB + 1, pool, stream));
    EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&none, SIZE_MAX, pool, stream));
}

TEST_F(Pools, UnusedMemoryOfPoolsServesOtherAllocations) {
    size_t available = 0;
    size_t total = 0;
    OK(cuMemGetInfo_v2(&available, &total));
    ASSERT_EQ(available, total);
    set(kThreshold, UINT64_MAX);
    const CUdeviceptr block = allocate_async(total / 2, stream);
    OK(cuMemFreeAsync(block, stream));
    CUdeviceptr memory = 0;
    EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&memory, total)) << "it may be in use";
    OK(cuStreamSynchronize(stream));
    OK(cuMemGetInfo_v2(&available, &total));
    EXPECT_EQ(total / 2, available);
    OK(cuMemAlloc_v2(&memory, total));
    EXPECT_EQ(0u, get(kReserved));
    CUdeviceptr none = 0;
    EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&none, 1, pool, stream));
    OK(cuMemFree_v2(memory));
}

TEST_F(Pools, ADeviceHasADefaultPoolAndACurrentOne) {
    CUmemoryPool of_device = nullptr;
    CUmemoryPool current = nullptr;
    OK(cuDeviceGetDefaultMemPool(&of_device, 0));
    OK(cuDeviceGetMemPool(&current, 0));
    EXPECT_EQ(of_device, current);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(of_device));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuDeviceSetMemPool(1, pool)) << "it is on device 0";
    OK(cuDeviceSetMemPool(0, pool));
    OK(cuDeviceGetMemPool(&current, 0));
    EXPECT_EQ(pool, current);
    CUdeviceptr block = 0;
    OK(cuMemAllocAsync(&block, 100, stream));
    EXPECT_EQ(512u, get(kUsed));
    OK(cuMemFreeAsync(block, stream));
    OK(cuMemPoolDestroy(pool));
    pool = nullptr;
    OK(cuDeviceGetMemPool(&current, 0));
    EXPECT_EQ(of_device, current);
    expected_misuses = 2;
}

TEST_F(Pools, MemFreeFreesABlockAtOnce) {
    const CUdeviceptr block = allocate_async(kMiB, stream);
    OK(cuStreamSynchronize(stream));
    OK(cuMemFree_v2(block));
    EXPECT_EQ(0u, get(kUsed));
    allow_only(0);
    EXPECT_TRUE(reuses(block, kMiB, second)) << "the caller knows that all work is complete";
    fakeCudaHold();
    const CUdeviceptr early = allocate_async(kMiB, stream);
    OK(cuMemFree_v2(early));
    expected_misuses = 1;
    fakeCudaRelease();
}

TEST_F(Pools, WrongFreesAreFound) {
    const CUdeviceptr block = allocate_async(1000, stream);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(block + 512, stream));
    OK(cuMemFreeAsync(block, stream));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(block, stream));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(block));
    const CUdeviceptr other = allocate(1000);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(other, stream)) << "not of a pool";
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(0, stream));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(block, 0, 1, stream));
    CUdeviceptr none = 0;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&none, 0, pool, stream));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(nullptr, 1, pool, stream));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAllocFromPoolAsync(&none, 1, nullptr, stream));
    OK(cuMemFree_v2(other));
    expected_misuses = 9;
}

TEST_F(Pools, AnUnorderedUseBeforeTheAllocationIsFound) {
    fakeCudaHold();
    const CUdeviceptr block = allocate_async(1000, stream);
    OK(cuMemsetD8Async(block, 0, 1000, second));
    expected_misuses = 1;
    order(stream, second);
    OK(cuMemsetD8Async(block, 0, 1000, second));
    fakeCudaRelease();
    OK(cuCtxSynchronize());
    OK(cuMemFreeAsync(block, stream));
}

TEST_F(Pools, AnUnorderedUseAfterTheFreeIsFound) {
    static std::atomic<bool> open{false};
    const auto gate = [](void*) {
        while (!open) std::this_thread::yield();
    };
    const CUdeviceptr block = allocate_async(1000, stream);
    OK(cuStreamSynchronize(stream));
    OK(cuLaunchHostFunc(second, gate, nullptr));
    OK(cuMemsetD8Async(block, 0, 1000, second));
    OK(cuMemFreeAsync(block, stream));
    OK(cuStreamSynchronize(stream));
    expected_misuses = 1;
    open = true;
    OK(cuStreamSynchronize(second));
}

TEST_F(Pools, QueriesOfFreedMemoryAreUndefined) {
    const CUdeviceptr block = allocate_async(1000, stream);
    CUmemoryPool of = nullptr;
    OK(cuPointerGetAttribute(&of, 17, block + 999));
    EXPECT_EQ(pool, of);
    size_t size = 0;
    OK(cuPointerGetAttribute(&size, 12, block));
    EXPECT_EQ(1000u, size);
    OK(cuMemFreeAsync(block, stream));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&size, 12, block));
    expected_misuses = 1;
}

TEST_F(Pools, OtherDevicesNeedAccess) {
    CUcontext other = nullptr;
    OK(cuDevicePrimaryCtxRetain(&other, 1));
    OK(cuCtxSetCurrent(other));
    CUstream stream_of_other = nullptr;
    OK(cuStreamCreate(&stream_of_other, CU_STREAM_NON_BLOCKING));
    CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 1}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    int flags = 9;
    OK(cuMemPoolGetAccess(&flags, pool, &access.location));
    EXPECT_EQ(CU_MEM_ACCESS_FLAGS_PROT_NONE, flags);
    CUdeviceptr block = allocate_async(1000, stream_of_other);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(block, 0, 1000, stream_of_other));
    OK(cuMemPoolSetAccess(pool, &access, 1));
    OK(cuMemPoolGetAccess(&flags, pool, &access.location));
    EXPECT_EQ(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, flags);
    OK(cuMemsetD8Async(block, 0, 1000, stream_of_other));
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    OK(cuMemPoolSetAccess(pool, &access, 1));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(block, 0, 1000, stream_of_other));
    access.location.id = 0;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAccess(pool, &access, 1)) << "its own device";
    access.location.id = 2;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolSetAccess(pool, &access, 1)) << "no such device";
    OK(cuMemFreeAsync(block, stream_of_other));
    OK(cuStreamSynchronize(stream_of_other));
    OK(cuStreamDestroy_v2(stream_of_other));
    OK(cuCtxSetCurrent(context));
    OK(cuDevicePrimaryCtxRelease_v2(1));
    expected_misuses = 4;
}

TEST_F(Pools, HostPoolsAreAccessibleToTheHost) {
    for (const int type : {CU_MEM_LOCATION_TYPE_HOST, CU_MEM_LOCATION_TYPE_HOST_NUMA}) {
        CUmemPoolProps wanted = props();
        wanted.location = {type, 0};
        OK(cuMemPoolDestroy(pool));
        pool = create(wanted);
        const CUdeviceptr block = allocate_async(1000, stream);
        // Devices need to be granted access.
        EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(block, 4, 1000, stream));
        CUmemAccessDesc access{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
        OK(cuMemPoolSetAccess(pool, &access, 1));
        OK(cuMemsetD8Async(block, 4, 1000, stream));
        OK(cuStreamSynchronize(stream));
        EXPECT_EQ(4, *reinterpret_cast<uint8_t*>(block + 999));
        const CUdeviceptr other = allocate(1000);
        OK(cuMemcpyHtoDAsync_v2(other, reinterpret_cast<void*>(block), 1000, stream));
        OK(cuStreamSynchronize(stream));
        EXPECT_EQ(Bytes(1000, 4), read(other, 1000));
        OK(cuMemFree_v2(other));
        int flags = 9;
        CUmemLocation host{CU_MEM_LOCATION_TYPE_HOST, 0};
        OK(cuMemPoolGetAccess(&flags, pool, &host));
        EXPECT_EQ(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, flags);
        OK(cuMemFreeAsync(block, stream));
        OK(cuStreamSynchronize(stream));
        EXPECT_EQ(0u, get(kReserved));
    }
    expected_misuses = 2;
}

TEST_F(Pools, UnsupportedPropertiesAreRefused) {
    CUmemoryPool made = nullptr;
    const auto refused = [&](CUresult code, auto change) {
        CUmemPoolProps wanted = props();
        change(&wanted);
        EXPECT_EQ(code, cuMemPoolCreate(&made, &wanted));
    };
    using Props = CUmemPoolProps;
    const CUresult invalid = CUDA_ERROR_INVALID_VALUE;
    refused(invalid, [](Props* p) { p->allocType = 3; });
    refused(invalid, [](Props* p) { p->reserved[53] = 1; });
    refused(CUDA_ERROR_INVALID_DEVICE, [](Props* p) { p->location.id = 2; });
    expected_misuses = 3;
    refused(invalid, [](Props* p) { p->location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT; });
    refused(invalid, [](Props* p) { p->location = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 1}; });
    refused(invalid, [](Props* p) {
        p->location.type = CU_MEM_LOCATION_TYPE_HOST;
        p->handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    });
    refused(CUDA_ERROR_NOT_SUPPORTED, [](Props* p) { p->handleTypes = CU_MEM_HANDLE_TYPE_FABRIC; });
}

TEST_F(Pools, LivePoolsAndBlocksAreLeaks) {
    const CUdeviceptr block = allocate_async(1234, stream);
    char text[1000] = "";
    EXPECT_EQ(5, fakeCudaLeaks(text, sizeof text)) << text;
    EXPECT_NE(nullptr, strstr(text, "memory pool")) << text;
    EXPECT_NE(nullptr, strstr(text, "of 1234 bytes")) << text;
    OK(cuMemFreeAsync(block, stream));
}

TEST_F(Pools, AResetDestroysThePools) {
    allocate_async(1234, stream);
    OK(cuDevicePrimaryCtxReset_v2(0));
    reset = true;
    // The thread's own context is gone.
    EXPECT_EQ(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemPoolTrimTo(pool, 0));
    CUcontext other = nullptr;
    OK(cuDevicePrimaryCtxRetain(&other, 1));
    OK(cuCtxSetCurrent(other));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolTrimTo(pool, 0));
    OK(cuDevicePrimaryCtxRelease_v2(1));
    expected_misuses = 1;
}

TEST_F(Pools, CallsAndOperationsFailOnDemand) {
    ASSERT_EQ(0, fakeCudaFail("cuMemAllocFromPoolAsync:1:2,cuMemFreeAsync:1:999"));
    CUdeviceptr block = 0;
    EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemAllocFromPoolAsync(&block, 1, pool, stream));
    block = allocate_async(1, stream);
    EXPECT_EQ(CUDA_ERROR_UNKNOWN, cuMemFreeAsync(block, stream));
    OK(cuMemFreeAsync(block, stream));
}

// The test runs in a separate process, which reads its own settings.
TEST(NoPools, CanBeConfiguredLikeAnOldDevice) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EXIT(
        {
            setenv("FAKE_CUDA_MEMORY_POOLS", "0", 1);
            int supported = 9;
            CUmemoryPool pool = nullptr;
            const bool none = cuInit(0) == 0 && cuDeviceGetAttribute(&supported, 115, 0) == 0 && supported == 0 &&
                              cuDeviceGetDefaultMemPool(&pool, 0) == CUDA_ERROR_NOT_SUPPORTED;
            exit(none ? 0 : 1);
        },
        ExitedWithCode(0), "");
}

}  // namespace

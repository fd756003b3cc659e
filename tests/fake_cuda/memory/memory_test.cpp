// Tests of the test double's memory: addresses, limits, places and mappings.

#include <algorithm>
#include <atomic>
#include <thread>

#include "fixture.h"

namespace {

using Bytes = std::vector<uint8_t>;

TEST_F(FakeCuda, FreeWaitsForTheDevice) {
    const CUdeviceptr memory = allocate(512);
    const CUdeviceptr unrelated = allocate(512);
    std::atomic<bool> freed{false};
    fakeCudaHold();
    OK(cuMemsetD8Async(unrelated, 1, 512, stream));
    std::thread thread([&] {
        EXPECT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context));
        EXPECT_EQ(CUDA_SUCCESS, cuMemFree_v2(memory));
        freed = true;
    });
    AwaitBlockedCalls(1, [&] { return freed.load(); });
    EXPECT_FALSE(freed);
    fakeCudaRelease();
    thread.join();
    OK(cuMemFree_v2(unrelated));
}

TEST_F(FakeCuda, AddressesAreAlignedAndNewMemoryHoldsGarbage) {
    const CUdeviceptr small = allocate(1);
    const CUdeviceptr next = allocate(1);
    const CUdeviceptr large = allocate(size_t{3} << 20);
    EXPECT_EQ(0u, small % 512);
    EXPECT_EQ(0u, next % 512);
    EXPECT_EQ(0u, large % (size_t{2} << 20));
    EXPECT_NE(Bytes(1, 0), read(small, 1));
    CUdeviceptr base = 0;
    size_t size = 0;
    OK(cuMemGetAddressRange_v2(&base, &size, large + 5));
    EXPECT_EQ(large, base);
    EXPECT_EQ(size_t{3} << 20, size);
    for (const CUdeviceptr address : {small, next, large}) OK(cuMemFree_v2(address));
}

TEST_F(FakeCuda, MemoryRunsOutAndIsAvailableAfterAFree) {
    size_t before = 0;
    size_t total = 0;
    OK(cuMemGetInfo_v2(&before, &total));
    const CUdeviceptr all = allocate(before);
    CUdeviceptr more = 0;
    EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&more, 1));
    OK(cuMemFree_v2(all));
    size_t after = 0;
    OK(cuMemGetInfo_v2(&after, &total));
    EXPECT_EQ(before, after);
}

TEST_F(FakeCuda, PointerAttributesReturnThePlace) {
    const CUdeviceptr memory = allocate(100);
    int on_stack = 0;
    unsigned type = 99;
    int ordinal = 99;
    const int attributes[] = {2, 9};
    void* data[] = {&type, &ordinal};
    OK(cuPointerGetAttributes(2, attributes, data, memory + 99));
    EXPECT_EQ(CU_MEMORYTYPE_DEVICE, type);
    EXPECT_EQ(0, ordinal);
    const auto host = reinterpret_cast<CUdeviceptr>(&on_stack);
    OK(cuPointerGetAttributes(2, attributes, data, host));
    EXPECT_EQ(0u, type);
    EXPECT_EQ(-2, ordinal);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, 2, host));
    OK(cuMemFree_v2(memory));
}

TEST_F(FakeCuda, CopiesReachOtherDevicesButFillsDoNotWithoutPeerAccess) {
    CUcontext second = nullptr;
    OK(cuDevicePrimaryCtxRetain(&second, 1));
    OK(cuCtxPushCurrent_v2(second));
    const CUdeviceptr far = allocate(64);
    OK(cuCtxPopCurrent_v2(nullptr));
    const CUdeviceptr near = allocate(64);
    OK(cuMemsetD8Async(near, 4, 64, stream));
    OK(cuMemcpyDtoDAsync_v2(far, near, 64, stream));
    OK(cuMemcpyPeerAsync(far, second, near, context, 64, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Bytes(64, 4), read(far, 64));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(far, 5, 64, stream));
    expected_misuses = 1;
    OK(cuCtxEnablePeerAccess(second, 0));
    EXPECT_EQ(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cuCtxEnablePeerAccess(second, 0));
    OK(cuMemsetD8Async(far, 5, 64, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Bytes(64, 5), read(far, 64));
    OK(cuMemFree_v2(far));
    OK(cuMemFree_v2(near));
    OK(cuDevicePrimaryCtxRelease_v2(1));
}

TEST_F(FakeCuda, MappedMemoryNeedsAccessAndOutlivesItsHandle) {
    CUmemAllocationProp prop{};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    size_t size = 0;
    OK(cuMemGetAllocationGranularity(&size, &prop, 0));
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr address = 0;
    OK(cuMemCreate(&handle, size, &prop, 0));
    OK(cuMemAddressReserve(&address, size, 0, 0, 0));
    OK(cuMemMap(address, size, 0, handle, 0));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(address, 1, size, stream));
    expected_misuses = 1;
    const CUmemAccessDesc access{prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    OK(cuMemSetAccess(address, size, &access, 1));
    OK(cuMemRelease(handle));
    OK(cuMemsetD8Async(address, 6, size, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Bytes(8, 6), read(address + size - 8, 8));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(address));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(address, size)) << "still mapped";
    expected_misuses = 3;
    OK(cuMemUnmap(address, size));
    OK(cuMemAddressFree(address, size));
}

TEST_F(FakeCuda, UnmappingDoesNotWaitAndFailsPendingWork) {
    CUmemAllocationProp prop{};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    constexpr size_t kSize = 2 << 20;
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr address = 0;
    OK(cuMemCreate(&handle, kSize, &prop, 0));
    OK(cuMemAddressReserve(&address, kSize, 0, 0, 0));
    OK(cuMemMap(address, kSize, 0, handle, 0));
    const CUmemAccessDesc access{prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    OK(cuMemSetAccess(address, kSize, &access, 1));
    OK(cuMemRelease(handle));
    fakeCudaHold();
    OK(cuMemsetD8Async(address, 6, kSize, stream));
    OK(cuMemUnmap(address, kSize));
    OK(cuMemAddressFree(address, kSize));
    fakeCudaRelease();
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
    OK(cuDevicePrimaryCtxReset_v2(0));
    reset = true;
}

}  // namespace

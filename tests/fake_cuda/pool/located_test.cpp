// Tests of pools of locations, and of managed memory.

#include "pool/pool_fixture.h"

namespace {

constexpr int kPinned = CU_MEM_ALLOCATION_TYPE_PINNED, kManaged = CU_MEM_ALLOCATION_TYPE_MANAGED;

class LocatedPools : public Pools {
  protected:
    static CUmemoryPool default_of(CUmemLocation location, int type) {
        CUmemoryPool found = nullptr;
        EXPECT_EQ(CUDA_SUCCESS, cuMemGetDefaultMemPool(&found, &location, type));
        return found;
    }

    static CUmemoryPool current_of(CUmemLocation location, int type) {
        CUmemoryPool found = nullptr;
        EXPECT_EQ(CUDA_SUCCESS, cuMemGetMemPool(&found, &location, type));
        return found;
    }
};

TEST_F(LocatedPools, EachLocationAndTypeHasItsOwn) {
    const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 7};
    CUmemoryPool of_device = nullptr;
    OK(cuDeviceGetDefaultMemPool(&of_device, 0));
    EXPECT_EQ(of_device, default_of(here, kPinned));
    EXPECT_NE(of_device, default_of(here, kManaged));
    EXPECT_EQ(default_of(host, kPinned), default_of({CU_MEM_LOCATION_TYPE_HOST, 0}, kPinned)) << "the id is ignored";
    EXPECT_NE(default_of(host, kPinned), default_of({CU_MEM_LOCATION_TYPE_HOST_NUMA, 0}, kPinned));
    EXPECT_EQ(default_of({CU_MEM_LOCATION_TYPE_NONE, 0}, kManaged),
              current_of({CU_MEM_LOCATION_TYPE_NONE, 0}, kManaged));
    CUmemoryPool none = nullptr;
    CUmemLocation nowhere = {CU_MEM_LOCATION_TYPE_NONE, 0};
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemGetMemPool(&none, &nowhere, kPinned));
}

TEST_F(LocatedPools, APoolIsCurrentUntilItIsDestroyed) {
    CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, 0}, host = {CU_MEM_LOCATION_TYPE_HOST, 0};
    CUmemPoolProps wanted = props();
    wanted.location = host;
    const CUmemoryPool of_host = create(wanted);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemSetMemPool(&here, kPinned, of_host));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemSetMemPool(&host, kManaged, of_host));
    expected_misuses = 2;
    OK(cuMemSetMemPool(&host, kPinned, of_host));
    EXPECT_EQ(of_host, current_of(host, kPinned));
    OK(cuMemPoolDestroy(of_host));
    EXPECT_EQ(default_of(host, kPinned), current_of(host, kPinned));
    OK(cuMemSetMemPool(&here, kPinned, pool));
    CUmemoryPool of_device = nullptr;
    OK(cuDeviceGetMemPool(&of_device, 0));
    EXPECT_EQ(pool, of_device);
}

TEST_F(LocatedPools, ManagedMemoryIsTheHostsAndTheDevices) {
    CUmemPoolProps wanted = props();
    wanted.allocType = kManaged;
    wanted.location = {CU_MEM_LOCATION_TYPE_NONE, 0};
    const CUmemoryPool managed = create(wanted);
    CUdeviceptr memory = 0;
    OK(cuMemAllocFromPoolAsync(&memory, 64, managed, stream));
    OK(cuMemsetD8Async(memory, 5, 64, stream));
    OK(cuStreamSynchronize(stream));
    auto* const bytes = reinterpret_cast<uint8_t*>(memory);
    EXPECT_EQ(5, bytes[63]);
    unsigned is_managed = 0;
    constexpr int kIsManaged = 8;
    OK(cuPointerGetAttribute(&is_managed, kIsManaged, memory));
    EXPECT_EQ(1u, is_managed);
    OK(cuMemFreeAsync(memory, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuMemPoolDestroy(managed));
    CUmemoryPool none = nullptr;
    wanted.maxSize = 1;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolCreate(&none, &wanted));
    wanted = props();
    wanted.usage = 2;
    EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuMemPoolCreate(&none, &wanted)) << "no engine for decompression";
    expected_misuses = 1;
}

// It runs in separate processes, which read their own settings.
TEST(PoolsForDecompression, NeedDevicesWithAnEngine) {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto creates = [](const char* setting) {
        setenv("FAKE_CUDA_DECOMPRESS", setting, 1);
        CUcontext context = nullptr;
        if (cuInit(0) != 0 || cuDevicePrimaryCtxRetain(&context, 0) != 0) exit(9);
        cuCtxSetCurrent(context);
        int formats = 0;
        const CUresult known = cuDeviceGetAttribute(&formats, 136, 0);
        CUmemPoolProps props{};
        props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
        props.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
        props.usage = 2;
        CUmemoryPool pool = nullptr;
        const CUresult created = cuMemPoolCreate(&pool, &props);
        const bool has = known == 0 && formats != 0 && created == 0;
        const bool has_not = known != 0 && created == CUDA_ERROR_NOT_SUPPORTED;
        _exit(has ? 1 : has_not ? 0 : 9);
    };
    EXPECT_EXIT(creates("0"), ::testing::ExitedWithCode(0), "");
    EXPECT_EXIT(creates("1"), ::testing::ExitedWithCode(1), "");
}

}  // namespace

// The default pool and the current pool of devices.

#include "support/memory/hook_recorder.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

class PortaclMemPoolTest : public WithDevice {};

aclrtMemPool Default(int32_t device = 0) {
    aclrtMemPool pool = nullptr;
    ACL_EXPECT_OK(portaclDeviceGetDefaultMemPool(&pool, device));
    return pool;
}

aclrtMemPool Current(int32_t device = 0) {
    aclrtMemPool pool = nullptr;
    ACL_EXPECT_OK(portaclDeviceGetMemPool(&pool, device));
    return pool;
}

void* Malloc(size_t size, aclrtStream stream) {
    void* memory = nullptr;
    ACL_EXPECT_OK(portaclMallocAsync(&memory, size, stream));
    return memory;
}

size_t FreeBytes() {
    size_t free = 0, total = 0;
    ACL_EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    return free;
}

void DestroyCurrentPoolsWhileOthersAllocate() {
    const size_t free = FreeBytes();
    for (int turn = 0; turn < 50; ++turn) {
        MemPool pool;
        const aclrtMemPool handle = pool.Release();
        ACL_EXPECT_OK(portaclDeviceSetMemPool(0, handle));
        OnThreads(3, [&](int thread) {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            if (thread == 0) {
                ACL_EXPECT_OK(aclrtMemPoolDestroy(handle));
                return;
            }
            for (int i = 0; i < 20; ++i) {
                void* memory = Malloc(1000, nullptr);
                ACL_EXPECT_OK(portaclFreeAsync(memory, nullptr));
            }
        });
        EXPECT_EQ(Current(), Default());
    }
    // The first trim frees blocks that waited for work, the second one the segments that are then
    // empty.
    ACL_EXPECT_OK(aclrtSynchronizeDevice());
    ACL_EXPECT_OK(aclrtSynchronizeDevice());
    if (IsExact()) {
        EXPECT_EQ(FreeBytes(), free) << "what a pool was given that was destroyed meanwhile";
    }
}

}  // namespace

TEST_F(PortaclMemPoolTest, TheDefaultPoolIsCurrentAtFirst) {
    const Stream stream;
    const aclrtMemPool pool = Default();
    ASSERT_NE(pool, nullptr);
    EXPECT_EQ(Default(), pool);
    EXPECT_EQ(Current(), pool);
    void* memory = Malloc(kMiB, stream);
    EXPECT_GE(Used(pool), kMiB);
    const std::vector<unsigned char> data = Pattern(kMiB);
    std::vector<unsigned char> back(kMiB);
    ACL_OK(aclrtMemcpyAsync(memory, kMiB, data.data(), kMiB, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL_OK(aclrtMemcpyAsync(back.data(), kMiB, memory, kMiB, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    ACL_OK(portaclFreeAsync(memory, stream));
    Synchronize(stream);
    EXPECT_EQ(back, data);
    EXPECT_EQ(Used(pool), 0u);
}

TEST_F(PortaclMemPoolTest, MallocCreatesTheDefaultPoolOnFirstUse) {
    void* memory = Malloc(1, nullptr);
    EXPECT_GE(Used(Default()), 1u);
    ACL_OK(portaclFreeAsync(memory, nullptr));
}

TEST_F(PortaclMemPoolTest, TheDefaultPoolCannotBeDestroyed) {
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolDestroy(Default()), "default pool");
    ACL_OK(portaclFreeAsync(Malloc(1, nullptr), nullptr));
}

TEST_F(PortaclMemPoolTest, MemoryComesFromTheCurrentPool) {
    const Stream stream;
    MemPool pool;
    ACL_OK(portaclDeviceSetMemPool(0, pool));
    EXPECT_EQ(Current(), static_cast<aclrtMemPool>(pool));
    EXPECT_NE(Default(), static_cast<aclrtMemPool>(pool));
    void* memory = Malloc(kMiB, stream);
    EXPECT_GE(Used(pool), kMiB);
    EXPECT_EQ(Used(Default()), 0u);
    // For all threads.
    OnNewThread([&] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        const uint64_t before = Used(pool);
        void* other = Malloc(kMiB, nullptr);
        EXPECT_GE(Used(pool), before + kMiB);
        ACL_EXPECT_OK(portaclFreeAsync(other, nullptr));
    });
    // A free finds the pool by the address, whichever pool is current.
    ACL_OK(portaclDeviceSetMemPool(0, Default()));
    EXPECT_EQ(Current(), Default());
    ACL_OK(portaclFreeAsync(memory, stream));
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(Used(pool), 0u);
}

TEST_F(PortaclMemPoolTest, DestroyingTheCurrentPoolMakesTheDefaultOneCurrent) {
    MemPool pool;
    ACL_OK(portaclDeviceSetMemPool(0, pool));
    void* memory = Malloc(kMiB, nullptr);
    ACL_OK(aclrtMemPoolDestroy(pool.Release()));
    EXPECT_EQ(Current(), Default());
    void* other = Malloc(kMiB, nullptr);
    EXPECT_GE(Used(Default()), kMiB);
    ACL_OK(portaclFreeAsync(memory, nullptr));
    ACL_OK(portaclFreeAsync(other, nullptr));
    ACL_OK(aclrtSynchronizeDevice());
}

TEST_F(PortaclMemPoolTest, DestroyingAnotherPoolKeepsTheCurrentOne) {
    const MemPool current;
    ACL_OK(portaclDeviceSetMemPool(0, current));
    { const MemPool other; }
    EXPECT_EQ(Current(), static_cast<aclrtMemPool>(current));
}

TEST_F(PortaclMemPoolTest, DevicesHaveSeparatePools) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    const MemPool pool(PoolProps(1));
    EXPECT_NE(Default(0), Default(1));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, portaclDeviceSetMemPool(0, pool), "on device 1");
    ACL_OK(portaclDeviceSetMemPool(1, pool));
    EXPECT_EQ(Current(0), Default(0));
    void* memory = Malloc(kMiB, nullptr);
    EXPECT_GE(Used(pool), kMiB);
    ACL_OK(portaclFreeAsync(memory, nullptr));
    ACL_OK(aclrtSynchronizeDevice());
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(PortaclMemPoolTest, AResetDeviceHasANewDefaultPool) {
    MemPool pool;
    ACL_OK(portaclDeviceSetMemPool(0, pool));
    const aclrtMemPool before = Default();
    void* memory = Malloc(kMiB, nullptr);
    pool.Release();
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(Current(), Default());
    EXPECT_NE(Default(), before);
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, portaclFreeAsync(memory, nullptr));
    ACL_OK(portaclFreeAsync(Malloc(1, nullptr), nullptr));
}

TEST_F(PortaclMemPoolTest, ArgumentsAreChecked) {
    constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM, kDead = ACL_ERROR_RT_PARAM_INVALID;
    const Stream stream;
    const MemPool pool;
    auto memory = Poison<void*>();
    ACL_FAILS(kInvalid, portaclMallocAsync(nullptr, 1, stream));
    ACL_FAILS(kInvalid, portaclMallocAsync(&memory, 0, stream));
    ACL_FAILS(kDead, portaclMallocAsync(&memory, 1, pool));
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, portaclMallocAsync(&memory, SIZE_MAX, stream));
    ACL_FAILS(kInvalid, portaclFreeAsync(nullptr, stream));
    ACL_FAILS(kDead, portaclFreeAsync(&memory, stream));
    auto reported = Poison<aclrtMemPool>();
    ACL_FAILS(kInvalid, portaclDeviceGetDefaultMemPool(nullptr, 0));
    ACL_FAILS(kInvalid, portaclDeviceGetMemPool(nullptr, 0));
    ACL_FAILS(kInvalid, portaclDeviceSetMemPool(0, nullptr));
    ACL_FAILS(kDead, portaclDeviceSetMemPool(0, stream));
    aclrtMemPoolProps props = PoolProps();
    props.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    const MemPool host(props);
    ACL_FAILS_SAYING(kDead, portaclDeviceSetMemPool(0, host), "host memory");
    for (int32_t device : {-1, static_cast<int32_t>(DeviceCount())}) {
        ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclDeviceGetDefaultMemPool(&reported, device));
        ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclDeviceGetMemPool(&reported, device));
        ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclDeviceSetMemPool(device, pool));
    }
    if (DeviceCount() > 1) {
        ACL_FAILS_SAYING(kDead, portaclDeviceGetDefaultMemPool(&reported, 1), "aclrtSetDevice(1)");
        ACL_FAILS(kDead, portaclDeviceGetMemPool(&reported, 1));
        ACL_FAILS(kDead, portaclDeviceSetMemPool(1, pool));
    }
    EXPECT_TRUE(IsPoison(memory));
    EXPECT_TRUE(IsPoison(reported));
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclMallocAsync(&memory, 1, nullptr));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclFreeAsync(&memory, nullptr));
    });
}

TEST_F(PortaclMemPoolTest, CurrentPoolsAreDestroyedWhileOthersAllocate) {
    DestroyCurrentPoolsWhileOthersAllocate();
}

// A hook destroys the pool at the worst moment.
TEST_F(PortaclMemPoolTest, CurrentPoolsAreDestroyedWhileHooksRun) {
    CallLog call_log;
    {
        Recorder idle(call_log, "idle", PORTACL_MEMORY_HOOK_PROCESS);
        DestroyCurrentPoolsWhileOthersAllocate();
    }
    MemPool pool;
    const aclrtMemPool handle = pool.Release();
    ACL_OK(portaclDeviceSetMemPool(0, handle));
    Recorder destroyer(call_log, "destroyer");
    bool first = true;
    destroyer.also = [&](const std::string& what, const portaclMemoryEvent&) {
        if (what == "before malloc" && std::exchange(first, false)) {
            ACL_EXPECT_OK(aclrtMemPoolDestroy(handle));
        }
        return ACL_SUCCESS;
    };
    void* memory = Malloc(1000, nullptr);
    EXPECT_GE(Used(Default()), 1000u);
    ACL_OK(portaclFreeAsync(memory, nullptr));
    ACL_OK(aclrtSynchronizeDevice());
}

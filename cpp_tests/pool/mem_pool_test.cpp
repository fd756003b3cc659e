// Memory pools: creation, allocation, and lifetime.

#include "support/pool/mem_pool.h"

#include <vector>

#include "support/gate.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

class MemPoolTest : public WithDevice {};

// Properties of a pool on a device or of a kind that does not exist.
void ExpectRefused(aclError code, const aclrtMemPoolProps& props, std::initializer_list<std::string> words) {
    auto pool = Poison<aclrtMemPool>();
    const auto refused =
        FailedSaying("aclrtMemPoolCreate(&pool, &props)", aclrtMemPoolCreate(&pool, &props), code, words);
    EXPECT_TRUE(refused);
    EXPECT_TRUE(IsPoison(pool));
}

aclrtMemPoolProps At(int type, uint32_t id) {
    aclrtMemPoolProps props = PoolProps();
    props.location.type = static_cast<aclrtMemLocationType>(type);
    props.location.id = id;
    return props;
}

bool IsOnCpu() {
    return std::string(portaclBackendName()) == "cpu";
}

// The attributes of a pool's memory.
void ExpectKnown(void* memory, size_t size, int type, uint32_t id) {
    auto reported = Poison<aclrtPtrAttributes>();
    ACL_OK(aclrtPointerGetAttributes(static_cast<char*>(memory) + size - 1, &reported));
    EXPECT_EQ(reported.location.type, type);
    EXPECT_EQ(reported.location.id, id);
    void* base = nullptr;
    size_t length = 0;
    ACL_OK(aclrtMemGetAddressRange(static_cast<char*>(memory) + size - 1, &base, &length));
    EXPECT_EQ(base, memory);
    EXPECT_GE(length, size);
}

// No allocation has this address any more.
void ExpectUnknown(void* memory) {
    constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
    void* base = nullptr;
    size_t length = 0;
    ACL_FAILS(kDead, aclrtMemGetAddressRange(memory, &base, &length));
    ACL_FAILS(kDead, aclrtMemset(memory, 1, 0, 1));
    ACL_FAILS(kDead, aclrtFree(memory));
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(memory, nullptr));
}

}  // namespace

TEST_F(MemPoolTest, MemoryIsValidForLaterWorkOfItsStream) {
    const Stream stream;
    const MemPool pool;
    const std::vector<unsigned char> data = Pattern(1 * kMiB);
    void* memory = pool.Allocate(data.size(), stream);
    ASSERT_NE(memory, nullptr);
    PinnedMemory back(data.size(), 0);
    ACL_OK(aclrtMemcpyAsync(memory, data.size(), data.data(), data.size(), ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL_OK(aclrtMemcpyAsync(back.At(), back.Size(), memory, data.size(), ACL_MEMCPY_DEVICE_TO_HOST, stream));
    // Ordered after the uses: the memory is still valid for them.
    Free(memory, stream);
    Synchronize(stream);
    EXPECT_EQ(back.Copy(), data);
}

TEST_F(MemPoolTest, MemoryIsValidForOrderedWorkOfOtherStreams) {
    const Stream producer, consumer;
    const Event event;
    const MemPool pool;
    Gate gate;
    ACL_OK(gate.Hold(producer));
    void* memory = pool.Allocate(kMiB, producer);
    ACL_OK(aclrtMemsetAsync(memory, kMiB, 7, kMiB, producer));
    ACL_OK(aclrtRecordEvent(event, producer));
    ACL_OK(aclrtStreamWaitEvent(consumer, event));
    PinnedMemory back(kMiB, 0);
    ACL_OK(aclrtMemcpyAsync(back.At(), kMiB, memory, kMiB, ACL_MEMCPY_DEVICE_TO_HOST, consumer));
    Free(memory, consumer);
    gate.Open();
    Synchronize(consumer);
    EXPECT_EQ(back.Copy(), std::vector<unsigned char>(kMiB, 7));
}

TEST_F(MemPoolTest, SizesFromOneByteOnAreAlignedAndDoNotOverlap) {
    const Stream stream;
    const MemPool pool;
    std::vector<std::pair<char*, size_t>> blocks;
    for (size_t size : {size_t{1}, size_t{255}, size_t{256}, size_t{257}, 4 * kKiB, 64 * kKiB + 1, 2 * kMiB,
                        2 * kMiB + 1, 40 * kMiB}) {
        auto* memory = static_cast<char*>(pool.Allocate(size, stream));
        ASSERT_NE(memory, nullptr) << size;
        EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 256, 0u) << size;
        for (const auto& [other, length] : blocks)
            EXPECT_TRUE(memory + size <= other || other + length <= memory) << size;
        blocks.emplace_back(memory, size);
        ACL_EXPECT_OK(aclrtMemsetAsync(memory, size, 1, size, stream));
    }
    for (const auto& block : blocks) Free(block.first, stream);
    Synchronize(stream);
    if (IsExact()) {
        EXPECT_EQ(Reserved(pool), 0u);
    }
}

TEST_F(MemPoolTest, AnAllocationLargerThanTheDeviceFailsAndChangesNothing) {
    const Stream stream;
    const MemPool pool;
    size_t free = 0, total = 0;
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    for (size_t size : {total + 1, 2 * total, SIZE_MAX / 2, SIZE_MAX - 1, SIZE_MAX}) {
        auto memory = Poison<void*>();
        ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&memory, size, pool, stream));
        EXPECT_TRUE(IsPoison(memory));
    }
    EXPECT_EQ(Used(pool), 0u);
    if (IsExact()) {
        EXPECT_EQ(Reserved(pool), 0u);
    }
    Free(pool.Allocate(1, stream), stream);
}

TEST_F(MemPoolTest, WrongPropertiesAreRefused) {
    constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
    auto pool = Poison<aclrtMemPool>();
    const aclrtMemPoolProps good = PoolProps();
    ACL_FAILS(kInvalid, aclrtMemPoolCreate(nullptr, &good));
    ACL_FAILS(kInvalid, aclrtMemPoolCreate(&pool, nullptr));
    EXPECT_TRUE(IsPoison(pool));

    aclrtMemPoolProps props = good;
    props.allocType = static_cast<aclrtMemAllocationType>(1);
    ExpectRefused(kInvalid, props, {"allocType is 1"});
    props = good;
    for (int type : {-1, 1, 3, 4, 16}) {
        props.handleType = static_cast<aclrtMemHandleType>(type);
        ExpectRefused(kInvalid, props, {"handleType is " + std::to_string(type)});
    }
    const uint32_t count = DeviceCount();
    ExpectRefused(ACL_ERROR_RT_INVALID_DEVICEID, PoolProps(count), {"location.id"});
    ExpectRefused(ACL_ERROR_RT_INVALID_DEVICEID, PoolProps(UINT32_MAX), {"location.id"});
    // Unregistered and managed memory cannot be pool locations; 5 is what CUDA calls the current
    // node.
    for (int type : {-1, 2, 3, 5}) {
        ExpectRefused(kInvalid, At(type, 0), {"location.type is " + std::to_string(type)});
    }
    ExpectRefused(kInvalid, At(ACL_MEM_LOCATION_TYPE_HOST_NUMA, 4095), {"location.id is 4095"});
    props = At(ACL_MEM_LOCATION_TYPE_HOST, 0);
    props.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    ExpectRefused(kInvalid, props, {"handleType is 2", "host memory"});
    if (IsExact()) {
        // On CUDA the device decides.
        props = good;
        props.handleType = static_cast<aclrtMemHandleType>(PORTACL_MEM_HANDLE_TYPE_FABRIC);
        ExpectRefused(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, props, {IsOnCpu() ? "one machine" : "fabric handles"});
    }
}

TEST_F(MemPoolTest, ADeviceThatIsNotInUseHasNoPools) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ExpectRefused(ACL_ERROR_RT_PARAM_INVALID, PoolProps(1), {"aclrtSetDevice(1)"});
}

TEST_F(MemPoolTest, ArgumentsAreChecked) {
    constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM, kDead = ACL_ERROR_RT_PARAM_INVALID;
    const Stream stream;
    const MemPool pool;
    auto memory = Poison<void*>();
    ACL_FAILS(kInvalid, aclrtMemPoolMallocAsync(nullptr, 1, pool, stream));
    ACL_FAILS(kInvalid, aclrtMemPoolMallocAsync(&memory, 0, pool, stream));
    ACL_FAILS(kInvalid, aclrtMemPoolMallocAsync(&memory, 1, nullptr, stream));
    ACL_FAILS_SAYING(kDead, aclrtMemPoolMallocAsync(&memory, 1, stream, stream), "stream, not of kind memory pool");
    ACL_FAILS(kDead, aclrtMemPoolMallocAsync(&memory, 1, pool, pool));
    ACL_FAILS(kDead, aclrtMemPoolMallocAsync(&memory, 1, &memory, stream));
    ACL_FAILS(kDead, aclrtMemPoolMallocAsync(&memory, 1, pool, &memory));
    EXPECT_TRUE(IsPoison(memory));
    ACL_FAILS(kInvalid, aclrtMemPoolDestroy(nullptr));
    ACL_FAILS(kDead, aclrtMemPoolDestroy(stream));
    ACL_FAILS(kDead, aclrtMemPoolDestroy(&memory));
    ACL_FAILS(kInvalid, aclrtMemPoolTrimTo(nullptr, 0));
    ACL_FAILS(kDead, aclrtMemPoolTrimTo(stream, 0));
    ACL_FAILS(kInvalid, aclrtMemPoolFreeAsync(nullptr, stream));
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(&memory, stream));

    void* good = pool.Allocate(1000, stream);
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(static_cast<char*>(good) + 1, stream));
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(good, &memory));
    ACL_FAILS(kDead, aclrtFree(static_cast<char*>(good) + 8));
    ACL_FAILS_SAYING(kDead, aclrtFreeHost(good), "memory of a pool", "aclrtMemPoolFreeAsync");
    Free(good, stream);
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(good, stream));
}

TEST_F(MemPoolTest, OtherMemoryIsRefused) {
    constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
    const Stream stream;
    const DeviceMemory device(1000);
    const PinnedMemory host(1000);
    ACL_FAILS_SAYING(kDead, aclrtMemPoolFreeAsync(device.At(), stream), "aclrtFree");
    ACL_FAILS_SAYING(kDead, aclrtMemPoolFreeAsync(host.At(), stream), "aclrtFreeHost");
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(device.At(8), stream));
    ACL_EXPECT_OK(aclrtMemset(device.At(), 1000, 1, 1000));
}

TEST_F(MemPoolTest, DestroyedPoolsAllocateNothing) {
    constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
    const Stream stream;
    MemPool pool;
    const aclrtMemPool dead = pool.Release();
    ACL_OK(aclrtMemPoolDestroy(dead));
    auto memory = Poison<void*>();
    auto value = Poison<uint64_t>();
    ACL_FAILS_SAYING(kDead, aclrtMemPoolMallocAsync(&memory, 1, dead, stream), "was destroyed");
    EXPECT_TRUE(IsPoison(memory));
    ACL_FAILS(kDead, aclrtMemPoolDestroy(dead));
    ACL_FAILS(kDead, aclrtMemPoolTrimTo(dead, 0));
    ACL_FAILS(kDead, aclrtMemPoolGetAttr(dead, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value));
    ACL_FAILS(kDead, aclrtMemPoolSetAttr(dead, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &value));
    EXPECT_TRUE(IsPoison(value));
}

TEST_F(MemPoolTest, AttributesOfMemoryAreReturnedUntilItIsFreed) {
    const Stream stream;
    const MemPool pool;
    Gate gate;
    void* memory = pool.Allocate(100 * kKiB, stream);
    ExpectKnown(memory, 100 * kKiB, ACL_MEM_LOCATION_TYPE_DEVICE, 0);
    ACL_OK(gate.Hold(stream));
    Free(memory, stream);
    // From the call on, not when the stream reaches the free.
    ExpectUnknown(memory);
    auto reported = Poison<aclrtPtrAttributes>();
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtPointerGetAttributes(memory, &reported));
    EXPECT_TRUE(IsPoison(reported));
    gate.Open();
    Synchronize(stream);
    ExpectUnknown(memory);
}

TEST_F(MemPoolTest, FreeAcceptsPoolMemory) {
    const Stream stream;
    const MemPool pool;
    void* memory = pool.Allocate(kMiB, stream);
    ACL_OK(aclrtMemsetAsync(memory, kMiB, 1, kMiB, stream));
    Synchronize(stream);
    ACL_OK(aclrtFree(memory));
    EXPECT_EQ(Used(pool), 0u);
    ExpectUnknown(memory);
    memory = pool.Allocate(kMiB, stream);
    ACL_OK(aclrtFreeWithDevSync(memory));
    EXPECT_EQ(Used(pool), 0u);
}

TEST_F(MemPoolTest, AddressesOfReleasedSegmentsAreReused) {
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

TEST_F(MemPoolTest, DestroyingAPoolKeepsItsLiveMemory) {
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

TEST_F(MemPoolTest, FreeAcceptsMemoryOfADestroyedPool) {
    const Stream stream;
    MemPool pool;
    void* memory = pool.Allocate(kMiB, stream);
    Synchronize(stream);
    ACL_OK(aclrtMemPoolDestroy(pool.Release()));
    ACL_OK(aclrtFree(memory));
    ExpectUnknown(memory);
}

TEST_F(MemPoolTest, FreedMemoryOfADestroyedStreamIsReused) {
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

TEST_F(MemPoolTest, FreedMemoryOfAStreamDestroyedByForceIsReused) {
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

TEST_F(MemPoolTest, ResettingADeviceDestroysItsPools) {
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
    ACL_FAILS_SAYING(kDead, aclrtMemPoolMallocAsync(&again, 1, dead, nullptr), "went with its device");
    ACL_FAILS(kDead, aclrtMemPoolDestroy(dead));
    for (void* gone : {memory, orphan}) {
        ACL_FAILS(kDead, aclrtMemPoolFreeAsync(gone, nullptr));
        ACL_FAILS(kDead, aclrtFree(gone));
    }
    const MemPool next;
    Free(next.Allocate(kMiB, nullptr), nullptr);
}

TEST_F(MemPoolTest, APoolMayBeOnAnotherDeviceThanTheStream) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    const MemPool pool(PoolProps(1));
    ACL_OK(aclrtSetDevice(0));
    {
        const Stream stream;
        int32_t can = 0;
        ACL_OK(aclrtDeviceCanAccessPeer(&can, 0, 1));
        if (!can) GTEST_SKIP() << "needs devices that reach each other";
        aclrtMemAccessDesc access;
        std::memset(&access, 0, sizeof access);
        access.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
        access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
        ACL_OK(portaclMemPoolSetAccess(pool, &access, 1));
        void* memory = pool.Allocate(kMiB, stream);
        ExpectKnown(memory, kMiB, ACL_MEM_LOCATION_TYPE_DEVICE, 1);
        const std::vector<unsigned char> data = Pattern(kMiB);
        std::vector<unsigned char> back(kMiB);
        ACL_OK(aclrtMemcpyAsync(memory, kMiB, data.data(), kMiB, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        ACL_OK(aclrtMemcpyAsync(back.data(), kMiB, memory, kMiB, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        Synchronize(stream);
        EXPECT_EQ(back, data);
        Free(memory, stream);
        Synchronize(stream);
        EXPECT_EQ(Used(pool), 0u);
    }
    // The pool ends with its own device, whatever stream has used it.
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtSetDevice(1));
    Free(pool.Allocate(kMiB, nullptr), nullptr);
    ACL_OK(aclrtSynchronizeDevice());
}

TEST_F(MemPoolTest, AStreamThatOutlivesItsDeviceKeepsMemoryOfAnother) {
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
    if (!IsOnCpu()) gate.Open();
    ACL_OK(aclrtResetDeviceForce(0));
    if (IsOnCpu()) {
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

TEST_F(MemPoolTest, PoolsOfHostMemory) {
    const Stream stream;
    for (int type : {ACL_MEM_LOCATION_TYPE_HOST, ACL_MEM_LOCATION_TYPE_HOST_NUMA}) {
        const MemPool pool(At(type, 0));
        void* memory = pool.Allocate(100 * kKiB, stream);
        ASSERT_NE(memory, nullptr);
        ExpectKnown(memory, 100 * kKiB, type, 0);
        aclrtMemAccessDesc access;
        std::memset(&access, 0, sizeof access);
        access.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
        access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
        ACL_OK(portaclMemPoolSetAccess(pool, &access, 1));
        const DeviceMemory device(Pattern(100 * kKiB));
        Synchronize(stream);
        // The host has access to it from the beginning.
        std::memset(memory, 1, 100 * kKiB);
        ACL_OK(aclrtMemcpyAsync(memory, 100 * kKiB, device.At(), 100 * kKiB, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        Synchronize(stream);
        EXPECT_EQ(std::memcmp(memory, Pattern(100 * kKiB).data(), 100 * kKiB), 0);
        EXPECT_GE(Used(pool), 100 * kKiB);
        Free(memory, stream);
        ExpectUnknown(memory);
        Synchronize(stream);
        if (IsExact()) {
            EXPECT_EQ(Reserved(pool), 0u);
        }
    }
}

TEST_F(MemPoolTest, PoolsOfHostMemoryEndWithTheSession) {
    MemPool pool(At(ACL_MEM_LOCATION_TYPE_HOST, 0));
    void* memory = pool.Allocate(kMiB, nullptr);
    const aclrtMemPool dead = pool.Release();
    ACL_OK(aclFinalize());
    auto again = Poison<void*>();
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolDestroy(dead));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(memory));
    aclrtMemPoolProps props = PoolProps();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemPoolCreate(&again, &props));
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolDestroy(dead));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemPoolMallocAsync(&again, 1, dead, nullptr));
    EXPECT_TRUE(IsPoison(again));
}

TEST_F(MemPoolTest, CallsInsideHostFunctionsFailAndDoNotBlock) {
    struct Facts {
        aclrtMemPool pool;
        void* memory;
        std::vector<aclError> codes;
    };
    const Stream stream;
    const MemPool pool;
    Facts facts{pool, pool.Allocate(kMiB, stream), {}};
    ACL_OK(aclrtLaunchHostFunc(
        stream,
        [](void* argument) {
            auto& facts = *static_cast<Facts*>(argument);
            const aclrtMemPoolProps props = PoolProps();
            void* other = nullptr;
            aclrtMemPool made = nullptr;
            uint64_t value = 0;
            aclrtMemAccessDesc access{};
            auto flags = ACL_RT_MEM_ACCESS_FLAGS_NONE;
            facts.codes = {
                aclrtMemPoolCreate(&made, &props),
                aclrtMemPoolMallocAsync(&other, 1, facts.pool, nullptr),
                aclrtMemPoolFreeAsync(facts.memory, nullptr),
                aclrtMemPoolTrimTo(facts.pool, 0),
                aclrtMemPoolGetAttr(facts.pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &value),
                aclrtMemPoolSetAttr(facts.pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &value),
                aclrtMemPoolDestroy(facts.pool),
                portaclMallocAsync(&other, 1, nullptr),
                portaclFreeAsync(facts.memory, nullptr),
                portaclDeviceGetDefaultMemPool(&made, 0),
                portaclDeviceGetMemPool(&made, 0),
                portaclDeviceSetMemPool(0, facts.pool),
                portaclMemPoolSetAccess(facts.pool, &access, 1),
                portaclMemPoolGetAccess(&flags, facts.pool, &access.location),
            };
        },
        &facts));
    Synchronize(stream);
    EXPECT_EQ(facts.codes, std::vector<aclError>(14, ACL_ERROR_RT_PARAM_INVALID));
    Free(facts.memory, stream);
}

OWN_PROCESS_TEST(MemPoolProcessTest, CallsFailAtOnceInAForkedChild) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    MemPool pool;
    void* memory = pool.Allocate(kMiB, nullptr);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const aclrtMemPoolProps props = PoolProps();
        void* other = nullptr;
        aclrtMemPool made = nullptr;
        uint64_t value = 0;
        aclrtMemAccessDesc access{};
        access.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
        access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
        aclrtMemAccessFlags flags{};
        const aclError codes[] = {
            aclrtMemPoolCreate(&made, &props),
            aclrtMemPoolMallocAsync(&other, 1, pool, nullptr),
            aclrtMemPoolFreeAsync(memory, nullptr),
            aclrtMemPoolTrimTo(pool, 0),
            aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &value),
            aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &value),
            aclrtMemPoolDestroy(pool),
            portaclMallocAsync(&other, 1, nullptr),
            portaclFreeAsync(memory, nullptr),
            portaclDeviceGetMemPool(&made, 0),
            portaclDeviceGetDefaultMemPool(&made, 0),
            portaclDeviceSetMemPool(0, pool),
            portaclMemPoolSetAccess(pool, &access, 1),
            portaclMemPoolGetAccess(&flags, pool, &access.location),
        };
        int wrong = 0;
        for (const aclError code : codes) wrong += code != ACL_ERROR_RT_PARAM_INVALID;
        _exit(wrong);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    Free(memory, nullptr);
    ACL_OK(aclrtSynchronizeDevice());
    ACL_OK(aclrtMemPoolDestroy(pool.Release()));
    ACL_OK(aclFinalize());
}

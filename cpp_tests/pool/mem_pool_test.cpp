// Memory pools: creation and allocation. mem_pool_end_test.cpp tests what remains when they end.

#include "support/pool/mem_pool.h"

#include <vector>

#include "pool/pool_memory.h"
#include "support/gate.h"
#include "support/own_process.h"
#include "support/says.h"

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

// The codes of every call about a pool, each with valid arguments.
std::vector<aclError> CodesOfAllCalls(aclrtMemPool pool, void* memory) {
    const aclrtMemPoolProps props = PoolProps();
    void* other = nullptr;
    aclrtMemPool made = nullptr;
    uint64_t value = 0;
    aclrtMemAccessDesc access{};
    access.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    aclrtMemAccessFlags flags{};
    return {
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
        ExpectRefused(kInvalid, PropsAt(type, 0), {"location.type is " + std::to_string(type)});
    }
    ExpectRefused(kInvalid, PropsAt(ACL_MEM_LOCATION_TYPE_HOST_NUMA, 4095), {"location.id is 4095"});
    props = PropsAt(ACL_MEM_LOCATION_TYPE_HOST, 0);
    props.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    ExpectRefused(kInvalid, props, {"handleType is 2", "host memory"});
    if (IsExact()) {
        // On CUDA the device decides.
        props = good;
        props.handleType = static_cast<aclrtMemHandleType>(PORTACL_MEM_HANDLE_TYPE_FABRIC);
        ExpectRefused(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, props, {OnCpu() ? "one machine" : "fabric handles"});
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
    ACL_FAILS_SAYING(kDead, aclrtFreeHost(good), "pool memory", "aclrtMemPoolFreeAsync");
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

TEST_F(MemPoolTest, PoolsOfHostMemory) {
    const Stream stream;
    for (int type : {ACL_MEM_LOCATION_TYPE_HOST, ACL_MEM_LOCATION_TYPE_HOST_NUMA}) {
        const MemPool pool(PropsAt(type, 0));
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
            facts.codes = CodesOfAllCalls(facts.pool, facts.memory);
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
        int wrong = 0;
        for (const aclError code : CodesOfAllCalls(pool, memory)) wrong += code != ACL_ERROR_RT_PARAM_INVALID;
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

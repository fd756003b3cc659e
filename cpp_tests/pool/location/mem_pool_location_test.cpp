// Pools by location and allocation type: default and current pools, and properties.

#include "pool/location/located.h"

#include "support/base/cuda_driver.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

struct Named {
    int type;
    int location;
};

// The locations and types that have pools here.
std::vector<Named> AllNamed() {
    std::vector<Named> all = {{kPinned, kDevice}};
    if (Support(PORTACL_MEM_POOL_SUPPORT_HOST)) all.push_back({kPinned, kHost});
    if (Support(PORTACL_MEM_POOL_SUPPORT_HOST_NUMA)) all.push_back({kPinned, kNode});
    if (HasManaged()) {
        for (const int location : {kDevice, kHost, kNode, kAnywhere}) all.push_back({kManaged, location});
    }
    return all;
}

class LocatedMemPool : public WithDevice {};

}  // namespace

TEST_F(LocatedMemPool, EachLocationAndTypeHasADefaultPool) {
    std::vector<aclrtMemPool> seen;
    for (const Named& named : AllNamed()) {
        SCOPED_TRACE(testing::Message() << "type " << named.type << ", location " << named.location);
        const aclrtMemPool pool = Default(named.location, named.type);
        ASSERT_NE(pool, nullptr);
        EXPECT_EQ(Default(named.location, named.type), pool);
        EXPECT_EQ(Current(named.location, named.type), pool);
        for (const aclrtMemPool other : seen) EXPECT_NE(other, pool);
        seen.push_back(pool);
        EXPECT_EQ(Property(pool, PORTACL_MEM_POOL_PROPERTY_ALLOC_TYPE), uint64_t(named.type));
        EXPECT_EQ(Property(pool, PORTACL_MEM_POOL_PROPERTY_LOCATION_TYPE), uint64_t(named.location));
        EXPECT_EQ(Property(pool, PORTACL_MEM_POOL_PROPERTY_LOCATION_ID), 0u);
        ACL_FAILS_SAYING(kDead, aclrtMemPoolDestroy(pool), "default pool");
        aclrtMemAccessDesc desc{};
        desc.location = LocationAt(kDevice);
        desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
        ACL_OK(portaclMemPoolSetAccess(pool, &desc, 1));
        void* memory = nullptr;
        ACL_OK(aclrtMemPoolMallocAsync(&memory, kMiB, pool, nullptr));
        EXPECT_GE(Used(pool), kMiB);
        const DeviceMemory device(Bytes(kMiB, 1));
        ACL_OK(aclrtMemcpyAsync(memory, kMiB, device.At(), kMiB, ACL_MEMCPY_DEFAULT, nullptr));
        ACL_OK(aclrtMemsetAsync(device.At(), kMiB, 2, kMiB, nullptr));
        ACL_OK(aclrtMemcpyAsync(device.At(), kMiB, memory, kMiB, ACL_MEMCPY_DEFAULT, nullptr));
        ACL_OK(aclrtMemPoolFreeAsync(memory, nullptr));
        Synchronize(nullptr);
        EXPECT_EQ(device.Download(), Bytes(kMiB, 1));
        EXPECT_EQ(Used(pool), 0u);
    }
}

TEST_F(LocatedMemPool, ThoseOfADeviceAreThoseOfTheCallsWithItsNumber) {
    aclrtMemPool pool = nullptr;
    ACL_OK(portaclDeviceGetDefaultMemPool(&pool, 0));
    EXPECT_EQ(Default(kDevice, kPinned), pool);
    const MemPool own;
    const aclrtMemLocation here = LocationAt(kDevice);
    ACL_OK(portaclMemSetMemPool(&here, Type(kPinned), own));
    ACL_OK(portaclDeviceGetMemPool(&pool, 0));
    EXPECT_EQ(pool, static_cast<aclrtMemPool>(own));
    ACL_OK(portaclDeviceSetMemPool(0, Default(kDevice, kPinned)));
    EXPECT_EQ(Current(kDevice, kPinned), Default(kDevice, kPinned));
}

TEST_F(LocatedMemPool, TheNearestNodeIsAPoolOfThatNode) {
    if (!Support(PORTACL_MEM_POOL_SUPPORT_HOST_NUMA)) GTEST_SKIP() << "needs pools of NUMA nodes";
    const aclrtMemPool pool = Default(kNearest, kPinned, 99);
    EXPECT_EQ(Property(pool, PORTACL_MEM_POOL_PROPERTY_LOCATION_TYPE), uint64_t(kNode));
    const auto node = uint32_t(Property(pool, PORTACL_MEM_POOL_PROPERTY_LOCATION_ID));
    EXPECT_EQ(Default(kNode, kPinned, node), pool);
    const MemPool created(Props(kNearest, kPinned));
    EXPECT_EQ(Property(created, PORTACL_MEM_POOL_PROPERTY_LOCATION_TYPE), uint64_t(kNode));
}

TEST_F(LocatedMemPool, APoolIsCurrentUntilItIsDestroyed) {
    for (const Named& named : AllNamed()) {
        SCOPED_TRACE(testing::Message() << "type " << named.type << ", location " << named.location);
        const aclrtMemLocation place = LocationAt(named.location);
        MemPool pool(Props(named.location, named.type));
        ACL_OK(portaclMemSetMemPool(&place, Type(named.type), pool));
        OnNewThread([&] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            EXPECT_EQ(Current(named.location, named.type), static_cast<aclrtMemPool>(pool));
        });
        EXPECT_NE(Default(named.location, named.type), static_cast<aclrtMemPool>(pool));
        ACL_OK(aclrtMemPoolDestroy(pool.Release()));
        EXPECT_EQ(Current(named.location, named.type), Default(named.location, named.type));
        ACL_OK(portaclMemSetMemPool(&place, Type(named.type), Default(named.location, named.type)));
    }
}

TEST_F(LocatedMemPool, APoolIsCurrentOnlyWhereItIs) {
    const std::vector<Named> all = AllNamed();
    for (const Named& named : all) {
        const MemPool pool(Props(named.location, named.type));
        for (const Named& other : all) {
            if (other.type == named.type && other.location == named.location) continue;
            SCOPED_TRACE(testing::Message() << "pool " << named.type << " at " << named.location << ", set "
                                            << other.type << " at " << other.location);
            const aclrtMemLocation place = LocationAt(other.location);
            ACL_FAILS_SAYING(kDead, portaclMemSetMemPool(&place, Type(other.type), pool),
                             "the pools of this location and allocType are");
            EXPECT_EQ(Current(other.location, other.type), Default(other.location, other.type));
        }
    }
}

TEST_F(LocatedMemPool, PropertiesAreThoseOfTheCreation) {
    for (const size_t max_size : {size_t{0}, 4 * kMiB, 4 * kMiB + 1}) {
        const MemPool pool(PoolProps(0, max_size));
        const uint64_t most = Property(pool, PORTACL_MEM_POOL_PROPERTY_MAX_SIZE);
        EXPECT_EQ(most, OnCpu() && max_size % kMiB ? 6 * kMiB : max_size);
        EXPECT_EQ(Property(pool, PORTACL_MEM_POOL_PROPERTY_HANDLE_TYPE), 0u);
        EXPECT_EQ(Property(pool, PORTACL_MEM_POOL_PROPERTY_USAGE), 0u);
    }
    if (Support(PORTACL_MEM_POOL_SUPPORT_HANDLE_TYPES) & ACL_MEM_HANDLE_TYPE_POSIX) {
        aclrtMemPoolProps props = PoolProps();
        props.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
        const MemPool pool(props);
        EXPECT_EQ(Property(pool, PORTACL_MEM_POOL_PROPERTY_HANDLE_TYPE), uint64_t(ACL_MEM_HANDLE_TYPE_POSIX));
    }
}

// A pool for the engine for decompression is created if the device has one, and is used like others.
static void CheckUsageOfTheEngine() {
    auto handle = Poison<aclrtMemPool>();
    portaclMemPoolProps props = SizedProps();
    props.usage = PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS;
    if (Support(PORTACL_MEM_POOL_SUPPORT_HW_DECOMPRESS)) {
        ACL_OK(portaclMemPoolCreate(&handle, &props));
        EXPECT_EQ(Property(handle, PORTACL_MEM_POOL_PROPERTY_USAGE), PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS);
        void* memory = nullptr;
        ACL_OK(aclrtMemPoolMallocAsync(&memory, kMiB, handle, nullptr));
        ACL_OK(aclrtMemsetAsync(memory, kMiB, 3, kMiB, nullptr));
        Bytes back(kMiB);
        ACL_OK(aclrtMemcpyAsync(back.data(), kMiB, memory, kMiB, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
        ACL_OK(aclrtMemPoolFreeAsync(memory, nullptr));
        Synchronize(nullptr);
        EXPECT_EQ(back, Bytes(kMiB, 3));
        ACL_OK(aclrtMemPoolDestroy(handle));
    } else {
        ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, portaclMemPoolCreate(&handle, &props), "decompression");
        EXPECT_TRUE(IsPoison(handle));
    }
    props.usage = 0;
    props.maxSize = 2 * kMiB;
    ACL_OK(portaclMemPoolCreate(&handle, &props));
    EXPECT_EQ(Property(handle, PORTACL_MEM_POOL_PROPERTY_MAX_SIZE), 2 * kMiB);
    ACL_OK(aclrtMemPoolDestroy(handle));
}

TEST_F(LocatedMemPool, UsageOfTheEngineForDecompression) {
    CheckUsageOfTheEngine();
}

OWN_PROCESS_TEST(LocatedMemPoolProcess, UsageOfAnEngineForDecompression, {"FAKE_CUDA_DECOMPRESS", "1"}) {
    if (!IsExact()) GTEST_SKIP() << "for CPUs only: a GPU's driver has what it has";
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    const bool has_pools = Support(PORTACL_MEM_POOL_SUPPORT_DEVICE) != 0;
    EXPECT_EQ(Support(PORTACL_MEM_POOL_SUPPORT_HW_DECOMPRESS), !OnCpu() && has_pools ? 1u : 0u);
    if (has_pools) CheckUsageOfTheEngine();
    ACL_OK(aclFinalize());
}

TEST_F(LocatedMemPool, ArgumentsAreChecked) {
    const Stream stream;
    const MemPool pool;
    const aclrtMemLocation here = LocationAt(kDevice), host = LocationAt(kHost), anywhere = LocationAt(kAnywhere),
                           unknown = LocationAt(2);
    auto got = Poison<aclrtMemPool>();
    const aclrtMemLocation no_node = LocationAt(kNode, 4000), no_device = LocationAt(kDevice, uint32_t(DeviceCount()));
    const aclrtMemLocation unset = LocationAt(kDevice, 1);
    ACL_FAILS(kInvalid, portaclMemGetDefaultMemPool(nullptr, &here, Type(kPinned)));
    ACL_FAILS_SAYING(kInvalid, portaclMemGetDefaultMemPool(&got, nullptr, Type(kPinned)), "location");
    for (const int wrong : {-1, 1, 3})
        ACL_FAILS_SAYING(kInvalid, portaclMemGetDefaultMemPool(&got, &here, Type(wrong)), "allocType");
    ACL_FAILS_SAYING(kInvalid, portaclMemGetDefaultMemPool(&got, &anywhere, Type(kPinned)), "location->type is 3");
    ACL_FAILS_SAYING(kInvalid, portaclMemGetDefaultMemPool(&got, &unknown, Type(kManaged)), "location->type is 2");
    ACL_FAILS_SAYING(kInvalid, portaclMemGetDefaultMemPool(&got, &no_node, Type(kPinned)), "location->id is 4000");
    ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclMemGetDefaultMemPool(&got, &no_device, Type(kPinned)));
    if (DeviceCount() > 1)
        ACL_FAILS_SAYING(kDead, portaclMemGetDefaultMemPool(&got, &unset, Type(kPinned)), "aclrtSetDevice(1)");
    OnNewThread(
        [&] { ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclMemGetDefaultMemPool(&got, &host, Type(kManaged))); });
    ACL_FAILS(kInvalid, portaclMemGetMemPool(nullptr, &here, Type(kPinned)));
    ACL_FAILS_SAYING(kInvalid, portaclMemGetMemPool(&got, nullptr, Type(kPinned)), "location");
    for (const int wrong : {-1, 1, 3})
        ACL_FAILS_SAYING(kInvalid, portaclMemGetMemPool(&got, &here, Type(wrong)), "allocType");
    ACL_FAILS_SAYING(kInvalid, portaclMemGetMemPool(&got, &anywhere, Type(kPinned)), "location->type is 3");
    ACL_FAILS_SAYING(kInvalid, portaclMemGetMemPool(&got, &unknown, Type(kManaged)), "location->type is 2");
    ACL_FAILS_SAYING(kInvalid, portaclMemGetMemPool(&got, &no_node, Type(kPinned)), "location->id is 4000");
    ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclMemGetMemPool(&got, &no_device, Type(kPinned)));
    if (DeviceCount() > 1)
        ACL_FAILS_SAYING(kDead, portaclMemGetMemPool(&got, &unset, Type(kPinned)), "aclrtSetDevice(1)");
    OnNewThread([&] { ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclMemGetMemPool(&got, &host, Type(kManaged))); });
    ACL_FAILS(kInvalid, portaclMemSetMemPool(nullptr, Type(kPinned), pool));
    ACL_FAILS(kInvalid, portaclMemSetMemPool(&here, Type(kPinned), nullptr));
    ACL_FAILS(kInvalid, portaclMemSetMemPool(&here, Type(1), pool));
    ACL_FAILS(kDead, portaclMemSetMemPool(&here, Type(kPinned), stream));
    auto value = Poison<uint64_t>();
    ACL_FAILS(kInvalid, portaclMemPoolGetProperty(pool, PORTACL_MEM_POOL_PROPERTY_USAGE, nullptr));
    ACL_FAILS(kInvalid, portaclMemPoolGetProperty(nullptr, PORTACL_MEM_POOL_PROPERTY_USAGE, &value));
    ACL_FAILS(kDead, portaclMemPoolGetProperty(stream, PORTACL_MEM_POOL_PROPERTY_USAGE, &value));
    for (const int wrong : {-1, 6})
        ACL_FAILS_SAYING(kInvalid, portaclMemPoolGetProperty(pool, static_cast<portaclMemPoolProperty>(wrong), &value),
                         "what");
    MemPool destroyed;
    const aclrtMemPool dead = destroyed.Release();
    ACL_OK(aclrtMemPoolDestroy(dead));
    ACL_FAILS(kDead, portaclMemSetMemPool(&here, Type(kPinned), dead));
    ACL_FAILS(kDead, portaclMemPoolGetProperty(dead, PORTACL_MEM_POOL_PROPERTY_USAGE, &value));
    EXPECT_TRUE(IsPoison(value));
    ACL_FAILS(kInvalid, portaclMemPoolCreate(nullptr, nullptr));
    ACL_FAILS(kInvalid, portaclMemPoolCreate(&got, nullptr));
    portaclMemPoolProps props = SizedProps();
    props.size -= 1;
    ACL_FAILS_SAYING(kInvalid, portaclMemPoolCreate(&got, &props), "poolProps->size");
    props = SizedProps();
    props.usage = 1;
    ACL_FAILS_SAYING(kInvalid, portaclMemPoolCreate(&got, &props), "poolProps->usage is 0x1");
    EXPECT_TRUE(IsPoison(got));
}

TEST_F(LocatedMemPool, RefusedInsideAHostFunction) {
    const Stream stream;
    const MemPool pool;
    struct Results {
        aclrtMemPool pool;
        aclError codes[5];
    } results{pool, {}};
    const auto call = [](void* data) {
        auto& all = *static_cast<Results*>(data);
        const aclrtMemLocation here = LocationAt(kDevice);
        const portaclMemPoolProps props = SizedProps();
        aclrtMemPool got = nullptr;
        uint64_t value = 0;
        all.codes[0] = portaclMemGetDefaultMemPool(&got, &here, Type(kPinned));
        all.codes[1] = portaclMemGetMemPool(&got, &here, Type(kPinned));
        all.codes[2] = portaclMemSetMemPool(&here, Type(kPinned), all.pool);
        all.codes[3] = portaclMemPoolGetProperty(all.pool, PORTACL_MEM_POOL_PROPERTY_USAGE, &value);
        all.codes[4] = portaclMemPoolCreate(&got, &props);
    };
    ACL_OK(aclrtLaunchHostFunc(stream, call, &results));
    Synchronize(stream);
    for (const aclError code : results.codes) EXPECT_EQ(code, kDead);
}

// The pools of other libraries in the process are not changed.
TEST_F(LocatedMemPool, TheDriverKeepsItsPools) {
    if (OnCpu()) GTEST_SKIP() << "the cpu backend has no driver below it";
    NEEDS_DRIVER_WITH("cuMemGetMemPool");
    struct {
        int type, id;
    } host = {2, 0};
    const auto of_driver = [&](const char* name) {
        void* pool = nullptr;
        Driver(name, &pool, &host, 1);
        return pool;
    };
    void* const before = of_driver("cuMemGetMemPool");
    EXPECT_EQ(before, of_driver("cuMemGetDefaultMemPool"));
    const MemPool pool(Props(kHost, kPinned));
    const aclrtMemLocation place = LocationAt(kHost);
    ACL_OK(portaclMemSetMemPool(&place, Type(kPinned), pool));
    EXPECT_EQ(of_driver("cuMemGetMemPool"), before);
}

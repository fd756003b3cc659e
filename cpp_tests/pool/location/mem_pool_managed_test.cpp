// Pools of managed memory.

#include "pool/location/located.h"

#include "support/graph/graph.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

// A pool of managed memory that prefers device 0.
class ManagedMemPool : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (!HasFatalFailure() && !HasManaged()) GTEST_SKIP() << "needs pools of managed memory";
    }
};

}  // namespace

TEST_F(ManagedMemPool, MemoryIsTheHostsAndEveryDevices) {
    constexpr size_t kSize = kMiB + 100;
    for (const int location : {kDevice, kHost, kNode, kNearest, kAnywhere}) {
        SCOPED_TRACE(testing::Message() << "location " << location);
        const Stream stream;
        const MemPool pool(Props(location, kManaged));
        auto* const bytes = static_cast<unsigned char*>(pool.Allocate(kSize, stream));
        ASSERT_NE(bytes, nullptr);
        ACL_OK(aclrtMemsetAsync(bytes, kSize, 5, kSize, stream));
        Synchronize(stream);
        EXPECT_EQ(Bytes(bytes, bytes + kSize), Bytes(kSize, 5));
        std::memset(bytes, 6, kSize);
        const DeviceMemory device(kSize);
        ACL_OK(aclrtMemcpyAsync(device.At(), kSize, bytes, kSize, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        Synchronize(stream);
        EXPECT_EQ(device.Download(), Bytes(kSize, 6));
        auto attributes = Poison<aclrtPtrAttributes>();
        ACL_OK(aclrtPointerGetAttributes(bytes, &attributes));
        EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_MANAGED);
        for (const aclrtMemLocation& who : {LocationAt(kDevice), LocationAt(kHost)}) {
            auto flags = Poison<aclrtMemAccessFlags>();
            ACL_OK(portaclMemPoolGetAccess(&flags, pool, &who));
            EXPECT_EQ(flags, ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
        }
        aclrtMemAccessDesc desc{};
        desc.location = LocationAt(kDevice);
        desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
        ACL_FAILS_SAYING(kInvalid, portaclMemPoolSetAccess(pool, &desc, 1), "managed memory");
        ACL_OK(aclrtMemPoolFreeAsync(bytes, stream));
        ACL_FAILS(kDead, aclrtMemPoolFreeAsync(bytes, stream));
        void* const again = pool.Allocate(kSize, stream);
        EXPECT_EQ(again, bytes) << "the stream reuses what it has freed";
        Synchronize(stream);
        // The host writes first: no operation has.
        std::memset(again, 8, kSize);
        ACL_OK(aclrtMemcpyAsync(device.At(), kSize, again, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        Synchronize(stream);
        EXPECT_EQ(device.Download(), Bytes(kSize, 8));
        ACL_OK(aclrtFree(again));
    }
}

TEST_F(ManagedMemPool, AnotherDeviceUsesItWithoutFurtherAccess) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    const MemPool pool(Props(kDevice, kManaged));
    auto* const bytes = static_cast<unsigned char*>(pool.Allocate(kMiB, nullptr));
    Synchronize(nullptr);
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtMemsetAsync(bytes, kMiB, 7, kMiB, nullptr));
    Synchronize(nullptr);
    EXPECT_EQ(bytes[kMiB - 1], 7);
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtFree(bytes));
}

TEST_F(ManagedMemPool, EndsWithItsDevice) {
    MemPool pool(Props(kHost, kManaged));
    const aclrtMemPool other = Default(kAnywhere, kManaged);
    void* const memory = pool.Allocate(kMiB, nullptr);
    pool.Release();
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(kDead, aclrtMemPoolFreeAsync(memory, nullptr));
    EXPECT_NE(Default(kAnywhere, kManaged), other);
}

TEST_F(ManagedMemPool, HasNeitherSharingNorLimitNorUsage) {
    auto handle = Poison<aclrtMemPool>();
    portaclMemPoolProps props = SizedProps(kDevice, kManaged);
    props.maxSize = kMiB;
    ACL_FAILS_SAYING(kInvalid, portaclMemPoolCreate(&handle, &props), "poolProps->maxSize");
    props = SizedProps(kDevice, kManaged);
    props.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    ACL_FAILS_SAYING(kInvalid, portaclMemPoolCreate(&handle, &props), "poolProps->handleType");
    props = SizedProps(kDevice, kManaged);
    props.usage = PORTACL_MEM_POOL_USAGE_HW_DECOMPRESS;
    ACL_FAILS_SAYING(kInvalid, portaclMemPoolCreate(&handle, &props), "poolProps->usage");
    EXPECT_TRUE(IsPoison(handle));
    const MemPool pool(Props(kDevice, kManaged));
    void* const memory = pool.Allocate(kMiB, nullptr);
    portaclMemPoolPtrExportData data{sizeof data, {}};
    ACL_FAILS_SAYING(kDead, portaclMemPoolExportPointer(&data, memory), "cannot be shared");
    ACL_FAILS_SAYING(kDead, portaclDeviceSetMemPool(0, pool), "managed memory");
    Synchronize(nullptr);
    ACL_OK(aclrtFree(memory));
}

TEST_F(ManagedMemPool, GraphsAllocateFromIt) {
    const Stream stream;
    const MemPool pool(Props(kDevice, kManaged));
    unsigned char* bytes = nullptr;
    const Graph graph = Capture(stream, [&] {
        bytes = static_cast<unsigned char*>(pool.Allocate(kMiB, stream));
        ACL_OK(aclrtMemsetAsync(bytes, kMiB, 9, kMiB, stream));
    });
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    Synchronize(stream);
    EXPECT_EQ(bytes[kMiB - 1], 9);
    ACL_OK(aclrtMemPoolFreeAsync(bytes, stream));
    Synchronize(stream);
}

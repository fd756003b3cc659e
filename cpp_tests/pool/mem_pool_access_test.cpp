// Access of devices and the host to the memory of a pool.

#include "support/pool/mem_pool.h"

#include <vector>

#include "support/says.h"

using namespace portacl_test;

namespace {

aclrtMemAccessDesc Desc(uint32_t device, int flags, int type = ACL_MEM_LOCATION_TYPE_DEVICE) {
    aclrtMemAccessDesc desc;
    std::memset(&desc, 0, sizeof desc);
    desc.location = {device, static_cast<aclrtMemLocationType>(type)};
    desc.flags = static_cast<aclrtMemAccessFlags>(flags);
    return desc;
}

int Access(aclrtMemPool pool, uint32_t device, int type = ACL_MEM_LOCATION_TYPE_DEVICE) {
    auto flags = Poison<aclrtMemAccessFlags>();
    const aclrtMemLocation location = {device, static_cast<aclrtMemLocationType>(type)};
    ACL_EXPECT_OK(portaclMemPoolGetAccess(&flags, pool, &location));
    return flags;
}

constexpr int kNone = ACL_RT_MEM_ACCESS_FLAGS_NONE, kRead = ACL_RT_MEM_ACCESS_FLAGS_READ,
              kReadWrite = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;

class MemPoolAccessTest : public WithDevice {};

// A pool on device 1, while device 0 is current.
class MemPoolOfPeerTest : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (HasFatalFailure()) return;
        int32_t can = 0;
        if (DeviceCount() < 2 || aclrtDeviceCanAccessPeer(&can, 0, 1) != 0 || !can)
            GTEST_SKIP() << "needs two devices that can use each other's memory";
        ACL_OK(aclrtSetDevice(1));
        const aclrtMemPoolProps props = PoolProps(1);
        ACL_OK(aclrtMemPoolCreate(&pool_, &props));
        ACL_OK(aclrtMemPoolMallocAsync(&memory_, kBytes, pool_, nullptr));
        ACL_OK(aclrtMemsetAsync(memory_, kBytes, 0, kBytes, nullptr));
        ACL_OK(aclrtSynchronizeDevice());
        ACL_OK(aclrtSetDevice(0));
    }

    void TearDown() override {
        if (pool_) {
            ACL_EXPECT_OK(aclrtFree(memory_));
            ACL_EXPECT_OK(aclrtMemPoolDestroy(pool_));
        }
        WithDevice::TearDown();
    }

    void Set(int flags) {
        const aclrtMemAccessDesc desc = Desc(0, flags);
        ACL_EXPECT_OK(portaclMemPoolSetAccess(pool_, &desc, 1));
    }

    // The result of copies from and to the pool's memory, in each direction.
    void ExpectCopies(aclError from, aclError to) {
        const Stream stream;
        const DeviceMemory own(kBytes);
        std::vector<unsigned char> host(kBytes, 1);
        const PinnedMemory pinned(kBytes, 1);
        EXPECT_TRUE(Returned("read", Copy(host.data(), memory_), from));
        EXPECT_TRUE(Returned("read", Copy(own.At(), memory_), from));
        EXPECT_TRUE(Returned("read", CopyAsync(pinned.At(), memory_, stream), from));
        Synchronize(stream);
        EXPECT_TRUE(Returned("write", Copy(memory_, host.data()), to));
        EXPECT_TRUE(Returned("write", Copy(memory_, own.At()), to));
        EXPECT_TRUE(Returned("write", CopyAsync(memory_, pinned.At(), stream), to));
        Synchronize(stream);
        EXPECT_TRUE(Returned("fill", aclrtMemset(memory_, kBytes, 1, kBytes), to));
    }

    static aclError Copy(void* to, const void* from) {
        return aclrtMemcpy(to, kBytes, from, kBytes, ACL_MEMCPY_DEFAULT);
    }

    static aclError CopyAsync(void* to, const void* from, aclrtStream stream) {
        return aclrtMemcpyAsync(to, kBytes, from, kBytes, ACL_MEMCPY_DEFAULT, stream);
    }

    static constexpr size_t kBytes = 4096;
    aclrtMemPool pool_ = nullptr;
    void* memory_ = nullptr;
};

}  // namespace

TEST_F(MemPoolAccessTest, APoolsDeviceHasFullAccess) {
    const MemPool pool;
    EXPECT_EQ(Access(pool, 0), kReadWrite);
    if (DeviceCount() > 1) {
        EXPECT_EQ(Access(pool, 1), kNone);
    }
    EXPECT_EQ(Access(pool, 0, ACL_MEM_LOCATION_TYPE_HOST), kNone);
    const aclrtMemAccessDesc same = Desc(0, kReadWrite);
    ACL_OK(portaclMemPoolSetAccess(pool, &same, 1));
    for (int flags : {kNone, kRead}) {
        const aclrtMemAccessDesc less = Desc(0, flags);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemPoolSetAccess(pool, &less, 1), "descList[0]", "device 0");
    }
    EXPECT_EQ(Access(pool, 0), kReadWrite);
}

TEST_F(MemPoolAccessTest, TheHostHasAccessToPoolsOfHostMemory) {
    aclrtMemPoolProps props = PoolProps();
    props.location = {0, ACL_MEM_LOCATION_TYPE_HOST_NUMA};
    const MemPool pool(props);
    EXPECT_EQ(Access(pool, 0, ACL_MEM_LOCATION_TYPE_HOST), kReadWrite);
    EXPECT_EQ(Access(pool, 0, ACL_MEM_LOCATION_TYPE_HOST_NUMA), kReadWrite);
    EXPECT_EQ(Access(pool, 0), kNone);
}

TEST_F(MemPoolAccessTest, ADeviceNeedsAccessToHostMemoryOfAPool) {
    aclrtMemPoolProps props = PoolProps();
    props.location = {0, ACL_MEM_LOCATION_TYPE_HOST};
    const MemPool pool(props);
    const Stream stream;
    const DeviceMemory device(4096);
    void* memory = pool.Allocate(4096, stream);
    Synchronize(stream);
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                     aclrtMemcpyAsync(device.At(), 4096, memory, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream), "src",
                     "device 0 may not read", "portaclMemPoolSetAccess");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                     aclrtMemcpy(memory, 4096, device.At(), 4096, ACL_MEMCPY_DEVICE_TO_HOST), "dst",
                     "device 0 may not write");
    const aclrtMemAccessDesc access = Desc(0, kReadWrite);
    ACL_OK(portaclMemPoolSetAccess(pool, &access, 1));
    ACL_EXPECT_OK(aclrtMemcpyAsync(device.At(), 4096, memory, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    Synchronize(stream);
    ACL_EXPECT_OK(aclrtMemcpy(memory, 4096, device.At(), 4096, ACL_MEMCPY_DEVICE_TO_HOST));
    Free(memory, stream);
    Synchronize(stream);
}

TEST_F(MemPoolAccessTest, WrongArgumentsAreRefusedAndNothingIsSet) {
    constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM, kDead = ACL_ERROR_RT_PARAM_INVALID;
    const MemPool pool;
    const aclrtMemAccessDesc good = Desc(0, kReadWrite);
    ACL_FAILS(kInvalid, portaclMemPoolSetAccess(nullptr, &good, 1));
    ACL_FAILS(kDead, portaclMemPoolSetAccess(const_cast<aclrtMemAccessDesc*>(&good), &good, 1));
    ACL_FAILS(kInvalid, portaclMemPoolSetAccess(pool, nullptr, 1));
    ACL_FAILS(kInvalid, portaclMemPoolSetAccess(pool, &good, 0));
    for (int type : {-1, 0, 2, 3, 4, 5}) {
        const aclrtMemAccessDesc desc = Desc(0, kReadWrite, type);
        ACL_FAILS_SAYING(kInvalid, portaclMemPoolSetAccess(pool, &desc, 1), "location.type is " + std::to_string(type));
    }
    for (int flags : {-1, 2, 4}) {
        const aclrtMemAccessDesc desc = Desc(0, flags);
        ACL_FAILS_SAYING(kInvalid, portaclMemPoolSetAccess(pool, &desc, 1), "flags is " + std::to_string(flags));
    }
    const aclrtMemAccessDesc no_device = Desc(DeviceCount(), kReadWrite);
    ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclMemPoolSetAccess(pool, &no_device, 1));
    if (DeviceCount() > 1) {
        const aclrtMemAccessDesc list[] = {Desc(1, kReadWrite), no_device};
        ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclMemPoolSetAccess(pool, list, 2));
        EXPECT_EQ(Access(pool, 1), kNone);
    }

    auto flags = Poison<aclrtMemAccessFlags>();
    aclrtMemLocation location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    ACL_FAILS(kInvalid, portaclMemPoolGetAccess(nullptr, pool, &location));
    ACL_FAILS(kInvalid, portaclMemPoolGetAccess(&flags, pool, nullptr));
    ACL_FAILS(kInvalid, portaclMemPoolGetAccess(&flags, nullptr, &location));
    location.id = DeviceCount();
    ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclMemPoolGetAccess(&flags, pool, &location));
    location = {0, ACL_MEM_LOCATION_TYPE_MANAGED};
    ACL_FAILS(kInvalid, portaclMemPoolGetAccess(&flags, pool, &location));
    EXPECT_TRUE(IsPoison(flags));
}

TEST_F(MemPoolOfPeerTest, CopiesOfADeviceWithoutAccessFail) {
    EXPECT_EQ(Access(pool_, 0), kNone);
    ExpectCopies(ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_PARAM_INVALID);
    std::vector<unsigned char> host(kBytes, 1);
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                     aclrtMemcpy(host.data(), kBytes, memory_, kBytes, ACL_MEMCPY_DEVICE_TO_HOST), "src",
                     "pool on device 1", "device 0 may not read", "portaclMemPoolSetAccess");
    // The pool's device may access it.
    ACL_OK(aclrtSetDevice(1));
    ACL_EXPECT_OK(aclrtMemcpy(host.data(), kBytes, memory_, kBytes, ACL_MEMCPY_DEVICE_TO_HOST));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(MemPoolOfPeerTest, AccessIsGrantedAndRevoked) {
    Set(kReadWrite);
    EXPECT_EQ(Access(pool_, 0), kReadWrite);
    EXPECT_EQ(Access(pool_, 1), kReadWrite);
    ExpectCopies(ACL_SUCCESS, ACL_SUCCESS);
    Set(kNone);
    EXPECT_EQ(Access(pool_, 0), kNone);
    ExpectCopies(ACL_ERROR_RT_PARAM_INVALID, ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(MemPoolOfPeerTest, ReadersDoNotWrite) {
    if (!IsExact()) GTEST_SKIP() << "for CPUs only: drivers give devices both or nothing";
    Set(kRead);
    EXPECT_EQ(Access(pool_, 0), kRead);
    ExpectCopies(ACL_SUCCESS, ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(MemPoolOfPeerTest, AccessAppliesToLaterAllocations) {
    Set(kReadWrite);
    ACL_OK(aclrtSetDevice(1));
    void* later = nullptr;
    ACL_OK(aclrtMemPoolMallocAsync(&later, 40 * kMiB, pool_, nullptr));
    ACL_OK(aclrtSynchronizeDevice());
    ACL_OK(aclrtSetDevice(0));
    EXPECT_TRUE(Returned("fill", aclrtMemset(later, kBytes, 1, kBytes), 0));
    ACL_OK(aclrtFree(later));
}

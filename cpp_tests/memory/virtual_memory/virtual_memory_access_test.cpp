// Access to mapped memory: rights of mappings, other devices, and the host.

#include "memory/virtual_memory/contents.h"
#include "support/memory/virtual_memory.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

TEST_F(VirtualMemory, AMappingNeedsAccessRights) {
    Range range(2 * kPiece);
    PhysicalMemory memory, other;
    ACL_OK(aclrtMemMapNoAccess(range.At(), kPiece, 0, memory, 0));
    ACL_OK(aclrtMemMapNoAccess(range.At(kPiece), kPiece, 0, other, 0));
    EXPECT_TRUE(
        FailedSaying("aclrtMemset", aclrtMemset(range.At(), 8, 1, 8), kDead, {Shown(range.At()), "aclrtMemSetAccess"}));
    aclrtMemLocation device{0, ACL_MEM_LOCATION_TYPE_DEVICE}, host{0, ACL_MEM_LOCATION_TYPE_HOST};
    auto flag = Poison<uint64_t>();
    ACL_OK(aclrtMemGetAccess(range.At(5), &device, &flag));
    EXPECT_EQ(flag, uint64_t{ACL_RT_MEM_ACCESS_FLAGS_NONE});
    // Both at once.
    aclrtMemAccessDesc desc{};
    desc.location = device;
    desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    ACL_OK(aclrtMemSetAccess(range.At(), 2 * kPiece, &desc, 1));
    Upload(range.At(), Pattern(2 * kPiece));
    EXPECT_TRUE(Download(range.At(), 2 * kPiece) == Pattern(2 * kPiece));
    ACL_OK(aclrtMemGetAccess(range.At(kPiece), &device, &flag));
    EXPECT_EQ(flag, uint64_t{ACL_RT_MEM_ACCESS_FLAGS_READWRITE});
    ACL_OK(aclrtMemGetAccess(range.At(kPiece), &host, &flag));
    EXPECT_EQ(flag, uint64_t{ACL_RT_MEM_ACCESS_FLAGS_NONE});
    // Read access.
    desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
    ACL_OK(aclrtMemSetAccess(range.At(kPiece), kPiece, &desc, 1));
    EXPECT_TRUE(FailedSaying("aclrtMemset", aclrtMemset(range.At(), 2 * kPiece, 1, 2 * kPiece), kDead,
                             {"device 0 may not write"}));
    Stream stream;
    ACL_FAILS(kDead, aclrtMemcpyAsync(range.At(kPiece), 8, range.At(), 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL_FAILS(kDead, aclrtReduceAsync(range.At(kPiece), range.At(), 32, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8,
                                      stream, nullptr));
    EXPECT_TRUE(Download(range.At(), 2 * kPiece) == Pattern(2 * kPiece));
    // No more than read access.
    desc.flags = ACL_RT_MEM_ACCESS_FLAGS_NONE;
    ACL_OK(aclrtMemSetAccess(range.At(), kPiece, &desc, 1));
    ACL_FAILS(kDead, aclrtMemset(range.At(), 8, 1, 8));
    auto attributes = Poison<aclrtPtrAttributes>();
    ACL_OK(aclrtPointerGetAttributes(range.At(), &attributes));
    EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    ACL_OK(aclrtUnmapMem(range.At()));
    ACL_OK(aclrtUnmapMem(range.At(kPiece)));
}

TEST_F(VirtualMemory, AccessFromOtherDevices) {
    Range range(kPiece);
    PhysicalMemory memory;
    const Mapping mapping(range.At(), memory);
    aclrtMemAccessDesc desc{};
    desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    desc.location = {0, ACL_MEM_LOCATION_TYPE_HOST};
    if (OnCpu()) {
        ACL_OK(aclrtMemSetAccess(range.At(), kPiece, &desc, 1));
        // Also in guard mode.
        std::memset(range.At(), 3, 100);
        EXPECT_TRUE(Download(range.At(), 100) == Bytes(100, 3));
    } else {
        ACL_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtMemSetAccess(range.At(), kPiece, &desc, 1));
    }
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    desc.location = {1, ACL_MEM_LOCATION_TYPE_DEVICE};
    ACL_OK(aclrtMemSetAccess(range.At(), kPiece, &desc, 1));
    auto flag = Poison<uint64_t>();
    ACL_OK(aclrtMemGetAccess(range.At(), &desc.location, &flag));
    EXPECT_EQ(flag, uint64_t{ACL_RT_MEM_ACCESS_FLAGS_READWRITE});
}

TEST_F(VirtualMemory, HostMemory) {
    const aclrtPhysicalMemProp props = HostProps();
    if (!OnCpu()) {
        auto handle = Poison<aclrtDrvMemHandle>();
        EXPECT_TRUE(FailedSaying("aclrtMallocPhysical", aclrtMallocPhysical(&handle, kPiece, &props, 0),
                                 ACL_ERROR_RT_FEATURE_NOT_SUPPORT, {"aclrtMallocHost"}));
        EXPECT_TRUE(IsPoison(handle));
        return;
    }
    Range range(2 * kPiece);
    PhysicalMemory a(kPiece, props), b(kPiece, props);
    const Mapping first(range.At(), a), second(range.At(kPiece), b);
    // The host uses the addresses directly.
    std::memset(range.At(), 6, 2 * kPiece);
    DeviceMemory device(2 * kPiece);
    Stream stream;
    ACL_OK(aclrtMemcpyAsync(device.At(), 2 * kPiece, range.At(), 2 * kPiece, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(device.Download() == Bytes(2 * kPiece, 6));
    auto attributes = Poison<aclrtPtrAttributes>();
    ACL_OK(aclrtPointerGetAttributes(range.At(100), &attributes));
    EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
}

}  // namespace

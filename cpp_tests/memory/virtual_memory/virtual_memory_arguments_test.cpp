// Invalid arguments of the functions of virtual memory.

#include "support/gate.h"
#include "support/memory/virtual_memory.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;

class VirtualMemoryArguments : public WithDevice {};

TEST_F(VirtualMemoryArguments, Granularity) {
    auto props = PhysicalProps();
    auto out = Poison<size_t>();
    const auto minimum = ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM;
    ACL_FAILS(kInvalid, aclrtMemGetAllocationGranularity(nullptr, minimum, &out));
    ACL_FAILS(kInvalid, aclrtMemGetAllocationGranularity(&props, minimum, nullptr));
    for (const int option : {-1, 2, 65535}) {
        EXPECT_TRUE(FailedSaying("aclrtMemGetAllocationGranularity",
                                 aclrtMemGetAllocationGranularity(&props, aclrtMemGranularityOptions(option), &out),
                                 kInvalid, {"option is " + std::to_string(option)}));
    }
    props.location.id = 4000;
    ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtMemGetAllocationGranularity(&props, minimum, &out));
    EXPECT_TRUE(IsPoison(out));
}

TEST_F(VirtualMemoryArguments, Reserve) {
    auto out = Poison<void*>();
    ACL_FAILS(kInvalid, aclrtReserveMemAddress(nullptr, kPiece, 0, nullptr, 0));
    ACL_FAILS(kInvalid, aclrtReserveMemAddress(&out, 0, 0, nullptr, 0));
    EXPECT_TRUE(FailedSaying("aclrtReserveMemAddress", aclrtReserveMemAddress(&out, kPiece, 3, nullptr, 0), kInvalid,
                             {"alignment is 3"}));
    EXPECT_TRUE(FailedSaying("aclrtReserveMemAddress", aclrtReserveMemAddress(&out, kPiece, 0, nullptr, 2), kInvalid,
                             {"flags is 0x2"}));
    void* const odd = reinterpret_cast<void*>(4096);
    EXPECT_TRUE(FailedSaying("aclrtReserveMemAddress", aclrtReserveMemAddress(&out, kPiece, 0, odd, 0), kInvalid,
                             {"expectPtr 0x1000"}));
    ACL_FAILS(kInvalid, aclrtReserveMemAddressNoUCMemory(nullptr, kPiece, 0, nullptr, 0));
    ACL_FAILS(kInvalid, aclrtReserveMemAddressNoUCMemory(&out, 0, 0, nullptr, 0));
    EXPECT_TRUE(IsPoison(out));
    ACL_FAILS(kInvalid, aclrtReleaseMemAddress(nullptr));
    int here = 0;
    ACL_FAILS(kDead, aclrtReleaseMemAddress(&here));
}

TEST_F(VirtualMemoryArguments, Physical) {
    auto out = Poison<aclrtDrvMemHandle>();
    const auto good = PhysicalProps();
    ACL_FAILS(kInvalid, aclrtMallocPhysical(nullptr, kPiece, &good, 0));
    ACL_FAILS(kInvalid, aclrtMallocPhysical(&out, kPiece, nullptr, 0));
    ACL_FAILS(kInvalid, aclrtMallocPhysical(&out, 0, &good, 0));
    ACL_FAILS(kInvalid, aclrtMallocPhysical(&out, kPiece, &good, 1));
    const auto refused = [&](aclrtPhysicalMemProp props, aclError code, const char* says) {
        EXPECT_TRUE(FailedSaying("aclrtMallocPhysical", aclrtMallocPhysical(&out, kPiece, &props, 0), code, {says}));
    };
    auto props = good;
    props.handleType = aclrtMemHandleType(1);
    refused(props, kInvalid, "handleType is 1");
    props = good;
    props.allocationType = aclrtMemAllocationType(1);
    refused(props, kInvalid, "allocationType is 1");
    props = good;
    props.memAttr = aclrtMemAttr(18);
    refused(props, kInvalid, "memAttr is 18");
    props.memAttr = aclrtMemAttr(-1);
    refused(props, kInvalid, "memAttr is -1");
    props.memAttr = ACL_HBM_MEM_HUGE1G;
    refused(props, ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "1 GiB");
    props = good;
    props.location.type = ACL_MEM_LOCATION_TYPE_MANAGED;
    refused(props, kInvalid, "location.type is 3");
    props.location = {4000, ACL_MEM_LOCATION_TYPE_HOST_NUMA};
    refused(props, kInvalid, "location.id is 4000");
    props.location = {4000, ACL_MEM_LOCATION_TYPE_DEVICE};
    refused(props, ACL_ERROR_RT_INVALID_DEVICEID, "4000");
    if (DeviceCount() > 1) {
        props.location.id = 1;
        refused(props, kDead, "aclrtSetDevice(1)");
    }
    EXPECT_TRUE(IsPoison(out));
}

TEST_F(VirtualMemoryArguments, HandlesOfPhysicalMemory) {
    Stream stream;
    auto props = Poison<aclrtPhysicalMemProp>();
    Range range(kPiece);
    const struct {
        aclrtDrvMemHandle handle;
        aclError code;
    } cases[] = {
        {nullptr, kInvalid},
        {reinterpret_cast<aclrtDrvMemHandle>(0x1234), kDead},
        {static_cast<aclrtStream>(stream), kDead},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.handle);
        ACL_FAILS(one.code, aclrtFreePhysical(one.handle));
        ACL_FAILS(one.code, aclrtMemGetAllocationPropertiesFromHandle(one.handle, &props));
        ACL_FAILS(one.code, aclrtMapMem(range.At(), kPiece, 0, one.handle, 0));
        ACL_FAILS(one.code, aclrtMemMapNoAccess(range.At(), kPiece, 0, one.handle, 0));
    }
    PhysicalMemory memory;
    ACL_FAILS(kInvalid, aclrtMemGetAllocationPropertiesFromHandle(memory, nullptr));
    EXPECT_TRUE(IsPoison(props));
}

TEST_F(VirtualMemoryArguments, Map) {
    Range range(4 * kPiece);
    PhysicalMemory memory(2 * kPiece);
    for (const auto map : {aclrtMapMem, aclrtMemMapNoAccess}) {
        const char* const name = map == aclrtMapMem ? "aclrtMapMem" : "aclrtMemMapNoAccess";
        const auto refused = [&](void* address, size_t size, size_t offset, uint64_t flags, aclError code,
                                 const std::string& says) {
            EXPECT_TRUE(FailedSaying(name, map(address, size, offset, memory, flags), code, {says}));
        };
        refused(nullptr, 2 * kPiece, 0, 0, kInvalid, "virPtr is null");
        refused(range.At(), 0, 0, 0, kInvalid, "size is 0");
        refused(range.At(), kPiece, 0, 0, kInvalid, "size is " + std::to_string(kPiece));
        refused(range.At(), SIZE_MAX, 0, 0, kInvalid, "address space");
        refused(range.At(), 2 * kPiece, kPiece, 0, kInvalid, "offset is " + std::to_string(kPiece));
        refused(range.At(), 2 * kPiece, 0, 1, kInvalid, "flags is 0x1");
        refused(range.At(4096), 2 * kPiece, 0, 0, kInvalid, "not a multiple of");
        refused(range.At(3 * kPiece), 2 * kPiece, 0, 0, kInvalid, "past the end of the range");
        refused(reinterpret_cast<void*>(kPiece), 2 * kPiece, 0, 0, kDead, "aclrtReserveMemAddress");
    }
    {
        const Mapping mapping(range.At(kPiece), memory, 2 * kPiece);
        for (const size_t at : {size_t{0}, kPiece, 2 * kPiece}) {
            EXPECT_TRUE(FailedSaying("aclrtMapMem", aclrtMapMem(range.At(at), 2 * kPiece, 0, memory, 0), kDead,
                                     {Shown(range.At(kPiece)), "already"}));
        }
        EXPECT_TRUE(FailedSaying("aclrtUnmapMem", aclrtUnmapMem(range.At(kPiece + 8)), kDead, {"pass its start"}));
        EXPECT_TRUE(FailedSaying("aclrtFree", aclrtFree(range.At(kPiece)), kDead, {"mapped memory", "aclrtUnmapMem"}));
    }
    ACL_FAILS(kInvalid, aclrtUnmapMem(nullptr));
    ACL_FAILS(kDead, aclrtUnmapMem(range.At(kPiece)));
    int here = 0;
    ACL_FAILS(kDead, aclrtUnmapMem(&here));
}

TEST_F(VirtualMemoryArguments, Access) {
    Range range(3 * kPiece);
    PhysicalMemory memory(2 * kPiece);
    const Mapping mapping(range.At(), memory, 2 * kPiece);
    aclrtMemAccessDesc good{};
    good.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    good.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    ACL_FAILS(kInvalid, aclrtMemSetAccess(nullptr, kPiece, &good, 1));
    ACL_FAILS(kInvalid, aclrtMemSetAccess(range.At(), 0, &good, 1));
    ACL_FAILS(kInvalid, aclrtMemSetAccess(range.At(), 2 * kPiece, nullptr, 1));
    ACL_FAILS(kInvalid, aclrtMemSetAccess(range.At(), 2 * kPiece, &good, 0));
    ACL_FAILS(kDead, aclrtMemSetAccess(range.At(), kPiece, &good, 1));
    ACL_FAILS(kDead, aclrtMemSetAccess(range.At(), 3 * kPiece, &good, 1));
    ACL_FAILS(kDead, aclrtMemSetAccess(range.At(2 * kPiece), kPiece, &good, 1));
    // The second of two is invalid: the first has no effect either.
    aclrtMemAccessDesc list[2] = {good, good};
    list[0].flags = ACL_RT_MEM_ACCESS_FLAGS_NONE;
    const auto refused = [&](aclError code, const char* says) {
        EXPECT_TRUE(
            FailedSaying("aclrtMemSetAccess", aclrtMemSetAccess(range.At(), 2 * kPiece, list, 2), code, {says}));
    };
    list[1].flags = aclrtMemAccessFlags(2);
    refused(kInvalid, "desc[1].flags is 2");
    list[1] = good;
    list[1].location.type = ACL_MEM_LOCATION_TYPE_HOST_NUMA;
    refused(kInvalid, "desc[1].location.type is 4");
    list[1].location = {7, ACL_MEM_LOCATION_TYPE_HOST};
    refused(kInvalid, "desc[1].location.id is 7");
    list[1].location = {4000, ACL_MEM_LOCATION_TYPE_DEVICE};
    refused(ACL_ERROR_RT_INVALID_DEVICEID, "desc[1].location.id");
    ACL_OK(aclrtMemset(range.At(), 8, 0, 8));

    auto flag = Poison<uint64_t>();
    ACL_FAILS(kInvalid, aclrtMemGetAccess(nullptr, &good.location, &flag));
    ACL_FAILS(kInvalid, aclrtMemGetAccess(range.At(), nullptr, &flag));
    ACL_FAILS(kInvalid, aclrtMemGetAccess(range.At(), &good.location, nullptr));
    ACL_FAILS(kDead, aclrtMemGetAccess(range.At(2 * kPiece), &good.location, &flag));
    ACL_FAILS(kInvalid,
              aclrtMemGetAccess(range.At(), &(list[1].location = {0, ACL_MEM_LOCATION_TYPE_UNREGISTERED}), &flag));
    EXPECT_TRUE(IsPoison(flag));
    auto handle = Poison<aclrtDrvMemHandle>();
    ACL_FAILS(kInvalid, aclrtMemRetainAllocationHandle(nullptr, &handle));
    ACL_FAILS(kInvalid, aclrtMemRetainAllocationHandle(range.At(), nullptr));
    ACL_FAILS(kDead, aclrtMemRetainAllocationHandle(range.At(2 * kPiece), &handle));
    EXPECT_TRUE(IsPoison(handle));
}

struct VirtualMemoryCalls {
    void* address;
    aclrtDrvMemHandle memory;
    aclError codes[9];
};

void CallAll(void* argument) {
    auto* inside = static_cast<VirtualMemoryCalls*>(argument);
    auto props = PhysicalProps();
    void* address = nullptr;
    aclrtDrvMemHandle handle = nullptr;
    aclrtMemAccessDesc desc{};
    desc.location = props.location;
    desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
    uint64_t flag = 0;
    aclError* code = inside->codes;
    *code++ = aclrtReserveMemAddress(&address, kPiece, 0, nullptr, 0);
    *code++ = aclrtReleaseMemAddress(inside->address);
    *code++ = aclrtMallocPhysical(&handle, kPiece, &props, 0);
    *code++ = aclrtFreePhysical(inside->memory);
    *code++ = aclrtMapMem(inside->address, kPiece, 0, inside->memory, 0);
    *code++ = aclrtUnmapMem(inside->address);
    *code++ = aclrtMemSetAccess(inside->address, kPiece, &desc, 1);
    *code++ = aclrtMemGetAccess(inside->address, &desc.location, &flag);
    *code++ = aclrtMemRetainAllocationHandle(inside->address, &handle);
}

TEST_F(VirtualMemoryArguments, InsideAHostFunction) {
    Range range(kPiece);
    PhysicalMemory memory;
    const Mapping mapping(range.At(), memory);
    VirtualMemoryCalls inside{range.At(), memory, {}};
    {
        Stream stream;
        ACL_OK(aclrtLaunchHostFunc(stream, CallAll, &inside));
        ACL_OK(aclrtSynchronizeStream(stream));
    }
    for (const aclError code : inside.codes) EXPECT_EQ(code, kDead);
}

}  // namespace

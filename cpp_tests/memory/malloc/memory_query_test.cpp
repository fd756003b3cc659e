// Queries about allocations: the range around an address, and the kind of memory.

#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

constexpr size_t kMiB = 1 << 20;

class AddressRange : public WithDevice {};

TEST_F(AddressRange, OfAnyAddressInside) {
    DeviceMemory device(5000);
    PinnedMemory pinned(5000, 0);
    for (void* start : {device.At(), pinned.At()}) {
        for (size_t offset : {size_t{0}, size_t{1}, size_t{4999}}) {
            auto base = Poison<void*>();
            auto size = Poison<size_t>();
            ACL_OK(aclrtMemGetAddressRange(static_cast<char*>(start) + offset, &base, &size));
            EXPECT_EQ(base, start);
            EXPECT_TRUE(size == 5024 || size == 5056) << size;
        }
    }
    OnNewThread([&] {
        void* base = nullptr;
        size_t size = 0;
        ACL_OK(aclrtMemGetAddressRange(device.At(7), &base, &size));
        EXPECT_EQ(base, device.At());
    });
}

TEST_F(AddressRange, BadArguments) {
    void* gone = DeviceMemory(100).Release();
    ACL_OK(aclrtFree(gone));
    DeviceMemory device(100);
    std::vector<char> pageable(100);
    auto base = Poison<void*>();
    auto size = Poison<size_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMemGetAddressRange(nullptr, &base, &size), "ptr is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMemGetAddressRange(device.At(), nullptr, &size), "pbase");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMemGetAddressRange(device.At(), &base, nullptr), "psize");
    for (void* unknown : {static_cast<void*>(pageable.data()), reinterpret_cast<void*>(~uintptr_t{0})})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtMemGetAddressRange(unknown, &base, &size), Shown(unknown));
    EXPECT_TRUE(IsPoison(base));
    EXPECT_TRUE(IsPoison(size));
    // The address may be allocated again by now, or free.
    DeviceMemory after(4 * kMiB);
    void* late = DeviceMemory(4 * kMiB).Release();
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemGetAddressRange(late, &base, &size));
    EXPECT_TRUE(IsPoison(base));
    device.Release();
    after.Release();
    ACL_OK(aclInit(nullptr));
}

class CheckMemType : public WithDevice {};

TEST_F(CheckMemType, AllOrNot) {
    DeviceMemory device(1000), another(64);
    PinnedMemory pinned(64, 0);
    int local = 0;
    const struct {
        std::vector<void*> addresses;
        uint32_t type;
        uint32_t wanted;
    } cases[] = {
        {{device.At()}, ACL_RT_MEM_TYPE_DEV, 1},
        {{device.At(), device.At(999), another.At()}, ACL_RT_MEM_TYPE_DEV, 1},
        {{device.At()}, ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD, 1},
        {{device.At()}, ACL_RT_MEM_TYPE_DVPP, 0},
        {{device.At()}, ACL_RT_MEM_TYPE_RSVD, 0},
        {{pinned.At()}, ACL_RT_MEM_TYPE_DEV, 0},
        {{device.At(), pinned.At()}, ACL_RT_MEM_TYPE_DEV, 0},
        {{&local, device.At()}, ACL_RT_MEM_TYPE_DEV, 0},
        {{nullptr}, ACL_RT_MEM_TYPE_DEV, 0},
    };
    for (const auto& one : cases) {
        auto addresses = one.addresses;
        auto result = Poison<uint32_t>();
        ACL_OK(aclrtCheckMemType(addresses.data(), uint32_t(addresses.size()), one.type, &result, 0));
        EXPECT_EQ(result, one.wanted) << addresses.size() << " of type " << one.type;
    }
}

TEST_F(CheckMemType, BadArguments) {
    DeviceMemory device(64);
    void* list[] = {device.At()};
    auto result = Poison<uint32_t>();
    const uint32_t kDevice = ACL_RT_MEM_TYPE_DEV;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCheckMemType(nullptr, 1, kDevice, &result, 0), "addrList");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCheckMemType(list, 1, kDevice, nullptr, 0), "checkResult");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCheckMemType(list, 0, kDevice, &result, 0), "size");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCheckMemType(list, 1, kDevice, &result, 9), "reserve is 9");
    for (uint32_t type : {0u, 1u, 4u, 0x22u, ~0u})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCheckMemType(list, 1, type, &result, 0), "memType");
    EXPECT_TRUE(IsPoison(result));
}

}  // namespace

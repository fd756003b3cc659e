// Which host memory is registered and unregistered, and what is refused.

#include <portacl/portacl.h>
#include <sys/mman.h>

#include <atomic>
#include <limits>
#include <string>

#include "memory/host_register/host_register.h"
#include "support/gate.h"
#include "support/memory/far_address.h"
#include "support/objects.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

TEST_F(HostRegister, TwiceIsAnError) {
    Pages pages(4 * kPage);
    auto device = Poison<void*>();
    {
        Registered registered(pages.At(kPage), 2 * kPage, kPinned);
        for (size_t offset : {size_t{0}, kPage, 2 * kPage}) {
            ACL_FAILS_SAYING(kAlready, aclrtHostRegisterV2(pages.At(offset), 2 * kPage, kMapped),
                             Shown(pages.At(offset)), Shown(pages.At(kPage)), "aclrtHostUnregister");
            ACL_FAILS(kAlready, aclrtHostRegister(pages.At(offset), 2 * kPage, ACL_HOST_REGISTER_MAPPED, &device));
        }
        EXPECT_TRUE(IsPoison(device));
        // Adjacent ranges do not overlap.
        Registered before(pages.At(), kPage, kPinned), after(pages.At(3 * kPage), 1, kMapped);
        EXPECT_EQ(LocationOf(pages.At(3 * kPage)), ACL_MEM_LOCATION_TYPE_HOST);
    }
    Registered all(pages.At(), 4 * kPage, kPinned);
}

TEST_F(HostRegister, UnregisterTakesTheAddressThatWasRegistered) {
    Pages pages(2 * kPage);
    PinnedMemory pinned(100);
    DeviceMemory device(100);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtHostUnregister(nullptr), "ptr", "null");
    ACL_FAILS_SAYING(kNot, aclrtHostUnregister(pages.At()), "ptr", Shown(pages.At()));
    ACL_OK(aclrtHostRegisterV2(pages.At(), 2 * kPage, kPinned));
    ACL_FAILS_SAYING(kDead, aclrtHostUnregister(pages.At(kPage)), "4096 bytes into", Shown(pages.At()));
    ACL_FAILS_SAYING(kDead, aclrtHostUnregister(pinned.At()), "aclrtFreeHost", Shown(pinned.At()));
    ACL_FAILS_SAYING(kDead, aclrtHostUnregister(device.At()), "is device memory", "aclrtFree", Shown(device.At()));
    {
        const MemPool pool;
        const Stream stream;
        void* const address = pool.Allocate(100, stream);
        ACL_FAILS_SAYING(kDead, aclrtHostUnregister(address), "is pool memory", "aclrtMemPoolFreeAsync");
        Free(address, stream);
        Synchronize(stream);
    }
    // Freeing it is an error.
    ACL_FAILS_SAYING(kDead, aclrtFreeHost(pages.At()), "aclrtHostUnregister", Shown(pages.At()));
    ACL_FAILS_SAYING(kDead, aclrtFree(pages.At()), "aclrtHostUnregister", Shown(pages.At()));
    ACL_FAILS(kDead, aclrtFreeHostWithDevSync(pages.At()));
    EXPECT_EQ(LocationOf(pages.At()), ACL_MEM_LOCATION_TYPE_HOST);
    ACL_OK(aclrtHostUnregister(pages.At()));
    ACL_FAILS_SAYING(kNot, aclrtHostUnregister(pages.At()), "not registered");
}

TEST_F(HostRegister, MemoryOfThisLibraryIsRefused) {
    PinnedMemory pinned(3 * kPage);
    DeviceMemory device(3 * kPage);
    for (void* own : {pinned.At(), device.At()})
        ACL_FAILS_SAYING(kDead, aclrtHostRegisterV2(own, kPage, kPinned), "ptr", Shown(own), "this library");
    auto none = Poison<void*>();
    ACL_FAILS_SAYING(kDead, aclrtHostGetDevicePointer(device.At(), &none, 0), "pHost", Shown(device.At()),
                     "device memory");
    EXPECT_TRUE(IsPoison(none));
}

// The registration would be at addresses that the next allocation gets.
TEST_F(HostRegister, MemoryThatTheLibraryHasFreedIsRefused) {
    const auto refused = [](void* freed) {
        auto address = Poison<void*>();
        ACL_FAILS_SAYING(kDead, aclrtHostRegisterV2(freed, kPage, kPinned | kMapped), "was freed");
        ACL_FAILS_SAYING(kDead, aclrtHostRegister(freed, kPage, ACL_HOST_REGISTER_MAPPED, &address), "was freed");
        EXPECT_TRUE(IsPoison(address));
    };
    constexpr size_t kSmall = 64 << 10, kLarge = 4 << 20;
    for (const size_t size : {kSmall, kLarge}) {
        void* freed = DeviceMemory(size).At();
        refused(freed);
        DeviceMemory again(size);
    }
    if (std::string(portaclBackendName()) != "cpu") return;
    // Drivers may leave freed pinned memory mapped for the host.
    void* freed = PinnedMemory(kLarge).At();
    refused(freed);
    PinnedMemory again(kLarge);
}

TEST_F(HostRegister, BadArguments) {
    Pages pages(kPage);
    auto device = Poison<void*>();
    const size_t most = std::numeric_limits<size_t>::max();
    const struct {
        aclError code;
        void* ptr;
        uint64_t size;
        int type;
        uint32_t flag;
        std::initializer_list<std::string> words;
    } cases[] = {
        {ACL_ERROR_INVALID_PARAM, nullptr, kPage, 0, kPinned, {"ptr", "null"}},
        {ACL_ERROR_INVALID_PARAM, pages.At(), 0, 0, kPinned, {"size is 0"}},
        {ACL_ERROR_INVALID_PARAM, pages.At(), most, 0, kPinned, {std::to_string(most), "end"}},
        {ACL_ERROR_INVALID_PARAM,
         pages.At(),
         most / 2,
         0,
         kMapped,
         {"size is", std::to_string(most / 2), "host memory"}},
        {ACL_ERROR_RT_ADDR_UNALIGNED, pages.At(8), 8, 0, kMapped, {Shown(pages.At(8)), "4096"}},
        {ACL_ERROR_INVALID_PARAM, pages.At(), 8, 1, 0, {"is ", "0x2"}},
        {ACL_ERROR_INVALID_PARAM, pages.At(), 8, -1, 1, {"is ", "0x2"}},
        {ACL_ERROR_INVALID_PARAM, pages.At(), 8, std::numeric_limits<int>::min(), 0x20, {"is "}},
        {ACL_ERROR_INVALID_PARAM, pages.At(), 8, 2, ~0u, {"0xffffffff"}},
        {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, pages.At(), 8, 4, 4, {"is "}},
        {ACL_ERROR_RT_FEATURE_NOT_SUPPORT, pages.At(), 8, 8, kPinned | 8, {"is "}},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(testing::Message() << one.ptr << ' ' << one.size << ' ' << one.type);
        EXPECT_TRUE(
            FailedSaying("aclrtHostRegisterV2", aclrtHostRegisterV2(one.ptr, one.size, one.flag), one.code, one.words));
        EXPECT_TRUE(Failed("aclrtHostRegister",
                           aclrtHostRegister(one.ptr, one.size, static_cast<aclrtHostRegisterType>(one.type), &device),
                           one.code));
    }
    EXPECT_TRUE(IsPoison(device));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtHostRegister(pages.At(), kPage, ACL_HOST_REGISTER_MAPPED, nullptr),
                     "devPtr", "null");
    EXPECT_EQ(LocationOf(pages.At()), ACL_MEM_LOCATION_TYPE_UNREGISTERED);

    Registered registered(pages.At(), kPage, kPinned);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtHostGetDevicePointer(nullptr, &device, 0), "pHost", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtHostGetDevicePointer(pages.At(), nullptr, 0), "pDevice", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtHostGetDevicePointer(pages.At(), &device, 3), "flag is 0x3");
    ACL_FAILS_SAYING(kDead, aclrtHostGetDevicePointer(pages.At(), &device, 0), "ACL_HOST_REG_MAPPED");
    EXPECT_TRUE(IsPoison(device));
}

// Only the kernel knows that this memory is not mapped.
TEST_F(HostRegister, UnmappedMemoryIsRefused) {
    Pages pages(3 * kPage, 1, FarAddress());
    ASSERT_EQ(munmap(pages.At(kPage), kPage), 0);
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtHostRegisterV2(pages.At(), 3 * kPage, kPinned),
                     Shown(pages.At()));
    EXPECT_EQ(LocationOf(pages.At()), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    Registered before(pages.At(), kPage, kPinned), after(pages.At(2 * kPage), kPage, kPinned);
}

TEST_F(HostRegister, RefusedInsideAHostFunction) {
    struct RegisterCalls {
        void* page;
        std::atomic<aclError> codes[3];
    };
    Pages pages(kPage);
    auto* state = MakeImmortal<RegisterCalls>();
    state->page = pages.At();
    ACL_OK(aclrtLaunchHostFunc(
        nullptr,
        [](void* argument) {
            auto* state = static_cast<RegisterCalls*>(argument);
            void* device = nullptr;
            state->codes[0] = aclrtHostRegisterV2(state->page, kPage, kPinned);
            state->codes[1] = aclrtHostUnregister(state->page);
            state->codes[2] = aclrtHostGetDevicePointer(state->page, &device, 0);
        },
        state));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    for (const auto& code : state->codes) EXPECT_EQ(code, kDead);
}

}  // namespace

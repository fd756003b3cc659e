// Registered host memory of the caller: how devices and copies use it, and until when.

#include <portacl/portacl.h>

#include <atomic>
#include <string>

#include "memory/host_register/host_register.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

TEST_F(HostRegister, ReturnsAnAddressForKernels) {
    Pages pages(3 * kPage);
    auto device = Poison<void*>();
    ACL_OK(aclrtHostRegister(pages.At(), 2 * kPage + 100, ACL_HOST_REGISTER_MAPPED, &device));
    EXPECT_NE(device, nullptr);
    for (size_t offset : {size_t{0}, size_t{100}, 2 * kPage + 99}) {
        auto inside = Poison<void*>();
        ACL_OK(aclrtHostGetDevicePointer(pages.At(offset), &inside, 0));
        EXPECT_EQ(inside, static_cast<char*>(device) + offset);
        EXPECT_EQ(LocationOf(pages.At(offset)), ACL_MEM_LOCATION_TYPE_HOST);
    }
    EXPECT_EQ(LocationOf(pages.At(2 * kPage + 100)), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    auto none = Poison<void*>();
    ACL_FAILS(kNot, aclrtHostGetDevicePointer(pages.At(2 * kPage + 100), &none, 0));
    ACL_OK(aclrtHostUnregister(pages.At()));
    ACL_FAILS_SAYING(kNot, aclrtHostGetDevicePointer(pages.At(), &none, 0), "pHost", Shown(pages.At()));
    EXPECT_TRUE(IsPoison(none));
    EXPECT_EQ(LocationOf(pages.At()), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    EXPECT_EQ(pages.Copy(), Bytes(3 * kPage, 1));
}

TEST_F(HostRegister, PinnedMemoryHasAnAddressForKernels) {
    PinnedMemory pinned(1000);
    void* device = nullptr;
    ACL_OK(aclrtHostGetDevicePointer(pinned.At(10), &device, 0));
    EXPECT_EQ(device, pinned.At(10));
}

TEST_F(HostRegister, AddressQueriesFindIt) {
    Pages pages(2 * kPage);
    Registered registered(pages.At(), kPage + 5, kPinned | kMapped);
    void* base = nullptr;
    size_t size = 0;
    ACL_OK(aclrtMemGetAddressRange(pages.At(kPage + 4), &base, &size));
    EXPECT_EQ(base, pages.At());
    EXPECT_EQ(size, kPage + 5);
    ACL_FAILS(kDead, aclrtMemGetAddressRange(pages.At(kPage + 5), &base, &size));
    void* list[] = {pages.At()};
    auto is_device = Poison<uint32_t>();
    ACL_OK(aclrtCheckMemType(list, 1, ACL_RT_MEM_TYPE_DEV, &is_device, 0));
    EXPECT_EQ(is_device, 0u);
    auto reported = Poison<aclrtPtrAttributes>();
    ACL_OK(aclrtPointerGetAttributes(pages.At(3), &reported));
    EXPECT_EQ(reported.pageSize, kPage);
}

// The source is read, and the destination written, when the copy runs and not when it is submitted.
TEST_F(HostRegister, CopiesOfPinnedMemoryAreAsynchronous) {
    for (size_t size : {size_t{100}, size_t{60000}, size_t{3 << 20}}) {
        for (uint32_t flag : {kPinned, kPinned | kMapped}) {
            SCOPED_TRACE(testing::Message() << size << " bytes, flag " << flag);
            Stream stream;
            Pages from(size, 1), to(size, 7);
            Registered first(from.At(), size, flag), second(to.At(), size, flag);
            DeviceMemory device(size);
            Gate gate;
            ACL_OK(gate.Hold(stream));
            ACL_OK(aclrtMemcpyAsync(device.At(), size, from.At(), size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
            ACL_OK(aclrtMemcpyAsync(to.At(), size, device.At(), size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
            from.Fill(2);
            EXPECT_FALSE(IsIdle(stream));
            EXPECT_EQ(to.At()[size - 1], 7);
            gate.Open();
            ACL_OK(aclrtSynchronizeStream(stream));
            EXPECT_TRUE(device.Download() == Bytes(size, 2));
            EXPECT_TRUE(to.Copy() == Bytes(size, 2));
        }
    }
}

// Without ACL_HOST_REG_PINNED the memory counts as pageable: the call reads the source, or waits
// until the destination is written.
TEST_F(HostRegister, CopiesOfMemoryThatIsOnlyMappedAreNot) {
    for (size_t size : {size_t{100}, size_t{3 << 20}}) {
        Stream stream;
        Pages from(size, 1), to(size, 7);
        Registered first(from.At(), size, kMapped), second(to.At(), size, kMapped);
        DeviceMemory device(size);
        Gate gate;
        ACL_OK(gate.Hold(stream));
        Opener opener(gate);
        ACL_OK(aclrtMemcpyAsync(device.At(), size, from.At(), size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        from.Fill(2);
        ACL_OK(aclrtMemcpyAsync(to.At(), size, device.At(), size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        EXPECT_TRUE(to.Copy() == Bytes(size, 1));
    }
}

TEST_F(HostRegister, SynchronousCopiesAndFillsWork) {
    Pages pages(2 * kPage);
    const Bytes wanted = Pattern(2 * kPage);
    DeviceMemory device(wanted);
    Registered registered(pages.At(), 2 * kPage, kPinned);
    ACL_OK(aclrtMemcpy(pages.At(), 2 * kPage, device.At(), 2 * kPage, ACL_MEMCPY_DEFAULT));
    EXPECT_TRUE(pages.Copy() == wanted);
    ACL_OK(aclrtMemset(pages.At(), 2 * kPage, 9, 100));
    EXPECT_EQ(pages.At()[99], 9);
    EXPECT_EQ(pages.At()[100], wanted[100]);
    Stream stream;
    ACL_OK(aclrtMemsetAsync(pages.At(kPage), kPage, 8, kPage, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(pages.At()[2 * kPage - 1], 8);
}

TEST_F(HostRegister, FillsOfMemoryThatIsOnlyMappedAreRefused) {
    Pages pages(kPage);
    Registered registered(pages.At(), kPage, kMapped);
    ACL_FAILS_SAYING(kDead, aclrtMemset(pages.At(), kPage, 9, 100), "devPtr", Shown(pages.At()));
    EXPECT_EQ(pages.Copy(), Bytes(kPage, 1));
}

TEST_F(HostRegister, NothingRunsPastTheEnd) {
    Pages pages(2 * kPage);
    DeviceMemory device(2 * kPage);
    for (uint32_t flag : {kPinned, kMapped}) {
        Registered registered(pages.At(), kPage, flag);
        ACL_FAILS_SAYING(kDead, aclrtMemcpy(device.At(), kPage, pages.At(10), kPage, ACL_MEMCPY_HOST_TO_DEVICE), "src",
                         Shown(pages.At(10)), "registration", Shown(pages.At()), "4086");
        ACL_FAILS_SAYING(kDead,
                         aclrtMemcpyAsync(pages.At(10), kPage, device.At(), kPage, ACL_MEMCPY_DEVICE_TO_HOST, nullptr),
                         "dst", "registration", "4086");
    }
    EXPECT_EQ(pages.Copy(), Bytes(2 * kPage, 1));
}

// Unregistering returns at once, like freeing, and does not disturb pending work.
TEST_F(HostRegister, QueuedWorkKeepsTheRegistration) {
    constexpr size_t kSize = 100000;
    Stream stream;
    Pages pages(kSize, 1);
    DeviceMemory device(kSize);
    ACL_OK(aclrtHostRegisterV2(pages.At(), kSize, kPinned));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemcpyAsync(device.At(), kSize, pages.At(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL_OK(aclrtHostUnregister(pages.At()));
    EXPECT_FALSE(IsIdle(stream));
    EXPECT_EQ(LocationOf(pages.At()), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    ACL_FAILS(kNot, aclrtHostUnregister(pages.At()));
    // A GPU's driver keeps it registered until then.
    const bool again_at_once = std::string(portaclBackendName()) == "cpu";
    if (again_at_once) {
        ACL_OK(aclrtHostRegisterV2(pages.At(), kSize, kPinned));
    } else {
        ACL_FAILS_SAYING(kAlready, aclrtHostRegisterV2(pages.At(), kSize, kPinned), "synchronize", Shown(pages.At()));
    }
    pages.Fill(3);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(device.Download() == Bytes(kSize, 3));
    if (!again_at_once) {
        ACL_OK(aclrtHostRegisterV2(pages.At(), kSize, kPinned));
    }
    ACL_OK(aclrtHostUnregister(pages.At()));
}

TEST_F(HostRegister, NeedsNoDeviceInThisThread) {
    Pages pages(kPage);
    OnNewThread([&] {
        void* device = nullptr;
        ACL_OK(aclrtHostRegister(pages.At(), kPage, ACL_HOST_REGISTER_MAPPED, &device));
    });
    OnNewThread([&] { ACL_OK(aclrtHostUnregister(pages.At())); });
}

TEST_F(HostRegister, OneOfManyThreadsRegistersIt) {
    constexpr int kThreads = 8, kRounds = 50;
    Pages pages(kThreads * kPage);
    std::atomic<int> wins{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread)
        threads.emplace_back([&, thread] {
            for (int round = 0; round < kRounds; ++round) {
                // Each thread registers its own page, and all of them the last one.
                if (thread < kThreads - 1) {
                    void* own = pages.At(size_t(thread) * kPage);
                    ACL_EXPECT_OK(aclrtHostRegisterV2(own, kPage, kPinned));
                    ACL_EXPECT_OK(aclrtHostUnregister(own));
                }
                void* shared = pages.At((kThreads - 1) * kPage);
                const aclError code = aclrtHostRegisterV2(shared, kPage, kPinned);
                if (code == 0) {
                    EXPECT_EQ(++wins, 1);
                    --wins;
                    ACL_EXPECT_OK(aclrtHostUnregister(shared));
                } else {
                    EXPECT_EQ(code, kAlready);
                }
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(LocationOf(pages.At()), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
}

TEST_F(HostRegister, OutlivesTheDeviceAndEndsWithTheSession) {
    Pages pages(kPage);
    ACL_OK(aclrtHostRegisterV2(pages.At(), kPage, kPinned | kMapped));
    ACL_OK(aclrtResetDeviceForce(0));
    EXPECT_EQ(LocationOf(pages.At()), ACL_MEM_LOCATION_TYPE_HOST);
    ACL_OK(aclrtSetDevice(0));
    DeviceMemory device(kPage);
    ACL_OK(aclrtMemcpyAsync(device.At(), kPage, pages.At(), kPage, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(device.Download(), pages.Copy());
    device.Release();
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtHostRegisterV2(pages.At(), kPage, kPinned));
    auto none = Poison<void*>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtHostRegister(pages.At(), kPage, ACL_HOST_REGISTER_MAPPED, &none));
    ACL_FAILS(kNot, aclrtHostUnregister(pages.At()));
    ACL_FAILS(kNot, aclrtHostGetDevicePointer(pages.At(), &none, 0));
    EXPECT_TRUE(IsPoison(none));
    ACL_OK(aclInit(nullptr));
    Registered again(pages.At(), kPage, kPinned);
}

}  // namespace

// Pinned host memory, and queries about memory of all kinds.

#include <limits>

#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr size_t kMiB = 1 << 20;

class MallocHost : public WithDevice {};

TEST_F(MallocHost, EverySizeIsUsableByTheHost) {
    for (size_t size : {size_t{1}, size_t{63}, size_t{64}, size_t{4095}, size_t{4097}, kMiB + 1, 5 * kMiB}) {
        SCOPED_TRACE(size);
        PinnedMemory pinned(size);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(pinned.At()) % 64, 0u);
        const auto bytes = Pattern(size);
        std::memcpy(pinned.At(), bytes.data(), size);
        EXPECT_TRUE(pinned.Copy() == bytes);
    }
}

TEST_F(MallocHost, BadArguments) {
    auto address = Poison<void*>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMallocHost(nullptr, 64), "hostPtr", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMallocHost(&address, 0), "size", "0");
    EXPECT_TRUE(IsPoison(address));
}

TEST_F(MallocHost, TooLarge) {
    auto address = Poison<void*>();
    const size_t most = std::numeric_limits<size_t>::max();
    // Host memory, so not the code for missing device memory.
    for (size_t size : {most, most - 31, most / 2 + 1})
        ACL_FAILS_SAYING(ACL_ERROR_BAD_ALLOC, aclrtMallocHost(&address, size), "size", std::to_string(size));
    ACL_FAILS(ACL_ERROR_BAD_ALLOC, aclrtMallocHost(&address, size_t{1} << 60));
    EXPECT_TRUE(IsPoison(address));
}

TEST_F(MallocHost, NeedsNoDeviceInThisThread) {
    OnNewThread([] {
        void* address = nullptr;
        ACL_OK(aclrtMallocHost(&address, 1000));
        std::memset(address, 1, 1000);
        ACL_OK(aclrtFreeHost(address));
    });
}

TEST_F(MallocHost, FailsAfterFinalize) {
    ACL_OK(aclFinalize());
    auto address = Poison<void*>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMallocHost(&address, 64));
    EXPECT_TRUE(IsPoison(address));
    ACL_OK(aclInit(nullptr));
}

TEST_F(MallocHost, OutlivesTheDevice) {
    PinnedMemory pinned(1000, 4);
    ACL_OK(aclrtResetDeviceForce(0));
    EXPECT_EQ(pinned.Copy(), std::vector<unsigned char>(1000, 4));
    ACL_OK(aclrtSetDevice(0));
    DeviceMemory device(1000);
    ACL_OK(aclrtMemcpy(device.At(), 1000, pinned.At(), 1000, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_EQ(device.Download(), pinned.Copy());
}

TEST_F(MallocHost, FromManyThreads) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread)
        threads.emplace_back([thread] {
            for (int round = 0; round < 200; ++round) {
                const size_t size = size_t(1) << (round % 18);
                const auto value = static_cast<unsigned char>(thread * 29 + round);
                PinnedMemory pinned(size, value);
                EXPECT_TRUE(pinned.Copy() == std::vector<unsigned char>(size, value));
            }
        });
    for (std::thread& thread : threads) thread.join();
}

class FreeHost : public WithDevice {};

TEST_F(FreeHost, RefusesWhatIsNotTheStartOfAPinnedAllocation) {
    DeviceMemory device(1000);
    PinnedMemory pinned(1000, 6);
    std::vector<char> pageable(1000);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtFreeHost(nullptr), "hostPtr", "null");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(pinned.At(999)), Shown(pinned.At(999)), "999 bytes into",
                     Shown(pinned.At()));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(device.At()), Shown(device.At()), "aclrtFree");
    for (void* unknown : {static_cast<void*>(pageable.data()), reinterpret_cast<void*>(1)})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(unknown), "hostPtr", Shown(unknown));
    EXPECT_EQ(pinned.Copy(), std::vector<unsigned char>(1000, 6));
}

TEST_F(FreeHost, TwiceIsAnError) {
    void* address = PinnedMemory(1000).Release();
    ACL_OK(aclrtFreeHost(address));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(address), Shown(address));
}

TEST_F(FreeHost, FromAThreadWithoutADevice) {
    void* address = PinnedMemory(1000).Release();
    OnNewThread([=] { ACL_OK(aclrtFreeHost(address)); });
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(address));
}

class GetMemInfo : public WithDevice {
  protected:
    struct Info {
        size_t free = Poison<size_t>();
        size_t total = Poison<size_t>();
    };

    static Info Ask(int attribute) {
        Info info;
        ExpectOk("aclrtGetMemInfo", aclrtGetMemInfo(static_cast<aclrtMemAttr>(attribute), &info.free, &info.total));
        return info;
    }
};

TEST_F(GetMemInfo, FollowsAllocations) {
    const Info before = Ask(ACL_HBM_MEM);
    EXPECT_GT(before.total, 0u);
    EXPECT_LE(before.free, before.total);
    {
        DeviceMemory small(100), large(64 * kMiB);
        const Info with = Ask(ACL_HBM_MEM);
        EXPECT_EQ(with.total, before.total);
        EXPECT_LE(with.free, before.free - 64 * kMiB);
        // The free amount falls by little more than the request.
        EXPECT_GE(with.free, before.free - 72 * kMiB);
    }
    ExpectFreeAgain(Ask(ACL_HBM_MEM).free, before.free);
}

TEST_F(GetMemInfo, EveryAttribute) {
    const Info device = Ask(ACL_HBM_MEM);
    for (int attribute = 0; attribute <= 17; ++attribute) {
        SCOPED_TRACE(attribute);
        const Info info = Ask(attribute);
        EXPECT_LE(info.free, info.total);
        EXPECT_TRUE(info.total == device.total || info.total == 0);
    }
    for (int same : {ACL_HBM_MEM_HUGE, ACL_HBM_MEM_NORMAL, ACL_HBM_MEM_P2P_HUGE, ACL_HBM_MEM_P2P_NORMAL})
        EXPECT_EQ(Ask(same).total, device.total);
    // These devices have no DDR.
    EXPECT_EQ(Ask(ACL_DDR_MEM).total, 0u);
    EXPECT_EQ(Ask(ACL_DDR_MEM_HUGE).total, 0u);
}

TEST_F(GetMemInfo, InvalidAttributes) {
    Info info;
    for (int attribute : {-1, 18, 1000, std::numeric_limits<int>::min()})
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_MEMORY_TYPE,
                         aclrtGetMemInfo(static_cast<aclrtMemAttr>(attribute), &info.free, &info.total), "attr",
                         Shown(static_cast<long long>(attribute)), "17");
    EXPECT_TRUE(IsPoison(info.free));
    EXPECT_TRUE(IsPoison(info.total));
}

TEST_F(GetMemInfo, NullOutputs) {
    Info info;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &info.total), "free", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetMemInfo(ACL_HBM_MEM, &info.free, nullptr), "total", "null");
    EXPECT_TRUE(IsPoison(info.free));
    EXPECT_TRUE(IsPoison(info.total));
}

TEST_F(GetMemInfo, NeedsADeviceInThisThread) {
    Info info;
    OnNewThread([&] {
        ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetMemInfo(ACL_HBM_MEM, &info.free, &info.total),
                         "aclrtSetDevice");
    });
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetMemInfo(ACL_HBM_MEM, &info.free, &info.total));
    ACL_OK(aclInit(nullptr));
    EXPECT_TRUE(IsPoison(info.free));
    EXPECT_TRUE(IsPoison(info.total));
}

class PointerGetAttributes : public WithDevice {
  protected:
    static aclrtPtrAttributes Ask(const void* address) {
        auto reported = Poison<aclrtPtrAttributes>();
        ExpectOk("aclrtPointerGetAttributes", aclrtPointerGetAttributes(address, &reported));
        return reported;
    }
};

TEST_F(PointerGetAttributes, OfDeviceMemory) {
    for (size_t size : {size_t{1}, size_t{1000}, 5 * kMiB}) {
        DeviceMemory device(size);
        for (size_t offset : {size_t{0}, size / 2, size - 1}) {
            const aclrtPtrAttributes reported = Ask(device.At(offset));
            EXPECT_EQ(reported.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
            EXPECT_EQ(reported.location.id, 0u);
            EXPECT_GE(reported.pageSize, 4096u);
            EXPECT_EQ(reported.pageSize & (reported.pageSize - 1), 0u) << "no power of two";
        }
    }
}

TEST_F(PointerGetAttributes, OfTheSecondDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    DeviceMemory far(100);
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(Ask(far.At(50)).location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(Ask(far.At(50)).location.id, 1u);
}

TEST_F(PointerGetAttributes, OfHostMemory) {
    PinnedMemory pinned(10000);
    for (size_t offset : {0, 5000, 9999}) {
        EXPECT_EQ(Ask(pinned.At(offset)).location.type, ACL_MEM_LOCATION_TYPE_HOST);
        EXPECT_GE(Ask(pinned.At(offset)).pageSize, 4096u);
    }
    int here = 0;
    static int there;
    std::vector<char> heap(10000);
    for (const void* unknown :
         {static_cast<const void*>(&here), static_cast<const void*>(&there), static_cast<const void*>(heap.data()),
          reinterpret_cast<const void*>(&DeviceCount), reinterpret_cast<const void*>(uintptr_t{8}),
          reinterpret_cast<const void*>(~uintptr_t{0})}) {
        EXPECT_EQ(Ask(unknown).location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED) << unknown;
        EXPECT_EQ(Ask(unknown).pageSize, 0u);
    }
}

TEST_F(PointerGetAttributes, OfFreedMemory) {
    void* device = DeviceMemory(100).Release();
    void* pinned = PinnedMemory(100).Release();
    ACL_OK(aclrtFree(device));
    ACL_OK(aclrtFreeHost(pinned));
    EXPECT_EQ(Ask(device).location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    EXPECT_EQ(Ask(pinned).location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
}

TEST_F(PointerGetAttributes, NeedsNoDeviceInThisThread) {
    DeviceMemory device(100);
    OnNewThread([&] { EXPECT_EQ(Ask(device.At()).location.type, ACL_MEM_LOCATION_TYPE_DEVICE); });
}

TEST_F(PointerGetAttributes, BadArguments) {
    DeviceMemory device(100);
    auto reported = Poison<aclrtPtrAttributes>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtPointerGetAttributes(nullptr, &reported), "ptr", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtPointerGetAttributes(device.At(), nullptr), "attributes", "null");
    EXPECT_TRUE(IsPoison(reported));
}

TEST_F(PointerGetAttributes, AfterFinalize) {
    void* device = DeviceMemory(100).Release();
    ACL_OK(aclFinalize());
    EXPECT_EQ(Ask(device).location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    ACL_OK(aclInit(nullptr));
}

}  // namespace

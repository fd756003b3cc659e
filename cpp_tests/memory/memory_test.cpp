// Device and pinned memory: allocation, free, queries. memset_test.cpp sets memory, memcpy_test.cpp
// copies it.

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <random>

#include "memory/mem_info.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB;
constexpr size_t kHugePage = 2 * kMiB;

uintptr_t Number(const void* address) {
    return reinterpret_cast<uintptr_t>(address);
}

size_t PageSize(const void* address) {
    auto reported = Poison<aclrtPtrAttributes>();
    ExpectOk("aclrtPointerGetAttributes", aclrtPointerGetAttributes(address, &reported));
    return reported.pageSize;
}

class Malloc : public WithDevice {};

TEST_F(Malloc, EverySizeIsUsableToItsEnd) {
    for (size_t size : {size_t{1},   size_t{2},     size_t{31}, size_t{32},    size_t{33},   size_t{511}, size_t{512},
                        size_t{513}, 4 * kKiB - 1,  4 * kKiB,   4 * kKiB + 1,  64 * kKiB,    kMiB - 1,    kMiB,
                        kMiB + 1,    kHugePage - 1, kHugePage,  kHugePage + 1, 5 * kMiB + 7, 33 * kMiB}) {
        SCOPED_TRACE(size);
        const auto bytes = Pattern(size);
        DeviceMemory device(bytes);
        EXPECT_TRUE(device.Download() == bytes);
    }
}

TEST_F(Malloc, AddressesAreAligned) {
    std::vector<std::unique_ptr<DeviceMemory>> all;
    for (size_t size : {size_t{1}, size_t{100}, size_t{513}, 4 * kKiB, 5000 + size_t{0}, 6 * kKiB, 100 * kKiB, kMiB + 1,
                        kHugePage, 3 * kMiB, 17 * kMiB}) {
        for (int i = 0; i < 3; ++i) {
            all.push_back(std::make_unique<DeviceMemory>(size));
            const size_t alignment = size >= kHugePage ? kHugePage : size >= 4 * kKiB ? 4 * kKiB : 512;
            EXPECT_EQ(Number(all.back()->At()) % alignment, 0u) << "size " << size;
        }
    }
}

// A program may read the padding that rounds a size up to 32 bytes.
TEST_F(Malloc, SizesAreRoundedUpTo32) {
    DeviceMemory device(33);
    std::vector<unsigned char> host(64);
    ACL_OK(aclrtMemcpy(host.data(), 64, device.At(), 64, ACL_MEMCPY_DEVICE_TO_HOST));
}

TEST_F(Malloc, EveryPolicy) {
    for (int policy : {ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_NORMAL_ONLY, ACL_MEM_MALLOC_HUGE_FIRST_P2P,
                       ACL_MEM_MALLOC_NORMAL_ONLY_P2P}) {
        for (int flags : {0, 0x100, 0x1000}) {
            for (size_t size : {size_t{100}, kMiB, 3 * kMiB}) {
                SCOPED_TRACE(testing::Message() << "policy " << policy << " + " << flags << " size " << size);
                const auto bytes = Pattern(size);
                DeviceMemory device(size, static_cast<aclrtMemMallocPolicy>(policy | flags));
                device.Upload(bytes);
                EXPECT_TRUE(device.Download() == bytes);
            }
        }
    }
}

// Pages of a size that the system may lack: the pages are as requested, or the call fails with a
// reason.
TEST_F(Malloc, PoliciesThatInsistOnHugePages) {
    struct {
        aclrtMemMallocPolicy policy;
        size_t page;
    } const cases[] = {{ACL_MEM_MALLOC_HUGE_ONLY, kHugePage},
                       {ACL_MEM_MALLOC_HUGE_ONLY_P2P, kHugePage},
                       {ACL_MEM_MALLOC_HUGE1G_ONLY, 1024 * kMiB},
                       {ACL_MEM_MALLOC_HUGE1G_ONLY_P2P, 1024 * kMiB}};
    for (const auto& one : cases) {
        for (size_t size : {size_t{100}, 3 * kMiB}) {
            SCOPED_TRACE(testing::Message() << "policy " << one.policy << " size " << size);
            auto address = Poison<void*>();
            const aclError code = aclrtMalloc(&address, size, one.policy);
            if (code == 0) {
                EXPECT_TRUE(OnCpu() || one.page == kHugePage);
                EXPECT_EQ(PageSize(address), one.page);
                ACL_EXPECT_OK(aclrtMemset(address, size, 1, size));
                ACL_EXPECT_OK(aclrtFree(address));
                continue;
            }
            // A CPU's system may have run out of them; a driver has none of 1 GiB.
            const bool has_some = OnCpu() || one.page == kHugePage;
            const aclError wanted = has_some ? ACL_ERROR_RT_MEMORY_ALLOCATION : ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
            EXPECT_TRUE(FailedSaying("aclrtMalloc", code, wanted, {"page"}));
            EXPECT_TRUE(IsPoison(address));
        }
    }
}

TEST_F(Malloc, UnknownPoliciesAreAccepted) {
    for (int policy : {8, 99, -1, std::numeric_limits<int>::max()}) {
        for (size_t size : {size_t{64}, 3 * kMiB}) {
            DeviceMemory device(size, static_cast<aclrtMemMallocPolicy>(policy));
            ACL_OK(aclrtMemset(device.At(), size, 1, size));
        }
    }
}

TEST_F(Malloc, BadArguments) {
    auto address = Poison<void*>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMalloc(nullptr, 64, ACL_MEM_MALLOC_HUGE_FIRST), "devPtr", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtMalloc(&address, 0, ACL_MEM_MALLOC_HUGE_FIRST), "size", "0");
    EXPECT_TRUE(IsPoison(address));
}

TEST_F(Malloc, TooLarge) {
    auto address = Poison<void*>();
    const size_t most = std::numeric_limits<size_t>::max();
    const size_t total = DeviceMemInfo().total;
    for (size_t size : {most, most - 31, most - 63, most / 2 + 1, most / 2, total + 1, 2 * total}) {
        for (auto policy : {ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_NORMAL_ONLY, ACL_MEM_MALLOC_HUGE_ONLY})
            ACL_FAILS_SAYING(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&address, size, policy), "size",
                             std::to_string(size), std::to_string(total));
    }
    EXPECT_TRUE(IsPoison(address));
    // The device still works.
    DeviceMemory device(Pattern(1000));
    EXPECT_EQ(device.Download(), Pattern(1000));
}

TEST_F(Malloc, NeedsADeviceInThisThread) {
    OnNewThread([] {
        auto address = Poison<void*>();
        ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST),
                         "aclrtSetDevice");
        EXPECT_TRUE(IsPoison(address));
    });
}

TEST_F(Malloc, FailsAfterFinalize) {
    ACL_OK(aclFinalize());
    auto address = Poison<void*>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&address, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_TRUE(IsPoison(address));
    ACL_OK(aclInit(nullptr));
}

TEST_F(Malloc, FillsTheDeviceAndItWorksAgain) {
    const MemInfo before = DeviceMemInfo();
    const size_t chunk = std::max<size_t>(before.total / 24 / kHugePage, 1) * kHugePage;
    std::vector<void*> chunks;
    size_t free = before.free;
    auto address = Poison<void*>();
    aclError code = 0;
    while (chunks.size() < 1000) {
        code = aclrtMalloc(&address, chunk, ACL_MEM_MALLOC_NORMAL_ONLY);
        if (code != 0) break;
        chunks.push_back(std::exchange(address, Poison<void*>()));
        const size_t now = DeviceMemInfo().free;
        EXPECT_LE(now + chunk, free);
        free = now;
    }
    EXPECT_TRUE(Failed("aclrtMalloc", code, ACL_ERROR_RT_MEMORY_ALLOCATION));
    EXPECT_TRUE(IsPoison(address));
    // Most of the memory that was reported free could be allocated.
    EXPECT_GE(chunks.size() * chunk + 2 * chunk, before.free);
    EXPECT_LE(chunks.size() * chunk, before.free);
    for (void* one : chunks) ACL_EXPECT_OK(aclrtFree(one));
    ExpectFreeAgain(DeviceMemInfo().free, before.free);
    DeviceMemory again(chunk);
    ACL_OK(aclrtMemset(again.At(), chunk, 1, chunk));
}

// Each thread fills its blocks and finds them unchanged.
TEST_F(Malloc, FromManyThreads) {
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < 8; ++thread)
        threads.emplace_back([thread] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            std::mt19937 random(thread);
            std::vector<std::pair<std::unique_ptr<DeviceMemory>, unsigned char>> held;
            for (unsigned round = 0; round < 150; ++round) {
                if (held.size() > 10) {
                    const size_t at = random() % held.size();
                    const auto& [memory, value] = held[at];
                    EXPECT_TRUE(memory->Download() == std::vector<unsigned char>(memory->Size(), value));
                    held.erase(held.begin() + std::ptrdiff_t(at));
                }
                const size_t size = 1 + (random() % (1u << (random() % 20)));
                auto memory = std::make_unique<DeviceMemory>(size);
                const auto value = static_cast<unsigned char>(thread * 31 + round);
                ACL_EXPECT_OK(aclrtMemset(memory->At(), size, value, size));
                held.emplace_back(std::move(memory), value);
            }
        });
    for (std::thread& thread : threads) thread.join();
}

class Free : public WithDevice {};

TEST_F(Free, RefusesWhatIsNotTheStartOfADeviceAllocation) {
    DeviceMemory device(1000);
    PinnedMemory pinned(1000, 0);
    std::vector<char> pageable(1000);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtFree(nullptr), "devPtr", "null");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(device.At(8)), Shown(device.At(8)), "8 bytes into",
                     Shown(device.At()));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(pinned.At()), Shown(pinned.At()), "aclrtFreeHost");
    for (void* unknown : {static_cast<void*>(pageable.data()), static_cast<void*>(&device), reinterpret_cast<void*>(1),
                          reinterpret_cast<void*>(~uintptr_t{0})})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(unknown), "devPtr", Shown(unknown),
                         "not a live allocation");
    // All of it is still allocated.
    ACL_OK(aclrtMemset(device.At(), 1000, 1, 1000));
    ACL_OK(aclrtMemset(pinned.At(), 1000, 1, 1000));
}

TEST_F(Free, TwiceIsAnError) {
    for (size_t size : {size_t{64}, 3 * kMiB}) {
        void* address = DeviceMemory(size).Release();
        ACL_OK(aclrtFree(address));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(address), Shown(address), "was freed");
    }
}

TEST_F(Free, FromAThreadWithoutADevice) {
    void* address = DeviceMemory(4096).Release();
    OnNewThread([=] {
        ACL_OK(aclrtFree(address));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(address));
    });
}

TEST_F(Free, FromAThreadOfAnotherDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    void* address = DeviceMemory(4096).Release();
    OnNewThread([=] {
        ACL_OK(aclrtSetDevice(1));
        ACL_OK(aclrtFree(address));
    });
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(address));
}

TEST_F(Free, AfterTheDeviceWasReset) {
    void* address = DeviceMemory(4096).Release();
    ACL_OK(aclrtResetDevice(0));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(address), Shown(address), "released with its device");
    ACL_OK(aclrtSetDevice(0));
    address = DeviceMemory(4096).Release();
    void* pinned = PinnedMemory(4096).Release();
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(address));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(pinned));
    ACL_OK(aclInit(nullptr));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(address));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(pinned));
}

TEST_F(Free, OnlyOneOfManyThreadsFrees) {
    for (int round = 0; round < 100; ++round) {
        void* address = DeviceMemory(round % 2 ? 100 : 3 * kMiB).Release();
        std::atomic<int> freed{0}, refused{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                const aclError code = aclrtFree(address);
                freed += code == 0;
                refused += code == ACL_ERROR_RT_PARAM_INVALID;
            });
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(freed, 1);
        EXPECT_EQ(refused, 3);
    }
}

}  // namespace

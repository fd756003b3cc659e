// The list of live allocations, and the leak check.

#include <portacl/portacl.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/objects.h"
#include "support/own_process.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

std::vector<portaclMemoryAllocation> Snapshot() {
    size_t count = 0;
    EXPECT_EQ(portaclMemorySnapshot(nullptr, 0, &count), ACL_SUCCESS);
    std::vector<portaclMemoryAllocation> all(count + 1);
    all[0].structSize = sizeof all[0];
    EXPECT_EQ(portaclMemorySnapshot(all.data(), all.size(), &count), ACL_SUCCESS);
    EXPECT_LT(count, all.size());
    all.resize(count);
    return all;
}

class MemorySnapshot : public WithDevice {};

TEST_F(MemorySnapshot, HasAllKindsOfMemoryByAddress) {
    EXPECT_TRUE(Snapshot().empty());
    void *device = nullptr, *managed = nullptr, *host = nullptr;
    std::vector<char> mine(1 << 16);
    // More than the request: allocations a little above 1 MiB use a page of 2 MiB on CPUs.
    ACL_OK(aclrtMalloc(&device, (1 << 20) + 1000, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtMemAllocManaged(&managed, 1000, ACL_RT_MEM_ATTACH_GLOBAL));
    ACL_OK(aclrtMallocHost(&host, 1000));
    const std::vector<portaclMemoryAllocation> all = Snapshot();
    ASSERT_EQ(all.size(), 3u);
    for (size_t i = 1; i < all.size(); ++i) EXPECT_LT(all[i - 1].ptr, all[i].ptr);
    for (const auto& one : all) {
        EXPECT_EQ(one.structSize, sizeof one);
        size_t length = 0;
        void* base = nullptr;
        ACL_OK(aclrtMemGetAddressRange(one.ptr, &base, &length));
        EXPECT_GE(one.roundedSize, length);
        const portaclMemoryKind kind = one.ptr == device    ? PORTACL_MEMORY_DEVICE
                                       : one.ptr == managed ? PORTACL_MEMORY_MANAGED
                                                            : PORTACL_MEMORY_PINNED;
        EXPECT_EQ(one.kind, kind);
        EXPECT_EQ(one.deviceId, one.ptr == host ? -1 : 0);
        EXPECT_EQ(one.memPool, nullptr);
        // The size as statistics count it.
        portaclMemoryStats stats{};
        stats.structSize = sizeof stats;
        ACL_OK(portaclMemoryGetStats(one.deviceId, kind, &stats));
        EXPECT_EQ(stats.currentCount, 1u);
        EXPECT_EQ(one.roundedSize, stats.currentBytes);
    }
    ACL_OK(aclrtFree(device));
    EXPECT_EQ(Snapshot().size(), 2u);
    ACL_OK(aclrtFree(managed));
    ACL_OK(aclrtFreeHost(host));
    EXPECT_TRUE(Snapshot().empty());
}

TEST_F(MemorySnapshot, NamesPools) {
    const Stream stream;
    const MemPool first;
    MemPool second;
    void* one = first.Allocate(1000, stream);
    void* two = second.Allocate(1000, stream);
    const aclrtMemPool gone = second.Release();
    ACL_OK(aclrtMemPoolDestroy(gone));
    const std::vector<portaclMemoryAllocation> all = Snapshot();
    ASSERT_EQ(all.size(), 2u);
    for (const auto& each : all) {
        EXPECT_EQ(each.kind, PORTACL_MEMORY_POOL);
        EXPECT_EQ(each.deviceId, 0);
        EXPECT_EQ(each.memPool, each.ptr == one ? static_cast<aclrtMemPool>(first) : gone);
        EXPECT_EQ(each.stream, nullptr) << "it was not recorded";
    }
    size_t count = 0;
    testing::internal::CaptureStderr();
    ACL_OK(portaclMemoryReportLeaks(&count));
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(count, 2u);
    for (const aclrtMemPool pool : {static_cast<aclrtMemPool>(first), gone})
        EXPECT_NE(text.find("in pool " + Shown(pool)), std::string::npos) << text;
    Free(one, stream);
    Free(two, stream);
    EXPECT_TRUE(Snapshot().empty());
}

// Memory of the device, of the host, or of the pool.
void* AllocateOfKind(int kind, const MemPool& pool, aclrtStream stream) {
    void* memory = nullptr;
    switch (kind) {
        case 0:
            ACL_EXPECT_OK(aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST));
            break;
        case 1:
            ACL_EXPECT_OK(aclrtMallocHost(&memory, 100));
            break;
        default:
            memory = pool.Allocate(100, stream);
    }
    return memory;
}

void FreeOfKind(const portaclMemoryAllocation& one, aclrtStream stream) {
    switch (one.kind) {
        case PORTACL_MEMORY_PINNED:
            ACL_EXPECT_OK(aclrtFreeHost(one.ptr));
            break;
        case PORTACL_MEMORY_POOL:
            Free(one.ptr, stream);
            break;
        default:
            ACL_EXPECT_OK(aclrtFree(one.ptr));
    }
}

// An allocation that lives during the whole call is listed once, whatever other threads do.
TEST_F(MemorySnapshot, ListsLiveAllocationsOnceWhileOthersChange) {
    constexpr int kStays = 300, kTurns = 60;
    const Stream stream;
    const MemPool pool;
    std::vector<void*> stay;
    for (int i = 0; i < kStays; ++i) stay.push_back(AllocateOfKind(i % 3, pool, stream));
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&, i] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            for (size_t turn = 0; !stop; ++turn) {
                void *device = nullptr, *host = nullptr;
                // Sizes change: freed memory is allocated again with another size.
                const size_t size = 100 + turn % 7 * 500;
                ACL_EXPECT_OK(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
                ACL_EXPECT_OK(aclrtMallocHost(&host, size));
                ACL_EXPECT_OK(aclrtFree(device));
                ACL_EXPECT_OK(aclrtFreeHost(host));
                if (i == 0) Free(pool.Allocate(size, stream), stream);
            }
        });
    }
    std::sort(stay.begin(), stay.end());
    for (int turn = 0; turn < kTurns; ++turn) {
        std::vector<portaclMemoryAllocation> all(kStays + 100);
        all[0].structSize = sizeof all[0];
        size_t count = 0;
        ACL_OK(portaclMemorySnapshot(all.data(), all.size(), &count));
        ASSERT_LE(count, all.size());
        all.resize(count);
        std::vector<void*> seen;
        for (const auto& one : all) {
            ASSERT_TRUE(seen.empty() || seen.back() < one.ptr);
            seen.push_back(one.ptr);
        }
        ASSERT_TRUE(std::includes(seen.begin(), seen.end(), stay.begin(), stay.end()));
    }
    stop = true;
    for (std::thread& thread : threads) thread.join();
    for (const auto& one : Snapshot()) FreeOfKind(one, stream);
    EXPECT_TRUE(Snapshot().empty());
}

TEST_F(MemorySnapshot, FillsTheCallersBuffer) {
    void *first = nullptr, *second = nullptr;
    ACL_OK(aclrtMallocHost(&first, 10));
    ACL_OK(aclrtMallocHost(&second, 10));
    portaclMemoryAllocation one[2] = {};
    one[0].structSize = sizeof one[0];
    size_t count = 0;
    ACL_OK(portaclMemorySnapshot(one, 1, &count));
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(one[0].ptr, first < second ? first : second);
    EXPECT_EQ(one[1].ptr, nullptr);
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclMemorySnapshot(one, 1, nullptr));
    one[0].structSize = 4;
    count = Poison<size_t>();
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclMemorySnapshot(one, 1, &count));
    EXPECT_TRUE(IsPoison(count));
    ACL_OK(aclrtFreeHost(first));
    ACL_OK(aclrtFreeHost(second));
}

[[gnu::noinline]] void* AllocateHere() {
    void* memory = nullptr;
    ACL_EXPECT_OK(aclrtMallocHost(&memory, 1001));
    return memory;
}

OWN_PROCESS_TEST(MemoryRecord, ReportsCallSites) {
    ACL_OK(aclInit(nullptr));
    void* before = AllocateHere();
    ACL_OK(portaclMemoryRecord());
    ACL_OK(portaclMemoryRecord());
    void* after = AllocateHere();
    for (const auto& one : Snapshot()) {
        const std::string site = one.callSite;
        if (one.ptr == before) {
            EXPECT_EQ(one.size, 0u);
            EXPECT_EQ(one.thread, 0u);
            EXPECT_EQ(one.age, 0u);
            EXPECT_EQ(site, "");
        } else {
            EXPECT_EQ(one.ptr, after);
            EXPECT_EQ(one.size, 1001u);
            EXPECT_EQ(one.thread, static_cast<uint64_t>(gettid()));
            EXPECT_GT(one.age, 0u);
            EXPECT_NE(site.find("AllocateHere"), std::string::npos) << site;
        }
    }
    ACL_OK(aclrtFreeHost(before));
    ACL_OK(aclrtFreeHost(after));
    EXPECT_TRUE(Snapshot().empty());
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(MemoryRecord, ReportsCallSitesOfPoolAllocations) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(portaclMemoryRecord());
    {
        const Stream stream;
        const MemPool pool;
        void* memory = pool.Allocate(1001, stream);
        const std::vector<portaclMemoryAllocation> all = Snapshot();
        ASSERT_EQ(all.size(), 1u);
        EXPECT_EQ(all[0].ptr, memory);
        EXPECT_EQ(all[0].size, 1001u);
        EXPECT_EQ(all[0].stream, static_cast<aclrtStream>(stream));
        EXPECT_EQ(all[0].memPool, static_cast<aclrtMemPool>(pool));
        EXPECT_EQ(all[0].thread, static_cast<uint64_t>(gettid()));
        EXPECT_GT(all[0].age, 0u);
        EXPECT_NE(std::string(all[0].callSite).find("Allocate"), std::string::npos) << all[0].callSite;
        Free(memory, stream);
        // The address is allocated again; its earlier call site is not reported.
        void* again = pool.Allocate(1007, stream);
        ASSERT_EQ(Snapshot().size(), 1u);
        EXPECT_EQ(Snapshot()[0].size, 1007u);
        ACL_OK(aclrtFree(again));
        EXPECT_TRUE(Snapshot().empty());
    }
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(LeakCheck, FinalizeNamesPools, {"PORTACL_LEAK_CHECK", "1"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    MemPool pool;
    void* memory = pool.Allocate(1001, nullptr);
    const std::string name = Shown(static_cast<aclrtMemPool>(pool));
    (void)pool.Release();
    testing::internal::CaptureStderr();
    ACL_OK(aclFinalize());
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("memory in pool " + name + " on device 0 at " + Shown(memory)), std::string::npos) << text;
    EXPECT_NE(text.find("allocated by thread " + std::to_string(gettid())), std::string::npos) << text;
    EXPECT_NE(text.find("Allocate"), std::string::npos) << text;
}

OWN_PROCESS_TEST(LeakReport, NamesWhatIsLiveOnRequest) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(portaclMemoryRecord());
    void* memory = AllocateHere();
    size_t count = 0;
    testing::internal::CaptureStderr();
    ACL_OK(portaclMemoryReportLeaks(&count));
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(count, 1u);
    std::ostringstream address;
    address << memory;
    for (const std::string& part : {std::string("1 allocation of 1001 bytes"), address.str(),
                                    std::string("1001 bytes of page-locked host memory"), std::string("AllocateHere")})
        EXPECT_NE(text.find(part), std::string::npos) << text;
    ACL_OK(aclrtFreeHost(memory));
    testing::internal::CaptureStderr();
    ACL_OK(portaclMemoryReportLeaks(nullptr));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(LeakCheck, FinalizeReportsLeaks, {"PORTACL_LEAK_CHECK", "1"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    AllocateHere();
    void* device = nullptr;
    ACL_OK(aclrtMalloc(&device, 500, ACL_MEM_MALLOC_HUGE_FIRST));
    {
        portacl::HostBuffer<char> freed_by_hand(1);
        ACL_OK(aclrtFreeHost(freed_by_hand.get()));
    }
    testing::internal::CaptureStderr();
    ACL_OK(aclFinalize());
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("2 allocations of"), std::string::npos) << text;
    EXPECT_NE(text.find("AllocateHere"), std::string::npos) << text;
    EXPECT_NE(text.find("device memory on device 0"), std::string::npos) << text;
    EXPECT_NE(text.find("a release failed, and no call returned the failure: aclrtFreeHost"), std::string::npos)
        << text;
}

OWN_PROCESS_TEST(LeakCheck, PrintsNothingIfEverythingIsFreed, {"PORTACL_LEAK_CHECK", "abort"}) {
    testing::internal::CaptureStderr();
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtFreeHost(AllocateHere()));
    ACL_OK(aclFinalize());
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

OWN_PROCESS_TEST(LeakCheck, RefusesUnknownValues, {"PORTACL_LEAK_CHECK", "yes"}) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclInit(nullptr), "PORTACL_LEAK_CHECK", "yes", "abort");
}

TEST(LeakCheck, AbortsTheProcessIfConfigured) {
    const std::string name = "LeakCheck.AbortsTheProcessIfConfigured";
    if (std::getenv("PORTACL_TEST_LEAKS")) {
        ACL_OK(aclInit(nullptr));
        AllocateHere();
        ACL_OK(aclFinalize());
        return;
    }
    const ProcessResult result =
        RunProcess("/proc/self/exe", {"--gtest_filter=" + name},
                   {{"PORTACL_TEST_LEAKS", "1"}, {"FAKE_CUDA_LEAK_CHECK", "0"}, {"PORTACL_LEAK_CHECK", "abort"}});
    EXPECT_EQ(result.signal, SIGABRT) << result.output;
    EXPECT_NE(result.output.find("1 allocation of 1001 bytes"), std::string::npos) << result.output;
}

}  // namespace

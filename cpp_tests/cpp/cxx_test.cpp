// The component portacl::cxx: allocations, statistics and pools as vectors of structures.

#include <portacl/cxx.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <sys/syscall.h>
#include <unistd.h>

#include "support/acl_test.h"
#include "support/own_process.h"
#include "support/says.h"

using namespace portacl_test;
using portacl::AsyncBuffer;
using portacl::Device;
using portacl::DeviceBuffer;
using portacl::Error;
using portacl::HookScope;
using portacl::HostBuffer;
using portacl::LineProfileHook;
using portacl::MemoryAllocation;
using portacl::MemoryKind;
using portacl::MemoryProfile;
using portacl::MemoryStats;
using portacl::MemPool;
using portacl::Runtime;
using portacl::Stream;

namespace {

const MemoryAllocation* Find(const std::vector<MemoryAllocation>& all, const void* address) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const MemoryAllocation& one) { return one.address == address; });
    return found == all.end() ? nullptr : &*found;
}

class Cxx : public testing::Test {
  protected:
    Runtime runtime;
    Device device;
};

TEST_F(Cxx, ASnapshotHasEachLiveAllocation) {
    const Stream stream;
    const MemPool pool(device.id());
    const DeviceBuffer<char> on_device(5000);
    const HostBuffer<char> pinned(100);
    const AsyncBuffer<char> pooled(3000, stream, pool);
    const std::vector<MemoryAllocation> all = portacl::memory_snapshot();
    EXPECT_EQ(all.size(), 3u);
    const MemoryAllocation* one = Find(all, on_device.data());
    ASSERT_TRUE(one);
    EXPECT_EQ(one->kind, MemoryKind::device);
    EXPECT_EQ(one->device, 0);
    EXPECT_GE(one->rounded_size, 5000u);
    EXPECT_EQ(one->pool, nullptr);
    EXPECT_EQ(one->call_site, "");
    one = Find(all, pinned.data());
    ASSERT_TRUE(one);
    EXPECT_EQ(one->kind, MemoryKind::pinned);
    EXPECT_EQ(one->device, -1);
    one = Find(all, pooled.data());
    ASSERT_TRUE(one);
    EXPECT_EQ(one->kind, MemoryKind::pool);
    EXPECT_EQ(one->pool, pool.get());
    EXPECT_TRUE(
        std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.address < b.address; }));
}

TEST_F(Cxx, ASnapshotOfManyIsComplete) {
    std::vector<HostBuffer<char>> many;
    for (int i = 0; i < 1000; ++i) many.emplace_back(1 + i);
    EXPECT_EQ(portacl::memory_snapshot().size(), many.size());
    many.clear();
    EXPECT_TRUE(portacl::memory_snapshot().empty());
}

TEST_F(Cxx, StatisticsAreThoseOfTheCApi) {
    {
        // Larger than the blocks that are cached when they are freed.
        const DeviceBuffer<char> first(4 << 20);
        const DeviceBuffer<char> second(8 << 20);
    }
    const DeviceBuffer<char> third(100);
    const MemoryStats stats = portacl::memory_stats(device.id(), MemoryKind::device);
    portaclMemoryStats wanted{};
    wanted.structSize = sizeof wanted;
    ACL_OK(portaclMemoryGetStats(0, PORTACL_MEMORY_DEVICE, &wanted));
    EXPECT_EQ(stats.current_count, 1u);
    EXPECT_EQ(stats.total_count, 3u);
    EXPECT_GE(stats.peak_bytes, std::uint64_t{12} << 20);
    EXPECT_EQ(stats.current_bytes, wanted.currentBytes);
    EXPECT_EQ(stats.current_count, wanted.currentCount);
    EXPECT_EQ(stats.peak_bytes, wanted.peakBytes);
    EXPECT_EQ(stats.peak_count, wanted.peakCount);
    EXPECT_EQ(stats.total_bytes, wanted.totalBytes);
    EXPECT_EQ(stats.total_count, wanted.totalCount);
    EXPECT_EQ(stats.failures, wanted.failures);
    EXPECT_EQ(stats.reserved_bytes, wanted.reservedBytes);
    EXPECT_EQ(stats.peak_reserved_bytes, wanted.peakReservedBytes);
    EXPECT_EQ(stats.kept_bytes, wanted.keptBytes);
    EXPECT_EQ(stats.huge_page_fallbacks, wanted.hugePageFallbacks);
    EXPECT_EQ(stats.unlocked_bytes, wanted.unlockedBytes);
    portacl::reset_memory_peak(device.id(), MemoryKind::device);
    EXPECT_LT(portacl::memory_stats(device.id(), MemoryKind::device).peak_bytes, stats.peak_bytes);
}

TEST_F(Cxx, PoolsAndPageSizesAreListed) {
    const Stream stream;
    const MemPool pool(device.id());
    const AsyncBuffer<char> buffer(3000, stream, pool);
    const auto pools = portacl::memory_pools(device.id());
    const auto found =
        std::find_if(pools.begin(), pools.end(), [&](const auto& one) { return one.pool == pool.get(); });
    ASSERT_NE(found, pools.end());
    EXPECT_FALSE(found->is_destroyed);
    EXPECT_FALSE(found->is_imported);
    EXPECT_GE(found->stats.current_bytes, 3000u);
    EXPECT_EQ(found->stats.current_count, 1u);
    EXPECT_TRUE(portacl::memory_pools(-1).empty());

    const DeviceBuffer<char> memory(5000);
    const auto sizes = portacl::memory_page_sizes(device.id(), MemoryKind::device);
    ASSERT_EQ(sizes.size(), 1u);
    EXPECT_GE(sizes[0].page_size, 4096u);
    EXPECT_EQ(sizes[0].count, 1u);
    EXPECT_GE(sizes[0].bytes, 5000u);
}

TEST_F(Cxx, FailuresAreErrorsWithThePlaceOfTheCall) {
    int line = 0;
    try {
        line = __LINE__ + 1;
        (void)portacl::memory_stats(12345, MemoryKind::device);
        FAIL() << "no exception";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ACL_ERROR_RT_INVALID_DEVICEID);
        EXPECT_STREQ(error.name(), "ACL_ERROR_RT_INVALID_DEVICEID");
        EXPECT_EQ(error.text().find("portaclMemoryGetStats"), 0u) << error.text();
        EXPECT_NE(error.text().find("12345"), std::string::npos);
        EXPECT_STREQ(error.file(), __FILE__);
        EXPECT_EQ(error.line(), line);
    }
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    EXPECT_THROW((void)portacl::memory_stats(0, static_cast<MemoryKind>(77)), Error);
    EXPECT_THROW((void)portacl::memory_pools(12345), Error);
    EXPECT_THROW((void)portacl::memory_page_sizes(0, static_cast<MemoryKind>(-1)), Error);
    EXPECT_THROW(portacl::reset_memory_peak(12345, MemoryKind::device), Error);
    LineProfileHook ended;
    ended.reset();
    EXPECT_THROW((void)portacl::memory_profile(ended), Error);
}

[[gnu::noinline]] void AllocateLittle() {
    const HostBuffer<char> memory(1000);
}
[[gnu::noinline]] void AllocateMuch() {
    for (int i = 0; i < 3; ++i) {
        const HostBuffer<char> memory(4096);
    }
}

// The first node with this name, at any depth.
const MemoryProfile* Find(const MemoryProfile& node, const std::string& name) {
    if (node.function.find(name) != std::string::npos) return &node;
    for (const MemoryProfile& below : node.below)
        if (const MemoryProfile* found = Find(below, name)) return found;
    return nullptr;
}

void ExpectSums(const MemoryProfile& node) {
    std::uint64_t bytes = 0, count = 0;
    for (const MemoryProfile& below : node.below) {
        bytes += below.malloc_bytes;
        count += below.malloc_count;
        ExpectSums(below);
    }
    EXPECT_LE(bytes, node.malloc_bytes) << node.function;
    EXPECT_LE(count, node.malloc_count) << node.function;
}

TEST_F(Cxx, AProfileIsATree) {
    const LineProfileHook hook(0, HookScope::thread);
    EXPECT_TRUE(portacl::memory_profile(hook).below.empty());
    AllocateLittle();
    AllocateMuch();
    const MemoryProfile root = portacl::memory_profile(hook);
    EXPECT_EQ(root.function, "_root");
    EXPECT_EQ(root.malloc_bytes, 1024u + 3 * 4096u);
    EXPECT_EQ(root.malloc_count, 4u);
    ExpectSums(root);
    const MemoryProfile* much = Find(root, "AllocateMuch");
    const MemoryProfile* little = Find(root, "AllocateLittle");
    ASSERT_TRUE(much && little);
    EXPECT_EQ(much->malloc_bytes, 3 * 4096u);
    EXPECT_EQ(much->malloc_count, 3u);
    EXPECT_EQ(little->malloc_bytes, 1024u);
    EXPECT_EQ(Find(*much, "AllocateLittle"), nullptr);
}

// The component uses the library that the program calls, and has none of its own.
TEST_F(Cxx, UsesTheProgramsLibrary) {
    for (std::size_t i = 0; i < 10; ++i) {
        const HostBuffer<char> memory(1 + i);
        EXPECT_EQ(portacl::memory_snapshot().size(), 1u);
    }
    EXPECT_TRUE(portacl::memory_snapshot().empty());
}

TEST_F(Cxx, ManyThreadsQuery) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([] {
            for (int i = 0; i < 50; ++i) {
                const HostBuffer<char> memory(1000);
                const auto all = portacl::memory_snapshot();
                EXPECT_TRUE(Find(all, memory.data()));
                EXPECT_THROW((void)portacl::memory_pools(12345), Error);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

OWN_PROCESS_TEST(CxxRecorded, AllocationsHaveCallSites) {
    const Runtime runtime;
    ACL_OK(portaclMemoryRecord());
    void* memory = nullptr;
    ACL_OK(aclrtMallocHost(&memory, 1001));
    const auto all = portacl::memory_snapshot();
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].size, 1001u);
    EXPECT_EQ(all[0].thread, static_cast<std::uint64_t>(syscall(SYS_gettid)));
    EXPECT_GT(all[0].age, std::chrono::nanoseconds(0));
    EXPECT_NE(all[0].call_site.find("CxxRecorded"), std::string::npos) << all[0].call_site;
    ACL_OK(aclrtFreeHost(memory));
}

OWN_PROCESS_TEST(CxxLeaks, AreStructuresAndLines) {
    const Runtime runtime;
    EXPECT_TRUE(portacl::leak_report().lines.empty());
    void* memory = nullptr;
    ACL_OK(aclrtMallocHost(&memory, 1000));
    {
        const HostBuffer<char> freed_by_hand(1);
        ACL_OK(aclrtFreeHost(freed_by_hand.get()));
    }
    const portacl::LeakReport report = portacl::leak_report();
    ASSERT_EQ(report.allocations.size(), 1u);
    EXPECT_EQ(report.allocations[0].address, memory);
    ASSERT_EQ(report.lines.size(), 3u);
    EXPECT_NE(report.lines[0].find("1 allocation of 1024 bytes"), std::string::npos);
    EXPECT_NE(report.lines[2].find("aclrtFreeHost returned 107000"), std::string::npos);
    ACL_OK(aclrtFreeHost(memory));
}

}  // namespace

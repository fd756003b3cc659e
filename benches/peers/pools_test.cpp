// Tests that the peers' pools behave as published about the originals.
#include <gtest/gtest.h>

#include <map>

#include "../pools/pool_replay.h"
#include "caching_allocator.h"
#include "coalescing_pool.h"

namespace {

constexpr std::uint64_t kKiB = 1u << 10, kMiB = 1u << 20;

char* Bytes(void* memory) {
    return static_cast<char*>(memory);
}

// Checks that no two live blocks overlap, whatever the trace.
template <typename Pool>
void ExpectSound(const bench::Trace& trace) {
    Pool pool(trace.streams);
    bench::Slots slots(trace.slots);
    std::vector<std::uint64_t> sizes(trace.slots);
    std::map<std::uint64_t, std::uint64_t> live;
    std::uint64_t used = 0;
    for (const bench::Step& step : trace.steps) {
        if (step.size == 0) {
            live.erase(reinterpret_cast<std::uint64_t>(slots[step.slot]));
            used -= sizes[step.slot];
        }
        bench::Do(pool, step, slots);
        if (step.size == 0) continue;
        const auto address = reinterpret_cast<std::uint64_t>(slots[step.slot]);
        sizes[step.slot] = step.size;
        used += step.size;
        ASSERT_EQ(address % 256, 0u);
        const auto next = live.lower_bound(address);
        if (next != live.end()) {
            ASSERT_LE(address + step.size, next->first);
        }
        if (next != live.begin()) {
            const auto before = std::prev(next);
            ASSERT_LE(before->first + before->second, address);
        }
        live.emplace(address, step.size);
        ASSERT_LE(used, pool.Reserved());
    }
    EXPECT_EQ(pool.PeakReserved(), pool.Reserved());
}

template <typename Pool>
class Peer : public testing::Test {};
using Peers = testing::Types<peers::CoalescingPool, peers::CachingAllocator>;
TYPED_TEST_SUITE(Peer, Peers);

TYPED_TEST(Peer, LiveBlocksNeverOverlap) {
    ExpectSound<TypeParam>(bench::RandomAllocations(3'000, kMiB));
    ExpectSound<TypeParam>(bench::RandomAllocations(2'000, 64 * kMiB, 8));
    ExpectSound<TypeParam>(bench::Steady(200, 5'000, 8));
}

TYPED_TEST(Peer, TheSameStreamHasItsMemoryBack) {
    TypeParam pool(2);
    void* memory = pool.Allocate(3 * kMiB, 0);
    pool.Free(memory, 0);
    EXPECT_EQ(pool.Allocate(3 * kMiB, 0), memory);
}

TYPED_TEST(Peer, TheSmallestFreeBlockThatIsLargeEnoughServes) {
    TypeParam pool(1);
    // These blocks stay between the others, so that nothing merges.
    std::vector<void*> held;
    std::map<std::uint64_t, void*> free;
    for (const std::uint64_t size : {64u, 16u, 32u, 128u}) {
        free[size] = pool.Allocate(size * kKiB, 0);
        held.push_back(pool.Allocate(kKiB, 0));
    }
    for (const auto& [size, memory] : free) pool.Free(memory, 0);
    EXPECT_EQ(pool.Allocate(20 * kKiB, 0), free[32]);
    // The rest of the split block is free.
    EXPECT_EQ(pool.Allocate(12 * kKiB, 0), Bytes(free[32]) + 20 * kKiB);
    EXPECT_EQ(pool.Allocate(60 * kKiB, 0), free[64]);
}

TYPED_TEST(Peer, NeighboursMerge) {
    TypeParam pool(1);
    pool.Free(pool.Allocate(kMiB, 0), 0);
    char* first = Bytes(pool.Allocate(100 * kKiB, 0));
    void* second = pool.Allocate(100 * kKiB, 0);
    void* third = pool.Allocate(100 * kKiB, 0);
    const std::uint64_t reserved = pool.Reserved();
    pool.Free(first, 0);
    pool.Free(third, 0);
    pool.Free(second, 0);
    EXPECT_EQ(pool.Allocate(300 * kKiB, 0), first);
    EXPECT_EQ(pool.Reserved(), reserved);
}

TEST(CoalescingPool, DoublesWhenNothingFits) {
    peers::CoalescingPool pool(1);
    pool.Allocate(kMiB, 0);
    EXPECT_EQ(pool.Reserved(), kMiB);
    pool.Allocate(kKiB, 0);
    EXPECT_EQ(pool.Reserved(), 2 * kMiB);
    pool.Allocate(kMiB, 0);
    EXPECT_EQ(pool.Reserved(), 4 * kMiB);
    pool.Allocate(32 * kMiB, 0);
    EXPECT_EQ(pool.Reserved(), 36 * kMiB);
}

TEST(CoalescingPool, RoundsTo256Bytes) {
    peers::CoalescingPool pool(1);
    pool.Allocate(kMiB, 0);
    char* first = Bytes(pool.Allocate(1, 0));
    EXPECT_EQ(Bytes(pool.Allocate(257, 0)) - first, 256);
    EXPECT_EQ(Bytes(pool.Allocate(1, 0)) - first, 256 + 512);
}

TEST(CoalescingPool, TakesFromAnotherStreamBehindItsEvent) {
    peers::CoalescingPool pool(2);
    void* memory = pool.Allocate(4 * kMiB, 0);
    pool.Free(memory, 0);
    EXPECT_EQ(pool.Allocate(kMiB, 1), memory);
    EXPECT_EQ(pool.Waits(1), 1u);
    // The rest belongs to the second stream now, without another wait.
    EXPECT_EQ(pool.Allocate(kMiB, 1), Bytes(memory) + kMiB);
    EXPECT_EQ(pool.Waits(1), 1u);
    EXPECT_EQ(pool.Reserved(), 4 * kMiB);
}

TEST(CoalescingPool, PutsTheListsOfStreamsTogetherBeforeItGrows) {
    peers::CoalescingPool pool(3);
    char* first = Bytes(pool.Allocate(4 * kMiB, 0));
    pool.Free(first, 0);
    pool.Allocate(2 * kMiB, 0);
    void* second = pool.Allocate(2 * kMiB, 0);
    pool.Free(first, 0);
    pool.Free(second, 1);
    // Neither stream has 4 MiB alone.
    EXPECT_EQ(pool.Allocate(4 * kMiB, 2), first);
    EXPECT_EQ(pool.Waits(2), 2u);
    EXPECT_EQ(pool.Reserved(), 4 * kMiB);
}

TEST(CoalescingPool, DoesNotMergeWhatCameFromUpstreamSeparately) {
    peers::CoalescingPool pool(1);
    void* first = pool.Allocate(2 * kMiB, 0);
    void* second = pool.Allocate(2 * kMiB, 0);
    pool.Free(first, 0);
    pool.Free(second, 0);
    pool.Allocate(4 * kMiB, 0);
    EXPECT_EQ(pool.Reserved(), 8 * kMiB);
}

TEST(CachingAllocator, TakesSegmentsOfThePublishedSizes) {
    const auto reserved = [](std::uint64_t bytes) {
        peers::CachingAllocator pool(1);
        pool.Allocate(bytes, 0);
        return pool.Reserved();
    };
    EXPECT_EQ(reserved(1), 2 * kMiB);
    EXPECT_EQ(reserved(kMiB), 2 * kMiB);
    EXPECT_EQ(reserved(kMiB + 1), 20 * kMiB);
    EXPECT_EQ(reserved(10 * kMiB - 512), 20 * kMiB);
    EXPECT_EQ(reserved(10 * kMiB), 10 * kMiB);
    EXPECT_EQ(reserved(33 * kMiB + 1), 34 * kMiB);
}

TEST(CachingAllocator, RoundsTo512Bytes) {
    peers::CachingAllocator pool(1);
    char* first = Bytes(pool.Allocate(1, 0));
    EXPECT_EQ(Bytes(pool.Allocate(513, 0)) - first, 512);
    EXPECT_EQ(Bytes(pool.Allocate(1, 0)) - first, 512 + 1024);
    EXPECT_EQ(pool.All().allocations.bytes.peak, 2048);
}

TEST(CachingAllocator, SplitsALargeBlockOnlyIfMoreThanAMebibyteRemains) {
    peers::CachingAllocator pool(1);
    void* memory = pool.Allocate(12 * kMiB, 0);
    pool.Free(memory, 0);
    EXPECT_EQ(pool.Allocate(11 * kMiB, 0), memory);
    EXPECT_EQ(pool.All().allocations.bytes.peak, 12 * kMiB);
    pool.Free(memory, 0);
    EXPECT_EQ(pool.Allocate(11 * kMiB - 512, 0), memory);
    // What remained serves large requests only.
    pool.Allocate(kMiB, 0);
    EXPECT_EQ(pool.Reserved(), 14 * kMiB);
}

TEST(CachingAllocator, KeepsStreamsApart) {
    peers::CachingAllocator pool(2);
    void* memory = pool.Allocate(kMiB, 0);
    pool.Free(memory, 0);
    EXPECT_NE(pool.Allocate(kMiB, 1), memory);
    EXPECT_EQ(pool.Reserved(), 4 * kMiB);
}

TEST(CachingAllocator, AFreeOnAnotherStreamWaitsForItsWork) {
    peers::CachingAllocator pool(2);
    void* memory = pool.Allocate(2 * kMiB, 0);
    pool.Clock(1).Hold();
    pool.Free(memory, 1);
    void* other = pool.Allocate(2 * kMiB, 0);
    EXPECT_NE(other, memory);
    pool.Clock(1).Finish();
    // The block is not merged wrongly, and serves its stream again.
    EXPECT_EQ(pool.Allocate(2 * kMiB, 0), memory);
    EXPECT_EQ(pool.Reserved(), 20 * kMiB);
}

TEST(CachingAllocator, RecordedUsesHoldABlockUntilAllOfThemAreOver) {
    peers::CachingAllocator pool(3);
    void* memory = pool.Allocate(2 * kMiB, 0);
    pool.RecordUse(memory, 0);  // the block's stream needs no event
    pool.RecordUse(memory, 1);
    pool.RecordUse(memory, 2);
    pool.Clock(1).Hold();
    pool.Clock(2).Hold();
    pool.Free(memory, 0);
    pool.Clock(1).Finish();
    EXPECT_NE(pool.Allocate(2 * kMiB, 0), memory);
    pool.Clock(2).Finish();
    EXPECT_EQ(pool.Allocate(2 * kMiB, 0), memory);
}

TEST(CachingAllocator, EmptyCacheReleasesWholeSegments) {
    peers::CachingAllocator pool(1);
    void* first = pool.Allocate(kMiB, 0);
    void* second = pool.Allocate(512 * kKiB, 0);
    void* large = pool.Allocate(12 * kMiB, 0);
    pool.Free(first, 0);
    pool.Free(large, 0);
    pool.EmptyCache();
    EXPECT_EQ(pool.Reserved(), 2 * kMiB);
    pool.Free(second, 0);
    pool.EmptyCache();
    EXPECT_EQ(pool.Reserved(), 0u);
    EXPECT_EQ(pool.PeakReserved(), 14 * kMiB);
}

TEST(CachingAllocator, CountsAsItsModelDoes) {
    peers::CachingAllocator pool(2);
    void* small = pool.Allocate(1000, 0);
    void* large = pool.Allocate(3 * kMiB + 1, 0);
    EXPECT_EQ(pool.Small().allocations.bytes.current, 1024);
    EXPECT_EQ(pool.Large().allocations.bytes.current, 3 * kMiB + 512);
    EXPECT_EQ(pool.All().requested_bytes.current, 1000 + 3 * kMiB + 1);
    EXPECT_EQ(pool.All().segments.number.current, 2);
    EXPECT_EQ(pool.Large().inactive_split.bytes.current, 17 * kMiB - 512);
    pool.Clock(1).Hold();
    pool.Free(large, 1);
    // The block is freed, and held by an event.
    EXPECT_EQ(pool.Large().allocations.number.current, 0);
    EXPECT_EQ(pool.Large().active.number.current, 1);
    pool.Clock(1).Finish();
    pool.Free(small, 0);
    pool.EmptyCache();
    for (const auto* blocks :
         {&pool.All().allocations, &pool.All().active, &pool.All().inactive_split, &pool.All().segments}) {
        EXPECT_EQ(blocks->number.current, 0);
        EXPECT_EQ(blocks->bytes.current, 0);
        EXPECT_EQ(blocks->bytes.allocated, blocks->bytes.freed);
    }
    EXPECT_EQ(pool.All().requested_bytes.current, 0);
    EXPECT_EQ(pool.All().segments.bytes.peak, 22 * kMiB);
}

TEST(Trace, RandomAllocationsAreWhatTheirNameSays) {
    const bench::Trace trace = bench::RandomAllocations(10'000, kMiB, 8);
    std::size_t allocations = 0;
    std::uint64_t largest = 0, bytes = 0;
    std::vector<bool> live(trace.slots);
    for (const bench::Step& step : trace.steps) {
        ASSERT_EQ(live[step.slot], step.size == 0);
        live[step.slot] = step.size != 0;
        if (step.size == 0) continue;
        allocations++;
        bytes += step.size;
        largest = std::max(largest, step.size);
    }
    EXPECT_EQ(trace.steps.size(), 20'000u);
    EXPECT_NEAR(allocations / 20'000.0, 0.73, 0.01);
    EXPECT_LE(largest, kMiB);
    EXPECT_NEAR(static_cast<double>(bytes) / allocations, kMiB / 2.0, kMiB * 0.01);
    EXPECT_GT(bench::PeakRequested(trace), 9'000 * kMiB / 2);
}

TEST(Trace, ASteadyStateKeepsItsNumberOfBlocks) {
    const bench::Trace trace = bench::Steady(1'000, 5'000, 8);
    EXPECT_EQ(trace.steps.size() - trace.timed_from, 10'000u);
    std::vector<std::uint32_t> stream(trace.slots);
    std::size_t live = 0;
    for (const bench::Step& step : trace.steps) {
        live += step.size != 0 ? 1 : -1;
        if (step.size == 0) {
            ASSERT_EQ(stream[step.slot], step.stream);
        } else {
            stream[step.slot] = step.stream;
            ASSERT_GE(step.size, 255u);
            ASSERT_LE(step.size, 8 * kMiB);
        }
    }
    EXPECT_EQ(live, 1'000u);
}

}  // namespace

// A caching allocator, written from published descriptions of PyTorch's for CUDA: sizes in
// multiples of 512 B; requests up to 1 MiB from segments of 2 MiB, larger ones from segments of 20
// MiB, from 10 MiB on from separate segments; best fit among the free blocks of the same stream;
// blocks are split and merged within their segment; a freed block that another stream has used
// waits for events recorded there. Bookkeeping only.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "upstream.h"

namespace peers {

// A number with its current value and its peak, as in torch.cuda.memory_stats.
struct Statistic {
    std::int64_t current = 0, peak = 0, allocated = 0, freed = 0;

    void Add(std::int64_t by) {
        current += by;
        peak = std::max(peak, current);
        (by > 0 ? allocated : freed) += by > 0 ? by : -by;
    }
};

// The numbers of blocks and their bytes: allocated, held by the program or by events, free parts of segments that are
// in use; of segments; and of requested bytes before rounding.
struct Statistics {
    struct Blocks {
        Statistic number, bytes;
    };
    Blocks allocations, active, inactive_split, segments;
    Statistic requested_bytes;
};

class CachingAllocator {
  public:
    static constexpr bool kEndsWhole = true;
    static constexpr std::uint64_t kUnit = 512;
    static constexpr std::uint64_t kSmall = 1u << 20;
    static constexpr std::uint64_t kSmallSegment = 2u << 20;
    static constexpr std::uint64_t kLargeSegment = 20u << 20;
    static constexpr std::uint64_t kMinLargeAlloc = 10u << 20;
    static constexpr std::uint64_t kRoundLarge = 2u << 20;

    explicit CachingAllocator(std::uint32_t streams) : clocks_(streams) {}
    CachingAllocator(const CachingAllocator&) = delete;
    CachingAllocator& operator=(const CachingAllocator&) = delete;
    ~CachingAllocator() {
        std::set<Block*> blocks;
        for (const auto& [address, block] : live_) blocks.insert(block);
        for (Pool* pool : {&small_, &large_}) blocks.insert(pool->begin(), pool->end());
        for (const auto& [clock, waiting] : waiting_)
            for (const auto& [event, block] : waiting) blocks.insert(block);
        for (Block* block : blocks) delete block;
    }

    void* Allocate(std::size_t bytes, std::uint32_t stream) {
        const std::uint64_t size = RoundUp(bytes, kUnit);
        std::lock_guard lock(mutex_);
        ReapEvents();
        Pool& pool = size <= kSmall ? small_ : large_;
        Block* block = TakeBest(pool, size, stream);
        if (!block) block = NewSegment(pool, size, stream);
        if (block->IsSplit()) Count(pool, &Statistics::inactive_split, -1, block->size);
        const std::uint64_t rest = block->size - size;
        if (&pool == &small_ ? rest >= kUnit : rest > kSmall) {
            Block* remainder = new Block{block->address + size, rest, stream, &pool};
            remainder->before = block;
            remainder->after = block->after;
            if (remainder->after) remainder->after->before = remainder;
            block->after = remainder;
            block->size = size;
            pool.insert(remainder);
            Count(pool, &Statistics::inactive_split, 1, rest);
        }
        block->live = true;
        block->requested = bytes;
        live_.emplace(block->address, block);
        Count(pool, &Statistics::allocations, 1, block->size);
        Count(pool, &Statistics::active, 1, block->size);
        CountRequested(pool, static_cast<std::int64_t>(bytes));
        return reinterpret_cast<void*>(block->address);
    }

    // Frees a block on any stream. If that is not the block's stream, it has used the block.
    void Free(void* memory, std::uint32_t stream) {
        std::lock_guard lock(mutex_);
        const auto found = live_.find(reinterpret_cast<std::uint64_t>(memory));
        Block* block = found->second;
        live_.erase(found);
        block->live = false;
        Count(*block->pool, &Statistics::allocations, -1, block->size);
        CountRequested(*block->pool, -static_cast<std::int64_t>(block->requested));
        if (stream != block->stream) block->used_by.insert(stream);
        if (block->used_by.empty()) {
            Return(block);
            return;
        }
        for (const std::uint32_t user : block->used_by) {
            block->events++;
            waiting_[user].emplace_back(clocks_[user].Record(), block);
        }
        block->used_by.clear();
    }

    // Notes that work of another stream uses the memory.
    void RecordUse(void* memory, std::uint32_t stream) {
        std::lock_guard lock(mutex_);
        Block* block = live_.at(reinterpret_cast<std::uint64_t>(memory));
        if (stream != block->stream) block->used_by.insert(stream);
    }

    std::uint64_t Reserved() const { return upstream_.reserved(); }
    std::uint64_t PeakReserved() const { return upstream_.peak(); }
    // Return the statistics of small segments, of large ones, and of all.
    const Statistics& Small() const { return statistics_[0]; }
    const Statistics& Large() const { return statistics_[1]; }
    const Statistics& All() const { return statistics_[2]; }
    void EnterThread() const {}
    // The work of a stream, for tests.
    StreamClock& Clock(std::uint32_t stream) { return clocks_[stream]; }

    // Releases segments that are entirely free.
    void EmptyCache() {
        std::lock_guard lock(mutex_);
        ReapEvents();
        for (Pool* pool : {&small_, &large_}) {
            for (auto block = pool->begin(); block != pool->end();) {
                if ((*block)->before || (*block)->after) {
                    ++block;
                    continue;
                }
                upstream_.Release((*block)->size);
                Count(*pool, &Statistics::segments, -1, (*block)->size);
                delete *block;
                block = pool->erase(block);
            }
        }
    }

  private:
    struct Block;
    struct Order {
        bool operator()(const Block* a, const Block* b) const {
            return std::tie(a->stream, a->size, a->address) < std::tie(b->stream, b->size, b->address);
        }
    };
    using Pool = std::set<Block*, Order>;
    struct Block {
        std::uint64_t address, size;
        std::uint32_t stream;
        Pool* pool;
        // The neighbours in the segment.
        Block* before = nullptr;
        Block* after = nullptr;
        bool live = false;
        int events = 0;
        std::set<std::uint32_t> used_by{};
        std::uint64_t requested = 0;

        bool Free() const { return !live && events == 0; }
        bool IsSplit() const { return before || after; }
    };

    // Counts one block more, or one less.
    void Count(const Pool& pool, Statistics::Blocks Statistics::*which, int by, std::uint64_t size) {
        for (Statistics* counted : {&statistics_[&pool == &large_], &statistics_[2]}) {
            Statistics::Blocks& blocks = counted->*which;
            blocks.number.Add(by);
            blocks.bytes.Add(by * static_cast<std::int64_t>(size));
        }
    }
    void CountRequested(const Pool& pool, std::int64_t bytes) {
        statistics_[&pool == &large_].requested_bytes.Add(bytes);
        statistics_[2].requested_bytes.Add(bytes);
    }

    static Block* TakeBest(Pool& pool, std::uint64_t size, std::uint32_t stream) {
        Block wanted{0, size, stream, nullptr};
        const auto best = pool.lower_bound(&wanted);
        if (best == pool.end() || (*best)->stream != stream) return nullptr;
        Block* block = *best;
        pool.erase(best);
        return block;
    }

    Block* NewSegment(Pool& pool, std::uint64_t size, std::uint32_t stream) {
        std::uint64_t segment = kLargeSegment;
        if (size <= kSmall) {
            segment = kSmallSegment;
        } else if (size >= kMinLargeAlloc) {
            segment = RoundUp(size, kRoundLarge);
        }
        Count(pool, &Statistics::segments, 1, segment);
        return new Block{upstream_.Take(segment), segment, stream, &pool};
    }

    void Return(Block* block) {
        Count(*block->pool, &Statistics::active, -1, block->size);
        if (Block* before = block->before; before && before->Free()) {
            block->pool->erase(before);
            Count(*block->pool, &Statistics::inactive_split, -1, before->size);
            block->address = before->address;
            block->size += before->size;
            block->before = before->before;
            if (block->before) block->before->after = block;
            delete before;
        }
        if (Block* after = block->after; after && after->Free()) {
            block->pool->erase(after);
            Count(*block->pool, &Statistics::inactive_split, -1, after->size);
            block->size += after->size;
            block->after = after->after;
            if (block->after) block->after->before = block;
            delete after;
        }
        block->pool->insert(block);
        if (block->IsSplit()) Count(*block->pool, &Statistics::inactive_split, 1, block->size);
    }

    void ReapEvents() {
        for (auto& [stream, waiting] : waiting_) {
            while (!waiting.empty() && clocks_[stream].IsComplete(waiting.front().first)) {
                Block* block = waiting.front().second;
                waiting.pop_front();
                if (--block->events == 0) Return(block);
            }
        }
    }

    std::mutex mutex_;
    Upstream upstream_;
    std::vector<StreamClock> clocks_;
    Pool small_, large_;
    std::unordered_map<std::uint64_t, Block*> live_;
    // For each stream the events in the order in which they were recorded, and the blocks that wait for them.
    std::map<std::uint32_t, std::deque<std::pair<std::uint64_t, Block*>>> waiting_;
    Statistics statistics_[3];
};

}  // namespace peers

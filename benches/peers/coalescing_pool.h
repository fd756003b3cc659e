// A coalescing best-fit pool, written from what RAPIDS publishes about RMM's pool_memory_resource:
// for each stream a list of free blocks in address order, best fit by a linear search, neighbours
// merged at a free; blocks of other streams after their event; without a maximum the pool doubles
// when nothing fits. Bookkeeping only.
#pragma once

#include <list>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "upstream.h"

namespace peers {

class CoalescingPool {
  public:
    static constexpr bool kEndsWhole = true;
    static constexpr std::uint64_t kAlignment = 256;

    explicit CoalescingPool(std::uint32_t streams) : clocks_(streams) {}

    void* Allocate(std::size_t bytes, std::uint32_t stream) {
        const std::uint64_t size = RoundUp(bytes, kAlignment);
        std::lock_guard lock(mutex_);
        const Block found = Find(size, stream);
        if (found.size > size) {
            Insert(free_[stream], {found.address + size, found.size - size, false});
        }
        live_.insert({found.address, size, found.first});
        return reinterpret_cast<void*>(found.address);
    }

    void Free(void* memory, std::uint32_t stream) {
        std::lock_guard lock(mutex_);
        const auto block = live_.find({reinterpret_cast<std::uint64_t>(memory), 0, false});
        // The event of the stream is recorded again: it covers everything that the stream has
        // freed.
        clocks_[stream].Record();
        Insert(free_[stream], *block);
        live_.erase(block);
    }

    std::uint64_t Reserved() const { return upstream_.reserved(); }
    std::uint64_t PeakReserved() const { return upstream_.peak(); }
    void EnterThread() const {}
    // Returns how often a stream had to wait for another stream. Tests use it.
    std::uint64_t Waits(std::uint32_t stream) const { return clocks_[stream].waits(); }

  private:
    struct Block {
        std::uint64_t address, size;
        // Whether the block starts an upstream block: then it is not merged with memory before it.
        bool first;

        bool operator<(const Block& other) const { return address < other.address; }
        bool Precedes(const Block& other) const { return address + size == other.address && !other.first; }
    };
    using List = std::list<Block>;
    static constexpr Block kNone{0, 0, false};

    static void Insert(List& list, const Block& block) {
        auto next = list.begin();
        while (next != list.end() && next->address < block.address) ++next;
        const bool joins_next = next != list.end() && block.Precedes(*next);
        if (next != list.begin()) {
            auto before = std::prev(next);
            if (before->Precedes(block)) {
                before->size += block.size;
                if (joins_next) {
                    before->size += next->size;
                    list.erase(next);
                }
                return;
            }
        }
        if (joins_next) {
            next->address = block.address;
            next->size += block.size;
            next->first = block.first;
        } else {
            list.insert(next, block);
        }
    }

    // Removes and returns the smallest block of at least `size`.
    static Block TakeBest(List& list, std::uint64_t size) {
        auto best = list.end();
        for (auto block = list.begin(); block != list.end(); ++block) {
            if (block->size < size) continue;
            if (best == list.end() || block->size < best->size) best = block;
        }
        if (best == list.end()) return kNone;
        const Block found = *best;
        list.erase(best);
        return found;
    }

    Block Find(std::uint64_t size, std::uint32_t stream) {
        List& own = free_[stream];
        if (const Block found = TakeBest(own, size); found.size) return found;
        for (auto& [other, list] : free_) {
            if (other == stream) continue;
            if (const Block found = TakeBest(list, size); found.size) {
                clocks_[stream].WaitFor(clocks_[other]);
                return found;
            }
        }
        // No single list contains it; neighbours may be in two lists.
        for (auto other = free_.begin(); other != free_.end();) {
            if (other->first == stream) {
                ++other;
                continue;
            }
            clocks_[stream].WaitFor(clocks_[other->first]);
            for (const Block& block : other->second) Insert(own, block);
            other = free_.erase(other);
            if (const Block found = TakeBest(own, size); found.size) return found;
        }
        const std::uint64_t grown = std::max(size, upstream_.reserved());
        return {upstream_.Take(grown), grown, true};
    }

    std::mutex mutex_;
    Upstream upstream_;
    std::vector<StreamClock> clocks_;
    std::map<std::uint32_t, List> free_;
    std::set<Block> live_;
};

}  // namespace peers

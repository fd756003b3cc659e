// Allocation in pools.

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>

#include "base/config.h"
#include "memory/shared_file.h"
#include "pool/mem_pool.h"
#include "runtime/context.h"
#include "stream/stream.h"

// Assumption: A pool reuses freed memory in the stream of the free, after an event that follows the free, after the
// free is complete, or after a wait that it adds: as its three attributes allow.
// Source: CUDA Driver API, Stream Ordered Memory Allocator: cuMemPoolSetAttribute; CUDA C++ Programming Guide, Stream
// Ordered Memory Allocator: Reuse Policies
// Test: MemPoolReuseTest.AStreamReusesItsFreedMemoryAtOnce, MemPoolReuseTest.AfterAnEventRecordedAfterTheFree,
// MemPoolReuseTest.NotByAnotherStreamWithoutPermission

namespace fake {
namespace {

using ull = unsigned long long;

// The unit in bytes in which a pool allocates from its device, and frees.
constexpr size_t kStep = size_t{32} << 20;

// The requirement about the frees of a segment.
enum class Sure {
    kOrdered,   // the stream is ordered after them, or the host has waited for them
    kComplete,  // or they are complete
    kAnything,  // or the stream can be made to wait for them
};

bool is_usable(const Pool& pool, const Stream& stream, const Segment& segment, Sure sure) {
    const auto over = [&](const std::shared_ptr<PoolOperation>& release) {
        return sure == Sure::kAnything || release->stream == stream.handle || is_after(state().observed, *release) ||
               (pool.allows(Reuse::kFollowEvents) && is_after(stream.known, *release)) ||
               (sure == Sure::kComplete && release->done);
    };
    return std::all_of(segment.releases.begin(), segment.releases.end(), over);
}

// Finds the best-fitting segment, so that few frees precede what is allocated.
Segments::iterator find_segment(Pool& pool, const Stream& stream, size_t size, Sure sure) {
    for (auto free = pool.free.by_size.lower_bound({size, 0}); free != pool.free.by_size.end(); ++free) {
        const auto segment = pool.segments.find(free->second);
        if (is_usable(pool, stream, segment->second, sure)) return segment;
    }
    return pool.segments.end();
}

// Finds the first of several adjacent segments that together have `size` bytes and fit best.
Segments::iterator find_segments(Pool& pool, const Stream& stream, size_t size, Sure sure) {
    auto best = pool.segments.end();
    size_t best_size = SIZE_MAX;
    auto first = pool.segments.begin();
    size_t sum = 0;
    uint64_t end = 0;
    const auto consider = [&] {
        if (sum >= size && sum < best_size) {
            best = first;
            best_size = sum;
        }
    };
    for (const uint64_t address : pool.free.by_address) {
        const auto segment = pool.segments.find(address);
        const bool usable = is_usable(pool, stream, segment->second, sure);
        if (!usable || segment->first != end) {
            consider();
            sum = 0;
        }
        if (usable) {
            if (sum == 0) first = segment;
            sum += segment->second.size;
        }
        end = segment->first + segment->second.size;
    }
    consider();
    return best;
}

Segments::iterator find_free(Pool& pool, const Stream& stream, size_t size, Sure sure) {
    const auto found = find_segment(pool, stream, size, sure);
    return found != pool.segments.end() ? found : find_segments(pool, stream, size, sure);
}

// Joins `size` bytes from `first` on to one segment, with the frees of all its parts, and removes it from the free
// ones.
Segments::iterator cut(Pool& pool, Segments::iterator first, size_t size) {
    Segment& segment = first->second;
    pool.free.remove(first);
    while (segment.size < size) {
        const auto next = std::next(first);
        segment.size += next->second.size;
        std::move(next->second.releases.begin(), next->second.releases.end(), std::back_inserter(segment.releases));
        pool.free.remove(next);
        pool.segments.erase(next);
    }
    if (segment.size > size) {
        Segment rest;
        rest.size = segment.size - size;
        rest.releases = segment.releases;
        segment.size = size;
        pool.free.add(pool.segments.emplace(first->first + size, std::move(rest)).first);
    }
    return first;
}

// Drops frees that are complete for all streams, and merges neighbours without any.
void collect(Pool& pool) {
    const auto is_over = [](const std::shared_ptr<PoolOperation>& release) {
        return is_after(state().observed, *release);
    };
    auto before = pool.segments.end();
    for (auto free = pool.free.by_address.begin(); free != pool.free.by_address.end();) {
        const auto segment = pool.segments.find(*free++);
        auto& releases = segment->second.releases;
        releases.erase(std::remove_if(releases.begin(), releases.end(), is_over), releases.end());
        const bool merges = before != pool.segments.end() && releases.empty() && before->second.releases.empty() &&
                            before->first + before->second.size == segment->first;
        if (!merges) {
            before = segment;
            continue;
        }
        pool.free.remove(before);
        pool.free.remove(segment);
        before->second.size += segment->second.size;
        pool.segments.erase(segment);
        pool.free.add(before);
    }
}

// Reserves memory for a pool, a multiple of pages. Returns 0 if the device has none left.
uint64_t reserve(Pool& pool, size_t size) {
    if (pool.on_host()) return allocate_host(size, kStep);
    if (!make_room(*pool.context, size)) return 0;
    const uint64_t address = pool.context->device->arena.allocate(size, kStep);
    if (address == 0) return 0;
    if (pool.file != nullptr && !pool.file->back(*pool.context, address, size)) {
        pool.context->device->arena.free(address, size);
        return 0;
    }
    pool.context->device->used += size;
    return address;
}

void unreserve(Pool& pool, uint64_t address, size_t size) {
    if (pool.on_host()) {
        free_host(address, size);
        return;
    }
    if (pool.file != nullptr) pool.file->unback(*pool.context, address, size);
    pool.context->device->file->discard(*pool.context, address, size);
    pool.context->device->arena.free(address, size);
    pool.context->device->used -= size;
}

// Adds a segment with room for `size` bytes. Returns the end if there is no memory, and whether the device has too
// little.
Segments::iterator grow(Pool& pool, size_t size, bool* is_full) {
    const size_t pages = round_up(size, kStep);
    const bool fits = pool.max_size == 0 || pool.reserved + pages <= round_up(pool.max_size, kStep);
    const uint64_t address = fits && pages >= size ? reserve(pool, pages) : 0;
    *is_full = address == 0 && fits && !pool.on_host();
    if (address == 0) return pool.segments.end();
    pool.reserved += pages;
    pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
    Segment segment;
    segment.size = pages;
    const auto grown = pool.segments.emplace(address, std::move(segment)).first;
    pool.free.add(grown);
    return grown;
}

// Returns every pool: those with handles, and the default pools of devices.
std::vector<std::shared_ptr<Pool>> all_pools() {
    std::vector<std::shared_ptr<Pool>> pools;
    for (const auto& [handle, pool] : state().pools.live()) pools.push_back(pool);
    return pools;
}

}  // namespace

Pool::Pool(Context& context_, const CUmemPoolProps& props)
    : context(&context_),
      type(props.allocType),
      location(props.location),
      handle_types(props.handleTypes),
      max_size(props.maxSize) {
    if (!on_host()) access[context->ordinal] = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

int Pool::access_of(int ordinal) const {
    if (managed()) return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    const auto found = access.find(ordinal);
    return found == access.end() ? CU_MEM_ACCESS_FLAGS_PROT_NONE : found->second;
}

uint8_t* Pool::bytes(uint64_t address) const {
    return on_host() ? reinterpret_cast<uint8_t*>(address) : context->device->arena.alias(address);
}

Pool::~Pool() {
    for (const auto& [address, segment] : segments) unreserve(*this, address, segment.size);
}

std::shared_ptr<Pool> find_pool(const Call& call, CUmemoryPool handle, CUresult* code) {
    const uint64_t number = number_of(handle);
    auto pool = state().pools.find(number);
    if (pool == nullptr) {
        *code = call.refuse_handle(state().pools, "pool", number, CUDA_ERROR_INVALID_VALUE);
    }
    return pool;
}

const Pool* pool_with_free(uint64_t address) {
    for (const auto& entry : state().pools.live()) {
        const auto& segments = entry.second->segments;
        auto segment = segments.upper_bound(address);
        if (segment == segments.begin()) continue;
        --segment;
        if (address - segment->first < segment->second.size && !segment->second.used) {
            return entry.second.get();
        }
    }
    return nullptr;
}

std::shared_ptr<Block> allocate_block(const std::shared_ptr<Pool>& pool, Stream& stream, size_t size,
                                      std::vector<std::shared_ptr<PoolOperation>>* waits, bool* is_full) {
    const size_t length = round_up(size, Arena::kGrain);
    const size_t most = round_up(pool->max_size, Arena::kGrain);
    if (length < size || (most != 0 && pool->used + length > most)) return nullptr;
    auto segment = find_free(*pool, stream, length, Sure::kOrdered);
    if (segment == pool->segments.end() && pool->allows(Reuse::kOpportunistic)) {
        segment = find_free(*pool, stream, length, Sure::kComplete);
    }
    if (segment == pool->segments.end()) segment = grow(*pool, length, is_full);
    // Waiting for another stream is the last resort.
    if (segment == pool->segments.end() && pool->allows(Reuse::kInternalDependencies)) {
        segment = find_free(*pool, stream, length, Sure::kAnything);
    }
    if (segment == pool->segments.end()) return nullptr;
    segment = cut(*pool, segment, length);
    for (const auto& release : segment->second.releases) {
        if (release->done || release->stream == stream.handle) continue;
        waits->push_back(release);
        merge(&stream.known, release->before);
        merge(&stream.known, {{release->stream, release->number}});
    }
    segment->second.used = true;
    segment->second.releases.clear();
    pool->used += length;
    pool->used_high = std::max(pool->used_high, pool->used);
    auto block =
        std::make_shared<Block>(BlockKind::kPooled, pool->context, segment->first, size, pool->bytes(segment->first));
    block->pool = pool;
    add_block(block);
    return block;
}

// Assumption: A driver that has too little memory for a pool takes all that is left before it refuses the allocation.
// Other allocations get none meanwhile.
// Source: run on an H200 (docs/gpu, 2026-11-27): one byte more than the card has took all memory, and more than 20 s
// Test: none: a driver that refuses at once passes every test. How often the library asks is counted on the fake
// driver, by what_does_not_fit_is_requested_from_the_driver_once_unless_frees_make_room

void take_all_memory(const Call& call, Context& context) {
    if (config().refusal_ms == 0) return;
    const std::shared_ptr<Device> device = context.device;
    const size_t left = device->total - std::min(device->used, device->total);
    device->used += left;
    call.wait_inside([] { return false; }, std::chrono::milliseconds(config().refusal_ms));
    device->used -= left;
}

// Assumption: The memory of a pool that is destroyed before its last free is complete stays with the driver until a
// later call for a pool.
// Source: CUDA Driver API, Stream Ordered Memory Allocator: cuMemPoolDestroy: "the resources associated with the pool
// will be released automatically once there are no more outstanding allocations". Not known whether that needs a call;
// the next run on a card asks it by tests/interop/queue_probe.py
// Test: none: a driver that releases the memory earlier passes every test, too. That the library destroys a pool after
// its frees is shown on the fake driver by MemPoolEnd.DestroyingAPoolKeepsItsLiveMemory

void free_ended_pools() {
    auto& ended = state().ended_pools;
    const auto is_unused = [](const std::shared_ptr<Pool>& pool) { return pool.use_count() == 1; };
    ended.erase(std::remove_if(ended.begin(), ended.end(), is_unused), ended.end());
}

void free_block(const Block& block, std::shared_ptr<PoolOperation> release) {
    Pool& pool = *block.pool;
    pool.used -= round_up(block.size, Arena::kGrain);
    if (!pool.imported) {
        const auto segment = pool.segments.find(block.address);
        segment->second.used = false;
        if (release != nullptr) segment->second.releases.push_back(std::move(release));
        pool.free.add(segment);
        if (pool.file != nullptr) pool.file->forget(block.address);
    }
    state().blocks.erase(block.address);
}

bool make_room(Context& context, size_t size) {
    const auto has_room = [&] {
        return context.device->used <= context.device->total && size <= context.device->total - context.device->used;
    };
    if (has_room()) return true;
    for (const auto& pool : all_pools()) {
        if (pool->context->device == context.device && !pool->on_host()) trim(*pool, 0);
    }
    return has_room();
}

void trim(Pool& pool, uint64_t keep) {
    if (pool.imported) return;
    collect(pool);
    // The loop begins at the end, so that later allocations use few pages.
    const std::vector<uint64_t> free(pool.free.by_address.rbegin(), pool.free.by_address.rend());
    for (const uint64_t address : free) {
        if (pool.reserved <= keep) break;
        const auto segment = pool.segments.find(address);
        if (!segment->second.releases.empty()) continue;
        const uint64_t start = round_up(segment->first, kStep);
        const uint64_t end = (segment->first + segment->second.size) & ~uint64_t{kStep - 1};
        if (start >= end) continue;
        const size_t size = std::min<uint64_t>(end - start, (pool.reserved - keep) & ~uint64_t{kStep - 1});
        if (size == 0) break;
        const uint64_t cut_at = end - size;
        const size_t tail = segment->first + segment->second.size - end;
        pool.free.remove(segment);
        if (tail != 0) {
            Segment rest;
            rest.size = tail;
            pool.free.add(pool.segments.emplace(end, std::move(rest)).first);
        }
        segment->second.size = cut_at - segment->first;
        if (segment->second.size == 0) {
            pool.segments.erase(segment);
        } else {
            pool.free.add(segment);
        }
        unreserve(pool, cut_at, size);
        pool.reserved -= size;
    }
}

void observe(const Clock& clock) {
    merge(&state().observed, clock);
    for (const auto& pool : all_pools()) {
        collect(*pool);
        if (pool->reserved > pool->threshold) trim(*pool, pool->threshold);
    }
}

void check_order(const Call& call, const Stream& stream, const Block& block) {
    const PoolOperation* const allocation = block.allocation.get();
    if (allocation == nullptr || allocation->done || allocation->stream == stream.handle ||
        is_after(stream.known, *allocation)) {
        return;
    }
    call.misuse(CUDA_SUCCESS,
                "0x%llx is used in stream 0x%llx before stream 0x%llx has allocated it from its pool; "
                "cuStreamWaitEvent",
                ull{block.address}, ull{stream.handle}, ull{allocation->stream});
}

void drop_pools(Context& context, bool is_leak) {
    State& all = state();
    std::vector<uint64_t> mine;
    for (const auto& [handle, pool] : all.pools.live()) {
        if (pool->context != &context || (pool->on_host() && !pool->managed())) continue;
        mine.push_back(handle);
        if (is_leak && !pool->is_default) {
            char text[120];
            snprintf(text, sizeof text, "memory pool 0x%llx of device %d, destroyed with its context", ull{handle},
                     context.ordinal);
            all.orphans.push_back(text);
        }
    }
    for (const uint64_t handle : mine) all.pools.remove(handle);
    const auto ends = [&](const std::shared_ptr<Pool>& pool) {
        return pool->context == &context && (!pool->on_host() || pool->managed());
    };
    all.ended_pools.erase(std::remove_if(all.ended_pools.begin(), all.ended_pools.end(), ends), all.ended_pools.end());
    if (&context != device(context.ordinal)) return;
    context.device->default_pool = nullptr;
    context.device->current_pool = nullptr;
}

}  // namespace fake

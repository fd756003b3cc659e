// Memory pools: memory that streams allocate and free in stream order.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "base/call.h"
#include "memory/memory.h"
#include "stream/order.h"

namespace fake {

// The attributes that are switches, by number.
enum class Reuse { kFollowEvents, kOpportunistic, kInternalDependencies };

class SharedFile;

// A segment of a pool's memory: in use, or free. Adjacent segments cover the pool's memory without
// gaps.
struct Segment {
    size_t size = 0;
    bool used = false;
    // The frees that the next user must be ordered after.
    std::vector<std::shared_ptr<PoolOperation>> releases;
};

using Segments = std::map<uint64_t, Segment>;

// The free segments of a pool, so that no search walks the used ones.
struct FreeSegments {
    void add(Segments::iterator segment) {
        by_address.insert(segment->first);
        by_size.insert({segment->second.size, segment->first});
    }
    void remove(Segments::iterator segment) {
        by_address.erase(segment->first);
        by_size.erase({segment->second.size, segment->first});
    }

    std::set<uint64_t> by_address;
    std::set<std::pair<size_t, uint64_t>> by_size;
};

struct Pool {
    Pool(Context& context, const CUmemPoolProps& props);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    bool managed() const { return type == CU_MEM_ALLOCATION_TYPE_MANAGED; }
    bool on_host() const { return managed() || location.type != CU_MEM_LOCATION_TYPE_DEVICE; }
    bool allows(Reuse reuse) const { return reuse_switches[static_cast<size_t>(reuse)] != 0; }
    // Returns the access of the device to the memory (CU_MEM_ACCESS_FLAGS_*).
    int access_of(int ordinal) const;
    // Returns the driver's address of the byte at `address`.
    uint8_t* bytes(uint64_t address) const;

    // The device; for host memory the first device, without a meaning.
    Context* const context;
    const int type;
    const CUmemLocation location;
    const int handle_types;
    const size_t max_size;
    uint64_t handle = 0;
    // Whether it is the default pool of a device.
    bool is_default = false;
    // Whether it is from another process: blocks are imported, never allocated.
    bool imported = false;
    bool is_exported = false;

    int reuse_switches[3] = {1, 1, 1};
    uint64_t threshold = 0;
    uint64_t reserved = 0;
    uint64_t reserved_high = 0;
    uint64_t used = 0;
    uint64_t used_high = 0;
    std::map<int, int> access;
    Segments segments;
    FreeSegments free;
    // The file for other processes, or null if there is none.
    std::shared_ptr<SharedFile> file;
};

// Fails if the devices have no pools, or the call is refused.
CUresult check_supported(const Call& call);

// Fails if there is no such location for pools of the allocation type, and the kind of sharing.
CUresult check_location(const Call& call, const CUmemPoolProps& props);

// Returns the device's default pool, and its current one.
std::shared_ptr<Pool> default_pool(Context& context);
std::shared_ptr<Pool> current_pool(Context& context);

// Makes the default pools current where this one was.
void forget_current(const Pool& pool);

// Returns the valid pool with this handle, or null after reporting the reason.
std::shared_ptr<Pool> find_pool(const Call& call, CUmemoryPool handle, CUresult* code);

// Returns the pool that has this address as free memory, in no block, or null.
const Pool* pool_with_free(uint64_t address);

// Allocates a block for the stream and inserts it. Adds operations that the stream must wait for first to `waits`.
// Returns null if there is no memory, and whether that of the device would not have been enough.
std::shared_ptr<Block> allocate_block(const std::shared_ptr<Pool>& pool, Stream& stream, size_t size,
                                      std::vector<std::shared_ptr<PoolOperation>>* waits, bool* is_full);

// Takes what the device has left for some time, as a driver does before it refuses memory to a pool.
void take_all_memory(const Call& call, Context& context);

// Frees the memory of destroyed pools that nothing uses any more.
void free_ended_pools();

// Frees a block; the next user of the memory must be ordered after `release`, if there is one.
void free_block(const Block& block, std::shared_ptr<PoolOperation> release);

// Makes room for `size` bytes on a device, if necessary by trimming its pools.
bool make_room(Context& context, size_t size);

// Frees unused pages while the pool has more than this many bytes.
void trim(Pool& pool, uint64_t keep);

// Notes that the caller has waited for all of this: the frees in it are complete for all streams, and pools are trimmed
// to their thresholds.
void observe(const Clock& clock);

// Reports a use or free of a block that is not ordered after its allocation.
void check_order(const Call& call, const Stream& stream, const Block& block);

// Destroys the pools of a context with it.
void drop_pools(Context& context, bool is_leak);

}  // namespace fake

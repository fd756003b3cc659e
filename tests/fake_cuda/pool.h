// Memory pools: memory that streams take and give back in their order.
#pragma once

#include <vector>

#include "call.h"
#include "memory.h"
#include "order.h"

namespace fake {

// The attributes that are switches, in the order of their numbers.
enum class Reuse { kFollowEvents, kOpportunistic, kInternalDependencies };

class SharedFile;

// A piece of a pool's memory: in use, or free. Pieces follow each other without gaps where the
// pool has memory.
struct Piece {
    size_t size = 0;
    bool used = false;
    // Frees that somebody who takes it has to come after.
    std::vector<std::shared_ptr<PoolOperation>> releases;
};

struct Pool {
    Pool(Context& context, const CUmemPoolProps& props);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    bool on_host() const { return location.type != CU_MEM_LOCATION_TYPE_DEVICE; }
    bool allows(Reuse reuse) const { return reuse_switches[static_cast<size_t>(reuse)] != 0; }
    // What the device may do with the memory (CU_MEM_ACCESS_FLAGS_*).
    int access_of(int ordinal) const;
    // Where the driver reaches the byte at `address`.
    uint8_t* bytes(uint64_t address) const;

    // Its device; for memory of the host the first one, which then means nothing.
    Context* const context;
    const CUmemLocation location;
    const int handle_types;
    const size_t max_size;
    uint64_t handle = 0;
    // The one that a device has from the beginning.
    bool is_default = false;
    // From another process: blocks are imported, never taken.
    bool imported = false;

    int reuse_switches[3] = {1, 1, 1};
    uint64_t threshold = 0;
    uint64_t reserved = 0;
    uint64_t reserved_high = 0;
    uint64_t used = 0;
    uint64_t used_high = 0;
    std::map<int, int> access;
    std::map<uint64_t, Piece> pieces;
    // Where other processes find the memory; null: nowhere.
    std::shared_ptr<SharedFile> file;
};

// The live pool with this handle, or null after reporting why not.
std::shared_ptr<Pool> find_pool(const Call& call, CUmemoryPool handle, CUresult* code);

// The pool of which this address is free memory, which no block has at the moment, or null.
const Pool* pool_with_free(uint64_t address);

// Finds memory for a block of the stream and makes it known. Operations that the stream has to wait
// for first are added to `waits`. Null: there is none.
std::shared_ptr<Block> take(const std::shared_ptr<Pool>& pool, Stream& stream, size_t size,
                            std::vector<std::shared_ptr<PoolOperation>>* waits);

// Ends a block; whoever takes the memory again has to come after `release`, if there is one.
void give_back(const Block& block, std::shared_ptr<PoolOperation> release);

// Makes room for `size` bytes on a device, if need be by unused memory of its pools.
bool make_room(Context& context, size_t size);

// Gives pages that nothing uses back, as long as the pool keeps so many bytes.
void trim(Pool& pool, uint64_t keep);

// The caller has waited for all of this: the frees among it are over for everybody, and pools give
// back what they have too much.
void observe(const Clock& clock);

// Reports who uses, or frees, a block before it is surely there.
void check_order(const Call& call, const Stream& stream, const Block& block);

// The pools of a context are gone with it.
void drop_pools(Context& context, bool is_leak);

}  // namespace fake

// Live memory, and what an address is.
#pragma once

#include "call.h"
#include "order.h"
#include "shared_file.h"
#include "state.h"

namespace fake {

enum class BlockKind { kDevice, kPinned, kMapped, kRegistered, kManaged, kPooled, kForeign };

// "allocation", "pinned block", "mapped range" and so on.
const char* name_of(BlockKind kind);

// A range of live memory that the driver knows. Its storage lives as long as the object.
struct Block {
    Block(BlockKind kind_, Context* context_, uint64_t address_, size_t size_, uint8_t* bytes_)
        : kind(kind_), context(context_), address(address_), size(size_), bytes(bytes_) {}

    BlockKind kind;
    // The device it is on, or for host memory the context it was allocated or registered in.
    Context* context;
    uint64_t address;
    size_t size;
    // Where the driver itself reaches the first byte.
    uint8_t* bytes;
    // Queued operations that use it.
    int uses = 0;
    uint64_t id = 0;
    // Mapped ranges: the memory behind it, and what each device may do (CU_MEM_ACCESS_FLAGS_*).
    std::shared_ptr<Physical> physical;
    std::map<int, int> access;
    // Blocks of a pool: whose, and what has to come before everything that uses it.
    std::shared_ptr<Pool> pool;
    std::shared_ptr<PoolOperation> taken;
    // A module's, which cannot be freed without it.
    bool is_variable = false;
    // The addresses of a block that is another process's.
    std::shared_ptr<Window> window;
    // Of kForeign: which one, and how often it was opened.
    SharedName name{};
    int opened = 0;

    ~Block();
    // The host may touch it, and it is nothing else's: locked pages.
    bool pinned() const;
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
};

// Gives a new block its number and makes it known.
void add_block(std::shared_ptr<Block> block);

// New memory of the device, or null where there is none.
std::shared_ptr<Block> allocate_device(Context& context, size_t size);

// New memory holds rubbish, so that nobody relies on zeros.
void poison(uint8_t* bytes, size_t size);

// Host memory of the driver's own, or 0.
uint64_t allocate_host(size_t size, size_t alignment);

// Gives it back. Whoever touches it later faults.
void free_host(uint64_t address, size_t size);

// The live block that contains `address`, or null.
std::shared_ptr<Block> find_block(uint64_t address);

// The mapped ranges of one device behind `first`, as far as `end`; fewer where there is a gap.
std::vector<std::shared_ptr<Block>> mapped_behind(const Block& first, uint64_t end);

// True for an address that is or was device memory, pinned memory or a reservation: not pageable
// memory, and if no live block contains it, a stale address.
bool is_driver_address(uint64_t address);

// A checked range of memory in a call.
struct Operand {
    uint8_t* bytes = nullptr;
    // Null: pageable memory of the caller.
    std::shared_ptr<Block> block;
    // Mapped ranges that lie behind it without a gap, as far as the operand goes.
    std::vector<std::shared_ptr<Block>> beyond;

    // An operation uses it.
    void keep_in(std::vector<std::shared_ptr<Block>>& blocks) const {
        if (pageable()) return;
        blocks.push_back(block);
        blocks.insert(blocks.end(), beyond.begin(), beyond.end());
    }
    bool pageable() const { return block == nullptr; }
    bool managed() const { return !pageable() && block->kind == BlockKind::kManaged; }
    bool on_device() const { return !pageable() && !block->pinned(); }
    // Not for the host.
    bool only_on_device() const { return on_device() && !managed(); }
};

// Finds out what [address, address + size) is. CUDA_SUCCESS, or a reported misuse: null, stale,
// crossing the end of a block, or without access for `device`.
CUresult resolve(const Call& call, const char* argument, uint64_t address, size_t size,
                 const Context& device, Operand* out);

}  // namespace fake

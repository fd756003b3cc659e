// Live memory, and lookups of addresses.
#pragma once

#include "base/call.h"
#include "base/state.h"
#include "memory/shared_file.h"
#include "stream/order.h"

namespace fake {

enum class BlockKind { kDevice, kPinned, kMapped, kRegistered, kManaged, kPooled, kForeign };

// Returns "allocation", "pinned block", "mapped range" and so on.
const char* name_of(BlockKind kind);

// A range of live memory that the driver knows. Its storage lives as long as the object.
struct Block {
    Block(BlockKind kind_, Context* context_, uint64_t address_, size_t size_, uint8_t* bytes_)
        : kind(kind_), context(context_), address(address_), size(size_), bytes(bytes_) {}

    BlockKind kind;
    // The device of the memory; for host memory the context that allocated or registered it.
    Context* context;
    uint64_t address;
    size_t size;
    // The driver's address of the first byte.
    uint8_t* bytes;
    // The number of pending operations that use it.
    int uses = 0;
    uint64_t id = 0;
    // For mapped ranges: the physical memory, and the access of each device (CU_MEM_ACCESS_FLAGS_*).
    std::shared_ptr<Physical> physical;
    std::map<int, int> access;
    // For blocks of a pool: the pool, and the allocation that every use must be ordered after.
    std::shared_ptr<Pool> pool;
    std::shared_ptr<PoolOperation> allocation;
    // For mapped ranges: whether it was unmapped while operations used it.
    bool is_unmapped = false;
    // Whether the block belongs to a module and cannot be freed alone.
    bool is_variable = false;
    // The address range of a block of another process.
    std::shared_ptr<Window> window;
    // For kForeign: which block, and how often it was opened.
    SharedName name{};
    int opened = 0;
    // Whether other processes may have the block.
    bool is_exported = false;

    ~Block();
    // Whether the host may access the block and it is of no other kind: its pages are locked.
    bool pinned() const;
    // Whether the host and all devices use it.
    bool managed() const;
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
};

// Assigns a number to a new block and inserts it.
void add_block(std::shared_ptr<Block> block);

// Allocates memory of the device. Returns null if there is none.
std::shared_ptr<Block> allocate_device(Context& context, size_t size);

// Fills new memory with garbage, so that no program relies on zeros.
void poison(uint8_t* bytes, size_t size);

// Allocates pinned memory from the driver. Returns 0 if there is none.
uint64_t allocate_host(size_t size, size_t alignment);

// Frees pinned memory. Later accesses fault.
void free_host(uint64_t address, size_t size);

// Returns the live block that contains `address`, or null.
std::shared_ptr<Block> find_block(uint64_t address);

// Returns the mapped ranges of one device after `first`, up to `end`; fewer if there is a gap.
std::vector<std::shared_ptr<Block>> mapped_behind(const Block& first, uint64_t end);

// Whether an address is or was device memory, pinned memory or a reservation. Such an address is not pageable memory,
// and if no live block contains it, it is stale.
bool is_driver_address(uint64_t address);

// A checked range of memory in a call.
struct Operand {
    uint8_t* bytes = nullptr;
    // The block, or null for pageable memory of the caller.
    std::shared_ptr<Block> block;
    // The mapped ranges that follow the block without a gap, up to the end of the operand.
    std::vector<std::shared_ptr<Block>> beyond;

    // Keeps the blocks, because an operation begins to use them.
    void keep_in(std::vector<std::shared_ptr<Block>>& blocks) const {
        if (pageable()) return;
        blocks.push_back(block);
        blocks.insert(blocks.end(), beyond.begin(), beyond.end());
    }
    bool pageable() const { return block == nullptr; }
    bool managed() const { return !pageable() && block->managed(); }
    bool on_device() const { return !pageable() && !block->pinned(); }
    // Whether the operand is not accessible to the host.
    bool only_on_device() const { return on_device() && !managed(); }
};

// Looks [address, address + size) up. Returns CUDA_SUCCESS, or a reported misuse: null, stale, past the end of a block,
// or without access for `device`.
CUresult resolve(const Call& call, const char* argument, uint64_t address, size_t size, const Context& device,
                 Operand* out);

}  // namespace fake

// The memory of a device, or of a pool, that other processes can have as well: a file in memory,
// which lives as long as any process has it. It begins with what there is to know about its blocks;
// the bytes of the device's memory follow, at the distances that they have on the device.
#pragma once

#include <memory>

#include "state.h"

namespace fake {

struct SharedHeader;

// A block's name for other processes.
struct SharedName {
    char magic[16];
    uint64_t pool;
    uint64_t slot;
    // Which of the blocks that had the slot.
    uint64_t number;
};

// Where a block is in the file.
struct SharedRange {
    uint64_t offset;
    size_t size;
};

class SharedFile {
  public:
    // For a device, or a new pool on it; null: the system has no file to give.
    static std::shared_ptr<SharedFile> create(const Context& context);

    // What another process has exported, null if this descriptor is no such thing. It stays the
    // caller's.
    static std::shared_ptr<SharedFile> open(int descriptor);

    ~SharedFile();
    SharedFile(const SharedFile&) = delete;
    SharedFile& operator=(const SharedFile&) = delete;

    // Nobody gets in from now on: no import of the pool, or of more of it. So it is when this
    // process ends, however it does.
    void close_door();

    // A descriptor for another process, or -1.
    int duplicate() const;
    // That of this process.
    int descriptor() const { return descriptor_; }

    // The number of the device that has the pool.
    int device() const;

    // Puts the file's bytes behind addresses of the device: all of them, or new memory of a pool.
    bool back(Context& context, uint64_t address, size_t size) const;
    // A pool has this memory no more: the device's own bytes are there again.
    void unback(Context& context, uint64_t address, size_t size) const;
    // Gives the pages that lie fully inside the range back to the system.
    void discard(const Context& context, uint64_t address, size_t size) const;

    // The name of a live block, new or as before. False: there are too many.
    bool name(const Block& block, SharedName* out);
    // The block is no more.
    void forget(uint64_t address);
    // Finds what was named; false for a name of something else, or of a block that is no more.
    bool find(const SharedName& name, SharedRange* out) const;

    // Puts a part of the file, whole pages, behind addresses of this process.
    bool map(Context& context, uint64_t address, SharedRange range) const;

  private:
    SharedFile(int descriptor, SharedHeader* header) : descriptor_(descriptor), header_(header) {}

    bool is_door_open() const;

    const int descriptor_;
    // In the exporter: has a lock on the file, which ends with this opening of it.
    int door_ = -1;
    SharedHeader* const header_;
    // Of the blocks that have names.
    std::map<uint64_t, uint64_t> slots_;
};

// Addresses of this process for a block of another one.
struct Window {
    Window(Context& context_, uint64_t address_, size_t size_)
        : context(context_), address(address_), size(size_) {}
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    Context& context;
    const uint64_t address;
    const size_t size;
};

}  // namespace fake

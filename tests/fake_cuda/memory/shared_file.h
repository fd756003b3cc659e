// The memory of a device or of a pool that other processes can share: a memory file, which exists
// as long as a process has it open. It begins with a description of its blocks; the bytes of the
// device's memory follow, at the same offsets as on the device.
#pragma once

#include <memory>

#include "base/state.h"

namespace fake {

struct SharedHeader;

// A block's name for other processes.
struct SharedName {
    char magic[16];
    uint64_t pool;
    uint64_t slot;
    // The generation of the block in the slot.
    uint64_t number;
};

// The position of a block in the file.
struct SharedRange {
    uint64_t offset;
    size_t size;
};

class SharedFile {
  public:
    // For a device, or a new pool on it; null if the system provides no file.
    static std::shared_ptr<SharedFile> create(const Context& context);

    // The file of another process, null if the descriptor is not such a file. The caller keeps the
    // descriptor.
    static std::shared_ptr<SharedFile> open(int descriptor);

    ~SharedFile();
    SharedFile(const SharedFile&) = delete;
    SharedFile& operator=(const SharedFile&) = delete;

    // No further imports of the pool or of its memory. The same holds when this process ends, for
    // whatever reason.
    void close_door();

    // A descriptor for another process, or -1.
    int duplicate() const;
    // The descriptor of this process.
    int descriptor() const { return descriptor_; }

    // The number of the device that has the pool.
    int device() const;

    // Maps the file at addresses of the device: all of them, or new memory of a pool.
    bool back(Context& context, uint64_t address, size_t size) const;
    // A pool frees this memory: the device's private bytes are mapped there again.
    void unback(Context& context, uint64_t address, size_t size) const;
    // Returns the pages that are fully inside the range to the system.
    void discard(const Context& context, uint64_t address, size_t size) const;

    // The name of a live block, new or existing. False if there are too many.
    bool name(const Block& block, SharedName* out);
    // The block is freed.
    void forget(uint64_t address);
    // Looks a name up; false for an invalid name, or a block that was freed.
    bool find(const SharedName& name, SharedRange* out) const;

    // Maps a part of the file, whole pages, at addresses of this process.
    bool map(Context& context, uint64_t address, SharedRange range) const;

  private:
    SharedFile(int descriptor, SharedHeader* header) : descriptor_(descriptor), header_(header) {}

    bool is_door_open() const;

    const int descriptor_;
    // In the exporter: has a lock on the file, which is released when this open file is closed.
    int door_ = -1;
    SharedHeader* const header_;
    // The blocks that have names.
    std::map<uint64_t, uint64_t> slots_;
};

// Addresses of this process for a block of another one.
struct Window {
    Window(Context& context_, uint64_t address_, size_t size_) : context(context_), address(address_), size(size_) {}
    ~Window();
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    Context& context;
    const uint64_t address;
    const size_t size;
};

}  // namespace fake

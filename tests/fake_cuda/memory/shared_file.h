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
    // Creates the file of a device, or of a new pool on it. Returns null if the system provides no file.
    static std::shared_ptr<SharedFile> create(const Context& context);

    // Opens the file of another process. Returns null if the descriptor is not such a file. The caller keeps the
    // descriptor.
    static std::shared_ptr<SharedFile> open(int descriptor);

    ~SharedFile();
    SharedFile(const SharedFile&) = delete;
    SharedFile& operator=(const SharedFile&) = delete;

    // Ends imports of the pool or of its memory. They also end when this process ends, for whatever reason.
    void close_door();

    // Returns a descriptor for another process, or -1.
    int duplicate() const;
    // Returns the descriptor of this process.
    int descriptor() const { return descriptor_; }

    // Returns the number of the device that has the pool.
    int device() const;

    // Maps the file at addresses of the device: all of them, or new memory of a pool.
    bool back(Context& context, uint64_t address, size_t size) const;
    // Maps the device's private bytes again where a pool frees its memory.
    void unback(Context& context, uint64_t address, size_t size) const;
    // Returns the pages that are fully inside the range to the system.
    void discard(const Context& context, uint64_t address, size_t size) const;

    // Returns the name of a live block, new or existing. Returns false if there are too many.
    bool name(const Block& block, SharedName* out);
    // Removes the name of a block that is freed.
    void forget(uint64_t address);
    // Looks a name up. Returns false for an invalid name, or a block that was freed.
    bool find(const SharedName& name, SharedRange* out) const;

    // Maps a part of the file, whole pages, at addresses of this process.
    bool map(Context& context, uint64_t address, SharedRange range) const;

  private:
    SharedFile(int descriptor, SharedHeader* header) : descriptor_(descriptor), header_(header) {}

    bool is_door_open() const;

    const int descriptor_;
    // In the exporter: the descriptor that has a lock on the file, which is released when this open file is closed.
    int door_ = -1;
    SharedHeader* const header_;
    // The blocks that have names.
    std::map<uint64_t, uint64_t> slots_;
};

// The addresses of this process for a block of another one.
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

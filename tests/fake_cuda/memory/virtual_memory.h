// Reserving addresses, and mapping physical memory.
#pragma once

#include "base/state.h"

namespace fake {

// Physical memory of a device.
struct Physical {
    Physical(Context* context, size_t size);
    // Takes memory of another process, in its file, which this takes ownership of.
    Physical(Context* context, size_t size, int foreign_file);
    ~Physical();

    // Maps the memory at the driver's view of these addresses, or unmaps it. Returns false if it cannot.
    bool appear(uint8_t* at) const;
    void disappear(uint8_t* at) const;

    Context* const context;
    const size_t size;
    // A memory file, since the memory may be mapped several times.
    int file;
    const bool foreign = false;
    // Whether other processes may have it.
    bool shareable = false;
    bool is_exported = false;
};

struct Reservation {
    uint64_t address;
    size_t size;
};

}  // namespace fake

// Reserving addresses and mapping physical memory there.
#pragma once

#include "state.h"

namespace fake {

// Memory of a device without an address.
struct Physical {
    Physical(Context* context, size_t size);
    // Another process's, in its file, which this takes over.
    Physical(Context* context, size_t size, int foreign_file);
    ~Physical();

    // Has it appear where the driver reaches these addresses, or no longer; false: it cannot.
    bool appear(uint8_t* at) const;
    void disappear(uint8_t* at) const;

    Context* const context;
    const size_t size;
    // A file in memory, since it may be in several places.
    int file;
    const bool foreign = false;
    // Other processes may have it.
    bool shareable = false;
};

struct Reservation {
    uint64_t address;
    size_t size;
};

}  // namespace fake

// Reserving addresses and mapping physical memory there.
#pragma once

#include "state.h"

namespace fake {

// Memory of a device without an address.
struct Physical {
    Physical(Context* context, size_t size);
    ~Physical();

    Context* const context;
    const size_t size;
    uint8_t* bytes;
};

struct Reservation {
    uint64_t address;
    size_t size;
};

}  // namespace fake

// Code that the functions that copy share.
#pragma once

#include "memory/memory.h"
#include "stream/stream.h"

namespace fake {

enum class Wait { kIfNeeded, kAlways };

// Rows in resolved memory: `width` bytes each, `pitch` apart.
struct Rows {
    Operand memory;
    size_t pitch;
};

// Enqueues a copy on `stream`. Reads a pageable source before it returns; waits if the driver does:
// for a pageable destination, and between host addresses.
CUresult queue_rows(Call& call, Stream& stream, const Rows& dst, const Rows& src, size_t width, size_t height,
                    Wait wait);

// Enqueues a fill of `count` elements of 1 or 4 bytes.
CUresult queue_fill(Call& call, Stream& stream, uint64_t address, unsigned element, unsigned value, size_t count);

// Checks that both contexts are valid.
CUresult check_peers(const Call& call, CUcontext dst, CUcontext src);

}  // namespace fake

// What is known to come after what, as far as memory pools have to know it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

namespace fake {

struct Stream;

// By the handle of a stream, how many of its pool operations somebody's next one comes after.
// Streams without any are not in it.
using Clock = std::map<uint64_t, uint64_t>;

// A block that a stream takes from a pool, or gives back.
struct PoolOperation {
    uint64_t stream = 0;
    // Among the pool operations of its stream, from 1 on.
    uint64_t number = 0;
    // What it comes after.
    Clock before;
    // The stream has come past it.
    bool done = false;
};

void merge(Clock* into, const Clock& from);

// Whether who knows this comes after the operation.
bool is_after(const Clock& clock, const PoolOperation& operation);

// What comes after all that the stream was given so far.
Clock clock_of(const Stream& stream);

// The next pool operation of the stream.
std::shared_ptr<PoolOperation> next_operation(Stream& stream);

}  // namespace fake

// Ordering between operations, as far as memory pools need it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

namespace fake {

struct Stream;

// For each stream, by its handle, the number of its pool operations that something is ordered
// after. Streams with 0 are absent.
using Clock = std::map<uint64_t, uint64_t>;

// A stream's allocation from a pool, or free.
struct PoolOperation {
    uint64_t stream = 0;
    // Its number among the pool operations of its stream, from 1.
    uint64_t number = 0;
    // The operations that it is ordered after.
    Clock before;
    // Whether the stream has completed it.
    bool done = false;
};

void merge(Clock* into, const Clock& from);

// Whether work with this order comes after the operation.
bool is_after(const Clock& clock, const PoolOperation& operation);

// Returns the order of the stream's next work: after all its work so far.
Clock clock_of(const Stream& stream);

// Returns the next pool operation of the stream.
std::shared_ptr<PoolOperation> next_operation(Stream& stream);

}  // namespace fake

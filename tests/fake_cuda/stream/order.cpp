#include "stream/order.h"

#include <algorithm>

#include "stream/stream.h"

namespace fake {

void merge(Clock* into, const Clock& from) {
    for (const auto& [stream, number] : from) {
        uint64_t& known = (*into)[stream];
        known = std::max(known, number);
    }
}

bool is_after(const Clock& clock, const PoolOperation& operation) {
    const auto known = clock.find(operation.stream);
    return known != clock.end() && known->second >= operation.number;
}

Clock clock_of(const Stream& stream) {
    Clock clock = stream.known;
    if (stream.pool_operations != 0) clock[stream.handle] = stream.pool_operations;
    return clock;
}

std::shared_ptr<PoolOperation> next_operation(Stream& stream) {
    auto operation = std::make_shared<PoolOperation>();
    operation->stream = stream.handle;
    operation->before = clock_of(stream);
    operation->number = ++stream.pool_operations;
    return operation;
}

}  // namespace fake

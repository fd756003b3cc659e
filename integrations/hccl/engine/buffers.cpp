#include "engine/buffers.h"

#include <algorithm>

namespace hccl {

namespace {

uintptr_t Begin(const portaclTaskBuffer& buffer) {
    return reinterpret_cast<uintptr_t>(buffer.data);
}
uintptr_t End(const portaclTaskBuffer& buffer) {
    return Begin(buffer) + buffer.size;
}

void Add(std::vector<portaclTaskBuffer>& buffers, const void* memory, size_t bytes, portaclTaskAccess access) {
    if (bytes > 0) buffers.push_back({const_cast<void*>(memory), bytes, access});
}

// Joins a buffer and the next one, which begins not before it, if they overlap, or if they are parts of one buffer that
// touch.
bool Join(portaclTaskBuffer& buffer, const portaclTaskBuffer& next, bool are_parts) {
    if (are_parts && Begin(next) == End(buffer) && next.access == buffer.access) {
        buffer.size += next.size;
        return true;
    }
    if (Begin(next) >= End(buffer)) return false;
    buffer.size = std::max(End(buffer), End(next)) - Begin(buffer);
    if (next.access != PORTACL_TASK_READ) buffer.access = PORTACL_TASK_READ_WRITE;
    if (buffer.access != PORTACL_TASK_READ) buffer.access = PORTACL_TASK_READ_WRITE;
    return true;
}

}  // namespace

std::vector<portaclTaskBuffer> BuffersOf(const Operation& operation) {
    std::vector<portaclTaskBuffer> found;
    Add(found, operation.send, operation.send_bytes, PORTACL_TASK_READ);
    Add(found, operation.recv, operation.recv_bytes, PORTACL_TASK_WRITE);
    for (const Part& part : operation.sent) Add(found, part.memory, part.bytes, PORTACL_TASK_READ);
    // What lies between the parts is not written.
    for (const Part& part : operation.received) Add(found, part.memory, part.bytes, PORTACL_TASK_WRITE);
    for (const Transfer& transfer : operation.batch) {
        Add(found, transfer.buffer, transfer.bytes, transfer.is_send ? PORTACL_TASK_READ : PORTACL_TASK_WRITE);
    }
    // A task has a limited number of buffers, which transfers of different allocations can be, but not all parts.
    const bool is_one = operation.batch.empty();
    std::sort(found.begin(), found.end(), [](const auto& one, const auto& other) { return Begin(one) < Begin(other); });
    std::vector<portaclTaskBuffer> buffers;
    for (const portaclTaskBuffer& buffer : found) {
        if (buffers.empty() || !Join(buffers.back(), buffer, is_one)) buffers.push_back(buffer);
    }
    return buffers;
}

Operation OnHost(const Operation& operation, const std::vector<portaclTaskBuffer>& buffers, void* const* addresses) {
    const auto map = [&](const void* memory, size_t bytes) -> void* {
        if (bytes == 0) return nullptr;
        const auto first = reinterpret_cast<uintptr_t>(memory);
        for (size_t index = 0; index < buffers.size(); index++) {
            if (first < Begin(buffers[index]) || first + bytes > End(buffers[index])) continue;
            return static_cast<char*>(addresses[index]) + (first - Begin(buffers[index]));
        }
        return nullptr;
    };
    Operation mapped = operation;
    mapped.send = map(operation.send, operation.send_bytes);
    mapped.recv = map(operation.recv, operation.recv_bytes);
    for (Part& part : mapped.sent) part.memory = map(part.memory, part.bytes);
    for (Part& part : mapped.received) part.memory = map(part.memory, part.bytes);
    for (Transfer& transfer : mapped.batch) transfer.buffer = map(transfer.buffer, transfer.bytes);
    return mapped;
}

}  // namespace hccl

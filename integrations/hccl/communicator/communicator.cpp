#include "communicator/communicator.h"

#include <mutex>
#include <sstream>
#include <unordered_map>

namespace hccl {

namespace {

// It is never destroyed: programs use handles until their last destructor.
struct Table {
    std::mutex lock;
    uintptr_t next = 0x48434c00;
    std::unordered_map<HcclComm, Handle> live;
};

Table& Communicators() {
    static auto* const table = new Table;
    return *table;
}

Failure NoCommunicator(HcclComm handle) {
    std::ostringstream text;
    text << "comm is " << handle
         << ", which is not a live communicator; create one with HcclCommInitRootInfo, and use it "
         << "before HcclCommDestroy";
    return Failure(handle == nullptr ? HCCL_E_PTR : HCCL_E_PARA, text.str());
}

}  // namespace

void Communicator::Destroy() {
    engine_->Destroy(Failure(HCCL_E_INTERNAL,
                             "the communicator was destroyed before its operations were complete; synchronize "
                             "the stream before HcclCommDestroy"));
}

HcclComm Add(Handle communicator) {
    Table& table = Communicators();
    const std::lock_guard<std::mutex> held(table.lock);
    const auto handle = reinterpret_cast<HcclComm>(table.next);  // NOLINT: a number that is never read through
    // Handles are not used again, so that one of a destroyed communicator is refused.
    table.next += 16;
    table.live.emplace(handle, std::move(communicator));
    return handle;
}

Handle Find(HcclComm handle) {
    Table& table = Communicators();
    const std::lock_guard<std::mutex> held(table.lock);
    const auto found = table.live.find(handle);
    if (found == table.live.end()) throw NoCommunicator(handle);
    return found->second;
}

Handle Remove(HcclComm handle) {
    Table& table = Communicators();
    const std::lock_guard<std::mutex> held(table.lock);
    const auto found = table.live.find(handle);
    if (found == table.live.end()) throw NoCommunicator(handle);
    Handle communicator = std::move(found->second);
    table.live.erase(found);
    return communicator;
}

}  // namespace hccl

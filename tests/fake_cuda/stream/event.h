// Events: positions in a stream's work.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "base/call.h"
#include "base/state.h"

namespace fake {

// One record of an event. Waits keep the record that was the latest.
struct Record {
    bool done = false;
    // The number of the capture that has this record, and its point there: it is no work, and is never done.
    uint64_t captured = 0;
    CapturedPoint point;
    std::chrono::steady_clock::time_point when;
    // The work that it is ordered after.
    Clock clock;
    // Streams that wait, or will when they reach the wait. They are notified one by one: thousands
    // of streams may wait, each for another record.
    std::vector<std::shared_ptr<Stream>> waiters;
};

struct Event {
    Context* context = nullptr;
    bool timing = true;
    std::shared_ptr<Record> latest;
};

// Returns the valid event with this handle, or null after reporting the reason.
std::shared_ptr<Event> find_event(const Call& call, CUevent handle, CUresult* code);

// Enqueues a record of the event, which becomes the latest.
CUresult record_event(const Call& call, CUevent handle, Stream& stream);

// Enqueues a record of no event.
CUresult queue_record(const Call& call, Stream& stream, std::shared_ptr<Record>* out);

// Makes later work of the stream wait for this record, or for none if it is null.
CUresult queue_wait(const Call& call, const std::shared_ptr<Stream>& stream, const std::shared_ptr<Record>& record);

}  // namespace fake

// Events: marks in a stream's work.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "call.h"
#include "state.h"

namespace fake {

// One recording of an event. Waits hold the record that they saw.
struct Record {
    bool done = false;
    std::chrono::steady_clock::time_point when;
    // What comes after it.
    Clock clock;
    // Streams that wait, or will when they get there. Told one by one: thousands of streams may
    // wait, each for a record of its own.
    std::vector<std::shared_ptr<Stream>> waiters;
};

struct Event {
    Context* context = nullptr;
    bool timing = true;
    std::shared_ptr<Record> latest;
};

// The live event with this handle, or null after reporting why not.
std::shared_ptr<Event> find_event(const Call& call, CUevent handle, CUresult* code);

// Queues a record of the event, which becomes the latest.
CUresult record_event(const Call& call, CUevent handle, Stream& stream);

// Queues a record of no event.
CUresult queue_record(const Call& call, Stream& stream, std::shared_ptr<Record>* out);

// What the stream is given from now on waits for a record; null: for none.
CUresult queue_wait(const Call& call, const std::shared_ptr<Stream>& stream,
                    const std::shared_ptr<Record>& record);

}  // namespace fake

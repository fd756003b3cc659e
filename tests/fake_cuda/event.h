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

}  // namespace fake

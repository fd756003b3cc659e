// Events: marks in a stream's work.
#pragma once

#include <chrono>

#include "call.h"
#include "state.h"

namespace fake {

// One recording of an event. Waits hold the record that they saw.
struct Record {
    bool done = false;
    std::chrono::steady_clock::time_point when;
};

struct Event {
    Context* context = nullptr;
    bool timing = true;
    std::shared_ptr<Record> latest;
};

}  // namespace fake

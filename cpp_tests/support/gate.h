// Host functions for tests: a gate that blocks a stream until the test opens it, and a log of what
// ran. They outlive the test, so a stream that still runs one accesses no freed memory.
#pragma once

#include <acl/acl.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/skips.h"

namespace portacl_test {

// The time that a test waits for something that must happen before it fails.
constexpr std::chrono::seconds kPatience{30};

inline bool OnRealGpu() {
    return std::getenv("PORTACL_TEST_ON_GPU") != nullptr;
}

// The number of queues that the streams of a device share: 8, or up to 32 (CUDA_DEVICE_MAX_CONNECTIONS). Streams that
// share a queue wait for each other. The test double can give each stream its own (FAKE_CUDA_CONNECTIONS=0). 0: none.
inline int SharedQueues() {
    if (!OnRealGpu() && std::strcmp(Setting("PORTACL_BACKEND", "auto"), "cuda") != 0) return 0;
    const char* const of_driver = Setting("CUDA_DEVICE_MAX_CONNECTIONS", "8");
    return std::atoi(OnRealGpu() ? of_driver : Setting("FAKE_CUDA_CONNECTIONS", of_driver));
}

inline bool SharesQueues() {
    return SharedQueues() != 0;
}

inline bool HasQueues(int count) {
    return !SharesQueues() || SharedQueues() >= count;
}

// Begins a test in which a stream waits for work that another one gets later: with fewer queues it would never end.
#define NEEDS_QUEUES(count) \
    if (!::portacl_test::HasQueues(count)) GTEST_SKIP() << "needs " #count " hardware queues"

// The number of streams that a test may block while another one continues, if they share queues.
constexpr int kMostHeld = 3;

// Creates an object that lives as long as the process. It stays reachable, so leak checkers ignore
// it.
template <typename T>
T* MakeImmortal() {
    static std::mutex mutex;
    static auto* all = new std::deque<T>;
    const std::lock_guard<std::mutex> lock(mutex);
    return &all->emplace_back();
}

// A point that a stream does not pass before Open(). Declare it after the streams that it blocks:
// its destructor opens it, so that a failed test leaves no blocked stream.
class Gate {
  public:
    Gate() : state_(MakeImmortal<GateState>()) {}
    ~Gate() { Open(); }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    // Enqueues the gate on `stream`.
    aclError Hold(aclrtStream stream) { return aclrtLaunchHostFunc(stream, &Gate::Pass, state_); }

    // Waits until this number of streams has reached the gate. False: they did not.
    [[nodiscard]] bool AwaitArrival(int count = 1) {
        std::unique_lock<std::mutex> lock(state_->mutex);
        return state_->changed.wait_for(lock, kPatience, [this, count] { return state_->arrived >= count; });
    }

    void Open() {
        const std::lock_guard<std::mutex> lock(state_->mutex);
        state_->open = true;
        state_->changed.notify_all();
    }

  private:
    struct GateState {
        std::mutex mutex;
        std::condition_variable changed;
        int arrived = 0;
        bool open = false;
    };

    static void Pass(void* argument) {
        auto* state = static_cast<GateState*>(argument);
        std::unique_lock<std::mutex> lock(state->mutex);
        state->arrived += 1;
        state->changed.notify_all();
        state->changed.wait(lock, [state] { return state->open; });
    }

    GateState* state_;
};

// Opens a gate from another thread, once a stream has reached it: for calls that block.
class Opener {
  public:
    explicit Opener(Gate& gate)
        : thread_([&gate] {
              (void)gate.AwaitArrival();
              gate.Open();
          }) {}
    ~Opener() { thread_.join(); }
    Opener(const Opener&) = delete;
    Opener& operator=(const Opener&) = delete;

  private:
    std::thread thread_;
};

// Host functions that record which of them ran, in which order, on which thread.
class Log {
  public:
    struct Entry {
        int number;
        std::thread::id thread;
    };

    Log() : state_(MakeImmortal<LogState>()) {}

    // Enqueues an entry on `stream`.
    aclError Append(aclrtStream stream, int number) {
        auto* note = MakeImmortal<Note>();
        note->state = state_;
        note->number = number;
        return aclrtLaunchHostFunc(stream, &Log::Write, note);
    }

    std::vector<Entry> Entries() const {
        const std::lock_guard<std::mutex> lock(state_->mutex);
        return state_->entries;
    }

    std::vector<int> Numbers() const {
        std::vector<int> numbers;
        for (const Entry& entry : Entries()) numbers.push_back(entry.number);
        return numbers;
    }

    size_t Size() const { return Entries().size(); }

  private:
    struct LogState {
        std::mutex mutex;
        std::vector<Entry> entries;
    };

    struct Note {
        LogState* state = nullptr;
        int number = 0;
    };

    static void Write(void* argument) {
        const auto* note = static_cast<const Note*>(argument);
        const std::lock_guard<std::mutex> lock(note->state->mutex);
        note->state->entries.push_back({note->number, std::this_thread::get_id()});
    }

    LogState* state_;
};

}  // namespace portacl_test

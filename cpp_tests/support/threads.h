// Threads in tests: starting together, and waiting for each other without sleeping.
#pragma once

#include <acl/acl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/gate.h"

namespace portacl_test {

// Runs `body(index)` on `count` threads that begin together, and joins them.
template <typename Body>
void OnThreads(int count, Body body) {
    std::atomic<int> missing{count};
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&missing, &body, i] {
            --missing;
            while (missing > 0) std::this_thread::yield();
            body(i);
        });
    }
    for (auto& thread : threads) thread.join();
}

// Runs `body()` on a new thread, which this library has never seen, and joins it.
template <typename Body>
void OnNewThread(Body body) {
    std::thread(std::move(body)).join();
}

// Releases other threads, once.
class Signal {
  public:
    void Set() {
        const std::lock_guard lock(mutex_);
        set_ = true;
        changed_.notify_all();
    }
    void Wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return set_; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool set_ = false;
};

// Whether a thread of this process sleeps in the kernel, as it does in a call that blocks.
inline bool IsAsleep(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string text;
    std::getline(file, text);
    const size_t name_end = text.rfind(')');
    return name_end != std::string::npos && text.compare(name_end, 3, ") S") == 0;
}

// Waits until the thread blocks in its call: a call may sleep for a moment before, so it must be
// asleep several times in a row. Ends early if `returned()`. A GPU's driver may spin instead.
template <typename Returned>
void AwaitBlocked(const std::atomic<pid_t>& thread, Returned returned) {
    const auto patience = OnRealGpu() ? std::chrono::milliseconds(50) : kPatience;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (int asleep = 0; asleep < 5 && !returned();) {
        if (std::chrono::steady_clock::now() > deadline) return;
        asleep = IsAsleep(thread) ? asleep + 1 : 0;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// Runs `body()` on another thread once the constructing thread blocks in its next call.
class WhenBlocked {
  public:
    template <typename Body>
    explicit WhenBlocked(Body body)
        : thread_([this, body = std::move(body)] {
              AwaitBlocked(waiting_, [] { return false; });
              body();
          }) {}
    ~WhenBlocked() { thread_.join(); }
    WhenBlocked(const WhenBlocked&) = delete;
    WhenBlocked& operator=(const WhenBlocked&) = delete;

  private:
    const std::atomic<pid_t> waiting_{gettid()};
    std::thread thread_;
};

// A host function that takes a while, so that a caller that does not wait for it is detected, and
// then increments the std::atomic<int> that is its argument.
inline void SlowCount(void* counter) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++*static_cast<std::atomic<int>*>(counter);
}

}  // namespace portacl_test

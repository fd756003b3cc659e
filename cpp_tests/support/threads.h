// Threads in tests: starting together, and waiting for each other without sleeping.
#pragma once

#include <acl/acl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

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

// A host function that takes a while, so that a caller that does not wait for it is detected, and
// then increments the std::atomic<int> that is its argument.
inline void SlowCount(void* counter) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++*static_cast<std::atomic<int>*>(counter);
}

}  // namespace portacl_test

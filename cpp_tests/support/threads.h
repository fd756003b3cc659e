// Threads in tests: they start together, and wait for each other without sleeping.
#pragma once

#include <acl/acl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
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

// Whether all other threads of this process sleep.
inline bool OthersAreAsleep() {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        const auto thread = static_cast<pid_t>(std::stol(entry.path().filename()));
        if (thread != gettid() && !IsAsleep(thread)) return false;
    }
    return true;
}

// Waits until threads sleep for long: several times in a row, because one may sleep for a moment before. Ends early if
// `over()`. A GPU's driver may spin instead.
template <typename Asleep, typename Over>
void AwaitAsleep(Asleep asleep, Over over) {
    const auto patience = OnRealGpu() ? std::chrono::milliseconds(50) : kPatience;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (int times = 0; times < 5 && !over();) {
        if (std::chrono::steady_clock::now() > deadline) return;
        times = asleep() ? times + 1 : 0;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// Waits until the thread blocks in its call, or `returned()`.
template <typename Returned>
void AwaitBlocked(const std::atomic<pid_t>& thread, Returned returned) {
    AwaitAsleep([&thread] { return IsAsleep(thread); }, returned);
}

// Waits until all other threads wait for work.
inline void AwaitOthersIdle() {
    AwaitAsleep(OthersAreAsleep, [] { return false; });
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

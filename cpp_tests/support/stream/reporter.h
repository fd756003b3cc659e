// Callbacks for tests, and a thread that runs them like programs do: a loop around
// aclrtProcessReport until a flag is set.
#pragma once

#include <pthread.h>

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

namespace portacl_test {

// Returns the thread id that the callback calls take.
inline uint64_t ThisThread() {
    return static_cast<uint64_t>(pthread_self());
}

inline constexpr aclError kTimeout = ACL_ERROR_RT_REPORT_TIMEOUT;
inline constexpr aclError kThread = ACL_ERROR_RT_THREAD_SUBSCRIBE;
inline constexpr aclError kStream = ACL_ERROR_RT_STREAM_SUBSCRIBE;
inline constexpr aclError kNoThread = ACL_ERROR_RT_STREAM_NO_CB_REG;

// An id of threads that process no reports.
inline constexpr uint64_t kSomeThread = 0x5eed;

// Returns a thread's id as the library's texts print it.
inline std::string Hex(uint64_t thread) {
    return Shown(reinterpret_cast<void*>(thread));
}

class Reporter {
  public:
    using Process = aclError (*)(int32_t timeout);

    explicit Reporter(Process process = [](int32_t timeout) { return aclrtProcessReport(timeout); })
        : thread_([this, process] {
              id_.set_value(ThisThread());
              while (!stop_) {
                  switch (process(100)) {
                      case ACL_SUCCESS:
                          processed_ += 1;
                          break;
                      case ACL_ERROR_RT_REPORT_TIMEOUT:
                          break;
                      case ACL_ERROR_RT_THREAD_SUBSCRIBE:
                          std::this_thread::yield();  // not subscribed yet
                          break;
                      default:
                          failed_ += 1;
                  }
              }
          }),
          number_(id_.get_future().get()) {}
    ~Reporter() { Stop(); }
    Reporter(const Reporter&) = delete;
    Reporter& operator=(const Reporter&) = delete;

    uint64_t Id() const { return number_; }
    std::thread::id ThreadId() const { return thread_.get_id(); }

    // Ends the loop and joins the thread.
    void Stop() {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
        EXPECT_EQ(failed_.load(), 0) << "calls that failed without a timeout";
    }

    // Returns the number of calls that have run a callback.
    int Processed() const { return processed_; }

  private:
    std::promise<uint64_t> id_;
    std::atomic<bool> stop_{false};
    std::atomic<int> processed_{0}, failed_{0};
    std::thread thread_;
    uint64_t number_;
};

inline void Count(void* counter) {
    static_cast<std::atomic<int>*>(counter)->fetch_add(1);
}

inline std::vector<std::unique_ptr<Stream>> Streams(int count) {
    std::vector<std::unique_ptr<Stream>> streams;
    for (int i = 0; i < count; ++i) streams.push_back(std::make_unique<Stream>());
    return streams;
}

inline std::vector<int> UpTo(int count) {
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

// Callbacks that record which of them ran, in which order, on which thread.
class Notes {
  public:
    // Enqueues a callback on `stream`.
    aclError Launch(aclrtStream stream, int number, aclrtCallbackBlockType type = ACL_CALLBACK_BLOCK) {
        auto* note = MakeImmortal<Note>();
        *note = {this, number};
        return aclrtLaunchCallback(&Notes::Write, note, type, stream);
    }

    std::vector<int> Numbers() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return numbers_;
    }

    // Whether all of them ran on that thread.
    bool AllOn(std::thread::id thread) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (std::thread::id other : threads_)
            if (other != thread) return false;
        return true;
    }

  private:
    struct Note {
        Notes* notes = nullptr;
        int number = 0;
    };

    static void Write(void* argument) {
        const auto* note = static_cast<const Note*>(argument);
        const std::lock_guard<std::mutex> lock(note->notes->mutex_);
        note->notes->numbers_.push_back(note->number);
        note->notes->threads_.push_back(std::this_thread::get_id());
    }

    mutable std::mutex mutex_;
    std::vector<int> numbers_;
    std::vector<std::thread::id> threads_;
};

// A callback that blocks between two points of a test.
struct Standing {
    std::promise<void> begun, go_on;
    std::atomic<bool> over{false};

    static void Run(void* argument) {
        auto* self = static_cast<Standing*>(argument);
        self->begun.set_value();
        self->go_on.get_future().wait();
        self->over = true;
    }
};

}  // namespace portacl_test

// A thread that runs callbacks as programs do it: a loop around aclrtProcessReport, until a flag.
#pragma once

#include <pthread.h>

#include <atomic>
#include <future>
#include <thread>

#include "support/acl_test.h"

namespace portacl_test {

// How threads are named to the callback calls.
inline uint64_t ThisThread() {
    return static_cast<uint64_t>(pthread_self());
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
                          std::this_thread::yield();  // nobody has subscribed it yet
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

    // Ends the loop, and waits for the thread.
    void Stop() {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
        EXPECT_EQ(failed_.load(), 0) << "calls that failed otherwise than by a timeout";
    }

    // Calls that have run something.
    int Processed() const { return processed_; }

  private:
    std::promise<uint64_t> id_;
    std::atomic<bool> stop_{false};
    std::atomic<int> processed_{0}, failed_{0};
    std::thread thread_;
    uint64_t number_;
};

}  // namespace portacl_test

// Threads that tests cancel.
#pragma once

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <utility>

#include "support/gate.h"

namespace portacl_test {

// A thread that may be cancelled, which std::thread does not support.
class Thread {
  public:
    explicit Thread(std::function<void()> body) : body_(std::move(body)) {
        const int failed = pthread_create(&id_, nullptr, &Thread::Run, this);
        if (failed != 0) std::abort();
    }

    pthread_t Id() const { return id_; }
    void Cancel() const { pthread_cancel(id_); }

    // Waits for the end of the thread. Returns its result.
    void* Join() {
        void* result = nullptr;
        timespec deadline{};
        clock_gettime(CLOCK_REALTIME, &deadline);
        deadline.tv_sec += kPatience.count();
        if (pthread_timedjoin_np(id_, &result, &deadline) != 0) {
            std::fprintf(stderr, "the cancelled thread does not end\n");
            std::abort();
        }
        return result;
    }

  private:
    static void* Run(void* self) {
        static_cast<Thread*>(self)->body_();
        return nullptr;
    }

    std::function<void()> body_;
    pthread_t id_{};
};

}  // namespace portacl_test

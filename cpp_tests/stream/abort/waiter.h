// A thread that waits for a stream or a device while the test aborts it.
#pragma once

#include <atomic>
#include <chrono>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

namespace portacl_test {

// A thread of device 0 in a call that waits, and the result of the call.
class Waiter {
  public:
    template <typename Call>
    explicit Waiter(Call call)
        : thread_([this, call] {
              ACL_EXPECT_OK(aclrtSetDevice(0));
              code_ = call();
              // The last error of this thread.
              EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), code_);
              const char* text = aclGetRecentErrMsg();
              text_ = text ? text : "";
              done_ = true;
          }) {}
    ~Waiter() {
        if (thread_.joinable()) thread_.join();
    }

    // Aborts until the call has returned, because the first abort may precede the call.
    template <typename Abort>
    void Disturb(Abort abort) {
        const auto deadline = std::chrono::steady_clock::now() + kPatience;
        while (!done_ && std::chrono::steady_clock::now() < deadline) {
            ACL_EXPECT_OK(abort());
            std::this_thread::yield();
        }
        EXPECT_TRUE(done_) << "the call did not return";
    }

    aclError Code() {
        thread_.join();
        return code_;
    }
    const std::string& Text() const { return text_; }

  private:
    std::atomic<bool> done_{false};
    aclError code_ = 0;
    std::string text_;
    std::thread thread_;
};

}  // namespace portacl_test

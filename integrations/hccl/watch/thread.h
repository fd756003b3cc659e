// Threads of the library take no signals of the program.
#pragma once

#include <csignal>
#include <thread>
#include <utility>

namespace hccl {

// No thread that starts meanwhile gets signals.
class SignalsBlocked {
  public:
    SignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    sigset_t before_;
};

template <typename Body>
std::thread QuietThread(Body body) {
    const SignalsBlocked blocked;
    return std::thread(std::move(body));
}

}  // namespace hccl

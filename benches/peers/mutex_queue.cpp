// Runs the workloads on the simplest queue: a mutex and one thread.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "../workloads.h"

namespace {

class MutexQueue {
  public:
    static constexpr bool kHasEvents = false, kHasHostFunctions = true, kHasMemory = false, kHasHops = false;

    ~MutexQueue() {
        {
            std::lock_guard lock(mutex_);
            over_ = true;
        }
        changed_.notify_all();
        worker_.join();
    }

    void Mark(int queue) {
        Call(
            queue, [](void*) {}, nullptr);
    }
    void Call(int, void (*function)(void*), void* argument) {
        {
            std::lock_guard lock(mutex_);
            work_.push_back([=] { function(argument); });
            queued_++;
        }
        changed_.notify_one();
    }
    void Finish(int) {
        std::unique_lock lock(mutex_);
        finished_.wait(lock, [this] { return done_ == queued_; });
    }

  private:
    void Serve() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return over_ || !work_.empty(); });
            if (work_.empty()) return;
            const auto next = std::move(work_.front());
            work_.pop_front();
            lock.unlock();
            next();
            lock.lock();
            if (++done_ == queued_) finished_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_, finished_;
    std::deque<std::function<void()>> work_;
    long queued_ = 0, done_ = 0;
    bool over_ = false;
    std::thread worker_{[this] { Serve(); }};
};

}  // namespace

int main() {
    MutexQueue runtime;
    bench::RunAll(runtime);
}

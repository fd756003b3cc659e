// Calls at the end of threads and of the process: in destructors of thread-local and static
// objects, in destructors of pthread keys, and in atexit functions.
#pragma once

#include <acl/acl.h>

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "support/own_process.h"

namespace portacl_test {

// Checks a condition in code that runs after the last test: prints what was wrong and ends the process with a failure.
inline void DemandAt(const char* file, int line, bool condition, const char* what) {
    if (condition) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: late: %s; last text: %s\n", file, line, what, text ? text : "(none)");
    std::fflush(stderr);
    _exit(3);
}

#define LATE(condition) ::portacl_test::DemandAt(__FILE__, __LINE__, (condition), #condition)
#define LATE_OK(call) LATE((call) == ACL_SUCCESS)

// Work with an early part, while a thread runs, and a late part, while the thread ends.
class LateWork {
  public:
    virtual ~LateWork() = default;
    virtual void Early() = 0;
    virtual void Late() = 0;
};

// The number of late parts that are expected.
inline std::atomic<int> late_uses{0};

// Runs the late part when it is destroyed.
class LateOwner {
  public:
    ~LateOwner() { Finish(); }
    void Begin(LateWork* work) {
        ++late_uses;
        work_.reset(work);
        work_->Early();
    }
    void Finish() {
        if (!work_) return;
        work_->Late();
        work_.reset();
        --late_uses;
    }

  private:
    std::unique_ptr<LateWork> work_;
};

// Starts two threads that use the library and end. The owner is constructed before the library's thread-local values,
// so it is destroyed after them.
template <typename Work>
void LateInThreads() {
    const int before = late_uses;
    std::thread([] {
        static thread_local LateOwner owner;
        owner.Begin(new Work);
    }).join();
    std::thread([] {
        pthread_key_t key = 0;
        LATE(pthread_key_create(&key, [](void* owner) { delete static_cast<LateOwner*>(owner); }) == 0);
        auto* owner = new LateOwner;
        LATE(pthread_setspecific(key, owner) == 0);
        owner->Begin(new Work);
    }).join();
    LATE(late_uses == before);
}

// Checks the end of the process: destructors of the main thread's objects and of static ones, and atexit functions,
// before and after those that the library has registered. The last of them finalizes.
template <typename Work>
void LateInProcess() {
    static struct Last {
        ~Last() {
            LATE(late_uses == 0);
            LATE_OK(aclFinalize());
        }
    } last;
    static LateOwner first_static;
    static LateOwner first_at_exit;
    static thread_local LateOwner of_thread;
    LATE(std::atexit([] { first_at_exit.Finish(); }) == 0);
    LATE_OK(aclInit(nullptr));
    LATE_OK(aclrtSetDevice(0));
    static LateOwner second_static;
    static LateOwner second_at_exit;
    LATE(std::atexit([] { second_at_exit.Finish(); }) == 0);
    for (LateOwner* owner : {&first_static, &first_at_exit, &of_thread, &second_static, &second_at_exit})
        owner->Begin(new Work);
    LateInThreads<Work>();
}

}  // namespace portacl_test

// The library's threads inherit the scheduling of the thread that opened the library, whichever
// thread starts them later.
#include <sched.h>
#include <sys/resource.h>

#include <cstring>
#include <thread>

#include "support/gate.h"
#include "support/own_process.h"
#include "support/process/library_threads.h"

using namespace portacl_test;

namespace {

struct Scheduling {
    int policy = -1;
    int nice = 0;
    cpu_set_t processors;
};

// Of a thread; 0 is the calling one.
Scheduling Of(pid_t thread) {
    Scheduling found;
    found.policy = sched_getscheduler(thread);
    found.nice = getpriority(PRIO_PROCESS, static_cast<id_t>(thread));
    CPU_ZERO(&found.processors);
    EXPECT_EQ(0, sched_getaffinity(thread, sizeof found.processors, &found.processors));
    return found;
}

bool operator==(const Scheduling& a, const Scheduling& b) {
    return a.policy == b.policy && a.nice == b.nice && CPU_EQUAL(&a.processors, &b.processors);
}

void SetPolicy(int policy) {
    const sched_param none{};
    ASSERT_EQ(0, sched_setscheduler(0, policy, &none));
}

// One processor, and a lower priority.
void StandBack() {
    Scheduling now = Of(0);
    int first = 0;
    while (!CPU_ISSET(first, &now.processors)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(0, sched_setaffinity(0, sizeof one, &one));
    SetPolicy(SCHED_BATCH);
}

void ExpectThreadsWith(const Scheduling& expected) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    for (const std::string& name : EachThreadOfTheLibrary::Names()) {
        // A thread has its name before its other attributes.
        const auto is_so = [&] {
            const auto threads = ThreadsOfTheLibrary();
            const auto found = threads.find(name);
            return found != threads.end() && Of(found->second) == expected;
        };
        bool is = is_so();
        while (!is && std::chrono::steady_clock::now() < until) {
            std::this_thread::yield();
            is = is_so();
        }
        EXPECT_TRUE(is) << name << " is missing, or has another policy, nice value or processors";
    }
}

// A trace starts a thread of the library.
void RecordATrace() {
    setenv("PORTACL_TRACE", InOwnFolder("trace.json").c_str(), 1);
}

TEST(ThreadScheduling, IsThatOfTheThreadThatOpenedTheLibrary) {
    NEEDS_QUEUES(8);
    const auto body = [] {
        RecordATrace();
        const Scheduling mine = Of(0);
        ACL_OK(aclInit(nullptr));
        std::thread([] {
            StandBack();
            ACL_OK(aclrtSetDevice(0));
            const EachThreadOfTheLibrary threads;
            Scheduling expected = Of(getpid());
            ExpectThreadsWith(expected);
        }).join();
        EXPECT_TRUE(Of(0) == mine) << "the scheduling of the program's thread changed";
        ACL_OK(aclFinalize());
    };
    RunInOwnProcess(body);
}

TEST(ThreadScheduling, SpecialPoliciesOfTheOpeningThreadAreKept) {
    NEEDS_QUEUES(8);
    const auto body = [] {
        RecordATrace();
        std::thread([] {
            StandBack();
            ACL_OK(aclInit(nullptr));
        }).join();
        Scheduling expected = Of(0);
        expected.policy = SCHED_BATCH;
        int first = 0;
        while (!CPU_ISSET(first, &expected.processors)) ++first;
        CPU_ZERO(&expected.processors);
        CPU_SET(first, &expected.processors);
        ACL_OK(aclrtSetDevice(0));
        {
            const EachThreadOfTheLibrary threads;
            ExpectThreadsWith(expected);
        }
        ACL_OK(aclFinalize());
    };
    RunInOwnProcess(body);
}

}  // namespace

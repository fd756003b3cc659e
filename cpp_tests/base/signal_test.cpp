// The library's threads block all signals, so signals of the process reach threads of the program.

#include <portacl/portacl.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <string>

#include "support/gate.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/process/library_threads.h"

using namespace portacl_test;

namespace {

// One bit per signal, from 1 on, as the kernel counts them.
using SignalSet = uint64_t;

SignalSet Set(std::initializer_list<int> signals) {
    SignalSet set = 0;
    for (const int signal : signals) set |= SignalSet{1} << (signal - 1);
    return set;
}

// Names of the library's threads, with the signals that each blocks.
std::map<std::string, SignalSet> BlockedByThreadsOfTheLibrary() {
    std::map<std::string, SignalSet> found;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
        std::ifstream status(thread.path() / "status");
        std::string word, name;
        while (status >> word) {
            if (word == "Name:") status >> name;
            if (word == "SigBlk:" && name.rfind("portacl-", 0) == 0) status >> std::hex >> found[name];
        }
    }
    return found;
}

OWN_PROCESS_TEST(SignalTest, ThreadsOfTheLibraryLeaveThemToTheProgram) {
    NEEDS_QUEUES(8);
    setenv("PORTACL_TRACE", InOwnFolder("trace.json").c_str(), 1);
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        const EachThreadOfTheLibrary threads;
        const SignalSet of_the_process = Set(
            {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD, SIGIO, SIGRTMIN, SIGRTMAX});
        const SignalSet of_the_thread = Set({SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGPROF});
        const auto until = std::chrono::steady_clock::now() + kPatience;
        for (const std::string& name : EachThreadOfTheLibrary::Names()) {
            // A thread gets its name when it first runs, and the C library blocks all signals of a
            // thread while it creates another thread.
            bool is_there = false;
            SignalSet blocked = 0;
            do {
                const auto found = BlockedByThreadsOfTheLibrary();
                const auto thread = found.find(name);
                is_there = thread != found.end();
                blocked = is_there ? thread->second : 0;
            } while ((!is_there || blocked & of_the_thread) && std::chrono::steady_clock::now() < until);
            EXPECT_TRUE(is_there) << name << " was not started";
            EXPECT_EQ(blocked & of_the_process, of_the_process) << name;
            EXPECT_EQ(blocked & of_the_thread, SignalSet{0}) << name;
        }
    }
    ACL_OK(aclFinalize());
}

// The signal mask of the calling thread does not change.
OWN_PROCESS_TEST(SignalTest, CallersKeepTheirMask) {
    sigset_t own, after;
    sigemptyset(&own);
    sigaddset(&own, SIGUSR2);
    ASSERT_EQ(0, pthread_sigmask(SIG_SETMASK, &own, nullptr));
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        Stream stream;
        Log log;
        ACL_OK(log.Append(stream, 1));
        ACL_OK(aclrtSynchronizeStream(stream));
    }
    ACL_OK(aclFinalize());
    ASSERT_EQ(0, pthread_sigmask(SIG_SETMASK, nullptr, &after));
    for (int signal = 1; signal <= SIGRTMAX; ++signal)
        EXPECT_EQ(sigismember(&own, signal), sigismember(&after, signal)) << signal;
}

}  // namespace

// Ranks that are processes, over libgloo: results, and what the others see when one is killed or stops.
#include <gtest/gtest.h>
#include <hccl/hccl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl.h"

namespace hccl {
namespace {

using Milliseconds = std::chrono::milliseconds;
constexpr auto kFloat = HCCL_DATA_TYPE_FP32;
// The most communicators of a test.
constexpr int kMost = 4;

// What a parent and its ranks share.
struct Shared {
    std::atomic<bool> is_written[kMost];
    HcclRootInfo infos[kMost];
    std::atomic<uint32_t> running;
};

// A rank of a test, in a process of its own. A failure ends the process with a text.
class Rank {
  public:
    Rank(Shared& shared, uint32_t rank, uint32_t size) : rank(rank), size(size), shared_(shared) {
        Require(aclrtSetDevice(0), "aclrtSetDevice");
    }

    const uint32_t rank;
    const uint32_t size;

    static void Require(int code, const char* call) {
        if (code == 0) return;
        const char* const text = aclGetRecentErrMsg();
        std::fprintf(stderr, "%s returned %d: %s\n", call, code, text != nullptr ? text : "");
        std::_Exit(1);
    }
    static void Require(bool is_right, const char* what) {
        if (is_right) return;
        std::fprintf(stderr, "%s\n", what);
        std::_Exit(1);
    }

    // Joins the n-th communicator of the test.
    HcclComm Join(int index = 0) {
        if (rank == 0) {
            Require(HcclGetRootInfo(&shared_.infos[index]), "HcclGetRootInfo");
            shared_.is_written[index] = true;
        }
        while (!shared_.is_written[index]) std::this_thread::yield();
        HcclComm comm = nullptr;
        Require(HcclCommInitRootInfo(size, &shared_.infos[index], rank, &comm), "HcclCommInitRootInfo");
        return comm;
    }
    static aclrtStream NewStream() {
        aclrtStream stream = nullptr;
        Require(aclrtCreateStream(&stream), "aclrtCreateStream");
        return stream;
    }
    static void* NewMemory(const std::vector<float>& values) {
        void* memory = nullptr;
        const size_t bytes = values.size() * sizeof(float);
        Require(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        Require(aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
        return memory;
    }
    // Adds the memory of all ranks in place, and waits. `has_run` receives whether the operation was enqueued.
    static aclError AddAll(void* memory, uint64_t count, HcclComm comm, aclrtStream stream, bool* has_run = nullptr) {
        const HcclResult code = HcclAllReduce(memory, memory, count, kFloat, HCCL_REDUCE_SUM, comm, stream);
        if (has_run != nullptr) *has_run = code == HCCL_SUCCESS;
        return code != HCCL_SUCCESS ? static_cast<aclError>(code) : aclrtSynchronizeStream(stream);
    }
    // Creates another communicator, uses and destroys it. The first one sends its root information.
    void JoinNext(HcclComm comm, aclrtStream stream) const {
        HcclRootInfo info = {};
        void* memory = nullptr;
        Require(aclrtMalloc(&memory, sizeof info, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        if (rank == 0) Require(HcclGetRootInfo(&info), "HcclGetRootInfo");
        Require(aclrtMemcpy(memory, sizeof info, &info, sizeof info, ACL_MEMCPY_HOST_TO_DEVICE), "copy");
        Require(HcclBroadcast(memory, sizeof info, HCCL_DATA_TYPE_UINT8, 0, comm, stream), "HcclBroadcast");
        Require(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
        Require(aclrtMemcpy(&info, sizeof info, memory, sizeof info, ACL_MEMCPY_DEVICE_TO_HOST), "copy");
        HcclComm next = nullptr;
        Require(HcclCommInitRootInfo(size, &info, rank, &next), "HcclCommInitRootInfo");
        Require(HcclBarrier(next, stream), "HcclBarrier");
        Require(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
        Require(HcclCommDestroy(next), "HcclCommDestroy");
        Require(aclrtFree(memory), "aclrtFree");
    }
    // The parent waits until all ranks are here.
    void Arrive() { shared_.running++; }

    // Requires that an operation fails with this code and a text.
    void RequireFailure(aclError got, aclError wanted, const std::string& text) const {
        const char* const recent = aclGetRecentErrMsg();
        const std::string found = recent != nullptr ? recent : "";
        if (got == wanted && found.find(text) != std::string::npos) return;
        std::fprintf(stderr, "rank %u: %d instead of %d: %s\nwithout: %s\n", rank, got, wanted, found.c_str(),
                     text.c_str());
        std::_Exit(1);
    }

  private:
    Shared& shared_;
};

// The processes of the ranks. The test itself calls nothing of the library, so that it can fork.
class Processes {
  public:
    Processes(uint32_t size, const std::function<void(Rank&)>& body)
        : shared_(static_cast<Shared*>(
              mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
        for (uint32_t rank = 0; rank < size; rank++) {
            const pid_t child = fork();
            if (child == 0) {
                Rank own(*shared_, rank, size);
                body(own);
                std::exit(0);
            }
            children_.push_back(child);
        }
    }
    ~Processes() {
        // 0 is the whole group.
        for (const pid_t child : children_) {
            if (child > 0) kill(child, SIGKILL);
        }
        for (size_t rank = 0; rank < children_.size(); rank++) Status(static_cast<uint32_t>(rank));
        munmap(shared_, sizeof(Shared));
    }

    // Waits until all ranks have arrived, or one has ended.
    void AwaitArrival() const {
        while (shared_->running < children_.size() && !HasEnded()) std::this_thread::sleep_for(Milliseconds(1));
    }
    void Signal(uint32_t rank, int signal) const {
        if (children_[rank] > 0) kill(children_[rank], signal);
    }
    // Waits for the end of a rank. Returns its status, and negative signals.
    int Status(uint32_t rank) {
        if (children_[rank] == 0) return 0;
        int status = 0;
        waitpid(children_[rank], &status, 0);
        children_[rank] = 0;
        return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    }
    void ExpectSuccess() {
        for (uint32_t rank = 0; rank < children_.size(); rank++) EXPECT_EQ(Status(rank), 0) << "rank " << rank;
    }

  private:
    bool HasEnded() const {
        for (const pid_t child : children_) {
            siginfo_t info = {};
            if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0)
                return true;
        }
        return false;
    }

    Shared* const shared_;
    std::vector<pid_t> children_;
};

TEST(Processes, CommunicatorsRunBesideEachOther) {
    Processes ranks(3, [](Rank& own) {
        std::vector<std::thread> threads;
        for (int index = 0; index < kMost; index++) {
            threads.emplace_back([&own, index] {
                Rank::Require(aclrtSetDevice(0), "aclrtSetDevice");
                const HcclComm comm = own.Join(index);
                const aclrtStream stream = Rank::NewStream();
                for (int time = 0; time < 50; time++) {
                    const auto value = static_cast<float>(index * 100 + time);
                    std::vector<float> values(1000, value);
                    void* const memory = Rank::NewMemory(values);
                    Rank::Require(Rank::AddAll(memory, values.size(), comm, stream), "HcclAllReduce");
                    const size_t bytes = values.size() * sizeof(float);
                    Rank::Require(aclrtMemcpy(values.data(), bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST), "copy");
                    Rank::Require(values == std::vector<float>(1000, 3 * value), "the sums are wrong");
                    Rank::Require(aclrtFree(memory), "aclrtFree");
                }
                Rank::Require(HcclCommDestroy(comm), "HcclCommDestroy");
                Rank::Require(aclrtDestroyStream(stream), "aclrtDestroyStream");
            });
        }
        for (std::thread& thread : threads) thread.join();
    });
    ranks.ExpectSuccess();
}

// A thread issues them, and each rank in another order: a communicator waits for none of the others.
TEST(Processes, AThreadUsesACommunicatorOnEachStream) {
    Processes ranks(3, [](Rank& own) {
        HcclComm comms[kMost];
        aclrtStream streams[kMost];
        void* memory[kMost];
        for (int index = 0; index < kMost; index++) {
            comms[index] = own.Join(index);
            streams[index] = Rank::NewStream();
            memory[index] = Rank::NewMemory(std::vector<float>(1000, static_cast<float>(index + 1)));
        }
        for (int time = 0; time < 5; time++) {
            for (int turn = 0; turn < kMost; turn++) {
                const int index = (turn + static_cast<int>(own.rank)) % kMost;
                Rank::Require(HcclAllReduce(memory[index], memory[index], 1000, kFloat, HCCL_REDUCE_SUM, comms[index],
                                            streams[index]),
                              "HcclAllReduce");
            }
        }
        for (int index = 0; index < kMost; index++) {
            Rank::Require(aclrtSynchronizeStream(streams[index]), "aclrtSynchronizeStream");
            std::vector<float> values(1000);
            const size_t bytes = values.size() * sizeof(float);
            Rank::Require(aclrtMemcpy(values.data(), bytes, memory[index], bytes, ACL_MEMCPY_DEVICE_TO_HOST), "copy");
            // Five sums of three equal numbers.
            Rank::Require(values == std::vector<float>(1000, static_cast<float>(243 * (index + 1))), "a sum is wrong");
            Rank::Require(HcclCommDestroy(comms[index]), "HcclCommDestroy");
        }
    });
    ranks.ExpectSuccess();
}

// Communicators that have ended leave no descriptors and threads.
TEST(Processes, CommunicatorsComeAndGo) {
    Processes ranks(2, [](Rank& own) {
        const auto entries = [](const char* folder) {
            const std::filesystem::directory_iterator first(folder);
            return std::distance(first, std::filesystem::directory_iterator());
        };
        const HcclComm comm = own.Join();
        const aclrtStream stream = Rank::NewStream();
        std::ptrdiff_t descriptors = 0;
        std::ptrdiff_t threads = 0;
        for (int time = 0; time < 1000; time++) {
            own.JoinNext(comm, stream);
            // What a process keeps exists by then.
            if (time == 20) descriptors = entries("/proc/self/fd");
            if (time == 20) threads = entries("/proc/self/task");
        }
        // The last ones can still be ending.
        Rank::Require(entries("/proc/self/fd") <= descriptors + 10, "communicators leave descriptors");
        Rank::Require(entries("/proc/self/task") <= threads + 10, "communicators leave threads");
    });
    ranks.ExpectSuccess();
}

// The last rank is killed at different places of large and small operations.
class KilledTest : public testing::TestWithParam<uint64_t> {};

TEST_P(KilledTest, TheOthersFailAndNameIt) {
    for (const uint32_t size : {2, 3}) {
        for (const int delay : {0, 1, 5, 20}) {
            Processes ranks(size, [](Rank& own) {
                const HcclComm comm = own.Join();
                const aclrtStream stream = Rank::NewStream();
                const uint64_t count = GetParam();
                void* const memory = Rank::NewMemory(std::vector<float>(count, 0));
                own.Arrive();
                aclError code = ACL_SUCCESS;
                bool has_run = false;
                while (code == ACL_SUCCESS) code = Rank::AddAll(memory, count, comm, stream, &has_run);
                const std::string last = std::to_string(own.size - 1);
                own.RequireFailure(code, HCCL_E_REMOTE, "the process of rank " + last + " has ended");
                HcclResult error = HCCL_SUCCESS;
                Rank::Require(HcclGetCommAsyncError(comm, &error), "HcclGetCommAsyncError");
                // The communicator can end between two operations.
                Rank::Require(!has_run || error == HCCL_E_REMOTE, "HcclGetCommAsyncError has another code");
            });
            ranks.AwaitArrival();
            std::this_thread::sleep_for(Milliseconds(delay));
            const auto begin = std::chrono::steady_clock::now();
            ranks.Signal(size - 1, SIGKILL);
            for (uint32_t rank = 0; rank + 1 < size; rank++) EXPECT_EQ(ranks.Status(rank), 0) << delay << " ms";
            EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << delay << " ms";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Counts, KilledTest, testing::Values(1, 1000, 8 << 20));

TEST(Processes, CallsThatDoNotFitFailOnAllRanks) {
    setenv("PORTACL_CHECK", "collectives", 1);
    Processes ranks(2, [](Rank& own) {
        const HcclComm comm = own.Join();
        const aclrtStream stream = Rank::NewStream();
        void* const memory = Rank::NewMemory({1, 2});
        for (int time = 0; time < 20; time++) Rank::Require(Rank::AddAll(memory, 2, comm, stream), "HcclAllReduce");
        // Without the check the process of the shorter one ends.
        const aclError code = Rank::AddAll(memory, own.rank + 1, comm, stream);
        own.RequireFailure(code, HCCL_E_PARA, " (operation 21); rank 1: HcclAllReduce float32 2 sum at ");
    });
    unsetenv("PORTACL_CHECK");
    ranks.ExpectSuccess();
}

// A world of which the last rank is stopped some time after it has begun.
struct Stopped {
    uint32_t size;
    uint64_t count;
    int delay;
    std::unique_ptr<Processes> ranks;
};

// The last rank stops at different places of large and small operations.
TEST(Processes, AStoppedRankEndsOperationsInTime) {
    setenv("HCCL_EXEC_TIMEOUT", "2", 1);
    for (const uint64_t count : {1, 1000, 1 << 18, 1 << 20}) {
        // Five places at once, since each waits for the limit.
        std::vector<Stopped> worlds;
        for (const int delay : {0, 1, 5, 20, 50}) worlds.push_back({delay % 2 == 0 ? 2u : 3u, count, delay, nullptr});
        for (Stopped& world : worlds) {
            world.ranks = std::make_unique<Processes>(world.size, [count](Rank& own) {
                const HcclComm comm = own.Join();
                const aclrtStream stream = Rank::NewStream();
                void* const memory = Rank::NewMemory(std::vector<float>(count, 0));
                Rank::Require(Rank::AddAll(memory, 1, comm, stream), "HcclAllReduce");
                own.Arrive();
                aclError code = ACL_SUCCESS;
                while (code == ACL_SUCCESS) code = Rank::AddAll(memory, count, comm, stream);
                own.RequireFailure(code, HCCL_E_REMOTE, "another rank did not answer within 2 s; check that");
                // Those that are enqueued later are refused at once, with the same text.
                own.RequireFailure(Rank::AddAll(memory, count, comm, stream), HCCL_E_REMOTE,
                                   "did not answer within 2 s");
            });
        }
        for (const Stopped& world : worlds) {
            world.ranks->AwaitArrival();
            std::this_thread::sleep_for(Milliseconds(world.delay));
            world.ranks->Signal(world.size - 1, SIGSTOP);
        }
        for (const Stopped& world : worlds) {
            for (uint32_t rank = 0; rank + 1 < world.size; rank++) {
                EXPECT_EQ(world.ranks->Status(rank), 0) << count << " elements, " << world.delay << " ms";
            }
        }
    }
    unsetenv("HCCL_EXEC_TIMEOUT");
}

}  // namespace
}  // namespace hccl

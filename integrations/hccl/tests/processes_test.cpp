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
#include <functional>
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

    // Waits until all ranks have arrived.
    void AwaitArrival() const {
        while (shared_->running < children_.size()) std::this_thread::sleep_for(Milliseconds(1));
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

TEST(Processes, CommunicatorsComeAndGo) {
    Processes ranks(2, [](Rank& own) {
        const HcclComm comm = own.Join();
        const aclrtStream stream = Rank::NewStream();
        for (int time = 0; time < 30; time++) {
            // The first communicator sends the root information of the next one.
            HcclRootInfo info = {};
            void* memory = nullptr;
            Rank::Require(aclrtMalloc(&memory, sizeof info, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
            if (own.rank == 0) Rank::Require(HcclGetRootInfo(&info), "HcclGetRootInfo");
            Rank::Require(aclrtMemcpy(memory, sizeof info, &info, sizeof info, ACL_MEMCPY_HOST_TO_DEVICE), "copy");
            Rank::Require(HcclBroadcast(memory, sizeof info, HCCL_DATA_TYPE_UINT8, 0, comm, stream), "HcclBroadcast");
            Rank::Require(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
            Rank::Require(aclrtMemcpy(&info, sizeof info, memory, sizeof info, ACL_MEMCPY_DEVICE_TO_HOST), "copy");
            HcclComm next = nullptr;
            Rank::Require(HcclCommInitRootInfo(2, &info, own.rank, &next), "HcclCommInitRootInfo");
            Rank::Require(HcclBarrier(next, stream), "HcclBarrier");
            Rank::Require(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
            Rank::Require(HcclCommDestroy(next), "HcclCommDestroy");
            Rank::Require(aclrtFree(memory), "aclrtFree");
        }
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

TEST(Processes, AStoppedRankEndsOperationsInTime) {
    setenv("HCCL_EXEC_TIMEOUT", "2", 1);
    Processes ranks(2, [](Rank& own) {
        const HcclComm comm = own.Join();
        const aclrtStream stream = Rank::NewStream();
        void* const memory = Rank::NewMemory({1});
        own.Arrive();
        aclError code = ACL_SUCCESS;
        while (code == ACL_SUCCESS) code = Rank::AddAll(memory, 1, comm, stream);
        own.RequireFailure(code, HCCL_E_REMOTE, "another rank did not answer within 2 s; check that");
    });
    unsetenv("HCCL_EXEC_TIMEOUT");
    ranks.AwaitArrival();
    std::this_thread::sleep_for(Milliseconds(20));
    ranks.Signal(1, SIGSTOP);
    EXPECT_EQ(ranks.Status(0), 0);
}

}  // namespace
}  // namespace hccl

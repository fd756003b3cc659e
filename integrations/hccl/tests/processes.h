// Ranks that are processes. The tests themselves call nothing of the library, so that they can fork.
#pragma once

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

using Milliseconds = std::chrono::milliseconds;
inline constexpr auto kFloat = HCCL_DATA_TYPE_FP32;
// The most communicators of a test.
inline constexpr int kMost = 4;

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

}  // namespace hccl

// Connected ranks as threads.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "support/gate.h"
#include "tests/support.h"

namespace hccl {

// A rank on a thread of its own, with a device, a stream and a communicator.
struct Rank {
    uint32_t rank;
    HcclComm comm;
    aclrtStream stream;
};

// Holds the streams of ranks until all ranks have enqueued their operations: later calls fail as soon as one has
// failed.
class Together {
  public:
    explicit Together(int ranks) : behind_(ranks) {}
    void Hold(const Rank& own) { ACL_OK(aclrtLaunchHostFunc(own.stream, Wait, &behind_)); }
    void HasEnqueued() { behind_--; }

  private:
    static void Wait(void* behind) {
        while (*static_cast<std::atomic<int>*>(behind) > 0) std::this_thread::yield();
    }
    std::atomic<int> behind_;
};

class MeshedTest : public WithStream {
  protected:
    // Each rank waits in its stream for the others.
    void SetUp() override {
        WithStream::SetUp();
        NEEDS_QUEUES(8);
    }

    // Runs a function for each rank of a new communicator. What it frees by Free is freed at the end.
    static void Run(uint32_t size, const std::function<void(Rank&)>& body) {
        HcclRootInfo info;
        HCCL_OK(HcclGetRootInfo(&info));
        std::vector<std::vector<void*>> memory(size);
        std::vector<std::thread> threads;
        for (uint32_t rank = 0; rank < size; rank++) {
            threads.emplace_back([&, rank] {
                freed_later = &memory[rank];
                Rank own = {rank, nullptr, nullptr};
                ACL_OK(aclrtSetDevice(0));
                ACL_OK(aclrtCreateStream(&own.stream));
                HCCL_OK(HcclCommInitRootInfo(size, &info, rank, &own.comm));
                body(own);
                if (own.comm != nullptr) HCCL_OK(HcclCommDestroy(own.comm));
                ACL_OK(aclrtDestroyStream(own.stream));
            });
        }
        for (std::thread& thread : threads) thread.join();
        for (const auto& of_rank : memory) {
            for (void* const block : of_rank) ACL_EXPECT_OK(aclrtFree(block));
        }
    }
};

}  // namespace hccl

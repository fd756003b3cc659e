// Connected ranks: order, failures, and ends. The ranks are threads, and move data over a board in memory.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "engine/library.h"
#include "tests/local_mover.h"
#include "tests/meshed.h"

namespace hccl {
namespace {

TEST(Module, FitsTheLibraryForWhichItWasCompiled) {
    MoverModule module = LoadedMover();
    EXPECT_TRUE(module.Fits());
    module.operation_size += 8;
    EXPECT_FALSE(module.Fits());
}

TEST_F(MeshedTest, EachRankGetsTheSum) {
    Run(4, [](Rank& own) {
        const Floats send({1.0f + static_cast<float>(own.rank), 10});
        const Floats recv({0, 0});
        HCCL_OK(HcclAllReduce(send.get(), recv.get(), 2, kFloat, HCCL_REDUCE_SUM, own.comm, own.stream));
        HCCL_OK(HcclAllReduce(send.get(), send.get(), 2, kFloat, HCCL_REDUCE_SUM, own.comm, own.stream));
        ACL_OK(aclrtSynchronizeStream(own.stream));
        EXPECT_EQ(recv.values(), (std::vector<float>{10, 40}));
        EXPECT_EQ(send.values(), (std::vector<float>{10, 40}));
    });
}

// The ranks match operations by the order of the calls, whatever the streams.
TEST_F(MeshedTest, OperationsOfSeveralStreamsKeepTheOrderOfTheCalls) {
    Run(2, [](Rank& own) {
        aclrtStream other = nullptr;
        ACL_OK(aclrtCreateStream(&other));
        // The first operation of one rank comes late on its stream.
        const auto wait = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
        if (own.rank == 0) ACL_EXPECT_OK(aclrtLaunchHostFunc(own.stream, wait, nullptr));
        std::vector<std::unique_ptr<Floats>> memory;
        for (int index = 0; index < 40; index++) {
            memory.push_back(std::make_unique<Floats>(std::vector<float>{static_cast<float>(index)}));
            // The ranks alternate in opposite ways.
            const aclrtStream stream = index % 2 == static_cast<int>(own.rank) ? own.stream : other;
            void* const it = memory.back()->get();
            HCCL_OK(HcclAllReduce(it, it, 1, kFloat, HCCL_REDUCE_SUM, own.comm, stream));
        }
        ACL_OK(aclrtSynchronizeDevice());
        for (int index = 0; index < 40; index++)
            EXPECT_EQ(memory[index]->values()[0], 2.0f * static_cast<float>(index));
        ACL_OK(aclrtDestroyStream(other));
    });
}

TEST_F(MeshedTest, ExchangedPartsMayLieInOneAllocation) {
    Run(2, [](Rank& own) {
        const Floats memory({1, 2, 0, 0});
        HCCL_OK(HcclAlltoAll(memory.get(), 1, kFloat, memory.at(2), 1, kFloat, own.comm, own.stream));
        ACL_OK(aclrtSynchronizeStream(own.stream));
        const float mine = static_cast<float>(own.rank) + 1;
        EXPECT_EQ(memory.values(), (std::vector<float>{1, 2, mine, mine}));
    });
}

// The parts of other ranks are written and not read: nothing has written them before.
TEST_F(MeshedTest, AGatherMayBeInPlace) {
    Run(3, [](Rank& own) {
        void* memory = nullptr;
        ACL_OK(aclrtMalloc(&memory, 3 * sizeof(float), ACL_MEM_MALLOC_NORMAL_ONLY));
        float* const part = static_cast<float*>(memory) + own.rank;
        const float value = static_cast<float>(own.rank) + 1;
        ACL_OK(aclrtMemcpy(part, sizeof value, &value, sizeof value, ACL_MEMCPY_HOST_TO_DEVICE));
        HCCL_OK(HcclAllGather(part, memory, 1, kFloat, own.comm, own.stream));
        ACL_OK(aclrtSynchronizeStream(own.stream));
        float values[3] = {};
        ACL_OK(aclrtMemcpy(values, sizeof values, memory, sizeof values, ACL_MEMCPY_DEVICE_TO_HOST));
        for (int rank = 0; rank < 3; rank++) EXPECT_EQ(values[rank], static_cast<float>(rank) + 1);
        Free(memory);
    });
}

// An operation that its stream drops before it runs, so that the ranks would not match the next one.
TEST_F(MeshedTest, ADroppedOperationEndsTheCommunicator) {
    std::atomic<bool> submitted{false};  // by rank 1, whose call fails if rank 0 has failed before it
    Run(2, [&](Rank& own) {
        const Floats memory({1});
        std::atomic<bool> goes_on{own.rank == 1};
        const auto wait = [](void* flag) {
            while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
        };
        ACL_OK(aclrtLaunchHostFunc(own.stream, wait, &goes_on));
        HCCL_OK(HcclAllReduce(memory.get(), memory.get(), 1, kFloat, HCCL_REDUCE_SUM, own.comm, own.stream));
        if (own.rank == 0) {
            while (!submitted) std::this_thread::yield();
            std::thread later([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
                goes_on = true;
            });
            ACL_EXPECT_OK(aclrtStreamAbort(own.stream));
            later.join();
            ACL_OK(aclrtSynchronizeStream(own.stream));
            HCCL_FAILS(HcclBarrier(own.comm, own.stream), HCCL_E_INTERNAL,
                       "was dropped before it ran, because its stream was aborted or destroyed");
            return;
        }
        submitted = true;
        HCCL_FAILS(aclrtSynchronizeStream(own.stream), HCCL_E_REMOTE, "rank 0 has failed: HcclAllReduce was dropped");
    });
}

TEST_F(MeshedTest, AFailureOfOneRankFailsAll) {
    FailNext(1, "out of luck");
    Together together(3);
    Run(3, [&](Rank& own) {
        const Floats memory({1});
        together.Hold(own);
        HCCL_OK(HcclAllReduce(memory.get(), memory.get(), 1, kFloat, HCCL_REDUCE_SUM, own.comm, own.stream));
        together.HasEnqueued();
        const bool is_cause = own.rank == 1;
        const HcclResult code = is_cause ? HCCL_E_INTERNAL : HCCL_E_REMOTE;
        const char* const text =
            is_cause ? "HcclAllReduce: out of luck" : "HcclAllReduce: rank 1 has failed: out of luck";
        HCCL_FAILS(aclrtSynchronizeStream(own.stream), code, text);
        HcclResult error = HCCL_SUCCESS;
        HCCL_OK(HcclGetCommAsyncError(own.comm, &error));
        EXPECT_EQ(error, code);
        // Later operations are refused with the cause.
        HCCL_FAILS(HcclBarrier(own.comm, own.stream), code, "out of luck");
    });
}

TEST_F(MeshedTest, DestroyEndsAnOperationThatWaits) {
    Run(2, [](Rank& own) {
        if (own.rank == 1) return std::this_thread::sleep_for(std::chrono::milliseconds(300));
        const Floats memory({1});
        HCCL_OK(HcclAllReduce(memory.get(), memory.get(), 1, kFloat, HCCL_REDUCE_SUM, own.comm, own.stream));
        HCCL_OK(HcclCommDestroy(own.comm));
        own.comm = nullptr;
        HCCL_FAILS(aclrtSynchronizeStream(own.stream), HCCL_E_INTERNAL, "was destroyed");
    });
}

TEST_F(MeshedTest, AnAbortedStreamEndsAnOperationThatWaits) {
    Run(3, [](Rank& own) {
        // It takes no part.
        if (own.rank == 2) return std::this_thread::sleep_for(std::chrono::milliseconds(300));
        const Floats memory({1});
        HCCL_OK(HcclAllReduce(memory.get(), memory.get(), 1, kFloat, HCCL_REDUCE_SUM, own.comm, own.stream));
        if (own.rank == 1) {
            // On a busy machine the operation has not begun.
            HCCL_FAILS(aclrtSynchronizeStream(own.stream), HCCL_E_REMOTE, "stream was aborted or destroyed");
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ACL_OK(aclrtStreamAbort(own.stream));
        ACL_OK(aclrtSynchronizeStream(own.stream));
    });
}

TEST_F(MeshedTest, MissingRanksAreNamed) {
    setenv("HCCL_CONNECT_TIMEOUT", "1", 1);
    HcclRootInfo info;
    HCCL_OK(HcclGetRootInfo(&info));
    std::vector<std::thread> threads;
    for (const uint32_t rank : {0u, 2u}) {
        threads.emplace_back([&, rank] {
            HcclComm comm = nullptr;
            HCCL_FAILS(HcclCommInitRootInfo(4, &info, rank, &comm), HCCL_E_INTERNAL,
                       "have not joined in time: 1, 3; check");
        });
    }
    for (std::thread& thread : threads) thread.join();
    unsetenv("HCCL_CONNECT_TIMEOUT");
}

TEST_F(MeshedTest, ARankJoinsOnce) {
    HcclRootInfo info;
    HCCL_OK(HcclGetRootInfo(&info));
    HcclComm first = nullptr;
    HcclComm second = nullptr;
    std::thread other([&] { HCCL_OK(HcclCommInitRootInfo(2, &info, 1, &first)); });
    HcclComm own = nullptr;
    HCCL_OK(HcclCommInitRootInfo(2, &info, 0, &own));
    other.join();
    HCCL_FAILS(HcclCommInitRootInfo(2, &info, 1, &second), HCCL_E_PARA, "rank 1 has joined already");
    HCCL_FAILS(HcclCommInitRootInfo(3, &info, 2, &second), HCCL_E_PARA, "another rank passed 2");
    HCCL_OK(HcclCommDestroy(own));
    HCCL_OK(HcclCommDestroy(first));
}

// The child exits, which ends no rank.
TEST_F(MeshedTest, AForkedChildLeavesNothing) {
    Run(2, [](Rank& own) {
        if (own.rank == 0) {
            const pid_t child = fork();
            if (child == 0) exit(0);
            int status = -1;
            EXPECT_EQ(waitpid(child, &status, 0), child);
        }
        const Floats memory({1});
        HCCL_OK(HcclAllReduce(memory.get(), memory.get(), 1, kFloat, HCCL_REDUCE_SUM, own.comm, own.stream));
        ACL_OK(aclrtSynchronizeStream(own.stream));
        EXPECT_EQ(memory.values()[0], 2);
    });
}

TEST_F(MeshedTest, CommunicatorsAreCreatedAndDestroyedOften) {
    for (int round = 0; round < 100; round++) {
        Run(2, [](Rank&) {});
    }
}

}  // namespace
}  // namespace hccl

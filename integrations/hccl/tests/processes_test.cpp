// Ranks that are processes, over libgloo: results, and what the others see when one is killed or stops.
#include "tests/processes.h"

#include <filesystem>
#include <iterator>
#include <memory>

namespace hccl {
namespace {

TEST(Processes, CommunicatorsRunBesideEachOther) {
    Processes ranks(3, [](Rank& own) {
        std::vector<std::thread> threads;
        for (int index = 0; index < kMost; index++) {
            threads.emplace_back([&own, index] {
                Rank::Require(aclrtSetDevice(0), "aclrtSetDevice");
                const HcclComm comm = own.Join(index);
                const aclrtStream stream = Rank::NewStream();
                std::vector<float> values(1000);
                const size_t bytes = values.size() * sizeof(float);
                // Not freed here: the driver's free waits for operations of the other threads.
                void* const memory = Rank::NewMemory(values);
                for (int time = 0; time < 50; time++) {
                    const auto value = static_cast<float>(index * 100 + time);
                    values.assign(values.size(), value);
                    Rank::Require(aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "copy");
                    Rank::Require(Rank::AddAll(memory, values.size(), comm, stream), "HcclAllReduce");
                    Rank::Require(aclrtMemcpy(values.data(), bytes, memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST), "copy");
                    Rank::Require(values == std::vector<float>(1000, 3 * value), "the sums are wrong");
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

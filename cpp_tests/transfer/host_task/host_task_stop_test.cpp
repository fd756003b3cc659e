// Tasks of the host that block: their threads, and what aborts, destroys, resets and the end of the process do.

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "support/own_process.h"
#include "support/says.h"
#include "support/threads.h"
#include "transfer/host_task/task.h"

using namespace portacl_test;

namespace {

constexpr int kEnds = PORTACL_TASK_STREAM_ENDS, kDropped = PORTACL_TASK_DROPPED;

class TaskStop : public WithDevice {};

// A task that blocks until its state is `heeds`, or, with 0, until the test opens it.
std::unique_ptr<Task> Blocker(int heeds, std::atomic<int>* state = nullptr) {
    auto* self = MakeImmortal<std::atomic<Task*>>();
    auto task = std::make_unique<Task>([self, heeds, state](portaclTask handle, void* const*) {
        self->load()->Block(heeds);
        if (state) *state = StateOf(handle);
        return ACL_SUCCESS;
    });
    *self = task.get();
    return task;
}

TEST_F(TaskStop, TasksThatWaitForEachOtherGoOn) {
    NEEDS_QUEUES(8);
    // Streams that share a queue of a GPU's driver wait for each other.
    const int count = SharesQueues() ? kMostHeld : 12;
    std::vector<std::unique_ptr<Stream>> streams;
    std::vector<std::unique_ptr<Task>> tasks;
    std::atomic<int> arrived{0};
    std::mutex mutex;
    std::vector<std::thread::id> threads{std::this_thread::get_id()};
    for (int i = 0; i < count; ++i) {
        streams.push_back(std::make_unique<Stream>());
        tasks.push_back(std::make_unique<Task>([&](portaclTask, void* const*) {
            {
                const std::lock_guard<std::mutex> lock(mutex);
                threads.push_back(std::this_thread::get_id());
            }
            ++arrived;
            const auto late = std::chrono::steady_clock::now() + kPatience;
            while (arrived < count) {
                if (std::chrono::steady_clock::now() > late) return 1;
                std::this_thread::yield();
            }
            return ACL_SUCCESS;
        }));
        ACL_OK(tasks.back()->Launch(*streams.back()));
        if (i == 0) {
            // A thread that waits for the first one does not run it.
            ExpectStuck(*streams.front());
        }
    }
    for (auto& stream : streams) ACL_OK(aclrtSynchronizeStream(*stream));
    // Each has a thread of its own.
    std::sort(threads.begin(), threads.end());
    EXPECT_EQ(std::unique(threads.begin(), threads.end()) - threads.begin(), count + 1);
}

TEST_F(TaskStop, AnAbortNotifiesATaskThatRunsAndDropsTheOthers) {
    Stream stream;
    Log log;
    std::atomic<int> state{-1};
    auto running = Blocker(0, &state);
    Task pending([](portaclTask, void* const*) { return ACL_SUCCESS; });
    ACL_OK(running->Launch(stream));
    ACL_OK(pending.Launch(stream));
    ACL_OK(log.Append(stream, 1));
    ASSERT_TRUE(running->AwaitBlocked());
    ACL_OK(aclrtStreamAbort(stream));
    EXPECT_EQ(running->Stops(), std::vector<int>{kDropped});
    ACL_OK(aclrtStreamAbort(stream));
    EXPECT_EQ(running->Stops(), std::vector<int>{kDropped});
    // Later work is ordered after the task that still runs.
    ACL_OK(log.Append(stream, 2));
    ExpectStuck(stream);
    EXPECT_EQ(log.Size(), 0u);
    running->Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Numbers(), std::vector<int>{2});
    EXPECT_EQ(state, kDropped);
    EXPECT_TRUE(running->AwaitReleased());
    EXPECT_TRUE(pending.AwaitReleased());
    EXPECT_EQ(pending.Runs(), 0);
}

TEST_F(TaskStop, AFailureAfterAnAbortIsNotReported) {
    Stream stream;
    auto* self = MakeImmortal<std::atomic<Task*>>();
    Task task([self](portaclTask, void* const*) {
        self->load()->Block(kDropped);
        return 4711;
    });
    *self = &task;
    ACL_OK(task.Launch(stream));
    ASSERT_TRUE(task.AwaitBlocked());
    ACL_OK(aclrtStreamAbort(stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(task.AwaitReleased());
}

TEST_F(TaskStop, AbortsOfADeviceNotifyTheTasksOfAllStreams) {
    NEEDS_QUEUES(2);
    Stream first, second;
    auto one = Blocker(kDropped), other = Blocker(kDropped);
    ACL_OK(one->Launch(first));
    ACL_OK(other->Launch(second));
    ASSERT_TRUE(one->AwaitBlocked() && other->AwaitBlocked());
    ACL_OK(aclrtDeviceTaskAbort(0, 0));
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(one->Stops(), std::vector<int>{kDropped});
    EXPECT_EQ(other->Stops(), std::vector<int>{kDropped});
}

TEST_F(TaskStop, ADestroyWaitsForTheTaskAndNotifiesIt) {
    Stream stream;
    std::atomic<int> state{-1};
    auto task = Blocker(kEnds, &state);
    ACL_OK(task->Launch(stream));
    ASSERT_TRUE(task->AwaitBlocked());
    ACL_OK(aclrtDestroyStream(stream.Release()));
    EXPECT_EQ(task->Stops(), std::vector<int>{kEnds});
    EXPECT_EQ(state, kEnds);
    EXPECT_EQ(task->Runs(), 1);
    EXPECT_TRUE(task->AwaitReleased());
}

TEST_F(TaskStop, ATaskThatIsPendingAtADestroyRunsAndIsNotified) {
    Stream stream;
    Gate gate;
    auto task = Blocker(kEnds);
    ACL_OK(gate.Hold(stream));
    ACL_OK(task->Launch(stream));
    ASSERT_TRUE(gate.AwaitArrival());
    {
        const WhenBlocked open([&gate] { gate.Open(); });
        ACL_OK(aclrtDestroyStream(stream.Release()));
    }
    EXPECT_EQ(task->Stops(), std::vector<int>{kEnds});
    EXPECT_EQ(task->Runs(), 1);
}

TEST_F(TaskStop, AForcedDestroyDropsTheTask) {
    Stream stream;
    auto running = Blocker(0);
    Task pending([](portaclTask, void* const*) { return ACL_SUCCESS; });
    ACL_OK(running->Launch(stream));
    ACL_OK(pending.Launch(stream));
    ASSERT_TRUE(running->AwaitBlocked());
    ACL_OK(aclrtDestroyStreamForce(stream.Release()));
    EXPECT_EQ(running->Stops(), std::vector<int>{kDropped});
    running->Open();
    EXPECT_TRUE(running->AwaitReleased());
    EXPECT_TRUE(pending.AwaitReleased());
    EXPECT_EQ(pending.Runs(), 0);
}

TEST_F(TaskStop, AResetNotifiesTasksThatWaitForEachOther) {
    NEEDS_QUEUES(2);
    aclrtStream first = nullptr, second = nullptr;
    ACL_OK(aclrtCreateStream(&first));
    ACL_OK(aclrtCreateStream(&second));
    // The first one waits for the second one, which waits for the reset.
    auto last = Blocker(kEnds);
    std::atomic<bool> returned{false};
    Task before([&returned](portaclTask, void* const*) {
        const auto late = std::chrono::steady_clock::now() + kPatience;
        while (!returned) {
            if (std::chrono::steady_clock::now() > late) return 1;
            std::this_thread::yield();
        }
        return ACL_SUCCESS;
    });
    auto* blocks = last.get();
    Task after([blocks, &returned](portaclTask, void* const*) {
        blocks->Block(kEnds);
        returned = true;
        return ACL_SUCCESS;
    });
    ACL_OK(before.Launch(first));
    ACL_OK(last->Launch(second));
    ACL_OK(after.Launch(second));
    ASSERT_TRUE(last->AwaitBlocked());
    ACL_OK(aclrtResetDevice(0));
    EXPECT_EQ(before.Stops(), std::vector<int>{kEnds});
    EXPECT_EQ(last->Stops(), std::vector<int>{kEnds});
    EXPECT_EQ(after.Stops(), std::vector<int>{kEnds});
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(TaskStop, MemoryThatATaskUsesIsKeptAfterAnAbort) {
    constexpr size_t kSize = 1 << 20;
    Stream stream;
    auto memory = std::make_unique<DeviceMemory>(kSize);
    auto* self = MakeImmortal<std::atomic<Task*>>();
    Task task([self](portaclTask, void* const* buffers) {
        self->load()->Block();
        std::memset(buffers[0], 0xEE, kSize);
        return ACL_SUCCESS;
    });
    *self = &task;
    ACL_OK(task.Launch(stream, {Writes(*memory)}));
    ASSERT_TRUE(task.AwaitBlocked());
    ACL_OK(aclrtStreamAbort(stream));
    memory.reset();
    const std::vector<unsigned char> bytes(kSize, 7);
    DeviceMemory first(bytes), second(bytes);
    task.Open();
    EXPECT_TRUE(task.AwaitReleased());
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(first.Download(), bytes);
    EXPECT_EQ(second.Download(), bytes);
}

TEST_F(TaskStop, AReleaseMayWaitForAThreadThatSubmits) {
    struct Releases {
        std::mutex mutex;
        std::atomic<int> released{0};
    };
    constexpr int kTasks = 200;
    auto* state = MakeImmortal<Releases>();
    Stream stream;
    std::atomic<bool> done{false};
    std::thread submitter([&] {
        // The current device is one of the thread.
        ACL_EXPECT_OK(aclrtSetDevice(0));
        while (!done) {
            {
                const std::lock_guard<std::mutex> lock(state->mutex);
                ACL_EXPECT_OK(aclrtLaunchHostFunc(
                    stream, [](void*) {}, nullptr));
            }
            // The others get the mutex, too.
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
    });
    portaclTaskOptions options = Options();
    options.release = [](void* data) {
        auto* user = static_cast<Releases*>(data);
        const std::lock_guard<std::mutex> lock(user->mutex);
        ++user->released;
    };
    const auto task = [](portaclTask, void* const*, void*) -> aclError { return ACL_SUCCESS; };
    const auto late = std::chrono::steady_clock::now() + kPatience;
    for (int i = 1; i <= kTasks; ++i) {
        ACL_EXPECT_OK(portaclLaunchTask(stream, task, state, nullptr, 0, &options));
        while (state->released < i && std::chrono::steady_clock::now() < late) std::this_thread::yield();
    }
    done = true;
    submitter.join();
    EXPECT_EQ(state->released, kTasks);
    ACL_OK(aclrtSynchronizeStream(stream));
}

OWN_PROCESS_TEST(TaskStopAtTheEnd, AFinalizeNotifiesATaskThatBlocks) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    auto task = Blocker(kEnds);
    ACL_OK(task->Launch(nullptr));
    ASSERT_TRUE(task->AwaitBlocked());
    ACL_OK(aclFinalize());
    EXPECT_EQ(task->Stops(), std::vector<int>{kEnds});
    EXPECT_TRUE(task->AwaitReleased());
    // Another session has tasks as well.
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    Task next([](portaclTask, void* const*) { return ACL_SUCCESS; });
    ACL_OK(next.Launch(nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(next.Runs(), 1);
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(TaskStopAtTheEnd, AFinalizeDropsATaskThatGoesOn, {"PORTACL_FINALIZE_TIMEOUT_MS", "100"},
                 {"FAKE_CUDA_LEAK_CHECK", "0"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    auto task = Blocker(kDropped);
    ACL_OK(task->Launch(nullptr));
    ASSERT_TRUE(task->AwaitBlocked());
    ACL_FAILS_SAYING(ACL_ERROR_FAILURE, aclFinalize(), "not complete after 100 ms");
    EXPECT_EQ(task->Stops(), (std::vector<int>{kEnds, kDropped}));
    EXPECT_TRUE(task->AwaitReleased());
}

OWN_PROCESS_TEST(TaskStopAtTheEnd, AProcessEndsWhileATaskBlocks, {"FAKE_CUDA_LEAK_CHECK", "0"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    // The process ends without aclFinalize, and the task never returns.
    Task* const task = Blocker(0).release();
    ACL_OK(task->Launch(nullptr));
    ASSERT_TRUE(task->AwaitBlocked());
}

}  // namespace

// Tasks of the host in graphs.

#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "support/graph/capture.h"
#include "support/graph/graph.h"
#include "support/says.h"
#include "transfer/host_task/task.h"

using namespace portacl_test;

namespace {

class TaskInGraph : public WithDevice {};

TEST_F(TaskInGraph, RunsInEachLaunchInItsPlace) {
    constexpr size_t kSize = 100001;
    Stream stream;
    DeviceMemory from(kSize), to(kSize), end(kSize);
    PinnedMemory source(kSize), result(kSize, 0);
    Task task([](portaclTask, void* const* buffers) {
        const auto* in = static_cast<const unsigned char*>(buffers[0]);
        auto* out = static_cast<unsigned char*>(buffers[1]);
        for (size_t i = 0; i < kSize; ++i) out[i] = static_cast<unsigned char>(in[i] ^ 0x55);
        return ACL_SUCCESS;
    });
    {
        const Graph graph = Capture(stream, [&] {
            ACL_OK(aclrtMemcpyAsync(from.At(), kSize, source.At(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, stream));
            ACL_OK(task.Launch(stream, {Reads(from), Writes(to)}));
            ACL_OK(aclrtMemcpyAsync(end.At(), kSize, to.At(), kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
            ACL_OK(aclrtMemcpyAsync(result.At(), kSize, end.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        });
        EXPECT_EQ(task.Runs(), 0);
        for (uint32_t run = 1; run <= 3; ++run) {
            auto bytes = Pattern(kSize, run);
            std::memcpy(source.Bytes(), bytes.data(), kSize);
            ACL_OK(aclmdlRIExecuteAsync(graph, stream));
            ACL_OK(aclrtSynchronizeStream(stream));
            for (auto& byte : bytes) byte ^= 0x55;
            EXPECT_EQ(result.Copy(), bytes) << "run " << run;
            EXPECT_EQ(task.Runs(), static_cast<int>(run));
        }
        EXPECT_EQ(task.Released(), 0);
    }
    EXPECT_TRUE(task.AwaitReleased());
    EXPECT_EQ(task.Released(), 1);
}

TEST_F(TaskInGraph, IsReleasedWithAGraphThatNeverRan) {
    Stream stream;
    Task task([](portaclTask, void* const*) { return ACL_SUCCESS; });
    {
        const Graph graph = Capture(stream, [&] { ACL_OK(task.Launch(stream)); });
    }
    EXPECT_TRUE(task.AwaitReleased());
    EXPECT_EQ(task.Runs(), 0);
    EXPECT_EQ(task.Released(), 1);
}

TEST_F(TaskInGraph, FailsTheStreamOfTheRun) {
    Stream stream;
    Task task([](portaclTask own, void* const*) { return portaclTaskFail(own, 4711, "in a graph"); });
    const Graph graph = Capture(stream, [&] { ACL_OK(task.Launch(stream)); });
    for (int run = 0; run < 2; ++run) {
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_FAILS_SAYING(4711, aclrtSynchronizeStream(stream), "in a graph");
    }
    ACL_FAILS_SAYING(4711, aclmdlRIExecute(graph, -1), "in a graph");
}

TEST_F(TaskInGraph, OfJoinedStreamsRunInTheirOrder) {
    Stream stream, other;
    Event fork, join;
    DeviceMemory memory(std::vector<int>(1, 0));
    std::vector<std::unique_ptr<Task>> tasks;
    const auto times_and = [&](int factor, int summand) -> Task& {
        tasks.push_back(std::make_unique<Task>([factor, summand](portaclTask, void* const* buffers) {
            int& number = *static_cast<int*>(buffers[0]);
            number = number * factor + summand;
            return ACL_SUCCESS;
        }));
        return *tasks.back();
    };
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtMemsetAsync(memory.At(), sizeof(int), 0, sizeof(int), stream));
        ACL_OK(times_and(1, 5).Launch(stream, {Changes(memory)}));
        ACL_OK(aclrtRecordEvent(fork, stream));
        ACL_OK(aclrtStreamWaitEvent(other, fork));
        ACL_OK(times_and(10, 1).Launch(other, {Changes(memory)}));
        ACL_OK(aclrtRecordEvent(join, other));
        ACL_OK(aclrtStreamWaitEvent(stream, join));
        ACL_OK(times_and(10, 2).Launch(stream, {Changes(memory)}));
    });
    for (int run = 0; run < 3; ++run) ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(memory.Download<int>()[0], 512);
}

TEST_F(TaskInGraph, AnAbortNotifiesTheTaskOfARun) {
    Stream stream;
    auto* self = MakeImmortal<std::atomic<Task*>>();
    Task task([self](portaclTask, void* const*) {
        self->load()->Block(PORTACL_TASK_DROPPED);
        return ACL_SUCCESS;
    });
    *self = &task;
    const Graph graph = Capture(stream, [&] { ACL_OK(task.Launch(stream)); });
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ASSERT_TRUE(task.AwaitBlocked());
    ACL_OK(aclrtStreamAbort(stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(task.Stops(), std::vector<int>{PORTACL_TASK_DROPPED});
}

TEST_F(TaskInGraph, IsRefusedInATaskGroup) {
    Stream stream;
    ACL_OK(aclmdlRICaptureBegin(stream, kGlobal));
    ACL_OK(aclmdlRICaptureTaskGrpBegin(stream));
    Task task([](portaclTask, void* const*) { return ACL_SUCCESS; });
    EXPECT_TRUE(Failed("portaclLaunchTask", ACL_ON_PURPOSE(task.Launch(stream)), ACL_ERROR_RT_FEATURE_NOT_SUPPORT));
    EndInvalid(stream);
    EXPECT_EQ(task.Released(), 0);
}

}  // namespace

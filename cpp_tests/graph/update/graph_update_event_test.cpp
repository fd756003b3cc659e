// Events of tasks in graphs: querying them, and replacing them.
#include <cstdint>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/stream/external_event.h"

namespace {

using namespace portacl_test;

using GraphUpdateEvent = WithDevice;

// The event of a task is in the same place of the structure for each kind.
void SetEvent(aclmdlRITask task, aclrtEvent event) {
    auto params = ParamsOf(task);
    params.eventRecordTaskParams.event = event;
    ACL_EXPECT_OK(aclmdlRITaskSetParams(task, &params));
    EXPECT_EQ(ParamsOf(task).eventRecordTaskParams.event, event);
}

TEST_F(GraphUpdateEvent, EventsCanBeQueried) {
    const Stream stream;
    aclrtEvent event = nullptr;
    ACL_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
    const DeviceMemory memory(64);
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtRecordEvent(event, stream));
        ACL_OK(aclrtStreamWaitEvent(stream, event));
        ACL_OK(aclrtResetEvent(event, stream));
        ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, stream));
    });
    const auto tasks = TasksOf(stream);
    ASSERT_EQ(tasks.size(), 4u);
    EXPECT_EQ(ParamsOf(tasks[0]).eventRecordTaskParams.event, event);
    EXPECT_EQ(ParamsOf(tasks[0]).eventRecordTaskParams.eventFlag, uint32_t{ACL_EVENT_SYNC});
    EXPECT_EQ(ParamsOf(tasks[0]).eventRecordTaskParams.recordFlag, 0u);
    EXPECT_EQ(ParamsOf(tasks[1]).eventWaitTaskParams.event, event);
    EXPECT_EQ(ParamsOf(tasks[2]).eventResetTaskParams.event, event);
    EXPECT_EQ(ParamsOf(tasks[2]).type, ACL_MODEL_RI_TASK_EVENT_RESET);
    const auto other = ParamsOf(tasks[3]);
    EXPECT_EQ(other.type, ACL_MODEL_RI_TASK_DEFAULT);
    for (uint8_t byte : other.rsv2) EXPECT_EQ(byte, 0);
    // Queried parameters can be set again.
    for (size_t i = 0; i < 4; ++i) {
        auto params = ParamsOf(tasks[i]);
        ACL_OK(aclmdlRITaskSetParams(tasks[i], &params));
    }
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclrtDestroyEvent(event));
    EXPECT_EQ(ParamsOf(tasks[1]).eventWaitTaskParams.event, event);
    EXPECT_EQ(ParamsOf(tasks[1]).eventWaitTaskParams.eventFlag, 0u);
}

TEST_F(GraphUpdateEvent, AnotherEventIsRecorded) {
    const Stream stream;
    const DeviceMemory memory(64);
    const Event one, other;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, stream));
        ACL_OK(aclrtRecordEvent(one, stream));
    });
    const auto task = TasksOf(stream)[1];
    uint64_t time = 0, later = 0;
    for (aclrtEvent event : {aclrtEvent(other), aclrtEvent(one)}) {
        SetEvent(task, event);
        ACL_OK(aclmdlRIUpdate(graph));
        ACL_OK(aclmdlRIExecute(graph, -1));
    }
    ACL_OK(aclrtEventGetTimestamp(other, &time));
    ACL_OK(aclrtEventGetTimestamp(one, &later));
    EXPECT_LE(time, later);
}

TEST_F(GraphUpdateEvent, FlagsSelectExternalRecordsAndWaits) {
    const Stream stream;
    const ExternalEvent signal;
    const Event plain(ACL_EVENT_SYNC);
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtRecordEvent(signal, stream));
        ACL_OK(aclrtStreamWaitEvent(stream, signal));
        ACL_OK(aclrtResetEvent(signal, stream));
        ACL_OK(aclrtRecordEventWithFlag(plain, stream, ACL_EVENT_RECORD_EXTERNAL));
        ACL_OK(aclrtStreamWaitEventWithFlag(stream, plain, 0, ACL_EVENT_WAIT_EXTERNAL));
        ACL_OK(aclrtRecordEvent(plain, stream));
        ACL_OK(aclrtStreamWaitEvent(stream, plain));
    });
    const auto tasks = TasksOf(stream);
    ASSERT_EQ(tasks.size(), 7u);
    for (size_t i = 0; i < 7; ++i) {
        auto params = ParamsOf(tasks[i]);
        EXPECT_EQ(params.eventRecordTaskParams.recordFlag, i < 5 ? 1u : 0u) << i;
        ACL_OK(aclmdlRITaskSetParams(tasks[i], &params));
    }
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecute(graph, 30000));
}

// Runs wait for, set and clear the other event, and do not use the first one.
TEST_F(GraphUpdateEvent, AnotherEventIsAwaitedSetAndCleared) {
    NEEDS_QUEUES(2);
    const Stream stream, setter;
    const ExternalEvent go, done, other_go, other_done;
    Log log;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtStreamWaitEvent(stream, go));
        ACL_OK(aclrtResetEvent(go, stream));
        ACL_OK(log.Append(stream, 1));
        ACL_OK(aclrtRecordEvent(done, stream));
    });
    const auto tasks = TasksOf(stream);
    SetEvent(tasks[0], other_go);
    SetEvent(tasks[1], other_go);
    SetEvent(tasks[3], other_done);
    // Submitted before the update: it uses the first event.
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclrtRecordEvent(go, setter));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_FALSE(IsComplete(go));
    EXPECT_TRUE(IsComplete(done));
    EXPECT_FALSE(IsComplete(other_done));
    ACL_OK(aclrtResetEvent(done, setter));
    ACL_OK(aclrtRecordEvent(go, setter));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtSynchronizeStream(setter));
    EXPECT_EQ(log.Size(), 1u);
    EXPECT_FALSE(IsIdle(stream));
    ACL_OK(aclrtRecordEvent(other_go, setter));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Size(), 2u);
    EXPECT_TRUE(IsComplete(go));
    EXPECT_FALSE(IsComplete(done));
    EXPECT_FALSE(IsComplete(other_go));
    EXPECT_TRUE(IsComplete(other_done));
}

// Waits with the flag are for the latest record when the run begins, or for a signal.
TEST_F(GraphUpdateEvent, ExternalWaitsTakeEventsOfBothKinds) {
    NEEDS_QUEUES(2);
    const Stream stream, setter;
    const Event plain(ACL_EVENT_SYNC), other(ACL_EVENT_SYNC);
    const ExternalEvent signal;
    Log log;
    Gate gate;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtStreamWaitEventWithFlag(stream, plain, 0, ACL_EVENT_WAIT_EXTERNAL));
        ACL_OK(log.Append(stream, 2));
    });
    const auto task = TasksOf(stream)[0];
    SetEvent(task, other);
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(gate.Hold(setter));
    ACL_OK(log.Append(setter, 1));
    ACL_OK(aclrtRecordEvent(other, setter));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ASSERT_TRUE(gate.AwaitArrival());
    EXPECT_EQ(log.Size(), 0u);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 2}));
    SetEvent(task, signal);
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtSynchronizeStream(setter));
    EXPECT_FALSE(IsIdle(stream));
    ACL_OK(aclrtRecordEvent(signal, setter));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Size(), 3u);
}

// The external record of a run uses another event, with or without timing.
TEST_F(GraphUpdateEvent, AnotherEventIsRecordedExternally) {
    const Stream stream, waiter;
    const Event plain(ACL_EVENT_SYNC), timed;
    const DeviceMemory memory(64);
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, stream));
        ACL_OK(aclrtRecordEventWithFlag(plain, stream, ACL_EVENT_RECORD_EXTERNAL));
    });
    SetEvent(TasksOf(stream)[1], timed);
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtStreamWaitEvent(waiter, timed));
    ACL_OK(aclrtSynchronizeStream(waiter));
    uint64_t time = 0;
    ACL_OK(aclrtEventGetTimestamp(timed, &time));
    EXPECT_GT(time, 0u);
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(memory.Download(), std::vector<unsigned char>(64, 1));
}

TEST_F(GraphUpdateEvent, IncompatibleEventsAreRefused) {
    const Stream stream;
    const ExternalEvent signal;
    const Event plain(ACL_EVENT_SYNC), unwaitable(ACL_EVENT_TIME_LINE), shared(ACL_EVENT_IPC);
    aclrtEvent resettable = nullptr;
    ACL_OK(aclrtCreateEventWithFlag(&resettable, ACL_EVENT_SYNC));
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtRecordEvent(signal, stream));
        ACL_OK(aclrtStreamWaitEvent(stream, signal));
        ACL_OK(aclrtResetEvent(signal, stream));
        ACL_OK(aclrtRecordEvent(plain, stream));
        ACL_OK(aclrtResetEvent(resettable, stream));
    });
    const auto tasks = TasksOf(stream);
    constexpr aclError kNone = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    constexpr aclError kWrong = ACL_ERROR_RT_PARAM_INVALID;
    aclmdlRITaskParams params;
    const auto with = [&](size_t index, aclrtEvent event) {
        params = ParamsOf(tasks[index]);
        params.eventRecordTaskParams.event = event;
        return &params;
    };
    ACL_FAILS_SAYING(kNone, aclmdlRITaskSetParams(tasks[0], with(0, shared)), "ACL_EVENT_IPC");
    ACL_FAILS_SAYING(kWrong, aclmdlRITaskSetParams(tasks[2], with(2, shared)), "aclrtCreateEventExWithFlag");
    ACL_FAILS_SAYING(kNone, aclmdlRITaskSetParams(tasks[0], with(0, plain)), "ACL_EVENT_EXTERNAL");
    ACL_FAILS_SAYING(kNone, aclmdlRITaskSetParams(tasks[2], with(2, resettable)), "ACL_EVENT_EXTERNAL");
    ACL_FAILS_SAYING(kNone, aclmdlRITaskSetParams(tasks[3], with(3, signal)), "ACL_EVENT_EXTERNAL");
    ACL_FAILS_SAYING(kNone, aclmdlRITaskSetParams(tasks[4], with(4, signal)), "ACL_EVENT_EXTERNAL");
    ACL_FAILS_SAYING(kWrong, aclmdlRITaskSetParams(tasks[1], with(1, unwaitable)), "ACL_EVENT_SYNC");
    ACL_FAILS_SAYING(kWrong, aclmdlRITaskSetParams(tasks[2], with(2, plain)), "aclrtCreateEventExWithFlag");
    ACL_FAILS_SAYING(kWrong, aclmdlRITaskSetParams(tasks[4], with(4, plain)), "aclrtCreateEventExWithFlag");
    // None of these calls has changed anything.
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecute(graph, 30000));
    EXPECT_FALSE(IsComplete(signal));
    ACL_OK(aclrtDestroyEvent(resettable));
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    {
        const ExternalEvent outside;
        for (size_t i = 0; i < 5; ++i)
            ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclmdlRITaskSetParams(tasks[i], with(i, outside)),
                             "device 1");
    }
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
}

}  // namespace

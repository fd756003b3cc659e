// Events that other processes can open (ACL_EVENT_IPC), in one process. ipc_event_sharing_test.cpp uses several.

#include "stream/event/ipc_event.h"
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/pool/shared_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

bool Equal(const EventHandle& a, const EventHandle& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
}

using IpcEvent = WithDevice;

}  // namespace

// ---- in one process it works like other events ----

TEST_F(IpcEvent, OrdersStreams) {
    Stream first, second;
    const Event event(ACL_EVENT_IPC);
    EXPECT_TRUE(IsComplete(event)) << "never recorded";
    ACL_OK(aclrtSynchronizeEvent(event));
    ACL_OK(aclrtStreamWaitEvent(second, event));
    ACL_OK(aclrtSynchronizeStream(second));
    Gate gate;
    ACL_OK(gate.Hold(first));
    ACL_OK(aclrtRecordEvent(event, first));
    ACL_OK(aclrtStreamWaitEvent(second, event));
    EXPECT_FALSE(IsComplete(event));
    EXPECT_FALSE(IsIdle(second));
    ACL_FAILS(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEventWithTimeout(event, 5));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(second));
    EXPECT_TRUE(IsComplete(event));
    ACL_OK(aclrtSynchronizeEvent(event));
}

// A wait keeps the record that was the latest when it was submitted.
TEST_F(IpcEvent, RecordsReplaceEachOther) {
    NEEDS_QUEUES(8);
    Stream slow, quick, waiting;
    const Event event(ACL_EVENT_IPC);
    Gate gate;
    ACL_OK(gate.Hold(slow));
    ACL_OK(aclrtRecordEvent(event, slow));
    ACL_OK(aclrtStreamWaitEvent(waiting, event));
    ACL_OK(aclrtRecordEvent(event, quick));
    ACL_OK(aclrtSynchronizeEvent(event));
    EXPECT_TRUE(IsComplete(event));
    ExpectStillWaits(waiting);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(waiting));
    // More pending records than the event counts at once, in several streams: the queue of a driver holds some 56.
    Stream more[2];
    Gate again;
    for (aclrtStream stream : {aclrtStream(slow), aclrtStream(more[0]), aclrtStream(more[1])}) {
        ACL_OK(again.Hold(stream));
        for (int i = 0; i < 34; ++i) ACL_OK(aclrtRecordEvent(event, stream));
    }
    ACL_OK(aclrtStreamWaitEvent(waiting, event));
    EXPECT_FALSE(IsComplete(event));
    again.Open();
    ACL_OK(aclrtSynchronizeStream(waiting));
    EXPECT_TRUE(IsComplete(event));
}

TEST_F(IpcEvent, CanBeOpenedHere) {
    Stream first, second;
    const Event event(ACL_EVENT_IPC);
    aclrtEvent same = Open(Export(event));
    Gate gate;
    ACL_OK(gate.Hold(first));
    ACL_OK(aclrtRecordEvent(event, first));
    ACL_OK(aclrtStreamWaitEvent(second, same));
    EXPECT_FALSE(IsComplete(same));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(second));
    EXPECT_TRUE(IsComplete(same));
    ACL_OK(aclrtDestroyEvent(same));
    ACL_OK(aclrtRecordEvent(event, first));
    ACL_OK(aclrtSynchronizeEvent(event));
}

TEST_F(IpcEvent, WaitsMayTimeOut) {
    NEEDS_QUEUES(2);
    Stream first, second;
    const Event event(ACL_EVENT_IPC);
    Gate gate;
    ACL_OK(gate.Hold(first));
    ACL_OK(aclrtRecordEvent(event, first));
    ACL_OK(aclrtStreamWaitEventWithTimeout(second, event, 1));
    ACL_FAILS_SAYING(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(second), "an event with ACL_EVENT_IPC");
    gate.Open();
}

TEST_F(IpcEvent, MayBeDestroyedBeforeItsRecordCompletes) {
    NEEDS_QUEUES(2);
    Stream first, second;
    aclrtEvent event = Event(ACL_EVENT_IPC).Release();
    Gate gate;
    ACL_OK(gate.Hold(first));
    ACL_OK(aclrtRecordEvent(event, first));
    ACL_OK(aclrtStreamWaitEvent(second, event));
    ACL_OK(aclrtDestroyEvent(event));
    ExpectStillWaits(second);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(second));
}

TEST_F(IpcEvent, UnsupportedUses) {
    Stream stream;
    const Event event(ACL_EVENT_IPC), timed;
    float ms = Poison<float>();
    uint64_t time = Poison<uint64_t>();
    auto waited = Poison<aclrtEventWaitStatus>();
    ACL_OK(aclrtRecordEvent(event, stream));
    ACL_OK(aclrtRecordEvent(timed, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_FAILS_SAYING(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventElapsedTime(&ms, event, timed), "no time");
    ACL_FAILS(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventGetTimestamp(event, &time));
    ACL_FAILS(kDead, aclrtResetEvent(event, stream));
    ACL_FAILS(kDead, aclrtQueryEventWaitStatus(event, &waited));
    EXPECT_TRUE(IsPoison(ms) && IsPoison(time) && IsPoison(waited));
}

// In a capture it orders tasks, as other events do.
TEST_F(IpcEvent, OrdersGraphs) {
    const Stream first, second;
    const Event fork(ACL_EVENT_IPC), join(ACL_EVENT_IPC);
    Log log;
    const Graph graph = Capture(first, [&] {
        ACL_OK(log.Append(first, 1));
        ACL_OK(aclrtRecordEvent(fork, first));
        ACL_OK(aclrtStreamWaitEvent(second, fork));
        ACL_OK(log.Append(second, 2));
        ACL_OK(aclrtRecordEvent(join, second));
        ACL_OK(aclrtStreamWaitEvent(first, join));
        ACL_OK(log.Append(first, 3));
    });
    ACL_OK(aclmdlRIExecute(graph, 30000));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 2, 3}));
    EXPECT_TRUE(IsComplete(fork)) << "never recorded outside";
    // A record outside the capture becomes the latest again.
    ACL_OK(aclrtRecordEvent(fork, first));
    ACL_OK(aclrtStreamWaitEvent(second, fork));
    ACL_OK(aclrtSynchronizeStream(second));
}

// With the flags each run records it, and waits for the record that is the latest when the run is
// submitted.
TEST_F(IpcEvent, RunsRecordItAndWaitForIt) {
    const Stream stream, other;
    const Event go(ACL_EVENT_IPC), other_go(ACL_EVENT_IPC), plain(ACL_EVENT_SYNC);
    aclrtEvent done = Event(ACL_EVENT_IPC).Release();
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtStreamWaitEventWithFlag(stream, go, 0, ACL_EVENT_WAIT_EXTERNAL));
        ACL_OK(aclrtRecordEventWithFlag(done, stream, ACL_EVENT_RECORD_EXTERNAL));
    });
    const auto tasks = TasksOf(stream);
    aclrtEvent awaited = go;
    for (int run = 0; run < 3; ++run) {
        SCOPED_TRACE(run);
        Gate gate;
        ACL_OK(gate.Hold(other));
        ACL_OK(aclrtRecordEvent(awaited, other));
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        // This record is submitted too late to be waited for.
        Gate late;
        ACL_OK(late.Hold(other));
        ACL_OK(aclrtRecordEvent(awaited, other));
        EXPECT_FALSE(IsComplete(done));
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_TRUE(IsComplete(done));
        EXPECT_FALSE(IsComplete(awaited));
        late.Open();
        ACL_OK(aclrtSynchronizeStream(other));
        auto params = ParamsOf(tasks[0]);
        EXPECT_EQ(params.eventWaitTaskParams.waitFlag, 1u);
        params.eventWaitTaskParams.event = awaited = run ? go : other_go;
        ACL_OK(aclmdlRITaskSetParams(tasks[0], &params));
        ACL_OK(aclmdlRIUpdate(graph));
    }
    auto params = ParamsOf(tasks[1]);
    EXPECT_EQ(params.eventRecordTaskParams.eventFlag, uint32_t{ACL_EVENT_IPC});
    params.eventRecordTaskParams.event = plain;
    ACL_FAILS_SAYING(kUnsupported, aclmdlRITaskSetParams(tasks[1], &params), "ACL_EVENT_IPC");
    params.eventRecordTaskParams.event = other_go;
    ACL_OK(aclmdlRITaskSetParams(tasks[1], &params));
    // The graph keeps the event that it records.
    ACL_OK(aclrtDestroyEvent(done));
    ACL_OK(aclmdlRIExecute(graph, 30000));
    ACL_OK(aclmdlRIUpdate(graph));
    ACL_OK(aclmdlRIExecute(graph, 30000));
    EXPECT_TRUE(IsComplete(other_go));
}

TEST_F(IpcEvent, BadArguments) {
    const Event event(ACL_EVENT_IPC), plain;
    auto handle = Poison<EventHandle>();
    auto opened = Poison<aclrtEvent>();
    aclrtEvent dead = Event(ACL_EVENT_IPC).Release();
    ACL_OK(aclrtDestroyEvent(dead));
    Stream stream;
    ACL_FAILS_SAYING(kBad, aclrtIpcGetEventHandle(event, nullptr), "handle is null");
    ACL_FAILS_SAYING(kBad, aclrtIpcGetEventHandle(nullptr, &handle), "event is null");
    int local = 0;
    for (void* bad : {dead, static_cast<void*>(&local), static_cast<void*>(stream)})
        ACL_FAILS_SAYING(kDead, aclrtIpcGetEventHandle(bad, &handle), "event");
    ACL_FAILS_SAYING(kDead, aclrtIpcGetEventHandle(plain, &handle), "ACL_EVENT_IPC");
    EXPECT_TRUE(IsPoison(handle));

    const EventHandle own = Export(event);
    EXPECT_TRUE(Equal(own, Export(event))) << "the same each time";
    ACL_FAILS_SAYING(kBad, aclrtIpcOpenEventHandle(own, nullptr), "event is null");
    ACL_FAILS_SAYING(kBad, aclrtIpcOpenEventHandle(EventHandle{}, &opened), "handle is empty");
    ACL_FAILS(kDead, aclrtIpcOpenEventHandle(handle, &opened));
    EventHandle damaged = own;
    damaged.reserved[3] ^= 1;
    ACL_FAILS(kDead, aclrtIpcOpenEventHandle(damaged, &opened));
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtIpcOpenEventHandle(own, &opened));
        aclrtEvent made = Poison<aclrtEvent>();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateEventExWithFlag(&made, ACL_EVENT_IPC));
    });
    struct IpcEventCalls {
        aclrtEvent event;
        aclError exported, opened;
    } inside{event, 0, 0};
    ACL_OK(aclrtLaunchHostFunc(
        stream,
        [](void* data) {
            auto* const it = static_cast<IpcEventCalls*>(data);
            EventHandle handle{};
            it->exported = aclrtIpcGetEventHandle(it->event, &handle);
            it->opened = aclrtIpcOpenEventHandle(handle, &it->event);
        },
        &inside));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(inside.exported, kDead);
    EXPECT_EQ(inside.opened, kDead);
    EXPECT_TRUE(IsPoison(opened));
}

TEST_F(IpcEvent, AfterFinalize) {
    aclrtEvent event = Event(ACL_EVENT_IPC).Release();
    const EventHandle old = Export(event);
    ACL_OK(aclFinalize());
    auto handle = Poison<EventHandle>();
    auto opened = Poison<aclrtEvent>();
    ACL_FAILS(kDead, aclrtIpcGetEventHandle(event, &handle));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtIpcOpenEventHandle(old, &opened));
    EXPECT_TRUE(IsPoison(handle) && IsPoison(opened));
    ACL_OK(aclInit(nullptr));
}

// Events of several processes (ACL_EVENT_IPC): handles, order in both directions, and the end of
// one process.
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/pool/shared_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kBad = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclError kUnsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;

using EventHandle = aclrtIpcEventHandle;

EventHandle Export(aclrtEvent event) {
    auto handle = Poison<EventHandle>();
    ExpectOk("aclrtIpcGetEventHandle", aclrtIpcGetEventHandle(event, &handle));
    return handle;
}

// An event of another process.
aclrtEvent Open(const EventHandle& handle) {
    aclrtEvent event = nullptr;
    ExpectOk("aclrtIpcOpenEventHandle", aclrtIpcOpenEventHandle(handle, &event));
    return event;
}

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
    // More pending records than the event counts at once.
    Gate again;
    ACL_OK(again.Hold(slow));
    for (int i = 0; i < 100; ++i) ACL_OK(aclrtRecordEvent(event, slow));
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
    Stream first, second;
    const Event event(ACL_EVENT_IPC);
    Gate gate;
    ACL_OK(gate.Hold(first));
    ACL_OK(aclrtRecordEvent(event, first));
    ACL_OK(aclrtStreamWaitEventWithTimeout(second, event, 1));
    ACL_FAILS_SAYING(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(second), "event of several processes");
    gate.Open();
}

TEST_F(IpcEvent, MayBeDestroyedBeforeItsRecordCompletes) {
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
    struct Inside {
        aclrtEvent event;
        aclError exported, opened;
    } inside{event, 0, 0};
    ACL_OK(aclrtLaunchHostFunc(
        stream,
        [](void* data) {
            auto* const it = static_cast<Inside*>(data);
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

// ---- two processes ----

namespace {

struct TwoHandles {
    EventHandle there, back;
};

constexpr int kRounds = 50;

// Replies to each record with a record of its own: by calls, or by a graph.
void Answer(Connection& parent) {
    const Session session;
    const auto handles = parent.Receive<TwoHandles>();
    aclrtEvent there = Open(handles.there), back = Open(handles.back);
    auto again = Poison<EventHandle>();
    ACL_FAILS_SAYING(kDead, aclrtIpcGetEventHandle(there, &again), "another process's");
    EXPECT_TRUE(IsPoison(again));
    parent.Signal(0);
    const Stream stream;
    const Graph graph = Capture(stream, [&] {
        ACL_EXPECT_OK(aclrtStreamWaitEventWithFlag(stream, there, 0, ACL_EVENT_WAIT_EXTERNAL));
        ACL_EXPECT_OK(aclrtRecordEventWithFlag(back, stream, ACL_EVENT_RECORD_EXTERNAL));
    });
    for (int round = 1; round <= kRounds; ++round) {
        parent.Await(round);
        if (round % 2) {
            ACL_EXPECT_OK(aclrtStreamWaitEvent(stream, there));
            ACL_EXPECT_OK(aclrtRecordEvent(back, stream));
        } else {
            ACL_EXPECT_OK(aclmdlRIExecuteAsync(graph, stream));
        }
        parent.Signal(round);
    }
    ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    ACL_EXPECT_OK(aclrtSynchronizeEvent(there));
    EXPECT_TRUE(IsComplete(there));
    ACL_EXPECT_OK(aclrtDestroyEvent(there));
    ACL_EXPECT_OK(aclrtDestroyEvent(back));
}

}  // namespace

TWO_PROCESS_TEST(IpcEvents, OrderProcessesBothWays, Answer) {
    const Session session;
    Peer peer;
    const Event there(ACL_EVENT_IPC), back(ACL_EVENT_IPC);
    peer.Send(TwoHandles{Export(there), Export(back)});
    peer.Await(0);
    const Stream stream;
    for (int round = 1; round <= kRounds; ++round) {
        Gate gate;
        ACL_EXPECT_OK(gate.Hold(stream));
        ACL_EXPECT_OK(aclrtRecordEvent(there, stream));
        peer.Signal(round);
        peer.Await(round);
        // Its record is ordered after its wait for this process's record.
        EXPECT_FALSE(IsComplete(back));
        gate.Open();
        ACL_EXPECT_OK(aclrtStreamWaitEvent(stream, back));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        EXPECT_TRUE(IsComplete(back));
    }
    peer.Join();
}

namespace {

// Opens it after the record, and a second time.
void OpenLate(Connection& parent) {
    const Session session;
    const auto handle = parent.Receive<EventHandle>();
    aclrtEvent event = Open(handle), same = Open(handle);
    EXPECT_FALSE(IsComplete(event) || IsComplete(same));
    ACL_FAILS(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEventWithTimeout(event, 5));
    const Stream stream, other;
    ACL_EXPECT_OK(aclrtStreamWaitEvent(stream, event));
    parent.Signal(1);
    parent.Await(2);
    // It was recorded again, and that record is complete; the stream waits for the record before.
    ACL_EXPECT_OK(aclrtSynchronizeEvent(same));
    EXPECT_TRUE(IsComplete(event));
    ACL_EXPECT_OK(aclrtStreamWaitEvent(other, event));
    ACL_EXPECT_OK(aclrtSynchronizeStream(other));
    EXPECT_FALSE(IsIdle(stream));
    parent.Signal(3);
    ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    ACL_EXPECT_OK(aclrtDestroyEvent(same));
    parent.Signal(4);
    parent.Await(5);
    // Destroyed in the exporting process: its record is complete, and it cannot be opened any more.
    EXPECT_TRUE(IsComplete(event));
    ACL_EXPECT_OK(aclrtSynchronizeEvent(event));
    auto opened = Poison<aclrtEvent>();
    ACL_FAILS_SAYING(kDead, aclrtIpcOpenEventHandle(handle, &opened), "offers nothing");
    EXPECT_TRUE(IsPoison(opened));
    ACL_EXPECT_OK(aclrtRecordEvent(event, other));
    ACL_EXPECT_OK(aclrtStreamWaitEvent(stream, event));
    ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    ACL_EXPECT_OK(aclrtDestroyEvent(event));
}

}  // namespace

TWO_PROCESS_TEST(IpcEvents, KeepTheRecordThatWasWaitedFor, OpenLate) {
    const Session session;
    Peer peer;
    aclrtEvent event = Event(ACL_EVENT_IPC).Release();
    const Stream slow, quick;
    Gate gate;
    ACL_EXPECT_OK(gate.Hold(slow));
    ACL_EXPECT_OK(aclrtRecordEvent(event, slow));
    peer.Send(Export(event));
    peer.Await(1);
    ACL_EXPECT_OK(aclrtRecordEvent(event, quick));
    peer.Signal(2);
    peer.Await(3);
    gate.Open();
    peer.Await(4);
    ACL_EXPECT_OK(aclrtDestroyEvent(event));
    peer.Signal(5);
    peer.Join();
}

// ---- one process ends ----

namespace {

// Exports an event whose record never completes, and is killed.
void RecordAndStay(Connection& parent) {
    const Session session;
    const Event event(ACL_EVENT_IPC);
    const Stream stream;
    Gate gate;
    ACL_EXPECT_OK(gate.Hold(stream));
    parent.Send(Export(event));
    parent.Await(1);
    ACL_EXPECT_OK(aclrtRecordEvent(event, stream));
    parent.Signal(2);
    parent.Await(99);
}

}  // namespace

TWO_PROCESS_TEST(IpcEvents, AnExporterIsKilled, RecordAndStay) {
    const Session session;
    // Before it is opened.
    {
        const auto handle = OfferOfKilledProcess<EventHandle>();
        auto event = Poison<aclrtEvent>();
        ACL_FAILS(kDead, aclrtIpcOpenEventHandle(handle, &event));
        EXPECT_TRUE(IsPoison(event));
    }
    // Before it records.
    const Stream stream;
    {
        Peer peer;
        aclrtEvent event = Open(peer.Receive<EventHandle>());
        peer.Kill();
        EXPECT_TRUE(IsComplete(event));
        ACL_EXPECT_OK(aclrtStreamWaitEvent(stream, event));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        // This process can use it.
        ACL_EXPECT_OK(aclrtRecordEvent(event, stream));
        ACL_EXPECT_OK(aclrtSynchronizeEvent(event));
        ACL_EXPECT_OK(aclrtDestroyEvent(event));
    }
    // While a stream waits.
    Peer peer;
    aclrtEvent event = Open(peer.Receive<EventHandle>());
    peer.Signal(1);
    peer.Await(2);
    ACL_EXPECT_OK(aclrtStreamWaitEvent(stream, event));
    ExpectStillWaits(stream);
    peer.Kill();
    ACL_FAILS_SAYING(kDead, aclrtSynchronizeStream(stream), "will not come", "has died");
    ACL_FAILS_SAYING(kDead, aclrtSynchronizeEvent(event), "will not come");
    auto status = Poison<aclrtEventRecordedStatus>();
    // Queries do not check each time whether the other process is alive.
    Pause();
    ACL_FAILS_SAYING(kDead, aclrtQueryEventStatus(event, &status), "will not come");
    EXPECT_TRUE(IsPoison(status));
    // The stream continues.
    ACL_EXPECT_OK(aclrtRecordEvent(event, stream));
    ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    ACL_EXPECT_OK(aclrtDestroyEvent(event));
}

namespace {

// Opens one, enqueues a record that its stream never reaches, and is killed.
void OpenAndStay(Connection& parent) {
    const Session session;
    aclrtEvent event = Open(parent.Receive<EventHandle>());
    const Stream stream;
    Gate gate;
    ACL_EXPECT_OK(gate.Hold(stream));
    ACL_EXPECT_OK(aclrtRecordEvent(event, stream));
    parent.Signal(1);
    parent.Await(99);
}

}  // namespace

TWO_PROCESS_TEST(IpcEvents, AnImporterIsKilled, OpenAndStay) {
    const Session session;
    Peer peer;
    const Event event(ACL_EVENT_IPC);
    peer.Send(Export(event));
    peer.Await(1);
    const Stream stream, own;
    ACL_EXPECT_OK(aclrtStreamWaitEvent(stream, event));
    ExpectStillWaits(stream);
    // A wait for a record of this process is not affected.
    const Event mine(ACL_EVENT_IPC);
    Export(mine);
    Gate gate;
    ACL_EXPECT_OK(gate.Hold(own));
    ACL_EXPECT_OK(aclrtRecordEvent(mine, own));
    const Stream unconcerned;
    ACL_EXPECT_OK(aclrtStreamWaitEvent(unconcerned, mine));
    peer.Kill();
    ACL_FAILS_SAYING(kDead, aclrtSynchronizeStream(stream), "will not come", "has died");
    gate.Open();
    ACL_EXPECT_OK(aclrtSynchronizeStream(unconcerned));
    // A new record works.
    ACL_EXPECT_OK(aclrtRecordEvent(event, own));
    ACL_EXPECT_OK(aclrtStreamWaitEvent(stream, event));
    ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(IsComplete(event));
}

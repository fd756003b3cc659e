// Events of several processes (ACL_EVENT_IPC): order in both directions, and the end of one process.

#include "stream/event/ipc_event.h"
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/pool/shared_pool.h"
#include "support/says.h"

using namespace portacl_test;

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
    ACL_FAILS_SAYING(kDead, aclrtIpcGetEventHandle(there, &again), "was imported");
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

constexpr int kMany = 100;

// Completes more records than an event can note behind an incomplete one.
void RecordManyTimes(Connection& parent) {
    const Session session;
    aclrtEvent event = Open(parent.Receive<EventHandle>());
    {
        const Stream stream;
        for (int time = 0; time < kMany; ++time) ACL_EXPECT_OK(aclrtRecordEvent(event, stream));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    }
    ACL_EXPECT_OK(aclrtDestroyEvent(event));
}

}  // namespace

TWO_PROCESS_TEST(IpcEvents, RecordsOfAnImporterThatHasEndedAreComplete, RecordManyTimes) {
    NEEDS_QUEUES(2);
    constexpr int32_t kPatience = 30'000;
    const Session session;
    const Event event(ACL_EVENT_IPC);
    const Stream held, stream;
    Gate gate;
    ACL_EXPECT_OK(gate.Hold(held));
    ACL_EXPECT_OK(aclrtRecordEvent(event, held));
    Peer peer;
    peer.Send(Export(event));
    peer.Join();
    EXPECT_TRUE(IsComplete(event));
    ACL_EXPECT_OK(aclrtStreamWaitEvent(stream, event));
    ACL_EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream, kPatience));
    gate.Open();
    ACL_EXPECT_OK(aclrtSynchronizeStream(held));
    // The next records have room.
    for (int time = 0; time < kMany; ++time) {
        ACL_EXPECT_OK(aclrtRecordEvent(event, stream));
        ACL_EXPECT_OK(aclrtSynchronizeStreamWithTimeout(stream, kPatience));
        EXPECT_TRUE(IsComplete(event));
    }
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
    ACL_FAILS_SAYING(kDead, aclrtIpcOpenEventHandle(handle, &opened), "has no export with this key");
    EXPECT_TRUE(IsPoison(opened));
    ACL_EXPECT_OK(aclrtRecordEvent(event, other));
    ACL_EXPECT_OK(aclrtStreamWaitEvent(stream, event));
    ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    ACL_EXPECT_OK(aclrtDestroyEvent(event));
}

}  // namespace

TWO_PROCESS_TEST(IpcEvents, KeepTheRecordThatWasWaitedFor, OpenLate) {
    NEEDS_QUEUES(2);
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
    ACL_FAILS_SAYING(kDead, aclrtSynchronizeStream(stream), "the other process died before its record");
    ACL_FAILS_SAYING(kDead, aclrtSynchronizeEvent(event), "died before its record");
    // Queries do not check each time whether the other process is alive.
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    auto status = Poison<aclrtEventRecordedStatus>();
    aclError code = ACL_SUCCESS;
    do {
        status = Poison<aclrtEventRecordedStatus>();
        code = aclrtQueryEventStatus(event, &status);
    } while (code == ACL_SUCCESS && std::chrono::steady_clock::now() < deadline);
    EXPECT_TRUE(FailedSaying("aclrtQueryEventStatus", code, kDead, {"died before its record"}));
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
    NEEDS_QUEUES(8);
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
    ACL_FAILS_SAYING(kDead, aclrtSynchronizeStream(stream), "the other process died before its record");
    gate.Open();
    ACL_EXPECT_OK(aclrtSynchronizeStream(unconcerned));
    // A new record works.
    ACL_EXPECT_OK(aclrtRecordEvent(event, own));
    ACL_EXPECT_OK(aclrtStreamWaitEvent(stream, event));
    ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(IsComplete(event));
}

// Events with ACL_EVENT_EXTERNAL, which streams set, clear and wait for in stream order; and
// external records and waits of graphs.
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

using EventExternal = WithDevice;
using Numbers = std::vector<int>;

TEST_F(EventExternal, AWaitLastsUntilItIsSet) {
    NEEDS_QUEUES(2);
    const Stream waiter, setter;
    const ExternalEvent event;
    Log log;
    EXPECT_FALSE(IsComplete(event));
    ACL_OK(aclrtStreamWaitEvent(waiter, event));
    ACL_OK(log.Append(waiter, 2));
    ACL_OK(log.Append(setter, 1));
    ACL_OK(aclrtSynchronizeStream(setter));
    EXPECT_FALSE(IsIdle(waiter));
    ACL_OK(aclrtRecordEvent(event, setter));
    ACL_OK(aclrtSynchronizeStream(waiter));
    EXPECT_EQ(log.Numbers(), (Numbers{1, 2}));
    EXPECT_TRUE(IsComplete(event));
    // It stays set.
    ACL_OK(aclrtStreamWaitEvent(waiter, event));
    ACL_OK(aclrtSynchronizeStream(waiter));
}

TEST_F(EventExternal, AResetClearsItInItsStreamsOrder) {
    NEEDS_QUEUES(2);
    const Stream stream, setter;
    const ExternalEvent event;
    Log log;
    Gate gate;
    ACL_OK(aclrtRecordEvent(event, setter));
    ACL_OK(aclrtSynchronizeEvent(event));
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtStreamWaitEvent(stream, event));
    ACL_OK(aclrtResetEvent(event, stream));
    ACL_OK(aclrtStreamWaitEvent(stream, event));
    ACL_OK(log.Append(stream, 1));
    // The reset has not run yet.
    EXPECT_TRUE(IsComplete(event));
    gate.Open();
    while (IsComplete(event)) std::this_thread::yield();
    EXPECT_EQ(log.Size(), 0u);
    ACL_OK(aclrtRecordEvent(event, setter));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Size(), 1u);
}

TEST_F(EventExternal, WaitsAreCountedAndMayHaveATimeout) {
    NEEDS_QUEUES(2);
    const Stream stream;
    const ExternalEvent event;
    aclrtEventWaitStatus status;
    ACL_OK(aclrtStreamWaitEvent(stream, event));
    ACL_OK(aclrtQueryEventWaitStatus(event, &status));
    EXPECT_EQ(status, ACL_EVENT_WAIT_STATUS_NOT_READY);
    ACL_OK(aclrtRecordEvent(event, nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtQueryEventWaitStatus(event, &status));
    EXPECT_EQ(status, ACL_EVENT_WAIT_STATUS_COMPLETE);
    ACL_OK(aclrtResetEvent(event, stream));
    ACL_OK(aclrtStreamWaitEventWithTimeout(stream, event, 1));
    ACL_FAILS(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(stream));
}

TEST_F(EventExternal, ItMayBeDestroyedWhileItIsWaitedFor) {
    const Stream stream, setter;
    ExternalEvent event;
    Gate gate;
    ACL_OK(gate.Hold(setter));
    ACL_OK(aclrtRecordEvent(event, setter));
    ACL_OK(aclrtStreamWaitEvent(stream, event));
    aclrtEvent dead = event.Release();
    ACL_OK(aclrtDestroyEvent(dead));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEvent(stream, dead));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtResetEvent(dead, stream));
}

// Both directions of a graph: it waits for a signal that comes after its run was submitted, clears
// it, and sets a signal after its first half.
TEST_F(EventExternal, GraphsWaitForSignalsAndSetThem) {
    NEEDS_QUEUES(2);
    const Stream stream, other;
    const ExternalEvent go, half;
    Log log;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(log.Append(stream, 1));
        ACL_OK(aclrtRecordEvent(half, stream));
        ACL_OK(aclrtStreamWaitEvent(stream, go));
        ACL_OK(aclrtResetEvent(go, stream));
        ACL_OK(log.Append(stream, 3));
    });
    Numbers wanted;
    for (int run = 0; run < 3; ++run) {
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtStreamWaitEvent(other, half));
        ACL_OK(aclrtResetEvent(half, other));
        ACL_OK(log.Append(other, 2));
        ACL_OK(aclrtSynchronizeStream(other));
        EXPECT_FALSE(IsIdle(stream));
        ACL_OK(aclrtRecordEvent(go, other));
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_FALSE(IsComplete(go));
        EXPECT_FALSE(IsComplete(half));
        wanted.insert(wanted.end(), {1, 2, 3});
        EXPECT_EQ(log.Numbers(), wanted);
    }
    // The host can wait for what the run records, too.
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtSynchronizeEvent(half));
    EXPECT_EQ(log.Size(), wanted.size() + 1);
    ACL_OK(aclrtRecordEvent(go, other));
    ACL_OK(aclrtSynchronizeStream(stream));
}

// Tasks that are not ordered after a wait in the graph run, and may be what sets the signal.
TEST_F(EventExternal, OtherBranchesOfAGraphContinue) {
    NEEDS_QUEUES(8);
    const Stream stream, branch, outside;
    const ExternalEvent asked, answered;
    const Event fork(ACL_EVENT_SYNC), join(ACL_EVENT_SYNC);
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtRecordEvent(fork, stream));
        ACL_OK(aclrtStreamWaitEvent(branch, fork));
        ACL_OK(aclrtStreamWaitEvent(stream, answered));
        ACL_OK(aclrtResetEvent(answered, stream));
        ACL_OK(aclrtRecordEvent(asked, branch));
        ACL_OK(aclrtRecordEvent(join, branch));
        ACL_OK(aclrtStreamWaitEvent(stream, join));
    });
    for (int run = 0; run < 5; ++run) {
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtStreamWaitEvent(outside, asked));
        ACL_OK(aclrtResetEvent(asked, outside));
        ACL_OK(aclrtRecordEvent(answered, outside));
    }
    ACL_OK(aclrtSynchronizeDevice());
}

// With the flags of aclrtRecordEventWithFlag and aclrtStreamWaitEventWithFlag any event works
// outside the graph: a run waits for the record that was the latest when it was submitted.
TEST_F(EventExternal, FlagsOfRecordsAndWaits) {
    const Stream stream, other;
    const Event before(ACL_EVENT_SYNC), behind(ACL_EVENT_SYNC);
    Log log;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtStreamWaitEventWithFlag(stream, before, 0, ACL_EVENT_WAIT_EXTERNAL));
        ACL_OK(log.Append(stream, 2));
        ACL_OK(aclrtRecordEventWithFlag(behind, stream, ACL_EVENT_RECORD_EXTERNAL));
    });
    // Never recorded: nothing to wait for.
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtSynchronizeEvent(behind));
    EXPECT_EQ(log.Numbers(), (Numbers{2}));
    Gate gate;
    ACL_OK(gate.Hold(other));
    ACL_OK(log.Append(other, 1));
    ACL_OK(aclrtRecordEvent(before, other));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtStreamWaitEvent(other, behind));
    ACL_OK(log.Append(other, 3));
    EXPECT_FALSE(IsComplete(behind));
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(log.Numbers(), (Numbers{2, 1, 2, 3}));
}

TEST_F(EventExternal, ArgumentsAreChecked) {
    const Stream stream, other;
    const ExternalEvent event;
    aclrtEvent timed = nullptr;
    ACL_OK(aclrtCreateEventWithFlag(&timed, ACL_EVENT_TIME_LINE));
    ACL_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtRecordEventWithFlag(nullptr, stream, ACL_EVENT_RECORD_EXTERNAL));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtStreamWaitEventWithFlag(stream, nullptr, 0, ACL_EVENT_WAIT_EXTERNAL));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                     aclrtStreamWaitEventWithFlag(stream, timed, 0, ACL_EVENT_WAIT_EXTERNAL), "0x8", "ACL_EVENT_SYNC");
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEventWithFlag(stream, stream, ACL_EVENT_RECORD_EXTERNAL));
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
                     aclrtRecordEventWithFlag(event, other, ACL_EVENT_RECORD_EXTERNAL), "ACL_EVENT_RECORD_EXTERNAL",
                     Shown(other));
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
                     aclrtStreamWaitEventWithFlag(other, event, 0, ACL_EVENT_WAIT_EXTERNAL), "ACL_EVENT_WAIT_EXTERNAL",
                     Shown(other));
    // None of these calls has invalidated the capture.
    aclmdlRI graph = nullptr;
    ACL_OK(aclmdlRICaptureEnd(stream, &graph));
    ACL_OK(aclmdlRIDestroy(graph));
    ACL_OK(aclrtDestroyEvent(timed));
}

// A wait for a signal that never comes does not block a device reset.
TEST(EventExternalTeardown, DevicesAreResetDuringWaits) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr, plain = nullptr;
    aclrtEvent event = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtCreateStream(&plain));
    ACL_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_EXTERNAL));
    aclmdlRI graph = Capture(stream, [&] { ACL_OK(aclrtStreamWaitEvent(stream, event)); }).Release();
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtStreamWaitEvent(plain, event));
    ACL_FAILS(ACL_ERROR_RT_MODEL_RUNNING, aclmdlRIDestroy(graph));
    (void)aclFinalize();
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEvent(event, stream));
    ACL_DESTROYS_LATE(aclmdlRIDestroy(graph));
}

}  // namespace

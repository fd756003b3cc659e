// Waits of streams for events with a timeout.

#include <portacl/portacl.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "stream/op_timeout.h"
#include "support/base/cuda_driver.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using Clock = std::chrono::steady_clock;

class StreamWait : public OpTimeout {
  protected:
    // Two streams; a gate keeps the first one from recording the event.
    void SetUp() override {
        OpTimeout::SetUp();
        ACL_OK(aclrtCreateStream(&recorder_));
        ACL_OK(aclrtCreateStream(&waiter_));
        ACL_OK(aclrtCreateEventExWithFlag(&event_, ACL_EVENT_SYNC));
        ACL_OK(gate_.Hold(recorder_));
        ACL_OK(aclrtRecordEvent(event_, recorder_));
    }
    void TearDown() override {
        gate_.Open();
        ACL_EXPECT_OK(aclrtDestroyStream(recorder_));
        ACL_EXPECT_OK(aclrtDestroyStream(waiter_));
        ACL_EXPECT_OK(aclrtDestroyEvent(event_));
        OpTimeout::TearDown();
    }

    Gate gate_;
    aclrtStream recorder_ = nullptr, waiter_ = nullptr;
    aclrtEvent event_ = nullptr;
};

TEST_F(StreamWait, TimesOutAndTheStreamContinues) {
    NEEDS_QUEUES(2);
    Log log;
    const auto start = Clock::now();
    ACL_OK(aclrtStreamWaitEventWithTimeout(waiter_, event_, 1));
    ACL_OK(log.Append(waiter_, 1));
    EXPECT_FALSE(IsIdle(waiter_));
    ACL_FAILS_SAYING(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(waiter_), "1s", "event");
    EXPECT_GE(Clock::now() - start, std::chrono::seconds(1));
    EXPECT_EQ(log.Size(), 1u);
    EXPECT_FALSE(IsComplete(event_));
    // The failure is returned once, and the stream continues.
    ACL_OK(aclrtSynchronizeStream(waiter_));
    ACL_OK(log.Append(waiter_, 2));
    ACL_OK(aclrtSynchronizeStream(waiter_));
    EXPECT_EQ(log.Size(), 2u);
    gate_.Open();
    ACL_OK(aclrtSynchronizeStream(recorder_));
}

// A global capture of another library forbids driver queries to all threads, also to the watcher's.
TEST_F(StreamWait, ACaptureOfAnotherLibraryStaysValid) {
    NEEDS_QUEUES(8);
    if (OnCpu()) GTEST_SKIP() << "the cpu backend has no driver below it";
    Log log;
    ACL_OK(aclrtStreamWaitEventWithTimeout(waiter_, event_, 1));
    ACL_OK(log.Append(waiter_, 1));
    void *context = nullptr, *stream = nullptr, *graph = nullptr;
    ACL_OK(portaclContextGetNative(nullptr, &context));
    Driver("cuCtxSetCurrent", context);
    Driver("cuStreamCreate", &stream, 1u);
    Driver("cuStreamBeginCapture_v2", stream, 0u);
    // No call of this library on this thread: it captures.
    while (log.Size() == 0) std::this_thread::yield();
    Driver("cuStreamEndCapture", stream, &graph);
    Driver("cuGraphDestroy", graph);
    Driver("cuStreamDestroy_v2", stream);
    ACL_FAILS_SAYING(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(waiter_), "1s");
}

TEST_F(StreamWait, TheDefaultOfTheProcess) {
    NEEDS_QUEUES(8);
    Log log;
    ACL_OK(aclrtSetOpWaitTimeout(1));
    ACL_OK(aclrtStreamWaitEvent(waiter_, event_));
    ACL_OK(log.Append(waiter_, 1));
    // The default applies to calls after it; with 0 a wait has no timeout.
    ACL_OK(aclrtSetOpWaitTimeout(kMost32));
    Stream patient;
    ACL_OK(aclrtStreamWaitEventWithTimeout(patient, event_, 0));
    ACL_OK(aclrtStreamWaitEvent(nullptr, event_));
    ACL_FAILS_SAYING(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(waiter_), "1s");
    EXPECT_EQ(log.Size(), 1u);
    EXPECT_FALSE(IsIdle(patient));
    EXPECT_FALSE(IsIdle(nullptr));
    gate_.Open();
    ACL_OK(aclrtSynchronizeStream(patient));
    ACL_OK(aclrtSynchronizeStream(nullptr));
}

// More waits than a driver has hardware queues: none of them needs one beside those of the streams.
TEST_F(StreamWait, ManyWaitsBesideABlockedStream) {
    NEEDS_QUEUES(8);
    const Stream another;
    for (int i = 0; i < 10; ++i) {
        ACL_OK(aclrtStreamWaitEventWithTimeout(waiter_, event_, 3600));
        ACL_OK(aclrtStreamWaitEventWithTimeout(another, event_, 3600));
    }
    EXPECT_FALSE(IsIdle(waiter_));
    gate_.Open();
    ACL_OK(aclrtSynchronizeStream(waiter_));
    ACL_OK(aclrtSynchronizeStream(another));
}

TEST_F(StreamWait, SynchronizeDeviceReturnsIt) {
    NEEDS_QUEUES(2);
    ACL_OK(aclrtStreamWaitEventWithTimeout(waiter_, event_, 1));
    ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(waiter_, 1));
    EXPECT_FALSE(IsIdle(waiter_));
    while (!IsIdle(waiter_)) std::this_thread::yield();
    gate_.Open();
    ACL_FAILS_SAYING(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeDevice(), "event");
    ACL_OK(aclrtSynchronizeDevice());
}

TEST_F(StreamWait, ALaterEventReturnsIt) {
    NEEDS_QUEUES(2);
    Event before, behind;
    ACL_OK(aclrtRecordEvent(before, waiter_));
    ACL_OK(aclrtStreamWaitEventWithTimeout(waiter_, event_, 1));
    ACL_OK(aclrtRecordEvent(behind, waiter_));
    ACL_OK(aclrtSynchronizeEvent(before));
    (void)aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    ACL_FAILS_SAYING(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeEvent(behind), "1s");
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_WAIT_TIMEOUT);
    ACL_OK(aclrtSynchronizeStream(waiter_));
}

// In the stop mode, work after the wait never runs, and the stream takes no more work.
TEST_F(StreamWait, StopsAStreamThatStopsOnFailure) {
    NEEDS_QUEUES(8);
    Stream stopping;
    Log log;
    ACL_OK(aclrtSetStreamFailureMode(stopping, ACL_STOP_ON_FAILURE));
    ACL_OK(aclrtStreamWaitEventWithTimeout(stopping, event_, 1));
    ACL_OK(log.Append(stopping, 1));
    ACL_FAILS_SAYING(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(stopping), "1s");
    EXPECT_EQ(log.Size(), 0u);
    ACL_FAILS(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtStreamWaitEventWithTimeout(stopping, event_, 1));
    gate_.Open();
}

TEST_F(StreamWait, TheExceptionCallbackRuns) {
    NEEDS_QUEUES(2);
    static std::atomic<int> calls;
    static std::atomic<uint32_t> code, id;
    calls = 0;
    int32_t of_waiter = 0;
    ACL_OK(aclrtStreamGetId(waiter_, &of_waiter));
    ACL_OK(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo* info) {
        code = aclrtGetErrorCodeFromExceptionInfo(info);
        id = aclrtGetStreamIdFromExceptionInfo(info);
        ++calls;
    }));
    ACL_OK(aclrtStreamWaitEventWithTimeout(waiter_, event_, 1));
    ACL_FAILS(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(waiter_));
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(code, static_cast<uint32_t>(ACL_ERROR_RT_WAIT_TIMEOUT));
    EXPECT_EQ(id, static_cast<uint32_t>(of_waiter));
    ACL_OK(aclrtSetExceptionInfoCallback(nullptr));
}

// Aborting a stream drops its wait; a stream that waits for an aborted stream's record still waits.
TEST_F(StreamWait, WithAborts) {
    NEEDS_QUEUES(8);
    aclrtEvent old = nullptr;
    Stream recorder, given_up;
    Gate gate;
    ACL_OK(aclrtCreateEventWithFlag(&old, ACL_EVENT_SYNC));
    ACL_OK(gate.Hold(recorder));
    ACL_OK(aclrtRecordEvent(old, recorder));
    ACL_OK(aclrtStreamWaitEventWithTimeout(given_up, event_, 1));
    ACL_OK(aclrtStreamWaitEventWithTimeout(given_up, old, 1));
    ACL_OK(aclrtStreamWaitEventWithTimeout(waiter_, event_, 1));
    ASSERT_TRUE(gate_.AwaitArrival());
    ACL_OK(aclrtStreamAbort(recorder_));
    ACL_OK(aclrtStreamAbort(given_up));
    const aclError waited = aclrtSynchronizeStream(waiter_);
    if (portaclBackendName() == std::string("cpu")) {
        auto status = Poison<aclrtEventWaitStatus>();
        ACL_OK(aclrtQueryEventWaitStatus(old, &status));
        EXPECT_EQ(status, ACL_EVENT_WAIT_STATUS_COMPLETE);
    }
    EXPECT_EQ(waited, ACL_ERROR_RT_WAIT_TIMEOUT);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(waiter_));
    ACL_OK(aclrtSynchronizeStream(recorder));
    (void)aclrtSynchronizeStream(given_up);
    ACL_OK(aclrtDestroyEvent(old));
}

TEST_F(StreamWait, InTimeIsNoFailure) {
    Log log;
    for (int32_t timeout : {3600, std::numeric_limits<int32_t>::max(), 0}) {
        ACL_OK(aclrtStreamWaitEventWithTimeout(waiter_, event_, timeout));
        ACL_OK(aclrtStreamWaitEventWithFlag(waiter_, event_, static_cast<uint32_t>(timeout), ACL_EVENT_WAIT_DEFAULT));
    }
    ACL_OK(aclrtStreamWaitEventWithFlag(waiter_, event_, kMost32, ACL_EVENT_WAIT_DEFAULT));
    ACL_OK(log.Append(waiter_, 1));
    EXPECT_FALSE(IsIdle(waiter_));
    EXPECT_EQ(log.Size(), 0u);
    gate_.Open();
    ACL_OK(aclrtSynchronizeStream(waiter_));
    EXPECT_EQ(log.Size(), 1u);
}

// The wait keeps the record at the time of the call, and does not need the event any more.
TEST_F(StreamWait, KeepsTheRecordThatItSaw) {
    NEEDS_QUEUES(8);
    Stream later;
    Gate behind;
    ACL_OK(aclrtStreamWaitEventWithTimeout(waiter_, event_, 3600));
    ACL_OK(behind.Hold(later));
    ACL_OK(aclrtRecordEvent(event_, later));
    aclrtEvent gone = Event().Release();
    ACL_OK(aclrtRecordEvent(gone, recorder_));
    ACL_OK(aclrtStreamWaitEventWithTimeout(waiter_, gone, 3600));
    ACL_OK(aclrtDestroyEvent(gone));
    gate_.Open();
    ACL_OK(aclrtSynchronizeStream(waiter_));
    EXPECT_FALSE(IsComplete(event_));
}

TEST_F(StreamWait, ForACompleteOrUnrecordedEvent) {
    NEEDS_QUEUES(2);
    Event fresh, done;
    ACL_OK(aclrtRecordEvent(done, waiter_));
    ACL_OK(aclrtSynchronizeStream(waiter_));
    for (aclrtEvent event : {static_cast<aclrtEvent>(fresh), static_cast<aclrtEvent>(done)}) {
        ACL_OK(aclrtStreamWaitEventWithTimeout(waiter_, event, 1));
        ACL_OK(aclrtStreamWaitEventWithTimeout(nullptr, event, 1));
        ACL_OK(aclrtStreamWaitEventWithFlag(waiter_, event, 1, ACL_EVENT_WAIT_DEFAULT));
    }
    ACL_OK(aclrtSynchronizeStream(waiter_));
    ACL_OK(aclrtSynchronizeStream(nullptr));
}

TEST_F(StreamWait, OfAnotherDevice) {
    NEEDS_QUEUES(2);
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    {
        Stream hasty, patient;
        ACL_OK(aclrtStreamWaitEventWithTimeout(patient, event_, 3600));
        ACL_OK(aclrtStreamWaitEventWithTimeout(hasty, event_, 1));
        ACL_FAILS(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(hasty));
        EXPECT_FALSE(IsIdle(patient));
        gate_.Open();
        ACL_OK(aclrtSynchronizeStream(patient));
    }
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(StreamWait, BadTimeouts) {
    for (int32_t timeout : {-1, std::numeric_limits<int32_t>::min()})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithTimeout(waiter_, event_, timeout),
                         "timeout is", Shown(static_cast<long long>(timeout)), "0");
    ACL_OK(aclrtSynchronizeStream(waiter_));
}

TEST_F(StreamWait, BadArguments) {
    Event useless(ACL_EVENT_TIME_LINE);
    aclrtEvent dead = Event().Release();
    ACL_OK(aclrtDestroyEvent(dead));
    const auto with_timeout = [](aclrtStream stream, aclrtEvent event) {
        return aclrtStreamWaitEventWithTimeout(stream, event, 1);
    };
    const auto with_flag = [](aclrtStream stream, aclrtEvent event) {
        return aclrtStreamWaitEventWithFlag(stream, event, 1, ACL_EVENT_WAIT_DEFAULT);
    };
    const std::pair<const char*, std::function<aclError(aclrtStream, aclrtEvent)>> calls[] = {
        {"aclrtStreamWaitEventWithTimeout", with_timeout},
        {"aclrtStreamWaitEventWithFlag", with_flag},
    };
    for (const auto& [name, call] : calls) {
        EXPECT_TRUE(FailedSaying(name, call(waiter_, nullptr), ACL_ERROR_INVALID_PARAM, {"event is null"}));
        EXPECT_TRUE(FailedSaying(name, call(waiter_, useless), ACL_ERROR_RT_PARAM_INVALID, {"0x8", "ACL_EVENT_SYNC"}));
        for (void* bad : {dead, reinterpret_cast<void*>(5), static_cast<void*>(waiter_)})
            EXPECT_TRUE(FailedSaying(name, call(waiter_, bad), ACL_ERROR_RT_PARAM_INVALID, {"event", Shown(bad)}));
        for (void* bad : {reinterpret_cast<void*>(5), static_cast<void*>(event_)})
            EXPECT_TRUE(FailedSaying(name, call(bad, event_), ACL_ERROR_RT_PARAM_INVALID, {"stream", Shown(bad)}));
        OnNewThread([&, name = name, &call = call] {
            EXPECT_TRUE(Failed(name, call(waiter_, event_), ACL_ERROR_RT_CONTEXT_NULL));
            EXPECT_TRUE(Failed(name, call(nullptr, event_), ACL_ERROR_RT_CONTEXT_NULL));
        });
    }
    ACL_OK(aclrtSynchronizeStream(waiter_));
}

// The flags of graphs: nothing is being captured here.
TEST_F(StreamWait, Flags) {
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
                     aclrtStreamWaitEventWithFlag(waiter_, event_, 0, ACL_EVENT_WAIT_EXTERNAL),
                     "ACL_EVENT_WAIT_EXTERNAL", Shown(waiter_), "0");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtStreamWaitEventWithFlag(waiter_, event_, 3, ACL_EVENT_WAIT_EXTERNAL),
                     "timeout is 3", "0");
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
                     aclrtRecordEventWithFlag(event_, waiter_, ACL_EVENT_RECORD_EXTERNAL), "ACL_EVENT_RECORD_EXTERNAL",
                     Shown(waiter_), "0");
    for (uint32_t flag : {2u, 3u, kMost32}) {
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtStreamWaitEventWithFlag(waiter_, event_, 0, flag), "flag is 0x",
                         "ACL_EVENT_WAIT_DEFAULT");
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtRecordEventWithFlag(event_, waiter_, flag), "flag is 0x",
                         "ACL_EVENT_RECORD_DEFAULT");
    }
    for (uint32_t flag : {0u, 1u}) {
        ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtRecordEventWithFlag(nullptr, waiter_, flag));
        ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtStreamWaitEventWithFlag(waiter_, nullptr, 0, flag));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEventWithFlag(waiter_, waiter_, flag));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEventWithFlag(event_, event_, flag));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithFlag(event_, event_, 0, flag));
        OnNewThread([&] { ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtRecordEventWithFlag(event_, nullptr, flag)); });
    }
    // None of these calls has submitted or recorded anything.
    EXPECT_TRUE(IsIdle(waiter_));
    EXPECT_FALSE(IsComplete(event_));
    Event other;
    ACL_OK(aclrtRecordEventWithFlag(other, recorder_, ACL_EVENT_RECORD_DEFAULT));
    EXPECT_FALSE(IsComplete(other));
    gate_.Open();
    ACL_OK(aclrtSynchronizeEvent(other));
    EXPECT_TRUE(IsComplete(other));
}

TEST_F(OpTimeout, AfterFinalize) {
    aclrtEvent left = Event().Release();
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtStreamWaitEventWithTimeout(nullptr, left, 1));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtStreamWaitEventWithFlag(nullptr, left, 1, 0));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtRecordEventWithFlag(left, nullptr, 0));
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEventWithTimeout(nullptr, left, 1));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEventWithFlag(left, nullptr, 0));
}

TEST_F(OpTimeout, RefusedInsideAHostFunction) {
    static Event* event;
    static aclError answers[3];
    Event own;
    event = &own;
    ACL_OK(aclrtLaunchHostFunc(
        nullptr,
        [](void*) {
            answers[0] = aclrtStreamWaitEventWithTimeout(nullptr, *event, 1);
            answers[1] = aclrtStreamWaitEventWithFlag(nullptr, *event, 1, 0);
            answers[2] = aclrtRecordEventWithFlag(*event, nullptr, 0);
        },
        nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    for (aclError answer : answers) EXPECT_EQ(answer, ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace

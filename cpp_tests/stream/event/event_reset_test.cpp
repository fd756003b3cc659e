// Effect of aclrtResetEvent, and which events support it, by their creation function.

#include <memory>

#include "stream/event/old_event.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

class EventReset : public WithDevice {};

TEST_F(EventReset, MakesTheEventUnrecordedInStreamOrder) {
    Stream recorder, waiter;
    OldEvent event;
    EXPECT_FALSE(IsCompleteOld(event));
    ACL_OK(aclrtRecordEvent(event, recorder));
    ACL_OK(aclrtSynchronizeEvent(event));
    EXPECT_TRUE(IsCompleteOld(event));
    Gate gate;
    ACL_OK(gate.Hold(waiter));
    ACL_OK(aclrtStreamWaitEvent(waiter, event));
    ACL_OK(aclrtResetEvent(event, waiter));
    // Enqueued, and not reached yet.
    EXPECT_TRUE(IsCompleteOld(event));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(waiter));
    EXPECT_FALSE(IsCompleteOld(event));
    auto ms = Poison<float>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventElapsedTime(&ms, event, event), "startEvent",
                     "reset", "aclrtRecordEvent");
    auto time = Poison<uint64_t>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventGetTimestamp(event, &time), "event was reset",
                     "aclrtRecordEvent");
    EXPECT_TRUE(IsPoison(ms) && IsPoison(time));
    ACL_OK(aclrtRecordEvent(event, recorder));
    ACL_OK(aclrtSynchronizeEvent(event));
    EXPECT_TRUE(IsCompleteOld(event));
    ACL_OK(aclrtEventElapsedTime(&ms, event, event));
}

// The traditional use of one event for many hand-overs, with the host far ahead of the device.
TEST_F(EventReset, RecordWaitResetAgainAndAgain) {
    NEEDS_QUEUES(2);
    constexpr int kRounds = 200;
    // Each round records several events in each stream, and the queue of a GPU's driver holds some 56.
    const int held = OnCpu() ? kRounds : 16;
    Stream producer, consumer;
    OldEvent filled, read;
    DeviceMemory device(64);
    PinnedMemory seen(kRounds, 0);
    Gate gate;
    ACL_OK(gate.Hold(producer));
    for (int round = 0; round < kRounds; ++round) {
        ACL_OK(aclrtMemsetAsync(device.At(), 64, round, 64, producer));
        ACL_OK(aclrtRecordEvent(filled, producer));
        ACL_OK(aclrtStreamWaitEvent(consumer, filled));
        ACL_OK(aclrtResetEvent(filled, consumer));
        ACL_OK(aclrtMemcpyAsync(seen.At(round), 1, device.At(63), 1, ACL_MEMCPY_DEVICE_TO_HOST, consumer));
        ACL_OK(aclrtRecordEvent(read, consumer));
        ACL_OK(aclrtStreamWaitEvent(producer, read));
        ACL_OK(aclrtResetEvent(read, producer));
        if (round + 1 != held) continue;
        EXPECT_FALSE(IsComplete(filled));
        gate.Open();
    }
    ACL_OK(aclrtSynchronizeStream(producer));
    ACL_OK(aclrtSynchronizeStream(consumer));
    for (int round = 0; round < kRounds; ++round) ASSERT_EQ(seen.Bytes()[round], static_cast<unsigned char>(round));
    EXPECT_FALSE(IsComplete(filled));
    EXPECT_FALSE(IsComplete(read));
    EXPECT_TRUE(WaitsAreOver(filled));
}

TEST_F(EventReset, ALaterRecordStays) {
    NEEDS_QUEUES(2);
    Stream first, second;
    OldEvent event;
    Gate gate;
    ACL_OK(aclrtRecordEvent(event, first));
    ACL_OK(gate.Hold(second));
    ACL_OK(aclrtResetEvent(event, second));
    ACL_OK(aclrtRecordEvent(event, first));
    ACL_OK(aclrtSynchronizeEvent(event));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(second));
    EXPECT_TRUE(IsComplete(event));
}

TEST_F(EventReset, TheFirstOfTwoResetsCounts) {
    NEEDS_QUEUES(2);
    Stream held, free;
    OldEvent event;
    Gate gate;
    ACL_OK(aclrtRecordEvent(event, free));
    ACL_OK(aclrtSynchronizeEvent(event));
    ACL_OK(gate.Hold(held));
    ACL_OK(aclrtResetEvent(event, held));
    ACL_OK(aclrtResetEvent(event, held));
    EXPECT_TRUE(IsComplete(event));
    ACL_OK(aclrtResetEvent(event, free));
    ACL_OK(aclrtSynchronizeStream(free));
    EXPECT_FALSE(IsComplete(event));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(held));
    EXPECT_FALSE(IsComplete(event));
}

TEST_F(EventReset, InManyStreams) {
    NEEDS_QUEUES(8);
    std::vector<std::unique_ptr<Stream>> held;
    Stream free;
    OldEvent event;
    Gate gate;
    ACL_OK(aclrtRecordEvent(event, free));
    ACL_OK(aclrtSynchronizeEvent(event));
    for (int i = 0; i < (SharesQueues() ? 5 : 20); ++i) {
        held.push_back(std::make_unique<Stream>());
        ACL_OK(gate.Hold(*held.back()));
        if (i == 3) {
            ACL_OK(aclrtResetEvent(event, free));
            ACL_OK(aclrtSynchronizeStream(free));
        }
        ACL_OK(aclrtResetEvent(event, *held.back()));
        EXPECT_EQ(IsComplete(event), i < 3) << i;
    }
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_FALSE(IsComplete(event));
    ACL_OK(aclrtRecordEvent(event, free));
    ACL_OK(aclrtSynchronizeEvent(event));
    EXPECT_TRUE(IsComplete(event));
}

// A stream that waits for a record keeps its order, even if the reset is misplaced.
TEST_F(EventReset, KeepsTheOrderOfWaitingStreams) {
    NEEDS_QUEUES(2);
    Stream recorder, resetter, waiter;
    OldEvent event;
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(recorder));
    ACL_OK(log.Append(recorder, 1));
    ACL_OK(aclrtRecordEvent(event, recorder));
    ACL_OK(aclrtResetEvent(event, resetter));
    ACL_OK(aclrtSynchronizeStream(resetter));
    EXPECT_FALSE(IsComplete(event));
    ACL_OK(aclrtStreamWaitEvent(waiter, event));
    ACL_OK(log.Append(waiter, 2));
    ACL_FAILS(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEventWithTimeout(event, 1));
    EXPECT_FALSE(WaitsAreOver(event));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(waiter));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 2}));
    EXPECT_FALSE(IsComplete(event));
}

TEST_F(EventReset, OfAnEventThatWasNeverRecorded) {
    Stream stream;
    OldEvent event;
    ACL_OK(aclrtResetEvent(event, stream));
    ACL_OK(aclrtResetEvent(event, nullptr));
    EXPECT_FALSE(IsComplete(event));
    ACL_OK(aclrtRecordEvent(event, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(IsComplete(event));
}

TEST_F(EventReset, OnlyOfEventsThatSupportIt) {
    Stream stream;
    OldEvent plain(0), untimed(ACL_EVENT_TIME_LINE);
    Event ex;
    for (aclrtEvent event :
         {static_cast<aclrtEvent>(plain), static_cast<aclrtEvent>(untimed), static_cast<aclrtEvent>(ex)}) {
        ACL_OK(aclrtRecordEvent(event, stream));
    }
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtResetEvent(plain, stream), "aclrtCreateEvent;",
                     "aclrtCreateEventWithFlag");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtResetEvent(untimed, stream), "0x8", "ACL_EVENT_SYNC");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtResetEvent(ex, stream), "aclrtCreateEventExWithFlag",
                     "record it again");
    for (aclrtEvent event :
         {static_cast<aclrtEvent>(plain), static_cast<aclrtEvent>(untimed), static_cast<aclrtEvent>(ex)})
        EXPECT_TRUE(IsComplete(event));
}

TEST_F(EventReset, InAStreamOfAnotherDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    OldEvent event;
    ACL_OK(aclrtRecordEvent(event, nullptr));
    ACL_OK(aclrtSetDevice(1));
    {
        Stream far;
        Gate gate;
        ACL_OK(gate.Hold(far));
        ACL_OK(aclrtStreamWaitEvent(far, event));
        ACL_OK(aclrtResetEvent(event, far));
        EXPECT_FALSE(WaitsAreOver(event));
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(far));
        EXPECT_TRUE(WaitsAreOver(event));
        EXPECT_FALSE(IsComplete(event));
    }
    // The device is reset; completed resets stay complete.
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_TRUE(WaitsAreOver(event));
    EXPECT_FALSE(IsComplete(event));
    ACL_OK(aclrtRecordEvent(event, nullptr));
    ACL_OK(aclrtSynchronizeEvent(event));
    EXPECT_TRUE(IsComplete(event));
}

TEST_F(EventReset, BadArguments) {
    Stream stream;
    OldEvent event;
    ACL_OK(aclrtRecordEvent(event, stream));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtResetEvent(nullptr, stream), "event is null");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtResetEvent(stream, stream), "of kind stream");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtResetEvent(event, event), "stream", "of kind event");
    void* garbage = reinterpret_cast<void*>(7);
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtResetEvent(garbage, stream), "event 0x7");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtResetEvent(event, garbage), "stream 0x7");
    aclrtEvent dead = OldEvent().Release();
    ACL_OK(aclrtDestroyEvent(dead));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtResetEvent(dead, stream), Shown(dead));
    aclrtStream ended = Stream().Release();
    ACL_OK(aclrtDestroyStream(ended));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtResetEvent(event, ended), Shown(ended));
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtResetEvent(event, stream));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtResetEvent(event, nullptr));
    });
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(IsComplete(event));
}

TEST_F(EventReset, AfterFinalize) {
    aclrtEvent dead = OldEvent().Release();
    ACL_OK(aclrtRecordEvent(dead, nullptr));
    ACL_OK(aclFinalize());
    auto status = Poison<aclrtEventStatus>();
    auto waits = Poison<aclrtEventWaitStatus>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtResetEvent(dead, nullptr));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtQueryEvent(dead, &status));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtQueryEventWaitStatus(dead, &waits));
    EXPECT_TRUE(IsPoison(status) && IsPoison(waits));
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtResetEvent(dead, nullptr));
}

TEST_F(EventReset, RefusedInsideAHostFunction) {
    static OldEvent* event;
    static aclError answers[3];
    OldEvent own;
    event = &own;
    ACL_OK(aclrtRecordEvent(own, nullptr));
    ACL_OK(aclrtLaunchHostFunc(
        nullptr,
        [](void*) {
            aclrtEventStatus status;
            aclrtEventWaitStatus waits;
            answers[0] = aclrtResetEvent(*event, nullptr);
            answers[1] = aclrtQueryEvent(*event, &status);
            answers[2] = aclrtQueryEventWaitStatus(*event, &waits);
        },
        nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    for (aclError answer : answers) EXPECT_EQ(answer, ACL_ERROR_RT_PARAM_INVALID);
}

// Recorded, waited for and reset by many threads at once: nothing hangs, no record is lost.
TEST_F(EventReset, FromManyThreads) {
    OldEvent shared;
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; ++i)
        threads.emplace_back([&] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            Stream stream;
            for (int round = 0; round < 200; ++round) {
                ACL_EXPECT_OK(aclrtRecordEvent(shared, stream));
                ACL_EXPECT_OK(aclrtStreamWaitEvent(stream, shared));
                ACL_EXPECT_OK(aclrtResetEvent(shared, stream));
                (void)WaitsAreOver(shared);
                (void)IsComplete(shared);
            }
            ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(WaitsAreOver(shared));
    ACL_OK(aclrtRecordEvent(shared, nullptr));
    ACL_OK(aclrtSynchronizeEvent(shared));
    EXPECT_TRUE(IsComplete(shared));
}

}  // namespace

// Semantics of recording an event and of waiting for it.

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

class EventRecord : public WithDevice {};

TEST_F(EventRecord, StandsForTheWorkBeforeIt) {
    Stream stream;
    Event event;
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(stream));
    ACL_OK(log.Append(stream, 1));
    ACL_OK(aclrtRecordEvent(event, stream));
    EXPECT_FALSE(IsComplete(event));
    {
        // Work after the record is not waited for.
        Gate behind;
        ACL_OK(behind.Hold(stream));
        Opener opener(gate);
        ACL_OK(aclrtSynchronizeEvent(event));
        EXPECT_EQ(log.Size(), 1u);
        EXPECT_TRUE(IsComplete(event));
        EXPECT_FALSE(IsIdle(stream));
    }
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(EventRecord, BeforeTheFirst) {
    Event ex;
    aclrtEvent plain = nullptr, flagged = nullptr;
    ACL_OK(aclrtCreateEvent(&plain));
    ACL_OK(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_SYNC));
    EXPECT_TRUE(IsComplete(ex));
    EXPECT_FALSE(IsComplete(plain));
    EXPECT_FALSE(IsComplete(flagged));
    Stream stream;
    for (aclrtEvent event : {static_cast<aclrtEvent>(ex), plain, flagged}) {
        ACL_OK(aclrtSynchronizeEvent(event));
        ACL_OK(aclrtSynchronizeEventWithTimeout(event, 1));
        ACL_OK(aclrtStreamWaitEvent(stream, event));
        ACL_OK(aclrtStreamWaitEvent(nullptr, event));
    }
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    ACL_OK(aclrtDestroyEvent(plain));
    ACL_OK(aclrtDestroyEvent(flagged));
}

TEST_F(EventRecord, ANewRecordReplacesTheOld) {
    NEEDS_QUEUES(2);
    Stream first, second;
    Event event;
    Gate gate;
    ACL_OK(aclrtRecordEvent(event, first));
    ACL_OK(aclrtSynchronizeEvent(event));
    ACL_OK(gate.Hold(second));
    ACL_OK(aclrtRecordEvent(event, second));
    EXPECT_FALSE(IsComplete(event));
    ACL_OK(aclrtRecordEvent(event, first));
    ACL_OK(aclrtSynchronizeEvent(event));
    EXPECT_TRUE(IsComplete(event));
    EXPECT_FALSE(IsIdle(second));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(second));
    EXPECT_TRUE(IsComplete(event));
}

TEST_F(EventRecord, NullOutputOfQuery) {
    Event event;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtQueryEventStatus(event, nullptr), "status", "null");
}

TEST_F(EventRecord, OfAnotherDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    Event event;
    Stream near;
    ACL_OK(aclrtSetDevice(1));
    Stream far;
    Gate gate;
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclrtRecordEvent(event, far), "event", Shown(event), "device 0",
                     "device 1");
    EXPECT_TRUE(IsComplete(event));
    // But streams of other devices may wait for it.
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(gate.Hold(near));
    ACL_OK(aclrtRecordEvent(event, near));
    ACL_OK(aclrtSetDevice(1));
    Log log;
    ACL_OK(aclrtStreamWaitEvent(far, event));
    ACL_OK(log.Append(far, 1));
    EXPECT_FALSE(IsIdle(far));
    EXPECT_EQ(log.Size(), 0u);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(far));
    EXPECT_EQ(log.Size(), 1u);
    ACL_OK(aclrtDestroyStream(far.Release()));
    ACL_OK(aclrtSetDevice(0));
}

class EventWait : public WithDevice {};

TEST_F(EventWait, OrdersTwoStreams) {
    constexpr size_t kSize = 100000;
    Stream producer, consumer;
    DeviceMemory device(kSize);
    PinnedMemory seen(kSize, 0);
    for (int round = 0; round < 50; ++round) {
        Event filled(ACL_EVENT_SYNC), read(ACL_EVENT_SYNC);
        ACL_OK(aclrtMemsetAsync(device.At(), kSize, round, kSize, producer));
        ACL_OK(aclrtRecordEvent(filled, producer));
        ACL_OK(aclrtStreamWaitEvent(consumer, filled));
        ACL_OK(aclrtMemcpyAsync(seen.At(), kSize, device.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST, consumer));
        ACL_OK(aclrtRecordEvent(read, consumer));
        ACL_OK(aclrtStreamWaitEvent(producer, read));
        ACL_OK(aclrtMemsetAsync(device.At(), kSize, 255, kSize, producer));
        ACL_OK(aclrtSynchronizeEvent(read));
        EXPECT_EQ(seen.Copy(), std::vector<unsigned char>(kSize, round));
    }
    ACL_OK(aclrtSynchronizeStream(producer));
}

TEST_F(EventWait, BlocksTheWaitingStreamsOnly) {
    NEEDS_QUEUES(8);
    Stream recorded, first, second, third;
    Event event;
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(recorded));
    ACL_OK(aclrtRecordEvent(event, recorded));
    for (aclrtStream waiter : {static_cast<aclrtStream>(first), static_cast<aclrtStream>(second)}) {
        ACL_OK(log.Append(waiter, 1));
        ACL_OK(aclrtStreamWaitEvent(waiter, event));
        ACL_OK(log.Append(waiter, 2));
    }
    ACL_OK(log.Append(third, 3));
    ACL_OK(aclrtSynchronizeStream(third));
    EXPECT_FALSE(IsIdle(first));
    EXPECT_FALSE(IsIdle(second));
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(log.Size(), 5u);
}

// A stream that waits for its own earlier record does not block.
TEST_F(EventWait, OnTheSameStream) {
    Stream stream;
    Event event;
    ACL_OK(aclrtRecordEvent(event, stream));
    ACL_OK(aclrtStreamWaitEvent(stream, event));
    ACL_OK(aclrtRecordEvent(event, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(EventWait, KeepsTheRecordThatItSaw) {
    Stream first, second, waiter, late;
    Event event;
    Gate first_gate, second_gate;
    ACL_OK(first_gate.Hold(first));
    ACL_OK(aclrtRecordEvent(event, first));
    ACL_OK(aclrtStreamWaitEvent(waiter, event));
    ACL_OK(second_gate.Hold(second));
    ACL_OK(aclrtRecordEvent(event, second));
    ACL_OK(aclrtStreamWaitEvent(late, event));
    first_gate.Open();
    // The earlier wait is complete, though the event now stands for pending work.
    ACL_OK(aclrtSynchronizeStream(waiter));
    EXPECT_FALSE(IsComplete(event));
    EXPECT_FALSE(IsIdle(late));
    second_gate.Open();
    ACL_OK(aclrtSynchronizeStream(late));
    EXPECT_TRUE(IsComplete(event));
    ACL_OK(aclrtSynchronizeStream(second));
}

TEST_F(EventWait, OutlivesTheEvent) {
    Stream recorded, waiter;
    aclrtEvent event = Event().Release();
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(recorded));
    ACL_OK(log.Append(recorded, 1));
    ACL_OK(aclrtRecordEvent(event, recorded));
    ACL_OK(aclrtStreamWaitEvent(waiter, event));
    ACL_OK(log.Append(waiter, 2));
    // Never blocks, and never fails because the event is in use.
    ACL_OK(aclrtDestroyEvent(event));
    EXPECT_FALSE(IsIdle(waiter));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(waiter));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 2}));
}

TEST_F(EventWait, OutlivesTheStreamThatRecorded) {
    aclrtStream recorded = Stream().Release();
    Stream waiter;
    Event event;
    Log log;
    ACL_OK(log.Append(recorded, 1));
    ACL_OK(aclrtRecordEvent(event, recorded));
    ACL_OK(aclrtStreamWaitEvent(waiter, event));
    ACL_OK(log.Append(waiter, 2));
    ACL_OK(aclrtDestroyStream(recorded));
    ACL_OK(aclrtSynchronizeEvent(event));
    ACL_OK(aclrtSynchronizeStream(waiter));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 2}));
}

TEST_F(EventWait, NeedsTheSyncFlag) {
    aclrtEvent flagged = nullptr, ex = nullptr;
    ACL_OK(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_TIME_LINE));
    ACL_OK(aclrtCreateEventExWithFlag(&ex, ACL_EVENT_CAPTURE_STREAM_PROGRESS));
    const std::pair<aclrtEvent, const char*> events[] = {{flagged, "0x8"}, {ex, "0x2"}};
    for (const auto& [event, flag] : events) {
        ACL_OK(aclrtRecordEvent(event, nullptr));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEvent(nullptr, event), "event", flag,
                         "ACL_EVENT_SYNC");
        // The host can wait and query.
        ACL_OK(aclrtSynchronizeEvent(event));
        EXPECT_TRUE(IsComplete(event));
        ACL_OK(aclrtDestroyEvent(event));
    }
}

// A busy stream records it, then an idle one: each wait keeps its record, and destroying the event
// while all of that is pending does not wait.
TEST_F(EventWait, OfEveryCreatorOutlivesItsEvent) {
    NEEDS_QUEUES(8);
    for (int creator = 0; creator < 3; ++creator) {
        Stream recorded, idle, first, second;
        aclrtEvent event = nullptr;
        ACL_OK(creator == 0   ? aclrtCreateEvent(&event)
               : creator == 1 ? aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC)
                              : aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        Gate gate;
        Log log;
        ACL_OK(gate.Hold(recorded));
        ACL_OK(log.Append(recorded, 1));
        ACL_OK(aclrtRecordEvent(event, recorded));
        ACL_OK(aclrtStreamWaitEvent(first, event));
        ACL_OK(log.Append(first, 2));
        if (creator == 1) {
            ACL_OK(aclrtResetEvent(event, first));
        }
        ACL_OK(aclrtRecordEvent(event, idle));
        ACL_OK(aclrtStreamWaitEvent(second, event));
        ACL_OK(aclrtDestroyEvent(event));
        ACL_OK(aclrtSynchronizeStream(second));
        EXPECT_FALSE(IsIdle(first));
        EXPECT_EQ(log.Size(), 0u);
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(first));
        EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 2}));
    }
}

}  // namespace

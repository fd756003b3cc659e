// Effect of aclrtResetEvent, the older queries, and which events support what, by their creation
// function.

#include <limits>
#include <memory>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

// An event of aclrtCreateEventWithFlag, or with flag 0 of aclrtCreateEvent.
class OldEvent {
  public:
    explicit OldEvent(uint32_t flag = ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE) {
        if (flag == 0)
            ExpectOk("aclrtCreateEvent", aclrtCreateEvent(&handle_));
        else
            ExpectOk("aclrtCreateEventWithFlag", aclrtCreateEventWithFlag(&handle_, flag));
    }
    ~OldEvent() {
        if (handle_) ExpectOk("aclrtDestroyEvent", aclrtDestroyEvent(handle_));
    }
    OldEvent(const OldEvent&) = delete;
    OldEvent& operator=(const OldEvent&) = delete;

    operator aclrtEvent() const { return handle_; }

    // The test destroys it.
    aclrtEvent Release() { return std::exchange(handle_, nullptr); }

  private:
    aclrtEvent handle_ = nullptr;
};

bool WaitsAreOver(aclrtEvent event) {
    auto status = Poison<aclrtEventWaitStatus>();
    ExpectOk("aclrtQueryEventWaitStatus", aclrtQueryEventWaitStatus(event, &status));
    EXPECT_TRUE(status == ACL_EVENT_WAIT_STATUS_COMPLETE || status == ACL_EVENT_WAIT_STATUS_NOT_READY);
    return status == ACL_EVENT_WAIT_STATUS_COMPLETE;
}

// As IsComplete, by the older query, whose values are reversed.
bool IsCompleteOld(aclrtEvent event) {
    auto status = Poison<aclrtEventStatus>();
    ExpectOk("aclrtQueryEvent", aclrtQueryEvent(event, &status));
    EXPECT_TRUE(status == ACL_EVENT_STATUS_COMPLETE || status == ACL_EVENT_STATUS_NOT_READY);
    const bool complete = status == ACL_EVENT_STATUS_COMPLETE;
    EXPECT_EQ(complete, IsComplete(event));
    return complete;
}

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
    constexpr int kRounds = 200;
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
    }
    EXPECT_FALSE(IsComplete(filled));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(producer));
    ACL_OK(aclrtSynchronizeStream(consumer));
    for (int round = 0; round < kRounds; ++round) ASSERT_EQ(seen.Bytes()[round], static_cast<unsigned char>(round));
    EXPECT_FALSE(IsComplete(filled));
    EXPECT_FALSE(IsComplete(read));
    EXPECT_TRUE(WaitsAreOver(filled));
}

TEST_F(EventReset, ALaterRecordStays) {
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
    std::vector<std::unique_ptr<Stream>> held;
    Stream free;
    OldEvent event;
    Gate gate;
    ACL_OK(aclrtRecordEvent(event, free));
    ACL_OK(aclrtSynchronizeEvent(event));
    for (int i = 0; i < 20; ++i) {
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
                     "recorded again");
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

class EventQuery : public WithDevice {};

TEST_F(EventQuery, WaitsAreCompleteWhenEveryStreamHasPassedThem) {
    for (uint32_t flag : {uint32_t{0}, ACL_EVENT_SYNC}) {
        Stream recorder, first, second;
        OldEvent event(flag);
        EXPECT_TRUE(WaitsAreOver(event));
        Gate before, behind;
        ACL_OK(before.Hold(recorder));
        ACL_OK(aclrtRecordEvent(event, recorder));
        EXPECT_TRUE(WaitsAreOver(event));
        ACL_OK(aclrtStreamWaitEvent(first, event));
        EXPECT_FALSE(WaitsAreOver(event));
        ACL_OK(behind.Hold(second));
        ACL_OK(aclrtStreamWaitEvent(second, event));
        ACL_OK(aclrtStreamWaitEvent(second, event));
        before.Open();
        ACL_OK(aclrtSynchronizeStream(first));
        // The event is complete, and the second stream has not reached its wait.
        EXPECT_TRUE(IsComplete(event));
        EXPECT_FALSE(WaitsAreOver(event));
        behind.Open();
        ACL_OK(aclrtSynchronizeStream(second));
        EXPECT_TRUE(WaitsAreOver(event));
    }
}

TEST_F(EventQuery, WaitsOfManyStreams) {
    Stream recorder;
    OldEvent event;
    Gate gate;
    ACL_OK(gate.Hold(recorder));
    ACL_OK(aclrtRecordEvent(event, recorder));
    std::vector<std::unique_ptr<Stream>> streams;
    for (int i = 0; i < 100; ++i) {
        streams.push_back(std::make_unique<Stream>());
        ACL_OK(aclrtStreamWaitEvent(*streams.back(), event));
    }
    EXPECT_FALSE(WaitsAreOver(event));
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_TRUE(WaitsAreOver(event));
    // Destroyed streams wait for nothing.
    Gate again;
    ACL_OK(again.Hold(recorder));
    ACL_OK(aclrtRecordEvent(event, recorder));
    streams.clear();
    EXPECT_TRUE(WaitsAreOver(event));
}

TEST_F(EventQuery, NotOfEventsThatAreRecordedRepeatedly) {
    Event ex;
    auto status = Poison<aclrtEventStatus>();
    auto waits = Poison<aclrtEventWaitStatus>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtQueryEvent(ex, &status), "aclrtCreateEventExWithFlag",
                     "aclrtQueryEventStatus");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtQueryEventWaitStatus(ex, &waits), "aclrtCreateEventExWithFlag",
                     "aclrtStreamQuery");
    EXPECT_TRUE(IsPoison(status) && IsPoison(waits));
}

TEST_F(EventQuery, OfEventsThatStreamsDoNotWaitFor) {
    OldEvent event(ACL_EVENT_TIME_LINE);
    EXPECT_FALSE(IsCompleteOld(event));
    EXPECT_TRUE(WaitsAreOver(event));
    ACL_OK(aclrtRecordEvent(event, nullptr));
    ACL_OK(aclrtSynchronizeEvent(event));
    EXPECT_TRUE(IsCompleteOld(event));
}

TEST_F(EventQuery, BadArguments) {
    OldEvent event;
    Stream stream;
    auto status = Poison<aclrtEventStatus>();
    auto waits = Poison<aclrtEventWaitStatus>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtQueryEvent(event, nullptr), "status is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtQueryEventWaitStatus(event, nullptr), "status is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtQueryEvent(nullptr, &status), "event is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtQueryEventWaitStatus(nullptr, &waits), "event is null");
    aclrtEvent dead = OldEvent().Release();
    ACL_OK(aclrtDestroyEvent(dead));
    for (void* bad : {static_cast<void*>(stream), reinterpret_cast<void*>(~uintptr_t{0}), dead}) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtQueryEvent(bad, &status), "event", Shown(bad));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtQueryEventWaitStatus(bad, &waits), "event", Shown(bad));
    }
    EXPECT_TRUE(IsPoison(status) && IsPoison(waits));
    // Neither needs a device in the thread.
    OnNewThread([&] {
        EXPECT_FALSE(IsCompleteOld(event));
        EXPECT_TRUE(WaitsAreOver(event));
    });
}

class EventLimit : public WithDevice {
  protected:
    static constexpr uint32_t kMost = 65536;

    static uint32_t Available() {
        auto count = Poison<uint32_t>();
        ExpectOk("aclrtGetEventAvailNum", aclrtGetEventAvailNum(&count));
        return count;
    }
};

TEST_F(EventLimit, CountsLimitedEvents) {
    EXPECT_EQ(Available(), kMost);
    {
        Event ex;
        OldEvent flagged, plain(0);
        ACL_OK(aclrtRecordEvent(ex, nullptr));
        EXPECT_EQ(Available(), kMost - 1);
        // An event of aclrtCreateEvent counts from its first record on.
        ACL_OK(aclrtRecordEvent(plain, nullptr));
        EXPECT_EQ(Available(), kMost - 2);
        ACL_OK(aclrtRecordEvent(plain, nullptr));
        ACL_OK(aclrtRecordEvent(flagged, nullptr));
        EXPECT_EQ(Available(), kMost - 2);
        if (DeviceCount() > 1) {
            ACL_OK(aclrtSetDevice(1));
            EXPECT_EQ(Available(), kMost);
            ACL_OK(aclrtSetDevice(0));
        }
    }
    EXPECT_EQ(Available(), kMost);
}

TEST_F(EventLimit, IsEnforced) {
    OldEvent plain(0);
    std::vector<std::unique_ptr<OldEvent>> events;
    for (uint32_t i = 0; i < kMost && !HasFailure(); ++i) events.push_back(std::make_unique<OldEvent>(ACL_EVENT_SYNC));
    EXPECT_EQ(Available(), 0u);
    auto event = Poison<aclrtEvent>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_NO_EVENT_RESOURCE, aclrtCreateEventWithFlag(&event, 1), "65536", "device 0",
                     "aclrtCreateEventExWithFlag");
    EXPECT_TRUE(IsPoison(event));
    ACL_FAILS_SAYING(ACL_ERROR_RT_NO_EVENT_RESOURCE, aclrtRecordEvent(plain, nullptr), "65536");
    EXPECT_FALSE(IsComplete(plain));
    // Events of the third creation function are unlimited; other devices have separate limits.
    Event ex;
    OldEvent another(0);
    events.pop_back();
    ACL_OK(aclrtRecordEvent(plain, nullptr));
    EXPECT_EQ(Available(), 0u);
    events.clear();
    EXPECT_EQ(Available(), kMost - 1);
    ACL_OK(aclrtSynchronizeEvent(plain));
}

TEST_F(EventLimit, EndsWithTheDevice) {
    aclrtEvent left = OldEvent().Release();
    EXPECT_EQ(Available(), kMost - 1);
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(Available(), kMost);
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyEvent(left));
    EXPECT_EQ(Available(), kMost);
}

}  // namespace

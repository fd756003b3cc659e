// The older queries of events, and the limit of events by their creation function.

#include <memory>

#include "stream/event/old_event.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

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
    NEEDS_QUEUES(8);
    Stream recorder;
    OldEvent event;
    Gate gate;
    ACL_OK(gate.Hold(recorder));
    ACL_OK(aclrtRecordEvent(event, recorder));
    std::vector<std::unique_ptr<Stream>> streams;
    // To create a stream waits for a queue that is blocked.
    const int count = SharesQueues() ? 6 : 100;
    for (int i = 0; i < count; ++i) {
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
    ACL_DESTROYS_LATE(aclrtDestroyEvent(left));
    EXPECT_EQ(Available(), kMost);
}

}  // namespace

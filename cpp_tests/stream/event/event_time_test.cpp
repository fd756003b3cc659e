// aclrtEventGetTimestamp.

#include <chrono>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using Clock = std::chrono::steady_clock;

class EventTimestamp : public WithDevice {
  protected:
    static uint64_t TimeOf(aclrtEvent event) {
        auto time = Poison<uint64_t>();
        ExpectOk("aclrtEventGetTimestamp", aclrtEventGetTimestamp(event, &time));
        EXPECT_FALSE(IsPoison(time));
        return time;
    }

    // Keeps a stream busy for a measurable time.
    static aclError Spin(aclrtStream stream) {
        return aclrtLaunchHostFunc(
            stream,
            [](void*) {
                const auto start = Clock::now();
                while (Clock::now() - start < std::chrono::milliseconds(5)) {
                }
            },
            nullptr);
    }
};

TEST_F(EventTimestamp, DiffersByTheElapsedTime) {
    Stream stream;
    Event start, end;
    ACL_OK(aclrtRecordEvent(start, stream));
    ACL_OK(Spin(stream));
    ACL_OK(aclrtRecordEvent(end, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    const uint64_t from = TimeOf(start), to = TimeOf(end);
    float ms = 0;
    ACL_OK(aclrtEventElapsedTime(&ms, start, end));
    ASSERT_GE(to, from);
    EXPECT_GE(to - from, 4500u);
    EXPECT_NEAR(static_cast<double>(to - from), 1000.0 * ms, 5.0);
    // A second query returns the same.
    EXPECT_EQ(TimeOf(start), from);
    EXPECT_EQ(TimeOf(end), to);
}

TEST_F(EventTimestamp, IsOneClockForAllStreamsAndThreads) {
    Stream first, second;
    Event a, b;
    ACL_OK(aclrtRecordEvent(a, first));
    ACL_OK(aclrtStreamWaitEvent(second, a));
    ACL_OK(Spin(second));
    ACL_OK(aclrtRecordEvent(b, second));
    ACL_OK(aclrtSynchronizeStream(second));
    uint64_t of_a = 0, of_b = 0;
    OnNewThread([&] { of_b = TimeOf(b); });
    of_a = TimeOf(a);
    EXPECT_GE(of_b, of_a + 4500);
}

TEST_F(EventTimestamp, IsOfTheLatestRecord) {
    Stream stream;
    Event event;
    ACL_OK(aclrtRecordEvent(event, stream));
    ACL_OK(aclrtSynchronizeEvent(event));
    const uint64_t first = TimeOf(event);
    ACL_OK(Spin(stream));
    ACL_OK(aclrtRecordEvent(event, stream));
    ACL_OK(aclrtSynchronizeEvent(event));
    EXPECT_GE(TimeOf(event), first + 4500);
}

TEST_F(EventTimestamp, OfEveryCreator) {
    aclrtEvent plain = nullptr, flagged = nullptr;
    Event ex(ACL_EVENT_TIME_LINE);
    ACL_OK(aclrtCreateEvent(&plain));
    ACL_OK(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_TIME_LINE));
    uint64_t before = 0;
    for (aclrtEvent event : {plain, flagged, static_cast<aclrtEvent>(ex)}) {
        ACL_OK(aclrtRecordEvent(event, nullptr));
        ACL_OK(aclrtSynchronizeEvent(event));
        EXPECT_GE(TimeOf(event) + 1, before);
        before = TimeOf(event);
    }
    ACL_OK(aclrtDestroyEvent(plain));
    ACL_OK(aclrtDestroyEvent(flagged));
}

TEST_F(EventTimestamp, EventsWithoutATime) {
    Stream stream;
    Event untimed(ACL_EVENT_SYNC), fresh;
    auto time = Poison<uint64_t>();
    ACL_OK(aclrtRecordEvent(untimed, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtEventGetTimestamp(untimed, nullptr), "timestamp is null");
    ACL_FAILS_SAYING(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventGetTimestamp(untimed, &time), "event",
                     "ACL_EVENT_TIME_LINE");
    ACL_FAILS_SAYING(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, aclrtEventGetTimestamp(fresh, &time), "event",
                     "never recorded");
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtRecordEvent(fresh, stream));
    ACL_FAILS_SAYING(ACL_ERROR_RT_EVENT_NOT_COMPLETE, aclrtEventGetTimestamp(fresh, &time), "event",
                     "aclrtSynchronizeEvent");
    EXPECT_TRUE(IsPoison(time));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_GT(TimeOf(fresh), 0u);
}

TEST_F(EventTimestamp, BadHandles) {
    Stream stream;
    auto time = Poison<uint64_t>();
    aclrtEvent dead = Event().Release();
    ACL_OK(aclrtRecordEvent(dead, stream));
    ACL_OK(aclrtSynchronizeEvent(dead));
    ACL_OK(aclrtDestroyEvent(dead));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtEventGetTimestamp(nullptr, &time), "event is null");
    for (void* bad : {static_cast<void*>(stream), reinterpret_cast<void*>(3), dead})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtEventGetTimestamp(bad, &time), "event", Shown(bad));
    EXPECT_TRUE(IsPoison(time));
}

TEST_F(EventTimestamp, AfterFinalize) {
    auto time = Poison<uint64_t>();
    aclrtEvent left = Event().Release();
    ACL_OK(aclrtRecordEvent(left, nullptr));
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtEventGetTimestamp(left, &time));
    EXPECT_TRUE(IsPoison(time));
    ACL_OK(aclInit(nullptr));
}

TEST_F(EventTimestamp, RefusedInsideAHostFunction) {
    static Event* event;
    static aclError answer;
    static uint64_t time;
    Event own;
    event = &own;
    time = Poison<uint64_t>();
    ACL_OK(aclrtRecordEvent(own, nullptr));
    ACL_OK(aclrtLaunchHostFunc(
        nullptr, [](void*) { answer = aclrtEventGetTimestamp(*event, &time); }, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(answer, ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_TRUE(IsPoison(time));
}

}  // namespace

// Events: create, destroy, synchronize, query, and what every call does with an invalid event.
// event_order_test.cpp covers the semantics of records and waits, event_elapsed_test.cpp the time between records.

#include <functional>
#include <limits>
#include <memory>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kAll =
    ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE | ACL_EVENT_DEVICE_USE_ONLY;

// The three creation functions under one signature; the first takes no flag.
struct Creator {
    const char* name;
    std::function<aclError(aclrtEvent*, uint32_t)> create;
};

std::vector<Creator> Creators() {
    return {
        {"aclrtCreateEvent", [](aclrtEvent* out, uint32_t) { return aclrtCreateEvent(out); }},
        {"aclrtCreateEventWithFlag", aclrtCreateEventWithFlag},
        {"aclrtCreateEventExWithFlag", aclrtCreateEventExWithFlag},
    };
}

using EventCreate = WithDevice;

TEST_F(EventCreate, EveryCreatorWithEveryCombination) {
    for (uint32_t flag = 1; flag <= kAll; ++flag) {
        if (flag & ~kAll) continue;
        for (const Creator& creator : Creators()) {
            SCOPED_TRACE(testing::Message() << creator.name << " flag " << flag);
            aclrtEvent event = nullptr;
            ASSERT_TRUE(Returned(creator.name, creator.create(&event, flag), 0));
            ASSERT_NE(event, nullptr);
            ACL_OK(aclrtRecordEvent(event, nullptr));
            ACL_OK(aclrtSynchronizeEvent(event));
            EXPECT_TRUE(IsComplete(event));
            ACL_OK(aclrtDestroyEvent(event));
        }
    }
    aclrtEvent external = nullptr;
    ACL_OK(aclrtCreateEventWithFlag(&external, ACL_EVENT_EXTERNAL));
    ACL_OK(aclrtDestroyEvent(external));
}

TEST_F(EventCreate, FlagsThatDoNotExist) {
    auto event = Poison<aclrtEvent>();
    for (uint32_t flag : {0u, 0x4u, 0x80u, 0x9u | 0x100u, ACL_EVENT_EXTERNAL | ACL_EVENT_SYNC,
                          ACL_EVENT_IPC | ACL_EVENT_SYNC, 0xFFFFFFFFu}) {
        std::ostringstream shown;
        shown << "0x" << std::hex << flag;
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateEventWithFlag(&event, flag), "flag", shown.str(),
                         "ACL_EVENT_SYNC");
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateEventExWithFlag(&event, flag), "flag", shown.str(),
                         "ACL_EVENT_SYNC");
    }
    // Each text names the function that takes the flag.
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateEventWithFlag(&event, ACL_EVENT_IPC),
                     "aclrtCreateEventExWithFlag takes ACL_EVENT_IPC");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateEventExWithFlag(&event, ACL_EVENT_EXTERNAL),
                     "aclrtCreateEventWithFlag takes ACL_EVENT_EXTERNAL");
    EXPECT_TRUE(IsPoison(event));
}

TEST_F(EventCreate, NullOutputs) {
    for (const Creator& creator : Creators())
        EXPECT_TRUE(FailedSaying(creator.name, creator.create(nullptr, ACL_EVENT_SYNC), ACL_ERROR_INVALID_PARAM,
                                 {"event", "null"}));
}

TEST_F(EventCreate, NeedsADeviceInThisThread) {
    OnNewThread([] {
        auto event = Poison<aclrtEvent>();
        for (const Creator& creator : Creators())
            EXPECT_TRUE(FailedSaying(creator.name, creator.create(&event, ACL_EVENT_SYNC), ACL_ERROR_RT_CONTEXT_NULL,
                                     {"aclrtSetDevice"}));
        EXPECT_TRUE(IsPoison(event));
    });
}

TEST_F(EventCreate, FailsAfterFinalize) {
    ACL_OK(aclFinalize());
    auto event = Poison<aclrtEvent>();
    for (const Creator& creator : Creators())
        EXPECT_TRUE(Failed(creator.name, creator.create(&event, ACL_EVENT_SYNC), ACL_ERROR_RT_CONTEXT_NULL));
    EXPECT_TRUE(IsPoison(event));
    ACL_OK(aclInit(nullptr));
}

TEST_F(EventCreate, Thousands) {
    std::vector<std::unique_ptr<Event>> events;
    for (int i = 0; i < 5000; ++i) {
        events.push_back(std::make_unique<Event>());
        ACL_OK(aclrtRecordEvent(*events.back(), nullptr));
    }
    for (auto& event : events) ACL_OK(aclrtSynchronizeEvent(*event));
}

// Every call that takes an event, with valid other arguments.
class EventCalls : public WithDevice {
  protected:
    struct EventCall {
        const char* name;
        const char* argument;
        std::function<aclError(aclrtEvent)> call;
    };

    static std::vector<EventCall> All(aclrtStream stream, aclrtEvent valid) {
        return {
            {"aclrtDestroyEvent", "event", [](aclrtEvent e) { return aclrtDestroyEvent(e); }},
            {"aclrtRecordEvent", "event", [=](aclrtEvent e) { return aclrtRecordEvent(e, stream); }},
            {"aclrtStreamWaitEvent", "event", [=](aclrtEvent e) { return aclrtStreamWaitEvent(stream, e); }},
            {"aclrtSynchronizeEvent", "event", [](aclrtEvent e) { return aclrtSynchronizeEvent(e); }},
            {"aclrtSynchronizeEventWithTimeout", "event",
             [](aclrtEvent e) { return aclrtSynchronizeEventWithTimeout(e, 1000); }},
            {"aclrtQueryEventStatus", "event",
             [](aclrtEvent e) {
                 auto status = Poison<aclrtEventRecordedStatus>();
                 const aclError code = aclrtQueryEventStatus(e, &status);
                 EXPECT_TRUE(IsPoison(status));
                 return code;
             }},
            {"aclrtEventElapsedTime", "startEvent",
             [=](aclrtEvent e) {
                 auto ms = Poison<float>();
                 const aclError code = aclrtEventElapsedTime(&ms, e, valid);
                 EXPECT_TRUE(IsPoison(ms));
                 return code;
             }},
            {"aclrtEventElapsedTime", "endEvent",
             [=](aclrtEvent e) {
                 auto ms = Poison<float>();
                 const aclError code = aclrtEventElapsedTime(&ms, valid, e);
                 EXPECT_TRUE(IsPoison(ms));
                 return code;
             }},
        };
    }

    // Each call fails with `code` for `event`; the text contains its name and `word`.
    static void AllFail(aclrtStream stream, aclrtEvent valid, aclError code, aclrtEvent event,
                        const std::string& word) {
        for (const EventCall& call : All(stream, valid))
            EXPECT_TRUE(FailedSaying(call.name, call.call(event), code, {call.argument, word}));
    }
};

TEST_F(EventCalls, RefuseNull) {
    Stream stream;
    Event valid;
    ACL_OK(aclrtRecordEvent(valid, stream));
    AllFail(stream, valid, ACL_ERROR_INVALID_PARAM, nullptr, "null");
}

TEST_F(EventCalls, RefuseGarbageAndOtherKinds) {
    Stream stream;
    Event valid;
    DeviceMemory device(64);
    aclrtContext context = nullptr;
    ACL_OK(aclrtGetCurrentContext(&context));
    ACL_OK(aclrtRecordEvent(valid, stream));
    int here = 0;
    for (void* bad : {reinterpret_cast<void*>(1), reinterpret_cast<void*>(uintptr_t{1} << 63),
                      reinterpret_cast<void*>(~uintptr_t{0}), static_cast<void*>(&here), static_cast<void*>(stream),
                      device.At(), static_cast<void*>(context)}) {
        SCOPED_TRACE(bad);
        AllFail(stream, valid, ACL_ERROR_RT_PARAM_INVALID, bad, Shown(bad));
    }
    AllFail(stream, valid, ACL_ERROR_RT_PARAM_INVALID, stream, "of kind stream");
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(EventCalls, RefuseDestroyedEvents) {
    Stream stream;
    Event valid;
    ACL_OK(aclrtRecordEvent(valid, stream));
    aclrtEvent dead = Event().Release();
    ACL_OK(aclrtRecordEvent(dead, stream));
    ACL_OK(aclrtSynchronizeEvent(dead));
    ACL_OK(aclrtDestroyEvent(dead));
    AllFail(stream, valid, ACL_ERROR_RT_PARAM_INVALID, dead, "destroyed");
    std::vector<std::unique_ptr<Event>> others;
    for (int i = 0; i < 50; ++i) others.push_back(std::make_unique<Event>());
    AllFail(stream, valid, ACL_ERROR_RT_PARAM_INVALID, dead, Shown(dead));
}

TEST_F(EventCalls, FailAfterFinalize) {
    aclrtEvent dead = Event().Release();
    ACL_OK(aclrtRecordEvent(dead, nullptr));
    ACL_OK(aclFinalize());
    auto status = Poison<aclrtEventRecordedStatus>();
    auto ms = Poison<float>();
    ACL_DESTROYS_LATE(aclrtDestroyEvent(dead));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeEvent(dead));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeEventWithTimeout(dead, -1));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtQueryEventStatus(dead, &status));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtEventElapsedTime(&ms, dead, dead));
    EXPECT_TRUE(IsPoison(status));
    EXPECT_TRUE(IsPoison(ms));
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEvent(dead, nullptr));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyEvent(dead));
}

TEST_F(EventCalls, WorkFromAnyThread) {
    Stream stream;
    Event event;
    ACL_OK(aclrtRecordEvent(event, stream));
    // Waiting, querying and destroying need no device in the thread.
    OnNewThread([&] {
        ACL_OK(aclrtSynchronizeEvent(event));
        EXPECT_TRUE(IsComplete(event));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtRecordEvent(event, nullptr));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtRecordEvent(event, stream));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtStreamWaitEvent(stream, event));
        ACL_OK(aclrtDestroyEvent(event.Release()));
    });
}

using EventSynchronize = WithDevice;

TEST_F(EventSynchronize, TimesOutAndTheWorkContinues) {
    Stream stream;
    Event event;
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(stream));
    ACL_OK(log.Append(stream, 1));
    ACL_OK(aclrtRecordEvent(event, stream));
    const auto start = Clock::now();
    ACL_FAILS_SAYING(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, aclrtSynchronizeEventWithTimeout(event, 20), "event",
                     Shown(event), "20 ms");
    EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(20));
    EXPECT_EQ(log.Size(), 0u);
    Opener opener(gate);
    ACL_OK(aclrtSynchronizeEventWithTimeout(event, -1));
    EXPECT_EQ(log.Size(), 1u);
    ACL_OK(aclrtSynchronizeEventWithTimeout(event, std::numeric_limits<int32_t>::max()));
}

TEST_F(EventSynchronize, OtherTimeoutsAreErrors) {
    Event event;
    for (int32_t timeout : {0, -2, std::numeric_limits<int32_t>::min()})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeEventWithTimeout(event, timeout), "timeout",
                         Shown(static_cast<long long>(timeout)), "-1");
}

// Recorded, waited for, queried and destroyed by many threads at once.
TEST_F(EventCalls, FromManyThreads) {
    constexpr int kThreads = 8;
    Event shared;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            Stream stream;
            for (int round = 0; round < 200; ++round) {
                Event own;
                ACL_EXPECT_OK(aclrtRecordEvent(shared, stream));
                ACL_EXPECT_OK(aclrtRecordEvent(own, stream));
                ACL_EXPECT_OK(aclrtStreamWaitEvent(stream, shared));
                ACL_EXPECT_OK(aclrtSynchronizeEvent(shared));
                ACL_EXPECT_OK(aclrtSynchronizeEvent(own));
                EXPECT_TRUE(IsComplete(own));
            }
        });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

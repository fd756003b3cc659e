// Properties of streams and events: ids, flags, priorities, remaining numbers.
#include "support/acl_test.h"
#include "support/objects.h"
#include "support/says.h"

#include <array>
#include <cstdint>
#include <set>
#include <vector>

using namespace portacl_test;

namespace {

using StreamInfo = WithDevice;
using StreamInfoWithoutDevice = Initialized;

int32_t Id(aclrtStream stream) {
    auto id = Poison<int32_t>();
    ACL_EXPECT_OK(aclrtStreamGetId(stream, &id));
    return id;
}

uint32_t Flags(aclrtStream stream) {
    auto flags = Poison<uint32_t>();
    ACL_EXPECT_OK(aclrtStreamGetFlags(stream, &flags));
    return flags;
}

uint32_t Priority(aclrtStream stream) {
    auto priority = Poison<uint32_t>();
    ACL_EXPECT_OK(aclrtStreamGetPriority(stream, &priority));
    return priority;
}

uint32_t EventId(aclrtEvent event) {
    auto id = Poison<uint32_t>();
    ACL_EXPECT_OK(aclrtGetEventId(event, &id));
    return id;
}

// The three queries of `stream` fail with `code`, and write nothing.
void ExpectRefused(aclrtStream stream, aclError code) {
    auto id = Poison<int32_t>();
    auto flags = Poison<uint32_t>(), priority = Poison<uint32_t>();
    ACL_FAILS(code, aclrtStreamGetId(stream, &id));
    ACL_FAILS(code, aclrtStreamGetFlags(stream, &flags));
    ACL_FAILS(code, aclrtStreamGetPriority(stream, &priority));
    EXPECT_TRUE(IsPoison(id) && IsPoison(flags) && IsPoison(priority));
}

}  // namespace

TEST_F(StreamInfo, IdsAreUniqueAndConstant) {
    std::vector<aclrtStream> streams(20);
    std::set<int32_t> ids{Id(nullptr)};
    for (auto& stream : streams) {
        ACL_OK(aclrtCreateStream(&stream));
        EXPECT_GE(Id(stream), 0);
        EXPECT_EQ(Id(stream), Id(stream));
        ids.insert(Id(stream));
    }
    EXPECT_EQ(ids.size(), streams.size() + 1);
    OnNewThread([&] {
        ACL_OK(aclrtSetDevice(0));
        EXPECT_EQ(ids.count(Id(streams[7])), 1u);
    });
    for (auto& stream : streams) ACL_OK(aclrtDestroyStream(stream));
}

TEST_F(StreamInfo, FlagsAreThoseOfTheCreation) {
    EXPECT_EQ(Flags(nullptr), 0u);
    Stream plain;
    EXPECT_EQ(Flags(plain), 0u);
    const uint32_t fast = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC;
    for (const uint32_t flags :
         {fast, uint32_t{ACL_STREAM_HUGE}, fast | ACL_STREAM_CPU_SCHEDULE, uint32_t{ACL_STREAM_DEVICE_USE_ONLY}, 0u}) {
        aclrtStream stream = nullptr;
        // Unknown bits are ignored.
        ACL_OK(aclrtCreateStreamWithConfig(&stream, 0, flags | 0x8000));
        EXPECT_EQ(Flags(stream), flags);
        ACL_OK(aclrtDestroyStream(stream));
    }
}

TEST_F(StreamInfo, PriorityOfACreationWithConfigIsIgnored) {
    EXPECT_EQ(Priority(nullptr), 0u);
    for (const uint32_t priority : {0u, 1u, 7u, UINT32_MAX}) {
        aclrtStream stream = nullptr;
        ACL_OK(aclrtCreateStreamWithConfig(&stream, priority, 0));
        EXPECT_EQ(Priority(stream), 0u);
        ACL_OK(aclrtDestroyStream(stream));
    }
}

TEST_F(StreamInfo, NullOutputs) {
    Stream stream;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtStreamGetId(stream, nullptr), "streamId is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtStreamGetFlags(stream, nullptr), "flags is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtStreamGetPriority(nullptr, nullptr), "priority is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetStreamAvailableNum(nullptr), "streamCount is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetEventAvailNum(nullptr), "eventCount is null");
}

TEST_F(StreamInfo, BadStreams) {
    Stream stream;
    Event event;
    aclrtStream destroyed = stream.Release();
    ACL_OK(aclrtDestroyStream(destroyed));
    for (void* bad : {destroyed, aclrtStream(aclrtEvent(event)), reinterpret_cast<void*>(8)})
        ExpectRefused(bad, ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(StreamInfo, StreamsOfAnotherDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtSetDevice(1));
    ExpectRefused(stream, ACL_ERROR_RT_STREAM_CONTEXT);
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtDestroyStream(stream));
}

TEST_F(StreamInfoWithoutDevice, NeedsADevice) {
    ExpectRefused(nullptr, ACL_ERROR_RT_CONTEXT_NULL);
    auto count = Poison<uint32_t>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetStreamAvailableNum(&count));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetEventAvailNum(&count));
    EXPECT_TRUE(IsPoison(count));
}

TEST_F(StreamInfo, EventIdsAreUnique) {
    std::set<uint32_t> ids;
    std::vector<aclrtEvent> events(20);
    for (auto& event : events) {
        ACL_OK(aclrtCreateEvent(&event));
        ids.insert(EventId(event));
        // A record does not change it.
        ACL_OK(aclrtRecordEvent(event, nullptr));
        ids.insert(EventId(event));
    }
    EXPECT_EQ(ids.size(), events.size());
    for (auto& event : events) ACL_OK(aclrtDestroyEvent(event));
}

TEST_F(StreamInfo, BadEvents) {
    auto id = Poison<uint32_t>();
    Event event;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetEventId(event, nullptr), "eventId is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetEventId(nullptr, &id), "event is null");
    Stream stream;
    aclrtEvent destroyed = event.Release();
    ACL_OK(aclrtDestroyEvent(destroyed));
    for (void* bad : {destroyed, aclrtEvent(aclrtStream(stream)), reinterpret_cast<void*>(8)})
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtGetEventId(bad, &id));
    EXPECT_TRUE(IsPoison(id));
}

TEST_F(StreamInfo, LiveObjectsAreNotAvailable) {
    auto before = Poison<uint32_t>(), during = Poison<uint32_t>(), after = Poison<uint32_t>();
    ACL_OK(aclrtGetStreamAvailableNum(&before));
    {
        Stream one, two;
        ACL_OK(aclrtGetStreamAvailableNum(&during));
    }
    ACL_OK(aclrtGetStreamAvailableNum(&after));
    EXPECT_GT(before, 10000u);
    EXPECT_EQ(during, before - 2);
    EXPECT_EQ(after, before);

    ACL_OK(aclrtGetEventAvailNum(&before));
    {
        Event not_limited;
        std::array<aclrtEvent, 3> events;
        for (aclrtEvent& event : events) ACL_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
        ACL_OK(aclrtGetEventAvailNum(&during));
        for (aclrtEvent event : events) ACL_OK(aclrtDestroyEvent(event));
    }
    ACL_OK(aclrtGetEventAvailNum(&after));
    EXPECT_EQ(before, 65536u);
    EXPECT_EQ(during, before - 3);
    EXPECT_EQ(after, before);
}

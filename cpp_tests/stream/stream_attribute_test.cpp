// Attributes of streams: set, read back, refused.

#include <cstring>
#include <limits>

#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

uint64_t ValueOf(aclrtStream stream, aclrtStreamAttr attr) {
    auto value = Poison<aclrtStreamAttrValue>();
    const auto untouched = value;
    ACL_EXPECT_OK(aclrtGetStreamAttribute(stream, attr, &value));
    const bool is_long = attr == ACL_STREAM_ATTR_FAILURE_MODE;
    const size_t written = is_long ? 8 : 4;
    EXPECT_EQ(std::memcmp(reinterpret_cast<char*>(&value) + written,
                          reinterpret_cast<const char*>(&untouched) + written, sizeof value - written),
              0)
        << "more was written than the member";
    return is_long ? value.failureMode : value.userCustomTag;
}

aclError Set(aclrtStream stream, aclrtStreamAttr attr, uint64_t number) {
    auto value = Poison<aclrtStreamAttrValue>();
    if (attr == ACL_STREAM_ATTR_FAILURE_MODE)
        value.failureMode = number;
    else
        value.userCustomTag = static_cast<uint32_t>(number);
    return aclrtSetStreamAttribute(stream, attr, &value);
}

uint32_t LeastPriority() {
    int32_t least = 0, greatest = 0;
    ACL_EXPECT_OK(aclrtDeviceGetStreamPriorityRange(&least, &greatest));
    return static_cast<uint32_t>(least);
}

constexpr aclrtStreamAttr kAll[] = {ACL_STREAM_ATTR_FAILURE_MODE, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK,
                                    ACL_STREAM_ATTR_USER_CUSTOM_TAG, ACL_STREAM_ATTR_CACHE_OP_INFO,
                                    ACL_STREAM_ATTR_PRIORITY};

class StreamAttribute : public WithDevice {};

TEST_F(StreamAttribute, AreZeroAtFirst) {
    Stream stream;
    for (aclrtStreamAttr attr : kAll) {
        EXPECT_EQ(ValueOf(stream, attr), 0u) << attr;
        EXPECT_EQ(ValueOf(nullptr, attr), 0u) << attr;
    }
}

TEST_F(StreamAttribute, ArePerStream) {
    Stream stream, other;
    for (aclrtStream each : {static_cast<aclrtStream>(stream), aclrtStream{nullptr}}) {
        ACL_OK(Set(each, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, 1));
        ACL_OK(Set(each, ACL_STREAM_ATTR_USER_CUSTOM_TAG, 0xFFFFFFFFu));
        ACL_OK(Set(each, ACL_STREAM_ATTR_CACHE_OP_INFO, 1));
        EXPECT_EQ(ValueOf(each, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK), 1u);
        EXPECT_EQ(ValueOf(each, ACL_STREAM_ATTR_USER_CUSTOM_TAG), 0xFFFFFFFFu);
        EXPECT_EQ(ValueOf(each, ACL_STREAM_ATTR_CACHE_OP_INFO), 1u);
        ACL_OK(Set(each, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, 0));
        EXPECT_EQ(ValueOf(each, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK), 0u);
        EXPECT_EQ(ValueOf(each, ACL_STREAM_ATTR_CACHE_OP_INFO), 1u);
    }
    for (aclrtStreamAttr attr : kAll) EXPECT_EQ(ValueOf(other, attr), 0u) << attr;
    OnNewThread([&stream] {
        ACL_OK(aclrtSetDevice(0));
        EXPECT_EQ(ValueOf(stream, ACL_STREAM_ATTR_CACHE_OP_INFO), 1u);
    });
}

TEST_F(StreamAttribute, FailureModeIsTheSameAsByItsOwnFunction) {
    Stream stream, other;
    ACL_OK(Set(stream, ACL_STREAM_ATTR_FAILURE_MODE, ACL_STOP_ON_FAILURE));
    EXPECT_EQ(ValueOf(stream, ACL_STREAM_ATTR_FAILURE_MODE), ACL_STOP_ON_FAILURE);
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE), "before",
                     "once");
    ACL_OK(aclrtSetStreamFailureMode(other, ACL_STOP_ON_FAILURE));
    EXPECT_EQ(ValueOf(other, ACL_STREAM_ATTR_FAILURE_MODE), ACL_STOP_ON_FAILURE);
    aclrtStreamAttrValue value{};
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamAttribute(other, ACL_STREAM_ATTR_FAILURE_MODE, &value),
                     "before", "once");
}

TEST_F(StreamAttribute, PriorityIsKnownToTheStream) {
    const uint32_t least = LeastPriority();
    ASSERT_GT(least, 0u);
    Stream stream;
    if (OnCpu()) {
        ACL_OK(Set(stream, ACL_STREAM_ATTR_PRIORITY, least));
    } else {
        // A driver keeps the priority from creation.
        EXPECT_TRUE(FailedSaying("aclrtSetStreamAttribute", Set(stream, ACL_STREAM_ATTR_PRIORITY, least),
                                 ACL_ERROR_RT_FEATURE_NOT_SUPPORT, {"aclrtCreateStreamV2"}));
    }
    const uint32_t now = OnCpu() ? least : 0;
    EXPECT_EQ(ValueOf(stream, ACL_STREAM_ATTR_PRIORITY), now);
    auto priority = Poison<uint32_t>();
    ACL_OK(aclrtStreamGetPriority(stream, &priority));
    EXPECT_EQ(priority, now);
    // Setting the current priority always succeeds.
    ACL_OK(Set(stream, ACL_STREAM_ATTR_PRIORITY, now));
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(StreamAttribute, BadValues) {
    Stream stream;
    const uint32_t least = LeastPriority();
    aclrtStreamAttrValue value{};
    value.failureMode = 2;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value),
                     "failureMode is 2", "ACL_STOP_ON_FAILURE 1");
    value.overflowSwitch = 2;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value),
                     "overflowSwitch is 2", "1 (on)");
    value.cacheOpInfoSwitch = std::numeric_limits<uint32_t>::max();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_CACHE_OP_INFO, &value),
                     "cacheOpInfoSwitch is 4294967295", "1 (on)");
    value.streamPriority = least + 1;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value),
                     "streamPriority is " + std::to_string(least + 1), "to " + std::to_string(least));
    for (aclrtStreamAttr attr : kAll) EXPECT_EQ(ValueOf(stream, attr), 0u) << attr;
}

TEST_F(StreamAttribute, BadArguments) {
    Stream stream;
    auto value = Poison<aclrtStreamAttrValue>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, nullptr),
                     "value", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, nullptr),
                     "value", "null");
    for (int attr : {-1, 0, 6, std::numeric_limits<int>::max()}) {
        const auto bad = static_cast<aclrtStreamAttr>(attr);
        const std::string shown = "stmAttrType is " + std::to_string(attr);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetStreamAttribute(stream, bad, &value), shown, "1 to 5");
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetStreamAttribute(stream, bad, &value), shown, "1 to 5");
    }
    EXPECT_TRUE(IsPoison(value));
}

TEST_F(StreamAttribute, BadStreams) {
    aclrtStream dead = Stream().Release();
    ACL_OK(aclrtDestroyStream(dead));
    Event event;
    auto value = Poison<aclrtStreamAttrValue>();
    aclrtStreamAttrValue zero{};
    for (aclrtStream bad : {dead, static_cast<aclrtStream>(static_cast<aclrtEvent>(event)),
                            reinterpret_cast<aclrtStream>(uintptr_t{42})}) {
        for (aclrtStreamAttr attr : kAll) {
            ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtGetStreamAttribute(bad, attr, &value), Shown(bad));
            ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamAttribute(bad, attr, &zero), Shown(bad));
        }
    }
    EXPECT_TRUE(IsPoison(value));
}

TEST_F(StreamAttribute, NeedADevice) {
    Stream stream;
    OnNewThread([&stream] {
        auto value = Poison<aclrtStreamAttrValue>();
        aclrtStreamAttrValue zero{};
        for (aclrtStream each : {static_cast<aclrtStream>(stream), aclrtStream{nullptr}}) {
            ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetStreamAttribute(each, ACL_STREAM_ATTR_PRIORITY, &value));
            ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSetStreamAttribute(each, ACL_STREAM_ATTR_PRIORITY, &zero));
        }
        EXPECT_TRUE(IsPoison(value));
        if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
        ACL_OK(aclrtSetDevice(1));
        ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value),
                         "device 0", "device 1");
        EXPECT_TRUE(IsPoison(value));
    });
}

TEST_F(StreamAttribute, FailAfterFinalize) {
    aclrtStream stream = Stream().Release();
    ACL_OK(aclFinalize());
    auto value = Poison<aclrtStreamAttrValue>();
    aclrtStreamAttrValue zero{};
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &value));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSetStreamAttribute(nullptr, ACL_STREAM_ATTR_USER_CUSTOM_TAG, &zero));
    EXPECT_TRUE(IsPoison(value));
    ACL_OK(aclInit(nullptr));
}

}  // namespace

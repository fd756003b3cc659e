// Core limits of devices, streams and threads.
#include "support/objects.h"
#include "support/says.h"

#include <climits>
#include <string>

using namespace portacl_test;

namespace {

using ResourceLimit = WithDevice;

constexpr aclError kBad = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr auto kCube = ACL_RT_DEV_RES_CUBE_CORE;
constexpr auto kVector = ACL_RT_DEV_RES_VECTOR_CORE;

uint32_t OfDevice(aclrtDevResLimitType type, int32_t device = 0) {
    auto value = Poison<uint32_t>();
    ACL_EXPECT_OK(aclrtGetDeviceResLimit(device, type, &value));
    return value;
}

uint32_t OfStream(aclrtStream stream, aclrtDevResLimitType type) {
    auto value = Poison<uint32_t>();
    ACL_EXPECT_OK(aclrtGetStreamResLimit(stream, type, &value));
    return value;
}

uint32_t InThread(aclrtDevResLimitType type) {
    auto value = Poison<uint32_t>();
    ACL_EXPECT_OK(aclrtGetResInCurrentThread(type, &value));
    return value;
}

// The number of cores of the device.
uint32_t All(aclrtDevResLimitType type) {
    auto value = Poison<int64_t>();
    ACL_EXPECT_OK(
        aclrtGetDeviceInfo(0, type == kCube ? ACL_DEV_ATTR_CUBE_CORE_NUM : ACL_DEV_ATTR_VECTOR_CORE_NUM, &value));
    return static_cast<uint32_t>(value);
}

}  // namespace

TEST_F(ResourceLimit, StartsWithAllCores) {
    Stream stream;
    for (const auto type : {kCube, kVector}) {
        EXPECT_GE(All(type), 1u);
        EXPECT_EQ(OfDevice(type), All(type));
        EXPECT_EQ(OfStream(stream, type), All(type));
        EXPECT_EQ(InThread(type), All(type));
    }
}

TEST_F(ResourceLimit, OfADeviceAppliesToAllThreadsUntilItIsReset) {
    Stream stream;
    ACL_OK(aclrtSetDeviceResLimit(0, kVector, 1));
    EXPECT_EQ(OfDevice(kVector), 1u);
    EXPECT_EQ(OfDevice(kCube), All(kCube)) << "limits are per type";
    EXPECT_EQ(OfStream(stream, kVector), 1u);
    EXPECT_EQ(OfStream(nullptr, kVector), 1u);
    EXPECT_EQ(InThread(kVector), 1u);
    OnNewThread([] {
        EXPECT_EQ(OfDevice(kVector), 1u);
        ACL_OK(aclrtSetDevice(0));
        EXPECT_EQ(InThread(kVector), 1u);
    });
    ACL_OK(aclrtSetDeviceResLimit(0, kCube, 1));
    ACL_OK(aclrtResetDeviceResLimit(0));
    for (const auto type : {kCube, kVector}) EXPECT_EQ(OfDevice(type), All(type));
    ACL_OK(aclrtResetDeviceResLimit(0));
}

TEST_F(ResourceLimit, OfADeviceThatIsNotSet) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDeviceResLimit(1, kVector, 1));
    EXPECT_EQ(OfDevice(kVector, 1), 1u);
    EXPECT_EQ(OfDevice(kVector, 0), All(kVector)) << "another device";
}

TEST_F(ResourceLimit, SurvivesADeviceResetAndEndsWithTheSession) {
    ACL_OK(aclrtSetDeviceResLimit(0, kVector, 1));
    ACL_OK(aclrtResetDeviceForce(0));
    EXPECT_EQ(OfDevice(kVector), 1u);
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(InThread(kVector), 1u);
    ACL_OK(aclFinalize());
    auto value = Poison<uint32_t>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDeviceResLimit(0, kVector, &value));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSetDeviceResLimit(0, kVector, 1));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtResetDeviceResLimit(0));
    EXPECT_TRUE(IsPoison(value));
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(OfDevice(kVector), All(kVector));
}

TEST_F(ResourceLimit, ALimitAboveTheCoresHasNoEffect) {
    Stream stream;
    ACL_OK(aclrtSetDeviceResLimit(0, kCube, UINT32_MAX));
    EXPECT_EQ(OfDevice(kCube), All(kCube));
    ACL_OK(aclrtSetStreamResLimit(stream, kVector, All(kVector) + 1));
    EXPECT_EQ(OfStream(stream, kVector), All(kVector));
    ACL_OK(aclrtUseStreamResInCurrentThread(stream));
    EXPECT_EQ(InThread(kVector), All(kVector));
}

TEST_F(ResourceLimit, OfAStreamTakesPrecedence) {
    ACL_OK(aclrtSetDeviceResLimit(0, kVector, 1));
    Stream stream, other;
    ACL_OK(aclrtSetStreamResLimit(stream, kVector, 2));
    EXPECT_EQ(OfStream(stream, kVector), 2u);
    EXPECT_EQ(OfStream(stream, kCube), All(kCube));
    EXPECT_EQ(OfStream(other, kVector), 1u);
    EXPECT_EQ(OfDevice(kVector), 1u);
    ACL_OK(aclrtResetStreamResLimit(stream));
    EXPECT_EQ(OfStream(stream, kVector), 1u);
    ACL_OK(aclrtSetStreamResLimit(nullptr, kVector, 2));
    EXPECT_EQ(OfStream(nullptr, kVector), 2u);
    ACL_OK(aclrtResetStreamResLimit(nullptr));
    ACL_OK(aclrtResetStreamResLimit(nullptr));
}

TEST_F(ResourceLimit, OfAStreamAppliesToTheThreadThatUsesIt) {
    Stream stream, other;
    ACL_OK(aclrtSetDeviceResLimit(0, kVector, 1));
    ACL_OK(aclrtSetStreamResLimit(stream, kVector, 2));
    EXPECT_EQ(InThread(kVector), 1u) << "no thread uses it yet";
    ACL_OK(aclrtUseStreamResInCurrentThread(stream));
    EXPECT_EQ(InThread(kVector), 2u);
    EXPECT_EQ(InThread(kCube), All(kCube)) << "the stream has no limit of that";
    OnNewThread([] {
        ACL_OK(aclrtSetDevice(0));
        EXPECT_EQ(InThread(kVector), 1u) << "another thread";
    });
    ACL_OK(aclrtResetStreamResLimit(stream));
    EXPECT_EQ(InThread(kVector), 1u);
    ACL_OK(aclrtSetStreamResLimit(stream, kVector, 2));
    // Unusing a stream that is not in use has no effect.
    ACL_OK(aclrtUnuseStreamResInCurrentThread(other));
    EXPECT_EQ(InThread(kVector), 2u);
    ACL_OK(aclrtUseStreamResInCurrentThread(other));
    EXPECT_EQ(InThread(kVector), 1u);
    ACL_OK(aclrtUseStreamResInCurrentThread(stream));
    ACL_OK(aclrtUnuseStreamResInCurrentThread(stream));
    EXPECT_EQ(InThread(kVector), 1u);
    ACL_OK(aclrtUnuseStreamResInCurrentThread(stream));
}

TEST_F(ResourceLimit, ADestroyedStreamHasNoEffect) {
    {
        Stream stream;
        ACL_OK(aclrtSetStreamResLimit(stream, kVector, 1));
        ACL_OK(aclrtUseStreamResInCurrentThread(stream));
        EXPECT_EQ(InThread(kVector), 1u);
    }
    EXPECT_EQ(InThread(kVector), All(kVector));
}

TEST_F(ResourceLimit, AStreamOfAnotherDeviceHasNoEffect) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    Stream stream;
    ACL_OK(aclrtSetStreamResLimit(stream, kVector, 1));
    ACL_OK(aclrtUseStreamResInCurrentThread(stream));
    ACL_OK(aclrtSetDevice(1));
    EXPECT_EQ(InThread(kVector), All(kVector));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(InThread(kVector), 1u);
}

TEST_F(ResourceLimit, BadArguments) {
    Stream stream;
    auto value = Poison<uint32_t>();
    for (const int number : {-1, 2, INT_MIN, INT_MAX}) {
        const auto type = static_cast<aclrtDevResLimitType>(number);
        const std::string said = "type is " + std::to_string(number), bound = "CUBE_CORE (0)";
        ACL_FAILS_SAYING(kBad, aclrtGetDeviceResLimit(0, type, &value), said, bound);
        ACL_FAILS_SAYING(kBad, aclrtSetDeviceResLimit(0, type, 1), said, bound);
        ACL_FAILS_SAYING(kBad, aclrtGetStreamResLimit(stream, type, &value), said, bound);
        ACL_FAILS_SAYING(kBad, aclrtSetStreamResLimit(stream, type, 1), said, bound);
        ACL_FAILS_SAYING(kBad, aclrtGetResInCurrentThread(type, &value), said, bound);
    }
    ACL_FAILS_SAYING(kBad, aclrtSetDeviceResLimit(0, kCube, 0), "value is 0", "at least one");
    ACL_FAILS_SAYING(kBad, aclrtSetStreamResLimit(stream, kCube, 0), "value is 0", "at least one");
    ACL_FAILS_SAYING(kBad, aclrtGetDeviceResLimit(0, kCube, nullptr), "value is null");
    ACL_FAILS_SAYING(kBad, aclrtGetStreamResLimit(stream, kCube, nullptr), "value is null");
    ACL_FAILS_SAYING(kBad, aclrtGetResInCurrentThread(kCube, nullptr), "value is null");
    EXPECT_TRUE(IsPoison(value));
    EXPECT_EQ(OfDevice(kCube), All(kCube));
    EXPECT_EQ(OfStream(stream, kCube), All(kCube));
}

TEST_F(ResourceLimit, InsideAHostFunction) {
    const auto calls = [](void* out) {
        auto* value = static_cast<uint32_t*>(out);
        ACL_FAILS_SAYING(kDead, aclrtGetDeviceResLimit(0, kCube, value), "host function");
        ACL_FAILS_SAYING(kDead, aclrtSetDeviceResLimit(0, kCube, 1), "host function");
        ACL_FAILS_SAYING(kDead, aclrtResetDeviceResLimit(0), "host function");
    };
    auto value = Poison<uint32_t>();
    ACL_OK(aclrtLaunchHostFunc(nullptr, calls, &value));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_TRUE(IsPoison(value));
    EXPECT_EQ(OfDevice(kCube), All(kCube));
}

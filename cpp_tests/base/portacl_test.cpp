// Functions of portacl.h beyond the Ascend runtime API.

#include <portacl/portacl.h>

#include <array>
#include <cstdlib>

#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

class BackendName : public Initialized {};

TEST_F(BackendName, IsTheRequestedBackend) {
    const char* name = portaclBackendName();
    ASSERT_NE(name, nullptr);
    const char* asked = std::getenv("PORTACL_BACKEND");
    if (asked && std::string(asked) != "auto") {
        EXPECT_STREQ(name, asked);
    }
    // It needs no device and stays the same.
    OnNewThread([name] { EXPECT_EQ(portaclBackendName(), name); });
}

TEST_F(BackendName, IsNullAfterFinalize) {
    ACL_OK(aclFinalize());
    EXPECT_EQ(portaclBackendName(), nullptr);
    const char* text = aclGetRecentErrMsg();
    ASSERT_NE(text, nullptr);
    EXPECT_NE(std::string(text).find("portaclBackendName"), std::string::npos);
    ACL_OK(aclInit(nullptr));
    EXPECT_NE(portaclBackendName(), nullptr);
}

class DeviceName : public WithDevice {};

TEST_F(DeviceName, IsTruncatedToTheBuffer) {
    std::array<char, 256> whole;
    whole.fill('#');
    ACL_OK(portaclDeviceName(0, whole.data(), whole.size()));
    const std::string name = whole.data();
    ASSERT_GT(name.size(), 2u);
    EXPECT_LT(name.size(), 128u);
    std::array<char, 4> part;
    part.fill('#');
    ACL_OK(portaclDeviceName(0, part.data(), 3));
    EXPECT_EQ(std::string(part.data()), name.substr(0, 2));
    EXPECT_EQ(part[3], '#');
    part.fill('#');
    ACL_OK(portaclDeviceName(0, part.data(), 1));
    EXPECT_EQ(part[0], '\0');
    EXPECT_EQ(part[1], '#');
}

TEST_F(DeviceName, NeedsNoSetDevice) {
    std::array<char, 128> set{}, reset{};
    ACL_OK(portaclDeviceName(0, set.data(), set.size()));
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(portaclDeviceName(0, reset.data(), reset.size()));
    EXPECT_STREQ(set.data(), reset.data());
}

TEST_F(DeviceName, BadArguments) {
    std::array<char, 64> name;
    name.fill('#');
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclDeviceName(0, nullptr, 64), "name", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclDeviceName(0, name.data(), 0), "size", "0");
    for (int32_t device : {-1, static_cast<int32_t>(DeviceCount()), 1000})
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, portaclDeviceName(device, name.data(), name.size()), "deviceId",
                         Shown(static_cast<long long>(device)));
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, portaclDeviceName(0, name.data(), name.size()));
    ACL_OK(aclInit(nullptr));
    for (char byte : name) EXPECT_EQ(byte, '#');
}

TEST(LibraryVersion, IsThatOfTheHeader) {
    auto major = Poison<int32_t>(), minor = Poison<int32_t>(), patch = Poison<int32_t>();
    ACL_OK(portaclGetVersion(&major, &minor, &patch));
    EXPECT_EQ(major, PORTACL_VERSION_MAJOR);
    EXPECT_EQ(minor, PORTACL_VERSION_MINOR);
    EXPECT_EQ(patch, PORTACL_VERSION_PATCH);
}

TEST(LibraryVersion, RefusesNull) {
    auto first = Poison<int32_t>(), second = Poison<int32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclGetVersion(nullptr, &first, &second), "major is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclGetVersion(&first, nullptr, &second), "minor is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclGetVersion(&first, &second, nullptr), "patch is null");
    EXPECT_TRUE(IsPoison(first) && IsPoison(second));
}

TEST(ErrorName, IsTheNameInTheHeader) {
    EXPECT_STREQ(portaclErrorName(ACL_SUCCESS), "ACL_SUCCESS");
    EXPECT_STREQ(portaclErrorName(100000), "ACL_ERROR_INVALID_PARAM");
    EXPECT_STREQ(portaclErrorName(107000), "ACL_ERROR_RT_PARAM_INVALID");
    EXPECT_STREQ(portaclErrorName(507899), "ACL_ERROR_RT_DRV_INTERNAL_ERROR");
    for (const aclError unknown : {-1, 1, 99999, 107999, 2147483647})
        EXPECT_EQ(portaclErrorName(unknown), nullptr) << unknown;
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST(ReportError, IsTheLatestErrorOfItsThread) {
    EXPECT_EQ(portaclReportError("aclnnAdd", 561103, "the shapes [2] and [3] do not fit"), 561103);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 561103);
    OnNewThread([] { EXPECT_EQ(aclGetRecentErrMsg(), nullptr); });
    EXPECT_STREQ(aclGetRecentErrMsg(), "aclnnAdd: the shapes [2] and [3] do not fit (error 561103)");
    EXPECT_EQ(portaclReportError(nullptr, 7, nullptr), 7);
    EXPECT_STREQ(aclGetRecentErrMsg(), "a library: failed (error 7)");
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 7);
}

TEST(ReleaseFailures, AreCountedAndTheTextIsCleared) {
    const uint64_t before = portaclReleaseFailures();
    EXPECT_NE(aclrtDestroyEvent(nullptr), ACL_SUCCESS);
    EXPECT_EQ(portaclNoteReleaseFailure("aclrtDestroyEvent", ACL_ERROR_INVALID_PARAM), before + 1);
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    OnNewThread([before] { EXPECT_EQ(portaclNoteReleaseFailure(nullptr, 424242), before + 2); });
    EXPECT_EQ(portaclReleaseFailures(), before + 2);
}

}  // namespace

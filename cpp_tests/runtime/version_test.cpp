// Versions of packages.
#include "support/acl_test.h"
#include "support/own_process.h"
#include "support/says.h"

#include <climits>
#include <cstring>
#include <string>

using namespace portacl_test;

namespace {

char kRuntime[] = "runtime";

std::string VersionText() {
    char text[ACL_PKG_VERSION_MAX_SIZE];
    std::memset(text, 'x', sizeof text);
    ACL_EXPECT_OK(aclsysGetVersionStr(kRuntime, text));
    return std::string(text, strnlen(text, sizeof text));
}

}  // namespace

OWN_PROCESS_TEST(Version, Default, {"PORTACL_CANN_VERSION", ""}) {
    EXPECT_EQ(VersionText(), "8.3.0");
    int32_t number = 0;
    ACL_OK(aclsysGetVersionNum(kRuntime, &number));
    EXPECT_EQ(number, 80300);
    auto version = Poison<aclCANNPackageVersion>();
    for (int name = ACL_PKG_NAME_CANN; name <= ACL_PKG_NAME_DRIVER; ++name) {
        ACL_OK(aclsysGetCANNVersion(static_cast<aclCANNPackageName>(name), &version));
        EXPECT_STREQ(version.version, "8.3.0");
        EXPECT_STREQ(version.majorVersion, "8");
        EXPECT_STREQ(version.minorVersion, "3");
        EXPECT_STREQ(version.releaseVersion, "0");
        EXPECT_STREQ(version.patchVersion, "");
    }
}

OWN_PROCESS_TEST(Version, ComesFromTheEnvironment, {"PORTACL_CANN_VERSION", "9.12.3"}) {
    EXPECT_EQ(VersionText(), "9.12.3");
    int32_t number = 0;
    ACL_OK(aclsysGetVersionNum(kRuntime, &number));
    EXPECT_EQ(number, 91203);
    // The same until the end of the process.
    setenv("PORTACL_CANN_VERSION", "1.2.3", 1);
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(VersionText(), "9.12.3");
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Version, AnInvalidVersion, {"PORTACL_CANN_VERSION", "8.3.RC1"}) {
    const std::string said = "PORTACL_CANN_VERSION is \"8.3.RC1\"", allowed = "as in 8.3.0";
    auto version = Poison<aclCANNPackageVersion>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version), said, allowed);
    EXPECT_TRUE(IsPoison(version));
    char text[ACL_PKG_VERSION_MAX_SIZE] = "before";
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclsysGetVersionStr(kRuntime, text), said, allowed);
    EXPECT_STREQ(text, "before");
    int32_t number = -7;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum(kRuntime, &number), said, allowed);
    EXPECT_EQ(number, -7);
    // It does not affect anything else.
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
}

TEST(Version, AllPackageNamesAreKnown) {
    char driver[] = "driver", empty[] = "", text[ACL_PKG_VERSION_MAX_SIZE] = "before";
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclsysGetVersionStr(empty, text), "pkgName is empty");
    EXPECT_STREQ(text, "before");
    int32_t number = -7, other = 0;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum(empty, &number), "pkgName is empty");
    EXPECT_EQ(number, -7);
    ACL_OK(aclsysGetVersionNum(driver, &number));
    ACL_OK(aclsysGetVersionNum(kRuntime, &other));
    EXPECT_EQ(number, other);
    ACL_OK(aclsysGetVersionStr(driver, text));
    EXPECT_EQ(text, VersionText());
}

TEST(Version, Nulls) {
    char text[ACL_PKG_VERSION_MAX_SIZE] = "before";
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclsysGetVersionStr(nullptr, text), "pkgName is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclsysGetVersionStr(kRuntime, nullptr), "versionStr is null");
    int32_t number = -7;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum(nullptr, &number), "pkgName is null");
    EXPECT_EQ(number, -7);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclsysGetVersionNum(kRuntime, nullptr), "versionNum is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclsysGetCANNVersion(ACL_PKG_NAME_CANN, nullptr), "version is null");
    EXPECT_STREQ(text, "before");
}

TEST(Version, PackagesOutOfRange) {
    for (const int name : {-1, 8, 99, INT_MIN, INT_MAX}) {
        auto version = Poison<aclCANNPackageVersion>();
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclsysGetCANNVersion(static_cast<aclCANNPackageName>(name), &version),
                         "name is " + std::to_string(name), "0 to 7");
        EXPECT_TRUE(IsPoison(version));
    }
}

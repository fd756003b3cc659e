// portaclCallSite.
#include <portacl/portacl.h>

#include <array>
#include <string>

#include "support/says.h"

using namespace portacl_test;

namespace {

// The function that makes the call, with the line if the program has debugging information.
__attribute__((noinline)) std::string SiteOfThisFunction() {
    std::array<char, 512> site{};
    ACL_EXPECT_OK(portaclCallSite(site.data(), site.size()));
    return site.data();
}

TEST(CallSite, IsTheFunctionThatMakesTheCall) {
    for (int time = 0; time < 2; ++time) {
        const std::string site = SiteOfThisFunction();
        EXPECT_NE(site.find("SiteOfThisFunction"), std::string::npos) << site;
        EXPECT_NE(site.find("call_site_test.cpp:"), std::string::npos) << site;
    }
}

TEST(CallSite, IsTruncatedToTheBuffer) {
    std::array<char, 8> site;
    site.fill('#');
    ACL_OK(portaclCallSite(site.data(), 4));
    EXPECT_EQ(std::string(site.data()).size(), 3u);
    EXPECT_EQ(site[4], '#');
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclCallSite(nullptr, 4), "site", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclCallSite(site.data(), 0), "size", "0");
}

}  // namespace

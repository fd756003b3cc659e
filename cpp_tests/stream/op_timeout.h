// The fixture of tests about timeouts, which are settings of the process.
#pragma once

#include <cstdint>
#include <limits>

#include "support/acl_test.h"

namespace portacl_test {

constexpr uint32_t kMost32 = std::numeric_limits<uint32_t>::max();

// The settings belong to the process: every test begins and ends without any.
class OpTimeout : public WithDevice {
  protected:
    void SetUp() override {
        Forget();
        WithDevice::SetUp();
    }
    void TearDown() override {
        WithDevice::TearDown();
        Forget();
    }

  private:
    static void Forget() {
        ACL_EXPECT_OK(aclrtSetOpExecuteTimeOut(0));
        ACL_EXPECT_OK(aclrtSetOpWaitTimeout(0));
    }
};

}  // namespace portacl_test

// Failures of the backend on demand: see docs/fault_injection.md.
#pragma once

#include <cstdlib>

#include "support/acl_test.h"

namespace portacl_test {

// Applies to sessions that are opened while it exists: create it before aclInit, and not while a
// session is open. Calls are counted from the first of these sessions on.
class Fault {
  public:
    explicit Fault(const char* calls) { setenv("PORTACL_FAULT", calls, 1); }
    // The next session has no faults, so the one after it counts from zero again.
    ~Fault() {
        unsetenv("PORTACL_FAULT");
        ACL_EXPECT_OK(aclInit(nullptr));
        ACL_EXPECT_OK(aclFinalize());
    }
    Fault(const Fault&) = delete;
    Fault& operator=(const Fault&) = delete;
};

}  // namespace portacl_test

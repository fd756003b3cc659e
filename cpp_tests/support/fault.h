// Failures of the backend on demand: see "Trying out failures" in docs/configuration.md.
#pragma once

#include <cstdlib>

#include "support/acl_test.h"

namespace portacl_test {

// In force for the lives of the library that begin while it exists: create it before aclInit, and
// not while the library is in use. Calls are counted from the first of these lives on.
class Fault {
  public:
    explicit Fault(const char* calls) { setenv("PORTACL_FAULT", calls, 1); }
    // The next life is without it, and so the one after that counts anew.
    ~Fault() {
        unsetenv("PORTACL_FAULT");
        ACL_EXPECT_OK(aclInit(nullptr));
        ACL_EXPECT_OK(aclFinalize());
    }
    Fault(const Fault&) = delete;
    Fault& operator=(const Fault&) = delete;
};

}  // namespace portacl_test

// The codes that tests of kernels expect most.
#pragma once

#include <acl/acl.h>

namespace portacl_test {

// An invalid argument.
constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
// A handle that never existed, or does not exist any longer.
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

}  // namespace portacl_test

// Element types in the terms of the API and of ATen.
#pragma once

#include <aclnn/acl_meta.h>

#include "run/aten.h"

namespace operators {

// ATen's type; a type that it does not have is a Refusal.
at::ScalarType ScalarTypeOf(aclDataType type);

// The number at `value`.
at::Scalar ReadScalar(const void* value, aclDataType type);

}  // namespace operators

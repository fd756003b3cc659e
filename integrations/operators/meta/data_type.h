// Element types in the terms of the API and of ATen.
#pragma once

#include <aclnn/acl_meta.h>

#include "run/aten.h"

namespace operators {

// Returns ATen's type. Throws a Refusal for a type that ATen does not have.
at::ScalarType ScalarTypeOf(aclDataType type);

// Returns the number at `value`.
at::Scalar ReadScalar(const void* value, aclDataType type);

}  // namespace operators

// Executors: operators between their two phases.
#pragma once

#include <acl/acl_rt.h>
#include <aclnn/aclnn_base.h>

#include "run/work.h"

namespace operators {

// Creates an executor for one call of the second phase. The pool of executors that wait for theirs is bounded: the
// oldest one is dropped.
aclOpExecutor* MakeExecutor(WorkPointer work);

// Runs the second phase of the operator `name`.
aclnnStatus Launch(const char* name, aclOpExecutor* executor, aclrtStream stream) noexcept;

}  // namespace operators

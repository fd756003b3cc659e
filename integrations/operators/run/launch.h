// Launches of work in streams.
#pragma once

#include <acl/acl_rt.h>

#include "run/work.h"

namespace operators {

// Enqueues the work. Throws a Refusal if the runtime does not take it.
void LaunchWork(WorkPointer work, aclrtStream stream);

}  // namespace operators

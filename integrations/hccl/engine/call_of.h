// An operation as the hub compares it.
#pragma once

#include "base/operation.h"
#include "watch/calls.h"

namespace hccl {

Call CallOf(const Operation& operation);

}  // namespace hccl

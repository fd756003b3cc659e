// Reductions of two arrays of elements, for Gloo.
#pragma once

#include <hccl/hccl_types.h>

#include <cstddef>

namespace hccl {

// Reduces `count` elements of `left` and `right` into `result`, which may be one of them.
using Reduction = void (*)(void* result, const void* left, const void* right, size_t count);

Reduction ReductionOf(HcclDataType type, HcclReduceOp reduction);

}  // namespace hccl

// Element types and reductions: sizes and names.
#pragma once

#include <hccl/hccl_types.h>

#include <cstddef>

namespace hccl {

// Returns the bytes of an element, or 0 if there is no such type.
size_t BytesOf(HcclDataType type);
// Returns the name, or null if there is no such type or reduction.
const char* NameOf(HcclDataType type);
const char* NameOf(HcclReduceOp reduction);

}  // namespace hccl

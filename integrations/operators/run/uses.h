// Reports the memory that an operator uses, for PORTACL_CHECK.
#pragma once

#include <portacl/kernel.h>

namespace operators {

// Writes at most `capacity` ranges, and returns how many there are. The storages of the work begin at these addresses.
size_t UsesOf(uintptr_t work, void* const* storages, portaclUse* uses, size_t capacity);

}  // namespace operators

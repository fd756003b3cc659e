// The device memory of an operation, as the buffers of a task.
#pragma once

#include <portacl/portacl.h>

#include <vector>

#include "base/operation.h"

namespace hccl {

// Returns the buffers. Those that overlap, of which one is written, are one buffer.
std::vector<portaclTaskBuffer> BuffersOf(const Operation& operation);

// Returns the operation with host addresses: `addresses` has one for each of the buffers.
Operation OnHost(const Operation& operation, const std::vector<portaclTaskBuffer>& buffers, void* const* addresses);

}  // namespace hccl

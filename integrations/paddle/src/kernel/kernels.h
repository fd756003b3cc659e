// Operators for which Paddle's CPU kernels cannot be used, because they would write device memory.
#pragma once

namespace portacl_paddle {

// Registers them for the device, if Paddle has the interface for it; the column of slots.inc
// identifies the release. `has_cpu_kernels`: the device has those of the CPU, so only types without one are left.
void RegisterKernels(const char* device_type, int column, bool has_cpu_kernels);

}  // namespace portacl_paddle

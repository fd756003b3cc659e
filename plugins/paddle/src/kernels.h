// Operators that Paddle's CPU kernels cannot do for us, because they would write memory of the
// device.
#pragma once

namespace portacl_paddle {

// Registers them for the device, where Paddle has the interface for it; the column of slots.inc
// tells the release.
void RegisterKernels(const char* device_type, int column);

}  // namespace portacl_paddle

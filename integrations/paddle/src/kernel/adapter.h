#pragma once

namespace portacl_paddle {

// Loads the module that makes the CPU kernels of this release of Paddle kernels of the device, if it is beside the
// plug-in. Without it operators run by Paddle's fall-back. Returns whether the device has the CPU's `full` then;
// without the module, or where the host may not touch device memory, it needs the plug-in's own.
bool LoadAdapter(const char* device_type);

// Whether it has: the device then has kernels of half precision.
bool HasAdapter();

}  // namespace portacl_paddle

#pragma once

namespace portacl_paddle {

// Loads the module that makes the CPU kernels of this release of Paddle kernels of the device, if it is beside the
// plug-in. Without it operators run by Paddle's fall-back.
void LoadAdapter(const char* device_type);

}  // namespace portacl_paddle

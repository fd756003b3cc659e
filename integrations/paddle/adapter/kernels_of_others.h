// CPU kernels that have no place on the device.
#pragma once

#include <string>

namespace portacl_paddle {

// `is_on_host`: whether the host may touch device memory.
bool BelongsToOthers(const std::string& kernel, bool is_on_host);

}  // namespace portacl_paddle

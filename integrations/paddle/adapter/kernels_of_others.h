// CPU kernels that have no place on the device.
#pragma once

#include <string>

namespace portacl_paddle {

bool BelongsToOthers(const std::string& kernel);

}  // namespace portacl_paddle

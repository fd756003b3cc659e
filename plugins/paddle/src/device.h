// Which device a thread works on. Paddle names the device in each call, and does not always set it
// before; the library works on the one that is current.
#pragma once

#include <acl/acl.h>

#include "interface.h"

namespace portacl_paddle {

// Makes a device current for what the callback does next. It stays current: what Paddle itself has
// set, and asks for by get_device, is remembered apart.
inline aclError Enter(int device) {
    int32_t current = -1;
    if (aclrtGetDevice(&current) == ACL_SUCCESS && current == device) return ACL_SUCCESS;
    return aclrtSetDevice(device);
}

inline aclError Enter(C_Device device) {
    return Enter(device->id);
}

// Whether a device is between init_device and deinit_device. What belonged to one that is not has
// gone with it, so that giving it back is nothing to fail about.
bool IsOpen(int device);

}  // namespace portacl_paddle

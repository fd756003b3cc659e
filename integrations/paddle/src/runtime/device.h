// The device of a thread. Paddle passes the device in each call, and does not always set it before;
// the library uses the current device.
#pragma once

#include <acl/acl.h>

#include "base/interface.h"

namespace portacl_paddle {

// Makes a device current for the rest of the callback. It stays current: the device that Paddle
// itself has set, and reads by get_device, is stored separately.
inline aclError Enter(int device) {
    int32_t current = -1;
    if (aclrtGetDevice(&current) == ACL_SUCCESS && current == device) return ACL_SUCCESS;
    return aclrtSetDevice(device);
}

inline aclError Enter(C_Device device) {
    return Enter(device->id);
}

// Returns whether a device is between init_device and deinit_device. Objects of other devices have
// been released with them, so releasing them again is not an error.
bool IsOpen(int device);

}  // namespace portacl_paddle

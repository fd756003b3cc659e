// The streams that Paddle has on each device, for copies between devices.
#pragma once

#include <acl/acl.h>

#include <vector>

#include "interface.h"

namespace portacl_paddle {

inline aclrtStream Handle(C_Stream stream) {
    return reinterpret_cast<aclrtStream>(stream);
}

// The device's streams, with its default stream (null) among them.
std::vector<aclrtStream> StreamsOf(int device);

bool IsStreamOf(int device, aclrtStream stream);

}  // namespace portacl_paddle

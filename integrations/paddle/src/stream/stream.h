// The streams of Paddle on each device, for copies between devices.
#pragma once

#include <acl/acl.h>

#include <vector>

#include "base/interface.h"

namespace portacl_paddle {

inline aclrtStream Handle(C_Stream stream) {
    return reinterpret_cast<aclrtStream>(stream);
}

// The device's streams, including its default stream (null).
std::vector<aclrtStream> StreamsOf(int device);

bool IsStreamOf(int device, aclrtStream stream);

// The device of a stream; -1 for a default stream, which each device has.
int DeviceOf(aclrtStream stream);

}  // namespace portacl_paddle

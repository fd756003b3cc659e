// Copies between device buffers in stream order.
#pragma once

#include <acl/acl.h>

#include <cstddef>

#include "base/failure.h"

namespace hccl {

inline void Copy(void* to, const void* from, size_t bytes, aclrtStream stream) {
    if (bytes == 0 || to == from) return;
    Succeed("aclrtMemcpyAsync", aclrtMemcpyAsync(to, bytes, from, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
}

inline char* At(void* buffer, size_t offset) {
    return static_cast<char*>(buffer) + offset;
}
inline const char* At(const void* buffer, size_t offset) {
    return static_cast<const char*>(buffer) + offset;
}

}  // namespace hccl

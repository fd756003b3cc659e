// The contents of mapped memory.
#pragma once

#include <vector>

#include "support/objects.h"

namespace portacl_test {

using Bytes = std::vector<unsigned char>;

class VirtualMemory : public WithDevice {};

inline void Upload(void* address, const Bytes& bytes) {
    ExpectOk("aclrtMemcpy", aclrtMemcpy(address, bytes.size(), bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE));
}

inline Bytes Download(const void* address, size_t size) {
    Bytes bytes(size);
    ExpectOk("aclrtMemcpy", aclrtMemcpy(bytes.data(), size, address, size, ACL_MEMCPY_DEVICE_TO_HOST));
    return bytes;
}

}  // namespace portacl_test

// How much memory the current device has.
#pragma once

#include "support/objects.h"

namespace portacl_test {

struct MemInfo {
    size_t free = 0;
    size_t total = 0;
};

inline MemInfo DeviceMemInfo() {
    MemInfo info;
    ExpectOk("aclrtGetMemInfo", aclrtGetMemInfo(ACL_HBM_MEM, &info.free, &info.total));
    EXPECT_LE(info.free, info.total);
    return info;
}

}  // namespace portacl_test

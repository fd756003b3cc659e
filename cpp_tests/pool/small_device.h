// Devices with little memory: that of the CPU and of the test double can be chosen, that of a GPU cannot.
#pragma once

#include <string>

#include "support/objects.h"
#include "support/own_process.h"

namespace portacl_test {

// Settings of a process whose devices have `bytes` of memory.
inline Settings SmallDevice(size_t bytes) {
    return {{"PORTACL_CPU_MEMORY", std::to_string(bytes)}, {"FAKE_CUDA_MEMORY", std::to_string(bytes)}};
}

inline size_t FreeBytes() {
    size_t free = 0, total = 0;
    ACL_EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    return free;
}

}  // namespace portacl_test

// A GPU would have to be filled.
#define NEEDS_A_SMALL_DEVICE() \
    if (!IsExact()) GTEST_SKIP() << "for CPUs only: a GPU cannot be made small"

// Checks that a device works, and that the host works without one.
#pragma once

#include <algorithm>
#include <vector>

#include "objects.h"

namespace portacl_test {

// Checks that data reaches the current device, is changed there, and is copied back.
inline void ExpectWorks() {
    constexpr size_t kSize = 4096;
    DeviceMemory memory(std::vector<unsigned char>(kSize, 0x11));
    PinnedMemory pinned(kSize);
    Stream stream;
    Event start, end;
    ACL_OK(aclrtRecordEvent(start, stream));
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 0x22, kSize / 2, stream));
    ACL_OK(aclrtMemcpyAsync(pinned.At(), kSize, memory.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    ACL_OK(aclrtRecordEvent(end, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    std::vector<unsigned char> wanted(kSize, 0x22);
    std::fill(wanted.begin() + kSize / 2, wanted.end(), static_cast<unsigned char>(0x11));
    EXPECT_EQ(pinned.Copy(), wanted);
    float ms = -1;
    ACL_OK(aclrtEventElapsedTime(&ms, start, end));
    EXPECT_GE(ms, 0);
}

// Checks calls that need no device.
inline void ExpectHostCallsWork() {
    EXPECT_NE(aclrtGetSocName(), nullptr);
    EXPECT_EQ(aclFloat16ToFloat(aclFloatToFloat16(1.5F)), 1.5F);
    EXPECT_EQ(aclDataTypeSize(ACL_FLOAT), 4u);
    int32_t major = -1, minor = -1, patch = -1;
    ACL_EXPECT_OK(aclrtGetVersion(&major, &minor, &patch));
}

}  // namespace portacl_test

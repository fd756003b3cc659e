// Checks that copies of pageable memory wait in the call.
#pragma once

#include <atomic>
#include <thread>

#include "support/gate.h"
#include "support/objects.h"

namespace portacl_test {

// Calls `copy(stream)`, which waits, on a thread and for a stream that a gate holds. Other streams continue in the
// meantime.
template <typename Copy>
void BlocksNoOtherStream(Copy copy) {
    constexpr size_t kSize = 1 << 20;
    Stream held, other;
    DeviceMemory device(kSize);
    Gate gate;
    ACL_OK(gate.Hold(held));
    std::atomic<bool> returned{false};
    std::thread waiter([&] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        ACL_EXPECT_OK(copy(held));
        returned = true;
        ACL_EXPECT_OK(aclrtResetDevice(0));
    });
    for (uint32_t round = 0; round < 50; ++round) {
        const std::vector<unsigned char> data = Pattern(kSize, round);
        std::vector<unsigned char> out(kSize);
        ACL_EXPECT_OK(aclrtMemcpyAsync(device.At(), kSize, data.data(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, other));
        ACL_EXPECT_OK(aclrtMemcpyAsync(out.data(), kSize, device.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST, other));
        EXPECT_TRUE(out == data);
    }
    EXPECT_FALSE(returned);
    gate.Open();
    waiter.join();
    EXPECT_TRUE(returned);
}

}  // namespace portacl_test

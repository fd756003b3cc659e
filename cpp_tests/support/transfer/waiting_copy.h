// Checks that copies of pageable memory wait in the call.
#pragma once

#include <atomic>
#include <future>
#include <thread>
#include <vector>

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

// Checks that copy(stream) waits for the work of its own stream only, although some of many streams share a queue of
// the driver with one that is held.
template <typename Copy>
void WaitsForNoOtherStream(Copy copy) {
    // Drivers have at most 32 queues.
    std::vector<Stream> streams(40);
    Gate gate;
    ACL_OK(gate.Hold(streams[0]));
    std::promise<void> ended;
    std::thread copying([&] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        for (size_t i = 1; i < streams.size(); ++i) ACL_EXPECT_OK(copy(streams[i]));
        ended.set_value();
        ACL_EXPECT_OK(aclrtResetDevice(0));
    });
    EXPECT_EQ(ended.get_future().wait_for(kPatience), std::future_status::ready) << "it waited for another stream";
    gate.Open();
    copying.join();
}

}  // namespace portacl_test

// When aclrtMemcpyAsync reads its source and has written its destination.

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "support/gate.h"
#include "support/objects.h"
#include "support/transfer/waiting_copy.h"

using namespace portacl_test;

namespace {

using Bytes = std::vector<unsigned char>;

constexpr size_t kSizes[] = {100, 100000, (3 << 20) + 1};

class MemcpyAsync : public WithDevice {};

// Pinned memory: the call returns before the stream can have reached the copy.
TEST_F(MemcpyAsync, WithPinnedMemoryReturnsAtOnce) {
    for (size_t size : kSizes) {
        Stream stream;
        DeviceMemory device(size);
        PinnedMemory in(size), out(size, 1);
        std::memcpy(in.At(), Pattern(size).data(), size);
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclrtMemcpyAsync(device.At(), size, in.At(), size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        ACL_OK(aclrtMemcpyAsync(out.At(), size, device.At(), size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ASSERT_TRUE(gate.AwaitArrival());
        EXPECT_FALSE(IsIdle(stream));
        EXPECT_TRUE(out.Copy() == Bytes(size, 1));
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_TRUE(out.Copy() == Pattern(size));
    }
}

TEST_F(MemcpyAsync, BetweenDeviceMemoryReturnsAtOnce) {
    for (size_t size : kSizes) {
        Stream stream;
        DeviceMemory from(Pattern(size)), to(Bytes(size, 1));
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclrtMemcpyAsync(to.At(), size, from.At(), size, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        ASSERT_TRUE(gate.AwaitArrival());
        EXPECT_FALSE(IsIdle(stream));
        EXPECT_TRUE(to.Download() == Bytes(size, 1));
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_TRUE(to.Download() == Pattern(size));
    }
}

TEST_F(MemcpyAsync, APageableSourceMayBeReusedOnReturn) {
    for (size_t size : kSizes) {
        Stream stream;
        DeviceMemory device(size);
        PinnedMemory out(size, 0);
        for (uint32_t round = 0; round < 20; ++round) {
            Bytes source = Pattern(size, round);
            ACL_OK(aclrtMemcpyAsync(device.At(), size, source.data(), size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
            std::fill(source.begin(), source.end(), 0xDD);
            ACL_OK(aclrtMemcpyAsync(out.At(), size, device.At(), size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
            ACL_OK(aclrtSynchronizeStream(stream));
            EXPECT_TRUE(out.Copy() == Pattern(size, round));
        }
    }
}

// The same after pending work, which the call may have to wait for.
TEST_F(MemcpyAsync, APageableSourceIsReadInStreamOrder) {
    for (size_t size : kSizes) {
        Stream stream;
        DeviceMemory device(size);
        PinnedMemory first(size, 0);
        ACL_OK(aclrtMemset(device.At(), size, 1, size));
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclrtMemcpyAsync(first.At(), size, device.At(), size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        {
            Opener opener(gate);
            Bytes source = Pattern(size);
            ACL_OK(aclrtMemcpyAsync(device.At(), size, source.data(), size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
            std::fill(source.begin(), source.end(), 0xDD);
        }
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_TRUE(first.Copy() == Bytes(size, 1));
        EXPECT_TRUE(device.Download() == Pattern(size));
    }
}

TEST_F(MemcpyAsync, APageableDestinationIsCompleteOnReturn) {
    for (size_t size : kSizes) {
        Stream stream;
        DeviceMemory device(size);
        for (int round = 0; round < 20; ++round) {
            Bytes out(size, 0xDD);
            ACL_OK(aclrtMemsetAsync(device.At(), size, round, size, stream));
            ACL_OK(aclrtMemcpyAsync(out.data(), size, device.At(), size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
            EXPECT_TRUE(out == Bytes(size, static_cast<unsigned char>(round)));
        }
    }
}

TEST_F(MemcpyAsync, APageableDestinationIsWrittenInStreamOrder) {
    for (size_t size : kSizes) {
        Stream stream;
        DeviceMemory device(Bytes(size, 1));
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclrtMemsetAsync(device.At(), size, 2, size, stream));
        Opener opener(gate);
        Bytes out(size, 0xDD);
        ACL_OK(aclrtMemcpyAsync(out.data(), size, device.At(), size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        EXPECT_TRUE(out == Bytes(size, 2));
    }
}

// Through a buffer: a pinned source may also be reused on return.
TEST_F(MemcpyAsync, HostToBufferToDeviceFreesAnySource) {
    for (size_t size : kSizes) {
        Stream stream;
        DeviceMemory device(size);
        PinnedMemory pinned(size);
        Bytes pageable(size);
        for (bool use_pinned : {true, false}) {
            unsigned char* source = use_pinned ? pinned.Bytes() : pageable.data();
            const Bytes data = Pattern(size, use_pinned);
            std::copy(data.begin(), data.end(), source);
            Gate gate;
            ACL_OK(gate.Hold(stream));
            {
                Opener opener(gate);
                ACL_OK(aclrtMemcpyAsync(device.At(), size, source, size, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream));
                std::fill_n(source, size, 0xDD);
            }
            ACL_OK(aclrtSynchronizeStream(stream));
            EXPECT_TRUE(device.Download() == data);
        }
    }
}

// A thread that waits in a copy of pageable memory blocks no other stream.
TEST_F(MemcpyAsync, AWaitingCopyBlocksNoOtherStream) {
    constexpr size_t kSize = 1 << 20;
    DeviceMemory device(Bytes(kSize, 1));
    Bytes out(kSize, 0);
    BlocksNoOtherStream([&](aclrtStream stream) {
        return aclrtMemcpyAsync(out.data(), kSize, device.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream);
    });
    EXPECT_TRUE(out == Bytes(kSize, 1));
    BlocksNoOtherStream([&](aclrtStream stream) {
        const aclError copied =
            aclrtMemcpyAsync(device.At(), kSize, Pattern(kSize).data(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, stream);
        return copied;
    });
    EXPECT_TRUE(device.Download() == Pattern(kSize));
}

TEST_F(MemcpyAsync, APageableCopyWaitsForNoOtherStream) {
    constexpr size_t kSize = 200000;
    const DeviceMemory device(Bytes(kSize, 1));
    std::vector<std::unique_ptr<DeviceMemory>> copies;
    WaitsForNoOtherStream([&](aclrtStream stream) {
        Bytes host(kSize, 0);
        ACL_EXPECT_OK(aclrtMemcpyAsync(host.data(), kSize, device.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        EXPECT_TRUE(host == Bytes(kSize, 1));
        copies.push_back(std::make_unique<DeviceMemory>(kSize));
        return aclrtMemcpyAsync(copies.back()->At(), kSize, host.data(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, stream);
    });
    ACL_OK(aclrtSynchronizeDevice());
}

// On drivers such a copy first waits for the stream. What another thread enqueues between that wait and the copy is
// before or after the copy, as a whole.
TEST_F(MemcpyAsync, APageableCopyKeepsItsPlaceAmongWorkOfAnotherThread) {
    constexpr size_t kSize = 200000;
    constexpr int kRounds = 100;
    const Stream stream;
    DeviceMemory device(Bytes(kSize, 0));
    std::atomic<int> enqueued{0};
    std::thread filling([&] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        for (int round = 1; round <= kRounds; ++round) {
            ACL_EXPECT_OK(aclrtMemsetAsync(device.At(), kSize, round, kSize, stream));
            enqueued = round;
        }
        ACL_EXPECT_OK(aclrtResetDevice(0));
    });
    for (int latest = 0; latest < kRounds;) {
        const int before = enqueued;
        Bytes out(kSize, 0);
        ACL_EXPECT_OK(aclrtMemcpyAsync(out.data(), kSize, device.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        EXPECT_TRUE(out == Bytes(kSize, out[0])) << "a fill was half complete";
        EXPECT_GE(out[0], std::max(before, latest)) << "an earlier fill was skipped";
        latest = std::max<int>(latest, out[0]);
        if (HasFailure()) break;
    }
    filling.join();
}

// A copy that fails its checks does not affect the stream.
TEST_F(MemcpyAsync, AFailedCallSubmitsNothing) {
    Stream stream;
    DeviceMemory device(Bytes(64, 1));
    PinnedMemory pinned(64, 2);
    ACL_FAILS(ACL_ERROR_INVALID_PARAM,
              aclrtMemcpyAsync(device.At(), 32, pinned.At(), 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    EXPECT_TRUE(IsIdle(stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(device.Download(), Bytes(64, 1));
}

TEST_F(MemcpyAsync, AcrossDevicesInStreamOrder) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    constexpr size_t kSize = 300000;
    DeviceMemory near(kSize);
    Stream producer;
    ACL_OK(aclrtSetDevice(1));
    DeviceMemory far(kSize);
    Stream consumer;
    PinnedMemory seen(kSize, 0);
    for (int round = 1; round <= 20; ++round) {
        Event filled(ACL_EVENT_SYNC);
        ACL_OK(aclrtSetDevice(0));
        Event moved(ACL_EVENT_SYNC);
        ACL_OK(aclrtMemsetAsync(near.At(), kSize, round, kSize, producer));
        ACL_OK(aclrtMemcpyAsync(far.At(), kSize, near.At(), kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, producer));
        ACL_OK(aclrtRecordEvent(moved, producer));
        ACL_OK(aclrtSetDevice(1));
        ACL_OK(aclrtStreamWaitEvent(consumer, moved));
        ACL_OK(aclrtMemcpyAsync(seen.At(), kSize, far.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST, consumer));
        ACL_OK(aclrtRecordEvent(filled, consumer));
        ACL_OK(aclrtSynchronizeEvent(filled));
        EXPECT_TRUE(seen.Copy() == Bytes(kSize, static_cast<unsigned char>(round)));
    }
    ACL_OK(aclrtDestroyStream(consumer.Release()));
    ACL_OK(aclrtSetDevice(0));
}

}  // namespace

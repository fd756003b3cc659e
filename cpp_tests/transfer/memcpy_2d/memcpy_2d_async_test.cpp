// aclrtMemcpy2dAsync: when it reads and writes, in stream order.

#include <algorithm>

#include "support/gate.h"
#include "support/memory/places.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/transfer/waiting_copy.h"
#include "transfer/memcpy_2d/memcpy_2d.h"

using namespace portacl_test;

namespace {

class Memcpy2dAsync : public WithDevice {};

TEST_F(Memcpy2dAsync, TheSynchronousCallWaitsForNoStream) {
    DeviceMemory device(Bytes(100, 0));
    Gate gate;
    ACL_OK(gate.Hold(nullptr));
    const Bytes data = Pattern(100);
    ACL_OK(aclrtMemcpy2d(device.At(), 10, data.data(), 20, 5, 5, ACL_MEMCPY_HOST_TO_DEVICE));
    EXPECT_EQ(device.Download(), (Shape{5, 5, 10, 20}.Copied(data, Bytes(100, 0))));
    EXPECT_FALSE(IsIdle(nullptr));
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
}

// A small copy, and one large enough to be divided among threads.
constexpr Shape kQueued[] = {{30, 20, 50, 40}, {1000, 3000, 1000, 1001}};

TEST_F(Memcpy2dAsync, WithPinnedMemoryReturnsAtOnceAndRunsInOrder) {
    for (const Shape& shape : kQueued) {
        Stream stream;
        DeviceMemory device(Bytes(shape.DstSize(), 1));
        PinnedMemory in(shape.SrcSize()), out(shape.DstSize(), 7);
        const Bytes data = Pattern(shape.SrcSize());
        std::memcpy(in.At(), data.data(), data.size());
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclrtMemcpy2dAsync(device.At(), shape.dpitch, in.At(), shape.spitch, shape.width, shape.height,
                                  ACL_MEMCPY_HOST_TO_DEVICE, stream));
        ACL_OK(aclrtMemcpy2dAsync(out.At(), shape.dpitch, device.At(), shape.dpitch, shape.width, shape.height,
                                  ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ASSERT_TRUE(gate.AwaitArrival());
        EXPECT_FALSE(IsIdle(stream));
        EXPECT_TRUE(device.Download() == Bytes(shape.DstSize(), 1));
        EXPECT_TRUE(out.Copy() == Bytes(shape.DstSize(), 7));
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_TRUE(device.Download() == shape.Copied(data, Bytes(shape.DstSize(), 1)));
        EXPECT_TRUE(out.Copy() == shape.Copied(data, Bytes(shape.DstSize(), 7)));
    }
}

TEST_F(Memcpy2dAsync, PageableMemoryIsFreeToReuseOnReturn) {
    for (const Shape& shape : kQueued) {
        Stream stream;
        DeviceMemory device(Bytes(shape.DstSize(), 1));
        const Bytes data = Pattern(shape.SrcSize());
        Bytes in = data, out(shape.DstSize(), 7);
        PinnedMemory earlier(shape.DstSize(), 0);
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclrtMemcpyAsync(earlier.At(), earlier.Size(), device.At(), earlier.Size(), ACL_MEMCPY_DEVICE_TO_HOST,
                                stream));
        const Opener opener(gate);
        ACL_OK(aclrtMemcpy2dAsync(device.At(), shape.dpitch, in.data(), shape.spitch, shape.width, shape.height,
                                  ACL_MEMCPY_HOST_TO_DEVICE, stream));
        std::fill(in.begin(), in.end(), 0xDD);
        ACL_OK(aclrtMemcpy2dAsync(out.data(), shape.dpitch, device.At(), shape.dpitch, shape.width, shape.height,
                                  ACL_MEMCPY_DEVICE_TO_HOST, stream));
        EXPECT_TRUE(out == shape.Copied(data, Bytes(shape.DstSize(), 7)));
        EXPECT_TRUE(device.Download() == shape.Copied(data, Bytes(shape.DstSize(), 1)));
        EXPECT_TRUE(earlier.Copy() == Bytes(shape.DstSize(), 1)) << "in stream order";
    }
}

// A pending copy keeps its memory, up to the last row.
TEST_F(Memcpy2dAsync, OfMemoryThatIsFreedMeanwhile) {
    constexpr Shape kShape{1000, 4, 1000, 40000};
    Stream stream;
    const Bytes data = Pattern(kShape.SrcSize());
    PinnedMemory out(kShape.DstSize(), 0);
    auto from = std::make_unique<DeviceMemory>(data);
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemcpy2dAsync(out.At(), kShape.dpitch, from->At(), kShape.spitch, kShape.width, kShape.height,
                              ACL_MEMCPY_DEVICE_TO_HOST, stream));
    from.reset();
    // The memory must not be allocated again.
    const DeviceMemory other(Bytes(kShape.SrcSize(), 0xDD));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(out.Copy() == kShape.Copied(data, Bytes(kShape.DstSize(), 0)));
}

// A thread that waits in a copy of pageable memory blocks no other stream.
TEST_F(Memcpy2dAsync, AWaitingCopyBlocksNoOtherStream) {
    DeviceMemory device(Bytes(1 << 20, 1));
    Bytes out(1 << 20, 0);
    BlocksNoOtherStream([&](aclrtStream stream) {
        return aclrtMemcpy2dAsync(out.data(), 1024, device.At(), 1024, 1000, 1024, ACL_MEMCPY_DEVICE_TO_HOST, stream);
    });
    EXPECT_EQ(std::count(out.begin(), out.end(), 1), 1000 * 1024);
}

TEST_F(Memcpy2dAsync, APageableCopyWaitsForNoOtherStream) {
    DeviceMemory device(Bytes(1 << 18, 1));
    WaitsForNoOtherStream([&](aclrtStream stream) {
        Bytes out(1 << 18, 0);
        const aclError copied =
            aclrtMemcpy2dAsync(out.data(), 1024, device.At(), 1024, 1000, 256, ACL_MEMCPY_DEVICE_TO_HOST, stream);
        EXPECT_EQ(std::count(out.begin(), out.end(), 1), 1000 * 256);
        return copied;
    });
}

}  // namespace

// When aclrtMemcpyBatchAsync and its V2 read their sources and have written their destinations.

#include <algorithm>
#include <memory>

#include "support/gate.h"
#include "support/objects.h"
#include "support/transfer/batch.h"
#include "support/transfer/waiting_copy.h"

using namespace portacl_test;

namespace {

using Bytes = std::vector<unsigned char>;

class MemcpyBatchAsync : public WithDevice {};

// Sizes of a batch's copies: small, and large enough to be divided among threads.
constexpr size_t kQueued[] = {1000, (2 << 20) + 1};

TEST_F(MemcpyBatchAsync, WithPinnedMemoryReturnsAtOnceAndRunsInOrder) {
    for (const Batcher& batcher : Batchers()) {
        if (!batcher.asynchronous) continue;
        for (size_t size : kQueued) {
            Stream stream;
            DeviceMemory device(Bytes(2 * size, 1));
            PinnedMemory in(2 * size), out(2 * size, 7);
            std::memcpy(in.At(), Pattern(2 * size).data(), 2 * size);
            Gate gate;
            ACL_OK(gate.Hold(stream));
            {
                // The arrays may be reused after the call.
                Batch up, down;
                up.Add(device.At(), in.At(), size).Add(device.At(size), in.At(size), size).Up();
                down.Add(out.At(), device.At(), size).Add(out.At(size), device.At(size), size);
                size_t index = 0;
                ASSERT_TRUE(Returned(batcher.name, batcher.call(up, &index, stream), 0));
                ASSERT_TRUE(Returned(batcher.name, batcher.call(down.Down(), &index, stream), 0));
            }
            ASSERT_TRUE(gate.AwaitArrival());
            EXPECT_FALSE(IsIdle(stream));
            EXPECT_TRUE(device.Download() == Bytes(2 * size, 1));
            EXPECT_TRUE(out.Copy() == Bytes(2 * size, 7));
            gate.Open();
            ACL_OK(aclrtSynchronizeStream(stream));
            EXPECT_TRUE(out.Copy() == Pattern(2 * size));
        }
    }
}

// One copy of pageable memory is enough: all copies are complete when the call returns.
TEST_F(MemcpyBatchAsync, PageableMemoryIsFreeToReuseOnReturn) {
    for (const Batcher& batcher : Batchers()) {
        if (!batcher.asynchronous) continue;
        for (size_t size : kQueued) {
            Stream stream;
            DeviceMemory device(Bytes(2 * size, 1));
            PinnedMemory pinned(size), earlier(size, 0);
            const Bytes data = Pattern(2 * size);
            Bytes in(data.begin(), data.begin() + std::ptrdiff_t(size)), out(2 * size, 7);
            std::memcpy(pinned.At(), &data[size], size);
            Batch up, down;
            up.Add(device.At(), in.data(), size).Add(device.At(size), pinned.At(), size).Up();
            down.Add(out.data(), device.At(), size).Add(&out[size], device.At(size), size).Down();
            Gate gate;
            ACL_OK(gate.Hold(stream));
            ACL_OK(aclrtMemcpyAsync(earlier.At(), size, device.At(), size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
            const Opener opener(gate);
            size_t index = 0;
            ASSERT_TRUE(Returned(batcher.name, batcher.call(up, &index, stream), 0));
            std::fill(in.begin(), in.end(), 0xDD);
            ASSERT_TRUE(Returned(batcher.name, batcher.call(down, &index, stream), 0));
            EXPECT_TRUE(out == data);
            EXPECT_TRUE(earlier.Copy() == Bytes(size, 1)) << "in stream order";
        }
    }
}

// Pending copies keep their memory.
TEST_F(MemcpyBatchAsync, OfMemoryThatIsFreedMeanwhile) {
    constexpr size_t kCount = 50, kSize = 5000;
    for (const Batcher& batcher : Batchers()) {
        if (!batcher.asynchronous) continue;
        Stream stream;
        PinnedMemory out(kCount * kSize, 0);
        std::vector<std::unique_ptr<DeviceMemory>> blocks;
        Batch down;
        for (size_t i = 0; i < kCount; ++i) {
            blocks.push_back(std::make_unique<DeviceMemory>(Pattern(kSize, uint32_t(i))));
            down.Add(out.At(i * kSize), blocks.back()->At(), kSize);
        }
        Gate gate;
        ACL_OK(gate.Hold(stream));
        size_t index = 0;
        ASSERT_TRUE(Returned(batcher.name, batcher.call(down.Down(), &index, stream), 0));
        blocks.clear();
        // The memory must not be allocated again.
        for (size_t i = 0; i < kCount; ++i) blocks.push_back(std::make_unique<DeviceMemory>(Bytes(kSize, 0xDD)));
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(stream));
        const Bytes seen = out.Copy();
        for (size_t i = 0; i < kCount; ++i)
            EXPECT_TRUE(std::equal(seen.begin() + std::ptrdiff_t(i * kSize),
                                   seen.begin() + std::ptrdiff_t((i + 1) * kSize), Pattern(kSize, uint32_t(i)).begin()))
                << i;
    }
}

// A thread that waits in a copy of pageable memory blocks no other stream.
TEST_F(MemcpyBatchAsync, AWaitingCopyBlocksNoOtherStream) {
    constexpr size_t kSize = 1 << 20;
    DeviceMemory device(Bytes(kSize, 1));
    PinnedMemory pinned(kSize, 0);
    for (const Batcher& batcher : Batchers()) {
        if (!batcher.asynchronous) continue;
        Bytes out(kSize, 0);
        BlocksNoOtherStream([&](aclrtStream stream) {
            Batch down;
            down.Add(pinned.At(), device.At(), kSize).Add(out.data(), device.At(), kSize).Down();
            size_t index = 0;
            return batcher.call(down, &index, stream);
        });
        EXPECT_TRUE(out == Bytes(kSize, 1));
        EXPECT_TRUE(pinned.Copy() == Bytes(kSize, 1));
    }
}

TEST_F(MemcpyBatchAsync, APageableCopyWaitsForNoOtherStream) {
    constexpr size_t kSize = 200000;
    DeviceMemory device(Bytes(kSize, 1));
    for (const Batcher& batcher : Batchers()) {
        if (!batcher.asynchronous) continue;
        WaitsForNoOtherStream([&](aclrtStream stream) {
            Bytes out(kSize, 0);
            Batch down;
            down.Add(out.data(), device.At(), kSize).Down();
            size_t index = 0;
            const aclError copied = batcher.call(down, &index, stream);
            EXPECT_TRUE(out == Bytes(kSize, 1));
            return copied;
        });
    }
}

}  // namespace

// aclrtMemcpyBatch, its V2, and both asynchronous forms: sizes and places. memcpy_batch_async_test.cpp covers when the
// asynchronous ones read and write, memcpy_batch_arguments_test.cpp what all refuse.

#include <memory>

#include "support/gate.h"
#include "support/memory/places.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/transfer/batch.h"

using namespace portacl_test;

namespace {

using Bytes = std::vector<unsigned char>;

class MemcpyBatch : public WithDevice {};

// Tiny, small and large copies in one batch, to the device and back.
TEST_F(MemcpyBatch, CopiesOfAllSizesBothWays) {
    const size_t sizes[] = {1, 64, 4097, 0, 70000, 1 << 20, (3 << 20) + 1, 5, 300000};
    for (Where host : {Where::kPageable, Where::kPinned})
        for (const Batcher& batcher : Batchers()) {
            SCOPED_TRACE(testing::Message() << batcher.name << ' ' << host);
            std::vector<std::unique_ptr<AnyMemory>> in, out;
            std::vector<std::unique_ptr<DeviceMemory>> device;
            Batch up, down;
            for (size_t size : sizes) {
                in.push_back(std::make_unique<AnyMemory>(host, size + 1));
                in.back()->Set(Pattern(size + 1, uint32_t(size)));
                out.push_back(std::make_unique<AnyMemory>(host, size + 1));
                out.back()->Set(Bytes(size + 1, 9));
                device.push_back(std::make_unique<DeviceMemory>(size + 1));
                up.Add(device.back()->At(), size + 1, in.back()->At(), size);
                down.Add(out.back()->At(), size + 1, device.back()->At(), size);
            }
            ASSERT_TRUE(Returned(batcher.name, batcher.Run(up.Up()), 0));
            ASSERT_TRUE(Returned(batcher.name, batcher.Run(down.Down()), 0));
            for (size_t i = 0; i < std::size(sizes); ++i) {
                Bytes wanted = Pattern(sizes[i] + 1, uint32_t(sizes[i]));
                wanted.back() = 9;
                EXPECT_TRUE(out[i]->Get() == wanted) << sizes[i];
            }
        }
}

TEST_F(MemcpyBatch, ManySmallCopies) {
    constexpr size_t kCount = 1500, kSize = 96;
    const Bytes data = Pattern(kCount * kSize);
    for (const Batcher& batcher : Batchers()) {
        DeviceMemory device(kCount * kSize);
        Batch up, down;
        Bytes back(kCount * kSize);
        // In reverse order.
        for (size_t i = 0; i < kCount; ++i) {
            const size_t at = i * kSize, mirrored = (kCount - 1 - i) * kSize;
            up.Add(device.At(mirrored), data.data() + at, kSize);
            down.Add(back.data() + at, device.At(mirrored), kSize);
        }
        ASSERT_TRUE(Returned(batcher.name, batcher.Run(up.Up()), 0));
        ASSERT_TRUE(Returned(batcher.name, batcher.Run(down.Down()), 0));
        EXPECT_TRUE(back == data) << batcher.name;
        const Bytes seen = device.Download();
        EXPECT_TRUE(std::equal(seen.begin(), seen.begin() + kSize, data.end() - kSize));
    }
}

TEST_F(MemcpyBatch, AnEmptyBatchDoesNothing) {
    for (const Batcher& batcher : Batchers()) {
        Batch none;
        EXPECT_TRUE(Returned(batcher.name, batcher.Run(none), 0));
        none.Up().Attribute(7, At(99), At(-1));
        EXPECT_TRUE(Returned(batcher.name, batcher.Run(none), 0));
        Batch empty;
        empty.Add(nullptr, 0, nullptr, 0).Add(nullptr, 7, nullptr, 0).Up();
        EXPECT_TRUE(Returned(batcher.name, batcher.Run(empty), 0));
    }
    size_t index = 0;
    ACL_OK(aclrtMemcpyBatch(nullptr, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0, &index));
    EXPECT_EQ(index, kNone);
    ACL_OK(aclrtMemcpyBatchV2(nullptr, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 3));
    ACL_OK(aclrtMemcpyBatchAsync(nullptr, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0, &index, nullptr));
    ACL_OK(aclrtMemcpyBatchAsyncV2(nullptr, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 3, nullptr));
}

// Each pointer must match its attribute.
TEST_F(MemcpyBatch, PlacesThatDoNotMatchTheAttributes) {
    Four four;
    const uint32_t beyond = DeviceCount();
    auto refused = [&](size_t index, std::initializer_list<std::string> words) {
        for (const Batcher& batcher : Batchers())
            EXPECT_TRUE(FailedSaying(batcher.name, batcher.Run(four.batch, index), ACL_ERROR_RT_PARAM_INVALID, words));
        four.batch.attrs.clear();
        four.batch.attrs_indexes.clear();
    };
    four.batch.Attribute(0, OnDevice0(), Host()).Attribute(2, Host(), Host());
    refused(2, {"dsts[2]", Shown(four.device.At(2000)), "device 0", "attrs[1].dstLoc", "host"});
    four.batch.Attribute(0, OnDevice0(), Host()).Attribute(1, At(ACL_MEM_LOCATION_TYPE_DEVICE, beyond), Host());
    refused(1, {"dsts[1]", "device 0", "attrs[1].dstLoc", "device " + std::to_string(beyond)});
    four.batch.Attribute(0, OnDevice0(), Host()).Attribute(3, OnDevice0(), OnDevice0());
    refused(3, {"srcs[3]", Shown(&four.host[3000]), "host memory", "attrs[1].srcLoc", "device 0"});
    four.batch.Attribute(0, At(ACL_MEM_LOCATION_TYPE_MANAGED), Host());
    refused(0, {"dsts[0]", "attrs[0].dstLoc"});
    four.batch.Attribute(0, OnDevice0(), At(ACL_MEM_LOCATION_TYPE_MANAGED));
    refused(0, {"srcs[0]", "attrs[0].srcLoc"});
    EXPECT_EQ(four.device.Download(), Bytes(4000, 1));
}

// For host memory any kind of attribute is valid, pinned or not.
TEST_F(MemcpyBatch, KindsOfHostMemory) {
    PinnedMemory pinned(10, 3);
    Bytes pageable(10, 4);
    for (int type : {ACL_MEM_LOCATION_TYPE_HOST, ACL_MEM_LOCATION_TYPE_UNREGISTERED, ACL_MEM_LOCATION_TYPE_HOST_NUMA})
        for (const Batcher& batcher : Batchers()) {
            DeviceMemory device(Bytes(20, 1));
            Batch batch;
            batch.Add(device.At(), pinned.At(), 10).Add(device.At(10), pageable.data(), 10);
            batch.Attribute(0, OnDevice0(), At(type, 77));
            ASSERT_TRUE(Returned(batcher.name, batcher.Run(batch), 0)) << type;
            Bytes wanted(20, 3);
            std::fill_n(wanted.begin() + 10, 10, 4);
            EXPECT_EQ(device.Download(), wanted);
        }
}

// For managed memory any attribute is valid, in either direction.
TEST_F(MemcpyBatch, ManagedMemory) {
    constexpr size_t kSize = 1000;
    void* managed = nullptr;
    ACL_OK(aclrtMemAllocManaged(&managed, kSize, 1));
    auto* const bytes = static_cast<unsigned char*>(managed);
    const aclrtMemLocation places[] = {Host(), OnDevice0(), At(ACL_MEM_LOCATION_TYPE_MANAGED)};
    for (const Batcher& batcher : Batchers())
        for (const aclrtMemLocation& place : places) {
            SCOPED_TRACE(testing::Message() << batcher.name << " type " << place.type);
            const Bytes data = Pattern(kSize, 3);
            DeviceMemory device(Bytes(kSize, 1));
            PinnedMemory pinned(kSize, 2);
            Batch to_device, to_host, from_host, both;
            std::copy(data.begin(), data.end(), bytes);
            to_device.Add(device.At(), managed, kSize).Attribute(0, OnDevice0(), place);
            ASSERT_TRUE(Returned(batcher.name, batcher.Run(to_device), 0));
            EXPECT_EQ(device.Download(), data);
            to_host.Add(pinned.At(), managed, kSize).Attribute(0, Host(), place);
            ASSERT_TRUE(Returned(batcher.name, batcher.Run(to_host), 0));
            EXPECT_EQ(pinned.Copy(), data);
            std::memset(pinned.At(), 7, kSize);
            from_host.Add(managed, pinned.At(), kSize).Attribute(0, place, Host());
            ASSERT_TRUE(Returned(batcher.name, batcher.Run(from_host), 0));
            EXPECT_EQ(Bytes(bytes, bytes + kSize), Bytes(kSize, 7));
            // It works in either direction, but not in both at once.
            both.Add(device.At(), managed, 10).Add(pinned.At(), managed, 10);
            both.Attribute(0, OnDevice0(), place).Attribute(1, Host(), place);
            EXPECT_TRUE(FailedSaying(batcher.name, batcher.Run(both, 1), ACL_ERROR_RT_PARAM_INVALID,
                                     {"dsts[1]", "from device to host", "from host to device"}));
        }
    ACL_OK(aclrtFree(managed));
}

TEST_F(MemcpyBatch, OneWayOnly) {
    Four four;
    PinnedMemory pinned(1000, 2);
    Bytes pageable(1000, 3);
    auto refused = [&](size_t index, std::initializer_list<std::string> words) {
        for (const Batcher& batcher : Batchers())
            EXPECT_TRUE(FailedSaying(batcher.name, batcher.Run(four.batch, index), ACL_ERROR_RT_PARAM_INVALID, words));
    };
    const Batch good = four.batch;
    four.batch.Add(pinned.At(), four.device.At(), 1000).Up().Attribute(4, Host(), OnDevice0());
    refused(4, {"dsts[4]", "from device to host", "from host to device"});
    four.batch = good;
    four.batch.Add(four.device.At(1000), four.device.At(), 1000).Up();
    four.batch.Attribute(4, OnDevice0(), OnDevice0());
    refused(4, {"dsts[4]", "srcs[4]", Shown(four.device.At()), "aclrtMemcpyAsync"});
    four.batch = good;
    four.batch.Add(pinned.At(), pageable.data(), 1000).Up().Attribute(4, Host(), Host());
    refused(4, {"dsts[4]", "srcs[4]", Shown(pageable.data()), "aclrtMemcpy"});
    // Also the first copy.
    four.batch = Batch();
    four.batch.Add(pinned.At(), pageable.data(), 1000).Attribute(0, Host(), Host());
    refused(0, {"dsts[0]", "pinned host memory"});
    EXPECT_EQ(four.device.Download(), Bytes(4000, 1));
    EXPECT_EQ(pinned.Copy(), Bytes(1000, 2));
}

// Each half belongs to another device; the current device does not matter.
TEST_F(MemcpyBatch, OfSeveralDevices) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    for (Where host : {Where::kPageable, Where::kPinned})
        for (const Batcher& batcher : Batchers())
            for (int current : {0, 1}) {
                SCOPED_TRACE(testing::Message() << batcher.name << ' ' << host << ' ' << current);
                AnyMemory first(Where::kDevice0, 1000), second(Where::kDevice1, 1000);
                AnyMemory in(host, 2000), out(host, 2000);
                in.Set(Pattern(2000));
                const auto on_device1 = At(ACL_MEM_LOCATION_TYPE_DEVICE, 1);
                const OnDevice here(current);
                Batch up, down, wrong;
                for (size_t i = 0; i < 4; ++i) {
                    unsigned char* there = (i < 2 ? first : second).At(i % 2 * 500);
                    up.Add(there, in.At(500 * i), 500);
                    down.Add(out.At(500 * i), there, 500);
                }
                wrong = up;
                wrong.Up();
                up.Up().Attribute(2, on_device1, Host());
                down.Down().Attribute(2, Host(), on_device1);
                EXPECT_TRUE(FailedSaying(batcher.name, batcher.Run(wrong, 2), ACL_ERROR_RT_PARAM_INVALID,
                                         {"dsts[2]", "device 1", "attrs[0].dstLoc", "device 0"}));
                ASSERT_TRUE(Returned(batcher.name, batcher.Run(up), 0));
                ASSERT_TRUE(Returned(batcher.name, batcher.Run(down), 0));
                EXPECT_EQ(out.Get(), Pattern(2000));
            }
}

TEST_F(MemcpyBatch, TheSynchronousCallsWaitForNoStream) {
    for (const Batcher& batcher : Batchers()) {
        if (batcher.asynchronous) continue;
        Four four;
        Gate gate;
        ACL_OK(gate.Hold(nullptr));
        ASSERT_TRUE(Returned(batcher.name, batcher.Run(four.batch.Up()), 0));
        EXPECT_EQ(four.device.Download(), four.host);
        EXPECT_FALSE(IsIdle(nullptr));
        gate.Open();
        ACL_OK(aclrtSynchronizeDevice());
    }
}

TEST_F(MemcpyBatch, FromManyThreads) {
    std::vector<std::thread> threads;
    for (uint32_t thread = 0; thread < 4; ++thread)
        threads.emplace_back([thread] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            for (const Batcher& batcher : Batchers())
                for (uint32_t round = 0; round < 20; ++round) {
                    const Bytes data = Pattern(9000, 100 * thread + round);
                    DeviceMemory device(data.size());
                    Bytes back(data.size());
                    Batch up, down;
                    for (size_t i = 0; i < 9; ++i) {
                        up.Add(device.At(1000 * i), &data[1000 * i], 1000);
                        down.Add(&back[1000 * i], device.At(1000 * i), 1000);
                    }
                    EXPECT_TRUE(Returned(batcher.name, batcher.Run(up.Up()), 0));
                    EXPECT_TRUE(Returned(batcher.name, batcher.Run(down.Down()), 0));
                    EXPECT_TRUE(back == data);
                }
        });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

// aclrtMemcpyBatch, its V2, and both asynchronous forms: sizes, places, arguments.
// memcpy_batch_async_test.cpp covers when the asynchronous ones read and write.

#include <limits>
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

TEST_F(MemcpyBatch, NullArrays) {
    DeviceMemory device(Pattern(10));
    Bytes host(10, 1);
    Batch batch;
    batch.Add(device.At(), host.data(), 10).Up();
    const char* const names[] = {"dsts", "destMaxs", "srcs", "sizes", "attrs", "attrsIndexes"};
    for (size_t null = 0; null < std::size(names); ++null) {
        auto* dsts = null == 0 ? nullptr : batch.dsts.data();
        auto* dest_maxs = null == 1 ? nullptr : batch.dest_maxs.data();
        auto* srcs = null == 2 ? nullptr : batch.srcs.data();
        auto* sizes = null == 3 ? nullptr : batch.sizes.data();
        auto* attrs = null == 4 ? nullptr : batch.attrs.data();
        auto* indexes = null == 5 ? nullptr : batch.attrs_indexes.data();
        const std::string says = std::string(names[null]) + " is null, numBatches is 1";
        size_t index = 0;
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtMemcpyBatch(dsts, dest_maxs, srcs, sizes, 1, attrs, indexes, 1, &index), says);
        EXPECT_EQ(index, kNone);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtMemcpyBatchV2(dsts, dest_maxs, srcs, sizes, 1, attrs, indexes, 1), says);
        index = 0;
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtMemcpyBatchAsync(dsts, dest_maxs, srcs, sizes, 1, attrs, indexes, 1, &index, nullptr),
                         says);
        EXPECT_EQ(index, kNone);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtMemcpyBatchAsyncV2(dsts, dest_maxs, srcs, sizes, 1, attrs, indexes, 1, nullptr), says);
    }
    for (const Batcher& batcher : Batchers()) {
        if (!batcher.has_index) continue;
        EXPECT_TRUE(FailedSaying(batcher.name, batcher.call(batch, nullptr, nullptr), ACL_ERROR_INVALID_PARAM,
                                 {"failIndex is null"}));
    }
    EXPECT_EQ(device.Download(), Pattern(10));
}

TEST_F(MemcpyBatch, BadAttributes) {
    Four four;
    auto refused = [&](std::initializer_list<std::string> words) {
        for (const Batcher& batcher : Batchers())
            EXPECT_TRUE(FailedSaying(batcher.name, batcher.Run(four.batch), ACL_ERROR_INVALID_PARAM, words));
        four.batch.attrs.clear();
        four.batch.attrs_indexes.clear();
    };
    const auto down = OnDevice0(), host = Host();
    // `data()` of an empty vector may be null; with reserved capacity it is not.
    four.batch.attrs.reserve(1);
    four.batch.attrs_indexes.reserve(1);
    refused({"numAttrs is 0", "numBatches 4"});
    for (size_t i = 0; i < 5; ++i) four.batch.Attribute(i, down, host);
    refused({"numAttrs is 5", "numBatches 4"});
    four.batch.Attribute(1, down, host);
    refused({"attrsIndexes[0] is 1", "0"});
    four.batch.Attribute(0, down, host).Attribute(0, down, host);
    refused({"attrsIndexes[1] is 0", "more than"});
    four.batch.Attribute(0, down, host).Attribute(2, down, host).Attribute(1, down, host);
    refused({"attrsIndexes[2] is 1", "2"});
    four.batch.Attribute(0, down, host).Attribute(4, down, host);
    refused({"attrsIndexes[1] is 4", "numBatches 4"});
    four.batch.Attribute(0, down, host).Attribute(kNone, down, host);
    refused({"attrsIndexes[1] is " + std::to_string(kNone)});
    for (int type : {-1, 5, 100, std::numeric_limits<int>::min()}) {
        four.batch.Attribute(0, down, host).Attribute(3, At(type), host);
        refused({"attrs[1].dstLoc.type is " + std::to_string(type), "4"});
        four.batch.Attribute(0, down, At(type));
        refused({"attrs[0].srcLoc.type is " + std::to_string(type), "4"});
    }
    EXPECT_EQ(four.device.Download(), Bytes(4000, 1));
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
                                     {"copy 1", "from device to host", "from host to device"}));
        }
    ACL_OK(aclrtFree(managed));
}

// All copies are checked before the first one runs, and the invalid one is named.
TEST_F(MemcpyBatch, OneBadEntry) {
    for (size_t bad = 0; bad < 4; ++bad) {
        Four four;
        four.batch.Up();
        const std::string at = "[" + std::to_string(bad) + "]";
        auto refused = [&](aclError wanted, std::initializer_list<std::string> words) {
            for (const Batcher& batcher : Batchers())
                EXPECT_TRUE(FailedSaying(batcher.name, batcher.Run(four.batch, bad), wanted, words));
        };
        const Batch good = four.batch;
        four.batch.dsts[bad] = nullptr;
        refused(ACL_ERROR_INVALID_PARAM, {"dsts" + at + " is null", "sizes" + at + " is 1000"});
        four.batch = good;
        four.batch.srcs[bad] = nullptr;
        refused(ACL_ERROR_INVALID_PARAM, {"srcs" + at + " is null", "sizes" + at + " is 1000"});
        four.batch = good;
        four.batch.dest_maxs[bad] = 999;
        refused(ACL_ERROR_INVALID_PARAM, {"sizes" + at + " 1000", "destMaxs" + at + " 999"});
        four.batch = good;
        four.batch.dest_maxs[bad] = kNone;
        for (size_t size : {size_t{4000 + 4096}, kNone / 2, kNone}) {
            four.batch.sizes[bad] = size;
            refused(ACL_ERROR_RT_PARAM_INVALID,
                    {"dsts" + at, Shown(four.batch.dsts[bad]), std::to_string(size), "past the end"});
        }
        four.batch = good;
        // Freed memory is not host memory.
        void* freed = DeviceMemory(1000).Release();
        ACL_OK(aclrtFree(freed));
        four.batch.dsts[bad] = freed;
        refused(ACL_ERROR_RT_PARAM_INVALID, {"dsts" + at, Shown(freed)});
        EXPECT_EQ(four.device.Download(), Bytes(4000, 1));
    }
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
    refused(4, {"copy 4", "from device to host", "from host to device"});
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

TEST_F(MemcpyBatch, TooManyCopies) {
    Four four;
    four.batch.Up();
    Batch& b = four.batch;
    size_t index = 0;
    ACL_FAILS_SAYING(ACL_ERROR_BAD_ALLOC,
                     aclrtMemcpyBatch(b.dsts.data(), b.dest_maxs.data(), b.srcs.data(), b.sizes.data(), kNone,
                                      b.attrs.data(), b.attrs_indexes.data(), 1, &index),
                     "numBatches is " + std::to_string(kNone));
    EXPECT_EQ(index, kNone);
    ACL_FAILS_SAYING(ACL_ERROR_BAD_ALLOC,
                     aclrtMemcpyBatchAsyncV2(b.dsts.data(), b.dest_maxs.data(), b.srcs.data(), b.sizes.data(), kNone,
                                             b.attrs.data(), b.attrs_indexes.data(), kNone, nullptr),
                     "numAttrs is " + std::to_string(kNone));
    EXPECT_EQ(four.device.Download(), Bytes(4000, 1));
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

TEST_F(MemcpyBatch, InvalidStreams) {
    Four four;
    four.batch.Up();
    aclrtStream dead = Stream().Release();
    ACL_OK(aclrtDestroyStream(dead));
    Event event;
    int local = 0;
    for (const Batcher& batcher : Batchers()) {
        if (!batcher.asynchronous) continue;
        for (aclrtStream stream :
             {dead, static_cast<aclrtStream>(&local), static_cast<aclrtStream>(static_cast<aclrtEvent>(event))}) {
            size_t index = 0;
            EXPECT_TRUE(FailedSaying(batcher.name, batcher.call(four.batch, &index, stream), ACL_ERROR_RT_PARAM_INVALID,
                                     {"stream"}));
            EXPECT_EQ(index, batcher.has_index ? kNone : 0);
        }
    }
    EXPECT_EQ(four.device.Download(), Bytes(4000, 1));
}

TEST_F(MemcpyBatch, NeedsADeviceInThisThread) {
    Four four;
    four.batch.Up();
    OnNewThread([&] {
        for (const Batcher& batcher : Batchers())
            EXPECT_TRUE(Failed(batcher.name, batcher.Run(four.batch), ACL_ERROR_RT_CONTEXT_NULL));
    });
    EXPECT_EQ(four.device.Download(), Bytes(4000, 1));
    OnNewThread([&] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        for (const Batcher& batcher : Batchers()) EXPECT_TRUE(Returned(batcher.name, batcher.Run(four.batch), 0));
    });
    EXPECT_EQ(four.device.Download(), four.host);
}

TEST_F(MemcpyBatch, RefusedInsideAHostFunction) {
    static Four* four;
    static aclError codes[4];
    Four memory;
    memory.batch.Up();
    four = &memory;
    const auto function = [](void*) {
        const std::vector<Batcher> batchers = Batchers();
        for (size_t i = 0; i < batchers.size(); ++i) codes[i] = batchers[i].Run(four->batch);
    };
    ACL_OK(aclrtLaunchHostFunc(nullptr, function, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    for (aclError code : codes) EXPECT_EQ(code, ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(memory.device.Download(), Bytes(4000, 1));
}

TEST_F(MemcpyBatch, AfterFinalize) {
    void* device = DeviceMemory(100).Release();
    Bytes host(100, 1);
    Batch batch;
    batch.Add(device, host.data(), 100).Up();
    ACL_OK(aclFinalize());
    for (const Batcher& batcher : Batchers())
        EXPECT_TRUE(Failed(batcher.name, batcher.Run(batch), ACL_ERROR_RT_CONTEXT_NULL));
    ACL_OK(aclInit(nullptr));
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

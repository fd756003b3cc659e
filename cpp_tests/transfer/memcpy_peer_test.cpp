// Copies between devices: in both directions, synchronous and in streams of either device, single,
// 2D and batched.

#include <functional>

#include "support/gate.h"
#include "support/memory/places.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using Bytes = std::vector<unsigned char>;

class MemcpyPeer : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (!HasFatalFailure() && DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    }
};

// Memory of a device, allocated and freed while that device is current.
class Remote {
  public:
    Remote(int32_t device, const Bytes& bytes, aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST) {
        const OnDevice current(device);
        memory_ = std::make_unique<DeviceMemory>(bytes.size(), policy);
        memory_->Upload(bytes);
    }

    void* At(size_t offset = 0) const { return memory_->At(offset); }
    size_t Size() const { return memory_->Size(); }
    Bytes Get() const { return memory_->Download(); }
    void Free() { memory_.reset(); }

  private:
    std::unique_ptr<DeviceMemory> memory_;
};

// A stream of a device.
class RemoteStream {
  public:
    explicit RemoteStream(int32_t device) : device_(device) {
        const OnDevice current(device);
        stream_ = std::make_unique<Stream>();
    }
    ~RemoteStream() {
        const OnDevice current(device_);
        stream_.reset();
    }

    operator aclrtStream() const { return *stream_; }

  private:
    int32_t device_;
    std::unique_ptr<Stream> stream_;
};

constexpr size_t kSizes[] = {1, 5000, (3 << 20) + 1};

// From each device to each other, whichever is current, also a third one.
TEST_F(MemcpyPeer, FromEachToEach) {
    const auto devices = static_cast<int32_t>(std::min(DeviceCount(), 3u));
    for (size_t size : kSizes)
        for (int32_t from = 0; from < devices; ++from)
            for (int32_t to = 0; to < devices; ++to)
                for (int32_t current = 0; current < devices; ++current)
                    for (int kind : {ACL_MEMCPY_DEVICE_TO_DEVICE, ACL_MEMCPY_DEFAULT, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE,
                                     ACL_MEMCPY_INNER_DEVICE_TO_DEVICE})
                        for (bool async : {false, true}) {
                            SCOPED_TRACE(testing::Message() << size << " bytes from " << from << " to " << to << " on "
                                                            << current << " kind " << kind << " async " << async);
                            const Remote src(from, Pattern(size)), dst(to, Bytes(size, 1));
                            const OnDevice here(current);
                            const bool wrong = from == to ? kind == ACL_MEMCPY_INTER_DEVICE_TO_DEVICE
                                                          : kind == ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
                            const auto c_kind = static_cast<aclrtMemcpyKind>(kind);
                            const aclError code =
                                async ? aclrtMemcpyAsync(dst.At(), size, src.At(), size, c_kind, nullptr)
                                      : aclrtMemcpy(dst.At(), size, src.At(), size, c_kind);
                            EXPECT_TRUE(Returned(async ? "aclrtMemcpyAsync" : "aclrtMemcpy", code,
                                                 wrong ? ACL_ERROR_RT_PARAM_INVALID : 0));
                            ACL_OK(aclrtSynchronizeStream(nullptr));
                            EXPECT_TRUE(dst.Get() == (wrong ? Bytes(size, 1) : Pattern(size)));
                        }
}

// Kinds that name a direction fail with a reason.
TEST_F(MemcpyPeer, KindsThatDoNotMatch) {
    const Remote near(0, Pattern(100)), near_too(0, Bytes(100, 1)), far(1, Bytes(100, 2));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                     aclrtMemcpy(far.At(), 100, near.At(), 100, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE), "InnerDevice",
                     Shown(far.At()), "device 1", Shown(near.At()), "device 0");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                     aclrtMemcpy(near_too.At(), 100, near.At(), 100, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE), "InterDevice",
                     "memory on device 0");
    EXPECT_EQ(far.Get(), Bytes(100, 2));
    EXPECT_EQ(near_too.Get(), Bytes(100, 1));
}

// A stream belongs to a device, and only threads with that current device may use it.
TEST_F(MemcpyPeer, AStreamOfAnotherDeviceThanTheCurrentOne) {
    const RemoteStream other(1);
    const Remote near(0, Pattern(100)), far(1, Bytes(100, 2));
    PinnedMemory host(100, 3);
    void* dst = far.At();
    void* src = near.At();
    size_t size = 100, first = 0, index = 0;
    aclrtMemcpyBatchAttr attr{};
    attr.dstLoc.id = 1;
    attr.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    attr.srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
    void* from = host.At();
    const std::string says = "belongs to device 1";
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT,
                     aclrtMemcpyAsync(dst, 100, src, 100, ACL_MEMCPY_DEVICE_TO_DEVICE, other), says);
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclrtMemcpyAsync(nullptr, 0, nullptr, 0, ACL_MEMCPY_DEFAULT, other),
                     says);
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT,
                     aclrtMemcpyAsyncWithCondition(dst, 100, src, 100, ACL_MEMCPY_DEVICE_TO_DEVICE, other), says);
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT,
                     aclrtMemcpy2dAsync(dst, 10, src, 10, 5, 5, ACL_MEMCPY_DEVICE_TO_DEVICE, other), says);
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT,
                     aclrtMemcpyBatchAsync(&dst, &size, &from, &size, 1, &attr, &first, 1, &index, other), says);
    EXPECT_EQ(index, SIZE_MAX);
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT,
                     aclrtMemcpyBatchAsyncV2(&dst, &size, &from, &size, 1, &attr, &first, 1, other), says);
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclrtMemsetAsync(dst, 100, 1, 100, other), says);
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclrtMemsetD32Async(dst, 100, 1, 25, other), says);
    EXPECT_EQ(far.Get(), Bytes(100, 2));
}

// Huge pages are mapped on their own device only; each device accesses its own end.
TEST_F(MemcpyPeer, MemoryOnHugePages) {
    constexpr size_t kSize = 3 << 20;
    NEEDS_HUGE_PAGES(kSize);
    const Remote near(0, Pattern(kSize), ACL_MEM_MALLOC_HUGE_ONLY);
    const Remote far(1, Bytes(kSize, 1), ACL_MEM_MALLOC_HUGE_ONLY);
    ACL_OK(aclrtMemcpyAsync(far.At(), kSize, near.At(), kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_TRUE(far.Get() == Pattern(kSize));
    ACL_OK(aclrtMemcpy(near.At(), kSize - 7, far.At(7), kSize - 7, ACL_MEMCPY_DEFAULT));
    Bytes host(kSize);
    const OnDevice current(1);
    ACL_OK(aclrtMemcpy(host.data(), kSize, near.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_TRUE(std::equal(host.begin(), host.end() - 7, Pattern(kSize).begin() + 7));
}

TEST_F(MemcpyPeer, RowsInAStreamOfEither) {
    const Bytes data = Pattern(3000 * 1001);
    struct Shape {
        size_t width, height, dpitch, spitch;
    };
    for (const Shape& shape : {Shape{5, 3, 16, 8}, Shape{1000, 3000, 1000, 1001}})
        for (int32_t from : {0, 1})
            for (int32_t current : {0, 1}) {
                SCOPED_TRACE(testing::Message() << shape.height << " rows from " << from << " on " << current);
                const size_t size = shape.height * shape.dpitch;
                const Remote src(from, data), dst(1 - from, Bytes(size, 1));
                const OnDevice here(current);
                ACL_OK(aclrtMemcpy2dAsync(dst.At(), shape.dpitch, src.At(), shape.spitch, shape.width, shape.height,
                                          ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr));
                ACL_OK(aclrtSynchronizeStream(nullptr));
                Bytes wanted(size, 1);
                for (size_t row = 0; row < shape.height; ++row)
                    std::copy_n(&data[row * shape.spitch], shape.width, &wanted[row * shape.dpitch]);
                EXPECT_TRUE(dst.Get() == wanted);
            }
}

// Rows between the host and a device that is not current.
TEST_F(MemcpyPeer, RowsOfADeviceThatIsNotCurrent) {
    const Bytes data = Pattern(100);
    for (bool async : {false, true}) {
        const Remote far(1, Bytes(100, 1));
        Bytes back(100, 2), wanted(100, 1), wanted_back(100, 2);
        for (size_t row = 0; row < 5; ++row) {
            std::copy_n(&data[row * 10], 7, &wanted[row * 20]);
            std::copy_n(&data[row * 10], 7, &wanted_back[row * 13]);
        }
        if (async) {
            ACL_OK(aclrtMemcpy2dAsync(far.At(), 20, data.data(), 10, 7, 5, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
            ACL_OK(aclrtMemcpy2dAsync(back.data(), 13, far.At(), 20, 7, 5, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
        } else {
            ACL_OK(aclrtMemcpy2d(far.At(), 20, data.data(), 10, 7, 5, ACL_MEMCPY_HOST_TO_DEVICE));
            ACL_OK(aclrtMemcpy2d(back.data(), 13, far.At(), 20, 7, 5, ACL_MEMCPY_DEVICE_TO_HOST));
        }
        EXPECT_EQ(far.Get(), wanted);
        EXPECT_EQ(back, wanted_back);
    }
}

// Back and forth: each device's stream waits for the other's latest copy.
TEST_F(MemcpyPeer, EventsOrderTheStreamsOfTwoDevices) {
    for (size_t size : {size_t{1000}, size_t{300000}}) {
        const RemoteStream streams[] = {RemoteStream(0), RemoteStream(1)};
        const Remote memory[] = {Remote(0, Bytes(size, 0)), Remote(1, Bytes(size, 0))};
        PinnedMemory seen(size, 0xEE);
        Gate gate;
        ACL_OK(gate.Hold(streams[0]));
        aclrtEvent before = nullptr;
        std::vector<std::unique_ptr<Event>> events;
        constexpr int32_t kRounds = 40;
        for (int32_t round = 0; round < kRounds; ++round) {
            const int32_t here = round % 2, there = 1 - here;
            const OnDevice current(here);
            events.push_back(std::make_unique<Event>(ACL_EVENT_SYNC));
            if (before != nullptr) {
                ACL_OK(aclrtStreamWaitEvent(streams[here], before));
            }
            // Adds one to the bytes, then copies all of them to the other device.
            ACL_OK(aclrtMemsetAsync(memory[here].At(), size, round + 1, 1 + size_t(round), streams[here]));
            ACL_OK(aclrtMemcpyAsync(memory[there].At(), size, memory[here].At(), size, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                    streams[here]));
            before = *events.back();
            ACL_OK(aclrtRecordEvent(before, streams[here]));
        }
        EXPECT_FALSE(IsComplete(before));
        gate.Open();
        ACL_OK(aclrtSynchronizeEvent(before));
        for (const Remote& end : memory) {
            const Bytes bytes = end.Get();
            EXPECT_TRUE(std::all_of(bytes.begin(), bytes.begin() + kRounds,
                                    [](unsigned char byte) { return byte == kRounds; }));
            EXPECT_TRUE(
                std::all_of(bytes.begin() + kRounds, bytes.end(), [](unsigned char byte) { return byte == 0; }));
        }
    }
}

// Both ends stay allocated until the copy has run, whichever device has them.
TEST_F(MemcpyPeer, OfMemoryThatIsFreedMeanwhile) {
    constexpr size_t kSize = 100000;
    for (int32_t current : {0, 1}) {
        const RemoteStream stream(current);
        Remote src(0, Pattern(kSize)), between(1, Bytes(kSize, 1));
        const Remote dst(0, Bytes(kSize, 2));
        Gate gate;
        {
            const OnDevice here(current);
            ACL_OK(gate.Hold(stream));
            ACL_OK(aclrtMemcpyAsync(between.At(), kSize, src.At(), kSize, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE, stream));
            ACL_OK(aclrtMemcpyAsync(dst.At(), kSize, between.At(), kSize, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE, stream));
        }
        src.Free();
        between.Free();
        const Remote first(0, Bytes(kSize, 0xDD)), second(1, Bytes(kSize, 0xDD));
        gate.Open();
        const OnDevice here(current);
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_TRUE(dst.Get() == Pattern(kSize));
        EXPECT_TRUE(first.Get() == Bytes(kSize, 0xDD));
        EXPECT_TRUE(second.Get() == Bytes(kSize, 0xDD));
    }
}

// A reset of a device waits for a copy that is pending in another device's stream.
TEST_F(MemcpyPeer, TheOtherDeviceIsResetMeanwhile) {
    constexpr size_t kSize = 100000;
    const RemoteStream stream(0);
    const Remote dst(0, Bytes(kSize, 2));
    void* address = nullptr;
    {
        const OnDevice current(1);
        DeviceMemory far(Pattern(kSize));
        address = far.Release();
    }
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemcpyAsync(dst.At(), kSize, address, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    const Opener opener(gate);
    ACL_OK(aclrtResetDeviceForce(1));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(dst.Get() == Pattern(kSize));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy(dst.At(), kSize, address, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE));
}

// Peer access does not affect copies, whether enabled, disabled, or never enabled.
TEST_F(MemcpyPeer, WithAndWithoutPeerAccess) {
    const Bytes data = Pattern(5000);
    const auto copies_both_ways = [&] {
        const Remote near(0, data), far(1, Bytes(5000, 1)), back(0, Bytes(5000, 2));
        ACL_OK(aclrtMemcpy(far.At(), 5000, near.At(), 5000, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE));
        EXPECT_EQ(far.Get(), data);
        ACL_OK(aclrtMemcpyAsync(back.At(), 5000, far.At(), 5000, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr));
        ACL_OK(aclrtSynchronizeStream(nullptr));
        EXPECT_EQ(back.Get(), data);
    };
    copies_both_ways();
    ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
    copies_both_ways();
    {
        const OnDevice current(1);
        ACL_OK(aclrtDeviceEnablePeerAccess(0, 0));
        copies_both_ways();
        ACL_OK(aclrtDeviceDisablePeerAccess(0));
    }
    copies_both_ways();
    ACL_OK(aclrtDeviceDisablePeerAccess(1));
    copies_both_ways();
}

}  // namespace

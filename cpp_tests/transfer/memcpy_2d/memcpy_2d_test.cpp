// aclrtMemcpy2d and aclrtMemcpy2dAsync: places, shapes, arguments. memcpy_2d_async_test.cpp tests when the
// asynchronous call reads and writes.

#include <sys/mman.h>

#include <limits>

#include "support/gate.h"
#include "support/memory/places.h"
#include "support/objects.h"
#include "support/says.h"
#include "transfer/memcpy_2d/memcpy_2d.h"

using namespace portacl_test;

namespace {

constexpr size_t kMost = std::numeric_limits<size_t>::max();

class Memcpy2d : public WithDevice {};

// Every kind between all places: the copy is right, or refused with nothing written.
TEST_F(Memcpy2d, EveryKindWithEveryPlace) {
    const Bytes before = Pattern(kShape.DstSize(), 1), data = Pattern(kShape.SrcSize(), 2);
    for (Where to : Places())
        for (Where from : Places()) {
            AnyMemory dst(to, before.size()), src(from, data.size());
            src.Set(data);
            for (const Copier& copier : Copiers())
                for (int kind = 0; kind <= ACL_MEMCPY_INTER_DEVICE_TO_DEVICE; ++kind) {
                    SCOPED_TRACE(testing::Message()
                                 << copier.name << " to " << to << " from " << from << " kind " << kind);
                    dst.Set(before);
                    const bool allowed = kind == kUp || kind == kDown || (copier.asynchronous && kind == kOver);
                    const bool fits = OnHost(to) == (kind == kDown) && OnHost(from) == (kind == kUp);
                    const aclError wanted = !allowed ? ACL_ERROR_INVALID_PARAM
                                            : !fits  ? ACL_ERROR_RT_PARAM_INVALID
                                                     : ACL_SUCCESS;
                    const aclError code = copier.call(dst.At(), kShape.dpitch, src.At(), kShape.spitch, kShape.width,
                                                      kShape.height, kind);
                    EXPECT_TRUE(Returned(copier.name, code, wanted));
                    EXPECT_TRUE(dst.Get() == (wanted == 0 ? kShape.Copied(data, before) : before));
                    EXPECT_TRUE(src.Get() == data);
                }
        }
}

// With and without padding on either side, one row, many, and enough rows to be divided among
// threads.
TEST_F(Memcpy2d, RowsAreCopiedAndPaddingIsKept) {
    const Shape shapes[] = {{1, 1, 1, 1},
                            {7, 1, kMost, kMost},
                            {5, 3, 5, 5},
                            {5, 3, 5, 8},
                            {5, 3, 16, 5},
                            {64, 100, 64, 128},
                            {1, 5000, 3, 2},
                            {4096, 40, 4100, 4097},
                            {3000, 2000, 3000, 3001},
                            {2500000, 2, 2500001, 2500000},
                            {5003, 7000, 5010, 5003}};
    for (const Shape& shape : shapes) {
        const Bytes before = Pattern(shape.DstSize(), 1), data = Pattern(shape.SrcSize(), 2);
        for (Where host : {Where::kPageable, Where::kPinned})
            for (const Copier& copier : Copiers()) {
                SCOPED_TRACE(testing::Message() << copier.name << ' ' << host << ": " << shape);
                // The largest ones once in each direction.
                const bool large = shape.DstSize() > (16 << 20);
                if (large && (copier.asynchronous || host == Where::kPinned)) continue;
                for (int kind : {kUp, kDown, kOver}) {
                    if (kind == kOver && !copier.asynchronous) continue;
                    AnyMemory dst(kind == kDown ? host : Where::kDevice0, before.size());
                    AnyMemory src(kind == kUp ? host : Where::kDevice0, data.size());
                    dst.Set(before);
                    src.Set(data);
                    ASSERT_TRUE(Returned(
                        copier.name,
                        copier.call(dst.At(), shape.dpitch, src.At(), shape.spitch, shape.width, shape.height, kind),
                        0));
                    EXPECT_TRUE(dst.Get() == shape.Copied(data, before));
                }
            }
    }
}

TEST_F(Memcpy2d, ZeroRowsOrBytesDoNothing) {
    DeviceMemory device(Pattern(100));
    Bytes host(100, 1);
    for (const Copier& copier : Copiers()) {
        SCOPED_TRACE(copier.name);
        for (int kind : {0, 1, 7, -1, 8}) {
            EXPECT_EQ(copier.call(nullptr, 0, nullptr, 0, 0, 0, kind), 0);
            EXPECT_EQ(copier.call(nullptr, 0, nullptr, 0, 10, 0, kind), 0);
            EXPECT_EQ(copier.call(nullptr, 0, nullptr, 0, 0, 10, kind), 0);
            EXPECT_EQ(copier.call(nullptr, 0, nullptr, 0, 0, kMost, kind), 0);
            EXPECT_EQ(copier.call(device.At(), 10, host.data(), 10, 10, 0, kind), 0);
        }
    }
    EXPECT_EQ(device.Download(), Pattern(100));
}

TEST_F(Memcpy2d, BadArguments) {
    DeviceMemory device(Pattern(100));
    Bytes host(100, 1);
    for (const Copier& copier : Copiers()) {
        auto refused = [&](aclError code, std::initializer_list<std::string> words) {
            EXPECT_TRUE(FailedSaying(copier.name, code, ACL_ERROR_INVALID_PARAM, words));
        };
        refused(copier.call(nullptr, 10, host.data(), 10, 10, 3, kUp), {"dst is null", "10", "3"});
        refused(copier.call(device.At(), 10, nullptr, 10, 10, 3, kUp), {"src is null", "10", "3"});
        refused(copier.call(device.At(), 9, host.data(), 10, 10, 3, kUp), {"width 10", "dpitch 9"});
        refused(copier.call(device.At(), 10, host.data(), 9, 10, 3, kUp), {"width 10", "spitch 9"});
        refused(copier.call(device.At(), 0, host.data(), 10, 10, 3, kUp), {"width 10", "dpitch 0"});
        for (int kind : {-1, 8, 100, std::numeric_limits<int>::max()})
            refused(copier.call(device.At(), 10, host.data(), 10, 10, 3, kind),
                    {"kind is " + std::to_string(kind), "7"});
        for (int kind : {ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_DEFAULT, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE,
                         ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE})
            refused(copier.call(device.At(), 10, host.data(), 10, 10, 3, kind),
                    {"kind is " + std::to_string(kind), "ACL_MEMCPY_HOST_TO_DEVICE 1"});
        EXPECT_TRUE(FailedSaying(copier.name, copier.call(device.At(), 10, host.data(), 10, 10, 3, kDown),
                                 ACL_ERROR_RT_PARAM_INVALID,
                                 {"kind", "dst", Shown(device.At()), "src", Shown(host.data())}));
    }
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtMemcpy2d(device.At(), 10, device.At(50), 10, 10, 3, ACL_MEMCPY_DEVICE_TO_DEVICE), "kind is 3",
                     "aclrtMemcpy2dAsync");
    EXPECT_EQ(device.Download(), Pattern(100));
}

// The largest dimensions work; one more is refused.
TEST_F(Memcpy2d, Limits) {
    constexpr size_t kWidest = 5000000;
    for (const Copier& copier : Copiers()) {
        SCOPED_TRACE(copier.name);
        const Bytes data = Pattern(2 * kWidest), zeros(2 * kWidest, 0);
        DeviceMemory device(zeros);
        ASSERT_EQ(copier.call(device.At(), 1, data.data(), 1, 1, copier.max_height, kUp), 0);
        Bytes wanted = zeros;
        std::copy_n(data.begin(), copier.max_height, wanted.begin());
        EXPECT_TRUE(device.Download() == wanted);
        ASSERT_EQ(copier.call(device.At(), kWidest, data.data(), kWidest, kWidest, 2, kUp), 0);
        EXPECT_TRUE(device.Download() == data);
        const size_t high = copier.max_height + 1;
        EXPECT_TRUE(FailedSaying(copier.name, copier.call(device.At(), 1, data.data(), 1, 1, high, kUp),
                                 ACL_ERROR_INVALID_PARAM,
                                 {"height " + std::to_string(high), std::to_string(copier.max_height)}));
        EXPECT_TRUE(FailedSaying(copier.name,
                                 copier.call(device.At(), kWidest + 1, data.data(), kWidest + 1, kWidest + 1, 1, kUp),
                                 ACL_ERROR_INVALID_PARAM, {"width 5000001", "5000000"}));
        for (size_t side : {kMost, kMost / 2 + 2}) {
            EXPECT_TRUE(Failed(copier.name, copier.call(device.At(), kMost, data.data(), kMost, side, 1, kUp),
                               ACL_ERROR_INVALID_PARAM));
            EXPECT_TRUE(Failed(copier.name, copier.call(device.At(), 1, data.data(), 1, 1, side, kUp),
                               ACL_ERROR_INVALID_PARAM));
        }
    }
}

TEST_F(Memcpy2d, PastTheEndOfAnAllocation) {
    constexpr size_t kSize = 1000;
    DeviceMemory device(Pattern(kSize)), large(8 * kSize);
    PinnedMemory pinned(kSize, 1);
    Bytes host(8 * kSize, 2);
    for (const Copier& copier : Copiers()) {
        SCOPED_TRACE(copier.name);
        // The last row ends with the allocation; its padding is missing.
        EXPECT_EQ(copier.call(host.data(), 5, device.At(), 333, 1, 4, kDown), 0);
        EXPECT_EQ(copier.call(host.data(), 5, device.At(990), 500, 5, 1, kDown), 0);
        // Fewer bytes than the allocation has, but the last row begins past its end.
        auto refused = [&](void* dst, size_t dpitch, const void* src, size_t spitch, int kind, const char* argument,
                           const void* address) {
            EXPECT_TRUE(FailedSaying(copier.name, copier.call(dst, dpitch, src, spitch, 10, 3, kind),
                                     ACL_ERROR_RT_PARAM_INVALID, {argument, Shown(address), "6010", "past the end"}));
        };
        refused(device.At(), 3000, host.data(), 10, kUp, "dst", device.At());
        refused(large.At(), 10, pinned.At(), 3000, kUp, "src", pinned.At());
        refused(pinned.At(), 3000, large.At(), 10, kDown, "dst", pinned.At());
        refused(host.data(), 10, device.At(), 3000, kDown, "src", device.At());
        // The offset of a row exceeds 64 bits.
        for (size_t pitch : {kMost, kMost / 2 + 1, kMost / 2 - 8}) {
            EXPECT_TRUE(FailedSaying(copier.name, copier.call(device.At(), pitch, host.data(), 10, 10, 3, kUp),
                                     pitch > kMost / 2 ? ACL_ERROR_INVALID_PARAM : ACL_ERROR_RT_PARAM_INVALID,
                                     {"dst", Shown(device.At())}));
            EXPECT_TRUE(FailedSaying(copier.name, copier.call(host.data(), pitch, device.At(), 10, 10, 3, kDown),
                                     ACL_ERROR_INVALID_PARAM, {"dst", Shown(host.data())}));
        }
    }
    EXPECT_EQ(device.Download(), Pattern(kSize));
    EXPECT_EQ(pinned.Copy(), Bytes(kSize, 1));
}

// A pitch above the driver's limit. Only the pages with rows are mapped.
TEST_F(Memcpy2d, PitchOfMoreThanTwoGigabytes) {
    constexpr size_t kPitch = (size_t{1} << 31) + 10, kWidth = 100, kRows = 3;
    constexpr size_t kSize = (kRows - 1) * kPitch + kWidth;
    void* const mapped =
        mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    auto* const host = static_cast<unsigned char*>(mapped);
    DeviceMemory device(kRows * kWidth);
    const Bytes data = Pattern(kRows * kWidth);
    for (const Copier& copier : Copiers()) {
        for (size_t row = 0; row < kRows; ++row) std::memcpy(host + row * kPitch, &data[row * kWidth], kWidth);
        ASSERT_TRUE(Returned(copier.name, copier.call(device.At(), kWidth, host, kPitch, kWidth, kRows, kUp), 0));
        EXPECT_TRUE(device.Download() == data);
        for (size_t row = 0; row < kRows; ++row) std::memset(host + row * kPitch, 0, kWidth);
        ASSERT_TRUE(Returned(copier.name, copier.call(host, kPitch, device.At(), kWidth, kWidth, kRows, kDown), 0));
        for (size_t row = 0; row < kRows; ++row)
            EXPECT_EQ(std::memcmp(host + row * kPitch, &data[row * kWidth], kWidth), 0) << row;
    }
    munmap(mapped, kSize);
}

// Managed memory counts as host or device memory, on whichever device it was allocated.
TEST_F(Memcpy2d, ManagedMemory) {
    const Bytes data = Pattern(kShape.SrcSize()), before(kShape.DstSize(), 1);
    for (int32_t made_on = 0; made_on < static_cast<int32_t>(std::min(DeviceCount(), 2u)); ++made_on) {
        void* managed = nullptr;
        {
            const OnDevice current(made_on);
            ACL_OK(aclrtMemAllocManaged(&managed, 4096, 1));
        }
        auto* const bytes = static_cast<unsigned char*>(managed);
        for (const Copier& copier : Copiers())
            for (int kind : {kUp, kDown, kOver}) {
                if (kind == kOver && !copier.asynchronous) continue;
                SCOPED_TRACE(testing::Message() << copier.name << " kind " << kind << " of device " << made_on);
                AnyMemory dst(kind == kDown ? Where::kPinned : Where::kDevice0, before.size());
                AnyMemory src(kind == kUp ? Where::kPinned : Where::kDevice0, data.size());
                const auto copy = [&](void* to, const void* from) {
                    return copier.call(to, kShape.dpitch, from, kShape.spitch, kShape.width, kShape.height, kind);
                };
                dst.Set(before);
                std::copy(data.begin(), data.end(), bytes);
                ASSERT_TRUE(Returned(copier.name, copy(dst.At(), managed), 0));
                EXPECT_TRUE(dst.Get() == kShape.Copied(data, before));
                src.Set(data);
                std::copy(before.begin(), before.end(), bytes);
                ASSERT_TRUE(Returned(copier.name, copy(managed, src.At()), 0));
                EXPECT_TRUE(Bytes(bytes, bytes + before.size()) == kShape.Copied(data, before));
            }
        const OnDevice current(made_on);
        ACL_OK(aclrtFree(managed));
    }
}

TEST_F(Memcpy2d, OfFreedMemory) {
    void* device = DeviceMemory(100).Release();
    ACL_OK(aclrtFree(device));
    Bytes host(100, 1);
    for (const Copier& copier : Copiers()) {
        EXPECT_TRUE(FailedSaying(copier.name, copier.call(device, 10, host.data(), 10, 5, 3, kUp),
                                 ACL_ERROR_RT_PARAM_INVALID, {"dst", Shown(device)}));
        EXPECT_TRUE(FailedSaying(copier.name, copier.call(host.data(), 10, device, 10, 5, 3, kDown),
                                 ACL_ERROR_RT_PARAM_INVALID, {"src", Shown(device)}));
    }
    EXPECT_EQ(host, Bytes(100, 1));
}

TEST_F(Memcpy2d, InvalidStreams) {
    DeviceMemory device(Pattern(100));
    Bytes host(100, 1);
    aclrtStream dead = Stream().Release();
    ACL_OK(aclrtDestroyStream(dead));
    Event event;
    int local = 0;
    for (aclrtStream stream :
         {dead, static_cast<aclrtStream>(&local), static_cast<aclrtStream>(static_cast<aclrtEvent>(event))}) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                         aclrtMemcpy2dAsync(device.At(), 10, host.data(), 10, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE, stream),
                         "stream");
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID,
                  aclrtMemcpy2dAsync(nullptr, 0, nullptr, 0, 0, 0, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    }
    EXPECT_EQ(device.Download(), Pattern(100));
}

TEST_F(Memcpy2d, NeedsADeviceInThisThread) {
    DeviceMemory device(Pattern(100));
    Bytes host(100, 1);
    OnNewThread([&] {
        for (const Copier& copier : Copiers())
            EXPECT_TRUE(Failed(copier.name, copier.call(device.At(), 10, host.data(), 10, 5, 3, kUp),
                               ACL_ERROR_RT_CONTEXT_NULL));
        ACL_EXPECT_OK(aclrtSetDevice(0));
        for (const Copier& copier : Copiers())
            EXPECT_EQ(copier.call(host.data(), 10, device.At(), 10, 10, 10, kDown), 0);
    });
    EXPECT_EQ(device.Download(), Pattern(100));
    EXPECT_EQ(host, Pattern(100));
}

TEST_F(Memcpy2d, RefusedInsideAHostFunction) {
    static DeviceMemory* device;
    static aclError codes[2];
    DeviceMemory memory(Pattern(100));
    device = &memory;
    const auto function = [](void*) {
        static Bytes host(100, 1);
        codes[0] = aclrtMemcpy2d(device->At(), 10, host.data(), 10, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE);
        codes[1] = aclrtMemcpy2dAsync(device->At(), 10, host.data(), 10, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE, nullptr);
    };
    ACL_OK(aclrtLaunchHostFunc(nullptr, function, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    for (aclError code : codes) EXPECT_EQ(code, ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(memory.Download(), Pattern(100));
}

TEST_F(Memcpy2d, AfterFinalize) {
    void* device = DeviceMemory(100).Release();
    Bytes host(100, 1);
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemcpy2d(device, 10, host.data(), 10, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL,
              aclrtMemcpy2dAsync(device, 10, host.data(), 10, 5, 3, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
    ACL_OK(aclInit(nullptr));
}

}  // namespace

// aclrtMemsetD32 and aclrtMemsetD32Async.

#include <functional>
#include <limits>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using Words = std::vector<uint32_t>;

// Both calls under one signature; a synchronize follows the second.
struct Setter {
    const char* name;
    std::function<aclError(void*, size_t, uint32_t, size_t)> call;
};

std::vector<Setter> Setters() {
    return {{"aclrtMemsetD32", aclrtMemsetD32},
            {"aclrtMemsetD32Async", [](void* at, size_t room, uint32_t value, size_t count) {
                 const aclError code = aclrtMemsetD32Async(at, room, value, count, nullptr);
                 if (code != 0) return code;
                 return aclrtSynchronizeStream(nullptr);
             }}};
}

class MemsetD32 : public WithDevice {};

TEST_F(MemsetD32, SetsExactlyTheWordsOfTheRange) {
    constexpr size_t kCount = 3000;
    for (const Setter& setter : Setters()) {
        for (uint32_t value : {0u, 0x12345678u, 0xFFFFFFFFu, 0x3F800000u}) {
            for (size_t first : {0, 1, 5, 1023}) {
                for (size_t count : {1, 2, 7, 16, 1025}) {
                    Words wanted(kCount, 0xDEADBEEF);
                    DeviceMemory device(wanted);
                    ASSERT_TRUE(Returned(setter.name,
                                         setter.call(device.At(4 * first), 4 * (kCount - first), value, count), 0));
                    std::fill_n(wanted.begin() + std::ptrdiff_t(first), count, value);
                    EXPECT_TRUE(device.Download<uint32_t>() == wanted)
                        << setter.name << ' ' << value << ' ' << first << ' ' << count;
                }
            }
        }
    }
}

// Long enough to be divided among threads, and beginning inside a share.
TEST_F(MemsetD32, LargeRanges) {
    constexpr size_t kCount = (10 << 20) + 1;
    DeviceMemory device(4 * kCount);
    uint32_t value = 0x01020304;
    for (const Setter& setter : Setters()) {
        ASSERT_TRUE(Returned(setter.name, setter.call(device.At(), 4 * kCount, 7, 1), 0));
        ASSERT_TRUE(Returned(setter.name, setter.call(device.At(4), 4 * (kCount - 1), ++value, kCount - 1), 0));
        Words wanted(kCount, value);
        wanted[0] = 7;
        EXPECT_TRUE(device.Download<uint32_t>() == wanted);
    }
}

TEST_F(MemsetD32, OfPinnedMemory) {
    for (const Setter& setter : Setters()) {
        PinnedMemory pinned(400, 0x11);
        ASSERT_TRUE(Returned(setter.name, setter.call(pinned.At(8), 392, 0xCAFEF00D, 50), 0));
        Words wanted(100, 0x11111111), seen(100);
        std::fill_n(wanted.begin() + 2, 50, 0xCAFEF00D);
        std::memcpy(seen.data(), pinned.At(), 400);
        EXPECT_EQ(seen, wanted);
    }
}

TEST_F(MemsetD32, ZeroWordsDoNothing) {
    DeviceMemory device(Pattern(100));
    for (const Setter& setter : Setters())
        for (void* at : {static_cast<void*>(nullptr), device.At(), device.At(1)})
            for (size_t room : {0, 100}) EXPECT_TRUE(Returned(setter.name, setter.call(at, room, 1, 0), 0));
    EXPECT_EQ(device.Download(), Pattern(100));
}

TEST_F(MemsetD32, BadArguments) {
    DeviceMemory device(Pattern(100));
    Words pageable(100, 1);
    constexpr size_t kMost = std::numeric_limits<size_t>::max();
    for (const Setter& setter : Setters()) {
        EXPECT_TRUE(FailedSaying(setter.name, setter.call(nullptr, 100, 1, 25), ACL_ERROR_INVALID_PARAM,
                                 {"ptr is null", "N is 25"}));
        for (size_t room : {0, 3, 4, 96, 99})
            EXPECT_TRUE(FailedSaying(setter.name, setter.call(device.At(), room, 1, 25), ACL_ERROR_INVALID_PARAM,
                                     {"N is 25", "memSize (" + std::to_string(room)}));
        // 4 times this is 4 in 64 bits.
        EXPECT_TRUE(FailedSaying(setter.name, setter.call(device.At(), 100, 1, kMost / 4 + 2), ACL_ERROR_INVALID_PARAM,
                                 {std::to_string(kMost / 4 + 2), "memSize (100 bytes)"}));
        for (size_t offset : {1, 2, 3})
            EXPECT_TRUE(FailedSaying(setter.name, setter.call(device.At(offset), 96, 1, 24),
                                     ACL_ERROR_RT_ADDR_UNALIGNED, {"ptr", Shown(device.At(offset))}));
        EXPECT_TRUE(FailedSaying(setter.name, setter.call(pageable.data(), 400, 2, 100), ACL_ERROR_RT_PARAM_INVALID,
                                 {"ptr", Shown(pageable.data())}));
        for (size_t count : {size_t{1100}, kMost / 4})
            EXPECT_TRUE(FailedSaying(setter.name, setter.call(device.At(), kMost, 2, count), ACL_ERROR_RT_PARAM_INVALID,
                                     {Shown(device.At()), std::to_string(4 * count)}));
    }
    EXPECT_EQ(device.Download(), Pattern(100));
    EXPECT_EQ(pageable, Words(100, 1));
}

TEST_F(MemsetD32, NeedsADeviceInThisThread) {
    DeviceMemory device(Pattern(100));
    OnNewThread([&] {
        for (const Setter& setter : Setters())
            EXPECT_TRUE(Failed(setter.name, setter.call(device.At(), 100, 1, 25), ACL_ERROR_RT_CONTEXT_NULL));
    });
    EXPECT_EQ(device.Download(), Pattern(100));
}

TEST_F(MemsetD32, OfMemoryOfAnotherDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    DeviceMemory device(Pattern(100));
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtMemsetD32(device.At(), 100, 5, 25));
    EXPECT_EQ(device.Download<uint32_t>(), Words(25, 5));
    EXPECT_TRUE(FailedSaying("aclrtMemsetD32Async", aclrtMemsetD32Async(device.At(), 100, 6, 25, nullptr),
                             ACL_ERROR_RT_PARAM_INVALID, {"ptr", Shown(device.At()), "device 0", "device 1"}));
    EXPECT_EQ(device.Download<uint32_t>(), Words(25, 5));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(MemsetD32, InvalidStreams) {
    DeviceMemory device(Pattern(100));
    aclrtStream dead = Stream().Release();
    ACL_OK(aclrtDestroyStream(dead));
    Event event;
    int local = 0;
    for (aclrtStream stream :
         {dead, static_cast<aclrtStream>(&local), static_cast<aclrtStream>(static_cast<aclrtEvent>(event))})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetD32Async(device.At(), 100, 1, 25, stream), "stream");
    EXPECT_EQ(device.Download(), Pattern(100));
}

TEST_F(MemsetD32, AfterFinalize) {
    void* device = DeviceMemory(100).Release();
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetD32(device, 100, 1, 25));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemsetD32Async(device, 100, 1, 25, nullptr));
    ACL_OK(aclInit(nullptr));
}

TEST_F(MemsetD32, AsyncRunsInStreamOrder) {
    Stream stream;
    DeviceMemory device(Words(256, 1));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemsetD32Async(device.At(), 1024, 0x02030405, 256, stream));
    ASSERT_TRUE(gate.AwaitArrival());
    EXPECT_EQ(device.Download<uint32_t>(), Words(256, 1));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(device.Download<uint32_t>(), Words(256, 0x02030405));
}

// The host may read without a synchronize; earlier work runs first.
TEST_F(MemsetD32, AsyncOnHostMemoryIsCompleteOnReturn) {
    Stream stream;
    PinnedMemory pinned(1024, 1), earlier(1024, 7);
    DeviceMemory device(1024);
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemcpyAsync(device.At(), 1024, pinned.At(), 1024, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL_OK(aclrtMemcpyAsync(earlier.At(), 1024, device.At(), 1024, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    const Opener opener(gate);
    for (uint32_t round = 2; round < 50; ++round) {
        ACL_OK(aclrtMemsetD32Async(pinned.At(), 1024, round * 0x01010101, 256, stream));
        EXPECT_EQ(pinned.Copy(), std::vector<unsigned char>(1024, static_cast<unsigned char>(round)));
    }
    EXPECT_EQ(earlier.Copy(), std::vector<unsigned char>(1024, 1));
}

}  // namespace

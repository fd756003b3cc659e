// aclrtMemset and aclrtMemsetAsync.

#include <functional>
#include <limits>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using Bytes = std::vector<unsigned char>;

// Both calls under one signature; a synchronize follows the second.
struct Setter {
    const char* name;
    std::function<aclError(void*, size_t, int32_t, size_t)> call;
};

std::vector<Setter> Setters() {
    return {{"aclrtMemset", aclrtMemset}, {"aclrtMemsetAsync", [](void* at, size_t room, int32_t value, size_t count) {
                                               const aclError code = aclrtMemsetAsync(at, room, value, count, nullptr);
                                               if (code != 0) return code;
                                               return aclrtSynchronizeStream(nullptr);
                                           }}};
}

class Memset : public WithDevice {};

TEST_F(Memset, SetsExactlyTheBytesOfTheRange) {
    constexpr size_t kSize = 10000;
    for (const Setter& setter : Setters()) {
        for (size_t first : {0, 1, 3, 64, 4095}) {
            for (size_t count : {1, 2, 7, 16, 63, 4097}) {
                Bytes wanted = Pattern(kSize);
                DeviceMemory device(wanted);
                ASSERT_TRUE(Returned(setter.name, setter.call(device.At(first), kSize - first, 0xAB, count), 0));
                std::fill_n(wanted.begin() + std::ptrdiff_t(first), count, 0xAB);
                EXPECT_TRUE(device.Download() == wanted) << setter.name << first << ' ' << count;
            }
        }
    }
}

TEST_F(Memset, LargeRanges) {
    constexpr size_t kSize = (40 << 20) + 5;
    DeviceMemory device(kSize);
    for (const Setter& setter : Setters()) {
        const int value = setter.name[11] == 'A' ? 3 : 4;
        ASSERT_TRUE(Returned(setter.name, setter.call(device.At(), kSize, value, kSize), 0));
        EXPECT_TRUE(device.Download() == Bytes(kSize, static_cast<unsigned char>(value)));
    }
}

TEST_F(Memset, TakesTheLowByteOfTheValue) {
    DeviceMemory device(10);
    for (const Setter& setter : Setters()) {
        for (int32_t value : {0, 255, 256 + 7, -1, std::numeric_limits<int32_t>::min() + 9}) {
            ASSERT_TRUE(Returned(setter.name, setter.call(device.At(), 10, value, 10), 0));
            EXPECT_EQ(device.Download(), Bytes(10, static_cast<unsigned char>(value)));
        }
    }
}

TEST_F(Memset, OfPinnedMemory) {
    for (const Setter& setter : Setters()) {
        PinnedMemory pinned(1000, 1);
        ASSERT_TRUE(Returned(setter.name, setter.call(pinned.At(10), 990, 2, 500), 0));
        Bytes wanted(1000, 1);
        std::fill_n(wanted.begin() + 10, 500, 2);
        EXPECT_EQ(pinned.Copy(), wanted);
    }
}

TEST_F(Memset, CountZeroDoesNothing) {
    DeviceMemory device(Pattern(100));
    for (const Setter& setter : Setters()) {
        EXPECT_TRUE(Returned(setter.name, setter.call(nullptr, 0, 1, 0), 0));
        EXPECT_TRUE(Returned(setter.name, setter.call(nullptr, 77, 1, 0), 0));
        EXPECT_TRUE(Returned(setter.name, setter.call(device.At(), 0, 1, 0), 0));
        EXPECT_TRUE(Returned(setter.name, setter.call(device.At(), 100, 1, 0), 0));
    }
    EXPECT_EQ(device.Download(), Pattern(100));
}

TEST_F(Memset, BadArguments) {
    DeviceMemory device(Pattern(100));
    Bytes pageable(100, 1);
    constexpr size_t kMost = std::numeric_limits<size_t>::max();
    for (const Setter& setter : Setters()) {
        EXPECT_TRUE(FailedSaying(setter.name, setter.call(nullptr, 100, 1, 50), ACL_ERROR_INVALID_PARAM,
                                 {"devPtr", "null", "50"}));
        EXPECT_TRUE(FailedSaying(setter.name, setter.call(device.At(), 50, 1, 51), ACL_ERROR_INVALID_PARAM,
                                 {"count 51", "maxCount 50"}));
        EXPECT_TRUE(FailedSaying(setter.name, setter.call(pageable.data(), 100, 2, 100), ACL_ERROR_RT_PARAM_INVALID,
                                 {"devPtr", Shown(pageable.data()), "memset"}));
        for (size_t count : {size_t{100 + 4096}, kMost / 2, kMost - 1, kMost})
            EXPECT_TRUE(FailedSaying(setter.name, setter.call(device.At(), kMost, 2, count), ACL_ERROR_RT_PARAM_INVALID,
                                     {"devPtr", Shown(device.At()), std::to_string(count)}));
    }
    EXPECT_EQ(device.Download(), Pattern(100));
    EXPECT_EQ(pageable, Bytes(100, 1));
}

TEST_F(Memset, OfFreedMemory) {
    void* address = DeviceMemory(100).Release();
    ACL_OK(aclrtFree(address));
    for (const Setter& setter : Setters())
        EXPECT_TRUE(Failed(setter.name, setter.call(address, 100, 1, 100), ACL_ERROR_RT_PARAM_INVALID));
}

TEST_F(Memset, NeedsADeviceInThisThread) {
    DeviceMemory device(Pattern(100));
    OnNewThread([&] {
        for (const Setter& setter : Setters())
            EXPECT_TRUE(Failed(setter.name, setter.call(device.At(), 100, 1, 100), ACL_ERROR_RT_CONTEXT_NULL));
    });
    EXPECT_EQ(device.Download(), Pattern(100));
}

TEST_F(Memset, OfMemoryOfAnotherDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    DeviceMemory device(Pattern(100));
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtMemset(device.At(), 100, 5, 100));
    EXPECT_EQ(device.Download(), Bytes(100, 5));
    // A stream only writes memory of its own device.
    EXPECT_TRUE(FailedSaying("aclrtMemsetAsync", aclrtMemsetAsync(device.At(), 100, 6, 100, nullptr),
                             ACL_ERROR_RT_PARAM_INVALID, {"devPtr", Shown(device.At()), "device 0", "device 1"}));
    EXPECT_EQ(device.Download(), Bytes(100, 5));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(Memset, AfterFinalize) {
    void* pinned = PinnedMemory(100).Release();
    void* device = DeviceMemory(100).Release();
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(device, 100, 1, 100));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(pinned, 100, 1, 100));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemsetAsync(device, 100, 1, 100, nullptr));
    ACL_OK(aclInit(nullptr));
}

// The synchronous call is not ordered with any stream: it does not wait for this one.
TEST_F(Memset, DoesNotWaitForStreams) {
    Stream stream;
    DeviceMemory device(1000), other(1000);
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemsetAsync(other.At(), 1000, 1, 1000, stream));
    ACL_OK(gate.Hold(nullptr));
    ACL_OK(aclrtMemset(device.At(), 1000, 2, 1000));
    EXPECT_EQ(device.Download(), Bytes(1000, 2));
    EXPECT_FALSE(IsIdle(stream));
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
}

TEST_F(Memset, AsyncRunsInStreamOrder) {
    for (size_t size : {size_t{1000}, size_t{3 << 20}}) {
        Stream stream;
        DeviceMemory device(size);
        PinnedMemory pinned(size, 1);
        ACL_OK(aclrtMemset(device.At(), size, 1, size));
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclrtMemsetAsync(device.At(), size, 2, size, stream));
        ACL_OK(aclrtMemsetAsync(pinned.At(), size, 2, size, stream));
        ASSERT_TRUE(gate.AwaitArrival());
        EXPECT_TRUE(device.Download() == Bytes(size, 1));
        EXPECT_TRUE(pinned.Copy() == Bytes(size, 1));
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_TRUE(device.Download() == Bytes(size, 2));
        EXPECT_TRUE(pinned.Copy() == Bytes(size, 2));
    }
}

}  // namespace

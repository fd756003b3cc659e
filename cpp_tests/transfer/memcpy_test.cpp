// aclrtMemcpy, aclrtMemcpyAsync and its older name: directions, sizes, arguments.
// memcpy_async_test.cpp covers when the asynchronous one reads and writes.

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <limits>

#include "support/gate.h"
#include "support/memory/places.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using Bytes = std::vector<unsigned char>;

// All calls under one signature; a synchronize follows the asynchronous ones.
struct Copier {
    const char* name;
    bool asynchronous;
    std::function<aclError(void*, size_t, const void*, size_t, int)> call;
};

std::vector<Copier> Copiers() {
    return {
        {"aclrtMemcpy", false,
         [](void* dst, size_t room, const void* src, size_t count, int kind) {
             return aclrtMemcpy(dst, room, src, count, static_cast<aclrtMemcpyKind>(kind));
         }},
        {"aclrtMemcpyAsync", true,
         [](void* dst, size_t room, const void* src, size_t count, int kind) {
             const aclError code = aclrtMemcpyAsync(dst, room, src, count, static_cast<aclrtMemcpyKind>(kind), nullptr);
             if (code != 0) return code;
             return aclrtSynchronizeStream(nullptr);
         }},
        {"aclrtMemcpyAsyncWithCondition", true, [](void* dst, size_t room, const void* src, size_t count, int kind) {
             const aclError code =
                 aclrtMemcpyAsyncWithCondition(dst, room, src, count, static_cast<aclrtMemcpyKind>(kind), nullptr);
             if (code != 0) return code;
             return aclrtSynchronizeStream(nullptr);
         }}};
}

constexpr int kKinds[] = {ACL_MEMCPY_HOST_TO_HOST,
                          ACL_MEMCPY_HOST_TO_DEVICE,
                          ACL_MEMCPY_DEVICE_TO_HOST,
                          ACL_MEMCPY_DEVICE_TO_DEVICE,
                          ACL_MEMCPY_DEFAULT,
                          ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE,
                          ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
                          ACL_MEMCPY_INTER_DEVICE_TO_DEVICE};

bool Fits(int kind, Where dst, Where src) {
    const bool to_host = OnHost(dst), from_host = OnHost(src);
    switch (kind) {
        case ACL_MEMCPY_HOST_TO_HOST:
            return to_host && from_host;
        case ACL_MEMCPY_HOST_TO_DEVICE:
        case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
            return !to_host && from_host;
        case ACL_MEMCPY_DEVICE_TO_HOST:
            return to_host && !from_host;
        case ACL_MEMCPY_DEVICE_TO_DEVICE:
            return !to_host && !from_host;
        case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
            return !to_host && dst == src;
        case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE:
            return !to_host && !from_host && dst != src;
        default:
            return true;
    }
}

class Memcpy : public WithDevice {};

// Every direction with every kind: the copy is right, or refused with nothing written.
TEST_F(Memcpy, EveryKindWithEveryPlace) {
    constexpr size_t kSize = 5000, kFirst = 3, kCount = 4321;
    const Bytes before = Pattern(kSize, 1), data = Pattern(kSize, 2);
    Bytes after = before;
    std::copy_n(data.begin() + 7, kCount, after.begin() + kFirst);
    for (Where to : Places())
        for (Where from : Places()) {
            AnyMemory dst(to, kSize), src(from, kSize);
            src.Set(data);
            for (const Copier& copier : Copiers())
                for (int kind : kKinds) {
                    SCOPED_TRACE(testing::Message()
                                 << copier.name << " to " << to << " from " << from << " kind " << kind);
                    dst.Set(before);
                    const bool host_only = copier.asynchronous && OnHost(to) && OnHost(from);
                    const aclError wanted = !Fits(kind, to, from) ? ACL_ERROR_RT_PARAM_INVALID
                                            : host_only           ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT
                                                                  : ACL_SUCCESS;
                    const aclError code = copier.call(dst.At() + kFirst, kSize - kFirst, src.At() + 7, kCount, kind);
                    EXPECT_TRUE(Returned(copier.name, code, wanted));
                    EXPECT_TRUE(dst.Get() == (wanted == 0 ? after : before));
                    EXPECT_TRUE(src.Get() == data);
                }
        }
}

TEST_F(Memcpy, EverySize) {
    constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB;
    for (size_t size : {size_t{1}, size_t{2}, size_t{3}, size_t{31}, size_t{63}, size_t{64}, size_t{65}, 4 * kKiB - 1,
                        4 * kKiB, 64 * kKiB, 64 * kKiB + 1, kMiB + 1, 8 * kMiB, 20 * kMiB + 3}) {
        const Bytes data = Pattern(size);
        DeviceMemory first(size), second(size);
        for (const Copier& copier : Copiers()) {
            SCOPED_TRACE(testing::Message() << copier.name << " size " << size);
            Bytes back(size, 0);
            PinnedMemory pinned(size, 0);
            ASSERT_EQ(copier.call(first.At(), size, data.data(), size, ACL_MEMCPY_HOST_TO_DEVICE), 0);
            ASSERT_EQ(copier.call(second.At(), size, first.At(), size, ACL_MEMCPY_DEVICE_TO_DEVICE), 0);
            ASSERT_EQ(copier.call(pinned.At(), size, second.At(), size, ACL_MEMCPY_DEVICE_TO_HOST), 0);
            EXPECT_TRUE(pinned.Copy() == data);
            std::fill_n(pinned.Bytes(), size, 9);
            ASSERT_EQ(copier.call(first.At(), size, pinned.At(), size, ACL_MEMCPY_HOST_TO_DEVICE), 0);
            ASSERT_EQ(copier.call(back.data(), size, first.At(), size, ACL_MEMCPY_DEVICE_TO_HOST), 0);
            EXPECT_TRUE(back == Bytes(size, 9));
        }
    }
}

TEST_F(Memcpy, CountZeroDoesNothing) {
    DeviceMemory device(Pattern(100));
    Bytes host(100, 1);
    for (const Copier& copier : Copiers()) {
        SCOPED_TRACE(copier.name);
        for (int kind : {0, 1, 7, -1, 8, std::numeric_limits<int>::max()}) {
            EXPECT_EQ(copier.call(nullptr, 0, nullptr, 0, kind), 0);
            EXPECT_EQ(copier.call(nullptr, 5, host.data(), 0, kind), 0);
            EXPECT_EQ(copier.call(device.At(), 0, nullptr, 0, kind), 0);
            EXPECT_EQ(copier.call(device.At(), 100, host.data(), 0, kind), 0);
        }
    }
    EXPECT_EQ(device.Download(), Pattern(100));
}

TEST_F(Memcpy, BadArguments) {
    DeviceMemory device(Pattern(100));
    Bytes host(100, 1);
    constexpr int kUp = ACL_MEMCPY_HOST_TO_DEVICE;
    for (const Copier& copier : Copiers()) {
        EXPECT_TRUE(FailedSaying(copier.name, copier.call(nullptr, 100, host.data(), 50, kUp), ACL_ERROR_INVALID_PARAM,
                                 {"dst", "null", "50"}));
        EXPECT_TRUE(FailedSaying(copier.name, copier.call(device.At(), 100, nullptr, 50, kUp), ACL_ERROR_INVALID_PARAM,
                                 {"src", "null", "50"}));
        EXPECT_TRUE(FailedSaying(copier.name, copier.call(device.At(), 49, host.data(), 50, kUp),
                                 ACL_ERROR_INVALID_PARAM, {"count 50", "destMax 49"}));
        EXPECT_TRUE(FailedSaying(copier.name, copier.call(device.At(), 0, host.data(), 50, kUp),
                                 ACL_ERROR_INVALID_PARAM, {"count 50", "destMax 0"}));
        for (int kind : {-1, 8, 100, std::numeric_limits<int>::max()})
            EXPECT_TRUE(FailedSaying(copier.name, copier.call(device.At(), 100, host.data(), 50, kind),
                                     ACL_ERROR_INVALID_PARAM, {"kind", std::to_string(kind), "7"}));
        EXPECT_TRUE(FailedSaying(copier.name, copier.call(device.At(), 100, host.data(), 50, ACL_MEMCPY_DEVICE_TO_HOST),
                                 ACL_ERROR_RT_PARAM_INVALID,
                                 {"kind", "dst", Shown(device.At()), "src", Shown(host.data())}));
    }
    EXPECT_EQ(device.Download(), Pattern(100));
}

TEST_F(Memcpy, PastTheEndOfAnAllocation) {
    constexpr size_t kSize = 1000, kTooMuch = kSize + 4096;
    constexpr size_t kMost = std::numeric_limits<size_t>::max();
    DeviceMemory device(Pattern(kSize)), large(2 * kTooMuch);
    PinnedMemory pinned(kSize, 1);
    Bytes host(2 * kTooMuch, 2);
    for (const Copier& copier : Copiers()) {
        SCOPED_TRACE(copier.name);
        auto refused = [&](void* dst, const void* src, size_t count, int kind, const char* argument,
                           const void* address) {
            EXPECT_TRUE(FailedSaying(copier.name, copier.call(dst, kMost, src, count, kind), ACL_ERROR_RT_PARAM_INVALID,
                                     {argument, Shown(address), std::to_string(count), "past the end"}));
        };
        refused(device.At(), host.data(), kTooMuch, ACL_MEMCPY_HOST_TO_DEVICE, "dst", device.At());
        refused(device.At(900), host.data(), kTooMuch - 900, ACL_MEMCPY_HOST_TO_DEVICE, "dst", device.At(900));
        refused(host.data(), device.At(), kTooMuch, ACL_MEMCPY_DEVICE_TO_HOST, "src", device.At());
        refused(large.At(), device.At(), kTooMuch, ACL_MEMCPY_DEVICE_TO_DEVICE, "src", device.At());
        refused(device.At(), large.At(), kTooMuch, ACL_MEMCPY_DEVICE_TO_DEVICE, "dst", device.At());
        refused(large.At(), pinned.At(), kTooMuch, ACL_MEMCPY_HOST_TO_DEVICE, "src", pinned.At());
        refused(pinned.At(), large.At(), kTooMuch, ACL_MEMCPY_DEVICE_TO_HOST, "dst", pinned.At());
        refused(device.At(), host.data(), kMost, ACL_MEMCPY_HOST_TO_DEVICE, "dst", device.At());
        // Beyond the address space: refused without looking any address up.
        EXPECT_TRUE(FailedSaying(copier.name,
                                 copier.call(host.data(), kMost, device.At(), kMost, ACL_MEMCPY_DEVICE_TO_HOST),
                                 ACL_ERROR_INVALID_PARAM, {"dst", Shown(host.data())}));
    }
    EXPECT_EQ(device.Download(), Pattern(kSize));
    EXPECT_EQ(pinned.Copy(), Bytes(kSize, 1));
}

// Pageable memory has no known end; while it is registered, it has one.
TEST_F(Memcpy, OfMemoryThatIsRegisteredTemporarily) {
    constexpr size_t kPage = 4096;
    alignas(kPage) static unsigned char host[2 * kPage];
    const Bytes pattern = Pattern(sizeof host);
    DeviceMemory device(sizeof host);
    for (const Copier& copier : Copiers()) {
        SCOPED_TRACE(copier.name);
        auto both = [&](void* to, const void* from, int kind) {
            return copier.call(to, sizeof host, from, sizeof host, kind);
        };
        for (int round = 0; round < 2; ++round) {
            std::copy(pattern.begin(), pattern.end(), host);
            EXPECT_EQ(both(device.At(), host, ACL_MEMCPY_HOST_TO_DEVICE), 0);
            EXPECT_EQ(device.Download(), pattern);
            std::fill(std::begin(host), std::end(host), 0);
            EXPECT_EQ(both(host, device.At(), ACL_MEMCPY_DEVICE_TO_HOST), 0);
            EXPECT_TRUE(std::equal(pattern.begin(), pattern.end(), host));
            if (round == 1) break;
            ACL_OK(aclrtHostRegisterV2(host, kPage, ACL_HOST_REG_PINNED));
            EXPECT_TRUE(FailedSaying(copier.name, both(device.At(), host, ACL_MEMCPY_DEFAULT),
                                     ACL_ERROR_RT_PARAM_INVALID,
                                     {"src", Shown(host), "past the end of its registration"}));
            EXPECT_TRUE(FailedSaying(copier.name, both(host, device.At(), ACL_MEMCPY_DEFAULT),
                                     ACL_ERROR_RT_PARAM_INVALID,
                                     {"dst", Shown(host), "past the end of its registration"}));
            ACL_OK(aclrtHostUnregister(host));
        }
    }
}

// An address of freed device memory is reported as such, also as the host operand: an access would
// fault, or reach another allocation.
TEST_F(Memcpy, OfFreedMemory) {
    constexpr size_t kSizes[] = {100, 5 << 20};
    Bytes host(100, 1);
    DeviceMemory live(Pattern(100));
    for (size_t size : kSizes) {
        void* gone = DeviceMemory(size).Release();
        ACL_OK(aclrtFree(gone));
        for (const Copier& copier : Copiers()) {
            for (int kind = 0; kind <= 7; ++kind) {
                SCOPED_TRACE(testing::Message() << copier.name << " kind " << kind);
                const auto direction = static_cast<aclrtMemcpyKind>(kind);
                for (size_t offset : {size_t{0}, size - 100}) {
                    void* at = static_cast<char*>(gone) + offset;
                    for (void* other : {static_cast<void*>(host.data()), live.At()}) {
                        EXPECT_TRUE(FailedSaying(copier.name, copier.call(at, 100, other, 100, direction),
                                                 ACL_ERROR_RT_PARAM_INVALID, {"dst", Shown(at), "freed"}));
                        EXPECT_TRUE(FailedSaying(copier.name, copier.call(other, 100, at, 100, direction),
                                                 ACL_ERROR_RT_PARAM_INVALID, {"src", Shown(at), "freed"}));
                    }
                }
            }
        }
    }
    EXPECT_EQ(host, Bytes(100, 1));
    EXPECT_EQ(live.Download(), Pattern(100));
}

// The same while pending work still uses the memory, and after its device was reset.
TEST_F(Memcpy, OfFreedMemoryOfPendingWorkAndOfResetDevices) {
    constexpr size_t kSize = 3 << 20;
    Bytes host(100, 1);
    const auto refuses = [&](void* gone) {
        EXPECT_TRUE(FailedSaying("aclrtMemcpy", aclrtMemcpy(host.data(), 100, gone, 100, ACL_MEMCPY_DEFAULT),
                                 ACL_ERROR_RT_PARAM_INVALID, {"src", Shown(gone), "freed"}));
        EXPECT_TRUE(FailedSaying("aclrtMemcpy", aclrtMemcpy(gone, 100, host.data(), 100, ACL_MEMCPY_DEFAULT),
                                 ACL_ERROR_RT_PARAM_INVALID, {"dst", Shown(gone), "freed"}));
    };
    Stream stream;
    void* going = DeviceMemory(kSize).Release();
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemsetAsync(going, kSize, 1, kSize, stream));
    ACL_OK(aclrtFree(going));
    refuses(going);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    refuses(going);
    // The same with pinned memory.
    for (size_t size : {size_t{100}, kSize}) {
        void* pinned = PinnedMemory(size, 1).Release();
        ACL_OK(aclrtFreeHost(pinned));
        refuses(pinned);
    }
    void* lost = DeviceMemory(kSize).Release();
    stream.Release();
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_OK(aclrtSetDevice(0));
    // The next opening of the device may have its memory at the same address.
    refuses(lost);
    EXPECT_EQ(host, Bytes(100, 1));
}

TEST_F(Memcpy, NeedsADeviceInThisThread) {
    DeviceMemory device(Pattern(100));
    Bytes host(100, 1);
    OnNewThread([&] {
        for (const Copier& copier : Copiers()) {
            EXPECT_TRUE(Failed(copier.name, copier.call(device.At(), 100, host.data(), 100, ACL_MEMCPY_HOST_TO_DEVICE),
                               ACL_ERROR_RT_CONTEXT_NULL));
            EXPECT_TRUE(Failed(copier.name, copier.call(host.data(), 100, device.At(), 100, ACL_MEMCPY_DEVICE_TO_HOST),
                               ACL_ERROR_RT_CONTEXT_NULL));
        }
    });
    EXPECT_EQ(device.Download(), Pattern(100));
    EXPECT_EQ(host, Bytes(100, 1));
}

TEST_F(Memcpy, AfterFinalize) {
    ACL_OK(aclFinalize());
    Bytes from(100, 1), to(100, 2);
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemcpy(to.data(), 100, from.data(), 100, ACL_MEMCPY_HOST_TO_HOST));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL,
              aclrtMemcpyAsync(to.data(), 100, from.data(), 100, ACL_MEMCPY_DEFAULT, nullptr));
    EXPECT_EQ(to, Bytes(100, 2));
    ACL_OK(aclInit(nullptr));
}

TEST_F(Memcpy, WithAnyCurrentDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    AnyMemory near(Where::kDevice0, 5000), far(Where::kDevice1, 5000);
    near.Set(Pattern(5000, 1));
    for (int current : {0, 1}) {
        ACL_OK(aclrtSetDevice(current));
        for (const Copier& copier : Copiers()) {
            SCOPED_TRACE(testing::Message() << copier.name << " on device " << current);
            far.Set(Bytes(5000, 0));
            ASSERT_EQ(copier.call(far.At(), 5000, near.At(), 5000, ACL_MEMCPY_INTER_DEVICE_TO_DEVICE), 0);
            EXPECT_EQ(far.Get(), Pattern(5000, 1));
            Bytes host(5000);
            ASSERT_EQ(copier.call(host.data(), 5000, far.At(), 5000, ACL_MEMCPY_DEFAULT), 0);
            EXPECT_EQ(host, Pattern(5000, 1));
        }
    }
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(Memcpy, SynchronousCopiesDoNotWaitForStreams) {
    Stream stream;
    DeviceMemory device(1000);
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(gate.Hold(nullptr));
    Bytes host(1000);
    ACL_OK(aclrtMemcpy(device.At(), 1000, Pattern(1000).data(), 1000, ACL_MEMCPY_HOST_TO_DEVICE));
    ACL_OK(aclrtMemcpy(host.data(), 1000, device.At(), 1000, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(host, Pattern(1000));
    EXPECT_FALSE(IsIdle(stream));
    EXPECT_FALSE(IsIdle(nullptr));
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
}

// The library's streams share no hardware queue with a stream of the program, whichever that gets, and however many
// threads copy.
TEST_F(Memcpy, SynchronousCopiesDoNotWaitForAnyStream) {
    constexpr unsigned kThreads = 8;
    std::vector<std::unique_ptr<Stream>> streams;
    for (unsigned count = 1; count <= 8; ++count) {
        streams.push_back(std::make_unique<Stream>());
        Gate gate;
        ACL_OK(gate.Hold(*streams.back()));
        // All threads copy at the same time: each one begins when all have started.
        std::atomic<unsigned> started = 0;
        std::vector<std::thread> threads;
        for (unsigned thread = 0; thread < kThreads; ++thread)
            threads.emplace_back([&, thread] {
                ACL_EXPECT_OK(aclrtSetDevice(0));
                for (++started; started < kThreads;) std::this_thread::yield();
                for (unsigned round = 0; round < 20; ++round) {
                    const Bytes data = Pattern(64, 1000 * count + 20 * thread + round);
                    const DeviceMemory device(data);
                    EXPECT_EQ(device.Download(), data);
                }
            });
        for (std::thread& thread : threads) thread.join();
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(*streams.back()));
    }
}

TEST_F(Memcpy, FromManyThreads) {
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < 8; ++thread)
        threads.emplace_back([thread] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            for (const Copier& copier : Copiers())
                for (unsigned round = 0; round < 60; ++round) {
                    const size_t size = 1 + 997 * round;
                    const Bytes data = Pattern(size, thread * 1000 + round);
                    Bytes back(size);
                    DeviceMemory device(size);
                    EXPECT_EQ(copier.call(device.At(), size, data.data(), size, ACL_MEMCPY_HOST_TO_DEVICE), 0);
                    EXPECT_EQ(copier.call(back.data(), size, device.At(), size, ACL_MEMCPY_DEVICE_TO_HOST), 0);
                    EXPECT_TRUE(back == data);
                }
        });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

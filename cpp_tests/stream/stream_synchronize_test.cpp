// Waiting for streams and querying them. stream_test.cpp tests their creation and destruction.

#include <sys/resource.h>

#include <limits>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

class StreamSynchronize : public WithDevice {};

TEST_F(StreamSynchronize, WaitsForEverything) {
    Stream stream;
    for (aclrtStream each : {static_cast<aclrtStream>(stream), aclrtStream{nullptr}}) {
        Gate gate;
        Log log;
        ACL_OK(gate.Hold(each));
        ACL_OK(log.Append(each, 1));
        Opener opener(gate);
        ACL_OK(aclrtSynchronizeStream(each));
        EXPECT_EQ(log.Size(), 1u);
    }
}

TEST_F(StreamSynchronize, OfAnIdleStreamReturns) {
    Stream stream;
    for (int i = 0; i < 1000; ++i) ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtSynchronizeStreamWithTimeout(stream, 1));
    ACL_OK(aclrtSynchronizeStreamWithTimeout(stream, -1));
    ACL_OK(aclrtSynchronizeStreamWithTimeout(stream, std::numeric_limits<int32_t>::max()));
}

TEST_F(StreamSynchronize, TimesOutAndTheWorkContinues) {
    Stream stream;
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(stream));
    ACL_OK(log.Append(stream, 1));
    const auto start = std::chrono::steady_clock::now();
    ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 20));
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20));
    ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 1));
    EXPECT_EQ(log.Size(), 0u);
    Opener opener(gate);
    ACL_OK(aclrtSynchronizeStreamWithTimeout(stream, std::numeric_limits<int32_t>::max()));
    EXPECT_EQ(log.Size(), 1u);
}

// Without a bounded wait of the driver the library polls, at growing intervals. Only processor time
// of this thread counts, so other load of the machine does not matter.
// More waits than the records that a driver's queue holds. Nothing opens the gate meanwhile.
TEST_F(StreamSynchronize, ManyTimeoutsNeedNoRoomInTheQueue) {
    constexpr int kWaits = 100;
    const Stream stream;
    Gate gate;
    ACL_OK(gate.Hold(stream));
    for (int i = 0; i < kWaits; ++i) {
        ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 1));
    }
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(StreamSynchronize, AWaitWithATimeoutTakesLittleProcessorTime) {
    const auto used = [] {
        rusage usage{};
        EXPECT_EQ(getrusage(RUSAGE_THREAD, &usage), 0);
        return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
               1e-6 * double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    };
    constexpr int kMilliseconds = 400;
    Stream stream;
    Event event;
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtRecordEvent(event, stream));
    const auto takes_little = [&](aclError code, auto wait) {
        const double before = used();
        EXPECT_EQ(wait(), code);
        EXPECT_LT(used() - before, 0.25e-3 * kMilliseconds) << "seconds";
    };
    takes_little(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                 [&] { return aclrtSynchronizeStreamWithTimeout(stream, kMilliseconds); });
    takes_little(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
                 [&] { return aclrtSynchronizeEventWithTimeout(event, kMilliseconds); });
    takes_little(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, [&] { return aclrtSynchronizeDeviceWithTimeout(kMilliseconds); });
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(StreamSynchronize, TimeoutOfMinusOneWaits) {
    Stream stream;
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(stream));
    ACL_OK(log.Append(stream, 1));
    Opener opener(gate);
    ACL_OK(aclrtSynchronizeStreamWithTimeout(stream, -1));
    EXPECT_EQ(log.Size(), 1u);
}

TEST_F(StreamSynchronize, OtherTimeoutsAreErrors) {
    Stream stream;
    for (int32_t timeout : {0, -2, -1000, std::numeric_limits<int32_t>::min()})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout(stream, timeout), "timeout",
                         Shown(static_cast<long long>(timeout)), "-1");
}

TEST_F(StreamSynchronize, ReturnsForStreamsWithoutHostWaits) {
    for (uint32_t flag : {ACL_STREAM_CPU_SCHEDULE, ACL_STREAM_DEVICE_USE_ONLY}) {
        aclrtStream stream = nullptr;
        ACL_OK(aclrtCreateStreamWithConfig(&stream, 0, flag));
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclrtSynchronizeStreamWithTimeout(stream, 1));
        gate.Open();
        ACL_OK(aclrtDestroyStream(stream));
    }
}

TEST_F(StreamSynchronize, ByManyThreadsAtOnce) {
    Stream stream;
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(stream));
    ACL_OK(log.Append(stream, 1));
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
            EXPECT_EQ(log.Size(), 1u);
        });
    gate.Open();
    for (std::thread& thread : threads) thread.join();
}

class StreamQuery : public WithDevice {};

TEST_F(StreamQuery, ReturnsWhetherWorkIsPending) {
    Stream stream;
    auto status = Poison<aclrtStreamStatus>();
    ACL_OK(aclrtStreamQuery(stream, &status));
    EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtStreamQuery(stream, &status));
    EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtStreamQuery(stream, &status));
    EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
}

// Querying is enough: work completes without a synchronize.
TEST_F(StreamQuery, BecomesCompleteWithoutASynchronize) {
    Stream stream;
    DeviceMemory device(1 << 20);
    Log log;
    ACL_OK(aclrtMemsetAsync(device.At(), 1 << 20, 1, 1 << 20, stream));
    ACL_OK(log.Append(stream, 1));
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (status != ACL_STREAM_STATUS_COMPLETE && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::yield();
        ACL_OK(aclrtStreamQuery(stream, &status));
    }
    EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
    EXPECT_EQ(log.Size(), 1u);
}

TEST_F(StreamQuery, NullOutput) {
    Stream stream;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtStreamQuery(stream, nullptr), "status", "null");
}

}  // namespace

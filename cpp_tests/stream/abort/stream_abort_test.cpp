// Aborting streams: pending work is dropped, and the streams stay usable.

#include <portacl/portacl.h>

#include <atomic>
#include <cstring>
#include <vector>

#include "stream/abort/waiter.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 256;

// A driver completes the work that it holds, including its events.
bool DropsEverything() {
    return std::strcmp(portaclBackendName(), "cpu") == 0;
}

class StreamAbort : public WithDevice {
  protected:
    static aclError Fill(const DeviceMemory& memory, int value, aclrtStream stream) {
        return aclrtMemsetAsync(memory.At(), kSize, value, kSize, stream);
    }
};

TEST_F(StreamAbort, DropsPendingWorkAndTheStreamContinues) {
    Stream own;
    for (aclrtStream stream : {static_cast<aclrtStream>(own), aclrtStream{nullptr}}) {
        DeviceMemory memory(kSize);
        ACL_OK(aclrtMemset(memory.At(), kSize, 1, kSize));
        Gate gate;
        Log log;
        ACL_OK(gate.Hold(stream));
        ACL_OK(Fill(memory, 2, stream));
        ACL_OK(log.Append(stream, 1));
        ASSERT_TRUE(gate.AwaitArrival());
        ACL_OK(aclrtStreamAbort(stream));
        EXPECT_FALSE(IsIdle(stream)) << "the host function that has begun goes on";
        ACL_OK(log.Append(stream, 2));
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(log.Numbers(), std::vector<int>{2});
        const unsigned char left = DropsEverything() ? 1 : 2;
        EXPECT_EQ(memory.Download(), std::vector<unsigned char>(kSize, left));
        ACL_OK(Fill(memory, 3, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(memory.Download(), std::vector<unsigned char>(kSize, 3));
    }
}

TEST_F(StreamAbort, OfAnIdleStreamHasNoEffect) {
    Stream stream;
    for (int i = 0; i < 100; ++i) {
        ACL_OK(aclrtStreamAbort(stream));
        ACL_OK(aclrtStreamAbort(nullptr));
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclrtSynchronizeDevice());
    }
}

TEST_F(StreamAbort, IsReturnedBySynchronize) {
    Stream stream;
    aclrtStream handle = stream;
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ASSERT_TRUE(gate.AwaitArrival());
    {
        Waiter waiter([handle] { return aclrtSynchronizeStreamWithTimeout(handle, 30000); });
        waiter.Disturb([handle] { return aclrtStreamAbort(handle); });
        EXPECT_EQ(waiter.Code(), ACL_ERROR_RT_STREAM_ABORT);
        EXPECT_NE(waiter.Text().find("aclrtStreamAbort"), std::string::npos) << waiter.Text();
    }
    if (DropsEverything()) {
        Waiter waiter([handle] { return aclrtSynchronizeStream(handle); });
        waiter.Disturb([handle] { return aclrtStreamAbort(handle); });
        EXPECT_EQ(waiter.Code(), ACL_ERROR_RT_STREAM_ABORT);
    }
    // A later synchronize waits for later work.
    ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 1));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(StreamAbort, DoesNotAffectOtherStreams) {
    Stream stream, other;
    Gate gate, other_gate;
    Log log;
    ACL_OK(gate.Hold(stream));
    ACL_OK(other_gate.Hold(other));
    ACL_OK(log.Append(other, 1));
    ACL_OK(aclrtStreamAbort(stream));
    other_gate.Open();
    ACL_OK(aclrtSynchronizeStream(other));
    EXPECT_EQ(log.Size(), 1u);
    gate.Open();
}

TEST_F(StreamAbort, StreamsThatWaitForADroppedRecordContinueAfterTheNextRecord) {
    Stream stream, waiter;
    Event event;
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtRecordEvent(event, stream));
    ACL_OK(aclrtStreamWaitEvent(waiter, event));
    ACL_OK(log.Append(waiter, 1));
    ASSERT_TRUE(gate.AwaitArrival());
    ACL_OK(aclrtStreamAbort(stream));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    if (DropsEverything()) {
        EXPECT_FALSE(IsComplete(event));
        ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeEvent(event), "aclrtStreamAbort");
        ACL_FAILS(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeEventWithTimeout(event, 30000));
        EXPECT_FALSE(IsIdle(waiter));
        EXPECT_EQ(log.Size(), 0u);
    }
    Gate second;
    ACL_OK(second.Hold(stream));
    ACL_OK(aclrtRecordEvent(event, stream));
    if (DropsEverything()) {
        EXPECT_FALSE(IsIdle(waiter)) << "it continues when the record completes";
    }
    second.Open();
    ACL_OK(aclrtSynchronizeStream(waiter));
    ACL_OK(aclrtSynchronizeEvent(event));
    EXPECT_EQ(log.Size(), 1u);
}

TEST_F(StreamAbort, ABlockedStreamCanBeAbortedOrDestroyed) {
    Stream stream, aborted;
    aclrtStream destroyed = Stream().Release();
    Event event;
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtRecordEvent(event, stream));
    for (aclrtStream waiter : {static_cast<aclrtStream>(aborted), destroyed}) {
        ACL_OK(aclrtStreamWaitEvent(waiter, event));
        ACL_OK(log.Append(waiter, 1));
    }
    ASSERT_TRUE(gate.AwaitArrival());
    if (DropsEverything()) {
        // Before and after the event is destroyed: it makes no difference.
        ACL_OK(aclrtStreamAbort(aborted));
        ACL_OK(aclrtSynchronizeStream(aborted));
        ACL_OK(aclrtStreamAbort(stream));
        ACL_OK(aclrtStreamWaitEvent(aborted, event));
        ACL_OK(aclrtStreamAbort(aborted));
        ACL_OK(aclrtSynchronizeStream(aborted));
        EXPECT_EQ(log.Size(), 0u);
        // The work after the wait runs, because no call could release the stream any more.
        ACL_OK(aclrtDestroyStream(destroyed));
        EXPECT_EQ(log.Size(), 1u);
        gate.Open();
    } else {
        ACL_OK(aclrtStreamAbort(aborted));
        ACL_OK(aclrtStreamAbort(stream));
        gate.Open();
        ACL_OK(aclrtDestroyStream(destroyed));
        ACL_OK(aclrtSynchronizeStream(aborted));
        EXPECT_EQ(log.Size(), 1u);
    }
}

TEST_F(StreamAbort, AResetDoesNotWaitForDroppedRecords) {
    aclrtStream stream = Stream().Release(), waiter = Stream().Release();
    aclrtEvent event = Event().Release();
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtRecordEvent(event, stream));
    ACL_OK(aclrtStreamWaitEvent(waiter, event));
    ACL_OK(aclrtStreamAbort(stream));
    gate.Open();
    ACL_OK(aclrtResetDevice(0));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeDevice());
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(StreamAbort, WaitsForAnOperationOnMemoryThatHasBegun) {
    if (!DropsEverything()) GTEST_SKIP() << "for CPUs only: a driver drops nothing that is queued";
    // The abort races with the fill, which is dropped or runs; in either case it does not run after
    // the abort.
    constexpr size_t kLarge = 8 << 20;
    Stream stream;
    DeviceMemory memory(kLarge);
    for (int round = 0; round < 20; ++round) {
        ACL_OK(aclrtMemset(memory.At(), kLarge, 0, kLarge));
        ACL_OK(aclrtMemsetAsync(memory.At(), kLarge, 1, kLarge, stream));
        ACL_OK(aclrtStreamAbort(stream));
        ACL_OK(aclrtMemset(memory.At(), kLarge, 2, kLarge));
        ACL_OK(aclrtSynchronizeStream(stream));
        ASSERT_EQ(memory.Download(), std::vector<unsigned char>(kLarge, 2));
    }
}

TEST_F(StreamAbort, IsRefusedInsideAHostFunction) {
    Stream stream;
    static std::atomic<aclError> code{0};
    ACL_OK(aclrtLaunchHostFunc(
        stream, [](void* own) { code = aclrtStreamAbort(own); }, static_cast<aclrtStream>(stream)));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(code, ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(StreamAbort, BadStreams) {
    aclrtStream dead = Stream().Release();
    ACL_OK(aclrtDestroyStream(dead));
    Event event;
    for (aclrtStream bad :
         {dead, static_cast<aclrtStream>(static_cast<aclrtEvent>(event)), reinterpret_cast<aclrtStream>(uintptr_t{42})})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamAbort(bad), Shown(bad));
    Stream stream;
    OnNewThread([&stream] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtStreamAbort(nullptr));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtStreamAbort(stream));
        if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
        ACL_OK(aclrtSetDevice(1));
        ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclrtStreamAbort(stream), "device 0", "device 1");
    });
    aclrtStream left = Stream().Release();
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamAbort(left));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtStreamAbort(nullptr));
    stream.Release();
    event.Release();
    ACL_OK(aclInit(nullptr));
}

TEST_F(StreamAbort, ByManyThreadsAtOnce) {
    Stream stream, other;
    Event event;
    DeviceMemory memory(kSize), other_memory(kSize);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&, thread] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            for (int i = 0; i < 100; ++i) {
                ACL_EXPECT_OK(Fill(memory, i, stream));
                ACL_EXPECT_OK(aclrtRecordEvent(event, stream));
                ACL_EXPECT_OK(aclrtStreamWaitEvent(other, event));
                ACL_EXPECT_OK(Fill(other_memory, i, other));
                if (thread == 0) {
                    ACL_EXPECT_OK(aclrtStreamAbort(stream));
                }
                const aclError code = aclrtSynchronizeStreamWithTimeout(stream, 30000);
                EXPECT_TRUE(code == 0 || code == ACL_ERROR_RT_STREAM_ABORT) << code;
            }
        });
    for (std::thread& thread : threads) thread.join();
    // A stream that waits for a dropped record continues after the next record.
    ACL_OK(aclrtRecordEvent(event, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtSynchronizeStreamWithTimeout(other, 30000));
}

}  // namespace

// By the other function, which does not accept the default stream.
TEST_F(StreamAbort, StopDoesTheSame) {
    Stream stream;
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(stream));
    ASSERT_TRUE(gate.AwaitArrival());
    for (int i = 0; i < 3; ++i) ACL_OK(log.Append(stream, i));
    ACL_OK(aclrtStreamStop(stream));
    gate.Open();
    ACL_OK(log.Append(stream, 7));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Numbers(), std::vector<int>{7});
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtStreamStop(nullptr), "stream is null", "aclrtStreamAbort");
    aclrtStream destroyed = stream.Release();
    ACL_OK(aclrtDestroyStream(destroyed));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamStop(destroyed), "destroyed");
}

// aclrtSubscribeReport, aclrtLaunchCallback, aclrtProcessReport, aclrtUnSubscribeReport: callbacks
// on a thread of the program.

#include <atomic>
#include <chrono>
#include <limits>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/stream/reporter.h"

using namespace portacl_test;

namespace {

class Report : public WithDevice {};

TEST_F(Report, RunsOnceInOrderOnThatThread) {
    for (aclrtCallbackBlockType type : {ACL_CALLBACK_BLOCK, ACL_CALLBACK_NO_BLOCK}) {
        Stream stream;
        Reporter reporter;
        Notes notes;
        ACL_OK(aclrtSubscribeReport(reporter.Id(), stream));
        for (int number = 0; number < 200; ++number) ACL_OK(notes.Launch(stream, number, type));
        ACL_OK(aclrtSynchronizeStream(stream));
        if (type == ACL_CALLBACK_BLOCK) {
            EXPECT_EQ(notes.Numbers(), UpTo(200));
        }
        ACL_OK(aclrtUnSubscribeReport(reporter.Id(), stream));
        EXPECT_EQ(notes.Numbers(), UpTo(200)) << "block type " << type;
        EXPECT_TRUE(notes.AllOn(reporter.ThreadId()));
        reporter.Stop();
        EXPECT_GT(reporter.Processed(), 0);
    }
}

TEST_F(Report, GetsItsArgumentUnchanged) {
    Stream stream;
    ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
    static void* got;
    auto get = [](void* argument) { got = argument; };
    for (void* argument : {static_cast<void*>(nullptr), static_cast<void*>(&stream)}) {
        got = &got;
        ACL_OK(aclrtLaunchCallback(get, argument, ACL_CALLBACK_BLOCK, stream));
        ACL_OK(aclrtProcessReport(-1));
        EXPECT_EQ(got, argument);
    }
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), stream));
}

TEST_F(Report, NullIsTheDefaultStream) {
    std::atomic<int> count{0};
    ACL_OK(aclrtSubscribeReport(ThisThread(), nullptr));
    ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_NO_BLOCK, nullptr));
    ACL_OK(aclrtProcessReport(-1));
    EXPECT_EQ(count, 1);
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCtxGetCurrentDefaultStream(&stream));
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), stream));
}

// Each round: device = round; out = device; the callback checks out and writes in; device = in.
TEST_F(Report, BlockingCallbackRunsBetweenItsNeighbouringOperations) {
    Stream stream;
    Reporter reporter;
    constexpr size_t kSize = 4096;
    constexpr int kRounds = 50;
    DeviceMemory device(kSize);
    PinnedMemory in(kSize, 0), out(kSize, 0);
    struct Stage {
        PinnedMemory& in;
        PinnedMemory& out;
        int round = 0;
        bool right = true;
    } stage{in, out};
    auto check = [](void* argument) {
        auto* stage = static_cast<Stage*>(argument);
        stage->round += 1;
        for (unsigned char byte : stage->out.Copy()) stage->right &= byte == static_cast<unsigned char>(stage->round);
        std::memset(stage->in.At(), 100 + stage->round, stage->in.Size());
    };
    ACL_OK(aclrtSubscribeReport(reporter.Id(), stream));
    for (int round = 1; round <= kRounds; ++round) {
        ACL_OK(aclrtMemsetAsync(device.At(), kSize, round, kSize, stream));
        ACL_OK(aclrtMemcpyAsync(out.At(), kSize, device.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ACL_OK(aclrtLaunchCallback(check, &stage, ACL_CALLBACK_BLOCK, stream));
        ACL_OK(aclrtMemcpyAsync(device.At(), kSize, in.At(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    }
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(stage.round, kRounds);
    EXPECT_TRUE(stage.right);
    EXPECT_EQ(device.Download(), std::vector<unsigned char>(kSize, 100 + kRounds));
    ACL_OK(aclrtUnSubscribeReport(reporter.Id(), stream));
}

TEST_F(Report, BlockDelaysLaterWorkAndNoBlockDoesNot) {
    Stream stream;
    PinnedMemory memory(64, 0);
    Event behind;
    std::atomic<int> count{0};
    ACL_OK(aclrtSubscribeReport(ThisThread(), stream));

    ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_NO_BLOCK, stream));
    ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(memory.Copy(), std::vector<unsigned char>(64, 1));
    EXPECT_EQ(count, 0);
    ACL_OK(aclrtProcessReport(-1));
    EXPECT_EQ(count, 1);

    ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream));
    ACL_OK(aclrtMemsetAsync(memory.At(), 64, 2, 64, stream));
    ACL_OK(aclrtRecordEvent(behind, stream));
    ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 20));
    EXPECT_FALSE(IsIdle(stream));
    EXPECT_FALSE(IsComplete(behind));
    EXPECT_EQ(memory.Copy(), std::vector<unsigned char>(64, 1));
    EXPECT_EQ(count, 1) << "no other thread may run it";
    ACL_OK(aclrtProcessReport(-1));
    EXPECT_EQ(count, 2);
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(memory.Copy(), std::vector<unsigned char>(64, 2));
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), stream));
}

TEST_F(Report, OtherStreamsContinue) {
    NEEDS_QUEUES(2);
    Stream blocked, other, waiting;
    Event event;
    PinnedMemory behind(64, 0), beside(64, 0);
    std::atomic<int> count{0};
    ACL_OK(aclrtSubscribeReport(ThisThread(), blocked));
    ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, blocked));
    ACL_OK(aclrtRecordEvent(event, blocked));
    ACL_OK(aclrtStreamWaitEvent(waiting, event));
    ACL_OK(aclrtMemsetAsync(behind.At(), 64, 5, 64, waiting));
    ACL_OK(aclrtMemsetAsync(beside.At(), 64, 4, 64, other));
    ACL_OK(aclrtSynchronizeStream(other));
    // A thread that synchronizes runs work of other streams, but never a callback.
    ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(waiting, 20));
    EXPECT_EQ(behind.Copy(), std::vector<unsigned char>(64, 0));
    EXPECT_EQ(beside.Copy(), std::vector<unsigned char>(64, 4));
    EXPECT_EQ(count, 0);
    ACL_OK(aclrtProcessReport(-1));
    ACL_OK(aclrtSynchronizeStream(waiting));
    EXPECT_EQ(behind.Copy(), std::vector<unsigned char>(64, 5));
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), blocked));
}

TEST_F(Report, OneThreadServesManyStreamsEachInOrder) {
    constexpr int kStreams = 64, kEach = 50;
    auto streams = Streams(kStreams);
    std::vector<Notes> notes(kStreams);
    Reporter reporter;
    for (auto& stream : streams) ACL_OK(aclrtSubscribeReport(reporter.Id(), *stream));
    for (int number = 0; number < kEach; ++number)
        for (int i = 0; i < kStreams; ++i)
            ACL_OK(notes[i].Launch(*streams[i], number, number % 3 ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK));
    ACL_OK(aclrtSynchronizeDevice());
    for (auto& stream : streams) ACL_OK(aclrtUnSubscribeReport(reporter.Id(), *stream));
    for (const Notes& each : notes) {
        EXPECT_EQ(each.Numbers(), UpTo(kEach));
        EXPECT_TRUE(each.AllOn(reporter.ThreadId()));
    }
}

TEST_F(Report, ProcessRunsReadyCallbacks) {
    Stream stream;
    Notes notes;
    ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
    for (int number = 0; number < 3; ++number) ACL_OK(notes.Launch(stream, number, ACL_CALLBACK_NO_BLOCK));
    // The callbacks are ready once the stream has reached them.
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtProcessReport(1));
    EXPECT_EQ(notes.Numbers(), UpTo(3));
    ACL_FAILS_SAYING(kTimeout, aclrtProcessReport(1), "1 ms", Hex(ThisThread()));
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), stream));
}

TEST_F(Report, ProcessWakesWhenACallbackIsReady) {
    Stream first, stream;
    Event opened;
    Gate gate;
    std::atomic<int> count{0};
    ACL_OK(gate.Hold(first));
    ACL_OK(aclrtRecordEvent(opened, first));
    ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
    ACL_OK(aclrtStreamWaitEvent(stream, opened));
    ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream));
    ACL_FAILS(kTimeout, aclrtProcessReport(20));
    EXPECT_EQ(count, 0) << "the stream has not reached it";
    const Opener opener(gate);
    ACL_OK(aclrtProcessReport(-1));
    EXPECT_EQ(count, 1);
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), stream));
}

TEST_F(Report, ProcessNeedsATimeout) {
    Stream stream;
    ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
    for (int32_t timeout : {0, -2, std::numeric_limits<int32_t>::min()})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtProcessReport(timeout), "timeout", Shown(timeout), "-1",
                         "greater than 0");
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), stream));
}

TEST_F(Report, ProcessFailsSoonInAThreadThatServesNoStream) {
    Stream stream;
    auto fails = [] {
        for (int32_t timeout : {-1, 1, 1000000})
            ACL_FAILS_SAYING(kThread, aclrtProcessReport(timeout), "aclrtSubscribeReport", Hex(ThisThread()));
    };
    fails();
    OnNewThread(fails);
    ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
    OnNewThread(fails);
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), stream));
    fails();
}

// A loop that ignores the failure sleeps most of the time.
TEST_F(Report, ProcessDoesNotSpinInAThreadThatServesNoStream) {
    using std::chrono::milliseconds;
    const struct {
        int32_t timeout;
        milliseconds least;
    } calls[] = {{-1, milliseconds(10)}, {60000, milliseconds(10)}, {3, milliseconds(2)}};
    for (const auto& [timeout, least] : calls) {
        SCOPED_TRACE(timeout);
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < 5; ++i) ACL_FAILS(kThread, aclrtProcessReport(timeout));
        EXPECT_GE(std::chrono::steady_clock::now() - start, 5 * least);
    }
}

// Subscribed by another thread, which knows only its id; only submitting calls need a context.
TEST_F(Report, ProcessNeedsNoContext) {
    Stream stream;
    std::promise<uint64_t> id;
    std::promise<void> subscribed;
    std::atomic<int> count{0};
    std::thread thread([&] {
        id.set_value(ThisThread());
        subscribed.get_future().wait();
        ACL_EXPECT_OK(aclrtProcessReport(-1));
        aclrtContext context = nullptr;
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetCurrentContext(&context));
    });
    ACL_EXPECT_OK(aclrtSubscribeReport(id.get_future().get(), stream));
    subscribed.set_value();
    ACL_EXPECT_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream));
    ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(count, 1);
    thread.join();
    // The stream is destroyed with its pending work.
}

}  // namespace

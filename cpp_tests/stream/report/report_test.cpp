// aclrtSubscribeReport, aclrtLaunchCallback, aclrtProcessReport, aclrtUnSubscribeReport: callbacks
// on a thread of the program.

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>

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
    Stream blocked, other, waiting;
    Event event;
    PinnedMemory memory(64, 0);
    std::atomic<int> count{0};
    ACL_OK(aclrtSubscribeReport(ThisThread(), blocked));
    ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, blocked));
    ACL_OK(aclrtRecordEvent(event, blocked));
    ACL_OK(aclrtStreamWaitEvent(waiting, event));
    ACL_OK(aclrtMemsetAsync(memory.At(), 64, 5, 64, waiting));
    ACL_OK(aclrtMemsetAsync(memory.At(), 64, 4, 64, other));
    ACL_OK(aclrtSynchronizeStream(other));
    // A thread that synchronizes runs work of other streams, but never a callback.
    ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(waiting, 20));
    EXPECT_EQ(memory.Copy(), std::vector<unsigned char>(64, 4));
    EXPECT_EQ(count, 0);
    ACL_OK(aclrtProcessReport(-1));
    ACL_OK(aclrtSynchronizeStream(waiting));
    EXPECT_EQ(memory.Copy(), std::vector<unsigned char>(64, 5));
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
                         "above 0");
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

TEST_F(Report, SubscribingChecksItsArguments) {
    Stream stream;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSubscribeReport(0, stream), "threadId", "0", "pthread_self");
    Event event;
    for (void* wrong : {reinterpret_cast<void*>(0x1234), static_cast<aclrtEvent>(event)})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSubscribeReport(ThisThread(), wrong), "stream", Shown(wrong));
    aclrtStream destroyed = Stream().Release();
    ACL_OK(aclrtDestroyStream(destroyed));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSubscribeReport(ThisThread(), destroyed), Shown(destroyed),
                     "destroyed");
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSubscribeReport(ThisThread(), stream));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSubscribeReport(ThisThread(), nullptr));
    });
    ACL_FAILS(kThread, aclrtProcessReport(1));
}

TEST_F(Report, AStreamHasOneThread) {
    Stream stream;
    ACL_OK(aclrtSubscribeReport(kSomeThread, stream));
    for (uint64_t thread : {kSomeThread, ThisThread()})
        ACL_FAILS_SAYING(kStream, aclrtSubscribeReport(thread, stream), Hex(kSomeThread), Shown(stream),
                         "aclrtUnSubscribeReport");
    ACL_FAILS_SAYING(kThread, aclrtUnSubscribeReport(ThisThread(), stream), "threadId", Hex(ThisThread()),
                     Hex(kSomeThread));
    ACL_OK(aclrtUnSubscribeReport(kSomeThread, stream));
    // Now another thread may subscribe.
    ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), stream));
}

TEST_F(Report, AThreadServesOneDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    Stream stream;
    ACL_OK(aclrtSubscribeReport(kSomeThread, stream));
    ACL_OK(aclrtSetDevice(1));
    {
        Stream other;
        ACL_FAILS(ACL_ERROR_RT_STREAM_CONTEXT, aclrtSubscribeReport(kSomeThread, stream));
        ACL_FAILS_SAYING(kThread, aclrtSubscribeReport(kSomeThread, other), "device 0", "device 1");
        ACL_OK(aclrtSubscribeReport(kSomeThread + 1, other));
        ACL_OK(aclrtUnSubscribeReport(kSomeThread + 1, other));
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(aclrtUnSubscribeReport(kSomeThread, stream));
        ACL_OK(aclrtSetDevice(1));
        // It serves no stream any more, so it may serve any device.
        ACL_OK(aclrtSubscribeReport(kSomeThread, other));
    }
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(Report, AtMost1024ThreadsServeStreams) {
    constexpr int kMost = 1024;
    auto streams = Streams(kMost + 1);
    for (int i = 0; i < kMost; ++i) ACL_OK(aclrtSubscribeReport(kSomeThread + i, *streams[i]));
    ACL_FAILS_SAYING(kThread, aclrtSubscribeReport(kSomeThread + kMost, *streams[kMost]), "1024", "1025");
    // A thread that already serves a stream may serve another one.
    ACL_OK(aclrtSubscribeReport(kSomeThread, *streams[kMost]));
    ACL_OK(aclrtUnSubscribeReport(kSomeThread, *streams[kMost]));
    ACL_OK(aclrtUnSubscribeReport(kSomeThread + 7, *streams[7]));
    ACL_OK(aclrtSubscribeReport(kSomeThread + kMost, *streams[kMost]));
}

TEST_F(Report, LaunchingChecksItsArguments) {
    Stream stream;
    std::atomic<int> count{0};
    auto launch = [&] { return aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream); };
    ACL_FAILS_SAYING(kNoThread, aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream), Shown(stream),
                     "aclrtSubscribeReport");
    ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtLaunchCallback(nullptr, &count, ACL_CALLBACK_BLOCK, stream), "fn",
                     "null");
    for (int type : {2, -1, std::numeric_limits<int>::max()})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtLaunchCallback(Count, &count, static_cast<aclrtCallbackBlockType>(type), stream),
                         "blockType", Shown(type), "0", "1");
    OnNewThread(
        [&] { ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream)); });
    ACL_OK(launch());
    ACL_OK(aclrtProcessReport(-1));
    EXPECT_EQ(count, 1);
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), stream));
    EXPECT_EQ(launch(), kNoThread);
    const aclrtStream dead = Stream().Release();
    ACL_OK(aclrtDestroyStream(dead));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, dead));
    EXPECT_EQ(count, 1);
}

TEST_F(Report, UnsubscribingNeedsASubscription) {
    Stream stream;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtUnSubscribeReport(0, stream), "threadId");
    ACL_FAILS_SAYING(kNoThread, aclrtUnSubscribeReport(ThisThread(), stream), Shown(stream));
    ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), stream));
    ACL_FAILS(kNoThread, aclrtUnSubscribeReport(ThisThread(), stream));
    ACL_FAILS(kNoThread, aclrtUnSubscribeReport(ThisThread(), nullptr));
    OnNewThread([&] { ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtUnSubscribeReport(ThisThread(), stream)); });
    const aclrtStream dead = Stream().Release();
    ACL_OK(aclrtDestroyStream(dead));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtUnSubscribeReport(ThisThread(), dead));
}

// The calls are refused with a text and have no effect. The subscription stays, and later callbacks
// run.
TEST_F(Report, CallsInsideACallbackAreRefused) {
    static Stream* stream;
    static Event* event;
    static DeviceMemory* memory;
    static int tried;
    Stream of_test;
    Event event_of_test;
    DeviceMemory memory_of_test(64);
    stream = &of_test;
    event = &event_of_test;
    memory = &memory_of_test;
    tried = 0;
    auto callback = [](void*) {
        constexpr aclError kInside = ACL_ERROR_RT_PARAM_INVALID;
        auto pointer = Poison<void*>();
        ACL_FAILS(kInside, aclrtMalloc(&pointer, 64, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_FAILS(kInside, aclrtMallocHost(&pointer, 64));
        ACL_FAILS(kInside, aclrtCreateStream(&pointer));
        EXPECT_TRUE(IsPoison(pointer));
        ACL_FAILS(kInside, aclrtFree(memory->At()));
        ACL_FAILS(kInside, aclrtMemset(memory->At(), 64, 1, 64));
        ACL_FAILS(kInside, aclrtMemsetAsync(memory->At(), 64, 1, 64, *stream));
        ACL_FAILS(kInside, aclrtSynchronizeStream(*stream));
        ACL_FAILS(kInside, aclrtSynchronizeDevice());
        ACL_FAILS(kInside, aclrtSynchronizeEvent(*event));
        ACL_FAILS(kInside, aclrtRecordEvent(*event, *stream));
        ACL_FAILS(kInside, aclrtDestroyStream(*stream));
        ACL_FAILS(kInside, aclrtDestroyStreamForce(*stream));
        ACL_FAILS(kInside, aclrtLaunchHostFunc(*stream, Count, nullptr));
        ACL_FAILS(kInside, aclrtLaunchCallback(Count, nullptr, ACL_CALLBACK_BLOCK, *stream));
        ACL_FAILS(kInside, aclrtSubscribeReport(kSomeThread, *stream));
        ACL_FAILS(kInside, aclrtUnSubscribeReport(ThisThread(), *stream));
        ACL_FAILS(kInside, aclrtProcessReport(1));
        ACL_FAILS(kInside, aclrtProcessHostFunc(1));
        ACL_FAILS(kInside, aclrtResetDeviceForce(0));
        ACL_FAILS(kInside, aclFinalize());
        ++tried;
    };
    ACL_OK(aclrtSubscribeReport(ThisThread(), of_test));
    for (aclrtCallbackBlockType type : {ACL_CALLBACK_BLOCK, ACL_CALLBACK_NO_BLOCK}) {
        ACL_OK(aclrtLaunchCallback(callback, nullptr, type, of_test));
        ACL_OK(aclrtProcessReport(-1));
    }
    EXPECT_EQ(tried, 2);
    // After the callback they work again.
    ACL_OK(aclrtMemset(memory_of_test.At(), 64, 1, 64));
    ACL_OK(aclrtSynchronizeStream(of_test));
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), of_test));
}

TEST_F(Report, FailuresOfCallbackCallsBelongToTheCaller) {
    ACL_FAILS(kThread, aclrtProcessReport(-1));
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), kThread);
    OnNewThread([] { EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 0); });
}

}  // namespace

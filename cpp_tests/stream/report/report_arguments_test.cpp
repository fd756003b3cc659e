// What subscribing, launching and unsubscribing refuse, and calls inside of a callback.

#include <atomic>
#include <limits>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/stream/reporter.h"

using namespace portacl_test;

namespace {

class ReportArguments : public WithDevice {};

TEST_F(ReportArguments, SubscribingChecksItsArguments) {
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

TEST_F(ReportArguments, AStreamHasOneThread) {
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

TEST_F(ReportArguments, AThreadServesOneDevice) {
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

TEST_F(ReportArguments, AtMost1024ThreadsServeStreams) {
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

TEST_F(ReportArguments, LaunchingChecksItsArguments) {
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

TEST_F(ReportArguments, UnsubscribingNeedsASubscription) {
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
TEST_F(ReportArguments, CallsInsideACallbackAreRefused) {
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

TEST_F(ReportArguments, FailuresOfCallbackCallsBelongToTheCaller) {
    ACL_FAILS(kThread, aclrtProcessReport(-1));
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), kThread);
    OnNewThread([] { EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 0); });
}

}  // namespace

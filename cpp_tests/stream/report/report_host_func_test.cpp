// aclrtSubscribeHostFunc, aclrtProcessHostFunc, aclrtUnSubscribeHostFunc: aclrtLaunchHostFunc on a
// thread of the program; and the exclusion of aclrtSubscribeReport on the same stream.

#include <atomic>
#include <limits>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/stream/reporter.h"

using namespace portacl_test;

namespace {

class HostFunc : public WithDevice {};

aclError ProcessHostFunc(int32_t timeout) {
    return aclrtProcessHostFunc(timeout);
}

TEST_F(HostFunc, RunsInOrderOnThatThreadAndOnALibraryThreadAfterwards) {
    Stream stream;
    Reporter reporter(ProcessHostFunc);
    Log subscribed, later;
    ACL_OK(aclrtSubscribeHostFunc(reporter.Id(), stream));
    for (int number : UpTo(200)) ACL_OK(subscribed.Append(stream, number));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(subscribed.Numbers(), UpTo(200));
    for (const Log::Entry& entry : subscribed.Entries()) EXPECT_EQ(entry.thread, reporter.ThreadId()) << entry.number;
    ACL_OK(aclrtUnSubscribeHostFunc(reporter.Id(), stream));
    ACL_OK(later.Append(stream, 7));
    ACL_OK(aclrtSynchronizeStream(stream));
    ASSERT_EQ(later.Numbers(), std::vector<int>{7});
    EXPECT_NE(later.Entries()[0].thread, reporter.ThreadId());
    EXPECT_NE(later.Entries()[0].thread, std::this_thread::get_id());
}

TEST_F(HostFunc, BlocksTheStreamUntilItsThreadProcessesIt) {
    Stream stream;
    PinnedMemory memory(64, 0);
    std::atomic<int> count{0};
    ACL_OK(aclrtSubscribeHostFunc(ThisThread(), stream));
    ACL_OK(aclrtLaunchHostFunc(stream, Count, &count));
    ACL_OK(aclrtMemsetAsync(memory.At(), 64, 2, 64, stream));
    ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 20));
    EXPECT_EQ(memory.Copy(), std::vector<unsigned char>(64, 0));
    EXPECT_EQ(count, 0);
    ACL_OK(aclrtProcessHostFunc(-1));
    EXPECT_EQ(count, 1);
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(memory.Copy(), std::vector<unsigned char>(64, 2));
    ACL_FAILS_SAYING(kTimeout, aclrtProcessHostFunc(1), "1 ms", "host functions");
    ACL_OK(aclrtUnSubscribeHostFunc(ThisThread(), stream));
}

TEST_F(HostFunc, EarlierFunctionsRunOnALibraryThread) {
    Stream stream;
    Gate gate;
    Log before, after;
    ACL_OK(gate.Hold(stream));
    ACL_OK(before.Append(stream, 1));
    ACL_OK(aclrtSubscribeHostFunc(ThisThread(), stream));
    ACL_OK(after.Append(stream, 2));
    ACL_FAILS(kTimeout, aclrtProcessHostFunc(1));
    gate.Open();
    ACL_OK(aclrtProcessHostFunc(-1));
    ACL_OK(aclrtSynchronizeStream(stream));
    ASSERT_EQ(before.Size(), 1u);
    EXPECT_NE(before.Entries()[0].thread, std::this_thread::get_id());
    ASSERT_EQ(after.Size(), 1u);
    EXPECT_EQ(after.Entries()[0].thread, std::this_thread::get_id());
    ACL_OK(aclrtUnSubscribeHostFunc(ThisThread(), stream));
}

TEST_F(HostFunc, ExcludesReportsOnAStream) {
    Stream stream;
    std::atomic<int> count{0};
    ACL_OK(aclrtSubscribeReport(kSomeThread, stream));
    ACL_FAILS_SAYING(kStream, aclrtSubscribeHostFunc(kSomeThread, stream), Shown(stream), "aclrtUnSubscribeReport");
    ACL_FAILS_SAYING(kStream, aclrtLaunchHostFunc(stream, Count, &count), Shown(stream), "aclrtLaunchCallback");
    ACL_FAILS(kNoThread, aclrtUnSubscribeHostFunc(kSomeThread, stream));
    ACL_OK(aclrtUnSubscribeReport(kSomeThread, stream));

    ACL_OK(aclrtSubscribeHostFunc(kSomeThread, stream));
    ACL_FAILS_SAYING(kStream, aclrtSubscribeReport(kSomeThread, stream), Shown(stream), "aclrtUnSubscribeHostFunc");
    ACL_FAILS_SAYING(kNoThread, aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream), Shown(stream));
    ACL_FAILS(kNoThread, aclrtUnSubscribeReport(kSomeThread, stream));
    ACL_OK(aclrtUnSubscribeHostFunc(kSomeThread, stream));
    EXPECT_EQ(count, 0);
}

// One thread may serve both families, on different streams; each call runs its own kind.
TEST_F(HostFunc, AThreadMayServeBothFamilies) {
    NEEDS_QUEUES(2);
    Stream reports, functions;
    std::atomic<int> reported{0}, called{0};
    ACL_OK(aclrtSubscribeReport(ThisThread(), reports));
    ACL_OK(aclrtSubscribeHostFunc(ThisThread(), functions));
    ACL_OK(aclrtLaunchCallback(Count, &reported, ACL_CALLBACK_BLOCK, reports));
    ACL_OK(aclrtLaunchHostFunc(functions, Count, &called));
    ACL_OK(aclrtProcessHostFunc(-1));
    EXPECT_EQ(reported, 0);
    EXPECT_EQ(called, 1);
    ACL_OK(aclrtProcessReport(-1));
    EXPECT_EQ(reported, 1);
    ACL_OK(aclrtSynchronizeDevice());
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), reports));
    ACL_FAILS(kThread, aclrtProcessReport(-1));
    ACL_FAILS(kTimeout, aclrtProcessHostFunc(1));
    ACL_OK(aclrtUnSubscribeHostFunc(ThisThread(), functions));
}

TEST_F(HostFunc, ArgumentsAreChecked) {
    Stream stream;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSubscribeHostFunc(0, stream), "hostFuncThreadId", "0");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtUnSubscribeHostFunc(0, stream), "hostFuncThreadId", "0");
    void* const garbage = reinterpret_cast<void*>(0x1234);
    const aclrtStream dead = Stream().Release();
    ACL_OK(aclrtDestroyStream(dead));
    Event event;
    for (void* wrong : {garbage, dead, static_cast<void*>(event)}) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSubscribeHostFunc(kSomeThread, wrong), Shown(wrong));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtUnSubscribeHostFunc(kSomeThread, wrong), Shown(wrong));
    }
    ACL_FAILS_SAYING(kNoThread, aclrtUnSubscribeHostFunc(kSomeThread, stream), Shown(stream), "nothing to unsubscribe");
    ACL_OK(aclrtSubscribeHostFunc(kSomeThread, stream));
    ACL_FAILS_SAYING(kStream, aclrtSubscribeHostFunc(ThisThread(), stream), Hex(kSomeThread));
    ACL_FAILS_SAYING(kThread, aclrtUnSubscribeHostFunc(ThisThread(), stream), "hostFuncThreadId", Hex(kSomeThread));
    ACL_OK(aclrtUnSubscribeHostFunc(kSomeThread, stream));
    ACL_FAILS_SAYING(kThread, aclrtProcessHostFunc(-1), "aclrtSubscribeHostFunc");
    for (int32_t timeout : {0, -2, std::numeric_limits<int32_t>::min()})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtProcessHostFunc(timeout), "timeout", Shown(timeout));
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSubscribeHostFunc(kSomeThread, stream));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtUnSubscribeHostFunc(kSomeThread, stream));
    });
}

TEST_F(HostFunc, AThreadServesOneDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    Stream stream;
    ACL_OK(aclrtSubscribeHostFunc(kSomeThread, stream));
    ACL_OK(aclrtSetDevice(1));
    ACL_FAILS_SAYING(kThread, aclrtSubscribeHostFunc(kSomeThread, nullptr), "device 0", "device 1");
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(HostFunc, UnsubscribingWaitsOrFails) {
    Stream stream;
    std::atomic<int> count{0};
    {
        Reporter reporter(ProcessHostFunc);
        ACL_OK(aclrtSubscribeHostFunc(reporter.Id(), stream));
        for (int i = 0; i < 100; ++i) ACL_OK(aclrtLaunchHostFunc(stream, Count, &count));
        ACL_OK(aclrtUnSubscribeHostFunc(reporter.Id(), stream));
        EXPECT_EQ(count, 100);
    }
    ACL_OK(aclrtSubscribeHostFunc(ThisThread(), stream));
    ACL_OK(aclrtLaunchHostFunc(stream, Count, &count));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtUnSubscribeHostFunc(ThisThread(), stream), "stays subscribed",
                     "aclrtProcessHostFunc");
    // Destroying the stream drops it, and does not hang.
    ACL_OK(aclrtDestroyStream(stream.Release()));
    EXPECT_EQ(count, 100);
    ACL_FAILS(kThread, aclrtProcessHostFunc(-1));
}

TEST_F(HostFunc, FinalizeEndsCallsThatWait) {
    std::promise<uint64_t> id;
    std::promise<void> subscribed;
    std::thread waiter([&] {
        id.set_value(ThisThread());
        subscribed.get_future().wait();
        ACL_FAILS(kThread, aclrtProcessHostFunc(-1));
    });
    ACL_EXPECT_OK(aclrtSubscribeHostFunc(id.get_future().get(), Stream().Release()));
    subscribed.set_value();
    ACL_EXPECT_OK(aclFinalize());
    waiter.join();
    ACL_FAILS(kThread, aclrtProcessHostFunc(-1));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSubscribeHostFunc(kSomeThread, nullptr));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtUnSubscribeHostFunc(kSomeThread, nullptr));
    ACL_OK(aclInit(nullptr));
}

TEST_F(HostFunc, CallsInsideAreRefused) {
    Stream stream;
    ACL_OK(aclrtSubscribeHostFunc(ThisThread(), stream));
    auto inside = [](void* argument) {
        const auto handle = static_cast<aclrtStream>(argument);
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(handle));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchHostFunc(handle, Count, nullptr));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtProcessHostFunc(1));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSubscribeHostFunc(kSomeThread, handle));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtUnSubscribeHostFunc(ThisThread(), handle));
    };
    ACL_OK(aclrtLaunchHostFunc(stream, inside, stream));
    ACL_OK(aclrtProcessHostFunc(-1));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtUnSubscribeHostFunc(ThisThread(), stream));
}

}  // namespace

// All calls report the same invalid argument in the same way: each stream and each event.
// context_arguments_test.cpp has the calls that take neither. A row is a call that is valid except for that argument.

#include "base/arguments/valid_arguments.h"
#include "support/memory/managed_memory.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

class Arguments : public ValidArguments {
  protected:
    using StreamRows = std::vector<Row<aclrtStream>>;
    // Calls that take a stream, or null for the default stream.
    StreamRows StreamCalls() {
        StreamRows rows = StateCalls();
        for (auto& row : WorkCalls()) rows.push_back(std::move(row));
        return rows;
    }

    // They read or change the state of a stream, or order it with others.
    StreamRows StateCalls() {
        return {
            ROW((aclrtStream s), aclrtStreamGetId(s, &r_.number)),
            ROW((aclrtStream s), aclrtStreamGetFlags(s, &r_.count)),
            ROW((aclrtStream s), aclrtStreamGetPriority(s, &r_.count)),
            ROW((aclrtStream s), aclrtGetStreamAttribute(s, ACL_STREAM_ATTR_FAILURE_MODE, &r_.attribute)),
            ROW((aclrtStream s), aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_FAILURE_MODE, &failure_mode_)),
            ROW((aclrtStream s), aclrtSetStreamFailureMode(s, ACL_CONTINUE_ON_FAILURE)),
            ROW((aclrtStream s), aclrtStreamQuery(s, &r_.stream)),
            ROW((aclrtStream s), aclrtStreamAbort(s)),
            ROW((aclrtStream s), aclrtSynchronizeStream(s)),
            ROW((aclrtStream s), aclrtSynchronizeStreamWithTimeout(s, 1000)),
            ROW((aclrtStream s), aclrtRecordEvent(event_, s)),
            ROW((aclrtStream s), aclrtRecordEventWithFlag(event_, s, 0)),
            ROW((aclrtStream s), aclrtResetEvent(event_, s)),
            ROW((aclrtStream s), aclrtStreamWaitEvent(s, event_)),
            ROW((aclrtStream s), aclrtStreamWaitEventWithFlag(s, event_, 0, 0)),
            ROW((aclrtStream s), aclrtStreamWaitEventWithTimeout(s, event_, 1)),
            ROW((aclrtStream s), aclrtSetStreamOverflowSwitch(s, 0)),
            ROW((aclrtStream s), aclrtCmoAsync(device_, 64, ACL_RT_CMO_TYPE_PREFETCH, s)),
            ROW((aclrtStream s), aclrtCmoAsyncWithBarrier(device_, 64, ACL_RT_CMO_TYPE_PREFETCH, 0, s)),
            ROW((aclrtStream s), aclrtCmoWaitBarrier(&barrier_, s, 0)),
            ROW((aclrtStream s), aclrtCmoAsyncWithDesc(device_, ACL_RT_CMO_TYPE_PREFETCH, s, nullptr)),
            ROW((aclrtStream s), aclrtGetStreamOverflowSwitch(s, &r_.count)),
            ROW((aclrtStream s), aclrtGetOverflowStatus(device_, 64, s)),
            ROW((aclrtStream s), aclrtResetOverflowStatus(s)),
            ROW((aclrtStream s), aclrtGetFloatOverflowStatus(device_, 64, s)),
            ROW((aclrtStream s), aclrtResetFloatOverflowStatus(s)),
            ROW((aclrtStream s), aclrtNpuGetFloatOverFlowStatus(device_, 64, 0, s)),
            ROW((aclrtStream s), aclrtNpuClearFloatOverFlowStatus(0, s)),
            ROW((aclrtStream s), aclrtGetStreamResLimit(s, kCube, &r_.count)),
            ROW((aclrtStream s), aclrtSetStreamResLimit(s, kCube, 1)),
            ROW((aclrtStream s), aclrtResetStreamResLimit(s)),
            ROW((aclrtStream s), aclrtUseStreamResInCurrentThread(s)),
            ROW((aclrtStream s), aclrtUnuseStreamResInCurrentThread(s)),
            ROW((aclrtStream s), aclrtLaunchHostFunc(s, Nothing, nullptr)),
            ROW((aclrtStream s), portaclLaunchTask(s, NoTask, nullptr, nullptr, 0, nullptr)),
            ROW((aclrtStream s), aclrtLaunchCallback(Nothing, nullptr, ACL_CALLBACK_NO_BLOCK, s)),
            ROW((aclrtStream s), aclrtSubscribeReport(self_, s)),
            ROW((aclrtStream s), aclrtUnSubscribeReport(self_, s)),
            ROW((aclrtStream s), aclrtSubscribeHostFunc(self_, s)),
            ROW((aclrtStream s), aclrtUnSubscribeHostFunc(self_, s)),
        };
    }

    // They enqueue work.
    StreamRows WorkCalls() {
        return {
            ROW((aclrtStream s), aclrtMemcpyAsync(device_, kSize, host_, kSize, ACL_MEMCPY_HOST_TO_DEVICE, s)),
            ROW((aclrtStream s),
                aclrtMemcpyAsyncWithCondition(device_, kSize, host_, kSize, ACL_MEMCPY_HOST_TO_DEVICE, s)),
            ROW((aclrtStream s), aclrtMemcpy2dAsync(device_, 64, host_, 64, 64, 2, ACL_MEMCPY_HOST_TO_DEVICE, s)),
            ROW((aclrtStream s),
                aclrtMemcpyBatchAsync(dsts_, sizes_, srcs_, sizes_, 1, &attribute_, first_, 1, &fail_index_, s)),
            ROW((aclrtStream s), aclrtMemcpyBatchAsyncV2(dsts_, sizes_, srcs_, sizes_, 1, &attribute_, first_, 1, s)),
            ROW((aclrtStream s),
                aclrtMemcpyAsyncWithOffset(static_cast<void**>(device_), 8, 0, static_cast<const void**>(other_), 8, 0,
                                           ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, s)),
            ROW((aclrtStream s), aclrtMemcpyAsyncWithDesc(device_, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, s)),
            ROW((aclrtStream s), aclrtMemsetAsync(device_, kSize, 1, kSize, s)),
            ROW((aclrtStream s), aclrtMemsetD32Async(device_, kSize, 1, kSize / 4, s)),
            ROW((aclrtStream s),
                aclrtReduceAsync(device_, other_, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, nullptr)),
            ROW((aclrtStream s), aclrtRandomNumAsync(&random_, s, nullptr)),
            ROW((aclrtStream s), aclrtRecordNotify(notify_, s)),
            ROW((aclrtStream s), aclrtWaitAndResetNotify(notify_, s, 1)),
            ROW((aclrtStream s), aclrtCntNotifyRecord(counted_, s, &record_info_)),
            ROW((aclrtStream s), aclrtCntNotifyWaitWithTimeout(counted_, s, &wait_info_)),
            ROW((aclrtStream s), aclrtCntNotifyReset(counted_, s)),
            ROW((aclrtStream s), aclrtValueWrite(device_, 1, 0, s)),
            ROW((aclrtStream s), aclrtValueWait(device_, 1, ACL_STREAM_WAIT_VALUE_GEQ, s)),
            ROW((aclrtStream s), aclrtLaunchKernel(kernel_, 1, nullptr, 0, s)),
            ROW((aclrtStream s), aclrtLaunchKernelV2(kernel_, 1, nullptr, 0, nullptr, s)),
            ROW((aclrtStream s), aclrtLaunchKernelWithArgsArray(kernel_, 1, s, nullptr, nullptr)),
            ROW((aclrtStream s), aclrtLaunchSIMTKernelWithArgsArray(kernel_, one_, one_, 0, s, nullptr, nullptr)),
            ROW((aclrtStream s), aclrtLaunchKernelWithHostArgs(kernel_, 1, s, nullptr, nullptr, 0, nullptr, 0)),
            ROW((aclrtStream s),
                aclrtLaunchSIMTKernelWithHostArgs(kernel_, one_, one_, 0, s, nullptr, nullptr, 0, nullptr, 0)),
            ROW((aclrtStream s), aclrtLaunchKernelWithConfig(kernel_, 1, s, nullptr, list_, nullptr)),
        };
    }

    // These calls check the memory first.
    StreamRows ManagedCalls() {
        return {
            ROW((aclrtStream s), aclrtMemManagedPrefetchAsync(managed_, kManagedGrain, place_, 0, s)),
            ROW((aclrtStream s),
                aclrtMemManagedPrefetchBatchAsync(managed_list_, managed_sizes_, 1, &place_, first_, 1, 0, s)),
        };
    }

    using EventRows = std::vector<Row<aclrtEvent>>;
    EventRows EventCalls() {
        return {
            ROW((aclrtEvent e), aclrtRecordEvent(e, nullptr)),
            ROW((aclrtEvent e), aclrtRecordEventWithFlag(e, nullptr, 0)),
            ROW((aclrtEvent e), aclrtResetEvent(e, nullptr)),
            ROW((aclrtEvent e), aclrtStreamWaitEvent(nullptr, e)),
            ROW((aclrtEvent e), aclrtStreamWaitEventWithFlag(nullptr, e, 0, 0)),
            ROW((aclrtEvent e), aclrtStreamWaitEventWithTimeout(nullptr, e, 1)),
            ROW((aclrtEvent e), aclrtQueryEvent(e, &r_.event)),
            ROW((aclrtEvent e), aclrtQueryEventStatus(e, &r_.recorded)),
            ROW((aclrtEvent e), aclrtQueryEventWaitStatus(e, &r_.waited)),
            ROW((aclrtEvent e), aclrtSynchronizeEvent(e)),
            ROW((aclrtEvent e), aclrtSynchronizeEventWithTimeout(e, 1000)),
            ROW((aclrtEvent e), aclrtEventElapsedTime(&r_.ms, e, event_)),
            ROW((aclrtEvent e), aclrtEventElapsedTime(&r_.ms, event_, e)),
            ROW((aclrtEvent e), aclrtEventGetTimestamp(e, &r_.time)),
            ROW((aclrtEvent e), aclrtGetEventId(e, &r_.count)),
            ROW((aclrtEvent e), aclrtIpcGetEventHandle(e, &r_.ipc)),
            ROW((aclrtEvent e), aclrtDestroyEvent(e)),
        };
    }
};

}  // namespace

TEST_F(Arguments, InvalidStreams) {
    aclrtStream destroyed = nullptr;
    ACL_OK(aclrtCreateStream(&destroyed));
    ACL_OK(aclrtDestroyStream(destroyed));
    for (void* bad : {destroyed, static_cast<void*>(event_), reinterpret_cast<void*>(8),
                      reinterpret_cast<void*>(UINTPTR_MAX), static_cast<void*>(page_)}) {
        SCOPED_TRACE(Shown(bad));
        ExpectAll(StreamCalls(), kDead, "tream", aclrtStream(bad));
        ExpectAll(ManagedCalls(), kDead, "tream", aclrtStream(bad));
        ACL_FAILS(kDead, aclrtDestroyStream(bad));
        ACL_FAILS(kDead, aclrtDestroyStreamForce(bad));
    }
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyStream(nullptr));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyStreamForce(nullptr));
    ExpectNothingWritten();
}

TEST_F(Arguments, StreamsOfAnotherDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    aclrtContext here = nullptr;
    ACL_OK(aclrtGetCurrentContext(&here));
    ACL_OK(aclrtSetDevice(1));
    Stream there;
    ACL_OK(aclrtSetCurrentContext(here));
    ExpectAll(StreamCalls(), ACL_ERROR_RT_STREAM_CONTEXT, "device 1", aclrtStream(there));
    ExpectAll(ManagedCalls(), ACL_ERROR_RT_STREAM_CONTEXT, "device 1", aclrtStream(there));
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclrtDestroyStream(there), "device 1");
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclrtDestroyStreamForce(there), "device 1");
    ExpectNothingWritten();
    ACL_OK(aclrtSetDevice(1));
}

TEST_F(Arguments, InvalidEvents) {
    Stream stream;
    aclrtEvent destroyed = nullptr;
    ACL_OK(aclrtCreateEventWithFlag(&destroyed, ACL_EVENT_SYNC));
    ACL_OK(aclrtDestroyEvent(destroyed));
    for (void* bad : {destroyed, static_cast<void*>(stream), reinterpret_cast<void*>(8),
                      reinterpret_cast<void*>(UINTPTR_MAX), static_cast<void*>(page_)}) {
        SCOPED_TRACE(Shown(bad));
        ExpectAll(EventCalls(), kDead, "vent", aclrtEvent(bad));
    }
    ExpectAll(EventCalls(), ACL_ERROR_INVALID_PARAM, "null", aclrtEvent(nullptr));
    ExpectNothingWritten();
}

TEST_F(Arguments, ThreadsWithoutAContext) {
    Stream stream;
    OnNewThread([&] {
        for (aclrtStream any : {aclrtStream(nullptr), aclrtStream(stream)}) {
            ExpectAll(StreamCalls(), kNone, "aclrtSetDevice", any);
            ExpectAll(ManagedCalls(), kNone, "aclrtSetDevice", any);
        }
    });
    ExpectNothingWritten();
    // The calls enqueued and changed nothing: the objects work as before.
    EXPECT_EQ(page_[0], 0);
    ACL_OK(aclrtMemsetAsync(device_, kSize, 1, kSize, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(Arguments, AfterFinalize) {
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclFinalize());
    ExpectAll(StreamCalls(), kNone, "finalized", aclrtStream(nullptr));
    ExpectAll(ManagedCalls(), kNone, "finalized", aclrtStream(nullptr));
    // A program may destroy once what went with its session, and unsubscribe it before.
    const auto used = Without({"aclrtUnSubscribeReport", "aclrtUnSubscribeHostFunc"}, StreamCalls());
    ExpectAll(used, kDead, "stream", stream);
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ExpectAll(used, kDead, "stream", stream);
    ExpectAll(Without({"aclrtDestroyEvent"}, EventCalls()), kDead, "vent", event_);
    ACL_OK(aclrtDestroyStream(stream));
    ACL_OK(aclrtDestroyEvent(event_));
    ExpectAll(StreamCalls(), kDead, "stream", stream);
    ExpectAll(EventCalls(), kDead, "vent", event_);
    ExpectNothingWritten();
}

// From a host function, no call waits, enqueues, creates or destroys anything.
TEST_F(Arguments, InsideAHostFunction) {
    InHostFunction([&](aclrtStream stream) {
        ExpectAll(StreamCalls(), kDead, kInside, stream);
        ExpectAll(ManagedCalls(), kDead, kInside, stream);
        ExpectAll(Without({"aclrtGetEventId"}, EventCalls()), kDead, kInside, event_);
    });
    ExpectNothingWritten();
}

// aclrtDeviceTaskAbort: pending work of all streams of a device is dropped, and callbacks run before and after.

#include <limits>
#include <vector>

#include "stream/abort/waiter.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

class DeviceTaskAbort : public WithDevice {};

TEST_F(DeviceTaskAbort, DropsPendingWorkOfAllStreamsOfTheDevice) {
    NEEDS_QUEUES(2);
    Stream first, second;
    aclrtStream handle = first;
    Gate gate, second_gate;
    Log log;
    ACL_OK(gate.Hold(first));
    ACL_OK(second_gate.Hold(second));
    ASSERT_TRUE(gate.AwaitArrival());
    ASSERT_TRUE(second_gate.AwaitArrival());
    for (aclrtStream stream : {static_cast<aclrtStream>(first), static_cast<aclrtStream>(second)})
        ACL_OK(log.Append(stream, 1));
    {
        Waiter stream([handle] { return aclrtSynchronizeStreamWithTimeout(handle, 30000); });
        stream.Disturb([] { return aclrtDeviceTaskAbort(0, 0); });
        EXPECT_EQ(stream.Code(), ACL_ERROR_RT_DEVICE_TASK_ABORT);
        EXPECT_NE(stream.Text().find("aclrtDeviceTaskAbort"), std::string::npos) << stream.Text();
    }
    {
        Waiter device([] { return aclrtSynchronizeDeviceWithTimeout(30000); });
        device.Disturb([] { return aclrtDeviceTaskAbort(0, 1000); });
        EXPECT_EQ(device.Code(), ACL_ERROR_RT_DEVICE_TASK_ABORT);
    }
    gate.Open();
    second_gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(log.Size(), 0u);
    ACL_OK(log.Append(first, 2));
    ACL_OK(aclrtSynchronizeStream(first));
    EXPECT_EQ(log.Size(), 1u);
}

TEST_F(DeviceTaskAbort, DoesNotAffectOtherDevices) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    Stream there;
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(there));
    ACL_OK(log.Append(there, 1));
    // The device need not be the current one.
    ACL_OK(aclrtDeviceTaskAbort(0, 0));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(there));
    EXPECT_EQ(log.Size(), 1u);
    ACL_OK(aclrtDeviceTaskAbort(1, 0));
}

TEST_F(DeviceTaskAbort, BadDevices) {
    const auto count = static_cast<int32_t>(DeviceCount());
    for (int32_t bad : {-1, count, std::numeric_limits<int32_t>::max()})
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceTaskAbort(bad, 0),
                         "deviceId is " + std::to_string(bad), std::to_string(count));
    if (count > 1) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtDeviceTaskAbort(1, 0), "deviceId is 1", "not set");
    }
    // A thread without a device may abort.
    OnNewThread([] { ACL_EXPECT_OK(aclrtDeviceTaskAbort(0, 0)); });
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceTaskAbort(0, 0));
    ACL_OK(aclInit(nullptr));
}

struct AbortCalls {
    struct Stage {
        int32_t device;
        aclrtDeviceTaskAbortStage stage;
        uint32_t timeout;
    };
    std::vector<Stage> stages;
    int32_t result = 0;

    static int32_t Call(int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t timeout, void* own) {
        auto* reported = static_cast<AbortCalls*>(own);
        reported->stages.push_back({device, stage, timeout});
        // It may make all calls; its own abort runs no callbacks.
        ACL_EXPECT_OK(aclrtDeviceTaskAbort(device, 0));
        return reported->result;
    }
};

TEST_F(DeviceTaskAbort, RunsCallbacksBeforeAndAfter) {
    AbortCalls reported, other;
    ACL_OK(aclrtSetDeviceTaskAbortCallback("one", AbortCalls::Call, &reported));
    ACL_OK(aclrtSetDeviceTaskAbortCallback("two", AbortCalls::Call, &other));
    ACL_OK(aclrtDeviceTaskAbort(0, 1234));
    ASSERT_EQ(reported.stages.size(), 2u);
    EXPECT_EQ(other.stages.size(), 2u);
    EXPECT_EQ(reported.stages[0].stage, ACL_RT_DEVICE_TASK_ABORT_PRE);
    EXPECT_EQ(reported.stages[1].stage, ACL_RT_DEVICE_TASK_ABORT_POST);
    for (const auto& stage : reported.stages) {
        EXPECT_EQ(stage.device, 0);
        EXPECT_EQ(stage.timeout, 1234u);
    }
    // No callback: a refused abort, and one after unregistering.
    ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceTaskAbort(-1, 0));
    ACL_OK(aclrtSetDeviceTaskAbortCallback("one", nullptr, nullptr));
    ACL_OK(aclrtDeviceTaskAbort(0, 0));
    EXPECT_EQ(reported.stages.size(), 2u);
    EXPECT_EQ(other.stages.size(), 4u);
    ACL_OK(aclrtSetDeviceTaskAbortCallback("two", nullptr, nullptr));
}

TEST_F(DeviceTaskAbort, AFailingCallbackIsReportedAndTheAbortTakesPlace) {
    Stream stream;
    Gate gate;
    Log log;
    AbortCalls reported;
    reported.result = -7;
    ACL_OK(gate.Hold(stream));
    ACL_OK(log.Append(stream, 1));
    ASSERT_TRUE(gate.AwaitArrival());
    ACL_OK(aclrtSetDeviceTaskAbortCallback("fails", AbortCalls::Call, &reported));
    ACL_FAILS_SAYING(ACL_ERROR_FAILURE, aclrtDeviceTaskAbort(0, 0), "-7", "ACL_RT_DEVICE_TASK_ABORT_PRE");
    EXPECT_EQ(reported.stages.size(), 2u);
    ACL_OK(aclrtSetDeviceTaskAbortCallback("fails", nullptr, nullptr));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Size(), 0u);
}

TEST_F(DeviceTaskAbort, BadRegistrations) {
    AbortCalls reported;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetDeviceTaskAbortCallback(nullptr, AbortCalls::Call, &reported),
                     "regName", "null");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSetDeviceTaskAbortCallback("none", nullptr, nullptr), "none");
    ACL_OK(aclrtSetDeviceTaskAbortCallback("twice", AbortCalls::Call, &reported));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSetDeviceTaskAbortCallback("twice", AbortCalls::Call, &reported),
                     "twice", "registered already");
    ACL_OK(aclrtSetDeviceTaskAbortCallback("twice", nullptr, nullptr));
    ACL_OK(aclrtDeviceTaskAbort(0, 0));
    EXPECT_TRUE(reported.stages.empty());
}

}  // namespace

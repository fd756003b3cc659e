// Devices: set, reset, reference counts, synchronize.
#include "support/acl_test.h"
#include "support/base/device_ids.h"
#include "support/base/one_of_each.h"
#include "support/gate.h"
#include "support/says.h"
#include "support/threads.h"

#include <atomic>
#include <climits>
#include <string>
#include <thread>
#include <vector>

using namespace portacl_test;

namespace {

constexpr aclError kNotSet = ACL_ERROR_RT_PARAM_INVALID;

// Without a current device.
class Device : public Initialized {
  protected:
    static int32_t Count() {
        uint32_t count = 0;
        ACL_EXPECT_OK(aclrtGetDeviceCount(&count));
        return static_cast<int32_t>(count);
    }

    static void ExpectCurrent(int32_t wanted) {
        auto device = Poison<int32_t>();
        ACL_EXPECT_OK(aclrtGetDevice(&device));
        EXPECT_EQ(device, wanted);
    }

    static void ExpectNone() {
        auto device = Poison<int32_t>();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
        EXPECT_TRUE(IsPoison(device));
    }
};

}  // namespace

TEST_F(Device, CountIsPositive) {
    auto count = Poison<uint32_t>();
    ACL_OK(aclrtGetDeviceCount(&count));
    EXPECT_GE(count, 1u);
    EXPECT_LE(count, 64u);
}

TEST_F(Device, CountRefusesNull) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceCount(nullptr), "count is null");
}

TEST_F(Device, EveryIdCanBeSet) {
    for (int32_t id = 0; id < Count(); ++id) {
        ACL_OK(aclrtSetDevice(id));
        ExpectCurrent(id);
    }
    for (int32_t id = 0; id < Count(); ++id) ACL_OK(aclrtResetDevice(id));
}

TEST_F(Device, IdsOutOfRange) {
    const int32_t count = Count();
    const std::string bound = AllowedIds(count);
    for (const int32_t id : {-1, count, INT32_MIN, INT32_MAX}) {
        const std::string value = "deviceId is " + std::to_string(id);
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(id), value, bound);
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDevice(id), value, bound);
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtResetDeviceForce(id), value, bound);
    }
    ExpectNone();
}

TEST_F(Device, ARefusedSetChangesNothing) {
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(-1));
    ExpectCurrent(0);
    ACL_OK(aclrtResetDevice(0));
    ACL_FAILS(kNotSet, aclrtResetDevice(0));
}

TEST_F(Device, GetRefusesNull) {
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetDevice(nullptr), "deviceId is null");
}

TEST_F(Device, GetWithoutADevice) {
    auto device = Poison<int32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device), "aclrtSetDevice");
    EXPECT_TRUE(IsPoison(device));
}

TEST_F(Device, ResetOfADeviceThatIsNotSet) {
    ACL_FAILS_SAYING(kNotSet, aclrtResetDevice(0), "deviceId 0", "not set");
    ACL_FAILS_SAYING(kNotSet, aclrtResetDeviceForce(0), "deviceId 0", "not set");
}

TEST_F(Device, EverySetCounts) {
    constexpr int kSets = 5;
    for (int i = 0; i < kSets; ++i) ACL_OK(aclrtSetDevice(0));
    for (int i = 0; i < kSets - 1; ++i) {
        ACL_OK(aclrtResetDevice(0));
        ExpectCurrent(0);
    }
    ACL_OK(aclrtResetDevice(0));
    ExpectNone();
    ACL_FAILS(kNotSet, aclrtResetDevice(0));
}

TEST_F(Device, SetsOfAllThreadsCountTogether) {
    ACL_OK(aclrtSetDevice(0));
    // The end of a thread does not reset the device.
    OnNewThread([] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        ACL_EXPECT_OK(aclrtSetDevice(0));
    });
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtResetDevice(0));
    ExpectCurrent(0);
    OnNewThread([] { ACL_EXPECT_OK(aclrtResetDevice(0)); });
    ExpectNone();
    ACL_FAILS(kNotSet, aclrtResetDevice(0));
}

TEST_F(Device, ForceIgnoresTheCount) {
    for (int i = 0; i < 3; ++i) ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtResetDeviceForce(0));
    ExpectNone();
    ACL_FAILS(kNotSet, aclrtResetDevice(0));
    ACL_FAILS(kNotSet, aclrtResetDeviceForce(0));
}

TEST_F(Device, SetSetResetForce) {
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_FAILS(kNotSet, aclrtResetDevice(0));
}

TEST_F(Device, ForceAfterTheLastReset) {
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtResetDevice(0));
    ACL_FAILS(kNotSet, aclrtResetDeviceForce(0));
}

TEST_F(Device, CountsRestartAfterForce) {
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtResetDevice(0));
    ACL_FAILS(kNotSet, aclrtResetDevice(0));
}

TEST_F(Device, AnExplicitContextDoesNotCount) {
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    ExpectCurrent(0);
    ACL_FAILS_SAYING(kNotSet, aclrtResetDevice(0), "reference count is 0");
    ExpectCurrent(0);
    // The device is open and can be reset.
    ACL_OK(aclrtResetDeviceForce(0));
    ExpectNone();
    ACL_DESTROYS_LATE(aclrtDestroyContext(context));
}

TEST_F(Device, SettingKeepsAnExplicitContext) {
    ACL_OK(aclrtSetDevice(0));
    aclrtContext primary = nullptr, other = nullptr, current = nullptr;
    ACL_OK(aclrtGetCurrentContext(&primary));
    ACL_OK(aclrtCreateContext(&other, 0));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtGetCurrentContext(&current));
    EXPECT_EQ(current, primary);
    // Both sets counted, the context did not.
    ACL_OK(aclrtResetDevice(0));
    ExpectCurrent(0);
    ACL_OK(aclrtDestroyContext(other));
    ACL_OK(aclrtResetDevice(0));
    ACL_FAILS(kNotSet, aclrtResetDevice(0));
}

TEST_F(Device, TheDefaultContextIsShared) {
    ACL_OK(aclrtSetDevice(0));
    aclrtContext here = nullptr;
    ACL_OK(aclrtGetCurrentContext(&here));
    OnNewThread([here] {
        ACL_OK(aclrtSetDevice(0));
        aclrtContext there = nullptr;
        ACL_OK(aclrtGetCurrentContext(&there));
        EXPECT_EQ(there, here);
    });
}

TEST_F(Device, DevicesCountSeparately) {
    if (Count() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtSetDevice(1));
    ExpectCurrent(1);
    ACL_OK(aclrtResetDevice(0));
    ExpectCurrent(1);
    ACL_FAILS(kNotSet, aclrtResetDevice(0));
    ACL_FAILS(kNotSet, aclrtResetDeviceForce(0));
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtMemset(memory, 4096, 1, 4096));
    ACL_OK(aclrtFree(memory));
    ACL_OK(aclrtResetDevice(1));
    ExpectNone();
}

TEST_F(Device, ResetOfAnotherDeviceKeepsTheObjects) {
    if (Count() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtSetDevice(0));
    OneOfEach objects;
    objects.Create(0);
    ACL_OK(aclrtResetDeviceForce(1));
    objects.ExpectValid();
    objects.Destroy();
}

TEST_F(Device, ReleaseInvalidatesEverythingOfTheDevice) {
    for (const bool force : {false, true}) {
        SCOPED_TRACE(force ? "aclrtResetDeviceForce" : "aclrtResetDevice");
        ACL_OK(aclrtSetDevice(0));
        aclrtContext primary = nullptr;
        ACL_OK(aclrtGetCurrentContext(&primary));
        OneOfEach objects;
        objects.Create(0);
        objects.ExpectValid();
        ACL_OK(force ? aclrtResetDeviceForce(0) : aclrtResetDevice(0));

        ExpectNone();
        objects.ExpectNoUse();
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSetCurrentContext(primary));
        ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeStream(nullptr), "aclrtSetDevice");

        // A new opening of the device does not make the handles valid again.
        ACL_OK(aclrtSetDevice(0));
        objects.ExpectLateDestroys();
        objects.ExpectInvalidDeviceMemory();
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSetCurrentContext(primary));
        // Pinned memory belongs to no device.
        ACL_EXPECT_OK(aclrtMemset(objects.host, OneOfEach::kBytes, 1, OneOfEach::kBytes));
        ACL_EXPECT_OK(aclrtFreeHost(objects.host));
        ACL_OK(aclrtResetDevice(0));
    }
}

TEST_F(Device, ReleaseFreesTheMemory) {
    ACL_OK(aclrtSetDevice(0));
    size_t before = 0, total = 0;
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    // More than the device has, if the reset freed nothing.
    const size_t size = total / 4;
    for (int round = 0; round < 6; ++round) {
        void* memory = nullptr;
        ACL_OK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_NORMAL_ONLY));
        ACL_OK(aclrtResetDevice(0));
        ACL_OK(aclrtSetDevice(0));
    }
    size_t after = 0;
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    EXPECT_GE(after + (size_t{16} << 20), before);
}

TEST_F(Device, ReleaseWaitsForPendingWork) {
    for (const bool force : {false, true}) {
        SCOPED_TRACE(force ? "aclrtResetDeviceForce" : "aclrtResetDevice");
        ACL_OK(aclrtSetDevice(0));
        aclrtContext context = nullptr;
        aclrtStream stream = nullptr;
        std::atomic<int> done{0};
        ACL_OK(aclrtLaunchHostFunc(nullptr, SlowCount, &done));
        ACL_OK(aclrtCreateStream(&stream));
        ACL_OK(aclrtLaunchHostFunc(stream, SlowCount, &done));
        ACL_OK(aclrtCreateContext(&context, 0));
        ACL_OK(aclrtLaunchHostFunc(nullptr, SlowCount, &done));
        ACL_OK(force ? aclrtResetDeviceForce(0) : aclrtResetDevice(0));
        EXPECT_EQ(done, 3);
    }
}

TEST_F(Device, SynchronizeWaitsForAllStreams) {
    ACL_OK(aclrtSetDevice(0));
    std::atomic<int> done{0};
    std::vector<aclrtStream> streams(3);
    for (auto& stream : streams) {
        ACL_OK(aclrtCreateStream(&stream));
        ACL_OK(aclrtLaunchHostFunc(stream, SlowCount, &done));
    }
    ACL_OK(aclrtLaunchHostFunc(nullptr, SlowCount, &done));
    // Streams of another context of the device, and of another thread, belong to it as well.
    OnNewThread([&done] {
        aclrtContext context = nullptr;
        ACL_OK(aclrtCreateContext(&context, 0));
        ACL_OK(aclrtLaunchHostFunc(nullptr, SlowCount, &done));
    });
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(done, 5);
    for (auto& stream : streams) ACL_OK(aclrtDestroyStream(stream));
}

TEST_F(Device, SynchronizeLeavesOtherDevicesAlone) {
    if (Count() < 2) GTEST_SKIP() << "needs two devices";
    std::atomic<int> done{0};
    Gate gate;
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(gate.Hold(nullptr));
    ACL_OK(aclrtLaunchHostFunc(nullptr, SlowCount, &done));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(done, 0);
    gate.Open();
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(done, 1);
}

TEST_F(Device, SynchronizeOfAnIdleDevice) {
    ACL_OK(aclrtSetDevice(0));
    for (int i = 0; i < 100; ++i) ACL_OK(aclrtSynchronizeDevice());
}

TEST_F(Device, SynchronizeWithoutADevice) {
    ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeDevice(), "aclrtSetDevice");
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtResetDevice(0));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeDevice());
}

TEST_F(Device, SynchronizeInTime) {
    ACL_OK(aclrtSetDevice(0));
    std::atomic<int> done{0};
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    for (const int32_t timeout : {-1, 60000, INT32_MAX}) {
        ACL_OK(aclrtLaunchHostFunc(stream, SlowCount, &done));
        ACL_OK(aclrtLaunchHostFunc(nullptr, SlowCount, &done));
        ACL_OK(aclrtSynchronizeDeviceWithTimeout(timeout));
        EXPECT_EQ(done % 2, 0) << timeout;
    }
    EXPECT_EQ(done, 6);
    ACL_OK(aclrtSynchronizeDeviceWithTimeout(1));
    ACL_OK(aclrtDestroyStream(stream));
}

TEST_F(Device, SynchronizeNotInTime) {
    ACL_OK(aclrtSetDevice(0));
    std::atomic<int> done{0};
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtLaunchHostFunc(stream, SlowCount, &done));
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeDeviceWithTimeout(5), "device 0", "5 ms");
    EXPECT_EQ(done, 0);
    // The work continues.
    gate.Open();
    ACL_OK(aclrtSynchronizeDeviceWithTimeout(60000));
    EXPECT_EQ(done, 1);
    ACL_OK(aclrtDestroyStream(stream));
}

TEST_F(Device, SynchronizeRefusesInvalidTimeouts) {
    ACL_OK(aclrtSetDevice(0));
    for (const int32_t timeout : {0, -2, INT32_MIN})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeDeviceWithTimeout(timeout),
                         "timeout is " + std::to_string(timeout));
    ACL_OK(aclrtResetDevice(0));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeDeviceWithTimeout(-1));
}

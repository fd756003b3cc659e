// A reset waits for the streams of its device, and so for callbacks of another device. The thread
// that must run those callbacks must not wait for the reset in turn.
#include <chrono>
#include <string>
#include <thread>

#include "support/objects.h"
#include "support/says.h"
#include "support/stream/reporter.h"

using namespace portacl_test;

namespace {

using DeviceResetWait = Initialized;

constexpr aclError kRefused = ACL_ERROR_RT_PARAM_INVALID;

bool IsSet(int32_t device) {
    int32_t is_set = -1;
    ACL_EXPECT_OK(aclrtGetPrimaryCtxState(device, nullptr, &is_set));
    return is_set == 1;
}

}  // namespace

TEST_F(DeviceResetWait, AThreadWithCallbacksToRunDoesNotWaitForAReset) {
    uint32_t count = 0;
    ACL_OK(aclrtGetDeviceCount(&count));
    if (count < 2) GTEST_SKIP() << "needs two devices";

    // Only this thread runs the callback that stream `waiting` of device 0 waits for.
    ACL_OK(aclrtSetDevice(1));
    bool has_run = false;
    Stream reporting;
    Event event;
    ACL_OK(aclrtSubscribeReport(ThisThread(), reporting));
    ACL_OK(aclrtLaunchCallback([](void* flag) { *static_cast<bool*>(flag) = true; }, &has_run, ACL_CALLBACK_BLOCK,
                               reporting));
    ACL_OK(aclrtRecordEvent(event, reporting));
    ACL_OK(aclrtSetDevice(0));
    aclrtStream waiting = nullptr;
    ACL_OK(aclrtCreateStream(&waiting));
    ACL_OK(aclrtStreamWaitEvent(waiting, event));
    ACL_OK(aclrtSetDevice(1));

    std::thread resetting([] { ACL_EXPECT_OK(aclrtResetDevice(0)); });
    while (IsSet(0)) std::this_thread::yield();
    ACL_FAILS_SAYING(kRefused, aclrtSetDevice(0), "deviceId 0", "1 pending", "aclrtProcessReport");
    ACL_FAILS_SAYING(kRefused, aclrtResetDevice(0), "deviceId 0", "aclrtProcessReport");
    // Other threads wait for the reset, and other devices are not affected.
    std::thread setting([] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        ACL_EXPECT_OK(aclrtResetDevice(0));
    });
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtResetDevice(1));

    ACL_OK(aclrtProcessReport(10000));
    EXPECT_TRUE(has_run);
    resetting.join();
    setting.join();
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), reporting));
}

// Callbacks that wait for streams whose callbacks run on the same thread never deadlock (docs/callbacks.md).

#include <functional>
#include <string>
#include <vector>

#include "base/callback/one_shot_hook.h"
#include "support/base/cuda_driver.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/stream/reporter.h"

using namespace portacl_test;

namespace {

constexpr aclError kRefused = ACL_ERROR_RT_PARAM_INVALID;

void Tick(void* counter) {
    ++*static_cast<std::atomic<int>*>(counter);
}

// Every call that waits for streams, inside a callback of a thread that must run a callback of a
// stream.
void WaitForStreams(const std::string& what) {
    ACL_OK(aclrtSetDevice(0));
    std::atomic<int> ran{0};
    void *memory = nullptr, *host = nullptr;
    ACL_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtMemset(memory, 4096, 0, 4096));
    ACL_OK(aclrtMallocHost(&host, 4096));
    aclrtContext before = nullptr, context = nullptr;
    ACL_OK(aclrtGetCurrentContext(&before));
    ACL_OK(aclrtCreateContext(&context, 0));
    ACL_OK(aclrtSetCurrentContext(before));
    {
        Stream stream, behind;
        Event event;
        ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
        ACL_OK(aclrtLaunchCallback(&Tick, &ran, ACL_CALLBACK_BLOCK, stream));
        ACL_OK(aclrtRecordEvent(event, stream));
        ACL_OK(aclrtStreamWaitEvent(behind, event));
        char bytes[4096];
        const auto to_host = [&] {
            return aclrtMemcpyAsync(bytes, sizeof bytes, memory, sizeof bytes, ACL_MEMCPY_DEVICE_TO_HOST, behind);
        };
        const std::vector<std::pair<const char*, std::function<aclError()>>> waits = {
            {"aclrtSynchronizeStream", [&] { return aclrtSynchronizeStream(behind); }},
            {"aclrtSynchronizeStreamWithTimeout", [&] { return aclrtSynchronizeStreamWithTimeout(behind, -1); }},
            {"aclrtSynchronizeEvent", [&] { return aclrtSynchronizeEvent(event); }},
            {"aclrtSynchronizeEventWithTimeout", [&] { return aclrtSynchronizeEventWithTimeout(event, -1); }},
            {"aclrtSynchronizeDevice", [&] { return aclrtSynchronizeDevice(); }},
            {"aclrtSynchronizeDeviceWithTimeout", [&] { return aclrtSynchronizeDeviceWithTimeout(-1); }},
            {"aclrtMemcpyAsync", to_host},
            {"aclrtFreeWithDevSync", [&] { return aclrtFreeWithDevSync(memory); }},
            {"aclrtFreeHostWithDevSync", [&] { return aclrtFreeHostWithDevSync(host); }},
            {"aclrtDestroyContext", [&] { return aclrtDestroyContext(context); }},
            {"aclrtDestroyStream", [&] { return aclrtDestroyStream(behind); }},
        };
        for (const auto& [name, wait] : waits) {
            EXPECT_EQ(wait(), kRefused) << name;
            const std::string text = TakeText();
            for (const std::string& word : {std::string(name), "inside a " + what, std::string("1 pending")})
                EXPECT_NE(text.find(word), std::string::npos) << name << ": " << text;
        }
        // A wait with a timeout is not refused.
        EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(behind, 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        EXPECT_EQ(ran, 0);
        ACL_EXPECT_OK(aclrtProcessReport(10000));
        EXPECT_EQ(ran, 1);
        for (const auto& [name, wait] : waits) EXPECT_EQ(wait(), ACL_SUCCESS) << name << ": " << TakeText();
        behind.Release();
        ACL_EXPECT_OK(aclrtUnSubscribeReport(ThisThread(), stream));
    }
    aclGetRecentErrMsg();
}

// Inside the first callback that runs.
int waits = 0;
void WaitOnce(const char* what) {
    if (++waits == 1) WaitForStreams(what);
}

}  // namespace

OWN_PROCESS_TEST(CallbackWait, InMemoryHooks) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        OneShotHook hook("waits");
        hook.Do([] { WaitOnce("memory hook"); });
        CallHooks();
    }
    EXPECT_EQ(waits, 1);
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(CallbackWait, InCallbacksOfInitAndFinalize) {
    const auto type = ACL_REG_TYPE_OTHER;
    ACL_OK(aclInitCallbackRegister(
        type, [](const char*, size_t, void*) { return WaitOnce("callback of aclInit"), ACL_SUCCESS; }, nullptr));
    ACL_OK(aclFinalizeCallbackRegister(
        type, [](void*) { return WaitOnce("callback of aclFinalize"), ACL_SUCCESS; }, nullptr));
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(waits, 1);
    waits = 0;
    ACL_OK(aclFinalize());
    EXPECT_EQ(waits, 1);
}

OWN_PROCESS_TEST(CallbackWait, InCallbacksOfDevicesAndStreams) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtRegDeviceStateCallback(
        "waits",
        [](int32_t, aclrtDeviceState state, void*) {
            if (state == ACL_RT_DEVICE_STATE_SET_POST) WaitOnce("device-state callback");
        },
        nullptr));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(waits, 1);
    waits = 0;
    ACL_OK(aclrtRegStreamStateCallback(
        "waits", [](aclrtStream, aclrtStreamState, void*) { WaitOnce("stream-state callback"); }, nullptr));
    { Stream stream; }
    EXPECT_EQ(waits, 2);
    waits = 0;
    ACL_OK(aclrtSetDeviceTaskAbortCallback(
        "waits", [](int32_t, aclrtDeviceTaskAbortStage, uint32_t, void*) { return WaitOnce("task-abort callback"), 0; },
        nullptr));
    ACL_OK(aclrtDeviceTaskAbort(0, 10000));
    EXPECT_EQ(waits, 2);
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(CallbackWait, InCallbacksOfSnapshots) {
    NEEDS_DRIVER_WITH("cuCheckpointProcessLock");
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtSnapShotCallbackRegister(
        ACL_RT_SNAPSHOT_LOCK_PRE, [](int32_t, void*) { return WaitOnce("callback of a snapshot"), uint32_t{0}; },
        nullptr));
    ACL_OK(aclrtSnapShotProcessLock(getpid(), nullptr));
    EXPECT_EQ(waits, 1);
    ACL_OK(aclrtSnapShotProcessUnlock(getpid(), nullptr));
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(CallbackWait, InCallbacksOfGraphs) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        Stream stream;
        ACL_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
        aclmdlRI graph = nullptr;
        ACL_OK(aclmdlRICaptureEnd(stream, &graph));
        ACL_OK(aclmdlRIDestroyRegisterCallback(
            graph, [](void*) { WaitOnce("callback of a graph's end"); }, nullptr));
        ACL_OK(aclmdlRIDestroy(graph));
    }
    EXPECT_EQ(waits, 1);
    ACL_OK(aclFinalize());
}

// Destroying the stream drops its callbacks, so it does not wait for them.
OWN_PROCESS_TEST(CallbackWait, StreamsDestroyedInCallbacksDropTheirCallbacks) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    std::atomic<int> ran{0};
    OneShotHook hook("ends");
    hook.Do([&] {
        Stream stream, behind;
        Event event;
        ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
        ACL_OK(aclrtLaunchCallback(&Tick, &ran, ACL_CALLBACK_BLOCK, stream));
        ACL_EXPECT_OK(aclrtDestroyStream(stream.Release()));
    });
    CallHooks();
    hook.Do([&] {
        // The first callback waits for a callback of the second stream.
        aclrtStream behind = nullptr, stream = nullptr;
        aclrtEvent event = nullptr;
        ACL_OK(aclrtCreateStream(&behind));
        ACL_OK(aclrtCreateStream(&stream));
        ACL_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
        ACL_OK(aclrtLaunchCallback(&Tick, &ran, ACL_CALLBACK_BLOCK, stream));
        ACL_OK(aclrtRecordEvent(event, stream));
        ACL_OK(aclrtStreamWaitEvent(behind, event));
        ACL_EXPECT_OK(aclrtResetDevice(0));
        ACL_EXPECT_OK(aclrtSetDevice(0));
    });
    CallHooks();
    EXPECT_EQ(ran, 0);
    ACL_OK(aclFinalize());
}

// A callback that another thread is inside of is unregistered without waiting for it, also inside a memory hook
// (docs/callbacks.md). callback_wait_test.cpp tests memory hooks, whose unregistration waits.

#include <portacl/portacl.h>

#include <functional>
#include <memory>
#include <thread>

#include "base/callback/one_shot_hook.h"
#include "support/kernel/kernels.h"
#include "support/own_process.h"
#include "support/process/snapshot.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

struct Stay {
    Signal inside, leave;
};
std::unique_ptr<Stay> stay;

void StayInside() {
    stay->inside.Set();
    stay->leave.Wait();
}

// Runs `cause` on another thread until it is inside a callback, and `unregister` here, in a memory hook, before the
// callback returns.
void ExpectNoWait(const char* what, const std::function<void()>& cause, const std::function<aclError()>& unregister) {
    SCOPED_TRACE(what);
    stay = std::make_unique<Stay>();
    std::thread other(cause);
    stay->inside.Wait();
    OneShotHook hook("unregisters");
    aclError code = -1;
    hook.Do([&] { code = unregister(); });
    CallHooks();
    EXPECT_EQ(code, ACL_SUCCESS) << aclGetRecentErrMsg();
    stay->leave.Set();
    other.join();
}

aclError OnInit(const char*, size_t, void*) {
    StayInside();
    return ACL_SUCCESS;
}

aclError OnFinalize(void*) {
    StayInside();
    return ACL_SUCCESS;
}

void OnDevice(int32_t, aclrtDeviceState state, void*) {
    if (state == ACL_RT_DEVICE_STATE_SET_POST) StayInside();
}

void OnStream(aclrtStream, aclrtStreamState state, void*) {
    if (state == ACL_RT_STREAM_STATE_CREATE_POST) StayInside();
}

int32_t OnAbort(int32_t, aclrtDeviceTaskAbortStage stage, uint32_t, void*) {
    if (stage == ACL_RT_DEVICE_TASK_ABORT_PRE) StayInside();
    return 0;
}

void OnException(aclrtExceptionInfo*) {
    StayInside();
}

void OnKernelException(aclrtExceptionInfo*, void*) {
    StayInside();
}

uint32_t OnSnapshot(int32_t, void*) {
    StayInside();
    return 0;
}

void FillAndFail() {
    ACL_EXPECT_OK(aclrtSetDevice(0));
    Stream stream;
    const DeviceMemory memory(256);
    ACL_EXPECT_OK(aclrtMemsetAsync(memory.At(), 256, 1, 256, stream));
    EXPECT_NE(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

}  // namespace

OWN_PROCESS_TEST(CallbackUnregister, OfInitAndFinalizeDoesNotWait) {
    const auto type = ACL_REG_TYPE_OTHER;
    ACL_OK(aclInitCallbackRegister(type, OnInit, nullptr));
    ExpectNoWait(
        "aclInit", [] { ACL_EXPECT_OK(aclInit(nullptr)); }, [=] { return aclInitCallbackUnRegister(type, OnInit); });
    ACL_OK(aclFinalizeCallbackRegister(type, OnFinalize, nullptr));
    ExpectNoWait(
        "aclFinalize", [] { ACL_EXPECT_OK(aclFinalize()); },
        [=] { return aclFinalizeCallbackUnRegister(type, OnFinalize); });
}

OWN_PROCESS_TEST(CallbackUnregister, OfDevicesStreamsAndAbortsDoesNotWait) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtRegDeviceStateCallback("stays", OnDevice, nullptr));
    ExpectNoWait(
        "a device", [] { ACL_EXPECT_OK(aclrtSetDevice(0)); },
        [] { return aclrtRegDeviceStateCallback("stays", nullptr, nullptr); });
    ACL_OK(aclrtRegStreamStateCallback("stays", OnStream, nullptr));
    ExpectNoWait(
        "a stream",
        [] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            const Stream stream;
        },
        [] { return aclrtRegStreamStateCallback("stays", nullptr, nullptr); });
    ACL_OK(aclrtSetDeviceTaskAbortCallback("stays", OnAbort, nullptr));
    ExpectNoWait(
        "an abort", [] { ACL_EXPECT_OK(aclrtDeviceTaskAbort(0, 60000)); },
        [] { return aclrtSetDeviceTaskAbortCallback("stays", nullptr, nullptr); });
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(CallbackUnregister, OfExceptionsDoesNotWait,
                 {"PORTACL_FAULT", "stream.fill:1:later,stream.fill:2:later,stream.launch:1:later"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtSetExceptionInfoCallback(OnException));
    ExpectNoWait("the set one", FillAndFail, [] { return aclrtSetExceptionInfoCallback(nullptr); });
    ACL_OK(aclrtExceptionInfoCallbackRegister(OnException));
    ExpectNoWait("a registered one", FillAndFail, [] { return aclrtExceptionInfoCallbackUnregister(OnException); });
    {
        const Program program;
        const aclrtFuncHandle kernel = program.Kernel("mark");
        const ZeroWords words(64);
        ACL_OK(aclrtBinarySetExceptionCallback(program, OnKernelException, nullptr));
        ExpectNoWait(
            "that of a binary",
            [&] {
                ACL_EXPECT_OK(aclrtSetDevice(0));
                Stream stream;
                ACL_EXPECT_OK(Mark(kernel, words.At(), 1, 4, stream));
                EXPECT_NE(aclrtSynchronizeStream(stream), ACL_SUCCESS);
            },
            [&] { return aclrtBinarySetExceptionCallback(program, nullptr, nullptr); });
    }
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(CallbackUnregister, OfSnapshotsAndGraphsDoesNotWait) {
    NEEDS_SNAPSHOTS;
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtSnapShotCallbackRegister(ACL_RT_SNAPSHOT_LOCK_PRE, OnSnapshot, nullptr));
    ExpectNoWait(
        "a snapshot",
        [] {
            ACL_EXPECT_OK(Lock());
            ACL_EXPECT_OK(Unlock());
        },
        [] { return aclrtSnapShotCallbackUnregister(ACL_RT_SNAPSHOT_LOCK_PRE, OnSnapshot); });
    // The graph is destroyed, so its callback is no longer registered.
    aclmdlRI graph = nullptr;
    {
        const Stream stream;
        ACL_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
        ACL_OK(aclmdlRICaptureEnd(stream, &graph));
    }
    const auto on_end = [](void*) { StayInside(); };
    ACL_OK(aclmdlRIDestroyRegisterCallback(graph, on_end, nullptr));
    ExpectNoWait(
        "a graph", [graph] { ACL_EXPECT_OK(aclmdlRIDestroy(graph)); },
        [=] {
            const aclError code = aclmdlRIDestroyUnregisterCallback(graph, on_end);
            aclGetRecentErrMsg();
            return code == ACL_ERROR_RT_PARAM_INVALID ? aclError{ACL_SUCCESS} : code;
        });
    ACL_OK(aclFinalize());
}

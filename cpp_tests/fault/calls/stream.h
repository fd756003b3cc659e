// The part of every_call that uses streams, events, values, notifies and callbacks.
#pragma once

#include <pthread.h>

#include "../did.h"
#include "../held.h"

inline void UseStreams() {
    HeldStream stream;
    int32_t id = 0;
    uint32_t number = 0;
    DID(aclrtStreamGetId(stream, &id));
    DID(aclrtStreamGetFlags(stream, &number));
    DID(aclrtStreamGetPriority(stream, &number));
    DID(aclrtGetStreamAvailableNum(&number));
    aclrtStream other = nullptr;
    if (!DID(aclrtCreateStreamWithConfig(&other, 0, ACL_STREAM_FAST_LAUNCH))) return;
    DID(aclrtLaunchHostFunc(other, CountCall, nullptr));
    DID(aclrtSynchronizeStream(other));
    DID(aclrtDestroyStreamForce(other));
}

inline void UseEvents() {
    HeldStream first, second;
    HeldEvent start, end;
    aclrtEvent plain = nullptr, flagged = nullptr;
    DID(aclrtCreateEvent(&plain));
    DID(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_SYNC));
    uint32_t number = 0;
    DID(aclrtGetEventId(start, &number));
    DID(aclrtGetEventAvailNum(&number));
    bool recorded = DID(aclrtRecordEvent(start, first));
    DID(aclrtLaunchHostFunc(first, CountCall, nullptr));
    recorded &= DID(aclrtRecordEvent(end, first));
    DID(aclrtStreamWaitEvent(second, end));
    DID(aclrtRecordEvent(plain, second));
    aclrtEventRecordedStatus status{};
    DID(aclrtQueryEventStatus(plain, &status));
    DID(aclrtSynchronizeEvent(plain));
    DID(aclrtSynchronizeEventWithTimeout(end, 20000));
    float ms = -1;
    if (recorded) DID(aclrtEventElapsedTime(&ms, start, end));
    Expect(ms >= 0, "the time between two events");
    if (plain) DID(aclrtDestroyEvent(plain));
    if (flagged) DID(aclrtDestroyEvent(flagged));
}

inline void UseEventsMore() {
    HeldStream stream;
    aclrtEvent reset = nullptr;
    if (!DID(aclrtCreateEventWithFlag(&reset, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE))) return;
    const bool recorded = DID(aclrtRecordEvent(reset, stream));
    DID(aclrtStreamWaitEventWithTimeout(stream, reset, 20));
    DID(aclrtSynchronizeStream(stream));
    uint64_t time = 0;
    if (recorded) DID(aclrtEventGetTimestamp(reset, &time));
    aclrtEventWaitStatus waits{};
    DID(aclrtQueryEventWaitStatus(reset, &waits));
    aclrtEventStatus status{};
    DID(aclrtQueryEvent(reset, &status));
    DID(aclrtResetEvent(reset, stream));
    DID(aclrtSynchronizeStream(stream));
    DID(aclrtDestroyEvent(reset));
}

// Values that one stream writes and another waits for.
inline void UseValues() {
    HeldStream first, second;
    HeldMemory memory;
    Pinned pinned;
    if (!memory || !pinned) return;
    for (void* word : {static_cast<void*>(memory), static_cast<void*>(pinned)}) {
        if (!DID(aclrtMemset(word, kSize, 0, kSize))) return;
        // A wait for a value that no stream writes would last until teardown.
        if (!DID_OPTIONAL(aclrtValueWrite(word, 5, 0, first))) return;
        if (!DID(aclrtSynchronizeStream(first))) continue;
        DID(aclrtValueWait(word, 5, ACL_STREAM_WAIT_VALUE_EQ, second));
        DID(aclrtSynchronizeStream(second));
    }
}

inline void UseNotifies() {
    HeldStream first, second;
    aclrtNotify notify = nullptr;
    uint32_t number = 0;
    if (DID(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT))) {
        DID(aclrtGetNotifyId(notify, &number));
        // The record was submitted and failed when it ran: the notify was not signalled.
        DID(aclrtRecordNotify(notify, first));
        DID(aclrtSynchronizeStream(first));
        DID_OPTIONAL(aclrtWaitAndResetNotify(notify, second, 1));
        DID(aclrtSynchronizeStream(second));
        DID(aclrtNotifyBatchReset(&notify, 1));
        char key[65] = {};
        aclrtNotify imported = nullptr;
        if (DID(aclrtNotifyGetExportKey(notify, key, sizeof key, 2)) &&
            DID(aclrtNotifyImportByKey(&imported, key, 0))) {
            DID(aclrtRecordNotify(imported, first));
            DID(aclrtSynchronizeStream(first));
            DID(aclrtDestroyNotify(imported));
        }
        DID(aclrtDestroyNotify(notify));
    }
    aclrtCntNotify counted = nullptr;
    if (!DID(aclrtCntNotifyCreate(&counted, ACL_NOTIFY_DEFAULT))) return;
    DID(aclrtCntNotifyGetId(counted, &number));
    aclrtCntNotifyRecordInfo add{ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 3};
    aclrtCntNotifyWaitInfo wait{ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 3, 1, 1, {}};
    DID(aclrtCntNotifyRecord(counted, first, &add));
    DID_OPTIONAL(aclrtCntNotifyWaitWithTimeout(counted, second, &wait));
    DID(aclrtSynchronizeStream(first));
    DID(aclrtSynchronizeStream(second));
    DID(aclrtCntNotifyReset(counted, first));
    DID(aclrtSynchronizeStream(first));
    DID(aclrtCntNotifyDestroy(counted));
}

// A stream created from a description. Its attributes change; it is aborted and used again.
inline void UseStreamsMore() {
    aclrtStream stream = nullptr;
    aclrtStreamConfigHandle* description = aclrtCreateStreamConfigHandle();
    const uint32_t priority = 0;
    DID(aclrtSetStreamConfigOpt(description, ACL_RT_STREAM_PRIORITY, &priority, sizeof priority));
    const bool made = DID(aclrtCreateStreamV2(&stream, description));
    DID(aclrtDestroyStreamConfigHandle(description));
    if (!made) return;
    aclrtStreamAttrValue value{};
    DID(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value));
    DID_OPTIONAL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value));
    DID(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
    DID(aclrtLaunchHostFunc(stream, CountCall, nullptr));
    DID(aclrtSynchronizeStream(stream));
    DID(aclrtStreamAbort(stream));
    DID(aclrtLaunchHostFunc(stream, CountCall, nullptr));
    DID(aclrtSynchronizeStream(stream));
    DID(aclrtDestroyStream(stream));
}

// A stream that wraps the driver's, if there is a driver.
inline void WrapStream() {
    HeldStream stream;
    void* native = nullptr;
    const aclError code = portaclStreamGetNative(stream, &native);
    // Without a driver the address is ignored.
    if (code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
        native = &native;
    else if (!Did(code, "portaclStreamGetNative"))
        return;
    aclrtStream wrapped = nullptr;
    if (!DID_OPTIONAL(portaclStreamWrapNative(native, &wrapped))) return;
    DID(aclrtLaunchHostFunc(wrapped, CountCall, nullptr));
    DID(aclrtSynchronizeStream(wrapped));
    DID(aclrtDestroyStream(wrapped));
}

// Callbacks and host functions that this thread runs itself.
inline void UseReports() {
    constexpr int32_t kMs = 2000;
    const auto self = static_cast<uint64_t>(pthread_self());
    HeldStream reports, functions;
    if (DID(aclrtSubscribeReport(self, reports))) {
        if (DID(aclrtLaunchCallback(CountCall, nullptr, ACL_CALLBACK_BLOCK, reports))) DID(aclrtProcessReport(kMs));
        DID(aclrtSynchronizeStream(reports));
        DID(aclrtUnSubscribeReport(self, reports));
    }
    if (DID(aclrtSubscribeHostFunc(self, functions))) {
        if (DID(aclrtLaunchHostFunc(functions, CountCall, nullptr))) DID(aclrtProcessHostFunc(kMs));
        DID(aclrtSynchronizeStream(functions));
        DID(aclrtUnSubscribeHostFunc(self, functions));
    }
}

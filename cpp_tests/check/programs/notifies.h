// Notifies that are destroyed with their owner.
#pragma once

#include "check/programs/program.h"

struct Notify {
    Notify() { OK(aclrtCreateNotify(&handle, ACL_NOTIFY_DEFAULT)); }
    ~Notify() { OK(aclrtDestroyNotify(handle)); }
    Notify(const Notify&) = delete;
    Notify& operator=(const Notify&) = delete;
    void Record(aclrtStream stream) { OK(aclrtRecordNotify(handle, stream)); }
    // For at most this many seconds; 0 is no timeout.
    void Wait(aclrtStream stream, uint32_t seconds = 0) { OK(aclrtWaitAndResetNotify(handle, stream, seconds)); }
    aclrtNotify handle = nullptr;
};

// A notify with a count.
struct Counted {
    Counted() { OK(aclrtCntNotifyCreate(&handle, 0)); }
    ~Counted() { OK(aclrtCntNotifyDestroy(handle)); }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    void Set(aclrtStream stream, uint32_t count) {
        aclrtCntNotifyRecordInfo info{ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, count};
        OK(aclrtCntNotifyRecord(handle, stream, &info));
    }
    void Reset(aclrtStream stream) { OK(aclrtCntNotifyReset(handle, stream)); }
    // Until the count is not less than this. The count stays as it is.
    void Wait(aclrtStream stream, uint32_t count) {
        aclrtCntNotifyWaitInfo info{ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, count, 0, 0, {}};
        OK(aclrtCntNotifyWaitWithTimeout(handle, stream, &info));
    }
    aclrtCntNotify handle = nullptr;
};

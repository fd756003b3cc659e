// Notifies that are destroyed with their owner, and helpers of the tests.
#pragma once

#include "support/objects.h"

namespace portacl_test {

class Notify {
  public:
    explicit Notify(uint64_t flag = ACL_NOTIFY_DEFAULT) {
        ExpectOk("aclrtCreateNotify", aclrtCreateNotify(&handle_, flag));
    }
    // Imports a notify of another process.
    explicit Notify(const char* key) {
        ExpectOk("aclrtNotifyImportByKey", aclrtNotifyImportByKey(&handle_, key, ACL_RT_NOTIFY_IMPORT_FLAG_DEFAULT));
    }
    ~Notify() {
        if (handle_) ExpectOk("aclrtDestroyNotify", aclrtDestroyNotify(handle_));
    }
    Notify(const Notify&) = delete;
    Notify& operator=(const Notify&) = delete;

    operator aclrtNotify() const { return handle_; }

    // Gives the notify up: the test destroys it.
    aclrtNotify Release() { return std::exchange(handle_, nullptr); }

  private:
    aclrtNotify handle_ = nullptr;
};

class CntNotify {
  public:
    CntNotify() { ExpectOk("aclrtCntNotifyCreate", aclrtCntNotifyCreate(&handle_, 0)); }
    ~CntNotify() {
        if (handle_) ExpectOk("aclrtCntNotifyDestroy", aclrtCntNotifyDestroy(handle_));
    }
    CntNotify(const CntNotify&) = delete;
    CntNotify& operator=(const CntNotify&) = delete;

    operator aclrtCntNotify() const { return handle_; }

    // Gives the notify up: the test destroys it.
    aclrtCntNotify Release() { return std::exchange(handle_, nullptr); }

  private:
    aclrtCntNotify handle_ = nullptr;
};

inline aclError Record(aclrtCntNotify notify, aclrtStream stream, int mode, uint32_t value) {
    aclrtCntNotifyRecordInfo info{static_cast<aclrtCntNotifyRecordMode>(mode), value};
    return aclrtCntNotifyRecord(notify, stream, &info);
}

inline aclError Wait(aclrtCntNotify notify, aclrtStream stream, int mode, uint32_t value, uint32_t timeout = 0,
                     uint8_t clear = 0) {
    // The reserved bytes may have any value.
    auto info = Poison<aclrtCntNotifyWaitInfo>();
    info.mode = static_cast<aclrtCntNotifyWaitMode>(mode);
    info.value = value;
    info.timeout = timeout;
    info.isClear = clear;
    return aclrtCntNotifyWaitWithTimeout(notify, stream, &info);
}

}  // namespace portacl_test

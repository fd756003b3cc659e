// All calls report invalid notifies, count notifies, pools, physical memory and keys in the same
// way. A row is a call that is valid except for that argument: it fails with the same code, names
// itself, and writes nothing.

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "support/memory/ipc.h"
#include "support/memory/virtual_memory.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"
#include "support/stream/notify.h"

using namespace portacl_test;

namespace {

constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

template <typename Argument>
struct HandleCall {
    const char* text;
    std::function<aclError(Argument)> call;
};

template <typename Argument>
using HandleCalls = std::vector<HandleCall<Argument>>;

#define ROW(argument, expression)                                        \
    {                                                                    \
#expression, [this](argument) -> aclError { return expression; } \
    }

class HandleArguments : public WithDevice {
  protected:
    template <typename Argument>
    void ExpectAll(const HandleCalls<Argument>& rows, aclError code, Argument argument) {
        for (const auto& row : rows) EXPECT_TRUE(FailedSaying(row.text, row.call(argument), code, {}));
        EXPECT_TRUE(IsPoison(pointer_) && IsPoison(id_) && IsPoison(value_) && IsPoison(number_) && IsPoison(key_) &&
                    IsPoison(properties_) && IsPoison(fabric_));
    }

    // Null, a value that never was a handle, a handle of another kind, and a destroyed one.
    void ExpectNone(const HandleCalls<void*>& rows, void* other_kind, void* destroyed) {
        ExpectAll<void*>(rows, kInvalid, nullptr);
        for (void* bad : {reinterpret_cast<void*>(8), reinterpret_cast<void*>(UINTPTR_MAX), static_cast<void*>(page_),
                          other_kind, destroyed}) {
            SCOPED_TRACE(Shown(bad));
            ExpectAll<void*>(rows, kDead, bad);
        }
    }

    HandleCalls<void*> NotifyCalls() {
        return {
            ROW(void* n, aclrtRecordNotify(n, nullptr)),
            ROW(void* n, aclrtWaitAndResetNotify(n, nullptr, 1)),
            ROW(void* n, aclrtGetNotifyId(n, &id_)),
            ROW(void* n, aclrtNotifyGetExportKey(n, key_.text, sizeof key_.text, 2)),
            ROW(void* n, aclrtDestroyNotify(n)),
        };
    }

    HandleCalls<void*> CountCalls() {
        return {
            ROW(void* c, aclrtCntNotifyRecord(c, nullptr, &record_)),
            ROW(void* c, aclrtCntNotifyWaitWithTimeout(c, nullptr, &wait_)),
            ROW(void* c, aclrtCntNotifyReset(c, nullptr)),
            ROW(void* c, aclrtCntNotifyGetId(c, &id_)),
            ROW(void* c, aclrtCntNotifyDestroy(c)),
        };
    }

    HandleCalls<void*> PoolCalls() {
        return {
            ROW(void* p, aclrtMemPoolMallocAsync(&pointer_, 100, p, nullptr)),
            ROW(void* p, aclrtMemPoolGetAttr(p, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, &value_)),
            ROW(void* p, aclrtMemPoolSetAttr(p, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &zero_)),
            ROW(void* p, aclrtMemPoolTrimTo(p, 0)),
            ROW(void* p, portaclMemPoolExportToShareableHandle(&number_, p, ACL_MEM_HANDLE_TYPE_POSIX, 0)),
            ROW(void* p, aclrtMemPoolDestroy(p)),
        };
    }

    HandleCalls<void*> PhysicalCalls() {
        return {
            ROW(void* h, aclrtMapMem(place_, kPiece, 0, h, 0)),
            ROW(void* h, aclrtMemMapNoAccess(place_, kPiece, 0, h, 0)),
            ROW(void* h, aclrtMemGetAllocationPropertiesFromHandle(h, &properties_)),
            ROW(void* h, aclrtMemExportToShareableHandle(h, ACL_MEM_HANDLE_TYPE_NONE, 1, &value_)),
            ROW(void* h, aclrtMemExportToShareableHandleV2(h, 1, ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT, &value_)),
            ROW(void* h, aclrtMemExportToShareableHandleV2(h, 1, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &fabric_)),
            ROW(void* h, aclrtFreePhysical(h)),
        };
    }

    HandleCalls<const char*> KeyCalls() {
        return {
            ROW(const char* k, aclrtIpcMemImportByKey(&pointer_, k, 0)),
            ROW(const char* k, aclrtIpcMemSetImportPid(k, &process_, 1)),
            ROW(const char* k, aclrtIpcMemSetAttr(k, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 0)),
            ROW(const char* k, aclrtIpcMemClose(k)),
        };
    }

    void* place_ = nullptr;
    void* pointer_ = Poison<void*>();
    uint32_t id_ = Poison<uint32_t>();
    uint64_t value_ = Poison<uint64_t>();
    int number_ = Poison<int>();
    uint64_t zero_ = 0;
    int32_t process_ = 1;
    KeyText key_ = Poison<KeyText>();
    aclrtPhysicalMemProp properties_ = Poison<aclrtPhysicalMemProp>();
    aclrtMemFabricHandle fabric_ = Poison<aclrtMemFabricHandle>();
    aclrtCntNotifyRecordInfo record_{ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1};
    aclrtCntNotifyWaitInfo wait_{ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 0, 1, 0, {}};
    unsigned char page_[16] = {};
};

}  // namespace

TEST_F(HandleArguments, InvalidNotifies) {
    const Stream stream;
    aclrtNotify destroyed = nullptr;
    ACL_OK(aclrtCreateNotify(&destroyed, 0));
    ACL_OK(aclrtDestroyNotify(destroyed));
    ExpectNone(NotifyCalls(), stream, destroyed);
    aclrtNotify list[] = {destroyed};
    ACL_FAILS(kDead, aclrtNotifyBatchReset(list, 1));
}

TEST_F(HandleArguments, InvalidCounts) {
    aclrtNotify other = nullptr;
    aclrtCntNotify destroyed = nullptr;
    ACL_OK(aclrtCreateNotify(&other, 0));
    ACL_OK(aclrtCntNotifyCreate(&destroyed, 0));
    ACL_OK(aclrtCntNotifyDestroy(destroyed));
    ExpectNone(CountCalls(), other, destroyed);
    ACL_OK(aclrtDestroyNotify(other));
}

TEST_F(HandleArguments, InvalidPools) {
    const Stream stream;
    const aclrtMemPoolProps props = PoolProps();
    aclrtMemPool destroyed = nullptr;
    ACL_OK(aclrtMemPoolCreate(&destroyed, &props));
    ACL_OK(aclrtMemPoolDestroy(destroyed));
    ExpectNone(PoolCalls(), stream, destroyed);
}

TEST_F(HandleArguments, InvalidPhysicalMemory) {
    const MemPool pool;
    const Range range(kPiece);
    place_ = range.At();
    aclrtDrvMemHandle freed = PhysicalMemory().Release();
    ACL_OK(aclrtFreePhysical(freed));
    ExpectNone(PhysicalCalls(), pool, freed);
}

TEST_F(HandleArguments, InvalidKeys) {
    ExpectAll<const char*>(KeyCalls(), kInvalid, nullptr);
    ExpectAll<const char*>(KeyCalls(), kInvalid, "");
    const DeviceMemory memory(1 << 20);
    const KeyText closed = ExportKey(memory.At(), 1 << 20);
    CloseKey(closed);
    // A key of another kind.
    aclrtNotify notify = nullptr;
    KeyText of_notify{};
    ACL_OK(aclrtCreateNotify(&notify, 0));
    ACL_OK(aclrtNotifyGetExportKey(notify, of_notify.text, sizeof of_notify.text, 2));
    const std::string damaged = WithPart(closed, 3, "0"), longer(70, 'a');
    for (const char* bad : {"a", "not a key at all", damaged.c_str(), longer.c_str(), static_cast<const char*>(closed),
                            static_cast<const char*>(of_notify)}) {
        SCOPED_TRACE(bad);
        ExpectAll<const char*>(KeyCalls(), kDead, bad);
    }
    ACL_OK(aclrtDestroyNotify(notify));
}

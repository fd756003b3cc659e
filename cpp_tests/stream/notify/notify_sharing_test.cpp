// Notifies of two processes: keys, lists of processes, signals in both directions, and the end of
// one process.

#include "support/pool/shared_pool.h"
#include "support/says.h"
#include "support/stream/notify.h"

using namespace portacl_test;

namespace {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr uint64_t kAnyone = ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION;
constexpr size_t kRoom = 65;

struct Key {
    char text[kRoom];
};

Key Export(aclrtNotify notify, uint64_t flags = kAnyone) {
    auto key = Poison<Key>();
    ExpectOk("aclrtNotifyGetExportKey", aclrtNotifyGetExportKey(notify, key.text, kRoom, flags));
    EXPECT_LT(strnlen(key.text, kRoom), kRoom);
    return key;
}

// ---- both directions ----

struct TwoKeys {
    Key there, back;
};

constexpr int kRounds = 50;

void Answer(Connection& parent) {
    const Session session;
    const auto keys = parent.Receive<TwoKeys>();
    const Notify there(keys.there.text), back(keys.back.text);
    const Stream stream;
    for (int round = 0; round < kRounds; ++round) {
        ACL_EXPECT_OK(aclrtWaitAndResetNotify(there, stream, 0));
        ACL_EXPECT_OK(aclrtRecordNotify(back, stream));
    }
    ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    parent.Signal(1);
}

}  // namespace

TWO_PROCESS_TEST(NotifySharing, ProcessesTakeTurns, Answer) {
    NEEDS_QUEUES(2);
    const Session session;
    Peer peer;
    const Notify there, back;
    peer.Send(TwoKeys{Export(there), Export(back)});
    {
        const Stream stream;
        for (int round = 0; round < kRounds; ++round) {
            ACL_EXPECT_OK(aclrtRecordNotify(there, stream));
            ACL_EXPECT_OK(aclrtWaitAndResetNotify(back, stream, 0));
        }
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    }
    peer.Await(1);
    peer.Join();
    // The peer exited in order, so no wait fails.
    const Stream stream, other;
    ACL_EXPECT_OK(aclrtWaitAndResetNotify(back, stream, 0));
    ExpectStillWaits(stream);
    ACL_EXPECT_OK(aclrtRecordNotify(back, other));
    ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
}

// ---- permissions ----

namespace {

void TryToImport(Connection& parent) {
    const Session session;
    parent.Send(static_cast<int>(getpid()));
    const auto key = parent.Receive<Key>();
    auto notify = Poison<aclrtNotify>();
    ACL_FAILS_SAYING(kDead, aclrtNotifyImportByKey(&notify, key.text, 0), "process " + std::to_string(getppid()),
                     std::to_string(getpid()), "does not allow");
    EXPECT_TRUE(IsPoison(notify));
    parent.Signal(1);
    parent.Await(2);
    // Now it is on the list.
    ACL_EXPECT_OK(aclrtNotifyImportByKey(&notify, key.text, ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS));
    uint32_t number = Poison<uint32_t>();
    ACL_EXPECT_OK(aclrtGetNotifyId(notify, &number));
    EXPECT_LT(number, 8192u);
    auto again = Poison<Key>();
    ACL_FAILS_SAYING(kDead, aclrtNotifyGetExportKey(notify, again.text, kRoom, 0), "was imported");
    int32_t pid = getpid();
    ACL_FAILS_SAYING(kDead, aclrtNotifySetImportPid(notify, &pid, 1), "has not been exported");
    ACL_EXPECT_OK(aclrtRecordNotify(notify, nullptr));
    ACL_EXPECT_OK(aclrtSynchronizeStream(nullptr));
    ACL_EXPECT_OK(aclrtDestroyNotify(notify));
    parent.Signal(3);
    parent.Await(4);
    // The notify is destroyed.
    notify = Poison<aclrtNotify>();
    ACL_FAILS_SAYING(kDead, aclrtNotifyImportByKey(&notify, key.text, 0), "has no export with this key");
    EXPECT_TRUE(IsPoison(notify));
    parent.Signal(5);
}

}  // namespace

TWO_PROCESS_TEST(NotifySharing, OnlyListedProcessesMayImport, TryToImport) {
    const Session session;
    Peer peer;
    aclrtNotify notify = Notify().Release();
    int32_t pid = peer.Receive<int>();
    ACL_FAILS_SAYING(kDead, aclrtNotifySetImportPid(notify, &pid, 1), "aclrtNotifyGetExportKey");
    const Key key = Export(notify, ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT);
    peer.Send(key);
    peer.Await(1);
    ACL_EXPECT_OK(aclrtNotifySetImportPid(notify, &pid, 1));
    peer.Signal(2);
    peer.Await(3);
    {
        const Stream stream;
        ACL_EXPECT_OK(aclrtWaitAndResetNotify(notify, stream, 20));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
    }
    // The same key, and no other flags.
    EXPECT_STREQ(Export(notify, ACL_RT_NOTIFY_EXPORT_FLAG_DEFAULT).text, key.text);
    auto other = Poison<Key>();
    ACL_FAILS_SAYING(kDead, aclrtNotifyGetExportKey(notify, other.text, kRoom, kAnyone), "flags other than");
    ACL_EXPECT_OK(aclrtDestroyNotify(notify));
    peer.Signal(4);
    peer.Await(5);
    peer.Join();
}

// ---- one process ends ----

namespace {

// Waits for a signal that never comes, because the other process destroys the notify or is killed.
void WaitForTheOther(Connection& parent) {
    const Session session;
    const auto keys = parent.Receive<TwoKeys>();
    const Notify destroyed(keys.there.text), last(keys.back.text);
    {
        const Stream stream;
        ACL_EXPECT_OK(aclrtWaitAndResetNotify(destroyed, stream, 0));
        parent.Signal(1);
        ACL_FAILS_SAYING(kDead, aclrtSynchronizeStream(stream), "notify does not exist any longer");
        // The stream continues, and a record there has no effect.
        ACL_EXPECT_OK(aclrtRecordNotify(destroyed, stream));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        ACL_EXPECT_OK(aclrtWaitAndResetNotify(last, stream, 0));
        parent.Signal(2);
        ACL_FAILS_SAYING(kDead, aclrtSynchronizeStream(stream), "notify does not exist any longer");
    }
    parent.Signal(3);
}

}  // namespace

TWO_PROCESS_TEST(NotifySharing, AWaitFailsWhenTheExporterEnds, WaitForTheOther) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    Peer peer;
    aclrtNotify destroyed = Notify().Release(), last = Notify().Release();
    peer.Send(TwoKeys{Export(destroyed), Export(last)});
    peer.Await(1);
    ACL_OK(aclrtDestroyNotify(destroyed));
    peer.Await(2);
    ACL_OK(aclFinalize());
    peer.Await(3);
    peer.Join();
}

namespace {

// Imports it and does nothing until it is killed.
void ImportAndStay(Connection& parent) {
    const Session session;
    const Notify notify(parent.Receive<Key>().text);
    parent.Signal(1);
    parent.Await(99);
}

}  // namespace

TWO_PROCESS_TEST(NotifySharing, AWaitFailsWhenAnImporterDies, ImportAndStay) {
    NEEDS_QUEUES(2);
    const Session session;
    Peer first, second;
    const Notify notify;
    const Key key = Export(notify);
    first.Send(key);
    second.Send(key);
    first.Await(1);
    second.Await(1);
    const Stream stream, another;
    ACL_EXPECT_OK(aclrtWaitAndResetNotify(notify, stream, 0));
    ACL_EXPECT_OK(aclrtWaitAndResetNotify(notify, another, 0));
    // One process is left that may record it.
    first.Kill();
    ExpectStillWaits(stream);
    second.Kill();
    ACL_FAILS_SAYING(kDead, aclrtSynchronizeStream(stream), "have died");
    ACL_FAILS_SAYING(kDead, aclrtSynchronizeStream(another), "have died");
    // Later waits are for records of other processes.
    ACL_EXPECT_OK(aclrtWaitAndResetNotify(notify, stream, 0));
    ExpectStillWaits(stream);
    ACL_EXPECT_OK(aclrtRecordNotify(notify, another));
    ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
}

namespace {

// Exports one, and is killed.
void ExportAndStay(Connection& parent) {
    const Session session;
    const Notify notify;
    parent.Send(Export(notify));
    parent.Await(99);
}

}  // namespace

TWO_PROCESS_TEST(NotifySharing, AnExporterIsKilled, ExportAndStay) {
    const Session session;
    // Before the import.
    {
        const auto key = OfferOfKilledProcess<Key>();
        auto notify = Poison<aclrtNotify>();
        ACL_FAILS(kDead, aclrtNotifyImportByKey(&notify, key.text, 0));
        EXPECT_TRUE(IsPoison(notify));
    }
    // While a stream waits.
    Peer peer;
    const auto key = peer.Receive<Key>();
    const Notify notify(key.text);
    const Stream stream;
    ACL_EXPECT_OK(aclrtWaitAndResetNotify(notify, stream, 0));
    ExpectStillWaits(stream);
    peer.Kill();
    ACL_FAILS_SAYING(kDead, aclrtSynchronizeStream(stream), "notify does not exist any longer");
}

// ---- arguments ----

class NotifyKey : public WithDevice {};

TEST_F(NotifyKey, BadArguments) {
    const Notify notify;
    auto key = Poison<Key>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtNotifyGetExportKey(notify, nullptr, kRoom, 0), "key is null");
    for (size_t len : {0, 1, 64})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtNotifyGetExportKey(notify, key.text, len, 0),
                         "len is " + std::to_string(len), "65");
    for (uint64_t flags : {uint64_t{1}, uint64_t{3}, uint64_t{4}, ~uint64_t{0}})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtNotifyGetExportKey(notify, key.text, kRoom, flags), "flags is");
    EXPECT_TRUE(IsPoison(key));

    Export(notify, 0);
    int32_t pid = getpid();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtNotifySetImportPid(notify, nullptr, 1), "pid");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtNotifySetImportPid(notify, &pid, 0), "num is 0");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtNotifySetImportPid(notify, &pid, SIZE_MAX / 4), "num is 4611");
    for (int32_t bad : {0, -1}) {
        int32_t list[] = {pid, bad};
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtNotifySetImportPid(notify, list, 2),
                         "pid[1] is " + std::to_string(bad));
    }
    ACL_OK(aclrtNotifySetImportPid(notify, &pid, 1));
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtNotifySetImportPidInterServer(notify, nullptr, 0),
                     "aclrtNotifySetImportPid");

    auto handle = Poison<aclrtNotify>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtNotifyImportByKey(nullptr, "x", 0), "notify is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtNotifyImportByKey(&handle, nullptr, 0), "key is null");
    for (uint64_t flags : {uint64_t{1}, uint64_t{3}, ~uint64_t{0}})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtNotifyImportByKey(&handle, "x", flags), "flags is");
    const std::string longer(1000, 'k');
    for (const char* bad : {"", "x", "pacl3-1-1-1-1", longer.c_str()})
        ACL_FAILS(kDead, aclrtNotifyImportByKey(&handle, bad, 0));
    EXPECT_TRUE(IsPoison(handle));
    OnNewThread(
        [&] { ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtNotifyImportByKey(&handle, Export(notify, 0).text, 0)); });
}

TEST_F(NotifyKey, OfInvalidHandles) {
    auto key = Poison<Key>();
    int32_t pid = getpid();
    int local = 0;
    const CntNotify counted;
    aclrtNotify dead = Notify().Release();
    ACL_OK(aclrtDestroyNotify(dead));
    for (void* bad : {static_cast<void*>(nullptr), static_cast<void*>(&local), static_cast<void*>(counted), dead}) {
        const aclError code = bad ? kDead : ACL_ERROR_INVALID_PARAM;
        ACL_FAILS_SAYING(code, aclrtNotifyGetExportKey(bad, key.text, kRoom, 0), "notify");
        ACL_FAILS_SAYING(code, aclrtNotifySetImportPid(bad, &pid, 1), "notify");
    }
    EXPECT_TRUE(IsPoison(key));
}

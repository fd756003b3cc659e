// Callbacks of snapshots: when they run, what their failures do, and which calls they may not make.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/gate.h"
#include "support/pool/shared_pool.h"
#include "support/process/snapshot.h"
#include "support/says.h"

using namespace portacl_test;

using SnapshotCallback = WithSnapshots;

TEST_F(SnapshotCallback, CallbacksOnThreadsOfTheProgramRun) {
    const Stream stream;
    std::atomic<bool> ends{false};
    std::atomic<int> called{0};
    std::thread reader([&] {
        while (!ends) {
            const aclError code = aclrtProcessReport(100);
            EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_REPORT_TIMEOUT ||
                        code == ACL_ERROR_RT_THREAD_SUBSCRIBE)
                << code;
            if (code == ACL_ERROR_RT_THREAD_SUBSCRIBE) std::this_thread::yield();
        }
        aclGetRecentErrMsg();
    });
    const auto thread = static_cast<uint64_t>(reader.native_handle());
    ACL_OK(aclrtSubscribeReport(thread, stream));
    // The stream reaches its callback when locking has begun.
    const Stream before;
    Event event;
    Gate gate;
    ACL_OK(gate.Hold(before));
    ACL_OK(aclrtRecordEvent(event, before));
    ACL_OK(aclrtStreamWaitEvent(stream, event));
    ACL_OK(aclrtLaunchCallback([](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &called,
                               ACL_CALLBACK_BLOCK, stream));
    Stages all;
    all.also = [&](int stage) {
        if (stage == ACL_RT_SNAPSHOT_LOCK_PRE) gate.Open();
    };
    {
        const Listening listening(all);
        ACL_OK(Lock());
        EXPECT_EQ(called, 1);
        ACL_OK(Unlock());
    }
    ACL_OK(aclrtUnSubscribeReport(thread, stream));
    ends = true;
    reader.join();
}

TEST_F(SnapshotCallback, RunsAtItsStage) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    Stages all;
    ACL_OK(aclrtSetDevice(1));
    {
        const Listening listening(all);
        std::vector<aclError> codes;
        all.also = [&](int) {
            int32_t device = -1;
            codes.push_back(aclrtGetDevice(&device));
        };
        ACL_OK(Lock());
        EXPECT_EQ(all.reported, (StageCalls{{0, 0}, {0, 1}}));
        ACL_OK(Backup());
        ACL_OK(Restore());
        ACL_OK(Unlock());
        EXPECT_EQ(all.reported,
                  (StageCalls{
                      {0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {4, 0}, {4, 1}, {5, 0}, {5, 1}}));
        // Between lock and unlock they may not call the library.
        std::vector<aclError> wanted(12, ACL_ERROR_RT_PARAM_INVALID);
        wanted[0] = wanted[1] = wanted[10] = wanted[11] = ACL_SUCCESS;
        EXPECT_EQ(codes, wanted);
        aclGetRecentErrMsg();
    }
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
    all.reported.clear();
    ACL_OK(Lock());
    ACL_OK(Unlock());
    EXPECT_TRUE(all.reported.empty()) << "they were unregistered";
}

TEST_F(SnapshotCallback, Fails) {
    const aclError kFailed = ACL_ERROR_SNAPSHOT_CALLBACK_FAILED;
    const DeviceMemory memory(1000);
    Set(memory.At(), 1000, 5);
    Stages all;
    const Listening listening(all);
    // Before the stage: the stage does not take place.
    all.failing = ACL_RT_SNAPSHOT_LOCK_PRE;
    ACL_FAILS_SAYING(kFailed, aclrtSnapShotProcessLock(kSelf, nullptr),
                     "ACL_RT_SNAPSHOT_LOCK_PRE returned 17 instead of 0 for device 0");
    ACL_FAILS(ACL_ERROR_SNAPSHOT_UNLOCK_FAILED, aclrtSnapShotProcessUnlock(kSelf, nullptr));
    EXPECT_TRUE(Holds(memory.At(), 1000, 5));
    all.failing = -1;
    ACL_OK(Lock());
    all.failing = ACL_RT_SNAPSHOT_BACKUP_PRE;
    ACL_FAILS_SAYING(kFailed, aclrtSnapShotProcessBackup(kSelf, nullptr), "BACKUP_PRE returned");
    ACL_FAILS(ACL_ERROR_SNAPSHOT_RESTORE_FAILED, aclrtSnapShotProcessRestore(kSelf, nullptr));
    // After the stage: it took place.
    all.failing = ACL_RT_SNAPSHOT_BACKUP_POST;
    ACL_FAILS_SAYING(kFailed, aclrtSnapShotProcessBackup(kSelf, nullptr), "BACKUP_POST returned");
    all.failing = ACL_RT_SNAPSHOT_RESTORE_PRE;
    ACL_FAILS_SAYING(kFailed, aclrtSnapShotProcessRestore(kSelf, nullptr), "RESTORE_PRE returned");
    ACL_FAILS(ACL_ERROR_SNAPSHOT_UNLOCK_FAILED, aclrtSnapShotProcessUnlock(kSelf, nullptr));
    all.failing = ACL_RT_SNAPSHOT_RESTORE_POST;
    ACL_FAILS_SAYING(kFailed, aclrtSnapShotProcessRestore(kSelf, nullptr), "RESTORE_POST returned");
    all.failing = ACL_RT_SNAPSHOT_UNLOCK_POST;
    ACL_FAILS_SAYING(kFailed, aclrtSnapShotProcessUnlock(kSelf, nullptr), "UNLOCK_POST returned");
    EXPECT_TRUE(Holds(memory.At(), 1000, 5));
}

TEST_F(SnapshotCallback, MakesNoSnapshotCalls) {
    Stages all;
    const Listening listening(all);
    std::vector<aclError> codes;
    all.also = [&](int) {
        for (const auto call : {Lock, Backup, Restore, Unlock}) codes.push_back(call());
    };
    ACL_OK(Lock());
    ACL_OK(Unlock());
    const std::vector<aclError> once = {ACL_ERROR_SNAPSHOT_LOCK_FAILED, ACL_ERROR_SNAPSHOT_BACKUP_FAILED,
                                        ACL_ERROR_SNAPSHOT_RESTORE_FAILED, ACL_ERROR_SNAPSHOT_UNLOCK_FAILED};
    std::vector<aclError> twice = once;
    twice.insert(twice.end(), once.begin(), once.end());
    EXPECT_EQ(codes, twice);
    EXPECT_NE(std::string(aclGetRecentErrMsg()).find("has not returned yet"), std::string::npos);
}

// Snapshots and the session of the process: timeouts, sessions before and after, and failures of the backend.

#include <functional>

#include "support/fault.h"
#include "support/gate.h"
#include "support/own_process.h"
#include "support/pool/shared_pool.h"
#include "support/process/snapshot.h"
#include "support/says.h"

using namespace portacl_test;

OWN_PROCESS_TEST(SnapshotProcess, LockingTimesOutOnEndlessWork, {"PORTACL_SNAPSHOT_TIMEOUT_MS", "50"}) {
    NEEDS_SNAPSHOTS;
    const Session session;
    const Stream stream;
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_FAILS_SAYING(ACL_ERROR_SNAPSHOT_LOCK_TIMEOUT, aclrtSnapShotProcessLock(kSelf, nullptr), "stream", "50 ms",
                     "PORTACL_SNAPSHOT_TIMEOUT_MS");
    // The host function runs, and so does the work after it.
    ACL_FAILS(ACL_ERROR_SNAPSHOT_UNLOCK_FAILED, aclrtSnapShotProcessUnlock(kSelf, nullptr));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(Lock());
    ACL_OK(Unlock());
}

OWN_PROCESS_TEST(SnapshotProcess, BeforeAndAfterASession) {
    NEEDS_SNAPSHOTS;
    // The state after aclInit; there is nothing to save.
    ACL_OK(Lock());
    ACL_OK(Backup());
    ACL_OK(Restore());
    ACL_OK(Unlock());
    Stages all;
    const Listening listening(all);
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSnapShotProcessLock(kSelf, nullptr));
    ACL_FAILS(ACL_ERROR_SNAPSHOT_UNLOCK_FAILED, aclrtSnapShotProcessUnlock(kSelf, nullptr));
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(Lock());
    EXPECT_EQ(all.reported, (StageCalls{{0, 0}}));
    ACL_OK(Unlock());
    ACL_OK(aclFinalize());
}

// A failed step loses nothing, and can be repeated.
OWN_PROCESS_TEST(SnapshotProcess, SurvivesBackendFailures) {
    NEEDS_SNAPSHOTS;
    const auto with = [](const char* fault, const std::function<void()>& body) {
        SCOPED_TRACE(fault);
        const Fault refused(fault);
        const Session session;
        const DeviceMemory memory(3 << 20);
        Set(memory.At(), 3 << 20, 4);
        body();
        EXPECT_TRUE(Holds(memory.At(), 3 << 20, 4));
    };
    with("driver.hold_process:1", [] {
        ACL_FAILS_SAYING(ACL_ERROR_SNAPSHOT_LOCK_FAILED, aclrtSnapShotProcessLock(kSelf, nullptr), "PORTACL_FAULT");
        ACL_OK(Lock());
        ACL_OK(Unlock());
    });
    with("driver.save_memory:1", [] {
        ACL_OK(Lock());
        ACL_FAILS_SAYING(ACL_ERROR_SNAPSHOT_BACKUP_FAILED, aclrtSnapShotProcessBackup(kSelf, nullptr), "PORTACL_FAULT");
        ACL_FAILS(ACL_ERROR_SNAPSHOT_RESTORE_FAILED, aclrtSnapShotProcessRestore(kSelf, nullptr));
        ACL_OK(Backup());
        ACL_OK(Restore());
        ACL_OK(Unlock());
    });
    with("driver.restore_memory:1", [] {
        ACL_OK(Lock());
        ACL_OK(Backup());
        ACL_FAILS_SAYING(ACL_ERROR_SNAPSHOT_RESTORE_FAILED, aclrtSnapShotProcessRestore(kSelf, nullptr),
                         "PORTACL_FAULT");
        ACL_FAILS(ACL_ERROR_SNAPSHOT_UNLOCK_FAILED, aclrtSnapShotProcessUnlock(kSelf, nullptr));
        ACL_OK(Restore());
        ACL_OK(Unlock());
    });
    with("driver.release_process:1", [] {
        ACL_OK(Lock());
        ACL_FAILS_SAYING(ACL_ERROR_SNAPSHOT_UNLOCK_FAILED, aclrtSnapShotProcessUnlock(kSelf, nullptr), "PORTACL_FAULT");
        ACL_OK(Unlock());
    });
}

// Snapshots of processes that share memory: on GPUs the lock is refused while something exported or imported is alive.
// Other files: snapshot_test exports a block and physical memory, ipc_sharing_test imports a block.
#include "pool/sharing/exported.h"
#include "support/memory/virtual_memory.h"
#include "support/process/snapshot.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

// A GPU's driver saves no process that shares memory; the CPU backend keeps such memory in place.
void ExpectLockIsRefused() {
    if (OnCpu()) {
        ACL_OK(Lock());
        ACL_OK(Unlock());
    } else {
        ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtSnapShotProcessLock(kSelf, nullptr), "exported",
                         "imported", "free all");
    }
}

void ExpectSnapshot() {
    ACL_OK(Lock());
    ACL_OK(Backup());
    ACL_OK(Restore());
    ACL_OK(Unlock());
}

// Exports a pool and physical memory, until the other process has dropped both.
void Exporter(Connection& parent) {
    const Session session;
    {
        const SharedPool pool;
        ExpectSnapshot();
        SendPool(parent, pool);
        ExpectLockIsRefused();
        const PhysicalMemory physical;
        uint64_t number = 0;
        ACL_EXPECT_OK(aclrtMemExportToShareableHandle(physical, ACL_MEM_HANDLE_TYPE_NONE,
                                                      ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION, &number));
        parent.Send(number);
        parent.Await(1);
    }
    ExpectSnapshot();
}

TWO_PROCESS_TEST(SnapshotSharing, PoolsAndPhysicalMemoryPreventALockOnGpus, Exporter) {
    NEEDS_SNAPSHOTS;
    const Session session;
    Peer peer;
    SharedPool pool = ReceivePool(peer);
    ExpectLockIsRefused();
    pool.Destroy();
    ExpectSnapshot();
    const auto number = peer.Receive<uint64_t>();
    aclrtDrvMemHandle memory = nullptr;
    ACL_OK(aclrtMemImportFromShareableHandle(number, 0, &memory));
    ExpectLockIsRefused();
    ACL_OK(aclrtFreePhysical(memory));
    ExpectSnapshot();
    peer.Signal(1);
    peer.Join();
}

}  // namespace

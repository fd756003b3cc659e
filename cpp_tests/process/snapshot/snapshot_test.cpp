// Snapshots: a process is locked, its devices' memory is saved to the host and restored, and the
// process continues.

#include <atomic>
#include <cstring>
#include <deque>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/gate.h"
#include "support/memory/ipc.h"
#include "support/memory/virtual_memory.h"
#include "support/pool/mem_pool.h"
#include "support/process/snapshot.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclError kUnsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;

using Snapshot = WithSnapshots;

// Resident bytes of this process's memory files, which include the memory of CPU devices.
size_t SharedBytes() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind("RssShmem:", 0) == 0) return std::stoul(line.substr(9)) * 1024;
    return 0;
}

// A snapshot of a process with more than `size` bytes of memory on its devices.
void SaveAndRestore(size_t size) {
    ACL_OK(Lock());
    const size_t before = SharedBytes();
    ACL_OK(Backup());
    // CPU memory was returned to the system; other backends do not show this.
    if (OnCpu()) {
        EXPECT_LE(SharedBytes() + size, before);
    }
    ACL_OK(Restore());
    ACL_OK(Unlock());
}

}  // namespace

TEST_F(Snapshot, ChecksItsArguments) {
    for (const int pid : {0, -1, INT32_MIN}) {
        ACL_FAILS_SAYING(kInvalid, aclrtSnapShotProcessLock(pid, nullptr), "pid is", "greater than 0");
        ACL_FAILS(kInvalid, aclrtSnapShotProcessUnlock(pid, nullptr));
        ACL_FAILS(kInvalid, aclrtSnapShotProcessBackup(pid, nullptr));
        ACL_FAILS(kInvalid, aclrtSnapShotProcessRestore(pid, nullptr));
    }
    for (const int pid : {getppid(), INT32_MAX}) {
        ACL_FAILS_SAYING(kUnsupported, aclrtSnapShotProcessLock(pid, nullptr), "pid is " + std::to_string(pid),
                         std::to_string(kSelf));
        ACL_FAILS(kUnsupported, aclrtSnapShotProcessUnlock(pid, nullptr));
        ACL_FAILS(kUnsupported, aclrtSnapShotProcessBackup(pid, nullptr));
        ACL_FAILS(kUnsupported, aclrtSnapShotProcessRestore(pid, nullptr));
    }
    int something = 0;
    ACL_FAILS_SAYING(kInvalid, aclrtSnapShotProcessLock(kSelf, &something), "reserve");
    ACL_FAILS_SAYING(kInvalid, aclrtSnapShotProcessUnlock(kSelf, &something), "reserve");
    aclrtSnapShotBackupArgs backup{};
    backup.backupFlags = 1;
    ACL_FAILS_SAYING(kInvalid, aclrtSnapShotProcessBackup(kSelf, &backup), "backupFlags is 0x1");
    aclrtSnapShotRestoreArgs restore{};
    restore.restoreFlags = ~0u;
    ACL_FAILS_SAYING(kInvalid, aclrtSnapShotProcessRestore(kSelf, &restore), "restoreFlags is");

    const auto stage = ACL_RT_SNAPSHOT_LOCK_PRE;
    ACL_FAILS_SAYING(kInvalid, aclrtSnapShotCallbackRegister(stage, nullptr, nullptr), "callback");
    ACL_FAILS_SAYING(kInvalid, aclrtSnapShotCallbackUnregister(stage, nullptr), "callback");
    for (const int wrong : {-1, 6, 1 << 30}) {
        const auto unknown = static_cast<aclrtSnapShotStage>(wrong);
        ACL_FAILS_SAYING(kInvalid, aclrtSnapShotCallbackRegister(unknown, kRecordCall[0], nullptr),
                         "stage is " + std::to_string(wrong));
        ACL_FAILS_SAYING(kInvalid, aclrtSnapShotCallbackUnregister(unknown, kRecordCall[0]), "stage is");
    }
    ACL_FAILS_SAYING(kDead, aclrtSnapShotCallbackUnregister(stage, kRecordCall[0]), "not registered");
    Stages all;
    const Listening listening(all);
    ACL_FAILS_SAYING(ACL_ERROR_SNAPSHOT_REGISTER_CALLBACK_FAILED,
                     aclrtSnapShotCallbackRegister(stage, kRecordCall[0], &all), "registered already");
}

TEST_F(Snapshot, GoesThroughItsStatesAndNoOthers) {
    const auto unlocks = [] {
        ACL_FAILS_SAYING(ACL_ERROR_SNAPSHOT_UNLOCK_FAILED, aclrtSnapShotProcessUnlock(kSelf, nullptr),
                         "the process is");
    };
    const auto backs_up = [] {
        ACL_FAILS_SAYING(ACL_ERROR_SNAPSHOT_BACKUP_FAILED, aclrtSnapShotProcessBackup(kSelf, nullptr),
                         "the process is");
    };
    const auto restores = [] {
        ACL_FAILS_SAYING(ACL_ERROR_SNAPSHOT_RESTORE_FAILED, aclrtSnapShotProcessRestore(kSelf, nullptr),
                         "the process is");
    };
    const auto locks = [] {
        ACL_FAILS_SAYING(ACL_ERROR_SNAPSHOT_LOCK_FAILED, aclrtSnapShotProcessLock(kSelf, nullptr), "the process is");
    };
    for (int turn = 0; turn < 2; ++turn) {
        unlocks(), backs_up(), restores();
        ACL_OK(Lock());
        locks(), restores();
        ACL_OK(Backup());
        locks(), unlocks(), backs_up();
        aclrtSnapShotRestoreArgs args{};
        ACL_OK(aclrtSnapShotProcessRestore(kSelf, &args));
        locks(), restores();
        ACL_OK(Unlock());
    }
    // Backup may be repeated, or omitted.
    ACL_OK(Lock());
    for (int turn = 0; turn < 2; ++turn) {
        aclrtSnapShotBackupArgs args{};
        ACL_OK(aclrtSnapShotProcessBackup(kSelf, &args));
        ACL_OK(Restore());
    }
    ACL_OK(Unlock());
    ACL_OK(Lock());
    ACL_OK(Unlock());
}

TEST_F(Snapshot, MemoryIsRestoredAtItsAddresses) {
    constexpr size_t kSizes[] = {1, 100, 4096, 70000, (3 << 20) + 100, 8 << 20};
    std::deque<DeviceMemory> memory;
    for (const size_t size : kSizes) memory.emplace_back(size);
    const MemPool pool;
    const Stream stream;
    const size_t kPooled = 300000;
    void* const pooled = pool.Allocate(kPooled, stream);
    ACL_OK(aclrtSynchronizeStream(stream));
    const Range range(2 * kPiece);
    const PhysicalMemory physical(kPiece);
    const Mapping mapping(range.At(), physical);
    PinnedMemory pinned(1000, 0x77);
    // Memory of another device.
    const bool has_other = DeviceCount() > 1;
    {
        std::optional<DeviceMemory> other;
        if (has_other) {
            ACL_OK(aclrtSetDevice(1));
            other.emplace(5000);
            Set(other->At(), 5000, 0x66);
            ACL_OK(aclrtSetDevice(0));
        }
        int value = 1;
        for (size_t i = 0; i < memory.size(); ++i) Set(memory[i].At(), kSizes[i], value++);
        Set(pooled, kPooled, 0x44);
        Set(range.At(), kPiece, 0x55);
        size_t free_before = 0, free_after = 0, total = 0;
        ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_before, &total));

        SaveAndRestore(size_t{13} << 20);

        ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free_after, &total));
        ExpectFreeAgain(free_after, free_before);
        value = 1;
        for (size_t i = 0; i < memory.size(); ++i) EXPECT_TRUE(Holds(memory[i].At(), kSizes[i], value++)) << kSizes[i];
        EXPECT_TRUE(Holds(pooled, kPooled, 0x44));
        EXPECT_TRUE(Holds(range.At(), kPiece, 0x55));
        if (has_other) {
            ACL_OK(aclrtSetDevice(1));
            EXPECT_TRUE(Holds(other->At(), 5000, 0x66));
        }
    }
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(pinned.Copy(), std::vector<unsigned char>(1000, 0x77));
    // The memory can be used as before.
    Set(memory[4].At(), kSizes[4], 9);
    EXPECT_TRUE(Holds(memory[4].At(), kSizes[4], 9));
    Free(pooled, stream);
    ACL_OK(aclrtSynchronizeStream(stream));
    if (has_other) {
        ACL_OK(aclrtResetDevice(1));
    }
}

TEST_F(Snapshot, CallsOfOtherThreadsWait) {
    const DeviceMemory memory(1000);
    Set(memory.At(), 1000, 1);
    ACL_OK(Lock());
    std::atomic<int> done{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            ++done;
            if (i == 0) {
                ACL_EXPECT_OK(aclrtMemset(memory.At(), 1000, 2, 1000));
            }
        });
    }
    ACL_OK(Backup());
    EXPECT_EQ(done, 0);
    ACL_OK(Restore());
    EXPECT_EQ(done, 0);
    ACL_OK(Unlock());
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(done, 4);
    EXPECT_TRUE(Holds(memory.At(), 1000, 2));
    for (int i = 0; i < 4; ++i) ACL_EXPECT_OK(aclrtResetDevice(0));
}

TEST_F(Snapshot, TheLockingThreadIsRefusedInsteadOfBlocked) {
    const Stream stream;
    void* memory = Poison<void*>();
    ACL_OK(Lock());
    ACL_FAILS_SAYING(kDead, aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST), "this thread has locked the process",
                     "aclrtSnapShotProcessUnlock");
    EXPECT_TRUE(IsPoison(memory));
    ACL_FAILS(kDead, aclrtSynchronizeStream(stream));
    ACL_FAILS(kDead, aclrtResetDevice(0));
    ACL_FAILS(kDead, aclFinalize());
    // Another thread may unlock it; afterwards this thread's calls work.
    std::thread([] {
        ACL_EXPECT_OK(Backup());
        ACL_EXPECT_OK(Restore());
        ACL_EXPECT_OK(Unlock());
    }).join();
    ACL_OK(aclrtSynchronizeStream(stream));
    // When another thread has locked it, this thread waits like all others.
    std::thread other([] { ACL_EXPECT_OK(Lock()); });
    other.join();
    std::thread unlocks([] { ACL_EXPECT_OK(Unlock()); });
    ACL_OK(aclrtSynchronizeStream(stream));
    unlocks.join();
}

TEST_F(Snapshot, LockingWaitsForPendingWork) {
    const DeviceMemory memory(1000);
    const Stream stream;
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemsetAsync(memory.At(), 1000, 3, 1000, stream));
    Log log;
    ACL_OK(log.Append(stream, 1));
    // The gate opens when locking has begun, and no earlier.
    Stages all;
    all.also = [&](int stage) {
        if (stage == ACL_RT_SNAPSHOT_LOCK_PRE) gate.Open();
    };
    {
        const Listening listening(all);
        ACL_OK(Lock());
        EXPECT_EQ(log.Numbers(), std::vector<int>{1});
        ACL_OK(Backup());
        ACL_OK(Restore());
        ACL_OK(Unlock());
    }
    EXPECT_TRUE(Holds(memory.At(), 1000, 3));
}

// A GPU's driver saves no process with memory that was exported or imported, so that it is not locked.
TEST_F(Snapshot, SharedMemoryPreventsALock) {
    const auto refuses = [] {
        if (OnCpu()) {
            ACL_OK(Lock());
            ACL_FAILS_SAYING(kUnsupported, aclrtSnapShotProcessBackup(kSelf, nullptr), "exported");
            ACL_OK(Unlock());
        } else {
            ACL_FAILS_SAYING(kUnsupported, aclrtSnapShotProcessLock(kSelf, nullptr), "exported", "free all");
        }
    };
    {
        const DeviceMemory memory(1 << 20);
        const KeyText key = ExportKey(memory.At(), 1 << 20);
        refuses();
        CloseKey(key);
    }
    {
        const PhysicalMemory physical;
        uint64_t number = 0;
        ACL_OK(aclrtMemExportToShareableHandle(physical, ACL_MEM_HANDLE_TYPE_NONE, kAnyone, &number));
        refuses();
    }
    ACL_OK(Lock());
    ACL_OK(Backup());
    ACL_OK(Restore());
    ACL_OK(Unlock());
}

// The host may use it at any time, if it can be saved.
TEST_F(Snapshot, ManagedMemoryPreventsABackupOnGpus) {
    constexpr size_t kSize = 4 << 20;
    void* address = nullptr;
    ACL_OK(aclrtMemAllocManaged(&address, kSize, 1));
    const DeviceMemory beside(kSize);
    Set(beside.At(), kSize, 8);
    auto* const bytes = static_cast<unsigned char*>(address);
    std::memset(bytes, 6, kSize);
    ACL_OK(Lock());
    if (!OnCpu()) {
        // A GPU's driver does not save managed memory and is not called: it might end the process.
        ACL_FAILS_SAYING(kUnsupported, aclrtSnapShotProcessBackup(kSelf, nullptr), "managed memory",
                         std::to_string(kSize), "aclrtMemAllocManaged");
        ACL_OK(Unlock());
        EXPECT_EQ(bytes[kSize - 1], 6);
        // Freed managed memory of pending work counts, too.
        const Stream stream;
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclrtMemsetAsync(address, kSize, 1, kSize, stream));
        ACL_OK(aclrtFree(address));
        gate.Open();
        ACL_OK(Lock());
        ACL_OK(Backup());
        ACL_OK(Restore());
        ACL_OK(Unlock());
        EXPECT_TRUE(Holds(beside.At(), kSize, 8));
        return;
    }
    ACL_OK(Backup());
    EXPECT_EQ(bytes[0], 6);
    EXPECT_EQ(bytes[kSize - 1], 6);
    bytes[kSize / 2] = 7;
    ACL_OK(Restore());
    ACL_OK(Unlock());
    EXPECT_EQ(bytes[kSize / 2], 7);
    EXPECT_EQ(bytes[kSize - 1], 6);
    EXPECT_TRUE(Holds(beside.At(), kSize, 8));
    ACL_OK(aclrtFree(address));
}

TEST_F(Snapshot, ManagedMemoryOfPoolsPreventsABackupOnGpus) {
    uint64_t is_supported = 0;
    ACL_OK(portaclDeviceGetMemPoolSupport(0, PORTACL_MEM_POOL_SUPPORT_MANAGED, &is_supported));
    if (is_supported == 0) GTEST_SKIP() << "needs pools of managed memory";
    constexpr size_t kSize = 4 << 20;
    const Stream stream;
    aclrtMemPoolProps props = PoolProps();
    props.allocType = static_cast<aclrtMemAllocationType>(PORTACL_MEM_ALLOCATION_TYPE_MANAGED);
    const MemPool pool(props);
    auto* const bytes = static_cast<unsigned char*>(pool.Allocate(kSize, stream));
    ASSERT_NE(bytes, nullptr);
    Synchronize(stream);
    std::memset(bytes, 6, kSize);
    ACL_OK(Lock());
    if (OnCpu()) {
        ACL_OK(Backup());
        EXPECT_EQ(bytes[kSize - 1], 6);
        ACL_OK(Restore());
    } else {
        ACL_FAILS_SAYING(kUnsupported, aclrtSnapShotProcessBackup(kSelf, nullptr), "managed memory",
                         std::to_string(kSize), "from pools");
    }
    ACL_OK(Unlock());
    EXPECT_EQ(bytes[kSize - 1], 6);
    ACL_OK(aclrtMemPoolFreeAsync(bytes, stream));
    Synchronize(stream);
}

TEST_F(Snapshot, RefusedInsideAHostFunction) {
    const Stream stream;
    static std::atomic<aclError> code{0};
    ACL_OK(aclrtLaunchHostFunc(
        stream, [](void*) { code = Lock(); }, nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(code, kDead);
}

// Threads that copy all the time are blocked and resumed, repeatedly.
TEST_F(Snapshot, WhileOthersWork) {
    constexpr int kTurns = 20, kThreads = 3;
    constexpr size_t kSize = 100000;
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            const Stream stream;
            const DeviceMemory one(kSize), two(kSize);
            Set(one.At(), kSize, i + 1);
            while (!stop) {
                ACL_EXPECT_OK(aclrtMemcpyAsync(two.At(), kSize, one.At(), kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
                ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
                EXPECT_TRUE(Holds(two.At(), kSize, i + 1));
            }
        });
    }
    for (int turn = 0; turn < kTurns; ++turn) {
        ACL_EXPECT_OK(Lock());
        ACL_EXPECT_OK(Backup());
        ACL_EXPECT_OK(Restore());
        ACL_EXPECT_OK(Unlock());
        std::this_thread::yield();
    }
    stop = true;
    for (auto& thread : threads) thread.join();
    for (int i = 0; i < kThreads; ++i) ACL_EXPECT_OK(aclrtResetDevice(0));
}

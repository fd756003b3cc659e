// Device memory in two processes: one exports it, the other imports it by its key.

#include "support/base/cuda_driver.h"
#include "support/gate.h"
#include "support/memory/ipc.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr size_t kSize = (3 << 20) + 100;
constexpr int kValue = 0x42;

// Exports memory of a device, and waits for the message that it was freed.
void ExportFrom(Connection& parent, int32_t device) {
    const Session session(device);
    {
        const DeviceMemory memory(kSize);
        Set(memory.At(), kSize, kValue);
        const KeyText key = ExportKey(memory.At(), kSize);
        parent.Send(key);
        parent.Await(1);
        // Contains what the importer has written.
        EXPECT_TRUE(Holds(memory.At(), kSize, kValue + 1));
        CloseKey(key);
    }
}

void Exporter(Connection& parent) {
    ExportFrom(parent, 0);
}

void ExporterOnAnotherDevice(Connection& parent) {
    ExportFrom(parent, 1);
}

// Exports the second of some small allocations, which a driver may take from one larger block.
void ExporterOfASmallBlock(Connection& parent) {
    const Session session(0);
    constexpr size_t kSmall = 4096;
    {
        const DeviceMemory blocks[] = {DeviceMemory(kSmall), DeviceMemory(kSmall), DeviceMemory(kSmall)};
        for (int i = 0; i < 3; ++i) Set(blocks[i].At(), kSmall, kValue + i);
        const KeyText key = ExportKey(blocks[1].At(), kSmall);
        parent.Send(key);
        parent.Await(1);
        EXPECT_TRUE(Holds(blocks[0].At(), kSmall, kValue));
        EXPECT_TRUE(Holds(blocks[1].At(), kSmall, kValue + 9));
        EXPECT_TRUE(Holds(blocks[2].At(), kSmall, kValue + 2));
        CloseKey(key);
    }
}

}  // namespace

TWO_PROCESS_TEST(IpcSharing, CopiesReachItByAddressesInWords, Exporter) {
    const Session session;
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    void* const ptr = ImportKey(key);
    const DeviceMemory own(kSize);
    Set(own.At(), kSize, kValue + 1);
    const DeviceMemory to(std::vector<void*>{ptr}), from(std::vector<void*>{own.At()});
    const Stream stream;
    ACL_OK(aclrtMemcpyAsyncWithOffset(static_cast<void**>(to.At()), kSize, 0, static_cast<const void**>(from.At()),
                                      kSize, 0, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    CloseKey(key);
    peer.Signal(1);
    peer.Join();
}

TWO_PROCESS_TEST(IpcSharing, ASmallBlockIsFoundBetweenOthers, ExporterOfASmallBlock) {
    const Session session;
    Peer peer;
    constexpr size_t kSmall = 4096;
    const auto key = peer.Receive<KeyText>();
    void* const ptr = ImportKey(key);
    EXPECT_TRUE(Holds(ptr, kSmall, kValue + 1));
    Set(ptr, kSmall, kValue + 9);
    CloseKey(key);
    peer.Signal(1);
    peer.Join();
}

namespace {

constexpr size_t kHuge = 4 << 20;

void ExporterOfHugePages(Connection& parent) {
    const Session session;
    void* ptr = nullptr;
    ACL_EXPECT_OK(aclrtMalloc(&ptr, kHuge, ACL_MEM_MALLOC_HUGE_ONLY));
    Set(ptr, kHuge, kValue);
    // Only a part of it is exported.
    const KeyText key = ExportKey(ptr, kHuge / 2);
    parent.Send(key);
    parent.Await(1);
    EXPECT_TRUE(Holds(ptr, kHuge / 2, kValue + 1));
    CloseKey(key);
    ACL_EXPECT_OK(aclrtFree(ptr));
    parent.Signal(2);
    parent.Await(3);
}

}  // namespace

// A driver has no IPC handles for it, but descriptors.
TWO_PROCESS_TEST(IpcSharing, MemoryOnHugePages, ExporterOfHugePages) {
    const Session session;
    NEEDS_HUGE_PAGES(kHuge);
    size_t free = 0, total = 0, later = 0;
    ACL_EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    {
        const Stream stream;
        void* const ptr = ImportKey(key);
        EXPECT_TRUE(Holds(ptr, kHuge / 2, kValue));
        ACL_EXPECT_OK(aclrtMemsetAsync(ptr, kHuge / 2, kValue + 1, kHuge / 2, stream));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        peer.Signal(1);
        peer.Await(2);
        // The exporter has freed it; this process still has it.
        if (!OnGpu()) {
            Set(ptr, kHuge / 2, kValue + 2);
            EXPECT_TRUE(Holds(ptr, kHuge / 2, kValue + 2));
        }
        CloseKey(key);
    }
    peer.Signal(3);
    peer.Join();
    ACL_EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &later, &total));
    if (!OnGpu()) {
        EXPECT_EQ(later, free);
    }
}

TWO_PROCESS_TEST(IpcSharing, BothSeeTheSameMemory, Exporter) {
    const Session session;
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    void* const ptr = ImportKey(key);
    EXPECT_TRUE(Holds(ptr, kSize, kValue));
    Set(ptr, kSize, kValue + 1);
    CloseKey(key);
    peer.Signal(1);
    peer.Join();
}

TWO_PROCESS_TEST(IpcSharing, AnImportPreventsALockOnGpus, Exporter) {
    NEEDS_DRIVER_WITH("cuCheckpointProcessLock");
    const Session session;
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    void* const ptr = ImportKey(key);
    const aclError code = aclrtSnapShotProcessLock(getpid(), nullptr);
    EXPECT_EQ(code, OnCpu() ? ACL_SUCCESS : ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    if (code == ACL_SUCCESS) {
        ACL_OK(aclrtSnapShotProcessUnlock(getpid(), nullptr));
    }
    Set(ptr, kSize, kValue + 1);
    CloseKey(key);
    peer.Signal(1);
    peer.Join();
}

TWO_PROCESS_TEST(IpcSharing, OnAnyDevice, ExporterOnAnotherDevice) {
    const Session session;
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    void* const ptr = ImportKey(key, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS);
    EXPECT_TRUE(Holds(ptr, kSize, kValue));
    const DeviceMemory memory(kSize);
    Set(memory.At(), kSize, kValue + 1);
    const Stream stream;
    ACL_OK(aclrtMemcpyAsync(ptr, kSize, memory.At(), kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    CloseKey(key);
    peer.Signal(1);
    peer.Join();
}

TWO_PROCESS_TEST(IpcSharing, ImportedMemoryIsKnown, Exporter) {
    const Session session;
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    auto* const ptr = static_cast<char*>(ImportKey(key));
    aclrtPtrAttributes attributes{};
    ACL_OK(aclrtPointerGetAttributes(ptr + kSize - 1, &attributes));
    EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(attributes.location.id, 0u);
    EXPECT_GE(attributes.pageSize, 4096u);
    void* base = nullptr;
    size_t size = 0;
    ACL_OK(aclrtMemGetAddressRange(ptr + 5000, &base, &size));
    EXPECT_EQ(base, ptr);
    EXPECT_EQ(size, kSize);
    ACL_FAILS(kDead, aclrtMemset(ptr, kSize + 1, 0, kSize + 1));
    ACL_FAILS(kDead, aclrtMemset(ptr + 1, kSize, 0, kSize));
    const Stream stream;
    ACL_OK(aclrtMemsetAsync(ptr, kSize, kValue + 1, kSize, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    // Imported memory is not freed with aclrtFree, and not exported again.
    ACL_FAILS_SAYING(kDead, aclrtFree(ptr), "aclrtIpcMemClose");
    KeyText out = Poison<KeyText>();
    ACL_FAILS_SAYING(kDead, aclrtIpcMemGetExportKey(ptr, kSize, out.text, 65, 0), "another process");
    EXPECT_TRUE(IsPoison(out));
    CloseKey(key);
    ACL_FAILS(kDead, aclrtMemset(ptr, 1, 0, 1));
    ACL_FAILS(kDead, aclrtIpcMemClose(key));
    peer.Signal(1);
    peer.Join();
}

TWO_PROCESS_TEST(IpcSharing, OpeningAgainIsCounted, Exporter) {
    const Session session;
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    void* const ptr = ImportKey(key);
    EXPECT_EQ(ImportKey(key), ptr);
    ACL_EXPECT_OK(aclrtIpcMemSetAttr(key, ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 0));
    // Only the exporting process adds others to the list.
    int32_t process = ThisProcess();
    ACL_FAILS(kDead, aclrtIpcMemSetImportPid(key, &process, 1));
    CloseKey(key);
    Set(ptr, kSize, kValue + 1);
    CloseKey(key);
    ACL_FAILS(kDead, aclrtIpcMemClose(key));
    // Opens it again.
    EXPECT_TRUE(Holds(ImportKey(key), kSize, kValue + 1));
    CloseKey(key);
    peer.Signal(1);
    peer.Join();
}

TWO_PROCESS_TEST(IpcSharing, OnOneDeviceAtATime, Exporter) {
    const Session session;
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    void* const ptr = ImportKey(key);
    ACL_OK(aclrtSetDevice(1));
    void* other = Poison<void*>();
    ACL_FAILS_SAYING(kDead, aclrtIpcMemImportByKey(&other, key, 0), "device 0", "device 1");
    EXPECT_TRUE(IsPoison(other));
    // The import ends with its device.
    ACL_OK(aclrtResetDevice(0));
    ACL_FAILS(kDead, aclrtIpcMemClose(key));
    ACL_FAILS(kDead, aclrtMemset(ptr, 1, 0, 1));
    other = ImportKey(key);
    Set(other, kSize, kValue + 1);
    CloseKey(key);
    peer.Signal(1);
    peer.Join();
}

TWO_PROCESS_TEST(IpcSharing, PendingWorkKeepsClosedMemory, Exporter) {
    const Session session;
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    void* const ptr = ImportKey(key);
    const DeviceMemory copy(kSize);
    const Stream stream;
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ASSERT_TRUE(gate.AwaitArrival());
    ACL_OK(aclrtMemcpyAsync(copy.At(), kSize, ptr, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL_OK(aclrtMemsetAsync(ptr, kSize, kValue + 1, kSize, stream));
    CloseKey(key);
    ACL_FAILS(kDead, aclrtMemsetAsync(ptr, 1, 0, 1, stream));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(Holds(copy.At(), kSize, kValue));
    peer.Signal(1);
    peer.Join();
}

TWO_PROCESS_TEST(IpcSharing, ForeignKeysAreRefused, Exporter) {
    const Session session;
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    void* ptr = Poison<void*>();
    const std::string outside = WithPart(key, 2, "1");
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtIpcMemImportByKey(&ptr, outside.c_str(), 0), "namespace");
    EXPECT_TRUE(IsPoison(ptr));
    // A process that started at another time only has the same process id.
    ExpectImportFails(WithPart(key, 1, "1").c_str(), "has ended");
    ExpectImportFails(WithPart(key, 0, "3fffff").c_str(), "has ended");
    const std::string guessed(20, '1');
    ExpectImportFails(WithPart(key, 4, guessed).c_str(), "has no export with this key");
    Set(ImportKey(key), kSize, kValue + 1);
    peer.Signal(1);
    peer.Join();
    CloseKey(key);
}

namespace {

// Exports a part of its memory, to listed processes only.
void ExporterWithAList(Connection& parent) {
    const Session session;
    const DeviceMemory memory(kSize);
    Set(memory.At(), kSize, kValue);
    const KeyText key = ExportKey(memory.At(), 5000, kListed);
    parent.Send(key);
    parent.Await(1);
    int32_t processes[] = {1, 2};
    ACL_EXPECT_OK(aclrtIpcMemSetImportPid(key, processes, 2));
    parent.Signal(2);
    processes[0] = parent.Receive<int32_t>();
    ACL_EXPECT_OK(aclrtIpcMemSetImportPid(key, processes, 1));
    parent.Signal(3);
    parent.Await(4);
    CloseKey(key);
    parent.Signal(5);
    parent.Await(6);
    EXPECT_TRUE(Holds(memory.At(), 5000, kValue + 1));
    EXPECT_TRUE(Holds(memory.At(5000), kSize - 5000, kValue));
}

}  // namespace

TWO_PROCESS_TEST(IpcSharing, OnlyListedProcessesMayImport, ExporterWithAList) {
    const Session session;
    Peer peer;
    const auto key = peer.Receive<KeyText>();
    ExpectImportFails(key, "does not allow this process");
    peer.Signal(1);
    peer.Await(2);
    ExpectImportFails(key, "does not allow this process");
    peer.Send(ThisProcess());
    peer.Await(3);
    auto* const ptr = static_cast<char*>(ImportKey(key));
    EXPECT_TRUE(Holds(ptr, 5000, kValue));
    ACL_FAILS(kDead, aclrtMemset(ptr, 5001, 0, 5001));
    peer.Signal(4);
    peer.Await(5);
    // An importer keeps its access; each process closes its own mapping.
    Set(ptr, 5000, kValue + 1);
    EXPECT_EQ(ImportKey(key), ptr);
    CloseKey(key);
    CloseKey(key);
    ExpectImportFails(key, "has no export with this key");
    peer.Signal(6);
    peer.Join();
}

namespace {

// Two keys of the same memory, one of other memory.
void ExporterOfThree(Connection& parent) {
    const Session session;
    const DeviceMemory memory(kSize), other(kSize);
    Set(memory.At(), kSize, kValue);
    Set(other.At(), kSize, kValue + 2);
    parent.Send(ExportKey(memory.At(), kSize));
    parent.Send(ExportKey(memory.At(), kSize));
    parent.Send(ExportKey(other.At(), kSize));
    parent.Await(1);
}

}  // namespace

TWO_PROCESS_TEST(IpcSharing, KeysOfTheSameMemoryAreIndependent, ExporterOfThree) {
    const Session session;
    Peer peer;
    const auto first = peer.Receive<KeyText>(), second = peer.Receive<KeyText>(), other = peer.Receive<KeyText>();
    void *const one = ImportKey(first), *const two = ImportKey(second), *const three = ImportKey(other);
    Set(one, kSize, kValue + 1);
    EXPECT_TRUE(Holds(two, kSize, kValue + 1));
    EXPECT_TRUE(Holds(three, kSize, kValue + 2));
    CloseKey(first);
    EXPECT_TRUE(Holds(two, kSize, kValue + 1));
    CloseKey(second);
    ACL_FAILS(kDead, aclrtMemset(two, 1, 0, 1));
    EXPECT_TRUE(Holds(three, kSize, kValue + 2));
    CloseKey(other);
    peer.Signal(1);
    peer.Join();
}

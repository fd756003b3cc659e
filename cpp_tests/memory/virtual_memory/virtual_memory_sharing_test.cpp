// Physical memory shared between processes by numbers and fabric handles.

#include "support/memory/ipc.h"
#include "support/memory/virtual_memory.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr int kValue = 0x42;
constexpr aclrtMemHandleType kNone = ACL_MEM_HANDLE_TYPE_NONE;
constexpr auto kNumber = ACL_MEM_SHARE_HANDLE_TYPE_DEFAULT;
constexpr auto kFabric = ACL_MEM_SHARE_HANDLE_TYPE_FABRIC;

uint64_t ExportNumber(aclrtDrvMemHandle memory, uint64_t flags = kAnyone) {
    uint64_t number = 0;
    ExpectOk("aclrtMemExportToShareableHandle", aclrtMemExportToShareableHandle(memory, kNone, flags, &number));
    return number;
}

aclrtDrvMemHandle ImportNumber(uint64_t number, int32_t device = 0) {
    aclrtDrvMemHandle memory = nullptr;
    ExpectOk("aclrtMemImportFromShareableHandle", aclrtMemImportFromShareableHandle(number, device, &memory));
    return memory;
}

void ExpectImportFails(uint64_t number, const char* says) {
    auto memory = Poison<aclrtDrvMemHandle>();
    ACL_FAILS_SAYING(kDead, aclrtMemImportFromShareableHandle(number, 0, &memory), says);
    EXPECT_TRUE(IsPoison(memory));
}

// Memory that is mapped for the lifetime of this object.
class Mapped {
  public:
    explicit Mapped(aclrtDrvMemHandle memory, size_t size = kPiece)
        : range_(size), mapping_(range_.At(), memory, size) {}
    char* At() const { return range_.At(); }

  private:
    Range range_;
    Mapping mapping_;
};

class VirtualMemorySharing : public WithDevice {
  protected:
    uint64_t number_ = Poison<uint64_t>();
    aclrtMemFabricHandle fabric_ = Poison<aclrtMemFabricHandle>();
    aclrtDrvMemHandle imported_ = Poison<aclrtDrvMemHandle>();
};

}  // namespace

TEST_F(VirtualMemorySharing, ExportChecksItsArguments) {
    const PhysicalMemory memory;
    ACL_FAILS_SAYING(kInvalid, aclrtMemExportToShareableHandle(memory, kNone, 1, nullptr), "shareableHandle");
    for (const int type : {-1, 1, 2, 3, 100})
        ACL_FAILS_SAYING(kInvalid,
                         aclrtMemExportToShareableHandle(memory, static_cast<aclrtMemHandleType>(type), 1, &number_),
                         "handleType is", Shown(type));
    for (const uint64_t flags : {uint64_t{2}, ~uint64_t{0}}) {
        ACL_FAILS_SAYING(kInvalid, aclrtMemExportToShareableHandle(memory, kNone, flags, &number_), "flags is 0x");
        ACL_FAILS_SAYING(kInvalid, aclrtMemExportToShareableHandleV2(memory, flags, kNumber, &number_), "flags is 0x");
    }
    ACL_FAILS_SAYING(kInvalid, aclrtMemExportToShareableHandleV2(memory, 1, kNumber, nullptr), "shareableHandle");
    for (const int type : {-1, 0, 3, 100})
        ACL_FAILS_SAYING(
            kInvalid,
            aclrtMemExportToShareableHandleV2(memory, 1, static_cast<aclrtMemSharedHandleType>(type), &number_),
            "shareType is", Shown(type));
    const Stream stream;
    aclrtDrvMemHandle stale = nullptr;
    {
        const PhysicalMemory gone;
        stale = gone;
    }
    for (void* handle :
         {static_cast<void*>(nullptr), static_cast<void*>(stream), stale, reinterpret_cast<void*>(0x1234567)}) {
        const aclError code = handle ? kDead : kInvalid;
        ACL_FAILS(code, aclrtMemExportToShareableHandle(handle, kNone, 1, &number_));
        ACL_FAILS(code, aclrtMemExportToShareableHandleV2(handle, 1, kFabric, &fabric_));
    }
    EXPECT_TRUE(IsPoison(number_) && IsPoison(fabric_));
}

TEST_F(VirtualMemorySharing, MemoryIsExportedOnce) {
    const PhysicalMemory memory;
    const uint64_t number = ExportNumber(memory);
    EXPECT_NE(number, 0u);
    ACL_FAILS_SAYING(kDead, aclrtMemExportToShareableHandle(memory, kNone, 1, &number_), "exported before");
    ACL_FAILS_SAYING(kDead, aclrtMemExportToShareableHandleV2(memory, 1, kFabric, &fabric_), "exported before");
    EXPECT_TRUE(IsPoison(number_) && IsPoison(fabric_));
    const PhysicalMemory other;
    EXPECT_NE(ExportNumber(other), number);
}

TEST_F(VirtualMemorySharing, ImportChecksItsArguments) {
    const PhysicalMemory memory;
    uint64_t number = ExportNumber(memory);
    ACL_FAILS_SAYING(kInvalid, aclrtMemImportFromShareableHandle(number, 0, nullptr), "handle");
    for (const uint64_t nonsense : {uint64_t{0}, uint64_t{1}})
        ACL_FAILS_SAYING(kDead, aclrtMemImportFromShareableHandle(nonsense, 0, &imported_), "shareableHandle");
    for (const int32_t device : {-1, 4000})
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtMemImportFromShareableHandle(number, device, &imported_),
                         "deviceId", Shown(device));
    if (DeviceCount() > 1) {
        ACL_FAILS_SAYING(kDead, aclrtMemImportFromShareableHandle(number, 1, &imported_), "deviceId");
    }
    ACL_FAILS_SAYING(kDead, aclrtMemImportFromShareableHandle(number, 0, &imported_), "exported by this process");
    ACL_FAILS_SAYING(kInvalid, aclrtMemImportFromShareableHandleV2(&number, kNumber, 0, nullptr), "handle");
    ACL_FAILS_SAYING(kInvalid, aclrtMemImportFromShareableHandleV2(nullptr, kNumber, 0, &imported_), "shareableHandle");
    for (const int type : {-1, 0, 3})
        ACL_FAILS_SAYING(
            kInvalid,
            aclrtMemImportFromShareableHandleV2(&number, static_cast<aclrtMemSharedHandleType>(type), 0, &imported_),
            "shareType is", Shown(type));
    ACL_FAILS_SAYING(kInvalid, aclrtMemImportFromShareableHandleV2(&number, kNumber, 1, &imported_), "flags is 0x1");
    ACL_FAILS_SAYING(kDead, aclrtMemImportFromShareableHandleV2(&fabric_, kFabric, 0, &imported_), "is not a key");
    fabric_ = {};
    ACL_FAILS_SAYING(kDead, aclrtMemImportFromShareableHandleV2(&fabric_, kFabric, 0, &imported_), "is not a key");
    EXPECT_TRUE(IsPoison(imported_));
}

TEST_F(VirtualMemorySharing, ListsCheckTheirArguments) {
    const PhysicalMemory memory, by_fabric;
    uint64_t number = ExportNumber(memory, kListed);
    ACL_OK(aclrtMemExportToShareableHandleV2(by_fabric, kListed, kFabric, &fabric_));
    int32_t processes[] = {1, 0};
    ACL_FAILS_SAYING(kInvalid, aclrtMemSetPidToShareableHandle(number, nullptr, 1), "pid");
    ACL_FAILS_SAYING(kInvalid, aclrtMemSetPidToShareableHandle(number, processes, 0), "pidNum is 0");
    ACL_FAILS_SAYING(kInvalid, aclrtMemSetPidToShareableHandleV2(&number, kNumber, processes, (1 << 22) + 1),
                     "pidNum is 4194305");
    ACL_FAILS_SAYING(kInvalid, aclrtMemSetPidToShareableHandle(number, processes, 2), "pid[1]");
    ACL_FAILS(kDead, aclrtMemSetPidToShareableHandle(0, processes, 1));
    ACL_FAILS(kDead, aclrtMemSetPidToShareableHandle(number ^ 1, processes, 1));
    ACL_EXPECT_OK(aclrtMemSetPidToShareableHandle(number, processes, 1));
    ACL_EXPECT_OK(aclrtMemSetPidToShareableHandleV2(&number, kNumber, processes, 1));
    ACL_EXPECT_OK(aclrtMemSetPidToShareableHandleV2(&fabric_, kFabric, processes, 1));
    ACL_FAILS(kInvalid, aclrtMemSetPidToShareableHandleV2(nullptr, kNumber, processes, 1));
    ACL_FAILS(kInvalid, aclrtMemSetPidToShareableHandleV2(&number, kNumber, nullptr, 1));
    ACL_FAILS(kInvalid, aclrtMemSetPidToShareableHandleV2(&number, kNumber, processes, 0));
    ACL_FAILS(kInvalid,
              aclrtMemSetPidToShareableHandleV2(&number, static_cast<aclrtMemSharedHandleType>(0), processes, 1));
    {
        const PhysicalMemory gone;
        number = ExportNumber(gone, kListed);
    }
    ACL_FAILS(kDead, aclrtMemSetPidToShareableHandle(number, processes, 1));
}

namespace {

struct FabricExport {
    uint64_t number;
    aclrtMemFabricHandle fabric;
    pid_t process;
};

// Exports two blocks of memory; each step releases a part of them.
void Exporter(Connection& parent) {
    {
        const Session session;
        PhysicalMemory one, two;
        {
            const Mapped first(one), second(two);
            Set(first.At(), kPiece, kValue);
            Set(second.At(), kPiece, kValue + 1);
            FabricExport offer{};
            offer.number = ExportNumber(one, kListed);
            offer.process = getpid();
            ExpectOk("aclrtMemExportToShareableHandleV2",
                     aclrtMemExportToShareableHandleV2(two, kAnyone, kFabric, &offer.fabric));
            parent.Send(offer);
            int32_t process = parent.Receive<int32_t>();
            ACL_EXPECT_OK(aclrtMemSetPidToShareableHandle(offer.number, &process, 1));
            parent.Signal(1);
            // Or it is killed.
            parent.Await(2);
            EXPECT_TRUE(Holds(first.At(), kPiece, kValue + 2));
        }
        ACL_EXPECT_OK(aclrtFreePhysical(one.Release()));
        // The importer still has the first block.
        const PhysicalMemory fresh;
        const Mapped mapped(fresh);
        Set(mapped.At(), kPiece, 0);
        parent.Signal(3);
        parent.Await(4);
    }
    parent.Signal(5);
    parent.Await(6);
}

}  // namespace

TWO_PROCESS_TEST(VirtualMemoryInTwoProcesses, MemoryIsFreedWithItsLastUser, Exporter) {
    const Session session;
    Peer peer;
    const auto offer = peer.Receive<FabricExport>();
    ExpectImportFails(offer.number, "does not allow this process");
    peer.Send(ThisProcess());
    peer.Await(1);
    aclrtDrvMemHandle one = ImportNumber(offer.number), again = ImportNumber(offer.number);
    aclrtPhysicalMemProp props{};
    ACL_OK(aclrtMemGetAllocationPropertiesFromHandle(one, &props));
    EXPECT_EQ(props.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(props.location.id, 0u);
    {
        const Mapped first(one), second(again);
        EXPECT_TRUE(Holds(first.At(), kPiece, kValue));
        Set(first.At(), kPiece, kValue + 2);
        EXPECT_TRUE(Holds(second.At(), kPiece, kValue + 2));
        ACL_OK(aclrtFreePhysical(again));
        peer.Signal(2);
        peer.Await(3);
        EXPECT_TRUE(Holds(first.At(), kPiece, kValue + 2)) << "it was given up there";
        ExpectImportFails(offer.number, "has no export with this key");
        aclrtDrvMemHandle two = nullptr;
        auto fabric = offer.fabric;
        ACL_OK(aclrtMemImportFromShareableHandleV2(&fabric, kFabric, 0, &two));
        {
            const Mapped mapped(two);
            EXPECT_TRUE(Holds(mapped.At(), kPiece, kValue + 1));
        }
        // A key of another kind.
        void* ptr = Poison<void*>();
        ACL_FAILS_SAYING(kDead, aclrtIpcMemImportByKey(&ptr, reinterpret_cast<const char*>(offer.fabric.data), 0),
                         "another type");
        EXPECT_TRUE(IsPoison(ptr));
        ACL_OK(aclrtFreePhysical(two));
        ACL_OK(aclrtFreePhysical(one));
    }
    peer.Signal(4);
    peer.Await(5);
    ExpectImportFails(offer.number, "has finalized");
    peer.Signal(6);
    peer.Join();
    ExpectImportFails(offer.number, "has ended");
}

TWO_PROCESS_TEST(VirtualMemoryInTwoProcesses, ExporterKilledWhileItsMemoryIsMapped, Exporter) {
    const Session session;
    Peer peer;
    const auto offer = peer.Receive<FabricExport>();
    peer.Send(ThisProcess());
    peer.Await(1);
    const aclrtDrvMemHandle memory = ImportNumber(offer.number);
    {
        const Mapped mapped(memory);
        peer.Kill();
        EXPECT_TRUE(Holds(mapped.At(), kPiece, kValue));
        Set(mapped.At(), kPiece, kValue + 3);
        EXPECT_TRUE(Holds(mapped.At(), kPiece, kValue + 3));
    }
    // And mapped again.
    {
        const Mapped mapped(memory);
        EXPECT_TRUE(Holds(mapped.At(), kPiece, kValue + 3));
    }
    ACL_OK(aclrtFreePhysical(memory));
    EXPECT_FALSE(HasSocket(offer.process));
    ExpectImportFails(offer.number, "has ended");
}

TWO_PROCESS_TEST(VirtualMemoryInTwoProcesses, ExporterKilledBeforeTheImport, Exporter) {
    const Session session;
    Peer peer;
    const auto offer = peer.Receive<FabricExport>();
    peer.Kill();
    ExpectImportFails(offer.number, "has ended");
}

TWO_PROCESS_TEST(VirtualMemoryInTwoProcesses, ADeviceResetFreesItsImports, Exporter) {
    const Session session;
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    Peer peer;
    const auto offer = peer.Receive<FabricExport>();
    peer.Send(ThisProcess());
    peer.Await(1);
    ACL_OK(aclrtSetDevice(1));
    const aclrtDrvMemHandle memory = ImportNumber(offer.number, 1);
    const Range range(kPiece);
    ACL_OK(aclrtMapMem(range.At(), kPiece, 0, memory, 0));
    EXPECT_TRUE(Holds(range.At(), kPiece, kValue));
    ACL_OK(aclrtResetDevice(1));
    ACL_DESTROYS_LATE(aclrtFreePhysical(memory));
    ACL_FAILS(kDead, aclrtUnmapMem(range.At()));
    ACL_OK(aclrtSetDevice(0));
    peer.Kill();
}

namespace {

// Imports, and is killed; the exporter's memory is released.
void Importer(Connection& parent) {
    const Session session;
    const aclrtDrvMemHandle memory = ImportNumber(parent.Receive<uint64_t>());
    const Mapped mapped(memory);
    Set(mapped.At(), kPiece, kValue);
    parent.Signal(1);
    parent.Await(2);
}

}  // namespace

TWO_PROCESS_TEST(VirtualMemoryInTwoProcesses, ImportersAreKilled, Importer) {
    const Session session;
    size_t before = 0, total = 0, now = 0;
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    {
        const PhysicalMemory memory;
        const Mapped mapped(memory);
        Peer peer;
        peer.Send(ExportNumber(memory));
        peer.Await(1);
        EXPECT_TRUE(Holds(mapped.At(), kPiece, kValue));
        peer.Kill();
    }
    // A thread notices what the importer has released.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    do {
        ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &now, &total));
    } while (now < before && std::chrono::steady_clock::now() < deadline);
    ExpectFreeAgain(now, before);
}

namespace {

void HostExporter(Connection& parent) {
    const Session session;
    const PhysicalMemory memory(kPiece, HostProps());
    const Mapped mapped(memory);
    std::memset(mapped.At(), kValue, kPiece);
    parent.Send(ExportNumber(memory));
    parent.Await(1);
    EXPECT_EQ(mapped.At()[5], kValue + 1);
}

}  // namespace

TWO_PROCESS_TEST(VirtualMemoryInTwoProcesses, HostMemory, HostExporter) {
    const Session session;
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: drivers have no such memory here";
    Peer peer;
    const aclrtDrvMemHandle memory = ImportNumber(peer.Receive<uint64_t>());
    {
        const Mapped mapped(memory);
        EXPECT_EQ(mapped.At()[kPiece - 1], kValue);
        mapped.At()[5] = kValue + 1;
    }
    ACL_OK(aclrtFreePhysical(memory));
    peer.Signal(1);
    peer.Join();
}

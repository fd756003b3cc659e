// Imported memory in hooks, statistics, snapshots and leak reports, in the importing process only.

#include <optional>

#include "support/memory/ipc.h"
#include "support/memory/memory_hook.h"
#include "support/memory/memory_live.h"
#include "support/memory/memory_stats.h"
#include "support/memory/virtual_memory.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = (3 << 20) + 100;
constexpr int32_t kHost = -1;
constexpr auto kImported = PORTACL_MEMORY_IMPORTED;

struct Offer {
    KeyText key;
    KeyText other_key;
    uint64_t physical;
    uint64_t host;
    ExportData pointer;
};

// All counters of a process about its own memory.
std::vector<uint64_t> Counters() {
    std::vector<uint64_t> numbers;
    for (const auto& [device, kind] : {std::pair(0, PORTACL_MEMORY_DEVICE),
                                       {0, PORTACL_MEMORY_MANAGED},
                                       {0, PORTACL_MEMORY_POOL},
                                       {kHost, PORTACL_MEMORY_PINNED},
                                       {kHost, PORTACL_MEMORY_POOL}}) {
        const auto stats = Stats(device, kind);
        for (const uint64_t number : {stats.currentBytes, stats.currentCount, stats.totalBytes, stats.totalCount,
                                      stats.reservedBytes, stats.failures})
            numbers.push_back(number);
    }
    return numbers;
}

void ExpectStats(int32_t device, uint64_t count, uint64_t bytes, uint64_t total) {
    const auto stats = Stats(device, kImported);
    EXPECT_EQ(stats.currentCount, count);
    EXPECT_EQ(stats.currentBytes, bytes);
    EXPECT_EQ(stats.totalCount, total);
    EXPECT_EQ(stats.reservedBytes, bytes);
    EXPECT_EQ(stats.failures, 0u);
}

std::vector<portaclMemoryAllocation> ImportedOnes() {
    return LiveMemory(kImported);
}

// A malloc and a free of imported memory, as hooks report them.
void ExpectEvents(const std::vector<HookCall>& calls, int32_t device, const void* ptr, size_t size, bool frees) {
    EXPECT_EQ(CallLog::Words(calls), frees ? kFreed : kFromCache);
    for (const auto& [name, what, event] : calls) {
        SCOPED_TRACE(what);
        EXPECT_EQ(event.kind, kImported);
        EXPECT_EQ(event.deviceId, device);
        EXPECT_EQ(event.roundedSize, size);
        EXPECT_EQ(event.size, frees ? 0 : size);
        EXPECT_EQ(event.failed, 0);
        const bool known = frees || what == "after malloc";
        EXPECT_EQ(event.ptr, known ? ptr : nullptr);
        EXPECT_EQ(event.memoryId != 0, known);
        EXPECT_EQ(event.pageSize != 0, known && ptr);
    }
}

// A hook that refuses memory of other processes.
void Refuse(Recorder& hook, const char* what) {
    hook.also = [what](const std::string& moment, const portaclMemoryEvent&) {
        return moment == what ? 4711 : ACL_SUCCESS;
    };
}

uint64_t ExportNumber(aclrtDrvMemHandle memory) {
    uint64_t number = 0;
    ExpectOk("aclrtMemExportToShareableHandle",
             aclrtMemExportToShareableHandle(memory, ACL_MEM_HANDLE_TYPE_NONE, kAnyone, &number));
    return number;
}

aclrtDrvMemHandle ImportNumber(uint64_t number) {
    aclrtDrvMemHandle memory = nullptr;
    ExpectOk("aclrtMemImportFromShareableHandle", aclrtMemImportFromShareableHandle(number, 0, &memory));
    return memory;
}

// Exports one block of each kind, and checks its counters while the other process imports them.
void Exporter(Connection& parent) {
    const Session session;
    {
        const DeviceMemory memory(kSize);
        const PhysicalMemory physical(2 * kPiece);
        // Other backends do not support it.
        std::optional<PhysicalMemory> host;
        if (OnCpu()) host.emplace(kPiece, HostProps());
        const SharedPool pool;
        void* const block = pool.Malloc(kSize);
        Offer offer{};
        offer.key = ExportKey(memory.At(), kSize);
        offer.other_key = ExportKey(memory.At(), kSize);
        offer.physical = ExportNumber(physical);
        if (host) offer.host = ExportNumber(*host);
        offer.pointer = ExportPointer(block);
        CallLog call_log;
        const Recorder hook(call_log, "exporter", PORTACL_MEMORY_HOOK_PROCESS);
        const auto before = Counters();
        parent.Send(offer);
        {
            const Descriptor descriptor(pool.Export());
            parent.Send(0, descriptor);
        }
        for (int step = 1; parent.Receive<int>() == step; ++step) {
            EXPECT_EQ(Counters(), before) << "step " << step;
            EXPECT_EQ(Stats(0, kImported).totalCount, 0u);
            EXPECT_TRUE(ImportedOnes().empty());
            EXPECT_TRUE(call_log.Take().empty());
            parent.Signal(step);
        }
        CloseKey(offer.other_key);
        CloseKey(offer.key);
        FreeAndWait(block);
    }
}

// The exporting process.
class Other {
  public:
    Other() : offer(peer_.Receive<Offer>()) {
        int descriptor = -1;
        peer_.Receive<int>(&descriptor);
        pool.emplace(SharedPool::Import(descriptor));
    }
    ~Other() {
        pool.reset();
        peer_.Signal(0);
        peer_.Join();
    }

    // It checks its counters.
    void CheckCounters() {
        peer_.Signal(++step_);
        peer_.Await(step_);
    }

  private:
    Peer peer_;
    int step_ = 0;

  public:
    Offer offer;
    std::optional<SharedPool> pool;
};

}  // namespace

TWO_PROCESS_TEST(MemoryImported, ByKey, Exporter) {
    const Session session;
    Other other;
    CallLog call_log;
    Recorder hook(call_log, "importer");
    const auto own = Counters();
    void* const ptr = ImportKey(other.offer.key);
    ExpectEvents(call_log.Take(), 0, ptr, kSize, false);
    ExpectStats(0, 1, kSize, 1);
    // A second import returns the same memory and reports nothing.
    EXPECT_EQ(ImportKey(other.offer.key), ptr);
    EXPECT_TRUE(call_log.Take().empty());
    ExpectStats(0, 1, kSize, 1);
    EXPECT_EQ(Counters(), own);
    other.CheckCounters();

    const auto live = ImportedOnes();
    ASSERT_EQ(live.size(), 1u);
    EXPECT_EQ(live[0].ptr, ptr);
    EXPECT_EQ(live[0].roundedSize, kSize);
    EXPECT_EQ(live[0].deviceId, 0);
    EXPECT_EQ(live[0].memPool, nullptr);
    size_t count = 0;
    const std::string text = Leaks(&count);
    EXPECT_EQ(count, 1u);
    EXPECT_NE(text.find(std::to_string(kSize) + " bytes of imported memory on device 0 at " + Shown(ptr)),
              std::string::npos)
        << text;
    portaclMemoryPageStats sizes[3] = {};
    sizes[0].structSize = sizeof sizes[0];
    ACL_OK(portaclMemoryListPageSizes(0, kImported, sizes, 3, &count));
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(sizes[0].count, 1u);
    EXPECT_GE(sizes[0].pageSize, 4096u);

    CloseKey(other.offer.key);
    EXPECT_TRUE(call_log.Take().empty());
    ExpectStats(0, 1, kSize, 1);
    CloseKey(other.offer.key);
    ExpectEvents(call_log.Take(), 0, ptr, kSize, true);
    ExpectStats(0, 0, 0, 1);
    EXPECT_TRUE(ImportedOnes().empty());
    EXPECT_EQ(Leaks(&count), "");
    EXPECT_EQ(Stats(0, kImported).peakBytes, kSize);
    ACL_OK(portaclMemoryResetPeak(0, kImported));
    EXPECT_EQ(Stats(0, kImported).peakBytes, 0u);
    other.CheckCounters();
}

// On GPUs both keys of the same memory return the same address, on CPUs two addresses.
TWO_PROCESS_TEST(MemoryImported, ByTwoKeysOfTheSameMemory, Exporter) {
    const Session session;
    Other other;
    CallLog call_log;
    Recorder hook(call_log, "importer");
    void* const one = ImportKey(other.offer.key);
    void* const two = ImportKey(other.offer.other_key);
    const size_t pieces = one == two ? 1 : 2;
    EXPECT_EQ(call_log.Take().size(), 2 * pieces);
    ExpectStats(0, pieces, pieces * kSize, pieces);
    EXPECT_EQ(ImportedOnes().size(), pieces);
    CloseKey(other.offer.key);
    ExpectStats(0, 1, kSize, pieces);
    CloseKey(other.offer.other_key);
    ExpectStats(0, 0, 0, pieces);
    EXPECT_EQ(call_log.Take().size(), 2 * pieces);
}

TWO_PROCESS_TEST(MemoryImported, EndsWithItsDevice, Exporter) {
    const Session session;
    Other other;
    ImportKey(other.offer.key);
    ExpectStats(0, 1, kSize, 1);
    other.pool->Release();
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    ExpectStats(0, 0, 0, 0);
    EXPECT_TRUE(ImportedOnes().empty());
}

TWO_PROCESS_TEST(MemoryImported, OfPhysicalMemory, Exporter) {
    const Session session;
    Other other;
    CallLog call_log;
    Recorder hook(call_log, "importer");
    ACL_OK(portaclMemoryRecord());
    const auto own = Counters();
    const aclrtDrvMemHandle memory = ImportNumber(other.offer.physical);
    auto calls = call_log.Take();
    ExpectEvents(calls, 0, nullptr, 2 * kPiece, false);
    EXPECT_EQ(calls.back().event.memoryId, reinterpret_cast<uint64_t>(memory));
    ExpectStats(0, 1, 2 * kPiece, 1);
    EXPECT_EQ(Counters(), own);
    other.CheckCounters();

    const auto live = ImportedOnes();
    ASSERT_EQ(live.size(), 1u);
    EXPECT_EQ(live[0].ptr, nullptr);
    EXPECT_EQ(live[0].deviceId, 0);
    EXPECT_EQ(live[0].roundedSize, 2 * kPiece);
    EXPECT_EQ(live[0].size, 2 * kPiece) << "recorded";
    size_t count = 0;
    const std::string text = Leaks(&count);
    EXPECT_EQ(count, 1u);
    EXPECT_NE(text.find("imported memory on device 0 with the handle " + Shown(memory)), std::string::npos) << text;

    // Released while it is mapped: hooks report the free, and statistics count it until it is
    // unmapped.
    {
        const Range range(2 * kPiece);
        const Mapping mapping(range.At(), memory, 2 * kPiece);
        aclrtDrvMemHandle again = nullptr;
        ACL_OK(aclrtMemRetainAllocationHandle(range.At(), &again));
        EXPECT_EQ(again, memory);
        ACL_OK(aclrtFreePhysical(again));
        EXPECT_TRUE(call_log.Take().empty()) << "another reference exists";
        ACL_OK(aclrtFreePhysical(memory));
        calls = call_log.Take();
        ExpectEvents(calls, 0, nullptr, 2 * kPiece, true);
        EXPECT_EQ(calls.back().event.memoryId, reinterpret_cast<uint64_t>(memory));
        ExpectStats(0, 1, 2 * kPiece, 1);
        EXPECT_EQ(ImportedOnes().size(), 1u);
    }
    ExpectStats(0, 0, 0, 1);
    EXPECT_TRUE(ImportedOnes().empty());
    other.CheckCounters();

    if (!OnCpu()) return;
    const aclrtDrvMemHandle host = ImportNumber(other.offer.host);
    ExpectEvents(call_log.Take(), kHost, nullptr, kPiece, false);
    ExpectStats(kHost, 1, kPiece, 1);
    EXPECT_EQ(ImportedOnes().at(0).deviceId, kHost);
    EXPECT_NE(Leaks(&count).find("imported host memory with the handle " + Shown(host)), std::string::npos);
    ACL_OK(aclrtFreePhysical(host));
    ExpectEvents(call_log.Take(), kHost, nullptr, kPiece, true);
    ExpectStats(kHost, 0, 0, 1);
}

TWO_PROCESS_TEST(MemoryImported, OfAPool, Exporter) {
    const Session session;
    Other other;
    CallLog call_log;
    Recorder hook(call_log, "importer");
    const auto own = Counters();
    void* const one = ImportPointer(*other.pool, other.offer.pointer);
    const auto calls = call_log.Take();
    ASSERT_EQ(calls.size(), 2u);
    const size_t size = calls.back().event.roundedSize;
    EXPECT_GE(size, kSize);
    ExpectEvents(calls, 0, one, size, false);
    void* const two = ImportPointer(*other.pool, other.offer.pointer);
    ExpectEvents(call_log.Take(), 0, two, size, false);
    ExpectStats(0, 2, 2 * size, 2);
    EXPECT_EQ(Counters(), own);
    other.CheckCounters();

    const auto live = ImportedOnes();
    ASSERT_EQ(live.size(), 2u);
    for (const auto& each : live) EXPECT_EQ(each.memPool, *other.pool);
    portaclMemoryPoolStats pools[3] = {};
    pools[0].structSize = sizeof pools[0];
    size_t count = 0;
    ACL_OK(portaclMemoryListPools(0, pools, 3, &count));
    ASSERT_EQ(count, 1u);
    EXPECT_EQ(pools[0].isImported, 1);
    EXPECT_EQ(pools[0].stats.currentBytes, 2 * size);

    // In both ways.
    ACL_OK(aclrtFree(one));
    ExpectEvents(call_log.Take(), 0, one, size, true);
    ExpectStats(0, 1, size, 2);
    FreeAndWait(two);
    ExpectEvents(call_log.Take(), 0, two, size, true);
    ExpectStats(0, 0, 0, 2);
    // The counters of the pool stay.
    other.pool.reset();
    ExpectStats(0, 0, 0, 2);
    EXPECT_EQ(Counters(), own);
    other.CheckCounters();
}

// A refused import is not here, and can be repeated.
TWO_PROCESS_TEST(MemoryImported, HooksMayRefuseIt, Exporter) {
    const Session session;
    Other other;
    CallLog call_log;
    {
        Recorder hook(call_log, "refuses");
        Refuse(hook, "before malloc");
        auto* ptr = Poison<void*>();
        ACL_FAILS_SAYING(4711, aclrtIpcMemImportByKey(&ptr, other.offer.key, 0), "refuses", "imported memory");
        EXPECT_TRUE(IsPoison(ptr));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtIpcMemClose(other.offer.key), "key");
        auto memory = Poison<aclrtDrvMemHandle>();
        ACL_FAILS(4711, aclrtMemImportFromShareableHandle(other.offer.physical, 0, &memory));
        EXPECT_TRUE(IsPoison(memory));
        ACL_FAILS(4711, portaclMemPoolImportPointer(&ptr, *other.pool, &other.offer.pointer));
        EXPECT_TRUE(IsPoison(ptr));
        EXPECT_TRUE(ImportedOnes().empty());
        ExpectStats(0, 0, 0, 3);
    }
    void* const ptr = ImportKey(other.offer.key);
    const aclrtDrvMemHandle memory = ImportNumber(other.offer.physical);
    void* const block = ImportPointer(*other.pool, other.offer.pointer);
    {
        Recorder hook(call_log, "refuses");
        Refuse(hook, "before free");
        ACL_FAILS(4711, aclrtIpcMemClose(other.offer.key));
        ACL_FAILS(4711, aclrtFreePhysical(memory));
        ACL_FAILS(4711, aclrtFree(block));
        EXPECT_EQ(ImportedOnes().size(), 3u);
    }
    CloseKey(other.offer.key);
    ACL_OK(aclrtFreePhysical(memory));
    ACL_OK(aclrtFree(block));
    ExpectStats(0, 0, 0, 6);
    (void)ptr;
}

// A budget covers memory that this process allocates.
TWO_PROCESS_TEST(MemoryImported, IsInTheExportersBudget, Exporter) {
    const Session session;
    Other other;
    uint64_t limit = 0;
    ACL_OK(portaclMemoryHookRegisterLimit(kSize, PORTACL_MEMORY_HOOK_PROCESS, &limit));
    ImportKey(other.offer.key);
    void* own = nullptr;
    ACL_OK(aclrtMalloc(&own, kSize / 2, ACL_MEM_MALLOC_HUGE_FIRST));
    CloseKey(other.offer.key);
    ACL_OK(aclrtFree(own));
    ACL_OK(portaclMemoryHookUnregister(limit));
}

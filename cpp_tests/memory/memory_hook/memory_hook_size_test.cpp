// The rounded size that hooks report is the same at malloc and free, and equal to the size in
// statistics, snapshots, pool attributes and built-in hooks, for each family of allocations and
// many sizes.

#include <portacl/portacl.hpp>

#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "memory/memory_hook/family.h"
#include "support/memory/ipc.h"
#include "support/memory/memory_hook.h"
#include "support/memory/memory_live.h"
#include "support/memory/memory_stats.h"
#include "support/memory/virtual_memory.h"
#include "support/process/temporary_folder.h"

using namespace portacl_test;

namespace {

constexpr int32_t kHost = -1;

const std::vector<size_t> kSizes = {1,
                                    31,
                                    32,
                                    33,
                                    480,
                                    481,
                                    511,
                                    512,
                                    513,
                                    1000,
                                    3000,
                                    3584,
                                    3585,
                                    4064,
                                    4096,
                                    4097,
                                    5000,
                                    65537,
                                    100000,
                                    kMiB,
                                    2 * kMiB - 64,
                                    2 * kMiB - 1,
                                    2 * kMiB,
                                    2 * kMiB + 1,
                                    3 * kMiB + 100};

// A subset, for tests that do more with each size.
const std::vector<size_t> kFewSizes = {1, 481, 1000, 3000, 5000, 100000, 2 * kMiB + 1};

class MemoryHookSize : public MemoryHook {
  protected:
    void SetUp() override {
        MemoryHook::SetUp();
        stream_ = std::make_unique<Stream>();
        pool_ = std::make_unique<MemPool>();
        AddOrdinary();
        AddPools();
    }
    void TearDown() override {
        pool_.reset();
        host_pool_.reset();
        stream_.reset();
        MemoryHook::TearDown();
    }

    // Each family with each size, as far as the system has such memory.
    void ForEach(const std::vector<size_t>& sizes, const std::function<void(const Family&, size_t)>& check) {
        for (const Family& family : families_) {
            int served = 0;
            for (const size_t size : sizes) {
                SCOPED_TRACE(family.name + ", " + std::to_string(size) + " bytes");
                try {
                    uint64_t id = 0;
                    ACL_EXPECT_OK(Allocate(family, size, &id));
                    ACL_EXPECT_OK(family.release(id));
                    check(family, size);
                } catch (const NoHugePage&) {
                    call_log.Take();
                    continue;
                }
                if (HasFailure()) return;
                ++served;
            }
            EXPECT_TRUE(served > 0 || family.name == kHugePagesOnly) << family.name;
        }
    }

    // The size that the malloc reports, to which everything else is compared.
    size_t RoundedSize(const Family& family, size_t size) {
        Recorder hook(call_log, "one");
        uint64_t id = 0;
        ACL_EXPECT_OK(Allocate(family, size, &id));
        ACL_EXPECT_OK(family.release(id));
        const auto calls = call_log.Take();
        return calls.empty() ? 0 : calls[0].event.roundedSize;
    }

    // The numbers after a word in the lines of the file that report a malloc or a free.
    std::vector<size_t> NumbersAfter(const std::string& word) {
        std::ifstream file(path_);
        std::vector<size_t> numbers;
        for (std::string line; std::getline(file, line);) {
            const size_t at = line.find(word);
            if (at != std::string::npos && line.find("\"alloc\"") == std::string::npos)
                numbers.push_back(std::stoull(line.substr(at + word.size())));
        }
        return numbers;
    }

    const TemporaryFolder folder_;
    const std::string path_ = folder_.At("hook");
    std::vector<Family> families_;

  private:
    void AddOrdinary() {
        const auto device = [this](const char* name, auto call) {
            families_.push_back({name, PORTACL_MEMORY_DEVICE, 0, Take(call), FreeById});
        };
        device("huge pages first",
               [](void** to, size_t size) { return aclrtMalloc(to, size, ACL_MEM_MALLOC_HUGE_FIRST); });
        device(kHugePagesOnly, [](void** to, size_t size) { return aclrtMalloc(to, size, ACL_MEM_MALLOC_HUGE_ONLY); });
        device("ordinary pages",
               [](void** to, size_t size) { return aclrtMalloc(to, size, ACL_MEM_MALLOC_NORMAL_ONLY); });
        device("without a readable tail",
               [](void** to, size_t size) { return aclrtMallocAlign32(to, size, ACL_MEM_MALLOC_HUGE_FIRST); });
        device("cached", [](void** to, size_t size) { return aclrtMallocCached(to, size, ACL_MEM_MALLOC_HUGE_FIRST); });
        device("for a task scheduler", [](void** to, size_t size) {
            return aclrtMallocForTaskScheduler(to, size, ACL_MEM_MALLOC_HUGE_FIRST, nullptr);
        });
        device("with a configuration",
               [](void** to, size_t size) { return aclrtMallocWithCfg(to, size, ACL_MEM_MALLOC_HUGE_FIRST, nullptr); });
        families_.push_back({"page-locked", PORTACL_MEMORY_PINNED, kHost,
                             Take([](void** to, size_t size) { return aclrtMallocHost(to, size); }),
                             [](uint64_t id) { return aclrtFreeHost(Pointer(id)); }});
        families_.push_back({"page-locked, with a configuration", PORTACL_MEMORY_PINNED, kHost,
                             Take([](void** to, size_t size) { return aclrtMallocHostWithCfg(to, size, nullptr); }),
                             [](uint64_t id) { return aclrtFreeHostWithDevSync(Pointer(id)); }});
        families_.push_back({"managed", PORTACL_MEMORY_MANAGED, 0, Take([](void** to, size_t size) {
                                 return aclrtMemAllocManaged(to, size, ACL_RT_MEM_ATTACH_GLOBAL);
                             }),
                             FreeById});
        families_.push_back(Physical("physical", PORTACL_MEMORY_DEVICE, 0, PhysicalProps()));
        if (OnCpu()) families_.push_back(Physical("physical on the host", PORTACL_MEMORY_PINNED, kHost, HostProps()));
    }

    void AddPools() {
        families_.push_back(OfPool("a pool", 0, *pool_, *stream_));
        aclrtStream stream = *stream_;
        Family now = OfPool("a pool, freed at once", 0, *pool_, stream);
        now.release = [stream](uint64_t id) {
            Synchronize(stream);
            return FreeById(id);
        };
        families_.push_back(now);
        families_.push_back({"the current pool", PORTACL_MEMORY_POOL, 0,
                             Take([stream](void** to, size_t size) { return portaclMallocAsync(to, size, stream); }),
                             [stream](uint64_t id) {
                                 const aclError code = portaclFreeAsync(Pointer(id), stream);
                                 Synchronize(stream);
                                 return code;
                             }});
        auto allocate = [this, stream](size_t size, uint64_t* id) {
            void* memory = nullptr;
            ACL_EXPECT_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
            const aclError code = portaclMallocAsync(&memory, size, stream);
            ACL_EXPECT_OK(aclmdlRICaptureEnd(stream, &graph_));
            // It is destroyed before a run can allocate.
            if (code != ACL_SUCCESS) ExpectOk("aclmdlRIDestroy", aclmdlRIDestroy(graph_));
            *id = Id(memory);
            return code;
        };
        auto destroy = [this](uint64_t) { return aclmdlRIDestroy(graph_); };
        families_.push_back({"a graph", PORTACL_MEMORY_GRAPH, 0, allocate, destroy});
        aclrtMemPoolProps props = PoolProps();
        props.location.type = ACL_MEM_LOCATION_TYPE_HOST;
        aclrtMemPool handle = nullptr;
        if (aclrtMemPoolCreate(&handle, &props) != ACL_SUCCESS) {
            TakeText();
            return;
        }
        ACL_EXPECT_OK(aclrtMemPoolDestroy(handle));
        host_pool_ = std::make_unique<MemPool>(props);
        families_.push_back(OfPool("a pool on the host", kHost, *host_pool_, stream));
    }

    std::unique_ptr<Stream> stream_;
    std::unique_ptr<MemPool> pool_, host_pool_;
    aclmdlRI graph_ = nullptr;
};

// The events of one malloc and one free of `size` bytes.
void ExpectOneSize(const std::vector<HookCall>& calls, size_t size, size_t rounded, bool is_pool) {
    EXPECT_GE(rounded, size);
    int mallocs = 0, frees = 0;
    for (const HookCall& one : calls) {
        SCOPED_TRACE(one.what);
        if (one.what == "after malloc") ++mallocs;
        if (one.what == "after free") ++frees;
        // A pool allocates segments.
        if (is_pool && one.what.find(" alloc") != std::string::npos)
            EXPECT_GE(one.event.roundedSize, rounded);
        else
            EXPECT_EQ(one.event.roundedSize, rounded);
    }
    EXPECT_EQ(mallocs, 1);
    EXPECT_EQ(frees, 1);
}

TEST_F(MemoryHookSize, IsTheSameAtMallocAndFreeAndInStatisticsAndSnapshot) {
    ForEach(kSizes, [this](const Family& family, size_t size) {
        const uint64_t bytes = Stats(family.device, family.kind).currentBytes;
        const uint64_t used = family.used ? family.used() : 0;
        Recorder hook(call_log, "one");
        uint64_t id = 0;
        ACL_OK(Allocate(family, size, &id));
        const uint64_t taken = Stats(family.device, family.kind).currentBytes - bytes;
        const uint64_t taken_of_pool = family.used ? family.used() - used : taken;
        uint64_t listed = 0;
        for (const auto& live : LiveMemory(family.kind))
            if (Id(live.ptr) == id || (live.ptr == nullptr && live.deviceId == family.device))
                listed += live.roundedSize;
        ACL_OK(family.release(id));
        const auto calls = call_log.Take();
        ASSERT_FALSE(calls.empty());
        const size_t rounded = calls[0].event.roundedSize;
        ExpectOneSize(calls, size, rounded, family.kind == PORTACL_MEMORY_POOL || family.kind == PORTACL_MEMORY_GRAPH);
        EXPECT_EQ(taken, rounded);
        EXPECT_EQ(taken_of_pool, rounded);
        EXPECT_EQ(listed, rounded);
        EXPECT_EQ(Stats(family.device, family.kind).currentBytes, bytes);
    });
}

TEST_F(MemoryHookSize, IsTheSameForReusedMemory) {
    // The request may be served from memory that was just freed.
    ForEach(kFewSizes, [this](const Family& family, size_t size) {
        const size_t rounded = RoundedSize(family, size);
        for (int round = 0; round < 3; ++round) EXPECT_EQ(RoundedSize(family, size), rounded);
    });
}

// A request that is larger than all memory of its place is a malloc that fails, for every kind of memory.
TEST_F(MemoryHookSize, ARequestLargerThanAllMemoryIsReported) {
    for (const Family& family : families_) {
        for (const size_t size : {size_t{1} << 62, size_t{1} << 63, SIZE_MAX}) {
            SCOPED_TRACE(family.name + ", " + std::to_string(size) + " bytes");
            const uint64_t failures = Stats(family.device, family.kind).failures;
            Recorder hook(call_log, "one");
            uint64_t id = 0;
            const aclError code = family.allocate(size, &id);
            // CUDA's pools do not report which memory is exhausted.
            const bool is_host = family.device == kHost && (OnCpu() || family.kind != PORTACL_MEMORY_POOL);
            EXPECT_EQ(code, is_host ? ACL_ERROR_BAD_ALLOC : ACL_ERROR_RT_MEMORY_ALLOCATION);
            EXPECT_TRUE(Says({is_host || family.device != kHost ? std::to_string(size) : ""}));
            const auto calls = call_log.Take();
            ASSERT_TRUE(calls.size() >= 2 && calls.size() % 2 == 0);
            EXPECT_EQ(calls.front().what, "before malloc");
            EXPECT_EQ(calls.front().event.size, size);
            EXPECT_EQ(calls.back().what, "after malloc");
            EXPECT_TRUE(calls.back().event.failed && !calls.back().event.ptr);
            EXPECT_EQ(Stats(family.device, family.kind).failures, failures + 1);
        }
    }
}

TEST_F(MemoryHookSize, IsTheSizeThatALimitCounts) {
    ForEach(kFewSizes, [this](const Family& family, size_t size) {
        const size_t rounded = RoundedSize(family, size);
        uint64_t id = 0;
        if (rounded > 1) {
            const portacl::LimitHook limit(rounded - 1);
            EXPECT_EQ(family.allocate(size, &id), ACL_ERROR_RT_MEMORY_ALLOCATION);
            EXPECT_TRUE(Says({"LimitHook", std::to_string(rounded)}));
        }
        const portacl::LimitHook limit(rounded);
        for (int round = 0; round < 2; ++round) {
            ACL_OK(Allocate(family, size, &id));
            ACL_OK(family.release(id));
        }
    });
}

TEST_F(MemoryHookSize, IsTheSizeThatAProfileCounts) {
    ForEach(kFewSizes, [this](const Family& family, size_t size) {
        const size_t rounded = RoundedSize(family, size);
        const portacl::LineProfileHook hook(0, portacl::HookScope::thread);
        uint64_t id = 0;
        ACL_OK(Allocate(family, size, &id));
        ACL_OK(family.release(id));
        portaclMemoryProfileNode root{};
        root.structSize = sizeof root;
        size_t count = 0;
        ACL_OK(portaclMemoryHookProfile(hook.get(), &root, 1, &count));
        EXPECT_EQ(root.mallocBytes, rounded);
    });
}

TEST_F(MemoryHookSize, IsTheSizeThatBuiltInHooksWrite) {
    ForEach(kFewSizes, [this](const Family& family, size_t size) {
        const size_t rounded = RoundedSize(family, size);
        for (const bool logs : {false, true}) {
            {
                const BuiltInHook hook((logs ? portaclMemoryHookRegisterLogging : portaclMemoryHookRegisterDebugPrint),
                                       path_);
                uint64_t id = 0;
                ACL_OK(Allocate(family, size, &id));
                ACL_OK(family.release(id));
            }
            EXPECT_EQ(NumbersAfter(logs ? "\"rounded\": " : "\"mem_size\":"), (std::vector<size_t>{rounded, rounded}));
        }
    });
}

struct SizedExport {
    KeyText key;
    ExportData pointer;
    uint64_t physical;
};

// Exports memory of each size, one after the other.
void Exporter(Connection& parent) {
    const Session session;
    {
        const SharedPool pool;
        {
            const Descriptor descriptor(pool.Export());
            parent.Send(0, descriptor);
        }
        for (const size_t size : kSizes) {
            // Keys only export whole pages.
            const DeviceMemory memory(std::max<size_t>(size, 4096));
            const PhysicalMemory physical(size);
            void* const block = pool.Malloc(size);
            SizedExport offer{ExportKey(memory.At(), size), ExportPointer(block), 0};
            ExpectOk("aclrtMemExportToShareableHandle",
                     aclrtMemExportToShareableHandle(physical, ACL_MEM_HANDLE_TYPE_NONE, kAnyone, &offer.physical));
            parent.Send(offer);
            parent.Await(1);
            CloseKey(offer.key);
            FreeAndWait(block);
        }
        parent.Await(2);
    }
}

// For memory that another process has exported: what `allocate` and `release` do reports one size.
void ExpectOneSizeOfAnImport(const std::function<uint64_t()>& allocate, const std::function<void(uint64_t)>& release) {
    CallLog call_log;
    Recorder hook(call_log, "importer");
    const uint64_t id = allocate();
    const uint64_t bytes = Stats(0, PORTACL_MEMORY_IMPORTED).currentBytes;
    uint64_t listed = 0;
    for (const auto& live : LiveMemory(PORTACL_MEMORY_IMPORTED)) listed += live.roundedSize;
    release(id);
    const auto calls = call_log.Take();
    ASSERT_FALSE(calls.empty());
    const size_t rounded = calls[0].event.roundedSize;
    ExpectOneSize(calls, 1, rounded, false);
    EXPECT_EQ(bytes, rounded);
    EXPECT_EQ(listed, rounded);
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_IMPORTED).currentBytes, 0u);
}

}  // namespace

TWO_PROCESS_TEST(MemoryHookSizeImported, IsTheSameEverywhere, Exporter) {
    const Session session;
    Peer peer;
    int descriptor = -1;
    peer.Receive<int>(&descriptor);
    {
        const SharedPool pool = SharedPool::Import(descriptor);
        for (const size_t size : kSizes) {
            SCOPED_TRACE(size);
            const auto offer = peer.Receive<SizedExport>();
            ExpectOneSizeOfAnImport([&] { return Id(ImportKey(offer.key)); }, [&](uint64_t) { CloseKey(offer.key); });
            ExpectOneSizeOfAnImport([&] { return Id(ImportPointer(pool, offer.pointer)); },
                                    [&](uint64_t id) { FreeAndWait(Pointer(id)); });
            ExpectOneSizeOfAnImport(
                [&] {
                    aclrtDrvMemHandle memory = nullptr;
                    ExpectOk("aclrtMemImportFromShareableHandle",
                             aclrtMemImportFromShareableHandle(offer.physical, 0, &memory));
                    return Id(memory);
                },
                [](uint64_t id) {
                    ExpectOk("aclrtFreePhysical", aclrtFreePhysical(static_cast<aclrtDrvMemHandle>(Pointer(id))));
                });
            peer.Signal(1);
        }
    }
    peer.Signal(2);
    peer.Join();
}

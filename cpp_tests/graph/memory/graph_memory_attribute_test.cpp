// Memory of graphs: pool memory of captured streams is in no attribute of the pools, has its own
// attributes, and is its own kind in statistics, snapshots and hooks.

#include "support/graph/memory.h"

#include <portacl/portacl.hpp>

#include <string>
#include <vector>

#include "support/graph/graph.h"
#include "support/memory/hook_recorder.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
constexpr size_t kSize = 3 * kMiB;

class GraphMemoryAttribute : public WithDevice {
  protected:
    // A graph that allocates from a pool and frees the memory.
    Graph Capture(aclrtMemPool pool, size_t size = kSize, void** memory = nullptr, bool frees = true) {
        return portacl_test::Capture(stream_.get(), [&] {
            void* taken = nullptr;
            ACL_OK(aclrtMemPoolMallocAsync(&taken, size, pool, stream_.get()));
            ACL_OK(aclrtMemsetAsync(taken, size, 1, size, stream_.get()));
            if (frees) {
                ACL_OK(aclrtMemPoolFreeAsync(taken, stream_.get()));
            }
            if (memory) *memory = taken;
        });
    }

    void SetUp() override {
        WithDevice::SetUp();
        if (!HasFatalFailure()) stream_.Create();
    }
    void TearDown() override {
        stream_.Destroy();
        WithDevice::TearDown();
    }

    void Run(const Graph& graph) {
        ACL_EXPECT_OK(aclmdlRIExecuteAsync(graph, stream_.get()));
        Synchronize(stream_.get());
    }

    // A stream that is destroyed before the device is reset.
    class Lane {
      public:
        void Create() { ACL_EXPECT_OK(aclrtCreateStream(&stream_)); }
        void Destroy() {
            if (stream_) {
                ACL_EXPECT_OK(aclrtDestroyStream(stream_));
            }
            stream_ = nullptr;
        }
        aclrtStream get() const { return stream_; }

      private:
        aclrtStream stream_ = nullptr;
    };
    Lane stream_;
};

// All counters of a pool.
std::vector<uint64_t> Numbers(aclrtMemPool pool) {
    std::vector<uint64_t> numbers;
    for (const auto attribute : {ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH,
                                 ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH})
        numbers.push_back(PoolAttribute(pool, attribute));
    return numbers;
}

portaclMemoryStats Stats(portaclMemoryKind kind, int32_t device = 0) {
    auto stats = Poison<portaclMemoryStats>();
    stats.structSize = sizeof stats;
    ExpectOk("portaclMemoryGetStats", portaclMemoryGetStats(device, kind, &stats));
    return stats;
}

TEST_F(GraphMemoryAttribute, IsInNoAttributeOfThePool) {
    const MemPool pool;
    void* const own = pool.Allocate(kSize, stream_.get());
    const auto before = Numbers(pool);
    const auto of_pools = Stats(PORTACL_MEMORY_POOL);
    {
        const Graph graph = Capture(pool);
        EXPECT_EQ(Numbers(pool), before);
        EXPECT_GE(GraphUsed(), kSize);
        EXPECT_GE(GraphReserved(), GraphUsed());
        Run(graph);
        EXPECT_EQ(Numbers(pool), before);
    }
    EXPECT_EQ(GraphUsedAtLast(), 0u);
    EXPECT_EQ(Numbers(pool), before);
    const auto of_pools_now = Stats(PORTACL_MEMORY_POOL);
    EXPECT_EQ(of_pools_now.totalCount, of_pools.totalCount);
    EXPECT_EQ(of_pools_now.reservedBytes, of_pools.reservedBytes);
    Free(own, stream_.get());
    Synchronize(stream_.get());
}

TEST_F(GraphMemoryAttribute, CountsFromTheCaptureUntilTheGraphIsDestroyed) {
    const MemPool pool;
    EXPECT_EQ(GraphUsed() + GraphUsedHigh() + GraphReserved() + GraphReservedHigh(), 0u);
    uint64_t of_one = 0;
    {
        const Graph first = Capture(pool);
        of_one = GraphUsed();
        if (IsExact()) {
            EXPECT_EQ(of_one, kSize);
        }
        {
            const Graph second = Capture(pool);
            EXPECT_EQ(GraphUsed(), 2 * of_one);
            EXPECT_EQ(GraphUsedHigh(), 2 * of_one);
            Run(second);
            EXPECT_EQ(GraphUsed(), 2 * of_one);
        }
        EXPECT_EQ(GraphUsed(), of_one);
        EXPECT_EQ(GraphUsedHigh(), 2 * of_one);
    }
    EXPECT_EQ(GraphUsedAtLast(), 0u);
    EXPECT_GE(GraphReservedHigh(), 2 * of_one);
}

TEST_F(GraphMemoryAttribute, CountsUntilItIsFreedIfTheGraphIsDestroyedBefore) {
    const MemPool pool;
    void* memory = nullptr;
    {
        const Graph graph = Capture(pool, kSize, &memory, false);
        Run(graph);
    }
    EXPECT_GE(GraphUsed(), kSize);
    EXPECT_EQ(Used(pool), 0u);
    Free(memory, stream_.get());
    Synchronize(stream_.get());
    EXPECT_EQ(GraphUsedAtLast(), 0u);
}

TEST_F(GraphMemoryAttribute, IsCachedForLaterGraphsUntilItIsTrimmed) {
    const MemPool pool;
    { const Graph graph = Capture(pool); }
    EXPECT_EQ(GraphUsedAtLast(), 0u);
    const uint64_t kept = GraphReserved();
    EXPECT_GE(kept, kSize);
    {
        const Graph graph = Capture(pool);
        EXPECT_EQ(GraphReserved(), kept);
        // Memory of live graphs stays.
        ACL_OK(portaclDeviceGraphMemTrim(0));
        EXPECT_GE(GraphReserved(), kSize);
        Run(graph);
    }
    EXPECT_EQ(GraphUsedAtLast(), 0u);
    ACL_OK(portaclDeviceGraphMemTrim(0));
    EXPECT_EQ(GraphReserved(), 0u);
    EXPECT_GE(GraphReservedHigh(), kept);
}

TEST_F(GraphMemoryAttribute, ResettingAPeakSetsItToTheCurrentValue) {
    const MemPool pool;
    { const Graph graph = Capture(pool, 2 * kSize); }
    const Graph graph = Capture(pool);
    EXPECT_GE(GraphUsedHigh(), 2 * kSize);
    ACL_OK(portaclDeviceSetGraphMemAttribute(0, PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH, 0));
    ACL_OK(portaclDeviceSetGraphMemAttribute(0, PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, 0));
    EXPECT_EQ(GraphUsedHigh(), GraphUsed());
    EXPECT_EQ(GraphReservedHigh(), GraphReserved());
}

TEST_F(GraphMemoryAttribute, TheLimitOfAPoolIsNotThatOfGraphs) {
    const MemPool pool(PoolProps(0, 2 * kMiB));
    const Graph graph = Capture(pool, 64 * kMiB);
    EXPECT_GE(GraphUsed(), 64 * kMiB);
    Run(graph);
}

TEST_F(GraphMemoryAttribute, OutlivesItsPool) {
    void* memory = nullptr;
    const MemPool* pool = new MemPool;
    const Graph graph = Capture(*pool, kSize, &memory, false);
    delete pool;
    EXPECT_GE(GraphUsed(), kSize);
    Run(graph);
    ACL_OK(aclrtFree(memory));
    EXPECT_GE(GraphUsed(), kSize);
}

TEST_F(GraphMemoryAttribute, IsAKindInStatisticsAndSnapshots) {
    const MemPool pool;
    void* memory = nullptr;
    {
        const Graph graph = Capture(pool, kSize, &memory);
        const auto stats = Stats(PORTACL_MEMORY_GRAPH);
        EXPECT_EQ(stats.currentBytes, kSize);
        EXPECT_EQ(stats.currentCount, 1u);
        EXPECT_EQ(stats.totalCount, 1u);
        EXPECT_EQ(stats.peakBytes, GraphUsedHigh());
        EXPECT_EQ(stats.reservedBytes, GraphReserved());
        EXPECT_EQ(stats.peakReservedBytes, GraphReservedHigh());
        EXPECT_EQ(stats.keptBytes, stats.reservedBytes - stats.currentBytes);
        size_t count = 0;
        ACL_OK(portaclMemoryListPools(0, nullptr, 0, &count));
        EXPECT_EQ(count, 1u);
        size_t live = 0;
        ACL_OK(portaclMemorySnapshot(nullptr, 0, &live));
        std::vector<portaclMemoryAllocation> all(live);
        for (auto& one : all) one.structSize = sizeof one;
        ACL_OK(portaclMemorySnapshot(all.data(), all.size(), &live));
        int found = 0;
        for (const auto& one : all) {
            if (one.ptr != memory) continue;
            ++found;
            EXPECT_EQ(one.kind, PORTACL_MEMORY_GRAPH);
            EXPECT_EQ(one.memPool, static_cast<aclrtMemPool>(pool));
            EXPECT_EQ(one.roundedSize, kSize);
        }
        EXPECT_EQ(found, 1);
        size_t sizes = 0;
        ACL_OK(portaclMemoryListPageSizes(0, PORTACL_MEMORY_GRAPH, nullptr, 0, &sizes));
        EXPECT_EQ(sizes, 1u);
    }
    EXPECT_EQ(GraphUsedAtLast(), 0u);
    EXPECT_EQ(Stats(PORTACL_MEMORY_GRAPH).currentBytes, 0u);
    ACL_OK(portaclMemoryResetPeak(0, PORTACL_MEMORY_GRAPH));
    EXPECT_EQ(Stats(PORTACL_MEMORY_GRAPH).peakBytes, 0u);
    EXPECT_EQ(GraphUsedHigh(), 0u);
}

TEST_F(GraphMemoryAttribute, OfHostPoolsIsHostMemory) {
    aclrtMemPoolProps props = PoolProps();
    props.location = {0, ACL_MEM_LOCATION_TYPE_HOST};
    const MemPool pool(props);
    aclrtMemAccessDesc access{};
    access.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    ACL_OK(portaclMemPoolSetAccess(pool, &access, 1));
    {
        const Graph graph = Capture(pool);
        Run(graph);
        EXPECT_EQ(Stats(PORTACL_MEMORY_GRAPH, -1).currentBytes, kSize);
        EXPECT_EQ(GraphUsed(), 0u);
        EXPECT_EQ(Used(pool), 0u);
    }
    EXPECT_EQ(Stats(PORTACL_MEMORY_GRAPH, -1).currentBytes, 0u);
    ACL_OK(portaclMemoryResetPeak(-1, PORTACL_MEMORY_GRAPH));
}

TEST_F(GraphMemoryAttribute, HooksReportItAsAKind) {
    const MemPool pool;
    CallLog call_log;
    std::vector<std::string> calls;
    {
        Recorder hook(call_log, "one");
        hook.also = [&](const std::string& what, const portaclMemoryEvent& event) -> aclError {
            // A segment is larger.
            if (what.find("alloc ") == std::string::npos && what.find(" alloc") == std::string::npos) {
                EXPECT_EQ(event.roundedSize, kSize) << what;
            }
            EXPECT_EQ(event.kind, PORTACL_MEMORY_GRAPH) << what;
            calls.push_back(what);
            return ACL_SUCCESS;
        };
        { const Graph graph = Capture(pool); }
        hook.also = nullptr;
    }
    (void)call_log.Take();
    ASSERT_GE(calls.size(), 4u);
    EXPECT_EQ(calls.front(), "before malloc");
    EXPECT_EQ(calls.back(), "after free");
    EXPECT_EQ(Used(pool), 0u);
    EXPECT_EQ(GraphUsedAtLast(), 0u);
}

// A graph cannot allocate what a hook refuses.
TEST_F(GraphMemoryAttribute, AHookMayRefuseIt) {
    const MemPool pool;
    CallLog call_log;
    Recorder hook(call_log, "one");
    hook.also = [&](const std::string& what, const portaclMemoryEvent&) -> aclError {
        return what == "before malloc" ? ACL_ERROR_BAD_ALLOC : ACL_SUCCESS;
    };
    ACL_OK(aclmdlRICaptureBegin(stream_.get(), ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    void* memory = nullptr;
    ACL_FAILS(ACL_ERROR_BAD_ALLOC, aclrtMemPoolMallocAsync(&memory, kSize, pool, stream_.get()));
    aclmdlRI graph = nullptr;
    ACL_OK(aclmdlRICaptureEnd(stream_.get(), &graph));
    ACL_OK(aclmdlRIDestroy(graph));
    EXPECT_EQ(GraphUsed(), 0u);
    hook.also = nullptr;
    (void)call_log.Take();
}

TEST_F(GraphMemoryAttribute, IsNotExported) {
    aclrtMemPoolProps props = PoolProps();
    props.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    const MemPool pool(props);
    void* memory = nullptr;
    const Graph graph = Capture(pool, kSize, &memory, false);
    Run(graph);
    portaclMemPoolPtrExportData data{};
    data.size = sizeof data;
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, portaclMemPoolExportPointer(&data, memory), "graph memory",
                     Shown(memory));
    Free(memory, stream_.get());
    Synchronize(stream_.get());
}

// Devices that may use the pool may use its graphs' memory, whether access was set before or after.
TEST_F(GraphMemoryAttribute, AccessIsThatOfItsPool) {
    int32_t can = 0;
    if (DeviceCount() < 2 || aclrtDeviceCanAccessPeer(&can, 0, 1) != 0 || !can)
        GTEST_SKIP() << "needs two devices that can use each other's memory";
    ACL_OK(aclrtSetDevice(1));
    const auto set_access = [](aclrtMemPool pool, aclrtMemAccessFlags flags) {
        aclrtMemAccessDesc desc{};
        desc.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
        desc.flags = flags;
        ACL_EXPECT_OK(portaclMemPoolSetAccess(pool, &desc, 1));
    };
    for (const bool before : {true, false}) {
        const MemPool pool(PoolProps(1));
        if (before) set_access(pool, ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
        void* memory = nullptr;
        {
            const Stream there;
            const Graph graph =
                portacl_test::Capture(there, [&] { ACL_OK(aclrtMemPoolMallocAsync(&memory, kSize, pool, there)); });
            ACL_OK(aclmdlRIExecuteAsync(graph, there));
            Synchronize(there);
            if (!before) set_access(pool, ACL_RT_MEM_ACCESS_FLAGS_READWRITE);
            ACL_OK(aclrtSetDevice(0));
            ACL_EXPECT_OK(aclrtMemsetAsync(memory, kSize, 1, kSize, stream_.get()));
            Synchronize(stream_.get());
            set_access(pool, ACL_RT_MEM_ACCESS_FLAGS_NONE);
            ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtMemsetAsync(memory, kSize, 1, kSize, stream_.get()),
                             "device 0");
            ACL_OK(aclrtSetDevice(1));
            ACL_OK(aclrtFree(memory));
        }
    }
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(GraphMemoryAttribute, WrongArgumentsAreRefused) {
    auto value = Poison<uint64_t>();
    constexpr auto kUsed = PORTACL_GRAPH_MEM_ATTR_USED_MEM_CURRENT;
    constexpr auto kHigh = PORTACL_GRAPH_MEM_ATTR_USED_MEM_HIGH;
    ACL_FAILS_SAYING(kInvalid, portaclDeviceGetGraphMemAttribute(0, kUsed, nullptr), "value");
    for (const int wrong : {-1, 4, 1000}) {
        const auto attribute = static_cast<portaclGraphMemAttr>(wrong);
        ACL_FAILS_SAYING(kInvalid, portaclDeviceGetGraphMemAttribute(0, attribute, &value),
                         "attr is " + std::to_string(wrong), "0 to 3");
        ACL_FAILS_SAYING(kInvalid, portaclDeviceSetGraphMemAttribute(0, attribute, 0),
                         "attr is " + std::to_string(wrong));
    }
    ACL_FAILS_SAYING(kInvalid, portaclDeviceSetGraphMemAttribute(0, kHigh, 1), "value is 1");
    for (const auto fixed : {kUsed, PORTACL_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT})
        ACL_FAILS_SAYING(kInvalid, portaclDeviceSetGraphMemAttribute(0, fixed, 0), "only be read");
    for (const int32_t no_device : {-1, static_cast<int32_t>(DeviceCount())}) {
        ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclDeviceGetGraphMemAttribute(no_device, kUsed, &value));
        ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclDeviceSetGraphMemAttribute(no_device, kHigh, 0));
        ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclDeviceGraphMemTrim(no_device));
    }
    if (DeviceCount() > 1) {
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, portaclDeviceGetGraphMemAttribute(1, kUsed, &value));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, portaclDeviceGraphMemTrim(1));
    }
    EXPECT_TRUE(IsPoison(value));
    // There was no capture yet.
    ACL_EXPECT_OK(portaclDeviceGraphMemTrim(0));
}

TEST_F(GraphMemoryAttribute, IsAvailableInCpp) {
    const portacl::Device device;
    const MemPool pool;
    { const Graph graph = Capture(pool); }
    EXPECT_EQ(GraphUsedAtLast(), 0u);
    const portacl::GraphMemory memory = device.graph_memory();
    EXPECT_EQ(memory.used, 0u);
    EXPECT_GE(memory.used_high, kSize);
    EXPECT_GE(memory.reserved, kSize);
    EXPECT_GE(memory.reserved_high, memory.reserved);
    device.trim_graph_memory();
    device.reset_graph_memory_highs();
    EXPECT_EQ(device.graph_memory().reserved_high, 0u);
    EXPECT_EQ(device.graph_memory().used_high, 0u);
}

}  // namespace

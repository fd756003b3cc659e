// Memory statistics stay exact whichever backend call fails.

#include <portacl/portacl.h>

#include <functional>
#include <string>

#include "process/memory_stats/stats.h"
#include "support/fault.h"
#include "support/objects.h"
#include "support/pool/mem_pool.h"

using namespace portacl_test;

namespace {

constexpr int32_t kHost = -1;

// Live bytes, all bytes ever allocated, and failed allocations.
struct Counts {
    uint64_t live, made, failed;
};

void Expect(int32_t device, portaclMemoryKind kind, const Counts& wanted, const char* when) {
    SCOPED_TRACE(when);
    const portaclMemoryStats stats = Stats(device, kind);
    EXPECT_EQ(stats.currentCount, wanted.live);
    EXPECT_EQ(stats.currentBytes != 0, wanted.live != 0);
    EXPECT_EQ(stats.totalCount, wanted.made);
    EXPECT_EQ(stats.failures, wanted.failed);
    EXPECT_LE(stats.currentBytes, stats.peakBytes);
}

void ExpectAgreement() {
    aclrtMemUsageInfo rows[2] = {};
    size_t count = 0, free = 0, total = 0;
    ExpectOk("aclrtGetMemUsageInfo", aclrtGetMemUsageInfo(0, rows, 2, &count));
    const auto device = Stats(0, PORTACL_MEMORY_DEVICE);
    const auto managed = Stats(0, PORTACL_MEMORY_MANAGED);
    EXPECT_EQ(rows[0].curMemSize, device.reservedBytes - device.keptBytes);
    EXPECT_EQ(rows[1].curMemSize, managed.reservedBytes);
    ExpectOk("aclrtGetMemInfo", aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    if (OnCpu()) {
        EXPECT_EQ(total - free, rows[0].curMemSize + rows[1].curMemSize);
    }
}

// A session in which calls fail.
void InASessionWith(const std::string& faults, const std::function<void()>& body) {
    SCOPED_TRACE(faults);
    const Fault fault(faults.c_str());
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    body();
    ExpectAgreement();
    // Memory that was not freed may fail again.
    aclFinalize();
    aclGetRecentErrMsg();
}

// The first calls of a fault site.
std::string All(const std::string& site, int calls) {
    std::string faults;
    for (int call = 1; call <= calls; ++call) faults += (call == 1 ? "" : ",") + site + ":" + std::to_string(call);
    return faults;
}

TEST(MemoryStatsFault, AFailedAllocationIsNotCounted) {
    InASessionWith("device.alloc:2,device.alloc_managed:1,driver.alloc_host:2", [] {
        const auto kind = PORTACL_MEMORY_DEVICE;
        void *one = nullptr, *two = nullptr, *host = nullptr, *managed = nullptr;
        ACL_OK(aclrtMalloc(&one, 5000, ACL_MEM_MALLOC_NORMAL_ONLY));
        EXPECT_NE(aclrtMalloc(&two, 6000, ACL_MEM_MALLOC_NORMAL_ONLY), ACL_SUCCESS);
        Expect(0, kind, {1, 1, 1}, "refused");
        ACL_OK(aclrtMalloc(&two, 6000, ACL_MEM_MALLOC_NORMAL_ONLY));
        Expect(0, kind, {2, 2, 1}, "another one");
        ACL_OK(aclrtFree(one));
        ACL_OK(aclrtFree(two));
        Expect(0, kind, {0, 2, 1}, "freed");
        ExpectAgreement();

        EXPECT_NE(aclrtMemAllocManaged(&managed, 10, ACL_RT_MEM_ATTACH_GLOBAL), ACL_SUCCESS);
        Expect(0, PORTACL_MEMORY_MANAGED, {0, 0, 1}, "managed, refused");
        ACL_OK(aclrtMemAllocManaged(&managed, 10, ACL_RT_MEM_ATTACH_GLOBAL));
        ACL_OK(aclrtFree(managed));
        Expect(0, PORTACL_MEMORY_MANAGED, {0, 1, 1}, "managed");

        ACL_OK(aclrtMallocHost(&host, 10));
        void* other = nullptr;
        EXPECT_NE(aclrtMallocHost(&other, 10), ACL_SUCCESS);
        Expect(kHost, PORTACL_MEMORY_PINNED, {1, 1, 1}, "host");
        ACL_OK(aclrtFreeHost(host));
        Expect(kHost, PORTACL_MEMORY_PINNED, {0, 1, 1}, "host, freed");
    });
}

// The address is invalid; the device has not received its memory.
TEST(MemoryStatsFault, AFailedReleaseIsReservedAndNotLive) {
    InASessionWith("device.free:1,device.free:2,driver.free_host:1", [] {
        void *device = nullptr, *managed = nullptr, *host = nullptr;
        ACL_OK(aclrtMalloc(&device, 5000, ACL_MEM_MALLOC_NORMAL_ONLY));
        ACL_OK(aclrtMemAllocManaged(&managed, 10, ACL_RT_MEM_ATTACH_GLOBAL));
        ACL_OK(aclrtMallocHost(&host, 10));
        const auto before = Stats(0, PORTACL_MEMORY_DEVICE);
        EXPECT_NE(aclrtFree(device), ACL_SUCCESS);
        Expect(0, PORTACL_MEMORY_DEVICE, {0, 1, 0}, "not freed");
        EXPECT_EQ(Stats(0, PORTACL_MEMORY_DEVICE).reservedBytes, before.reservedBytes);
        EXPECT_NE(aclrtFree(managed), ACL_SUCCESS);
        Expect(0, PORTACL_MEMORY_MANAGED, {0, 1, 0}, "managed");
        EXPECT_EQ(Stats(0, PORTACL_MEMORY_MANAGED).reservedBytes, 2 * kMiB);
        EXPECT_NE(aclrtFreeHost(host), ACL_SUCCESS);
        Expect(kHost, PORTACL_MEMORY_PINNED, {0, 1, 0}, "host");
        ExpectAgreement();
    });
}

// On CPUs a pool's segments fail, on CUDA its blocks.
TEST(MemoryStatsFault, AFailedPoolAllocationIsNotCounted) {
    InASessionWith(All("device.alloc", 8) + "," + All("pool.alloc", 2), [] {
        const Stream stream;
        const MemPool pool;
        void* memory = nullptr;
        EXPECT_NE(aclrtMemPoolMallocAsync(&memory, 1000, pool, stream), ACL_SUCCESS);
        Expect(0, PORTACL_MEMORY_POOL, {0, 0, 1}, "refused");
        EXPECT_EQ(Stats(0, PORTACL_MEMORY_POOL).reservedBytes, 0u);
        ExpectAgreement();
        uint64_t failed = 1;
        while (aclrtMemPoolMallocAsync(&memory, 1000, pool, stream) != ACL_SUCCESS && failed < 10) ++failed;
        Expect(0, PORTACL_MEMORY_POOL, {1, 1, failed}, "given at last");
        Free(memory, stream);
        Expect(0, PORTACL_MEMORY_POOL, {0, 1, failed}, "freed");
        ACL_OK(aclrtSynchronizeStream(stream));
        ExpectAgreement();
    });
}

TEST(MemoryStatsFault, AFailedSharedPoolAllocationIsNotCounted) {
    InASessionWith(All("shared_memory.alloc", 8), [] {
        aclrtMemPoolProps props = PoolProps();
        props.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
        aclrtMemPool handle = nullptr;
        if (aclrtMemPoolCreate(&handle, &props) != ACL_SUCCESS) return;
        const Stream stream;
        void* memory = nullptr;
        uint64_t failed = 0;
        while (aclrtMemPoolMallocAsync(&memory, 1000, handle, stream) != ACL_SUCCESS && failed < 10)
            Expect(0, PORTACL_MEMORY_POOL, {0, 0, ++failed}, "refused");
        EXPECT_EQ(failed != 0, OnCpu());
        Expect(0, PORTACL_MEMORY_POOL, {1, 1, failed}, "given");
        Free(memory, stream);
        ACL_OK(aclrtMemPoolDestroy(handle));
        Expect(0, PORTACL_MEMORY_POOL, {0, 1, failed}, "gone");
    });
}

// A free without a position in its stream did not take place; a free that a driver refuses did.
TEST(MemoryStatsFault, AFailedFreeOfPoolMemory) {
    InASessionWith("stream.mark:1,pool.free:1,pool.free_now:1", [] {
        const Stream stream;
        const MemPool pool;
        void* one = pool.Allocate(1000, stream);
        void* two = pool.Allocate(1000, stream);
        EXPECT_NE(aclrtMemPoolFreeAsync(one, stream), ACL_SUCCESS);
        Expect(0, PORTACL_MEMORY_POOL, {OnCpu() ? 2u : 1u, 2, 0}, "free async");
        const aclError freed = aclrtFree(two);
        EXPECT_EQ(freed == ACL_SUCCESS, OnCpu());
        Expect(0, PORTACL_MEMORY_POOL, {OnCpu() ? 1u : 0u, 2, 0}, "free");
        if (OnCpu()) Free(one, stream);
        ExpectAgreement();
    });
}

// Segments that the device fails to free are not counted for the pool.
TEST(MemoryStatsFault, AFailedReleaseOfASegment) {
    InASessionWith("device.free:1,pool.trim:1", [] {
        const Stream stream;
        const MemPool pool;
        Free(pool.Allocate(1000, stream), stream);
        ACL_OK(aclrtSynchronizeStream(stream));
        aclrtMemPoolTrimTo(pool, 0);
        Expect(0, PORTACL_MEMORY_POOL, {0, 1, 0}, "trimmed");
        ExpectAgreement();
        Free(pool.Allocate(1000, stream), stream);
        Expect(0, PORTACL_MEMORY_POOL, {0, 2, 0}, "again");
        ExpectAgreement();
    });
}

// A driver's failed query does not count as zero: the call fails, and the next one succeeds.
TEST(MemoryStatsFault, AQueryOfADriverMayFail) {
    InASessionWith("pool.get:1,pool.set:1", [] {
        const Stream stream;
        const MemPool pool;
        Free(pool.Allocate(1000, stream), stream);
        portaclMemoryStats stats{};
        stats.structSize = sizeof stats;
        EXPECT_EQ(portaclMemoryGetStats(0, PORTACL_MEMORY_POOL, &stats) == ACL_SUCCESS, OnCpu());
        EXPECT_EQ(portaclMemoryResetPeak(0, PORTACL_MEMORY_POOL) == ACL_SUCCESS, OnCpu());
        Expect(0, PORTACL_MEMORY_POOL, {0, 1, 0}, "asked again");
        ACL_OK(portaclMemoryResetPeak(0, PORTACL_MEMORY_POOL));
    });
}

}  // namespace

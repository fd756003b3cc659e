// Memory statistics, with the checks that always hold.
#pragma once

#include <portacl/portacl.h>

#include <cstdlib>
#include <vector>

#include "support/objects.h"

namespace portacl_test {

constexpr int32_t kHost = -1;

inline portaclMemoryStats Stats(int32_t device, portaclMemoryKind kind) {
    auto stats = Poison<portaclMemoryStats>();
    stats.structSize = sizeof stats;
    ExpectOk("portaclMemoryGetStats", portaclMemoryGetStats(device, kind, &stats));
    EXPECT_EQ(stats.structSize, sizeof stats);
    EXPECT_LE(stats.currentBytes, stats.peakBytes);
    EXPECT_LE(stats.currentCount, stats.peakCount);
    EXPECT_LE(stats.peakBytes, stats.totalBytes);
    EXPECT_LE(stats.currentCount, stats.totalCount);
    EXPECT_LE(stats.reservedBytes, stats.peakReservedBytes);
    EXPECT_LE(stats.currentBytes, stats.reservedBytes);
    return stats;
}

inline std::vector<portaclMemoryPoolStats> Pools(int32_t device) {
    size_t count = 0;
    ExpectOk("portaclMemoryListPools", portaclMemoryListPools(device, nullptr, 0, &count));
    std::vector<portaclMemoryPoolStats> pools(count + 1);
    pools[0].structSize = sizeof pools[0];
    ExpectOk("portaclMemoryListPools", portaclMemoryListPools(device, pools.data(), pools.size(), &count));
    pools.resize(count);
    for (const auto& pool : pools) {
        EXPECT_EQ(pool.structSize, sizeof pool);
        EXPECT_EQ(pool.stats.structSize, sizeof pool.stats);
    }
    return pools;
}

inline std::vector<portaclMemoryPageStats> PageSizes(int32_t device, portaclMemoryKind kind) {
    std::vector<portaclMemoryPageStats> sizes(4);
    sizes[0].structSize = sizeof sizes[0];
    size_t count = 0;
    ExpectOk("portaclMemoryListPageSizes",
             portaclMemoryListPageSizes(device, kind, sizes.data(), sizes.size(), &count));
    sizes.resize(count);
    return sizes;
}

inline size_t Rounded(void* memory) {
    void* base = nullptr;
    size_t length = 0;
    ExpectOk("aclrtMemGetAddressRange", aclrtMemGetAddressRange(memory, &base, &length));
    return length;
}

// Other functions of the API return the same numbers.
inline void ExpectAgreement(int32_t device = 0) {
    aclrtMemUsageInfo rows[2] = {};
    size_t count = 0, free = 0, total = 0;
    ExpectOk("aclrtGetMemUsageInfo", aclrtGetMemUsageInfo(device, rows, 2, &count));
    const auto ordinary = Stats(device, PORTACL_MEMORY_DEVICE);
    const auto managed = Stats(device, PORTACL_MEMORY_MANAGED);
    EXPECT_EQ(rows[0].curMemSize, ordinary.reservedBytes - ordinary.keptBytes);
    EXPECT_EQ(rows[0].memPeakSize, ordinary.peakReservedBytes);
    EXPECT_EQ(rows[1].curMemSize, managed.reservedBytes);
    EXPECT_EQ(rows[1].memPeakSize, managed.peakReservedBytes);
    ExpectOk("aclrtGetMemInfo", aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    const uint64_t taken = ordinary.reservedBytes - ordinary.keptBytes + managed.reservedBytes;
    if (OnCpu())
        EXPECT_EQ(total - free, taken);
    else  // The driver uses some memory; managed memory may be on the host.
        EXPECT_GE(total - free, ordinary.reservedBytes);
}

class MemoryStats : public WithDevice {};

}  // namespace portacl_test

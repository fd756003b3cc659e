// Memory statistics of pools.

#include <portacl/portacl.h>

#include "process/memory_stats/stats.h"
#include "support/objects.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

TEST_F(MemoryStats, OfPools) {
    const Stream stream;
    aclrtMemPool pool = nullptr, second = nullptr;
    const aclrtMemPoolProps props = PoolProps();
    ACL_OK(aclrtMemPoolCreate(&pool, &props));
    ACL_OK(aclrtMemPoolCreate(&second, &props));
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_POOL).totalCount, 0u);
    void *one = nullptr, *two = nullptr, *three = nullptr;
    ACL_OK(aclrtMemPoolMallocAsync(&one, 1000, pool, stream));
    ACL_OK(aclrtMemPoolMallocAsync(&two, 5000, pool, stream));
    ACL_OK(aclrtMemPoolMallocAsync(&three, 3 * kMiB, second, stream));
    const uint64_t bytes[] = {Rounded(one), Rounded(two), Rounded(three)};
    const auto all = Stats(0, PORTACL_MEMORY_POOL);
    EXPECT_EQ(all.currentCount, 3u);
    EXPECT_EQ(all.currentBytes, bytes[0] + bytes[1] + bytes[2]);
    EXPECT_EQ(all.totalBytes, all.currentBytes);
    EXPECT_EQ(all.peakBytes, all.currentBytes);
    EXPECT_EQ(all.keptBytes, all.reservedBytes - all.currentBytes);
    ExpectAgreement();

    auto pools = Pools(0);
    ASSERT_EQ(pools.size(), 2u);
    if (pools[0].memPool != pool) std::swap(pools[0], pools[1]);
    EXPECT_EQ(pools[0].memPool, pool);
    EXPECT_EQ(pools[1].memPool, second);
    EXPECT_EQ(pools[0].stats.currentBytes, bytes[0] + bytes[1]);
    EXPECT_EQ(pools[0].stats.currentCount, 2u);
    EXPECT_EQ(pools[1].stats.currentBytes, bytes[2]);
    EXPECT_EQ(pools[0].isDestroyed, 0);
    EXPECT_EQ(pools[0].isImported, 0);
    EXPECT_EQ(pools[0].stats.reservedBytes, Reserved(pool));

    ACL_OK(aclrtMemPoolFreeAsync(one, stream));
    ACL_OK(aclrtFree(two));
    ACL_OK(aclrtMemPoolFreeAsync(three, stream));
    // On CUDA the driver's numbers change when the frees complete.
    ACL_OK(aclrtSynchronizeStream(stream));
    const auto empty = Stats(0, PORTACL_MEMORY_POOL);
    EXPECT_EQ(empty.currentBytes, 0u);
    EXPECT_EQ(empty.currentCount, 0u);
    EXPECT_EQ(empty.peakCount, 3u);
    ACL_OK(portaclMemoryResetPeak(0, PORTACL_MEMORY_POOL));
    const auto reset = Stats(0, PORTACL_MEMORY_POOL);
    EXPECT_EQ(reset.peakBytes, 0u);
    EXPECT_EQ(reset.peakCount, 0u);
    EXPECT_EQ(reset.peakReservedBytes, reset.reservedBytes);
    EXPECT_EQ(PoolAttribute(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH), 0u);
    ACL_OK(aclrtMemPoolDestroy(pool));
    ACL_OK(aclrtMemPoolDestroy(second));
    EXPECT_TRUE(Pools(0).empty());
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_POOL).totalCount, 3u);
    ExpectAgreement();
}

// A destroyed pool is listed until its memory is freed; its totals remain.
TEST_F(MemoryStats, OfDestroyedPools) {
    const Stream stream;
    aclrtMemPool pool = nullptr, second = nullptr;
    const aclrtMemPoolProps props = PoolProps();
    ACL_OK(aclrtMemPoolCreate(&pool, &props));
    ACL_OK(aclrtMemPoolCreate(&second, &props));
    void *one = nullptr, *two = nullptr;
    ACL_OK(aclrtMemPoolMallocAsync(&one, 1000, pool, stream));
    ACL_OK(aclrtMemPoolMallocAsync(&two, 3 * kMiB, second, stream));
    const uint64_t rest = Rounded(one);
    const auto all = Stats(0, PORTACL_MEMORY_POOL);
    ACL_OK(aclrtMemPoolDestroy(second));
    const auto pools = Pools(0);
    ASSERT_EQ(pools.size(), 2u);
    EXPECT_EQ(pools[0].isDestroyed + pools[1].isDestroyed, 1);
    ACL_OK(aclrtMemPoolFreeAsync(two, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ASSERT_EQ(Pools(0).size(), 1u);
    const auto left = Stats(0, PORTACL_MEMORY_POOL);
    EXPECT_EQ(left.currentBytes, rest);
    EXPECT_EQ(left.totalBytes, all.totalBytes);
    EXPECT_EQ(left.totalCount, 2u);
    EXPECT_EQ(left.peakBytes, all.peakBytes);
    ACL_OK(aclrtMemPoolFreeAsync(one, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtMemPoolDestroy(pool));
    EXPECT_TRUE(Pools(0).empty());
}

TEST_F(MemoryStats, OfFailedPoolAllocations) {
    const Stream stream;
    aclrtMemPoolProps props = PoolProps();
    props.maxSize = 2 * kMiB;
    aclrtMemPool pool = nullptr;
    ACL_OK(aclrtMemPoolCreate(&pool, &props));
    void* memory = nullptr;
    EXPECT_NE(aclrtMemPoolMallocAsync(&memory, 64 * kMiB, pool, stream), ACL_SUCCESS);
    EXPECT_NE(aclrtMemPoolMallocAsync(&memory, 0, pool, stream), ACL_SUCCESS);
    const auto stats = Stats(0, PORTACL_MEMORY_POOL);
    EXPECT_EQ(stats.failures, 1u);
    EXPECT_EQ(stats.totalCount, 0u);
    EXPECT_EQ(Pools(0).at(0).stats.failures, 1u);
    ACL_OK(aclrtMemPoolDestroy(pool));
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_POOL).failures, 1u);
    aclGetRecentErrMsg();
}

TEST_F(MemoryStats, OfPoolsInHostMemory) {
    aclrtMemPoolProps props = PoolProps();
    props.location.type = ACL_MEM_LOCATION_TYPE_HOST;
    props.location.id = 0;
    aclrtMemPool pool = nullptr;
    if (aclrtMemPoolCreate(&pool, &props) != ACL_SUCCESS) GTEST_SKIP() << "for CPUs only: " << TakeText();
    const Stream stream;
    const auto before = Stats(kHost, PORTACL_MEMORY_POOL);
    void* memory = nullptr;
    ACL_OK(aclrtMemPoolMallocAsync(&memory, 1000, pool, stream));
    const auto with = Stats(kHost, PORTACL_MEMORY_POOL);
    EXPECT_EQ(with.currentCount, before.currentCount + 1);
    EXPECT_EQ(with.currentBytes, before.currentBytes + Rounded(memory));
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_POOL).totalCount, 0u);
    EXPECT_EQ(Pools(kHost).size(), 1u);
    EXPECT_TRUE(Pools(0).empty());
    EXPECT_EQ(PageSizes(kHost, PORTACL_MEMORY_POOL).size(), 1u);
    ACL_OK(aclrtMemPoolFreeAsync(memory, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(Stats(kHost, PORTACL_MEMORY_POOL).currentBytes, before.currentBytes);
    ACL_OK(portaclMemoryResetPeak(kHost, PORTACL_MEMORY_POOL));
    ACL_OK(aclrtMemPoolDestroy(pool));
}

}  // namespace

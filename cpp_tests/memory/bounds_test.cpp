// Each pointer null, and sizes of zero or too large, for calls of every kind: the same code, the
// name of the argument in the text, and nothing written.

#include <limits>

#include "support/memory/managed_memory.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kBad = ACL_ERROR_INVALID_PARAM;
constexpr aclError kPast = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclError kFull = ACL_ERROR_RT_MEMORY_ALLOCATION;
constexpr size_t kSize = 4096, kMost = std::numeric_limits<size_t>::max();
constexpr auto kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;
constexpr auto kUp = ACL_MEMCPY_HOST_TO_DEVICE;

class Bounds : public WithDevice {};

}  // namespace

TEST_F(Bounds, NullEvents) {
    Event event;
    auto ms = Poison<float>();
    auto status = Poison<aclrtEventRecordedStatus>();
    ACL_FAILS_SAYING(kBad, aclrtCreateEvent(nullptr), "event is null");
    ACL_FAILS_SAYING(kBad, aclrtCreateEventWithFlag(nullptr, ACL_EVENT_SYNC), "event is null");
    ACL_FAILS_SAYING(kBad, aclrtCreateEventExWithFlag(nullptr, ACL_EVENT_SYNC), "event is null");
    ACL_FAILS_SAYING(kBad, aclrtDestroyEvent(nullptr), "event is null");
    ACL_FAILS_SAYING(kBad, aclrtEventElapsedTime(&ms, nullptr, event), "startEvent is null");
    ACL_FAILS_SAYING(kBad, aclrtEventElapsedTime(&ms, event, nullptr), "endEvent is null");
    ACL_FAILS_SAYING(kBad, aclrtEventElapsedTime(nullptr, event, event), "ms is null");
    ACL_FAILS_SAYING(kBad, aclrtQueryEventStatus(nullptr, &status), "event is null");
    ACL_FAILS_SAYING(kBad, aclrtQueryEventStatus(event, nullptr), "status is null");
    ACL_FAILS_SAYING(kBad, aclrtSynchronizeEvent(nullptr), "event is null");
    ACL_FAILS_SAYING(kBad, aclrtSynchronizeEventWithTimeout(nullptr, 1), "event is null");
    ACL_FAILS_SAYING(kBad, aclrtStreamWaitEvent(nullptr, nullptr), "event is null");
    ACL_FAILS_SAYING(kBad, aclrtStreamWaitEventWithTimeout(nullptr, nullptr, 1), "event is null");
    EXPECT_TRUE(IsPoison(ms) && IsPoison(status));
}

TEST_F(Bounds, NullOutputsForIds) {
    ACL_FAILS_SAYING(kBad, aclrtGetLogicDevIdByUserDevId(0, nullptr), "logicDevId is null");
    ACL_FAILS_SAYING(kBad, aclrtGetLogicDevIdByPhyDevId(0, nullptr), "logicDevId is null");
    ACL_FAILS_SAYING(kBad, aclrtGetUserDevIdByLogicDevId(0, nullptr), "userDevid is null");
    ACL_FAILS_SAYING(kBad, aclrtGetUserDevIdByPhyDevId(0, nullptr), "userDevId is null");
    ACL_FAILS_SAYING(kBad, aclrtGetPhyDevIdByLogicDevId(0, nullptr), "phyDevId is null");
    ACL_FAILS_SAYING(kBad, aclrtGetPhyDevIdByUserDevId(0, nullptr), "phyDevId is null");
}

TEST_F(Bounds, NullMemory) {
    DeviceMemory device(kSize);
    PinnedMemory host(kSize, 7);
    void* const to = device.At();
    void* const from = host.At();
    const aclrtMemManagedLocation here{ACL_MEM_LOCATIONTYPE_DEVICE, 0};
    auto number = Poison<int32_t>();
    void* data[] = {&number};
    size_t sizes[] = {sizeof number};
    aclrtMemManagedRangeAttribute attributes[] = {ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY};
    ManagedMemory managed(kManagedGrain);
    auto pointer = Poison<void*>();

    ACL_FAILS_SAYING(kBad, aclrtMallocAlign32(nullptr, kSize, kPolicy), "devPtr is null");
    ACL_FAILS_SAYING(kBad, aclrtMallocCached(nullptr, kSize, kPolicy), "devPtr is null");
    ACL_FAILS_SAYING(kBad, aclrtMallocWithCfg(nullptr, kSize, kPolicy, nullptr), "devPtr is null");
    ACL_FAILS_SAYING(kBad, aclrtMallocForTaskScheduler(nullptr, kSize, kPolicy, nullptr), "devPtr is null");
    ACL_FAILS_SAYING(kBad, aclrtMemFlush(nullptr, 1), "devPtr is null");
    ACL_FAILS_SAYING(kBad, aclrtMemInvalidate(nullptr, 1), "devPtr is null");
    ACL_FAILS_SAYING(kBad, aclrtHostRegisterV2(nullptr, kSize, ACL_HOST_REG_PINNED), "ptr is null");
    ACL_FAILS_SAYING(kBad, aclrtHostRegister(nullptr, kSize, ACL_HOST_REGISTER_MAPPED, &pointer), "ptr is null");
    ACL_FAILS_SAYING(kBad, aclrtMemset(nullptr, kSize, 1, kSize), "devPtr is null");
    ACL_FAILS_SAYING(kBad, aclrtMemsetAsync(nullptr, kSize, 1, kSize, nullptr), "devPtr is null");
    ACL_FAILS_SAYING(kBad, aclrtMemsetD32(nullptr, kSize, 1, 1), "ptr is null");
    ACL_FAILS_SAYING(kBad, aclrtMemsetD32Async(nullptr, kSize, 1, 1, nullptr), "ptr is null");
    ACL_FAILS_SAYING(kBad, aclrtMemcpy2d(nullptr, 64, from, 64, 64, 2, kUp), "dst is null");
    ACL_FAILS_SAYING(kBad, aclrtMemcpy2d(to, 64, nullptr, 64, 64, 2, kUp), "src is null");
    ACL_FAILS_SAYING(kBad, aclrtMemcpyAsyncWithCondition(nullptr, 8, from, 8, kUp, nullptr), "dst is null");
    ACL_FAILS_SAYING(kBad, aclrtMemcpyAsyncWithCondition(to, 8, nullptr, 8, kUp, nullptr), "src is null");
    ACL_FAILS_SAYING(kBad, aclrtMemManagedAdvise(nullptr, kManagedGrain, ACL_MEM_ADVISE_SET_READ_MOSTLY, here),
                     "ptr is null");
    ACL_FAILS_SAYING(kBad, aclrtMemManagedPrefetchAsync(nullptr, kManagedGrain, here, 0, nullptr), "ptr is null");
    ACL_FAILS_SAYING(kBad, aclrtMemManagedGetAttr(attributes[0], nullptr, kManagedGrain, &number, 4), "ptr is null");
    ACL_FAILS_SAYING(kBad, aclrtMemManagedGetAttrs(nullptr, 1, managed.At(), kManagedGrain, data, sizes),
                     "attributes is null");
    ACL_FAILS_SAYING(kBad, aclrtMemManagedGetAttrs(attributes, 1, nullptr, kManagedGrain, data, sizes), "ptr is null");
    ACL_FAILS_SAYING(kBad, aclrtMemManagedGetAttrs(attributes, 1, managed.At(), kManagedGrain, nullptr, sizes),
                     "data is null");
    ACL_FAILS_SAYING(kBad, aclrtMemManagedGetAttrs(attributes, 1, managed.At(), kManagedGrain, data, nullptr),
                     "dataSizes is null");
    EXPECT_TRUE(IsPoison(number) && IsPoison(pointer));
}

TEST_F(Bounds, SizesOfAllocations) {
    auto p = Poison<void*>();
    for (const size_t size : {size_t{0}, kMost, kMost - 31, kMost / 2}) {
        SCOPED_TRACE(size);
        const aclError code = size == 0 ? kBad : kFull;
        ACL_FAILS_SAYING(code, aclrtMalloc(&p, size, kPolicy), std::to_string(size));
        ACL_FAILS_SAYING(code, aclrtMallocAlign32(&p, size, kPolicy), std::to_string(size));
        ACL_FAILS_SAYING(code, aclrtMallocCached(&p, size, kPolicy), std::to_string(size));
        ACL_FAILS_SAYING(code, aclrtMallocWithCfg(&p, size, kPolicy, nullptr), std::to_string(size));
        ACL_FAILS_SAYING(code, aclrtMallocForTaskScheduler(&p, size, kPolicy, nullptr), std::to_string(size));
        const aclError host = size == 0 ? kBad : aclError{ACL_ERROR_BAD_ALLOC};
        ACL_FAILS_SAYING(host, aclrtMallocHost(&p, size), std::to_string(size));
        ACL_FAILS_SAYING(host, aclrtMallocHostWithCfg(&p, size, nullptr), std::to_string(size));
    }
    // Managed memory comes in multiples of 2 MiB.
    ACL_FAILS_SAYING(kBad, aclrtMemAllocManaged(&p, 0, ACL_RT_MEM_ATTACH_GLOBAL), "size is 0");
    const size_t pieces = kMost / kManagedGrain * kManagedGrain;
    ACL_FAILS_SAYING(kFull, aclrtMemAllocManaged(&p, pieces, ACL_RT_MEM_ATTACH_GLOBAL), std::to_string(pieces));
    EXPECT_TRUE(IsPoison(p));
}

// One byte too many, and a size for which adding the size to the address overflows.
TEST_F(Bounds, SizesOfRanges) {
    DeviceMemory device(kSize);
    PinnedMemory host(2 * kSize, 7);
    void* const to = device.At();
    void* const from = host.At();
    // A range may include the 32 bytes of padding after an allocation, and no more.
    for (const size_t size : {2 * kSize, kMost, kMost - 63}) {
        SCOPED_TRACE(size);
        ACL_FAILS_SAYING(kPast, aclrtMemset(to, size, 1, size), "devPtr", std::to_string(size));
        ACL_FAILS_SAYING(kPast, aclrtMemsetAsync(to, size, 1, size, nullptr), "devPtr", std::to_string(size));
        ACL_FAILS_SAYING(kPast, aclrtMemcpy(to, size, from, size, kUp), std::to_string(size));
        ACL_FAILS_SAYING(kPast, aclrtMemcpyAsync(to, size, from, size, kUp, nullptr), std::to_string(size));
        ACL_FAILS_SAYING(kPast, aclrtMemcpyAsyncWithCondition(to, size, from, size, kUp, nullptr),
                         std::to_string(size));
        ACL_FAILS(kPast, aclrtMemFlush(to, size));
        ACL_FAILS(kPast, aclrtMemInvalidate(to, size));
    }
    for (const size_t words : {kSize / 2, kMost / 4}) {
        ACL_FAILS(kPast, aclrtMemsetD32(to, kMost, 1, words));
        ACL_FAILS(kPast, aclrtMemsetD32Async(to, kMost, 1, words, nullptr));
    }
    // The number of bytes overflows.
    ACL_FAILS_SAYING(kBad, aclrtMemsetD32(to, kMost, 1, kMost / 4 + 1), "more than memSize");
    ACL_FAILS_SAYING(kBad, aclrtMemsetD32Async(to, kMost, 1, kMost / 4 + 1, nullptr), "more than memSize");
    for (const auto copy : {0, 1}) {
        const auto rows = [&](size_t dpitch, size_t spitch, size_t width, size_t height) {
            return copy ? aclrtMemcpy2dAsync(to, dpitch, from, spitch, width, height, kUp, nullptr)
                        : aclrtMemcpy2d(to, dpitch, from, spitch, width, height, kUp);
        };
        EXPECT_EQ(rows(64, 64, 65, 2), kBad) << "a row longer than the pitch";
        EXPECT_EQ(rows(64, 64, 64, kSize / 64 + 64), kPast) << "too many rows";
        EXPECT_NE(rows(kMost, kMost, 64, 3), ACL_SUCCESS) << "rows beyond all addresses";
        EXPECT_NE(rows(kMost / 2 + 1, 64, 64, 3), ACL_SUCCESS) << "their product goes around";
    }
    EXPECT_EQ(host.Copy(), std::vector<unsigned char>(2 * kSize, 7));
}

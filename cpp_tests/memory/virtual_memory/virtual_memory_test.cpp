// Address ranges and physical memory: reserve, allocate, map, unmap, release.

#include <optional>

#include "memory/virtual_memory/contents.h"
#include "support/gate.h"
#include "support/memory/places.h"
#include "support/memory/virtual_memory.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

size_t FreeMemory() {
    size_t free = 0, total = 0;
    ExpectOk("aclrtGetMemInfo", aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    return free;
}

TEST_F(VirtualMemory, MappedMemoryIsUsedLikeAllocatedMemory) {
    Range range(4 * kPiece);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(range.At()) % kPiece, 0u);
    PhysicalMemory memory(2 * kPiece);
    const Mapping mapping(range.At(kPiece), memory, 2 * kPiece);
    const Bytes pattern = Pattern(2 * kPiece);
    Upload(range.At(kPiece), pattern);
    EXPECT_TRUE(Download(range.At(kPiece), 2 * kPiece) == pattern);
    ACL_OK(aclrtMemset(range.At(kPiece + 100), 1000, 7, 50));
    EXPECT_EQ(Download(range.At(kPiece + 99), 52)[1], 7);
    EXPECT_EQ(Download(range.At(kPiece + 99), 52)[51], pattern[150]);
    Stream stream;
    ACL_OK(aclrtMemsetAsync(range.At(kPiece), 64, 5, 64, stream));
    ACL_OK(aclrtReduceAsync(range.At(kPiece), range.At(kPiece + 32), 32, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8,
                            stream, nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(Download(range.At(kPiece), 32) == Bytes(32, 10));

    auto attributes = Poison<aclrtPtrAttributes>();
    ACL_OK(aclrtPointerGetAttributes(range.At(kPiece + 12345), &attributes));
    EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(attributes.location.id, 0u);
    EXPECT_TRUE(attributes.pageSize == 4096 || attributes.pageSize == kPiece);
    void* base = nullptr;
    size_t size = 0;
    ACL_OK(aclrtMemGetAddressRange(range.At(kPiece + 12345), &base, &size));
    EXPECT_EQ(base, range.At(kPiece));
    EXPECT_EQ(size, 2 * kPiece);
}

TEST_F(VirtualMemory, RemappedMemoryKeepsItsContents) {
    Range range(2 * kPiece);
    PhysicalMemory memory;
    const Bytes pattern = Pattern(kPiece, 3);
    {
        const Mapping first(range.At(), memory);
        Upload(range.At(), pattern);
    }
    const Mapping second(range.At(kPiece), memory);
    EXPECT_TRUE(Download(range.At(kPiece), kPiece) == pattern);
    EXPECT_TRUE(FailedSaying("aclrtMemset", aclrtMemset(range.At(), 8, 0, 8), kDead,
                             {Shown(range.At()), "reserved", "aclrtMapMem"}));
}

TEST_F(VirtualMemory, TheSameMemoryAtTwoAddresses) {
    Range range(2 * kPiece);
    PhysicalMemory memory;
    const Mapping first(range.At(), memory), second(range.At(kPiece), memory);
    Upload(range.At(500), Pattern(1000));
    EXPECT_TRUE(Download(range.At(kPiece + 500), 1000) == Pattern(1000));
}

TEST_F(VirtualMemory, TransfersSpanAdjacentMappings) {
    Range range(3 * kPiece);
    // Mapped in another order than allocated.
    PhysicalMemory a, b, c;
    const Mapping second(range.At(kPiece), a), first(range.At(), c), third(range.At(2 * kPiece), b);
    const size_t all = 3 * kPiece;
    const Bytes pattern = Pattern(all, 5);
    Upload(range.At(), pattern);
    EXPECT_TRUE(Download(range.At(), all) == pattern);
    Stream stream;
    DeviceMemory device(all);
    ACL_OK(aclrtMemcpyAsync(device.At(), all, range.At(), all, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(device.Download() == pattern);
    ACL_OK(aclrtMemsetAsync(range.At(kPiece - 10), 20, 9, 20, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    const Bytes around = Download(range.At(kPiece - 11), 22);
    EXPECT_TRUE(Bytes(around.begin() + 1, around.end() - 1) == Bytes(20, 9));
    EXPECT_EQ(around.front(), pattern[kPiece - 11]);
    EXPECT_EQ(around.back(), pattern[kPiece + 10]);
    // There is no mapping after the last one.
    EXPECT_TRUE(FailedSaying("aclrtMemset", aclrtMemset(range.At(2 * kPiece), kPiece + 1, 0, kPiece + 1), kDead,
                             {Shown(range.At(2 * kPiece))}));
}

TEST_F(VirtualMemory, TransfersStopAtAGapOrAnotherDevice) {
    Range range(3 * kPiece);
    PhysicalMemory a, b;
    const Mapping first(range.At(), a), third(range.At(2 * kPiece), b);
    EXPECT_TRUE(
        FailedSaying("aclrtMemset", aclrtMemset(range.At(), 3 * kPiece, 0, 3 * kPiece), kDead, {Shown(range.At())}));
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    const OnDevice other(1);
    PhysicalMemory there(kPiece, PhysicalProps(1));
    const Mapping second(range.At(kPiece), there);
    EXPECT_TRUE(
        FailedSaying("aclrtMemset", aclrtMemset(range.At(), 2 * kPiece, 0, 2 * kPiece), kDead, {Shown(range.At())}));
    // Each mapping can be used alone, and copies go from one to the other.
    Upload(range.At(), Pattern(5000));
    ACL_OK(aclrtMemcpy(range.At(kPiece), 5000, range.At(), 5000, ACL_MEMCPY_DEVICE_TO_DEVICE));
    EXPECT_TRUE(Download(range.At(kPiece), 5000) == Pattern(5000));
}

TEST_F(VirtualMemory, MemoryIsFreedWithItsLastUser) {
    const size_t before = FreeMemory();
    Range range(kPiece);
    PhysicalMemory memory;
    EXPECT_LT(FreeMemory(), before);
    Mapping mapping(range.At(), memory);
    Upload(range.At(), Pattern(kPiece));
    ACL_OK(aclrtFreePhysical(memory));
    const aclrtDrvMemHandle dead = memory.Release();
    EXPECT_TRUE(FailedSaying("aclrtFreePhysical", aclrtFreePhysical(dead), kDead, {Shown(dead)}));
    EXPECT_TRUE(Download(range.At(), kPiece) == Pattern(kPiece));
    EXPECT_LT(FreeMemory(), before);
    ACL_OK(aclrtUnmapMem(mapping.Release()));
    ExpectFreeAgain(FreeMemory(), before);
}

TEST_F(VirtualMemory, RetainReturnsTheHandleAgain) {
    Range range(2 * kPiece);
    PhysicalMemory memory;
    const Mapping mapping(range.At(), memory);
    auto again = Poison<aclrtDrvMemHandle>();
    ACL_OK(aclrtMemRetainAllocationHandle(range.At(100), &again));
    EXPECT_EQ(again, static_cast<aclrtDrvMemHandle>(memory));
    ACL_OK(aclrtFreePhysical(again));
    ACL_OK(aclrtFreePhysical(memory));
    memory.Release();
    // The first handle is invalid; the memory is not freed.
    aclrtDrvMemHandle renewed = nullptr;
    ACL_OK(aclrtMemRetainAllocationHandle(range.At(100), &renewed));
    ACL_FAILS(kDead, aclrtFreePhysical(again));
    const Mapping other(range.At(kPiece), renewed);
    Upload(range.At(), Pattern(64));
    EXPECT_TRUE(Download(range.At(kPiece), 64) == Pattern(64));
    ACL_OK(aclrtMemRetainAllocationHandle(range.At(), &again));
    EXPECT_EQ(again, renewed);
    ACL_OK(aclrtFreePhysical(again));
    ACL_OK(aclrtFreePhysical(renewed));
    EXPECT_TRUE(Download(range.At(), 64) == Pattern(64));
}

TEST_F(VirtualMemory, PropertiesAreThoseOfTheAllocation) {
    auto props = PhysicalProps();
    props.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    props.memAttr = ACL_MEM_HUGE;
    PhysicalMemory memory(1, props);
    auto reported = Poison<aclrtPhysicalMemProp>();
    ACL_OK(aclrtMemGetAllocationPropertiesFromHandle(memory, &reported));
    EXPECT_EQ(reported.handleType, ACL_MEM_HANDLE_TYPE_POSIX);
    EXPECT_EQ(reported.allocationType, ACL_MEM_ALLOCATION_TYPE_PINNED);
    EXPECT_EQ(reported.memAttr, ACL_MEM_HUGE);
    EXPECT_EQ(reported.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(reported.location.id, 0u);
    for (const auto option : {ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED}) {
        size_t granularity = 0;
        ACL_OK(aclrtMemGetAllocationGranularity(&props, option, &granularity));
        EXPECT_EQ(granularity, kPiece);
    }
}

TEST_F(VirtualMemory, PendingWorkKeepsAnUnmappedMapping) {
    Range range(kPiece);
    PhysicalMemory a, b;
    PinnedMemory result(kPiece);
    Stream stream;
    Gate gate;
    Mapping mapping(range.At(), a);
    std::optional<Mapping> second;
    Upload(range.At(), Pattern(kPiece, 1));
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemcpyAsync(result.At(), kPiece, range.At(), kPiece, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    ACL_OK(aclrtUnmapMem(mapping.Release()));
    ACL_FAILS(kDead, aclrtMemset(range.At(), 8, 0, 8));
    {
        // A new mapping at the same address waits for that work.
        const Opener opener(gate);
        second.emplace(range.At(), b);
    }
    Upload(range.At(), Pattern(kPiece, 2));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(result.Copy() == Pattern(kPiece, 1));
}

TEST_F(VirtualMemory, ARangeThatIsReleasedWaitsForItsWork) {
    Range range(kPiece);
    PhysicalMemory memory;
    PinnedMemory result(kPiece);
    Stream stream;
    Gate gate;
    {
        const Mapping mapping(range.At(), memory);
        Upload(range.At(), Pattern(kPiece));
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclrtMemcpyAsync(result.At(), kPiece, range.At(), kPiece, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    }
    const Opener opener(gate);
    ACL_OK(aclrtReleaseMemAddress(range.Release()));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(result.Copy() == Pattern(kPiece));
}

TEST_F(VirtualMemory, ARangeIsReleasedWhenItIsEmpty) {
    Range range(2 * kPiece);
    PhysicalMemory memory;
    {
        const Mapping mapping(range.At(kPiece), memory);
        EXPECT_TRUE(FailedSaying("aclrtReleaseMemAddress", aclrtReleaseMemAddress(range.At()), kDead,
                                 {Shown(range.At(kPiece)), "aclrtUnmapMem"}));
    }
    EXPECT_TRUE(FailedSaying("aclrtReleaseMemAddress", aclrtReleaseMemAddress(range.At(kPiece)), kDead,
                             {Shown(range.At()), "pass its start"}));
    void* const gone = range.Release();
    ACL_OK(aclrtReleaseMemAddress(gone));
    EXPECT_TRUE(
        FailedSaying("aclrtReleaseMemAddress", aclrtReleaseMemAddress(gone), kDead, {Shown(gone), "was released"}));
    ACL_FAILS(kDead, aclrtMapMem(gone, kPiece, 0, memory, 0));
}

TEST_F(VirtualMemory, AlignmentAndARequestedAddress) {
    constexpr size_t kAlignment = 64 << 20;
    Range aligned(kPiece, kAlignment);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned.At()) % kAlignment, 0u);
    // The address of a released range can be reserved again, unless the process has used it
    // meanwhile.
    void* wish = nullptr;
    ACL_OK(aclrtReserveMemAddressNoUCMemory(&wish, 4 * kPiece, 0, nullptr, 0));
    auto taken = Poison<void*>();
    EXPECT_TRUE(FailedSaying("aclrtReserveMemAddress", aclrtReserveMemAddress(&taken, kPiece, 0, wish, 1),
                             ACL_ERROR_RT_MEMORY_ALLOCATION, {"pass another expectPtr"}));
    EXPECT_TRUE(IsPoison(taken));
    ACL_OK(aclrtReleaseMemAddress(wish));
    Range again(4 * kPiece, 0, wish);
    EXPECT_EQ(again.At(), wish);
}

TEST_F(VirtualMemory, AResetFreesTheMemoryAndKeepsTheAddresses) {
    const size_t before = FreeMemory();
    Range range(2 * kPiece);
    PhysicalMemory memory, unmapped;
    Mapping mapping(range.At(), memory);
    Upload(range.At(), Pattern(kPiece));
    ACL_OK(aclrtResetDeviceForce(0));
    mapping.Release();
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtFreePhysical(memory.Release()));
    ACL_OK(aclrtFreePhysical(unmapped.Release()));
    EXPECT_TRUE(FailedSaying("aclrtUnmapMem", aclrtUnmapMem(range.At()), kDead, {Shown(range.At())}));
    ExpectFreeAgain(FreeMemory(), before);
    PhysicalMemory fresh;
    const Mapping again(range.At(), fresh);
    Upload(range.At(), Pattern(100));
    EXPECT_TRUE(Download(range.At(), 100) == Pattern(100));
}

TEST_F(VirtualMemory, FinalizeReleasesEverything) {
    Range range(2 * kPiece);
    PhysicalMemory memory;
    Mapping mapping(range.At(), memory);
    void* const address = range.Release();
    mapping.Release();
    const aclrtDrvMemHandle handle = memory.Release();
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtUnmapMem(address));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtReleaseMemAddress(address));
    ACL_DESTROYS_LATE(aclrtFreePhysical(handle));
    auto again = Poison<void*>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtReserveMemAddress(&again, kPiece, 0, nullptr, 0));
    EXPECT_TRUE(IsPoison(again));
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(kDead, aclrtReleaseMemAddress(address));
}

TEST_F(VirtualMemory, TooMuchIsRefusedAndNothingIsLost) {
    const size_t before = FreeMemory();
    const auto props = PhysicalProps();
    auto handle = Poison<aclrtDrvMemHandle>();
    for (const size_t size : {SIZE_MAX, SIZE_MAX / 2, size_t{1} << 60, before + kPiece}) {
        ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMallocPhysical(&handle, size, &props, 0));
    }
    EXPECT_TRUE(IsPoison(handle));
    ExpectFreeAgain(FreeMemory(), before);
    auto address = Poison<void*>();
    for (const size_t size : {SIZE_MAX, SIZE_MAX / 2, size_t{1} << 60}) {
        ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtReserveMemAddress(&address, size, 0, nullptr, 0));
    }
    EXPECT_TRUE(IsPoison(address));
}

TEST_F(VirtualMemory, ThreadsMapConcurrently) {
    constexpr size_t kThreads = 8, kRounds = 20;
    Range range(kThreads * kPiece);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
        threads.emplace_back([&range, i] {
            ExpectOk("aclrtSetDevice", aclrtSetDevice(0));
            for (size_t round = 0; round < kRounds; ++round) {
                PhysicalMemory memory;
                const Mapping mapping(range.At(i * kPiece), memory);
                const Bytes pattern = Pattern(4000, uint32_t(i * kRounds + round));
                Upload(range.At(i * kPiece + 7), pattern);
                EXPECT_TRUE(Download(range.At(i * kPiece + 7), 4000) == pattern);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

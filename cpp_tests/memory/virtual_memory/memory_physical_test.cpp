// Physical memory in hooks, statistics, the list of live allocations and the leak report: from
// aclrtMallocPhysical until it is freed.

#include "support/memory/memory_hook.h"
#include "support/memory/memory_live.h"
#include "support/memory/memory_stats.h"
#include "support/memory/virtual_memory.h"

using namespace portacl_test;

namespace {

constexpr int32_t kHost = -1;

class MemoryPhysical : public MemoryHook {};

uint64_t Number(aclrtDrvMemHandle handle) {
    return reinterpret_cast<uint64_t>(handle);
}

// Hook calls about physical memory, which has a handle instead of an address.
void ExpectEvents(const std::vector<HookCall>& events, const Words& words, int32_t device, uint64_t id, size_t asked,
                  size_t rounded) {
    EXPECT_EQ(CallLog::Words(events), words);
    for (const auto& [name, what, event] : events) {
        SCOPED_TRACE(what);
        const bool names_size = what.find("malloc") != std::string::npos;
        const bool known = what.find("before") == std::string::npos || words == kFreed;
        EXPECT_EQ(event.kind, device == kHost ? PORTACL_MEMORY_PINNED : PORTACL_MEMORY_DEVICE);
        EXPECT_EQ(event.deviceId, device);
        EXPECT_EQ(event.size, names_size ? asked : 0);
        EXPECT_EQ(event.roundedSize, rounded);
        EXPECT_EQ(event.ptr, nullptr);
        EXPECT_EQ(event.memoryId, known ? id : 0);
        EXPECT_EQ(event.failed, 0);
    }
}

TEST_F(MemoryPhysical, IsReportedFromAllocationToFree) {
    Recorder hook(call_log, "hook");
    const auto before = Stats(0, PORTACL_MEMORY_DEVICE);
    const auto live = LiveMemory(PORTACL_MEMORY_DEVICE).size();
    PhysicalMemory memory(kPiece + 1);
    const uint64_t id = Number(memory);
    ExpectEvents(call_log.Take(), kFromDevice, 0, id, kPiece + 1, 2 * kPiece);
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_DEVICE).currentBytes, before.currentBytes + 2 * kPiece);
    // Physical memory comes first.
    const auto all = LiveMemory(PORTACL_MEMORY_DEVICE);
    ASSERT_EQ(all.size(), live + 1);
    EXPECT_EQ(all[0].ptr, nullptr);
    EXPECT_EQ(all[0].roundedSize, 2 * kPiece);
    EXPECT_EQ(all[0].deviceId, 0);
    size_t count = 0;
    const std::string line = "device memory on device 0 with the handle " + Shown(memory);
    EXPECT_NE(Leaks(&count).find(line), std::string::npos) << Leaks(&count);
    ACL_OK(aclrtFreePhysical(memory.Release()));
    ExpectEvents(call_log.Take(), kFreed, 0, id, 0, 2 * kPiece);
    EXPECT_EQ(LiveMemory(PORTACL_MEMORY_DEVICE).size(), live);
    EXPECT_EQ(Leaks(&count).find(line), std::string::npos);
    EXPECT_EQ(Stats(0, PORTACL_MEMORY_DEVICE).currentBytes, before.currentBytes);
}

TEST_F(MemoryPhysical, OfTheHostIsPinnedMemory) {
    if (!OnCpu()) GTEST_SKIP() << "physical host memory is for CPUs only";
    Recorder hook(call_log, "hook");
    PhysicalMemory memory(kPiece, HostProps());
    const uint64_t id = Number(memory);
    ExpectEvents(call_log.Take(), kFromDevice, kHost, id, kPiece, kPiece);
    size_t count = 0;
    EXPECT_NE(Leaks(&count).find("page-locked host memory with the handle " + Shown(memory)), std::string::npos);
    EXPECT_EQ(LiveMemory(PORTACL_MEMORY_PINNED).at(0).deviceId, kHost);
    ACL_OK(aclrtFreePhysical(memory.Release()));
    ExpectEvents(call_log.Take(), kFreed, kHost, id, 0, kPiece);
}

// A free is reported once, when the last handle is freed; memory that is still mapped counts as
// live.
TEST_F(MemoryPhysical, MappedMemoryIsReportedOnceAndStaysLive) {
    Recorder hook(call_log, "hook");
    const auto live = LiveMemory(PORTACL_MEMORY_DEVICE).size();
    const Range range(kPiece);
    PhysicalMemory memory;
    const uint64_t id = Number(memory);
    call_log.Take();
    {
        const Mapping mapping(range.At(), memory);
        aclrtDrvMemHandle again = nullptr;
        ACL_OK(aclrtMemRetainAllocationHandle(range.At(), &again));
        ACL_OK(aclrtFreePhysical(again));
        EXPECT_TRUE(call_log.Take().empty()) << "the first reference exists";
        ACL_OK(aclrtFreePhysical(memory.Release()));
        ExpectEvents(call_log.Take(), kFreed, 0, id, 0, kPiece);
        EXPECT_EQ(LiveMemory(PORTACL_MEMORY_DEVICE).size(), live + 1);
        // A retained handle stands for the same memory.
        ACL_OK(aclrtMemRetainAllocationHandle(range.At(), &again));
        EXPECT_EQ(LiveMemory(PORTACL_MEMORY_DEVICE).size(), live + 1);
        ACL_OK(aclrtFreePhysical(again));
        EXPECT_TRUE(call_log.Take().empty());
    }
    EXPECT_EQ(LiveMemory(PORTACL_MEMORY_DEVICE).size(), live);
    EXPECT_TRUE(call_log.Take().empty());
}

TEST_F(MemoryPhysical, HooksMayRefuseIt) {
    Recorder hook(call_log, "refuses");
    std::string refused;
    hook.also = [&](const std::string& what, const portaclMemoryEvent&) {
        return what == refused ? 4711 : ACL_SUCCESS;
    };
    const auto before = Stats(0, PORTACL_MEMORY_DEVICE);
    const auto props = PhysicalProps();
    for (const char* what : {"before malloc", "before alloc"}) {
        refused = what;
        auto handle = Poison<aclrtDrvMemHandle>();
        ACL_FAILS_SAYING(4711, aclrtMallocPhysical(&handle, kPiece, &props, 0), "refuses", "device memory");
        EXPECT_TRUE(IsPoison(handle));
        EXPECT_EQ(Stats(0, PORTACL_MEMORY_DEVICE).currentBytes, before.currentBytes);
    }
    refused = "before free";
    PhysicalMemory memory;
    ACL_FAILS_SAYING(4711, aclrtFreePhysical(memory), "refuses", "free");
    aclrtPhysicalMemProp events{};
    ACL_OK(aclrtMemGetAllocationPropertiesFromHandle(memory, &events));
    refused.clear();
}

TEST_F(MemoryPhysical, CountsTowardsTheBudget) {
    uint64_t limit = 0;
    ACL_OK(portaclMemoryHookRegisterLimit(2 * kPiece, PORTACL_MEMORY_HOOK_THREAD, &limit));
    const auto props = PhysicalProps();
    {
        const PhysicalMemory one, two;
        auto handle = Poison<aclrtDrvMemHandle>();
        ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMallocPhysical(&handle, 1, &props, 0));
        EXPECT_TRUE(IsPoison(handle));
    }
    { const PhysicalMemory again(2 * kPiece); }
    ACL_OK(portaclMemoryHookUnregister(limit));
}

// A failed allocation is reported as failed, without a handle.
TEST_F(MemoryPhysical, FailedAllocationsAreReported) {
    Recorder hook(call_log, "hook");
    size_t free = 0, total = 0;
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    const auto props = PhysicalProps();
    const PhysicalMemory some;
    call_log.Take();
    auto handle = Poison<aclrtDrvMemHandle>();
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMallocPhysical(&handle, total / kPiece * kPiece, &props, 0));
    const auto events = call_log.Take();
    EXPECT_EQ(CallLog::Words(events), kFromDevice);
    for (const auto& [name, what, event] : events) {
        EXPECT_EQ(event.failed, what.find("after") != std::string::npos) << what;
        EXPECT_EQ(event.memoryId, 0u);
    }
}

}  // namespace

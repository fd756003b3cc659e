// How much memory of a device is used, by kind.

#include <portacl/portacl.h>

#include <atomic>
#include <string>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr size_t kMiB = 1 << 20;

class MemUsage : public WithDevice {
  protected:
    struct UsageRows {
        aclrtMemUsageInfo device = Poison<aclrtMemUsageInfo>();
        aclrtMemUsageInfo managed = Poison<aclrtMemUsageInfo>();
    };

    static UsageRows Ask(int32_t id = 0) {
        aclrtMemUsageInfo rows[3] = {Poison<aclrtMemUsageInfo>(), Poison<aclrtMemUsageInfo>(),
                                     Poison<aclrtMemUsageInfo>()};
        auto count = Poison<size_t>();
        ExpectOk("aclrtGetMemUsageInfo", aclrtGetMemUsageInfo(id, rows, 3, &count));
        EXPECT_EQ(count, 2u);
        EXPECT_EQ(std::string(rows[0].name), "device");
        EXPECT_EQ(std::string(rows[1].name), "managed");
        for (int row : {0, 1}) EXPECT_LE(rows[row].curMemSize, rows[row].memPeakSize);
        EXPECT_TRUE(IsPoison(rows[2])) << "more than two rows";
        return {rows[0], rows[1]};
    }

    // Equals the used memory of aclrtGetMemInfo.
    static void ExpectAgreement() {
        size_t free = 0, total = 0;
        ExpectOk("aclrtGetMemInfo", aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
        const UsageRows rows = Ask();
        const uint64_t sum = rows.device.curMemSize + rows.managed.curMemSize;
        // A GPU's driver uses some memory itself, and so do other processes. Managed memory may not
        // be on the device.
        if (std::string(portaclBackendName()) == "cpu")
            EXPECT_EQ(sum, total - free);
        else
            EXPECT_LE(rows.device.curMemSize, total - free);
    }
};

TEST_F(MemUsage, FollowsAllocations) {
    NEEDS_HUGE_PAGES(2 * kMiB);
    const UsageRows before = Ask();
    ExpectAgreement();
    {
        DeviceMemory small(100), large(64 * kMiB), only_huge(100, ACL_MEM_MALLOC_HUGE_ONLY);
        const UsageRows with = Ask();
        ExpectAgreement();
        const uint64_t more = with.device.curMemSize - before.device.curMemSize;
        EXPECT_GE(more, 66 * kMiB + 100);
        EXPECT_LE(more, 72 * kMiB) << "not much more than was asked for";
        EXPECT_GE(with.device.memPeakSize, with.device.curMemSize);
        EXPECT_EQ(with.managed.curMemSize, before.managed.curMemSize);
        EXPECT_EQ(with.device.reserved[7], 0u);
    }
    ExpectAgreement();
    const UsageRows after = Ask();
    EXPECT_EQ(after.device.curMemSize, before.device.curMemSize);
    EXPECT_GE(after.device.memPeakSize, before.device.curMemSize + 66 * kMiB) << "the peak stays";
}

TEST_F(MemUsage, ManagedMemoryIsASeparateKind) {
    const UsageRows before = Ask();
    void* managed = nullptr;
    ACL_OK(aclrtMemAllocManaged(&managed, 6 * kMiB - 5, ACL_RT_MEM_ATTACH_GLOBAL));
    const UsageRows with = Ask();
    ExpectAgreement();
    EXPECT_EQ(with.managed.curMemSize, before.managed.curMemSize + 6 * kMiB);
    EXPECT_EQ(with.device.curMemSize, before.device.curMemSize);
    ACL_OK(aclrtFree(managed));
    const UsageRows after = Ask();
    ExpectAgreement();
    EXPECT_EQ(after.managed.curMemSize, before.managed.curMemSize);
    EXPECT_EQ(after.managed.memPeakSize, with.managed.memPeakSize);
}

// Host memory belongs to no device.
TEST_F(MemUsage, LeavesHostMemoryOut) {
    const UsageRows before = Ask();
    PinnedMemory pinned(3 * kMiB);
    EXPECT_EQ(Ask().device.curMemSize, before.device.curMemSize);
}

TEST_F(MemUsage, CountsFreedMemoryOfPendingWork) {
    const UsageRows before = Ask();
    Stream stream;
    void* going = DeviceMemory(8 * kMiB).Release();
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemsetAsync(going, 8 * kMiB, 1, 8 * kMiB, stream));
    ACL_OK(aclrtFree(going));
    EXPECT_GE(Ask().device.curMemSize, before.device.curMemSize + 8 * kMiB);
    ExpectAgreement();
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(Ask().device.curMemSize, before.device.curMemSize);
    ExpectAgreement();
}

TEST_F(MemUsage, FillsTheCallersBuffer) {
    aclrtMemUsageInfo rows[2] = {Poison<aclrtMemUsageInfo>(), Poison<aclrtMemUsageInfo>()};
    size_t count = 77;
    ACL_OK(aclrtGetMemUsageInfo(0, rows, 1, &count));
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(std::string(rows[0].name), "device");
    EXPECT_TRUE(IsPoison(rows[1]));
}

TEST_F(MemUsage, IsPerDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    const UsageRows there = Ask(1);
    EXPECT_EQ(there.device.curMemSize, 0u) << "not in use";
    EXPECT_EQ(there.device.memPeakSize, 0u);
    DeviceMemory here(4 * kMiB);
    ACL_OK(aclrtSetDevice(1));
    EXPECT_EQ(Ask(1).device.curMemSize, 0u);
    {
        DeviceMemory far(2 * kMiB);
        EXPECT_GE(Ask(1).device.curMemSize, 2 * kMiB);
    }
    EXPECT_GE(Ask(1).device.memPeakSize, 2 * kMiB);
    EXPECT_GE(Ask(0).device.curMemSize, 4 * kMiB);
    // The peak is that of one opening of the device.
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(1));
    EXPECT_EQ(Ask(1).device.memPeakSize, 0u);
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(MemUsage, BadArguments) {
    auto row = Poison<aclrtMemUsageInfo>();
    auto count = Poison<size_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetMemUsageInfo(0, nullptr, 1, &count), "memUsageInfo", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetMemUsageInfo(0, &row, 1, nullptr), "outputNum", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetMemUsageInfo(0, &row, 0, &count), "inputNum is 0");
    for (int32_t id : {-1, 1000})
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetMemUsageInfo(id, &row, 1, &count), "deviceId",
                         std::to_string(id));
    EXPECT_TRUE(IsPoison(row));
    EXPECT_TRUE(IsPoison(count));
}

TEST_F(MemUsage, RefusedInsideAHostFunction) {
    auto* code = MakeImmortal<std::atomic<aclError>>();
    ACL_OK(aclrtLaunchHostFunc(
        nullptr,
        [](void* argument) {
            aclrtMemUsageInfo row;
            size_t count = 0;
            *static_cast<std::atomic<aclError>*>(argument) = aclrtGetMemUsageInfo(0, &row, 1, &count);
        },
        code));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(*code, ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(MemUsage, NeedsNoDeviceInThisThreadButTheLibrary) {
    DeviceMemory device(1000);
    OnNewThread([] { EXPECT_GE(Ask().device.curMemSize, 1000u); });
    device.Release();
    ACL_OK(aclFinalize());
    auto row = Poison<aclrtMemUsageInfo>();
    auto count = Poison<size_t>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetMemUsageInfo(0, &row, 1, &count));
    EXPECT_TRUE(IsPoison(row));
    EXPECT_TRUE(IsPoison(count));
    ACL_OK(aclInit(nullptr));
}

}  // namespace

// Utilization of devices.
#include <portacl/portacl.h>

#include <climits>

#include "support/gate.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

// The result depends on the backend: the CPU reports the time since the last query, CUDA what NVML
// reports for the last second (driver_trouble_test covers its failures).
class Utilization : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        on_cpu_ = std::string(portaclBackendName()) == "cpu";
    }
    bool on_cpu_ = false;
};

aclrtUtilizationInfo Ask(int32_t device) {
    auto rate = Poison<aclrtUtilizationInfo>();
    rate.utilizationExtend = nullptr;
    ExpectOk("aclrtGetDeviceUtilizationRate", aclrtGetDeviceUtilizationRate(device, &rate));
    EXPECT_GE(rate.cubeUtilization, 0);
    EXPECT_LE(rate.cubeUtilization, 100);
    EXPECT_EQ(rate.vectorUtilization, rate.cubeUtilization);
    EXPECT_EQ(rate.aicpuUtilization, rate.cubeUtilization);
    EXPECT_GE(rate.memoryUtilization, 0);
    EXPECT_LE(rate.memoryUtilization, 100);
    EXPECT_EQ(rate.utilizationExtend, nullptr);
    return rate;
}

// A synchronize may return before the thread that ran the work has recorded its time.
void ExpectIdleSoon(int32_t device) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (Ask(device).cubeUtilization != 0) {
        ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "still busy";
        std::this_thread::yield();
    }
}

}  // namespace

TEST_F(Utilization, OnCudaNvmlReports) {
    if (on_cpu_) GTEST_SKIP() << "for CUDA only: NVML reports no CPUs";
    for (int32_t device = 0; device < static_cast<int32_t>(DeviceCount()); ++device) {
        auto rate = Poison<aclrtUtilizationInfo>();
        rate.utilizationExtend = nullptr;
        const aclError code = aclrtGetDeviceUtilizationRate(device, &rate);
        if (code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT) {
            EXPECT_NE(TakeText().find("only NVML reports"), std::string::npos);
            EXPECT_TRUE(IsPoison(rate.cubeUtilization) && IsPoison(rate.memoryUtilization));
        } else {
            ACL_OK(code);
            Ask(device);
        }
    }
}

TEST_F(Utilization, WorkIsReportedOnce) {
    if (!on_cpu_) GTEST_SKIP() << "for CPUs only: NVML measures a GPU";
    constexpr size_t kSize = 8 << 20;
    DeviceMemory memory(kSize);
    Stream stream;
    Ask(0);
    for (int i = 0; i < 20; ++i) ACL_OK(aclrtMemsetAsync(memory.At(), kSize, i, kSize, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_GT(Ask(0).cubeUtilization, 0);
    ExpectIdleSoon(0);
}

TEST_F(Utilization, SynchronousWorkIsReported) {
    if (!on_cpu_) GTEST_SKIP() << "for CPUs only: NVML measures a GPU";
    constexpr size_t kSize = 8 << 20;
    DeviceMemory memory(kSize);
    Ask(0);
    for (int i = 0; i < 20; ++i) ACL_OK(aclrtMemset(memory.At(), kSize, i, kSize));
    EXPECT_GT(Ask(0).cubeUtilization, 0);
}

TEST_F(Utilization, WorkCountsForItsDevice) {
    if (!on_cpu_) GTEST_SKIP() << "for CPUs only: NVML measures a GPU";
    constexpr size_t kSize = 8 << 20;
    ACL_OK(aclrtSetDevice(1));
    Ask(0);
    Ask(1);
    DeviceMemory memory(kSize);
    for (int i = 0; i < 20; ++i) ACL_OK(aclrtMemsetAsync(memory.At(), kSize, i, kSize, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(Ask(0).cubeUtilization, 0);
    EXPECT_GT(Ask(1).cubeUtilization, 0);
}

TEST_F(Utilization, UserCodeDoesNotCount) {
    if (!on_cpu_) GTEST_SKIP() << "for CPUs only: NVML measures a GPU";
    Stream stream;
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ASSERT_TRUE(gate.AwaitArrival());
    Ask(0);
    EXPECT_EQ(Ask(0).cubeUtilization, 0);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(Ask(0).cubeUtilization, 0);
}

TEST_F(Utilization, ADeviceThatIsNotSetIsIdle) {
    if (!on_cpu_) GTEST_SKIP() << "for CPUs only: NVML measures a GPU";
    ACL_OK(aclrtResetDevice(0));
    const aclrtUtilizationInfo rate = Ask(0);
    EXPECT_EQ(rate.cubeUtilization, 0);
    EXPECT_EQ(rate.memoryUtilization, 0);
    OnNewThread([] { Ask(0); });
}

OWN_PROCESS_TEST(UtilizationOfMemory, IsTheShareInUse, {"PORTACL_CPU_MEMORY", "64M"}) {
    if (std::string(portaclBackendName()) != "cpu") GTEST_SKIP() << "for CPUs only: NVML measures a GPU";
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(Ask(0).memoryUtilization, 0);
    void* half = nullptr;
    void* bit = nullptr;
    ACL_OK(aclrtMallocAlign32(&half, 32 << 20, ACL_MEM_MALLOC_NORMAL_ONLY));
    EXPECT_EQ(Ask(0).memoryUtilization, 50);
    // Rounded up, so that any use is visible.
    ACL_OK(aclrtMalloc(&bit, 1, ACL_MEM_MALLOC_NORMAL_ONLY));
    EXPECT_EQ(Ask(0).memoryUtilization, 51);
    ACL_OK(aclrtFree(half));
    EXPECT_EQ(Ask(0).memoryUtilization, 1);
}

TEST_F(Utilization, BadArguments) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceUtilizationRate(0, nullptr), "utilizationInfo is null");
    auto rate = Poison<aclrtUtilizationInfo>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceUtilizationRate(0, &rate), "utilizationExtend",
                     "must be null");
    EXPECT_TRUE(IsPoison(rate));
    rate.utilizationExtend = nullptr;
    for (const int32_t device : {-1, static_cast<int32_t>(DeviceCount()), INT32_MIN, INT32_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDeviceUtilizationRate(device, &rate),
                         "deviceId is " + std::to_string(device));
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDeviceUtilizationRate(0, &rate));
    EXPECT_TRUE(IsPoison(rate.cubeUtilization) && IsPoison(rate.memoryUtilization));
    ACL_OK(aclInit(nullptr));
}

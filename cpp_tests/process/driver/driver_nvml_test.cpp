// NVML on the test double: which device it knows, and what it fails to report.

#include <acl/acl_rt_memory_soma.h>

#include <dlfcn.h>

#include <filesystem>

#include "process/driver/driver_path.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/works.h"

using namespace portacl_test;

namespace {

// The utilization of the device, and of its memory, which is not NVML's number.
int32_t Busy(int32_t device) {
    auto rate = Poison<aclrtUtilizationInfo>();
    rate.utilizationExtend = nullptr;
    ACL_EXPECT_OK(aclrtGetDeviceUtilizationRate(device, &rate));
    EXPECT_EQ(rate.vectorUtilization, rate.cubeUtilization);
    EXPECT_EQ(rate.aicpuUtilization, rate.cubeUtilization);
    EXPECT_LE(rate.memoryUtilization, 1);
    return rate.cubeUtilization;
}

void ExpectUtilizationFails(aclError code, const std::string& why, const std::string& more = "") {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    for (int round = 0; round < 2; ++round) {
        auto rate = Poison<aclrtUtilizationInfo>();
        rate.utilizationExtend = nullptr;
        ACL_FAILS_SAYING(code, aclrtGetDeviceUtilizationRate(0, &rate), why, more);
        EXPECT_TRUE(IsPoison(rate.cubeUtilization) && IsPoison(rate.vectorUtilization) &&
                    IsPoison(rate.aicpuUtilization) && IsPoison(rate.memoryUtilization));
    }
    ExpectWorks();
    ACL_OK(aclFinalize());
}

// The test double's driver without the NVML that is built beside it.
std::string DriverWithoutNvml() {
    const char* all = std::getenv("LD_LIBRARY_PATH");
    const std::filesystem::path from(std::string(all ? all : "", all ? std::strcspn(all, ":") : 0));
    const std::filesystem::path directory = ProgramDirectory() / "driver_without_nvml";
    std::filesystem::create_directories(directory);
    std::error_code there_already;
    std::filesystem::create_symlink(from / "libcuda.so.1", directory / "libcuda.so.1", there_already);
    return PathWith(directory.string());
}

}  // namespace

#define KNOWS(what) \
    { "FAKE_NVML_KNOWS", what }
#define NVML_FAILS(call) \
    { "FAKE_NVML_FAIL", call }

// NVML identifies each device by index, as a part of a device, or by PCI address.
OWN_PROCESS_TEST(Nvml, ReportsEachDevice) {
    ACL_OK(aclInit(nullptr));
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(Busy(0), 37);
        EXPECT_EQ(Busy(1), 62);
    }
    ACL_OK(aclrtSetDevice(1));
    EXPECT_EQ(Busy(1), 62);
    ACL_OK(aclFinalize());
    // NVML is initialized again.
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(Busy(1), 62);
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Nvml, KnowsDevicesThatAreNotVisible, {"ASCEND_RT_VISIBLE_DEVICES", "1"}) {
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(DeviceCount(), 1u);
    EXPECT_EQ(Busy(0), 62);
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Nvml, KnowsPartsOfDevices, KNOWS("mig")) {
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(Busy(1), 62);
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Nvml, KnowsPlaces, KNOWS("pci")) {
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(Busy(0), 37);
    EXPECT_EQ(Busy(1), 62);
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Nvml, ReportsAtMostOneHundredPercent, {"FAKE_NVML_BUSY", "100,4000000000"}) {
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(Busy(0), 100);
    EXPECT_EQ(Busy(1), 100);
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Nvml, IsQueriedByManyThreads) {
    ACL_OK(aclInit(nullptr));
    OnThreads(4, [](int thread) {
        for (int i = 0; i < 50; ++i) EXPECT_EQ(Busy(thread % 2), thread % 2 ? 62 : 37);
    });
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Nvml, DoesNotKnowTheDevice, KNOWS("nothing")) {
    ExpectUtilizationFails(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                           "does not know the device as GPU-66616b65-5f63-7564-6120-646576696300 or "
                           "MIG-66616b65-5f63-7564-6120-646576696300 or 0000:01:00.0");
}

OWN_PROCESS_TEST(Nvml, IsMissing, {"LD_LIBRARY_PATH", DriverWithoutNvml()}) {
    if (void* const installed = dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
        dlclose(installed);
        GTEST_SKIP() << "needs a machine without NVML";
    }
    ExpectUtilizationFails(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "libnvidia-ml.so.1 cannot be loaded",
                           "NVIDIA_DRIVER_CAPABILITIES");
}

OWN_PROCESS_TEST(Nvml, IsTooOld, OLD_DRIVER) {
    ExpectUtilizationFails(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "libnvidia-ml.so.1 has no nvmlDeviceGetUtilizationRates");
}

OWN_PROCESS_TEST(Nvml, DoesNotStart, NVML_FAILS("nvmlInit_v2:18")) {
    ExpectUtilizationFails(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                           "does not start: nvmlInit_v2 returned 18: Driver/library version mismatch");
}

OWN_PROCESS_TEST(Nvml, DoesNotReportThisDevice, NVML_FAILS("nvmlDeviceGetUtilizationRates:3")) {
    ExpectUtilizationFails(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                           "does not report: nvmlDeviceGetUtilizationRates returned 3: Not Supported");
}

OWN_PROCESS_TEST(Nvml, ReturnsAnUnknownStatus, NVML_FAILS("nvmlDeviceGetUtilizationRates:54321")) {
    ExpectUtilizationFails(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "nvmlDeviceGetUtilizationRates returned 54321");
}

OWN_PROCESS_TEST(Nvml, FailsInASearch, NVML_FAILS("nvmlDeviceGetHandleByUUID:999")) {
    ExpectUtilizationFails(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "nvmlDeviceGetHandleByUUID returned 999: Unknown Error");
}

// A driver that does not start: what has a result did without it.
#define NO_START \
    { "FAKE_CUDA_INIT_ERROR", "999" }

namespace {

// NVML counts `wanted` devices, and the driver is started only by the next call.
void ExpectCountedWithoutTheDriver(uint32_t wanted, const std::string& what_fails) {
    for (int round = 0; round < 2; ++round) EXPECT_EQ(DeviceCount(), wanted);
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtSetDevice(0), "cuInit returned 999", what_fails);
    auto count = Poison<uint32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtGetDeviceCount(&count), "cuInit returned 999");
    EXPECT_TRUE(IsPoison(count));
}

void ExpectCountedByTheDriver() {
    auto count = Poison<uint32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtGetDeviceCount(&count), "cuInit returned 999");
}

}  // namespace

OWN_PROCESS_TEST(Nvml, CountsWithoutTheDriver, NO_START) {
    ExpectCountedWithoutTheDriver(2, "");
}

// The program has the number of GPUs: CPUs do not replace them.
OWN_PROCESS_TEST(Nvml, CountsForTheAutomaticBackend, NO_START, {"PORTACL_BACKEND", "auto"}) {
    ExpectCountedWithoutTheDriver(2, "set PORTACL_BACKEND=cpu to use CPUs");
}

OWN_PROCESS_TEST(Nvml, CountsTheDevicesOfTheDriversVariable, NO_START, {"CUDA_VISIBLE_DEVICES", "1"}) {
    ExpectCountedWithoutTheDriver(1, "");
}

OWN_PROCESS_TEST(Nvml, CountsTheDevicesOfBothVariables, NO_START, {"CUDA_VISIBLE_DEVICES", "1,0"},
                 {"ASCEND_RT_VISIBLE_DEVICES", "1"}) {
    ExpectCountedWithoutTheDriver(1, "");
}

OWN_PROCESS_TEST(Nvml, LeavesNamesOfDevicesToTheDriver, NO_START, {"CUDA_VISIBLE_DEVICES", "GPU-66616b65"}) {
    ExpectCountedByTheDriver();
}

OWN_PROCESS_TEST(Nvml, LeavesDevicesWithPartsToTheDriver, NO_START, {"FAKE_NVML_MIG", "1"}) {
    ExpectCountedByTheDriver();
}

OWN_PROCESS_TEST(Nvml, LeavesTheCountToTheDriverWhereItFails, NO_START, NVML_FAILS("nvmlDeviceGetCount_v2:999")) {
    ExpectCountedByTheDriver();
}

// Queries of supported memory pools before one is created: the results match aclrtMemPoolCreate.

#include <portacl/portacl.hpp>

#include <sys/resource.h>

#include <string>

#include "support/own_process.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kUnsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
constexpr int kQuestions = 9;

uint64_t Ask(portaclMemPoolSupport what, int32_t device = 0) {
    auto value = Poison<uint64_t>();
    ExpectOk("portaclDeviceGetMemPoolSupport", portaclDeviceGetMemPoolSupport(device, what, &value));
    return value;
}

// Creates and destroys a pool.
aclError Make(int location, int handle_type, int type = ACL_MEM_ALLOCATION_TYPE_PINNED) {
    aclrtMemPoolProps props = PoolProps();
    props.allocType = static_cast<aclrtMemAllocationType>(type);
    props.location.type = static_cast<aclrtMemLocationType>(location);
    props.handleType = static_cast<aclrtMemHandleType>(handle_type);
    aclrtMemPool pool = nullptr;
    const aclError code = aclrtMemPoolCreate(&pool, &props);
    if (code != ACL_SUCCESS) return code;
    ACL_EXPECT_OK(aclrtMemPoolDestroy(pool));
    return code;
}

// What is reported as supported can be created. What is not cannot, if the library decides it.
void ExpectThatItIsSo(bool said, int location, int handle_type, int type = ACL_MEM_ALLOCATION_TYPE_PINNED) {
    SCOPED_TRACE("location " + std::to_string(location) + ", handle type " + std::to_string(handle_type));
    const aclError code = Make(location, handle_type, type);
    if (said || IsExact()) {
        EXPECT_TRUE(Returned("aclrtMemPoolCreate", code, said ? ACL_SUCCESS : kUnsupported));
    }
    aclGetRecentErrMsg();
}

void ExpectThatAllIsSo() {
    const uint64_t handles = Ask(PORTACL_MEM_POOL_SUPPORT_HANDLE_TYPES);
    ExpectThatItIsSo(Ask(PORTACL_MEM_POOL_SUPPORT_DEVICE), ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_HANDLE_TYPE_NONE);
    for (const int type :
         {static_cast<int>(ACL_MEM_HANDLE_TYPE_POSIX), static_cast<int>(PORTACL_MEM_HANDLE_TYPE_FABRIC)})
        ExpectThatItIsSo(handles & type, ACL_MEM_LOCATION_TYPE_DEVICE, type);
    ExpectThatItIsSo(Ask(PORTACL_MEM_POOL_SUPPORT_HOST), ACL_MEM_LOCATION_TYPE_HOST, ACL_MEM_HANDLE_TYPE_NONE);
    ExpectThatItIsSo(Ask(PORTACL_MEM_POOL_SUPPORT_HOST_NUMA), ACL_MEM_LOCATION_TYPE_HOST_NUMA,
                     ACL_MEM_HANDLE_TYPE_NONE);
    ExpectThatItIsSo(Ask(PORTACL_MEM_POOL_SUPPORT_MANAGED), ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_HANDLE_TYPE_NONE,
                     PORTACL_MEM_ALLOCATION_TYPE_MANAGED);
}

class MemPoolSupport : public WithDevice {};

}  // namespace

TEST_F(MemPoolSupport, ReportedPropertiesCanBeCreated) {
    EXPECT_EQ(Ask(PORTACL_MEM_POOL_SUPPORT_DEVICE), 1u);
    ExpectThatAllIsSo();
}

TEST_F(MemPoolSupport, CpusDoNotSupportOtherDevicesOnTheBus) {
    const uint64_t rdma = Ask(PORTACL_MEM_POOL_SUPPORT_RDMA);
    EXPECT_LE(rdma, 1u);
    EXPECT_LE(Ask(PORTACL_MEM_POOL_SUPPORT_RDMA_FLUSH_WRITES), 3u);
    EXPECT_LE(Ask(PORTACL_MEM_POOL_SUPPORT_RDMA_WRITES_ORDERING), 200u);
    if (OnCpu()) {
        EXPECT_EQ(rdma, 0u);
        EXPECT_EQ(Ask(PORTACL_MEM_POOL_SUPPORT_RDMA_FLUSH_WRITES), 0u);
        EXPECT_EQ(Ask(PORTACL_MEM_POOL_SUPPORT_RDMA_WRITES_ORDERING), 0u);
    }
}

TEST_F(MemPoolSupport, NeedsNoSetDevice) {
    for (int32_t id = 0; id < static_cast<int32_t>(DeviceCount()); ++id)
        for (int what = 0; what < kQuestions; ++what)
            EXPECT_EQ(Ask(static_cast<portaclMemPoolSupport>(what), id), Ask(static_cast<portaclMemPoolSupport>(what)));
}

TEST_F(MemPoolSupport, WrongArgumentsAreRefused) {
    auto value = Poison<uint64_t>();
    constexpr auto kDevice = PORTACL_MEM_POOL_SUPPORT_DEVICE;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclDeviceGetMemPoolSupport(0, kDevice, nullptr), "value");
    for (const int wrong : {-1, kQuestions, 1 << 30}) {
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         portaclDeviceGetMemPoolSupport(0, static_cast<portaclMemPoolSupport>(wrong), &value),
                         "what is " + std::to_string(wrong), "0 to 8");
    }
    for (const int32_t no_device : {-1, static_cast<int32_t>(DeviceCount())})
        ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, portaclDeviceGetMemPoolSupport(no_device, kDevice, &value));
    EXPECT_TRUE(IsPoison(value));
}

TEST_F(MemPoolSupport, IsAvailableInCpp) {
    const portacl::MemPoolSupport support = portacl::Device::mem_pool_support(0);
    EXPECT_EQ(support.device, Ask(PORTACL_MEM_POOL_SUPPORT_DEVICE) != 0);
    EXPECT_EQ(support.host, Ask(PORTACL_MEM_POOL_SUPPORT_HOST) != 0);
    EXPECT_EQ(support.numa_node, Ask(PORTACL_MEM_POOL_SUPPORT_HOST_NUMA) != 0);
    EXPECT_EQ(support.managed, Ask(PORTACL_MEM_POOL_SUPPORT_MANAGED) != 0);
    EXPECT_EQ(support.rdma, Ask(PORTACL_MEM_POOL_SUPPORT_RDMA) != 0);
    const uint64_t handles = Ask(PORTACL_MEM_POOL_SUPPORT_HANDLE_TYPES);
    EXPECT_EQ(support.descriptor, (handles & ACL_MEM_HANDLE_TYPE_POSIX) != 0);
    EXPECT_EQ(support.fabric, (handles & PORTACL_MEM_HANDLE_TYPE_FABRIC) != 0);
    EXPECT_THROW((void)portacl::Device::mem_pool_support(1 << 20), portacl::Error);
}

// A driver without pools.
OWN_PROCESS_TEST(MemPoolSupportUnavailable, MissingDriverPoolsAreNotSupported, {"FAKE_CUDA_MEMORY_POOLS", "0"}) {
    if (!IsExact()) GTEST_SKIP() << "for CPUs only: a GPU's driver has what it has";
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(Ask(PORTACL_MEM_POOL_SUPPORT_DEVICE), OnCpu() ? 1u : 0u);
    ExpectThatAllIsSo();
    ACL_OK(aclFinalize());
}

// Sharing needs a memory file, which this process may not create.
OWN_PROCESS_TEST(MemPoolSupportUnavailable, SharingNeedsAFileOfTheDevicesLength) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: a driver shares memory without such a file";
    if (std::getenv("PORTACL_CPU_GUARD")) GTEST_SKIP() << "guard mode creates such a file as well";
    const rlimit limit{1 << 20, 1 << 20};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(Ask(PORTACL_MEM_POOL_SUPPORT_HANDLE_TYPES), 0u);
    EXPECT_NE(Make(ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_HANDLE_TYPE_POSIX), ACL_SUCCESS);
    EXPECT_EQ(Make(ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_HANDLE_TYPE_NONE), ACL_SUCCESS);
    aclGetRecentErrMsg();
    ACL_OK(aclFinalize());
}

// Properties of devices: ids, priorities, status.
#include <portacl/portacl.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <string>

#include "support/acl_test.h"
#include "support/base/device_ids.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

using DeviceInfo = Initialized;

struct Conversion {
    const char* name;
    aclError (*call)(int32_t, int32_t*);
    const char* from;
    const char* to;
};

const Conversion kConversions[] = {
    {"aclrtGetLogicDevIdByUserDevId", [](int32_t id, int32_t* out) { return aclrtGetLogicDevIdByUserDevId(id, out); },
     "userDevid", "logicDevId"},
    {"aclrtGetUserDevIdByLogicDevId", [](int32_t id, int32_t* out) { return aclrtGetUserDevIdByLogicDevId(id, out); },
     "logicDevId", "userDevid"},
    {"aclrtGetLogicDevIdByPhyDevId", [](int32_t id, int32_t* out) { return aclrtGetLogicDevIdByPhyDevId(id, out); },
     "phyDevId", "logicDevId"},
    {"aclrtGetPhyDevIdByLogicDevId", [](int32_t id, int32_t* out) { return aclrtGetPhyDevIdByLogicDevId(id, out); },
     "logicDevId", "phyDevId"},
    {"aclrtGetPhyDevIdByUserDevId", [](int32_t id, int32_t* out) { return aclrtGetPhyDevIdByUserDevId(id, out); },
     "userDevId", "phyDevId"},
    {"aclrtGetUserDevIdByPhyDevId", [](int32_t id, int32_t* out) { return aclrtGetUserDevIdByPhyDevId(id, out); },
     "phyDevId", "userDevId"},
};

int32_t Count() {
    uint32_t count = 0;
    ACL_EXPECT_OK(aclrtGetDeviceCount(&count));
    return static_cast<int32_t>(count);
}

aclrtDeviceStatus Status(int32_t device) {
    auto status = Poison<aclrtDeviceStatus>();
    ACL_EXPECT_OK(aclrtQueryDeviceStatus(device, &status));
    return status;
}

}  // namespace

TEST_F(DeviceInfo, IdsAreTheSameEverywhere) {
    for (const Conversion& conversion : kConversions) {
        for (int32_t id = 0; id < Count(); ++id) {
            auto converted = Poison<int32_t>();
            EXPECT_TRUE(Returned(conversion.name, conversion.call(id, &converted), 0));
            EXPECT_EQ(converted, id) << conversion.name;
        }
    }
}

TEST_F(DeviceInfo, IdsOutOfRangeAreNotConverted) {
    const std::string bound = AllowedIds(Count());
    for (const Conversion& conversion : kConversions) {
        for (const int32_t id : {-1, Count(), INT32_MIN, INT32_MAX}) {
            auto converted = Poison<int32_t>();
            EXPECT_TRUE(FailedSaying(conversion.name, conversion.call(id, &converted), ACL_ERROR_RT_INVALID_DEVICEID,
                                     {conversion.from + (" is " + std::to_string(id)), bound}));
            EXPECT_TRUE(IsPoison(converted));
        }
    }
}

TEST_F(DeviceInfo, ConversionsRefuseNull) {
    for (const Conversion& conversion : kConversions)
        EXPECT_TRUE(FailedSaying(conversion.name, conversion.call(-1, nullptr), ACL_ERROR_INVALID_PARAM,
                                 {conversion.to + std::string(" is null")}));
}

TEST(DeviceInfoAtAnyTime, ConversionsWorkAfterFinalize) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
    for (const Conversion& conversion : kConversions) {
        auto converted = Poison<int32_t>();
        EXPECT_TRUE(Returned(conversion.name, conversion.call(0, &converted), 0));
        EXPECT_EQ(converted, 0);
    }
    auto pid = Poison<int32_t>();
    ACL_OK(aclrtDeviceGetBareTgid(&pid));
    EXPECT_EQ(pid, getpid());
}

TEST_F(DeviceInfo, ProcessIdIsTheSameInEveryThread) {
    OnThreads(2, [](int) {
        auto pid = Poison<int32_t>();
        ACL_OK(aclrtDeviceGetBareTgid(&pid));
        EXPECT_EQ(pid, getpid());
    });
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetBareTgid(nullptr), "pid is null");
}

TEST_F(DeviceInfo, PriorityRange) {
    auto least = Poison<int32_t>(), greatest = Poison<int32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceGetStreamPriorityRange(&least, &greatest), "aclrtSetDevice");
    EXPECT_TRUE(IsPoison(least) && IsPoison(greatest));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetStreamPriorityRange(nullptr, &greatest),
                     "leastPriority is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetStreamPriorityRange(&least, nullptr),
                     "greatestPriority is null");
    EXPECT_TRUE(IsPoison(least) && IsPoison(greatest));
    ACL_OK(aclrtDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT_EQ(greatest, 0);
    EXPECT_GE(least, greatest);
    EXPECT_LT(least, 32);
}

TEST_F(DeviceInfo, StatusIsNormal) {
    for (int32_t id = 0; id < Count(); ++id) EXPECT_EQ(Status(id), ACL_RT_DEVICE_STATUS_NORMAL);
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(Status(0), ACL_RT_DEVICE_STATUS_NORMAL);
    OnNewThread([] { EXPECT_EQ(Status(0), ACL_RT_DEVICE_STATUS_NORMAL); });
    ACL_OK(aclrtResetDevice(0));
    EXPECT_EQ(Status(0), ACL_RT_DEVICE_STATUS_NORMAL);
}

TEST_F(DeviceInfo, StatusChecksItsArguments) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtQueryDeviceStatus(0, nullptr), "deviceStatus is null");
    auto status = Poison<aclrtDeviceStatus>();
    for (const int32_t id : {-1, Count(), INT32_MIN, INT32_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtQueryDeviceStatus(id, &status),
                         "deviceId is " + std::to_string(id));
    EXPECT_TRUE(IsPoison(status));
}

TEST(DeviceInfoAtAnyTime, StatusIsRefusedAfterFinalize) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
    auto status = Poison<aclrtDeviceStatus>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtQueryDeviceStatus(0, &status));
    EXPECT_TRUE(IsPoison(status));
}

// Kernels and copies use mapped host memory; the other engines do not exist.
TEST_F(DeviceInfo, EnginesThatUseHostMemory) {
    for (int number = 0; number <= 9; ++number) {
        const auto engine = static_cast<aclrtHacType>(number);
        const bool there = engine == ACL_RT_HAC_TYPE_AIC || engine == ACL_RT_HAC_TYPE_AIV ||
                           engine == ACL_RT_HAC_TYPE_PCIEDMA || engine == ACL_RT_HAC_TYPE_SDMA;
        auto capability = Poison<aclrtHostMemMapCapability>();
        ACL_OK(aclrtHostMemMapCapabilities(0, engine, &capability));
        EXPECT_EQ(capability, there ? ACL_RT_HOST_MEM_MAP_SUPPORTED : ACL_RT_HOST_MEM_MAP_NOT_SUPPORTED) << number;
    }
    auto capability = Poison<aclrtHostMemMapCapability>();
    for (const int number : {-1, 10, INT_MIN, INT_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtHostMemMapCapabilities(0, static_cast<aclrtHacType>(number), &capability),
                         "hacType is " + std::to_string(number), "0 to 9");
    EXPECT_TRUE(IsPoison(capability));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_AIC, nullptr),
                     "capabilities is null");
}

TEST_F(DeviceInfo, DevicesAreNotDivided) {
    auto count = Poison<uint32_t>();
    ACL_OK(aclrtGetGroupCount(&count));
    EXPECT_EQ(count, 0u);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetGroupCount(nullptr), "count is null");
    OnNewThread([] {
        auto count = Poison<uint32_t>();
        ACL_OK(aclrtGetGroupCount(&count));
        EXPECT_EQ(count, 0u);
    });
}

TEST_F(DeviceInfo, OneSchedulerServesAll) {
    ACL_OK(aclrtSetTsDevice(ACL_TS_ID_AICORE));
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtSetTsDevice(ACL_TS_ID_AIVECTOR), "ACL_TS_ID_AICORE");
    for (const int number : {-1, int{ACL_TS_ID_RESERVED}, INT_MIN, INT_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetTsDevice(static_cast<aclrtTsId>(number)),
                         "tsId is " + std::to_string(number));
}

TEST_F(DeviceInfo, DevicesThatWorkHaveNoError) {
    auto info = Poison<aclrtErrorInfo>();
    ACL_OK(aclrtGetErrorVerbose(0, &info));
    const aclrtErrorInfo none{};
    EXPECT_EQ(std::memcmp(&info, &none, sizeof info), 0);
    EXPECT_EQ(info.errorType, ACL_RT_NO_ERROR);
    ACL_OK(aclrtRepairError(0, &info));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtGetErrorVerbose(0, &info));
    EXPECT_EQ(info.errorType, ACL_RT_NO_ERROR);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetErrorVerbose(0, nullptr), "errorInfo is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtRepairError(0, nullptr), "errorInfo is null");
}

// Facts about devices: their numbers, priorities, state.
#include <portacl/portacl.h>
#include <unistd.h>

#include <climits>
#include <string>

#include "support/acl_test.h"
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
    {"aclrtGetLogicDevIdByUserDevId",
     [](int32_t id, int32_t* out) { return aclrtGetLogicDevIdByUserDevId(id, out); }, "userDevid",
     "logicDevId"},
    {"aclrtGetUserDevIdByLogicDevId",
     [](int32_t id, int32_t* out) { return aclrtGetUserDevIdByLogicDevId(id, out); }, "logicDevId",
     "userDevid"},
    {"aclrtGetLogicDevIdByPhyDevId",
     [](int32_t id, int32_t* out) { return aclrtGetLogicDevIdByPhyDevId(id, out); }, "phyDevId",
     "logicDevId"},
    {"aclrtGetPhyDevIdByLogicDevId",
     [](int32_t id, int32_t* out) { return aclrtGetPhyDevIdByLogicDevId(id, out); }, "logicDevId",
     "phyDevId"},
    {"aclrtGetPhyDevIdByUserDevId",
     [](int32_t id, int32_t* out) { return aclrtGetPhyDevIdByUserDevId(id, out); }, "userDevId",
     "phyDevId"},
    {"aclrtGetUserDevIdByPhyDevId",
     [](int32_t id, int32_t* out) { return aclrtGetUserDevIdByPhyDevId(id, out); }, "phyDevId",
     "userDevId"},
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
    const std::string bound = std::to_string(Count()) + " devices";
    for (const Conversion& conversion : kConversions) {
        for (const int32_t id : {-1, Count(), INT32_MIN, INT32_MAX}) {
            auto converted = Poison<int32_t>();
            EXPECT_TRUE(FailedSaying(conversion.name, conversion.call(id, &converted),
                                     ACL_ERROR_RT_INVALID_DEVICEID,
                                     {conversion.from + (" is " + std::to_string(id)), bound}));
            EXPECT_TRUE(IsPoison(converted));
        }
    }
}

TEST_F(DeviceInfo, ConversionsWantAPlace) {
    for (const Conversion& conversion : kConversions)
        EXPECT_TRUE(FailedSaying(conversion.name, conversion.call(-1, nullptr),
                                 ACL_ERROR_INVALID_PARAM,
                                 {conversion.to + std::string(" is null")}));
}

TEST(DeviceInfoAtAnyTime, ConversionsAnswerAfterFinalize) {
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
    ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL,
                     aclrtDeviceGetStreamPriorityRange(&least, &greatest), "aclrtSetDevice");
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

TEST_F(DeviceInfo, StatusWantsADeviceAndAPlace) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtQueryDeviceStatus(0, nullptr),
                     "deviceStatus is null");
    auto status = Poison<aclrtDeviceStatus>();
    for (const int32_t id : {-1, Count(), INT32_MIN, INT32_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtQueryDeviceStatus(id, &status),
                         "deviceId is " + std::to_string(id));
    EXPECT_TRUE(IsPoison(status));
}

TEST(DeviceInfoAtAnyTime, StatusIsNotKnownAfterFinalize) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
    auto status = Poison<aclrtDeviceStatus>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtQueryDeviceStatus(0, &status));
    EXPECT_TRUE(IsPoison(status));
}

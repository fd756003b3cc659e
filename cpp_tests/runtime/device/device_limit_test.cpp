// Limits of devices: values are kept and have no effect.
#include "support/objects.h"
#include "support/says.h"

#include <climits>
#include <string>

using namespace portacl_test;

namespace {

using DeviceLimit = WithDevice;

constexpr aclrtDeviceLimit kLimits[] = {
    ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, ACL_RT_DEV_LIMIT_SIMT_DVG_WARP_STACK_SIZE, ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE,
    ACL_RT_DEV_LIMIT_SIMD_PRINTF_FIFO_SIZE_PER_CORE, ACL_RT_DEV_LIMIT_SIMT_PRINTF_FIFO_SIZE};

size_t Get(aclrtDeviceLimit limit) {
    auto value = Poison<size_t>();
    ACL_EXPECT_OK(aclrtDeviceGetLimit(limit, &value));
    return value;
}

}  // namespace

TEST_F(DeviceLimit, EachIsKept) {
    for (const auto limit : kLimits) EXPECT_EQ(Get(limit), 0u);
    for (const auto limit : kLimits) ACL_OK(aclrtDeviceSetLimit(limit, 1000u + limit));
    for (const auto limit : kLimits) EXPECT_EQ(Get(limit), 1000u + limit);
    for (const size_t value : {size_t{0}, SIZE_MAX}) {
        ACL_OK(aclrtDeviceSetLimit(kLimits[0], value));
        EXPECT_EQ(Get(kLimits[0]), value);
    }
    OnNewThread([] {
        ACL_OK(aclrtSetDevice(0));
        EXPECT_EQ(Get(kLimits[1]), 1001u);
    });
}

TEST_F(DeviceLimit, BelongsToItsDeviceAndEndsWithIt) {
    ACL_OK(aclrtDeviceSetLimit(kLimits[0], 7));
    if (DeviceCount() > 1) {
        ACL_OK(aclrtSetDevice(1));
        EXPECT_EQ(Get(kLimits[0]), 0u);
        ACL_OK(aclrtSetDevice(0));
    }
    EXPECT_EQ(Get(kLimits[0]), 7u);
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(Get(kLimits[0]), 0u);
}

TEST_F(DeviceLimit, BadArguments) {
    auto value = Poison<size_t>();
    for (const int number : {-1, 5, INT_MIN, INT_MAX}) {
        const auto limit = static_cast<aclrtDeviceLimit>(number);
        const std::string said = "limit is " + std::to_string(number), bound = "0 to 4";
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceSetLimit(limit, 1), said, bound);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetLimit(limit, &value), said, bound);
    }
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetLimit(kLimits[0], nullptr), "value is null");
    EXPECT_TRUE(IsPoison(value));
}

// Attributes of devices: cores, memory, caches, limits, persistent names.
#include <portacl/portacl.h>

#include <climits>
#include <cstdlib>
#include <fstream>
#include <set>

#include "support/base/device_ids.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/process/cores.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using DeviceAttribute = Initialized;

const std::vector<int32_t> kAttributes = {1,   101, 102, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211,
                                          212, 301, 302, 401, 402, 403, 404, 405, 406, 407, 408, 409, 501, 601};

int64_t Number(uint32_t device, int32_t attribute) {
    auto number = Poison<int64_t>();
    ExpectOk("aclrtGetDeviceInfo", aclrtGetDeviceInfo(device, static_cast<aclrtDevAttr>(attribute), &number));
    return number;
}

// The level-2 cache of the first processor as the kernel reports it; -1 if it does not.
int64_t Level2Cache() {
    for (int index = 0; index < 8; ++index) {
        const std::string cache = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index);
        int level = 0;
        std::string type;
        int64_t kib = 0;
        std::ifstream(cache + "/level") >> level;
        std::ifstream(cache + "/type") >> type;
        std::ifstream(cache + "/size") >> kib;
        if (level == 2 && type != "Instruction") return kib * 1024;
    }
    return -1;
}

// Values that a host function compares with those below.
struct Codes {
    aclError info = 0, uuid = 0, pci = 0, at = 0, rate = 0;
};

}  // namespace

TEST_F(DeviceAttribute, EveryAttributeNeedsNoSetDevice) {
    std::vector<int64_t> before;
    for (const int32_t attribute : kAttributes) before.push_back(Number(0, attribute));
    ACL_OK(aclrtSetDevice(0));
    for (size_t i = 0; i < kAttributes.size(); ++i) {
        EXPECT_EQ(Number(0, kAttributes[i]), before[i]) << kAttributes[i];
        EXPECT_GE(before[i], 0) << kAttributes[i];
    }
}

// Programs divide by these, or launch that many blocks.
TEST_F(DeviceAttribute, CoresAreNeverZero) {
    for (uint32_t device = 0; device < DeviceCount(); ++device) {
        const int64_t cores = Number(device, ACL_DEV_ATTR_AICORE_CORE_NUM);
        EXPECT_GT(cores, 0);
        EXPECT_EQ(Number(device, ACL_DEV_ATTR_CUBE_CORE_NUM), cores);
        EXPECT_EQ(Number(device, ACL_DEV_ATTR_VECTOR_CORE_NUM), 2 * cores);
    }
}

TEST_F(DeviceAttribute, MemoryMatchesAllocations) {
    ACL_OK(aclrtSetDevice(0));
    size_t free = 0, total = 0;
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    EXPECT_EQ(Number(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE), static_cast<int64_t>(total));
}

TEST_F(DeviceAttribute, CacheAndCoresMatchTheMachine) {
    if (OnCpu()) {
        if (Level2Cache() > 0) {
            EXPECT_EQ(Number(0, ACL_DEV_ATTR_L2_CACHE_SIZE), Level2Cache());
        }
        const int64_t cores = Cores();
        EXPECT_EQ(Number(0, ACL_DEV_ATTR_AICORE_CORE_NUM), cores);
        EXPECT_EQ(Number(0, ACL_DEV_ATTR_AICPU_CORE_NUM), cores);
    } else {
        EXPECT_GT(Number(0, ACL_DEV_ATTR_L2_CACHE_SIZE), 0);
        EXPECT_EQ(Number(0, ACL_DEV_ATTR_AICPU_CORE_NUM), 0);
    }
}

TEST_F(DeviceAttribute, ThreadLimitsAreThoseOfGpus) {
    for (int32_t attribute = 202; attribute <= 212; ++attribute) {
        const int64_t bound = Number(0, attribute);
        if (OnCpu()) {
            EXPECT_EQ(bound, 0) << attribute;
        } else {
            EXPECT_GT(bound, 0) << attribute;
        }
    }
    if (OnCpu()) return;
    EXPECT_EQ(Number(0, ACL_DEV_ATTR_WARP_SIZE), 32);
    EXPECT_GE(Number(0, ACL_DEV_ATTR_MAX_THREADS_PER_BLOCK), Number(0, ACL_DEV_ATTR_MAX_BLOCK_DIM_X));
    // The call has not written past the structure.
    EXPECT_GE(Number(0, ACL_DEV_ATTR_MAX_BLOCK_PER_GRID), Number(0, ACL_DEV_ATTR_MAX_GRID_DIM_X));
}

TEST_F(DeviceAttribute, PciPlacesAreUnique) {
    std::set<int64_t> places;
    for (uint32_t device = 0; device < DeviceCount(); ++device) {
        auto physical = Poison<int32_t>();
        ACL_OK(aclrtGetPhyDevIdByUserDevId(static_cast<int32_t>(device), &physical));
        EXPECT_EQ(Number(device, ACL_DEV_ATTR_PHY_CHIP_ID), physical);
        places.insert(Number(device, ACL_DEV_ATTR_SUPER_POD_DEVICE_ID));
        EXPECT_EQ(Number(device, ACL_DEV_ATTR_IS_VIRTUAL), 0);
        EXPECT_EQ(Number(device, ACL_DEV_ATTR_HD_CONNECT_TYPE), ACL_HOST_DEVICE_CONNECT_TYPE_PCIE);
        EXPECT_EQ(Number(device, ACL_DEV_ATTR_DEVICE_FORM_FACTOR), ACL_DEVICE_FORM_FACTOR_PCIE_CARD);
    }
    EXPECT_EQ(places.size(), DeviceCount());
}

// What depends on the name of the processor; the number of matrix cores does not.
void ExpectProfile(int64_t architecture, int64_t vector_cores, int32_t bfloat16) {
    const int64_t cores = Number(0, ACL_DEV_ATTR_CUBE_CORE_NUM);
    EXPECT_EQ(Number(0, ACL_DEV_ATTR_AICORE_CORE_NUM), cores);
    EXPECT_EQ(Number(0, ACL_DEV_ATTR_NPU_ARCH), architecture);
    EXPECT_EQ(Number(0, ACL_DEV_ATTR_VECTOR_CORE_NUM), cores * vector_cores);
    auto capability = Poison<int64_t>();
    ACL_OK(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &capability));
    EXPECT_EQ(capability, cores * vector_cores);
    auto limit = Poison<uint32_t>();
    ACL_OK(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, &limit));
    EXPECT_EQ(limit, cores * vector_cores);
    auto has = Poison<int32_t>();
    ACL_OK(aclGetCannAttribute(ACL_CANN_ATTR_BF16, &has));
    EXPECT_EQ(has, bfloat16);
    ACL_OK(aclGetCannAttribute(ACL_CANN_ATTR_INF_NAN, &has));
    EXPECT_EQ(has, 1);
    if (OnCpu()) {
        EXPECT_EQ(cores, Cores());
    } else {
        // A multiprocessor has room for 1,024 threads or more.
        EXPECT_GE(Number(0, ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE) * vector_cores, 1024);
    }
}

OWN_PROCESS_TEST(DeviceProfile, DefaultOfTheLibrary, {"PORTACL_SOC_NAME", ""}) {
    ExpectProfile(2201, 2, 1);
}

OWN_PROCESS_TEST(DeviceProfile, A2, {"PORTACL_SOC_NAME", "Ascend910B4-1"}) {
    ExpectProfile(2201, 2, 1);
}

OWN_PROCESS_TEST(DeviceProfile, A3, {"PORTACL_SOC_NAME", "Ascend910_9392"}) {
    ExpectProfile(2201, 2, 1);
}

OWN_PROCESS_TEST(DeviceProfile, Inference, {"PORTACL_SOC_NAME", "Ascend310P3"}) {
    ExpectProfile(0, 1, 0);
}

OWN_PROCESS_TEST(DeviceProfile, FirstGeneration, {"PORTACL_SOC_NAME", "Ascend910B"}) {
    ExpectProfile(0, 1, 0);
}

OWN_PROCESS_TEST(DeviceProfile, UnknownNamesKeepTheOtherDefaults, {"PORTACL_SOC_NAME", "Something"}) {
    ExpectProfile(0, 2, 1);
}

// A variable that sets a value has precedence over what a name implies.
OWN_PROCESS_TEST(DeviceProfile, MemoryIsThatOfItsVariable, {"PORTACL_SOC_NAME", "Ascend310P3"},
                 {"PORTACL_CPU_MEMORY", "512M"}) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: the variable is of this backend";
    EXPECT_EQ(Number(0, ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE), int64_t{512} << 20);
    ExpectProfile(0, 1, 0);
}

TEST_F(DeviceAttribute, InfoChecksItsArguments) {
    auto number = Poison<int64_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, nullptr),
                     "value is null");
    std::set<int32_t> known(kAttributes.begin(), kAttributes.end());
    for (const int32_t attribute :
         {-1, 0, 2, 100, 103, 200, 213, 300, 303, 400, 410, 500, 502, 600, 602, INT32_MIN, INT32_MAX}) {
        ASSERT_EQ(known.count(attribute), 0u);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(attribute), &number),
                         "attr is " + std::to_string(attribute), "aclrtDevAttr");
    }
    for (const uint32_t device : {DeviceCount(), 0x80000000u, UINT32_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID,
                         aclrtGetDeviceInfo(device, ACL_DEV_ATTR_AICORE_CORE_NUM, &number),
                         "deviceId is " + std::to_string(device), AllowedIds(DeviceCount()));
    EXPECT_TRUE(IsPoison(number));
}

TEST_F(DeviceAttribute, CapabilitiesAreTheSameNumbers) {
    const struct {
        aclDeviceInfo info;
        aclrtDevAttr attribute;
    } kSame[] = {{ACL_DEVICE_INFO_AI_CORE_NUM, ACL_DEV_ATTR_AICORE_CORE_NUM},
                 {ACL_DEVICE_INFO_VECTOR_CORE_NUM, ACL_DEV_ATTR_VECTOR_CORE_NUM},
                 {ACL_DEVICE_INFO_L2_SIZE, ACL_DEV_ATTR_L2_CACHE_SIZE}};
    for (const auto& same : kSame) {
        auto number = Poison<int64_t>();
        ACL_OK(aclGetDeviceCapability(0, same.info, &number));
        EXPECT_EQ(number, Number(0, same.attribute));
    }
    auto number = Poison<int64_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, nullptr),
                     "value is null");
    for (const int32_t info : {-1, 3, INT32_MIN, INT32_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclGetDeviceCapability(0, static_cast<aclDeviceInfo>(info), &number),
                         "deviceInfo is " + std::to_string(info));
    ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID,
                     aclGetDeviceCapability(UINT32_MAX, ACL_DEVICE_INFO_L2_SIZE, &number), "deviceId is 4294967295");
    EXPECT_TRUE(IsPoison(number));
}

TEST_F(DeviceAttribute, UnsupportedFeatures) {
    for (const auto feature :
         {ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV}) {
        auto has = Poison<int32_t>();
        ACL_OK(aclrtGetDeviceCapability(0, feature, &has));
        EXPECT_EQ(has, static_cast<int32_t>(ACL_DEV_FEATURE_NOT_SUPPORT));
    }
    auto has = Poison<int32_t>();
    const auto feature = ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceCapability(0, feature, nullptr), "value is null");
    for (const int32_t other : {-1, 0, 2, 20, 22, INT32_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtGetDeviceCapability(0, static_cast<aclrtDevFeatureType>(other), &has),
                         "devFeatureType is " + std::to_string(other));
    for (const int32_t device : {-1, static_cast<int32_t>(DeviceCount()), INT32_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDeviceCapability(device, feature, &has),
                         "deviceId is " + std::to_string(device));
    EXPECT_TRUE(IsPoison(has));
}

TEST(DeviceAttributeAtAnyTime, AttributesOfTheChip) {
    auto list = Poison<const aclCannAttr*>();
    auto length = Poison<size_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclGetCannAttributeList(nullptr, &length), "cannAttrList is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclGetCannAttributeList(&list, nullptr), "num is null");
    EXPECT_TRUE(IsPoison(list) && IsPoison(length));
    ACL_OK(aclGetCannAttributeList(&list, &length));
    ASSERT_EQ(length, 3u);
    const int32_t kWanted[] = {1, 1, 0};  // infinities and NaNs; bfloat16; runtime compilation
    for (size_t i = 0; i < length; ++i) {
        auto value = Poison<int32_t>();
        ACL_OK(aclGetCannAttribute(list[i], &value));
        EXPECT_EQ(value, kWanted[list[i]]);
    }
    EXPECT_EQ(std::set<int>(list, list + length), (std::set<int>{0, 1, 2}));
    auto value = Poison<int32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclGetCannAttribute(ACL_CANN_ATTR_BF16, nullptr), "value is null");
    for (const int32_t attribute : {-1, 3, INT32_MIN, INT32_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclGetCannAttribute(static_cast<aclCannAttr>(attribute), &value),
                         "cannAttr is " + std::to_string(attribute));
    EXPECT_TRUE(IsPoison(value));
}

TEST_F(DeviceAttribute, TopologyIsOneHost) {
    auto bits = Poison<uint64_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetDevicesTopo(0, 1, nullptr), "value is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetDevicesTopo(0, 0, &bits), "both 0");
    ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDevicesTopo(UINT32_MAX, 0, &bits),
                     "deviceId is 4294967295");
    ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetDevicesTopo(0, UINT32_MAX, &bits),
                     "otherDeviceId is 4294967295");
    EXPECT_TRUE(IsPoison(bits));
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtGetDevicesTopo(1, 0, &bits));
    EXPECT_EQ(bits, ACL_RT_DEVS_TOPOLOGY_PHB);
}

TEST_F(DeviceAttribute, RefusedInsideAHostFunction) {
    ACL_OK(aclrtSetDevice(0));
    Codes codes;
    ACL_OK(aclrtLaunchHostFunc(
        nullptr,
        [](void* argument) {
            auto* codes = static_cast<Codes*>(argument);
            int64_t number;
            aclrtUuid uuid;
            char text[32];
            int32_t device;
            aclrtUtilizationInfo rate{};
            codes->info = aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &number);
            codes->uuid = aclrtDeviceGetUuid(0, &uuid);
            codes->pci = aclrtDeviceGetPCIBusId(0, text, sizeof text);
            codes->at = aclrtDeviceGetByPCIBusId("0000:00:00.0", &device);
            codes->rate = aclrtGetDeviceUtilizationRate(0, &rate);
        },
        &codes));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    for (const aclError code : {codes.info, codes.uuid, codes.pci, codes.at, codes.rate})
        EXPECT_EQ(code, ACL_ERROR_RT_PARAM_INVALID);
}

TEST(DeviceAttributeAtAnyTime, RefusedAfterFinalize) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
    auto number = Poison<int64_t>();
    auto small = Poison<int32_t>();
    auto bits = Poison<uint64_t>();
    auto uuid = Poison<aclrtUuid>();
    char text[32] = "#";
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &number));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &number));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &small));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevicesTopo(0, 1, &bits));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceGetUuid(0, &uuid));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceGetPCIBusId(0, text, sizeof text));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtDeviceGetByPCIBusId("0000:00:00.0", &small));
    EXPECT_TRUE(IsPoison(number) && IsPoison(small) && IsPoison(bits) && IsPoison(uuid));
    EXPECT_STREQ(text, "#");
}

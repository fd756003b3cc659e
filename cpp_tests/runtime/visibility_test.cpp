// ASCEND_RT_VISIBLE_DEVICES: which devices a process has, and with which ids. Each test has its own
// process, on machines with four devices if the backend can have any number.
#include <portacl/portacl.h>

#include <climits>

#include "support/base/device_ids.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

// Finalizes at the end, because the driver's test double checks for leaks.
struct Session {
    Session() { ExpectOk("aclInit", aclInit(nullptr)); }
    ~Session() { ExpectOk("aclFinalize", aclFinalize()); }
};

// The number of devices of the machine: that of the physical ids.
int32_t AllDevices() {
    int32_t all = 0, logical = 0;
    while (aclrtGetLogicDevIdByPhyDevId(all, &logical) == ACL_SUCCESS) ++all;
    aclGetRecentErrMsg();
    return all;
}

// The devices of `wanted`, up to the first that this machine does not have.
std::vector<int32_t> Present(const std::vector<int32_t>& wanted) {
    std::vector<int32_t> present;
    const int32_t all = AllDevices();
    for (const int32_t id : wanted) {
        if (id >= all) break;
        present.push_back(id);
    }
    return present;
}

int32_t Converted(aclError (*convert)(int32_t, int32_t*), int32_t id) {
    auto converted = Poison<int32_t>();
    ExpectOk("a conversion of ids", convert(id, &converted));
    return converted;
}

int64_t Number(int32_t device, aclrtDevAttr attribute) {
    auto number = Poison<int64_t>();
    ExpectOk("aclrtGetDeviceInfo", aclrtGetDeviceInfo(static_cast<uint32_t>(device), attribute, &number));
    return number;
}

// This process has exactly these devices, and uses them with their new ids.
void ExpectVisible(const std::vector<int32_t>& wanted) {
    const Session session;
    const std::vector<int32_t> logical = Present(wanted);
    ASSERT_EQ(DeviceCount(), logical.size());
    for (int32_t user = 0; user < static_cast<int32_t>(logical.size()); ++user) {
        const int32_t id = logical[static_cast<size_t>(user)];
        EXPECT_EQ(Converted(aclrtGetLogicDevIdByUserDevId, user), id);
        EXPECT_EQ(Converted(aclrtGetPhyDevIdByUserDevId, user), id);
        EXPECT_EQ(Converted(aclrtGetUserDevIdByLogicDevId, id), user);
        EXPECT_EQ(Converted(aclrtGetUserDevIdByPhyDevId, id), user);
        EXPECT_EQ(Number(user, ACL_DEV_ATTR_PHY_CHIP_ID), id);

        ACL_OK(aclrtSetDevice(user));
        auto current = Poison<int32_t>();
        ACL_OK(aclrtGetDevice(&current));
        EXPECT_EQ(current, user);
        DeviceMemory memory(Pattern(5000, static_cast<uint32_t>(user)));
        aclrtPtrAttributes attributes;
        ACL_OK(aclrtPointerGetAttributes(memory.At(), &attributes));
        EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
        EXPECT_EQ(attributes.location.id, static_cast<uint32_t>(user));
        EXPECT_TRUE(memory.Download() == Pattern(5000, static_cast<uint32_t>(user)));
    }
    const int32_t all = AllDevices();
    for (int32_t id = 0; id < all; ++id) {
        EXPECT_EQ(Converted(aclrtGetPhyDevIdByLogicDevId, id), id);
        if (std::count(logical.begin(), logical.end(), id) != 0) continue;
        auto converted = Poison<int32_t>();
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetUserDevIdByLogicDevId(id, &converted),
                         "logicDevId is " + std::to_string(id), "ASCEND_RT_VISIBLE_DEVICES");
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetUserDevIdByPhyDevId(id, &converted),
                         "phyDevId is " + std::to_string(id), "ASCEND_RT_VISIBLE_DEVICES");
        EXPECT_TRUE(IsPoison(converted));
    }
    // The other devices have no id.
    for (const int32_t id : {-1, static_cast<int32_t>(logical.size()), INT32_MAX}) {
        const std::string count = logical.empty() ? ": none" : AllowedIds(logical.size());
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(id), "deviceId is " + std::to_string(id), count);
        auto converted = Poison<int32_t>();
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetLogicDevIdByUserDevId(id, &converted), count);
        EXPECT_TRUE(IsPoison(converted));
    }
}

std::string PciAddress(int32_t device) {
    char text[32] = "";
    ExpectOk("aclrtDeviceGetPCIBusId", aclrtDeviceGetPCIBusId(device, text, sizeof text));
    return text;
}

}  // namespace

#define FOUR_DEVICES                \
    {"PORTACL_CPU_DEVICES", "4"}, { \
        "FAKE_CUDA_DEVICES", "4"    \
    }
#define VISIBLE(list)                     \
    FOUR_DEVICES, {                       \
        "ASCEND_RT_VISIBLE_DEVICES", list \
    }

OWN_PROCESS_TEST(Visibility, WithoutTheVariableAllAreVisible, FOUR_DEVICES) {
    ExpectVisible({0, 1, 2, 3});
    EXPECT_EQ(AllDevices(), static_cast<int32_t>(DeviceCount()));
}

// An empty variable counts as not set, like all variables of this library.
OWN_PROCESS_TEST(Visibility, EmptyMeansAll, VISIBLE("")) {
    ExpectVisible({0, 1, 2, 3});
}

OWN_PROCESS_TEST(Visibility, VisibleDevicesAreRenumbered, VISIBLE("1,3")) {
    ExpectVisible({1, 3});
}

OWN_PROCESS_TEST(Visibility, TheOrderIsThatOfTheList, VISIBLE("3,0,2")) {
    ExpectVisible({3, 0, 2});
}

OWN_PROCESS_TEST(Visibility, ParsingStopsAtAnUnknownId, VISIBLE("1,99,0")) {
    ExpectVisible({1});
}

OWN_PROCESS_TEST(Visibility, ParsingStopsAtAnInvalidId, VISIBLE("0,2x,1")) {
    ExpectVisible({0});
}

OWN_PROCESS_TEST(Visibility, ParsingStopsAtARepetition, VISIBLE("1,0,1,2")) {
    ExpectVisible({1, 0});
}

OWN_PROCESS_TEST(Visibility, AllMayBeHidden, VISIBLE("-1")) {
    ExpectVisible({});
    ACL_OK(aclInit(nullptr));
    ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(0), ": none", "ASCEND_RT_VISIBLE_DEVICES");
    ACL_OK(aclFinalize());
    EXPECT_EQ(DeviceCount(), 0u);
}

OWN_PROCESS_TEST(Visibility, PropertiesBelongToTheRightDevice, VISIBLE("2,1")) {
    const Session session;
    const auto devices = static_cast<int32_t>(Present({2, 1}).size());
    const std::string backend = portaclBackendName();
    for (int32_t user = 0; user < devices; ++user) {
        const int32_t logical = user == 0 ? 2 : 1;
        char wanted[32] = "";
        // The numbering of the CPU backend and of the test double.
        if (backend == "cpu") std::snprintf(wanted, sizeof wanted, "ffff:%02x:00.0", logical);
        if (std::getenv("FAKE_CUDA_STRICT")) std::snprintf(wanted, sizeof wanted, "0000:%02x:00.0", logical + 1);
        if (*wanted) {
            EXPECT_EQ(PciAddress(user), wanted);
        }
        auto found = Poison<int32_t>();
        ACL_OK(aclrtDeviceGetByPCIBusId(PciAddress(user).c_str(), &found));
        EXPECT_EQ(found, user);
    }
}

OWN_PROCESS_TEST(Visibility, DevicesWorkTogether, VISIBLE("3,1")) {
    const Session session;
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    constexpr size_t kSize = 200000;
    ACL_OK(aclrtSetDevice(1));
    DeviceMemory there(kSize);
    ACL_OK(aclrtSetDevice(0));
    DeviceMemory here(Pattern(kSize));
    auto can = Poison<int32_t>();
    ACL_OK(aclrtDeviceCanAccessPeer(&can, 0, 1));
    if (can) {
        ACL_OK(aclrtDeviceEnablePeerAccess(1, 0));
    }
    Stream stream;
    Event event;
    ACL_OK(aclrtMemcpyAsync(there.At(), kSize, here.At(), kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL_OK(aclrtRecordEvent(event, stream));
    ACL_OK(aclrtSynchronizeEvent(event));
    EXPECT_TRUE(there.Download() == Pattern(kSize));
}

OWN_PROCESS_TEST(Visibility, IdsStayAfterFinalize, VISIBLE("2,0")) {
    const std::vector<int32_t> present = Present({2, 0});
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
    EXPECT_EQ(DeviceCount(), present.size());
    for (size_t user = 0; user < present.size(); ++user)
        EXPECT_EQ(Converted(aclrtGetLogicDevIdByUserDevId, static_cast<int32_t>(user)), present[user]);
}

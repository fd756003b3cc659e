// UUIDs and PCI addresses, by which devices differ.
#include <portacl/portacl.h>

#include <climits>
#include <cstdlib>
#include <set>

#include "support/base/device_ids.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using DeviceIdentity = Initialized;

std::string Text(const aclrtUuid& uuid) {
    return std::string(uuid.bytes, sizeof uuid.bytes);
}

std::string PciAddress(int32_t device) {
    char text[32];
    std::memset(text, '#', sizeof text);
    ExpectOk("aclrtDeviceGetPCIBusId", aclrtDeviceGetPCIBusId(device, text, sizeof text));
    return text;
}

TEST_F(DeviceIdentity, UuidsAreUniqueAndPersistent) {
    std::set<std::string> seen;
    for (uint32_t device = 0; device < DeviceCount(); ++device) {
        aclrtUuid first = Poison<aclrtUuid>(), again = Poison<aclrtUuid>();
        ACL_OK(aclrtDeviceGetUuid(static_cast<int32_t>(device), &first));
        ACL_OK(aclFinalize());
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtDeviceGetUuid(static_cast<int32_t>(device), &again));
        EXPECT_EQ(Text(first), Text(again));
        EXPECT_FALSE(IsPoison(first));
        seen.insert(Text(first));
        if (OnCpu()) {
            EXPECT_EQ(first.bytes[6] & 0xf0, 0x80) << "version 8";
        }
    }
    EXPECT_EQ(seen.size(), DeviceCount());
    aclrtUuid uuid = Poison<aclrtUuid>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetUuid(0, nullptr), "uuid is null");
    for (const int32_t device : {-1, static_cast<int32_t>(DeviceCount()), INT32_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceGetUuid(device, &uuid),
                         "deviceId is " + std::to_string(device));
    EXPECT_TRUE(IsPoison(uuid));
}

// Another process sees the same devices with the same UUIDs.
OWN_PROCESS_TEST(DeviceUuid, IsTheSameInAnotherProcess) {
    aclrtUuid mine;
    ACL_OK(aclrtDeviceGetUuid(0, &mine));
    std::string wanted;
    for (const char byte : mine.bytes) {
        char hex[4];
        std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned char>(byte));
        wanted += hex;
    }
    if (const char* theirs = std::getenv("PORTACL_TEST_UUID")) {
        EXPECT_EQ(wanted, theirs);
        return;
    }
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    const std::string name = std::string(test->test_suite_name()) + "." + test->name();
    const ProcessResult result =
        RunProcess("/proc/self/exe", {"--gtest_filter=" + name}, {{"PORTACL_TEST_UUID", wanted}});
    EXPECT_TRUE(Succeeded(result));
}

TEST_F(DeviceIdentity, PciAddressesFindTheirDevice) {
    std::set<std::string> seen;
    for (int32_t device = 0; device < static_cast<int32_t>(DeviceCount()); ++device) {
        const std::string address = PciAddress(device);
        EXPECT_GE(address.size(), 12u) << address;
        seen.insert(address);
        std::string loud = address;
        for (char& c : loud) c = static_cast<char>(std::toupper(c));
        const std::string brief = address.substr(0, address.rfind('.'));
        for (const std::string& text : {address, loud, brief}) {
            auto found = Poison<int32_t>();
            ACL_OK(aclrtDeviceGetByPCIBusId(text.c_str(), &found));
            EXPECT_EQ(found, device) << text;
        }
    }
    EXPECT_EQ(seen.size(), DeviceCount());
}

TEST_F(DeviceIdentity, PciAddressNeedsALargeEnoughBuffer) {
    const std::string address = PciAddress(0);
    char text[64];
    for (const int32_t room : {INT32_MIN, -1, 0, 1, static_cast<int32_t>(address.size())}) {
        std::memset(text, '#', sizeof text);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetPCIBusId(0, text, room),
                         "len is " + std::to_string(room), std::to_string(address.size() + 1));
        EXPECT_EQ(text[0], '#');
    }
    const auto exact = static_cast<int32_t>(address.size() + 1);
    ACL_OK(aclrtDeviceGetPCIBusId(0, text, exact));
    EXPECT_EQ(address, text);
    EXPECT_EQ(text[exact], '#');
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetPCIBusId(0, nullptr, 64), "pciBusId is null");
    for (const int32_t device : {-1, static_cast<int32_t>(DeviceCount()), INT32_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceGetPCIBusId(device, text, 64),
                         "deviceId is " + std::to_string(device));
    EXPECT_EQ(address, text);
}

TEST_F(DeviceIdentity, UnknownPciAddressesAreRefused) {
    auto found = Poison<int32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetByPCIBusId(nullptr, &found), "pciBusId is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetByPCIBusId(PciAddress(0).c_str(), nullptr),
                     "deviceId is null");
    for (const char* text : {"", "0", "zz:00.0", "0000:00:00.9", "0000:00:00.0 ", "-1:00:00.0"})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDeviceGetByPCIBusId(text, &found),
                         "pciBusId is \"" + std::string(text) + "\"", "0000:3b:00.0");
    ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtDeviceGetByPCIBusId("fffe:ff:1f.7", &found), "fffe:ff:1f.7",
                     "no device here");
    EXPECT_TRUE(IsPoison(found));
}

}  // namespace

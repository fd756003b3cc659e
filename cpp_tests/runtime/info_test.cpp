// Queries: version, chip name, run mode, memory.
#include "support/acl_test.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/threads.h"

#include <climits>
#include <cstdlib>
#include <string>

using namespace portacl_test;

namespace {

using MemInfoWithoutDevice = Initialized;
using MemInfo = WithDevice;

// Attributes that stand for the device's memory.
constexpr aclrtMemAttr kDeviceMemory[] = {ACL_HBM_MEM,          ACL_HBM_MEM_HUGE,       ACL_HBM_MEM_NORMAL,
                                          ACL_HBM_MEM_P2P_HUGE, ACL_HBM_MEM_P2P_NORMAL, ACL_MEM_NORMAL,
                                          ACL_MEM_HUGE,         ACL_MEM_P2P_NORMAL,     ACL_MEM_P2P_HUGE};

}  // namespace

TEST(Info, Version) {
    auto major = Poison<int32_t>(), minor = Poison<int32_t>(), patch = Poison<int32_t>();
    ACL_OK(aclrtGetVersion(&major, &minor, &patch));
    EXPECT_EQ(major, ACL_MAJOR_VERSION);
    EXPECT_EQ(minor, ACL_MINOR_VERSION);
    EXPECT_EQ(patch, ACL_PATCH_VERSION);
}

TEST(Info, VersionRefusesNull) {
    auto first = Poison<int32_t>(), second = Poison<int32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetVersion(nullptr, &first, &second), "majorVersion is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetVersion(&first, nullptr, &second), "minorVersion is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetVersion(&first, &second, nullptr), "patchVersion is null");
    EXPECT_TRUE(IsPoison(first) && IsPoison(second));
}

TEST(Info, RunModeIsHost) {
    auto mode = Poison<aclrtRunMode>();
    ACL_OK(aclrtGetRunMode(&mode));
    EXPECT_EQ(mode, ACL_HOST);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetRunMode(nullptr), "runMode is null");
}

TEST(Info, SocNameNeverChanges) {
    const char* name = aclrtGetSocName();
    ASSERT_NE(name, nullptr);
    EXPECT_EQ(std::string(name).rfind("Ascend", 0), 0u) << name;
    // Programs keep the pointer.
    setenv("PORTACL_SOC_NAME", "Ascend310P3", 1);
    EXPECT_EQ(aclrtGetSocName(), name);
    unsetenv("PORTACL_SOC_NAME");
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(aclrtGetSocName(), name);
    ACL_OK(aclFinalize());
    EXPECT_EQ(aclrtGetSocName(), name);
    OnThreads(8, [name](int) { EXPECT_EQ(aclrtGetSocName(), name); });
}

TEST_F(MemInfo, FreeIsAtMostTotal) {
    for (const aclrtMemAttr attr : kDeviceMemory) {
        auto free = Poison<size_t>(), total = Poison<size_t>();
        ACL_OK(aclrtGetMemInfo(attr, &free, &total));
        EXPECT_GT(total, 0u) << attr;
        EXPECT_LE(free, total) << attr;
        EXPECT_GT(free, 0u) << attr;
    }
}

TEST_F(MemInfo, KindsThatDoNotExistHereAreEmpty) {
    for (const aclrtMemAttr attr :
         {ACL_DDR_MEM, ACL_DDR_MEM_HUGE, ACL_DDR_MEM_NORMAL, ACL_DDR_MEM_P2P_HUGE, ACL_DDR_MEM_P2P_NORMAL,
          ACL_HBM_MEM_HUGE1G, ACL_HBM_MEM_P2P_HUGE1G, ACL_MEM_HUGE1G, ACL_MEM_P2P_HUGE1G}) {
        auto free = Poison<size_t>(), total = Poison<size_t>();
        ACL_OK(aclrtGetMemInfo(attr, &free, &total));
        EXPECT_EQ(free, 0u) << attr;
        EXPECT_EQ(total, 0u) << attr;
    }
}

TEST_F(MemInfo, AttributesOutOfRange) {
    for (const int attr : {-1, 18, 99, INT_MIN, INT_MAX}) {
        auto free = Poison<size_t>(), total = Poison<size_t>();
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_MEMORY_TYPE,
                         aclrtGetMemInfo(static_cast<aclrtMemAttr>(attr), &free, &total),
                         "attr is " + std::to_string(attr), "0 to 17");
        EXPECT_TRUE(IsPoison(free) && IsPoison(total));
    }
}

TEST_F(MemInfo, RefusesNull) {
    auto place = Poison<size_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &place), "free is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetMemInfo(ACL_HBM_MEM, &place, nullptr), "total is null");
    EXPECT_TRUE(IsPoison(place));
}

TEST_F(MemInfoWithoutDevice, NeedsADevice) {
    auto free = Poison<size_t>(), total = Poison<size_t>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), "aclrtSetDevice");
    EXPECT_TRUE(IsPoison(free) && IsPoison(total));
    ACL_OK(aclrtSetDevice(0));
    OnNewThread([&] { ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetMemInfo(ACL_HBM_MEM, &free, &total)); });
    EXPECT_TRUE(IsPoison(free) && IsPoison(total));
}

TEST_F(MemInfo, FollowsAllocations) {
    size_t total = 0, before = 0, during = 0, after = 0;
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    const size_t size = total / 8;
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_NORMAL_ONLY));
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &during, &total));
    EXPECT_LE(during + size, before);
    ACL_OK(aclrtFree(memory));
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    // Freed memory that is not available again is cached by an allocator.
    EXPECT_GE(after + (size_t{16} << 20), before);
}

// Without the variable, CPU devices share the memory of the machine: see memory_capacity_test.
OWN_PROCESS_TEST(MemInfoOfDevices, IsPerDevice, {"PORTACL_CPU_MEMORY", "1G"}) {
    ACL_OK(aclInit(nullptr));
    uint32_t count = 0;
    ACL_OK(aclrtGetDeviceCount(&count));
    if (count < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    size_t before = 0, after = 0, total = 0;
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    ACL_OK(aclrtSetDevice(0));
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, total / 8, ACL_MEM_MALLOC_NORMAL_ONLY));
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    EXPECT_GE(after + (size_t{16} << 20), before);
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtFree(memory));
    ACL_OK(aclFinalize());
}

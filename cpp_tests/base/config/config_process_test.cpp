// What a process reads from its environment before the first call, and limits of the process.

#include "support/acl_test.h"
#include "support/own_process.h"
#include "support/says.h"

#include <portacl/portacl.h>

#include <dlfcn.h>
#include <sys/resource.h>

#include <cstdlib>
#include <string>
#include <utility>

using namespace portacl_test;

OWN_PROCESS_TEST(ConfigProcess, CudaWithoutADriver, {"PORTACL_BACKEND", "cuda"}) {
    if (void* driver = dlopen("libcuda.so.1", RTLD_NOW)) {
        dlclose(driver);
        GTEST_SKIP() << "needs a machine without a driver";
    }
    auto count = Poison<uint32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtGetDeviceCount(&count), "libcuda.so.1");
    EXPECT_TRUE(IsPoison(count));
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclInit(nullptr), "libcuda.so.1");
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtSetDevice(0), "libcuda.so.1");
}

// Limits the length of files of this process; restores the limit.
rlim_t LimitFiles(rlim_t most) {
    rlimit limit{};
    EXPECT_EQ(0, getrlimit(RLIMIT_FSIZE, &limit));
    std::swap(limit.rlim_cur, most);
    EXPECT_EQ(0, setrlimit(RLIMIT_FSIZE, &limit));
    return most;
}

// Notifies, and the memory of CPU devices in guard mode, are memory files. Exceeding a limit on
// file sizes is an error and does not end the process.
OWN_PROCESS_TEST(ConfigProcess, ALimitOfFileSizesIsReported) {
    ACL_OK(aclInit(nullptr));
    const rlim_t before = LimitFiles(0);
    if (std::getenv("PORTACL_CPU_GUARD")) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtSetDevice(0), "ulimit -f",
                         "limit for the size of files is 0 bytes");
    } else {
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(aclrtResetDevice(0));
    }
    LimitFiles(before);
    ACL_OK(aclrtSetDevice(0));
    LimitFiles(0);
    auto notify = Poison<aclrtNotify>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, aclrtCreateNotify(&notify, 0), "ulimit -f");
    EXPECT_TRUE(IsPoison(notify));
    LimitFiles(before);
    ACL_OK(aclrtCreateNotify(&notify, 0));
    ACL_OK(aclrtDestroyNotify(notify));
    ACL_OK(aclFinalize());
}

// Each device reserves addresses for all of its memory. If the process has too few, devices are
// smaller; guard mode reports how much it needs.
OWN_PROCESS_TEST(ConfigProcess, DevicesFitIntoALimitOfAddresses) {
    const rlim_t most = rlim_t{4} << 30;
    const rlimit limit{most, most};
    ACL_OK(aclInit(nullptr));
    if (std::string(portaclBackendName()) != "cpu") GTEST_SKIP() << "for CPUs only: a driver reserves what it needs";
    ACL_OK(aclFinalize());
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers want more addresses than that";
#endif
    ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
    ACL_OK(aclInit(nullptr));
    const char* guard = std::getenv("PORTACL_CPU_GUARD");
    if (guard && std::string(guard) == "1") {
        ACL_FAILS_SAYING(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtSetDevice(0),
                         "(the process may have at most 4294967296: ulimit -v)", "PORTACL_CPU_GUARD");
        return;
    }
    for (int32_t device = 0; device < 4; ++device) {
        ACL_OK(aclrtSetDevice(device));
        size_t free = 0, total = 0;
        ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
        EXPECT_GT(total, size_t{4} << 20);
        EXPECT_LE(total, most / 8);
    }
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(ConfigProcess, BadVariableWithoutInit, {"PORTACL_BACKEND", "gpu"}) {
    auto count = Poison<uint32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetDeviceCount(&count), "PORTACL_BACKEND", "\"gpu\"",
                     "auto, cpu or cuda");
    EXPECT_TRUE(IsPoison(count));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetDevice(0), "PORTACL_BACKEND");
    // Calls that need no device work.
    EXPECT_NE(aclrtGetSocName(), nullptr);
    aclrtRunMode mode = ACL_DEVICE;
    ACL_EXPECT_OK(aclrtGetRunMode(&mode));
}

OWN_PROCESS_TEST(ConfigProcess, SocNameFromTheEnvironment, {"PORTACL_SOC_NAME", "Ascend910_9391"}) {
    ASSERT_NE(aclrtGetSocName(), nullptr);
    EXPECT_STREQ(aclrtGetSocName(), "Ascend910_9391");
}

OWN_PROCESS_TEST(ConfigProcess, EmptySocNameMeansTheDefault, {"PORTACL_SOC_NAME", ""}) {
    ASSERT_NE(aclrtGetSocName(), nullptr);
    EXPECT_STREQ(aclrtGetSocName(), "Ascend910B1");
}

// What `call` writes to standard error.
template <class Call>
std::string StandardErrorOf(const Call& call) {
    testing::internal::CaptureStderr();
    call();
    return testing::internal::GetCapturedStderr();
}

OWN_PROCESS_TEST(ConfigProcess, AnUnknownVariableIsReportedOnce, {"PORTACL_CPU_DEVICE", "7"}) {
    const std::string text = StandardErrorOf([] { ACL_OK(aclInit(nullptr)); });
    EXPECT_EQ(
        "portacl: the environment variable PORTACL_CPU_DEVICE is unknown and has no effect; the nearest name is "
        "PORTACL_CPU_DEVICES\n",
        text);
    ACL_OK(aclFinalize());
    EXPECT_EQ("", StandardErrorOf([] { ACL_OK(aclInit(nullptr)); }));
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(ConfigProcess, AnUnknownSocNameIsReportedOnceAndPassedOn, {"PORTACL_SOC_NAME", "Ascend910b3"}) {
    const std::string text = StandardErrorOf([] { EXPECT_STREQ(aclrtGetSocName(), "Ascend910b3"); });
    EXPECT_EQ(
        text.rfind("portacl: PORTACL_SOC_NAME is Ascend910b3, which programs may refuse; known: Ascend310B1, ", 0), 0u)
        << text;
    EXPECT_NE(text.find(", Ascend910_9391, "), std::string::npos) << text;
    EXPECT_NE(text.find("the nearest is Ascend910B3. Set one of these"), std::string::npos) << text;
    EXPECT_EQ("", StandardErrorOf([] { EXPECT_STREQ(aclrtGetSocName(), "Ascend910b3"); }));
}

OWN_PROCESS_TEST(ConfigProcess, VariablesOfOtherProgramsAreIgnored, {"PORTACL_ROOT", "/usr"},
                 {"PORTACL_TEST_SOMETHING", "1"}) {
    EXPECT_EQ("", StandardErrorOf([] { ACL_OK(aclInit(nullptr)); }));
    ACL_OK(aclFinalize());
}

// The rule of docs/configuration.md for policies and flags that this library does not know.
OWN_PROCESS_TEST(ConfigProcess, UnknownPoliciesAndFlagsCountAsUnset) {
    ACL_OK(aclrtSetDevice(0));
    const auto malloc_with = [](int policy) {
        void* memory = nullptr;
        ACL_OK(aclrtMalloc(&memory, 64, static_cast<aclrtMemMallocPolicy>(policy)));
        ACL_OK(aclrtFree(memory));
        ACL_OK(aclrtMallocAlign32(&memory, 64, static_cast<aclrtMemMallocPolicy>(policy)));
        ACL_OK(aclrtFree(memory));
    };
    EXPECT_EQ("portacl: the malloc policy 0x62 is unknown and is ignored\n",
              StandardErrorOf([&] { malloc_with(0x62); }));
    EXPECT_EQ("", StandardErrorOf([&] { malloc_with(0x62); }));
    EXPECT_EQ("", StandardErrorOf([&] { malloc_with(ACL_MEM_MALLOC_HUGE_FIRST); }));

    const auto stream_with = [](uint32_t flags) {
        aclrtStream stream = nullptr;
        ACL_OK(aclrtCreateStreamWithConfig(&stream, 0, flags));
        uint32_t got = 77;
        ACL_OK(aclrtStreamGetFlags(stream, &got));
        EXPECT_EQ(ACL_STREAM_FAST_LAUNCH, got);
        ACL_OK(aclrtDestroyStream(stream));
    };
    EXPECT_EQ("portacl: the stream flags 0x4000 are unknown and are ignored\n",
              StandardErrorOf([&] { stream_with(ACL_STREAM_FAST_LAUNCH | 0x4000); }));
    EXPECT_EQ("", StandardErrorOf([&] { stream_with(ACL_STREAM_FAST_LAUNCH); }));

    // The same for aclrtCreateStreamV2, whose flags have 64 bits.
    aclrtStreamConfigHandle* config = aclrtCreateStreamConfigHandle();
    ASSERT_NE(config, nullptr);
    size_t flags = (size_t{1} << 40) | ACL_STREAM_FAST_LAUNCH;
    ACL_OK(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flags, sizeof flags));
    EXPECT_EQ("portacl: the stream flags 0x10000000000 are unknown and are ignored\n", StandardErrorOf([&] {
                  aclrtStream stream = nullptr;
                  ACL_OK(aclrtCreateStreamV2(&stream, config));
                  ACL_OK(aclrtDestroyStream(stream));
              }));
    ACL_OK(aclrtDestroyStreamConfigHandle(config));
    ACL_OK(aclrtResetDevice(0));
}

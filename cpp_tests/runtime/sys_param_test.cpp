// Options of the process and of contexts.
#include "support/acl_test.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/threads.h"

#include <climits>
#include <string>

using namespace portacl_test;

namespace {

using SysParam = WithDevice;

constexpr aclSysParamOpt kOptions[] = {ACL_OPT_DETERMINISTIC, ACL_OPT_ENABLE_DEBUG_KERNEL, ACL_OPT_STRONG_CONSISTENCY,
                                       ACL_OPT_ENABLE_KERNEL_EARLY_START};
constexpr int64_t kValues[] = {1, 0, -1, INT64_MAX, INT64_MIN};
constexpr aclError kNotSet = ACL_ERROR_RT_SYSPARAMOPT_NOT_SET;

int64_t OfProcess(aclSysParamOpt option) {
    auto value = Poison<int64_t>();
    ACL_EXPECT_OK(aclrtGetSysParamOpt(option, &value));
    return value;
}

int64_t OfContext(aclSysParamOpt option) {
    auto value = Poison<int64_t>();
    ACL_EXPECT_OK(aclrtCtxGetSysParamOpt(option, &value));
    return value;
}

void ExpectNotSet(aclSysParamOpt option) {
    auto value = Poison<int64_t>();
    ACL_FAILS_SAYING(kNotSet, aclrtCtxGetSysParamOpt(option, &value), "opt " + std::to_string(option),
                     "aclrtCtxSetSysParamOpt");
    EXPECT_TRUE(IsPoison(value));
}

}  // namespace

OWN_PROCESS_TEST(SysParamOfProcess, StartsAtZeroAndIsKept) {
    for (const aclSysParamOpt option : kOptions) EXPECT_EQ(OfProcess(option), 0);
    for (const int64_t value : kValues) {
        for (const aclSysParamOpt option : kOptions) {
            ACL_OK(aclrtSetSysParamOpt(option, value));
            EXPECT_EQ(OfProcess(option), value);
        }
    }
    ACL_OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 5));
    // Each option is stored separately.
    EXPECT_EQ(OfProcess(ACL_OPT_ENABLE_DEBUG_KERNEL), INT64_MIN);
    OnNewThread([] { EXPECT_EQ(OfProcess(ACL_OPT_DETERMINISTIC), 5); });
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
    EXPECT_EQ(OfProcess(ACL_OPT_DETERMINISTIC), 5);
}

TEST_F(SysParam, OfAContextIsNotSetAtFirst) {
    ACL_OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    for (const aclSysParamOpt option : kOptions) ExpectNotSet(option);
    for (const int64_t value : kValues) {
        ACL_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, value));
        EXPECT_EQ(OfContext(ACL_OPT_DETERMINISTIC), value);
    }
    ExpectNotSet(ACL_OPT_ENABLE_DEBUG_KERNEL);
    EXPECT_EQ(OfProcess(ACL_OPT_DETERMINISTIC), 1);
    ACL_OK(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0));
}

TEST_F(SysParam, EachContextHasItsOwn) {
    ACL_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    ExpectNotSet(ACL_OPT_DETERMINISTIC);
    ACL_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 2));
    OnNewThread([] {
        ACL_OK(aclrtSetDevice(0));
        EXPECT_EQ(OfContext(ACL_OPT_DETERMINISTIC), 1);
    });
    EXPECT_EQ(OfContext(ACL_OPT_DETERMINISTIC), 2);
    ACL_OK(aclrtDestroyContext(context));
    auto value = Poison<int64_t>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    EXPECT_TRUE(IsPoison(value));
}

TEST_F(SysParam, AResetClearsThoseOfTheContext) {
    ACL_OK(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1));
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    ExpectNotSet(ACL_OPT_DETERMINISTIC);
}

TEST_F(SysParam, OptionsOutOfRange) {
    auto value = Poison<int64_t>();
    for (const int number : {-1, 4, 99, INT_MIN, INT_MAX}) {
        const auto option = static_cast<aclSysParamOpt>(number);
        const std::string said = "opt is " + std::to_string(number), bound = "0 to 3";
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetSysParamOpt(option, 1), said, bound);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetSysParamOpt(option, &value), said, bound);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCtxSetSysParamOpt(option, 1), said, bound);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCtxGetSysParamOpt(option, &value), said, bound);
    }
    EXPECT_TRUE(IsPoison(value));
}

TEST_F(SysParam, RefusesNull) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr), "value is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr), "value is null");
}

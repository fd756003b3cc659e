// Timeouts of operators, which are only stored. stream_wait_test.cpp tests timeouts of waits.

#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#include "support/base/cuda_driver.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"

#include "stream/op_timeout.h"

using namespace portacl_test;

namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kInterval = 10'000'000;

uint32_t ExecuteMs() {
    auto ms = Poison<uint32_t>();
    ExpectOk("aclrtGetOpExecuteTimeout", aclrtGetOpExecuteTimeout(&ms));
    return ms;
}

OWN_PROCESS_TEST(OpTimeoutProcess, NothingIsSetAtFirstAndNoInitIsNeeded) {
    EXPECT_EQ(ExecuteMs(), 0u);
    ACL_EXPECT_OK(aclrtSetOpExecuteTimeOut(7));
    ACL_EXPECT_OK(aclrtSetOpWaitTimeout(1000));
    ACL_EXPECT_OK(aclInit(nullptr));
    EXPECT_EQ(ExecuteMs(), 7000u);
    ACL_EXPECT_OK(aclFinalize());
    EXPECT_EQ(ExecuteMs(), 7000u);
}

TEST_F(OpTimeout, SecondsMillisecondsMicroseconds) {
    ACL_OK(aclrtSetOpExecuteTimeOut(3));
    EXPECT_EQ(ExecuteMs(), 3000u);
    ACL_OK(aclrtSetOpExecuteTimeOutWithMs(1234));
    EXPECT_EQ(ExecuteMs(), 1234u);
    auto actual = Poison<uint64_t>();
    ACL_OK(aclrtSetOpExecuteTimeOutV2(kInterval, &actual));
    EXPECT_EQ(actual, kInterval);
    EXPECT_EQ(ExecuteMs(), 10'000u);
    // The last call wins, also one of another thread.
    OnNewThread([] { ACL_OK(aclrtSetOpExecuteTimeOutWithMs(5)); });
    EXPECT_EQ(ExecuteMs(), 5u);
    ACL_OK(aclrtSetOpExecuteTimeOut(0));
    EXPECT_EQ(ExecuteMs(), 0u);
}

TEST_F(OpTimeout, LargeTimeouts) {
    ACL_OK(aclrtSetOpExecuteTimeOutWithMs(kMost32));
    EXPECT_EQ(ExecuteMs(), kMost32);
    ACL_OK(aclrtSetOpExecuteTimeOut(kMost32 / 1000));
    EXPECT_EQ(ExecuteMs(), kMost32 / 1000 * 1000);
    // The milliseconds exceed 32 bits.
    for (uint32_t seconds : {kMost32 / 1000 + 1, kMost32}) {
        ACL_OK(aclrtSetOpExecuteTimeOut(seconds));
        EXPECT_EQ(ExecuteMs(), kMost32);
    }
}

TEST_F(OpTimeout, RoundsUpToTheInterval) {
    auto interval = Poison<uint64_t>();
    ACL_OK(aclrtGetOpTimeOutInterval(&interval));
    ASSERT_EQ(interval, kInterval);
    constexpr uint64_t kMost64 = std::numeric_limits<uint64_t>::max();
    const std::pair<uint64_t, uint64_t> cases[] = {
        {0, 1},
        {1, 1},
        {interval - 1, 1},
        {interval, 1},
        {interval + 1, 2},
        {2 * interval, 2},
        {253 * interval + 1, 254},
        {254 * interval, 254},
        {254 * interval + 1, 254},
        {kMost64 - 1, 254},
        {kMost64, 254},
    };
    for (const auto& [wanted, intervals] : cases) {
        auto actual = Poison<uint64_t>();
        ACL_OK(aclrtSetOpExecuteTimeOutV2(wanted, &actual));
        EXPECT_EQ(actual, intervals * interval) << wanted;
        EXPECT_EQ(ExecuteMs(), intervals * interval / 1000) << wanted;
    }
}

TEST_F(OpTimeout, NullOutputs) {
    ACL_OK(aclrtSetOpExecuteTimeOut(9));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetOpExecuteTimeOutV2(1, nullptr), "actualTimeout is null");
    EXPECT_EQ(ExecuteMs(), 9000u);
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetOpExecuteTimeout(nullptr), "timeoutMs is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetOpTimeOutInterval(nullptr), "interval is null");
}

// A timeout for operators aborts none of them.
TEST_F(OpTimeout, OperatorsContinue) {
    ACL_OK(aclrtSetOpExecuteTimeOutWithMs(1));
    Stream stream;
    const auto longer = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
    ACL_OK(aclrtLaunchHostFunc(stream, longer, nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
}

}  // namespace

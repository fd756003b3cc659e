// Streams after a failure of enqueued work: they continue, or they stop.

#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "support/fault.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 256;

// The second fill of the session fails when it runs.
class FailureMode : public testing::Test {
  protected:
    void SetUp() override {
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        memory_.emplace(kSize);
    }
    void TearDown() override {
        memory_.reset();
        ACL_EXPECT_OK(aclFinalize());
    }

    aclError Fill(aclrtStream stream, int value = 1) {
        return aclrtMemsetAsync(memory_->At(), kSize, value, kSize, stream);
    }

    // Every call that submits to `stream`.
    std::vector<std::function<aclError()>> Submissions(aclrtStream stream, aclrtEvent event) {
        return {
            [=] { return Fill(stream); },
            [=] { return aclrtRecordEvent(event, stream); },
            [=] { return aclrtStreamWaitEvent(stream, event); },
            [=] {
                return aclrtMemcpyAsync(memory_->At(), 64, memory_->At(64), 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
            },
            [=] {
                return aclrtReduceAsync(memory_->At(), memory_->At(64), 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8,
                                        stream, nullptr);
            },
            [=] {
                return aclrtLaunchHostFunc(
                    stream, [](void*) {}, nullptr);
            },
        };
    }

    const Fault fault_{"stream.fill:2:later"};
    std::optional<DeviceMemory> memory_;
};

TEST_F(FailureMode, ContinueKeepsTheStreamUsable) {
    Stream stream, other;
    ACL_OK(aclrtSetStreamFailureMode(stream, ACL_CONTINUE_ON_FAILURE));
    Log log;
    ACL_OK(Fill(stream, 1));
    ACL_OK(Fill(stream, 2));
    ACL_OK(log.Append(stream, 1));
    ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream), "stream.fill");
    EXPECT_EQ(log.Size(), 1u) << "what is behind the failure runs";
    EXPECT_EQ(memory_->Download(), std::vector<unsigned char>(kSize, 1));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(Fill(stream, 3));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtSynchronizeStream(other));
    EXPECT_EQ(memory_->Download(), std::vector<unsigned char>(kSize, 3));
}

TEST_F(FailureMode, StopRefusesEverythingFromThenOn) {
    Stream stream, other;
    Event event;
    ACL_OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
    ACL_OK(Fill(stream, 1));
    ACL_OK(Fill(stream, 2));
    for (aclrtStream stopped :
         {static_cast<aclrtStream>(stream), static_cast<aclrtStream>(other), aclrtStream{nullptr}}) {
        if (stopped == static_cast<aclrtStream>(stream)) {
            ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream), "stream.fill",
                             "ACL_STOP_ON_FAILURE");
            EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_AICORE_EXCEPTION);
        }
        for (const auto& submit : Submissions(stopped, event))
            EXPECT_TRUE(Returned("a submission", submit(), ACL_ERROR_RT_AICORE_EXCEPTION));
        for (int i = 0; i < 2; ++i)
            ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stopped), "stopped", "stream.fill");
        ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStreamWithTimeout(stopped, 1000));
        EXPECT_TRUE(IsIdle(stopped));
    }
    ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeDevice());
    // New streams work, also in this context.
    Stream fresh;
    ACL_OK(Fill(fresh, 4));
    ACL_OK(aclrtSynchronizeStream(fresh));
    EXPECT_EQ(memory_->Download(), std::vector<unsigned char>(kSize, 4));
}

TEST_F(FailureMode, StopIsForOneContext) {
    Stream stream;
    ACL_OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
    aclrtContext first = nullptr, second = nullptr;
    ACL_OK(aclrtGetCurrentContext(&first));
    ACL_OK(aclrtCreateContext(&second, 0));
    aclrtStream bystander = nullptr;
    ACL_OK(aclrtCreateStream(&bystander));
    ACL_OK(aclrtSetCurrentContext(first));
    ACL_OK(Fill(stream, 1));
    ACL_OK(Fill(stream, 2));
    ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
    // A stream of the same device may be used from any of its contexts.
    ACL_OK(Fill(bystander, 3));
    ACL_OK(aclrtSynchronizeStream(bystander));
    ACL_OK(aclrtSetCurrentContext(second));
    ACL_OK(Fill(nullptr, 4));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(memory_->Download(), std::vector<unsigned char>(kSize, 4));
    ACL_OK(aclrtDestroyContext(second));
    ACL_OK(aclrtSetCurrentContext(first));
}

TEST_F(FailureMode, AFailureOfAnotherStreamDoesNotStop) {
    Stream stopping, failing;
    ACL_OK(aclrtSetStreamFailureMode(stopping, ACL_STOP_ON_FAILURE));
    ACL_OK(Fill(failing, 1));
    ACL_OK(Fill(failing, 2));
    ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(failing));
    ACL_OK(aclrtSynchronizeStream(stopping));
    ACL_OK(Fill(stopping, 3));
    ACL_OK(aclrtSynchronizeStream(stopping));
}

TEST_F(FailureMode, StopDropsPendingWorkOfOtherStreams) {
    NEEDS_QUEUES(2);
    Stream stream, other;
    Gate gate;
    Log log;
    Event behind;
    ACL_OK(aclrtMemset(memory_->At(), kSize, 1, kSize));
    ACL_OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
    ACL_OK(gate.Hold(other));
    ACL_OK(log.Append(other, 1));
    ACL_OK(Fill(other, 3));
    ACL_OK(aclrtRecordEvent(behind, other));
    ASSERT_TRUE(gate.AwaitArrival());
    ACL_OK(Fill(stream, 2));
    ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
    EXPECT_TRUE(Returned("aclrtMemsetAsync", Fill(other, 4), ACL_ERROR_RT_AICORE_EXCEPTION));
    gate.Open();
    ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(other));
    EXPECT_EQ(log.Size(), 0u) << "a host function that had not begun";
    // A driver completes the work that it holds, which the host's copy does not wait for.
    const std::vector<unsigned char> wanted(kSize, OnCpu() ? 1 : 3);
    for (int tries = 0; tries < 1000 && memory_->Download() != wanted; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(memory_->Download(), wanted);
}

TEST_F(FailureMode, TheDefaultStreamCanStop) {
    ACL_OK(aclrtSetStreamFailureMode(nullptr, ACL_STOP_ON_FAILURE));
    Stream other;
    ACL_OK(Fill(nullptr, 1));
    ACL_OK(Fill(nullptr, 2));
    ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(nullptr));
    EXPECT_TRUE(Returned("aclrtMemsetAsync", Fill(other, 3), ACL_ERROR_RT_AICORE_EXCEPTION));
    // Only a new context makes the stream usable again.
    ACL_OK(aclrtDestroyStream(other.Release()));
    memory_->Release();
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_OK(aclrtSetDevice(0));
    memory_.emplace(kSize);
    ACL_OK(Fill(nullptr, 5));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(memory_->Download(), std::vector<unsigned char>(kSize, 5));
}

class FailureModeArguments : public WithDevice {};

TEST_F(FailureModeArguments, ModesThatDoNotExist) {
    Stream stream;
    for (uint64_t mode : {uint64_t{2}, uint64_t{1} << 32, std::numeric_limits<uint64_t>::max()})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetStreamFailureMode(stream, mode),
                         "mode is " + std::to_string(mode), "ACL_STOP_ON_FAILURE 1");
    // A refused mode is not set.
    ACL_OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
}

TEST_F(FailureModeArguments, SetOnce) {
    Stream stream;
    for (aclrtStream each : {static_cast<aclrtStream>(stream), aclrtStream{nullptr}}) {
        ACL_OK(aclrtSetStreamFailureMode(each, ACL_CONTINUE_ON_FAILURE));
        for (uint64_t mode : {ACL_CONTINUE_ON_FAILURE, ACL_STOP_ON_FAILURE})
            ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamFailureMode(each, mode), "set to 0 before",
                             "once");
    }
}

TEST_F(FailureModeArguments, BadStreams) {
    aclrtStream dead = Stream().Release();
    ACL_OK(aclrtDestroyStream(dead));
    Event event;
    for (aclrtStream bad :
         {dead, static_cast<aclrtStream>(static_cast<aclrtEvent>(event)), reinterpret_cast<aclrtStream>(uintptr_t{42})})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamFailureMode(bad, ACL_STOP_ON_FAILURE), Shown(bad));
    Stream stream;
    OnNewThread([&stream] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSetStreamFailureMode(nullptr, 1));
        if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
        ACL_OK(aclrtSetDevice(1));
        ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclrtSetStreamFailureMode(stream, 1), "device 0", "device 1");
    });
    ACL_OK(aclrtSetStreamFailureMode(stream, 1));
}

TEST_F(FailureModeArguments, FailsAfterFinalize) {
    aclrtStream stream = Stream().Release();
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSetStreamFailureMode(stream, 1));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSetStreamFailureMode(nullptr, 1));
    ACL_OK(aclInit(nullptr));
}

}  // namespace

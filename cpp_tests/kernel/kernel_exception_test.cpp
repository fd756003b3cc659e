// Kernels that fail: what exception callbacks report, and which callbacks run.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "support/fault.h"
#include "support/gate.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kInvalid = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

// What a callback has read from its exception information.
struct Report {
    void* user_data;
    aclrtExceptionInfo* info;
    aclError function_code, arguments_code;
    aclrtFuncHandle function;
    std::vector<char> arguments;
    uint32_t task;
};

std::mutex mutex;
std::vector<Report> reports;

void Note(aclrtExceptionInfo* info, void* user_data) {
    Report call{user_data, info, 0, 0, nullptr, {}, aclrtGetTaskIdFromExceptionInfo(info)};
    void* arguments = nullptr;
    uint32_t length = 0;
    call.function_code = aclrtGetFuncHandleFromExceptionInfo(info, &call.function);
    call.arguments_code = aclrtGetArgsFromExceptionInfo(info, &arguments, &length);
    if (arguments != nullptr) {
        const auto* first = static_cast<const char*>(arguments);
        call.arguments.assign(first, first + length);
    }
    const std::lock_guard<std::mutex> lock(mutex);
    reports.push_back(call);
}
void NoteAll(aclrtExceptionInfo* info) {
    Note(info, nullptr);
}
void NoteOther(aclrtExceptionInfo* info, void* user_data) {
    Note(info, user_data);
}

std::vector<Report> Take() {
    const std::lock_guard<std::mutex> lock(mutex);
    return std::exchange(reports, {});
}

// Sessions in which the first launches, and the first fill, fail when they run.
class KernelException : public testing::Test {
  protected:
    void SetUp() override {
        Take();
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        program_.emplace();
        mark_ = program_->Kernel("mark");
        words_.emplace(256);
    }
    void TearDown() override {
        words_.reset();
        program_.reset();
        ACL_EXPECT_OK(aclFinalize());
    }
    void FailedLaunch(uint32_t number) {
        ACL_EXPECT_OK(Mark(mark_, words_->At(), number, 1, nullptr));
        ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(nullptr));
    }

    const Fault fault_{"stream.launch:1:later,stream.launch:2:later,stream.launch:3:later,stream.fill:1:later"};
    std::optional<Program> program_;
    std::optional<ZeroWords> words_;
    aclrtFuncHandle mark_ = nullptr;
};

TEST_F(KernelException, TheKernelAndItsArgumentsAreReported) {
    ACL_OK(aclrtExceptionInfoCallbackRegister(NoteAll));
    size_t count = 0;
    const bool known = aclrtFunctionGetParamCount(mark_, &count) == ACL_SUCCESS;
    FailedLaunch(77);
    const auto calls = Take();
    ASSERT_EQ(calls.size(), 1u);
    ACL_EXPECT_OK(calls[0].function_code);
    ACL_EXPECT_OK(calls[0].arguments_code);
    EXPECT_EQ(calls[0].function, mark_);
    EXPECT_EQ(calls[0].task, 1u);
    if (known) {
        // The arguments as the kernel would have received them.
        ASSERT_GE(calls[0].arguments.size(), 12u);
        void* address = nullptr;
        uint32_t number = 0;
        std::memcpy(&address, calls[0].arguments.data(), sizeof address);
        std::memcpy(&number, calls[0].arguments.data() + 8, sizeof number);
        EXPECT_EQ(address, words_->At());
        EXPECT_EQ(number, 77u);
    }
    // The information is invalid after the callback.
    auto function = Poison<aclrtFuncHandle>();
    auto arguments = Poison<void*>();
    auto length = Poison<uint32_t>();
    ACL_FAILS_SAYING(kDead, aclrtGetFuncHandleFromExceptionInfo(calls[0].info, &function),
                     "running exception callback");
    ACL_FAILS_SAYING(kDead, aclrtGetArgsFromExceptionInfo(calls[0].info, &arguments, &length),
                     "running exception callback");
    EXPECT_TRUE(IsPoison(function) && IsPoison(arguments) && IsPoison(length));
}

TEST_F(KernelException, ABlockOfArgumentsIsReported) {
    ACL_OK(aclrtExceptionInfoCallbackRegister(NoteAll));
    struct {
        void* words;
        uint32_t number;
    } block{words_->At(), 5};
    ACL_OK(aclrtLaunchKernel(mark_, 1, &block, 12, nullptr));
    std::vector<char> bytes(12);
    std::memcpy(bytes.data(), &block, 12);
    block = {};
    ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(nullptr));
    const auto calls = Take();
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].arguments, bytes);
}

TEST_F(KernelException, OtherOperationsReportNoKernel) {
    ACL_OK(aclrtExceptionInfoCallbackRegister(NoteAll));
    ACL_OK(aclrtBinarySetExceptionCallback(*program_, Note, this));
    ACL_OK(aclrtMemsetAsync(words_->At(), 4, 0, 4, nullptr));
    ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(nullptr));
    const auto calls = Take();
    ASSERT_EQ(calls.size(), 1u) << "a fill is of no binary";
    EXPECT_EQ(calls[0].function_code, kDead);
    EXPECT_EQ(calls[0].arguments_code, kDead);
    EXPECT_EQ(calls[0].user_data, nullptr);
}

TEST_F(KernelException, ABinarysCallbackReportsItsKernels) {
    const Program other;
    int mine = 0, theirs = 0;
    ACL_OK(aclrtBinarySetExceptionCallback(*program_, Note, &mine));
    ACL_OK(aclrtBinarySetExceptionCallback(other, Note, &theirs));
    FailedLaunch(1);
    auto calls = Take();
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_EQ(calls[0].user_data, &mine);
    EXPECT_EQ(calls[0].function, mark_);

    // A second callback replaces the first, and runs after those for all binaries.
    ACL_OK(aclrtBinarySetExceptionCallback(*program_, NoteOther, &theirs));
    ACL_OK(aclrtExceptionInfoCallbackRegister(NoteAll));
    FailedLaunch(2);
    calls = Take();
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].user_data, nullptr);
    EXPECT_EQ(calls[1].user_data, &theirs);

    ACL_OK(aclrtBinarySetExceptionCallback(*program_, nullptr, &mine));
    ACL_OK(aclrtExceptionInfoCallbackUnregister(NoteAll));
    FailedLaunch(3);
    EXPECT_TRUE(Take().empty());
}

TEST_F(KernelException, AnUnloadedBinarysCallbackIsNotCalled) {
    ACL_OK(aclrtBinarySetExceptionCallback(*program_, Note, this));
    Gate gate;
    ACL_OK(gate.Hold(nullptr));
    ACL_EXPECT_OK(Mark(mark_, words_->At(), 1, 1, nullptr));
    const aclrtBinHandle binary = program_->Release();
    ACL_OK(aclrtBinaryUnLoad(binary));
    gate.Open();
    ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(nullptr));
    EXPECT_TRUE(Take().empty());
    ACL_FAILS_SAYING(kDead, aclrtBinarySetExceptionCallback(binary, Note, nullptr), "destroyed");
}

TEST_F(KernelException, WrongArgumentsAreRefused) {
    auto function = Poison<aclrtFuncHandle>();
    auto arguments = Poison<void*>();
    auto length = Poison<uint32_t>();
    auto* const garbage = reinterpret_cast<aclrtExceptionInfo*>(this);
    ACL_FAILS_SAYING(kInvalid, aclrtGetFuncHandleFromExceptionInfo(nullptr, &function), "info");
    ACL_FAILS_SAYING(kInvalid, aclrtGetFuncHandleFromExceptionInfo(garbage, nullptr), "func");
    ACL_FAILS_SAYING(kDead, aclrtGetFuncHandleFromExceptionInfo(garbage, &function), "info");
    ACL_FAILS_SAYING(kInvalid, aclrtGetArgsFromExceptionInfo(nullptr, &arguments, &length), "info");
    ACL_FAILS_SAYING(kInvalid, aclrtGetArgsFromExceptionInfo(garbage, nullptr, &length), "devArgsPtr");
    ACL_FAILS_SAYING(kInvalid, aclrtGetArgsFromExceptionInfo(garbage, &arguments, nullptr), "devArgsLen");
    ACL_FAILS_SAYING(kDead, aclrtGetArgsFromExceptionInfo(garbage, &arguments, &length), "info");
    EXPECT_TRUE(IsPoison(function) && IsPoison(arguments) && IsPoison(length));
    ACL_FAILS_SAYING(kInvalid, aclrtBinarySetExceptionCallback(nullptr, Note, nullptr), "binHandle");
    int number = 0;
    ACL_FAILS(kDead, aclrtBinarySetExceptionCallback(&number, Note, nullptr));
    ACL_FAILS_SAYING(kDead, aclrtBinarySetExceptionCallback(mark_, Note, nullptr), "kind kernel");
}

}  // namespace

// Calls that are valid except for one argument, and what all of them report about it.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <string_view>

#include "support/kernel/kernels.h"
#include "support/memory/managed_memory.h"
#include "support/says.h"
#include "support/transfer/random_num.h"

namespace portacl_test {

template <typename... Arguments>
struct Row {
    const char* text;
    std::function<aclError(Arguments...)> call;
};

#define ROW(parameters, expression)                                       \
    {                                                                     \
#expression, [this] parameters -> aclError { return expression; } \
    }

constexpr size_t kSize = 4096;
constexpr aclError kNone = ACL_ERROR_RT_CONTEXT_NULL;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
// What texts say about calls in host functions.
constexpr const char* kInside = "host function";
constexpr auto kCube = ACL_RT_DEV_RES_CUBE_CORE;

inline void Nothing(void*) {}

inline aclError NoTask(portaclTask, void* const*, void*) {
    return ACL_SUCCESS;
}

// Each row fails with `code` and a text that begins with the name of the call.
template <typename... Arguments>
void ExpectAll(const std::vector<Row<Arguments...>>& rows, aclError code, const char* word, Arguments... arguments) {
    for (const auto& row : rows) EXPECT_TRUE(FailedSaying(row.text, row.call(arguments...), code, {word}));
}

// The rows except those whose call is in `names`.
template <typename... Arguments>
std::vector<Row<Arguments...>> Without(std::initializer_list<std::string_view> names,
                                       std::vector<Row<Arguments...>> rows) {
    const auto named = [&](const auto& row) {
        const std::string_view call(row.text, std::strcspn(row.text, "("));
        return std::find(names.begin(), names.end(), call) != names.end();
    };
    const auto left = std::remove_if(rows.begin(), rows.end(), named);
    EXPECT_EQ(rows.end() - left, static_cast<std::ptrdiff_t>(names.size()));
    rows.erase(left, rows.end());
    return rows;
}

// Valid arguments of every kind, and outputs filled with a pattern.
class ValidArguments : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (HasFatalFailure()) return;
        ACL_OK(aclrtMalloc(&device_, 2 * kSize, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_OK(aclrtMemAllocManaged(&managed_, kManagedGrain, ACL_RT_MEM_ATTACH_GLOBAL));
        ACL_OK(aclrtMallocHost(&host_, kSize));
        ACL_OK(aclrtCreateEventWithFlag(&event_, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
        ACL_OK(aclrtRecordEvent(event_, nullptr));
        ACL_OK(aclrtSynchronizeEvent(event_));
        ACL_OK(aclrtCreateNotify(&notify_, 0));
        ACL_OK(aclrtCntNotifyCreate(&counted_, 0));
        program_ = ProgramPath();
        ACL_OK(aclrtBinaryLoadFromFile(program_.c_str(), nullptr, &binary_));
        ACL_OK(aclrtBinaryGetFunction(binary_, "nothing", &kernel_));
        ACL_OK(aclrtKernelArgsInit(kernel_, &list_));
        ACL_OK(aclrtKernelArgsFinalize(list_));
        image_ = Read(program_);
        other_ = static_cast<char*>(device_) + kSize;
        failure_mode_.failureMode = 0;
        random_ = RandomNumbers(kUniform, ACL_FLOAT, 0.0f, 1.0f, other_, 16);
        dsts_[0] = device_;
        srcs_[0] = host_;
        managed_list_[0] = managed_;
        attribute_.dstLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
        attribute_.srcLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
    }

    // Outputs that no failed call may write.
    struct Results {
        void* pointer = Poison<void*>();
        int32_t number = Poison<int32_t>();
        uint32_t count = Poison<uint32_t>();
        int64_t wide = Poison<int64_t>();
        uint64_t time = Poison<uint64_t>();
        size_t size = Poison<size_t>(), total = Poison<size_t>();
        float ms = Poison<float>();
        aclrtStreamStatus stream = Poison<aclrtStreamStatus>();
        aclrtStreamAttrValue attribute = Poison<aclrtStreamAttrValue>();
        aclrtEventStatus event = Poison<aclrtEventStatus>();
        aclrtEventRecordedStatus recorded = Poison<aclrtEventRecordedStatus>();
        aclrtEventWaitStatus waited = Poison<aclrtEventWaitStatus>();
        aclrtDeviceStatus device = Poison<aclrtDeviceStatus>();
        aclrtUtilizationInfo busy = Poison<aclrtUtilizationInfo>();
        Results() { busy.utilizationExtend = nullptr; }
        aclrtUuid uuid = Poison<aclrtUuid>();
        aclrtMemUsageInfo usage = Poison<aclrtMemUsageInfo>();
        aclrtFloatOverflowMode mode = Poison<aclrtFloatOverflowMode>();
        aclrtErrorInfo error = Poison<aclrtErrorInfo>();
        aclrtIpcEventHandle ipc = Poison<aclrtIpcEventHandle>();
        aclrtHostMemMapCapability map = Poison<aclrtHostMemMapCapability>();
        std::array<char, 32> text = Poison<std::array<char, 32>>();
    };
    // Runs the work in a host function of a stream.
    static void InHostFunction(std::function<void(aclrtStream)> work) {
        Stream stream;
        std::function<void()> body = [&] { work(stream); };
        const auto call = [](void* body) { (*static_cast<std::function<void()>*>(body))(); };
        ACL_OK(aclrtLaunchHostFunc(stream, call, &body));
        ACL_OK(aclrtSynchronizeStream(stream));
    }

    void ExpectNothingWritten() const {
        EXPECT_TRUE(IsPoison(r_.pointer) && IsPoison(r_.number) && IsPoison(r_.count) && IsPoison(r_.wide) &&
                    IsPoison(r_.time) && IsPoison(r_.size) && IsPoison(r_.total) && IsPoison(r_.ms) &&
                    IsPoison(r_.stream) && IsPoison(r_.attribute) && IsPoison(r_.event) && IsPoison(r_.recorded) &&
                    IsPoison(r_.waited) && IsPoison(r_.device) && IsPoison(r_.busy.cubeUtilization) &&
                    IsPoison(r_.busy.memoryUtilization) && IsPoison(r_.uuid) && IsPoison(r_.usage) &&
                    IsPoison(r_.text) && IsPoison(r_.mode) && IsPoison(r_.ipc) && IsPoison(r_.error) &&
                    IsPoison(r_.map));
    }

    void* device_ = nullptr;
    void* managed_ = nullptr;
    void* host_ = nullptr;
    void* other_ = nullptr;  // the second half of device_
    aclrtEvent event_ = nullptr;
    aclrtNotify notify_ = nullptr;
    aclrtCntNotify counted_ = nullptr;
    aclrtRandomNumTaskInfo random_{};
    aclrtCntNotifyRecordInfo record_info_{ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 1};
    aclrtCntNotifyWaitInfo wait_info_{ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE, 0, 1, 0, {}};
    std::string program_;
    std::vector<char> image_;
    aclrtBinHandle binary_ = nullptr;
    aclrtFuncHandle kernel_ = nullptr;
    aclrtArgsHandle list_ = nullptr;
    const dim3 one_{1, 1, 1};
    const aclrtErrorInfo no_error_{};
    aclrtStreamAttrValue failure_mode_{};
    void* dsts_[1] = {};
    void* srcs_[1] = {};
    size_t sizes_[1] = {64}, first_[1] = {0}, fail_index_ = 0;
    aclrtMemcpyBatchAttr attribute_{};
    aclrtBarrierTaskInfo barrier_{1, {}};
    const void* managed_list_[1] = {};
    size_t managed_sizes_[1] = {kManagedGrain};
    aclrtMemManagedLocation place_{ACL_MEM_LOCATIONTYPE_DEVICE, 0};
    alignas(kSize) unsigned char page_[2 * kSize] = {};
    uint64_t self_ = static_cast<uint64_t>(pthread_self());
    Results r_;
};

}  // namespace portacl_test

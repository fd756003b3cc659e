// All calls report the same invalid argument in the same way: each stream, each event, each device
// id, and a missing context. A row is a call that is valid except for that argument.

#include <pthread.h>

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <thread>

#include "support/kernel/kernels.h"
#include "support/memory/managed_memory.h"
#include "support/memory/places.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/transfer/random_num.h"

using namespace portacl_test;

namespace {

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
constexpr auto kCube = ACL_RT_DEV_RES_CUBE_CORE;

void Nothing(void*) {}

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
class Arguments : public WithDevice {
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
    void ExpectNothingWritten() const {
        EXPECT_TRUE(IsPoison(r_.pointer) && IsPoison(r_.number) && IsPoison(r_.count) && IsPoison(r_.wide) &&
                    IsPoison(r_.time) && IsPoison(r_.size) && IsPoison(r_.total) && IsPoison(r_.ms) &&
                    IsPoison(r_.stream) && IsPoison(r_.attribute) && IsPoison(r_.event) && IsPoison(r_.recorded) &&
                    IsPoison(r_.waited) && IsPoison(r_.device) && IsPoison(r_.busy.cubeUtilization) &&
                    IsPoison(r_.busy.memoryUtilization) && IsPoison(r_.uuid) && IsPoison(r_.usage) &&
                    IsPoison(r_.text) && IsPoison(r_.mode) && IsPoison(r_.ipc) && IsPoison(r_.error) &&
                    IsPoison(r_.map));
    }

    using StreamRows = std::vector<Row<aclrtStream>>;
    // Calls that take a stream, or null for the default stream.
    StreamRows StreamCalls() {
        return {
            ROW((aclrtStream s), aclrtStreamGetId(s, &r_.number)),
            ROW((aclrtStream s), aclrtStreamGetFlags(s, &r_.count)),
            ROW((aclrtStream s), aclrtStreamGetPriority(s, &r_.count)),
            ROW((aclrtStream s), aclrtGetStreamAttribute(s, ACL_STREAM_ATTR_FAILURE_MODE, &r_.attribute)),
            ROW((aclrtStream s), aclrtSetStreamAttribute(s, ACL_STREAM_ATTR_FAILURE_MODE, &failure_mode_)),
            ROW((aclrtStream s), aclrtSetStreamFailureMode(s, ACL_CONTINUE_ON_FAILURE)),
            ROW((aclrtStream s), aclrtStreamQuery(s, &r_.stream)),
            ROW((aclrtStream s), aclrtStreamAbort(s)),
            ROW((aclrtStream s), aclrtSynchronizeStream(s)),
            ROW((aclrtStream s), aclrtSynchronizeStreamWithTimeout(s, 1000)),
            ROW((aclrtStream s), aclrtRecordEvent(event_, s)),
            ROW((aclrtStream s), aclrtRecordEventWithFlag(event_, s, 0)),
            ROW((aclrtStream s), aclrtResetEvent(event_, s)),
            ROW((aclrtStream s), aclrtStreamWaitEvent(s, event_)),
            ROW((aclrtStream s), aclrtStreamWaitEventWithFlag(s, event_, 0, 0)),
            ROW((aclrtStream s), aclrtStreamWaitEventWithTimeout(s, event_, 1)),
            ROW((aclrtStream s), aclrtSetStreamOverflowSwitch(s, 0)),
            ROW((aclrtStream s), aclrtCmoAsync(device_, 64, ACL_RT_CMO_TYPE_PREFETCH, s)),
            ROW((aclrtStream s), aclrtCmoAsyncWithBarrier(device_, 64, ACL_RT_CMO_TYPE_PREFETCH, 0, s)),
            ROW((aclrtStream s), aclrtCmoWaitBarrier(&barrier_, s, 0)),
            ROW((aclrtStream s), aclrtCmoAsyncWithDesc(device_, ACL_RT_CMO_TYPE_PREFETCH, s, nullptr)),
            ROW((aclrtStream s), aclrtGetStreamOverflowSwitch(s, &r_.count)),
            ROW((aclrtStream s), aclrtGetOverflowStatus(device_, 64, s)),
            ROW((aclrtStream s), aclrtResetOverflowStatus(s)),
            ROW((aclrtStream s), aclrtGetFloatOverflowStatus(device_, 64, s)),
            ROW((aclrtStream s), aclrtResetFloatOverflowStatus(s)),
            ROW((aclrtStream s), aclrtNpuGetFloatOverFlowStatus(device_, 64, 0, s)),
            ROW((aclrtStream s), aclrtNpuClearFloatOverFlowStatus(0, s)),
            ROW((aclrtStream s), aclrtGetStreamResLimit(s, kCube, &r_.count)),
            ROW((aclrtStream s), aclrtSetStreamResLimit(s, kCube, 1)),
            ROW((aclrtStream s), aclrtResetStreamResLimit(s)),
            ROW((aclrtStream s), aclrtUseStreamResInCurrentThread(s)),
            ROW((aclrtStream s), aclrtUnuseStreamResInCurrentThread(s)),
            ROW((aclrtStream s), aclrtLaunchHostFunc(s, Nothing, nullptr)),
            ROW((aclrtStream s), aclrtLaunchCallback(Nothing, nullptr, ACL_CALLBACK_NO_BLOCK, s)),
            ROW((aclrtStream s), aclrtSubscribeReport(self_, s)),
            ROW((aclrtStream s), aclrtUnSubscribeReport(self_, s)),
            ROW((aclrtStream s), aclrtSubscribeHostFunc(self_, s)),
            ROW((aclrtStream s), aclrtUnSubscribeHostFunc(self_, s)),
            ROW((aclrtStream s), aclrtMemcpyAsync(device_, kSize, host_, kSize, ACL_MEMCPY_HOST_TO_DEVICE, s)),
            ROW((aclrtStream s),
                aclrtMemcpyAsyncWithCondition(device_, kSize, host_, kSize, ACL_MEMCPY_HOST_TO_DEVICE, s)),
            ROW((aclrtStream s), aclrtMemcpy2dAsync(device_, 64, host_, 64, 64, 2, ACL_MEMCPY_HOST_TO_DEVICE, s)),
            ROW((aclrtStream s),
                aclrtMemcpyBatchAsync(dsts_, sizes_, srcs_, sizes_, 1, &attribute_, first_, 1, &fail_index_, s)),
            ROW((aclrtStream s), aclrtMemcpyBatchAsyncV2(dsts_, sizes_, srcs_, sizes_, 1, &attribute_, first_, 1, s)),
            ROW((aclrtStream s),
                aclrtMemcpyAsyncWithOffset(static_cast<void**>(device_), 8, 0, static_cast<const void**>(other_), 8, 0,
                                           ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, s)),
            ROW((aclrtStream s), aclrtMemcpyAsyncWithDesc(device_, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, s)),
            ROW((aclrtStream s), aclrtMemsetAsync(device_, kSize, 1, kSize, s)),
            ROW((aclrtStream s), aclrtMemsetD32Async(device_, kSize, 1, kSize / 4, s)),
            ROW((aclrtStream s),
                aclrtReduceAsync(device_, other_, 16, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, s, nullptr)),
            ROW((aclrtStream s), aclrtRandomNumAsync(&random_, s, nullptr)),
            ROW((aclrtStream s), aclrtRecordNotify(notify_, s)),
            ROW((aclrtStream s), aclrtWaitAndResetNotify(notify_, s, 1)),
            ROW((aclrtStream s), aclrtCntNotifyRecord(counted_, s, &record_info_)),
            ROW((aclrtStream s), aclrtCntNotifyWaitWithTimeout(counted_, s, &wait_info_)),
            ROW((aclrtStream s), aclrtCntNotifyReset(counted_, s)),
            ROW((aclrtStream s), aclrtValueWrite(device_, 1, 0, s)),
            ROW((aclrtStream s), aclrtValueWait(device_, 1, ACL_STREAM_WAIT_VALUE_GEQ, s)),
            ROW((aclrtStream s), aclrtLaunchKernel(kernel_, 1, nullptr, 0, s)),
            ROW((aclrtStream s), aclrtLaunchKernelV2(kernel_, 1, nullptr, 0, nullptr, s)),
            ROW((aclrtStream s), aclrtLaunchKernelWithArgsArray(kernel_, 1, s, nullptr, nullptr)),
            ROW((aclrtStream s), aclrtLaunchSIMTKernelWithArgsArray(kernel_, one_, one_, 0, s, nullptr, nullptr)),
            ROW((aclrtStream s), aclrtLaunchKernelWithHostArgs(kernel_, 1, s, nullptr, nullptr, 0, nullptr, 0)),
            ROW((aclrtStream s),
                aclrtLaunchSIMTKernelWithHostArgs(kernel_, one_, one_, 0, s, nullptr, nullptr, 0, nullptr, 0)),
            ROW((aclrtStream s), aclrtLaunchKernelWithConfig(kernel_, 1, s, nullptr, list_, nullptr)),
        };
    }

    // These calls check the memory first.
    StreamRows ManagedCalls() {
        return {
            ROW((aclrtStream s), aclrtMemManagedPrefetchAsync(managed_, kManagedGrain, place_, 0, s)),
            ROW((aclrtStream s),
                aclrtMemManagedPrefetchBatchAsync(managed_list_, managed_sizes_, 1, &place_, first_, 1, 0, s)),
        };
    }

    using EventRows = std::vector<Row<aclrtEvent>>;
    EventRows EventCalls() {
        return {
            ROW((aclrtEvent e), aclrtRecordEvent(e, nullptr)),
            ROW((aclrtEvent e), aclrtRecordEventWithFlag(e, nullptr, 0)),
            ROW((aclrtEvent e), aclrtResetEvent(e, nullptr)),
            ROW((aclrtEvent e), aclrtStreamWaitEvent(nullptr, e)),
            ROW((aclrtEvent e), aclrtStreamWaitEventWithFlag(nullptr, e, 0, 0)),
            ROW((aclrtEvent e), aclrtStreamWaitEventWithTimeout(nullptr, e, 1)),
            ROW((aclrtEvent e), aclrtQueryEvent(e, &r_.event)),
            ROW((aclrtEvent e), aclrtQueryEventStatus(e, &r_.recorded)),
            ROW((aclrtEvent e), aclrtQueryEventWaitStatus(e, &r_.waited)),
            ROW((aclrtEvent e), aclrtSynchronizeEvent(e)),
            ROW((aclrtEvent e), aclrtSynchronizeEventWithTimeout(e, 1000)),
            ROW((aclrtEvent e), aclrtEventElapsedTime(&r_.ms, e, event_)),
            ROW((aclrtEvent e), aclrtEventElapsedTime(&r_.ms, event_, e)),
            ROW((aclrtEvent e), aclrtEventGetTimestamp(e, &r_.time)),
            ROW((aclrtEvent e), aclrtGetEventId(e, &r_.count)),
            ROW((aclrtEvent e), aclrtIpcGetEventHandle(e, &r_.ipc)),
            ROW((aclrtEvent e), aclrtDestroyEvent(e)),
        };
    }

    using IdRows = std::vector<Row<int32_t>>;
    IdRows DeviceIdCalls() {
        return {
            ROW((int32_t d), aclrtSetDevice(d)),
            ROW((int32_t d), aclrtResetDevice(d)),
            ROW((int32_t d), aclrtResetDeviceForce(d)),
            ROW((int32_t d), aclrtCreateContext(&r_.pointer, d)),
            ROW((int32_t d), aclrtGetPrimaryCtxState(d, nullptr, &r_.number)),
            ROW((int32_t d), aclrtQueryDeviceStatus(d, &r_.device)),
            ROW((int32_t d), aclrtGetDeviceUtilizationRate(d, &r_.busy)),
            ROW((int32_t d), aclrtGetMemUsageInfo(d, &r_.usage, 1, &r_.size)),
            ROW((int32_t d), aclrtDeviceTaskAbort(d, 1000)),
            ROW((int32_t d), aclrtGetErrorVerbose(d, &r_.error)),
            ROW((int32_t d), aclrtRepairError(d, &no_error_)),
            ROW((int32_t d), aclrtHostMemMapCapabilities(static_cast<uint32_t>(d), ACL_RT_HAC_TYPE_AIC, &r_.map)),
            ROW((int32_t d), aclrtGetDeviceResLimit(d, kCube, &r_.count)),
            ROW((int32_t d), aclrtSetDeviceResLimit(d, kCube, 1)),
            ROW((int32_t d), aclrtResetDeviceResLimit(d)),
            ROW((int32_t d), aclrtDeviceCanAccessPeer(&r_.number, d, 0)),
            ROW((int32_t d), aclrtDeviceCanAccessPeer(&r_.number, 0, d)),
            ROW((int32_t d), aclrtDeviceEnablePeerAccess(d, 0)),
            ROW((int32_t d), aclrtDeviceDisablePeerAccess(d)),
            ROW((int32_t d), aclrtDevicePeerAccessStatus(d, 0, &r_.number)),
            ROW((int32_t d), aclrtDevicePeerAccessStatus(0, d, &r_.number)),
            ROW((int32_t d), aclrtDeviceGetUuid(d, &r_.uuid)),
            ROW((int32_t d), aclrtDeviceGetPCIBusId(d, r_.text.data(), 32)),
            ROW((int32_t d), aclrtGetDeviceCapability(d, ACL_FEATURE_TSCPU_TASK_UPDATE_SUPPORT_AIC_AIV, &r_.number)),
            ROW((int32_t d), aclrtGetDeviceInfo(static_cast<uint32_t>(d), ACL_DEV_ATTR_AICORE_CORE_NUM, &r_.wide)),
            ROW((int32_t d), aclGetDeviceCapability(static_cast<uint32_t>(d), ACL_DEVICE_INFO_AI_CORE_NUM, &r_.wide)),
            ROW((int32_t d), aclrtGetDevicesTopo(static_cast<uint32_t>(d), 0, &r_.time)),
            ROW((int32_t d), aclrtGetDevicesTopo(0, static_cast<uint32_t>(d), &r_.time)),
            ROW((int32_t d), aclrtGetLogicDevIdByUserDevId(d, &r_.number)),
            ROW((int32_t d), aclrtGetUserDevIdByLogicDevId(d, &r_.number)),
            ROW((int32_t d), aclrtGetLogicDevIdByPhyDevId(d, &r_.number)),
            ROW((int32_t d), aclrtGetPhyDevIdByLogicDevId(d, &r_.number)),
            ROW((int32_t d), aclrtGetUserDevIdByPhyDevId(d, &r_.number)),
            ROW((int32_t d), aclrtGetPhyDevIdByUserDevId(d, &r_.number)),
        };
    }

    using Rows = std::vector<Row<>>;
    // Calls without a stream that use the current context or its device.
    Rows ContextCalls() {
        constexpr auto kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;
        return {
            ROW((), aclrtGetDevice(&r_.number)),
            ROW((), aclrtGetCurrentContext(&r_.pointer)),
            ROW((), aclrtCtxGetCurrentDefaultStream(&r_.pointer)),
            ROW((), aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1)),
            ROW((), aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &r_.wide)),
            ROW((), aclrtCtxGetFloatOverflowAddr(&r_.pointer)),
            ROW((), aclrtDeviceL2CacheFlush(nullptr)),
            ROW((), aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, 1)),
            ROW((), aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMT_STACK_SIZE, &r_.size)),
            ROW((), aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN)),
            ROW((), aclrtGetDeviceSatMode(&r_.mode)),
            ROW((), aclrtGetResInCurrentThread(kCube, &r_.count)),
            ROW((), aclrtDeviceGetStreamPriorityRange(&r_.number, &r_.number)),
            ROW((), aclrtDeviceEnablePeerAccess(0, 0)),
            ROW((), aclrtDeviceDisablePeerAccess(0)),
            ROW((), aclrtSynchronizeDevice()),
            ROW((), aclrtSynchronizeDeviceWithTimeout(1000)),
            ROW((), aclrtCreateStream(&r_.pointer)),
            ROW((), aclrtCreateStreamWithConfig(&r_.pointer, 0, 0)),
            ROW((), aclrtGetStreamAvailableNum(&r_.count)),
            ROW((), aclrtCreateEvent(&r_.pointer)),
            ROW((), aclrtCreateEventWithFlag(&r_.pointer, ACL_EVENT_SYNC)),
            ROW((), aclrtCreateEventExWithFlag(&r_.pointer, ACL_EVENT_SYNC)),
            ROW((), aclrtCreateEventExWithFlag(&r_.pointer, ACL_EVENT_IPC)),
            ROW((), aclrtGetEventAvailNum(&r_.count)),
            ROW((), aclrtCreateNotify(&r_.pointer, 0)),
            ROW((), aclrtCntNotifyCreate(&r_.pointer, 0)),
            ROW((), aclrtMalloc(&r_.pointer, kSize, kPolicy)),
            ROW((), aclrtMallocAlign32(&r_.pointer, kSize, kPolicy)),
            ROW((), aclrtMallocCached(&r_.pointer, kSize, kPolicy)),
            ROW((), aclrtMallocWithCfg(&r_.pointer, kSize, kPolicy, nullptr)),
            ROW((), aclrtMallocForTaskScheduler(&r_.pointer, kSize, kPolicy, nullptr)),
            ROW((), aclrtMemAllocManaged(&r_.pointer, kManagedGrain, ACL_RT_MEM_ATTACH_GLOBAL)),
            ROW((), aclrtGetMemInfo(ACL_HBM_MEM, &r_.size, &r_.total)),
            ROW((), aclrtMemcpy(page_, kSize, page_ + kSize, kSize, ACL_MEMCPY_HOST_TO_HOST)),
            ROW((), aclrtMemcpyBatch(dsts_, sizes_, srcs_, sizes_, 1, &attribute_, first_, 1, &fail_index_)),
            ROW((), aclrtBinaryLoadFromFile(program_.c_str(), nullptr, &r_.pointer)),
            ROW((), aclrtBinaryLoadFromData(image_.data(), image_.size(), nullptr, &r_.pointer)),
            ROW((), aclrtMemcpyBatchV2(dsts_, sizes_, srcs_, sizes_, 1, &attribute_, first_, 1)),
        };
    }

    // These calls check the memory first, which is freed with its device.
    Rows MemoryCalls() {
        return {
            ROW((), aclrtMemcpy2d(device_, 64, host_, 64, 64, 2, ACL_MEMCPY_HOST_TO_DEVICE)),
            ROW((), aclrtMemset(device_, kSize, 1, kSize)),
            ROW((), aclrtMemsetD32(device_, kSize, 1, kSize / 4)),
        };
    }

    // These calls need a session but no context.
    Rows RegistrationCalls() {
        return {
            ROW((), aclrtHostRegister(page_, kSize, ACL_HOST_REGISTER_MAPPED, &r_.pointer)),
            ROW((), aclrtHostRegisterV2(page_, kSize, ACL_HOST_REG_PINNED)),
        };
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

}  // namespace

TEST_F(Arguments, InvalidStreams) {
    aclrtStream destroyed = nullptr;
    ACL_OK(aclrtCreateStream(&destroyed));
    ACL_OK(aclrtDestroyStream(destroyed));
    for (void* bad : {destroyed, static_cast<void*>(event_), reinterpret_cast<void*>(8),
                      reinterpret_cast<void*>(UINTPTR_MAX), static_cast<void*>(page_)}) {
        SCOPED_TRACE(Shown(bad));
        ExpectAll(StreamCalls(), kDead, "tream", aclrtStream(bad));
        ExpectAll(ManagedCalls(), kDead, "tream", aclrtStream(bad));
        ACL_FAILS(kDead, aclrtDestroyStream(bad));
        ACL_FAILS(kDead, aclrtDestroyStreamForce(bad));
    }
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyStream(nullptr));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyStreamForce(nullptr));
    ExpectNothingWritten();
}

TEST_F(Arguments, StreamsOfAnotherDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    aclrtContext here = nullptr;
    ACL_OK(aclrtGetCurrentContext(&here));
    ACL_OK(aclrtSetDevice(1));
    Stream there;
    ACL_OK(aclrtSetCurrentContext(here));
    ExpectAll(StreamCalls(), ACL_ERROR_RT_STREAM_CONTEXT, "device 1", aclrtStream(there));
    ExpectAll(ManagedCalls(), ACL_ERROR_RT_STREAM_CONTEXT, "device 1", aclrtStream(there));
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclrtDestroyStream(there), "device 1");
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclrtDestroyStreamForce(there), "device 1");
    ExpectNothingWritten();
    ACL_OK(aclrtSetDevice(1));
}

TEST_F(Arguments, InvalidEvents) {
    Stream stream;
    aclrtEvent destroyed = nullptr;
    ACL_OK(aclrtCreateEventWithFlag(&destroyed, ACL_EVENT_SYNC));
    ACL_OK(aclrtDestroyEvent(destroyed));
    for (void* bad : {destroyed, static_cast<void*>(stream), reinterpret_cast<void*>(8),
                      reinterpret_cast<void*>(UINTPTR_MAX), static_cast<void*>(page_)}) {
        SCOPED_TRACE(Shown(bad));
        ExpectAll(EventCalls(), kDead, "vent", aclrtEvent(bad));
    }
    ExpectAll(EventCalls(), ACL_ERROR_INVALID_PARAM, "null", aclrtEvent(nullptr));
    ExpectNothingWritten();
}

TEST_F(Arguments, InvalidDevices) {
    const auto count = static_cast<int32_t>(DeviceCount());
    for (const int32_t bad : {-1, count, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()}) {
        SCOPED_TRACE(bad);
        ExpectAll(DeviceIdCalls(), ACL_ERROR_RT_INVALID_DEVICEID, "device", bad);
    }
    ExpectNothingWritten();
}

TEST_F(Arguments, ThreadsWithoutAContext) {
    Stream stream;
    OnNewThread([&] {
        ExpectAll(ContextCalls(), kNone, "aclrtSetDevice");
        ExpectAll(MemoryCalls(), kNone, "aclrtSetDevice");
        for (aclrtStream any : {aclrtStream(nullptr), aclrtStream(stream)}) {
            ExpectAll(StreamCalls(), kNone, "aclrtSetDevice", any);
            ExpectAll(ManagedCalls(), kNone, "aclrtSetDevice", any);
        }
    });
    ExpectNothingWritten();
    // The calls enqueued and changed nothing: the objects work as before.
    EXPECT_EQ(page_[0], 0);
    ACL_OK(aclrtMemsetAsync(device_, kSize, 1, kSize, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(Arguments, AfterFinalize) {
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclFinalize());
    ExpectAll(ContextCalls(), kNone, "finalized");
    ExpectAll(RegistrationCalls(), kNone, "finalized");
    ExpectAll(MemoryCalls(), kDead, "0x");
    ExpectAll(StreamCalls(), kNone, "finalized", aclrtStream(nullptr));
    ExpectAll(ManagedCalls(), kNone, "finalized", aclrtStream(nullptr));
    ExpectAll(StreamCalls(), kDead, "stream", stream);
    OnNewThread([&] { ExpectAll(ContextCalls(), kNone, "finalized"); });
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ExpectAll(StreamCalls(), kDead, "stream", stream);
    ExpectAll(EventCalls(), kDead, "vent", event_);
    ExpectNothingWritten();
}

// From a host function, no call waits, enqueues, creates or destroys anything.
TEST_F(Arguments, InsideAHostFunction) {
    Stream stream;
    std::function<void()> body = [&] {
        constexpr const char* kWhere = "host function";
        ExpectAll(StreamCalls(), kDead, kWhere, aclrtStream(stream));
        ExpectAll(ManagedCalls(), kDead, kWhere, aclrtStream(stream));
        ExpectAll(Without({"aclrtGetEventId"}, EventCalls()), kDead, kWhere, event_);
        ExpectAll(MemoryCalls(), kDead, kWhere);
        ExpectAll(RegistrationCalls(), kDead, kWhere);
        // The calls that are left out only read state, without waiting; there is no current context
        // here.
        ExpectAll(
            Without({"aclrtGetDevice", "aclrtGetCurrentContext", "aclrtCtxSetSysParamOpt", "aclrtCtxGetSysParamOpt",
                     "aclrtDeviceGetStreamPriorityRange", "aclrtGetStreamAvailableNum", "aclrtGetEventAvailNum"},
                    ContextCalls()),
            kDead, kWhere);
    };
    const auto call = [](void* body) { (*static_cast<std::function<void()>*>(body))(); };
    ACL_OK(aclrtLaunchHostFunc(stream, call, &body));
    ACL_OK(aclrtSynchronizeStream(stream));
    ExpectNothingWritten();
}

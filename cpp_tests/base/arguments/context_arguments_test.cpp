// Calls that take a device id or use the current context report an invalid id or a missing context in the same way.
// A row is a call that is valid except for that argument.

#include <limits>

#include "base/arguments/valid_arguments.h"
#include "support/memory/managed_memory.h"
#include "support/objects.h"

using namespace portacl_test;

namespace {

class ContextArguments : public ValidArguments {
  protected:
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
};

}  // namespace

TEST_F(ContextArguments, InvalidDevices) {
    const auto count = static_cast<int32_t>(DeviceCount());
    for (const int32_t bad : {-1, count, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()}) {
        SCOPED_TRACE(bad);
        ExpectAll(DeviceIdCalls(), ACL_ERROR_RT_INVALID_DEVICEID, "device", bad);
    }
    ExpectNothingWritten();
}

TEST_F(ContextArguments, ThreadsWithoutAContext) {
    OnNewThread([&] {
        ExpectAll(ContextCalls(), kNone, "aclrtSetDevice");
        ExpectAll(MemoryCalls(), kNone, "aclrtSetDevice");
    });
    ExpectNothingWritten();
    // The calls changed nothing.
    EXPECT_EQ(page_[0], 0);
}

TEST_F(ContextArguments, AfterFinalize) {
    ACL_OK(aclFinalize());
    ExpectAll(ContextCalls(), kNone, "finalized");
    ExpectAll(RegistrationCalls(), kNone, "finalized");
    ExpectAll(MemoryCalls(), kDead, "0x");
    OnNewThread([&] { ExpectAll(ContextCalls(), kNone, "finalized"); });
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ExpectNothingWritten();
}

// From a host function, no call waits, enqueues, creates or destroys anything.
TEST_F(ContextArguments, InsideAHostFunction) {
    InHostFunction([&](aclrtStream) {
        ExpectAll(MemoryCalls(), kDead, kInside);
        ExpectAll(RegistrationCalls(), kDead, kInside);
        // The calls that are left out only read state, without waiting; there is no current context here.
        ExpectAll(
            Without({"aclrtGetDevice", "aclrtGetCurrentContext", "aclrtCtxSetSysParamOpt", "aclrtCtxGetSysParamOpt",
                     "aclrtDeviceGetStreamPriorityRange", "aclrtGetStreamAvailableNum", "aclrtGetEventAvailNum"},
                    ContextCalls()),
            kDead, kInside);
    });
    ExpectNothingWritten();
}

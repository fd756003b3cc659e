// Driver calls that fail once or permanently, on the test double. memory_limit_test also covers
// memory that runs out.
#include "support/base/cuda_driver.h"
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/own_process.h"
#include "support/pool/mem_pool.h"
#include "support/says.h"
#include "support/works.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

using namespace portacl_test;

namespace {

constexpr size_t kSize = 4096;

// Objects that were passed to a driver whose device then fails: the driver may still use them, so
// the library never frees them.
#if defined(__SANITIZE_ADDRESS__)
using IgnoreLeaks = __lsan::ScopedDisabler;
#else
struct IgnoreLeaks {};
#endif

class DriverRefuses : public WithDevice {
  protected:
    void TearDown() override {
        FailDriver("");
        WithDevice::TearDown();
    }
};

}  // namespace

TEST_F(DriverRefuses, AnUnknownStatusIsReportedOnce) {
    FailDriver("cuMemAlloc_v2:1:998,cuStreamCreateWithPriority:1:4321,cuMemHostAlloc:1:99999");
    constexpr aclError kCode = ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    auto address = Poison<void*>();
    auto stream = Poison<aclrtStream>();
    ACL_FAILS_SAYING(kCode, aclrtMalloc(&address, kSize, ACL_MEM_MALLOC_NORMAL_ONLY), "cuMemAlloc_v2 returned 998");
    ACL_FAILS_SAYING(kCode, aclrtCreateStream(&stream), "cuStreamCreateWithPriority returned 4321");
    ACL_FAILS_SAYING(kCode, aclrtMallocHost(&address, kSize), "cuMemHostAlloc returned 99999");
    EXPECT_TRUE(IsPoison(address) && IsPoison(stream));
    ExpectWorks();
}

// A context of another library on the device has failed, and is current. The primary context continues.
TEST_F(DriverRefuses, TheFailureOfAnotherContextIsNotOfTheDevice) {
    const MemPool pool;
    const Stream stream;
    void *others = nullptr, *native = nullptr, *pooled = nullptr;
    unsigned long long memory = 0;
    const auto of_driver = [](const char* name, auto... arguments) {
        return DriverFunction<int (*)(decltype(arguments)...)>(name)(arguments...);
    };
    Driver("cuCtxCreate_v2", &others, 0u, 0);
    Driver("cuStreamCreate", &native, 1u);
    Driver("cuMemAlloc_v2", &memory, kSize);
    FailDriver("cuMemsetD8Async:1:700:late");
    Driver("cuMemsetD8Async", memory, static_cast<unsigned char>(1), kSize, native);
    constexpr int kIllegalAddress = 700;
    EXPECT_EQ(of_driver("cuStreamSynchronize", native), kIllegalAddress);
    ACL_OK(aclrtMemPoolMallocAsync(&pooled, kSize, pool, stream));
    Driver("cuCtxSetCurrent", others);
    ACL_OK(aclrtMemPoolFreeAsync(pooled, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    Driver("cuCtxSetCurrent", others);
    ACL_OK(aclrtMemPoolMallocAsync(&pooled, kSize / 2, pool, stream));
    Driver("cuCtxSetCurrent", others);
    aclrtPtrAttributes attributes{};
    // Memory that only the driver knows, so that it is asked.
    void* primary = nullptr;
    ACL_OK(portaclContextGetNative(nullptr, &primary));
    Driver("cuCtxSetCurrent", primary);
    unsigned long long known = 0;
    Driver("cuMemAlloc_v2", &known, kSize);
    Driver("cuCtxSetCurrent", others);
    ACL_OK(aclrtPointerGetAttributes(reinterpret_cast<void*>(known), &attributes));
    EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    ACL_OK(aclrtMemPoolFreeAsync(pooled, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    Driver("cuCtxSetCurrent", primary);
    Driver("cuMemFree_v2", known);
    EXPECT_EQ(of_driver("cuCtxDestroy_v2", others), kIllegalAddress);
    ExpectWorks();
}

TEST_F(DriverRefuses, AGraphStaysUntilItsRunCanBeQueried) {
    const Stream stream;
    const DeviceMemory memory(kSize);
    Graph graph = Capture(stream, [&] { ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, kSize, stream)); });
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    FailDriver("cuEventQuery:1:999");
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclmdlRIDestroy(graph), "cuEventQuery returned 999");
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclmdlRIDestroy(graph.Release()));
}

// These say nothing of the device: the thread's context may be one that another library has destroyed.
TEST_F(DriverRefuses, AContextOfAnotherLibrary) {
    const Stream stream;
    MemPool pool;
    for (const char* code : {"201", "400", "709"}) {
        FailDriver((std::string("cuMemAllocFromPoolAsync:1:") + code + ",cuMemFreeAsync:1:" + code).c_str());
        void* memory = nullptr;
        ACL_OK(aclrtMemPoolMallocAsync(&memory, kSize, pool, stream));
        ACL_OK(aclrtMemPoolFreeAsync(memory, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
    }
    ExpectWorks();
}

TEST_F(DriverRefuses, ADeviceWithoutConcurrentAccessToManagedMemory) {
    void* managed = nullptr;
    ACL_OK(aclrtMemAllocManaged(&managed, 2 * kMiB, ACL_RT_MEM_ATTACH_GLOBAL));
    FailDriver("cuMemPrefetchAsync_v2:1:101,cuMemAdvise_v2:1:101");
    const aclrtMemManagedLocation host = {ACL_MEM_LOCATIONTYPE_HOST, 0};
    constexpr aclError kLacking = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    ACL_FAILS_SAYING(kLacking, aclrtMemManagedPrefetchAsync(managed, 2 * kMiB, host, 0, nullptr), "concurrent access",
                     "101");
    ACL_FAILS_SAYING(kLacking, aclrtMemManagedAdvise(managed, 2 * kMiB, ACL_MEM_ADVISE_SET_PREFERRED_LOCATION, host),
                     "concurrent access", "101");
    ACL_OK(aclrtFree(managed));
    ExpectWorks();
}

OWN_PROCESS_TEST(DriverRefusesProcess, ToFreeManagedMemoryWithWhichItSavesNoProcess, {"FAKE_CUDA_LEAK_CHECK", "0"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    void* managed = nullptr;
    ACL_OK(aclrtMemAllocManaged(&managed, kSize, ACL_RT_MEM_ATTACH_GLOBAL));
    FailDriver("cuMemFree_v2:1:999");
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtFree(managed), "cuMemFree_v2 returned 999");
    const int self = getpid();
    ACL_OK(aclrtSnapShotProcessLock(self, nullptr));
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtSnapShotProcessBackup(self, nullptr), "managed memory");
    ACL_OK(aclrtSnapShotProcessUnlock(self, nullptr));
    ExpectWorks();
    ACL_OK(aclFinalize());
}

// Only the driver knows whether it works again, so each call asks it.
TEST_F(DriverRefuses, AnUnknownStatusMayPersist) {
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    DeviceMemory memory(kSize);
    FailDriver("cuMemsetD8Async:1:54321:late");
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, kSize, stream));
    constexpr aclError kCode = ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    ACL_FAILS_SAYING(kCode, aclrtSynchronizeStream(stream), "returned 54321");
    ACL_FAILS_SAYING(kCode, aclrtMemset(memory.At(), kSize, 1, kSize), "returned 54321");
    (void)memory.Release();
    (void)aclrtResetDeviceForce(0);
    // As in another process.
    FailDriver("");
    ACL_OK(aclrtSetDevice(0));
    ExpectWorks();
}

TEST_F(DriverRefuses, TheExhaustedResourceIsNamed) {
    FailDriver(
        "cuMemAlloc_v2:1:2,cuMemHostAlloc:1:2,cuStreamCreateWithPriority:1:2,"
        "cuEventCreate:1:2");
    auto address = Poison<void*>();
    auto stream = Poison<aclrtStream>();
    auto event = Poison<aclrtEvent>();
    const std::string said = "returned 2 CUDA_ERROR_OUT_OF_MEMORY";
    ACL_FAILS_SAYING(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&address, kSize, ACL_MEM_MALLOC_NORMAL_ONLY),
                     "cuMemAlloc_v2 " + said);
    ACL_FAILS_SAYING(ACL_ERROR_BAD_ALLOC, aclrtMallocHost(&address, kSize), "cuMemHostAlloc " + said);
    ACL_FAILS_SAYING(ACL_ERROR_RT_NO_STREAM_RESOURCE, aclrtCreateStream(&stream), said);
    const aclError refused = aclrtCreateEvent(&event);
    EXPECT_NE(refused, ACL_SUCCESS);
    EXPECT_NE(refused, ACL_ERROR_RT_MEMORY_ALLOCATION) << "events are no device memory";
    EXPECT_TRUE(IsPoison(address) && IsPoison(stream) && IsPoison(event));
    ExpectWorks();
}

OWN_PROCESS_TEST(OutOfMemory, IsOfTheDeviceAndEndsWithAFree, {"FAKE_CUDA_MEMORY", "64M"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    DeviceMemory most(48 * kMiB);
    auto address = Poison<void*>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&address, 48 * kMiB, ACL_MEM_MALLOC_HUGE_FIRST),
                     "CUDA_ERROR_OUT_OF_MEMORY", std::to_string(48 * kMiB));
    EXPECT_TRUE(IsPoison(address));
    // The rest of the process has memory.
    PinnedMemory pinned(kMiB);
    ExpectWorks();
    ACL_OK(aclrtSetDevice(1));
    { DeviceMemory there(48 * kMiB); }
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtFree(most.Release()));
    { DeviceMemory again(48 * kMiB); }
    ACL_OK(aclrtFreeHost(pinned.Release()));
    ACL_OK(aclFinalize());
}

class StickyError : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        ACL_OK(aclrtCreateStream(&stream_));
        ACL_OK(aclrtCreateEventExWithFlag(&event_, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
        ACL_OK(aclrtMalloc(&memory_, kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
        FailDriver("cuMemsetD8Async:1:719:late");
        ACL_OK(aclrtMemsetAsync(memory_, kSize, 1, kSize, stream_));
        ACL_FAILS_SAYING(kCode, aclrtSynchronizeStream(stream_), said_, remedy_);
    }

    void TearDown() override {
        (void)aclrtResetDeviceForce(0);
        // The next test is as in another process.
        FailDriver("");
        WithDevice::TearDown();
    }

    static constexpr aclError kCode = ACL_ERROR_RT_AICORE_EXCEPTION;
    const std::string said_ = "719 CUDA_ERROR_LAUNCH_FAILED", remedy_ = "start another process";
    aclrtStream stream_ = nullptr;
    aclrtEvent event_ = nullptr;
    void* memory_ = nullptr;
};

TEST_F(StickyError, EveryCallOfTheDeviceFails) {
    unsigned char bytes[kSize];
    auto address = Poison<void*>();
    auto stream = Poison<aclrtStream>();
    auto event = Poison<aclrtEvent>();
    for (int round = 0; round < 2; ++round) {
        ACL_FAILS_SAYING(kCode, aclrtMemsetAsync(memory_, kSize, 1, kSize, stream_), said_, "CUDA device 0", remedy_);
        ACL_FAILS_SAYING(kCode, aclrtMemset(memory_, kSize, 1, kSize), said_, remedy_);
        ACL_FAILS_SAYING(kCode, aclrtMemcpy(bytes, kSize, memory_, kSize, ACL_MEMCPY_DEVICE_TO_HOST), said_, remedy_);
        ACL_FAILS_SAYING(kCode, aclrtRecordEvent(event_, stream_), said_, remedy_);
        ACL_FAILS_SAYING(kCode, aclrtMalloc(&address, kSize, ACL_MEM_MALLOC_NORMAL_ONLY), said_, remedy_);
        ACL_FAILS_SAYING(kCode, aclrtCreateStream(&stream), said_, remedy_);
        ACL_FAILS_SAYING(kCode, aclrtCreateEvent(&event), said_, remedy_);
        ACL_FAILS_SAYING(kCode, aclrtSynchronizeDevice(), said_, remedy_);
        size_t free = 7, total = 7;
        ACL_FAILS_SAYING(kCode, aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), said_, remedy_);
    }
    aclrtErrorInfo info{};
    ACL_OK(aclrtGetErrorVerbose(0, &info));
    EXPECT_TRUE(info.errorType == ACL_RT_ERROR_AICORE && info.tryRepair == 0);
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtRepairError(0, &info), "ResetDevice");
    EXPECT_TRUE(IsPoison(address) && IsPoison(stream) && IsPoison(event));
}

// The driver does not report which operation failed: exception callbacks run once, in the call that
// detects it.
TEST_F(StickyError, ExceptionCallbacksReportTheDeviceAndTheCode) {
    static std::vector<std::vector<uint32_t>> reported;
    reported.clear();
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo* info) {
        reported.push_back({aclrtGetTaskIdFromExceptionInfo(info), aclrtGetStreamIdFromExceptionInfo(info),
                            aclrtGetThreadIdFromExceptionInfo(info), aclrtGetDeviceIdFromExceptionInfo(info),
                            aclrtGetErrorCodeFromExceptionInfo(info)});
    }));
    {
        Stream stream;
        DeviceMemory memory(kSize);
        FailDriver("cuMemsetD8Async:1:719:late");
        ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, kSize, stream));
        for (int round = 0; round < 2; ++round) ACL_FAILS_SAYING(kCode, aclrtSynchronizeStream(stream), said_, remedy_);
        (void)aclrtDestroyStreamForce(stream.Release());
        (void)memory.Release();
    }
    constexpr uint32_t kUnknown = 0xFFFFFFFF;
    const std::vector<uint32_t> once{kUnknown, kUnknown, kUnknown, 1, static_cast<uint32_t>(kCode)};
    EXPECT_EQ(reported, std::vector<std::vector<uint32_t>>{once});
    (void)aclrtResetDeviceForce(1);
    (void)aclrtResetDeviceForce(0);
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(StickyError, TheHostAndOtherDevicesContinue) {
    ExpectHostCallsWork();
    EXPECT_EQ(DeviceCount(), 2u);
    {
        std::vector<unsigned char> from(kSize, 5), to(kSize);
        ACL_OK(aclrtMemcpy(to.data(), kSize, from.data(), kSize, ACL_MEMCPY_HOST_TO_HOST));
        EXPECT_EQ(to, from);
    }
    ACL_OK(aclrtSetDevice(1));
    ExpectWorks();
    ACL_OK(aclrtResetDevice(1));
}

// The driver drops the record of an event that other streams poll in memory: the host gets an
// error, and streams of other devices continue.
TEST_F(DriverRefuses, RecordsOfSharedEventsEndWithTheirDevice) {
    constexpr aclError kCode = ACL_ERROR_RT_AICORE_EXCEPTION;
    const std::string said = "719 CUDA_ERROR_LAUNCH_FAILED";
    aclrtStream recording = nullptr, waiting = nullptr;
    aclrtEvent event = nullptr;
    void* memory = nullptr;
    ACL_OK(aclrtCreateStream(&recording));
    ACL_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC));
    ACL_OK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
    // Nothing fails before everything is submitted.
    Gate gate;
    ACL_OK(gate.Hold(recording));
    FailDriver("cuMemsetD8Async:1:719:late");
    ACL_OK(aclrtMemsetAsync(memory, kSize, 1, kSize, recording));
    {
        [[maybe_unused]] const IgnoreLeaks record;
        ACL_OK(aclrtRecordEvent(event, recording));
    }
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtCreateStream(&waiting));
    ACL_OK(aclrtStreamWaitEvent(waiting, event));
    ACL_OK(aclrtSetDevice(0));
    gate.Open();
    ACL_FAILS_SAYING(kCode, aclrtSynchronizeEvent(event), said, "start another process");
    ACL_FAILS_SAYING(kCode, aclrtSynchronizeEventWithTimeout(event, 10000), said);
    aclrtEventRecordedStatus status{};
    ACL_FAILS_SAYING(kCode, aclrtQueryEventStatus(event, &status), said);
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtSynchronizeStreamWithTimeout(waiting, 10000));
    ACL_OK(aclrtResetDevice(1));
    (void)aclrtResetDeviceForce(0);
    // As in another process.
    FailDriver("");
    ACL_OK(aclrtSetDevice(0));
    ExpectWorks();
}

TEST_F(StickyError, EndsWithTheProcess) {
    // Releasing the driver's context returns its failure again, but the context is released.
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(stream_));
    for (int round = 0; round < 2; ++round) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSetDevice(0), "device 0 cannot be opened again",
                         "start another process");
        ACL_OK(aclFinalize());
        ACL_OK(aclInit(nullptr));
    }
    // As in another process.
    FailDriver("");
    ACL_OK(aclrtSetDevice(0));
    ExpectWorks();
}

// Another library holds the context that failed.
TEST_F(DriverRefuses, ToOpenADeviceWhoseFailedContextIsHeld) {
    void* context = nullptr;
    Driver("cuDevicePrimaryCtxRetain", &context, 0);
    aclrtStream stream = nullptr;
    void* memory = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
    FailDriver("cuMemsetD8Async:1:700:late");
    ACL_OK(aclrtMemsetAsync(memory, kSize, 1, kSize, stream));
    ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream));
    ACL_OK(aclrtResetDeviceForce(0));
    for (int round = 0; round < 2; ++round) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSetDevice(0), "start another process", "700");
    }
    EXPECT_EQ(DriverFunction<int (*)(int)>("cuDevicePrimaryCtxRelease_v2")(0), 700);
    FailDriver("");
    ACL_OK(aclrtSetDevice(0));
    ExpectWorks();
}

// The library's own kernels are loaded when a device is opened. A failure then is no failure of the device: a call that
// needs a kernel loads it again, and returns what the driver says now.
TEST_F(DriverRefuses, ToLoadKernelsOfTheLibrary) {
    constexpr auto kSum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
    for (const std::string call : {"cuModuleLoadData", "cuModuleGetFunction"}) {
        ACL_OK(aclrtResetDeviceForce(0));
        FailDriver((call + ":0:222").c_str());
        ACL_OK(aclrtSetDevice(0));
        ExpectWorks();
        const DeviceMemory sum(std::vector<int32_t>{1}), one(std::vector<int32_t>{2});
        for (int round = 0; round < 2; ++round) {
            ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                             aclrtReduceAsync(sum.At(), one.At(), 4, kSum, ACL_INT32, nullptr, nullptr),
                             call + " returned 222 CUDA_ERROR_UNSUPPORTED_PTX_VERSION");
        }
        ExpectWorks();
        FailDriver("");
        ACL_OK(aclrtReduceAsync(sum.At(), one.At(), 4, kSum, ACL_INT32, nullptr, nullptr));
        ACL_OK(aclrtSynchronizeStream(nullptr));
        EXPECT_EQ(sum.Download<int32_t>(), std::vector<int32_t>{3});
    }
}

// Threads and contexts of other libraries: objects may be destroyed by a thread that did not create
// them, and any context may be current in the driver.
#include <portacl/portacl.h>

#include <cstring>

#include "support/base/cuda_driver.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/pool/mem_pool.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 4096;

// Another library of the process that uses the driver and leaves its own context current after each
// call. The test double reports misuse and ends the process if an object of device 0 is created,
// used or destroyed in that context.
class ForeignContext : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        const char* name = portaclBackendName();
        if (!name || std::strcmp(name, "cuda") != 0) GTEST_SKIP() << "the cpu backend has no driver below it";
        if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
        Driver("cuDevicePrimaryCtxRetain", &context_, 1);
    }
    void TearDown() override {
        if (context_) Driver("cuDevicePrimaryCtxRelease_v2", 1);
        WithDevice::TearDown();
    }

    // The device that the driver reports for `address`.
    static int DeviceOf(void* address) {
        // The current context may be destroyed.
        Driver("cuCtxSetCurrent", static_cast<void*>(nullptr));
        int device = -1;
        constexpr int kOrdinal = 9;  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        Driver("cuPointerGetAttribute", static_cast<void*>(&device), kOrdinal,
               reinterpret_cast<unsigned long long>(address));
        return device;
    }

    // One object of each kind, with `Leave` called before each call.
    template <typename Leave>
    static void UseDeviceZero(Leave leave) {
        aclrtStream stream = nullptr;
        aclrtEvent start = nullptr, end = nullptr;
        void *memory = nullptr, *host = nullptr, *managed = nullptr, *pooled = nullptr;
        aclrtMemPool pool = nullptr;
        const aclrtMemPoolProps props = PoolProps();
        aclrtBinHandle binary = nullptr;
        aclrtFuncHandle mark = nullptr;
        const auto call = [&leave](aclError code, const char* what) {
            ExpectOk(what, code);
            leave();
        };
#define CALL(expression) call((expression), #expression)
        leave();
        CALL(aclrtCreateStream(&stream));
        CALL(aclrtCreateEventExWithFlag(&start, ACL_EVENT_TIME_LINE));
        CALL(aclrtCreateEventExWithFlag(&end, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
        CALL(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
        CALL(aclrtMallocHost(&host, kSize));
        CALL(aclrtMemAllocManaged(&managed, kSize, ACL_RT_MEM_ATTACH_GLOBAL));
        CALL(aclrtMemPoolCreate(&pool, &props));
        CALL(aclrtBinaryLoadFromFile(ProgramPath().c_str(), nullptr, &binary));
        CALL(aclrtBinaryGetFunction(binary, "mark", &mark));
        EXPECT_EQ(DeviceOf(memory), 0);
        leave();
        CALL(aclrtRecordEvent(start, stream));
        CALL(aclrtMemset(memory, kSize, 3, kSize));
        CALL(aclrtMemsetAsync(memory, kSize, 4, kSize, stream));
        CALL(aclrtReduceAsync(memory, memory, kSize, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX, ACL_INT8, stream, nullptr));
        CALL(aclrtLaunchHostFunc(
            stream, [](void*) {}, nullptr));
        CALL(Mark(mark, memory, 1, 1, stream));
        CALL(aclrtMemPoolMallocAsync(&pooled, kSize, pool, stream));
        CALL(aclrtMemcpyAsync(pooled, kSize, managed, kSize, ACL_MEMCPY_DEFAULT, stream));
        CALL(aclrtMemPoolFreeAsync(pooled, stream));
        CALL(aclrtMemcpyAsync(host, kSize, memory, kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        CALL(aclrtRecordEvent(end, stream));
        CALL(aclrtStreamWaitEvent(nullptr, end));
        CALL(aclrtSynchronizeStream(stream));
        CALL(aclrtSynchronizeEvent(end));
        EXPECT_EQ(static_cast<unsigned char*>(host)[kSize - 1], 4);
        float ms = -1;
        CALL(aclrtEventElapsedTime(&ms, start, end));
        size_t free = 0, total = 0;
        CALL(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
        aclrtPtrAttributes attributes{};
        CALL(aclrtPointerGetAttributes(memory, &attributes));
        EXPECT_EQ(attributes.location.id, 0u);
        CALL(aclrtSynchronizeDevice());
        CALL(aclrtBinaryUnLoad(binary));
        CALL(aclrtMemPoolDestroy(pool));
        CALL(aclrtFree(managed));
        CALL(aclrtDestroyEvent(start));
        CALL(aclrtDestroyEvent(end));
        CALL(aclrtFreeHost(host));
        CALL(aclrtFree(memory));
        CALL(aclrtDestroyStream(stream));
#undef CALL
    }

    void* context_ = nullptr;
};

}  // namespace

// A thread that the driver has never seen destroys everything, some of it with pending work. Only
// destroying streams needs a current context.
TEST(OtherThread, DestroysObjectsOfAnotherThread) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    Stream stream;
    Event event;
    DeviceMemory memory(kSize);
    PinnedMemory pinned(kSize, 0x44);
    ACL_OK(aclrtMemcpyAsync(memory.At(), kSize, pinned.At(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL_OK(aclrtRecordEvent(event, stream));
    OnNewThread([&] {
        ACL_EXPECT_OK(aclrtDestroyEvent(event.Release()));
        ACL_EXPECT_OK(aclrtFree(memory.Release()));
        ACL_EXPECT_OK(aclrtFreeHost(pinned.Release()));
        ACL_EXPECT_OK(aclrtSetDevice(0));
        ACL_EXPECT_OK(aclrtDestroyStream(stream.Release()));
    });
    OnNewThread([] { ACL_EXPECT_OK(aclrtResetDeviceForce(0)); });
    OnNewThread([] { ACL_EXPECT_OK(aclFinalize()); });
}

TEST_F(ForeignContext, MayBeLeftCurrent) {
    UseDeviceZero([this] { Driver("cuCtxSetCurrent", context_); });
}

TEST_F(ForeignContext, MayBeDestroyedWhileItIsCurrent) {
    Driver("cuDevicePrimaryCtxRelease_v2", 1);
    context_ = nullptr;
    UseDeviceZero([] {
        void* context = nullptr;
        Driver("cuDevicePrimaryCtxRetain", &context, 1);
        Driver("cuCtxSetCurrent", context);
        Driver("cuDevicePrimaryCtxRelease_v2", 1);
    });
}

TEST_F(ForeignContext, MayLeaveNoneCurrent) {
    UseDeviceZero([] { Driver("cuCtxSetCurrent", static_cast<void*>(nullptr)); });
}

TEST_F(ForeignContext, MayBeDestroyedWhileCurrent) {
    UseDeviceZero([] {
        void* context = nullptr;
        Driver("cuDevicePrimaryCtxRelease_v2", 1);
        Driver("cuDevicePrimaryCtxRetain", &context, 1);
        Driver("cuCtxSetCurrent", context);
        Driver("cuDevicePrimaryCtxRelease_v2", 1);
        Driver("cuDevicePrimaryCtxRetain", &context, 1);
    });
}

TEST_F(ForeignContext, MayBeCurrentDuringFinalize) {
    DeviceMemory memory(kSize);
    ACL_OK(aclrtMemset(memory.At(), kSize, 1, kSize));
    Driver("cuCtxSetCurrent", context_);
    (void)memory.Release();
    ACL_OK(aclrtResetDevice(0));
    // It belongs to the other library, and is still current.
    void* current = nullptr;
    Driver("cuCtxGetCurrent", &current);
    EXPECT_TRUE(current == context_ || current == nullptr);
    Driver("cuCtxSetCurrent", context_);
    ACL_OK(aclFinalize());
    ACL_OK(aclInit(nullptr));
}

// Threads and contexts of other libraries: objects may be destroyed by a thread that did not create
// them, and any context may be current in the driver.
#include <portacl/portacl.h>

#include <chrono>
#include <cstring>

#include "support/base/cuda_driver.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/pool/mem_pool.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 4096;

// A context of another library of the process: one of cuCtxCreate on device 0, or the primary one of device 1.
class OthersContext {
  public:
    enum Place { kSameDevice, kOtherDevice };

    explicit OthersContext(Place place) : place_(place) { Make(); }
    ~OthersContext() { End(); }
    OthersContext(const OthersContext&) = delete;
    OthersContext& operator=(const OthersContext&) = delete;

    operator void*() const { return context_; }

    void Make() {
        if (place_ == kOtherDevice) {
            Driver("cuDevicePrimaryCtxRetain", &context_, 1);
        } else {
            Driver("cuCtxCreate_v2", &context_, 0u, 0);
            Driver("cuCtxPopCurrent_v2", static_cast<void*>(nullptr));
        }
    }
    // It stays current where it is.
    void End() {
        if (!context_) return;
        if (place_ == kOtherDevice) {
            Driver("cuDevicePrimaryCtxRelease_v2", 1);
        } else {
            OnNewThread([this] { Driver("cuCtxDestroy_v2", context_); });
        }
        context_ = nullptr;
    }

  private:
    Place place_;
    void* context_ = nullptr;
};

// Where contexts take a second, some calls only are preceded by one.
struct Sparingly {
    std::chrono::steady_clock::time_point soon = std::chrono::steady_clock::now() + std::chrono::seconds(15);
    int later = 0;

    bool IsTime() { return std::chrono::steady_clock::now() < soon || ++later % 8 == 0; }
};

// Another library of the process that uses the driver and leaves its own context current after each
// call. The test double reports misuse and ends the process if an object of device 0 is created,
// used or destroyed in that context.
class ForeignContext : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        const char* name = portaclBackendName();
        if (!name || std::strcmp(name, "cuda") != 0) GTEST_SKIP() << "the cpu backend has no driver below it";
    }

    // On the same device, and on another one if there is one.
    template <typename Test>
    static void OnEachDevice(Test test) {
        test(OthersContext::kSameDevice);
        if (DeviceCount() >= 2) {
            SCOPED_TRACE("a context of another device");
            test(OthersContext::kOtherDevice);
        }
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
        Sparingly sparingly;
        const auto call = [&](aclError code, const char* what) {
            ExpectOk(what, code);
            if (sparingly.IsTime()) leave();
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
    OnEachDevice([](OthersContext::Place place) {
        const OthersContext others(place);
        UseDeviceZero([&] { Driver("cuCtxSetCurrent", static_cast<void*>(others)); });
    });
}

TEST_F(ForeignContext, MayBeDestroyedWhileItIsCurrent) {
    OnEachDevice([](OthersContext::Place place) {
        OthersContext others(place);
        others.End();
        UseDeviceZero([&] {
            others.Make();
            Driver("cuCtxSetCurrent", static_cast<void*>(others));
            others.End();
        });
    });
}

TEST_F(ForeignContext, MayLeaveNoneCurrent) {
    UseDeviceZero([] { Driver("cuCtxSetCurrent", static_cast<void*>(nullptr)); });
}

// A primary context that is retained again has the same handle.
TEST_F(ForeignContext, MayFollowADestroyedOneThatIsCurrent) {
    OnEachDevice([](OthersContext::Place place) {
        OthersContext others(place);
        UseDeviceZero([&] {
            others.End();
            others.Make();
            Driver("cuCtxSetCurrent", static_cast<void*>(others));
            others.End();
            others.Make();
        });
    });
}

TEST_F(ForeignContext, MayBeCurrentDuringFinalize) {
    OnEachDevice([](OthersContext::Place place) {
        const OthersContext others(place);
        DeviceMemory memory(kSize);
        ACL_OK(aclrtMemset(memory.At(), kSize, 1, kSize));
        Driver("cuCtxSetCurrent", static_cast<void*>(others));
        (void)memory.Release();
        ACL_OK(aclrtResetDevice(0));
        // It belongs to the other library, and is still current.
        void* current = nullptr;
        Driver("cuCtxGetCurrent", &current);
        EXPECT_TRUE(current == others || current == nullptr);
        Driver("cuCtxSetCurrent", static_cast<void*>(others));
        ACL_OK(aclFinalize());
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
    });
}

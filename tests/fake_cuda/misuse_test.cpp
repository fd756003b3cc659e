// Tests of calls that the test double refuses, of failures that it injects, and of its reports at exit.

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "fixture.h"

namespace {

using ::testing::ExitedWithCode;

TEST_F(FakeCuda, DestroyedHandlesAreRefused) {
    CUstream other = nullptr;
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(cuStreamDestroy_v2(other));
    EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2(other));
    EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(other));
    CUevent event = nullptr;
    OK(cuEventCreate(&event, 0));
    OK(cuEventDestroy_v2(event));
    EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuEventDestroy_v2(event));
    EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, stream));
    // Neither garbage nor a handle of another kind is dereferenced.
    EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(reinterpret_cast<CUstream>(0x1234)));
    EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(reinterpret_cast<CUevent>(stream)));
    EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(reinterpret_cast<CUmodule>(stream)));
    expected_misuses = 7;
}

TEST_F(FakeCuda, TheDefaultStreamIsRefused) {
    const CUdeviceptr memory = allocate(8);
    EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuMemsetD8Async(memory, 0, 8, nullptr));
    expected_misuses = 1;
    OK(cuMemFree_v2(memory));
}

TEST_F(FakeCuda, StaleAndCrossingRangesAreRefused) {
    const CUdeviceptr memory = allocate(1000);
    const CUdeviceptr neighbour = allocate(1000);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(memory, 0, 1001, stream));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(memory + 1, 0, SIZE_MAX, stream));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(memory + 512)) << "not the start";
    OK(cuMemFree_v2(memory));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(memory));
    char bytes[8] = "";
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(bytes, memory, 8));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(bytes), memory, 8, stream))
        << "a stale address is not taken for pageable memory";
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(neighbour, nullptr, 8));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoD_v2(neighbour, reinterpret_cast<CUdeviceptr>(bytes), 8));
    expected_misuses = 8;
    OK(cuMemFree_v2(neighbour));
}

TEST_F(FakeCuda, PinnedMemoryMustNotBeFreedUnderAQueuedCopy) {
    const CUdeviceptr memory = allocate(64);
    void* pinned = nullptr;
    OK(cuMemHostAlloc(&pinned, 64, 0));
    OK(cuMemcpyHtoDAsync_v2(memory, pinned, 64, stream));
    fakeCudaHold();
    OK(cuMemcpyHtoDAsync_v2(memory, pinned, 64, stream));
    // The driver reports the misuse, then waits for the copy.
    std::thread late([before = fakeCudaMisuses()] {
        while (fakeCudaMisuses() == before) std::this_thread::yield();
        fakeCudaRelease();
    });
    OK(cuMemFreeHost(pinned));
    expected_misuses = 1;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(pinned));
    expected_misuses = 2;
    late.join();
    OK(cuMemFree_v2(memory));
}

TEST_F(FakeCuda, AContextMustBeCurrentAndAlive) {
    CUdeviceptr memory = 0;
    CUcontext second = nullptr;
    std::thread([&] { EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc_v2(&memory, 8)); }).join();
    OK(cuDevicePrimaryCtxRetain(&second, 1));
    OK(cuCtxSetCurrent(second));
    EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuMemsetD8Async(1, 0, 8, stream)) << "another device's";
    OK(cuDevicePrimaryCtxRelease_v2(1));
    EXPECT_EQ(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc_v2(&memory, 8));
    EXPECT_EQ(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSetCurrent(second));
    EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(1));
    EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(reinterpret_cast<CUcontext>(&memory)));
    expected_misuses = 6;
}

TEST_F(FakeCuda, EventsOfAnotherDeviceCanBeWaitedForButNotRecorded) {
    CUcontext second = nullptr;
    CUevent event = nullptr;
    OK(cuDevicePrimaryCtxRetain(&second, 1));
    OK(cuCtxPushCurrent_v2(second));
    OK(cuEventCreate(&event, 0));
    OK(cuCtxPopCurrent_v2(nullptr));
    OK(cuStreamWaitEvent(stream, event, 0));
    EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(event, stream));
    expected_misuses = 1;
    OK(cuEventDestroy_v2(event));
    OK(cuDevicePrimaryCtxRelease_v2(1));
}

TEST_F(FakeCuda, TheNthCallFails) {
    EXPECT_NE(0, fakeCudaFail("nonsense"));
    EXPECT_NE(0, fakeCudaFail("cuMemAlloc_v2:2"));
    ASSERT_EQ(0, fakeCudaFail("cuMemAlloc_v2:2:2,cuEventCreate:0:999"));
    const CUdeviceptr first = allocate(8);
    CUdeviceptr second = 0;
    EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&second, 8));
    const CUdeviceptr third = allocate(8);
    CUevent event = nullptr;
    EXPECT_EQ(CUDA_ERROR_UNKNOWN, cuEventCreate(&event, 0));
    EXPECT_EQ(CUDA_ERROR_UNKNOWN, cuEventCreate(&event, 0));
    OK(cuMemFree_v2(first));
    OK(cuMemFree_v2(third));
}

TEST_F(FakeCuda, AFailureOnTheDeviceIsStickyUntilTheProcessEnds) {
    CUcontext second = nullptr;
    OK(cuDevicePrimaryCtxRetain(&second, 1));
    const CUdeviceptr memory = allocate(8);
    CUevent event = nullptr;
    OK(cuEventCreate(&event, 0));
    ASSERT_EQ(0, fakeCudaFail("cuMemsetD8Async:1:700:late"));
    fakeCudaHold();
    OK(cuMemsetD8Async(memory, 0, 8, stream)) << "it fails when it runs, not when it is queued";
    OK(cuEventRecord(event, stream));
    fakeCudaRelease();
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuStreamSynchronize(stream));
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuEventQuery(event));
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemFree_v2(memory));
    // Other devices continue.
    OK(cuCtxSetCurrent(second));
    OK(cuCtxSynchronize());
    OK(cuDevicePrimaryCtxRelease_v2(1));
    OK(cuDevicePrimaryCtxReset_v2(0));
    reset = true;
    unsigned flags = 9;
    int active = 9;
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    EXPECT_EQ(0, active);
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuDevicePrimaryCtxRetain(&context, 0));
    // The rest runs as in another process.
    ASSERT_EQ(0, fakeCudaFail(nullptr));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuStreamSynchronize(stream));
    expected_misuses = 1;
    OK(cuMemFree_v2(allocate(8)));
    OK(cuDevicePrimaryCtxRelease_v2(0));
}

TEST_F(FakeCuda, AStickyCodeFromACallIsSticky) {
    ASSERT_EQ(0, fakeCudaFail("cuStreamSynchronize:1:719"));
    EXPECT_EQ(CUDA_ERROR_LAUNCH_FAILED, cuStreamSynchronize(stream));
    EXPECT_EQ(CUDA_ERROR_LAUNCH_FAILED, cuStreamQuery(stream));
    OK(cuDevicePrimaryCtxReset_v2(0));
    reset = true;
}

TEST_F(FakeCuda, LeaksAreListed) {
    const CUdeviceptr memory = allocate(1234);
    char text[1000] = "";
    EXPECT_EQ(3, fakeCudaLeaks(text, sizeof text)) << text;
    EXPECT_NE(nullptr, strstr(text, "allocation")) << text;
    EXPECT_NE(nullptr, strstr(text, "1234 bytes")) << text;
    EXPECT_NE(nullptr, strstr(text, "stream")) << text;
    EXPECT_NE(nullptr, strstr(text, "primary context of device 0")) << text;
    char little[8];
    EXPECT_EQ(3, fakeCudaLeaks(little, sizeof little));
    EXPECT_EQ(7u, strlen(little));
    OK(cuMemFree_v2(memory));
}

TEST_F(FakeCuda, CallsAreCounted) {
    const auto before = fakeCudaCalls("cuStreamQuery");
    OK(cuStreamQuery(stream));
    OK(cuStreamQuery(stream));
    EXPECT_EQ(before + 2, fakeCudaCalls("cuStreamQuery"));
    EXPECT_EQ(0u, fakeCudaCalls("cuNoSuchFunction"));
}

// The old driver is loaded beside the other one, by its path, with separate state.
TEST(OldDriver, LacksNewerFunctions) {
    void* const library = dlopen(FAKE_CUDA_OLD_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(nullptr, library) << dlerror();
    for (const char* name : {"cuEventElapsedTime_v2", "cuStreamWaitValue32_v2", "cuMemPoolCreate", "cuMemFreeAsync",
                             "cuMemcpyBatchAsync", "cuMemPrefetchBatchAsync"}) {
        EXPECT_EQ(nullptr, dlsym(library, name)) << name;
    }
    for (const char* name : {"cuEventElapsedTime", "cuStreamWaitValue32", "cuMemAlloc_v2"}) {
        EXPECT_NE(nullptr, dlsym(library, name)) << name;
    }
    using GetVersion = CUresult (*)(int*);
    const auto get_version = reinterpret_cast<GetVersion>(dlsym(library, "cuDriverGetVersion"));
    ASSERT_NE(nullptr, get_version);
    int version = 0;
    OK(get_version(&version));
    EXPECT_EQ(11040, version);
}

// Each of these runs in its own process.
class FakeCudaProcess : public ::testing::Test {
  protected:
    void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }

    // Makes a context current in the calling process.
    static void open() {
        CUcontext context = nullptr;
        const bool ok = cuInit(0) == 0 && cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxSetCurrent(context) == 0;
        if (!ok) _exit(1);
    }
};

TEST_F(FakeCudaProcess, TheCallerCannotTouchDeviceMemory) {
    EXPECT_EXIT(
        {
            open();
            CUdeviceptr memory = 0;
            cuMemAlloc_v2(&memory, 64);
            *reinterpret_cast<volatile char*>(memory) = 1;
        },
        ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(FakeCudaProcess, AHandleCannotBeDereferenced) {
    EXPECT_EXIT(
        {
            open();
            CUstream stream = nullptr;
            cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
            *reinterpret_cast<volatile char*>(stream) = 1;
        },
        ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(FakeCudaProcess, StrictTurnsMisuseIntoAnExitStatus) {
    const auto misuse = [](const char* strict) {
        setenv("FAKE_CUDA_STRICT", strict, 1);
        open();
        cuMemFree_v2(1234567);
        exit(0);
    };
    EXPECT_EXIT(misuse("1"), ExitedWithCode(97), "misuse: cuMemFree_v2");
    EXPECT_EXIT(misuse("0"), ExitedWithCode(0), "misuse: cuMemFree_v2");
}

TEST_F(FakeCudaProcess, StrictAbortsAtTheHandleOfADestroyedObject) {
    const auto use = [](const char* strict, auto destroy) {
        setenv("FAKE_CUDA_STRICT", strict, 1);
        open();
        destroy();
        exit(0);
    };
    const auto stream = [] {
        CUstream handle = nullptr;
        cuStreamCreate(&handle, CU_STREAM_NON_BLOCKING);
        cuStreamDestroy_v2(handle);
        cuStreamQuery(handle);
    };
    const auto event = [] {
        CUevent handle = nullptr;
        cuEventCreate(&handle, 0);
        cuEventDestroy_v2(handle);
        cuEventQuery(handle);
    };
    EXPECT_EXIT(use("1", stream), ::testing::KilledBySignal(SIGABRT), "cuStreamQuery: stream 0x.* was destroyed");
    EXPECT_EXIT(use("1", event), ::testing::KilledBySignal(SIGABRT), "cuEventQuery: event 0x.* was destroyed");
    EXPECT_EXIT(use("0", event), ExitedWithCode(0), "cuEventQuery: event 0x.* was destroyed");
    // Nothing was ever there.
    EXPECT_EXIT(use("1", [] { cuEventQuery(reinterpret_cast<CUevent>(0x1234)); }), ExitedWithCode(97), "never issued");
}

TEST_F(FakeCudaProcess, LeaksBecomeAnExitStatus) {
    const auto leak = [](bool release) {
        setenv("FAKE_CUDA_LEAK_CHECK", "1", 1);
        open();
        if (release) cuDevicePrimaryCtxRelease_v2(0);
        exit(0);
    };
    EXPECT_EXIT(leak(false), ExitedWithCode(98), "leak: primary context of device 0");
    EXPECT_EXIT(leak(true), ExitedWithCode(0), "");
    const auto orphan = [] {
        setenv("FAKE_CUDA_LEAK_CHECK", "1", 1);
        open();
        CUevent event = nullptr;
        cuEventCreate(&event, 0);
        cuDevicePrimaryCtxRelease_v2(0);
        exit(0);
    };
    EXPECT_EXIT(orphan(), ExitedWithCode(98), "leak: event .* destroyed with its context");
}

TEST_F(FakeCudaProcess, AFailingStatusIsKept) {
    EXPECT_EXIT(
        {
            setenv("FAKE_CUDA_STRICT", "1", 1);
            open();
            cuMemFree_v2(1234567);
            exit(3);
        },
        ExitedWithCode(3), "1 misuses in all");
}

TEST_F(FakeCudaProcess, TheEnvironmentConfiguresDevicesAndMemory) {
    const auto init = [](const char* name, const char* value) {
        setenv(name, value, 1);
        exit(cuInit(0));
    };
    EXPECT_EXIT(init("FAKE_CUDA_DEVICES", "0"), ExitedWithCode(CUDA_ERROR_NO_DEVICE), "");
    EXPECT_EXIT(init("FAKE_CUDA_INIT_ERROR", "46"), ExitedWithCode(46), "");
    EXPECT_EXIT(init("FAKE_CUDA_FAIL", "cuInit:1:3"), ExitedWithCode(3), "");
    EXPECT_EXIT(init("FAKE_CUDA_MEMORY", "lots"), ExitedWithCode(96), "FAKE_CUDA_MEMORY=\"lots\"");
    EXPECT_EXIT(init("FAKE_CUDA_FAIL", "cuInit"), ExitedWithCode(96), "FAKE_CUDA_FAIL");
    EXPECT_EXIT(init("FAKE_CUDA_DEVICES", "1"), ExitedWithCode(0), "");
}

TEST_F(FakeCudaProcess, NothingWorksBeforeInitOrInAForkedChild) {
    EXPECT_EXIT(
        {
            int count = 0;
            exit(cuDeviceGetCount(&count));
        },
        ExitedWithCode(CUDA_ERROR_NOT_INITIALIZED), "called before cuInit");
    EXPECT_EXIT(
        {
            open();
            if (fork() == 0) {
                int count = 0;
                _exit(cuDeviceGetCount(&count));
            }
            int status = 0;
            wait(&status);
            exit(WEXITSTATUS(status));
        },
        ExitedWithCode(CUDA_ERROR_NOT_INITIALIZED), "");
}

}  // namespace

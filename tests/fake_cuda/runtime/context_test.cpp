// Tests of contexts of cuCtxCreate beside the primary one.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "fixture.h"

namespace {

constexpr size_t kSize = 4096;

// A second context of device 0, which is not current.
class Contexts : public FakeCuda {
  protected:
    void SetUp() override {
        FakeCuda::SetUp();
        OK(cuCtxCreate_v2(&other, 0, 0));
        CUcontext current = nullptr;
        OK(cuCtxGetCurrent(&current));
        EXPECT_EQ(other, current);
        OK(cuCtxPopCurrent_v2(&current));
        OK(cuCtxGetCurrent(&current));
        EXPECT_EQ(context, current);
    }

    void TearDown() override {
        if (other != nullptr) OK(cuCtxDestroy_v2(other));
        FakeCuda::TearDown();
    }

    CUcontext other = nullptr;
};

TEST_F(Contexts, EachHasStreamsOfItsOwn) {
    const CUdeviceptr memory = allocate(kSize);
    OK(cuCtxPushCurrent_v2(other));
    EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuMemsetD8Async(memory, 1, kSize, stream)) << "a stream of the primary one";
    CUstream own = nullptr;
    OK(cuStreamCreate(&own, CU_STREAM_NON_BLOCKING));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(memory, 1, kSize, own)) << "memory of the primary one";
    expected_misuses = 2;
    // The memory of a device is one, and copies reach all of it.
    size_t free = 0, total = 0;
    OK(cuMemGetInfo_v2(&free, &total));
    EXPECT_EQ(total - (size_t{2} << 20), free);
    const CUdeviceptr mine = allocate(kSize);
    OK(cuMemsetD8Async(mine, 7, kSize, own));
    OK(cuMemcpyDtoDAsync_v2(memory, mine, kSize, own));
    OK(cuStreamSynchronize(own));
    OK(cuCtxPopCurrent_v2(nullptr));
    EXPECT_EQ(std::vector<uint8_t>(kSize, 7), read(memory, kSize));
    OK(cuMemFree_v2(memory));
}

TEST_F(Contexts, DestroyingEndsWhatItOwns) {
    OK(cuCtxPushCurrent_v2(other));
    const CUdeviceptr memory = allocate(kSize);
    CUstream own = nullptr;
    OK(cuStreamCreate(&own, CU_STREAM_NON_BLOCKING));
    std::thread other_thread([&] {
        OK(cuCtxSetCurrent(other));
        std::thread([&] { OK(cuCtxDestroy_v2(other)); }).join();
        CUdeviceptr more = 0;
        EXPECT_EQ(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuMemAlloc_v2(&more, kSize)) << "it stays current";
    });
    other_thread.join();
    EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(other));
    other = nullptr;
    OK(cuCtxSetCurrent(context));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(memory));
    EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(own));
    EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(context)) << "the primary one is released";
    expected_misuses = 5;
}

TEST_F(Contexts, ALiveOneIsALeak) {
    char text[2000] = "";
    fakeCudaLeaks(text, sizeof text);
    EXPECT_NE(nullptr, strstr(text, "context of cuCtxCreate on device 0")) << text;
    OK(cuCtxDestroy_v2(other));
    other = nullptr;
    fakeCudaLeaks(text, sizeof text);
    EXPECT_EQ(nullptr, strstr(text, "cuCtxCreate")) << text;
}

TEST(ContextCost, ProcessesCreateContextsInTurn) {
    const auto began = std::chrono::steady_clock::now();
    for (int child = 0; child < 2; ++child) {
        if (fork() != 0) continue;
        setenv("FAKE_CUDA_CONTEXT_MS", "150", 1);
        // It has two contexts.
        execl("/proc/self/exe", "fake_cuda_test", "--gtest_filter=Contexts.ALiveOneIsALeak", nullptr);
        _exit(1);
    }
    for (int child = 0; child < 2; ++child) {
        int status = -1;
        EXPECT_LT(0, wait(&status));
        EXPECT_EQ(0, status);
    }
    EXPECT_LE(std::chrono::milliseconds(600), std::chrono::steady_clock::now() - began);
}

}  // namespace

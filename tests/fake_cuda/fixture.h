// Code that the test double's tests share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "test_driver.h"

#define OK(call) ASSERT_EQ(CUDA_SUCCESS, (call))

// Waits until this number of calls block inside the driver, or one of them has returned.
template <typename Returned>
void AwaitBlockedCalls(unsigned count, Returned returned) {
    while (fakeCudaBlockedCalls() < count && !returned()) std::this_thread::yield();
}

// A test in which device 0's context is current, and there is one stream. Afterwards nothing may be left, and exactly
// the expected number of misuses must have been found.
class FakeCuda : public ::testing::Test {
  protected:
    void SetUp() override {
        OK(cuInit(0));
        misuses_before_ = fakeCudaMisuses();
        OK(cuDevicePrimaryCtxRetain(&context, 0));
        OK(cuCtxSetCurrent(context));
        OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    }

    void TearDown() override {
        fakeCudaRelease();
        fakeCudaFail(nullptr);
        if (!reset) {
            EXPECT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context));
            EXPECT_EQ(CUDA_SUCCESS, cuStreamDestroy_v2(stream));
        }
        if (!released) EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRelease_v2(0));
        char text[2000] = "";
        EXPECT_EQ(0, fakeCudaLeaks(text, sizeof text)) << text;
        EXPECT_EQ(expected_misuses, fakeCudaMisuses() - misuses_before_);
    }

    CUdeviceptr allocate(size_t size) {
        CUdeviceptr address = 0;
        EXPECT_EQ(CUDA_SUCCESS, cuMemAlloc_v2(&address, size));
        return address;
    }

    std::vector<uint8_t> read(CUdeviceptr address, size_t size) {
        std::vector<uint8_t> bytes(size);
        EXPECT_EQ(CUDA_SUCCESS, cuMemcpyDtoH_v2(bytes.data(), address, size));
        return bytes;
    }

    CUcontext context = nullptr;
    CUstream stream = nullptr;
    unsigned long long expected_misuses = 0;
    // True if the test has reset device 0, which destroyed the stream.
    bool reset = false;
    // True if the test has released the context.
    bool released = false;

  private:
    unsigned long long misuses_before_ = 0;
};

// The devices of the test double and their attributes.

#include "fixture.h"

namespace {

TEST_F(FakeCuda, DevicesMatchTheEnvironment) {
    int count = 0;
    OK(cuDeviceGetCount(&count));
    EXPECT_EQ(2, count);
    size_t total = 0;
    OK(cuDeviceTotalMem_v2(&total, 1));
    EXPECT_EQ(size_t{4} << 30, total);
    int version = 0;
    OK(cuDriverGetVersion(&version));
    EXPECT_EQ(13000, version);
    int multiprocessors = 0;
    OK(cuDeviceGetAttribute(&multiprocessors, 16, 0));
    EXPECT_GT(multiprocessors, 0);
    const char* name = nullptr;
    OK(cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &name));
    EXPECT_STREQ("CUDA_ERROR_ILLEGAL_ADDRESS", name);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(12345, &name));
}

}  // namespace

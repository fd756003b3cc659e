// Checkpoints: states, blocked calls, and saved and restored memory.

#include <unistd.h>

#include <atomic>
#include <thread>

#include "fixture.h"

namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kSize = 100000;

struct LockArgs {
    unsigned timeout_ms = 0;
    unsigned reserved[15] = {};
};

TEST_F(FakeCuda, ACheckpointGoesThroughItsStates) {
    const int self = getpid();
    EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuCheckpointProcessLock(getppid(), nullptr));
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_STATE, cuCheckpointProcessCheckpoint(self, nullptr));
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_STATE, cuCheckpointProcessRestore(self, nullptr));
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_STATE, cuCheckpointProcessUnlock(self, nullptr));
    OK(cuCheckpointProcessLock(self, nullptr));
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_STATE, cuCheckpointProcessLock(self, nullptr));
    OK(cuCheckpointProcessCheckpoint(self, nullptr));
    EXPECT_EQ(CUDA_ERROR_ILLEGAL_STATE, cuCheckpointProcessUnlock(self, nullptr));
    OK(cuCheckpointProcessRestore(self, nullptr));
    OK(cuCheckpointProcessUnlock(self, nullptr));
    expected_misuses = 5;
}

TEST_F(FakeCuda, ACheckpointWaitsForWorkAndHoldsCalls) {
    const int self = getpid();
    const CUdeviceptr memory = allocate(kSize);
    fakeCudaHold();
    OK(cuMemsetD8Async(memory, 7, kSize, stream));
    LockArgs args;
    args.timeout_ms = 1;
    EXPECT_EQ(CUDA_ERROR_NOT_READY, cuCheckpointProcessLock(self, &args));
    fakeCudaRelease();
    OK(cuCheckpointProcessLock(self, nullptr));
    std::atomic<bool> done{false};
    std::thread other([&] {
        int count = 0;
        EXPECT_EQ(CUDA_SUCCESS, cuDeviceGetCount(&count));
        done = true;
    });
    OK(cuCheckpointProcessCheckpoint(self, nullptr));
    EXPECT_FALSE(done);
    OK(cuCheckpointProcessRestore(self, nullptr));
    EXPECT_FALSE(done);
    OK(cuCheckpointProcessUnlock(self, nullptr));
    other.join();
    EXPECT_EQ(Bytes(kSize, 7), read(memory, kSize));
    OK(cuMemFree_v2(memory));
}

TEST_F(FakeCuda, ManagedMemoryIsNotCheckpointed) {
    const int self = getpid();
    CUdeviceptr memory = 0;
    OK(cuMemAllocManaged(&memory, kSize, CU_MEM_ATTACH_GLOBAL));
    OK(cuCheckpointProcessLock(self, nullptr));
    EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuCheckpointProcessCheckpoint(self, nullptr));
    OK(cuCheckpointProcessUnlock(self, nullptr));
    OK(cuMemFree_v2(memory));
    expected_misuses = 1;
}

TEST_F(FakeCuda, AProcessWithExportedMemoryIsNotLocked) {
    const int self = getpid();
    const CUdeviceptr memory = allocate(kSize);
    CUipcMemHandle handle;
    OK(cuIpcGetMemHandle(&handle, memory));
    EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuCheckpointProcessLock(self, nullptr));
    OK(cuMemFree_v2(memory));
    OK(cuCheckpointProcessLock(self, nullptr));
    OK(cuCheckpointProcessUnlock(self, nullptr));
    expected_misuses = 1;
}

}  // namespace

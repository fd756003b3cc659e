// Checkpoints: states, blocked calls, and saved and restored memory.

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
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
    AwaitBlockedCalls(1, [&] { return done.load(); });
    OK(cuCheckpointProcessCheckpoint(self, nullptr));
    EXPECT_FALSE(done);
    OK(cuCheckpointProcessRestore(self, nullptr));
    EXPECT_FALSE(done);
    OK(cuCheckpointProcessUnlock(self, nullptr));
    other.join();
    EXPECT_EQ(Bytes(kSize, 7), read(memory, kSize));
    OK(cuMemFree_v2(memory));
}

// A call that went on would lose what it writes, or read garbage.
TEST_F(FakeCuda, ACheckpointHoldsCallsThatWaitInsideTheDriver) {
    const int self = getpid();
    const CUdeviceptr memory = allocate(kSize);
    const CUdeviceptr filled = allocate(kSize);
    const CUdeviceptr freed = allocate(kSize);
    CUstream second = nullptr;
    OK(cuStreamCreate(&second, CU_STREAM_NON_BLOCKING));
    OK(cuMemsetD8Async(memory, 7, kSize, stream));
    OK(cuStreamSynchronize(stream));
    fakeCudaHold();
    OK(cuMemsetD8Async(freed, 1, kSize, stream));
    CUevent event = nullptr;
    OK(cuEventCreate(&event, 0));
    OK(cuEventRecord(event, stream));
    Bytes copied(kSize);
    // Each waits before the next one begins: the first ones for work, and a call that frees or copies holds a lock, for
    // which those after it wait.
    const std::vector<std::function<CUresult()>> calls = {
        [&] { return cuStreamSynchronize(stream); },
        [&] { return cuEventSynchronize(event); },
        [&] { return cuMemFree_v2(freed); },
        [&] { return cuMemcpyDtoHAsync_v2(copied.data(), memory, kSize, second); },
        [&] { return cuMemsetD8Async(filled, 9, kSize, stream); },
    };
    std::vector<std::thread> threads;
    const auto begin = [&](const std::function<CUresult()>& call) {
        threads.emplace_back([this, &call] {
            EXPECT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context));
            EXPECT_EQ(CUDA_SUCCESS, call());
        });
        AwaitBlockedCalls(static_cast<unsigned>(threads.size()), [] { return false; });
    };
    for (const auto& call : calls) begin(call);
    const std::function<CUresult()> lock = [self] { return cuCheckpointProcessLock(self, nullptr); };
    begin(lock);
    fakeCudaRelease();
    threads.back().join();
    OK(cuCheckpointProcessCheckpoint(self, nullptr));
    // Longer than it takes a call to go on.
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(calls.size(), fakeCudaBlockedCalls());
    OK(cuCheckpointProcessRestore(self, nullptr));
    OK(cuCheckpointProcessUnlock(self, nullptr));
    for (size_t i = 0; i < calls.size(); ++i) threads[i].join();
    EXPECT_EQ(Bytes(kSize, 7), copied);
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Bytes(kSize, 9), read(filled, kSize));
    OK(cuEventDestroy_v2(event));
    OK(cuStreamDestroy_v2(second));
    OK(cuMemFree_v2(filled));
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

// Tests of the order and late completion in streams of the test double.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "fixture.h"

namespace {

using Bytes = std::vector<uint8_t>;

TEST_F(FakeCuda, AnOperationIsNotCompleteWhenItsCallReturns) {
    const CUdeviceptr memory = allocate(4096);
    fakeCudaHold();
    OK(cuMemsetD8Async(memory, 7, 4096, stream));
    EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
    fakeCudaRelease();
    OK(cuStreamSynchronize(stream));
    OK(cuStreamQuery(stream));
    EXPECT_EQ(Bytes(4096, 7), read(memory, 4096));
    OK(cuMemFree_v2(memory));
}

TEST_F(FakeCuda, SynchronousMemsetAndDeviceCopyReturnBeforeTheyComplete) {
    const CUdeviceptr a = allocate(512);
    const CUdeviceptr b = allocate(512);
    fakeCudaHold();
    OK(cuMemsetD8_v2(a, 1, 512));
    OK(cuMemcpyDtoD_v2(b, a, 512));
    // A pageable source has been read, but the data is not in the destination yet.
    Bytes source(512, 9);
    OK(cuMemcpyHtoD_v2(a, source.data(), source.size()));
    std::fill(source.begin(), source.end(), 0);
    fakeCudaRelease();
    EXPECT_EQ(Bytes(512, 1), read(b, 512));
    EXPECT_EQ(Bytes(512, 9), read(a, 512));
    OK(cuMemFree_v2(a));
    OK(cuMemFree_v2(b));
}

TEST_F(FakeCuda, AStreamKeepsItsOrder) {
    const CUdeviceptr memory = allocate(256);
    for (int i = 0; i < 20; ++i) {
        OK(cuMemsetD8Async(memory, static_cast<unsigned char>(i), 256, stream));
    }
    Bytes result(256);
    OK(cuMemcpyDtoHAsync_v2(result.data(), memory, 256, stream));
    EXPECT_EQ(Bytes(256, 19), result) << "a pageable destination is written when the call returns";
    OK(cuMemFree_v2(memory));
}

TEST_F(FakeCuda, PinnedMemoryIsReadAndWrittenLate) {
    const CUdeviceptr memory = allocate(64);
    void* pinned = nullptr;
    OK(cuMemHostAlloc(&pinned, 64, 0));
    auto* const bytes = static_cast<uint8_t*>(pinned);
    std::fill(bytes, bytes + 64, uint8_t{1});
    fakeCudaHold();
    OK(cuMemcpyHtoDAsync_v2(memory, pinned, 64, stream));
    std::fill(bytes, bytes + 64, uint8_t{2});
    fakeCudaRelease();
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Bytes(64, 2), read(memory, 64)) << "a pinned source is read when the copy runs";
    fakeCudaHold();
    OK(cuMemsetD8Async(memory, 3, 64, stream));
    OK(cuMemcpyDtoHAsync_v2(pinned, memory, 64, stream));
    EXPECT_EQ(2, bytes[0]);
    fakeCudaRelease();
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(3, bytes[63]);
    OK(cuMemFreeHost(pinned));
    OK(cuMemFree_v2(memory));
}

TEST_F(FakeCuda, AWaitUsesTheLatestRecordAtItsCall) {
    CUstream other = nullptr;
    CUevent event = nullptr;
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    OK(cuEventQuery(event)) << "never recorded: nothing to wait for";
    std::atomic<bool> open{false};
    const auto gate = [](void* data) {
        while (!*static_cast<std::atomic<bool>*>(data)) std::this_thread::yield();
    };
    OK(cuEventRecord(event, stream));
    OK(cuStreamWaitEvent(other, event, 0));
    // A later record, after work that does not end, does not affect the wait above.
    OK(cuLaunchHostFunc(stream, gate, &open));
    OK(cuEventRecord(event, stream));
    OK(cuStreamSynchronize(other));
    EXPECT_EQ(CUDA_ERROR_NOT_READY, cuEventQuery(event));
    OK(cuStreamWaitEvent(other, event, 0));
    OK(cuEventDestroy_v2(event)) << "a wait outlives the event";
    EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(other));
    open = true;
    OK(cuStreamSynchronize(other));
    OK(cuStreamQuery(stream));
    OK(cuStreamDestroy_v2(other));
}

TEST_F(FakeCuda, ElapsedTimeCountsTheWorkBetweenTwoRecords) {
    CUevent start = nullptr;
    CUevent end = nullptr;
    OK(cuEventCreate(&start, 0));
    OK(cuEventCreate(&end, 0));
    float ms = -1;
    fakeCudaHold();
    OK(cuEventRecord(start, stream));
    OK(cuLaunchHostFunc(
        stream, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }, nullptr));
    OK(cuEventRecord(end, stream));
    EXPECT_EQ(CUDA_ERROR_NOT_READY, cuEventElapsedTime(&ms, start, end));
    fakeCudaRelease();
    OK(cuEventSynchronize(end));
    OK(cuEventElapsedTime(&ms, start, end));
    EXPECT_GE(ms, 5.0f);
    float back = 0;
    OK(cuEventElapsedTime(&back, end, start));
    EXPECT_FLOAT_EQ(-ms, back);
    OK(cuEventDestroy_v2(start));
    OK(cuEventDestroy_v2(end));
}

TEST_F(FakeCuda, HostFunctionsRunOneAtATimeAndMayNotCallTheDriver) {
    CUstream other = nullptr;
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    static std::atomic<int> inside{0};
    static std::atomic<int> most{0};
    const auto count = [](void*) {
        most = std::max<int>(most, ++inside);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        --inside;
    };
    for (int i = 0; i < 5; ++i) {
        OK(cuLaunchHostFunc(stream, count, nullptr));
        OK(cuLaunchHostFunc(other, count, nullptr));
    }
    OK(cuCtxSynchronize());
    EXPECT_EQ(1, most);
    CUresult code = CUDA_SUCCESS;
    OK(cuLaunchHostFunc(
        stream,
        [](void* data) {
            CUcontext current = nullptr;
            *static_cast<CUresult*>(data) = cuCtxGetCurrent(&current);
        },
        &code));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(CUDA_ERROR_NOT_PERMITTED, code);
    expected_misuses = 1;
    OK(cuStreamDestroy_v2(other));
}

TEST_F(FakeCuda, AStreamWaitsForAWord) {
    void* pinned = nullptr;
    OK(cuMemHostAlloc(&pinned, 16, 0));
    const auto address = reinterpret_cast<CUdeviceptr>(pinned);
    auto* const word = static_cast<std::atomic<uint32_t>*>(pinned);
    *word = 0xFFFFFFFE;
    OK(cuStreamWriteValue64_v2(stream, address + 8, 0x123456789, 0));
    // The comparison is greater or equal, with wrap-around.
    OK(cuStreamWaitValue32_v2(stream, address, 1, 0));
    // The stream has polled the word.
    const auto polls = fakeCudaPolls();
    while (fakeCudaPolls() < polls + 3 && cuStreamQuery(stream) == CUDA_ERROR_NOT_READY) std::this_thread::yield();
    EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(stream));
    *word = 2;
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(uint64_t{0x123456789}, static_cast<uint64_t*>(pinned)[1]);
    EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuStreamWaitValue32(stream, address, 1, 0));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32_v2(stream, address + 2, 1, 0));
    uint32_t pageable = 0;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32_v2(stream, reinterpret_cast<CUdeviceptr>(&pageable), 1, 0));
    expected_misuses = 2;
    OK(cuMemFreeHost(pinned));
}

TEST_F(FakeCuda, ACallThatBlocksHoldsOthersInItsContext) {
    CUstream other = nullptr;
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    const CUdeviceptr memory = allocate(256);
    OK(cuMemsetD8_v2(memory, 5, 256));
    OK(cuCtxSynchronize());
    fakeCudaHold();
    Bytes result(256);
    std::atomic<bool> copied{false}, launched{false};
    std::thread copier([&] {
        OK(cuCtxSetCurrent(context));
        OK(cuMemcpyDtoHAsync_v2(result.data(), memory, 256, stream));
        copied = true;
    });
    AwaitBlockedCalls(1, [&] { return copied.load(); });
    std::thread launcher([&] {
        OK(cuCtxSetCurrent(context));
        OK(cuMemsetD32Async(memory, 1, 1, other));
        launched = true;
    });
    AwaitBlockedCalls(2, [&] { return copied || launched; });
    EXPECT_FALSE(copied || launched);
    fakeCudaRelease();
    copier.join();
    launcher.join();
    EXPECT_EQ(Bytes(256, 5), result);
    OK(cuStreamSynchronize(other));
    OK(cuStreamDestroy_v2(other));
    OK(cuMemFree_v2(memory));
}

TEST_F(FakeCuda, AFullQueueBlocksTheCall) {
    constexpr int kPlaces = 56;
    CUevent event = nullptr;
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    const CUdeviceptr memory = allocate(64);
    fakeCudaHold();
    for (int i = 0; i < kPlaces; ++i) OK(cuEventRecord(event, stream));
    // Other work has more room.
    for (int i = 0; i < 2 * kPlaces; ++i) OK(cuMemsetD8Async(memory, 1, 64, stream));
    std::atomic<bool> recorded{false};
    std::thread recorder([&] {
        OK(cuCtxSetCurrent(context));
        OK(cuEventRecord(event, stream));
        recorded = true;
    });
    AwaitBlockedCalls(1, [&] { return recorded.load(); });
    EXPECT_FALSE(recorded);
    fakeCudaRelease();
    recorder.join();
    OK(cuStreamSynchronize(stream));
    OK(cuEventDestroy_v2(event));
    OK(cuMemFree_v2(memory));
}

}  // namespace

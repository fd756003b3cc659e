// Order, late completion and memory of the test double.

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>
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
    // Greater or equal, with wrap-around.
    OK(cuStreamWaitValue32_v2(stream, address, 1, 0));
    // The stream polls the word many times meanwhile.
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
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

TEST_F(FakeCuda, FreeWaitsForTheDevice) {
    const CUdeviceptr memory = allocate(512);
    const CUdeviceptr unrelated = allocate(512);
    std::atomic<bool> freed{false};
    std::atomic<pid_t> id{0};
    fakeCudaHold();
    OK(cuMemsetD8Async(unrelated, 1, 512, stream));
    std::thread thread([&] {
        id = gettid();
        EXPECT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context));
        EXPECT_EQ(CUDA_SUCCESS, cuMemFree_v2(memory));
        freed = true;
    });
    while (fakeCudaCalls("cuMemFree_v2") == 0) std::this_thread::yield();
    // The thread sleeps in the call, or the call has returned.
    const std::string stat = "/proc/self/task/" + std::to_string(id) + "/stat";
    for (std::string text; !freed && text.find(") S") == std::string::npos;) {
        std::ifstream file(stat);
        std::getline(file, text);
    }
    EXPECT_FALSE(freed);
    fakeCudaRelease();
    thread.join();
    OK(cuMemFree_v2(unrelated));
}

TEST_F(FakeCuda, AddressesAreAlignedAndNewMemoryHoldsGarbage) {
    const CUdeviceptr small = allocate(1);
    const CUdeviceptr next = allocate(1);
    const CUdeviceptr large = allocate(size_t{3} << 20);
    EXPECT_EQ(0u, small % 512);
    EXPECT_EQ(0u, next % 512);
    EXPECT_EQ(0u, large % (size_t{2} << 20));
    EXPECT_NE(Bytes(1, 0), read(small, 1));
    CUdeviceptr base = 0;
    size_t size = 0;
    OK(cuMemGetAddressRange_v2(&base, &size, large + 5));
    EXPECT_EQ(large, base);
    EXPECT_EQ(size_t{3} << 20, size);
    for (const CUdeviceptr address : {small, next, large}) OK(cuMemFree_v2(address));
}

TEST_F(FakeCuda, MemoryRunsOutAndIsAvailableAfterAFree) {
    size_t before = 0;
    size_t total = 0;
    OK(cuMemGetInfo_v2(&before, &total));
    const CUdeviceptr all = allocate(before);
    CUdeviceptr more = 0;
    EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&more, 1));
    OK(cuMemFree_v2(all));
    size_t after = 0;
    OK(cuMemGetInfo_v2(&after, &total));
    EXPECT_EQ(before, after);
}

TEST_F(FakeCuda, PointerAttributesReturnThePlace) {
    const CUdeviceptr memory = allocate(100);
    int on_stack = 0;
    unsigned type = 99;
    int ordinal = 99;
    const int attributes[] = {2, 9};
    void* data[] = {&type, &ordinal};
    OK(cuPointerGetAttributes(2, attributes, data, memory + 99));
    EXPECT_EQ(CU_MEMORYTYPE_DEVICE, type);
    EXPECT_EQ(0, ordinal);
    const auto host = reinterpret_cast<CUdeviceptr>(&on_stack);
    OK(cuPointerGetAttributes(2, attributes, data, host));
    EXPECT_EQ(0u, type);
    EXPECT_EQ(-2, ordinal);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, 2, host));
    OK(cuMemFree_v2(memory));
}

TEST_F(FakeCuda, CopiesReachOtherDevicesButFillsDoNotWithoutPeerAccess) {
    CUcontext second = nullptr;
    OK(cuDevicePrimaryCtxRetain(&second, 1));
    OK(cuCtxPushCurrent_v2(second));
    const CUdeviceptr far = allocate(64);
    OK(cuCtxPopCurrent_v2(nullptr));
    const CUdeviceptr near = allocate(64);
    OK(cuMemsetD8Async(near, 4, 64, stream));
    OK(cuMemcpyDtoDAsync_v2(far, near, 64, stream));
    OK(cuMemcpyPeerAsync(far, second, near, context, 64, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Bytes(64, 4), read(far, 64));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(far, 5, 64, stream));
    expected_misuses = 1;
    OK(cuCtxEnablePeerAccess(second, 0));
    EXPECT_EQ(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, cuCtxEnablePeerAccess(second, 0));
    OK(cuMemsetD8Async(far, 5, 64, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Bytes(64, 5), read(far, 64));
    OK(cuMemFree_v2(far));
    OK(cuMemFree_v2(near));
    OK(cuDevicePrimaryCtxRelease_v2(1));
}

TEST_F(FakeCuda, MappedMemoryNeedsAccessAndOutlivesItsHandle) {
    CUmemAllocationProp prop{};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    size_t size = 0;
    OK(cuMemGetAllocationGranularity(&size, &prop, 0));
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr address = 0;
    OK(cuMemCreate(&handle, size, &prop, 0));
    OK(cuMemAddressReserve(&address, size, 0, 0, 0));
    OK(cuMemMap(address, size, 0, handle, 0));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8Async(address, 1, size, stream));
    expected_misuses = 1;
    const CUmemAccessDesc access{prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    OK(cuMemSetAccess(address, size, &access, 1));
    OK(cuMemRelease(handle));
    OK(cuMemsetD8Async(address, 6, size, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Bytes(8, 6), read(address + size - 8, 8));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(address));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(address, size)) << "still mapped";
    expected_misuses = 3;
    OK(cuMemUnmap(address, size));
    OK(cuMemAddressFree(address, size));
}

TEST_F(FakeCuda, ACaptureForbidsCallsByTheModesOfThreads) {
    CUevent event = nullptr;
    OK(cuEventCreate(&event, 0));
    // A thread in one of the modes queries an event that is not related to the capture.
    const auto ask = [&](unsigned mode) {
        CUresult code = CUDA_SUCCESS;
        std::thread([&] {
            unsigned before = mode;
            OK(cuThreadExchangeStreamCaptureMode(&before));
            EXPECT_EQ(0u, before);
            code = cuEventQuery(event);
        }).join();
        return code;
    };
    constexpr unsigned kGlobal = 0, kThreadLocal = 1, kRelaxed = 2;
    struct Case {
        unsigned capture, asks;
        CUresult code;
    };
    for (const Case& one : {Case{kGlobal, kGlobal, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
                            Case{kGlobal, kThreadLocal, CUDA_SUCCESS}, Case{kGlobal, kRelaxed, CUDA_SUCCESS},
                            Case{kThreadLocal, kGlobal, CUDA_SUCCESS}, Case{kRelaxed, kGlobal, CUDA_SUCCESS}}) {
        OK(cuStreamBeginCapture_v2(stream, one.capture));
        EXPECT_EQ(one.code, ask(one.asks));
        CUgraph graph = nullptr;
        const CUresult ended = cuStreamEndCapture(stream, &graph);
        if (one.code == CUDA_SUCCESS) {
            EXPECT_EQ(CUDA_SUCCESS, ended);
            OK(cuGraphDestroy(graph));
        } else {
            EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, ended);
        }
    }
    OK(cuEventDestroy_v2(event));
}

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

// Calls that captures of streams forbid.

#include <thread>

#include "fixture.h"

namespace {

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

TEST_F(FakeCuda, AQuestionAboutACapturedStreamInvalidatesTheCapture) {
    CUevent event = nullptr;
    OK(cuEventCreate(&event, 0));
    const CUdeviceptr memory = allocate(64);
    OK(cuMemsetD8_v2(memory, 1, 64));
    const auto capture = [&](auto ask, CUresult code, bool stays_valid) {
        constexpr unsigned kRelaxed = 2;
        OK(cuStreamBeginCapture_v2(stream, kRelaxed));
        OK(cuEventRecord(event, stream));
        OK(cuMemsetD8Async(memory, 2, 64, stream));
        EXPECT_EQ(code, ask());
        int status = -1;
        OK(cuStreamIsCapturing(stream, &status));
        EXPECT_EQ(stays_valid ? 1 : 2, status);
        if (!stays_valid) EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamQuery(stream));
        CUgraph graph = nullptr;
        EXPECT_EQ(stays_valid ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                  cuStreamEndCapture(stream, &graph));
        if (stays_valid) OK(cuGraphDestroy(graph));
        OK(cuStreamIsCapturing(stream, &status));
        EXPECT_EQ(0, status);
    };
    capture([] { return CUDA_SUCCESS; }, CUDA_SUCCESS, true);
    capture([&] { return cuStreamQuery(stream); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, false);
    capture([&] { return cuStreamSynchronize(stream); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, false);
    capture([&] { return cuEventQuery(event); }, CUDA_ERROR_CAPTURED_EVENT, false);
    capture([&] { return cuEventSynchronize(event); }, CUDA_ERROR_CAPTURED_EVENT, false);
    EXPECT_EQ(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(event));
    capture([&] { return cuCtxSynchronize(); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, false);
    // Captured work does not run.
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(std::vector<uint8_t>(64, 1), read(memory, 64));
    OK(cuMemFree_v2(memory));
    OK(cuEventDestroy_v2(event));
}

// A second stream joins the capture of the first one.
TEST_F(FakeCuda, AStreamJoinsACaptureByAnEvent) {
    CUstream other = nullptr;
    CUevent begun = nullptr, ended = nullptr, outside = nullptr;
    CUgraph graph = nullptr;
    int status = -1;
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    for (CUevent* event : {&begun, &ended, &outside}) OK(cuEventCreate(event, 0));
    const CUdeviceptr memory = allocate(64);
    OK(cuEventRecord(outside, other));
    const auto join = [&] {
        OK(cuStreamBeginCapture_v2(stream, 2));
        OK(cuEventRecord(begun, stream));
        OK(cuStreamWaitEvent(other, begun, 0));
        OK(cuMemsetD8Async(memory, 2, 64, other));
        OK(cuStreamIsCapturing(other, &status));
        EXPECT_EQ(1, status);
    };
    join();
    OK(cuEventRecord(ended, other));
    OK(cuStreamWaitEvent(stream, ended, 0));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphDestroy(graph));
    OK(cuStreamIsCapturing(other, &status));
    EXPECT_EQ(0, status);
    EXPECT_EQ(CUDA_ERROR_CAPTURED_EVENT, cuStreamWaitEvent(other, begun, 0)) << "its capture has ended";
    join();
    EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, cuStreamEndCapture(stream, &graph));
    join();
    EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(other, &graph));
    EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    join();
    EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuStreamQuery(other));
    EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    join();
    EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, cuStreamWaitEvent(other, outside, 0));
    EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
    OK(cuStreamBeginCapture_v2(stream, 2));
    OK(cuEventRecord(begun, stream));
    OK(cuStreamBeginCapture_v2(other, 2));
    EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(other, begun, 0));
    for (CUstream both : {stream, other}) {
        EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(both, &graph));
    }
    OK(cuMemFree_v2(memory));
    for (CUevent event : {begun, ended, outside}) OK(cuEventDestroy_v2(event));
    OK(cuStreamDestroy_v2(other));
}

// The thread that did not begin a capture does not end it.
TEST_F(FakeCuda, ACaptureEndsOnItsThread) {
    CUgraph graph = nullptr;
    OK(cuStreamBeginCapture_v2(stream, 0));
    std::thread([&] {
        OK(cuCtxSetCurrent(context));
        EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, cuStreamEndCapture(stream, &graph));
    }).join();
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphDestroy(graph));
}

}  // namespace

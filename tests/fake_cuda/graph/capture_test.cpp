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

}  // namespace

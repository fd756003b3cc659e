// Tests of the hardware queues that streams share. They hold for any FAKE_CUDA_CONNECTIONS and FAKE_CUDA_BOUND.

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "fixture.h"

namespace {

constexpr int kPlaces = 56;

int Connections() {
    const char* text = std::getenv("FAKE_CUDA_CONNECTIONS");
    if (text == nullptr) text = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    return text == nullptr ? 8 : std::atoi(text);
}

// Streams in the order of their creation: the fixture's, and enough others that the last one shares its queue, if
// streams share any.
class HardwareQueueTest : public FakeCuda {
  protected:
    void TearDown() override {
        open = true;
        for (CUstream other : others) EXPECT_EQ(CUDA_SUCCESS, cuStreamDestroy_v2(other));
        FakeCuda::TearDown();
    }

    void Add(int count) {
        for (int i = 0; i < count; ++i) {
            others.emplace_back();
            OK(cuStreamCreate(&others.back(), CU_STREAM_NON_BLOCKING));
        }
    }

    // Makes the fixture's stream wait for the test.
    void Hold() {
        const auto gate = [](void* data) {
            while (!*static_cast<std::atomic<bool>*>(data)) std::this_thread::yield();
        };
        OK(cuLaunchHostFunc(stream, gate, &open));
    }

    std::vector<CUstream> others;
    std::atomic<bool> open{false};
};

TEST_F(HardwareQueueTest, WorkStandsBehindThatOfTheStreamThatSharesIt) {
    const int connections = Connections() == 0 ? 1 : Connections();
    Add(connections);
    const CUdeviceptr memory = allocate(64);
    Hold();
    for (int i = 0; i < connections - 1; ++i) {
        OK(cuMemsetD8Async(memory, 1, 64, others[static_cast<size_t>(i)]));
        OK(cuStreamSynchronize(others[static_cast<size_t>(i)]));
    }
    OK(cuMemsetD8Async(memory, 1, 64, others.back()));
    if (Connections() != 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(others.back()));
        open = true;
    }
    OK(cuStreamSynchronize(others.back()));
    open = true;
    OK(cuStreamSynchronize(stream));
    OK(cuMemFree_v2(memory));
}

TEST_F(HardwareQueueTest, StreamsOfAnotherPriorityHaveTheirOwn) {
    CUstream urgent = nullptr;
    Hold();
    OK(cuStreamCreateWithPriority(&urgent, CU_STREAM_NON_BLOCKING, -1));
    others.push_back(urgent);
    OK(cuLaunchHostFunc(
        stream, [](void*) {}, nullptr));
    const CUdeviceptr memory = allocate(64);
    OK(cuMemsetD8Async(memory, 1, 64, urgent));
    OK(cuStreamSynchronize(urgent));
    open = true;
    OK(cuStreamSynchronize(stream));
    OK(cuMemFree_v2(memory));
}

TEST_F(HardwareQueueTest, ToCreateAStreamWaitsUntilItsQueueIsFree) {
    Add(Connections() == 0 ? 0 : Connections() - 1);
    Hold();
    std::atomic<bool> created{false};
    CUstream last = nullptr;
    std::thread creator([&] {
        OK(cuCtxSetCurrent(context));
        OK(cuStreamCreate(&last, CU_STREAM_NON_BLOCKING));
        created = true;
    });
    AwaitBlockedCalls(1, [&] { return created.load(); });
    EXPECT_EQ(Connections() == 0, created);
    open = true;
    creator.join();
    others.push_back(last);
}

TEST_F(HardwareQueueTest, IsBoundedForAllItsStreams) {
    Add(Connections() == 0 ? 1 : Connections());
    CUevent event = nullptr;
    OK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    fakeCudaHold();
    for (int i = 0; i < kPlaces; ++i) OK(cuEventRecord(event, stream));
    std::atomic<bool> recorded{false};
    std::thread recorder([&] {
        OK(cuCtxSetCurrent(context));
        OK(cuEventRecord(event, others.back()));
        recorded = true;
    });
    AwaitBlockedCalls(1, [&] { return recorded.load(); });
    const char* bound = std::getenv("FAKE_CUDA_BOUND");
    const bool of_stream = bound != nullptr && std::strcmp(bound, "stream") == 0;
    EXPECT_EQ(of_stream || Connections() == 0, recorded);
    fakeCudaRelease();
    recorder.join();
    OK(cuCtxSynchronize());
    OK(cuEventDestroy_v2(event));
}

}  // namespace

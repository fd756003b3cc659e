// Tests of many copies and prefetches in one call.

#include "fixture.h"

namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t kSize = 100;

class FakeCudaBatch : public FakeCuda {
  protected:
    void SetUp() override {
        FakeCuda::SetUp();
        OK(cuMemHostAlloc(reinterpret_cast<void**>(&pinned), 2 * kSize, 0));
        for (size_t i = 0; i < 2 * kSize; ++i) pinned[i] = static_cast<uint8_t>(i);
        memory = allocate(2 * kSize);
    }

    void TearDown() override {
        OK(cuMemFree_v2(memory));
        OK(cuMemFreeHost(pinned));
        FakeCuda::TearDown();
    }

    // Copies both halves of these bytes to the device's memory.
    CUresult up(const void* from, int order, size_t* failed) {
        const auto start = reinterpret_cast<CUdeviceptr>(from);
        dsts = {memory, memory + kSize};
        srcs = {start, start + kSize};
        sizes = {kSize, kSize};
        return copy(order, failed);
    }

    CUresult copy(int order, size_t* failed) {
        CUmemcpyAttributes attributes{};
        attributes.srcAccessOrder = order;
        size_t first = 0;
        return cuMemcpyBatchAsync(dsts.data(), srcs.data(), sizes.data(), sizes.size(), &attributes, &first, 1, failed,
                                  stream);
    }

    std::vector<CUdeviceptr> dsts, srcs;
    std::vector<size_t> sizes;
    uint8_t* pinned = nullptr;
    CUdeviceptr memory = 0;
};

TEST_F(FakeCudaBatch, RunsInStreamOrder) {
    size_t failed = 7;
    fakeCudaHold();
    OK(up(pinned, CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, &failed));
    EXPECT_EQ(SIZE_MAX, failed);
    pinned[kSize] = 9;
    fakeCudaRelease();
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Bytes(pinned, pinned + 2 * kSize), read(memory, 2 * kSize));
}

// In the order of the stream it is read after the call, and nothing is staged.
TEST_F(FakeCudaBatch, TheAttributeSaysWhenAPageableSourceIsRead) {
    for (const bool during_call : {false, true}) {
        Bytes source(2 * kSize, 5);
        size_t failed = 0;
        fakeCudaHold();
        OK(up(source.data(),
              during_call ? CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL : CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, &failed));
        source.assign(2 * kSize, 6);
        fakeCudaRelease();
        OK(cuStreamSynchronize(stream));
        EXPECT_EQ(Bytes(2 * kSize, during_call ? 5 : 6), read(memory, 2 * kSize));
    }
}

TEST_F(FakeCudaBatch, AWrongCopyIsNamed) {
    size_t failed = 0;
    const auto start = reinterpret_cast<CUdeviceptr>(pinned);
    dsts = {memory, memory + kSize + 1};
    srcs = {start, start};
    sizes = {kSize, kSize};
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, copy(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, &failed));
    EXPECT_EQ(1u, failed);
    sizes = {0, kSize};
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, copy(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, &failed));
    EXPECT_EQ(0u, failed);
    sizes = {};
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, copy(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, &failed));
    sizes = {kSize};
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, copy(0, &failed));
    EXPECT_EQ(SIZE_MAX, failed);
    expected_misuses = 4;
}

TEST_F(FakeCudaBatch, ACaptureTakesNone) {
    constexpr unsigned kRelaxed = 2;
    OK(cuStreamBeginCapture_v2(stream, kRelaxed));
    size_t failed = 0;
    EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, up(pinned, CU_MEMCPY_SRC_ACCESS_ORDER_STREAM, &failed));
    CUgraph graph = nullptr;
    EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
}

TEST_F(FakeCudaBatch, ManyRangesArePrefetched) {
    CUdeviceptr managed = 0;
    OK(cuMemAllocManaged(&managed, 3 * kSize, CU_MEM_ATTACH_GLOBAL));
    std::vector<CUdeviceptr> ranges = {managed, managed + kSize, managed + 2 * kSize};
    sizes.assign(3, kSize);
    std::vector<CUmemLocation> places = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, {CU_MEM_LOCATION_TYPE_HOST, 0}};
    std::vector<size_t> firsts = {0, 2};
    const auto prefetch = [&](unsigned long long flags) {
        return cuMemPrefetchBatchAsync(ranges.data(), sizes.data(), sizes.size(), places.data(), firsts.data(), 2,
                                       flags, stream);
    };
    OK(prefetch(0));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, prefetch(1));
    firsts = {0, 3};
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, prefetch(0)) << "a location without a range";
    firsts = {0, 1};
    ranges[2] = memory;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, prefetch(0)) << "not managed";
    expected_misuses = 3;
    OK(cuStreamSynchronize(stream));
    OK(cuMemFree_v2(managed));
}

}  // namespace

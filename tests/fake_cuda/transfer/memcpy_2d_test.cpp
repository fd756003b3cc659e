// Tests of 2D copies, and of copies between contexts.

#include <cstring>

#include "fixture.h"

namespace {

using Bytes = std::vector<uint8_t>;

constexpr unsigned kHost = CU_MEMORYTYPE_HOST;
constexpr unsigned kDevice = CU_MEMORYTYPE_DEVICE;
constexpr unsigned kUnified = CU_MEMORYTYPE_UNIFIED;

// The shape of the copies: three rows of 5 bytes, from a pitch of 8 to a pitch of 16.
constexpr size_t kWidth = 5, kHeight = 3, kFromPitch = 8, kToPitch = 16;
constexpr size_t kFromSize = 2 * kFromPitch + kWidth, kToSize = 2 * kToPitch + kWidth;

Bytes Numbers(size_t size) {
    Bytes bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i + 1);
    return bytes;
}

// Returns `before` with the rows of Numbers copied into it.
Bytes Placed(Bytes before) {
    const Bytes from = Numbers(kFromSize);
    for (size_t row = 0; row < kHeight; ++row) {
        memcpy(&before[row * kToPitch], &from[row * kFromPitch], kWidth);
    }
    return before;
}

class FakeCuda2d : public FakeCuda {
  protected:
    // Allocates a buffer of exactly the size that the rows need, with these bytes.
    CUdeviceptr filled(const Bytes& bytes) {
        const CUdeviceptr address = allocate(bytes.size());
        EXPECT_EQ(CUDA_SUCCESS, cuMemcpyHtoD_v2(address, bytes.data(), bytes.size()));
        EXPECT_EQ(CUDA_SUCCESS, cuCtxSynchronize());
        return address;
    }

    CUDA_MEMCPY2D rows(unsigned dst_type, const void* dst, unsigned src_type, const void* src) {
        return rows(dst_type, reinterpret_cast<CUdeviceptr>(dst), src_type, reinterpret_cast<CUdeviceptr>(src));
    }

    CUDA_MEMCPY2D rows(unsigned dst_type, CUdeviceptr dst, unsigned src_type, CUdeviceptr src) {
        CUDA_MEMCPY2D copy{};
        copy.dstMemoryType = dst_type;
        (dst_type == kHost ? reinterpret_cast<CUdeviceptr&>(copy.dstHost) : copy.dstDevice) = dst;
        copy.srcMemoryType = src_type;
        (src_type == kHost ? reinterpret_cast<CUdeviceptr&>(copy.srcHost) : copy.srcDevice) = src;
        copy.dstPitch = kToPitch;
        copy.srcPitch = kFromPitch;
        copy.WidthInBytes = kWidth;
        copy.Height = kHeight;
        return copy;
    }

    static CUdeviceptr address_of(const Bytes& bytes) { return reinterpret_cast<CUdeviceptr>(bytes.data()); }
};

TEST_F(FakeCuda2d, RowsAreCopiedAndPaddingIsKept) {
    Bytes host = Numbers(kFromSize), back(kToSize, 9);
    const CUdeviceptr from = filled(Numbers(kFromSize)), to = filled(Bytes(kToSize, 7));
    CUDA_MEMCPY2D copy = rows(kDevice, to, kHost, address_of(host));
    fakeCudaHold();
    OK(cuMemcpy2DAsync_v2(&copy, stream));
    std::fill(host.begin(), host.end(), uint8_t{0});
    fakeCudaRelease();
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Placed(Bytes(kToSize, 7)), read(to, kToSize)) << "a pageable source is staged";

    copy = rows(kHost, address_of(back), kDevice, from);
    OK(cuMemcpy2DAsync_v2(&copy, stream));
    EXPECT_EQ(Placed(Bytes(kToSize, 9)), back) << "a pageable destination is waited for";

    OK(cuMemsetD8_v2(to, 3, kToSize));
    OK(cuCtxSynchronize());
    copy = rows(kUnified, to, kDevice, from);
    OK(cuMemcpy2DAsync_v2(&copy, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Placed(Bytes(kToSize, 3)), read(to, kToSize));
    OK(cuMemFree_v2(from));
    OK(cuMemFree_v2(to));
}

TEST_F(FakeCuda2d, RowsThatDoNotFitAreRefused) {
    const CUdeviceptr from = filled(Numbers(kFromSize)), to = filled(Bytes(kToSize, 7));
    const auto refused = [&](void (*change)(CUDA_MEMCPY2D&)) {
        CUDA_MEMCPY2D copy = rows(kDevice, to, kDevice, from);
        change(copy);
        EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy2DAsync_v2(&copy, stream));
        ++expected_misuses;
    };
    refused([](CUDA_MEMCPY2D& copy) { copy.WidthInBytes = kFromPitch + 1; });
    refused([](CUDA_MEMCPY2D& copy) { copy.srcXInBytes = kFromPitch; });
    refused([](CUDA_MEMCPY2D& copy) { copy.dstPitch = kWidth - 1; });
    refused([](CUDA_MEMCPY2D& copy) { copy.dstPitch = size_t{1} << 31; });
    refused([](CUDA_MEMCPY2D& copy) { copy.Height = 1000; });
    refused([](CUDA_MEMCPY2D& copy) { copy.srcY = 100; });
    refused([](CUDA_MEMCPY2D& copy) { copy.dstMemoryType = kHost; });
    refused([](CUDA_MEMCPY2D& copy) { copy.dstMemoryType = 77; });
    refused([](CUDA_MEMCPY2D& copy) { copy.srcDevice = 0; });
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy2DAsync_v2(nullptr, stream));
    Bytes host(kFromSize);
    CUDA_MEMCPY2D copy = rows(kDevice, to, kDevice, address_of(host));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy2DAsync_v2(&copy, stream));
    copy = rows(kHost, from, kDevice, to);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy2DAsync_v2(&copy, stream));
    expected_misuses += 3;
    EXPECT_EQ(Bytes(kToSize, 7), read(to, kToSize));
    OK(cuMemFree_v2(from));
    OK(cuMemFree_v2(to));
}

TEST_F(FakeCuda2d, BetweenContextsEachEndBelongsToItsOwn) {
    CUcontext second = nullptr;
    OK(cuDevicePrimaryCtxRetain(&second, 1));
    OK(cuCtxPushCurrent_v2(second));
    const CUdeviceptr far = filled(Bytes(kToSize, 7));
    OK(cuCtxPopCurrent_v2(nullptr));
    const CUdeviceptr near = filled(Numbers(kFromSize));

    CUDA_MEMCPY3D_PEER copy{};
    copy.dstMemoryType = copy.srcMemoryType = kDevice;
    copy.dstDevice = far;
    copy.dstContext = second;
    copy.dstPitch = kToPitch;
    copy.srcDevice = near;
    copy.srcContext = context;
    copy.srcPitch = kFromPitch;
    copy.dstHeight = copy.srcHeight = copy.Height = kHeight;
    copy.WidthInBytes = kWidth;
    copy.Depth = 1;
    OK(cuMemcpy3DPeerAsync(&copy, stream));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(Placed(Bytes(kToSize, 7)), read(far, kToSize));

    const CUDA_MEMCPY2D within = rows(kDevice, far, kDevice, near);
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy2DAsync_v2(&within, stream));
    copy.Depth = 2;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DPeerAsync(&copy, stream));
    copy.Depth = 1;
    copy.srcContext = second;
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DPeerAsync(&copy, stream));
    copy.srcContext = nullptr;
    EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuMemcpy3DPeerAsync(&copy, stream));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpyPeerAsync(far, context, near, context, 8, stream));
    EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpyPeerAsync(far, second, near, second, 8, stream));
    expected_misuses = 6;
    OK(cuMemFree_v2(far));
    OK(cuMemFree_v2(near));
    OK(cuDevicePrimaryCtxRelease_v2(1));
}

}  // namespace

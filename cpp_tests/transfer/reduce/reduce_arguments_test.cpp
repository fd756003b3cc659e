// What aclrtReduceAsync refuses.

#include <cstdint>
#include <limits>
#include <memory>

#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr auto kSum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
constexpr auto kMax = ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX;
constexpr auto kMin = ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN;

class ReduceArguments : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (HasFatalFailure()) return;
        dst_ = std::make_unique<DeviceMemory>(before_);
        src_ = std::make_unique<DeviceMemory>(Pattern(kSize, 2));
    }
    void TearDown() override {
        if (dst_) {
            // A failed call has submitted nothing.
            ACL_EXPECT_OK(aclrtSynchronizeStream(nullptr));
            EXPECT_EQ(dst_->Download(), before_);
        }
        dst_.reset();
        src_.reset();
        WithDevice::TearDown();
    }

    static constexpr size_t kSize = 256;
    const std::vector<unsigned char> before_ = Pattern(kSize, 1);
    std::unique_ptr<DeviceMemory> dst_, src_;
};

TEST_F(ReduceArguments, CountZeroDoesNothing) {
    ACL_OK(aclrtReduceAsync(nullptr, nullptr, 0, kSum, ACL_FLOAT, nullptr, nullptr));
    ACL_OK(aclrtReduceAsync(dst_->At(), src_->At(), 0, kMax, ACL_INT8, nullptr, nullptr));
}

TEST_F(ReduceArguments, NullPointers) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtReduceAsync(nullptr, src_->At(), kSize, kSum, ACL_FLOAT, nullptr, nullptr), "dst", "null",
                     "256");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtReduceAsync(dst_->At(), nullptr, kSize, kSum, ACL_FLOAT, nullptr, nullptr), "src", "null",
                     "256");
}

TEST_F(ReduceArguments, ReserveMustBeNull) {
    int reserve = 0;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtReduceAsync(dst_->At(), src_->At(), kSize, kSum, ACL_FLOAT, nullptr, &reserve), "reserve",
                     Shown(&reserve));
}

TEST_F(ReduceArguments, KindsThatDoNotExist) {
    for (int kind : {-1, 0, 9, 14, std::numeric_limits<int>::max()})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtReduceAsync(dst_->At(), src_->At(), kSize, static_cast<aclrtReduceKind>(kind), ACL_FLOAT,
                                          nullptr, nullptr),
                         "kind", Shown(kind), "10", "12");
}

TEST_F(ReduceArguments, TheKindEqualIsNotAvailable) {
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     aclrtReduceAsync(dst_->At(), src_->At(), kSize, ACL_RT_MEMCPY_SDMA_AUTOMATIC_EQUAL, ACL_FLOAT,
                                      nullptr, nullptr),
                     "kind", "EQUAL");
}

TEST_F(ReduceArguments, TypesThatDoNotExist) {
    for (int type : {-1, -2, 5, 14, 1000, std::numeric_limits<int>::min()})
        ACL_FAILS_SAYING(
            ACL_ERROR_INVALID_PARAM,
            aclrtReduceAsync(dst_->At(), src_->At(), kSize, kSum, static_cast<aclDataType>(type), nullptr, nullptr),
            "type", Shown(type), "ACL_FLOAT");
}

TEST_F(ReduceArguments, TypesThatAreNotReduced) {
    for (aclDataType type :
         {ACL_UINT8, ACL_UINT16, ACL_UINT32, ACL_INT64, ACL_UINT64, ACL_DOUBLE, ACL_BOOL, ACL_COMPLEX64})
        ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                         aclrtReduceAsync(dst_->At(), src_->At(), kSize, kSum, type, nullptr, nullptr), "type",
                         Shown(static_cast<long long>(type)));
}

TEST_F(ReduceArguments, PartsOfElements) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtReduceAsync(dst_->At(), src_->At(), 10, kSum, ACL_FLOAT, nullptr, nullptr), "count", "10",
                     "4");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                     aclrtReduceAsync(dst_->At(), src_->At(), 7, kSum, ACL_BF16, nullptr, nullptr), "count", "7", "2");
}

TEST_F(ReduceArguments, UnalignedOperands) {
    ACL_FAILS_SAYING(ACL_ERROR_RT_ADDR_UNALIGNED,
                     aclrtReduceAsync(dst_->At(2), src_->At(), 64, kSum, ACL_INT32, nullptr, nullptr), "dst",
                     Shown(dst_->At(2)), "4");
    ACL_FAILS_SAYING(ACL_ERROR_RT_ADDR_UNALIGNED,
                     aclrtReduceAsync(dst_->At(), src_->At(1), 64, kSum, ACL_FLOAT16, nullptr, nullptr), "src",
                     Shown(src_->At(1)), "2");
}

TEST_F(ReduceArguments, PastTheEnd) {
    const size_t too_much = kSize + 4096;
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                     aclrtReduceAsync(dst_->At(), src_->At(), too_much, kSum, ACL_FLOAT, nullptr, nullptr), "dst",
                     Shown(dst_->At()), Shown(static_cast<long long>(too_much)));
    DeviceMemory large(2 * too_much);
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                     aclrtReduceAsync(large.At(), src_->At(), too_much, kSum, ACL_FLOAT, nullptr, nullptr), "src",
                     Shown(src_->At()));
    for (uint64_t count : {UINT64_MAX - 3, uint64_t{1} << 63})
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID,
                  aclrtReduceAsync(dst_->At(), src_->At(), count, kSum, ACL_FLOAT, nullptr, nullptr));
}

TEST_F(ReduceArguments, HostMemory) {
    PinnedMemory pinned(kSize, 0);
    std::vector<unsigned char> pageable(kSize);
    for (void* host : {pinned.At(), static_cast<void*>(pageable.data())}) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                         aclrtReduceAsync(dst_->At(), host, kSize, kSum, ACL_INT8, nullptr, nullptr), "src",
                         Shown(host), "aclrtMalloc");
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                         aclrtReduceAsync(host, src_->At(), kSize, kSum, ACL_INT8, nullptr, nullptr), "dst",
                         Shown(host), "aclrtMalloc");
    }
}

TEST_F(ReduceArguments, MemoryOfAnotherDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    {
        DeviceMemory far(Pattern(kSize));
        ACL_OK(aclrtSetDevice(0));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                         aclrtReduceAsync(dst_->At(), far.At(), kSize, kSum, ACL_INT8, nullptr, nullptr), "src",
                         Shown(far.At()), "device 1", "device 0");
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                         aclrtReduceAsync(far.At(), src_->At(), kSize, kSum, ACL_INT8, nullptr, nullptr), "dst");
    }
}

TEST_F(ReduceArguments, NoDeviceInThisThread) {
    OnNewThread([this] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL,
                  aclrtReduceAsync(dst_->At(), src_->At(), kSize, kSum, ACL_INT8, nullptr, nullptr));
    });
}

}  // namespace

// Views over memory that a program maps bit by bit, as pools do that grow (aclrtMapMem).
#include "protocol.h"

using namespace protocol;

namespace {

constexpr size_t kMapped = 2 << 20;
constexpr auto kNumbers = static_cast<int64_t>(kMapped / sizeof(float));

// A range of addresses with room for some mappings of equal size.
class MappedRange {
  public:
    explicit MappedRange(size_t count) : handles_(count) {
        EXPECT_EQ(ACL_SUCCESS, aclrtReserveMemAddress(&base_, count * kMapped, 0, nullptr, 1)) << Text();
    }
    ~MappedRange() {
        for (size_t i = 0; i < handles_.size(); ++i)
            if (handles_[i] != nullptr) Unmap(i);
        EXPECT_EQ(ACL_SUCCESS, aclrtReleaseMemAddress(base_)) << Text();
    }
    MappedRange(const MappedRange&) = delete;
    MappedRange& operator=(const MappedRange&) = delete;

    void Map(size_t index, decltype(&aclrtMapMem) map = aclrtMapMem) {
        aclrtPhysicalMemProp props{};
        props.handleType = ACL_MEM_HANDLE_TYPE_NONE;
        props.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
        props.memAttr = ACL_HBM_MEM_HUGE;
        props.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
        ASSERT_EQ(ACL_SUCCESS, aclrtMallocPhysical(&handles_[index], kMapped, &props, 0)) << Text();
        ASSERT_EQ(ACL_SUCCESS, map(At(index), kMapped, 0, handles_[index], 0)) << Text();
    }
    void Unmap(size_t index) {
        EXPECT_EQ(ACL_SUCCESS, aclrtUnmapMem(At(index))) << Text();
        EXPECT_EQ(ACL_SUCCESS, aclrtFreePhysical(handles_[index])) << Text();
        handles_[index] = nullptr;
    }
    // Returns a tensor over `count` numbers from the one with index `first` on, counted from the start of the range.
    aclTensor* View(int64_t first, int64_t count) const {
        return aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &kNone, 1,
                               static_cast<float*>(base_) + first);
    }
    void* At(size_t index) const { return static_cast<char*>(base_) + index * kMapped; }

  private:
    // The storage is not stated, so that the memory decides.
    static constexpr int64_t kNone = 0;

    void* base_ = nullptr;
    std::vector<aclrtDrvMemHandle> handles_;
};

class Mappings : public Protocol {
  protected:
    static void Accepts(const MappedRange& range, int64_t first, int64_t count) {
        const aclTensor* const view = range.View(first, count);
        EXPECT_NE(nullptr, view) << Text();
        EXPECT_EQ(ACL_SUCCESS, aclDestroyTensor(view));
    }
    static void Refuses(const MappedRange& range, int64_t first, int64_t count) {
        EXPECT_EQ(nullptr, range.View(first, count));
        EXPECT_NE(Text().find("aclCreateTensor: viewDims, strides and offset select the elements with index 0 to " +
                              std::to_string(count - 1) + " (counted from 0), but the storage has 0 elements"),
                  std::string::npos)
            << Text();
    }
};

TEST_F(Mappings, AViewMaySpanAdjacentOnes) {
    MappedRange range(4);
    for (const size_t index : {0u, 1u, 2u}) range.Map(index);
    Accepts(range, 0, kNumbers);
    Accepts(range, 0, 3 * kNumbers);
    Accepts(range, kNumbers - 1, 2);
    Accepts(range, 1, 3 * kNumbers - 1);
    // Nothing is mapped behind the last one.
    Refuses(range, 0, 3 * kNumbers + 1);
    Refuses(range, 3 * kNumbers - 1, 2);
    Refuses(range, 3 * kNumbers, 1);
    Refuses(range, 0, int64_t{1} << 40);
}

TEST_F(Mappings, AViewSpansNoGap) {
    MappedRange range(4);
    for (const size_t index : {0u, 1u, 2u}) range.Map(index);
    Accepts(range, 0, 3 * kNumbers);
    range.Unmap(1);
    Accepts(range, 0, kNumbers);
    Accepts(range, 2 * kNumbers, kNumbers);
    Refuses(range, 0, kNumbers + 1);
    Refuses(range, 0, 3 * kNumbers);
    // The device may not access this one.
    range.Map(1, aclrtMemMapNoAccess);
    Refuses(range, 0, kNumbers + 1);
    Refuses(range, 0, 3 * kNumbers);
}

TEST_F(Mappings, AViewSpansNoAllocations) {
    // Some of these are adjacent.
    const Floats numbers(kNumbers);
    const Tensor tensors[] = {{{kNumbers}, numbers}, {{kNumbers}, numbers}, {{kNumbers}, numbers}};
    for (const Tensor& tensor : tensors) {
        void* base = nullptr;
        size_t size = 0;
        ASSERT_EQ(ACL_SUCCESS, aclrtMemGetAddressRange(tensor.Memory(), &base, &size)) << Text();
        const auto room = static_cast<int64_t>(size / sizeof(float));
        const aclTensor* const whole = tensor.Make({room}, nullptr, 0);
        EXPECT_NE(nullptr, whole) << Text();
        EXPECT_EQ(ACL_SUCCESS, aclDestroyTensor(whole));
        EXPECT_EQ(nullptr, tensor.Make({room + 1}, nullptr, 0));
        EXPECT_NE(Text().find("but the storage has"), std::string::npos) << Text();
    }
}

TEST_F(Mappings, OperatorsComputeAcrossThem) {
    MappedRange range(3);
    for (const size_t index : {0u, 1u, 2u}) range.Map(index);
    // Inputs that span the first two mappings, and a result that spans the last two.
    constexpr int64_t kCount = kNumbers / 2, kFirst = kNumbers - kCount / 2, kOut = 2 * kNumbers - kCount / 2;
    Floats values(kCount);
    for (int64_t i = 0; i < kCount; ++i) values[static_cast<size_t>(i)] = static_cast<float>(i);
    constexpr size_t kBytes = kCount * sizeof(float);
    void* const from = static_cast<float*>(range.At(0)) + kFirst;
    void* const to = static_cast<float*>(range.At(0)) + kOut;
    ASSERT_EQ(ACL_SUCCESS, aclrtMemcpy(from, kBytes, values.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE)) << Text();
    aclTensor* const in = range.View(kFirst, kCount);
    aclTensor* const out = range.View(kOut, kCount);
    ASSERT_EQ(ACL_SUCCESS, Run(PrepareAdd(in, in, out))) << Text();
    ASSERT_EQ(ACL_SUCCESS, Wait()) << Text();
    Floats got(kCount);
    ASSERT_EQ(ACL_SUCCESS, aclrtMemcpy(got.data(), kBytes, to, kBytes, ACL_MEMCPY_DEVICE_TO_HOST)) << Text();
    for (float& value : values) value *= 2;
    EXPECT_EQ(values, got);
    for (const aclTensor* const view : {in, out}) EXPECT_EQ(ACL_SUCCESS, aclDestroyTensor(view));
}

}  // namespace

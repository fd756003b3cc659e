// Tensors of ACL_INT4: two numbers in each byte, the one with the lower index in its lower half.
#include <aclnnop/aclnn_weight_quant_batch_matmul_v2.h>

#include "protocol.h"

using namespace protocol;

namespace {

using Int4Values = std::vector<int8_t>;

// Device memory that holds numbers of 4 bits, and no byte more.
class Halves {
  public:
    explicit Halves(const Int4Values& numbers) : count_(static_cast<int64_t>(numbers.size())) {
        std::vector<uint8_t> bytes((numbers.size() + 1) / 2);
        for (size_t i = 0; i < numbers.size(); ++i)
            bytes[i / 2] = static_cast<uint8_t>(bytes[i / 2] | (numbers[i] & 0xf) << (i % 2 * 4));
        EXPECT_EQ(ACL_SUCCESS, aclrtMalloc(&memory_, bytes.size(), ACL_MEM_MALLOC_NORMAL_ONLY));
        EXPECT_EQ(ACL_SUCCESS,
                  aclrtMemcpy(memory_, bytes.size(), bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE));
    }
    ~Halves() {
        for (const aclTensor* const tensor : tensors_) aclDestroyTensor(tensor);
        aclrtFree(memory_);
    }
    Halves(const Halves&) = delete;
    Halves& operator=(const Halves&) = delete;

    aclTensor* View(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides, int64_t offset = 0) {
        tensors_.push_back(aclCreateTensor(sizes.data(), sizes.size(), ACL_INT4, strides.data(), offset, ACL_FORMAT_ND,
                                           &count_, 1, memory_));
        return tensors_.back();
    }

  private:
    int64_t count_;
    void* memory_ = nullptr;
    std::vector<aclTensor*> tensors_;
};

class Int4 : public Protocol {
  protected:
    int Prepare(const aclTensor* x, const aclTensor* weight, const aclTensor* scale, int64_t group,
                const aclTensor* y) {
        uint64_t size = 0;
        return aclnnWeightQuantBatchMatmulV2GetWorkspaceSize(x, weight, scale, nullptr, nullptr, nullptr, nullptr,
                                                             group, y, &size, &executor_);
    }
    int Launch() { return aclnnWeightQuantBatchMatmulV2(nullptr, 0, executor_, stream_); }

    aclOpExecutor* executor_ = nullptr;
};

constexpr int64_t kRows = 64, kColumns = 3, kGroup = 32;

// A number for each index, of both signs.
int8_t At(size_t index) {
    return static_cast<int8_t>(static_cast<int>(index * 7 % 16) - 8);
}

TEST_F(Int4, AreMultipliedInBothOrdersFromEachOffset) {
    Floats values(2 * kRows), scales(kRows / kGroup * kColumns);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 5) - 2;
    for (size_t i = 0; i < scales.size(); ++i) scales[i] = static_cast<float>(i + 1) / 4;
    const Tensor x({2, kRows}, values), scale({kRows / kGroup, kColumns}, scales),
        y({2, kColumns}, Floats(2 * kColumns));
    for (const bool is_transposed : {false, true}) {
        for (const int64_t offset : {0, 1, 4}) {
            Int4Values numbers(static_cast<size_t>(offset + kRows * kColumns));
            for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = At(i);
            Halves halves(numbers);
            const std::vector<int64_t> strides{is_transposed ? 1 : kColumns, is_transposed ? kRows : 1};
            const aclTensor* const weight = halves.View({kRows, kColumns}, strides, offset);
            ASSERT_NE(weight, nullptr) << Text();
            ASSERT_EQ(ACL_SUCCESS, Prepare(x, weight, scale, kGroup, y)) << Text();
            ASSERT_EQ(ACL_SUCCESS, Launch());
            ASSERT_EQ(ACL_SUCCESS, Wait()) << Text();
            Floats wanted(2 * kColumns);
            for (int64_t i = 0; i < 2; ++i)
                for (int64_t j = 0; j < kColumns; ++j)
                    for (int64_t k = 0; k < kRows; ++k)
                        wanted[static_cast<size_t>(i * kColumns + j)] +=
                            values[static_cast<size_t>(i * kRows + k)] *
                            static_cast<float>(numbers[static_cast<size_t>(offset + k * strides[0] + j * strides[1])]) *
                            scales[static_cast<size_t>(k / kGroup * kColumns + j)];
            EXPECT_EQ(wanted, y.Get()) << is_transposed << " " << offset;
        }
    }
}

TEST_F(Int4, AreRefusedByOtherOperators) {
    Halves halves(Int4Values(4));
    const Tensor x({4}, Floats(4));
    const aclTensor* const weight = halves.View({4}, {1});
    ASSERT_NE(weight, nullptr) << Text();
    uint64_t size = 0;
    ExpectText(ACLNN_ERR_PARAM_INVALID, aclnnAddGetWorkspaceSize(x, weight, one_, x, &size, &executor_),
               "other is of the type ACL_INT4, which the operator does not take here");
    ExpectText(ACLNN_ERR_PARAM_INVALID, Prepare(weight, weight, x, 0, x), "x is of the type ACL_INT4");
    ExpectText(ACLNN_ERR_PARAM_INVALID, Prepare(x, weight, x, 0, weight), "y is of the type ACL_INT4");
}

TEST_F(Int4, AreDescribedInElements) {
    Halves halves(Int4Values(7));
    const aclTensor* const whole = halves.View({7}, {1});
    ASSERT_NE(whole, nullptr) << Text();
    aclDataType type = ACL_FLOAT;
    int64_t* sizes = nullptr;
    uint64_t count = 0;
    ASSERT_EQ(ACL_SUCCESS, aclGetDataType(whole, &type));
    ASSERT_EQ(ACL_SUCCESS, aclGetViewShape(whole, &sizes, &count));
    EXPECT_EQ(ACL_INT4, type);
    EXPECT_EQ(1u, count);
    EXPECT_EQ(7, sizes[0]);
    delete[] sizes;
    // The allocation has 4 bytes, so room for 8 numbers, and may be larger.
    EXPECT_NE(halves.View({8}, {1}), nullptr) << Text();
    EXPECT_EQ(halves.View({int64_t{1} << 40}, {1}), nullptr);
    ExpectText(ACL_SUCCESS, ACL_SUCCESS,
               "select the elements with index 0 to 1099511627775 (counted from 0), but the storage has 7");
}

}  // namespace

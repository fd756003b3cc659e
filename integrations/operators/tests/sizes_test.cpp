// Arguments with which functions of ATen would read or write outside of tensors, or divide by 0: each gives a code and
// a text. The first phase refuses them, except for what depends on data or on addresses.
#include <aclnnop/all.h>

#include <functional>

#include "protocol.h"

using namespace protocol;

namespace {

using Sizes = std::vector<int64_t>;

class Sized : public Protocol {
  protected:
    void TearDown() override {
        for (const auto& destroy : objects_) destroy();
        for (void* memory : memory_) aclrtFree(memory);
        Protocol::TearDown();
    }

    // A tensor of zeros over memory that has room for its storage alone.
    aclTensor* Zeros(const Sizes& sizes, aclDataType type = ACL_FLOAT) { return Make(sizes, nullptr, sizes, type); }
    // A tensor all of whose elements are one number.
    aclTensor* Expanded(int64_t count, aclDataType type) {
        const int64_t stride = 0;
        return Make({count}, &stride, {1}, type);
    }
    aclTensor* Long(int64_t value) {
        aclTensor* const made = Zeros({1}, ACL_INT64);
        ACL_EXPECT(aclrtMemcpy(memory_.back(), sizeof value, &value, sizeof value, ACL_MEMCPY_HOST_TO_DEVICE));
        return made;
    }
    aclIntArray* Ints(const Sizes& values) {
        aclIntArray* const made = aclCreateIntArray(values.data(), values.size());
        objects_.emplace_back([made] { aclDestroyIntArray(made); });
        return made;
    }
    aclBoolArray* All() {
        const bool all[] = {true, true, true};
        aclBoolArray* const made = aclCreateBoolArray(all, 3);
        objects_.emplace_back([made] { aclDestroyBoolArray(made); });
        return made;
    }

    // Expects that the first phase refuses.
    template <typename Prepare, typename... Argument>
    void Refuses(const char* words, int code, Prepare prepare, Argument... arguments) {
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        ExpectText(code, prepare(arguments..., &size, &executor), words);
    }

    // Runs both phases, and expects that the second one or the stream refuses.
    template <typename Prepare, typename Launch, typename... Argument>
    void Fails(const char* words, int code, Prepare prepare, Launch launch, Argument... arguments) {
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        ASSERT_EQ(ACL_SUCCESS, prepare(arguments..., &size, &executor)) << Text();
        const int launched = launch(nullptr, size, executor, stream_);
        ExpectText(code, launched != ACL_SUCCESS ? launched : Wait(), words);
    }

  private:
    static void ACL_EXPECT(int code) { EXPECT_EQ(ACL_SUCCESS, code) << Text(); }
    aclTensor* Make(const Sizes& sizes, const int64_t* strides, const Sizes& storage, aclDataType type) {
        size_t bytes = aclDataTypeSize(type);
        for (const int64_t size : storage) bytes *= static_cast<size_t>(size);
        void* memory = nullptr;
        if (bytes > 0) {
            ACL_EXPECT(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_NORMAL_ONLY));
            ACL_EXPECT(aclrtMemset(memory, bytes, 0, bytes));
            memory_.push_back(memory);
        }
        aclTensor* const made = aclCreateTensor(sizes.data(), sizes.size(), type, strides, 0, ACL_FORMAT_ND,
                                                storage.data(), storage.size(), memory);
        EXPECT_NE(made, nullptr) << Text();
        objects_.emplace_back([made] { aclDestroyTensor(made); });
        return made;
    }

    std::vector<std::function<void()>> objects_;
    std::vector<void*> memory_;
};

#define REFUSES(WORDS, CODE, NAME, ...) Refuses(WORDS, CODE, aclnn##NAME##GetWorkspaceSize, __VA_ARGS__)
#define FAILS(WORDS, CODE, NAME, ...) Fails(WORDS, CODE, aclnn##NAME##GetWorkspaceSize, aclnn##NAME, __VA_ARGS__)

TEST_F(Sized, AttentionDividesByNoNumberOfHeads) {
    char layout[] = "BSH", heads[] = "BNSD";
    const auto attend = [&](const char* words, int64_t count, char* order, const Sizes& query, const Sizes& key) {
        REFUSES(words, ACLNN_ERR_PARAM_INVALID, FlashAttentionScore, Zeros(query), Zeros(key), Zeros(key), nullptr,
                nullptr, nullptr, nullptr, nullptr, 1.0, 1.0, int64_t{0}, int64_t{0}, count, order, int64_t{0},
                int64_t{0}, nullptr, nullptr, nullptr, Zeros(query));
    };
    attend("headNum is 0", 0, layout, {1, 4, 8}, {1, 4, 8});
    attend("headNum is -1", -1, layout, {1, 4, 8}, {1, 4, 8});
    attend("headNum is 9; allowed: at most 8", 9, layout, {1, 4, 8}, {1, 4, 8});
    attend("heads in key is 0", 4, heads, {1, 4, 8, 8}, {1, 0, 8, 8});
}

TEST_F(Sized, MasksOfDropoutHaveTheirBytes) {
    constexpr int64_t kMany = 1 << 20;
    REFUSES("must be contiguous", ACLNN_ERR_PARAM_INVALID, DropoutGenMaskV2, Ints({kMany}), 0.5, int64_t{1}, int64_t{0},
            ACL_FLOAT, Expanded(kMany, ACL_UINT8));
    REFUSES("must be contiguous", ACLNN_ERR_PARAM_INVALID, DropoutDoMask, Zeros({kMany}), Expanded(kMany, ACL_UINT8),
            0.5, Zeros({kMany}));
    REFUSES("mask has 4 bytes; it must have at least 5, a bit for each of 33 elements", ACLNN_ERR_PARAM_INVALID,
            DropoutGenMaskV2, Ints({33}), 0.5, int64_t{1}, int64_t{0}, ACL_FLOAT, Zeros({4}, ACL_UINT8));
    for (const Sizes& shape : {Sizes{-8}, Sizes{int64_t{1} << 32, int64_t{1} << 32}})
        REFUSES("mask is for the shape", ACLNN_ERR_PARAM_INVALID, DropoutGenMaskV2, Ints(shape), 0.5, int64_t{1},
                int64_t{0}, ACL_FLOAT, Zeros({4}, ACL_UINT8));
}

TEST_F(Sized, NormalizationsOfChannelsHaveAValueForEach) {
    const auto forward = [&](const char* words, int code, aclTensor* self, aclTensor* weight, aclTensor* mean,
                             aclTensor* var, bool training) {
        REFUSES(words, code, BatchNorm, self, weight, nullptr, mean, var, training, 0.1, 1e-5, Zeros({2, 4, 3}),
                Zeros({4}), Zeros({4}));
    };
    forward("mean is null", ACLNN_ERR_PARAM_NULLPTR, Zeros({2, 4, 3}), nullptr, nullptr, nullptr, false);
    forward("mean has the shape [1]", ACLNN_ERR_PARAM_INVALID, Zeros({2, 4, 3}), nullptr, Zeros({1}), Zeros({4}),
            false);
    forward("weight has the shape [1]", ACLNN_ERR_PARAM_INVALID, Zeros({2, 4, 3}), Zeros({1}), nullptr, nullptr, true);
    forward("at least 2 dimensions", ACLNN_ERR_PARAM_INVALID, Zeros({4}), nullptr, nullptr, nullptr, true);
    const auto backward = [&](const char* words, int code, aclTensor* grad, aclTensor* mean, aclTensor* saved,
                              bool training) {
        REFUSES(words, code, BatchNormBackward, grad, Zeros({2, 4, 3}), nullptr, mean, mean, saved, saved, training,
                1e-5, All(), Zeros({2, 4, 3}), Zeros({4}), Zeros({4}));
    };
    backward("saveMean is null", ACLNN_ERR_PARAM_NULLPTR, Zeros({2, 4, 3}), Zeros({4}), nullptr, true);
    backward("mean is null", ACLNN_ERR_PARAM_NULLPTR, Zeros({2, 4, 3}), nullptr, Zeros({4}), false);
    backward("saveMean has the shape [1]", ACLNN_ERR_PARAM_INVALID, Zeros({2, 4, 3}), nullptr, Zeros({1}), true);
    backward("grad has the shape [1]", ACLNN_ERR_PARAM_INVALID, Zeros({1}), nullptr, Zeros({4}), true);
}

TEST_F(Sized, GradientsHaveTheSizesThatTheyAreReadWith) {
    const auto layers = [&](const char* words, aclTensor* grad, aclTensor* mean) {
        REFUSES(words, ACLNN_ERR_PARAM_INVALID, LayerNormBackward, grad, Zeros({8, 4}), Ints({4}), mean, mean,
                Zeros({4}), Zeros({4}), All(), Zeros({8, 4}), Zeros({4}), Zeros({4}));
    };
    layers("grad has the shape [1]", Zeros({1}), Zeros({8, 1}));
    layers("mean has the shape [1]; it must have at least 8", Zeros({8, 4}), Zeros({1}));
    REFUSES("grad has the shape [64]; it must have the shape of output, [4]", ACLNN_ERR_PARAM_INVALID,
            LogSoftmaxBackward, Zeros({64}), Zeros({4}), int64_t{0}, Zeros({64}));
    REFUSES("only its last two sizes may differ", ACLNN_ERR_PARAM_INVALID, AdaptiveAvgPool2dBackward,
            Zeros({1, 1, 1, 1}), Zeros({1, 64, 4, 4}), Zeros({1, 64, 4, 4}));
    REFUSES("groups is 0", ACLNN_ERR_PARAM_INVALID, ConvolutionBackward, Zeros({1, 4, 6, 6}), Zeros({1, 4, 8, 8}),
            Zeros({4, 4, 3, 3}), nullptr, Ints({1, 1}), Ints({0, 0}), Ints({1, 1}), false, Ints({0, 0}), int64_t{0},
            All(), int8_t{0}, Zeros({1, 4, 8, 8}), Zeros({4, 4, 3, 3}), nullptr);
    for (const int64_t index : {int64_t{1}, int64_t{1} << 40, int64_t{-2}})
        FAILS("allowed: at least 0 and less than numWeights, 1, or equal to paddingIdx, -1", ACLNN_ERR_PARAM_INVALID,
              EmbeddingDenseBackward, Zeros({1, 8}), Long(index), int64_t{1}, int64_t{-1}, true, Zeros({1, 8}));
}

TEST_F(Sized, TextsNameTheArgumentAndItsBound) {
    const auto split = [&](const char* words, const Sizes& bias, int64_t heads) {
        REFUSES(words, ACLNN_ERR_PARAM_INVALID, TransformBiasRescaleQkv, Zeros({1, 2, 24}), Zeros(bias), heads,
                Zeros({1, 8, 2, 1}), Zeros({1, 8, 2, 1}), Zeros({1, 8, 2, 1}));
    };
    split("numHeads is 0; it must be at least 1", {24}, 0);
    split("qkv must have 3 dimensions and qkvBias 1, both with the same last size, a multiple of 3 times numHeads, 8",
          {12}, 8);
    REFUSES("self must have 3 or 4 dimensions, weight at least 2", ACLNN_ERR_PARAM_INVALID, ConvDepthwise2d,
            Zeros({1, 4, 4, 6, 6}), Zeros({4, 1, 1, 3, 3}), Ints({3, 3}), nullptr, Ints({1, 1}), Ints({0, 0}),
            Ints({1, 1}), Zeros({1, 4, 4, 4, 4}), int8_t{0});
    REFUSES("size is [3]; it must have 2 elements", ACLNN_ERR_PARAM_INVALID, UpsampleNearestExact2d,
            Zeros({1, 1, 4, 4}), Ints({3}), 0.0, 0.0, Zeros({1, 1, 3, 3}));
    REFUSES("self has the shape [4, 4]; it must have 4 dimensions", ACLNN_ERR_PARAM_INVALID, UpsampleNearestExact2d,
            Zeros({4, 4}), Ints({3, 3}), 0.0, 0.0, Zeros({1, 1, 3, 3}));
    REFUSES("axis is 0; allowed: 1 to 2, or -2 to -1", ACLNN_ERR_PARAM_INVALID, InplaceScatterUpdate, Zeros({2, 4, 3}),
            Zeros({2}, ACL_INT64), Zeros({2, 1, 3}), int64_t{0});
}

TEST_F(Sized, TensorsWithElementsHaveMemory) {
    const int64_t count = 4;
    aclTensor* const none = aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &count, 1, nullptr);
    FAILS("self has 4 elements, but its tensorData is null", ACLNN_ERR_PARAM_NULLPTR, Relu, none, Zeros({4}));
    FAILS("out has 4 elements, but its tensorData is null", ACLNN_ERR_PARAM_NULLPTR, Relu, Zeros({4}), none);
    // Its address may follow.
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    const Tensor out({4}, {-1, -1, -1, -1}), in({4}, {-1, 2, -3, 4});
    ASSERT_EQ(ACL_SUCCESS, aclnnReluGetWorkspaceSize(none, out, &size, &executor)) << Text();
    ASSERT_EQ(ACL_SUCCESS, aclSetAclOpExecutorRepeatable(executor)) << Text();
    ASSERT_EQ(ACL_SUCCESS, aclSetTensorAddr(executor, 0, none, in.Memory())) << Text();
    EXPECT_EQ(ACL_SUCCESS, aclnnRelu(nullptr, size, executor, stream_)) << Text();
    EXPECT_EQ(ACL_SUCCESS, Wait());
    EXPECT_EQ(out.Get(), (Floats{0, 2, 0, 4}));
    EXPECT_EQ(ACL_SUCCESS, aclDestroyAclOpExecutor(executor));
    aclDestroyTensor(none);
}

}  // namespace

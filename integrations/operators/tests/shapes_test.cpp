// Tests products, reductions, normalizations, convolutions, indices and parts of tensors, beside ATen (properties.h).
#include "properties.h"

using namespace properties;

namespace {

const Scalar kHalf = 0.5, kTwo = 2;
constexpr int8_t kPlain = 0;
const at::Tensor kNone;

// Returns whole numbers below a bound, as indices.
at::Tensor Indices(at::IntArrayRef sizes, int64_t bound) {
    return at::randint(bound, sizes, at::kLong);
}

std::vector<Tensors> Matrices() {
    return {
        {Random({3, 4}), Random({4, 5})},
        {Random({4, 3}).t(), Random({5, 4}).t()},
        {Random({6, 8}).slice(0, 1, 6, 2).slice(1, 0, 8, 2), Random({4, 5})},
        {Random({3, 0}), Random({0, 5})},
        {Random({0, 4}), Random({4, 5})},
        {Random({1, 4}).expand({3, 4}), Random({4, 1}).expand({4, 5})},
        {Random({65, 129}), Random({129, 33})},
        {Random({3, 4}), Random({3, 4})},
    };
}

// Returns what Matrices does, with the tensor that is added to the product in front.
std::vector<Tensors> Sums() {
    std::vector<Tensors> inputs = Matrices();
    for (Tensors& x : inputs) x.insert(x.begin(), Random({x[1].size(1)}));
    inputs.push_back({Random({3, 1}), Random({3, 4}), Random({4, 5})});
    inputs.push_back({Random({7}), Random({3, 4}), Random({4, 5})});
    return inputs;
}

std::vector<Tensors> Batches() {
    return {
        {Random({2, 3, 4}), Random({2, 4, 5})},
        {Random({4, 3, 2}).permute({2, 1, 0}), Random({5, 4, 2}).permute({2, 1, 0})},
        {Random({0, 3, 4}), Random({0, 4, 5})},
        {Random({2, 3, 4}), Random({3, 4, 5})},
    };
}

OUTPUTS(Mm, Matrices(), (x[0], x[1], out[0], kPlain), at::mm(x[0], x[1]));
OUTPUTS(Matmul, Batches(), (x[0], x[1], out[0], kPlain), at::matmul(x[0], x[1]));
OUTPUTS(BatchMatMul, Batches(), (x[0], x[1], out[0], kPlain), at::bmm(x[0], x[1]));
OUTPUTS(Addmm, Sums(), (x[0], x[1], x[2], kHalf, kTwo, out[0], kPlain), at::addmm(x[0], x[1], x[2], 0.5, 2));

// Checks a product of tensors of two types, into an output of a third one.
void CheckMixed(at::ScalarType a, at::ScalarType b, at::ScalarType c) {
    const at::Tensor x = Random({2, 3, 4}).to(a), y = Random({2, 4, 5}).to(b);
    const at::Tensor out = at::zeros({2, 3, 5}, c), want = at::bmm(x.to(at::kDouble), y.to(at::kDouble)).to(c);
    const double bound = c == at::kFloat ? 1e-5 : 2e-3;
    const auto expect = [&](const Outcome& outcome, const at::Tensor& got, const at::Tensor& wanted) {
        ASSERT_EQ(ACL_SUCCESS, outcome.code) << outcome.text;
        EXPECT_TRUE(at::allclose(got.to(at::kDouble), wanted.to(at::kDouble), bound, bound)) << got << wanted;
    };
    const auto products = {std::pair(aclnnBatchMatMulGetWorkspaceSize, aclnnBatchMatMul),
                           std::pair(aclnnMatmulGetWorkspaceSize, aclnnMatmul)};
    for (const auto& [prepare, run] : products) expect(Call(prepare, run, x, y, out.zero_(), kPlain), out, want);
    expect(Call(aclnnMmGetWorkspaceSize, aclnnMm, x[0], y[0], out[0].zero_(), kPlain), out[0], want[0]);
}
TEST(Properties, ProductsOfSeveralTypes) {
    CheckMixed(at::kHalf, at::kHalf, at::kFloat);
    CheckMixed(at::kHalf, at::kFloat, at::kHalf);
    CheckMixed(at::kFloat, at::kHalf, at::kHalf);
    CheckMixed(at::kBFloat16, at::kBFloat16, at::kFloat);
}

TEST(Properties, OneMatrixServesABatch) {
    const at::Tensor one = Random({1, 3, 4}), batch = Random({5, 4, 2}), out = at::zeros({5, 3, 2});
    const Outcome outcome = Call(aclnnBatchMatMulGetWorkspaceSize, aclnnBatchMatMul, one, batch, out, kPlain);
    ASSERT_EQ(ACL_SUCCESS, outcome.code) << outcome.text;
    EXPECT_TRUE(at::allclose(out, at::matmul(one, batch)));
}

TEST(Properties, WholeReductionsFillATensorOfOneElement) {
    const at::Tensor x = Random({3, 4}), out = at::zeros({1});
    for (const Ints& dims : {Ints{}, Ints{0, 1}}) {
        const Outcome sum = Call(aclnnReduceSumGetWorkspaceSize, aclnnReduceSum, x, dims, false, at::kFloat, out);
        ASSERT_EQ(ACL_SUCCESS, sum.code) << sum.text;
        EXPECT_TRUE(at::allclose(out[0], x.sum()));
        const Outcome mean = Call(aclnnMeanGetWorkspaceSize, aclnnMean, x, dims, false, at::kFloat, out);
        ASSERT_EQ(ACL_SUCCESS, mean.code) << mean.text;
        EXPECT_TRUE(at::allclose(out[0], x.mean()));
    }
}

OUTPUTS(ReduceSum, Singles(), (x[0], Ints{0}, true, at::kFloat, out[0]), at::sum(x[0], {0}, true));
OUTPUTS(Mean, Singles(), (x[0], Ints{-1}, false, at::kFloat, out[0]), at::mean(x[0], {-1}));
OUTPUTS(Amax, Singles(), (x[0], Ints{-1}, true, out[0]), at::amax(x[0], {-1}, true));
OUTPUTS(Max, Singles(), (x[0], out[0]), at::max(x[0]));
OUTPUTS(Min, Singles(), (x[0], out[0]), at::min(x[0]));
OUTPUTS(MaxDim, Singles(), (x[0], int64_t{-1}, false, out[0], out[1]), at::max(x[0], -1, false));
OUTPUTS(ArgMax, Singles(), (x[0], int64_t{-1}, false, out[0]), at::argmax(x[0], -1, false));
OUTPUTS(Cumsum, Singles(), (x[0], int64_t{0}, at::kFloat, out[0]), at::cumsum(x[0], 0));
OUTPUTS(Sort, Singles(), (x[0], true, int64_t{-1}, true, out[0], out[1]), at::sort(x[0], true, -1, true));
OUTPUTS(Argsort, Singles(), (x[0], int64_t{-1}, true, out[0]), at::argsort(x[0], -1, true));
OUTPUTS(Topk, Singles(), (x[0], int64_t{1}, int64_t{-1}, true, true, out[0], out[1]), at::topk(x[0], 1));
OUTPUTS(All, Singles(), (x[0], Ints{-1}, false, out[0]), at::all(x[0], -1));

OUTPUTS(Softmax, Singles(), (x[0], int64_t{-1}, out[0]), at::softmax(x[0], -1));
OUTPUTS(LogSoftmax, Singles(), (x[0], int64_t{0}, out[0]), at::log_softmax(x[0], 0));

// Returns two tensors of the same shape.
std::vector<Tensors> Twins() {
    std::vector<Tensors> inputs = Singles();
    for (Tensors& x : inputs) x.push_back(Random(x[0].sizes()));
    return inputs;
}
OUTPUTS(SoftmaxBackward, Twins(), (x[0], x[1], int64_t{-1}, out[0]),
        at::_softmax_backward_data(x[0], x[1], -1, at::kFloat));
OUTPUTS(SoftmaxCrossEntropyWithLogits, Twins(), (x[0], x[1], out[0], out[1]),
        std::make_tuple(-at::sum(x[1] * at::log_softmax(x[0], -1), {-1}), at::softmax(x[0], -1) - x[1]));
OUTPUTS(LogSoftmaxBackward, Twins(), (x[0], x[1], int64_t{-1}, out[0]),
        at::_log_softmax_backward_data(x[0], x[1], -1, at::kFloat));

// Returns scores, classes, and weights of classes.
std::vector<Tensors> Classes() {
    return {
        {Random({3, 4}), Indices({3}, 4), Random({4})},
        {Random({4, 3}).t(), Indices({6}, 4).slice(0, 0, 6, 2), Random({8}).slice(0, 0, 8, 2)},
        {Random({3, 4}), at::full({3}, 4, at::kLong), Random({4})},
        {Random({3, 4}), Indices({2}, 4), Random({4})},
        {Random({257, 33}), Indices({257}, 33), Random({33})},
    };
}
OUTPUTS(NLLLoss, Classes(), (x[0], x[1], x[2], int64_t{1}, int64_t{-100}, out[0], out[1]),
        at::nll_loss_forward(x[0], x[1], x[2], 1, -100));
OUTPUTS(NLLLossBackward, Classes(),
        (x[0].defined() ? x[0].sum() : x[0], x[0], x[1], x[2], int64_t{1}, int64_t{-100}, x[2].sum(), out[0]),
        at::nll_loss_backward(x[0].sum(), x[0], x[1], x[2], 1, -100, x[2].sum()));

std::vector<Tensors> Normalized() {
    return {
        {Random({3, 4}), Random({4}), Random({4})},
        {Random({4, 3}).t(), Random({8}).slice(0, 0, 8, 2), Random({4})},
        {Random({0, 4}), Random({4}), Random({4})},
        {Random({2, 3, 4}).permute({1, 0, 2}), Random({4}), Random({4})},
        {Random({129, 64}), Random({64}), Random({64})},
        {Random({3, 4}), Random({5}), Random({4})},
    };
}
OUTPUTS(LayerNorm, Normalized(), (x[0], x[1].sizes().vec(), x[1], x[2], 1e-5, out[0], out[1], out[2]),
        at::native_layer_norm(x[0], x[1].sizes(), x[1], x[2], 1e-5));
// Returns the mean and the inverse deviation of the first input.
Tensors Moments(const Tensors& x) {
    const auto results = at::native_layer_norm(x[0], x[1].sizes(), x[1], x[2], 1e-5);
    return {std::get<1>(results), std::get<2>(results)};
}
Outcome LayerNormSlope(const Tensors& x, const Tensors& out) {
    const Tensors moments = x[0].defined() && x[0].size(-1) == x[1].numel() ? Moments(x) : Tensors{x[1], x[1]};
    const at::Tensor slope = x[0].defined() ? x[0].cos() : x[0];
    const at::Tensor self = x[0].defined() ? x[0] : x[1];
    return Call(aclnnLayerNormBackwardGetWorkspaceSize, aclnnLayerNormBackward, slope, self, x[1].sizes().vec(),
                moments[0], moments[1], x[1], x[2], Flags{true, true, true}, out[0], out[1], out[2]);
}
TEST(Properties, LayerNormBackward) {
    CheckOutputs("aclnnLayerNormBackward", Normalized(), LayerNormSlope, [](const Tensors& x) {
        const Tensors moments = Moments(x);
        return Results(at::native_layer_norm_backward(x[0].cos(), x[0], x[1].sizes(), moments[0], moments[1], x[1],
                                                      x[2], {true, true, true}));
    });
}
OUTPUTS(RmsNorm, Normalized(), (x[0], x[1], 1e-5, out[0], out[1]),
        std::make_tuple(x[0] * at::rsqrt(at::mean(x[0] * x[0], {-1}, true) + 1e-5) * x[1],
                        at::rsqrt(at::mean(x[0] * x[0], {-1}, true) + 1e-5)));

// Returns batches of channels, with weight, bias, mean and variance of the channels.
std::vector<Tensors> Channels() {
    std::vector<Tensors> inputs;
    for (const at::Tensor& batch : {Random({2, 3, 4, 5}), Random({5, 4, 3, 2}).permute({3, 2, 1, 0}), Random({7, 3})})
        inputs.push_back({batch, Random({3}), Random({3}), Random({3}), Random({3})});
    inputs.push_back({Random({2, 3, 4}), Random({5}), Random({3}), Random({3}), Random({3})});
    return inputs;
}
// Without training the moments are inputs.
OUTPUTS(BatchNorm, Channels(), (x[0], x[1], x[2], x[3], x[4], false, 0.1, 1e-5, out[0], nullptr, nullptr),
        std::get<0>(at::native_batch_norm(x[0], x[1], x[2], x[3], x[4], false, 0.1, 1e-5)));
OUTPUTS(BatchNormBackward, Channels(),
        (x[0], x[0].defined() ? x[0].cos() : x[1], x[1], x[3], x[4], nullptr, nullptr, false, 1e-5,
         Flags{true, true, true}, out[0], out[1], out[2]),
        at::native_batch_norm_backward(x[0], x[0].cos(), x[1], x[3], x[4], kNone, kNone, false, 1e-5,
                                       {true, true, true}));

// Returns images, filters and biases.
std::vector<Tensors> Images() {
    return {
        {Random({2, 3, 8, 7}), Random({4, 3, 3, 3}), Random({4})},
        {Random({7, 8, 3, 2}).permute({3, 2, 1, 0}), Random({3, 3, 3, 4}).permute({3, 2, 1, 0}), Random({4})},
        {Random({0, 3, 8, 7}), Random({4, 3, 3, 3}), Random({4})},
        {Random({2, 5, 8, 7}), Random({4, 3, 3, 3}), Random({4})},
    };
}
const Ints kOnes{1, 1}, kTwos{2, 2}, kZeros{0, 0};
OUTPUTS(Convolution, Images(), (x[0], x[1], x[2], kTwos, kOnes, kOnes, false, kZeros, int64_t{1}, out[0], kPlain),
        at::convolution(x[0], x[1], x[2], kTwos, kOnes, kOnes, false, kZeros, 1));
at::Tensor Slope(const at::Tensor& image) {
    return image.defined() && image.dim() == 4 ? at::ones({image.size(0), 4, 4, 4}) : image;
}
OUTPUTS(ConvolutionBackward, Images(),
        (Slope(x[0]), x[0].defined() ? x[0] : x[1], x[1], Ints{4}, kTwos, kOnes, kOnes, false, kZeros, int64_t{1},
         Flags{true, true, true}, kPlain, out[0], out[1], out[2]),
        at::convolution_backward(Slope(x[0]), x[0], x[1], Ints{4}, kTwos, kOnes, kOnes, false, kZeros, 1,
                                 {true, true, true}));
OUTPUTS(AvgPool2d, Images(), (x[0], kTwos, kTwos, kZeros, true, true, int64_t{0}, kPlain, out[0]),
        at::avg_pool2d(x[0], kTwos, kTwos, kZeros, true, true));
OUTPUTS(MaxPool, Images(), (x[0], kTwos, kTwos, int64_t{0}, Ints{1, 1, 1, 1}, kOnes, false, out[0]),
        at::max_pool2d(x[0], {2, 2}, {2, 2}, {1, 1}));
OUTPUTS(MaxPool2dWithMask, Images(), (x[0], kTwos, kTwos, kZeros, kOnes, true, out[0], at::zeros({1})),
        at::max_pool2d(x[0], kTwos, kTwos, kZeros, kOnes, true));

// Returns rows, and which of them to use.
std::vector<Tensors> Rows() {
    return {
        {Random({7, 4}), Indices({5}, 7)},        {Random({4, 7}).t(), Indices({2, 10}, 7).slice(1, 0, 10, 2)},
        {Random({7, 4}), Indices({0}, 7)},        {Random({7, 4}), Indices({}, 7)},
        {Random({300, 65}), Indices({512}, 300)}, {Random({7, 4}), at::full({2}, 7, at::kLong)},
    };
}
OUTPUTS(Embedding, Rows(), (x[0], x[1], out[0]), at::embedding(x[0], x[1]));
OUTPUTS(EmbeddingDenseBackward, Rows(),
        (x[0].defined() ? at::embedding(x[0], x[1].remainder(7)) : x[0], x[1], int64_t{7}, int64_t{-1}, false, out[0]),
        at::embedding_dense_backward(at::embedding(x[0], x[1].remainder(7)), x[1], 7, -1, false));
OUTPUTS(IndexSelect, Rows(), (x[0], int64_t{0}, x[1], out[0]), at::index_select(x[0], 0, x[1]));
OUTPUTS(Gather, Rows(), (x[0], int64_t{0}, x[1].reshape({-1, 1}), out[0]), at::gather(x[0], 0, x[1].reshape({-1, 1})));
IN_PLACE(IndexPutImpl, Rows(), (x[0], Tensors{x[1]}, at::full({1}, 9.0), false, false),
         at::index_put(x[0], {x[1]}, at::full({1}, 9.0)));

// Returns lists of tensors.
Tensors Both(const Tensors& x) {
    return {x[0], x[1]};
}
std::vector<Tensors> Neighbours() {
    return {
        {Random({3, 4}), Random({2, 4})},
        {Random({4, 3}).t(), Random({1, 4}).expand({2, 4})},
        {Random({0, 4}), Random({3, 4})},
        {Random({3, 4}), Random({3, 5})},
    };
}
OUTPUTS(Cat, Neighbours(), (Both(x), int64_t{0}, out[0]), at::cat(Both(x), 0));
OUTPUTS(Stack, Twins(), (Both(x), int64_t{-1}, out[0]), at::stack(Both(x), -1));
OUTPUTS(SplitWithSize, Neighbours(), (x[0], Ints{1, 2}, int64_t{0}, out), x[0].split_with_sizes({1, 2}, 0));
OUTPUTS(Permute, Singles(), (x[0], Ints{1, 0}, out[0]), x[0].permute({1, 0}));
OUTPUTS(Slice, Singles(), (x[0], int64_t{-1}, int64_t{1}, int64_t{100}, int64_t{2}, out[0]), x[0].slice(-1, 1, 100, 2));
OUTPUTS(Repeat, Singles(), (x[0], Ints{2, 1, 3}, out[0]), x[0].repeat({2, 1, 3}));
OUTPUTS(Tril, Singles(), (x[0], int64_t{-1}, out[0]), at::tril(x[0], -1));

TEST(Properties, Arange) {
    CheckOutputs(
        "aclnnArange", {{}},
        [](const Tensors&, const Tensors& out) {
            return Call(aclnnArangeGetWorkspaceSize, aclnnArange, Scalar(1), Scalar(8), kTwo, out[0]);
        },
        [](const Tensors&) { return Results(at::arange(1, 8, 2)); });
}

// Checks random numbers, which have no counterpart: the same seed and offset give the same ones, another offset others.
template <typename Fill>
void CheckRandom(Fill fill, double mean, double deviation) {
    const at::Tensor all = at::full({200, 200}, 77.0);
    const at::Tensor view = all.slice(1, 1, 200, 2);
    ASSERT_EQ(ACL_SUCCESS, fill(view, 5).code);
    EXPECT_NEAR(view.mean().item<double>(), mean, 0.02);
    EXPECT_NEAR(view.std().item<double>(), deviation, 0.02);
    EXPECT_TRUE(at::equal(all.slice(1, 0, 200, 2), at::full({200, 100}, 77.0)));
    const at::Tensor again = at::zeros({200, 100}), other = at::zeros({200, 100});
    ASSERT_EQ(ACL_SUCCESS, fill(again, 5).code);
    ASSERT_EQ(ACL_SUCCESS, fill(other, 6).code);
    EXPECT_TRUE(at::equal(again, view));
    EXPECT_FALSE(at::equal(other, view));
}

TEST(Properties, InplaceNormal) {
    CheckRandom(
        [](const at::Tensor& self, int64_t offset) {
            return Call(aclnnInplaceNormalGetWorkspaceSize, aclnnInplaceNormal, self, 1.0f, 2.0f, int64_t{3}, offset);
        },
        1, 2);
}

TEST(Properties, InplaceUniform) {
    CheckRandom(
        [](const at::Tensor& self, int64_t offset) {
            return Call(aclnnInplaceUniformGetWorkspaceSize, aclnnInplaceUniform, self, 2.0, 4.0, int64_t{3}, offset);
        },
        3, 2 / std::sqrt(12));
}

TEST(Properties, Dropout) {
    const at::Tensor mask = at::zeros({128}, at::kByte), x = Random({32, 32}).t(), out = at::zeros({32, 32});
    const Ints shape{32, 32};
    ASSERT_EQ(ACL_SUCCESS, Call(aclnnDropoutGenMaskV2GetWorkspaceSize, aclnnDropoutGenMaskV2, shape, 0.25, int64_t{1},
                                int64_t{2}, at::kFloat, mask)
                               .code);
    ASSERT_EQ(ACL_SUCCESS, Call(aclnnDropoutDoMaskGetWorkspaceSize, aclnnDropoutDoMask, x, mask, 0.25, out).code);
    const at::Tensor is_kept = out.ne(0);
    EXPECT_NEAR(is_kept.to(at::kFloat).mean().item<double>(), 0.75, 0.08);
    EXPECT_TRUE(at::allclose(out, at::where(is_kept, x / 0.75, at::zeros({}))));
    const Outcome outcome =
        Call(aclnnDropoutDoMaskGetWorkspaceSize, aclnnDropoutDoMask, x, mask.slice(0, 0, 100), 0.25, out);
    EXPECT_EQ(ACLNN_ERR_PARAM_INVALID, outcome.code);
    EXPECT_NE(outcome.text.find("it must have at least 128, a bit for each of 1024 elements"), std::string::npos)
        << outcome.text;
}

// Returns queries, keys and values in heads.
std::vector<Tensors> Attentions() {
    return {
        {Random({2, 4, 6, 8}), Random({2, 4, 5, 8}), Random({2, 4, 5, 8})},
        {Random({8, 6, 4, 2}).permute({3, 2, 1, 0}), Random({2, 4, 5, 8}), Random({2, 4, 8, 5}).transpose(2, 3)},
        {Random({2, 4, 6, 8}), Random({2, 4, 5, 7}), Random({2, 4, 5, 8})},
    };
}
OUTPUTS(FlashAttentionScore, Attentions(),
        (x[0], x[1], x[2], nullptr, nullptr, nullptr, nullptr, nullptr, 1 / std::sqrt(8.0), 1.0, int64_t{0}, int64_t{0},
         int64_t{4}, "BNSD", int64_t{0}, int64_t{0}, nullptr, nullptr, nullptr, out[0]),
        at::matmul(at::softmax(at::matmul(x[0], x[1].transpose(2, 3)) / std::sqrt(8.0), -1), x[2]));

}  // namespace

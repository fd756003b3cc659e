// Blocks of language models: normalizations, rotary embeddings, gated units, experts. They compute in single precision,
// as integrations/operators/tests/blocks.py does in plain torch.
#include "ops/support.h"

namespace {

at::Tensor Wide(const at::Tensor& tensor) {
    return tensor.to(at::kFloat);
}

// Normalizes by the root of the mean of squares over the dimensions of `gamma`.
void RmsNormOf(const at::Tensor& x, const at::Tensor& gamma, const at::Tensor& factor, double epsilon, at::Tensor& y,
               at::Tensor& rstd) {
    if (gamma.dim() > x.dim() || gamma.sizes() != x.sizes().slice(static_cast<size_t>(x.dim() - gamma.dim())))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "gamma has the shape ", gamma.sizes(),
                      "; it must equal the last sizes of x, whose shape is ", x.sizes());
    std::vector<int64_t> dims;
    for (int64_t i = x.dim() - gamma.dim(); i < x.dim(); ++i) dims.push_back(i);
    const at::Tensor scale = at::rsqrt(at::mean(x * x, dims, true) + epsilon);
    Put(y, x * scale * factor);
    Put(rstd, scale);
}

void AddRmsNormOf(const at::Tensor& x1, const at::Tensor& x2, const at::Tensor& gamma, double epsilon, at::Tensor& y,
                  at::Tensor& rstd, at::Tensor& x) {
    CheckSame("x2", x2, "x1", x1);
    const at::Tensor sum = Wide(x1) + Wide(x2);
    Put(x, sum);
    RmsNormOf(sum, gamma, Wide(gamma), epsilon, y, rstd);
}

// How pairs of numbers that are rotated lie in the last dimension.
constexpr int64_t kHalves = 0, kNeighbours = 1;

// Returns the numbers with which those of `x` are paired, for the first of each pair the negative one.
at::Tensor Partners(const at::Tensor& x, int64_t mode) {
    if (x.dim() == 0 || x.size(-1) % 2 != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "x has the shape ", x.sizes(), "; its last size must be even");
    if (mode != kHalves && mode != kNeighbours)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "mode is ", mode, "; allowed: 0 (half), 1 (interleave)");
    const int64_t half = x.size(-1) / 2, at = mode == kHalves ? -2 : -1;
    const at::Tensor pairs =
        mode == kHalves ? x.unflatten(-1, at::IntArrayRef{2, half}) : x.unflatten(-1, at::IntArrayRef{half, 2});
    const at::Tensor first = pairs.select(at, 0), second = pairs.select(at, 1);
    return at::stack({-second, first}, at).flatten(-2);
}

at::Tensor Rotated(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, int64_t mode) {
    const at::Tensor wide = Wide(x);
    return wide * Wide(cos) + Partners(wide, mode) * Wide(sin);
}

// The halves of a tensor, whose size in a dimension is even.
std::pair<at::Tensor, at::Tensor> Halves(const at::Tensor& x, int64_t dim) {
    const int64_t size = x.size(dim);
    if (size % 2 != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "x has the shape ", x.sizes(), "; its size in dimension ", dim,
                      " must be even");
    const at::Tensor wide = Wide(x);
    return {wide.narrow(dim, 0, size / 2), wide.narrow(dim, size / 2, size / 2)};
}

at::Tensor SwiGluOf(const at::Tensor& x, int64_t dim) {
    const auto [gate, value] = Halves(x, dim);
    return at::silu(gate) * value;
}

at::Tensor SwiGluSlope(const at::Tensor& grad, const at::Tensor& x, int64_t dim) {
    const auto [gate, value] = Halves(x, dim);
    const at::Tensor slope = Wide(grad);
    CheckSame("yGrad", slope, "a half of x", gate);
    return at::cat({at::silu_backward(slope * value, gate), slope * at::silu(gate)}, dim);
}

const char* Approximation(int64_t approximate) {
    return approximate == 0 ? "none" : "tanh";
}

void GeGluOf(const at::Tensor& x, int64_t dim, int64_t approximate, bool left, at::Tensor& out, at::Tensor& gelu) {
    const auto [first, second] = Halves(x, dim);
    const at::Tensor active = at::gelu((left ? first : second).contiguous(), Approximation(approximate));
    Put(out, active * (left ? second : first));
    Put(gelu, active);
}

at::Tensor GeGluSlope(const at::Tensor& grad, const at::Tensor& x, const at::Tensor& gelu, int64_t dim,
                      int64_t approximate, bool left) {
    const auto [first, second] = Halves(x, dim);
    const at::Tensor slope = Wide(grad);
    CheckSame("gradOutput", slope, "a half of x", first);
    CheckSame("gelu", gelu, "a half of x", first);
    const at::Tensor through = at::gelu_backward((slope * (left ? second : first)).contiguous(),
                                                 (left ? first : second).contiguous(), Approximation(approximate));
    const at::Tensor beside = slope * Wide(gelu);
    return at::cat(left ? at::TensorList{through, beside} : at::TensorList{beside, through}, dim);
}

struct Groups {
    MaybeIn weight, bias;
    int64_t count;
    double epsilon;
};

// Normalizes groups of channels and returns the result, in single precision.
at::Tensor GroupsOf(const at::Tensor& x, const Groups& groups, at::Tensor& mean, at::Tensor& rstd) {
    CheckPositive("group", groups.count);
    if (x.dim() < 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "x has the shape ", x.sizes(), "; it must have at least 2 dimensions");
    const at::Tensor wide = Wide(x).contiguous();
    const auto some = [](MaybeIn tensor) { return tensor ? Optional<at::Tensor>(Wide(*tensor)) : kNone; };
    const int64_t rest = x.size(0) * x.size(1) > 0 ? x.numel() / (x.size(0) * x.size(1)) : 0;
    CheckCount("weight", groups.weight, x.size(1));
    CheckCount("bias", groups.bias, x.size(1));
    const auto results = at::native_group_norm(wide, some(groups.weight), some(groups.bias), x.size(0), x.size(1), rest,
                                               groups.count, groups.epsilon);
    Put(mean, std::get<1>(results));
    Put(rstd, std::get<2>(results));
    return std::get<0>(results);
}

// Writes rows at the places that the last dimension of `indices` gives.
void UpdateRows(at::Tensor& self, const at::Tensor& indices, const at::Tensor& updates) {
    if (indices.dim() == 0 || indices.size(-1) < 1 || indices.size(-1) > self.dim())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "indices has the shape ", indices.sizes(),
                      "; its last size must be 1 to ", self.dim(), ", the number of dimensions of self");
    c10::List<Optional<at::Tensor>> places;
    for (const at::Tensor& place : Long(indices).unbind(-1)) places.push_back(Optional<at::Tensor>(place));
    self.index_put_(places, updates);
}

// The highest probabilities of each row, their experts, and the number of each pair when pairs are counted by column.
void Gate(const at::Tensor& x, MaybeIn finished, int64_t k, at::Tensor& y, at::Tensor& expert, at::Tensor& row) {
    const auto highest = at::topk(at::softmax(Wide(x), -1), k, -1, true, true);
    at::Tensor chosen = std::get<1>(highest);
    if (finished) chosen = chosen.masked_fill(finished->to(at::kBool).unsqueeze(-1), x.size(-1));
    Put(y, std::get<0>(highest));
    Put(expert, chosen);
    const int64_t rows = k > 0 ? chosen.numel() / k : 0;
    Put(row, at::arange(rows * k, chosen.options()).reshape({k, rows}).t());
}

constexpr double kMostInt8 = 127;

// Rounds each row to whole numbers of at most 127, times a scale of the row.
void QuantizeRows(const at::Tensor& x, MaybeIn smooth, at::Tensor& y, at::Tensor& scale) {
    if (y.scalar_type() != at::kChar)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "y is of the type ", y.scalar_type(), "; allowed: int8");
    const at::Tensor wide = smooth ? Wide(x) * Wide(*smooth) : Wide(x);
    const at::Tensor most = at::amax(wide.abs(), {-1}, true) / kMostInt8;
    Put(y, at::round(wide / at::where(most > 0, most, at::ones({}, most.options()))));
    Put(scale, most);
}

}  // namespace

OPERATOR(AddRmsNorm, (In x1, In x2, In gamma, double epsilon, Out y, Out rstd, Out x),
         AddRmsNormOf(x1, x2, gamma, epsilon, y, rstd, x));
OPERATOR(GemmaRmsNorm, (In x, In gamma, double epsilon, Out y, Out rstd),
         RmsNormOf(Wide(x), gamma, Wide(gamma) + 1, epsilon, y, rstd));
OPERATOR(GroupNormSilu,
         (In self, MaybeIn weight, MaybeIn bias, int64_t group, double epsilon, Out out, Out mean, Out rstd),
         Put(out, at::silu(GroupsOf(self, {weight, bias, group, epsilon}, mean, rstd))));
OPERATOR(RotaryPositionEmbedding, (In x, In cos, In sin, int64_t mode, Out out), Put(out, Rotated(x, cos, sin, mode)));
OPERATOR(SwiGlu, (In x, int64_t dim, Out out), Put(out, SwiGluOf(x, dim)));
OPERATOR(SwiGluGrad, (In grad, In x, int64_t dim, Out out), Put(out, SwiGluSlope(grad, x, dim)));
OPERATOR(GeGluV3, (In x, int64_t dim, int64_t approximate, bool activateLeft, Out out, Out gelu),
         GeGluOf(x, dim, approximate, activateLeft, out, gelu));
OPERATOR(GeGluV3Backward, (In grad, In x, In gelu, int64_t dim, int64_t approximate, bool activateLeft, Out out),
         Put(out, GeGluSlope(grad, x, gelu, dim, approximate, activateLeft)));
OPERATOR(ScatterNdUpdate, (Out self, In indices, In updates), UpdateRows(self, indices, updates));
OPERATOR(MoeGatingTopKSoftmax, (In x, MaybeIn finished, int64_t k, Out y, Out expertIdx, Out rowIdx),
         Gate(x, finished, k, y, expertIdx, rowIdx));
OPERATOR(MoeComputeExpertTokens, (In sortedExperts, int64_t numExperts, Out out),
         Put(out, at::searchsorted(sortedExperts, at::arange(numExperts, sortedExperts.options()), false, true)));
OPERATOR(DynamicQuant, (In x, MaybeIn smoothScales, Out y, Out scale), QuantizeRows(x, smoothScales, y, scale));

// Blocks of language models: normalizations, rotary embeddings, gated units, experts. They compute in single precision,
// as integrations/operators/tests/blocks.py does in plain torch.
#include "ops/support.h"

namespace {

at::Tensor Wide(const at::Tensor& tensor) {
    return tensor.to(at::kFloat);
}

// Returns the last dimensions of x, whose sizes are those of gamma.
std::vector<int64_t> DimsOf(const at::Tensor& x, const at::Tensor& gamma) {
    if (gamma.dim() > x.dim() || gamma.sizes() != x.sizes().slice(static_cast<size_t>(x.dim() - gamma.dim())))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "gamma has the shape ", gamma.sizes(),
                      "; it must equal the last sizes of x, whose shape is ", x.sizes());
    std::vector<int64_t> dims;
    for (int64_t i = x.dim() - gamma.dim(); i < x.dim(); ++i) dims.push_back(i);
    return dims;
}

// Normalizes by the root of the mean of squares over the dimensions of `gamma`.
void RmsNormOf(const at::Tensor& x, const at::Tensor& gamma, const at::Tensor& factor, double epsilon, at::Tensor& y,
               at::Tensor& rstd) {
    const at::Tensor scale = at::rsqrt(at::mean(x * x, DimsOf(x, gamma), true) + epsilon);
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

// How pairs of numbers that are rotated lie in the last dimension. ggml's backend passes the third value for models
// whose halves are paired.
constexpr int64_t kHalves = 0, kNeighbours = 1, kHalvesOfGgml = 2;

// Returns the numbers with which those of `x` are paired, for the first of each pair the negative one.
at::Tensor Partners(const char* name, const at::Tensor& x, int64_t mode) {
    if (x.dim() == 0 || x.size(-1) % 2 != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has the shape ", x.sizes(),
                      "; it must have at least 1 dimension, and an even last size");
    if (mode < kHalves || mode > kHalvesOfGgml)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "mode is ", mode, "; allowed: 0 and 2 (half), 1 (interleave)");
    const int64_t half = x.size(-1) / 2, at = mode == kNeighbours ? -1 : -2;
    const at::Tensor pairs =
        mode != kNeighbours ? x.unflatten(-1, at::IntArrayRef{2, half}) : x.unflatten(-1, at::IntArrayRef{half, 2});
    const at::Tensor first = pairs.select(at, 0), second = pairs.select(at, 1);
    return at::stack({-second, first}, at).flatten(-2);
}

at::Tensor Rotated(const char* name, const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, int64_t mode) {
    const at::Tensor wide = Wide(x);
    return wide * Wide(cos) + Partners(name, wide, mode) * Wide(sin);
}

// A table of cosines, then sines, whose rows belong to positions. With 3 positions of each token (time, height, width)
// each section of a row is that of one of them.
struct BlockTable {
    const at::Tensor& positions;
    const at::Tensor& rows;
    MaybeInts sections;

    at::Tensor Half(bool is_sine) const {
        const int64_t half = rows.size(1) / 2;
        const at::Tensor chosen = Wide(rows.narrow(1, is_sine ? half : 0, half))
                                      .index_select(0, Long(positions.flatten()))
                                      .unflatten(0, positions.sizes());
        if (positions.dim() == 1) return chosen;
        std::vector<at::Tensor> parts;
        int64_t begin = 0;
        for (int64_t i = 0; i < positions.size(0); ++i) {
            const int64_t size = (*sections)[static_cast<size_t>(i)];
            parts.push_back(chosen.select(0, i).narrow(1, begin, size));
            begin += size;
        }
        return at::cat(parts, -1);
    }
};

void CheckTable(const BlockTable& table, int64_t head) {
    const at::Tensor &positions = table.positions, &rows = table.rows;
    CheckPositive("headSize", head);
    if (rows.dim() != 2 || rows.size(1) % 2 != 0 || rows.size(1) > head)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "cosSinCache has the shape ", rows.sizes(),
                      "; it must have 2 dimensions, and an even last size of at most headSize, ", head);
    if (positions.dim() != 1 && (positions.dim() != 2 || positions.size(0) != 3))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "positions has the shape ", positions.sizes(),
                      "; it must be [tokens] or [3, tokens]");
    if (positions.dim() == 1) return;
    int64_t sum = 0;
    bool is_negative = false;
    if (table.sections)
        for (const int64_t size : *table.sections) sum += size, is_negative = is_negative || size < 0;
    if (!table.sections || table.sections->size() != 3 || is_negative || sum != rows.size(1) / 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "mropeSection is ", table.sections ? c10::str(*table.sections) : "null",
                      "; if positions has 2 dimensions, mropeSection must have 3 elements of at least 0 with the sum ",
                      rows.size(1) / 2, ", a half of the last size of cosSinCache");
}

// Rotates the first numbers of each head.
void RotateByTable(const char* name, const at::Tensor& x, const BlockTable& table, int64_t head, int64_t mode,
                   at::Tensor& out) {
    CheckTable(table, head);
    const int64_t tokens = table.positions.size(-1), size = table.rows.size(1);
    if (x.dim() != 2 || x.size(0) != tokens || x.size(1) % head != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has the shape ", x.sizes(),
                      "; allowed: 2 dimensions, the first of size ", tokens,
                      " (the number of tokens in positions), the second a multiple of headSize (", head, ")");
    const at::Tensor heads = Wide(x).unflatten(1, at::IntArrayRef{x.size(1) / head, head});
    const auto factors = [&](bool is_sine) {
        const at::Tensor half = table.Half(is_sine).unsqueeze(1);
        return mode == kHalves ? at::cat({half, half}, -1) : half.repeat_interleave(2, -1);
    };
    const at::Tensor turned = Rotated(name, heads.narrow(2, 0, size), factors(false), factors(true), mode);
    Put(out, at::cat({turned, heads.narrow(2, size, head - size)}, -1));
}

int64_t RotaryMode(const std::string& name) {
    if (name == "half") return kHalves;
    if (name == "interleave") return kNeighbours;
    throw Refusal(ACLNN_ERR_PARAM_INVALID, "rotaryMode is ", name, "; allowed: half, interleave");
}

// Gives gradients the shape of what was broadcast.
at::Tensor SumTo(const at::Tensor& slope, const at::Tensor& like) {
    return at::sum_to(slope, like.sizes());
}

// Without x only its own gradient is known; those of cos and sin are 0.
void RotateBackward(const at::Tensor& grad, const at::Tensor& cos, const at::Tensor& sin, MaybeIn x, int64_t mode,
                    at::Tensor& dx, MaybeOut dcos, MaybeOut dsin) {
    const at::Tensor slope = Wide(grad);
    Put(dx, slope * Wide(cos) - Partners("dy", slope * Wide(sin), mode));
    const at::Tensor given = x ? Wide(*x) : at::zeros_like(slope);
    Put(dcos, SumTo(slope * given, cos));
    Put(dsin, SumTo(slope * Partners("x", given, mode), sin));
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

// Normalizes the sum of gx and alpha times x.
void DeepNormOf(const at::Tensor& x, const at::Tensor& gx, const at::Tensor& beta, const at::Tensor& gamma,
                double alpha, double epsilon, at::Tensor& mean, at::Tensor& rstd, at::Tensor& y) {
    CheckSame("gx", gx, "x", x);
    CheckSame("beta", beta, "gamma", gamma);
    const std::vector<int64_t> dims = DimsOf(x, gamma);
    const at::Tensor sum = Wide(x) * alpha + Wide(gx), middle = at::mean(sum, dims, true);
    const at::Tensor apart = sum - middle, scale = at::rsqrt(at::mean(apart * apart, dims, true) + epsilon);
    Put(y, apart * scale * Wide(gamma) + Wide(beta));
    Put(mean, middle);
    Put(rstd, scale);
}

struct DeepGradients {
    at::Tensor &x, &gx, &beta, &gamma;
};

void DeepNormSlope(const at::Tensor& grad, const at::Tensor& x, const at::Tensor& gx, const at::Tensor& gamma,
                   const at::Tensor& mean, const at::Tensor& rstd, double alpha, const DeepGradients& gradients) {
    CheckSame("gx", gx, "x", x);
    CheckSame("dy", grad, "x", x);
    const std::vector<int64_t> dims = DimsOf(x, gamma);
    const at::Tensor slope = Wide(grad), scale = Wide(rstd);
    const at::Tensor normal = (Wide(x) * alpha + Wide(gx) - Wide(mean)) * scale, inner = slope * Wide(gamma);
    const at::Tensor through =
        scale * (inner - at::mean(inner, dims, true) - normal * at::mean(inner * normal, dims, true));
    Put(gradients.x, through * alpha);
    Put(gradients.gx, through);
    Put(gradients.beta, SumTo(slope, gamma));
    Put(gradients.gamma, SumTo(slope * normal, gamma));
}

struct Groups {
    MaybeIn weight, bias;
    int64_t count;
    double epsilon;
    const char* of_count;
};

// Normalizes groups of channels and returns the result, in single precision.
at::Tensor GroupsOf(const at::Tensor& x, const Groups& groups, at::Tensor& mean, at::Tensor& rstd) {
    CheckPositive(groups.of_count, groups.count);
    if (x.dim() < 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "self has the shape ", x.sizes(),
                      "; it must have at least 2 dimensions");
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

// Swish: a number times its sigmoid, whose argument is scaled.
at::Tensor SwishOf(const at::Tensor& x, double scale) {
    return x * at::sigmoid(x * scale);
}

struct SwishGradients {
    at::Tensor& x;
    MaybeOut weight, bias;
};

void SwishSlope(const at::Tensor& grad, const at::Tensor& mean, const at::Tensor& rstd, const at::Tensor& x,
                const Groups& groups, double scale, const SwishGradients& gradients) {
    CheckSame("dy", grad, "x", x);
    CheckPositive(groups.of_count, groups.count);
    if (x.dim() < 2 || x.size(1) % groups.count != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "x has the shape ", x.sizes(),
                      "; it must have at least 2 dimensions, and its second size must be a multiple of ", groups.count,
                      ", numGroups");
    CheckCount("gamma", groups.weight, x.size(1));
    CheckCount("beta", groups.bias, x.size(1));
    CheckCount("mean", mean, x.size(0) * groups.count);
    CheckCount("rstd", rstd, x.size(0) * groups.count);
    const at::Tensor wide = Wide(x).contiguous();
    const int64_t rest = x.size(0) * x.size(1) > 0 ? x.numel() / (x.size(0) * x.size(1)) : 0;
    const auto of_groups = [&](const at::Tensor& each) { return Wide(each).reshape({x.size(0), groups.count, 1}); };
    std::vector<int64_t> channels(static_cast<size_t>(x.dim()), 1);
    channels[1] = x.size(1);
    at::Tensor normal =
        ((wide.reshape({x.size(0), groups.count, -1}) - of_groups(mean)) * of_groups(rstd)).reshape(x.sizes());
    if (groups.weight) normal = normal * Wide(*groups.weight).reshape(channels);
    if (groups.bias) normal = normal + Wide(*groups.bias).reshape(channels);
    const at::Tensor gate = at::sigmoid(normal * scale);
    const at::Tensor slope = (Wide(grad) * gate * (1 + normal * scale * (1 - gate))).contiguous();
    const Optional<at::Tensor> weight = groups.weight ? Optional<at::Tensor>(Wide(*groups.weight)) : kNone;
    const auto results =
        at::native_group_norm_backward(slope, wide, Wide(mean).contiguous(), Wide(rstd).contiguous(), weight, x.size(0),
                                       x.size(1), rest, groups.count, {true, true, true});
    Put(gradients.x, std::get<0>(results));
    Put(gradients.weight, std::get<1>(results));
    Put(gradients.bias, std::get<2>(results));
}

void CheckChannelsFirst(const std::string& format) {
    if (format != "NCHW") throw Refusal(ACLNN_ERR_PARAM_INVALID, "dataFormat is ", format, "; allowed: NCHW");
}

// Writes a part of each element of a batch, from the place in a dimension that its index gives.
void UpdateParts(at::Tensor& self, const at::Tensor& indices, const at::Tensor& updates, int64_t axis) {
    if (self.dim() < 2 || updates.dim() != self.dim())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "self and updates have the shapes ", self.sizes(), " and ",
                      updates.sizes(), "; both must have the same number of dimensions, at least 2");
    const int64_t dim = axis < 0 ? axis + self.dim() : axis;
    if (dim < 1 || dim >= self.dim())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "axis is ", axis, "; allowed: 1 to ", self.dim() - 1, ", or ",
                      1 - self.dim(), " to -1: a dimension of self after the first");
    if (indices.dim() != 1 || indices.size(0) != self.size(0))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "indices has the shape ", indices.sizes(), "; it must be [",
                      self.size(0), "], an index for each element of the first dimension of self");
    const at::Tensor to = self.transpose(1, dim), from = updates.transpose(1, dim);
    const at::Tensor steps = at::arange(from.size(1), indices.options().dtype(at::kLong));
    std::vector<int64_t> sizes = to.sizes().vec();
    sizes[1] = from.size(1);
    if (from.sizes() != at::IntArrayRef(sizes))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "updates has the shape ", updates.sizes(),
                      "; its sizes must be those of self, ", self.sizes(), ", except in dimension ", axis);
    c10::List<Optional<at::Tensor>> places;
    places.push_back(Optional<at::Tensor>(at::arange(to.size(0), steps.options()).unsqueeze(1)));
    places.push_back(Optional<at::Tensor>(Long(indices).unsqueeze(1) + steps));
    at::Tensor(to).index_put_(places, from);
}

// Writes rows at the places that the last dimension of `indices` gives.
void UpdateRows(at::Tensor& self, const at::Tensor& indices, const at::Tensor& updates) {
    if (indices.dim() == 0 || indices.size(-1) < 1 || indices.size(-1) > self.dim())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "indices has the shape ", indices.sizes(),
                      "; it must have at least 1 dimension, and a last size of 1 to ", self.dim(),
                      ", the number of dimensions of self");
    c10::List<Optional<at::Tensor>> places;
    for (const at::Tensor& place : Long(indices).unbind(-1)) places.push_back(Optional<at::Tensor>(place));
    self.index_put_(places, updates);
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
OPERATOR(AddRmsNormCast, (In x1, In x2, In gamma, Out y1, Out y2, Out rstd, Out x, double epsilon),
         AddRmsNormOf(x1, x2, gamma, epsilon, y1, rstd, x);
         y2.copy_(y1));
OPERATOR(GemmaRmsNorm, (In x, In gamma, double epsilon, Out y, Out rstd),
         RmsNormOf(Wide(x), gamma, Wide(gamma) + 1, epsilon, y, rstd));
OPERATOR(GroupNormSilu,
         (In self, MaybeIn weight, MaybeIn bias, int64_t group, double epsilon, Out out, Out mean, Out rstd),
         Put(out, at::silu(GroupsOf(self, {weight, bias, group, epsilon, "group"}, mean, rstd))));
OPERATOR(GroupNormSwish,
         (In self, MaybeIn weight, MaybeIn bias, int64_t numGroups, Text dataFormat, double eps, bool activateSwish,
          double swishScale, Out out, Out mean, Out rstd),
         CheckChannelsFirst(dataFormat);
         const at::Tensor normal = GroupsOf(self, {weight, bias, numGroups, eps, "numGroups"}, mean, rstd);
         Put(out, activateSwish ? SwishOf(normal, swishScale) : normal));
OPERATOR(GroupNormSwishGrad,
         (In dy, In mean, In rstd, In x, MaybeIn gamma, MaybeIn beta, int64_t numGroups, Text dataFormat,
          double swishScale, [[maybe_unused]] bool dgammaIsRequired, [[maybe_unused]] bool dbetaIsRequired, Out dx,
          MaybeOut dgamma, MaybeOut dbeta),
         CheckChannelsFirst(dataFormat);
         SwishSlope(dy, mean, rstd, x, {gamma, beta, numGroups, 0, "numGroups"}, swishScale, {dx, dgamma, dbeta}));
OPERATOR(DeepNorm, (In x, In gx, In beta, In gamma, double alpha, double epsilon, Out mean, Out rstd, Out y),
         DeepNormOf(x, gx, beta, gamma, alpha, epsilon, mean, rstd, y));
OPERATOR(DeepNormGrad,
         (In dy, In x, In gx, In gamma, In mean, In rstd, double alpha, Out dx, Out dgx, Out dbeta, Out dgamma),
         DeepNormSlope(dy, x, gx, gamma, mean, rstd, alpha, {dx, dgx, dbeta, dgamma}));
OPERATOR(RotaryPositionEmbedding, (In x, In cos, In sin, int64_t mode, Out out),
         Put(out, Rotated("x", x, cos, sin, mode)));
OPERATOR(RotaryPositionEmbeddingGrad,
         (In dy, In cos, In sin, MaybeIn x, int64_t mode, Out dx, MaybeOut dcos, MaybeOut dsin),
         RotateBackward(dy, cos, sin, x, mode, dx, dcos, dsin));
OPERATOR(ApplyRotaryPosEmb, (Out query, Out key, In cos, In sin, [[maybe_unused]] int64_t layout),
         query.copy_(Rotated("query", query, cos, sin, kHalves));
         key.copy_(Rotated("key", key, cos, sin, kHalves)));
OPERATOR(ApplyRotaryPosEmbV2, (Out query, Out key, In cos, In sin, [[maybe_unused]] int64_t layout, Text rotaryMode),
         query.copy_(Rotated("query", query, cos, sin, RotaryMode(rotaryMode)));
         key.copy_(Rotated("key", key, cos, sin, RotaryMode(rotaryMode))));
OPERATOR(RopeWithSinCosCache,
         (In positions, In query, In key, In cosSinCache, MaybeInts mropeSection, int64_t headSize, bool isNeoxStyle,
          Out queryOut, Out keyOut),
         const BlockTable table{positions, cosSinCache, mropeSection};
         RotateByTable("query", query, table, headSize, isNeoxStyle ? kHalves : kNeighbours, queryOut);
         RotateByTable("key", key, table, headSize, isNeoxStyle ? kHalves : kNeighbours, keyOut));
OPERATOR(SwiGlu, (In x, int64_t dim, Out out), Put(out, SwiGluOf(x, dim)));
OPERATOR(SwiGluGrad, (In yGrad, In x, int64_t dim, Out out), Put(out, SwiGluSlope(yGrad, x, dim)));
OPERATOR(GeGluV3, (In x, int64_t dim, int64_t approximate, bool activateLeft, Out out, Out gelu),
         GeGluOf(x, dim, approximate, activateLeft, out, gelu));
OPERATOR(GeGluV3Backward, (In gradOutput, In x, In gelu, int64_t dim, int64_t approximate, bool activateLeft, Out out),
         Put(out, GeGluSlope(gradOutput, x, gelu, dim, approximate, activateLeft)));
OPERATOR(ScatterNdUpdate, (Out self, In indices, In updates), UpdateRows(self, indices, updates));
OPERATOR(InplaceScatterUpdate, (Out self, In indices, In updates, int64_t axis),
         UpdateParts(self, indices, updates, axis));
OPERATOR(DynamicQuant, (In x, MaybeIn smoothScales, Out y, Out scale), QuantizeRows(x, smoothScales, y, scale));

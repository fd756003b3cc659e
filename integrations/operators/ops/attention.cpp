// Attention in its plain form: products of matrices and a softmax.
#include "ops/support.h"

namespace {

// Converts the layout, which orders batch (B), heads (N), sequence (S) and head dimension (D), to heads. H is N times
// D.
at::Tensor ToHeads(const at::Tensor& tensor, const std::string& layout, int64_t heads) {
    if (layout == "BNSD") return tensor;
    if (layout == "BSND") return tensor.transpose(1, 2);
    if (layout == "BSH") return tensor.unflatten(2, {heads, -1}).transpose(1, 2);
    if (layout == "SBH") return tensor.unflatten(2, {heads, -1}).permute({1, 2, 0, 3});
    throw Refusal(ACLNN_ERR_PARAM_INVALID, "inputLayout is ", layout, "; allowed: BNSD, BSND, BSH, SBH");
}

at::Tensor FromHeads(const at::Tensor& tensor, const std::string& layout) {
    if (layout == "BNSD") return tensor;
    if (layout == "BSND") return tensor.transpose(1, 2);
    if (layout == "BSH") return tensor.transpose(1, 2).flatten(2);
    return tensor.permute({2, 0, 1, 3}).flatten(2);
}

// The modes of sparseMode: keys up to the query's number, counted from the first or from the last key.
constexpr int64_t kLeftUp = 2, kRightDown = 3;

struct Options {
    double scale, keep;
    int64_t heads;
    const std::string& layout;
    int64_t sparse;
};

void CheckOptions(const Options& options, MaybeIn shift) {
    if (options.sparse < 0 || options.sparse > kRightDown)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "sparseMode is ", options.sparse,
                      "; allowed: 0 and 1 (a whole mask), 2 and 3 (a triangular mask)");
    CheckPositive("headNum", options.heads);
    if (shift) throw Refusal(ACLNN_ERR_PARAM_INVALID, "realShift is not supported; pass null");
}

// Returns which keys a score does not count. In the modes for triangles the program's mask is a smaller pattern of the
// same.
Optional<at::Tensor> Hidden(const at::Tensor& scores, MaybeIn mask, int64_t sparse) {
    if (sparse < kLeftUp) return mask ? Optional<at::Tensor>(mask->to(at::kBool)) : kNone;
    const int64_t diagonal = sparse == kLeftUp ? 1 : scores.size(-1) - scores.size(-2) + 1;
    return at::ones({scores.size(-2), scores.size(-1)}, scores.options().dtype(at::kBool)).triu(diagonal);
}

// Returns the weights of the values, in single precision. A key has as many heads as a query, or one for several of
// them.
at::Tensor Weights(const at::Tensor& query, const at::Tensor& key, MaybeIn mask, const Options& options) {
    at::Tensor scores = at::matmul(query, key.transpose(-2, -1)) * options.scale;
    if (const auto hidden = Hidden(scores, mask, options.sparse))
        scores = scores.masked_fill(*hidden, -std::numeric_limits<double>::infinity());
    return at::softmax(scores, -1);
}

// Returns what dropout multiplies the weights by, or nothing if there is no dropout.
at::Tensor Dropped(const at::Tensor& weights, MaybeIn drop, const Options& options) {
    return drop && options.keep < 1 ? weights * Kept(*drop, weights.sizes(), options.keep) : weights;
}

at::Tensor Grouped(const at::Tensor& tensor, int64_t heads) {
    CheckPositive("the number of heads in key or value", tensor.size(1));
    return tensor.size(1) == heads ? tensor : tensor.repeat_interleave(heads / tensor.size(1), 1);
}

at::Tensor Wide(const at::Tensor& tensor, const Options& options, int64_t heads) {
    return ToHeads(tensor, options.layout, heads).to(at::kFloat);
}

int64_t KeyHeads(const at::Tensor& query, const at::Tensor& key, const Options& options) {
    if (query.dim() == 4) return 0;
    if (query.size(2) < options.heads)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "headNum is ", options.heads, "; allowed: at most ", query.size(2),
                      ", the last size of query");
    return key.size(2) / (query.size(2) / options.heads);
}

void Attend(const Options& options, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
            MaybeIn mask, MaybeIn drop, at::Tensor& out) {
    const int64_t heads = KeyHeads(query, key, options);
    const at::Tensor q = Wide(query, options, options.heads);
    const at::Tensor k = Grouped(Wide(key, options, heads), q.size(1));
    const at::Tensor v = Grouped(Wide(value, options, heads), q.size(1));
    const at::Tensor weights = Dropped(Weights(q, k, mask, options), drop, options);
    out.copy_(FromHeads(at::matmul(weights, v), options.layout));
}

// Returns the sum over the heads of a query that share a key.
at::Tensor Shared(const at::Tensor& slope, int64_t heads) {
    return slope.size(1) == heads ? slope : slope.unflatten(1, {heads, -1}).sum(2);
}

void AttendBackward(const Options& options, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                    const at::Tensor& grad, MaybeIn mask, MaybeIn drop, at::Tensor& dq, at::Tensor& dk,
                    at::Tensor& dv) {
    const int64_t heads = KeyHeads(query, key, options);
    const at::Tensor q = Wide(query, options, options.heads);
    const at::Tensor own = Wide(key, options, heads);
    const at::Tensor k = Grouped(own, q.size(1));
    const at::Tensor v = Grouped(Wide(value, options, heads), q.size(1));
    const at::Tensor slope = Wide(grad, options, options.heads);
    const at::Tensor weights = Weights(q, k, mask, options);
    const at::Tensor through = Dropped(at::matmul(slope, v.transpose(-2, -1)), drop, options);
    const at::Tensor back = at::_softmax_backward_data(through, weights, -1, at::kFloat);
    const at::Tensor dropped = Dropped(weights, drop, options);
    const at::Tensor scaled = back * options.scale;
    dq.copy_(FromHeads(at::matmul(scaled, k), options.layout));
    dk.copy_(FromHeads(Shared(at::matmul(scaled.transpose(-2, -1), q), own.size(1)), options.layout));
    dv.copy_(FromHeads(Shared(at::matmul(dropped.transpose(-2, -1), slope), own.size(1)), options.layout));
}

}  // namespace

OPERATOR(FlashAttentionScore,
         (In query, In key, In value, MaybeIn realShift, MaybeIn dropMask, [[maybe_unused]] MaybeIn paddingMask,
          MaybeIn mask, [[maybe_unused]] MaybeInts prefix, double scale, double keepProb,
          [[maybe_unused]] int64_t preTokens, [[maybe_unused]] int64_t nextTokens, int64_t headNum, Text layout,
          [[maybe_unused]] int64_t innerPrecise, int64_t sparseMode, [[maybe_unused]] MaybeOut softmaxMax,
          [[maybe_unused]] MaybeOut softmaxSum, [[maybe_unused]] MaybeOut softmaxOut, Out out),
         const Options options{scale, keepProb, headNum, layout, sparseMode};
         CheckOptions(options, realShift); Attend(options, query, key, value, mask, dropMask, out));
OPERATOR(FlashAttentionScoreGrad,
         (In query, In key, In value, In grad, MaybeIn realShift, MaybeIn dropMask,
          [[maybe_unused]] MaybeIn paddingMask, MaybeIn mask, [[maybe_unused]] MaybeIn softmaxMax,
          [[maybe_unused]] MaybeIn softmaxSum, [[maybe_unused]] MaybeIn softmaxIn, [[maybe_unused]] MaybeIn attention,
          [[maybe_unused]] MaybeInts prefix, double scale, double keepProb, [[maybe_unused]] int64_t preTokens,
          [[maybe_unused]] int64_t nextTokens, int64_t headNum, Text layout, [[maybe_unused]] int64_t innerPrecise,
          int64_t sparseMode, Out dq, Out dk, Out dv, [[maybe_unused]] MaybeOut dpse),
         const Options options{scale, keepProb, headNum, layout, sparseMode};
         CheckOptions(options, realShift);
         AttendBackward(options, query, key, value, grad, mask, dropMask, dq, dk, dv));

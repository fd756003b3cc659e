// Attention for training, and its gradient, over BNSD in single precision.
#pragma once

#include "ops/attention/attention.h"

namespace attention {

struct AttentionOptions {
    double scale, keep;
    int64_t heads;
    const std::string& layout;
    Sparse sparse;
};

inline void CheckOptions(const AttentionOptions& options, MaybeIn padding, MaybeInts prefix) {
    if (options.sparse.mode < kWhole || options.sparse.mode > kBand)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "sparseMode is ", options.sparse.mode,
                      "; allowed: 0 and 1 (a whole mask), 2 and 3 (a triangular mask), 4 (a band)");
    if (!(options.keep > 0 && options.keep <= 1))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "keepProb is ", options.keep, "; allowed: more than 0, at most 1");
    CheckPositive("headNum", options.heads);
    if (padding) throw Refusal(ACLNN_ERR_PARAM_INVALID, "paddingMask is not supported; pass null");
    if (prefix && !prefix->empty())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "prefix is not supported; pass null or an empty array");
}

// Checks how the second versions add to scores: before these are scaled, as the first versions do.
inline void CheckShift(MaybeIn shift, int64_t type) {
    if (type != 1 && (shift || type != 0))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "pseType is ", type, "; allowed: 1, and 0 if realShift is null");
}

inline bool HasElements(MaybeIn tensor) {
    return tensor && tensor->numel() > 0;
}

struct Heads {
    at::Tensor query, key, value;
};

// What is added to scores, which scores do not count, and what dropout multiplies the weights by.
struct Extras {
    Optional<at::Tensor> shift, mask, factors;
};

inline Optional<at::Tensor> Factors(MaybeIn drop, at::IntArrayRef sizes, const AttentionOptions& options) {
    if (!drop || options.keep == 1) return kNone;
    return Optional<at::Tensor>(Kept("dropMask", *drop, sizes, options.keep).to(drop->device()));
}

inline at::Tensor Scores(const at::Tensor& query, const at::Tensor& key, const Extras& extras,
                         const AttentionOptions& options) {
    at::Tensor scores = at::matmul(query, key.transpose(-2, -1));
    if (extras.shift) scores = scores + extras.shift->to(at::kFloat);
    scores = scores * options.scale;
    return Shown(scores, Hidden(scores, extras.mask, options.sparse));
}

inline at::Tensor Dropped(const at::Tensor& weights, const Extras& extras) {
    return extras.factors ? weights * *extras.factors : weights;
}

// What attention returns, with the maxima and sums of the softmax.
struct Result {
    at::Tensor out, most, sum;
};

inline Result Attend(const Heads& heads, const Extras& extras, const AttentionOptions& options) {
    const at::Tensor key = Grouped(heads.key, heads.query.size(1)), value = Grouped(heads.value, heads.query.size(1));
    const Softmax softmax = SoftmaxOf(Scores(heads.query, key, extras, options));
    return {at::matmul(Dropped(softmax.weights, extras), value), softmax.most, softmax.sum};
}

// What the gradient gets of the forward computation: maxima and sums of a softmax, which may be over more keys than
// these, and the result. Without them it computes them.
struct Saved {
    Optional<at::Tensor> most, sum, out;
};

struct Slopes {
    at::Tensor query, key, value, scores;
};

// Returns the sum over the heads of a query that share a key.
inline at::Tensor Shared(const at::Tensor& slope, int64_t heads) {
    return slope.size(1) == heads ? slope : slope.unflatten(1, at::IntArrayRef{heads, slope.size(1) / heads}).sum(2);
}

inline Slopes AttendBackward(const Heads& heads, const at::Tensor& grad, const Extras& extras, const Saved& saved,
                             const AttentionOptions& options) {
    const at::Tensor key = Grouped(heads.key, heads.query.size(1)), value = Grouped(heads.value, heads.query.size(1));
    const at::Tensor scores = Scores(heads.query, key, extras, options);
    const bool known = saved.most && saved.sum;
    // The maximum of a query that attends to nothing is the lowest number, and so is each of its scores.
    const at::Tensor weights = known ? at::exp(scores - saved.most->masked_fill(*saved.most == -kInfinity, 0)) /
                                           saved.sum->masked_fill(*saved.sum == 0, 1)
                                     : SoftmaxOf(scores).weights;
    const at::Tensor through = Dropped(at::matmul(grad, value.transpose(-2, -1)), extras);
    const at::Tensor mean = at::sum(known && saved.out ? grad * *saved.out : weights * through, {-1}, true);
    const at::Tensor slope = weights * (through - mean) * options.scale;
    const int64_t own = heads.key.size(1);
    return {at::matmul(slope, key), Shared(at::matmul(slope.transpose(-2, -1), heads.query), own),
            Shared(at::matmul(Dropped(weights, extras).transpose(-2, -1), grad), own), slope};
}

// Outputs of the gradient.
struct Gradients {
    at::Tensor &query, &key, &value;
    MaybeOut shift;
};

}  // namespace attention

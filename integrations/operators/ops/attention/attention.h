// What operators of attention share: orders of dimensions, masks, and the softmax in its plain form.
#pragma once

#include "ops/support.h"

namespace attention {

// Batch (B), heads (N), sequence (S) and head dimension (D); H is N times D.
inline int64_t Dimensions(const std::string& layout) {
    if (layout == "BNSD" || layout == "BSND") return 4;
    if (layout == "BSH" || layout == "SBH") return 3;
    throw Refusal(ACLNN_ERR_PARAM_INVALID, "inputLayout is ", layout, "; allowed: BNSD, BSND, BSH, SBH");
}

// Converts the layout to BNSD. `of_heads` says what `heads` is.
inline at::Tensor ToHeads(const char* name, const at::Tensor& tensor, const std::string& layout, int64_t heads,
                          const char* of_heads) {
    if (tensor.dim() != Dimensions(layout))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has the shape ", tensor.sizes(), "; with the inputLayout ",
                      layout, " it must have ", Dimensions(layout), " dimensions");
    CheckPositive(of_heads, heads);
    if (tensor.dim() == 3) {
        if (tensor.size(2) % heads != 0)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has the shape ", tensor.sizes(),
                          "; its last size must be a multiple of ", heads, ", ", of_heads);
        const at::Tensor four = tensor.unflatten(2, at::IntArrayRef{heads, tensor.size(2) / heads});
        return layout == "BSH" ? four.transpose(1, 2) : four.permute({1, 2, 0, 3});
    }
    const at::Tensor four = layout == "BNSD" ? tensor : tensor.transpose(1, 2);
    if (four.size(1) != heads)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has the shape ", tensor.sizes(), "; with the inputLayout ",
                      layout, " its ", layout == "BNSD" ? "second" : "third", " size must be ", heads, ", ", of_heads);
    return four;
}

inline at::Tensor FromHeads(const at::Tensor& tensor, const std::string& layout) {
    if (layout == "BNSD") return tensor;
    if (layout == "BSND") return tensor.transpose(1, 2);
    if (layout == "BSH") return tensor.transpose(1, 2).flatten(2);
    return tensor.permute({2, 0, 1, 3}).flatten(2);
}

// Returns keys or values with as many heads as a query: each serves several heads of it.
inline at::Tensor Grouped(const at::Tensor& tensor, int64_t heads) {
    const int64_t own = tensor.size(1);
    CheckPositive("the number of heads in key or value", own);
    if (heads % own != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "the number of heads in query is ", heads, "; allowed: a multiple of ",
                      own, ", the number of heads in key or value");
    return own == heads ? tensor : tensor.repeat_interleave(heads / own, 1);
}

// The values of sparseMode: a whole mask, triangles that are counted from the first or from the last key, and a band.
// For the latter three the program's mask is a smaller pattern of the same.
constexpr int64_t kWhole = 0, kAll = 1, kLeftUp = 2, kRightDown = 3, kBand = 4;

struct Sparse {
    int64_t mode, before, after;
};

// Returns which keys are more than `before` keys behind a query, or more than `after` ahead of it.
inline at::Tensor Outside(const at::Tensor& scores, int64_t shift, int64_t before, int64_t after) {
    const auto options = scores.options().dtype(at::kLong);
    const at::Tensor ahead =
        at::arange(scores.size(-1), options) - at::arange(scores.size(-2), options).unsqueeze(1) - shift;
    return at::logical_or(ahead > after, ahead < -before);
}

// Returns which scores do not count. Without a mask all do.
inline Optional<at::Tensor> Hidden(const at::Tensor& scores, MaybeIn mask, const Sparse& sparse) {
    if (!mask) return kNone;
    if (sparse.mode <= kAll) return Optional<at::Tensor>(mask->to(at::kBool));
    const int64_t queries = scores.size(-2), keys = scores.size(-1);
    const int64_t shift = sparse.mode == kLeftUp ? 0 : keys - queries;
    if (sparse.mode == kBand) return Optional<at::Tensor>(Outside(scores, shift, sparse.before, sparse.after));
    return Optional<at::Tensor>(Outside(scores, shift, queries + keys, 0));
}

// A softmax over keys: the weights, and the maxima and sums of rows.
struct Softmax {
    at::Tensor weights, most, sum;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline at::Tensor Shown(const at::Tensor& scores, const Optional<at::Tensor>& hidden) {
    return hidden ? scores.masked_fill(*hidden, -kInfinity) : scores;
}

// A query that attends to nothing has weights 0.
inline Softmax SoftmaxOf(const at::Tensor& shown) {
    const at::Tensor most = at::amax(shown, {-1}, true);
    const at::Tensor powers = at::exp(shown - most.masked_fill(most == -kInfinity, 0));
    const at::Tensor sum = at::sum(powers, {-1}, true);
    return {powers / sum.masked_fill(sum == 0, 1), most, sum};
}

}  // namespace attention

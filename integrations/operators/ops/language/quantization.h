// What operators share that turn numbers into numbers of 8 or 4 bits with scales.
#pragma once

#include "ops/support.h"

namespace quantization {

inline at::Tensor Wide(const at::Tensor& tensor) {
    return tensor.to(at::kFloat);
}

inline void CheckInt8(const char* name, const at::Tensor& tensor) {
    if (tensor.scalar_type() != at::kChar)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " is of the type ", tensor.scalar_type(), "; allowed: int8");
}

constexpr int64_t kInInt32 = 8;

// The range of quantized numbers.
struct Range {
    double least, most;
};

// Returns the range for y: that of 8 bits, or of 4 bits if each int32 holds eight of them.
inline Range RangeOf(const char* x_name, const at::Tensor& x, const char* y_name, const at::Tensor& y) {
    if (x.dim() == 0) throw Refusal(ACLNN_ERR_PARAM_INVALID, x_name, " has no dimensions; it must have at least 1");
    if (y.scalar_type() == at::kChar) return {-128, 127};
    if (y.scalar_type() != at::kInt)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, y_name, " is of the type ", y.scalar_type(),
                      "; allowed: int8, and int32 (eight 4-bit numbers in each element)");
    if (x.size(-1) % kInInt32 != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, x_name, " has the shape ", x.sizes(), "; as ", y_name,
                      " is of the type int32, the last size of ", x_name, " must be divisible by ", kInInt32);
    return {-8, 7};
}

// Writes whole numbers in the range for y.
inline void PutQuantized(at::Tensor& y, const at::Tensor& numbers) {
    if (y.scalar_type() != at::kInt) return Put(y, numbers);
    const at::Tensor pairs = numbers.to(at::kChar).unflatten(-1, {numbers.size(-1) / 2, 2});
    const at::Tensor lower = at::bitwise_and(pairs.select(-1, 0), 0xf);
    Put(y, at::bitwise_or(lower, at::bitwise_left_shift(pairs.select(-1, 1), 4)).contiguous().view(at::kInt));
}

inline void CheckAbsent(const char* name, MaybeIn tensor, const char* when = "") {
    if (tensor) throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " is not supported", when, "; pass null");
}

// Returns the factors of each row: those of its group, whose ends are numbers of rows.
inline at::Tensor OfGroups(const char* name, const at::Tensor& factors, const at::Tensor& ends, const at::Tensor& x) {
    if (factors.dim() != 2 || ends.dim() != 1 || factors.size(0) != ends.size(0))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " and groupIndex have the shapes ", factors.sizes(), " and ",
                      ends.sizes(),
                      "; they must have 2 and 1 dimensions, with the same first size, the number of groups");
    const int64_t rows = x.size(-1) > 0 ? x.numel() / x.size(-1) : 0;
    // Rows behind the last group are none of a program's.
    const at::Tensor group = at::clamp_max(
        at::searchsorted(Long(ends), at::arange(rows, ends.options().dtype(at::kLong)), false, true), ends.size(0) - 1);
    std::vector<int64_t> sizes = x.sizes().vec();
    return factors.index_select(0, group).reshape(sizes);
}

// Returns the factors of all rows, or those of each row if there are groups.
inline Optional<at::Tensor> FactorsOf(const char* name, MaybeIn factors, MaybeIn ends, const at::Tensor& x) {
    if (!ends) return factors;
    CheckPresent(name, factors, "if groupIndex is not null");
    return Optional<at::Tensor>(OfGroups(name, *factors, *ends, x));
}

// Quantizes each row by the range of its numbers, with an offset or so that 0 stays 0.
inline void QuantizeRows(const at::Tensor& x, const Range& range, MaybeIn factors, at::Tensor& y, at::Tensor& scale,
                         MaybeOut offset) {
    at::Tensor wide = Wide(x);
    if (factors) wide = wide * Wide(*factors);
    const auto positive = [](const at::Tensor& factor) { return factor.masked_fill(factor == 0, 1); };
    if (!offset) {
        const at::Tensor factor = at::amax(wide.abs(), {-1}, true) / range.most;
        PutQuantized(y, at::round(wide / positive(factor)));
        return Put(scale, factor);
    }
    const at::Tensor highest = at::amax(wide, {-1}, true);
    const at::Tensor factor = (highest - at::amin(wide, {-1}, true)) / (range.most - range.least);
    const at::Tensor shift = range.most - highest / positive(factor);
    PutQuantized(y, at::clamp(at::round(wide / positive(factor) + shift), range.least, range.most));
    Put(scale, factor);
    Put(offset, shift);
}

// The values of groupListType: what numbers of rows are.
constexpr int64_t kEnds = 0, kCounts = 1;

// The factors of columns, perhaps of each group, and what the groups are.
struct Smooth {
    const char* name;
    MaybeIn factors, groups;
    int64_t groups_type;
};

inline void QuantizeGated(const at::Tensor& x, const Smooth& smooth, bool is_left_active, at::Tensor& y,
                          at::Tensor& scale) {
    if (x.dim() < 2 || x.size(-1) % 2 != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "x has the shape ", x.sizes(),
                      "; it must have at least 2 dimensions, and an even last size");
    if (smooth.groups_type != kEnds && smooth.groups_type != kCounts)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "groupListType is ", smooth.groups_type,
                      "; allowed: 0 (cumulative numbers of rows), 1 (the number of rows of each group)");
    const std::vector<at::Tensor> halves = at::chunk(Wide(x), 2, -1);
    const at::Tensor gated = at::silu(halves[is_left_active ? 0 : 1]) * halves[is_left_active ? 1 : 0];
    Optional<at::Tensor> ends = smooth.groups, factors = smooth.factors, no_offset;
    if (ends && smooth.groups_type == kCounts) ends = at::cumsum(*ends, 0);
    // One factor for each group.
    if (ends && factors && factors->dim() == 1) factors = factors->unsqueeze(-1).expand({-1, gated.size(-1)});
    const Range range = RangeOf("a half of x", gated, "y", y);
    QuantizeRows(gated, range, FactorsOf(smooth.name, factors, ends, gated), y, scale, no_offset);
}

}  // namespace quantization

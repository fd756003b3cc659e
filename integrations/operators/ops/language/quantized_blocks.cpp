// Blocks of language models whose results are numbers of 8 bits with scales. They compute in single precision.
#include "ops/language/quantization.h"

using namespace quantization;

namespace {

// Adds, normalizes by the root of the mean of squares, and adds `beta`.
at::Tensor AddAndNormalize(const at::Tensor& x1, const at::Tensor& x2, const at::Tensor& gamma, MaybeIn beta,
                           double epsilon, at::Tensor& x) {
    CheckSame("x2", x2, "x1", x1);
    const auto own = static_cast<size_t>(gamma.dim());
    const auto all = static_cast<size_t>(x1.dim());
    if (own > all || gamma.sizes() != x1.sizes().slice(all - own))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "gamma has the shape ", gamma.sizes(),
                      "; it must equal the last sizes of x1, whose shape is ", x1.sizes());
    if (beta) CheckSame("beta", *beta, "gamma", gamma);
    std::vector<int64_t> dims;
    for (int64_t i = -gamma.dim(); i < 0; ++i) dims.push_back(i);
    const at::Tensor sum = Wide(x1) + Wide(x2);
    Put(x, sum);
    const at::Tensor normal = sum * at::rsqrt(at::mean(sum * sum, dims, true) + epsilon) * Wide(gamma);
    return beta ? normal + Wide(*beta) : normal;
}

// How numbers become whole: they are divided by the scales or multiplied with them, and moved.
struct Steps {
    MaybeIn scales, zeros;
    bool divides;
};

void PutSteps(const at::Tensor& normal, const Steps& steps, const char* name, at::Tensor& y) {
    if (!steps.scales) return;
    CheckInt8(name, y);
    const at::Tensor scales = Wide(*steps.scales), scaled = steps.divides ? normal / scales : normal * scales;
    const at::Tensor moved = steps.zeros ? scaled + Wide(*steps.zeros) : scaled;
    Put(y, at::clamp(at::round(moved), -128, 127));
}

// The two results of a normalization: each by the range of rows, after a factor.
struct Rows {
    MaybeIn factor;
    const char* name;
    at::Tensor &y, &scale;
};

void PutRows(const at::Tensor& normal, bool is_wanted, const Rows& rows) {
    if (!is_wanted) return;
    Optional<at::Tensor> no_offset;
    QuantizeRows(normal, RangeOf("x1", normal, rows.name, rows.y), rows.factor, rows.y, rows.scale, no_offset);
}

// Returns which of two results are wanted. Without a mask the first one is, and the second if it has a factor.
std::array<bool, 2> Wanted(Flags mask, MaybeIn second) {
    if (mask.empty()) return {true, second.has_value()};
    if (mask.size() != 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "outputMask has ", mask.size(), " elements; it must have 2, or none");
    return {mask[0], mask[1]};
}

constexpr const char* kIfFloating = " if x is of a floating-point type";

// Returns sums of products of numbers of 8 bits as numbers: with a scale for each column and one for each row.
at::Tensor FromSums(const at::Tensor& x, MaybeIn columns, MaybeIn rows, MaybeIn bias, MaybeIn groups) {
    if (x.dim() != 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "x has the shape ", x.sizes(), "; it must have 2 dimensions");
    if (at::isFloatingType(x.scalar_type())) {
        CheckAbsent("weightScale", columns, kIfFloating);
        CheckAbsent("activationScale", rows, kIfFloating);
        CheckAbsent("bias", bias, kIfFloating);
        return Wide(x);
    }
    CheckPresent("weightScale", columns, "if x is of an integer type");
    at::Tensor wide = bias ? (x + *bias).to(at::kFloat) : Wide(x);
    if (!groups || columns->size(0) == 1 || columns->dim() == 1)
        wide = wide * Wide(*columns);
    else
        wide = wide * Wide(OfGroups("weightScale", *columns, at::cumsum(*groups, 0), x));
    if (rows) CheckCount("activationScale", *rows, x.size(0));
    return rows ? wide * Wide(*rows).reshape({-1, 1}) : wide;
}

void CheckZero(const char* name, int64_t mode) {
    if (mode != 0) throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " is ", mode, "; allowed: 0");
}

void CheckLast(const char* name, int64_t dim, const at::Tensor& x) {
    if (dim != -1 && dim != x.dim() - 1)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " is ", dim, "; allowed: -1 or ", x.dim() - 1,
                      ", the last dimension of x");
}

void CheckDynamic(const std::string& mode) {
    if (mode != "dynamic") throw Refusal(ACLNN_ERR_PARAM_INVALID, "quantMode is ", mode, "; allowed: dynamic");
}

// Quantizes blocks of a row, or of several, by the range of their numbers.
void QuantizeBlocks(const at::Tensor& x, int64_t rows, int64_t columns, at::Tensor& y, at::Tensor& scale) {
    CheckInt8("y", y);
    CheckPositive("rowBlockSize", rows);
    CheckPositive("colBlockSize", columns);
    if (x.dim() < 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "x has the shape ", x.sizes(), "; it must have at least 2 dimensions");
    const int64_t height = x.size(-2), width = x.size(-1);
    const int64_t more_rows = (rows - height % rows) % rows, more_columns = (columns - width % columns) % columns;
    const at::Tensor whole = at::constant_pad_nd(Wide(x), {0, more_columns, 0, more_rows});
    const at::Tensor blocks = whole.unflatten(-1, at::IntArrayRef{(width + more_columns) / columns, columns})
                                  .unflatten(-3, at::IntArrayRef{(height + more_rows) / rows, rows});
    const at::Tensor factors = at::amax(blocks.abs(), {-1, -3}, true) / 127;
    const at::Tensor numbers = at::round(blocks / factors.masked_fill(factors == 0, 1));
    Put(y, numbers.flatten(-2).flatten(-3, -2).narrow(-2, 0, height).narrow(-1, 0, width));
    Put(scale, factors);
}

}  // namespace

OPERATOR(AddRmsNormQuant,
         (In x1, In x2, In gamma, In scales1, MaybeIn scales2, MaybeIn zeroPoints1, MaybeIn zeroPoints2,
          [[maybe_unused]] int64_t axis, double epsilon, bool divMode, Out y1, Out y2, Out x),
         const at::Tensor normal = AddAndNormalize(x1, x2, gamma, kNone, epsilon, x);
         PutSteps(normal, {Optional<at::Tensor>(scales1), zeroPoints1, divMode}, "y1", y1);
         PutSteps(normal, {scales2, zeroPoints2, divMode}, "y2", y2));
OPERATOR(AddRmsNormQuantV2,
         (In x1, In x2, In gamma, In scales1, MaybeIn scales2, MaybeIn zeroPoints1, MaybeIn zeroPoints2, MaybeIn beta,
          [[maybe_unused]] int64_t axis, double epsilon, bool divMode, Out y1, Out y2, Out x, MaybeOut res),
         CheckAbsent("res", res);
         const at::Tensor normal = AddAndNormalize(x1, x2, gamma, beta, epsilon, x);
         PutSteps(normal, {Optional<at::Tensor>(scales1), zeroPoints1, divMode}, "y1", y1);
         PutSteps(normal, {scales2, zeroPoints2, divMode}, "y2", y2));
OPERATOR(AddRmsNormDynamicQuantV2,
         (In x1, In x2, In gamma, MaybeIn smoothScale1, MaybeIn smoothScale2, MaybeIn beta, double epsilon,
          Flags outputMask, Out y1, Out y2, Out x, Out scale1, Out scale2),
         const at::Tensor normal = AddAndNormalize(x1, x2, gamma, beta, epsilon, x);
         const auto wanted = Wanted(outputMask, smoothScale2);
         PutRows(normal, wanted[0], {smoothScale1, "y1", y1, scale1});
         PutRows(normal, wanted[1], {smoothScale2, "y2", y2, scale2}));
OPERATOR(DequantSwigluQuant,
         (In x, MaybeIn weightScale, MaybeIn activationScale, MaybeIn bias, MaybeIn quantScale, MaybeIn quantOffset,
          MaybeIn groupIndex, bool activateLeft, Text quantMode, Out y, Out scale),
         CheckAbsent("quantOffset", quantOffset);
         CheckDynamic(quantMode);
         QuantizeGated(FromSums(x, weightScale, activationScale, bias, groupIndex),
                       {"quantScale", quantScale, quantScale ? groupIndex : kNone, kCounts}, activateLeft, y, scale));
OPERATOR(DequantSwigluQuantV2,
         (In x, MaybeIn weightScale, MaybeIn activationScale, MaybeIn bias, MaybeIn quantScale, MaybeIn quantOffset,
          MaybeIn groupIndex, bool activateLeft, Text quantMode, [[maybe_unused]] int64_t dstType,
          [[maybe_unused]] Text roundMode, int64_t activateDim, int64_t swigluMode, [[maybe_unused]] double clampLimit,
          [[maybe_unused]] double gluAlpha, [[maybe_unused]] double gluBias, Out y, Out scale),
         CheckAbsent("quantOffset", quantOffset);
         CheckDynamic(quantMode); CheckZero("swigluMode", swigluMode); CheckLast("activateDim", activateDim, x);
         QuantizeGated(FromSums(x, weightScale, activationScale, bias, groupIndex),
                       {"quantScale", quantScale, quantScale ? groupIndex : kNone, kCounts}, activateLeft, y, scale));
OPERATOR(DynamicBlockQuant,
         (In x, [[maybe_unused]] double minScale, [[maybe_unused]] Text roundMode, [[maybe_unused]] int64_t dstType,
          int64_t rowBlockSize, int64_t colBlockSize, Out y, Out scale),
         QuantizeBlocks(x, rowBlockSize, colBlockSize, y, scale));

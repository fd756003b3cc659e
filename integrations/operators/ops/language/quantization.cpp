// Numbers of 8 and 4 bits with scales, and products of matrices that use them. Layers of experts. All compute in single
// precision, except sums of products of 8 bits.
#include <algorithm>
#include <limits>

#include "ops/language/quantization.h"

using namespace quantization;

namespace {

void CheckNarrow(const char* name, const at::Tensor& tensor, const char* allowed) {
    if (tensor.scalar_type() != at::kChar)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " is of the type ", tensor.scalar_type(), "; allowed: ", allowed,
                      ", and int32 (eight 4-bit numbers in each element) with at least 1 dimension");
}

// Returns numbers of 8 bits. An int32 stands for eight numbers of 4 bits, the first in its lowest bits. They follow
// each other in the last dimension, or in the last but one of a transposed matrix.
at::Tensor Narrow(const at::Tensor& numbers) {
    if (numbers.scalar_type() != at::kInt || numbers.dim() == 0) return numbers;
    const bool is_transposed = numbers.dim() > 1 && !numbers.is_contiguous() && numbers.stride(-2) == 1;
    const at::Tensor rows = is_transposed ? numbers.transpose(-2, -1) : numbers;
    const at::Tensor narrow = HalvesOf(rows.contiguous().view(at::kChar)).flatten(-2);
    return is_transposed ? narrow.transpose(-2, -1) : narrow;
}

// Quantizes numbers by given scales and offsets: one for all, or one for each place of one of the last two dimensions.
void QuantizeBy(const at::Tensor& x, const at::Tensor& scale, MaybeIn offset, const std::string& mode, int64_t axis,
                at::Tensor& y) {
    const Range range = RangeOf("x", x, "y", y);
    const int64_t last = x.dim() - 1, at = axis < 0 ? axis + x.dim() : axis;
    if (at < 0 || at > last || at < last - 1)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "axis is ", axis,
                      "; allowed: one of the last two dimensions of x, whose shape is ", x.sizes());
    const auto along = [&](const at::Tensor& factors) {
        const at::Tensor wide = Wide(factors);
        return wide.dim() == 1 && at < last ? wide.unsqueeze(-1) : wide;
    };
    const at::Tensor scaled = offset ? Wide(x) * along(scale) + along(*offset) : Wide(x) * along(scale);
    const auto rounded = [&] {
        if (mode == "round") return at::round(scaled);
        if (mode == "floor") return at::floor(scaled);
        if (mode == "ceil") return at::ceil(scaled);
        if (mode == "trunc") return at::trunc(scaled);
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "roundMode is ", mode, "; allowed: round, floor, ceil, trunc");
    };
    PutQuantized(y, at::clamp(rounded(), range.least, range.most));
}

// Quantizes as torch does: divides by scales, which are for all numbers or for each place of one dimension.
void QuantizePlaces(const at::Tensor& x, const at::Tensor& scales, MaybeIn zeros, int64_t axis, at::Tensor& out) {
    const int64_t at = axis < 0 ? axis + x.dim() : axis;
    if (at < 0 || at >= x.dim())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "axis is ", axis, "; allowed: a dimension of x, whose shape is ",
                      x.sizes());
    double least = std::numeric_limits<int32_t>::min(), most = std::numeric_limits<int32_t>::max();
    if (out.scalar_type() == at::kChar)
        least = -128, most = 127;
    else if (out.scalar_type() == at::kByte)
        least = 0, most = 255;
    else if (out.scalar_type() != at::kInt)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "out is of the type ", out.scalar_type(),
                      "; allowed: int8, uint8, int32");
    const auto along = [&](const at::Tensor& factors) {
        if (factors.numel() == 1) return factors.to(at::kDouble).reshape({});
        std::vector<int64_t> sizes(static_cast<size_t>(x.dim()), 1);
        sizes[static_cast<size_t>(at)] = factors.numel();
        return factors.to(at::kDouble).reshape(sizes);
    };
    // Double precision holds all numbers of 32 bits.
    const at::Tensor whole = at::round((Wide(x) / along(scales).to(at::kFloat)).to(at::kDouble));
    Put(out, at::clamp(zeros ? whole + along(*zeros) : whole, least, most));
}

void CheckNoRoot(bool is_root) {
    if (is_root) throw Refusal(ACLNN_ERR_PARAM_INVALID, "sqrtMode is true; allowed: false");
}

// Scales for products of matrices of 8 bits, as 64 bits: the lowest 32 are the bits of the number.
constexpr int64_t kBitsOfScale = 0xffffffff;

void PackScales(const at::Tensor& scale, int64_t mode, at::Tensor& out) {
    // Both modes round to fewer bits than are kept here.
    if (mode != 0 && mode != 1) throw Refusal(ACLNN_ERR_PARAM_INVALID, "roundMode is ", mode, "; allowed: 0 and 1");
    if (scale.scalar_type() != at::kFloat || out.scalar_type() != at::kLong)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "scale and out are of the types ", scale.scalar_type(), " and ",
                      out.scalar_type(), "; allowed: float for scale, and int64 for out");
    Put(out, at::bitwise_and(scale.view(at::kInt).to(at::kLong), kBitsOfScale));
}

at::Tensor UnpackedScales(const at::Tensor& scale) {
    if (scale.scalar_type() != at::kLong) return scale;
    return at::bitwise_and(scale, kBitsOfScale).to(at::kInt).view(at::kFloat);
}

// Returns a matrix of numbers of 8 or 4 bits. Scales and offsets are for all of it, for columns, or for groups of rows.
at::Tensor Dequantized(const at::Tensor& passed, const at::Tensor& scale, MaybeIn offset, int64_t group) {
    const at::Tensor weight = Narrow(passed);
    CheckNarrow("weight", weight, "int8, ACL_INT4");
    if (weight.dim() != 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "weight has the shape ", passed.sizes(), "; it must have 2 dimensions");
    if (!at::isFloatingType(scale.scalar_type()))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "antiquantScale is of the type ", scale.scalar_type(),
                      "; allowed: floating-point types");
    if (group < 0) throw Refusal(ACLNN_ERR_PARAM_INVALID, "antiquantGroupSize is ", group, "; allowed: at least 0");
    const auto rows = [&](const at::Tensor& factors) {
        if (group == 0) return Wide(factors);
        if (factors.dim() != 2 || factors.size(0) != (weight.size(0) + group - 1) / group)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "antiquantScale or antiquantOffset has the shape ", factors.sizes(),
                          "; it must have 2 dimensions, and its first size must be ",
                          (weight.size(0) + group - 1) / group, ", the number of rows in weight (", weight.size(0),
                          ") divided by antiquantGroupSize (", group, "), rounded up");
        return Wide(factors).repeat_interleave(group, 0).narrow(0, 0, weight.size(0));
    };
    const at::Tensor numbers = offset ? Wide(weight) + rows(*offset) : Wide(weight);
    return numbers * rows(scale);
}

void MultiplyDequantized(const at::Tensor& x, const at::Tensor& weight, MaybeIn bias, at::Tensor& y) {
    const at::Tensor product = at::matmul(Wide(x), weight);
    Put(y, bias ? product + Wide(*bias) : product);
}

// Multiplies two matrices of 8 bits. A bias of whole numbers is added before the scales, another one after them.
void MultiplyQuantized(const at::Tensor& x1, const at::Tensor& x2, const at::Tensor& packed, MaybeIn of_rows,
                       MaybeIn bias, at::Tensor& out) {
    CheckInt8("x1", x1);
    CheckInt8("x2", x2);
    const at::Tensor scale = UnpackedScales(packed);
    if (!at::isFloatingType(scale.scalar_type()))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "scale is of the type ", scale.scalar_type(),
                      "; allowed: floating-point types, and int64 from aclnnTransQuantParamV2 or "
                      "aclnnTransQuantParamV3");
    if (!at::isFloatingType(out.scalar_type()))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "out is of the type ", out.scalar_type(),
                      "; allowed: floating-point types");
    // Sums of products of 8 bits are exact in double precision.
    at::Tensor product = at::matmul(x1.to(at::kDouble), x2.to(at::kDouble));
    const bool is_whole = bias && !at::isFloatingType(bias->scalar_type());
    if (is_whole) product = product + bias->to(at::kDouble);
    product = product * scale.to(at::kDouble);
    if (of_rows) product = product * of_rows->to(at::kDouble).unsqueeze(-1);
    if (bias && !is_whole) product = product + bias->to(at::kDouble);
    Put(out, product);
}

at::Tensor Active(const at::Tensor& x, const std::string& activation) {
    if (activation == "relu") return at::relu(x);
    if (activation == "gelu") return at::gelu(x);
    if (activation == "silu") return at::silu(x);
    throw Refusal(ACLNN_ERR_PARAM_INVALID, "activation is ", activation, "; allowed: relu, gelu, silu");
}

// Two layers with a function in between, of one expert or of several, which take the rows in order.
struct Layers {
    const at::Tensor &first, &second;
    MaybeIn first_bias, second_bias;
};

at::Tensor ThroughLayers(const at::Tensor& x, const Layers& layers, const std::string& activation) {
    const auto product = [](const at::Tensor& left, const at::Tensor& weight, MaybeIn bias) {
        const at::Tensor result = at::matmul(left, Wide(weight));
        return bias ? result + Wide(*bias) : result;
    };
    return product(Active(product(x, layers.first, layers.first_bias), activation), layers.second, layers.second_bias);
}

void FeedForward(const at::Tensor& x, const Layers& layers, MaybeInts tokens, bool are_ends,
                 const std::string& activation, at::Tensor& y) {
    const at::Tensor wide = Wide(x);
    if (!tokens || tokens->empty()) return Put(y, ThroughLayers(wide, layers, activation));
    if (layers.first.dim() != 3 || layers.second.dim() != 3 ||
        static_cast<int64_t>(tokens->size()) > layers.first.size(0))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "weight1 and weight2 have the shapes ", layers.first.sizes(), " and ",
                      layers.second.sizes(),
                      "; both must have 3 dimensions, and the first size of weight1 must be at "
                      "least ",
                      tokens->size(), ", the number of elements in expertTokens");
    const at::Tensor rows = wide.flatten(0, -2);
    // All counts are checked before the first product, with which a check without data may end.
    std::vector<int64_t> ends;
    for (const int64_t count : *tokens) ends.push_back(are_ends || ends.empty() ? count : ends.back() + count);
    if (!std::is_sorted(ends.begin(), ends.end()) || ends.front() < 0 || ends.back() != rows.size(0))
        throw Refusal(
            ACLNN_ERR_PARAM_INVALID, "expertTokens is ", *tokens, " and tokensIndexFlag is ",
            are_ends ? "true; expertTokens must hold cumulative numbers of rows, at least 0, in non-decreasing "
                       "order, the last of which must be "
                     : "false; expertTokens must hold the number of rows of each expert, at least 0, with the sum ",
            rows.size(0), ", the number of rows in x");
    std::vector<at::Tensor> parts;
    int64_t begin = 0;
    for (size_t i = 0; i < ends.size(); ++i) {
        const auto one = [i](MaybeIn bias) {
            return bias ? Optional<at::Tensor>(bias->select(0, static_cast<int64_t>(i))) : kNone;
        };
        const auto expert = static_cast<int64_t>(i);
        const Optional<at::Tensor> first_bias = one(layers.first_bias), second_bias = one(layers.second_bias);
        const at::Tensor first = layers.first.select(0, expert), second = layers.second.select(0, expert);
        parts.push_back(ThroughLayers(rows.narrow(0, begin, ends[i] - begin), {first, second, first_bias, second_bias},
                                      activation));
        begin = ends[i];
    }
    Put(y, at::cat(parts));
}

}  // namespace

OPERATOR(DynamicQuantV2,
         (In x, MaybeIn smoothScales, MaybeIn groupIndex, [[maybe_unused]] Type dstType, Out y, Out scale,
          MaybeOut offset),
         const Range range = RangeOf("x", x, "y", y);
         QuantizeRows(x, range, FactorsOf("smoothScales", smoothScales, groupIndex, x), y, scale, offset));
OPERATOR(AscendQuantV3,
         (In x, In scale, MaybeIn offset, bool sqrtMode, Text roundMode, [[maybe_unused]] Type dstType, int64_t axis,
          Out y),
         CheckNoRoot(sqrtMode);
         QuantizeBy(x, scale, offset, roundMode, axis, y));
OPERATOR(AscendQuant,
         (In x, In scale, MaybeIn offset, bool sqrtMode, Text roundMode, [[maybe_unused]] Type dstType, Out y),
         CheckNoRoot(sqrtMode);
         QuantizeBy(x, scale, offset, roundMode, -1, y));
OPERATOR(Quantize, (In x, In scales, MaybeIn zeroPoints, [[maybe_unused]] Type dtype, int64_t axis, Out out),
         QuantizePlaces(x, scales, zeroPoints, axis, out));
OPERATOR(AscendAntiQuant, (In x, In scale, MaybeIn offset, [[maybe_unused]] Type dstType, bool sqrtMode, Out y),
         CheckNoRoot(sqrtMode);
         const at::Tensor narrow = Narrow(x); CheckNarrow("x", narrow, "int8");
         Put(y, (offset ? Wide(narrow) + Wide(*offset) : Wide(narrow)) * Wide(scale)));
OPERATOR(SwiGluQuantV2,
         (In x, MaybeIn smoothScales, MaybeIn offsets, MaybeIn groupIndex, bool activateLeft, Text quantMode,
          int64_t groupListType, [[maybe_unused]] Type dstType, Out y, Out scale),
         CheckAbsent("offsets", offsets);
         if (quantMode != "dynamic") throw Refusal(ACLNN_ERR_PARAM_INVALID, "quantMode is ", quantMode,
                                                   "; allowed: dynamic");
         QuantizeGated(x, {"smoothScales", smoothScales, groupIndex, groupListType}, activateLeft, y, scale));
OPERATOR(TransQuantParamV2, (In scale, MaybeIn offset, Out out), CheckAbsent("offset", offset);
         PackScales(scale, 0, out));
OPERATOR(TransQuantParamV3, (In scale, MaybeIn offset, int64_t roundMode, Out out), CheckAbsent("offset", offset);
         PackScales(scale, roundMode, out));
OPERATOR(WeightQuantBatchMatmulV2,
         (In x, Packed weight, In antiquantScale, MaybeIn antiquantOffset, MaybeIn quantScale, MaybeIn quantOffset,
          MaybeIn bias, int64_t antiquantGroupSize, Out y),
         CheckAbsent("quantScale", quantScale);
         CheckAbsent("quantOffset", quantOffset);
         MultiplyDequantized(x, Dequantized(weight, antiquantScale, antiquantOffset, antiquantGroupSize), bias, y));
OPERATOR(QuantMatmulV4,
         (In x1, In x2, In scale, MaybeIn offset, MaybeIn pertokenScale, MaybeIn bias, bool transposeX1,
          bool transposeX2, Out out),
         CheckAbsent("offset", offset);
         MultiplyQuantized(transposeX1 ? x1.transpose(-2, -1) : x1, transposeX2 ? x2.transpose(-2, -1) : x2, scale,
                           pertokenScale, bias, out));
OPERATOR(FFNV2,
         (In x, In weight1, In weight2, MaybeInts expertTokens, MaybeIn bias1, MaybeIn bias2, MaybeIn scale,
          MaybeIn offset, MaybeIn deqScale1, MaybeIn deqScale2, MaybeIn antiquantScale1, MaybeIn antiquantScale2,
          MaybeIn antiquantOffset1, MaybeIn antiquantOffset2, Text activation, [[maybe_unused]] int64_t innerPrecise,
          bool tokensIndexFlag, Out y),
         CheckAbsent("scale", scale);
         CheckAbsent("offset", offset); CheckAbsent("deqScale1", deqScale1); CheckAbsent("deqScale2", deqScale2);
         CheckAbsent("antiquantScale1", antiquantScale1); CheckAbsent("antiquantScale2", antiquantScale2);
         CheckAbsent("antiquantOffset1", antiquantOffset1); CheckAbsent("antiquantOffset2", antiquantOffset2);
         FeedForward(x, {weight1, weight2, bias1, bias2}, expertTokens, tokensIndexFlag, activation, y));

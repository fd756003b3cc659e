// Shapes and types of functions that ATen knows without data only in Python. Each returns or writes nothing but sizes.
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/TensorIterator.h>
#include <ATen/WrapDimUtilsMulti.h>
#include <ATen/native/ConvUtils.h>
#include <ATen/native/Resize.h>
#include <ATen/native/layer_norm.h>

#include "check/kernels.h"
#include "run/aten.h"

namespace operators {

namespace {

using Tensor = at::Tensor;
using Three = std::tuple<Tensor, Tensor, Tensor>;
using Two = std::tuple<Tensor, Tensor>;

Tensor Like(const Tensor& self, at::IntArrayRef sizes) {
    return at::empty(sizes, self.options());
}

// Functions element by element, of whatever types.
Tensor& Broadcast(Tensor& out, std::initializer_list<const Tensor*> inputs) {
    at::TensorIteratorConfig config;
    config.check_all_same_dtype(false).check_all_same_device(false).add_output(out);
    for (const Tensor* const input : inputs) config.add_input(*input);
    config.build();
    return out;
}
Tensor& One(const Tensor& self, Tensor& out) {
    return Broadcast(out, {&self});
}
Tensor& Both(const Tensor& self, const Tensor& other, Tensor& out) {
    return Broadcast(out, {&self, &other});
}
Tensor& Where(const Tensor& condition, const Tensor& self, const Tensor& other, Tensor& out) {
#if OPERATORS_TORCH >= 200
    const auto type = at::result_type(self, other);
    TORCH_CHECK(out.scalar_type() == type, "Expected out type to be ", type, " but got ", out.scalar_type());
#endif
    return Broadcast(out, {&condition, &self, &other});
}
Tensor& NanToNum(const Tensor& self, Optional<double>, Optional<double>, Optional<double>, Tensor& out) {
    TORCH_CHECK(self.scalar_type() == out.scalar_type(), "nan_to_num: dtype of out: ", out.scalar_type(),
                " should be same as input: ", self.scalar_type());
    return One(self, out);
}

Tensor& Relu(Tensor& self) {
    TORCH_CHECK(self.scalar_type() != at::kBool, "Boolean inputs not supported for relu");
    at::assert_no_internal_overlap(self);
    return self;
}
Tensor& Masked(Tensor& self, const Tensor& mask) {
    const auto sizes = at::infer_size(self.sizes(), mask.sizes());
    TORCH_CHECK(self.sizes() == at::IntArrayRef(sizes), "output with shape ", self.sizes(),
                " doesn't match the broadcast shape ", at::IntArrayRef(sizes));
    return self;
}
Tensor& MaskedNumber(Tensor& self, const Tensor& mask, const at::Scalar&) {
    return Masked(self, mask);
}
Tensor& MaskedTensor(Tensor& self, const Tensor& mask, const Tensor&) {
    return Masked(self, mask);
}

Tensor Flip(const Tensor& self, at::IntArrayRef dims) {
    at::dim_list_to_bitset(dims, self.dim());
    return Like(self, self.sizes());
}
Tensor Roll(const Tensor& self, at::IntArrayRef shifts, at::IntArrayRef dims) {
    TORCH_CHECK(!shifts.empty(), "`shifts` required");
    TORCH_CHECK(dims.size() == shifts.size() || (dims.empty() && shifts.size() == 1),
                "shifts and dimensions must align. shifts: ", shifts.size(), ", dims:", dims.size());
    for (const int64_t dim : dims) at::maybe_wrap_dim(dim, self.dim());
    return Like(self, self.sizes());
}
Tensor Whole(const char* name, const Tensor& self) {
    TORCH_CHECK(self.numel() > 0, name,
                "(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the "
                "'dim' argument (in C: call aclnnMaxDim or aclnnMinDim).");
    return Like(self, {});
}
Tensor Max(const Tensor& self) {
    return Whole("max", self);
}
Tensor Min(const Tensor& self) {
    return Whole("min", self);
}
Tensor Median(const Tensor& self) {
    return Like(self, {});
}
void NoScan(const Tensor&, Tensor&, Tensor&, int64_t) {}

std::vector<int64_t> Selected(const Tensor& self, int64_t dim, const Tensor& index) {
    TORCH_CHECK_INDEX(index.dim() <= 1, "index_select(): Index is supposed to be a vector");
    TORCH_CHECK(index.scalar_type() == at::kLong || index.scalar_type() == at::kInt,
                "index_select(): Expected dtype int32 or int64 for index");
    dim = at::maybe_wrap_dim(dim, self.dim());
    std::vector<int64_t> sizes = self.sizes().vec();
    if (!sizes.empty()) sizes[static_cast<size_t>(dim)] = index.numel();
    return sizes;
}
Tensor IndexSelect(const Tensor& self, int64_t dim, const Tensor& index) {
    return Like(self, Selected(self, dim, index));
}
Tensor& IndexSelectOut(const Tensor& self, int64_t dim, const Tensor& index, Tensor& out) {
    TORCH_CHECK(self.scalar_type() == out.scalar_type(),
                "index_select(): self and result must have the same scalar type");
    at::native::resize_output(out, Selected(self, dim, index));
    return out;
}
Tensor EmbeddingDenseBackward(const Tensor& grad, const Tensor&, int64_t weights, int64_t, bool) {
    TORCH_CHECK(grad.dim() > 0, "grad_output must have at least one dimension");
    return Like(grad, {weights, grad.size(-1)});
}

Tensor Convolution(const Tensor& input, const Tensor& weight, const Optional<Tensor>&, at::IntArrayRef stride,
                   at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed, at::IntArrayRef output_padding,
                   int64_t groups) {
    return Like(input, transposed
                           ? at::native::conv_input_size(input.sizes(), weight.sizes(), padding, output_padding, stride,
                                                         dilation, groups)
                           : at::native::conv_output_size(input.sizes(), weight.sizes(), padding, stride, dilation));
}
Three ConvolutionBackward(const Tensor& grad, const Tensor& input, const Tensor& weight, at::IntArrayRef stride,
                          at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                          at::IntArrayRef output_padding, int64_t groups, std::array<bool, 3> mask) {
    const Tensor wanted =
        Convolution(input, weight, kNone, stride, padding, dilation, transposed, output_padding, groups);
    TORCH_CHECK(grad.sizes() == wanted.sizes(), "Expected grad_output to have the shape ", wanted.sizes(), ", but got ",
                grad.sizes());
    const int64_t outputs = grad.size(1);
    return {mask[0] ? Like(input, input.sizes()) : Tensor(), mask[1] ? Like(weight, weight.sizes()) : Tensor(),
            mask[2] ? Like(grad, {outputs}) : Tensor()};
}
Tensor AdaptiveAvgPool2d(const Tensor& self, at::IntArrayRef size) {
    TORCH_CHECK(size.size() == 2, "adaptive_avg_pool2d: output_size must be 2");
    TORCH_CHECK(self.dim() == 3 || self.dim() == 4, "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got ",
                self.sizes());
    std::vector<int64_t> sizes = self.sizes().vec();
    std::copy(size.begin(), size.end(), sizes.end() - 2);
    return Like(self, sizes);
}

Three LayerNorm(const Tensor& self, at::IntArrayRef shape, const Optional<Tensor>& weight, const Optional<Tensor>& bias,
                double) {
    at::native::_check_layer_norm_inputs(self, shape, weight.value_or(Tensor()), bias.value_or(Tensor()));
    std::vector<int64_t> layers = self.sizes().vec();
    std::fill(layers.end() - static_cast<std::ptrdiff_t>(shape.size()), layers.end(), 1);
    return {Like(self, self.sizes()), Like(self, layers), Like(self, layers)};
}
Three BatchNorm(const Tensor& self, const Optional<Tensor>&, const Optional<Tensor>&, const Optional<Tensor>&,
                const Optional<Tensor>&, bool training, double, double) {
    const int64_t saved = training ? self.size(1) : 0;
    return {Like(self, self.sizes()), Like(self, {saved}), Like(self, {saved})};
}
Three GroupNorm(const Tensor& self, const Optional<Tensor>&, const Optional<Tensor>&, int64_t n, int64_t c, int64_t hxw,
                int64_t group, double) {
    TORCH_CHECK(group > 0 && c % group == 0,
                "Expected number of channels in input to be divisible by num_groups, but got input of shape ",
                self.sizes(), " and num_groups=", group);
    TORCH_CHECK(self.numel() == n * c * hxw, "Expected ", n, " x ", c, " x ", hxw, " elements, but got input of shape ",
                self.sizes());
    return {Like(self, self.sizes()), Like(self, {n, group}), Like(self, {n, group})};
}

#if OPERATORS_TORCH >= 202
using Correction = const Optional<at::Scalar>&;

Tensor Deviation(const Tensor& self, at::OptionalIntArrayRef dims, Correction, bool keep) {
    TORCH_CHECK(at::isFloatingType(self.scalar_type()) || at::isComplexType(self.scalar_type()),
                "std and var only support floating point and complex dtypes");
    return at::sum(self, dims, keep);
}
Two Deviations(const Tensor& self, at::OptionalIntArrayRef dims, Correction correction, bool keep) {
    const Tensor one = Deviation(self, dims, correction, keep);
    return {one, one};
}
Tensor& NanSum(const Tensor& self, at::OptionalIntArrayRef dims, bool keep, Optional<at::ScalarType> type,
               Tensor& out) {
    return at::sum_out(out, self, dims, keep, type);
}

void RegisterReductions(torch::Library& library) {
    library.impl("var.correction", Deviation);
    library.impl("std.correction", Deviation);
    library.impl("var_mean.correction", Deviations);
    library.impl("std_mean.correction", Deviations);
    library.impl("nansum.out", NanSum);
}
#else
void RegisterReductions(torch::Library&) {}
#endif

}  // namespace

void RegisterShapes(torch::Library& library) {
    for (const char* const name : {"abs.out", "logical_not.out"}) library.impl(name, One);
    for (const char* const name : {"logical_and.out", "logical_or.out", "logical_xor.out"}) library.impl(name, Both);
    library.impl("where.self_out", Where);
    library.impl("nan_to_num.out", NanToNum);
    library.impl("relu_", Relu);
    library.impl("masked_fill_.Scalar", MaskedNumber);
    library.impl("masked_fill_.Tensor", MaskedTensor);
    library.impl("flip", Flip);
    library.impl("roll", Roll);
    library.impl("max", Max);
    library.impl("min", Min);
    library.impl("median", Median);
    library.impl("_cummax_helper", NoScan);
    library.impl("_cummin_helper", NoScan);
    library.impl("index_select", IndexSelect);
    library.impl("index_select.out", IndexSelectOut);
    library.impl("embedding_dense_backward", EmbeddingDenseBackward);
    library.impl("convolution_overrideable", Convolution);
    library.impl("convolution_backward_overrideable", ConvolutionBackward);
    library.impl("_adaptive_avg_pool2d", AdaptiveAvgPool2d);
    library.impl("native_layer_norm", LayerNorm);
    library.impl("native_batch_norm", BatchNorm);
    library.impl("native_group_norm", GroupNorm);
    RegisterReductions(library);
}

}  // namespace operators

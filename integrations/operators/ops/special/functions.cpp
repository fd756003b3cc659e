// Special functions and activations element by element, with their gradients and forms in place.
#include "ops/support.h"

#define UNARY(NAME, FUNCTION) OPERATOR(NAME, (In self, Out out), at::FUNCTION##_out(out, self))
#define IN_PLACE(NAME, FUNCTION) OPERATOR(Inplace##NAME, (Out self), at::FUNCTION##_out(self, self))

UNARY(Acosh, acosh);
UNARY(Asinh, asinh);
UNARY(Atanh, atanh);
UNARY(Erfinv, erfinv);
UNARY(Sinc, sinc);
UNARY(Signbit, signbit);
UNARY(IsNegInf, isneginf);
UNARY(IsPosInf, isposinf);
UNARY(AngleV2, angle);
UNARY(Hardsigmoid, hardsigmoid);
IN_PLACE(Acosh, acosh);
IN_PLACE(Asinh, asinh);
IN_PLACE(Atanh, atanh);
IN_PLACE(Erfinv, erfinv);
IN_PLACE(Sinc, sinc);
IN_PLACE(Hardsigmoid, hardsigmoid);
IN_PLACE(Hardswish, hardswish);
IN_PLACE(Mish, mish);
OPERATOR(InplaceNanToNum, (Out self, float nan, float posinf, float neginf),
         at::nan_to_num_out(self, self, nan, posinf, neginf));

OPERATOR(LogAddExp, (In self, In other, Out out), at::logaddexp_out(out, self, other));
OPERATOR(LogAddExp2, (In self, In other, Out out), at::logaddexp2_out(out, self, other));
OPERATOR(Gcd, (In self, In other, Out out), at::gcd_out(out, self, other));
OPERATOR(XLogYTensor, (In self, In other, Out out), at::xlogy_out(out, self, other));
OPERATOR(XLogYScalarOther, (In self, Number other, Out out), at::xlogy_out(out, self, other));
OPERATOR(XLogYScalarSelf, (Number self, In other, Out out), at::xlogy_out(out, self, other));
OPERATOR(InplaceXLogYScalarOther, (Out self, Number other), at::xlogy_out(self, self, other));
OPERATOR(InplaceAtan2, (Out self, In other), at::atan2_out(self, self, other));
OPERATOR(InplaceFloorDivide, (Out self, In other), at::floor_divide_out(self, self, other));
OPERATOR(InplaceFloorDivides, (Out self, Number other), at::floor_divide_out(self, self, Wrapped(other)));
OPERATOR(InplaceFmodTensor, (Out self, In other), at::fmod_out(self, self, other));
OPERATOR(InplaceFmodScalar, (Out self, Number other), at::fmod_out(self, self, other));
OPERATOR(InplaceRemainderTensorTensor, (Out self, In other), at::remainder_out(self, self, other));
OPERATOR(InplaceRemainderTensorScalar, (Out self, Number other), at::remainder_out(self, self, other));
OPERATOR(RemainderScalarTensor, (Number self, In other, Out out), at::remainder_out(out, Wrapped(self), other));
OPERATOR(Complex, (In real, In imag, Out out), at::complex_out(out, real, imag));
OPERATOR(Polar, (In abs, In angle, Out out), at::polar_out(out, abs, angle));

namespace {

// A negative bound stands for none.
Optional<double> Bound(double epsilon) {
    return epsilon < 0 ? kNone : Optional<double>(epsilon);
}

}  // namespace

// torch_npu passes an output of whole numbers for an input of whole numbers.
OPERATOR(Logit, (In self, double epsilon, Out out),
         TORCH_CHECK(out.is_floating_point(), "result type ",
                     at::isFloatingType(self.scalar_type()) ? self.scalar_type() : at::kFloat,
                     " can't be cast to the desired output type ", out.scalar_type(),
                     "; pass an output of a floating-point type");
         Put(out, at::logit(self, Bound(epsilon))));
OPERATOR(LogitGrad, (In grad, In self, double epsilon, Out out),
         at::logit_backward_out(out, grad, self, Bound(epsilon)));

OPERATOR(HardsigmoidBackward, (In grad, In self, Out out), at::hardsigmoid_backward_out(out, grad, self));
OPERATOR(HardswishBackward, (In grad, In self, Out out), Put(out, at::hardswish_backward(grad, self)));
OPERATOR(InplaceHardtanh, (Out self, Number min, Number max), at::hardtanh_out(self, self, min, max));
OPERATOR(MishBackward, (In grad, In self, Out out), Put(out, at::mish_backward(grad, self)));
OPERATOR(Celu, (In self, Number alpha, Out out), Put(out, at::celu(self, alpha)));
OPERATOR(InplaceCelu, (Out self, Number alpha), Put(self, at::celu(self, alpha)));
OPERATOR(InplaceElu, (Out self, Number alpha, Number scale, Number inputScale),
         at::elu_out(self, self, alpha, scale, inputScale));
OPERATOR(Hardshrink, (In self, Number lambda, Out out), at::hardshrink_out(out, self, lambda));
OPERATOR(HardshrinkBackward, (In grad, In self, Number lambda, Out out),
         at::hardshrink_backward_out(out, grad, self, lambda));
OPERATOR(Softshrink, (In self, Number lambda, Out out), at::softshrink_out(out, self, lambda));
OPERATOR(SoftshrinkBackward, (In grad, In self, Number lambda, Out out),
         at::softshrink_backward_out(out, grad, self, lambda));
OPERATOR(GluBackward, (In grad, In self, int64_t dim, Out out), at::glu_backward_out(out, grad, self, dim));
OPERATOR(Threshold, (In self, Number threshold, Number value, Out out), at::threshold_out(out, self, threshold, value));
OPERATOR(InplaceThreshold, (Out self, Number threshold, Number value), at::threshold_out(self, self, threshold, value));

namespace {

// Returns the weights of PReLU in a shape that broadcasts to that of `self`: one for all, or one for each channel.
at::Tensor OfChannels(const at::Tensor& weight, const at::Tensor& self) {
    if (weight.numel() == 1) return weight.reshape({});
    if (weight.dim() != 1) return weight;
    std::vector<int64_t> sizes(static_cast<size_t>(std::max<int64_t>(self.dim(), 1)), 1);
    sizes[self.dim() > 1 ? 1 : 0] = weight.numel();
    return weight.reshape(sizes);
}

at::Tensor PreluOf(const at::Tensor& self, const at::Tensor& weight) {
    const at::Tensor factor = OfChannels(weight, self);
    return at::where(self > 0, self, factor * self);
}

void PreluBackwardOf(const at::Tensor& grad, const at::Tensor& self, const at::Tensor& weight, at::Tensor& grad_self,
                     at::Tensor& grad_weight) {
    const at::Tensor factor = OfChannels(weight, self), zero = at::zeros({}, grad.options());
    Put(grad_self, at::where(self > 0, grad, factor * grad));
    const at::Tensor each = at::where(self > 0, zero, self * grad);
    Put(grad_weight, each.sum_to_size(factor.sizes()));
}

}  // namespace

OPERATOR(Prelu, (In self, In weight, Out out), Put(out, PreluOf(self, weight)));
OPERATOR(PreluBackward, (In grad, In self, In weight, Out gradSelf, Out gradWeight),
         PreluBackwardOf(grad, self, weight, gradSelf, gradWeight));

OPERATOR(RReluWithNoise,
         (In self, Out noise, Number lower, Number upper, bool training, Seed seed, Seed offset, Out out),
         Put(out, at::rrelu_with_noise(self, noise, lower, upper, training, Random(seed, offset, self.device()))));
OPERATOR(InplaceRReluWithNoise,
         (Out self, Out noise, Number lower, Number upper, bool training, Seed seed, Seed offset),
         at::rrelu_with_noise_(self, noise, lower, upper, training, Random(seed, offset, self.device())));
OPERATOR(NormalTensorFloat, (In mean, float std, Seed seed, Seed offset, Out out),
         at::normal_out(out, mean, std, Random(seed, offset, out.device())));
OPERATOR(NormalFloatTensor, (float mean, In std, Seed seed, Seed offset, Out out),
         at::normal_out(out, mean, std, Random(seed, offset, out.device())));
OPERATOR(NormalTensorTensor, (In mean, In std, Seed seed, Seed offset, Out out),
         at::normal_out(out, mean, std, Random(seed, offset, out.device())));
OPERATOR(NormalFloatFloat, (float mean, float std, Seed seed, Seed offset, Out out),
         Put(out, at::empty(out.sizes(), out.options()).normal_(mean, std, Random(seed, offset, out.device()))));

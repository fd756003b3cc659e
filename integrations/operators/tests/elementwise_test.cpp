// Tests functions element by element, their gradients, and what fills tensors, beside ATen (properties.h).
#include "properties.h"

using namespace properties;

namespace {

const Scalar kHalf = 0.5, kTwo = 2;

#define UNARY(NAME, FUNCTION)                                     \
    OUTPUTS(NAME, Singles(), (x[0], out[0]), at::FUNCTION(x[0])); \
    IN_PLACE(Inplace##NAME, Singles(), (x[0]), at::FUNCTION(x[0]))
UNARY(Abs, abs);
UNARY(Cos, cos);
UNARY(Exp, exp);
UNARY(Log, log);
UNARY(Neg, neg);
UNARY(Reciprocal, reciprocal);
UNARY(Relu, relu);
UNARY(Rsqrt, rsqrt);
UNARY(Sigmoid, sigmoid);
UNARY(Sin, sin);
UNARY(Sqrt, sqrt);
UNARY(Tanh, tanh);
OUTPUTS(Gelu, Singles(), (x[0], out[0]), at::gelu(x[0]));
OUTPUTS(Silu, Singles(), (x[0], out[0]), at::silu(x[0]));
OUTPUTS(IsFinite, Singles(), (x[0], out[0]), at::isfinite(x[0]));
OUTPUTS(LogicalNot, Singles(), (x[0], out[0]), at::logical_not(x[0]));
OUTPUTS(Cast, Singles(), (x[0], at::kLong, out[0]), x[0].to(at::kLong));
OUTPUTS(Clamp, Singles(), (x[0], kHalf, nullptr, out[0]), at::clamp(x[0], kHalf));

OUTPUTS(Add, Pairs(), (x[0], x[1], kTwo, out[0]), at::add(x[0], x[1], 2));
OUTPUTS(Sub, Pairs(), (x[0], x[1], kTwo, out[0]), at::sub(x[0], x[1], 2));
OUTPUTS(Mul, Pairs(), (x[0], x[1], out[0]), at::mul(x[0], x[1]));
OUTPUTS(Div, Pairs(), (x[0], x[1], out[0]), at::div(x[0], x[1]));
OUTPUTS(Maximum, Pairs(), (x[0], x[1], out[0]), at::maximum(x[0], x[1]));
OUTPUTS(Minimum, Pairs(), (x[0], x[1], out[0]), at::minimum(x[0], x[1]));
OUTPUTS(PowTensorTensor, Pairs(), (x[0], x[1], out[0]), at::pow(x[0], x[1]));
OUTPUTS(EqTensor, Pairs(), (x[0], x[1], out[0]), at::eq(x[0], x[1]));
OUTPUTS(NeTensor, Pairs(), (x[0], x[1], out[0]), at::ne(x[0], x[1]));
OUTPUTS(GtTensor, Pairs(), (x[0], x[1], out[0]), at::gt(x[0], x[1]));
OUTPUTS(GeTensor, Pairs(), (x[0], x[1], out[0]), at::ge(x[0], x[1]));
OUTPUTS(LtTensor, Pairs(), (x[0], x[1], out[0]), at::lt(x[0], x[1]));
OUTPUTS(LeTensor, Pairs(), (x[0], x[1], out[0]), at::le(x[0], x[1]));
OUTPUTS(LogicalAnd, Pairs(), (x[0], x[1], out[0]), at::logical_and(x[0], x[1]));
OUTPUTS(LogicalOr, Pairs(), (x[0], x[1], out[0]), at::logical_or(x[0], x[1]));

OUTPUTS(Adds, Singles(), (x[0], kHalf, kTwo, out[0]), at::add(x[0], kHalf, 2));
OUTPUTS(Subs, Singles(), (x[0], kHalf, kTwo, out[0]), at::sub(x[0], kHalf, 2));
OUTPUTS(Muls, Singles(), (x[0], kHalf, out[0]), at::mul(x[0], kHalf));
OUTPUTS(Divs, Singles(), (x[0], kHalf, out[0]), at::div(x[0], kHalf));
OUTPUTS(PowTensorScalar, Singles(), (x[0], kTwo, out[0]), at::pow(x[0], 2));
OUTPUTS(EqScalar, Singles(), (x[0], kHalf, out[0]), at::eq(x[0], kHalf));
OUTPUTS(GtScalar, Singles(), (x[0], kHalf, out[0]), at::gt(x[0], kHalf));
OUTPUTS(LtScalar, Singles(), (x[0], kHalf, out[0]), at::lt(x[0], kHalf));

IN_PLACE(InplaceAdd, Pairs(), (x[0], x[1], kTwo), at::add(x[0], x[1], 2));
IN_PLACE(InplaceSub, Pairs(), (x[0], x[1], kTwo), at::sub(x[0], x[1], 2));
IN_PLACE(InplaceMul, Pairs(), (x[0], x[1]), at::mul(x[0], x[1]));
IN_PLACE(InplaceDiv, Pairs(), (x[0], x[1]), at::div(x[0], x[1]));
IN_PLACE(InplaceAdds, Singles(), (x[0], kHalf, kTwo), at::add(x[0], kHalf, 2));
IN_PLACE(InplaceMuls, Singles(), (x[0], kHalf), at::mul(x[0], kHalf));
IN_PLACE(InplaceDivs, Singles(), (x[0], kHalf), at::div(x[0], kHalf));
IN_PLACE(InplaceCopy, Pairs(), (x[0], x[1]), x[0] * 0 + x[1]);
IN_PLACE(InplaceFillScalar, Singles(), (x[0], kHalf), at::full_like(x[0], kHalf));
IN_PLACE(InplaceOne, Singles(), (x[0]), at::ones_like(x[0]));
IN_PLACE(InplaceZero, Singles(), (x[0]), at::zeros_like(x[0]));
IN_PLACE(InplaceMaskedFillScalar, Pairs(), (x[0], x[1].gt(0.6), kTwo), at::masked_fill(x[0], x[1].gt(0.6), 2));

OUTPUTS(Addcmul, Triples(), (x[0], x[1], x[2], kTwo, out[0]), at::addcmul(x[0], x[1], x[2], 2));
OUTPUTS(Addcdiv, Triples(), (x[0], x[1], x[2], kTwo, out[0]), at::addcdiv(x[0], x[1], x[2], 2));
IN_PLACE(InplaceAddcmul, Triples(), (x[0], x[1], x[2], kTwo), at::addcmul(x[0], x[1], x[2], 2));
IN_PLACE(InplaceAddcdiv, Triples(), (x[0], x[1], x[2], kTwo), at::addcdiv(x[0], x[1], x[2], 2));
OUTPUTS(Lerps, Pairs(), (x[0], x[1], kHalf, out[0]), at::lerp(x[0], x[1], 0.5));
IN_PLACE(InplaceLerps, Pairs(), (x[0], x[1], kHalf), at::lerp(x[0], x[1], 0.5));
OUTPUTS(SWhere, Triples(), (x[0].defined() ? x[0].gt(0.6) : x[0], x[1], x[2], out[0]),
        at::where(x[0].gt(0.6), x[1], x[2]));

OUTPUTS(ThresholdBackward, Pairs(), (x[0], x[1], kHalf, out[0]), at::threshold_backward(x[0], x[1], kHalf));
OUTPUTS(SigmoidBackward, Pairs(), (x[0], x[1], out[0]), at::sigmoid_backward(x[0], x[1]));
OUTPUTS(TanhBackward, Pairs(), (x[0], x[1], out[0]), at::tanh_backward(x[0], x[1]));
OUTPUTS(SiluBackward, Pairs(), (x[0], x[1], out[0]), at::silu_backward(x[0], x[1]));
OUTPUTS(GeluBackward, Pairs(), (x[0], x[1], out[0]), at::gelu_backward(x[0], x[1]));

}  // namespace

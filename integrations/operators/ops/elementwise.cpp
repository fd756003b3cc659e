// Functions of one tensor, element by element.
#include "ops/support.h"

// Defines an operator of one tensor, and its form in place.
#define UNARY(NAME, FUNCTION)                                          \
    OPERATOR(NAME, (In self, Out out), at::FUNCTION##_out(out, self)); \
    OPERATOR(Inplace##NAME, (Out self), at::FUNCTION##_out(self, self))

UNARY(Abs, abs);
UNARY(Acos, acos);
UNARY(Asin, asin);
UNARY(Atan, atan);
UNARY(BitwiseNot, bitwise_not);
UNARY(Ceil, ceil);
UNARY(Cos, cos);
UNARY(Cosh, cosh);
UNARY(Erf, erf);
UNARY(Erfc, erfc);
UNARY(Exp, exp);
UNARY(Exp2, exp2);
UNARY(Expm1, expm1);
UNARY(Floor, floor);
UNARY(Frac, frac);
UNARY(Log, log);
UNARY(Log10, log10);
UNARY(Log1p, log1p);
UNARY(Log2, log2);
UNARY(LogicalNot, logical_not);
UNARY(Neg, neg);
UNARY(Reciprocal, reciprocal);
UNARY(Round, round);
UNARY(Rsqrt, rsqrt);
UNARY(Sigmoid, sigmoid);
UNARY(Sign, sign);
UNARY(Sin, sin);
UNARY(Sinh, sinh);
UNARY(Sqrt, sqrt);
UNARY(Tan, tan);
UNARY(Tanh, tanh);
UNARY(Trunc, trunc);

OPERATOR(RoundDecimals, (In self, int64_t decimals, Out out), at::round_out(out, self, decimals));
OPERATOR(InplaceRoundDecimals, (Out self, int64_t decimals), at::round_out(self, self, decimals));
OPERATOR(IsFinite, (In self, Out out), Put(out, at::isfinite(self)));
OPERATOR(Cast, (In self, Type dtype, Out out), out.copy_(self.to(dtype)));

OPERATOR(Clamp, (In self, MaybeNumber min, MaybeNumber max, Out out), at::clamp_out(out, self, min, max));
OPERATOR(ClampMin, (In self, Number min, Out out), at::clamp_min_out(out, self, min));
OPERATOR(ClampMax, (In self, Number max, Out out), at::clamp_max_out(out, self, max));
OPERATOR(InplaceClampMax, (Out self, Number max), at::clamp_max_(self, max));
OPERATOR(ClampTensor, (In self, MaybeIn min, MaybeIn max, Out out), at::clamp_out(out, self, min, max));
OPERATOR(ClampMinTensor, (In self, In min, Out out), at::clamp_min_out(out, self, min));
OPERATOR(ClampMaxTensor, (In self, In max, Out out), at::clamp_max_out(out, self, max));
OPERATOR(InplaceClampMinTensor, (Out self, In min), at::clamp_min_out(self, self, min));
OPERATOR(InplaceClampMaxTensor, (Out self, In max), at::clamp_max_out(self, self, max));
OPERATOR(NanToNum, (In self, float nan, float posinf, float neginf, Out out),
         at::nan_to_num_out(out, self, nan, posinf, neginf));

// Operators of lists: each computes what the operator of one tensor does, for every tensor of the lists.
#include "ops/support.h"

namespace {

// Throws if a list has another length than the outputs.
void CheckLength(const char* name, size_t length, const Written& out) {
    if (length != out.tensors.size())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "the number of elements in ", name, " is ", length, "; it must be ",
                      out.tensors.size(), ", the number of tensors in out");
}

// Calls `body` with each output and its number.
template <typename Body>
void Each(const Written& out, Body body) {
    for (size_t i = 0; i < out.tensors.size(); ++i) {
        at::Tensor to = out.tensors[i];
        body(to, i);
    }
}

template <typename Body>
void Each(Tensors self, const Written& out, Body body) {
    CheckLength("the first list of tensors", self.size(), out);
    Each(out, body);
}

template <typename Body>
void Each(Tensors self, Tensors other, const Written& out, Body body) {
    CheckLength("the first list of tensors", self.size(), out);
    CheckLength("the second list of tensors", other.size(), out);
    Each(out, body);
}

template <typename Body>
void Each(Tensors self, Tensors first, Tensors second, const Written& out, Body body) {
    CheckLength("the third list of tensors", second.size(), out);
    Each(self, first, out, body);
}

template <typename Body>
void Each(Tensors self, Numbers numbers, const Written& out, Body body) {
    CheckLength("scalars", numbers.size(), out);
    Each(self, out, body);
}

// A number in a tensor, which counts as a number where types are promoted.
at::Tensor Value(const char* name, const at::Tensor& tensor) {
    CheckCount(name, tensor, 1);
    at::Tensor value = tensor.reshape({-1}).select(0, 0).clone();
    value.unsafeGetTensorImpl()->set_wrapped_number(true);
    return value;
}

// The numbers in a tensor with as many elements as there are outputs.
std::vector<at::Scalar> Values(const at::Tensor& tensor, const Written& out) {
    CheckLength("scalars", static_cast<size_t>(tensor.numel()), out);
    const at::Tensor flat = tensor.reshape({-1});
    std::vector<at::Scalar> values;
    for (int64_t i = 0; i < flat.numel(); ++i) values.push_back(flat.select(0, i).item());
    return values;
}

// How RoundOffNumber rounds.
enum class Round : int64_t { kNearest = 1, kDown = 2, kUp = 3, kToZero = 5, kFraction = 7 };

void RoundTo(at::Tensor& out, const at::Tensor& self, int64_t mode) {
    switch (static_cast<Round>(mode)) {
        case Round::kNearest:
            at::round_out(out, self);
            return;
        case Round::kDown:
            at::floor_out(out, self);
            return;
        case Round::kUp:
            at::ceil_out(out, self);
            return;
        case Round::kToZero:
            at::trunc_out(out, self);
            return;
        case Round::kFraction:
            at::frac_out(out, self);
            return;
    }
    throw Refusal(ACLNN_ERR_PARAM_INVALID, "roundMode is ", mode,
                  "; allowed: 1 (to the nearest), 2 (down), 3 (up), 5 (to zero), 7 (the fraction)");
}

}  // namespace

#define UNARY(NAME, FUNCTION)                         \
    OPERATOR(Foreach##NAME, (Tensors self, Outs out), \
             Each(self, out, [&](Out to, size_t i) { at::FUNCTION##_out(to, self[i]); }))

UNARY(Abs, abs);
UNARY(Acos, acos);
UNARY(Asin, asin);
UNARY(Atan, atan);
UNARY(Cos, cos);
UNARY(Cosh, cosh);
UNARY(Erf, erf);
UNARY(Erfc, erfc);
UNARY(Exp, exp);
UNARY(Expm1, expm1);
UNARY(Log, log);
UNARY(Log10, log10);
UNARY(Log1p, log1p);
UNARY(Log2, log2);
UNARY(Neg, neg);
UNARY(Reciprocal, reciprocal);
UNARY(Sigmoid, sigmoid);
UNARY(Sign, sign);
UNARY(Sin, sin);
UNARY(Sinh, sinh);
UNARY(Sqrt, sqrt);
UNARY(Tan, tan);
UNARY(Tanh, tanh);

OPERATOR(ForeachCopy, (Tensors self, Outs out), Each(self, out, [&](Out to, size_t i) { to.copy_(self[i]); }));
OPERATOR(ForeachZeroInplace, (Outs self), Each(self, [](Out to, size_t) { to.zero_(); }));
OPERATOR(ForeachRoundOffNumber, (Tensors self, In roundMode, Outs out),
         const int64_t mode = Value("roundMode", roundMode).item().toLong();
         Each(self, out, [&](Out to, size_t i) { RoundTo(to, self[i], mode); }));
OPERATOR(ForeachRoundOffNumberV2, (Tensors self, Number roundMode, Outs out),
         Each(self, out, [&](Out to, size_t i) { RoundTo(to, self[i], roundMode.toLong()); }));

// Defines the forms of a function of two arguments: a number for all, given as a number or in a tensor; a number for
// each; a tensor for each.
#define WITH_NUMBERS(NAME, ...)                                                    \
    OPERATOR(Foreach##NAME##ScalarV2, (Tensors self, Number scalar, Outs out),     \
             const at::Tensor other = Wrapped(scalar);                             \
             Each(self, out, [&](Out to, size_t i) { __VA_ARGS__; }));             \
    OPERATOR(Foreach##NAME##Scalar, (Tensors self, In scalar, Outs out),           \
             const at::Tensor other = Value("scalar", scalar);                     \
             Each(self, out, [&](Out to, size_t i) { __VA_ARGS__; }));             \
    OPERATOR(Foreach##NAME##ScalarList, (Tensors self, Numbers scalars, Outs out), \
             Each(self, scalars, out, [&](Out to, size_t i) {                      \
                 const at::Tensor other = Wrapped(scalars[i]);                     \
                 __VA_ARGS__;                                                      \
             }))
#define WITH_TENSORS(NAME, FUNCTION)                                       \
    OPERATOR(Foreach##NAME##List, (Tensors self, Tensors other, Outs out), \
             Each(self, other, out, [&](Out to, size_t i) { at::FUNCTION##_out(to, self[i], other[i]); }))
// The same with a factor of the second tensor, given as a number or in a tensor.
#define WITH_FACTOR(NAME, FUNCTION)                                                                                \
    OPERATOR(Foreach##NAME##ListV2, (Tensors self, Tensors other, Number alpha, Outs out),                         \
             Each(self, other, out, [&](Out to, size_t i) { at::FUNCTION##_out(to, self[i], other[i], alpha); })); \
    OPERATOR(Foreach##NAME##List, (Tensors self, Tensors other, In alpha, Outs out),                               \
             const at::Scalar factor = Value("alpha", alpha).item();                                               \
             Each(self, other, out, [&](Out to, size_t i) { at::FUNCTION##_out(to, self[i], other[i], factor); }))

WITH_NUMBERS(Add, at::add_out(to, self[i], other));
WITH_NUMBERS(Sub, at::sub_out(to, self[i], other));
WITH_NUMBERS(Mul, at::mul_out(to, self[i], other));
WITH_NUMBERS(Div, at::div_out(to, self[i], other));
WITH_NUMBERS(Maximum, at::maximum_out(to, self[i], other));
WITH_NUMBERS(Minimum, at::minimum_out(to, self[i], other));
WITH_NUMBERS(Pow, at::pow_out(to, self[i], other));
WITH_FACTOR(Add, add);
WITH_FACTOR(Sub, sub);
WITH_TENSORS(Mul, mul);
WITH_TENSORS(Div, div);
WITH_TENSORS(Maximum, maximum);
WITH_TENSORS(Minimum, minimum);
WITH_TENSORS(Pow, pow);
OPERATOR(ForeachPowScalarAndTensor, (Number scalar, Tensors exponent, Outs out),
         Each(exponent, out, [&](Out to, size_t i) { at::pow_out(to, scalar, exponent[i]); }));

OPERATOR(ForeachLerpScalar, (Tensors self, Tensors other, Number weight, Outs out),
         Each(self, other, out, [&](Out to, size_t i) { at::lerp_out(to, self[i], other[i], weight); }));
OPERATOR(ForeachLerpList, (Tensors self, Tensors other, Tensors weights, Outs out),
         Each(self, other, weights, out, [&](Out to, size_t i) { at::lerp_out(to, self[i], other[i], weights[i]); }));

// Defines the forms of a function of three tensors and a factor.
#define WITH_PRODUCT(NAME, FUNCTION)                                                                          \
    OPERATOR(Foreach##NAME##ScalarV2, (Tensors self, Tensors first, Tensors second, Number scalar, Outs out), \
             Each(self, first, second, out,                                                                   \
                  [&](Out to, size_t i) { at::FUNCTION##_out(to, self[i], first[i], second[i], scalar); }));  \
    OPERATOR(Foreach##NAME##Scalar, (Tensors self, Tensors first, Tensors second, In scalar, Outs out),       \
             const at::Scalar value = Value("scalar", scalar).item();                                         \
             Each(self, first, second, out,                                                                   \
                  [&](Out to, size_t i) { at::FUNCTION##_out(to, self[i], first[i], second[i], value); }));   \
    OPERATOR(Foreach##NAME##ScalarList, (Tensors self, Tensors first, Tensors second, In scalars, Outs out),  \
             const std::vector<at::Scalar> values = Values(scalars, out);                                     \
             Each(self, first, second, out,                                                                   \
                  [&](Out to, size_t i) { at::FUNCTION##_out(to, self[i], first[i], second[i], values[i]); }))

WITH_PRODUCT(Addcmul, addcmul);
WITH_PRODUCT(Addcdiv, addcdiv);

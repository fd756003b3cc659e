// Functions of two tensors, or of a tensor and a number, element by element.
#include "ops/support.h"

OPERATOR(Add, (In self, In other, Factor alpha, Out out), at::add_out(out, self, other, alpha));
OPERATOR(Adds, (In self, Factor other, Factor alpha, Out out), at::add_out(out, self, Wrapped(other), alpha));
OPERATOR(InplaceAdd, (Out self, In other, Factor alpha), at::add_out(self, self, other, alpha));
OPERATOR(InplaceAdds, (Out self, Factor other, Factor alpha), at::add_out(self, self, Wrapped(other), alpha));
OPERATOR(Sub, (In self, In other, Factor alpha, Out out), at::sub_out(out, self, other, alpha));
OPERATOR(Subs, (In self, Factor other, Factor alpha, Out out), at::sub_out(out, self, Wrapped(other), alpha));
OPERATOR(InplaceSub, (Out self, In other, Factor alpha), at::sub_out(self, self, other, alpha));
OPERATOR(InplaceSubs, (Out self, Factor other, Factor alpha), at::sub_out(self, self, Wrapped(other), alpha));
OPERATOR(AddRelu, (In self, In other, Factor alpha, Out out), Put(out, at::relu(at::add(self, other, alpha))));
OPERATOR(InplaceAddRelu, (Out self, In other, Factor alpha), Put(self, at::relu(at::add(self, other, alpha))));
OPERATOR(Rsub, (In self, In other, Factor alpha, Out out), at::sub_out(out, other, self, alpha));
OPERATOR(Rsubs, (In self, Factor other, Factor alpha, Out out), at::sub_out(out, Wrapped(other), self, alpha));

OPERATOR(Mul, (In self, In other, Out out), at::mul_out(out, self, other));
OPERATOR(Muls, (In self, Factor other, Out out), at::mul_out(out, self, Wrapped(other)));
OPERATOR(InplaceMul, (Out self, In other), at::mul_out(self, self, other));
OPERATOR(InplaceMuls, (Out self, Factor other), at::mul_out(self, self, Wrapped(other)));
OPERATOR(Div, (In self, In other, Out out), at::div_out(out, self, other));
OPERATOR(Divs, (In self, Factor other, Out out), at::div_out(out, self, Wrapped(other)));
OPERATOR(InplaceDiv, (Out self, In other), at::div_out(self, self, other));
OPERATOR(InplaceDivs, (Out self, Factor other), at::div_out(self, self, Wrapped(other)));

namespace {

// Returns the mode of rounding with the API's number.
Optional<c10::string_view> Rounding(int64_t mode) {
    switch (mode) {
        case 0:
            return kNone;
        case 1:
            return "trunc";
        case 2:
            return "floor";
        default:
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "mode is ", mode,
                          "; allowed: 0 (no rounding), 1 (trunc), 2 (floor)");
    }
}

}  // namespace

OPERATOR(DivMod, (In self, In other, int64_t mode, Out out), at::div_out(out, self, other, Rounding(mode)));
OPERATOR(DivMods, (In self, Number other, int64_t mode, Out out),
         at::div_out(out, self, Wrapped(other), Rounding(mode)));
OPERATOR(InplaceDivMod, (Out self, In other, int64_t mode), at::div_out(self, self, other, Rounding(mode)));
OPERATOR(InplaceDivMods, (Out self, Number other, int64_t mode),
         at::div_out(self, self, Wrapped(other), Rounding(mode)));
OPERATOR(FloorDivide, (In self, In other, Out out), at::floor_divide_out(out, self, other));
OPERATOR(FloorDivides, (In self, Number other, Out out), at::floor_divide_out(out, self, Wrapped(other)));
OPERATOR(RemainderTensorTensor, (In self, In other, Out out), at::remainder_out(out, self, other));
OPERATOR(RemainderTensorScalar, (In self, Number other, Out out), at::remainder_out(out, self, other));
OPERATOR(FmodTensor, (In self, In other, Out out), at::fmod_out(out, self, other));
OPERATOR(FmodScalar, (In self, Number other, Out out), at::fmod_out(out, self, other));

OPERATOR(PowTensorTensor, (In self, In exponent, Out out), at::pow_out(out, self, exponent));
OPERATOR(PowTensorScalar, (In self, Number exponent, Out out), at::pow_out(out, self, exponent));
OPERATOR(PowScalarTensor, (Number self, In exponent, Out out), at::pow_out(out, self, exponent));
OPERATOR(InplacePowTensorTensor, (Out self, In exponent), at::pow_out(self, self, exponent));
OPERATOR(InplacePowTensorScalar, (Out self, Number exponent), at::pow_out(self, self, exponent));
OPERATOR(Atan2, (In self, In other, Out out), at::atan2_out(out, self, other));
OPERATOR(Maximum, (In self, In other, Out out), at::maximum_out(out, self, other));
OPERATOR(Minimum, (In self, In other, Out out), at::minimum_out(out, self, other));

OPERATOR(Addcmul, (In self, In a, In b, Factor value, Out out), at::addcmul_out(out, self, a, b, value));
OPERATOR(Addcdiv, (In self, In a, In b, Factor value, Out out), at::addcdiv_out(out, self, a, b, value));
OPERATOR(InplaceAddcmul, (Out self, In a, In b, Factor value), at::addcmul_out(self, self, a, b, value));
OPERATOR(InplaceAddcdiv, (Out self, In a, In b, Factor value), at::addcdiv_out(self, self, a, b, value));
OPERATOR(Lerp, (In self, In end, In weight, Out out), at::lerp_out(out, self, end, weight));
OPERATOR(Lerps, (In self, In end, Factor weight, Out out), at::lerp_out(out, self, end, weight));
OPERATOR(InplaceLerp, (Out self, In end, In weight), at::lerp_out(self, self, end, weight));
OPERATOR(InplaceLerps, (Out self, In end, Factor weight), at::lerp_out(self, self, end, weight));

// Operators that training needs beside gradients: scales of losses, and optimizers in one call.
#include "ops/support.h"

OPERATOR(ForeachNonFiniteCheckAndUnscale, (Outs grads, Out foundInf, In inverseScale),
         at::_amp_foreach_non_finite_check_and_unscale_(grads, foundInf, inverseScale));
// Callers pass the same tensors as inputs and as outputs.
OPERATOR(AmpUpdateScale,
         (In scale, In growthTracker, In foundInf, double growthFactor, double backoffFactor, int64_t interval,
          Out updatedScale, Out updatedGrowthTracker),
         Put(updatedScale, scale);
         Put(updatedGrowthTracker, growthTracker);
         at::_amp_update_scale_(updatedScale, updatedGrowthTracker, foundInf, growthFactor, backoffFactor, interval));

namespace {

struct AdamW {
    float rate, beta1, beta2, decay, epsilon;
    bool amsgrad, maximize;
};

// Runs a step of the optimizer. `step` counts the earlier steps.
void Apply(const AdamW& with, at::Tensor& weights, at::Tensor& m, at::Tensor& v, Optional<at::Tensor>& most,
           const at::Tensor& grad, const at::Tensor& step) {
    const double count = step.item().toDouble() + 1;
    const at::Tensor slope = with.maximize ? grad.neg() : grad;
    weights.mul_(1 - static_cast<double>(with.rate) * with.decay);
    m.lerp_(slope, 1 - static_cast<double>(with.beta1));
    v.mul_(with.beta2).addcmul_(slope, slope, 1 - static_cast<double>(with.beta2));
    if (with.amsgrad && most) at::maximum_out(*most, *most, v);
    const at::Tensor& second = with.amsgrad && most ? *most : v;
    const at::Tensor scale = (second.sqrt() / std::sqrt(1 - std::pow(with.beta2, count))).add_(with.epsilon);
    weights.addcdiv_(m, scale, -with.rate / (1 - std::pow(with.beta1, count)));
}

}  // namespace

OPERATOR(ApplyAdamWV2,
         (Out weights, Out m, Out v, MaybeOut most, In grad, In step, float rate, float beta1, float beta2, float decay,
          float epsilon, bool amsgrad, bool maximize),
         Apply({rate, beta1, beta2, decay, epsilon, amsgrad, maximize}, weights, m, v, most, grad, step));

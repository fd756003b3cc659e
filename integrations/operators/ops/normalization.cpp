// Normalizations and their gradients.
#include "ops/support.h"

namespace {

// Writes three results of a gradient to outputs that may be missing.
void PutAll(const std::tuple<at::Tensor, at::Tensor, at::Tensor>& results, MaybeOut first, MaybeOut second,
            MaybeOut third) {
    Put(first, std::get<0>(results));
    Put(second, std::get<1>(results));
    Put(third, std::get<2>(results));
}

const Optional<at::Tensor> kNoTensor;

// The arguments of a normalization for each channel.
struct Channels {
    MaybeIn weight, bias, mean, var;
    bool training;
};

int64_t CheckChannels(const at::Tensor& self, const Channels& given) {
    if (self.dim() < 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "self has the shape ", self.sizes(),
                      "; it must have at least 2 dimensions, the second for the channels");
    const int64_t channels = self.size(1);
    CheckCount("weight", given.weight, channels);
    CheckCount("bias", given.bias, channels);
    CheckCount("mean", given.mean, channels);
    CheckCount("var", given.var, channels);
    if (!given.training) {
        CheckPresent("mean", given.mean, "if training is false");
        CheckPresent("var", given.var, "if training is false");
    }
    return channels;
}

// Checks what the gradient reads: in training the saved values, else the running ones.
void CheckGradient(const at::Tensor& grad, const at::Tensor& self, const Channels& given, MaybeIn saved_mean,
                   MaybeIn saved_invstd) {
    CheckSame("grad", grad, "self", self);
    const int64_t channels = CheckChannels(self, given);
    if (!given.training) return;
    CheckPresent("saveMean", saved_mean, "if training is true");
    CheckPresent("saveInvstd", saved_invstd, "if training is true");
    CheckCount("saveMean", saved_mean, channels);
    CheckCount("saveInvstd", saved_invstd, channels);
}

// Checks what the gradient of a layer's normalization needs for each of the layers.
void CheckLayers(const at::Tensor& grad, const at::Tensor& self, Ints shape, const at::Tensor& mean,
                 const at::Tensor& rstd) {
    CheckSame("grad", grad, "self", self);
    int64_t layers = 1;
    for (int64_t i = 0; i + static_cast<int64_t>(shape.size()) < self.dim(); ++i) layers *= self.size(i);
    CheckCount("mean", mean, layers);
    CheckCount("rstd", rstd, layers);
}

void RmsNormForward(const at::Tensor& x, const at::Tensor& gamma, double epsilon, at::Tensor& y, MaybeOut rstd) {
    const at::Tensor wide = x.to(at::kFloat);
    std::vector<int64_t> dims(static_cast<size_t>(gamma.dim()));
    for (size_t i = 0; i < dims.size(); ++i) dims[i] = x.dim() - gamma.dim() + static_cast<int64_t>(i);
    const at::Tensor scale = at::rsqrt(at::mean(wide * wide, dims, true) + epsilon);
    y.copy_(wide * scale * gamma.to(at::kFloat));
    Put(rstd, scale);
}

// Computes the gradient of y = x * r * gamma with r = rsqrt(mean(x * x) + epsilon): dx = r * (g - x * r * r * mean(g *
// x)), g = dy * gamma.
void RmsNormBackward(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& rstd, const at::Tensor& gamma,
                     at::Tensor& dx, at::Tensor& dgamma) {
    const at::Tensor wide = x.to(at::kFloat), slope = dy.to(at::kFloat);
    const at::Tensor g = slope * gamma.to(at::kFloat);
    std::vector<int64_t> inner, outer;
    for (int64_t i = 0; i < x.dim(); ++i) (i < x.dim() - gamma.dim() ? outer : inner).push_back(i);
    dx.copy_(rstd * (g - wide * rstd * rstd * at::mean(g * wide, inner, true)));
    const at::Tensor each = slope * wide * rstd;
    Put(dgamma, outer.empty() ? each : at::sum(each, outer));
}

}  // namespace

OPERATOR(LayerNorm,
         (In self, Ints shape, MaybeIn weight, MaybeIn bias, double eps, MaybeOut out, MaybeOut mean, MaybeOut rstd),
         PutAll(at::native_layer_norm(self, shape, weight, bias, eps), out, mean, rstd));
OPERATOR(LayerNormBackward,
         (In grad, In self, Ints shape, In mean, In rstd, MaybeIn weight, MaybeIn bias, Flags mask, MaybeOut gradSelf,
          MaybeOut gradWeight, MaybeOut gradBias),
         CheckLayers(grad, self, shape, mean, rstd);
         PutAll(at::native_layer_norm_backward(grad, self, shape, mean, rstd, weight, bias, Three(mask)), gradSelf,
                gradWeight, gradBias));
OPERATOR(BatchNorm,
         (In self, MaybeIn weight, MaybeIn bias, MaybeIn mean, MaybeIn var, bool training, double momentum, double eps,
          MaybeOut out, MaybeOut saveMean, MaybeOut saveInvstd),
         CheckChannels(self, {weight, bias, mean, var, training});
         auto results = at::native_batch_norm(self, weight, bias, mean, var, training, momentum, eps);
         Put(out, std::get<0>(results)); if (training) Put(saveMean, std::get<1>(results));
         if (training) Put(saveInvstd, std::get<2>(results)));
OPERATOR(BatchNormBackward,
         (In grad, In self, MaybeIn weight, MaybeIn mean, MaybeIn var, MaybeIn saveMean, MaybeIn saveInvstd,
          bool training, double eps, Flags mask, MaybeOut gradSelf, MaybeOut gradWeight, MaybeOut gradBias),
         CheckGradient(grad, self,
                       {weight, kNoTensor, training ? kNoTensor : mean, training ? kNoTensor : var, training}, saveMean,
                       saveInvstd);
         PutAll(at::native_batch_norm_backward(grad, self, weight, mean, var, saveMean, saveInvstd, training, eps,
                                               Three(mask)),
                gradSelf, gradWeight, gradBias));
OPERATOR(GroupNorm,
         (In self, MaybeIn weight, MaybeIn bias, int64_t n, int64_t c, int64_t hxw, int64_t group, double eps,
          MaybeOut out, MaybeOut mean, MaybeOut rstd),
         PutAll(at::native_group_norm(self, weight, bias, n, c, hxw, group, eps), out, mean, rstd));
OPERATOR(GroupNormBackward,
         (In grad, In self, In mean, In rstd, MaybeIn weight, int64_t n, int64_t c, int64_t hxw, int64_t group,
          Flags mask, MaybeOut gradSelf, MaybeOut gradWeight, MaybeOut gradBias),
         PutAll(at::native_group_norm_backward(grad, self, mean, rstd, weight, n, c, hxw, group, Three(mask)), gradSelf,
                gradWeight, gradBias));
OPERATOR(RmsNorm, (In x, In gamma, double epsilon, Out y, MaybeOut rstd), RmsNormForward(x, gamma, epsilon, y, rstd));
OPERATOR(RmsNormGrad, (In dy, In x, In rstd, In gamma, Out dx, Out dgamma),
         RmsNormBackward(dy, x, rstd, gamma, dx, dgamma));

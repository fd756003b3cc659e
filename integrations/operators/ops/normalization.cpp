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
    // Programs pass the shape of x with memory for the rows alone.
    if (rstd && rstd->numel() > scale.numel())
        rstd->as_strided({scale.numel()}, {1}).copy_(scale.flatten());
    else
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

// Statistics of channels over a batch that is divided among processes. Each has mean and inverse deviation of its own
// part; together they compute those of all.
std::vector<int64_t> AllButChannels(const at::Tensor& self) {
    if (self.dim() < 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "self has the shape ", self.sizes(),
                      "; it must have at least 2 dimensions, the second for the channels");
    std::vector<int64_t> dims{0};
    for (int64_t i = 2; i < self.dim(); ++i) dims.push_back(i);
    return dims;
}

// Returns a number for each channel in the shape of `self`.
at::Tensor OfChannels(const char* name, const at::Tensor& each, const at::Tensor& self) {
    if (each.numel() != self.size(1))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has the shape ", each.sizes(), "; it must have ", self.size(1),
                      " elements, one for each channel");
    std::vector<int64_t> sizes(static_cast<size_t>(self.dim()), 1);
    sizes[1] = self.size(1);
    return each.to(at::kFloat).reshape(sizes);
}

void StatsOf(const at::Tensor& self, double eps, at::Tensor& mean, at::Tensor& invstd) {
    const std::vector<int64_t> dims = AllButChannels(self);
    const at::Tensor wide = self.to(at::kFloat), middle = at::mean(wide, dims, true);
    const at::Tensor apart = wide - middle;
    Put(mean, middle);
    Put(invstd, at::rsqrt(at::mean(apart * apart, dims, true) + eps));
}

void Normalize(const at::Tensor& self, MaybeIn weight, MaybeIn bias, const at::Tensor& mean, const at::Tensor& invstd,
               at::Tensor& out) {
    AllButChannels(self);
    at::Tensor result = (self.to(at::kFloat) - OfChannels("mean", mean, self)) * OfChannels("invstd", invstd, self);
    if (weight) result = result * OfChannels("weight", *weight, self);
    if (bias) result = result + OfChannels("bias", *bias, self);
    Put(out, result);
}

// What is known of the parts: a row for each process.
struct PartsOfBatch {
    const at::Tensor &mean, &invstd, &counts;
};

void GatherStats(const PartsOfBatch& parts, MaybeOut running_mean, MaybeOut running_var, double momentum, double eps,
                 at::Tensor& mean, at::Tensor& invstd) {
    CheckSame("invstd", parts.invstd, "mean", parts.mean);
    if (parts.mean.dim() != 2 || parts.counts.numel() != parts.mean.size(0))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "mean and counts have the shapes ", parts.mean.sizes(), " and ",
                      parts.counts.sizes(), "; they must be [processes, channels] and [processes]");
    // The differences of squares need double precision.
    const at::Tensor each = parts.mean.to(at::kDouble), counts = parts.counts.to(at::kDouble).reshape({-1, 1});
    const at::Tensor total = at::sum(counts), middle = at::sum(each * counts, {0}) / total;
    const at::Tensor apart = each - middle, deviations = parts.invstd.to(at::kDouble);
    const at::Tensor squares = at::sum((1 / (deviations * deviations) - eps + apart * apart) * counts, {0});
    Put(mean, middle);
    Put(invstd, at::rsqrt(squares / total + eps));
    const auto run = [&](MaybeOut running, const at::Tensor& now) {
        if (running) Put(*running, running->to(at::kDouble) * (1 - momentum) + now * momentum);
    };
    run(running_mean, middle);
    run(running_var, squares / (total - 1));
}

struct Wanted {
    bool input, weight, bias;
};

struct Sums {
    MaybeOut dy, dy_xmu, weight, bias;
};

void ReduceBackward(const at::Tensor& grad, const at::Tensor& self, const at::Tensor& mean, const at::Tensor& invstd,
                    const Wanted& wanted, Sums sums) {
    CheckSame("gradOut", grad, "self", self);
    const std::vector<int64_t> dims = AllButChannels(self);
    const at::Tensor slope = grad.to(at::kFloat), dy = at::sum(slope, dims);
    const at::Tensor dy_xmu = at::sum(slope * (self.to(at::kFloat) - OfChannels("mean", mean, self)), dims);
    if (wanted.input) Put(sums.dy, dy);
    if (wanted.input) Put(sums.dy_xmu, dy_xmu);
    if (wanted.weight) Put(sums.weight, dy_xmu * invstd.to(at::kFloat));
    if (wanted.bias) Put(sums.bias, dy);
}

void NormalizeBackward(const at::Tensor& grad, const at::Tensor& self, const at::Tensor& mean, const at::Tensor& invstd,
                       MaybeIn weight, const at::Tensor& dy, const at::Tensor& dy_xmu, const at::Tensor& counts,
                       at::Tensor& out) {
    CheckSame("gradOut", grad, "self", self);
    AllButChannels(self);
    const at::Tensor total = at::sum(counts.to(at::kFloat)), scale = OfChannels("invstd", invstd, self);
    const at::Tensor apart = self.to(at::kFloat) - OfChannels("mean", mean, self);
    at::Tensor result = (grad.to(at::kFloat) - OfChannels("sumDy", dy, self) / total -
                         apart * scale * scale * OfChannels("sumDyXmu", dy_xmu, self) / total) *
                        scale;
    if (weight) result = result * OfChannels("weight", *weight, self);
    Put(out, result);
}

}  // namespace

OPERATOR(BatchNormStats, (In self, double eps, Out mean, Out invstd), StatsOf(self, eps, mean, invstd));
OPERATOR(BatchNormElemt,
         (In self, MaybeIn weight, MaybeIn bias, In mean, In invstd, [[maybe_unused]] double eps, Out out),
         Normalize(self, weight, bias, mean, invstd, out));
OPERATOR(BatchNormGatherStatsWithCounts,
         ([[maybe_unused]] In self, In mean, In invstd, MaybeOut runningMean, MaybeOut runningVar, double momentum,
          double eps, In counts, Out meanAll, Out invstdAll),
         GatherStats({mean, invstd, counts}, runningMean, runningVar, momentum, eps, meanAll, invstdAll));
OPERATOR(BatchNormReduceBackward,
         (In gradOut, In self, In mean, In invstd, [[maybe_unused]] MaybeIn weight, bool inputG, bool weightG,
          bool biasG, MaybeOut sumDy, MaybeOut sumDyXmu, MaybeOut gradWeight, MaybeOut gradBias),
         ReduceBackward(gradOut, self, mean, invstd, {inputG, weightG, biasG},
                        {sumDy, sumDyXmu, gradWeight, gradBias}));
OPERATOR(BatchNormElemtBackward,
         (In gradOut, In self, In mean, In invstd, MaybeIn weight, In sumDy, In sumDyXmu, In counter, Out gradInput),
         NormalizeBackward(gradOut, self, mean, invstd, weight, sumDy, sumDyXmu, counter, gradInput));

OPERATOR(LayerNorm,
         (In self, Ints shape, MaybeIn weight, MaybeIn bias, double eps, MaybeOut out, MaybeOut mean, MaybeOut rstd),
         PutAll(at::native_layer_norm(self, shape, weight, bias, eps), out, mean, rstd));
OPERATOR(AddLayerNorm,
         (In x1, In x2, In gamma, In beta, MaybeIn bias, double epsilon, [[maybe_unused]] bool additionalOutput,
          MaybeOut y, MaybeOut mean, MaybeOut rstd, Out x),
         CheckSame("x2", x2, "x1", x1);
         const at::Tensor both = x1.to(at::kFloat) + x2.to(at::kFloat);
         const at::Tensor sum = bias ? both + bias->to(at::kFloat) : both; Put(x, sum);
         PutAll(at::native_layer_norm(sum, gamma.sizes(), gamma.to(at::kFloat), beta.to(at::kFloat), epsilon), y, mean,
                rstd));
OPERATOR(LayerNormBackward,
         (In grad, In self, Ints shape, In mean, In rstd, MaybeIn weight, MaybeIn bias, Flags outputMask,
          MaybeOut gradSelf, MaybeOut gradWeight, MaybeOut gradBias),
         CheckLayers(grad, self, shape, mean, rstd);
         PutAll(at::native_layer_norm_backward(grad, self, shape, mean, rstd, weight, bias, Three(outputMask)),
                gradSelf, gradWeight, gradBias));
OPERATOR(BatchNorm,
         (In self, MaybeIn weight, MaybeIn bias, MaybeIn mean, MaybeIn var, bool training, double momentum, double eps,
          MaybeOut out, MaybeOut saveMean, MaybeOut saveInvstd),
         CheckChannels(self, {weight, bias, mean, var, training});
         auto results = at::native_batch_norm(self, weight, bias, mean, var, training, momentum, eps);
         Put(out, std::get<0>(results)); if (training) Put(saveMean, std::get<1>(results));
         if (training) Put(saveInvstd, std::get<2>(results)));
OPERATOR(BatchNormBackward,
         (In grad, In self, MaybeIn weight, MaybeIn mean, MaybeIn var, MaybeIn saveMean, MaybeIn saveInvstd,
          bool training, double eps, Flags outputMask, MaybeOut gradSelf, MaybeOut gradWeight, MaybeOut gradBias),
         CheckGradient(grad, self,
                       {weight, kNoTensor, training ? kNoTensor : mean, training ? kNoTensor : var, training}, saveMean,
                       saveInvstd);
         PutAll(at::native_batch_norm_backward(grad, self, weight, mean, var, saveMean, saveInvstd, training, eps,
                                               Three(outputMask)),
                gradSelf, gradWeight, gradBias));
OPERATOR(GroupNorm,
         (In self, MaybeIn weight, MaybeIn bias, int64_t n, int64_t c, int64_t hxw, int64_t group, double eps,
          MaybeOut out, MaybeOut mean, MaybeOut rstd),
         PutAll(at::native_group_norm(self, weight, bias, n, c, hxw, group, eps), out, mean, rstd));
OPERATOR(GroupNormBackward,
         (In grad, In self, In mean, In rstd, MaybeIn weight, int64_t n, int64_t c, int64_t hxw, int64_t group,
          Flags outputMask, MaybeOut gradSelf, MaybeOut gradWeight, MaybeOut gradBias),
         PutAll(at::native_group_norm_backward(grad, self, mean, rstd, weight, n, c, hxw, group, Three(outputMask)),
                gradSelf, gradWeight, gradBias));
OPERATOR(RmsNorm, (In x, In gamma, double epsilon, Out y, MaybeOut rstd), RmsNormForward(x, gamma, epsilon, y, rstd));
OPERATOR(RmsNormGrad, (In dy, In x, In rstd, In gamma, Out dx, Out dgamma),
         RmsNormBackward(dy, x, rstd, gamma, dx, dgamma));

// Losses and their gradients.
#include "ops/support.h"

namespace {

int64_t Reduction(const std::string& name) {
    if (name == "none") return at::Reduction::None;
    if (name == "mean") return at::Reduction::Mean;
    if (name == "sum") return at::Reduction::Sum;
    throw Refusal(ACLNN_ERR_PARAM_INVALID, "reduction is ", name, "; allowed: none, mean, sum");
}

// What is the same in a cross entropy and in its gradient.
struct Entropy {
    MaybeIn weight;
    int64_t reduction, ignore;
    double smoothing, lse_scale;
};

void CheckEntropy(const at::Tensor& input, const at::Tensor& target, const Entropy& entropy) {
    if (entropy.lse_scale != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "lseSquareScaleForZloss is ", entropy.lse_scale, "; allowed: 0");
    if (input.dim() != 2 || target.dim() != 1 || target.size(0) != input.size(0))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "input (logProb in the gradient) and target have the shapes ",
                      input.sizes(), " and ", target.sizes(), "; they must be [rows, classes] and [rows]");
    if (entropy.weight && entropy.weight->numel() != input.size(1))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "weight has the shape ", entropy.weight->sizes(), "; it must have ",
                      input.size(1), " elements, one for each class");
}

Optional<at::Tensor> WideWeight(const Entropy& entropy) {
    return entropy.weight ? Optional<at::Tensor>(entropy.weight->to(at::kFloat)) : kNone;
}

void EntropyOf(const at::Tensor& input, const at::Tensor& target, const Entropy& entropy, at::Tensor& loss,
               at::Tensor& log_prob) {
    CheckEntropy(input, target, entropy);
    const at::Tensor wide = input.to(at::kFloat);
    Put(log_prob, at::log_softmax(wide, -1));
    Put(loss, at::cross_entropy_loss(wide, Long(target), WideWeight(entropy), entropy.reduction, entropy.ignore,
                                     entropy.smoothing));
}

// The loss of a row with the class t is -(1 - s) w[t] p[t] - s / C sum(w p), with the logarithms p of probabilities,
// the smoothing s and C classes. A mean is over the weights w[t].
void EntropySlope(const at::Tensor& grad, const at::Tensor& log_prob, const at::Tensor& target, const Entropy& entropy,
                  at::Tensor& out) {
    CheckEntropy(log_prob, target, entropy);
    CheckCount("gradLoss", grad, entropy.reduction == at::Reduction::None ? target.numel() : 1);
    const at::Tensor logs = log_prob.to(at::kFloat), counts = target != entropy.ignore;
    const at::Tensor place = Long(target).masked_fill(target == entropy.ignore, 0).unsqueeze(1);
    const at::Tensor weights = WideWeight(entropy).value_or(at::ones({logs.size(1)}, logs.options()));
    const at::Tensor of_class = weights.index_select(0, place.squeeze(1)) * counts;
    at::Tensor slope = (weights * (-entropy.smoothing / static_cast<double>(logs.size(1)))).expand(logs.sizes());
    slope = slope.scatter_add(1, place, of_class.unsqueeze(1) * (entropy.smoothing - 1)) * counts.unsqueeze(1);
    at::Tensor scale = grad.to(at::kFloat).reshape({-1, 1});
    if (entropy.reduction == at::Reduction::Mean) scale = scale / at::sum(of_class);
    slope = slope * scale;
    Put(out, slope - at::exp(logs) * at::sum(slope, {1}, true));
}

// Callers round the last size of the logarithms up.
at::Tensor PlacesOfCtc(const at::Tensor& log_alpha, Ints target_lengths) {
    int64_t longest = 0;
    for (const int64_t length : target_lengths) longest = std::max(longest, length);
    if (log_alpha.dim() != 3 || log_alpha.size(2) < 2 * longest + 1)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "logAlpha has the shape ", log_alpha.sizes(),
                      "; it must have 3 dimensions, and its last size must be at least ", 2 * longest + 1,
                      ", twice the longest length in targetLengths plus 1");
    return log_alpha.narrow(2, 0, 2 * longest + 1);
}

at::Tensor AtLeastFloat(const at::Tensor& tensor) {
    return tensor.scalar_type() == at::kDouble ? tensor : tensor.to(at::kFloat);
}

void CtcOf(const at::Tensor& logs, const at::Tensor& targets, Ints lengths, Ints target_lengths, int64_t blank,
           bool zero_infinity, at::Tensor& loss, at::Tensor& log_alpha) {
    const auto results = at::_ctc_loss(AtLeastFloat(logs), targets, lengths, target_lengths, blank, zero_infinity);
    Put(loss, std::get<0>(results));
    at::Tensor places = PlacesOfCtc(log_alpha, target_lengths);
    Put(places, std::get<1>(results));
}

}  // namespace

OPERATOR(NLLLoss, (In self, In target, MaybeIn weight, int64_t reduction, int64_t ignore, Out out, Out total),
         at::nll_loss_forward_out(out, total, self, Long(target), weight, reduction, ignore));
OPERATOR(NLLLossBackward,
         (In grad, In self, In target, MaybeIn weight, int64_t reduction, int64_t ignore, In total, Out out),
         at::nll_loss_backward_out(out, grad, self, Long(target), weight, reduction, ignore, total));
OPERATOR(NLLLoss2d, (In self, In target, MaybeIn weight, int64_t reduction, int64_t ignore, Out out, Out total),
         at::nll_loss2d_forward_out(out, total, self, Long(target), weight, reduction, ignore));
OPERATOR(NLLLoss2dBackward,
         (In grad, In self, In target, MaybeIn weight, int64_t reduction, int64_t ignore, In total, Out out),
         at::nll_loss2d_backward_out(out, grad, self, Long(target), weight, reduction, ignore, total));
OPERATOR(MseLoss, (In self, In target, int64_t reduction, Out out), Put(out, at::mse_loss(self, target, reduction)));
OPERATOR(MseLossBackward, (In grad, In self, In target, int64_t reduction, Out out),
         at::mse_loss_backward_out(out, grad, self, target, reduction));
OPERATOR(L1Loss, (In self, In target, int64_t reduction, Out out), Put(out, at::l1_loss(self, target, reduction)));
OPERATOR(SmoothL1Loss, (In self, In target, int64_t reduction, float beta, Out out),
         Put(out, at::smooth_l1_loss(self, target, reduction, beta)));
OPERATOR(SmoothL1LossBackward, (In grad, In self, In target, int64_t reduction, float beta, Out out),
         at::smooth_l1_loss_backward_out(out, grad, self, target, reduction, beta));
OPERATOR(BinaryCrossEntropy, (In self, In target, MaybeIn weight, int64_t reduction, Out out),
         Put(out, at::binary_cross_entropy(self, target, weight, reduction)));
OPERATOR(BinaryCrossEntropyBackward, (In grad, In self, In target, MaybeIn weight, int64_t reduction, Out out),
         at::binary_cross_entropy_backward_out(out, grad, self, target, weight, reduction));
OPERATOR(BinaryCrossEntropyWithLogits,
         (In self, In target, MaybeIn weight, MaybeIn posWeight, int64_t reduction, Out out),
         Put(out, at::binary_cross_entropy_with_logits(self, target, weight, posWeight, reduction)));
OPERATOR(KlDiv, (In self, In target, int64_t reduction, bool logTarget, Out out),
         Put(out, at::kl_div(self, target, reduction, logTarget)));
OPERATOR(CrossEntropyLoss,
         (In input, In target, MaybeIn weight, Text reduction, int64_t ignoreIndex, double labelSmoothing,
          double lseSquareScaleForZloss, bool returnZloss, Out loss, Out logProb, [[maybe_unused]] MaybeOut zloss,
          [[maybe_unused]] MaybeOut lseForZloss),
         if (returnZloss) throw Refusal(ACLNN_ERR_PARAM_INVALID, "returnZloss is true; allowed: false");
         EntropyOf(input, target, {weight, Reduction(reduction), ignoreIndex, labelSmoothing, lseSquareScaleForZloss},
                   loss, logProb));
// Labels are probabilities of the classes in each row.
OPERATOR(SoftmaxCrossEntropyWithLogits, (In features, In labels, Out loss, Out backprop),
         const at::Tensor logarithms = at::log_softmax(features, -1);
         CheckSame("labels", labels, "features", features); Put(loss, -at::sum(labels* logarithms, {-1}));
         Put(backprop, at::exp(logarithms) - labels));
OPERATOR(CrossEntropyLossGrad,
         (In gradLoss, In logProb, In target, MaybeIn weight, MaybeIn gradZloss, [[maybe_unused]] MaybeIn lseForZloss,
          Text reduction, int64_t ignoreIndex, double labelSmoothing, double lseSquareScaleForZloss, Out out),
         if (gradZloss && gradZloss->numel() > 0) throw Refusal(ACLNN_ERR_PARAM_INVALID,
                                                                "gradZloss is not supported; pass null");
         EntropySlope(gradLoss, logProb, target,
                      {weight, Reduction(reduction), ignoreIndex, labelSmoothing, lseSquareScaleForZloss}, out));
OPERATOR(CtcLoss,
         (In logProbs, In targets, Ints inputLengths, Ints targetLengths, int64_t blank, bool zeroInfinity,
          Out negLogLikelihood, Out logAlpha),
         CtcOf(logProbs, targets, inputLengths, targetLengths, blank, zeroInfinity, negLogLikelihood, logAlpha));
OPERATOR(CtcLossBackward,
         (In grad, In logProbs, In targets, Ints inputLengths, Ints targetLengths, In negLogLikelihood, In logAlpha,
          int64_t blank, bool zeroInfinity, Out out),
         Put(out, at::_ctc_loss_backward(AtLeastFloat(grad), AtLeastFloat(logProbs), targets, inputLengths,
                                         targetLengths, AtLeastFloat(negLogLikelihood),
                                         AtLeastFloat(PlacesOfCtc(logAlpha, targetLengths)).contiguous(), blank,
                                         zeroInfinity)));

// Losses and their gradients.
#include "ops/support.h"

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

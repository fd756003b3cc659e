// Activations and their gradients.
#include "ops/support.h"

// As ATen's relu, whose form with an output cannot run without data.
OPERATOR(Relu, (In self, Out out),
         TORCH_CHECK(self.scalar_type() != at::kBool, "Boolean inputs not supported for relu");
         at::clamp_min_out(out, self, 0));
OPERATOR(InplaceRelu, (Out self), at::relu_(self));
OPERATOR(ThresholdBackward, (In grad, In self, Number threshold, Out out),
         at::threshold_backward_out(out, grad, self, threshold));
OPERATOR(LeakyRelu, (In self, Number slope, Out out), at::leaky_relu_out(out, self, slope));
OPERATOR(InplaceLeakyRelu, (Out self, Number slope), at::leaky_relu_out(self, self, slope));
OPERATOR(LeakyReluBackward, (In grad, In self, Number slope, bool isResult, Out out),
         at::leaky_relu_backward_out(out, grad, self, slope, isResult));
OPERATOR(Elu, (In self, Number alpha, Number scale, Number inputScale, Out out),
         at::elu_out(out, self, alpha, scale, inputScale));
OPERATOR(EluBackward, (In grad, Number alpha, Number scale, Number inputScale, bool isResult, In self, Out out),
         at::elu_backward_out(out, grad, alpha, scale, inputScale, isResult, self));
OPERATOR(SigmoidBackward, (In grad, In output, Out out), at::sigmoid_backward_out(out, grad, output));
OPERATOR(TanhBackward, (In grad, In output, Out out), at::tanh_backward_out(out, grad, output));
OPERATOR(Silu, (In self, Out out), at::silu_out(out, self));
OPERATOR(SiluBackward, (In grad, In self, Out out), at::silu_backward_out(out, grad, self));
OPERATOR(Mish, (In self, Out out), at::mish_out(out, self));
OPERATOR(Hardtanh, (In self, Number min, Number max, Out out), at::hardtanh_out(out, self, min, max));
OPERATOR(HardtanhBackward, (In grad, In self, Number min, Number max, Out out),
         at::hardtanh_backward_out(out, grad, self, min, max));
OPERATOR(Hardswish, (In self, Out out), at::hardswish_out(out, self));
OPERATOR(Softplus, (In self, Number beta, Number threshold, Out out), at::softplus_out(out, self, beta, threshold));
OPERATOR(SoftplusBackward, (In grad, In self, Number beta, Number threshold, Out out),
         at::softplus_backward_out(out, grad, self, beta, threshold));
OPERATOR(LogSigmoid, (In self, Out out), at::log_sigmoid_out(out, self));
// The buffer is for the device's backward only.
OPERATOR(LogSigmoidForward, (In self, Out out, [[maybe_unused]] MaybeOut buffer), at::log_sigmoid_out(out, self));
OPERATOR(LogSigmoidBackward, (In grad, In self, [[maybe_unused]] MaybeIn buffer, Out out),
         at::mul_out(out, grad, at::sigmoid(self.neg())));

// These functions of ATen write only outputs that are contiguous, and other memory if they are not.
OPERATOR(Gelu, (In self, Out out), Put(out, at::gelu(self)));
OPERATOR(GeluBackward, (In grad, In self, Out out), Put(out, at::gelu_backward(grad, self)));
OPERATOR(GeluV2, (In self, int64_t approximate, Out out), Put(out, at::gelu(self, approximate == 0 ? "none" : "tanh")));
OPERATOR(GeluBackwardV2, (In grad, In self, Text approximate, Out out),
         Put(out, at::gelu_backward(grad, self, approximate)));

OPERATOR(Softmax, (In self, int64_t dim, Out out), at::softmax_out(out, self, dim, out.scalar_type()));
OPERATOR(SoftmaxBackward, (In grad, In output, int64_t dim, Out out),
         Put(out, at::_softmax_backward_data(grad, output, dim, out.scalar_type())));
OPERATOR(LogSoftmax, (In self, int64_t dim, Out out), at::log_softmax_out(out, self, dim, out.scalar_type()));
OPERATOR(LogSoftmaxBackward, (In grad, In output, int64_t dim, Out out), CheckSame("grad", grad, "output", output);
         Put(out, at::_log_softmax_backward_data(grad, output, dim, out.scalar_type())));
OPERATOR(Glu, (In self, int64_t dim, Out out), at::glu_out(out, self, dim));

// Convolutions and pooling, and their gradients.
#include "ops/support.h"

namespace {

void ConvolveBackward(const std::tuple<at::Tensor, at::Tensor, at::Tensor>& results, MaybeOut gradSelf,
                      MaybeOut gradWeight, MaybeOut gradBias) {
    Put(gradSelf, std::get<0>(results));
    Put(gradWeight, std::get<1>(results));
    Put(gradBias, std::get<2>(results));
}

// Convolves each channel on its own.
void ConvolveChannels(const at::Tensor& self, const at::Tensor& weight, Ints kernel, MaybeIn bias, Ints stride,
                      Ints padding, Ints dilation, at::Tensor& out) {
    if (self.dim() < 3 || self.dim() > 4 || weight.dim() < 2 ||
        weight.sizes().slice(static_cast<size_t>(weight.dim() - 2)) != kernel)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "self and weight have the shapes ", self.sizes(), " and ",
                      weight.sizes(), ", and kernelSize is ", kernel,
                      "; self must have 3 or 4 dimensions, weight at least 2, and kernelSize must be the "
                      "last two sizes of weight");
    Put(out, at::convolution(self, weight, bias, stride, padding, dilation, false, {0, 0}, self.size(-3)));
}

// Throws if two tensors differ in anything but their last two sizes.
void CheckPlanes(const at::Tensor& grad, const at::Tensor& self) {
    const int64_t outer = std::max<int64_t>(self.dim() - 2, 0);
    const auto planes = static_cast<size_t>(outer);
    if (grad.dim() != self.dim() || grad.sizes().slice(0, planes) != self.sizes().slice(0, planes))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "grad has the shape ", grad.sizes(),
                      "; only its last two sizes may differ from those of self, ", self.sizes());
}

// Returns a divisor. 0 stands for none.
Optional<int64_t> Divisor(int64_t divisor) {
    return divisor == 0 ? kNone : Optional<int64_t>(divisor);
}

}  // namespace

OPERATOR(Convolution,
         (In self, In weight, MaybeIn bias, Ints stride, Ints padding, Ints dilation, bool transposed,
          Ints outputPadding, int64_t groups, Out out, [[maybe_unused]] int8_t cubeMathType),
         Put(out, at::convolution(self, weight, bias, stride, padding, dilation, transposed, outputPadding, groups)));
OPERATOR(ConvDepthwise2d,
         (In self, In weight, Ints kernelSize, MaybeIn bias, Ints stride, Ints padding, Ints dilation, Out out,
          [[maybe_unused]] int8_t cubeMathType),
         ConvolveChannels(self, weight, kernelSize, bias, stride, padding, dilation, out));
OPERATOR(ConvolutionBackward,
         (In grad, In self, In weight, MaybeInts biasSizes, Ints stride, Ints padding, Ints dilation, bool transposed,
          Ints outputPadding, int64_t groups, Flags outputMask, [[maybe_unused]] int8_t cubeMathType, MaybeOut gradSelf,
          MaybeOut gradWeight, MaybeOut gradBias),
         CheckPositive("groups", groups);
         ConvolveBackward(at::convolution_backward(grad, self, weight, biasSizes, stride, padding, dilation, transposed,
                                                   outputPadding, groups, Three(outputMask)),
                          gradSelf, gradWeight, gradBias));

// The mask is only for the device's backward. Here the backward searches the maxima again.
OPERATOR(MaxPool2dWithMask,
         (In self, Ints kernel, Ints stride, Ints padding, Ints dilation, bool ceil, Out out,
          [[maybe_unused]] Out mask),
         Put(out, std::get<0>(at::max_pool2d_with_indices(self, kernel, stride, padding, dilation, ceil))));
OPERATOR(MaxPool2dWithMaskBackward,
         (In grad, In self, [[maybe_unused]] In mask, Ints kernel, Ints stride, Ints padding, Ints dilation, bool ceil,
          Out out),
         const auto found = at::max_pool2d_with_indices(self, kernel, stride, padding, dilation, ceil);
         Put(out, at::max_pool2d_with_indices_backward(grad, self, kernel, stride, padding, dilation, ceil,
                                                       std::get<1>(found))));
OPERATOR(AvgPool2d,
         (In self, Ints kernel, Ints stride, Ints padding, bool ceil, bool countIncludePad, int64_t divisor,
          [[maybe_unused]] int8_t cubeMathType, Out out),
         at::avg_pool2d_out(out, self, kernel, stride, padding, ceil, countIncludePad, Divisor(divisor)));
OPERATOR(AvgPool2dBackward,
         (In grad, In self, Ints kernel, Ints stride, Ints padding, bool ceil, bool countIncludePad, int64_t divisor,
          [[maybe_unused]] int8_t cubeMathType, Out out),
         at::avg_pool2d_backward_out(out, grad, self, kernel, stride, padding, ceil, countIncludePad,
                                     Divisor(divisor)));
OPERATOR(AdaptiveAvgPool2d, (In self, Ints size, Out out), Put(out, at::adaptive_avg_pool2d(self, size)));
OPERATOR(AdaptiveAvgPool2dBackward, (In grad, In self, Out out), CheckPlanes(grad, self);
         Put(out, at::_adaptive_avg_pool2d_backward(grad, self)));

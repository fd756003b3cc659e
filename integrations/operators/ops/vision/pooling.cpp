// Pooling of volumes, pooling to a given size, its gradients, and its reverse.
#include "ops/support.h"

namespace {

// A divisor of 0 stands for none.
Optional<int64_t> Divisor(int64_t divisor) {
    return divisor == 0 ? kNone : Optional<int64_t>(divisor);
}

// Pools images. The paddings are those before and behind each of the two dimensions.
at::Tensor MaxPool2d(const at::Tensor& self, Ints kernel, Ints stride, int64_t auto_pads, Ints paddings, Ints dilation,
                     bool ceil_mode) {
    if (auto_pads != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "autoPads is ", auto_pads,
                      "; allowed: 0 (paddings are used as they are)");
    for (const int64_t padding : paddings)
        if (padding != paddings[0] || padding < 0)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "paddings is ", paddings,
                          "; all elements must be equal, and at least 0");
    if (paddings.empty() || paddings[0] == 0) return at::max_pool2d(self, kernel, stride, 0, dilation, ceil_mode);
    const int64_t all = paddings[0];
    const at::Tensor padded = at::constant_pad_nd(self, {all, all, all, all}, -std::numeric_limits<double>::infinity());
    return at::max_pool2d(padded, kernel, stride, 0, dilation, ceil_mode);
}

}  // namespace

OPERATOR(MaxPool,
         (In self, Ints kernel, Ints strides, int64_t autoPads, Ints paddings, Ints dilations, bool ceilMode, Out out),
         Put(out, MaxPool2d(self, kernel, strides, autoPads, paddings, dilations, ceilMode)));
OPERATOR(AvgPool3d,
         (In self, Ints kernel, Ints stride, Ints padding, bool ceilMode, bool countPadding, int64_t divisor, Out out),
         Put(out, at::avg_pool3d(self, kernel, stride, padding, ceilMode, countPadding, Divisor(divisor))));
OPERATOR(AvgPool3dBackward,
         (In grad, In self, Ints kernel, Ints stride, Ints padding, bool ceilMode, bool countPadding, int64_t divisor,
          Out out),
         Put(out,
             at::avg_pool3d_backward(grad, self, kernel, stride, padding, ceilMode, countPadding, Divisor(divisor))));
OPERATOR(MaxPool3dWithArgmax,
         (In self, Ints kernel, Ints stride, Ints padding, Ints dilation, bool ceilMode, Out out, Out indices),
         PutBoth(out, indices, at::max_pool3d_with_indices(self, kernel, stride, padding, dilation, ceilMode)));
OPERATOR(MaxPool3dWithArgmaxBackward,
         (In grad, In self, In indices, Ints kernel, Ints stride, Ints padding, Ints dilation, bool ceilMode, Out out),
         Put(out, at::max_pool3d_with_indices_backward(grad, self, kernel, stride, padding, dilation, ceilMode,
                                                       Long(indices))));

OPERATOR(AdaptiveAvgPool3d, (In self, Ints size, Out out), Put(out, at::adaptive_avg_pool3d(self, size)));
OPERATOR(AdaptiveAvgPool3dBackward, (In grad, In self, Out out),
         Put(out, at::_adaptive_avg_pool3d_backward(grad, self)));
OPERATOR(AdaptiveMaxPool2d, (In self, Ints size, Out out, Out indices),
         PutBoth(out, indices, at::adaptive_max_pool2d(self, size)));
OPERATOR(AdaptiveMaxPool2dBackward, (In grad, In self, In indices, Out out),
         Put(out, at::adaptive_max_pool2d_backward(grad, self, Long(indices))));
OPERATOR(AdaptiveMaxPool3d, (In self, Ints size, Out out, Out indices),
         PutBoth(out, indices, at::adaptive_max_pool3d(self, size)));
OPERATOR(AdaptiveMaxPool3dBackward, (In grad, In self, In indices, Out out),
         Put(out, at::adaptive_max_pool3d_backward(grad, self, Long(indices))));
OPERATOR(MaxUnpool2d, (In self, In indices, Ints size, Out out), Put(out, at::max_unpool2d(self, Long(indices), size)));
OPERATOR(MaxUnpool3d, (In self, In indices, Ints size, Ints stride, Ints padding, Out out),
         Put(out, at::max_unpool3d(self, Long(indices), size, stride, padding)));

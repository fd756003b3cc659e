// Samples of images at given places, columns of windows, and orders of channels.
#include "ops/support.h"

namespace {

std::array<bool, 2> Two(Flags flags) {
    if (flags.size() != 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "outputMask has ", flags.size(), " elements; it must have 2");
    return {flags[0], flags[1]};
}

void PutGradients(at::Tensor& input, at::Tensor& grid, const std::tuple<at::Tensor, at::Tensor>& results, Flags mask) {
    if (mask[0]) Put(input, std::get<0>(results));
    if (mask[1]) Put(grid, std::get<1>(results));
}

}  // namespace

#define GRID(NAME, FUNCTION)                                                                                 \
    OPERATOR(NAME, (In self, In grid, int64_t mode, int64_t padding, bool alignCorners, Out out),            \
             Put(out, at::FUNCTION(self, grid, mode, padding, alignCorners)));                               \
    OPERATOR(NAME##Backward,                                                                                 \
             (In grad, In self, In grid, int64_t mode, int64_t padding, bool alignCorners, Flags outputMask, \
              Out gradSelf, Out gradGrid),                                                                   \
             const auto wanted = Two(outputMask);                                                            \
             PutGradients(gradSelf, gradGrid,                                                                \
                          at::FUNCTION##_backward(grad, self, grid, mode, padding, alignCorners, wanted), outputMask))

GRID(GridSampler2D, grid_sampler_2d);
GRID(GridSampler3D, grid_sampler_3d);
OPERATOR(AffineGrid, (In theta, Ints size, bool alignCorners, Out out),
         Put(out, at::affine_grid_generator(theta, size, alignCorners)));
OPERATOR(Im2col, (In self, Ints kernel, Ints dilation, Ints padding, Ints stride, Out out),
         Put(out, at::im2col(self, kernel, dilation, padding, stride)));
OPERATOR(Im2colBackward, (In grad, Ints size, Ints kernel, Ints dilation, Ints padding, Ints stride, Out out),
         Put(out, at::col2im(grad, size, kernel, dilation, padding, stride)));
OPERATOR(UnfoldGrad, (In grad, Ints size, int64_t dim, int64_t length, int64_t step, Out out),
         Put(out, at::unfold_backward(grad, size, dim, length, step)));
OPERATOR(ChannelShuffle, (In self, int64_t groups, Out out), Put(out, at::channel_shuffle(self, groups)));

// Joins, splits and arranges tensors.
#include "ops/support.h"

namespace {

// Returns the sums of the repetitions of each part. One number of repetitions is for all parts.
at::Tensor SumsOfRepeats(const at::Tensor& grad, const at::Tensor& repeats, int64_t dim, at::IntArrayRef sizes) {
    if (grad.dim() == 0 || static_cast<int64_t>(sizes.size()) != grad.dim())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "grad and out have the shapes ", grad.sizes(), " and ", sizes,
                      "; both must have the same number of dimensions, at least 1");
    const int64_t at = c10::maybe_wrap_dim(dim, grad.dim()), parts = sizes[static_cast<size_t>(at)];
    const at::Tensor counts = repeats.numel() == 1 ? repeats.flatten().expand({parts}) : repeats.flatten();
    const at::Tensor owners = at::repeat_interleave(counts.contiguous(), Optional<int64_t>(grad.size(at)));
    const bool is_narrow = grad.scalar_type() == at::kHalf || grad.scalar_type() == at::kBFloat16;
    const at::Tensor wide = is_narrow ? grad.to(at::kFloat) : grad;
    return at::zeros(sizes, wide.options()).index_add(at, owners, wide);
}

}  // namespace

OPERATOR(Cat, (Tensors tensors, int64_t dim, Out out), at::cat_out(out, tensors, dim));
OPERATOR(Stack, (Tensors tensors, int64_t dim, Out out), at::stack_out(out, tensors, dim));
OPERATOR(Permute, (In self, Ints dims, Out out), Put(out, self.permute(dims)));
OPERATOR(Repeat, (In self, Ints repeats, Out out), Put(out, self.repeat(repeats)));
OPERATOR(Expand, (In self, Ints size, Out out), Put(out, self.expand(size)));
OPERATOR(Slice, (Part self, int64_t dim, int64_t start, int64_t end, int64_t step, Out out),
         Put(out, self.slice(dim, start, end, step)));
OPERATOR(Flip, (In self, Ints dims, Out out), Put(out, self.flip(dims)));
OPERATOR(Roll, (In self, Ints shifts, Ints dims, Out out), Put(out, self.roll(shifts, dims)));
OPERATOR(ConstantPadNd, (In self, Ints pad, Number value, Out out), Put(out, at::constant_pad_nd(self, pad, value)));
OPERATOR(RepeatInterleave, (In self, In repeats, [[maybe_unused]] int64_t size, Out out),
         Put(out, self.flatten().repeat_interleave(Long(repeats), 0)));
OPERATOR(RepeatInterleaveWithDim, (In self, In repeats, int64_t dim, [[maybe_unused]] int64_t size, Out out),
         Put(out, self.repeat_interleave(Long(repeats), dim)));
OPERATOR(RepeatInterleaveInt, (In self, int64_t repeats, [[maybe_unused]] int64_t size, Out out),
         Put(out, self.flatten().repeat_interleave(repeats, 0)));
OPERATOR(RepeatInterleaveIntWithDim, (In self, int64_t repeats, int64_t dim, [[maybe_unused]] int64_t size, Out out),
         Put(out, self.repeat_interleave(repeats, dim)));

OPERATOR(RepeatInterleaveGrad, (In grad, In repeats, int64_t dim, Out out),
         Put(out, SumsOfRepeats(grad, Long(repeats), dim, out.sizes())));

#define PADDING(NAME, FUNCTION)                                                              \
    OPERATOR(NAME, (In self, Ints padding, Out out), Put(out, at::FUNCTION(self, padding))); \
    OPERATOR(NAME##Backward, (In grad, In self, Ints padding, Out out),                      \
             Put(out, at::FUNCTION##_backward(grad, self, padding)))

PADDING(ReflectionPad1d, reflection_pad1d);
PADDING(ReflectionPad2d, reflection_pad2d);
PADDING(ReflectionPad3d, reflection_pad3d);
PADDING(ReplicationPad1d, replication_pad1d);
PADDING(ReplicationPad2d, replication_pad2d);
PADDING(ReplicationPad3d, replication_pad3d);

namespace {

void Split(const at::Tensor& self, Ints sizes, int64_t dim, Tensors out) {
    const std::vector<at::Tensor> parts = self.split_with_sizes(sizes, dim);
    if (parts.size() != out.size())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "the number of tensors in out is ", out.size(), "; it must be ",
                      sizes.size(), ", the number of elements in splitSize");
    for (size_t i = 0; i < parts.size(); ++i) out[i].copy_(parts[i]);
}

}  // namespace

OPERATOR(SplitWithSize, (In self, Ints splitSize, int64_t dim, Outs out), Split(self, splitSize, dim, out));

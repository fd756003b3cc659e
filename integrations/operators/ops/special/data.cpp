// Sets, counts, searches, and elements at given places.
#include "ops/support.h"

namespace {

// Callers pass this for no dimension.
constexpr int64_t kNoDimension = 1000;

using Parts = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

void PutUnique(const Parts& results, const Grown& values, bool has_inverse, at::Tensor& inverse) {
    Write(values, std::get<0>(results));
    if (has_inverse) Put(inverse, std::get<1>(results));
}

void CountUnique(const Parts& results, bool has_counts, const Grown& counts) {
    if (has_counts) Write(counts, std::get<2>(results));
}

}  // namespace

OPERATOR(Unique, (In self, bool sorted, bool returnInverse, Unsized values, Out inverse),
         PutUnique(at::_unique2(self, sorted, returnInverse, false), values, returnInverse, inverse));
OPERATOR(Unique2,
         (In self, bool sorted, bool returnInverse, bool returnCounts, Unsized values, Out inverse, Unsized counts),
         const Parts results = at::_unique2(self, sorted, returnInverse, returnCounts);
         PutUnique(results, values, returnInverse, inverse); CountUnique(results, returnCounts, counts));
OPERATOR(UniqueDim,
         (In self, bool sorted, bool returnInverse, int64_t dim, Unsized values, Out inverse, Unsized counts),
         const Parts results = at::unique_dim(self, dim, sorted, returnInverse, true);
         PutUnique(results, values, returnInverse, inverse); CountUnique(results, true, counts));
OPERATOR(UniqueConsecutive,
         (In self, bool returnInverse, bool returnCounts, int64_t dim, Unsized values, Out inverse, Unsized counts),
         const Optional<int64_t> along = dim == kNoDimension ? kNone : Optional<int64_t>(dim);
         const Parts results = at::unique_consecutive(self, returnInverse, returnCounts, along);
         PutUnique(results, values, returnInverse, inverse); CountUnique(results, returnCounts, counts));

OPERATOR(SearchSorted, (In sorted, In self, bool outInt32, bool right, MaybeIn sorter, Out out),
         Put(out, at::searchsorted(sorted, self, outInt32, right, kNone, sorter)));
OPERATOR(SearchSorteds, (In sorted, Number self, bool outInt32, bool right, MaybeIn sorter, Out out),
         Put(out, at::searchsorted(sorted, self, outInt32, right, kNone, sorter)));
OPERATOR(Bincount, (In self, MaybeIn weights, int64_t minLength, Out out),
         Put(out, at::bincount(self, weights, minLength)));
OPERATOR(Histc, (In self, int64_t bins, Number min, Number max, Out out), Put(out, at::histc(self, bins, min, max)));
OPERATOR(IsInTensorScalar, (In self, Number other, bool assumeUnique, bool invert, Out out),
         Put(out, at::isin(self, other, assumeUnique, invert)));
OPERATOR(IsInScalarTensor, (Number self, In other, bool assumeUnique, bool invert, Out out),
         Put(out, at::isin(self, other, assumeUnique, invert)));

OPERATOR(InplaceMaskedScatter, (Out self, In mask, In source), self.masked_scatter_(mask.to(at::kBool), source));
OPERATOR(IndexCopy, (In self, int64_t dim, In index, In source, Out out),
         Put(out, at::index_copy(self, dim, Long(index), source)));
OPERATOR(InplaceIndexCopy, (Out self, int64_t dim, In index, In source), self.index_copy_(dim, Long(index), source));
OPERATOR(Take, (Part self, In index, Out out), Put(out, at::take(self, Long(index))));
OPERATOR(InplacePut, (Out self, In index, In source, bool accumulate), self.put_(Long(index), source, accumulate));

OPERATOR(AminmaxAll, (In self, Out min, Out max), Put(min, at::amin(self, {})); Put(max, at::amax(self, {})));
OPERATOR(AminmaxDim, (In self, int64_t dim, bool keepDim, Out min, Out max), at::amin_out(min, self, {dim}, keepDim);
         at::amax_out(max, self, {dim}, keepDim));
OPERATOR(Aminmax, (In self, Ints dims, bool keep, Out min, Out max), at::amin_out(min, self, dims, keep);
         at::amax_out(max, self, dims, keep));
OPERATOR(NanMedian, (In self, Out out), Put(out, at::nanmedian(self)));
OPERATOR(NanMedianDim, (In self, int64_t dim, bool keep, Out values, Out indices),
         PutBoth(values, indices, at::nanmedian(self, dim, keep)));

namespace {

// The gradients below have no function of ATen: it makes the losses of others. A mean divides by the number of
// elements.
at::Tensor Reduced(const at::Tensor& slope, const at::Tensor& grad, const at::Tensor& self, int64_t reduction) {
    const at::Tensor product = slope * grad;
    return reduction == at::Reduction::Mean ? product / self.numel() : product;
}

at::Tensor LogitsSlope(const at::Tensor& self, const at::Tensor& target, MaybeIn weight, MaybeIn positive) {
    const at::Tensor sigmoid = at::sigmoid(self);
    at::Tensor slope = sigmoid - target;
    if (positive) {
        const at::Tensor wanted = *positive * target;
        slope = (wanted + 1 - target) * sigmoid - wanted;
    }
    return weight ? slope * *weight : slope;
}

at::Tensor DivergenceSlope(const at::Tensor& target, bool is_log) {
    return is_log ? target.exp().neg() : at::where(target > 0, -target, at::zeros({}, target.options()));
}

}  // namespace

OPERATOR(BinaryCrossEntropyWithLogitsBackward,
         (In grad, In self, In target, MaybeIn weight, MaybeIn posWeight, int64_t reduction, Out out),
         Put(out, Reduced(LogitsSlope(self, target, weight, posWeight), grad, self, reduction)));
OPERATOR(L1LossBackward, (In grad, In self, In target, int64_t reduction, Out out),
         Put(out, Reduced(at::sign(self - target), grad, self, reduction)));
OPERATOR(KlDivBackward, (In grad, In self, In target, int64_t reduction, bool logTarget, Out out),
         Put(out, Reduced(DivergenceSlope(target, logTarget), grad, self, reduction)));
OPERATOR(SoftMarginLoss, (In self, In target, int64_t reduction, Out out),
         Put(out, at::soft_margin_loss(self, target, reduction)));
OPERATOR(SoftMarginLossBackward, (In grad, In self, In target, int64_t reduction, Out out),
         Put(out, at::soft_margin_loss_backward(grad, self, target, reduction)));
OPERATOR(MultilabelMarginLoss, (In self, In target, int64_t reduction, Out out, Out isTarget),
         PutBoth(out, isTarget, at::multilabel_margin_loss_forward(self, Long(target), reduction)));

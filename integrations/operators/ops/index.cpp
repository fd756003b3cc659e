// Reads and writes by index.
#include "ops/support.h"

namespace {

// Whether there is an index. One without elements selects nothing, and arrives like an index that is missing.
bool HasIndex(Indices indices) {
    for (const Optional<at::Tensor>& index : indices)
        if (index) return true;
    return false;
}

// Throws if an index is outside of the weights. ATen counts how often each one occurs without a check.
void CheckIndices(const at::Tensor& indices, int64_t weights, int64_t padding) {
    const at::Tensor wrong = ((indices < 0) | (indices >= weights)) & (indices != padding);
    if (wrong.any().item<bool>())
        throw Refusal(ACLNN_ERR_PARAM_INVALID,
                      "indices has an element that is not allowed; allowed: at least 0 and less than numWeights, ",
                      weights, ", or equal to paddingIdx, ", padding);
}

// Writes a number to the parts of a tensor with these indices. They are no tensor, so wrong ones are found without
// data.
void FillRows(at::Tensor& self, int64_t dim, Ints indices, const at::Scalar& value) {
    const int64_t size = self.dim() == 0 ? 1 : self.size(dim);
    for (const int64_t index : indices) {
        if (index < -size || index >= size)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "an element of index is ", index, "; allowed: ", -size, " to ",
                          size - 1, ", for dimension ", dim);
        self.dim() == 0 ? self.fill_(value) : self.select(dim, index).fill_(value);
    }
}

struct Bags {
    bool scale_grad, sparse, include_last;
    int64_t mode, padding;
};

// Outputs that callers give no room for are not wanted.
void PutIfRoom(at::Tensor& out, const at::Tensor& result) {
    if (out.numel() > 0 && out.numel() == result.numel()) Put(out, result);
}

void SumBags(const at::Tensor& weight, const at::Tensor& indices, const at::Tensor& offsets, MaybeIn per_sample,
             const Bags& bags, at::Tensor& out, at::Tensor& bag_of, at::Tensor& sizes, at::Tensor& highest) {
    const auto results = at::_embedding_bag(weight, Long(indices), Long(offsets), bags.scale_grad, bags.mode,
                                            bags.sparse, per_sample, bags.include_last, bags.padding);
    Put(out, std::get<0>(results));
    // ATen leaves it out where it does not need it.
    if (bag_of.numel() > 0)
        Put(bag_of, at::searchsorted(Long(offsets), at::arange(indices.numel(), offsets.options().dtype(at::kLong)),
                                     false, true) -
                        1);
    PutIfRoom(sizes, std::get<2>(results));
    PutIfRoom(highest, std::get<3>(results));
}

// Returns the parts of a dimension with these indices, in the shape of the indices.
at::Tensor Gathered(const at::Tensor& self, int64_t dim, const at::Tensor& index) {
    const int64_t at = at::maybe_wrap_dim(dim, self.dim());
    std::vector<int64_t> sizes = self.sizes().vec();
    sizes.erase(sizes.begin() + at);
    sizes.insert(sizes.begin() + at, index.sizes().begin(), index.sizes().end());
    return self.index_select(at, Long(index).flatten()).reshape(sizes);
}

}  // namespace

OPERATOR(GatherV2, (Part self, int64_t dim, In index, Out out), Put(out, Gathered(self, dim, index)));
OPERATOR(Embedding, (Part weight, In indices, Out out), Put(out, at::embedding(weight, Long(indices))));
OPERATOR(EmbeddingDenseBackward,
         (In grad, In indices, int64_t numWeights, int64_t paddingIdx, bool scaleByFrequency, Out out),
         if (scaleByFrequency) CheckIndices(indices, numWeights, paddingIdx);
         Put(out, at::embedding_dense_backward(grad, Long(indices), numWeights, paddingIdx, scaleByFrequency)));
OPERATOR(Gather, (Part self, int64_t dim, In index, Out out), at::gather_out(out, self, dim, Long(index)));
OPERATOR(IndexSelect, (Part self, int64_t dim, In index, Out out), at::index_select_out(out, self, dim, Long(index)));
OPERATOR(GatherV3, (Part self, int64_t dim, In index, int64_t batchDims, [[maybe_unused]] int64_t mode, Out out),
         if (batchDims != 0) throw Refusal(ACLNN_ERR_PARAM_INVALID, "batchDims is ", batchDims, "; allowed: 0");
         Put(out, at::index_select(self, dim, Long(index.flatten()))));
OPERATOR(EmbeddingRenorm, (Out self, In indices, double maxNorm, double normType),
         at::embedding_renorm_(self, Long(indices), maxNorm, normType));
OPERATOR(Index, (Part self, Indices indices, Out out), if (out.numel() > 0) Put(out, at::index(self, indices)));
OPERATOR(MaskedSelect, (Part self, In mask, Unsized out), Write(out, at::masked_select(self, mask)));
OPERATOR(Nonzero, (In self, Unsized out), Write(out, at::nonzero(self)));
OPERATOR(NonzeroV2, (In self, Unsized out), Write(out, at::nonzero(self).t()));
OPERATOR(IndexPutImpl, (Out self, Indices indices, In values, bool accumulate, bool isUnsafe),
         if (HasIndex(indices)) at::_index_put_impl_(self, indices, values, accumulate, isUnsafe));
OPERATOR(IndexFillTensor, (In self, int64_t dim, Ints index, Number value, Out out), Put(out, self);
         FillRows(out, dim, index, value));
OPERATOR(InplaceIndexFillTensor, (Out self, int64_t dim, Ints index, Number value), FillRows(self, dim, index, value));
OPERATOR(IndexFill, (In self, int64_t dim, In index, Number value, Out out),
         Put(out, at::index_fill(self, dim, Long(index), value)));
OPERATOR(InplaceIndexFill, (Out self, int64_t dim, In index, Number value), self.index_fill_(dim, Long(index), value));
OPERATOR(IndexAdd, (In self, int64_t dim, In index, In source, Number alpha, Out out),
         at::index_add_out(out, self, dim, Long(index), source, alpha));
OPERATOR(Scatter, (In self, int64_t dim, In index, In source, int64_t reduce, Out out),
         reduce == 0 ? at::scatter_out(out, self, dim, Long(index), source)
                     : at::scatter_out(out, self, dim, Long(index), source, reduce == 1 ? "add" : "multiply"));
OPERATOR(ScatterValue, (In self, int64_t dim, In index, Number value, int64_t reduce, Out out),
         reduce == 0 ? at::scatter_out(out, self, dim, Long(index), value)
                     : at::scatter_out(out, self, dim, Long(index), value, reduce == 1 ? "add" : "multiply"));
OPERATOR(InplaceScatter, (Out self, int64_t dim, In index, In source, int64_t reduce),
         reduce == 0 ? self.scatter_(dim, Long(index), source)
                     : self.scatter_(dim, Long(index), source, reduce == 1 ? "add" : "multiply"));
OPERATOR(InplaceScatterValue, (Out self, int64_t dim, In index, Number value, int64_t reduce),
         reduce == 0 ? self.scatter_(dim, Long(index), value)
                     : self.scatter_(dim, Long(index), value, reduce == 1 ? "add" : "multiply"));
OPERATOR(ScatterAdd, (In self, int64_t dim, In index, In source, Out out),
         at::scatter_add_out(out, self, dim, Long(index), source));
OPERATOR(OneHot, (In self, int64_t classes, In on, In off, [[maybe_unused]] int64_t axis, Out out),
         Put(out, at::where(at::one_hot(Long(self), classes).to(at::kBool), on, off)));
OPERATOR(EmbeddingBag,
         (In weight, In indices, In offsets, bool scaleGradByFreq, int64_t mode, bool sparse, MaybeIn perSampleWeights,
          bool includeLastOffset, int64_t paddingIdx, Out out, Out offset2bag, Out bagSize, Out maxIndices),
         SumBags(weight, indices, offsets, perSampleWeights,
                 {scaleGradByFreq, sparse, includeLastOffset, mode, paddingIdx}, out, offset2bag, bagSize, maxIndices));

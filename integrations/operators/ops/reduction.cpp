// Reductions, scans and orders.
#include "ops/support.h"

namespace {

#if OPERATORS_TORCH >= 202
using Correction = at::Scalar;

void PutAll(at::Tensor& out, const at::Tensor& self, Ints dims, bool keep) {
    at::all_out(out, self, MaybeInts(dims), keep);
}

void PutAny(at::Tensor& out, const at::Tensor& self, Ints dims, bool keep) {
    at::any_out(out, self, MaybeInts(dims), keep);
}
#else
using Correction = Optional<int64_t>;

// These have all and any of one dimension only.
void PutAll(at::Tensor& out, const at::Tensor& self, Ints dims, bool keep) {
    Put(out, at::sum(self == 0, dims, keep) == 0);
}

void PutAny(at::Tensor& out, const at::Tensor& self, Ints dims, bool keep) {
    Put(out, at::sum(self != 0, dims, keep) != 0);
}
#endif

// Returns the output of a reduction over all dimensions without any, where programs pass one of shape [1].
at::Tensor OutputOf(const at::Tensor& self, Ints dims, bool keep, const at::Tensor& out) {
    const bool is_whole = dims.empty() || static_cast<int64_t>(dims.size()) == self.dim();
    return !keep && is_whole && out.dim() == 1 && out.numel() == 1 ? out.reshape({}) : out;
}

}  // namespace

OPERATOR(ReduceSum, (In self, Ints dims, bool keep, Type dtype, Out out),
         at::Tensor to = OutputOf(self, dims, keep, out);
         at::sum_out(to, self, dims, keep, dtype));
OPERATOR(ReduceNansum, (In self, Ints dims, bool keep, Type dtype, Out out),
         at::nansum_out(out, self, dims, keep, dtype));
OPERATOR(Mean, (In self, Ints dims, bool keep, Type dtype, Out out), at::Tensor to = OutputOf(self, dims, keep, out);
         at::mean_out(to, self, dims, keep, dtype));
OPERATOR(Prod, (In self, Type dtype, Out out), Put(out, at::prod(self, dtype)));
OPERATOR(ProdDim, (In self, int64_t dim, bool keep, Type dtype, Out out), at::prod_out(out, self, dim, keep, dtype));
OPERATOR(Var, (In self, Ints dims, bool unbiased, bool keep, Out out),
         Put(out, at::var(self, dims, Correction(unbiased ? 1 : 0), keep)));
OPERATOR(VarCorrection, (In self, MaybeInts dims, int64_t correction, bool keep, Out out),
         Put(out, at::var(self, dims, Correction(correction), keep)));
OPERATOR(VarMean, (In self, MaybeInts dims, int64_t correction, bool keep, Out var, Out mean),
         PutBoth(var, mean, at::var_mean(self, dims, Correction(correction), keep)));
OPERATOR(Std, (In self, MaybeInts dims, int64_t correction, bool keep, Out out),
         Put(out, at::std(self, dims, Correction(correction), keep)));
OPERATOR(StdMeanCorrection, (In self, MaybeInts dims, int64_t correction, bool keep, Out std, Out mean),
         PutBoth(std, mean, at::std_mean(self, dims, Correction(correction), keep)));
OPERATOR(LinalgVectorNorm, (In self, Number ord, Ints dims, bool keep, Type dtype, Out out),
         at::linalg_vector_norm_out(out, self, ord, dims, keep, dtype));
OPERATOR(Norm, (In self, Number p, Ints dims, bool keep, Out out), at::norm_out(out, self, p, dims, keep));
OPERATOR(LogSumExp, (In self, Ints dims, bool keep, Out out), at::logsumexp_out(out, self, dims, keep));
OPERATOR(All, (In self, Ints dims, bool keep, Out out), PutAll(out, self, dims, keep));
OPERATOR(Any, (In self, Ints dims, bool keep, Out out), PutAny(out, self, dims, keep));

OPERATOR(Max, (In self, Out out), Put(out, at::max(self)));
OPERATOR(Min, (In self, Out out), Put(out, at::min(self)));
OPERATOR(Amax, (In self, Ints dims, bool keep, Out out), at::amax_out(out, self, dims, keep));
OPERATOR(Amin, (In self, Ints dims, bool keep, Out out), at::amin_out(out, self, dims, keep));
OPERATOR(ArgMax, (In self, int64_t dim, bool keep, Out out), Put(out, at::argmax(self, dim, keep)));
OPERATOR(ArgMin, (In self, int64_t dim, bool keep, Out out), Put(out, at::argmin(self, dim, keep)));

OPERATOR(MaxDim, (In self, int64_t dim, bool keep, Out values, Out indices),
         PutBoth(values, indices, at::max(self, dim, keep)));
OPERATOR(MinDim, (In self, int64_t dim, bool keep, Out values, Out indices),
         PutBoth(values, indices, at::min(self, dim, keep)));
OPERATOR(Sort, (In self, bool stable, int64_t dim, bool descending, Out values, Out indices),
         PutBoth(values, indices, at::sort(self, stable, dim, descending)));
OPERATOR(Argsort, (In self, int64_t dim, bool descending, Out out),
         Put(out, std::get<1>(at::sort(self, true, dim, descending))));
OPERATOR(Topk, (In self, int64_t k, int64_t dim, bool largest, bool sorted, Out values, Out indices),
         PutBoth(values, indices, at::topk(self, k, dim, largest, sorted)));
OPERATOR(Kthvalue, (In self, int64_t k, int64_t dim, bool keep, Out values, Out indices),
         PutBoth(values, indices, at::kthvalue(self, k, dim, keep)));
OPERATOR(Median, (In self, Out out), Put(out, at::median(self)));
OPERATOR(MedianDim, (In self, int64_t dim, bool keep, Out values, Out indices),
         PutBoth(values, indices, at::median(self, dim, keep)));

OPERATOR(Cumsum, (In self, int64_t dim, Type dtype, Out out), at::cumsum_out(out, self, dim, dtype));
OPERATOR(Cumprod, (In self, Number dim, Type dtype, Out out), at::cumprod_out(out, self, dim.toLong(), dtype));
OPERATOR(Cummax, (In self, int64_t dim, Out values, Out indices), PutBoth(values, indices, at::cummax(self, dim)));
OPERATOR(Cummin, (In self, int64_t dim, Out values, Out indices), PutBoth(values, indices, at::cummin(self, dim)));

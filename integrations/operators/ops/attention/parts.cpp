// What precedes and follows attention: queries, keys and values from one tensor, and one result from attention over
// parts of the keys.
#include "ops/support.h"

namespace {

// Adds a bias to queries, keys and values that lie one behind the other, and scales the queries.
void SplitHeads(const at::Tensor& qkv, const at::Tensor& bias, int64_t heads, std::initializer_list<at::Tensor*> outs) {
    CheckPositive("numHeads", heads);
    if (qkv.dim() != 3 || qkv.size(2) % (3 * heads) != 0 || bias.dim() != 1 || bias.size(0) != qkv.size(2))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "qkv and qkvBias have the shapes ", qkv.sizes(), " and ", bias.sizes(),
                      "; qkv must have 3 dimensions and qkvBias 1, both with the same last size, a multiple of 3 times "
                      "numHeads, ",
                      heads);
    const int64_t size = qkv.size(2) / 3 / heads;
    const at::Tensor all =
        (qkv.to(at::kFloat) + bias.to(at::kFloat)).unflatten(2, at::IntArrayRef{3, heads, size}).transpose(1, 3);
    int64_t part = 0;
    for (at::Tensor* out : outs) {
        const at::Tensor one = all.select(2, part);
        Put(*out, part == 0 ? one / std::sqrt(static_cast<double>(size)) : one);
        ++part;
    }
}

// Joins attention over parts of the keys: each part has its sum of exponentials, as a logarithm.
void Update(Tensors logarithms, Tensors parts, int64_t type, at::Tensor& out, MaybeOut all) {
    if (type != 0) throw Refusal(ACLNN_ERR_PARAM_INVALID, "updateType is ", type, "; allowed: 0");
    if (logarithms.empty() || logarithms.size() != parts.size())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "lse and localOut have ", logarithms.size(), " and ", parts.size(),
                      " elements; both must have the same number, at least 1");
    for (size_t i = 0; i < parts.size(); ++i)
        if (parts[i].dim() == 0 || logarithms[i].sizes() != parts[i].sizes().slice(0, parts[i].dim() - 1))
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "lse[", i, "] and localOut[", i, "] have the shapes ",
                          logarithms[i].sizes(), " and ", parts[i].sizes(),
                          "; localOut must have the sizes of lse, then one dimension more");
    const at::Tensor each = at::stack(logarithms).to(at::kFloat), sum = at::logsumexp(each, {0});
    const at::Tensor weights = at::exp(each - sum).unsqueeze(-1);
    Put(out, at::sum(weights * at::stack(parts).to(at::kFloat), {0}));
    Put(all, sum);
}

}  // namespace

OPERATOR(TransformBiasRescaleQkv, (In qkv, In qkvBias, int64_t numHeads, Out q, Out k, Out v),
         SplitHeads(qkv, qkvBias, numHeads, {&q, &k, &v}));
OPERATOR(AttentionUpdate, (Tensors lse, Tensors localOut, int64_t updateType, Out out, MaybeOut lseOut),
         Update(lse, localOut, updateType, out, lseOut));

// Attention of a batch of sequences of the same length, and its gradient.
#include "ops/attention/training.h"

using namespace attention;

namespace {

// Returns the number of heads of keys and values, which have heads of the same size as queries.
int64_t KeyHeads(const at::Tensor& query, const at::Tensor& key, const AttentionOptions& options) {
    const int64_t dimensions = Dimensions(options.layout);
    if (query.dim() != dimensions || key.dim() != dimensions) return options.heads;
    if (dimensions == 4) return key.size(options.layout == "BNSD" ? 1 : 2);
    if (query.size(2) < options.heads)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "headNum is ", options.heads, "; allowed: at most ", query.size(2),
                      ", the last size of query");
    const int64_t head = query.size(2) / options.heads;
    if (query.size(2) % options.heads == 0 && key.size(2) % head != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "key has the shape ", key.sizes(),
                      "; its last size must be a multiple of ", head, ", the last size of query divided by headNum");
    return key.size(2) / head;
}

constexpr const char* kOfKeyHeads = "the number of heads in key";

at::Tensor Wide(const char* name, const at::Tensor& tensor, const AttentionOptions& options, int64_t heads,
                const char* of_heads) {
    return ToHeads(name, tensor, options.layout, heads, of_heads).to(at::kFloat);
}

Heads HeadsOf(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
              const AttentionOptions& options) {
    const int64_t heads = KeyHeads(query, key, options);
    CheckPositive(kOfKeyHeads, heads);
    return {Wide("query", query, options, options.heads, "headNum"), Wide("key", key, options, heads, kOfKeyHeads),
            Wide("value", value, options, heads, kOfKeyHeads)};
}

Extras ExtrasOf(const Heads& heads, MaybeIn shift, MaybeIn drop, MaybeIn mask, const AttentionOptions& options) {
    const at::Tensor& query = heads.query;
    return {shift, mask, Factors(drop, {query.size(0), query.size(1), query.size(2), heads.key.size(2)}, options)};
}

// Writes a number of each row as often as the output has room for in its last dimension.
void PutRows(MaybeOut& out, const at::Tensor& rows) {
    if (HasElements(out)) out->copy_(rows.expand(out->sizes()));
}

Optional<at::Tensor> FirstOfRows(MaybeIn rows) {
    return HasElements(rows) ? Optional<at::Tensor>(rows->narrow(-1, 0, 1)) : kNone;
}

void Score(const Heads& heads, const Extras& extras, const AttentionOptions& options, MaybeOut most, MaybeOut sum,
           Out out) {
    const Result result = Attend(heads, extras, options);
    Put(out, FromHeads(result.out, options.layout));
    PutRows(most, result.most);
    PutRows(sum, result.sum);
}

void ScoreGrad(const Heads& heads, const at::Tensor& grad, const Extras& extras, MaybeIn most, MaybeIn sum, MaybeIn out,
               const AttentionOptions& options, const Gradients& gradients) {
    Saved saved{FirstOfRows(most), FirstOfRows(sum), kNone};
    if (HasElements(out)) saved.out = Wide("attentionIn", *out, options, options.heads, "headNum");
    const Slopes slopes =
        AttendBackward(heads, Wide("dy", grad, options, options.heads, "headNum"), extras, saved, options);
    Put(gradients.query, FromHeads(slopes.query, options.layout));
    Put(gradients.key, FromHeads(slopes.key, options.layout));
    Put(gradients.value, FromHeads(slopes.value, options.layout));
    if (extras.shift && HasElements(gradients.shift))
        Put(*gradients.shift, at::sum_to(slopes.scores, extras.shift->sizes()));
}

}  // namespace

OPERATOR(FlashAttentionScore,
         (In query, In key, In value, MaybeIn realShift, MaybeIn dropMask, MaybeIn paddingMask, MaybeIn mask,
          MaybeInts prefix, double scale, double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum,
          Text inputLayout, [[maybe_unused]] int64_t innerPrecise, int64_t sparseMode, MaybeOut softmaxMax,
          MaybeOut softmaxSum, [[maybe_unused]] MaybeOut softmaxOut, Out out),
         const AttentionOptions options{scale, keepProb, headNum, inputLayout, {sparseMode, preTokens, nextTokens}};
         CheckOptions(options, paddingMask, prefix); const Heads heads = HeadsOf(query, key, value, options);
         Score(heads, ExtrasOf(heads, realShift, dropMask, mask, options), options, softmaxMax, softmaxSum, out));
OPERATOR(FlashAttentionScoreV2,
         (In query, In key, In value, MaybeIn realShift, MaybeIn dropMask, MaybeIn paddingMask, MaybeIn mask,
          MaybeInts prefix, [[maybe_unused]] MaybeInts qStartIdx, [[maybe_unused]] MaybeInts kvStartIdx, double scale,
          double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, Text inputLayout,
          [[maybe_unused]] int64_t innerPrecise, int64_t sparseMode, int64_t pseType, MaybeOut softmaxMax,
          MaybeOut softmaxSum, [[maybe_unused]] MaybeOut softmaxOut, Out out),
         const AttentionOptions options{scale, keepProb, headNum, inputLayout, {sparseMode, preTokens, nextTokens}};
         CheckOptions(options, paddingMask, prefix); CheckShift(realShift, pseType);
         const Heads heads = HeadsOf(query, key, value, options);
         Score(heads, ExtrasOf(heads, realShift, dropMask, mask, options), options, softmaxMax, softmaxSum, out));
OPERATOR(FlashAttentionScoreGrad,
         (In query, In key, In value, In dy, MaybeIn realShift, MaybeIn dropMask, MaybeIn paddingMask, MaybeIn mask,
          MaybeIn softmaxMax, MaybeIn softmaxSum, [[maybe_unused]] MaybeIn softmaxIn, MaybeIn attentionIn,
          MaybeInts prefix, double scale, double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum,
          Text inputLayout, [[maybe_unused]] int64_t innerPrecise, int64_t sparseMode, Out dq, Out dk, Out dv,
          MaybeOut dpse),
         const AttentionOptions options{scale, keepProb, headNum, inputLayout, {sparseMode, preTokens, nextTokens}};
         CheckOptions(options, paddingMask, prefix); const Heads heads = HeadsOf(query, key, value, options);
         ScoreGrad(heads, dy, ExtrasOf(heads, realShift, dropMask, mask, options), softmaxMax, softmaxSum, attentionIn,
                   options, {dq, dk, dv, dpse}));
OPERATOR(FlashAttentionScoreGradV2,
         (In query, In key, In value, In dy, MaybeIn realShift, MaybeIn dropMask, MaybeIn paddingMask, MaybeIn mask,
          MaybeIn softmaxMax, MaybeIn softmaxSum, [[maybe_unused]] MaybeIn softmaxIn, MaybeIn attentionIn,
          MaybeInts prefix, [[maybe_unused]] MaybeInts qStartIdx, [[maybe_unused]] MaybeInts kvStartIdx, double scale,
          double keepProb, int64_t preTokens, int64_t nextTokens, int64_t headNum, Text inputLayout,
          [[maybe_unused]] int64_t innerPrecise, int64_t sparseMode, int64_t pseType, Out dq, Out dk, Out dv,
          MaybeOut dpse),
         const AttentionOptions options{scale, keepProb, headNum, inputLayout, {sparseMode, preTokens, nextTokens}};
         CheckOptions(options, paddingMask, prefix); CheckShift(realShift, pseType);
         const Heads heads = HeadsOf(query, key, value, options);
         ScoreGrad(heads, dy, ExtrasOf(heads, realShift, dropMask, mask, options), softmaxMax, softmaxSum, attentionIn,
                   options, {dq, dk, dv, dpse}));

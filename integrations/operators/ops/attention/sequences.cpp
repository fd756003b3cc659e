// Attention of sequences of several lengths, which lie one behind the other: T is the sum of their lengths. The arrays
// of lengths have the ends of the sequences.
#include "ops/attention/training.h"

using namespace attention;

namespace {

// A sequence: where its queries and keys begin, and how many there are.
struct Span {
    int64_t query, queries, key, keys;
};

std::vector<Span> Spans(MaybeInts query_ends, MaybeInts key_ends, int64_t queries, int64_t keys) {
    if (!query_ends || !key_ends || query_ends->empty() || query_ends->size() != key_ends->size())
        throw Refusal(ACLNN_ERR_PARAM_INVALID,
                      "actualSeqQLen and actualSeqKvLen must not be null, and must have the same number of elements, "
                      "at least 1: one for each sequence");
    std::vector<Span> spans;
    int64_t query = 0, key = 0;
    for (size_t i = 0; i < query_ends->size(); ++i) {
        const int64_t query_end = (*query_ends)[i], key_end = (*key_ends)[i];
        // Sequences at the end that do not count.
        if (i > 0 && query_end == 0 && key_end == 0) break;
        if (query_end < query || query_end > queries || key_end < key || key_end > keys)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "actualSeqQLen is ", *query_ends, " and actualSeqKvLen is ",
                          *key_ends,
                          "; allowed: cumulative lengths of the sequences, each at least the one before, "
                          "up to ",
                          queries, " and ", keys, ", the first sizes of query and key");
        if (query_end > query && key_end > key) spans.push_back({query, query_end - query, key, key_end - key});
        query = query_end;
        key = key_end;
    }
    return spans;
}

at::Tensor ToSpan(const at::Tensor& tensor, int64_t begin, int64_t count) {
    return tensor.narrow(0, begin, count).transpose(0, 1).unsqueeze(0).to(at::kFloat);
}

// Writes what a sequence has computed. What belongs to no sequence is 0.
void FromSpan(const at::Tensor& all, int64_t begin, const at::Tensor& part) {
    all.narrow(0, begin, part.size(2)).copy_(part.squeeze(0).transpose(0, 1));
}

at::Tensor Zeros(const at::Tensor& like) {
    return at::zeros(like.sizes(), like.options().dtype(at::kFloat));
}

struct Inputs {
    const at::Tensor &query, &key, &value;
    MaybeIn shift, drop, mask;
    MaybeInts query_ends, key_ends;
};

void CheckInputs(const Inputs& inputs, const AttentionOptions& options) {
    if (options.layout != "TND")
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "inputLayout is ", options.layout, "; allowed: TND");
    if (inputs.shift) throw Refusal(ACLNN_ERR_PARAM_INVALID, "realShift is not supported with TND; pass null");
    for (const at::Tensor* const tensor : {&inputs.query, &inputs.key, &inputs.value})
        if (tensor->dim() != 3)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "query, key or value has the shape ", tensor->sizes(),
                          "; with TND it must have 3 dimensions");
    if (inputs.query.size(1) != options.heads)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "headNum is ", options.heads, "; allowed: ", inputs.query.size(1),
                      ", the second size of query");
    if (inputs.key.size(0) != inputs.value.size(0))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "value has the shape ", inputs.value.sizes(),
                      "; its first size must be that of key, ", inputs.key.size(0));
}

// Calls a function for each sequence, with its part of the inputs.
template <typename Function>
void ForEach(const Inputs& inputs, const AttentionOptions& options, Function function) {
    CheckInputs(inputs, options);
    const std::vector<Span> spans = Spans(inputs.query_ends, inputs.key_ends, inputs.query.size(0), inputs.key.size(0));
    int64_t bits = 0;
    for (const Span& span : spans) bits += options.heads * span.queries * span.keys;
    const Optional<at::Tensor> factors = Factors(inputs.drop, {bits}, options);
    int64_t used = 0;
    for (const Span& span : spans) {
        Extras extras;
        if (inputs.mask && options.sparse.mode <= kAll)
            extras.mask = inputs.mask->narrow(-2, 0, span.queries).narrow(-1, 0, span.keys);
        else
            extras.mask = inputs.mask;
        const int64_t count = options.heads * span.queries * span.keys;
        if (factors)
            extras.factors = factors->narrow(0, used, count).reshape({1, options.heads, span.queries, span.keys});
        used += count;
        function(span,
                 Heads{ToSpan(inputs.query, span.query, span.queries), ToSpan(inputs.key, span.key, span.keys),
                       ToSpan(inputs.value, span.key, span.keys)},
                 extras);
    }
}

// The order of maxima and sums: that of query, or heads first.
enum class Rows { kLikeQuery, kHeadsFirst };

Rows RowsOf(const char* name, const std::string& layout) {
    if (layout.empty()) return Rows::kHeadsFirst;
    if (layout == "same_as_input") return Rows::kLikeQuery;
    throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " is ", layout, "; allowed: same_as_input, an empty string, or null");
}

// Returns maxima or sums as TN8. The shape that callers give them is this in both orders.
at::Tensor InOrder(const at::Tensor& rows, Rows order) {
    if (rows.dim() != 3)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "softmaxMax or softmaxSum has the shape ", rows.sizes(),
                      "; it must have 3 dimensions");
    if (order == Rows::kLikeQuery) return rows;
    return rows.view({rows.size(1), rows.size(0), rows.size(2)}).transpose(0, 1);
}

void PutRows(MaybeOut& out, const at::Tensor& rows, Rows order) {
    if (!HasElements(out)) return;
    const at::Tensor place = InOrder(*out, order);
    place.copy_(rows.expand(place.sizes()));
}

void Score(const Inputs& inputs, const AttentionOptions& options, Rows order, MaybeOut most, MaybeOut sum, Out out) {
    const at::Tensor result = Zeros(out), rows = Zeros(inputs.query.narrow(-1, 0, 1)), sums = rows.clone();
    ForEach(inputs, options, [&](const Span& span, const Heads& heads, const Extras& extras) {
        const Result part = Attend(heads, extras, options);
        FromSpan(result, span.query, part.out);
        FromSpan(rows, span.query, part.most);
        FromSpan(sums, span.query, part.sum);
    });
    Put(out, result);
    PutRows(most, rows, order);
    PutRows(sum, sums, order);
}

void ScoreGrad(const Inputs& inputs, const at::Tensor& grad, MaybeIn most, MaybeIn sum, MaybeIn out,
               const AttentionOptions& options, Rows order, const Gradients& gradients) {
    CheckSame("dy", grad, "attentionIn", out ? *out : grad);
    const at::Tensor query = Zeros(gradients.query), key = Zeros(gradients.key), value = Zeros(gradients.value);
    ForEach(inputs, options, [&](const Span& span, const Heads& heads, const Extras& extras) {
        const auto rows = [&](MaybeIn all) {
            return HasElements(all)
                       ? Optional<at::Tensor>(ToSpan(InOrder(*all, order).narrow(-1, 0, 1), span.query, span.queries))
                       : kNone;
        };
        const Saved saved{rows(most), rows(sum),
                          HasElements(out) ? Optional<at::Tensor>(ToSpan(*out, span.query, span.queries)) : kNone};
        const Slopes slopes = AttendBackward(heads, ToSpan(grad, span.query, span.queries), extras, saved, options);
        FromSpan(query, span.query, slopes.query);
        FromSpan(key, span.key, slopes.key);
        FromSpan(value, span.key, slopes.value);
    });
    Put(gradients.query, query);
    Put(gradients.key, key);
    Put(gradients.value, value);
}

}  // namespace

// The versions of the forward computation, which differ in how they add to scores and in the order of maxima and sums.
OPERATOR(FlashAttentionVarLenScore,
         (In query, In key, In value, MaybeIn realShift, MaybeIn dropMask, MaybeIn paddingMask, MaybeIn mask,
          MaybeInts prefix, MaybeInts actualSeqQLen, MaybeInts actualSeqKvLen, double scale, double keepProb,
          int64_t preTokens, int64_t nextTokens, int64_t headNum, Text inputLayout,
          [[maybe_unused]] int64_t innerPrecise, int64_t sparseMode, MaybeOut softmaxMax, MaybeOut softmaxSum,
          [[maybe_unused]] MaybeOut softmaxOut, Out out),
         const AttentionOptions options{scale, keepProb, headNum, inputLayout, {sparseMode, preTokens, nextTokens}};
         CheckOptions(options, paddingMask, prefix);
         Score({query, key, value, realShift, dropMask, mask, actualSeqQLen, actualSeqKvLen}, options,
               Rows::kHeadsFirst, softmaxMax, softmaxSum, out));
OPERATOR(FlashAttentionVarLenScoreV2,
         (In query, In key, In value, MaybeIn realShift, MaybeIn dropMask, MaybeIn paddingMask, MaybeIn mask,
          MaybeInts prefix, MaybeInts actualSeqQLen, MaybeInts actualSeqKvLen, [[maybe_unused]] MaybeInts qStartIdx,
          [[maybe_unused]] MaybeInts kvStartIdx, double scale, double keepProb, int64_t preTokens, int64_t nextTokens,
          int64_t headNum, Text inputLayout, [[maybe_unused]] int64_t innerPrecise, int64_t sparseMode, int64_t pseType,
          MaybeOut softmaxMax, MaybeOut softmaxSum, [[maybe_unused]] MaybeOut softmaxOut, Out out),
         const AttentionOptions options{scale, keepProb, headNum, inputLayout, {sparseMode, preTokens, nextTokens}};
         CheckOptions(options, paddingMask, prefix); CheckShift(realShift, pseType);
         Score({query, key, value, realShift, dropMask, mask, actualSeqQLen, actualSeqKvLen}, options,
               Rows::kHeadsFirst, softmaxMax, softmaxSum, out));
OPERATOR(FlashAttentionVarLenScoreV4,
         (In query, In key, In value, MaybeIn realShift, MaybeIn dropMask, MaybeIn paddingMask, MaybeIn mask,
          MaybeInts prefix, MaybeInts actualSeqQLen, MaybeInts actualSeqKvLen, double scale, double keepProb,
          int64_t preTokens, int64_t nextTokens, int64_t headNum, Text inputLayout,
          [[maybe_unused]] int64_t innerPrecise, int64_t sparseMode, Text softmaxOutLayout, MaybeOut softmaxMax,
          MaybeOut softmaxSum, [[maybe_unused]] MaybeOut softmaxOut, Out out),
         const AttentionOptions options{scale, keepProb, headNum, inputLayout, {sparseMode, preTokens, nextTokens}};
         CheckOptions(options, paddingMask, prefix);
         Score({query, key, value, realShift, dropMask, mask, actualSeqQLen, actualSeqKvLen}, options,
               RowsOf("softmaxOutLayout", softmaxOutLayout), softmaxMax, softmaxSum, out));
OPERATOR(FlashAttentionUnpaddingScoreGrad,
         (In query, In key, In value, In dy, MaybeIn realShift, MaybeIn dropMask, MaybeIn paddingMask, MaybeIn mask,
          MaybeIn softmaxMax, MaybeIn softmaxSum, [[maybe_unused]] MaybeIn softmaxIn, MaybeIn attentionIn,
          MaybeInts prefix, MaybeInts actualSeqQLen, MaybeInts actualSeqKvLen, double scale, double keepProb,
          int64_t preTokens, int64_t nextTokens, int64_t headNum, Text inputLayout,
          [[maybe_unused]] int64_t innerPrecise, int64_t sparseMode, Out dq, Out dk, Out dv, MaybeOut dpse),
         const AttentionOptions options{scale, keepProb, headNum, inputLayout, {sparseMode, preTokens, nextTokens}};
         CheckOptions(options, paddingMask, prefix);
         ScoreGrad({query, key, value, realShift, dropMask, mask, actualSeqQLen, actualSeqKvLen}, dy, softmaxMax,
                   softmaxSum, attentionIn, options, Rows::kHeadsFirst, {dq, dk, dv, dpse}));
OPERATOR(FlashAttentionUnpaddingScoreGradV2,
         (In query, In key, In value, In dy, MaybeIn realShift, MaybeIn dropMask, MaybeIn paddingMask, MaybeIn mask,
          MaybeIn softmaxMax, MaybeIn softmaxSum, [[maybe_unused]] MaybeIn softmaxIn, MaybeIn attentionIn,
          MaybeInts prefix, MaybeInts actualSeqQLen, MaybeInts actualSeqKvLen, [[maybe_unused]] MaybeInts qStartIdx,
          [[maybe_unused]] MaybeInts kvStartIdx, double scale, double keepProb, int64_t preTokens, int64_t nextTokens,
          int64_t headNum, Text inputLayout, [[maybe_unused]] int64_t innerPrecise, int64_t sparseMode, int64_t pseType,
          Out dq, Out dk, Out dv, MaybeOut dpse),
         const AttentionOptions options{scale, keepProb, headNum, inputLayout, {sparseMode, preTokens, nextTokens}};
         CheckOptions(options, paddingMask, prefix); CheckShift(realShift, pseType);
         ScoreGrad({query, key, value, realShift, dropMask, mask, actualSeqQLen, actualSeqKvLen}, dy, softmaxMax,
                   softmaxSum, attentionIn, options, Rows::kHeadsFirst, {dq, dk, dv, dpse}));
OPERATOR(FlashAttentionUnpaddingScoreGradV4,
         (In query, In key, In value, In dy, MaybeIn realShift, MaybeIn dropMask, MaybeIn paddingMask, MaybeIn mask,
          MaybeIn softmaxMax, MaybeIn softmaxSum, [[maybe_unused]] MaybeIn softmaxIn, MaybeIn attentionIn,
          MaybeInts prefix, MaybeInts actualSeqQLen, MaybeInts actualSeqKvLen, double scale, double keepProb,
          int64_t preTokens, int64_t nextTokens, int64_t headNum, Text inputLayout,
          [[maybe_unused]] int64_t innerPrecise, int64_t sparseMode, Out dq, Out dk, Out dv, MaybeOut dpse,
          Text softmaxInLayout),
         const AttentionOptions options{scale, keepProb, headNum, inputLayout, {sparseMode, preTokens, nextTokens}};
         CheckOptions(options, paddingMask, prefix);
         ScoreGrad({query, key, value, realShift, dropMask, mask, actualSeqQLen, actualSeqKvLen}, dy, softmaxMax,
                   softmaxSum, attentionIn, options, RowsOf("softmaxInLayout", softmaxInLayout), {dq, dk, dv, dpse}));

// Mixtures of experts: which experts a token goes to, and the sums of what these return. Which tokens a sampler may
// choose. All compute in single precision.
#include "ops/support.h"

namespace {

at::Tensor Wide(const at::Tensor& tensor) {
    return tensor.to(at::kFloat);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Experts in groups: the best groups are chosen first, then the best experts in them.
struct Groups {
    int64_t count, chosen, mode;
};

// The values of groupSelectMode: what the score of a group is.
constexpr int64_t kHighest = 0, kSumOfTwo = 1;

void CheckGroups(const at::Tensor& x, int64_t k, const Groups& groups) {
    if (x.dim() == 0 || groups.count < 1 || x.size(-1) % groups.count != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "groupCount is ", groups.count, " and x has the shape ", x.sizes(),
                      "; x must have at least 1 dimension, and groupCount must be a positive divisor of its last size");
    if (groups.chosen < 1 || groups.chosen > groups.count)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "kGroup is ", groups.chosen, "; allowed: 1 to groupCount, ",
                      groups.count);
    if (k < 1 || k > x.size(-1) / groups.count * groups.chosen)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "k is ", k, "; allowed: 1 to ",
                      x.size(-1) / groups.count * groups.chosen, ", the number of experts in kGroup groups");
    if (groups.mode != kHighest && groups.mode != kSumOfTwo)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "groupSelectMode is ", groups.mode,
                      "; allowed: 0 (the highest score), 1 (the sum of the two highest scores)");
    if (groups.mode == kSumOfTwo && x.size(-1) / groups.count < 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID,
                      "groupSelectMode is 1, for which each group must have at least 2 experts; pass a smaller "
                      "groupCount, or 0 as groupSelectMode");
}

// Returns the numbers of the highest scores, the first of equal ones first.
at::Tensor Highest(const at::Tensor& scores, int64_t k) {
    return std::get<1>(at::sort(scores, true, -1, true)).narrow(-1, 0, k);
}

// Hides the scores of all groups but the best ones.
at::Tensor InBestGroups(const at::Tensor& scores, const Groups& groups) {
    if (groups.count == groups.chosen) return scores;
    const at::Tensor members = scores.unflatten(-1, at::IntArrayRef{groups.count, scores.size(-1) / groups.count});
    const at::Tensor best =
        groups.mode == kHighest ? at::amax(members, {-1}) : at::sum(std::get<0>(at::topk(members, 2, -1)), {-1});
    const at::Tensor hidden =
        at::ones(best.sizes(), best.options().dtype(at::kBool)).scatter(-1, Highest(best, groups.chosen), false);
    return members.masked_fill(hidden.unsqueeze(-1), -kInfinity).flatten(-2);
}

// The values of normType: how scores become weights.
constexpr int64_t kSoftmax = 0, kSigmoid = 1;

struct Weighting {
    int64_t norm;
    double factor, epsilon;
};

// Weights of a softmax stay as they are, those of a sigmoid are divided by their sum over the chosen experts.
void GateInGroups(const at::Tensor& x, MaybeIn bias, int64_t k, const Groups& groups, const Weighting& weighting,
                  at::Tensor& y, at::Tensor& expert, Optional<at::Tensor> all) {
    CheckGroups(x, k, groups);
    if (weighting.norm != kSoftmax && weighting.norm != kSigmoid)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "normType is ", weighting.norm, "; allowed: 0 (softmax), 1 (sigmoid)");
    if (bias && bias->sizes() != x.sizes().slice(static_cast<size_t>(x.dim() - 1)))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "bias has the shape ", bias->sizes(), "; it must be [", x.size(-1),
                      "], the last size of x");
    const at::Tensor weights = weighting.norm == kSoftmax ? at::softmax(Wide(x), -1) : at::sigmoid(Wide(x));
    const at::Tensor chosen = Highest(InBestGroups(bias ? weights + Wide(*bias) : weights, groups), k);
    at::Tensor result = weights.gather(-1, chosen);
    if (weighting.norm == kSigmoid) result = result / (at::sum(result, {-1}, true) + weighting.epsilon);
    Put(y, result * weighting.factor);
    Put(expert, chosen);
    Put(all, weights);
}

// Orders tokens by their experts. A token is there once for each of its experts.
void InitRouting(const at::Tensor& x, const at::Tensor& row, const at::Tensor& expert, int64_t active,
                 at::Tensor& expanded, at::Tensor& places, at::Tensor& experts) {
    CheckSame("rowIdx", row, "expertIdx", expert);
    if (x.dim() != 2 || expert.dim() != 2 || expert.size(0) != x.size(0))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "x and expertIdx have the shapes ", x.sizes(), " and ", expert.sizes(),
                      "; both must have 2 dimensions, and the first size must be the same");
    if (active < 0) throw Refusal(ACLNN_ERR_PARAM_INVALID, "activeNum is ", active, "; allowed: at least 0");
    const auto sorted = at::sort(expert.flatten(), true, 0, false);
    const at::Tensor rows = Long(row.flatten()).index_select(0, std::get<1>(sorted));
    Put(experts, std::get<0>(sorted));
    const at::Tensor numbers = at::arange(rows.numel(), rows.options());
    Put(places, at::zeros_like(rows).scatter(0, rows, numbers));
    const int64_t count = std::min(active, x.size(0)) * expert.size(1);
    Put(expanded, x.index_select(0, rows.narrow(0, 0, count) % x.size(0)));
}

// What is added to the sums of a token's experts.
struct Terms {
    MaybeIn first, second, bias, scales;
};

// Sums what the experts of a token have returned. A row of results belongs to a token and its k-th expert at k times
// the number of tokens plus the token's number.
void FinalizeRouting(const at::Tensor& results, const at::Tensor& places, const Terms& terms, MaybeIn expert,
                     int64_t mode, at::Tensor& out) {
    if (mode != 0) throw Refusal(ACLNN_ERR_PARAM_INVALID, "dropPadMode is ", mode, "; allowed: 0");
    if (terms.bias) CheckPresent("expertIdx", expert, "if bias is not null");
    if (results.dim() != 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "expandedX has the shape ", results.sizes(),
                      "; it must have 2 dimensions");
    if (terms.scales && terms.scales->dim() != 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "scales has the shape ", terms.scales->sizes(),
                      "; it must have 2 dimensions");
    const int64_t k = terms.scales ? terms.scales->size(1) : 1;
    const int64_t tokens = terms.scales ? terms.scales->size(0) : places.numel();
    if (places.numel() != tokens * k)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "expandedRowIdx has the shape ", places.sizes(), "; it must have ",
                      tokens * k, " elements, as scales has");
    at::Tensor each = Wide(results).index_select(0, Long(places.flatten())).unflatten(0, at::IntArrayRef{k, tokens});
    if (terms.bias) each = each + Wide(*terms.bias).index_select(0, Long(expert->t().flatten())).reshape(each.sizes());
    if (terms.scales) each = each * Wide(*terms.scales).t().unsqueeze(-1);
    at::Tensor sum = at::sum(each, {0});
    if (terms.first) sum = sum + Wide(*terms.first);
    if (terms.second) sum = sum + Wide(*terms.second);
    Put(out, sum);
}

// Orders tokens by their experts, once for each of them. The last of them may be left out: `count` stay, or all but
// -`count`. The place of a token for one of its experts is where it went.
void PermuteTokens(const at::Tensor& tokens, const at::Tensor& experts, int64_t count, at::Tensor& permuted,
                   at::Tensor& places) {
    if (tokens.dim() != 2 || experts.dim() < 1 || experts.dim() > 2 || experts.size(0) != tokens.size(0))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "tokens and indices have the shapes ", tokens.sizes(), " and ",
                      experts.sizes(),
                      "; tokens must have 2 dimensions (tokens, hidden size), and indices 1 or 2 (tokens, experts of "
                      "each token), with the same first size");
    const at::Tensor order = std::get<1>(at::sort(experts.flatten(), true, 0, false));
    const int64_t all = order.numel();
    Put(places, at::zeros_like(order).scatter(0, order, at::arange(all, order.options())));
    const int64_t kept = count == 0 ? all : count < 0 ? std::max(all + count, int64_t{0}) : std::min(count, all);
    const int64_t each = experts.dim() == 2 ? std::max(experts.size(1), int64_t{1}) : 1;
    Put(permuted, tokens.index_select(0, at::floor_divide(order.narrow(0, 0, kept), each)));
}

// Where the rows of tokens went, of which each has `each`.
struct Places {
    at::Tensor rows;
    int64_t tokens, each;
};

Places PlacesOf(const char* name, const at::Tensor& rows, const at::Tensor& places, const char* of_each, int64_t each) {
    CheckPositive(of_each, each);
    if (rows.dim() != 2 || places.numel() % each != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " and sortedIndices have the shapes ", rows.sizes(), " and ",
                      places.sizes(), "; ", name,
                      " must have 2 dimensions, and sortedIndices a number of elements that is a multiple of ", each,
                      ", ", of_each);
    // What was left out has the place of a row of zeros behind the others.
    return {at::clamp_max(Long(places.flatten()), rows.size(0)), places.numel() / each, each};
}

at::Tensor At(const Places& places, const at::Tensor& rows) {
    const at::Tensor wide = Wide(rows);
    return at::cat({wide, at::zeros({1, wide.size(1)}, wide.options())}).index_select(0, places.rows);
}

constexpr const char* kOfProbs = "the second size of probs";

int64_t ExpertsIn(MaybeIn weights) {
    if (weights && weights->dim() != 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "probs has the shape ", weights->sizes(), "; it must have 2 dimensions");
    return weights ? weights->size(1) : 1;
}

// Sums the rows of each token, with weights.
void UnpermuteTokens(const at::Tensor& rows, const Places& places, MaybeIn weights, at::Tensor& out) {
    at::Tensor each = At(places, rows).unflatten(0, at::IntArrayRef{places.tokens, places.each});
    if (weights) each = each * Wide(*weights).unsqueeze(-1);
    Put(out, at::sum(each, {1}));
}

void UnpermuteTokensBackward(const at::Tensor& rows, const at::Tensor& grad, const Places& places, MaybeIn weights,
                             at::Tensor& rows_grad, MaybeOut weights_grad) {
    const at::Tensor slope = Wide(grad).repeat_interleave(places.each, 0);
    const at::Tensor shares = weights ? slope * Wide(*weights).flatten().unsqueeze(-1) : slope;
    const at::Tensor all = at::zeros({rows.size(0) + 1, rows.size(1)}, slope.options());
    Put(rows_grad, all.index_add(0, places.rows, shares).narrow(0, 0, rows.size(0)));
    if (weights) Put(weights_grad, at::sum(At(places, rows) * slope, {-1}));
}

void CheckNotPadded(bool padded) {
    if (padded) throw Refusal(ACLNN_ERR_PARAM_INVALID, "paddedMode is true; allowed: false");
}

// Hides all but the k highest logits of each row, then those of the lowest probabilities, whose sum is at most 1 - p.
// The highest one stays.
void KeepTop(const at::Tensor& logits, MaybeIn p, MaybeIn k, at::Tensor& out) {
    if (!p && !k) throw Refusal(ACLNN_ERR_PARAM_NULLPTR, "p and k are null; at least one of them is required");
    if (logits.dim() != 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "logits has the shape ", logits.sizes(), "; it must have 2 dimensions");
    for (const auto* const each : {&p, &k})
        if (*each && (*each)->sizes() != logits.sizes().slice(0, 1))
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "p or k has the shape ", (*each)->sizes(), "; it must be [",
                          logits.size(0), "], an element for each row of logits");
    const auto sorted = at::sort(Wide(logits), true, -1, false);
    at::Tensor values = std::get<0>(sorted);
    if (k) {
        const at::Tensor threshold = values.gather(1, (values.size(1) - Long(*k)).unsqueeze(1));
        values = values.masked_fill(values < threshold, -kInfinity);
    }
    if (p) {
        at::Tensor hidden = at::cumsum(at::softmax(values, -1), -1) <= 1 - Wide(*p).unsqueeze(1);
        hidden.narrow(1, hidden.size(1) - 1, 1).fill_(false);
        values = values.masked_fill(hidden, -kInfinity);
    }
    Put(out, at::zeros_like(values).scatter(1, std::get<1>(sorted), values));
}

// The highest probabilities of each row, their experts, and the number of each pair when pairs are counted by column.
void Gate(const at::Tensor& x, MaybeIn finished, int64_t k, at::Tensor& y, at::Tensor& expert, at::Tensor& row) {
    const auto highest = at::topk(at::softmax(Wide(x), -1), k, -1, true, true);
    at::Tensor chosen = std::get<1>(highest);
    if (finished) chosen = chosen.masked_fill(finished->to(at::kBool).unsqueeze(-1), x.size(-1));
    Put(y, std::get<0>(highest));
    Put(expert, chosen);
    const int64_t rows = k > 0 ? chosen.numel() / k : 0;
    Put(row, at::arange(rows * k, chosen.options()).reshape({k, rows}).t());
}

// Which of the copies of an expert a token goes to: by the rank, or by the number of the token.
struct Balance {
    int64_t rank, ranks, mode;
};

constexpr int64_t kByRank = 0, kByToken = 1;

// Returns the place of each expert's copy. A row of the table has the number of copies, then their places.
at::Tensor CopiesOf(const at::Tensor& experts, const at::Tensor& table, const Balance& balance) {
    if (experts.dim() != 2 || table.dim() != 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "expertIds and eplbTable have the shapes ", experts.sizes(), " and ",
                      table.sizes(), "; both must have 2 dimensions");
    if (balance.mode != kByRank && balance.mode != kByToken)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "balanceMode is ", balance.mode, "; allowed: 0 (by rank), 1 (by token)");
    if (balance.mode == kByRank && (balance.rank < 0 || balance.rank >= balance.ranks))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "localRankId is ", balance.rank,
                      "; allowed: at least 0, and less than worldSize, ", balance.ranks);
    const at::Tensor rows = Long(table).index_select(0, Long(experts).flatten()), counts = rows.select(1, 0);
    at::Tensor copy;
    if (balance.mode == kByRank) {
        const at::Tensor each = at::floor_divide(counts + (balance.ranks - 1), counts);
        copy = at::floor_divide(at::full_like(each, balance.rank), each);
    } else {
        copy = at::arange(experts.size(0), rows.options()).repeat_interleave(experts.size(1)) % counts;
    }
    return rows.gather(1, copy.unsqueeze(1) + 1).reshape(experts.sizes());
}

// Writes which experts of a token stay: those whose weight is at least a part of the sum of the token's weights.
void Prune(MaybeIn weights, MaybeIn threshold, MaybeIn active, at::Tensor& out) {
    if (!weights) return;
    CheckPresent("pruningThreshold", threshold, "if expertScales is not null");
    const at::Tensor wide = Wide(*weights);
    at::Tensor stays = wide >= Wide(*threshold) * at::sum(wide, {-1}, true);
    if (active) stays = at::logical_and(stays, active->to(at::kBool).unsqueeze(-1));
    Put(out, stays);
}

}  // namespace

OPERATOR(MoeGatingTopK,
         (In x, MaybeIn bias, int64_t k, int64_t kGroup, int64_t groupCount, int64_t groupSelectMode, int64_t renorm,
          int64_t normType, bool outFlag, double routedScalingFactor, double eps, Out y, Out expertIdx, MaybeOut norm),
         if (renorm != 0) throw Refusal(ACLNN_ERR_PARAM_INVALID, "renorm is ", renorm, "; allowed: 0");
         GateInGroups(x, bias, k, {groupCount, kGroup, groupSelectMode}, {normType, routedScalingFactor, eps}, y,
                      expertIdx, outFlag ? norm : kNone));
OPERATOR(MoeInitRouting,
         (In x, In rowIdx, In expertIdx, int64_t activeNum, Out expandedX, Out expandedRowIdx, Out expandedExpertIdx),
         InitRouting(x, rowIdx, expertIdx, activeNum, expandedX, expandedRowIdx, expandedExpertIdx));
OPERATOR(MoeFinalizeRoutingV2,
         (In expandedX, In expandedRowIdx, MaybeIn x1, MaybeIn x2, MaybeIn bias, MaybeIn scales, MaybeIn expertIdx,
          int64_t dropPadMode, Out out),
         FinalizeRouting(expandedX, expandedRowIdx, {x1, x2, bias, scales}, expertIdx, dropPadMode, out));
OPERATOR(MoeGatingTopKSoftmax, (In x, MaybeIn finished, int64_t k, Out y, Out expertIdx, Out rowIdx),
         Gate(x, finished, k, y, expertIdx, rowIdx));
OPERATOR(MoeComputeExpertTokens, (In sortedExperts, int64_t numExperts, Out out),
         Put(out, at::searchsorted(sortedExperts, at::arange(numExperts, sortedExperts.options()), false, true)));
OPERATOR(MoeUpdateExpert,
         (In expertIds, In eplbTable, MaybeIn expertScales, MaybeIn pruningThreshold, MaybeIn activeMask,
          int64_t localRankId, int64_t worldSize, int64_t balanceMode, Out balancedExpertIds, Out balancedActiveMask),
         Put(balancedExpertIds, CopiesOf(expertIds, eplbTable, {localRankId, worldSize, balanceMode}));
         Prune(expertScales, pruningThreshold, activeMask, balancedActiveMask));
OPERATOR(MoeFinalizeRouting,
         (In expandedX, MaybeIn x1, MaybeIn x2, MaybeIn bias, MaybeIn scales, In expandedRowIdx, MaybeIn expertIdx,
          Out out),
         FinalizeRouting(expandedX, expandedRowIdx, {x1, x2, bias, scales}, expertIdx, 0, out));
OPERATOR(MoeTokenPermute,
         (In tokens, In indices, int64_t numOutTokens, bool paddedMode, Out permutedTokens, Out sortedIndices),
         CheckNotPadded(paddedMode);
         PermuteTokens(tokens, indices, numOutTokens, permutedTokens, sortedIndices));
OPERATOR(MoeTokenPermuteGrad, (In permutedOutputGrad, In sortedIndices, int64_t numTopk, bool paddedMode, Out out),
         CheckNotPadded(paddedMode);
         UnpermuteTokens(permutedOutputGrad,
                         PlacesOf("permutedOutputGrad", permutedOutputGrad, sortedIndices, "numTopk", numTopk), kNone,
                         out));
OPERATOR(MoeTokenUnpermute,
         (In permutedTokens, In sortedIndices, MaybeIn probs, bool paddedMode, [[maybe_unused]] MaybeInts restoreShape,
          Out out),
         CheckNotPadded(paddedMode);
         UnpermuteTokens(permutedTokens,
                         PlacesOf("permutedTokens", permutedTokens, sortedIndices, kOfProbs, ExpertsIn(probs)), probs,
                         out));
OPERATOR(MoeTokenUnpermuteGrad,
         (In permutedTokens, In unpermutedTokensGrad, In sortedIndices, MaybeIn probs, bool paddedMode,
          [[maybe_unused]] MaybeInts restoreShape, Out permutedTokensGrad, MaybeOut probsGrad),
         CheckNotPadded(paddedMode);
         UnpermuteTokensBackward(permutedTokens, unpermutedTokensGrad,
                                 PlacesOf("permutedTokens", permutedTokens, sortedIndices, kOfProbs, ExpertsIn(probs)),
                                 probs, permutedTokensGrad, probsGrad));
OPERATOR(ApplyTopKTopP, (In logits, MaybeIn p, MaybeIn k, Out out), KeepTop(logits, p, k, out));

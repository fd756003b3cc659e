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
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "groupCount is ", groups.count,
                      "; allowed: a divisor of the last size of x; x must have at least 1 dimension, and has the "
                      "shape ",
                      x.sizes());
    if (groups.chosen < 1 || groups.chosen > groups.count)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "kGroup is ", groups.chosen, "; allowed: 1 to groupCount, ",
                      groups.count);
    if (k < 1 || k > x.size(-1) / groups.count * groups.chosen)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "k is ", k, "; allowed: 1 to ",
                      x.size(-1) / groups.count * groups.chosen, ", the number of experts in the chosen groups");
    if (groups.mode != kHighest && groups.mode != kSumOfTwo)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "groupSelectMode is ", groups.mode,
                      "; allowed: 0 the highest score, 1 the sum of the two highest scores");
    if (groups.mode == kSumOfTwo && x.size(-1) / groups.count < 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID,
                      "groupSelectMode is 1; each group must have at least 2 experts; pass a smaller groupCount, or 0 "
                      "as groupSelectMode");
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
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "normType is ", weighting.norm, "; allowed: 0 softmax, 1 sigmoid");
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
    if (terms.bias) CheckPresent("expertIdx", expert, "if there is a bias");
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
                      tokens * k, " elements");
    at::Tensor each = Wide(results).index_select(0, Long(places.flatten())).unflatten(0, at::IntArrayRef{k, tokens});
    if (terms.bias) each = each + Wide(*terms.bias).index_select(0, Long(expert->t().flatten())).reshape(each.sizes());
    if (terms.scales) each = each * Wide(*terms.scales).t().unsqueeze(-1);
    at::Tensor sum = at::sum(each, {0});
    if (terms.first) sum = sum + Wide(*terms.first);
    if (terms.second) sum = sum + Wide(*terms.second);
    Put(out, sum);
}

// Hides all but the k highest logits of each row, then those of the lowest probabilities, whose sum is at most 1 - p.
// The highest one stays.
void KeepTop(const at::Tensor& logits, MaybeIn p, MaybeIn k, at::Tensor& out) {
    if (!p && !k) throw Refusal(ACLNN_ERR_PARAM_NULLPTR, "p and k are null; one is required");
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
OPERATOR(ApplyTopKTopP, (In logits, MaybeIn p, MaybeIn k, Out out), KeepTop(logits, p, k, out));

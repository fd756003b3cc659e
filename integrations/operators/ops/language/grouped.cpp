// Products of groups of matrices: each of one list by that of another, or rows of one matrix by the matrix of their
// group.
#include "ops/support.h"

namespace {

// Programs pass empty lists for what they do not use.
bool Has(MaybeTensors tensors) {
    return tensors && !tensors->empty() && (tensors->size() > 1 || tensors->front().numel() > 0);
}

void CheckAbsent(const char* name, MaybeTensors tensors) {
    if (Has(tensors)) throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " is not supported; pass null or an empty list");
}

// What belongs to quantized matrices.
struct Quantized {
    MaybeTensors scale, offset, antiquant_scale, antiquant_offset;
};

void CheckPlain(const Quantized& quantized) {
    CheckAbsent("scale", quantized.scale);
    CheckAbsent("offset", quantized.offset);
    CheckAbsent("antiquantScale", quantized.antiquant_scale);
    CheckAbsent("antiquantOffset", quantized.antiquant_offset);
}

// The operands of V4 and V5 that only products of quantized rows have.
struct QuantizedRows {
    MaybeTensors per_token_scale, activation_input, activation_scale, activation_offset;
};

void CheckNoneQuantized(const QuantizedRows& rows) {
    CheckAbsent("perTokenScale", rows.per_token_scale);
    CheckAbsent("activationInput", rows.activation_input);
    CheckAbsent("activationQuantScale", rows.activation_scale);
    CheckAbsent("activationQuantOffset", rows.activation_offset);
}

// The values of actType.
at::Tensor Active(const at::Tensor& x, int64_t type) {
    switch (type) {
        case 0:
            return x;
        case 1:
            return at::relu(x);
        case 2:
            return at::gelu(x, "tanh");
        case 5:
            return at::silu(x);
        default:
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "actType is ", type,
                          "; allowed: 0 (none), 1 (relu), 2 (gelu with tanh), 5 (silu)");
    }
}

// The matrices of groups: a list, or one tensor with a matrix for each group.
std::vector<at::Tensor> MatricesOf(at::TensorList weight) {
    if (weight.size() == 1 && weight[0].dim() == 3) return weight[0].unbind(0);
    return weight.vec();
}

std::vector<Optional<at::Tensor>> BiasOf(MaybeTensors bias, size_t groups) {
    std::vector<Optional<at::Tensor>> rows(groups);
    if (!Has(bias)) return rows;
    const std::vector<at::Tensor> found =
        bias->size() == 1 && (*bias)[0].dim() == 2 ? (*bias)[0].unbind(0) : std::vector<at::Tensor>(*bias);
    if (found.size() != groups)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "bias is for ", found.size(), " groups; it must be for ", groups,
                      ", as weight is");
    for (size_t i = 0; i < groups; ++i) rows[i] = found[i];
    return rows;
}

// Returns the rows of each group. Without ends each element of the list is a group.
std::vector<at::Tensor> RowsOf(at::TensorList x, const Optional<std::vector<int64_t>>& ends, size_t groups) {
    if (!ends || x.size() != 1) {
        if (x.size() != groups)
            throw Refusal(
                ACLNN_ERR_PARAM_INVALID, "x has ", x.size(), x.size() == 1 ? " element" : " elements",
                "; it must have ", groups,
                ", one for each matrix of weight, or 1 with a groupList (and groupType 0, if the call has it)");
        return x.vec();
    }
    if (ends->size() != groups)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "groupList has ", ends->size(), " elements; it must have ", groups,
                      ", one for each matrix of weight");
    std::vector<at::Tensor> rows;
    int64_t begin = 0;
    for (const int64_t end : *ends) {
        if (end < begin || end > x[0].size(0))
            throw Refusal(
                ACLNN_ERR_PARAM_INVALID, "groupList has the end ", end, " after ", begin,
                " (if groupListType is 1, ends are the cumulative sums of groupList); ends must not decrease, and "
                "none may be more than ",
                x[0].size(0), ", the number of rows in x");
        rows.push_back(x[0].narrow(0, begin, end - begin));
        begin = end;
    }
    return rows;
}

// Writes a product for each group: into a list, or one after the other into one tensor, whose other rows become 0.
void MultiplyGroups(const std::vector<at::Tensor>& rows, at::TensorList weight, MaybeTensors bias, int64_t activation,
                    const char* name, at::TensorList y) {
    const std::vector<at::Tensor> matrices = MatricesOf(weight);
    const auto biases = BiasOf(bias, matrices.size());
    std::vector<at::Tensor> products;
    for (size_t i = 0; i < rows.size(); ++i) {
        const at::ScalarType wide = at::promoteTypes(at::kFloat, rows[i].scalar_type());
        const at::Tensor product = at::matmul(rows[i].to(wide), matrices[i].to(wide));
        products.push_back(Active(biases[i] ? product + *biases[i] : product, activation));
    }
    if (y.size() == products.size() && y.size() > 1) {
        for (size_t i = 0; i < products.size(); ++i) {
            at::Tensor out = y[i];
            Put(out, products[i]);
        }
        return;
    }
    if (y.size() != 1)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has ", y.size(), " elements; it must have 1, or ",
                      products.size(), ", one for each group");
    const at::Tensor all = products.size() == 1 ? products[0] : at::cat(products);
    at::Tensor out = y[0];
    if (out.dim() != 2 || all.dim() != 2 || out.size(0) <= all.size(0)) return Put(out, all);
    at::Tensor first = out.narrow(0, 0, all.size(0));
    Put(first, all);
    out.narrow(0, all.size(0), out.size(0) - all.size(0)).zero_();
}

size_t GroupsOf(at::TensorList weight) {
    return MatricesOf(weight).size();
}

// The values of groupType and groupListType.
constexpr int64_t kNoGroups = -1, kRowsOfX = 0, kEnds = 0, kCounts = 1;

// Returns the ends of groups, whose numbers are in memory of the device.
Optional<std::vector<int64_t>> EndsOf(MaybeIn groups, int64_t type, int64_t list_type) {
    if (type != kNoGroups && type != kRowsOfX)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "groupType is ", type, "; allowed: -1 (no groups), 0 (rows of x)");
    if (list_type != kEnds && list_type != kCounts)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "groupListType is ", list_type,
                      "; allowed: 0 (cumulative numbers of rows), 1 (the number of rows of each group)");
    if (!groups || type == kNoGroups) return kNone;
    const at::Tensor ends = (list_type == kCounts ? at::cumsum(*groups, 0) : Long(*groups)).cpu().contiguous();
    return std::vector<int64_t>(ends.data_ptr<int64_t>(), ends.data_ptr<int64_t>() + ends.numel());
}

Optional<std::vector<int64_t>> EndsOf(MaybeInts ends) {
    return ends && !ends->empty() ? Optional<std::vector<int64_t>>(ends->vec()) : kNone;
}

}  // namespace

OPERATOR(GroupedMatmul,
         (Tensors x, Tensors weight, MaybeTensors bias, MaybeTensors scale, MaybeTensors offset,
          MaybeTensors antiquantScale, MaybeTensors antiquantOffset, MaybeInts groupList,
          [[maybe_unused]] int64_t splitItem, Outs y),
         CheckPlain({scale, offset, antiquantScale, antiquantOffset});
         MultiplyGroups(RowsOf(x, EndsOf(groupList), GroupsOf(weight)), weight, bias, 0, "y", y));
OPERATOR(GroupedMatmulV4,
         (Tensors x, Tensors weight, MaybeTensors bias, MaybeTensors scale, MaybeTensors offset,
          MaybeTensors antiquantScale, MaybeTensors antiquantOffset, MaybeTensors perTokenScale, MaybeIn groupList,
          MaybeTensors activationInput, MaybeTensors activationQuantScale, MaybeTensors activationQuantOffset,
          [[maybe_unused]] int64_t splitItem, int64_t groupType, int64_t groupListType, int64_t actType, Outs out,
          [[maybe_unused]] MaybeTensors activationFeatureOut, [[maybe_unused]] MaybeTensors dynQuantScaleOut),
         CheckPlain({scale, offset, antiquantScale, antiquantOffset});
         CheckNoneQuantized({perTokenScale, activationInput, activationQuantScale, activationQuantOffset});
         MultiplyGroups(RowsOf(x, EndsOf(groupList, groupType, groupListType), GroupsOf(weight)), weight, bias, actType,
                        "out", out));
OPERATOR(GroupedMatmulV5,
         (Tensors x, Tensors weight, MaybeTensors bias, MaybeTensors scale, MaybeTensors offset,
          MaybeTensors antiquantScale, MaybeTensors antiquantOffset, MaybeTensors perTokenScale, MaybeIn groupList,
          MaybeTensors activationInput, MaybeTensors activationQuantScale, MaybeTensors activationQuantOffset,
          [[maybe_unused]] int64_t splitItem, int64_t groupType, int64_t groupListType, int64_t actType,
          [[maybe_unused]] MaybeInts tuningConfig, Outs out, [[maybe_unused]] MaybeTensors activationFeatureOut,
          [[maybe_unused]] MaybeTensors dynQuantScaleOut),
         CheckPlain({scale, offset, antiquantScale, antiquantOffset});
         CheckNoneQuantized({perTokenScale, activationInput, activationQuantScale, activationQuantOffset});
         MultiplyGroups(RowsOf(x, EndsOf(groupList, groupType, groupListType), GroupsOf(weight)), weight, bias, actType,
                        "out", out));

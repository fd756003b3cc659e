// Products of matrices. How a device may round products (cubeMathType) has no meaning here: the types decide.
#include "ops/support.h"

namespace {

// Writes a product to an output. Programs multiply tensors of different types, into outputs of others; ATen wants one.
template <typename Product, typename ProductOut>
void Multiply(const at::Tensor& self, const at::Tensor& mat2, at::Tensor& out, Product product,
              ProductOut product_out) {
    const at::ScalarType type = out.scalar_type();
    if (self.scalar_type() == type && mat2.scalar_type() == type) return product_out(out, self, mat2);
    const at::ScalarType wide = at::promoteTypes(at::promoteTypes(self.scalar_type(), mat2.scalar_type()), type);
    const at::Tensor result = product(self.to(wide), mat2.to(wide));
    if (self.dim() > 1 && mat2.dim() > 1) CheckSame("out", out, "the product", result);
    Put(out, result);
}

void MultiplyMatrices(const at::Tensor& self, const at::Tensor& mat2, at::Tensor& out) {
    Multiply(
        self, mat2, out, [](In a, In b) { return at::mm(a, b); }, [](Out to, In a, In b) { at::mm_out(to, a, b); });
}

// Multiplies batches of matrices. One matrix serves a whole batch.
void MultiplyBatches(const at::Tensor& self, const at::Tensor& mat2, at::Tensor& out) {
    const bool repeats = self.dim() == 3 && mat2.dim() == 3 && self.size(0) != mat2.size(0);
    const at::Tensor a = repeats && self.size(0) == 1 ? self.expand({mat2.size(0), -1, -1}) : self;
    const at::Tensor b = repeats && mat2.size(0) == 1 ? mat2.expand({self.size(0), -1, -1}) : mat2;
    Multiply(
        a, b, out, [](In x, In y) { return at::bmm(x, y); }, [](Out to, In x, In y) { at::bmm_out(to, x, y); });
}

at::Tensor Permuted(const at::Tensor& tensor, MaybeInts order) {
    return order && !order->empty() ? tensor.permute(*order) : tensor;
}

// Multiplies batches whose dimensions are in other orders. The result may be split into several batches.
void MultiplyPermuted(const at::Tensor& x1, const at::Tensor& x2, MaybeIn bias, int64_t parts, MaybeInts order,
                      at::Tensor& out) {
    CheckPositive("batchSplitFactor", parts);
    const at::ScalarType wide = at::promoteTypes(at::kFloat, at::promoteTypes(x1.scalar_type(), x2.scalar_type()));
    at::Tensor product = at::bmm(x1.to(wide), x2.to(wide));
    if (bias) product = product + *bias;
    product = Permuted(product, order);
    if (parts == 1) return Put(out, product);
    const int64_t width = product.size(1) * product.size(2);
    if (width % parts != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "batchSplitFactor is ", parts, "; allowed: a divisor of ", width,
                      ", the product of the last two sizes of the result, whose shape is ", product.sizes());
    Put(out, product.reshape({product.size(0), parts, width / parts}).transpose(0, 1));
}

void CheckAbsent(const char* name, MaybeTensors tensors) {
    if (tensors) throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " is not supported; pass null");
}

// Only lists with a tensor for each group are supported, and no tensor whose rows are grouped.
void CheckLists(MaybeIn groups, int64_t split, int64_t type) {
    if (type != -1 || groups || split < 0 || split > 1)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "groupType is ", type, ", splitItem is ", split, " and groupList is ",
                      groups ? "not null" : "null",
                      "; allowed: the groupType -1, the splitItem 0 or 1, and no groupList. For groups of rows call "
                      "aclnnGroupedMatmulV4 or aclnnGroupedMatmulV5");
}

void CheckMatrix(const char* name, const at::Tensor& tensor) {
    if (tensor.dim() < 2)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has the shape ", tensor.sizes(),
                      "; it must have at least 2 dimensions");
}

// Multiplies each matrix of one list by that of another.
void MultiplyLists(at::TensorList x, at::TensorList weight, MaybeTensors bias, at::TensorList y) {
    if (x.size() != weight.size() || x.size() != y.size() || (bias && bias->size() != x.size()))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "x, weight and y have ", x.size(), ", ", weight.size(), " and ",
                      y.size(), " elements, bias has ", bias ? bias->size() : 0,
                      "; all must have the same number, but bias may be null");
    for (size_t i = 0; i < x.size(); ++i) {
        at::Tensor out = y[i];
        const at::ScalarType wide = at::promoteTypes(at::kFloat, x[i].scalar_type());
        const at::Tensor product = at::matmul(x[i].to(wide), weight[i].to(wide));
        CheckSame("an element of y", out, "the product", product);
        Put(out, bias ? product + (*bias)[i] : product);
    }
}

}  // namespace

OPERATOR(GroupedMatmulV3,
         (Tensors x, Tensors weight, MaybeTensors bias, MaybeTensors scale, MaybeTensors offset,
          MaybeTensors antiquantScale, MaybeTensors antiquantOffset, MaybeIn groupList, int64_t splitItem,
          int64_t groupType, Outs y),
         CheckAbsent("scale", scale);
         CheckAbsent("offset", offset); CheckAbsent("antiquantScale", antiquantScale);
         CheckAbsent("antiquantOffset", antiquantOffset); CheckLists(groupList, splitItem, groupType);
         MultiplyLists(x, weight, bias, y));
// Matrices of all formats have the plain one here.
OPERATOR(TransMatmulWeight, (Out mat2), CheckMatrix("mat2", mat2));
OPERATOR(Mm, (In self, In mat2, Out out, [[maybe_unused]] int8_t cubeMathType), MultiplyMatrices(self, mat2, out));
OPERATOR(Matmul, (In self, In mat2, Out out, [[maybe_unused]] int8_t cubeMathType),
         if (self.dim() == 2 && mat2.dim() == 2) MultiplyMatrices(self, mat2, out);
         else Multiply(
             self, mat2, out, [](In a, In b) { return at::matmul(a, b); },
             [](Out to, In a, In b) { Put(to, at::matmul(a, b)); }));
OPERATOR(BatchMatMul, (In self, In mat2, Out out, [[maybe_unused]] int8_t cubeMathType),
         MultiplyBatches(self, mat2, out));
OPERATOR(Addmm, (Part self, In mat1, In mat2, Number beta, Number alpha, Out out, [[maybe_unused]] int8_t cubeMathType),
         at::addmm_out(out, self, mat1, mat2, beta, alpha));
OPERATOR(InplaceAddmm, (Out self, In mat1, In mat2, Number beta, Number alpha, [[maybe_unused]] int8_t cubeMathType),
         at::addmm_out(self, self, mat1, mat2, beta, alpha));
OPERATOR(Addmv, (Part self, In mat, In vec, Number alpha, Number beta, Out out, [[maybe_unused]] int8_t cubeMathType),
         at::addmv_out(out, self, mat, vec, beta, alpha));
OPERATOR(Baddbmm,
         (Part self, In batch1, In batch2, Number beta, Number alpha, Out out, [[maybe_unused]] int8_t cubeMathType),
         at::baddbmm_out(out, self, batch1, batch2, beta, alpha));
OPERATOR(TransposeBatchMatMul,
         (In x1, In x2, MaybeIn bias, MaybeIn scale, MaybeInts permX1, MaybeInts permX2, MaybeInts permY,
          [[maybe_unused]] int8_t cubeMathType, int64_t batchSplitFactor, Out out),
         if (scale) throw Refusal(ACLNN_ERR_PARAM_INVALID, "scale is not supported; pass null");
         MultiplyPermuted(Permuted(x1, permX1), Permuted(x2, permX2), bias, batchSplitFactor, permY, out));
OPERATOR(Mv, (In self, In vec, Out out, [[maybe_unused]] int8_t cubeMathType), at::mv_out(out, self, vec));
OPERATOR(Ger, (In self, In vec2, Out out), at::outer_out(out, self, vec2));
OPERATOR(Dot, (In self, In tensor, Out out), at::dot_out(out, self, tensor));

// Comparisons and operations on truth values and bits.
#include "ops/support.h"

#define COMPARISON(NAME, FUNCTION)                                                                  \
    OPERATOR(NAME##Tensor, (In self, In other, Out out), at::FUNCTION##_out(out, self, other));     \
    OPERATOR(NAME##Scalar, (In self, Number other, Out out), at::FUNCTION##_out(out, self, other)); \
    OPERATOR(Inplace##NAME##Tensor, (Out self, In other), at::FUNCTION##_out(self, self, other));   \
    OPERATOR(Inplace##NAME##Scalar, (Out self, Number other), at::FUNCTION##_out(self, self, other))

COMPARISON(Eq, eq);
COMPARISON(Ne, ne);
COMPARISON(Gt, gt);
COMPARISON(Ge, ge);
COMPARISON(Lt, lt);
COMPARISON(Le, le);
COMPARISON(BitwiseAnd, bitwise_and);
COMPARISON(BitwiseOr, bitwise_or);
COMPARISON(BitwiseXor, bitwise_xor);

OPERATOR(LogicalAnd, (In self, In other, Out out), at::logical_and_out(out, self, other));
OPERATOR(LogicalOr, (In self, In other, Out out), at::logical_or_out(out, self, other));
OPERATOR(LogicalXor, (In self, In other, Out out), at::logical_xor_out(out, self, other));
OPERATOR(InplaceLogicalAnd, (Out self, In other), at::logical_and_out(self, self, other));
OPERATOR(InplaceLogicalOr, (Out self, In other), at::logical_or_out(self, self, other));

OPERATOR(Equal, (In self, In other, Out out), out.fill_(at::equal(self, other)));
OPERATOR(SWhere, (In condition, In self, In other, Out out), at::where_out(out, condition, self, other));
OPERATOR(IsClose, (In self, In other, double rtol, double atol, bool equalNan, Out out),
         Put(out, at::isclose(self, other, rtol, atol, equalNan)));

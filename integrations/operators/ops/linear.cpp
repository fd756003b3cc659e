// Products of matrices. How a device may round products (cubeMathType) has no meaning here: the types decide.
#include "ops/support.h"

OPERATOR(Mm, (In self, In mat2, Out out, [[maybe_unused]] int8_t cubeMathType), at::mm_out(out, self, mat2));
OPERATOR(Matmul, (In self, In mat2, Out out, [[maybe_unused]] int8_t cubeMathType),
         if (self.dim() == 2 && mat2.dim() == 2) at::mm_out(out, self, mat2);
         else Put(out, at::matmul(self, mat2)));
OPERATOR(BatchMatMul, (In self, In mat2, Out out, [[maybe_unused]] int8_t cubeMathType), at::bmm_out(out, self, mat2));
OPERATOR(Addmm, (Part self, In mat1, In mat2, Number beta, Number alpha, Out out, [[maybe_unused]] int8_t cubeMathType),
         at::addmm_out(out, self, mat1, mat2, beta, alpha));
OPERATOR(InplaceAddmm, (Out self, In mat1, In mat2, Number beta, Number alpha, [[maybe_unused]] int8_t cubeMathType),
         at::addmm_out(self, self, mat1, mat2, beta, alpha));
OPERATOR(Addmv, (Part self, In mat, In vec, Number alpha, Number beta, Out out, [[maybe_unused]] int8_t cubeMathType),
         at::addmv_out(out, self, mat, vec, beta, alpha));
OPERATOR(Baddbmm,
         (Part self, In batch1, In batch2, Number beta, Number alpha, Out out, [[maybe_unused]] int8_t cubeMathType),
         at::baddbmm_out(out, self, batch1, batch2, beta, alpha));
OPERATOR(Mv, (In self, In vec, Out out, [[maybe_unused]] int8_t cubeMathType), at::mv_out(out, self, vec));
OPERATOR(Dot, (In self, In tensor, Out out), at::dot_out(out, self, tensor));

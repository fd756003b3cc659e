// Decompositions, solutions and other functions of matrices.
#include "ops/support.h"

namespace {

// Returns the mode with the API's number.
const char* QrMode(int64_t mode) {
    switch (mode) {
        case 0:
            return "reduced";
        case 1:
            return "complete";
        case 2:
            return "r";
        default:
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "mode is ", mode, "; allowed: 0 (reduced), 1 (complete), 2 (r)");
    }
}

}  // namespace

OPERATOR(LinalgQr, (In self, int64_t mode, Out q, Out r), PutBoth(q, r, at::linalg_qr(self, QrMode(mode))));
OPERATOR(TriangularSolve, (In self, In a, bool upper, bool transpose, bool unitriangular, Out x, Out m),
         PutBoth(x, m, at::triangular_solve(self, a, upper, transpose, unitriangular)));
OPERATOR(Inverse, (In self, Out out), Put(out, at::inverse(self)));
OPERATOR(Slogdet, (In self, Out sign, Out log), PutBoth(sign, log, at::slogdet(self)));
OPERATOR(Trace, (In self, Out out), Put(out, at::trace(self)));
OPERATOR(LinalgCross, (In self, In other, int64_t dim, Out out), at::linalg_cross_out(out, self, other, dim));
OPERATOR(Addr, (Part self, In vec1, In vec2, Number beta, Number alpha, Out out),
         at::addr_out(out, self, vec1, vec2, beta, alpha));
OPERATOR(InplaceAddr, (Out self, In vec1, In vec2, Number beta, Number alpha),
         at::addr_out(self, self, vec1, vec2, beta, alpha));
OPERATOR(Addbmm,
         (Part self, In batch1, In batch2, Number beta, Number alpha, Out out, [[maybe_unused]] int8_t cubeMathType),
         at::addbmm_out(out, self, batch1, batch2, beta, alpha));
OPERATOR(Pdist, (In self, float p, Out out), Put(out, at::pdist(self, p)));
OPERATOR(Renorm, (In self, Number p, int64_t dim, Number maxNorm, Out out), at::renorm_out(out, self, p, dim, maxNorm));
OPERATOR(InplaceRenorm, (Out self, Number p, int64_t dim, Number maxNorm), at::renorm_out(self, self, p, dim, maxNorm));
OPERATOR(ConvTbc, (In self, In weight, In bias, int64_t pad, Out out, [[maybe_unused]] int8_t cubeMathType),
         Put(out, at::conv_tbc(self, weight, bias, pad)));
OPERATOR(ConvTbcBackward,
         (In grad, In self, In weight, In bias, int64_t pad, [[maybe_unused]] int8_t cubeMathType, Out gradSelf,
          Out gradWeight, Out gradBias),
         const auto [of_self, of_weight, of_bias] = at::conv_tbc_backward(grad, self, weight, bias, pad);
         Put(gradSelf, of_self); Put(gradWeight, of_weight); Put(gradBias, of_bias));

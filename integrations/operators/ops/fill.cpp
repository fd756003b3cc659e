// Values of a tensor: copies, constants, sequences, random numbers.
#include "ops/support.h"

OPERATOR(InplaceCopy, (Out self, In source), self.copy_(source));
OPERATOR(InplaceZero, (Out self), self.zero_());
OPERATOR(InplaceOne, (Out self), self.fill_(1));
OPERATOR(InplaceFillScalar, (Out self, Factor value), self.fill_(value));
OPERATOR(InplaceFillTensor, (Out self, In value), self.fill_(value.reshape({})));
OPERATOR(InplaceMaskedFillScalar, (Out self, In mask, Number value), self.masked_fill_(mask.to(at::kBool), value));
OPERATOR(InplaceMaskedFillTensor, (Out self, In mask, In value),
         self.masked_fill_(mask.to(at::kBool), value.reshape({})));
OPERATOR(InplaceFillDiagonal, (Out self, Number value, bool wrap), self.fill_diagonal_(value, wrap));

OPERATOR(Arange, (Number start, Number end, Number step, Out out), at::arange_out(out, start, end, step));
OPERATOR(Range, (Number start, Number end, Number step, Out out), at::range_out(out, start, end, step));
OPERATOR(Linspace, (Number start, Number end, int64_t steps, Out out), at::linspace_out(out, start, end, steps));
OPERATOR(Eye, (int64_t n, int64_t m, Out out), at::eye_out(out, n, m));
OPERATOR(Tril, (In self, int64_t diagonal, Out out), at::tril_out(out, self, diagonal));
OPERATOR(Triu, (In self, int64_t diagonal, Out out), at::triu_out(out, self, diagonal));
OPERATOR(InplaceTril, (Out self, int64_t diagonal), at::tril_out(self, self, diagonal));
OPERATOR(InplaceTriu, (Out self, int64_t diagonal), at::triu_out(self, self, diagonal));

// The numbers depend on the order in which ATen draws them, which would depend on the strides.
OPERATOR(InplaceNormal, (Out self, float mean, float std, Seed seed, Seed offset),
         self.copy_(at::empty(self.sizes(), self.options()).normal_(mean, std, Random(seed, offset, self.device()))));
OPERATOR(InplaceUniform, (Out self, double from, double to, Seed seed, Seed offset),
         self.uniform_(from, to, Random(seed, offset, self.device())));
OPERATOR(InplaceRandom, (Out self, int64_t from, int64_t to, Seed seed, Seed offset),
         self.random_(from, to, Random(seed, offset, self.device())));
OPERATOR(InplaceBernoulli, (Out self, Number probability, Seed seed, Seed offset),
         self.bernoulli_(probability.toDouble(), Random(seed, offset, self.device())));
OPERATOR(InplaceBernoulliTensor, (Out self, In probability, Seed seed, Seed offset),
         self.bernoulli_(probability, Random(seed, offset, self.device())));
OPERATOR(Randperm, (int64_t n, Seed seed, Seed offset, Out out),
         at::randperm_out(out, n, Random(seed, offset, out.device())));
OPERATOR(Multinomial, (In self, int64_t samples, bool replacement, Seed seed, Seed offset, Out out),
         at::multinomial_out(out, self, samples, replacement, Random(seed, offset, self.device())));

namespace {

// Writes a mask of dropout. It has a bit for each element, which is set if the element is kept.
void MakeMask(at::Tensor& mask, Ints shape, double probability, const at::Generator& random) {
    const int64_t count = CheckMask("mask", mask, shape);
    const at::Tensor kept = at::empty({count}, at::kByte).bernoulli_(1 - probability, random);
    const auto* bits = kept.data_ptr<uint8_t>();
    const at::Tensor on_host = mask.zero_().cpu();
    auto* bytes = static_cast<uint8_t*>(on_host.data_ptr());
    for (int64_t i = 0; i < count; ++i) bytes[i / 8] = static_cast<uint8_t>(bytes[i / 8] | bits[i] << i % 8);
    if (!mask.is_cpu()) mask.copy_(on_host);
}

void ApplyMask(const at::Tensor& self, const at::Tensor& mask, double probability, at::Tensor& out) {
    at::mul_out(out, self, Kept("mask", mask, self.sizes(), 1 - probability).to(self.options()));
}

}  // namespace

OPERATOR(DropoutGenMaskV2,
         (Ints shape, double probability, Seed seed, Seed offset, [[maybe_unused]] Type dtype, Out mask),
         MakeMask(mask, shape, probability, Random(seed, offset)));
OPERATOR(DropoutDoMask, (In self, In mask, double probability, Out out), ApplyMask(self, mask, probability, out));

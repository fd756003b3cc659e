// The kernel of 05_kernel.cpp for the cpu backend: each block adds its share of the elements.
#include <portacl/kernel.h>

#include <algorithm>

namespace {

void VectorAdd(const portaclBlock& block, float* out, const float* a, const float* b, uint64_t count) {
    const uint64_t share = (count + block.count[0] - 1) / block.count[0];
    const uint64_t first = std::min(count, share * block.index[0]);
    const uint64_t end = std::min(count, first + share);
    for (uint64_t i = first; i < end; ++i) out[i] = a[i] + b[i];
}

}  // namespace

PORTACL_KERNEL(vector_add, VectorAdd);

// The kernel of 16_kernel_arguments.cpp for the cpu backend: out[i] = scale * in[i] + offset, for
// the range of i in the options. `scale` is a variable of the binary, which the host sets.
#include <portacl/kernel.h>

#include <algorithm>

extern "C" {
extern __attribute__((visibility("default"))) float scale;
float scale = 1;
}

namespace {

struct Options {
    uint64_t first, end;
    float offset;
};

void ScaleAdd(const portaclBlock& block, float* out, const float* in, const Options* options) {
    const uint64_t count = options->end - options->first;
    const uint64_t share = (count + block.count[0] - 1) / block.count[0];
    const uint64_t first = options->first + std::min(count, share * block.index[0]);
    const uint64_t end = std::min(options->end, first + share);
    for (uint64_t i = first; i < end; ++i) out[i] = scale * in[i] + options->offset;
}

}  // namespace

PORTACL_KERNEL(scale_add, ScaleAdd);

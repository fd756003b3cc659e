#include "kernel/host_kernels.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

// Built-in names of the CUDA compiler.
#define __device__
#define __global__
#define __launch_bounds__(threads)

struct uint4 {
    unsigned x, y, z, w;
};

struct Dimension {
    unsigned x;
};

namespace {

Dimension threadIdx;
Dimension blockIdx;
Dimension blockDim;
Dimension gridDim;

float __int_as_float(int bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int __float_as_int(float value) {
    int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float __fadd_rn(float a, float b) {
    return a + b;
}

// These are the two conversion instructions. They search all halves, independently of the test double's implementation.
float half_value(unsigned short bits) {
    const int exponent = bits >> 10 & 31;
    const float fraction = static_cast<float>(bits & 1023) / 1024;
    float value = exponent == 0 ? fraction / 16384 : (1 + fraction) * std::pow(2.0f, exponent - 15);
    if (exponent == 31) value = fraction == 0 ? INFINITY : NAN;
    return (bits & 0x8000) != 0 ? -value : value;
}

unsigned short nearest_half(float value) {
    const unsigned short sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value)) return sign | 0x7FFF;
    const double wanted = std::fabs(static_cast<double>(value));
    // The largest half that is at most the value; 65536 stands for infinity.
    unsigned short below = 0;
    for (unsigned step = 0x4000; step != 0; step /= 2) {
        const auto candidate = static_cast<unsigned short>(below + step);
        if (candidate < 0x7C00 && half_value(candidate) <= wanted) below = candidate;
    }
    const auto above = static_cast<unsigned short>(below + 1);
    const double low = half_value(below);
    const double high = above == 0x7C00 ? 65536.0 : static_cast<double>(half_value(above));
    const bool up = wanted - low > high - wanted || (wanted - low == high - wanted && above % 2 == 0);
    return sign | (up ? above : below);
}

void convert(const char* instruction, float& value, unsigned short& stored) {
    if (strncmp(instruction, "\"cvt.f32.f16 ", 13) == 0) {
        value = half_value(stored);
    } else if (strncmp(instruction, "\"cvt.rn.f16.f32 ", 16) == 0) {
        stored = nearest_half(value);
    } else {
        abort();
    }
}

}  // namespace

#define asm(...) convert(#__VA_ARGS__, value, stored)
#include REDUCE_CU
#undef asm

namespace {

using Kernel = void (*)(void*, const void*, unsigned long long);

struct Named {
    const char* name;
    Kernel kernel;
};

#define NAMED(kernel) \
    { #kernel, kernel }
#define NAMED_OF(op)                                                                                     \
    NAMED(portacl_reduce_##op##_i8), NAMED(portacl_reduce_##op##_i16), NAMED(portacl_reduce_##op##_i32), \
        NAMED(portacl_reduce_##op##_f16), NAMED(portacl_reduce_##op##_bf16), NAMED(portacl_reduce_##op##_f32)

const Named kKernels[] = {NAMED_OF(sum), NAMED_OF(max), NAMED_OF(min)};

Kernel find(const std::string& name) {
    for (const Named& named : kKernels) {
        if (name == named.name) return named.kernel;
    }
    abort();
}

// A buffer at a given offset from a 16-byte boundary.
class Placed {
  public:
    Placed(const std::vector<uint8_t>& bytes, size_t offset)
        : storage_(bytes.size() + offset + 16), size_(bytes.size()) {
        const auto address = reinterpret_cast<uintptr_t>(storage_.data());
        start_ = storage_.data() + (16 - address % 16) % 16 + offset;
        memcpy(start_, bytes.data(), size_);
    }

    void* start() { return start_; }
    std::vector<uint8_t> bytes() const { return {start_, start_ + size_}; }

  private:
    std::vector<uint8_t> storage_;
    size_t size_;
    uint8_t* start_;
};

}  // namespace

std::vector<uint8_t> run_source(const std::string& name, const std::vector<uint8_t>& dst,
                                const std::vector<uint8_t>& src, size_t element, size_t offset, unsigned grid,
                                unsigned block) {
    const Kernel kernel = find(name);
    Placed to(dst, offset);
    Placed from(src, offset);
    gridDim.x = grid;
    blockDim.x = block;
    for (blockIdx.x = 0; blockIdx.x < grid; ++blockIdx.x) {
        for (threadIdx.x = 0; threadIdx.x < block; ++threadIdx.x) {
            kernel(to.start(), from.start(), dst.size() / element);
        }
    }
    return to.bytes();
}

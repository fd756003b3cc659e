// Random numbers: what docs/random_numbers.md says, bit for bit what
// src/cpu/transfer/random_num.rs makes. Of floating point numbers there are only additions,
// multiplications, divisions and square roots, each rounded once.
//
// random_num.ptx is made from this file by make.py and committed, so that building needs no
// compiler for GPUs. No header is included: the runtime compiler has none.

using Word = unsigned int;
using Size = unsigned long long;

// The bits of a number, or where they are.
struct Number {
    Size bits;
    const void* at;
    Size size;
};

// As in src/cuda/transfer/random_num.rs.
enum Distribution : Word { kDropout, kUniform, kNormal, kTruncatedNormal };
enum Element : Word { kInt32, kUInt32, kInt64, kUInt64, kFloat16, kBFloat16, kFloat32 };

// What a kernel is asked for. The counter may be null. All threads branch alike by what is in here.
struct Task {
    void* dst;
    Size room;
    Word distribution;
    Word element;
    Number first;
    Number second;
    Number seed;
    Number count;
    Size* counter;
};

static __device__ Size read(const Number& number) {
    if (!number.at) return number.bits;
    if (number.size == 2) return *static_cast<const unsigned short*>(number.at);
    if (number.size == 4) return *static_cast<const Word*>(number.at);
    return *static_cast<const Size*>(number.at);
}

static __device__ Size count_of(const Task& task) {
    const Size count = read(task.count);
    return count < task.room ? count : task.room;
}

static __device__ float single(Word bits) {
    return __int_as_float(static_cast<int>(bits));
}

static __device__ Word bits_of(float value) {
    return static_cast<Word>(__float_as_int(value));
}

// Floating point numbers are computed in single precision. Those of 16 bits are converted by hand:
// devices before compute capability 8.0 have no conversion for brain floats, and a test runs this
// on the host.
static __device__ Word narrow_brain(float value) {
    const Word bits = bits_of(value);
    // A NaN is made quiet, and never rounded into infinity.
    if (value != value) return (bits >> 16) | 0x40;
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
}

// The smallest normal half in single precision.
constexpr Word kSmallestHalf = Word(113) << 23;

static __device__ float widen_half(Word half) {
    const Word sign = (half & 0x8000) << 16;
    const Word magnitude = (half & 0x7FFF) << 13;
    Word wide = magnitude + (Word(112) << 23);
    if (magnitude >= Word(31) << 23) wide = magnitude + (Word(224) << 23);
    if (magnitude < Word(1) << 23) {
        wide = bits_of(__fadd_rn(single(magnitude + kSmallestHalf), -single(kSmallestHalf)));
    }
    return single(sign | wide);
}

static __device__ Word narrow_half(float value) {
    const Word bits = bits_of(value);
    const Word sign = (bits >> 16) & 0x8000;
    const Word magnitude = bits & 0x7FFFFFFF;
    Word half = (magnitude - (Word(112) << 23) + 0xFFF + ((magnitude >> 13) & 1)) >> 13;
    if (magnitude >= Word(143) << 23) half = value != value ? 0x7E00 : 0x7C00;
    if (magnitude < kSmallestHalf) {
        // In singles near 0.5 the last bit is worth as much as that of a subnormal half.
        half = bits_of(__fadd_rn(single(magnitude), 0.5f)) - bits_of(0.5f);
    }
    return sign | half;
}

static __device__ float widen(Word element, Word bits) {
    if (element == kFloat16) return widen_half(bits);
    return element == kBFloat16 ? single(bits << 16) : single(bits);
}

// The bits of a number as it is stored.
static __device__ Word narrow(Word element, float value) {
    if (element == kFloat16) return narrow_half(value);
    return element == kBFloat16 ? narrow_brain(value) : bits_of(value);
}

// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw 2011).
class Generator {
  public:
    __device__ explicit Generator(const Task& task) : key_(read(task.seed)), low_(0), high_(0) {
        if (task.counter) {
            low_ = task.counter[0];
            high_ = task.counter[1];
        }
    }

    __device__ void block(Size index, Word (&words)[4]) const {
        const Size low = low_ + index;
        const Size high = high_ + (low < index ? 1 : 0);
        Word a = static_cast<Word>(low);
        Word b = static_cast<Word>(low >> 32);
        Word c = static_cast<Word>(high);
        Word d = static_cast<Word>(high >> 32);
        Word first = static_cast<Word>(key_);
        Word second = static_cast<Word>(key_ >> 32);
#pragma unroll
        for (int round = 0; round < 10; ++round) {
            const Size left = Size(0xD2511F53) * a;
            const Size right = Size(0xCD9E8D57) * c;
            a = static_cast<Word>(right >> 32) ^ b ^ first;
            b = static_cast<Word>(right);
            c = static_cast<Word>(left >> 32) ^ d ^ second;
            d = static_cast<Word>(left);
            first += 0x9E3779B9;
            second += 0xBB67AE85;
        }
        words[0] = a;
        words[1] = b;
        words[2] = c;
        words[3] = d;
    }

  private:
    Size key_;
    Size low_;
    Size high_;
};

// Minus the natural logarithm of a normal number below 1.
static __device__ float minus_ln(float x) {
    const Word bits = bits_of(x);
    const Word fraction = (bits & 0x007FFFFF) | 0x3F800000;
    const Word is_large = fraction > 0x3FB504F3 ? 1 : 0;
    const int power = static_cast<int>(bits >> 23) - 127 + static_cast<int>(is_large);
    const float rest = __fadd_rn(single(fraction - (is_large << 23)), -1.0f);
    const float s = __fdiv_rn(rest, __fadd_rn(rest, 2.0f));
    const float z = __fmul_rn(s, s);
    float series = __fadd_rn(__fmul_rn(z, 1.0f / 9.0f), 1.0f / 7.0f);
    series = __fadd_rn(__fmul_rn(series, z), 1.0f / 5.0f);
    series = __fadd_rn(__fmul_rn(series, z), 1.0f / 3.0f);
    const float ln = __fmul_rn(__fadd_rn(__fmul_rn(__fmul_rn(s, z), series), s), 2.0f);
    return -__fadd_rn(__fmul_rn(static_cast<float>(power), 0.69314718056f), ln);
}

// a * r + b
static __device__ float step(float a, float r, float b) {
    return __fadd_rn(__fmul_rn(a, r), b);
}

// What a normal number is above with this probability, from 2 to the -33 to a half (Wichura 1988,
// AS 241, PPND7).
static __device__ float upper_quantile(float probability) {
    const float q = __fadd_rn(0.5f, -probability);
    if (q <= 0.425f) {
        const float r = __fadd_rn(0.180625f, -__fmul_rn(q, q));
        float above = step(59.109374720f, r, 159.29113202f);
        above = step(step(above, r, 50.434271938f), r, 3.3871327179f);
        float below = step(67.187563600f, r, 78.757757664f);
        below = step(step(below, r, 17.895169469f), r, 1.0f);
        return __fdiv_rn(__fmul_rn(q, above), below);
    }
    const float r = __fadd_rn(__fsqrt_rn(minus_ln(probability)), -1.6f);
    float above = step(0.17023821103f, r, 1.3067284816f);
    above = step(step(above, r, 2.7568153900f), r, 1.4234372777f);
    const float below = step(step(0.12021132975f, r, 0.73700164250f), r, 1.0f);
    return __fdiv_rn(above, below);
}

// Greater than 0, and at most a half.
static __device__ float half_unit(Word word) {
    const float number = static_cast<float>(word & 0x7FFFFFFF);
    return __fmul_rn(__fadd_rn(number, 0.5f), 1.0f / 4294967296.0f);
}

static __device__ float uniform(Word word, float min, float max) {
    const float unit = __fmul_rn(static_cast<float>(word >> 8), 1.0f / 16777216.0f);
    return __fadd_rn(min, __fmul_rn(__fadd_rn(max, -min), unit));
}

static __device__ float normal(Word word, bool truncated, float mean, float deviation) {
    float probability = half_unit(word);
    // The shares of the normal distribution below -2, and between -2 and 2.
    if (truncated) probability = __fadd_rn(0.022750132f, __fmul_rn(0.95449974f, probability));
    float magnitude = upper_quantile(probability);
    if (truncated && magnitude > 2.0f) magnitude = 2.0f;
    const float number = single(bits_of(magnitude) | (word & 0x80000000));
    return __fadd_rn(mean, __fmul_rn(deviation, number));
}

// The same value, of which the compiler knows nothing: it would make a copy of a loop for each.
static __device__ Word opaque(Word value) {
    asm volatile("" : "+r"(value));
    return value;
}

// How many blocks of `each` numbers hold `count` numbers.
static __device__ Size blocks_for(Size count, Size each) {
    return count / each + (count % each ? 1 : 0);
}

static __device__ Size first_thread() {
    return Size(blockIdx.x) * blockDim.x + threadIdx.x;
}

static __device__ Size all_threads() {
    return Size(gridDim.x) * blockDim.x;
}

#define PORTACL_KERNEL(name) extern "C" __global__ void __launch_bounds__(1024) name

// Any one-dimensional grid makes all numbers: each thread goes on by the number of threads.

// Bits that are 0 with the probability that the first parameter is; the first bit of a byte is its
// lowest.
PORTACL_KERNEL(portacl_random_num_bits)(Task task) {
    const float given = widen(task.element, static_cast<Word>(read(task.first)));
    const float ratio = given < 1.0f ? (given > 0.0f ? given : 0.0f) : 1.0f;
    const Size below = static_cast<Size>(__fmul_rn(ratio, 4294967296.0f));
    const Generator generator(task);
    const Size count = count_of(task);
    const Size bytes = blocks_for(count, 8);
    auto* const dst = static_cast<unsigned char*>(task.dst);
    for (Size byte = first_thread(); byte < bytes; byte += all_threads()) {
        Word mask = 0;
        for (unsigned half = 0; half < 2; ++half) {
            Word words[4];
            generator.block(2 * byte + half, words);
#pragma unroll
            for (unsigned word = 0; word < 4; ++word) {
                const unsigned bit = 4 * half + word;
                const bool kept = 8 * byte + bit < count && words[word] >= below;
                mask |= (kept ? Word(1) : Word(0)) << bit;
            }
        }
        dst[byte] = static_cast<unsigned char>(mask);
    }
}

// Uniform, normal and truncated normal numbers in floating point.
PORTACL_KERNEL(portacl_random_num_floats)(Task task) {
    const float first = widen(task.element, static_cast<Word>(read(task.first)));
    const float second = widen(task.element, static_cast<Word>(read(task.second)));
    const Word lowest = narrow(task.element, first);
    const Generator generator(task);
    const Size count = count_of(task);
    const Size blocks = blocks_for(count, 4);
    for (Size block = first_thread(); block < blocks; block += all_threads()) {
        Word words[4];
        generator.block(block, words);
#pragma unroll 1
        for (Size index = 4 * block; index < count && index < 4 * block + 4; ++index) {
            const Word distribution = opaque(task.distribution);
            const Word element = opaque(task.element);
            Word bits = 0;
            if (distribution == kUniform) {
                bits = narrow(element, uniform(words[0], first, second));
                // What is rounded up to the second becomes the first.
                if (!(widen(element, bits) < second)) bits = lowest;
            } else {
                const bool truncated = distribution == kTruncatedNormal;
                bits = narrow(element, normal(words[0], truncated, first, second));
            }
            if (element == kFloat32) {
                static_cast<Word*>(task.dst)[index] = bits;
            } else {
                static_cast<unsigned short*>(task.dst)[index] = static_cast<unsigned short>(bits);
            }
            words[0] = words[1];
            words[1] = words[2];
            words[2] = words[3];
        }
    }
}

// Uniform integers of 32 bits.
PORTACL_KERNEL(portacl_random_num_integers_32)(Task task) {
    const Word min = static_cast<Word>(read(task.first));
    const Word max = static_cast<Word>(read(task.second));
    const bool is_range = task.element == kInt32 ? static_cast<int>(min) < static_cast<int>(max) : min < max;
    const Word range = is_range ? max - min : 0;
    const Generator generator(task);
    const Size count = count_of(task);
    const Size blocks = blocks_for(count, 2);
    auto* const dst = static_cast<Word*>(task.dst);
    for (Size block = first_thread(); block < blocks; block += all_threads()) {
        Word words[4];
        generator.block(block, words);
#pragma unroll
        for (unsigned element = 0; element < 2; ++element) {
            if (2 * block + element >= count) break;
            // The upper 32 bits of 96.
            const Size low = Size(words[2 * element]) * range;
            const Size high = Size(words[2 * element + 1]) * range;
            dst[2 * block + element] = min + static_cast<Word>((high + (low >> 32)) >> 32);
        }
    }
}

// Uniform integers of 64 bits.
PORTACL_KERNEL(portacl_random_num_integers_64)(Task task) {
    const Size min = read(task.first);
    const Size max = read(task.second);
    const bool is_range =
        task.element == kInt64 ? static_cast<long long>(min) < static_cast<long long>(max) : min < max;
    const Size range = is_range ? max - min : 0;
    const Generator generator(task);
    const Size count = count_of(task);
    auto* const dst = static_cast<Size*>(task.dst);
    for (Size block = first_thread(); block < count; block += all_threads()) {
        Word words[4];
        generator.block(block, words);
        const Size low = Size(words[1]) << 32 | words[0];
        const Size high = Size(words[3]) << 32 | words[2];
        // The upper 64 bits of 192.
        const Size carried = __umul64hi(low, range);
        const Size sum = high * range + carried;
        dst[block] = min + __umul64hi(high, range) + (sum < carried ? 1 : 0);
    }
}

// Behind one of the others: the counter goes on by the blocks that it has used. One thread.
PORTACL_KERNEL(portacl_random_num_advance)(Task task, Size per_block) {
    const Size blocks = blocks_for(count_of(task), per_block);
    const Size low = task.counter[0] + blocks;
    task.counter[0] = low;
    if (low < blocks) ++task.counter[1];
}

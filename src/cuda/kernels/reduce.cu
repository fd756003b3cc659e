// dst[i] = op(dst[i], src[i]): the reductions of the CUDA backend, one kernel for each pair of
// operation and element type. The meanings are those of ReduceOp and Element in src/backend/mod.rs,
// bit for bit those of the CPU backend, except which NaN comes out.
//
// reduce.ptx is made from this file by make.py and committed, so that building needs no compiler
// for GPUs. No header is included: the runtime compiler has none.

using Word = unsigned int;
using Count = unsigned long long;

// How an element is stored, and what it is computed in.
template <typename T>
struct Plain {
    using Stored = T;
    using Value = T;
    static __device__ Value widen(Stored stored) { return stored; }
    static __device__ Stored narrow(Value value) { return value; }
};

using Int8 = Plain<signed char>;
using Int16 = Plain<short>;
using Int32 = Plain<int>;
using Float32 = Plain<float>;

struct Float16 {
    using Stored = unsigned short;
    using Value = float;
    static __device__ Value widen(Stored stored) {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(stored));
        return value;
    }
    // The sum of two halves, rounded to single precision first, still rounds correctly here: single
    // precision has more than twice the digits and two.
    static __device__ Stored narrow(Value value) {
        unsigned short stored;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(stored) : "f"(value));
        return stored;
    }
};

// By hand: devices before compute capability 8.0 have no conversion for it.
struct BFloat16 {
    using Stored = unsigned short;
    using Value = float;
    static __device__ Value widen(Stored stored) {
        return __int_as_float(static_cast<int>(static_cast<Word>(stored) << 16));
    }
    static __device__ Stored narrow(Value value) {
        const Word bits = static_cast<Word>(__float_as_int(value));
        if (value != value) {
            // Quiet, and never rounded into infinity.
            return static_cast<Stored>((bits >> 16) | 0x40);
        }
        return static_cast<Stored>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
    }
};

// a + b. Overflow wraps: the unsigned types have no undefined overflow.
template <typename T>
static __device__ T add(T a, T b) {
    return static_cast<T>(static_cast<Word>(a) + static_cast<Word>(b));
}
static __device__ float add(float a, float b) {
    return __fadd_rn(a, b);
}

// Whether the maximum is `a`. Of equal numbers only zeros differ, by their sign.
template <typename T>
static __device__ bool is_larger(T a, T b) {
    return a > b;
}
static __device__ bool is_larger(float a, float b) {
    return a > b || (a == b && __float_as_int(a) >= 0);
}

// True only for a NaN.
template <typename T>
static __device__ bool is_nan(T a) {
    return a != a;
}

struct Sum {
    template <typename E>
    static __device__ typename E::Stored apply(typename E::Stored a, typename E::Stored b) {
        return E::narrow(add(E::widen(a), E::widen(b)));
    }
};

// Maximum and minimum choose one of the two as stored. A number beats a NaN.
template <bool kLargest>
struct Extreme {
    template <typename E>
    static __device__ typename E::Stored apply(typename E::Stored a, typename E::Stored b) {
        const typename E::Value x = E::widen(a);
        const typename E::Value y = E::widen(b);
        return is_nan(x) || (!is_nan(y) && (kLargest ? !is_larger(x, y) : is_larger(x, y))) ? b : a;
    }
};

using Max = Extreme<true>;
using Min = Extreme<false>;

template <typename To, typename From>
static __device__ To same_bits(From from) {
    union {
        From from;
        To to;
    } bits;
    bits.from = from;
    return bits.to;
}

// Applies the operation to each of the elements in a word.
template <typename E, typename Op>
static __device__ Word apply_to_word(Word a, Word b) {
    using Stored = typename E::Stored;
    if (sizeof(Stored) == sizeof(Word)) {
        return same_bits<Word>(Op::template apply<E>(same_bits<Stored>(a), same_bits<Stored>(b)));
    }
    constexpr Word kBits = 8 * sizeof(Stored);
    constexpr Word kMask = sizeof(Stored) == sizeof(Word) ? ~Word(0) : (Word(1) << kBits % 32) - 1;
    Word result = 0;
#pragma unroll
    for (Word shift = 0; shift < 32; shift += kBits) {
        const Stored x = static_cast<Stored>((a >> shift) & kMask);
        const Stored y = static_cast<Stored>((b >> shift) & kMask);
        result |= (static_cast<Word>(Op::template apply<E>(x, y)) & kMask) << shift;
    }
    return result;
}

// Any one-dimensional grid does all elements: each thread goes on by the number of threads.
template <typename E, typename Op>
static __device__ void reduce(void* dst, const void* src, Count count) {
    using Stored = typename E::Stored;
    const Count first = Count(blockIdx.x) * blockDim.x + threadIdx.x;
    const Count threads = Count(gridDim.x) * blockDim.x;
    Count done = 0;
    if (((reinterpret_cast<Count>(dst) | reinterpret_cast<Count>(src)) & 15) == 0) {
        constexpr Count kPerVector = sizeof(uint4) / sizeof(Stored);
        uint4* const to = static_cast<uint4*>(dst);
        const uint4* const from = static_cast<const uint4*>(src);
        const Count vectors = count / kPerVector;
        for (Count i = first; i < vectors; i += threads) {
            uint4 a = to[i];
            const uint4 b = from[i];
            a.x = apply_to_word<E, Op>(a.x, b.x);
            a.y = apply_to_word<E, Op>(a.y, b.y);
            a.z = apply_to_word<E, Op>(a.z, b.z);
            a.w = apply_to_word<E, Op>(a.w, b.w);
            to[i] = a;
        }
        done = vectors * kPerVector;
    }
    Stored* const to = static_cast<Stored*>(dst);
    const Stored* const from = static_cast<const Stored*>(src);
    for (Count i = done + first; i < count; i += threads) {
        to[i] = Op::template apply<E>(to[i], from[i]);
    }
}

#define PORTACL_KERNEL(op, element, Op, Element)                                                \
    extern "C" __global__ void __launch_bounds__(1024)                                          \
        portacl_reduce_##op##_##element(void* dst, const void* src, unsigned long long count) { \
        reduce<Element, Op>(dst, src, count);                                                   \
    }

#define PORTACL_KERNELS(op, Op)            \
    PORTACL_KERNEL(op, i8, Op, Int8)       \
    PORTACL_KERNEL(op, i16, Op, Int16)     \
    PORTACL_KERNEL(op, i32, Op, Int32)     \
    PORTACL_KERNEL(op, f16, Op, Float16)   \
    PORTACL_KERNEL(op, bf16, Op, BFloat16) \
    PORTACL_KERNEL(op, f32, Op, Float32)

PORTACL_KERNELS(sum, Sum)
PORTACL_KERNELS(max, Max)
PORTACL_KERNELS(min, Min)

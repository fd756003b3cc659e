#include "libgloo/reduction.h"

#include <gloo/types.h>

#include <algorithm>
#include <cstring>

namespace hccl {

namespace {

// Numbers of 16 bits are computed as floats.
struct Half {
    uint16_t bits;

    Half(float value) : bits(gloo::cpu_float2half_rn(value).x) {}  // NOLINT: as a number
};

struct BFloat {
    uint16_t bits;

    // Rounds to the nearest number, and to the even one of two.
    BFloat(float value) {  // NOLINT: as a number
        uint32_t whole = 0;
        std::memcpy(&whole, &value, sizeof whole);
        constexpr uint32_t kNan = 0x7fc0;
        bits = static_cast<uint16_t>(value != value ? kNan : (whole + 0x7fff + (whole >> 16 & 1)) >> 16);
    }
};

template <typename T>
T Number(T value) {
    return value;
}
float Number(Half value) {
    gloo::float16 half;
    half.x = value.bits;
    return gloo::cpu_half2float(half);
}
float Number(BFloat value) {
    const uint32_t whole = static_cast<uint32_t>(value.bits) << 16;
    float number = 0;
    std::memcpy(&number, &whole, sizeof number);
    return number;
}

struct Sum {
    template <typename T>
    static T Of(T left, T right) {
        return static_cast<T>(left + right);
    }
};
struct Product {
    template <typename T>
    static T Of(T left, T right) {
        return static_cast<T>(left * right);
    }
};
struct Most {
    template <typename T>
    static T Of(T left, T right) {
        return std::max(left, right);
    }
};
struct Least {
    template <typename T>
    static T Of(T left, T right) {
        return std::min(left, right);
    }
};

// Gloo has such functions as well, but counts in an int, and an assignment of its float16 can do nothing: it compares
// the bits of one number with the value of the other.
template <typename T, typename Operator>
void Reduce(void* result, const void* left, const void* right, size_t count) {
    auto* const to = static_cast<T*>(result);
    const auto* const one = static_cast<const T*>(left);
    const auto* const other = static_cast<const T*>(right);
    // The result is one of the others or beside them.
#pragma GCC ivdep
    for (size_t index = 0; index < count; index++) to[index] = Operator::Of(Number(one[index]), Number(other[index]));
}

template <typename T>
Reduction Of(HcclReduceOp reduction) {
    switch (reduction) {
        case HCCL_REDUCE_SUM:
            return &Reduce<T, Sum>;
        case HCCL_REDUCE_PROD:
            return &Reduce<T, Product>;
        case HCCL_REDUCE_MAX:
            return &Reduce<T, Most>;
        case HCCL_REDUCE_MIN:
            break;
    }
    return &Reduce<T, Least>;
}

}  // namespace

Reduction ReductionOf(HcclDataType type, HcclReduceOp reduction) {
    switch (type) {
        case HCCL_DATA_TYPE_INT8:
            return Of<int8_t>(reduction);
        case HCCL_DATA_TYPE_INT16:
            return Of<int16_t>(reduction);
        case HCCL_DATA_TYPE_INT32:
            return Of<int32_t>(reduction);
        case HCCL_DATA_TYPE_INT64:
            return Of<int64_t>(reduction);
        case HCCL_DATA_TYPE_UINT16:
            return Of<uint16_t>(reduction);
        case HCCL_DATA_TYPE_UINT32:
            return Of<uint32_t>(reduction);
        case HCCL_DATA_TYPE_UINT64:
            return Of<uint64_t>(reduction);
        case HCCL_DATA_TYPE_FP16:
            return Of<Half>(reduction);
        case HCCL_DATA_TYPE_FP32:
            return Of<float>(reduction);
        case HCCL_DATA_TYPE_FP64:
            return Of<double>(reduction);
        case HCCL_DATA_TYPE_BFP16:
            return Of<BFloat>(reduction);
        case HCCL_DATA_TYPE_UINT8:
        // The calls refuse to reduce it.
        case HCCL_DATA_TYPE_INT128:
            break;
    }
    return Of<uint8_t>(reduction);
}

}  // namespace hccl

#include "transfer/reduce.h"

#include <cmath>
#include <cstring>
#include <map>
#include <type_traits>

namespace fake {
namespace {

float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// IEEE half precision, as stored.
struct Half {
    uint16_t bits;

    float widen() const {
        const int exponent = (bits >> 10) & 31;
        const int mantissa = bits & 1023;
        if (exponent == 31) {
            return float_of((bits & 0x8000u) << 16 | 0x7F800000u | static_cast<uint32_t>(mantissa) << 13);
        }
        const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                              : std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
        return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
    }

    static Half narrow(float value) {
        const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
        if (std::isnan(value)) {
            return {static_cast<uint16_t>(sign | 0x7E00)};
        }
        const float magnitude = std::fabs(value);
        // From half way between the largest number and the next power of two: infinity.
        if (magnitude >= 65520.0f) {
            return {static_cast<uint16_t>(sign | 0x7C00)};
        }
        int exponent = magnitude < 0x1p-14f ? -14 : std::ilogb(magnitude);
        // In units of the last place; the default rounding mode is to nearest even. A carry into
        // the next power of two is right, because the exponent is above the mantissa.
        const auto units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
        const int biased = (exponent + 14) * 1024 + units;
        return {static_cast<uint16_t>(sign | biased)};
    }
};

// The upper half of a single-precision number, as stored.
struct BFloat16 {
    uint16_t bits;

    float widen() const { return float_of(static_cast<uint32_t>(bits) << 16); }

    static BFloat16 narrow(float value) {
        const uint32_t full = bits_of(value);
        if (std::isnan(value)) {
            return {static_cast<uint16_t>((full >> 16) | 0x40)};
        }
        return {static_cast<uint16_t>((full + 0x7FFF + ((full >> 16) & 1)) >> 16)};
    }
};

struct Single {
    float value;

    float widen() const { return value; }
    static Single narrow(float value) { return {value}; }
};

struct Sum {
    template <typename T>
    T operator()(T a, T b) const {
        if constexpr (std::is_integral_v<T>) {
            using Unsigned = std::make_unsigned_t<T>;
            return static_cast<T>(
                static_cast<Unsigned>(static_cast<uint32_t>(static_cast<Unsigned>(a)) + static_cast<Unsigned>(b)));
        } else {
            return T::narrow(a.widen() + b.widen());
        }
    }
};

// Whether `a` is the maximum of the two.
template <typename T>
bool is_larger(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return a > b;
    } else {
        const float x = a.widen();
        const float y = b.widen();
        return x > y || (x == y && !std::signbit(x));
    }
}

template <typename T>
bool is_nan(T a) {
    if constexpr (std::is_integral_v<T>) {
        return false;
    } else {
        return std::isnan(a.widen());
    }
}

struct Max {
    template <typename T>
    T operator()(T a, T b) const {
        if (is_nan(a)) return b;
        if (is_nan(b)) return a;
        return is_larger(a, b) ? a : b;
    }
};

struct Min {
    template <typename T>
    T operator()(T a, T b) const {
        if (is_nan(a)) return b;
        if (is_nan(b)) return a;
        return is_larger(a, b) ? b : a;
    }
};

template <typename Op, typename T>
void run(void* dst, const void* src, uint64_t count, uint64_t threads) {
    auto* const accumulator = static_cast<T*>(dst);
    const auto* const operand = static_cast<const T*>(src);
    for (uint64_t thread = 0; thread < threads && thread < count; ++thread) {
        for (uint64_t i = thread; i < count; i += threads) {
            accumulator[i] = Op{}(accumulator[i], operand[i]);
        }
    }
}

using Table = std::map<std::string, Reduction>;

template <typename Op>
void add(Table& table, const std::string& op) {
    const std::string prefix = "portacl_reduce_" + op + "_";
    table[prefix + "i8"] = {run<Op, int8_t>, 1};
    table[prefix + "i16"] = {run<Op, int16_t>, 2};
    table[prefix + "i32"] = {run<Op, int32_t>, 4};
    table[prefix + "f16"] = {run<Op, Half>, 2};
    table[prefix + "bf16"] = {run<Op, BFloat16>, 2};
    table[prefix + "f32"] = {run<Op, Single>, 4};
}

}  // namespace

Reduction find_reduction(const std::string& name) {
    static const Table* const table = [] {
        auto* fresh = new Table;
        add<Sum>(*fresh, "sum");
        add<Max>(*fresh, "max");
        add<Min>(*fresh, "min");
        return fresh;
    }();
    const auto found = table->find(name);
    return found == table->end() ? Reduction{} : found->second;
}

}  // namespace fake

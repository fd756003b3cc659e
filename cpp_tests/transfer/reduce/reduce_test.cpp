// aclrtReduceAsync against a scalar reference.

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr auto kSum = ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM;
constexpr auto kMax = ACL_RT_MEMCPY_SDMA_AUTOMATIC_MAX;
constexpr auto kMin = ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN;
constexpr std::array<aclrtReduceKind, 3> kKinds{kSum, kMax, kMin};

const char* Name(aclrtReduceKind kind) {
    return kind == kSum ? "sum" : kind == kMax ? "max" : "min";
}

// A binary floating-point format: bits of fraction, and of exponent.
struct Format {
    int fraction;
    int exponent;

    int Bias() const { return (1 << (exponent - 1)) - 1; }
    uint32_t ExponentMask() const { return (1u << exponent) - 1; }

    double Decode(uint32_t bits) const {
        const uint32_t mantissa = bits & ((1u << fraction) - 1);
        const uint32_t scale = (bits >> fraction) & ExponentMask();
        const double sign = (bits >> (fraction + exponent)) & 1 ? -1.0 : 1.0;
        if (scale == ExponentMask())
            return mantissa ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
        if (scale == 0) return sign * std::ldexp(mantissa, 1 - Bias() - fraction);
        return sign * std::ldexp(mantissa + (1u << fraction), int(scale) - Bias() - fraction);
    }

    // To the nearest, ties to even; too large becomes infinite.
    uint32_t Encode(double value) const {
        const uint32_t sign = (std::signbit(value) ? 1u : 0u) << (fraction + exponent);
        const uint32_t infinity = ExponentMask() << fraction;
        if (std::isnan(value)) return infinity | (1u << (fraction - 1));
        const double size = std::fabs(value);
        if (std::isinf(size)) return sign | infinity;
        if (size == 0) return sign;
        const int power = std::max(std::ilogb(size), 1 - Bias());
        // In units of the last place. It is exact, because it only changes the exponent.
        const double units = std::nearbyint(std::ldexp(size, fraction - power));
        // A subnormal number has no leading one, and its exponent field is one lower than the
        // exponent says; a carry out of the fraction moves into the exponent by itself.
        const auto field = static_cast<uint32_t>(power + Bias() - 1);
        const uint64_t bits = (uint64_t(field) << fraction) + static_cast<uint64_t>(units);
        return sign | (bits >= infinity ? infinity : static_cast<uint32_t>(bits));
    }
};

constexpr Format kHalf{10, 5}, kBrain{7, 8}, kSingle{23, 8};

// The reference: integers wrap, floating point rounds once, a number is preferred to a NaN, +0 is
// greater than -0.
template <typename T>
T ReduceInteger(aclrtReduceKind kind, T a, T b) {
    using Unsigned = std::make_unsigned_t<T>;
    if (kind == kSum) return static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
    return kind == kMax ? std::max(a, b) : std::min(a, b);
}

uint32_t ReduceFloat(const Format& format, aclrtReduceKind kind, uint32_t a, uint32_t b) {
    const double x = format.Decode(a), y = format.Decode(b);
    // Encode rounds the sum in double a second time; with more than twice the bits that is
    // harmless.
    if (kind == kSum) return format.Encode(x + y);
    if (std::isnan(x)) return b;
    if (std::isnan(y)) return a;
    if (x == y) {
        const bool first = std::signbit(x) == (kind == kMin);
        return first ? a : b;
    }
    return (x < y) == (kind == kMin) ? a : b;
}

// One element type: how it is reduced, and which bit patterns count as equal.
template <typename Bits>
struct ElementType {
    aclDataType type;
    const char* name;
    std::function<Bits(aclrtReduceKind, Bits, Bits)> reduce;
    std::function<bool(Bits)> is_nan;
    std::vector<Bits> special;
};

template <typename T>
ElementType<T> Integer(aclDataType type, const char* name) {
    using Limits = std::numeric_limits<T>;
    return {type,
            name,
            ReduceInteger<T>,
            [](T) { return false; },
            {0, 1, -1, 2, -2, 85, -86, Limits::max(), T(Limits::max() - 1), Limits::min(), T(Limits::min() + 1),
             T(Limits::max() / 2), T(Limits::max() / 2 + 1)}};
}

template <typename Bits>
ElementType<Bits> Floating(aclDataType type, const char* name, const Format& format) {
    const uint32_t one = uint32_t(format.Bias()) << format.fraction;
    const uint32_t infinity = format.ExponentMask() << format.fraction;
    const uint32_t step = 1u << format.fraction;
    std::vector<Bits> special;
    const uint32_t sizes[] = {
        0,  // zero
        1,  // least subnormal
        2,
        step - 1,  // greatest subnormal
        step,      // least normal
        step + 1,
        one,      // 1
        one + 1,  // 1 and an ulp
        one - 1,  // the number below 1
        one + 2,
        one + 3,
        one - uint32_t(format.fraction + 1) * step,      // half an ulp of 1: a tie
        one - uint32_t(format.fraction + 1) * step + 1,  // a little more
        one - uint32_t(format.fraction) * step,          // an ulp of 1
        one + step / 2,                                  // 1.5
        one + uint32_t(format.fraction + 1) * step,      // from here 1 is half an ulp
        one + uint32_t(format.fraction + 1) * step + 1,
        infinity - 1,  // greatest
        infinity - 2,
        infinity - uint32_t(format.fraction + 2) * step,  // greatest plus this is a tie or just below
        infinity - uint32_t(format.fraction + 1) * step,
        infinity,
        infinity + step / 2,  // quiet NaN
        infinity + step / 2 + 1,
        infinity + 1,  // signalling NaN
    };
    const uint32_t sign = 1u << (format.fraction + format.exponent);
    for (uint32_t size : sizes) {
        special.push_back(static_cast<Bits>(size));
        special.push_back(static_cast<Bits>(size | sign));
    }
    return {
        type, name,
        [format](aclrtReduceKind kind, Bits a, Bits b) { return static_cast<Bits>(ReduceFloat(format, kind, a, b)); },
        [format](Bits bits) { return std::isnan(format.Decode(bits)); }, special};
}

class Reduce : public WithDevice {
  protected:
    // dst op= src on the device.
    template <typename Bits>
    static std::vector<Bits> OnDevice(const ElementType<Bits>& type, aclrtReduceKind kind, const std::vector<Bits>& a,
                                      const std::vector<Bits>& b) {
        DeviceMemory dst(a), src(b);
        Stream stream;
        ACL_EXPECT_OK(aclrtReduceAsync(dst.At(), src.At(), a.size() * sizeof(Bits), kind, type.type, stream, nullptr));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(src.Download<Bits>(), b) << "the source was changed";
        return dst.Download<Bits>();
    }

    template <typename Bits>
    static void Compare(const ElementType<Bits>& type, const std::vector<Bits>& a, const std::vector<Bits>& b) {
        for (aclrtReduceKind kind : kKinds) {
            const std::vector<Bits> got = OnDevice(type, kind, a, b);
            ASSERT_EQ(got.size(), a.size());
            size_t wrong = 0;
            for (size_t i = 0; i < a.size(); ++i) {
                const Bits wanted = type.reduce(kind, a[i], b[i]);
                // The resulting NaN is unspecified.
                if (got[i] == wanted || (type.is_nan(got[i]) && type.is_nan(wanted))) continue;
                if (++wrong <= 5)
                    ADD_FAILURE() << std::hex << type.name << ' ' << Name(kind) << " of 0x" << +a[i] << " and 0x"
                                  << +b[i] << " is 0x" << +got[i] << ", expected 0x" << +wanted << std::dec
                                  << " (element " << i << ")";
            }
            EXPECT_EQ(wrong, 0u) << "of " << a.size() << " elements";
        }
    }

    template <typename Bits>
    static void SpecialPairs(const ElementType<Bits>& type) {
        std::vector<Bits> a, b;
        for (Bits x : type.special)
            for (Bits y : type.special) {
                a.push_back(x);
                b.push_back(y);
            }
        Compare(type, a, b);
    }

    template <typename Bits>
    static std::vector<Bits> Random(size_t count, uint32_t seed) {
        std::mt19937 random(seed);
        std::vector<Bits> bits(count);
        for (Bits& one : bits) one = static_cast<Bits>(random());
        return bits;
    }

    // All lengths near the boundaries of a vector loop.
    template <typename Bits>
    static void RandomPairs(const ElementType<Bits>& type) {
        for (size_t count : {1, 2, 3, 7, 15, 16, 17, 31, 33, 63, 65, 127, 1000, 4099, 300007}) {
            SCOPED_TRACE(count);
            Compare(type, Random<Bits>(count, 1), Random<Bits>(count, 2));
        }
    }
};

TEST_F(Reduce, Int8EveryPair) {
    std::vector<int8_t> a(65536), b(65536);
    for (int i = 0; i < 65536; ++i) {
        a[i] = static_cast<int8_t>(i >> 8);
        b[i] = static_cast<int8_t>(i);
    }
    Compare(Integer<int8_t>(ACL_INT8, "int8"), a, b);
}

TEST_F(Reduce, Int8) {
    RandomPairs(Integer<int8_t>(ACL_INT8, "int8"));
}

TEST_F(Reduce, Int16) {
    const auto type = Integer<int16_t>(ACL_INT16, "int16");
    SpecialPairs(type);
    RandomPairs(type);
}

TEST_F(Reduce, Int32) {
    const auto type = Integer<int32_t>(ACL_INT32, "int32");
    SpecialPairs(type);
    RandomPairs(type);
}

TEST_F(Reduce, Float16) {
    const auto type = Floating<uint16_t>(ACL_FLOAT16, "float16", kHalf);
    SpecialPairs(type);
    RandomPairs(type);
}

TEST_F(Reduce, BFloat16) {
    const auto type = Floating<uint16_t>(ACL_BF16, "bfloat16", kBrain);
    SpecialPairs(type);
    RandomPairs(type);
}

TEST_F(Reduce, Float32) {
    const auto type = Floating<uint32_t>(ACL_FLOAT, "float32", kSingle);
    SpecialPairs(type);
    RandomPairs(type);
}

// The reference itself, against the compiler's arithmetic and against known bits.
TEST(ReduceReference, IsRight) {
    std::mt19937 random(5);
    for (int i = 0; i < 100000; ++i) {
        const uint32_t a = random(), b = random();
        float x, y;
        std::memcpy(&x, &a, 4);
        std::memcpy(&y, &b, 4);
        const volatile float sum = x + y;
        const float copy = sum;
        uint32_t bits;
        std::memcpy(&bits, &copy, 4);
        if (std::isnan(copy)) continue;
        ASSERT_EQ(ReduceFloat(kSingle, kSum, a, b), bits) << x << " + " << y;
    }
    EXPECT_EQ(kHalf.Encode(1.0), 0x3C00u);
    EXPECT_EQ(kHalf.Encode(65504.0), 0x7BFFu);
    EXPECT_EQ(kHalf.Encode(65519.0), 0x7BFFu);
    EXPECT_EQ(kHalf.Encode(65520.0), 0x7C00u);
    EXPECT_EQ(kHalf.Encode(std::ldexp(1.0, -24)), 0x0001u);
    EXPECT_EQ(kHalf.Encode(std::ldexp(1.0, -25)), 0x0000u);
    EXPECT_EQ(kHalf.Encode(std::ldexp(1.5, -25)), 0x0001u);
    EXPECT_EQ(kHalf.Encode(1.0 + std::ldexp(1.0, -11)), 0x3C00u);
    EXPECT_EQ(kHalf.Encode(1.0 + std::ldexp(3.0, -11)), 0x3C02u);
    EXPECT_EQ(kBrain.Encode(1.0), 0x3F80u);
    EXPECT_EQ(kBrain.Encode(-0.0), 0x8000u);
    EXPECT_EQ(kBrain.Decode(0x4049), 3.140625);
}

// Rounding ties and overflow, as explicit values.
TEST_F(Reduce, Float16RoundsToEvenAndOverflowsToInfinity) {
    const auto type = Floating<uint16_t>(ACL_FLOAT16, "float16", kHalf);
    //                                1      1+ulp   2048   65504   65504   -65504  1024
    const std::vector<uint16_t> a{0x3C00, 0x3C01, 0x6800, 0x7BFF, 0x7BFF, 0xFBFF, 0x6400};
    //                             ulp/2   ulp/2   1      16      15.99   -16     -1024
    const std::vector<uint16_t> b{0x1000, 0x1000, 0x3C00, 0x4C00, 0x4BFF, 0xCC00, 0xE400};
    const std::vector<uint16_t> sum{0x3C00, 0x3C02, 0x6800, 0x7C00, 0x7BFF, 0xFC00, 0x0000};
    EXPECT_EQ(OnDevice(type, kSum, a, b), sum);
}

TEST_F(Reduce, InfinitiesNaNsAndZeros) {
    const auto type = Floating<uint32_t>(ACL_FLOAT, "float32", kSingle);
    constexpr uint32_t inf = 0x7F800000, minus = 0x80000000, nan = 0x7FC00000, one = 0x3F800000;
    const std::vector<uint32_t> a{inf, inf, inf | minus, 0, minus, minus, nan, one, nan};
    const std::vector<uint32_t> b{inf, one, inf, minus, 0, minus, one, nan, nan};
    const std::vector<uint32_t> max{inf, inf, inf, 0, 0, minus, one, one};
    const std::vector<uint32_t> min{inf, one, inf | minus, minus, minus, minus, one, one};
    const std::vector<uint32_t> sum{inf, inf, nan, 0, 0, minus, nan, nan, nan};
    auto got = OnDevice(type, kMax, a, b);
    EXPECT_TRUE(type.is_nan(got.back()));
    EXPECT_EQ(std::vector<uint32_t>(got.begin(), got.end() - 1), max);
    got = OnDevice(type, kMin, a, b);
    EXPECT_TRUE(type.is_nan(got.back()));
    EXPECT_EQ(std::vector<uint32_t>(got.begin(), got.end() - 1), min);
    got = OnDevice(type, kSum, a, b);
    for (size_t i = 0; i < sum.size(); ++i) {
        if (type.is_nan(sum[i]))
            EXPECT_TRUE(type.is_nan(got[i])) << i;
        else
            EXPECT_EQ(got[i], sum[i]) << i;
    }
}

// Operands at every valid alignment, which end before the allocation does.
TEST_F(Reduce, OperandsAtOffsetsInAllocations) {
    constexpr size_t kCount = 1000;
    const std::vector<int16_t> a(kCount, 1000), b(kCount, 7);
    for (size_t first : {0, 1, 3, 8, 21}) {
        for (size_t source : {0, 1, 5}) {
            DeviceMemory dst(a), src(b);
            const size_t count = kCount - 50;
            ACL_OK(
                aclrtReduceAsync(dst.At(2 * first), src.At(2 * source), 2 * count, kSum, ACL_INT16, nullptr, nullptr));
            ACL_OK(aclrtSynchronizeStream(nullptr));
            std::vector<int16_t> wanted = a;
            for (size_t i = first; i < first + count; ++i) wanted[i] = 1007;
            EXPECT_EQ(dst.Download<int16_t>(), wanted) << first << ' ' << source;
        }
    }
}

TEST_F(Reduce, IsInStreamOrder) {
    Stream stream;
    constexpr size_t kCount = 5000;
    DeviceMemory sum(std::vector<int32_t>(kCount, 0)), one(std::vector<int32_t>(kCount, 1));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    for (int i = 0; i < 100; ++i)
        ACL_OK(aclrtReduceAsync(sum.At(), one.At(), 4 * kCount, kSum, ACL_INT32, stream, nullptr));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(sum.Download<int32_t>(), std::vector<int32_t>(kCount, 100));
}

// A GPU's driver may wait for all work when a kernel is loaded.
TEST_F(Reduce, TheFirstOneDoesNotWaitForABlockedStream) {
    NEEDS_QUEUES(2);
    Stream held, stream;
    const DeviceMemory sum(std::vector<int32_t>{1}), one(std::vector<int32_t>{2});
    Gate gate;
    ACL_OK(gate.Hold(held));
    ACL_OK(aclrtReduceAsync(sum.At(), one.At(), 4, kSum, ACL_INT32, stream, nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    gate.Open();
    EXPECT_EQ(sum.Download<int32_t>(), std::vector<int32_t>{3});
}

TEST_F(Reduce, LargeOperands) {
    constexpr size_t kCount = (16 << 20) / sizeof(float) + 3;
    std::vector<float> a(kCount), b(kCount), wanted(kCount);
    for (size_t i = 0; i < kCount; ++i) {
        a[i] = static_cast<float>(i);
        b[i] = 0.25f * static_cast<float>(i % 1001);
        wanted[i] = a[i] + b[i];
    }
    DeviceMemory dst(a), src(b);
    ACL_OK(aclrtReduceAsync(dst.At(), src.At(), 4 * kCount, kSum, ACL_FLOAT, nullptr, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_TRUE(dst.Download<float>() == wanted);
}

TEST_F(Reduce, AfterFinalize) {
    void* device = nullptr;
    ACL_OK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtReduceAsync(device, device, 64, kSum, ACL_INT8, nullptr, nullptr));
    ACL_OK(aclInit(nullptr));
}

}  // namespace

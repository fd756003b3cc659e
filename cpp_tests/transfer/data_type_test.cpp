// Data types: sizes, and conversions between half and single precision.
#include "support/acl_test.h"

#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

using namespace portacl_test;

namespace {

// The value of a half, computed from its bits without a conversion instruction.
double Meaning(uint16_t half) {
    const int exponent = half >> 10 & 31;
    const double fraction = (half & 1023) / 1024.0;
    double magnitude = 0;
    if (exponent == 31)
        magnitude = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    else if (exponent == 0)
        magnitude = std::ldexp(fraction, -14);
    else
        magnitude = std::ldexp(1 + fraction, exponent - 15);
    return half & 0x8000 ? -magnitude : magnitude;
}

bool IsNan(uint16_t half) {
    return (half & 0x7fff) > 0x7c00;
}

}  // namespace

TEST(DataTypeSize, OfEveryType) {
    const std::vector<std::pair<size_t, std::vector<aclDataType>>> sizes = {
        {1, {ACL_INT8, ACL_UINT8, ACL_BOOL, ACL_HIFLOAT8, ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E8M0}},
        {2, {ACL_FLOAT16, ACL_INT16, ACL_UINT16, ACL_BF16}},
        {4, {ACL_FLOAT, ACL_INT32, ACL_UINT32, ACL_COMPLEX32}},
        {8, {ACL_INT64, ACL_UINT64, ACL_DOUBLE, ACL_COMPLEX64}},
        {16, {ACL_COMPLEX128}},
        {0,
         {ACL_DT_UNDEFINED, ACL_STRING, ACL_INT4, ACL_UINT1, ACL_FLOAT6_E3M2, ACL_FLOAT6_E2M3, ACL_FLOAT4_E2M1,
          ACL_FLOAT4_E1M2}},
    };
    for (const auto& [size, types] : sizes)
        for (const aclDataType type : types) EXPECT_EQ(aclDataTypeSize(type), size) << type;
}

TEST(DataTypeSize, OfAnInvalidTypeIsZero) {
    aclGetRecentErrMsg();
    for (const int type : {-2, 5, 14, 15, 18, 26, 28, 31, 32, 42, 1000, INT_MIN, INT_MAX})
        EXPECT_EQ(aclDataTypeSize(static_cast<aclDataType>(type)), 0u) << type;
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST(Float16, EveryHalfWidensExactly) {
    for (uint32_t bits = 0; bits <= UINT16_MAX; ++bits) {
        const auto half = static_cast<uint16_t>(bits);
        const float wide = aclFloat16ToFloat(half);
        if (IsNan(half)) {
            ASSERT_TRUE(std::isnan(wide)) << bits;
        } else {
            ASSERT_EQ(static_cast<double>(wide), Meaning(half)) << bits;
            ASSERT_EQ(std::signbit(wide), (half & 0x8000) != 0) << bits;
        }
    }
}

TEST(Float16, EveryHalfRoundTrips) {
    for (uint32_t bits = 0; bits <= UINT16_MAX; ++bits) {
        const auto half = static_cast<uint16_t>(bits);
        const uint16_t back = aclFloatToFloat16(aclFloat16ToFloat(half));
        if (IsNan(half))
            ASSERT_TRUE(IsNan(back)) << bits;
        else
            ASSERT_EQ(back, half) << bits;
    }
}

// A value half way between two neighbours rounds to the even one, any other to the nearer one.
TEST(Float16, EveryMiddleRoundsToEven) {
    for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
        const double below = Meaning(static_cast<uint16_t>(bits));
        // One past the largest half: the next value if the exponent were unlimited.
        const double above = bits == 0x7bff ? 65536.0 : Meaning(static_cast<uint16_t>(bits + 1));
        const auto middle = static_cast<float>((below + above) / 2);
        ASSERT_EQ(static_cast<double>(middle), (below + above) / 2) << bits;
        const float infinity = std::numeric_limits<float>::infinity();
        const uint32_t even = bits + (bits & 1);
        ASSERT_EQ(aclFloatToFloat16(middle), even) << bits;
        ASSERT_EQ(aclFloatToFloat16(std::nextafter(middle, 0.0f)), bits) << bits;
        ASSERT_EQ(aclFloatToFloat16(std::nextafter(middle, infinity)), bits + 1) << bits;
        ASSERT_EQ(aclFloatToFloat16(-middle), even | 0x8000) << bits;
    }
}

TEST(Float16, EndsOfTheRange) {
    EXPECT_EQ(aclFloatToFloat16(0.0f), 0x0000);
    EXPECT_EQ(aclFloatToFloat16(-0.0f), 0x8000);
    EXPECT_EQ(aclFloatToFloat16(1.0f), 0x3c00);
    EXPECT_EQ(aclFloatToFloat16(65504.0f), 0x7bff);
    EXPECT_EQ(aclFloatToFloat16(65520.0f), 0x7c00);
    EXPECT_EQ(aclFloatToFloat16(std::numeric_limits<float>::max()), 0x7c00);
    EXPECT_EQ(aclFloatToFloat16(-std::numeric_limits<float>::max()), 0xfc00);
    EXPECT_EQ(aclFloatToFloat16(std::numeric_limits<float>::infinity()), 0x7c00);
    EXPECT_EQ(aclFloatToFloat16(-std::numeric_limits<float>::infinity()), 0xfc00);
    EXPECT_EQ(aclFloatToFloat16(std::numeric_limits<float>::denorm_min()), 0x0000);
    EXPECT_EQ(aclFloatToFloat16(-std::numeric_limits<float>::min()), 0x8000);
    EXPECT_TRUE(IsNan(aclFloatToFloat16(std::numeric_limits<float>::quiet_NaN())));
    EXPECT_TRUE(IsNan(aclFloatToFloat16(-std::numeric_limits<float>::quiet_NaN())));
}

TEST(Float16, WorksAfterFinalizeAndSetsNoText) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
    aclGetRecentErrMsg();
    EXPECT_EQ(aclFloat16ToFloat(aclFloatToFloat16(-2.5f)), -2.5f);
    EXPECT_EQ(aclDataTypeSize(ACL_FLOAT), 4u);
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

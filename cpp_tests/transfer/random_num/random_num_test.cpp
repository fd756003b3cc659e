// aclrtRandomNumAsync: the numbers it generates. The generator is implemented here independently,
// and the distributions are computed in double precision.

#include "support/transfer/random_num.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "support/memory/managed_memory.h"
#include "transfer/random_num/random_num_reference.h"

using namespace portacl_test;

namespace {

// The words from which a call with this seed and counter 0 computes its numbers.
std::vector<uint32_t> WordsOf(uint64_t seed, size_t count) {
    std::vector<uint32_t> words;
    for (uint32_t block = 0; words.size() < count; ++block) {
        for (const uint32_t word : Philox(seed, {block, 0, 0, 0})) words.push_back(word);
    }
    words.resize(count);
    return words;
}

Bytes Mask(float ratio, size_t count, uint64_t seed = kSeed) {
    return Make<unsigned char>(RandomNumbers(kDropout, ACL_FLOAT, ratio, 0.0f, nullptr, count, seed), (count + 7) / 8);
}

bool Bit(const Bytes& mask, size_t index) {
    return (mask[index / 8] >> index % 8 & 1) != 0;
}

double Tail(double z) {
    return std::erfc(z / std::sqrt(2.0)) / 2;
}

// The quantile of the normal distribution at this probability, by bisection.
double Quantile(double probability) {
    double low = -1, high = 40;
    for (int i = 0; i < 100; ++i) {
        const double middle = (low + high) / 2;
        (Tail(middle) > probability ? low : high) = middle;
    }
    return low;
}

double NormalOf(uint32_t word, bool truncated) {
    double probability = ((word & 0x7FFFFFFF) + 0.5) / 4294967296.0;
    if (truncated) probability = Tail(2) + (1 - 2 * Tail(2)) * probability;
    return (word >> 31 != 0 ? -1 : 1) * Quantile(probability);
}

float FromBrain(uint16_t bits) {
    const uint32_t wide = uint32_t{bits} << 16;
    float value;
    std::memcpy(&value, &wide, sizeof value);
    return value;
}

float FromHalf(uint16_t bits) {
    return aclFloat16ToFloat(bits);
}

uint16_t ToBrain(float value) {
    uint32_t wide;
    std::memcpy(&wide, &value, sizeof wide);
    return static_cast<uint16_t>(wide >> 16);
}

double Mean(const std::vector<float>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

// The mean of a power of the distance from `mean`.
double Moment(const std::vector<float>& numbers, double mean, int power) {
    double sum = 0;
    for (const float number : numbers) sum += std::pow(number - mean, power);
    return sum / static_cast<double>(numbers.size());
}

// The Kolmogorov-Smirnov statistic times the root of the sample size: above 1.95 for 0.1% of seeds.
double Distance(std::vector<float> numbers, const std::function<double(double)>& below) {
    std::sort(numbers.begin(), numbers.end());
    const auto count = static_cast<double>(numbers.size());
    double largest = 0;
    for (size_t i = 0; i < numbers.size(); ++i) {
        const double wanted = below(numbers[i]);
        largest =
            std::max({largest, wanted - static_cast<double>(i) / count, static_cast<double>(i + 1) / count - wanted});
    }
    return largest * std::sqrt(count);
}

}  // namespace

// The published test vectors of the generator's authors.
TEST(RandomNumReference, IsPhilox) {
    constexpr uint32_t kAll = 0xFFFFFFFF;
    EXPECT_EQ(Philox(0, {}), (PhiloxBlock{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
    EXPECT_EQ(Philox(~uint64_t{0}, {kAll, kAll, kAll, kAll}),
              (PhiloxBlock{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
    EXPECT_EQ(Philox(0x299F31D0A4093822, {0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}),
              (PhiloxBlock{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

TEST_F(RandomNum, UniformNumbersAreTheUpperBitsOfTheWords) {
    const auto words = WordsOf(kSeed, kCount);
    const auto unit = Floats(kUniform, 0, 1), wide = Floats(kUniform, -3, 5);
    for (size_t i = 0; i < kCount; ++i) {
        const double wanted = (words[i] >> 8) / 16777216.0;
        ASSERT_EQ(unit[i], static_cast<float>(wanted)) << i;
        ASSERT_NEAR(wide[i], -3 + 8 * wanted, 1e-6) << i;
    }
}

TEST_F(RandomNum, NormalNumbersAreQuantilesOfTheWords) {
    const auto words = WordsOf(kSeed, kCount);
    const auto standard = Floats(kNormal, 0, 1), moved = Floats(kNormal, 10, 0.25);
    const auto truncated = Floats(kTruncated, 0, 1);
    for (size_t i = 0; i < kCount; ++i) {
        const double wanted = NormalOf(words[i], false);
        ASSERT_NEAR(standard[i], wanted, 3e-6 * (1 + std::fabs(wanted))) << i;
        ASSERT_NEAR(moved[i], 10 + 0.25 * wanted, 2e-6) << i;
        ASSERT_NEAR(truncated[i], NormalOf(words[i], true), 1e-5) << i;
    }
}

TEST_F(RandomNum, DropoutClearsBitsOfLowWords) {
    const auto words = WordsOf(kSeed, kCount);
    for (const float ratio : {0.1f, 0.5f, 0.75f}) {
        const Bytes mask = Mask(ratio, kCount);
        const double below = double{ratio} * 4294967296.0;
        for (size_t i = 0; i < kCount; ++i) ASSERT_EQ(Bit(mask, i), words[i] >= below) << i;
        for (size_t i = kCount; i < 8 * mask.size(); ++i) EXPECT_FALSE(Bit(mask, i));
    }
    EXPECT_EQ(Mask(0, 64), Bytes(8, 0xFF));
    EXPECT_EQ(Mask(1, 64), Bytes(8, 0));
    EXPECT_EQ(Mask(0, 3), Bytes(1, 7));
}

TEST_F(RandomNum, IntegersAreSharesOfTheirRange) {
    __extension__ using Wide = unsigned __int128;
    const auto words = WordsOf(kSeed, 4 * kCount);
    const auto pair = [&](size_t i) { return uint64_t{words[i + 1]} << 32 | words[i]; };
    const auto i32 = Make<int32_t>(
        RandomNumbers(kUniform, ACL_INT32, int32_t{-7}, int32_t{1000}, nullptr, kCount, kSeed), 4 * kCount);
    const auto u32 = Make<uint32_t>(
        RandomNumbers(kUniform, ACL_UINT32, uint32_t{5}, uint32_t{0xFFFFFFFF}, nullptr, kCount, kSeed), 4 * kCount);
    constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
    constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
    const auto i64 = Make<int64_t>(RandomNumbers(kUniform, ACL_INT64, kLow, kHigh, nullptr, kCount, kSeed), 8 * kCount);
    const auto u64 = Make<uint64_t>(
        RandomNumbers(kUniform, ACL_UINT64, uint64_t{3}, uint64_t{13}, nullptr, kCount, kSeed), 8 * kCount);
    const auto share = [](uint64_t low, uint64_t high, uint64_t range) {
        return static_cast<uint64_t>((Wide{high} * range + (Wide{low} * range >> 64)) >> 64);
    };
    for (size_t i = 0; i < kCount; ++i) {
        ASSERT_EQ(i32[i], -7 + static_cast<int32_t>(Wide{pair(2 * i)} * 1007 >> 64)) << i;
        ASSERT_EQ(u32[i], 5 + static_cast<uint32_t>(Wide{pair(2 * i)} * 0xFFFFFFFA >> 64)) << i;
        const uint64_t low = pair(4 * i), high = pair(4 * i + 2);
        ASSERT_EQ(static_cast<uint64_t>(i64[i]), static_cast<uint64_t>(kLow) + share(low, high, ~uint64_t{0})) << i;
        ASSERT_EQ(u64[i], 3 + share(low, high, 10)) << i;
    }
}

// They equal the single-precision numbers, rounded.
TEST_F(RandomNum, SixteenBitFloatsAreRounded) {
    for (const auto function : {kUniform, kNormal, kTruncated}) {
        const auto wide = Floats(function, 0, 1);
        const auto half = Make<uint16_t>(
            RandomNumbers(function, ACL_FLOAT16, aclFloatToFloat16(0), aclFloatToFloat16(1), nullptr, kCount, kSeed),
            2 * kCount);
        const auto brain = Make<uint16_t>(
            RandomNumbers(function, ACL_BF16, ToBrain(0), ToBrain(1), nullptr, kCount, kSeed), 2 * kCount);
        for (size_t i = 0; i < kCount; ++i) {
            SCOPED_TRACE(std::to_string(function) + " " + std::to_string(wide[i]));
            const bool is_top = function == kUniform;
            // A number that rounds to the upper bound becomes the lower one.
            const float rounded = FromHalf(aclFloatToFloat16(wide[i]));
            ASSERT_EQ(FromHalf(half[i]), is_top && rounded == 1 ? 0 : rounded);
            const float got = FromBrain(brain[i]);
            if (is_top && wide[i] >= 1 - 0x1p-9f) {
                ASSERT_EQ(got, 0);
            } else {
                ASSERT_NEAR(got, wide[i], std::fabs(wide[i]) / 256 + 1e-30);
            }
        }
    }
    const auto ratio =
        Make<unsigned char>(RandomNumbers(kDropout, ACL_BF16, ToBrain(0.5), uint16_t{0}, nullptr, kCount, kSeed), 126);
    EXPECT_EQ(ratio, Mask(0.5, kCount));
    const auto of_half = Make<unsigned char>(
        RandomNumbers(kDropout, ACL_FLOAT16, aclFloatToFloat16(0.5), uint16_t{0}, nullptr, kCount, kSeed), 126);
    EXPECT_EQ(of_half, Mask(0.5, kCount));
}

// The same bits on every backend and machine: these are the values of the first one.
TEST_F(RandomNum, AreTheSameEverywhere) {
    const auto sum = [](const std::vector<float>& numbers) {
        uint64_t hash = 0xCBF29CE484222325;
        for (const float number : numbers) {
            uint32_t bits;
            std::memcpy(&bits, &number, sizeof bits);
            hash = (hash ^ bits) * 0x100000001B3;
        }
        return hash;
    };
    constexpr size_t kMany = 20011;
    EXPECT_EQ(sum(Floats(kUniform, -1.5, 2.25, kMany)), 18041647024798366381u);
    EXPECT_EQ(sum(Floats(kNormal, 0.1f, 3, kMany)), 4757665784498965763u);
    EXPECT_EQ(sum(Floats(kTruncated, -7, 0.3f, kMany)), 4863494856015698985u);
}

TEST_F(RandomNum, StatisticsOfUniformNumbers) {
    constexpr size_t kMany = 1 << 16;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        const auto numbers = Floats(kUniform, -1, 3, kMany, seed);
        for (const float number : numbers) ASSERT_TRUE(number >= -1 && number < 3) << number;
        // Within five standard errors.
        EXPECT_NEAR(Mean(numbers), 1, 5 * 4 / std::sqrt(12.0 * kMany));
        EXPECT_NEAR(Moment(numbers, 1, 2), 4.0 / 3, 5 * 4.0 / 3 * std::sqrt(0.8 / kMany));
        EXPECT_LT(Distance(numbers, [](double x) { return (x + 1) / 4; }), 1.95);
    }
}

TEST_F(RandomNum, StatisticsOfNormalNumbers) {
    constexpr size_t kMany = 1 << 16;
    constexpr double kRoot = 256;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        const auto numbers = Floats(kNormal, 5, 2, kMany, seed);
        EXPECT_NEAR(Mean(numbers), 5, 5 * 2 / kRoot);
        EXPECT_NEAR(Moment(numbers, 5, 2), 4, 5 * 4 * std::sqrt(2.0) / kRoot);
        EXPECT_NEAR(Moment(numbers, 5, 3) / 8, 0, 5 * std::sqrt(15.0) / kRoot);
        EXPECT_NEAR(Moment(numbers, 5, 4) / 16, 3, 5 * std::sqrt(96.0) / kRoot);
        EXPECT_LT(Distance(numbers, [](double x) { return 1 - Tail((x - 5) / 2); }), 1.95);
        // Both tails, as far as that many numbers reach.
        for (const double z : {1.0, 2.0, 3.0}) {
            size_t above = 0, below = 0;
            for (const float number : numbers) {
                above += number > 5 + 2 * z;
                below += number < 5 - 2 * z;
            }
            const double wanted = Tail(z) * kMany;
            EXPECT_NEAR(static_cast<double>(above), wanted, 5 * std::sqrt(wanted)) << z;
            EXPECT_NEAR(static_cast<double>(below), wanted, 5 * std::sqrt(wanted)) << z;
        }
    }
}

TEST_F(RandomNum, StatisticsOfTruncatedNormalNumbers) {
    constexpr size_t kMany = 1 << 16;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        const auto numbers = Floats(kTruncated, 1, 0.5, kMany, seed);
        for (const float number : numbers) ASSERT_TRUE(number >= 0 && number <= 2) << number;
        const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
        EXPECT_LT(*least, 0.01);
        EXPECT_GT(*most, 1.99);
        // The variance of a distribution truncated at two standard deviations is 0.7737 of the full
        // one.
        EXPECT_NEAR(Mean(numbers), 1, 5 * 0.44 / 256);
        EXPECT_NEAR(Moment(numbers, 1, 2), 0.25 * 0.7737413, 0.004);
        const double inside = 1 - 2 * Tail(2);
        EXPECT_LT(Distance(numbers, [&](double x) { return (Tail(-2) - Tail((x - 1) * 2)) / inside; }), 1.95);
    }
}

TEST_F(RandomNum, DropoutRatios) {
    constexpr size_t kMany = 1 << 16;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        for (const float ratio : {0.01f, 0.3f, 0.5f, 0.9f}) {
            const Bytes mask = Mask(ratio, kMany, seed);
            size_t kept = 0, pairs = 0;
            for (size_t i = 0; i < kMany; ++i) {
                kept += Bit(mask, i);
                pairs += i != 0 && Bit(mask, i) && Bit(mask, i - 1);
            }
            const double keep = 1 - double{ratio};
            const double error = 5 * std::sqrt(keep * ratio * kMany);
            EXPECT_NEAR(static_cast<double>(kept), keep * kMany, error);
            // Neighbouring numbers are independent.
            EXPECT_NEAR(static_cast<double>(pairs), keep * keep * kMany, 3 * error);
        }
    }
}

// Many blocks, beginning inside a page; and results of concurrent threads.
TEST_F(RandomNum, LargeOutputsAreTheSame) {
    constexpr size_t kMany = (3 << 20) / 4 + 5;
    const auto word = [](size_t i) { return Philox(kSeed, {static_cast<uint32_t>(i / 4), 0, 0, 0})[i % 4]; };
    Stream stream;
    for (const size_t offset : {size_t{0}, size_t{4}, size_t{44}}) {
        DeviceMemory memory(std::vector<float>(kMany + 16));
        const auto task = RandomNumbers(kUniform, ACL_FLOAT, 0.0f, 1.0f, memory.At(offset), kMany, kSeed);
        ACL_OK(aclrtRandomNumAsync(&task, stream, nullptr));
        ACL_OK(aclrtSynchronizeStream(stream));
        const auto all = memory.Download<float>();
        for (size_t i = 0; i < kMany; i += i % 1024 < 16 ? 1 : 7) {
            const double wanted = (word(i) >> 8) / 16777216.0;
            ASSERT_EQ(all[offset / 4 + i], static_cast<float>(wanted)) << i;
        }
    }
    constexpr size_t kBits = 8 * ((1 << 20) + 3);
    const Bytes mask = Mask(0.5, kBits);
    for (size_t i = 0; i < kBits; i += i % 8192 < 16 ? 1 : 101) {
        ASSERT_EQ(Bit(mask, i), word(i) >> 31 != 0) << i;
    }
}

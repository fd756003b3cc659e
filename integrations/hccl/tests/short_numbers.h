// Numbers of 16 bits, for values that they hold without rounding.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace hccl {

struct Half {
    uint16_t bits = 0;

    Half() = default;
    explicit Half(float value) {
        int exponent = 0;
        const float fraction = std::frexp(value, &exponent);
        bits =
            static_cast<uint16_t>(value == 0 ? 0 : ((exponent + 14) << 10) + static_cast<int>(fraction * 2048) - 1024);
    }
    explicit operator float() const { return std::ldexp(static_cast<float>(bits % 1024 + 1024), bits / 1024 - 25); }
    bool operator==(const Half& other) const { return bits == other.bits; }
};

struct BFloat {
    uint16_t bits = 0;

    BFloat() = default;
    explicit BFloat(float value) {
        uint32_t whole = 0;
        std::memcpy(&whole, &value, sizeof whole);
        bits = static_cast<uint16_t>(whole >> 16);
    }
    explicit operator float() const {
        const uint32_t whole = static_cast<uint32_t>(bits) << 16;
        float value = 0;
        std::memcpy(&value, &whole, sizeof value);
        return value;
    }
    bool operator==(const BFloat& other) const { return bits == other.bits; }
};

}  // namespace hccl

// Kernels whose PTX was translated to C++ (ptx.py), and what their instructions mean.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "base/abi.h"

namespace fake {

struct Block;
struct Function;

// The special registers of a thread of the device.
struct Thread {
    std::array<uint32_t, 3> tid, ntid, ctaid, nctaid;
};

// The memory that a launch accesses, by device addresses.
class Accessor {
  public:
    explicit Accessor(const Function& function) : function_(function) {}
    ~Accessor();
    Accessor(const Accessor&) = delete;
    Accessor& operator=(const Accessor&) = delete;

    // Returns the host's address of `size` bytes, which an instruction accesses at once. Throws the failure of the
    // device.
    uint8_t* at(uint64_t address, uint64_t size) {
        for (const Range& range : latest_) {
            const uint64_t offset = address - range.address;
            if (offset < range.size && size <= range.size - offset && address % size == 0) return range.bytes + offset;
        }
        return find(address, size);
    }

    // Returns the device address of a variable of the kernel's module.
    uint64_t variable(const char* name) const;

  private:
    struct Range {
        uint64_t address = 0;
        uint64_t size = 0;
        uint8_t* bytes = nullptr;
    };

    uint8_t* find(uint64_t address, uint64_t size);

    const Function& function_;
    std::array<Range, 4> latest_;
    size_t next_ = 0;
    // Memory that was accessed is not freed during the launch.
    std::vector<std::shared_ptr<Block>> kept_;
};

// A kernel as its module declares it.
struct Entry {
    struct Parameter {
        size_t offset;
        size_t size;
    };
    std::vector<Parameter> parameters;
    unsigned most_threads = 1024;
    // Runs one thread; null if the text was not translated.
    void (*run)(const Thread& thread, const uint8_t* parameters, Accessor& memory) = nullptr;

    size_t size() const { return parameters.empty() ? 0 : parameters.back().offset + parameters.back().size; }
};

// A variable as its module declares it.
struct Variable {
    // The initial bytes; the rest is 0.
    std::vector<uint8_t> bytes;
    // The address in device memory, while the module is loaded.
    uint64_t address = 0;
};

// What a PTX text declares.
struct PtxProgram {
    // The version of the language, times ten.
    int version = 0;
    std::map<std::string, Entry> entries;
    std::map<std::string, Variable> variables;
};

// Returns the translated texts by their hashes.
const std::map<uint64_t, PtxProgram>& translated_programs();

// Returns the hash of a text, as ptx.py computes it.
uint64_t hash_of(const std::string& text);

// ---- instructions ----

template <typename To, typename From>
To bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

template <typename T>
T load(const uint8_t* from) {
    T value;
    memcpy(&value, from, sizeof value);
    return value;
}

template <typename T>
void store(uint8_t* to, T value) {
    memcpy(to, &value, sizeof value);
}

// Returns the only NaN that arithmetic yields for any NaN.
inline float canonical(float value) {
    return std::isnan(value) ? bits<float>(uint32_t{0x7FFFFFFF}) : value;
}

inline float maximum(float a, float b) {
    if (std::isnan(a)) return canonical(b);
    if (std::isnan(b)) return a;
    return a > b || (a == b && !std::signbit(a)) ? a : b;
}

inline float minimum(float a, float b) {
    if (std::isnan(a)) return canonical(b);
    if (std::isnan(b)) return a;
    return a < b || (a == b && std::signbit(a)) ? a : b;
}

// Shifts by the width and more shift everything out.
template <typename T>
T shl(T value, uint32_t by) {
    return by < 8 * sizeof(T) ? static_cast<T>(static_cast<uint64_t>(value) << by) : T{0};
}

template <typename T>
T shr(T value, uint32_t by) {
    const uint32_t most = 8 * sizeof(T) - 1;
    if (std::is_unsigned_v<T> && by > most) return 0;
    return static_cast<T>(value >> std::min(by, most));
}

// Returns a field of bits.
template <typename T>
T bfe(T value, uint32_t position, uint32_t length) {
    static_assert(std::is_unsigned_v<T>, "signed fields are not translated");
    position &= 255;
    length &= 255;
    const T field = shr<T>(value, position);
    return length < 8 * sizeof(T) ? static_cast<T>(field & ((T{1} << length) - 1)) : field;
}

// Returns `into` with `value` in a field.
template <typename T>
T bfi(T value, T into, uint32_t position, uint32_t length) {
    position &= 255;
    length &= 255;
    const T ones = length < 8 * sizeof(T) ? static_cast<T>((T{1} << length) - 1) : static_cast<T>(~T{0});
    const T mask = shl<T>(ones, position);
    return static_cast<T>((into & ~mask) | (shl<T>(value, position) & mask));
}

// Returns a word of which each byte is one of eight. The highest bit of a byte's number requests copies of its sign.
inline uint32_t prmt(uint32_t low, uint32_t high, uint32_t selectors) {
    const uint64_t all = uint64_t{high} << 32 | low;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const uint32_t selector = selectors >> 4 * i & 15;
        uint32_t byte = all >> 8 * (selector & 7) & 255;
        if ((selector & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
        result |= byte << 8 * i;
    }
    return result;
}

// Rounds toward zero. What does not fit becomes the nearest number that does.
inline uint64_t truncated(float value) {
    if (!(value > 0)) return 0;
    return value >= 0x1p64f ? UINT64_MAX : static_cast<uint64_t>(value);
}

// Converts IEEE half precision, as stored.
float single_of_half(uint16_t half);
uint16_t half_of_single(float value);

}  // namespace fake

// The generator of aclrtRandomNumAsync, implemented independently, and calls that return numbers.
#pragma once

#include "support/transfer/random_num.h"

#include <array>

#include "support/memory/managed_memory.h"

namespace portacl_test {

using RandomNum = WithDevice;
using Bytes = std::vector<unsigned char>;
using PhiloxBlock = std::array<uint32_t, 4>;

constexpr uint64_t kSeed = 0x123456789ABCDEF0;
// Not a multiple of the block size.
constexpr size_t kCount = 1001;

// Philox 4x32-10, by its definition.
inline PhiloxBlock Philox(uint64_t key, PhiloxBlock counter) {
    uint32_t keys[] = {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
    for (int round = 0; round < 10; ++round) {
        const uint64_t left = uint64_t{0xD2511F53} * counter[0];
        const uint64_t right = uint64_t{0xCD9E8D57} * counter[2];
        counter = {static_cast<uint32_t>(right >> 32) ^ counter[1] ^ keys[0], static_cast<uint32_t>(right),
                   static_cast<uint32_t>(left >> 32) ^ counter[3] ^ keys[1], static_cast<uint32_t>(left)};
        keys[0] += 0x9E3779B9;
        keys[1] += 0xBB67AE85;
    }
    return counter;
}

template <typename T>
std::vector<T> Make(aclrtRandomNumTaskInfo task, size_t bytes) {
    DeviceMemory memory(Bytes(bytes + 8, 0xEE));
    task.randomResultAddr = memory.At();
    ExpectOk("aclrtRandomNumAsync", aclrtRandomNumAsync(&task, nullptr, nullptr));
    ExpectOk("aclrtSynchronizeStream", aclrtSynchronizeStream(nullptr));
    const Bytes all = memory.Download();
    EXPECT_EQ(Bytes(all.begin() + static_cast<long>(bytes), all.end()), Bytes(8, 0xEE)) << "no more than was asked for";
    std::vector<T> numbers(bytes / sizeof(T));
    std::memcpy(numbers.data(), all.data(), bytes);
    return numbers;
}

inline std::vector<float> Floats(aclrtRandomNumFuncType function, float first, float second, size_t count = kCount,
                                 uint64_t seed = kSeed) {
    return Make<float>(RandomNumbers(function, ACL_FLOAT, first, second, nullptr, count, seed), 4 * count);
}

}  // namespace portacl_test

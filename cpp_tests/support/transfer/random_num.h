// Descriptions for aclrtRandomNumAsync.
#pragma once

#include <cstdint>
#include <cstring>

#include "support/objects.h"

namespace portacl_test {

constexpr auto kDropout = ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK;
constexpr auto kUniform = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
constexpr auto kNormal = ACL_RT_RANDOM_NUM_FUNC_TYPE_NORMAL_DIS;
constexpr auto kTruncated = ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS;

template <typename T>
aclrtRandomParaInfo Number(T value) {
    aclrtRandomParaInfo info{};
    std::memcpy(info.valueOrAddr, &value, sizeof value);
    info.size = sizeof value;
    return info;
}

// Describes a number of `size` bytes in memory.
inline aclrtRandomParaInfo NumberAt(const void* address, uint8_t size) {
    aclrtRandomParaInfo info = Number(address);
    info.isAddr = 1;
    info.size = size;
    return info;
}

// Describes `count` numbers of a distribution with two parameters, or of dropout, which uses only the first.
template <typename T>
aclrtRandomNumTaskInfo RandomNumbers(aclrtRandomNumFuncType function, aclDataType type, T first, T second, void* result,
                                     uint64_t count, uint64_t seed = 1, void* counter = nullptr) {
    aclrtRandomNumTaskInfo task{};
    task.dataType = type;
    task.randomNumFuncParaInfo.funcType = function;
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.min = Number(first);
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max = Number(second);
    task.randomResultAddr = result;
    task.randomCounterAddr = counter;
    task.randomSeed = Number(seed);
    task.randomNum = Number(count);
    return task;
}

}  // namespace portacl_test

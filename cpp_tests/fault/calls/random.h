// The part of the fault sweep's program that makes random numbers.
#pragma once

#include <acl/acl.h>

#include <cstdint>

#include "../did.h"

// Uniform numbers for `bytes` bytes, with a counter of 16 bytes.
inline aclrtRandomNumTaskInfo UniformNumbers(void* result, size_t bytes, void* counter) {
    aclrtRandomNumTaskInfo task{};
    const uint64_t count = bytes / 4;
    const float one = 1;
    auto& two = task.randomNumFuncParaInfo.paramInfo.uniformDisInfo;
    two.min.size = two.max.size = sizeof one;
    std::memcpy(two.max.valueOrAddr, &one, sizeof one);
    task.dataType = ACL_FLOAT;
    task.randomNumFuncParaInfo.funcType = ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS;
    task.randomResultAddr = result;
    task.randomCounterAddr = counter;
    task.randomSeed.size = task.randomNum.size = sizeof count;
    std::memcpy(task.randomNum.valueOrAddr, &count, sizeof count);
    return task;
}

inline void MakeRandomNumbers() {
    constexpr size_t kBytes = 4096;
    HeldStream stream;
    void *result = nullptr, *counter = nullptr;
    DID(aclrtMalloc(&result, kBytes, ACL_MEM_MALLOC_NORMAL_ONLY));
    DID(aclrtMalloc(&counter, 16, ACL_MEM_MALLOC_NORMAL_ONLY));
    if (result && counter) {
        const auto task = UniformNumbers(result, kBytes, counter);
        DID(aclrtMemset(counter, 16, 0, 16));
        DID(aclrtRandomNumAsync(&task, stream, nullptr));
        DID(aclrtSynchronizeStream(stream));
        uint64_t used = 0;
        DID(aclrtMemcpy(&used, sizeof used, counter, sizeof used, ACL_MEMCPY_DEVICE_TO_HOST));
        Expect(used == kBytes / 4 / 4, "the counter of random numbers");
    }
    if (counter) DID(aclrtFree(counter));
    if (result) DID(aclrtFree(result));
}

// aclrtRandomNumAsync: seeds, counters and parameters, also in memory, and its order with other work.

#include "support/transfer/random_num.h"

#include <cmath>

#include "support/gate.h"
#include "support/memory/managed_memory.h"
#include "transfer/random_num/random_num_reference.h"

using namespace portacl_test;

TEST_F(RandomNum, SeedsDetermineTheNumbers) {
    EXPECT_EQ(Floats(kNormal, 0, 1, kCount, 1), Floats(kNormal, 0, 1, kCount, 1));
    EXPECT_NE(Floats(kNormal, 0, 1, kCount, 1), Floats(kNormal, 0, 1, kCount, 2));
    EXPECT_NE(Floats(kNormal, 0, 1, kCount, 1), Floats(kNormal, 0, 1, kCount, uint64_t{1} << 32));
    // Four bytes are equivalent to eight.
    auto task = RandomNumbers(kUniform, ACL_FLOAT, 0.0f, 1.0f, nullptr, kCount);
    task.randomSeed = Number(uint32_t{7});
    // The bytes after them are ignored.
    task.randomSeed.valueOrAddr[5] = 9;
    task.randomNum = Number(static_cast<uint32_t>(kCount));
    EXPECT_EQ(Make<float>(task, 4 * kCount), Floats(kUniform, 0, 1, kCount, 7));
}

// The counter advances by the used blocks: several calls generate the same numbers as one.
TEST_F(RandomNum, TheCounterAdvances) {
    const auto whole = Floats(kNormal, 0, 1, 64, kSeed);
    DeviceMemory counter(std::vector<uint64_t>{0, 0});
    std::vector<float> parts;
    for (const size_t count : {4, 20, 40}) {
        auto task = RandomNumbers(kNormal, ACL_FLOAT, 0.0f, 1.0f, nullptr, count, kSeed, counter.At());
        for (const float number : Make<float>(task, 4 * count)) parts.push_back(number);
    }
    EXPECT_EQ(parts, whole);
    EXPECT_EQ(counter.Download<uint64_t>(), (std::vector<uint64_t>{16, 0}));
    // A partially used block counts; blocks have 128 bits.
    const struct {
        aclrtRandomNumFuncType function;
        aclDataType type;
        uint64_t first, second, count, blocks;
    } cases[] = {{kUniform, ACL_INT64, 0, 9, 5, 5},
                 {kUniform, ACL_INT32, 0, 9, 5, 3},
                 {kUniform, ACL_FLOAT, 0, 0, 5, 2},
                 {kDropout, ACL_FLOAT, 0, 0, 5, 2}};
    for (const auto& c : cases) {
        SCOPED_TRACE(c.type);
        counter.Upload(std::vector<uint64_t>{~uint64_t{0}, 6});
        auto task = RandomNumbers(c.function, c.type, c.first, c.second, nullptr, c.count, kSeed, counter.At());
        auto& two = task.randomNumFuncParaInfo.paramInfo.uniformDisInfo;
        two.min.size = two.max.size = c.type == ACL_INT64 ? 8 : 4;
        (void)Make<unsigned char>(task, c.function == kDropout ? 1 : c.count * two.min.size);
        EXPECT_EQ(counter.Download<uint64_t>(), (std::vector<uint64_t>{c.blocks - 1, 7}));
    }
    // Its upper half is a part of the block's number.
    counter.Upload(std::vector<uint64_t>{1, 6});
    auto task = RandomNumbers(kUniform, ACL_FLOAT, 0.0f, 1.0f, nullptr, 1, kSeed, counter.At());
    EXPECT_EQ(Make<float>(task, 4)[0], static_cast<float>((Philox(kSeed, {1, 0, 6, 0})[0] >> 8) / 16777216.0));
}

TEST_F(RandomNum, NumbersInMemoryAreReadInStreamOrder) {
    Stream stream;
    constexpr size_t kRoom = 256;
    struct Parameters {
        uint64_t seed, count;
        float first, second;
    };
    const Parameters before{1, kRoom, 0, 1}, after{kSeed, 100, -4, 4};
    DeviceMemory parameters(std::vector<Parameters>{before});
    DeviceMemory result(std::vector<float>(kRoom, 77));
    PinnedMemory next(sizeof after);
    std::memcpy(next.At(), &after, sizeof after);
    auto task = RandomNumbers(kUniform, ACL_FLOAT, 0.0f, 0.0f, result.At(), 0);
    task.randomSeed = NumberAt(parameters.At(0), 8);
    task.randomNum = NumberAt(parameters.At(8), 8);
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.min = NumberAt(parameters.At(16), 4);
    task.randomNumFuncParaInfo.paramInfo.uniformDisInfo.max = NumberAt(parameters.At(20), 4);
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtMemcpyAsync(parameters.At(), sizeof after, next.At(), sizeof after, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL_OK(aclrtRandomNumAsync(&task, stream, nullptr));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    auto wanted = Floats(kUniform, -4, 4, 100);
    wanted.resize(kRoom, 77);
    EXPECT_EQ(result.Download<float>(), wanted);
    // A count above the output's size is reduced to it, and a count of 0 writes nothing.
    parameters.Upload(std::vector<Parameters>{{kSeed, ~uint64_t{0}, 9, -9}});
    ACL_OK(aclrtRandomNumAsync(&task, stream, nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(result.Download<float>(), std::vector<float>(kRoom, 9)) << "no number is below";
    parameters.Upload(std::vector<Parameters>{{kSeed, 0, 0, 1}});
    ACL_OK(aclrtRandomNumAsync(&task, stream, nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(result.Download<float>(), std::vector<float>(kRoom, 9));
}

TEST_F(RandomNum, RatiosInMemoryAreClamped) {
    for (const auto& [ratio, byte] : {std::pair{-1.0f, 0xFF}, {2.0f, 0}, {std::nanf(""), 0}}) {
        DeviceMemory memory(std::vector<float>{ratio});
        auto task = RandomNumbers(kDropout, ACL_FLOAT, 0.0f, 0.0f, nullptr, 64);
        task.randomNumFuncParaInfo.paramInfo.dropoutBitmaskInfo.dropoutRation = NumberAt(memory.At(), 4);
        EXPECT_EQ(Make<unsigned char>(task, 8), Bytes(8, static_cast<unsigned char>(byte)));
    }
}

TEST_F(RandomNum, AreOrderedWithOtherWork) {
    Stream stream;
    DeviceMemory memory(4096), counter(std::vector<uint64_t>{0, 0});
    PinnedMemory seen(4096, 0);
    const auto task = RandomNumbers(kUniform, ACL_FLOAT, 1.0f, 2.0f, memory.At(), 512, kSeed, counter.At());
    for (int i = 0; i < 20; ++i) {
        ACL_OK(aclrtMemsetAsync(memory.At(), 4096, 0, 4096, stream));
        ACL_OK(aclrtRandomNumAsync(&task, stream, nullptr));
        ACL_OK(aclrtMemcpyAsync(seen.At(), 4096, memory.At(), 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ACL_OK(aclrtMemsetAsync(memory.At(), 4096, 0xFF, 4096, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        const auto* floats = reinterpret_cast<const float*>(seen.Bytes());
        for (size_t k = 0; k < 1024; ++k) ASSERT_EQ(floats[k] >= 1, k < 512) << k;
    }
    EXPECT_EQ(counter.Download<uint64_t>()[0], 20u * 128);
}

TEST_F(RandomNum, FreedMemoryIsKeptForPendingWork) {
    Stream stream;
    DeviceMemory result(std::vector<float>(64, 0)), seed(std::vector<uint64_t>{kSeed});
    DeviceMemory counter(std::vector<uint64_t>{0, 0});
    PinnedMemory seen(256, 0);
    auto task = RandomNumbers(kNormal, ACL_FLOAT, 0.0f, 1.0f, result.At(), 64, 0, counter.At());
    task.randomSeed = NumberAt(seed.At(), 8);
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclrtRandomNumAsync(&task, stream, nullptr));
    ACL_OK(aclrtMemcpyAsync(seen.At(), 256, result.At(), 256, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    for (DeviceMemory* memory : {&result, &seed, &counter}) {
        ACL_OK(aclrtFree(memory->Release()));
        // The memory is allocated again only afterwards.
        DeviceMemory next(256);
        ACL_OK(aclrtMemset(next.At(), 256, 0xFF, 256));
    }
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    std::vector<float> numbers(64);
    std::memcpy(numbers.data(), seen.At(), 256);
    EXPECT_EQ(numbers, Floats(kNormal, 0, 1, 64));
}

TEST_F(RandomNum, AcceptsManagedMemory) {
    void* managed = nullptr;
    ACL_OK(aclrtMemAllocManaged(&managed, kManagedGrain, ACL_RT_MEM_ATTACH_GLOBAL));
    auto* words = static_cast<uint64_t*>(managed);
    words[0] = words[1] = 0;
    words[2] = kSeed;
    auto task = RandomNumbers(kNormal, ACL_FLOAT, 0.0f, 1.0f, words + 4, 64, 0, words);
    task.randomSeed = NumberAt(words + 2, 8);
    ACL_OK(aclrtRandomNumAsync(&task, nullptr, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    std::vector<float> numbers(64);
    std::memcpy(numbers.data(), words + 4, 256);
    EXPECT_EQ(numbers, Floats(kNormal, 0, 1, 64));
    EXPECT_EQ(words[0], 16u);
    ACL_OK(aclrtFree(managed));
}

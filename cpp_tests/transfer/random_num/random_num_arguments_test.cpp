// aclrtRandomNumAsync: invalid arguments, and the texts of their errors.
#include <climits>
#include <cmath>
#include <limits>

#include "support/says.h"
#include "support/transfer/random_num.h"

using namespace portacl_test;

namespace {

constexpr aclError kBad = ACL_ERROR_INVALID_PARAM;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclError kUnsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
constexpr aclError kUnaligned = ACL_ERROR_RT_ADDR_UNALIGNED;
constexpr size_t kSize = 4096;

class RandomNumArguments : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        memory_ = std::make_unique<DeviceMemory>(std::vector<unsigned char>(kSize, 0xEE));
    }
    void TearDown() override {
        if (memory_) {
            EXPECT_EQ(aclrtSynchronizeDevice(), 0);
            EXPECT_EQ(memory_->Download(), std::vector<unsigned char>(kSize, 0xEE));
        }
        memory_.reset();
        WithDevice::TearDown();
    }
    // A valid description.
    aclrtRandomNumTaskInfo Task(aclrtRandomNumFuncType function = kUniform) const {
        return RandomNumbers(function, ACL_FLOAT, 0.0f, 1.0f, memory_->At(), 64);
    }
    template <typename T>
    aclrtRandomNumTaskInfo With(aclDataType type, T first, T second, aclrtRandomNumFuncType function = kUniform) const {
        return RandomNumbers(function, type, first, second, memory_->At(), 64);
    }
    static void Refused(aclError code, const aclrtRandomNumTaskInfo& task, std::initializer_list<std::string> words) {
        EXPECT_TRUE(FailedSaying("aclrtRandomNumAsync()", aclrtRandomNumAsync(&task, nullptr, nullptr), code, words));
    }
    std::unique_ptr<DeviceMemory> memory_;
};

aclrtUniformDisInfo& Two(aclrtRandomNumTaskInfo& task) {
    return task.randomNumFuncParaInfo.paramInfo.uniformDisInfo;
}

}  // namespace

TEST_F(RandomNumArguments, NullPointers) {
    int reserve = 0;
    auto task = Task();
    ACL_FAILS_SAYING(kBad, aclrtRandomNumAsync(nullptr, nullptr, nullptr), "taskInfo is null");
    ACL_FAILS_SAYING(kBad, aclrtRandomNumAsync(&task, nullptr, &reserve), "reserve is 0x");
    task.randomResultAddr = nullptr;
    Refused(kBad, task, {"randomResultAddr is null"});
    for (auto* number : {&task.randomSeed, &task.randomNum, &Two(task).min, &Two(task).max}) {
        task = Task();
        *number = NumberAt(nullptr, number->size);
        Refused(kBad, task, {"is null"});
    }
}

TEST_F(RandomNumArguments, ZeroNumbersDoNothing) {
    auto task = Task();
    task.randomNum = Number(uint64_t{0});
    task.randomResultAddr = nullptr;
    ACL_OK(aclrtRandomNumAsync(&task, nullptr, nullptr));
    // Only the count is read.
    Two(task).min.size = 3;
    ACL_OK(aclrtRandomNumAsync(&task, nullptr, nullptr));
    task.randomNum = Number(uint64_t{1});
    Refused(kBad, task, {"min.size is 3", "4"});
}

TEST_F(RandomNumArguments, Enumerators) {
    auto task = Task();
    for (const int function : {-1, 4, INT_MIN, INT_MAX}) {
        task.randomNumFuncParaInfo.funcType = static_cast<aclrtRandomNumFuncType>(function);
        Refused(kBad, task, {"funcType is " + std::to_string(function), "0 to 3"});
    }
    for (const int type : {-1, 42, INT_MIN, INT_MAX}) {
        task = Task();
        task.dataType = static_cast<aclDataType>(type);
        Refused(kBad, task, {"dataType is " + std::to_string(type)});
    }
    for (const aclDataType type : {ACL_INT8, ACL_UINT8, ACL_INT16, ACL_DOUBLE, ACL_BOOL}) {
        task.dataType = type;
        Refused(kUnsupported, task, {"dataType is " + std::to_string(type), "ACL_FLOAT 0"});
    }
    for (const auto function : {kDropout, kNormal, kTruncated}) {
        for (const aclDataType type : {ACL_INT32, ACL_UINT32, ACL_INT64, ACL_UINT64}) {
            task = With(type, int32_t{0}, int32_t{1}, function);
            Refused(kUnsupported, task, {"with uniform numbers only", "ACL_BF16 27"});
        }
    }
}

TEST_F(RandomNumArguments, SizesOfNumbers) {
    for (const int size : {0, 1, 2, 3, 5, 8, 9, 255}) {
        auto task = Task();
        Two(task).max.size = static_cast<uint8_t>(size);
        Refused(kBad, task, {"max.size is " + std::to_string(size), "allowed: 4"});
        if (size == 8) continue;
        task = Task();
        task.randomSeed.size = static_cast<uint8_t>(size);
        Refused(kBad, task, {"randomSeed.size", "4 or 8"});
        task = Task();
        task.randomNum.size = static_cast<uint8_t>(size);
        Refused(kBad, task, {"randomNum.size", "4 or 8"});
    }
    auto task = Task();
    task.randomSeed.isAddr = 2;
    Refused(kBad, task, {"randomSeed.isAddr is 2", "0", "1"});
}

TEST_F(RandomNumArguments, Parameters) {
    const float infinite = std::numeric_limits<float>::infinity(), none = std::nanf("");
    const float most = std::numeric_limits<float>::max();
    Refused(kBad, With(ACL_FLOAT, 2.0f, 1.0f), {"min 2", "max 1"});
    Refused(kBad, With(ACL_FLOAT, -infinite, 1.0f), {"min is -inf", "finite"});
    Refused(kBad, With(ACL_FLOAT, 0.0f, none), {"max is NaN", "finite"});
    Refused(kBad, With(ACL_FLOAT, -most, most), {"further apart"});
    Refused(kBad, With(ACL_INT32, int32_t{5}, int32_t{-5}), {"min 5", "max -5"});
    Refused(kBad, With(ACL_UINT32, uint32_t{0xFFFFFFFF}, uint32_t{5}), {"min 4294967295"});
    Refused(kBad, With(ACL_INT64, int64_t{5}, int64_t{-5}), {"min 5", "max -5"});
    Refused(kBad, With(ACL_UINT64, ~uint64_t{0}, uint64_t{5}), {"min 18446744073709551615"});
    Refused(kBad, With(ACL_FLOAT16, aclFloatToFloat16(2), aclFloatToFloat16(1)), {"min 2"});
    for (const auto function : {kNormal, kTruncated}) {
        Refused(kBad, With(ACL_FLOAT, infinite, 1.0f, function), {"mean is inf"});
        Refused(kBad, With(ACL_FLOAT, 0.0f, none, function), {"stddev is NaN"});
        Refused(kBad, With(ACL_FLOAT, 0.0f, -1.0f, function), {"stddev is -1", "not be negative"});
    }
    for (const float ratio : {-0.1f, 1.5f, infinite, none}) {
        Refused(kBad, With(ACL_FLOAT, ratio, 0.0f, kDropout), {"dropoutRation is", "0 to 1"});
    }
}

// A range of one number.
TEST_F(RandomNumArguments, RangesOfOneNumber) {
    DeviceMemory result(std::vector<int32_t>(4, 0));
    const auto task = RandomNumbers(kUniform, ACL_INT32, int32_t{-3}, int32_t{-3}, result.At(), 4);
    ACL_OK(aclrtRandomNumAsync(&task, nullptr, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(result.Download<int32_t>(), std::vector<int32_t>(4, -3));
}

TEST_F(RandomNumArguments, PlacesInMemory) {
    PinnedMemory pinned(kSize, 0);
    std::vector<uint64_t> pageable(kSize / 8);
    auto task = Task();
    for (void* host : {pinned.At(), static_cast<void*>(pageable.data())}) {
        task = Task();
        task.randomResultAddr = host;
        Refused(kDead, task, {"randomResultAddr", Shown(host), "host memory"});
        task = Task();
        task.randomCounterAddr = host;
        Refused(kDead, task, {"randomCounterAddr", "host memory"});
        task = Task();
        task.randomSeed = NumberAt(host, 8);
        Refused(kDead, task, {"randomSeed", "host memory"});
        task = Task();
        Two(task).min = NumberAt(host, 4);
        Refused(kDead, task, {"min", "host memory"});
    }
    task = Task();
    task.randomResultAddr = memory_->At(2);
    Refused(kUnaligned, task, {"randomResultAddr", "aligned to 4"});
    task = Task();
    task.randomCounterAddr = memory_->At(kSize - 12);
    Refused(kUnaligned, task, {"randomCounterAddr", "aligned to 8"});
    task = Task();
    task.randomSeed = NumberAt(memory_->At(1028), 8);
    Refused(kUnaligned, task, {"randomSeed", "aligned to 8"});
    task = Task();
    task.randomCounterAddr = memory_->At(1 << 20);
    Refused(kDead, task, {"randomCounterAddr"});
}

TEST_F(RandomNumArguments, TooMany) {
    auto task = Task();
    task.randomNum = Number(uint64_t{kSize});
    Refused(kDead, task, {"randomResultAddr", "end of its allocation"});
    for (const uint64_t count : {~uint64_t{0}, uint64_t{1} << 62}) {
        task.randomNum = Number(count);
        Refused(kBad, task, {"randomNum is " + std::to_string(count)});
    }
    task = With(ACL_FLOAT, 0.5f, 0.0f, kDropout);
    task.randomNum = Number(~uint64_t{0});
    Refused(kDead, task, {"randomResultAddr", "end of its allocation"});
}

TEST_F(RandomNumArguments, OperandsMustNotOverlapTheOutput) {
    auto task = Task();
    task.randomCounterAddr = memory_->At(240);
    Refused(kBad, task, {Shown(memory_->At(240)), "overlaps the output"});
    task = Task();
    task.randomSeed = NumberAt(memory_->At(8), 8);
    Refused(kBad, task, {"overlaps the output"});
    // If the count is in memory, all memory after the output may be written.
    DeviceMemory count(std::vector<uint64_t>{64});
    task = Task();
    task.randomNum = NumberAt(count.At(), 8);
    task.randomCounterAddr = memory_->At(2048);
    Refused(kBad, task, {"overlaps the output"});
}

TEST_F(RandomNumArguments, MemoryOfAnotherDevice) {
    uint32_t devices = 0;
    ACL_OK(aclrtGetDeviceCount(&devices));
    if (devices < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    {
        DeviceMemory far(kSize);
        ACL_OK(aclrtSetDevice(0));
        auto task = Task();
        task.randomResultAddr = far.At();
        Refused(kDead, task, {"randomResultAddr", Shown(far.At()), "device 1"});
        task = Task();
        task.randomCounterAddr = far.At();
        Refused(kDead, task, {"randomCounterAddr", "device 1"});
    }
}

TEST_F(RandomNumArguments, Streams) {
    const auto task = Task();
    const auto refused = [&](aclrtStream stream) { ACL_FAILS(kDead, aclrtRandomNumAsync(&task, stream, nullptr)); };
    aclrtStream dead = nullptr;
    ACL_OK(aclrtCreateStream(&dead));
    ACL_OK(aclrtDestroyStream(dead));
    refused(dead);
    refused(reinterpret_cast<aclrtStream>(uintptr_t{0x1234}));
    Event event;
    refused(static_cast<aclrtEvent>(event));
    OnNewThread([&] { ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtRandomNumAsync(&task, nullptr, nullptr)); });
}

TEST_F(RandomNumArguments, RefusedInsideAHostFunction) {
    Stream stream;
    struct RandomNumCall {
        aclrtRandomNumTaskInfo task;
        aclrtStream stream;
        aclError code;
    } inside{Task(), stream, 0};
    ACL_OK(aclrtLaunchHostFunc(
        stream,
        [](void* data) {
            auto* const it = static_cast<RandomNumCall*>(data);
            it->code = aclrtRandomNumAsync(&it->task, it->stream, nullptr);
        },
        &inside));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(inside.code, kDead);
}

TEST_F(RandomNumArguments, AfterFinalize) {
    const auto task = Task();
    memory_.reset();
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtRandomNumAsync(&task, nullptr, nullptr));
    ACL_OK(aclInit(nullptr));
}

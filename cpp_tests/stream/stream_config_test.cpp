// Stream descriptions, and the streams created from them.

#include <cstring>
#include <limits>
#include <set>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

// A description from the library; destroyed at the end.
class Config {
  public:
    Config() : handle_(aclrtCreateStreamConfigHandle()) { EXPECT_NE(handle_, nullptr); }
    ~Config() {
        if (handle_) {
            ACL_EXPECT_OK(aclrtDestroyStreamConfigHandle(handle_));
        }
    }
    Config(const Config&) = delete;
    Config& operator=(const Config&) = delete;

    operator aclrtStreamConfigHandle*() const { return handle_; }
    aclrtStreamConfigHandle* operator->() const { return handle_; }
    aclrtStreamConfigHandle* Release() { return std::exchange(handle_, nullptr); }

    template <typename T>
    aclError Set(aclrtStreamConfigAttr attr, T value) {
        return aclrtSetStreamConfigOpt(handle_, attr, &value, sizeof value);
    }

  private:
    aclrtStreamConfigHandle* handle_;
};

uint32_t LeastPriority() {
    int32_t least = 0, greatest = 0;
    ACL_EXPECT_OK(aclrtDeviceGetStreamPriorityRange(&least, &greatest));
    return static_cast<uint32_t>(least);
}

uint32_t PriorityOf(aclrtStream stream) {
    auto priority = Poison<uint32_t>();
    ACL_EXPECT_OK(aclrtStreamGetPriority(stream, &priority));
    return priority;
}

uint32_t FlagsOf(aclrtStream stream) {
    auto flags = Poison<uint32_t>();
    ACL_EXPECT_OK(aclrtStreamGetFlags(stream, &flags));
    return flags;
}

class StreamConfig : public WithDevice {};

TEST_F(StreamConfig, StartsWithDefaults) {
    Config config;
    EXPECT_EQ(config->workptr, nullptr);
    EXPECT_EQ(config->workSize, 0u);
    EXPECT_EQ(config->flag, 0u);
    EXPECT_EQ(config->priority, 0u);
    Config other;
    EXPECT_NE(static_cast<aclrtStreamConfigHandle*>(config), static_cast<aclrtStreamConfigHandle*>(other));
}

TEST_F(StreamConfig, EachOptionSetsItsFieldAndNoOther) {
    Config config;
    int memory = 0;
    ACL_OK(config.Set(ACL_RT_STREAM_WORK_ADDR_PTR, static_cast<void*>(&memory)));
    EXPECT_EQ(config->workptr, &memory);
    ACL_OK(config.Set(ACL_RT_STREAM_WORK_SIZE, size_t{12345}));
    EXPECT_EQ(config->workSize, 12345u);
    ACL_OK(config.Set(ACL_RT_STREAM_FLAG, uint32_t{ACL_STREAM_FAST_LAUNCH}));
    EXPECT_EQ(config->flag, ACL_STREAM_FAST_LAUNCH);
    ACL_OK(config.Set(ACL_RT_STREAM_FLAG, size_t{ACL_STREAM_FAST_SYNC}));
    EXPECT_EQ(config->flag, ACL_STREAM_FAST_SYNC);
    ACL_OK(config.Set(ACL_RT_STREAM_PRIORITY, uint32_t{3}));
    EXPECT_EQ(config->priority, 3u);
    EXPECT_EQ(config->workptr, &memory);
    EXPECT_EQ(config->workSize, 12345u);
    EXPECT_EQ(config->flag, ACL_STREAM_FAST_SYNC);
}

TEST_F(StreamConfig, BadOptions) {
    Config config;
    const aclrtStreamConfigHandle before = *config;
    const uint64_t value = 1;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetStreamConfigOpt(nullptr, ACL_RT_STREAM_FLAG, &value, 4), "handle",
                     "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, nullptr, 4),
                     "attrValue", "null");
    for (int attr : {-1, 4, std::numeric_limits<int>::max()})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclrtSetStreamConfigOpt(config, static_cast<aclrtStreamConfigAttr>(attr), &value, 8), "attr",
                         Shown(static_cast<long long>(attr)), "0 to 3");
    struct {
        aclrtStreamConfigAttr attr;
        size_t size;
        const char* bound;
    } const sizes[] = {
        {ACL_RT_STREAM_WORK_ADDR_PTR, 4, "8 bytes"},
        {ACL_RT_STREAM_WORK_SIZE, 0, "8 bytes"},
        {ACL_RT_STREAM_FLAG, 3, "4 or 8 bytes"},
        {ACL_RT_STREAM_FLAG, std::numeric_limits<size_t>::max(), "4 or 8 bytes"},
        {ACL_RT_STREAM_PRIORITY, 8, "4 bytes"},
    };
    for (const auto& bad : sizes) {
        SCOPED_TRACE(testing::Message() << "attr " << bad.attr << " size " << bad.size);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetStreamConfigOpt(config, bad.attr, &value, bad.size),
                         "valueSize is " + std::to_string(bad.size), bad.bound);
    }
    EXPECT_EQ(std::memcmp(&before, config, sizeof before), 0);
}

TEST_F(StreamConfig, OnlyLibraryDescriptionsAreDestroyedAndOnce) {
    Config config;
    aclrtStreamConfigHandle* handle = config.Release();
    ACL_OK(aclrtDestroyStreamConfigHandle(handle));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStreamConfigHandle(handle), "handle", Shown(handle));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDestroyStreamConfigHandle(nullptr), "handle", "null");
    aclrtStreamConfigHandle own{};
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStreamConfigHandle(&own), "handle",
                     "aclrtCreateStreamConfigHandle");
    aclrtStream stream = Stream().Release();
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID,
              aclrtDestroyStreamConfigHandle(reinterpret_cast<aclrtStreamConfigHandle*>(stream)));
    ACL_OK(aclrtDestroyStream(stream));
}

TEST_F(StreamConfig, NeedsNeitherDeviceNorInit) {
    ACL_OK(aclFinalize());
    OnNewThread([] {
        Config config;
        ACL_EXPECT_OK(config.Set(ACL_RT_STREAM_PRIORITY, uint32_t{1}));
    });
    ACL_OK(aclInit(nullptr));
}

TEST_F(StreamConfig, CreatedAndDestroyedByManyThreads) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([] {
            for (int round = 0; round < 200; ++round) {
                Config config;
                ACL_EXPECT_OK(config.Set(ACL_RT_STREAM_FLAG, uint32_t{1}));
            }
        });
    for (std::thread& thread : threads) thread.join();
}

class StreamV2 : public WithDevice {};

TEST_F(StreamV2, HasFlagsAndPriorityOfItsDescription) {
    const uint32_t least = LeastPriority();
    for (uint32_t priority : std::set<uint32_t>{0, least / 2, least}) {
        for (uint32_t flag : {0u, ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC | ACL_STREAM_HUGE}) {
            SCOPED_TRACE(testing::Message() << "priority " << priority << " flag " << flag);
            Config config;
            ACL_OK(config.Set(ACL_RT_STREAM_PRIORITY, priority));
            ACL_OK(config.Set(ACL_RT_STREAM_FLAG, flag));
            auto stream = Poison<aclrtStream>();
            ACL_OK(aclrtCreateStreamV2(&stream, config));
            // The stream exists; the description may change or be destroyed.
            ACL_OK(config.Set(ACL_RT_STREAM_PRIORITY, least + 1));
            EXPECT_EQ(PriorityOf(stream), priority);
            EXPECT_EQ(FlagsOf(stream), flag);
            Log log;
            ACL_OK(log.Append(stream, 1));
            ACL_OK(aclrtSynchronizeStream(stream));
            EXPECT_EQ(log.Size(), 1u);
            ACL_OK(aclrtDestroyStream(stream));
        }
    }
}

TEST_F(StreamV2, TakesADescriptionInTheProgramsMemory) {
    aclrtStreamConfigHandle own{};
    own.flag = ACL_STREAM_FAST_SYNC | 0x12345678'00000000u;
    own.priority = LeastPriority();
    own.workptr = &own;
    own.workSize = sizeof own;
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStreamV2(&stream, &own));
    EXPECT_EQ(PriorityOf(stream), own.priority);
    EXPECT_EQ(FlagsOf(stream), ACL_STREAM_FAST_SYNC) << "unknown flags mean nothing";
    ACL_OK(aclrtDestroyStream(stream));
}

TEST_F(StreamV2, BadArguments) {
    Config config;
    auto stream = Poison<aclrtStream>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateStreamV2(nullptr, config), "stream", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateStreamV2(&stream, nullptr), "handle", "null");
    const uint32_t least = LeastPriority();
    for (uint32_t priority : {least + 1, std::numeric_limits<uint32_t>::max()}) {
        ACL_OK(config.Set(ACL_RT_STREAM_PRIORITY, priority));
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateStreamV2(&stream, config), "priority",
                         std::to_string(priority), "to " + std::to_string(least));
    }
    ACL_OK(config.Set(ACL_RT_STREAM_PRIORITY, uint32_t{0}));
    EXPECT_TRUE(IsPoison(stream));
}

TEST_F(StreamV2, NeedsADevice) {
    Config config;
    OnNewThread([&config] {
        auto stream = Poison<aclrtStream>();
        ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStreamV2(&stream, config), "aclrtSetDevice");
        EXPECT_TRUE(IsPoison(stream));
    });
    ACL_OK(aclFinalize());
    auto stream = Poison<aclrtStream>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStreamV2(&stream, config));
    EXPECT_TRUE(IsPoison(stream));
    ACL_OK(aclInit(nullptr));
}

}  // namespace

// Arguments that aclprof... functions refuse: options, calls out of order, configs, stamps and
// marks.
#include "support/objects.h"
#include "support/own_process.h"
#include "support/profiling/profiling.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

using ProfilingArguments = Profiling;

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

TEST_F(ProfilingArguments, RefusesUnknownOptions) {
    const auto refuse = [](aclError code, int type, const std::string& value, const std::string& words) {
        ACL_FAILS_SAYING(code, aclprofSetConfig(static_cast<aclprofConfigType>(type), value.data(), value.size()),
                         words);
    };
    for (int type : {int(ACL_PROF_ARGS_MIN), int(ACL_PROF_ARGS_MAX), 2, -1, INT32_MAX})
        refuse(ACL_ERROR_INVALID_PARAM, type, "1", "configType is " + std::to_string(type));
    for (int type = ACL_PROF_SYS_HARDWARE_MEM_FREQ; type < ACL_PROF_PATH; ++type)
        refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, type, "1", "configType is " + std::to_string(type));
    for (const char* value : {"0", "MB", "1GB", "-1", "17592186044416", "1 MB", "99999999999999999999"})
        refuse(ACL_ERROR_INVALID_PARAM, ACL_PROF_STORAGE_LIMIT, value, value);
    refuse(ACL_ERROR_INVALID_FILE, ACL_PROF_PATH, "/proc/no/such", "/proc/no/such");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofSetConfig(ACL_PROF_PATH, nullptr, 1), "config is null");
    for (size_t length : {size_t(0), size_t(4097), SIZE_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofSetConfig(ACL_PROF_PATH, "x", length),
                         "configLength is " + std::to_string(length));
    ACL_OK(aclprofFinalize());
    refuse(ACL_ERROR_PROF_NOT_RUN, ACL_PROF_STORAGE_LIMIT, "1", "aclprofInit");
}

// ---- order of calls, and bad arguments ----

TEST_F(ProfilingArguments, RefusesCallsOutOfOrder) {
    ACL_FAILS_SAYING(ACL_ERROR_PROF_ALREADY_RUN, aclprofInit(folder_.data(), folder_.size()), "aclprofFinalize first");
    ACL_FAILS_SAYING(ACL_ERROR_PROF_NOT_RUN, aclprofStop(config_), "aclprofStart first");
    ACL_OK(aclprofStart(config_));
    ACL_FAILS_SAYING(ACL_ERROR_PROF_ALREADY_RUN, aclprofStart(config_), "started already");
    ACL_FAILS_SAYING(kDead, aclprofDestroyConfig(config_), "aclprofStop with it first");
    ACL_OK(aclprofStop(config_));
    ACL_FAILS(ACL_ERROR_PROF_NOT_RUN, aclprofStop(config_));
    ACL_OK(aclprofFinalize());
    ACL_FAILS_SAYING(ACL_ERROR_PROF_NOT_RUN, aclprofFinalize(), "call aclprofInit first");
    ACL_FAILS_SAYING(ACL_ERROR_PROF_NOT_RUN, aclprofStart(config_), "call aclprofInit first");
    ACL_FAILS_SAYING(ACL_ERROR_PROF_NOT_RUN, aclprofStop(config_), "call aclprofInit first");
}

TEST_F(ProfilingArguments, RefusesBadConfigs) {
    uint32_t ids[] = {0, DeviceCount()};
    const auto refused = [](aclprofConfig* config, aclError code, const std::string& words) {
        EXPECT_EQ(config, nullptr);
        EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), code);
        const std::string text = TakeText();
        EXPECT_NE(text.find(words), std::string::npos) << text;
    };
    const auto create = [&](uint32_t* list, uint32_t count, int metrics, const void* events) {
        return aclprofCreateConfig(list, count, static_cast<aclprofAicoreMetrics>(metrics),
                                   As<aclprofAicoreEvents>(events), 0);
    };
    refused(create(nullptr, 1, 255, nullptr), ACL_ERROR_INVALID_PARAM, "deviceIdList is null");
    refused(create(ids, 0, 255, nullptr), ACL_ERROR_INVALID_PARAM, "deviceNums is 0");
    refused(create(ids, UINT32_MAX, 255, nullptr), ACL_ERROR_INVALID_PARAM, "deviceNums is 4294967295");
    refused(create(ids, 2, 255, nullptr), ACL_ERROR_RT_INVALID_DEVICEID, "device " + std::to_string(ids[1]));
    for (int metrics : {-1, 9, 254, 256})
        refused(create(ids, 1, metrics, nullptr), ACL_ERROR_INVALID_PARAM,
                "aicoreMetrics is " + std::to_string(metrics));
    refused(create(ids, 1, 255, ids), ACL_ERROR_INVALID_PARAM, "aicoreEvents");
    for (int metrics : {0, 8, 255}) {
        aclprofConfig* config = create(ids, 1, metrics, nullptr);
        ASSERT_NE(config, nullptr);
        ACL_OK(aclprofDestroyConfig(config));
        ACL_FAILS_SAYING(kDead, aclprofDestroyConfig(config), "destroyed");
        ACL_FAILS_SAYING(kDead, aclprofStart(config), "destroyed");
        ACL_FAILS_SAYING(kDead, aclprofStop(config), "destroyed");
    }
    Stream stream;
    for (const void* wrong :
         {static_cast<const void*>(static_cast<aclrtStream>(stream)), static_cast<const void*>(ids)}) {
        ACL_FAILS(kDead, aclprofDestroyConfig(As<aclprofConfig>(wrong)));
        ACL_FAILS(kDead, aclprofStart(As<aclprofConfig>(wrong)));
        ACL_FAILS(kDead, aclprofStop(As<aclprofConfig>(wrong)));
    }
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofDestroyConfig(nullptr), "profilerConfig is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofStart(nullptr), "profilerConfig is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofStop(nullptr), "profilerConfig is null");
}

TEST(ProfilingInit, RefusesBadPaths) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofInit(nullptr, 1), "profilerResultPath is null");
    for (size_t length : {size_t(0), size_t(4097), SIZE_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofInit("x", length), "length is " + std::to_string(length));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclprofInit("/proc/no/such", 13), "/proc/no/such");
    ACL_FAILS(ACL_ERROR_PROF_NOT_RUN, aclprofFinalize());
}

TEST_F(ProfilingArguments, RefusesBadStamps) {
    Stream stream;
    void* const dead = aclprofCreateStamp();
    aclprofDestroyStamp(dead);
    uint32_t id = 77;
    const auto refuse = [&](void* wrong, aclError code, const std::string& words) {
        ACL_FAILS_SAYING(code, aclprofMark(wrong), words);
        ACL_FAILS_SAYING(code, aclprofPush(wrong), words);
        ACL_FAILS_SAYING(code, aclprofRangeStart(wrong, &id), words);
        ACL_FAILS_SAYING(code, aclprofSetStampTraceMessage(wrong, "x", 1), words);
        ACL_FAILS_SAYING(code, aclprofSetStampTagName(wrong, "x", 1), words);
        ACL_FAILS_SAYING(code, aclprofSetStampCallStack(wrong, "x", 1), words);
        aclprofDestroyStamp(wrong);
        EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), code);
    };
    refuse(nullptr, ACL_ERROR_INVALID_PARAM, "stamp is null");
    refuse(dead, kDead, "destroyed");
    refuse(static_cast<aclrtStream>(stream), kDead, "kind stream");
    refuse(&id, kDead, "not a handle");
    EXPECT_EQ(id, 77u);

    void* stamp = aclprofCreateStamp();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofRangeStart(stamp, nullptr), "rangeId is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofSetStampTraceMessage(stamp, nullptr, 1), "msg is null");
    for (uint32_t length : {0u, 16385u, UINT32_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofSetStampTraceMessage(stamp, "x", length),
                         "msgLen is " + std::to_string(length));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofSetStampTagName(stamp, nullptr, 1), "tagName is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofSetStampCallStack(stamp, nullptr, 1), "callStack is null");
    for (uint16_t length : {0, 16385, UINT16_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofSetStampTagName(stamp, "x", length),
                         "len is " + std::to_string(length));
    for (uint32_t length : {0u, 16385u, UINT32_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofSetStampCallStack(stamp, "x", length),
                         "len is " + std::to_string(length));
    ACL_OK(aclprofRangeStart(stamp, &id));
    ACL_OK(aclprofRangeStop(id));
    ACL_FAILS_SAYING(kDead, aclprofRangeStop(id), "stopped before");
    ACL_FAILS_SAYING(kDead, aclprofRangeStop(0), "rangeId 0");
    aclprofDestroyStamp(stamp);
}

TEST_F(ProfilingArguments, RefusesBadSteps) {
    Stream stream;
    auto* dead_step = aclprofCreateStepInfo();
    aclprofDestroyStepInfo(dead_step);
    uint32_t word = 77;
    const auto refuse_step = [&](void* wrong, aclError code, const std::string& words) {
        auto* step = static_cast<aclprofStepInfo*>(wrong);
        ACL_FAILS_SAYING(code, aclprofGetStepTimestamp(step, ACL_STEP_START, stream), words);
        aclprofDestroyStepInfo(step);
        EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), code);
    };
    refuse_step(nullptr, ACL_ERROR_INVALID_PARAM, "null");
    refuse_step(dead_step, kDead, "destroyed");
    refuse_step(static_cast<aclrtStream>(stream), kDead, "kind stream");
    refuse_step(&word, kDead, "not a handle");

    aclprofStepInfo* step = aclprofCreateStepInfo();
    for (int tag : {-1, 2})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclprofGetStepTimestamp(step, static_cast<aclprofStepTag>(tag), stream),
                         "tag is " + std::to_string(tag));
    ACL_FAILS_SAYING(kDead, aclprofGetStepTimestamp(step, ACL_STEP_END, stream), "has not begun");
    ACL_OK(aclprofGetStepTimestamp(step, ACL_STEP_START, stream));
    ACL_FAILS_SAYING(kDead, aclprofGetStepTimestamp(step, ACL_STEP_START, stream), "has begun already");
    ACL_FAILS_SAYING(kDead, aclprofGetStepTimestamp(step, ACL_STEP_END, &word), "not a handle");
    ACL_OK(aclprofGetStepTimestamp(step, ACL_STEP_END, stream));
    aclprofDestroyStepInfo(step);
}

TEST_F(ProfilingArguments, RefusesBadMarks) {
    int number = 0;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofMarkEx(nullptr, 1, nullptr), "msg is null");
    for (size_t length : {size_t(0), size_t(16385), SIZE_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofMarkEx("x", length, nullptr),
                         "msgLen is " + std::to_string(length));
    ACL_FAILS_SAYING(kDead, aclprofMarkEx("x", 1, &number), "not a handle");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtProfTrace(nullptr, 1, nullptr), "userdata is null");
    for (int length : {0, -1, 1025, INT32_MIN})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtProfTrace(&number, length, nullptr),
                         "length is " + std::to_string(length));
    ACL_FAILS_SAYING(kDead, aclrtProfTrace(&number, 4, &number), "not a handle");
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclprofMarkEx("x", 1, nullptr));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtProfTrace(&number, 4, nullptr));
    });
    EXPECT_EQ(aclprofStr2Id(nullptr), 0u);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_INVALID_PARAM);
    EXPECT_NE(aclprofStr2Id(std::string(16384, 'x').c_str()), 0u);
    EXPECT_EQ(aclprofStr2Id(std::string(16385, 'x').c_str()), 0u);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_INVALID_PARAM);
}

}  // namespace

// aclprof...: traces that a program asks for, and what it puts into them.
#include <acl/acl_prof.h>
#include <acl/acl_rt_memory_soma.h>

#include <filesystem>

#include "support/gate.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/threads.h"
#include "support/trace.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 1 << 20;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

std::string NewFolder() {
    static int number = 0;
    return testing::TempDir() + "portacl_profiling_" + std::to_string(getpid()) + "_" +
           std::to_string(++number);
}

aclprofConfig* ConfigFor(std::vector<uint32_t> devices) {
    return aclprofCreateConfig(devices.data(), static_cast<uint32_t>(devices.size()),
                               ACL_AICORE_NONE, nullptr, ACL_PROF_TASK_TIME | ACL_PROF_MSPROFTX);
}

template <typename T>
T* As(const void* handle) {
    return static_cast<T*>(const_cast<void*>(handle));
}

aclError InitIn(const std::string& folder) {
    return aclprofInit(folder.c_str(), folder.size());
}

aclError SetOption(aclprofConfigType type, const std::string& value) {
    return aclprofSetConfig(type, value.c_str(), value.size());
}

// The only trace in a folder, which is removed.
Trace Only(const std::string& folder) {
    std::vector<std::string> files;
    for (const auto& file : std::filesystem::directory_iterator(folder))
        files.push_back(file.path());
    EXPECT_EQ(files.size(), 1u);
    Trace trace;
    if (files.size() == 1) trace = Trace::Read(files[0]);
    trace.Check();
    std::filesystem::remove_all(folder);
    return trace;
}

// With a device, and profiling begun in a folder.
class Profiling : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (HasFatalFailure()) return;
        ACL_OK(InitIn(folder_));
        config_ = ConfigFor({0});
        ASSERT_NE(config_, nullptr);
    }
    void TearDown() override {
        // A test may have ended it.
        (void)aclprofFinalize();
        if (config_) {
            ACL_EXPECT_OK(aclprofDestroyConfig(config_));
        }
        std::filesystem::remove_all(folder_);
        WithDevice::TearDown();
    }

    Trace Finish() {
        ACL_EXPECT_OK(aclprofFinalize());
        return Only(folder_);
    }

    std::string folder_ = NewFolder();
    aclprofConfig* config_ = nullptr;
};

std::vector<int64_t> Sizes(const std::vector<TraceEvent>& events) {
    std::vector<int64_t> sizes;
    for (const TraceEvent& event : events) sizes.push_back(event.Bytes());
    return sizes;
}

// ---- what is recorded ----

TEST_F(Profiling, RecordsStreamsThatAreThereBetweenStartAndStop) {
    Stream stream;
    DeviceMemory memory(kSize);
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, 100, stream));
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, 200, stream));
    ACL_OK(aclrtMemset(memory.At(), kSize, 1, 201));
    Stream another;
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, 202, another));
    ACL_OK(aclrtSynchronizeDevice());
    ACL_OK(aclprofStop(config_));
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, 300, stream));
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, 400, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    const Trace trace = Finish();
    std::vector<int64_t> sizes = Sizes(trace.Bars("fill"));
    std::sort(sizes.begin(), sizes.end());
    EXPECT_EQ(sizes, (std::vector<int64_t>{200, 201, 202, 400}));
}

TEST_F(Profiling, HasWorkThatIsNotOverUpToTheEnd) {
    Stream stream;
    Gate gate;
    ACL_OK(aclprofStart(config_));
    ACL_OK(gate.Hold(stream));
    ASSERT_TRUE(gate.AwaitArrival());
    const Trace trace = Finish();
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    const auto functions = trace.Named('X', "host function");
    ASSERT_EQ(functions.size(), 1u);
    EXPECT_EQ(functions[0].args["state"].text, "unfinished");
    EXPECT_LT(functions[0].begin, functions[0].end);
}

TEST_F(Profiling, RecordsTheDevicesThatSomebodyWants) {
    if (DeviceCount() < 2) GTEST_SKIP() << "one device";
    aclprofConfig* second = ConfigFor({1, 1});
    ASSERT_NE(second, nullptr);
    void* elsewhere = nullptr;
    aclrtStream stream = nullptr;
    DeviceMemory memory(kSize);
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtMalloc(&elsewhere, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtCreateStream(&stream));
    const auto fill_both = [&](size_t bytes) {
        ACL_OK(aclrtSetDevice(1));
        ACL_OK(aclrtMemsetAsync(elsewhere, kSize, 1, bytes + 1, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, bytes, nullptr));
        ACL_OK(aclrtSynchronizeStream(nullptr));
    };
    ACL_OK(aclprofStart(second));
    fill_both(100);
    ACL_OK(aclprofStart(config_));
    fill_both(200);
    ACL_OK(aclprofStop(second));
    fill_both(300);
    ACL_OK(aclprofStop(config_));
    fill_both(400);
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtDestroyStream(stream));
    ACL_OK(aclrtFree(elsewhere));
    ACL_OK(aclprofDestroyConfig(second));
    const Trace trace = Finish();
    std::map<std::string, std::vector<int64_t>> rows;
    for (const TraceEvent& fill : trace.Bars("fill")) {
        rows[trace.NameOf(fill.track).substr(0, 8)].push_back(fill.Bytes());
    }
    EXPECT_EQ(rows["device 1"], (std::vector<int64_t>{101, 201}));
    EXPECT_EQ(rows["device 0"], (std::vector<int64_t>{200, 300}));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(Profiling, CountsMemoryOfDevicesAndPools) {
    ACL_OK(aclprofStart(config_));
    {
        DeviceMemory memory(kSize);
        PinnedMemory pinned(kSize);
        aclrtMemPoolProps props{};
        props.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
        props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
        aclrtMemPool pool = nullptr;
        ACL_OK(aclrtMemPoolCreate(&pool, &props));
        Stream stream;
        void* block = nullptr;
        ACL_OK(aclrtMemPoolMallocAsync(&block, 4096, pool, stream));
        ACL_OK(aclprofStop(config_));  // Looks at everything.
        ACL_OK(aclrtMemPoolFreeAsync(block, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclrtMemPoolDestroy(pool));
    }
    const Trace trace = Finish();
    int64_t device = 0, host = 0, pool = 0, last = -1;
    for (const TraceEvent& event : trace.Events()) {
        if (event.phase != 'C') continue;
        if (event.name == "memory in use") {
            device = std::max(device, event.Bytes());
            last = event.Bytes();
        }
        if (event.name == "page-locked memory in use") host = std::max(host, event.Bytes());
        if (event.name.rfind("pool 0x", 0) == 0) pool = std::max(pool, event.Bytes());
    }
    EXPECT_GE(device, int64_t(kSize));
    EXPECT_GE(host, int64_t(kSize));
    EXPECT_GE(pool, 4096);
    EXPECT_LT(last, device);
}

TEST_F(Profiling, IsCompleteAfterFinalize) {
    ACL_OK(aclprofStart(config_));
    DeviceMemory memory(kSize);
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, 500, nullptr));
    memory.Release();
    ACL_OK(aclFinalize());
    EXPECT_EQ(Sizes(Only(folder_).Bars("fill")), std::vector<int64_t>{500});
    ACL_FAILS_SAYING(ACL_ERROR_PROF_NOT_RUN, aclprofStop(config_), "not started");
    ACL_OK(aclprofFinalize());
    ACL_OK(aclInit(nullptr));
}

TEST_F(Profiling, BeginsAnewInAnotherFile) {
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclprofFinalize());
    ACL_OK(InitIn(folder_));
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclprofFinalize());
    const std::filesystem::directory_iterator files(folder_);
    EXPECT_EQ(std::distance(begin(files), end(files)), 2);
}

// ---- what the program puts in ----

TEST_F(Profiling, HasRangesAndMarksOfThreads) {
    void* outer = aclprofCreateStamp();
    void* inner = aclprofCreateStamp();
    void* nameless = aclprofCreateStamp();
    const std::string text = "epoch \"1\"\n\xff";
    ACL_OK(aclprofSetStampTraceMessage(outer, text.data(), text.size()));
    ACL_OK(aclprofSetStampTraceMessage(inner, "batch\0rest", 10));
    ACL_OK(aclprofPush(outer));  // Before the trace: it has no end there.
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclprofPush(outer));
    ACL_OK(aclprofPush(inner));
    ACL_OK(aclprofMark(nameless));
    uint32_t first = 0, second = 0;
    ACL_OK(aclprofRangeStart(outer, &first));
    ACL_OK(aclprofRangeStart(inner, &second));
    EXPECT_NE(first, second);
    ACL_OK(aclprofPop());
    OnNewThread([&] { ACL_OK(aclprofRangeStop(first)); });
    ACL_OK(aclprofPop());
    ACL_OK(aclprofPop());
    ACL_OK(aclprofPush(inner));  // The trace ends before it does.
    for (void* stamp : {outer, inner, nameless}) aclprofDestroyStamp(stamp);
    const Trace trace = Finish();
    ACL_OK(aclprofPop());
    ACL_OK(aclprofRangeStop(second));

    std::string nesting;
    for (const TraceEvent& event : trace.Events()) {
        if (event.phase == 'B') nesting += "(" + event.name;
        if (event.phase == 'E') nesting += ")";
    }
    EXPECT_EQ(nesting, "(epoch \"1\"\n\xef\xbf\xbd(batch))(batch)");
    EXPECT_EQ(trace.Named('b', "batch").size(), 1u);
    EXPECT_EQ(trace.Where([](const TraceEvent& event) { return event.phase == 'e'; }).size(), 2u);
    ASSERT_EQ(trace.Named('i', "stamp").size(), 1u);
}

TEST_F(Profiling, HasOperatorsWithTheirTensors) {
    const uint64_t name = aclprofStr2Id("MatMul_12"), type = aclprofStr2Id("MatMul");
    EXPECT_NE(name, 0u);
    EXPECT_NE(name, type);
    EXPECT_EQ(aclprofStr2Id("MatMul"), type);
    aclprofTensor tensors[2]{};
    tensors[0] = {0, 2, 1, 2, {3, 4}};
    tensors[1] = {1, 2, 0, 0, {}};
    aclprofTensorInfo info{};
    info.opNameId = name;
    info.opTypeId = type;
    info.tensorNum = 2;
    info.blockNums = 24;
    info.tensors = tensors;
    aclprofEventAttributes attributes{};
    attributes.version = ACL_PROF_EVENT_ATTR_VERSION;
    attributes.size = sizeof attributes;
    attributes.messageType = ACL_PROF_MESSAGE_TYPE_TENSOR_INFO;
    attributes.message.tensorInfo = &info;
    ACL_OK(aclprofRangePushEx(&attributes));  // Also while nothing is recorded.
    ACL_OK(aclprofRangePop());
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclprofRangePushEx(&attributes));
    ACL_OK(aclprofRangePop());
    const Trace trace = Finish();
    const auto ranges = trace.Named('B', "MatMul_12");
    ASSERT_EQ(ranges.size(), 1u);
    EXPECT_EQ(ranges[0].args["type"].text, "MatMul");
    EXPECT_EQ(ranges[0].args["blocks"].text, "24");
    EXPECT_EQ(ranges[0].args["inputs"].text, "[3, 4] of type 1, format 2");
    EXPECT_EQ(ranges[0].args["outputs"].text, "[] of type 0, format 2");

    // What it refuses, each field for itself.
    const auto refused = [&](aclError code, auto change, const std::string& words) {
        aclprofEventAttributes wrong = attributes;
        aclprofTensorInfo wrong_info = info;
        aclprofTensor wrong_tensors[2] = {tensors[0], tensors[1]};
        wrong_info.tensors = wrong_tensors;
        wrong.message.tensorInfo = &wrong_info;
        change(wrong, wrong_info, wrong_tensors);
        ACL_FAILS_SAYING(code, aclprofRangePushEx(&wrong), words);
    };
    using A = aclprofEventAttributes&;
    using I = aclprofTensorInfo&;
    using T = aclprofTensor*;
    refused(
        ACL_ERROR_INVALID_PARAM, [](A a, I, T) { a.version = 2; }, "version is 2");
    refused(
        ACL_ERROR_INVALID_PARAM, [](A a, I, T) { a.size = 15; }, "size is 15");
    refused(
        ACL_ERROR_INVALID_PARAM, [](A a, I, T) { a.messageType = 1; }, "messageType is 1");
    refused(
        ACL_ERROR_INVALID_PARAM, [](A a, I, T) { a.message.tensorInfo = nullptr; }, "tensorInfo");
    refused(
        ACL_ERROR_INVALID_PARAM, [](A, I i, T) { i.tensorNum = 257; }, "tensorNum is 257");
    refused(
        ACL_ERROR_INVALID_PARAM, [](A, I i, T) { i.tensors = nullptr; }, "tensors is null");
    refused(
        ACL_ERROR_INVALID_PARAM, [](A, I, T t) { t[1].shapeDim = 9; }, "tensors[1].shapeDim is 9");
    refused(
        ACL_ERROR_INVALID_PARAM, [](A, I, T t) { t[0].type = 2; }, "tensors[0].type is 2");
    refused(
        kDead, [](A, I i, T) { i.opNameId = 0; }, "opNameId is 0");
    refused(
        kDead, [](A, I i, T) { i.opTypeId = UINT64_MAX; }, "opTypeId is 18446744073709551615");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofRangePushEx(nullptr), "attr is null");
    ACL_FAILS_SAYING(kDead, aclprofRangePop(), "no range of this thread is open");
    ACL_FAILS_SAYING(kDead, aclprofPop(), "no range of this thread is open");
}

TEST_F(Profiling, HasMarksAndStepsInStreamOrder) {
    Stream stream;
    Gate gate;
    aclprofStepInfo* step = aclprofCreateStepInfo();
    ASSERT_NE(step, nullptr);
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclprofGetStepTimestamp(step, ACL_STEP_START, stream));
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclprofMarkEx("after the gate", 14, stream));
    char loss[] = "loss 0.5";
    ACL_OK(aclrtProfTrace(loss, sizeof loss, stream));
    unsigned char bytes[] = {1, 255};
    ACL_OK(aclrtProfTrace(bytes, 2, stream));
    ACL_OK(aclprofGetStepTimestamp(step, ACL_STEP_END, stream));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclprofGetStepTimestamp(step, ACL_STEP_START, nullptr));  // Again, and without an end.
    aclprofDestroyStepInfo(step);
    ACL_OK(aclrtSynchronizeStream(nullptr));
    const Trace trace = Finish();
    const auto gates = trace.Named('X', "host function");
    ASSERT_EQ(gates.size(), 1u);
    for (const char* name : {"after the gate", "loss 0.5", "data 01 ff"}) {
        const auto marks = trace.Named('i', name);
        ASSERT_EQ(marks.size(), 1u) << name;
        EXPECT_EQ(marks[0].track, gates[0].track);
        EXPECT_GE(marks[0].begin, gates[0].end - (OnCpu() ? 0 : 1000));
    }
    const auto steps = trace.Bars("step");
    ASSERT_EQ(steps.size(), 2u);
    EXPECT_LE(steps[0].begin, gates[0].begin + (OnCpu() ? 0 : 1000));
    EXPECT_GE(steps[0].end, gates[0].end - (OnCpu() ? 0 : 1000));
    EXPECT_EQ(trace.NameOf(steps[0].track).substr(0, 8), "device 0");
    EXPECT_NE(trace.NameOf(steps[0].track).find("/ steps"), std::string::npos);
}

void MarkInside(void* stamp) {
    EXPECT_EQ(aclprofMark(stamp), 0);
    EXPECT_EQ(aclprofPush(stamp), 0);
    EXPECT_EQ(aclprofPop(), 0);
    EXPECT_EQ(aclprofMarkEx("x", 1, nullptr), kDead);
    EXPECT_EQ(aclprofInit("x", 1), kDead);
    EXPECT_EQ(aclprofFinalize(), kDead);
}

TEST_F(Profiling, MarksInsideHostFunctionsButDoesNotBeginOrEndThere) {
    Stream stream;
    void* stamp = aclprofCreateStamp();
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclrtLaunchHostFunc(stream, &MarkInside, stamp));
    ACL_OK(aclrtSynchronizeStream(stream));
    aclprofDestroyStamp(stamp);
    const Trace trace = Finish();
    ASSERT_EQ(trace.Named('i', "stamp").size(), 1u);
    EXPECT_NE(trace.Named('i', "stamp")[0].track.second, getpid());
}

TEST_F(Profiling, RecordsManyThreadsAtOnce) {
    constexpr int kThreads = 8, kRounds = 200;
    ACL_OK(aclprofStart(config_));
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([] {
            ACL_OK(aclrtSetDevice(0));
            Stream stream;
            DeviceMemory memory(4096);
            void* stamp = aclprofCreateStamp();
            for (int i = 0; i < kRounds; ++i) {
                ACL_OK(aclprofPush(stamp));
                ACL_OK(aclrtMemsetAsync(memory.At(), 4096, i, 64, stream));
                ACL_OK(aclprofPop());
            }
            ACL_OK(aclrtSynchronizeStream(stream));
            aclprofDestroyStamp(stamp);
        });
    }
    for (std::thread& thread : threads) thread.join();
    const Trace trace = Finish();
    EXPECT_EQ(trace.Bars("fill").size(), size_t(kThreads * kRounds));
    EXPECT_EQ(trace.Named('B', "stamp").size(), size_t(kThreads * kRounds));
    std::set<TrackKey> rows;
    for (const TraceEvent& fill : trace.Bars("fill")) rows.insert(fill.track);
    EXPECT_EQ(rows.size(), size_t(kThreads));
}

// ---- options ----

TEST_F(Profiling, EndsTheFileAtItsLimit) {
    ACL_OK(SetOption(ACL_PROF_STORAGE_LIMIT, "1MB"));
    ACL_OK(aclprofStart(config_));
    void* stamp = aclprofCreateStamp();
    const std::string text(16000, 'x');
    ACL_OK(aclprofSetStampTraceMessage(stamp, text.data(), 16000));
    testing::internal::CaptureStderr();
    for (int i = 0; i < 200; ++i) ACL_OK(aclprofMark(stamp));
    ACL_OK(aclprofStop(config_));
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("the trace"), std::string::npos) << said;
    aclprofDestroyStamp(stamp);
    ACL_OK(aclprofFinalize());
    for (const auto& file : std::filesystem::directory_iterator(folder_)) {
        EXPECT_LE(file.file_size(), uintmax_t(1 << 20));
        (void)Trace::Read(file.path());
    }
}

TEST_F(Profiling, WritesWhereTheOptionSays) {
    const std::string other = NewFolder();
    ACL_OK(SetOption(ACL_PROF_PATH, other + "/below"));
    ACL_OK(aclprofStart(config_));
    ACL_FAILS_SAYING(ACL_ERROR_PROF_ALREADY_RUN,
                     aclprofSetConfig(ACL_PROF_PATH, other.data(), other.size()), "aclprofStart");
    ACL_OK(aclprofFinalize());
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
    EXPECT_FALSE(std::filesystem::is_empty(other + "/below"));
    std::filesystem::remove_all(other);
}

TEST_F(Profiling, RefusesOptionsThatMeanNothing) {
    const auto refuse = [](aclError code, int type, const std::string& value,
                           const std::string& words) {
        ACL_FAILS_SAYING(
            code,
            aclprofSetConfig(static_cast<aclprofConfigType>(type), value.data(), value.size()),
            words);
    };
    for (int type : {int(ACL_PROF_ARGS_MIN), int(ACL_PROF_ARGS_MAX), 2, -1, INT32_MAX})
        refuse(ACL_ERROR_INVALID_PARAM, type, "1", "configType is " + std::to_string(type));
    for (int type = ACL_PROF_SYS_HARDWARE_MEM_FREQ; type < ACL_PROF_PATH; ++type)
        refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, type, "1",
               "configType is " + std::to_string(type));
    for (const char* value :
         {"0", "MB", "1GB", "-1", "17592186044416", "1 MB", "99999999999999999999"})
        refuse(ACL_ERROR_INVALID_PARAM, ACL_PROF_STORAGE_LIMIT, value, value);
    refuse(ACL_ERROR_INVALID_FILE, ACL_PROF_PATH, "/proc/no/such", "/proc/no/such");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofSetConfig(ACL_PROF_PATH, nullptr, 1),
                     "config is null");
    for (size_t length : {size_t(0), size_t(4097), SIZE_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofSetConfig(ACL_PROF_PATH, "x", length),
                         "configLength is " + std::to_string(length));
    ACL_OK(aclprofFinalize());
    refuse(ACL_ERROR_PROF_NOT_RUN, ACL_PROF_STORAGE_LIMIT, "1", "aclprofInit");
}

// ---- order of calls, and bad arguments ----

TEST_F(Profiling, HasAnOrder) {
    ACL_FAILS_SAYING(ACL_ERROR_PROF_ALREADY_RUN, aclprofInit(folder_.data(), folder_.size()),
                     "aclprofFinalize first");
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

TEST_F(Profiling, RefusesBadConfigs) {
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
    refused(create(ids, UINT32_MAX, 255, nullptr), ACL_ERROR_INVALID_PARAM,
            "deviceNums is 4294967295");
    refused(create(ids, 2, 255, nullptr), ACL_ERROR_RT_INVALID_DEVICEID,
            "device " + std::to_string(ids[1]));
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
    for (const void* wrong : {static_cast<const void*>(static_cast<aclrtStream>(stream)),
                              static_cast<const void*>(ids)}) {
        ACL_FAILS(kDead, aclprofDestroyConfig(As<aclprofConfig>(wrong)));
        ACL_FAILS(kDead, aclprofStart(As<aclprofConfig>(wrong)));
        ACL_FAILS(kDead, aclprofStop(As<aclprofConfig>(wrong)));
    }
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofDestroyConfig(nullptr),
                     "profilerConfig is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofStart(nullptr), "profilerConfig is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofStop(nullptr), "profilerConfig is null");
}

TEST(ProfilingInit, RefusesBadPaths) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofInit(nullptr, 1),
                     "profilerResultPath is null");
    for (size_t length : {size_t(0), size_t(4097), SIZE_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofInit("x", length),
                         "length is " + std::to_string(length));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclprofInit("/proc/no/such", 13), "/proc/no/such");
    ACL_FAILS(ACL_ERROR_PROF_NOT_RUN, aclprofFinalize());
}

TEST_F(Profiling, RefusesBadStampsAndSteps) {
    Stream stream;
    void* const dead = aclprofCreateStamp();
    aclprofDestroyStamp(dead);
    auto* dead_step = aclprofCreateStepInfo();
    aclprofDestroyStepInfo(dead_step);
    uint32_t id = 77;
    const auto refuse = [&](void* wrong, aclError code, const std::string& words) {
        ACL_FAILS_SAYING(code, aclprofMark(wrong), words);
        ACL_FAILS_SAYING(code, aclprofPush(wrong), words);
        ACL_FAILS_SAYING(code, aclprofRangeStart(wrong, &id), words);
        ACL_FAILS_SAYING(code, aclprofSetStampTraceMessage(wrong, "x", 1), words);
        aclprofDestroyStamp(wrong);
        EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), code);
    };
    refuse(nullptr, ACL_ERROR_INVALID_PARAM, "stamp is null");
    refuse(dead, kDead, "destroyed");
    refuse(static_cast<aclrtStream>(stream), kDead, "kind stream");
    refuse(&id, kDead, "not a handle");
    EXPECT_EQ(id, 77u);

    const auto refuse_step = [&](void* wrong, aclError code, const std::string& words) {
        auto* step = static_cast<aclprofStepInfo*>(wrong);
        ACL_FAILS_SAYING(code, aclprofGetStepTimestamp(step, ACL_STEP_START, stream), words);
        aclprofDestroyStepInfo(step);
        EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), code);
    };
    refuse_step(nullptr, ACL_ERROR_INVALID_PARAM, "null");
    refuse_step(dead_step, kDead, "destroyed");
    refuse_step(static_cast<aclrtStream>(stream), kDead, "kind stream");
    refuse_step(&id, kDead, "not a handle");

    void* stamp = aclprofCreateStamp();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofRangeStart(stamp, nullptr), "rangeId is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofSetStampTraceMessage(stamp, nullptr, 1),
                     "msg is null");
    for (uint32_t length : {0u, 16385u, UINT32_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofSetStampTraceMessage(stamp, "x", length),
                         "msgLen is " + std::to_string(length));
    ACL_OK(aclprofRangeStart(stamp, &id));
    ACL_OK(aclprofRangeStop(id));
    ACL_FAILS_SAYING(kDead, aclprofRangeStop(id), "stopped before");
    ACL_FAILS_SAYING(kDead, aclprofRangeStop(0), "rangeId 0");
    aclprofDestroyStamp(stamp);

    aclprofStepInfo* step = aclprofCreateStepInfo();
    for (int tag : {-1, 2})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM,
                         aclprofGetStepTimestamp(step, static_cast<aclprofStepTag>(tag), stream),
                         "tag is " + std::to_string(tag));
    ACL_FAILS_SAYING(kDead, aclprofGetStepTimestamp(step, ACL_STEP_END, stream), "has not begun");
    ACL_OK(aclprofGetStepTimestamp(step, ACL_STEP_START, stream));
    ACL_FAILS_SAYING(kDead, aclprofGetStepTimestamp(step, ACL_STEP_START, stream),
                     "has begun already");
    ACL_FAILS_SAYING(kDead, aclprofGetStepTimestamp(step, ACL_STEP_END, &id), "not a handle");
    ACL_OK(aclprofGetStepTimestamp(step, ACL_STEP_END, stream));
    aclprofDestroyStepInfo(step);
}

TEST_F(Profiling, RefusesBadMarks) {
    int number = 0;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofMarkEx(nullptr, 1, nullptr), "msg is null");
    for (size_t length : {size_t(0), size_t(16385), SIZE_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclprofMarkEx("x", length, nullptr),
                         "msgLen is " + std::to_string(length));
    ACL_FAILS_SAYING(kDead, aclprofMarkEx("x", 1, &number), "not a handle");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtProfTrace(nullptr, 1, nullptr),
                     "userdata is null");
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

// ---- the life of the process ----

OWN_PROCESS_TEST(ProfilingLife, WorksBeforeInitAndKeepsStampsAfterFinalize) {
    const std::string folder = NewFolder();
    void* stamp = aclprofCreateStamp();
    ACL_OK(InitIn(folder));
    ACL_OK(aclInit(nullptr));
    aclprofConfig* config = ConfigFor({0});
    ACL_OK(aclprofStart(config));
    ACL_OK(aclprofMark(stamp));
    ACL_OK(aclFinalize());
    ACL_OK(aclprofMark(stamp));
    ACL_OK(aclprofDestroyConfig(config));
    ACL_OK(aclprofFinalize());
    EXPECT_EQ(Only(folder).Named('i', "stamp").size(), 1u);
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclprofMarkEx("x", 1, nullptr));
    aclprofDestroyStamp(stamp);
}

TEST(ProfilingLife, GoesToTheVariablesFileIfThatIsSet) {
    const std::string path =
        testing::TempDir() + "portacl_both_" + std::to_string(getpid()) + ".json";
    RunInOwnProcess(
        [] {
            const std::string folder = NewFolder();
            ACL_OK(aclInit(nullptr));
            ACL_OK(aclrtSetDevice(0));
            ACL_OK(InitIn(folder));
            aclprofConfig* config = ConfigFor({0});
            ACL_OK(aclprofStart(config));
            ACL_OK(aclprofMarkEx("here", 4, nullptr));
            ACL_OK(aclprofFinalize());
            ACL_OK(aclprofMarkEx("still here", 10, nullptr));
            ACL_OK(aclprofDestroyConfig(config));
            EXPECT_TRUE(std::filesystem::is_empty(folder));
            std::filesystem::remove_all(folder);
            ACL_OK(aclFinalize());
        },
        {{"PORTACL_TRACE", path}});
    if (std::getenv("PORTACL_TEST_OWN_PROCESS")) return;
    const Trace trace = Trace::Read(path);
    trace.Check();
    EXPECT_EQ(trace.Named('i', "here").size(), 1u);
    EXPECT_EQ(trace.Named('i', "still here").size(), 1u);
    std::remove(path.c_str());
}

}  // namespace

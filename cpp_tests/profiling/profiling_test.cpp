// aclprof...: traces that a program starts, and what it adds to them.

#include <acl/acl_prof.h>
#include <acl/acl_rt_memory_soma.h>

#include "support/gate.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/profiling/profiling.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 1 << 20;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;

std::vector<int64_t> Sizes(const std::vector<TraceEvent>& events) {
    std::vector<int64_t> sizes;
    for (const TraceEvent& event : events) sizes.push_back(event.Bytes());
    return sizes;
}

// ---- what is recorded ----

TEST_F(Profiling, RecordsStreamsThatExistBetweenStartAndStop) {
    Stream stream;
    DeviceMemory memory(kSize), the_hosts(kSize), anothers(kSize);
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, 100, stream));
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, 200, stream));
    ACL_OK(aclrtMemset(the_hosts.At(), kSize, 1, 201));
    Stream another;
    ACL_OK(aclrtMemsetAsync(anothers.At(), kSize, 1, 202, another));
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
    std::vector<std::string> calls;
    for (const TraceEvent& call : trace.Bars("call")) calls.push_back(call.name);
    std::sort(calls.begin(), calls.end());
    // A stream that is known to be idle is not waited for.
    calls.erase(std::remove(calls.begin(), calls.end(), "aclrtSynchronizeStream"), calls.end());
    EXPECT_EQ(calls, (std::vector<std::string>{"aclrtMemset", "aclrtMemsetAsync", "aclrtMemsetAsync",
                                               "aclrtMemsetAsync", "aclrtSynchronizeDevice"}));
}

TEST_F(Profiling, RecordsWorkThatIsPendingAtTheEnd) {
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
    EXPECT_EQ(functions[0].args.at("state"), "unfinished");
    EXPECT_LT(functions[0].begin, functions[0].end);
}

TEST_F(Profiling, RecordsTheRequestedDevices) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    aclprofConfig* second = ConfigFor({1, 1});
    ASSERT_NE(second, nullptr);
    void* outside = nullptr;
    aclrtStream stream = nullptr;
    DeviceMemory memory(kSize);
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtMalloc(&outside, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtCreateStream(&stream));
    const auto fill_both = [&](size_t bytes) {
        ACL_OK(aclrtSetDevice(1));
        ACL_OK(aclrtMemsetAsync(outside, kSize, 1, bytes + 1, stream));
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
    ACL_OK(aclrtFree(outside));
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
        ACL_OK(aclprofStop(config_));  // Records all pending work.
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

TEST_F(Profiling, RestartsInAnotherFile) {
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclprofFinalize());
    ACL_OK(InitIn(folder_));
    ACL_OK(aclprofStart(config_));
    ACL_OK(aclprofFinalize());
    const std::filesystem::directory_iterator files(folder_);
    EXPECT_EQ(std::distance(begin(files), end(files)), 2);
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

TEST_F(Profiling, WritesToTheConfiguredFolder) {
    const std::string other = temporary_.At("other");
    ACL_OK(SetOption(ACL_PROF_PATH, other + "/below"));
    ACL_OK(aclprofStart(config_));
    ACL_FAILS_SAYING(ACL_ERROR_PROF_ALREADY_RUN, aclprofSetConfig(ACL_PROF_PATH, other.data(), other.size()),
                     "aclprofStart");
    ACL_OK(aclprofFinalize());
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
    EXPECT_FALSE(std::filesystem::is_empty(other + "/below"));
}

// ---- the session of the process ----

OWN_PROCESS_TEST(ProfilingSession, StampsWorkBeforeInitAndAfterFinalize) {
    const std::string folder = InOwnFolder("profile");
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

TEST(ProfilingSession, UsesTheFileOfTheVariable) {
    const TemporaryFolder both;
    const std::string path = both.At("trace.json");
    RunInOwnProcess(
        [] {
            const std::string folder = InOwnFolder("profile");
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
            ACL_OK(aclFinalize());
        },
        {{"PORTACL_TRACE", path}});
    if (std::getenv("PORTACL_TEST_OWN_PROCESS")) return;
    const Trace trace = Trace::Read(path);
    trace.Check();
    EXPECT_EQ(trace.Named('i', "here").size(), 1u);
    EXPECT_EQ(trace.Named('i', "still here").size(), 1u);
}

// What comes before the session has a file of its own.
TEST(ProfilingSession, DoesNotTakeTheSessionIntoItsFile) {
    const TemporaryFolder both;
    const std::string path = both.At("trace.json");
    RunInOwnProcess(
        [] {
            const std::string folder = InOwnFolder("profile");
            ACL_OK(InitIn(folder));
            aclprofConfig* config = ConfigFor({0});
            ACL_OK(aclprofStart(config));
            ACL_OK(aclInit(nullptr));
            ACL_OK(aclrtSetDevice(0));
            ACL_OK(aclprofMarkEx("of the session", 14, nullptr));
            ACL_OK(aclprofStop(config));
            ACL_OK(aclprofMarkEx("later", 5, nullptr));
            ACL_OK(aclprofDestroyConfig(config));
            ACL_OK(aclFinalize());
            ACL_OK(aclprofFinalize());
            for (const auto& file : std::filesystem::directory_iterator(folder)) {
                std::ifstream own(file.path());
                const std::string text(std::istreambuf_iterator<char>(own), {});
                EXPECT_EQ(text.find("of the session"), std::string::npos) << text;
            }
        },
        {{"PORTACL_TRACE", path}});
    if (std::getenv("PORTACL_TEST_OWN_PROCESS")) return;
    const Trace trace = Trace::Read(path);
    trace.Check();
    EXPECT_EQ(trace.Named('i', "of the session").size(), 1u);
    EXPECT_EQ(trace.Named('i', "later").size(), 1u);
}

}  // namespace

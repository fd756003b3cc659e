// PORTACL_TRACE: traces of a program that does not know about tracing.
#include "support/gate.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/profiling/with_trace.h"
#include "support/says.h"

#include <filesystem>

using namespace portacl_test;

namespace {

constexpr size_t kSize = 1 << 20;

// Memory sizes are sampled.
bool FileHas(const std::string& path, const char* text) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < deadline) {
        std::ifstream file(path);
        const std::string all(std::istreambuf_iterator<char>(file), {});
        if (all.find(text) != std::string::npos) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
}

int64_t Sum(const std::vector<TraceEvent>& events) {
    int64_t sum = 0;
    for (const TraceEvent& event : events) sum += event.Bytes();
    return sum;
}

// ---- each kind of work ----

void DoAllKinds() {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        Stream first, second;
        Event event;
        Program program;
        // A driver may wait for the gate when it loads a kernel.
        const aclrtFuncHandle mark = program.Kernel("mark");
        DeviceMemory a(kSize), b(kSize);
        PinnedMemory pinned(kSize, 7);
        ZeroWords words(4);
        Gate gate;
        const std::vector<unsigned char> pageable = Pattern(kSize / 2);
        ACL_OK(aclrtMemcpy(a.At(), kSize, pageable.data(), kSize / 2, ACL_MEMCPY_HOST_TO_DEVICE));
        ACL_OK(aclrtMemset(a.At(), kSize, 1, 4096));
        ACL_OK(gate.Hold(first));
        ACL_OK(aclrtMemcpyAsync(a.At(), kSize, pinned.At(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, first));
        ACL_OK(aclrtMemcpyAsync(b.At(), kSize, a.At(), 4096, ACL_MEMCPY_DEVICE_TO_DEVICE, first));
        ACL_OK(aclrtMemsetAsync(b.At(), kSize, 3, 8192, first));
        ACL_OK(aclrtReduceAsync(b.At(), a.At(), 1024, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, first, nullptr));
        // It reads 512 + 64 bytes, and writes 256 + 64.
        const portaclTaskBuffer buffers[] = {{a.At(), 512, PORTACL_TASK_READ},
                                             {b.At(), 256, PORTACL_TASK_WRITE},
                                             {b.At(256), 64, PORTACL_TASK_READ_WRITE}};
        portaclTaskOptions options{};
        options.structSize = sizeof options;
        options.name = "sums";
        const portaclTaskFunction nothing = [](portaclTask, void* const*, void*) { return ACL_SUCCESS; };
        ACL_OK(portaclLaunchTask(first, nothing, nullptr, buffers, std::size(buffers), &options));
        ACL_OK(Mark(mark, words.At(), 5, 4, first));
        ACL_OK(aclrtRecordEvent(event, first));
        ACL_OK(aclrtStreamWaitEvent(second, event));
        ACL_OK(aclrtMemcpy2dAsync(b.At(), 512, a.At(), 1024, 256, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, second));
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(first));
        ACL_OK(aclrtSynchronizeStream(second));
        EXPECT_EQ(words.Download<uint32_t>(), std::vector<uint32_t>(4, 5));
        EXPECT_TRUE(FileHas(std::getenv("PORTACL_TRACE"), "memory in use"));
    }
    ACL_OK(aclFinalize());
}

void CheckAllKinds(const Trace& trace) {
    std::map<std::string, std::vector<TraceEvent>> in_streams, on_threads;
    for (const TraceEvent& event : trace.Events()) {
        if (event.phase != 'X') continue;
        (trace.IsOfDevice(event) ? in_streams : on_threads)[event.name].push_back(event);
    }
    // Synchronous, on the calling thread: a copy and a fill, and the copies of the test's objects.
    ASSERT_EQ(on_threads["copy host to device"].size(), 2u);
    EXPECT_EQ(on_threads["copy host to device"][1].Bytes(), int64_t(kSize / 2));
    EXPECT_EQ(on_threads["copy host to device"][1].args.at("from"), "pageable host memory");
    EXPECT_EQ(Sum(on_threads["fill"]), 4096);
    EXPECT_EQ(Sum(on_threads["copy device to host"]), 16);

    const std::map<std::string, int64_t> sizes = {
        {"copy host to device", kSize}, {"copy in device", 4096 + 8 * 256}, {"fill", 8192}, {"reduce", 1024}};
    for (const auto& [name, bytes] : sizes) EXPECT_EQ(Sum(in_streams[name]), bytes) << name;
    const TraceEvent copy = in_streams["copy host to device"].at(0);
    EXPECT_EQ(copy.args.at("from"), "pinned host memory");
    EXPECT_EQ(copy.args.at("to"), "device 0");
    const double rate = double(copy.Bytes()) / double(std::max<Nanoseconds>(1, copy.end - copy.begin));
    EXPECT_NEAR(copy.args.at("GB/s"), rate, rate / 100 + 0.001);
    ASSERT_EQ(in_streams["mark"].size(), 1u);
    EXPECT_EQ(in_streams["mark"][0].category, "kernel");
    ASSERT_EQ(in_streams["host function"].size(), 1u);
    ASSERT_EQ(in_streams["sums"].size(), 1u);
    EXPECT_EQ(in_streams["sums"][0].category, "host");
    EXPECT_EQ(in_streams["sums"][0].Bytes(), 512 + 64);

    // One stream in order, after the host function that blocked it.
    const std::vector<std::string> order = {
        "host function", "copy host to device", "copy in device", "fill", "reduce", "sums", "mark"};
    std::vector<std::string> found;
    for (const TraceEvent& event :
         trace.Where([&](const TraceEvent& event) { return event.phase == 'X' && event.track == copy.track; }))
        found.push_back(event.name);
    EXPECT_EQ(found, order);
    EXPECT_NE(trace.NameOf(copy.track).find("stream 1"), std::string::npos) << trace.NameOf(copy.track);

    // The other stream waits for the kernel.
    ASSERT_EQ(in_streams["wait for event"].size(), 1u);
    const TraceEvent wait = in_streams["wait for event"][0];
    EXPECT_NE(wait.track, copy.track);
    const auto from = trace.Named('s', "event"), to = trace.Named('f', "event");
    ASSERT_EQ(from.size(), 1u);
    ASSERT_EQ(to.size(), 1u);
    EXPECT_EQ(trace.BarAt(from[0].track, from[0].begin)->name, "mark");
    EXPECT_EQ(trace.BarAt(to[0].track, to[0].begin)->name, "wait for event");
    EXPECT_GE(wait.end, in_streams["mark"][0].end - (OnCpu() ? 0 : 1000));

    // Memory in use, and nothing at the end.
    const auto sizes_in_use = trace.Named('C', "memory in use");
    ASSERT_FALSE(sizes_in_use.empty());
    EXPECT_EQ(sizes_in_use.back().Bytes(), 0);
}

TEST(Trace, HasEachKindOfWork) {
    WithTrace("kinds", DoAllKinds, CheckAllKinds);
}

// ---- ends ----

void DoALittle() {
    ACL_OK(aclrtSetDevice(0));
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtMemsetAsync(memory, kSize, 1, kSize, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
}

void CheckALittle(const Trace& trace) {
    EXPECT_EQ(Sum(trace.Bars("fill")), int64_t(kSize));
}

TEST(Trace, IsCompleteWithoutFinalize) {
    WithTrace("exit", DoALittle, CheckALittle, {{"FAKE_CUDA_LEAK_CHECK", "0"}});
}

TEST(Trace, CanBeReadWhenTheProgramWasKilled) {
    if (const char* own = std::getenv("PORTACL_TEST_OWN_PROCESS"); own && CurrentTest() == own) {
        DoALittle();
        // No call requests the writing: it happens regularly.
        const std::string file = std::getenv("PORTACL_TRACE");
        const auto deadline = std::chrono::steady_clock::now() + kPatience;
        for (std::string text; text.find("\"fill\"") == std::string::npos;) {
            ASSERT_LT(std::chrono::steady_clock::now(), deadline) << text;
            std::ifstream stream(file);
            std::stringstream read;
            read << stream.rdbuf();
            text = read.str();
            std::this_thread::yield();
        }
        kill(getpid(), SIGKILL);
    }
    const TemporaryFolder folder;
    const std::string path = folder.At("killed.json");
    const ProcessResult result = RunProcess("/proc/self/exe", {"--gtest_filter=" + CurrentTest(), "--gtest_color=no"},
                                            {{"PORTACL_TRACE", path}, {"PORTACL_TEST_OWN_PROCESS", CurrentTest()}});
    EXPECT_EQ(result.signal, SIGKILL) << result.output;
    const Trace trace = Trace::Read(path);
    trace.Check();
    CheckALittle(trace);
}

void LiveTwice() {
    for (int session = 0; session < 2; ++session) {
        ACL_OK(aclInit(nullptr));
        DoALittle();
        ACL_OK(aclFinalize());
    }
}

TEST(Trace, ContinuesInTheNextSession) {
    WithTrace("lives", LiveTwice, [](const Trace& trace) { EXPECT_EQ(Sum(trace.Bars("fill")), int64_t(2 * kSize)); },
              {{"FAKE_CUDA_LEAK_CHECK", "0"}});
}

void ResetTwice() {
    ACL_OK(aclInit(nullptr));
    for (int opening = 0; opening < 2; ++opening) {
        DoALittle();
        ACL_OK(aclrtResetDeviceForce(0));
    }
    ACL_OK(aclFinalize());
}

TEST(Trace, RecordsADeviceBeforeItsReset) {
    WithTrace("resets", ResetTwice, [](const Trace& trace) { EXPECT_EQ(Sum(trace.Bars("fill")), int64_t(2 * kSize)); });
}

// ---- dropped work ----

void Abort() {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        Stream stream;
        DeviceMemory memory(kSize);
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ASSERT_TRUE(gate.AwaitArrival());
        ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, 4096, stream));
        ACL_OK(aclrtStreamAbort(stream));
        gate.Open();
        ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 2, 512, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
    }
    ACL_OK(aclFinalize());
}

TEST(Trace, LeavesOutDroppedWork) {
    WithTrace("abort", Abort, [](const Trace& trace) {
        std::set<int64_t> sizes;
        for (const TraceEvent& fill : trace.Bars("fill")) sizes.insert(fill.Bytes());
        EXPECT_TRUE(sizes.count(512));
        // A GPU completes the work that it holds.
        if (OnCpu()) {
            EXPECT_FALSE(sizes.count(4096));
        }
    });
}

// ---- failures of the trace ----

TEST(Trace, NeverMakesACallFail) {
    // Each site is the first backend call of the trace at it.
    for (const char* fault : {"device.create_event:1", "stream.record:1", "stream.record:2", "event.time_ns:1"}) {
        SCOPED_TRACE(fault);
        WithTrace(
            "faults", DoALittle,
            [](const Trace& trace) {
                const size_t lost =
                    trace.Where([](const TraceEvent& event) { return event.name == "1 operation was not recorded"; })
                        .size();
                EXPECT_EQ(trace.Bars("fill").size() + lost, 1u);
            },
            {{"PORTACL_FAULT", fault}, {"FAKE_CUDA_LEAK_CHECK", "0"}});
        if (std::getenv("PORTACL_TEST_OWN_PROCESS")) return;
    }
}

// ---- more events than buffers ----

constexpr int kMany = 20000, kMore = 500;

void QueueMany() {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        Stream stream;
        DeviceMemory memory(64);
        {
            Gate gate;
            // The queue of a GPU's driver holds fewer operations than the trace.
            if (OnCpu()) {
                ACL_OK(gate.Hold(stream));
            }
            for (int i = 0; i < kMany; ++i) ACL_OK(aclrtMemsetAsync(memory.At(), 64, i % 251, 64, stream));
        }
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(memory.Download(), std::vector<unsigned char>(64, (kMany - 1) % 251));
        // There is room again when some events are written, which takes longer on a busy machine.
        ASSERT_TRUE(FileHas(std::getenv("PORTACL_TRACE"), "\"name\":\"fill\""));
        for (int i = 0; i < kMore; ++i) {
            ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 1, stream));
            ACL_OK(aclrtSynchronizeStream(stream));
        }
    }
    ACL_OK(aclFinalize());
}

TEST(Trace, CountsDroppedEvents) {
    WithTrace(
        "many", QueueMany,
        [](const Trace& trace) {
            const size_t fills = trace.Bars("fill").size();
            EXPECT_GT(fills, 8000u);
            const auto reported = trace.Where([](const TraceEvent& event) { return event.category == "portacl"; });
            if (OnCpu()) {
                EXPECT_LT(fills, size_t(kMany));
            }
            const size_t lost = kMany + kMore - fills;
            ASSERT_EQ(reported.size(), lost > 0 ? 1u : 0u);
            if (lost > 0) {
                EXPECT_EQ(reported[0].name,
                          std::to_string(lost) + (lost == 1 ? " operation was" : " operations were") + " not recorded");
            }
            // Recording continues afterwards.
            EXPECT_EQ(trace.Bars("fill").back().Bytes(), 1);
        },
        {{"FAKE_CUDA_DELAY_US", "0"}});
}

// ---- the variable ----

TEST(TraceVariable, HasTheNumberOfTheProcess) {
    const TemporaryFolder folder;
    RunInOwnProcess(DoALittle, {{"PORTACL_TRACE", folder.At("of_%p.json")}, {"FAKE_CUDA_LEAK_CHECK", "0"}});
    if (std::getenv("PORTACL_TEST_OWN_PROCESS")) return;
    std::vector<std::string> found;
    for (const auto& file : std::filesystem::directory_iterator(folder.path())) found.push_back(file.path().string());
    ASSERT_EQ(found.size(), 1u);
    const Trace trace = Trace::Read(found[0]);
    trace.Check();
    // Digits only in the place of %p.
    const size_t before = folder.At("of_").size();
    const std::string number = found[0].substr(before, found[0].size() - before - std::strlen(".json"));
    EXPECT_FALSE(number.empty());
    EXPECT_EQ(number.find_first_not_of("0123456789"), std::string::npos) << found[0];
}

OWN_PROCESS_TEST(TraceVariable, RefusesAFileThatCannotBeWritten, {"PORTACL_TRACE", "/no/such/folder/trace.json"}) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_FILE, aclInit(nullptr), "PORTACL_TRACE", "/no/such/folder/trace.json",
                     "No such file");
}

}  // namespace

// PORTACL_LEAK_CHECK: the call that destroys leaked memory and objects reports each of them once.
// leak_check_child is a program that keeps one object of each kind and ends in one of several ways;
// it is also linked statically.
#include <portacl/portacl.h>

#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/objects.h"
#include "support/own_process.h"

using namespace portacl_test;

namespace {

const std::vector<std::string> kTeardowns = {"reset", "force", "finalize", "reference", "exit"};

// Which call destroys an object that ends with a device, a session or the process.
std::string ReportingCall(const std::string& teardown, const std::string& ends_with) {
    const std::string process = "the end of the process";
    if (teardown == "exit" || teardown == "quick" || ends_with == "process") return process;
    if (teardown == "reference") return "aclFinalizeReference";
    if (teardown == "finalize" || ends_with == "session") return "aclFinalize";
    return teardown == "reset" ? "aclrtResetDevice" : "aclrtResetDeviceForce";
}

ProcessResult RunChild(const std::string& program, const std::string& teardown, const std::vector<std::string>& kept,
                       const std::string& mode, bool of_library = false) {
    // The kernels need functions of the shared library.
    const bool is_static = program == "leak_check_child_static";
    const std::string kernels =
        is_static ? "-" : (ProgramDirectory() / (OnCpu() ? "kernels.so" : "kernels.ptx")).string();
    std::vector<std::string> arguments{kernels, teardown};
    arguments.insert(arguments.end(), kept.begin(), kept.end());
    // The test double of the driver has its own check.
    Settings settings{{"PORTACL_LEAK_CHECK", mode}, {"FAKE_CUDA_LEAK_CHECK", "0"}};
    if (of_library) settings.push_back({"LEAK_CHECK_CHILD_OF_LIBRARY", "1"});
    // In a forked child LeakSanitizer looks for the threads of the parent.
    if (teardown == "fork") settings.push_back({"LSAN_OPTIONS", "detect_leaks=0"});
    return RunProcess(ProgramDirectory() / program, arguments, settings);
}

struct Kept {
    std::string handle, ends_with, name;
};

// What the child has kept, and the library's lines, by the call that destroys it.
struct Output {
    std::vector<Kept> kept;
    std::map<std::string, std::vector<std::string>> sections;
    std::vector<std::string> headings;

    explicit Output(const std::string& text) {
        std::istringstream lines(text);
        std::string reporting_call;
        const std::regex kept_line("kept (0x[0-9a-f]+) ([a-z]+): (.*)");
        const std::regex heading("portacl: at (.*?) ([0-9]+ .*) (is|are) not (freed|released)");
        for (std::string line; std::getline(lines, line);) {
            std::smatch match;
            if (std::regex_match(line, match, kept_line)) {
                kept.push_back({match[1], match[2], match[3]});
            } else if (std::regex_match(line, match, heading)) {
                reporting_call = match[1];
                headings.push_back(line);
            } else if (line.rfind("  ", 0) == 0 && line.rfind("    ", 0) != 0) {
                sections[reporting_call].push_back(line);
            }
        }
    }

    // How many lines of a call name this.
    size_t Count(const std::string& reporting_call, const Kept& one) const {
        const auto section = sections.find(reporting_call);
        if (section == sections.end()) return 0;
        size_t count = 0;
        for (const std::string& line : section->second)
            count += line.find(one.handle) != std::string::npos && line.find(one.name) != std::string::npos;
        return count;
    }

    size_t Lines() const {
        size_t count = 0;
        for (const auto& [reporting_call, lines] : sections) count += lines.size();
        return count;
    }
};

void ExpectAllReportedOnce(const std::string& program, const std::string& teardown) {
    SCOPED_TRACE(program + ", " + teardown);
    const ProcessResult result = RunChild(program, teardown, {"all"}, "1");
    EXPECT_TRUE(Succeeded(result));
    const Output output(result.output);
    EXPECT_EQ(output.kept.size(), program == "leak_check_child" ? 24u : 23u);
    for (const Kept& one : output.kept)
        EXPECT_EQ(output.Count(ReportingCall(teardown, one.ends_with), one), 1u) << one.name << " " << one.handle;
    EXPECT_EQ(output.Lines(), output.kept.size());
    if (testing::Test::HasFailure()) std::fputs(result.output.c_str(), stdout);
}

TEST(LeakCheck, ReportsEachKindOnceAtEachTeardown) {
    for (const std::string& teardown : kTeardowns) ExpectAllReportedOnce("leak_check_child", teardown);
    ExpectAllReportedOnce("leak_check_child", "quick");
}

TEST(LeakCheck, ReportsEachKindOnceInAStaticProgram) {
    for (const char* teardown : {"reset", "exit"}) ExpectAllReportedOnce("leak_check_child_static", teardown);
}

// A library that is built on this one keeps objects for the program, which cannot release them. Ranges of addresses and
// registrations have no handles, by which they would be known.
TEST(LeakCheck, ObjectsOfLibrariesAreNotReported) {
    for (const std::string& teardown : kTeardowns) {
        SCOPED_TRACE(teardown);
        const ProcessResult result = RunChild("leak_check_child", teardown, {"all"}, "1", true);
        EXPECT_TRUE(Succeeded(result));
        const Output output(result.output);
        EXPECT_EQ(output.kept.size(), 24u);
        size_t reported = 0;
        for (const Kept& one : output.kept) reported += output.Count(ReportingCall(teardown, one.ends_with), one);
        EXPECT_EQ(reported, 2u) << result.output;
        EXPECT_EQ(output.Lines(), 2u) << result.output;
    }
    for (const char* kind : {"binary", "stream", "event", "device memory", "data buffer"}) {
        SCOPED_TRACE(kind);
        const ProcessResult result = RunChild("leak_check_child", "reset", {kind}, "abort", true);
        EXPECT_TRUE(Succeeded(result)) << result.output;
    }
}

TEST(LeakCheck, AbortsAtEachTeardown) {
    for (const std::string& teardown : kTeardowns)
        for (const char* kind : {"stream", "step"}) {
            SCOPED_TRACE(teardown + ", " + kind);
            const ProcessResult result = RunChild("leak_check_child", teardown, {kind}, "abort");
            EXPECT_EQ(result.signal, SIGABRT) << result.output;
            EXPECT_NE(result.output.find(kind), std::string::npos) << result.output;
            EXPECT_NE(result.output.find("ended by PORTACL_LEAK_CHECK=abort"), std::string::npos) << result.output;
        }
}

// static: destructors of static objects free everything, after the atexit functions.
TEST(LeakCheck, PrintsNothingForAProgramThatFreesEverything) {
    std::vector<std::string> teardowns = kTeardowns;
    teardowns.insert(teardowns.end(), {"quick", "static", "fork"});
    for (const std::string& teardown : teardowns) {
        SCOPED_TRACE(teardown);
        const ProcessResult result = RunChild("leak_check_child", teardown, {}, "abort");
        EXPECT_TRUE(Succeeded(result));
        EXPECT_EQ(result.output, "");
    }
    for (const char* teardown : {"exit", "static"}) {
        SCOPED_TRACE(std::string("static program, ") + teardown);
        const ProcessResult result = RunChild("leak_check_child_static", teardown, {}, "abort");
        EXPECT_TRUE(Succeeded(result));
        EXPECT_EQ(result.output, "");
    }
}

// No frames outside main, and none of the library.
void ExpectFunctionsOfTheProgram(const std::string& text) {
    EXPECT_NE(text.find("main\n"), std::string::npos) << text;
    for (const char* other : {"libc_start", "_start", "core::", "algo::", "ffi::", "_Z"})
        EXPECT_EQ(text.find(other), std::string::npos) << other << " in " << text;
}

TEST(LeakCheck, NamesTheProgramsFunctionsOnly) {
    for (const char* teardown : {"finalize", "exit"})
        for (const char* kind : {"device memory", "stream"}) {
            SCOPED_TRACE(std::string(teardown) + ", " + kind);
            ExpectFunctionsOfTheProgram(RunChild("leak_check_child", teardown, {kind}, "1").output);
        }
}

TEST(LeakCheck, DemanglesCppNames) {
    // This program has no debugging information: names are those of the linker.
    const std::string text = RunChild("leak_check_child_static", "finalize", {"device memory"}, "1").output;
    EXPECT_NE(text.find("model::Load<unsigned long>(unsigned long)\n"), std::string::npos) << text;
    ExpectFunctionsOfTheProgram(text);
}

TEST(LeakCheck, CountsSingularAndPlural) {
    const auto headings = [](const std::vector<std::string>& kept) {
        const Output output(RunChild("leak_check_child", "finalize", kept, "1").output);
        std::string all;
        for (const std::string& line : output.headings) all += line + "\n";
        return all;
    };
    EXPECT_EQ(headings({"managed memory"}), "portacl: at aclFinalize 1 allocation of 1000 bytes is not freed\n");
    EXPECT_EQ(headings({"managed memory", "with the handle"}),
              "portacl: at aclFinalize 2 allocations of 2000 bytes in all are not freed\n");
    EXPECT_EQ(headings({"stream"}), "portacl: at aclFinalize 1 stream is not released\n");
    EXPECT_EQ(headings({"graph", "event"}), "portacl: at aclFinalize 1 event, 2 graphs are not released\n");
}

std::vector<std::string> LinesWith(const std::string& text, const std::string& word) {
    std::istringstream lines(text);
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);)
        if (line.find(word) != std::string::npos) found.push_back(line);
    return found;
}

OWN_PROCESS_TEST(LeakCheckInProcess, OfADeviceIsAboutThatDevice, {"PORTACL_LEAK_CHECK", "1"}) {
    ACL_OK(aclInit(nullptr));
    uint32_t count = 0;
    ACL_OK(aclrtGetDeviceCount(&count));
    if (count < 2) GTEST_SKIP() << "needs two devices";
    aclrtStream streams[2];
    void* memory[2];
    for (int id : {0, 1}) {
        ACL_OK(aclrtSetDevice(id));
        ACL_OK(aclrtCreateStream(&streams[id]));
        ACL_OK(aclrtMalloc(&memory[id], 100, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    const auto reported = [](const auto& call) {
        testing::internal::CaptureStderr();
        call();
        return testing::internal::GetCapturedStderr();
    };
    // The device is set twice, so the first reset releases nothing.
    ACL_OK(aclrtSetDevice(1));
    EXPECT_EQ(reported([] { ACL_OK(aclrtResetDevice(1)); }), "");
    const std::string one = reported([] { ACL_OK(aclrtResetDevice(1)); });
    EXPECT_EQ(LinesWith(one, "device memory on device 1").size(), 1u) << one;
    EXPECT_EQ(LinesWith(one, "  stream ").size(), 1u) << one;
    EXPECT_EQ(LinesWith(one, "device 0").size(), 0u) << one;
    const std::string rest = reported([] { ACL_OK(aclFinalize()); });
    EXPECT_EQ(LinesWith(rest, "device memory on device 0").size(), 1u) << rest;
    EXPECT_EQ(LinesWith(rest, "  stream ").size(), 1u) << rest;
    EXPECT_EQ(LinesWith(rest, "device 1").size(), 0u) << rest;
}

OWN_PROCESS_TEST(LeakCheckInProcess, OfAContextIsAboutItsStreams, {"PORTACL_LEAK_CHECK", "1"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    testing::internal::CaptureStderr();
    ACL_OK(aclrtDestroyContext(context));
    std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(LinesWith(text, "at aclrtDestroyContext 1 stream is not released").size(), 1u) << text;
    testing::internal::CaptureStderr();
    ACL_OK(aclFinalize());
    text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(text, "");
}

// A graph that allocates in each run and does not free.
aclmdlRI CaptureMalloc(aclrtStream stream, void** memory) {
    aclmdlRI graph = nullptr;
    ACL_EXPECT_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    ACL_EXPECT_OK(portaclMallocAsync(memory, 1000, stream));
    ACL_EXPECT_OK(aclmdlRICaptureEnd(stream, &graph));
    return graph;
}

OWN_PROCESS_TEST(LeakCheckInProcess, MemoryOfAGraphIsReportedWithoutIt, {"PORTACL_LEAK_CHECK", "1"},
                 {"FAKE_CUDA_LEAK_CHECK", "0"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    void *kept = nullptr, *left = nullptr;
    {
        const Stream stream;
        // This graph still has its memory: the graph is reported, its memory is not.
        CaptureMalloc(stream, &kept);
        // This graph is destroyed, and the program has its memory.
        const aclmdlRI graph = CaptureMalloc(stream, &left);
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclmdlRIDestroy(graph));
    }
    testing::internal::CaptureStderr();
    ACL_OK(aclrtResetDevice(0));
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(LinesWith(text, "1 graph is not released").size(), 1u) << text;
    EXPECT_EQ(LinesWith(text, "1 allocation of 1000 bytes is not freed").size(), 1u) << text;
    std::ostringstream address;
    address << left;
    EXPECT_EQ(LinesWith(text, address.str()).size(), 1u) << text;
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(LeakCheckInProcess, StartsAgainWithEachSession, {"PORTACL_LEAK_CHECK", "1"}) {
    for (int session = 0; session < 3; ++session) {
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        aclrtEvent event = nullptr;
        ACL_OK(aclrtCreateEvent(&event));
        if (session == 1) {
            ACL_OK(aclrtDestroyEvent(event));
        }
        testing::internal::CaptureStderr();
        ACL_OK(aclFinalize());
        const std::string text = testing::internal::GetCapturedStderr();
        EXPECT_EQ(LinesWith(text, "1 event is not released").size(), session == 1 ? 0u : 1u) << text;
    }
}

}  // namespace

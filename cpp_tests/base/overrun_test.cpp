// Accesses outside allocations, on the host and in kernels, are found in guard mode and under
// AddressSanitizer, in memory of every kind. Each fault occurs in its own process
// (overrun/child.cpp), always on the CPU.
#include <regex>

#include "support/own_process.h"

using namespace portacl_test;

namespace {

constexpr const char* kKinds[] = {"device",  "small", "rounded", "large", "pinned",
                                  "managed", "pool",  "graph",   "mapped"};

bool IsBuilt(const std::string& name) {
    return std::filesystem::exists(ProgramDirectory() / name);
}

// `variant`: how the program and its kernels were compiled.
ProcessResult Make(const std::string& variant, bool guard, const std::string& kind, const std::string& fault) {
    const auto folder = ProgramDirectory();
    Settings settings = {
        {"PORTACL_BACKEND", "cpu"}, {"PORTACL_CPU_GUARD", guard ? "1" : "0"}, {"PORTACL_CPU_MEMORY", "256M"}};
    if (variant == "plain") {
        // If all of this build has AddressSanitizer, it would end a killed process with an exit code.
        const char* options = std::getenv("ASAN_OPTIONS");
        settings.push_back({"ASAN_OPTIONS", (options ? options : "") + std::string(":handle_segv=0")});
    }
    return RunProcess((folder / ("overrun_child_" + variant)).string(),
                      {(folder / ("overrun_kernels_" + variant + ".so")).string(), kind, fault}, settings);
}

testing::AssertionResult Matches(const ProcessResult& result, const std::string& pattern) {
    if (std::regex_search(result.output, std::regex(pattern))) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "no " << pattern << " in:\n" << result.output;
}

testing::AssertionResult IsSilent(const ProcessResult& result) {
    const bool done = result.output.find("\ndone\n") != std::string::npos;
    const bool quiet =
        result.output.find("portacl:") == std::string::npos && result.output.find("Sanitizer") == std::string::npos;
    if (result.exit_code == 0 && done && quiet) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "exit code " << result.exit_code << ", signal " << result.signal
                                       << "; its output:\n"
                                       << result.output;
}

// Bytes of the allocation that the program may use.
std::string Size(const ProcessResult& result) {
    std::smatch found;
    return std::regex_search(result.output, found, std::regex("size ([0-9]+)")) ? found[1].str() : "?";
}

class Overrun : public testing::Test {
  protected:
    void SetUp() override {
        if (!IsBuilt("overrun_child_plain")) GTEST_SKIP() << "overrun_child was not built";
    }
};

class OverrunWithSanitizer : public Overrun {
  protected:
    void SetUp() override {
        if (!IsBuilt("overrun_child_asan")) GTEST_SKIP() << "this build already has a sanitizer";
    }
};

TEST_F(Overrun, CorrectProgramsReportNothing) {
    for (const std::string kind : kKinds) {
        for (const bool guard : {false, true}) {
            SCOPED_TRACE(kind + (guard ? " guard" : ""));
            EXPECT_TRUE(IsSilent(Make("plain", guard, kind, "none")));
        }
    }
}

// The rest of an allocation's last page has a canary. The kernel launch fails, and the stream stays
// usable.
TEST_F(Overrun, InGuardModeAKernelThatWritesFourBytesPastTheEndFails) {
    for (const std::string kind : {"device", "rounded", "pinned", "pool", "graph"}) {
        SCOPED_TRACE(kind);
        const auto result = Make("plain", true, kind, "kernel-near");
        EXPECT_TRUE(Matches(result, "portacl: a write changed 4 bytes at offset " + Size(result) +
                                        ", 0 bytes past the end of the allocation at 0x[0-9a-f]+ of " + Size(result) +
                                        " bytes (on device 0|in host memory); found when kernel "
                                        "write_at ended"));
        EXPECT_TRUE(Matches(result, "synchronize: 507015 .*past the end of the allocation"));
        EXPECT_EQ(result.exit_code, 0) << "what was found is found once:\n" << result.output;
    }
}

TEST_F(Overrun, InGuardModeAKernelThatWritesInFrontOfAnAllocationFails) {
    const auto result = Make("plain", true, "small", "kernel-before");
    EXPECT_TRUE(Matches(result, "4 bytes at offset -4, 4 bytes in front of the allocation"));
    EXPECT_TRUE(Matches(result, "synchronize: 507015"));
}

// Unallocated memory is inaccessible, also for kernels.
TEST_F(Overrun, InGuardModeAKernelThatAccessesUnallocatedMemoryIsKilled) {
    struct {
        const char* kind;
        const char* fault;
        const char* words;
    } const cases[] = {
        {"device", "kernel-far", "kernel write_at touched .* bytes past the end of the (freed )?allocation"},
        {"small", "kernel-far", "kernel write_at touched .* on device 0"},
        {"large", "kernel-near", "kernel write_at touched .* 0 bytes past the end of the allocation"},
        {"large", "kernel-far", "kernel write_at touched .* bytes past the end of the allocation"},
        {"managed", "kernel-near", "kernel write_at touched .* 0 bytes past the end of the allocation"},
        {"pool", "kernel-far", "kernel write_at touched .* in the pool segment at .* on device 0"},
        {"graph", "kernel-far", "kernel write_at touched .* in the pool segment at .* on device 0"},
        {"pool", "host-near", "the host touched .* in the pool segment at .* on device 0"},
        {"mapped", "kernel-near", ""},
        {"mapped", "kernel-far", ""},
        {"device", "kernel-freed", "kernel write_at touched .* at offset 8 in the freed allocation"},
        {"large", "kernel-freed", "kernel write_at touched .* at offset 8 in the freed allocation"},
        {"managed", "kernel-freed", "kernel write_at touched .* at offset 8 in the freed allocation"},
        {"pinned", "kernel-freed", ""},
        {"mapped", "kernel-freed", "kernel write_at touched .* on device 0"},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(std::string(one.kind) + " " + one.fault);
        const auto result = Make("plain", true, one.kind, one.fault);
        EXPECT_EQ(result.signal, SIGSEGV) << result.output;
        EXPECT_TRUE(Matches(result, one.words));
    }
}

TEST_F(Overrun, InGuardModeAHostAccessPastAnAllocationIsKilled) {
    for (const std::string kind : {"pinned", "managed"}) {
        for (const std::string fault : {"host-far", "host-freed"}) {
            SCOPED_TRACE(kind + " " + fault);
            if (kind == "pinned" && fault == "host-far") continue;  // this may be memory of the program
            EXPECT_EQ(Make("plain", true, kind, fault).signal, SIGSEGV);
        }
    }
}

// The memory is freed; the library returns the code, and the program ends here.
TEST_F(Overrun, InGuardModeAFreeReportsOverwrittenCanaries) {
    const auto result = Make("plain", true, "pinned", "host-near");
    EXPECT_TRUE(Matches(result,
                        "aclrtFreeHost.*: 507015 .*4 bytes at offset [0-9]+, 0 bytes past the end of "
                        "the allocation at .* in host memory; found when the allocation was freed"));
    EXPECT_TRUE(Matches(result, "(^|\n)portacl: a write changed 4 bytes at offset"));
}

TEST_F(OverrunWithSanitizer, CorrectProgramsReportNothing) {
    for (const std::string kind : kKinds) {
        for (const bool guard : {false, true}) {
            SCOPED_TRACE(kind + (guard ? " guard" : ""));
            EXPECT_TRUE(IsSilent(Make("asan", guard, kind, "none")));
        }
    }
}

// Addresses that nothing is mapped to are no memory.
std::string PastTheEnd(const std::string& kind) {
    return kind == "mapped" ? "ERROR: AddressSanitizer: SEGV" : "ERROR: AddressSanitizer: use-after-poison";
}

TEST_F(OverrunWithSanitizer, AccessesPastAnAllocationAreReported) {
    for (const std::string kind : kKinds) {
        for (const std::string fault : {"host-near", "kernel-near"}) {
            SCOPED_TRACE(kind + " " + fault);
            const auto result = Make("asan", false, kind, fault);
            EXPECT_TRUE(Matches(result, PastTheEnd(kind)));
            EXPECT_TRUE(Matches(result, kind == "mapped" ? "a WRITE memory access" : "WRITE of size 4"));
        }
    }
}

TEST_F(OverrunWithSanitizer, AccessesFarFromAnyAllocationAreReported) {
    for (const std::string kind : kKinds) {
        if (kind == "pinned") continue;  // what is there may be memory of the program
        for (const std::string fault : {"host-far", "kernel-far"}) {
            SCOPED_TRACE(kind + " " + fault);
            EXPECT_TRUE(Matches(Make("asan", false, kind, fault), "ERROR: AddressSanitizer"));
        }
    }
}

TEST_F(OverrunWithSanitizer, AccessesToFreedMemoryAreReported) {
    for (const std::string kind : kKinds) {
        for (const std::string fault : {"host-freed", "kernel-freed"}) {
            SCOPED_TRACE(kind + " " + fault);
            EXPECT_TRUE(Matches(Make("asan", false, kind, fault), PastTheEnd(kind)));
        }
    }
}

// The kernels' shared object is loaded from memory; its file has a name that can be opened.
TEST_F(Overrun, BacktracesShowTheNamesOfKernels) {
    const auto result = Make("plain", false, "device", "names");
    EXPECT_TRUE(Matches(result, "/proc/[0-9]+/fd/[0-9]+\\(say_where\\+0x[0-9a-f]+\\)"));
}

TEST_F(OverrunWithSanitizer, ReportsShowTheNamesAndLinesOfKernels) {
    const auto result = Make("asan", false, "device", "kernel-near");
    EXPECT_TRUE(Matches(result, "#0 0x[0-9a-f]+ in .*WriteAt.*kernels\\.cpp:[0-9]+"));
    EXPECT_TRUE(Matches(result, "in write_at "));
}

}  // namespace

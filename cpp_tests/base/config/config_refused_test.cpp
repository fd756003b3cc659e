// An invalid environment variable: calls fail with a text that names it, and one line on stderr
// reports it to programs that ignore return codes. Each case runs in its own process.
#include <portacl/portacl.h>

#include <sstream>
#include <string>
#include <vector>

#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

struct Case {
    const char* variable;
    const char* value;
    // What the process does (see Play), and whether its calls fail.
    const char* part;
    bool fails;
    // Other variables that it needs.
    Settings with = {};
};

const Settings kChecks = {{"PORTACL_CHECK", "all"}};
const Settings kSchedule = {{"PORTACL_SCHEDULE", "lazy"}, {"PORTACL_BACKEND", "cpu"}};

const Case kCases[] = {
    {"PORTACL_BACKEND", "cud", "call", true},
    {"PORTACL_CPU_DEVICES", "0", "call", true},
    {"PORTACL_CPU_MEMORY", "1K", "call", true},
    {"PORTACL_CPU_ASYNC", "alway", "call", true},
    {"PORTACL_CPU_SEED", "-1", "call", true},
    {"PORTACL_CPU_GUARD", "yes", "call", true},
    {"PORTACL_FINALIZE_TIMEOUT_MS", "0", "call", true},
    {"PORTACL_SNAPSHOT_TIMEOUT_MS", "soon", "call", true},
    {"PORTACL_FAULT", "device.aloc:1", "call", true},
    {"PORTACL_MEMORY_HOOK", "loud", "call", true},
    {"PORTACL_MEMORY_HOOK", "log:/no/such/folder/x", "call", true},
    {"PORTACL_MEMORY_HOOK", "profile:/no/such/folder/x", "call", true},
    {"PORTACL_LEAK_CHECK", "2", "call", true},
    {"PORTACL_TRACE", "/no/such/folder/x", "call", true},
    {"PORTACL_TRACE_PYTHON", "yes", "call", true},
    {"PORTACL_THREAD_STACK", "1K", "call", true},
    {"PORTACL_CHECK", "race", "call", true},
    {"PORTACL_CHECK_WAIT_MS", "0", "call", true, kChecks},
    {"PORTACL_CHECK_LOG", "/no/such/folder/x", "call", true, kChecks},
    {"PORTACL_CHECK_REPORT", "/no/such/folder/x", "call", true, kChecks},
    {"PORTACL_CHECK_EXIT", "0", "call", true, kChecks},
    {"PORTACL_CHECK_SUPPRESS", "/no/such/folder/x", "call", true, kChecks},
    {"PORTACL_CHECK_LIMIT", "none", "call", true, kChecks},
    {"PORTACL_CHECK_STACKS", "yes", "call", true, kChecks},
    {"PORTACL_SCHEDULE", "soon", "call", true},
    {"PORTACL_SCHEDULE_LOG", "/no/such/folder/x", "call", true, kSchedule},
    {"PORTACL_FAULT_COUNT", "/no/such/folder/x", "call", false},
    {"PORTACL_CANN_VERSION", "8.3", "version", true},
    {"PORTACL_LOG_LEVEL", "9", "log", false},
    {"ASCEND_GLOBAL_LOG_LEVEL", "debug", "log", false},
    {"ASCEND_RT_VISIBLE_DEVICES", "0,x", "call", false},
    {"ASCEND_RT_VISIBLE_DEVICES", "0,77", "call", false},
};

const char* const kPart = "PORTACL_TEST_PART";
const char* const kFails = "PORTACL_TEST_FAILS";

// Calls repeatedly, like a program that ignores return codes.
void Play(const std::string& part, bool fails) {
    for (int round = 0; round < 2; ++round) {
        if (part == "version") {
            char version[64] = "";
            EXPECT_EQ(aclsysGetVersionStr(const_cast<char*>("runtime"), version) != ACL_SUCCESS, fails);
            continue;
        }
        if (part == "log") {
            aclAppLog(ACL_ERROR, "function", "file", 1, "a line of the program");
            continue;
        }
        EXPECT_EQ(aclInit(nullptr) != ACL_SUCCESS, fails);
        OnNewThread([&] { EXPECT_EQ(aclrtSetDevice(0) != ACL_SUCCESS, fails); });
        EXPECT_EQ(TakeText().empty(), !fails);
        EXPECT_EQ(aclFinalize() != ACL_SUCCESS, fails);
    }
}

ProcessResult RunPart(const char* part, bool fails, Settings settings) {
    settings.emplace_back(kPart, part);
    settings.emplace_back(kFails, fails ? "1" : "0");
    return RunProcess("/proc/self/exe", {"--gtest_filter=ConfigRefused.Part"}, settings);
}

std::vector<std::string> LinesWith(const std::string& text, const std::string& word) {
    std::istringstream lines(text);
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);)
        if (line.find(word) != std::string::npos) found.push_back(line);
    return found;
}

// The child process of the other tests.
TEST(ConfigRefused, Part) {
    const char* part = std::getenv(kPart);
    if (part) Play(part, std::string(std::getenv(kFails)) == "1");
}

TEST(ConfigRefused, PrintsOneLineAndFailsCalls) {
    for (const Case& one : kCases) {
        SCOPED_TRACE(std::string(one.variable) + "=" + one.value);
        Settings settings = one.with;
        settings.emplace_back(one.variable, one.value);
        const ProcessResult result = RunPart(one.part, one.fails, settings);
        EXPECT_TRUE(Succeeded(result));
        const auto lines = LinesWith(result.output, one.variable);
        // A backend other than the CPU's prints the variable in its line of settings, too.
        std::vector<std::string> reported;
        for (const auto& line : lines)
            if (line.rfind("portacl: ", 0) == 0) reported.push_back(line);
        ASSERT_EQ(reported.size(), 1u) << result.output;
        std::string value = one.value;
        value.erase(0, value.find('/') == std::string::npos ? 0 : value.find('/'));
        EXPECT_NE(reported[0].find(value), std::string::npos) << reported[0];
    }
}

TEST(ConfigRefused, PrintsNothingForValidSettings) {
    const Settings settings = {{"PORTACL_LEAK_CHECK", "0"},
                               {"PORTACL_MEMORY_HOOK", ""},
                               {"ASCEND_RT_VISIBLE_DEVICES", "0, -1"},
                               {"ASCEND_GLOBAL_LOG_LEVEL", "3"}};
    for (const char* part : {"call", "log", "version"}) {
        const ProcessResult result = RunPart(part, false, settings);
        EXPECT_TRUE(Succeeded(result));
        EXPECT_TRUE(LinesWith(result.output, "portacl: ").empty()) << result.output;
    }
}

}  // namespace

// A program that creates and destroys objects for as long as it runs needs no more memory than one that has just
// begun, also under checks and with a trace. PORTACL_TEST_CHURN is the number of objects of each kind.
#include "support/objects.h"
#include "support/own_process.h"
#include "support/process/usage.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

using namespace portacl_test;

namespace {

struct Mode {
    const char* name;
    Settings settings;
    std::vector<const char*> kinds;
    // The bytes that registries of bounded size may grow to, and what is released late.
    long slack = 256 << 10;
    // How many times as many objects.
    long times = 1;
};

// Registries that forget nothing take at least 150 bytes for each object.
constexpr long kBytesOfObject = 8;
// Up to 1,024 rows of a trace, and more on a loaded machine, and up to 32,768 calls of a thread wait for the thread
// that writes them, which copies them: megabytes at a time that chance decides. Many times as many objects make what a
// registry that forgets nothing would keep larger.
constexpr long kSlackOfTraces = 12 << 20, kTimesOfTraces = 24;
// The test double of the CUDA driver has a thread for each stream. Threads of streams that are destroyed by force end
// late, and how many there are at once depends on the machine's load.
constexpr long kSlackOfThreads = 768 << 10;

long Objects() {
    const char* count = std::getenv("PORTACL_TEST_CHURN");
    return count ? std::atol(count) : 6'000;
}

// In place of the path of a file in a setting.
constexpr const char* kFile = "FILE";

// A trace remembers 16,384 records of events, and `bounds` keeps 64 MiB of freed memory without access: with these,
// memory grows for longer than the test runs, but not for longer than ./dev check --deep churn does.
std::vector<Mode> Modes() {
    const Settings checks = {{"PORTACL_CHECK", "races,init,sync,misuse"}}, trace = {{"PORTACL_TRACE", kFile}},
                   profile = {{"PORTACL_MEMORY_HOOK", std::string("profile:") + kFile}};
    std::vector<Mode> modes = {
        {"plain",
         {},
         {"stream", "forced_stream", "context", "event", "notify", "graph", "pool", "memory", "host", "buffer",
          "thread"}},
        {"checked",
         checks,
         {"stream", "forced_stream", "context", "event", "notify", "graph", "memory", "host", "buffer", "thread"}},
        {"leaks", {{"PORTACL_CHECK", "leaks"}}, {"stream", "context", "event", "memory", "host", "buffer"}},
        {"traced", trace, {"stream", "forced_stream", "context", "memory", "thread"}, kSlackOfTraces, kTimesOfTraces},
        {"profiled", profile, {"memory", "host"}},
    };
    if (Objects() > 100'000) {
        modes.push_back({"checked", checks, {"pool"}});
        modes.push_back({"profiled", profile, {"pool"}});
        modes.push_back({"traced", trace, {"event", "notify", "graph", "pool"}, kSlackOfTraces});
        modes.push_back({"bounds", {{"PORTACL_CHECK", "bounds"}}, {"memory", "host"}});
    }
    return modes;
}

struct Case {
    std::string name;
    std::string kind;
    Settings settings;
    long slack;
    long times;
};

std::vector<Case> Cases() {
    const char* backend = std::getenv("PORTACL_BACKEND");
    const bool on_double = backend && std::strcmp(backend, "cuda") == 0;
    std::vector<Case> cases;
    for (const Mode& mode : Modes()) {
        for (const char* kind : mode.kinds) {
            const bool ends_late = std::strcmp(kind, "forced_stream") == 0 && on_double;
            cases.push_back({std::string(mode.name) + "_" + kind, kind, mode.settings,
                             mode.slack + (ends_late ? kSlackOfThreads : 0), Objects() > 100'000 ? 1 : mode.times});
        }
    }
    return cases;
}

class Churn : public testing::TestWithParam<Case> {};

TEST_P(Churn, LeavesNothingBehind) {
    if (kSanitized) GTEST_SKIP() << "a sanitizer keeps freed memory";
    const Case& one = GetParam();
    const long to = Objects() * one.times, from = std::min(to / 3, 100'000L);
    const TemporaryFolder folder;
    Settings settings = one.settings;
    for (auto& [name, value] : settings)
        if (const size_t at = value.find(kFile); at != std::string::npos)
            value.replace(at, std::strlen(kFile), folder.At("written"));
    const auto child =
        RunProcess((ProgramDirectory() / "churn_child").string(), {one.kind, std::to_string(from), std::to_string(to)},
                   settings, std::chrono::hours(1));
    ASSERT_EQ(child.exit_code, 0) << child.output;
    const auto text = child.output.find("grown by ");
    ASSERT_NE(text, std::string::npos) << child.output;
    const long grown = std::atol(child.output.c_str() + text + std::strlen("grown by "));
    EXPECT_LE(grown, one.slack + kBytesOfObject * (to - from))
        << one.kind << ": " << grown / (to - from) << " bytes for each object that is destroyed";
}

INSTANTIATE_TEST_SUITE_P(Kinds, Churn, testing::ValuesIn(Cases()), [](const auto& info) { return info.param.name; });

}  // namespace

// Descriptors of the library in programs that close all numbers, or that were started without standard streams: the
// library neither uses nor closes a file that a program has there. descriptors_child does what such a program does.
#include <stdlib.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/objects.h"
#include "support/own_process.h"

using namespace portacl_test;

namespace {

// The steps of the child after which descriptors are replaced.
constexpr int kMoments = 6;

// What the library writes while a program runs: nothing, or a file for each feature that has one.
enum class Writes { kNothing, kAll };

Settings SettingsFor(Writes writes, const TemporaryFolder& folder) {
    Settings settings{{"FAKE_CUDA_LEAK_CHECK", "0"}};
    if (writes == Writes::kNothing) return settings;
    settings.push_back({"PORTACL_TRACE", folder.At("trace.json")});
    settings.push_back({"PORTACL_CHECK", "races,init,sync,bounds,misuse"});
    settings.push_back({"PORTACL_CHECK_LOG", folder.At("check.log")});
    settings.push_back({"PORTACL_CHECK_REPORT", folder.At("check.html")});
    settings.push_back({"PORTACL_MEMORY_HOOK", "log:" + folder.At("allocations.log")});
    settings.push_back({"PORTACL_LEAK_CHECK", "1"});
    return settings;
}

// Runs the child without the standard streams in `closed` ("0", "02", ...), after a command of the shell. Returns its
// report.
std::string RunChild(const std::string& moment, const std::string& which, const std::string& closed,
                     const std::string& streams, Writes writes, const std::string& first = "") {
    const TemporaryFolder folder;
    std::string command = first + "exec \"$0\" \"$@\"";
    for (const char number : closed) command += std::string(" ") + number + ">&-";
    const auto kernels = ProgramDirectory() / (OnCpu() ? "kernels.so" : "kernels.ptx");
    const ProcessResult result = RunProcess("/bin/sh",
                                            {"-c", command, (ProgramDirectory() / "descriptors_child").string(),
                                             folder.path(), kernels.string(), moment, which, streams},
                                            SettingsFor(writes, folder));
    std::ifstream file(folder.At("report"));
    std::ostringstream report;
    report << file.rdbuf();
    EXPECT_TRUE(Succeeded(result)) << "moment " << moment << ", descriptors " << which << ", closed \"" << closed
                                   << "\", " << streams << (writes == Writes::kAll ? ", all output" : "") << "\n"
                                   << report.str();
    return report.str();
}

// Returns how many descriptors the library had at each moment.
std::vector<size_t> Counts(const std::string& report) {
    std::vector<size_t> counts;
    std::istringstream lines(report);
    for (std::string line; std::getline(lines, line);)
        if (line.rfind("step ", 0) == 0)
            counts.push_back(std::strtoul(line.c_str() + line.rfind(": ") + 2, nullptr, 10));
    return counts;
}

// Whether nothing is left out (`./dev check --deep`).
bool IsWhole() {
    const char* sweep = std::getenv("PORTACL_TEST_SWEEP");
    return sweep && std::string(sweep) == "whole";
}

std::vector<std::string> Subsets() {
    if (IsWhole()) return {"0", "1", "2", "01", "02", "12", "012"};
    return {"1", "2", "012"};
}

class Descriptors : public testing::TestWithParam<Writes> {};

TEST_P(Descriptors, AllAreReplacedAtEachMoment) {
    for (int moment = 0; moment < kMoments; ++moment) RunChild(std::to_string(moment), "all", "", "none", GetParam());
}

TEST_P(Descriptors, MissingStreamsStayMissing) {
    for (const std::string& closed : Subsets()) RunChild("none", "all", closed, "none", GetParam());
}

TEST_P(Descriptors, FilesInPlaceOfStreamsAreNotWritten) {
    for (const std::string& closed : Subsets()) RunChild("none", "all", closed, "files", GetParam());
}

INSTANTIATE_TEST_SUITE_P(Writes, Descriptors, testing::Values(Writes::kNothing, Writes::kAll),
                         [](const auto& info) { return info.param == Writes::kAll ? "AllOutput" : "NoOutput"; });

// The descriptors are the most where all output is on.
TEST(DescriptorsAlone, EachIsReplacedByItself) {
    const std::vector<size_t> counts = Counts(RunChild("none", "all", "", "none", Writes::kAll));
    ASSERT_EQ(counts.size(), size_t{kMoments});
    const std::vector<int> moments = IsWhole() ? std::vector<int>{0, 1, 2, 3, 4, 5} : std::vector<int>{2};
    for (const int moment : moments) {
        EXPECT_GT(counts[moment], size_t{0}) << moment;
        for (size_t i = 0; i < counts[moment]; ++i)
            RunChild(std::to_string(moment), std::to_string(i), "", "none", Writes::kAll);
    }
}

// No number from 100 on is allowed then.
TEST(DescriptorsAlone, ALimitOf64IsEnough) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: a driver has low numbers";
    for (const char* closed : {"", "012"})
        for (const char* moment : {"none", "2"})
            RunChild(moment, "all", closed, "files", Writes::kAll, "ulimit -n 64; ");
}

TEST(DescriptorsAlone, StreamsAreMissingAndDescriptorsAreReplaced) {
    const std::vector<std::string> subsets = IsWhole() ? Subsets() : std::vector<std::string>{"012"};
    const std::vector<int> moments = IsWhole() ? std::vector<int>{0, 1, 2, 3, 4, 5} : std::vector<int>{0, 3};
    for (const std::string& closed : subsets)
        for (const int moment : moments) RunChild(std::to_string(moment), "all", closed, "files", Writes::kAll);
}

}  // namespace

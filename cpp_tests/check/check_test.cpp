// PORTACL_CHECK: reports exactly the planted fault of each small program, and nothing about its corrected twin.
#include <acl/acl.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/gate.h"
#include "support/objects.h"
#include "support/own_process.h"

using namespace portacl_test;

namespace {

struct Planted {
    std::string name, kind, report, detail;
    int needs;
};

void PrintTo(const Planted& planted, std::ostream* out) {
    *out << planted.name;
}

std::string Programs() {
    return (ProgramDirectory() / "check_programs").string();
}

// The programs, from the child's list.
const std::vector<Planted>& AllPlanted() {
    static const std::vector<Planted> all = [] {
        std::vector<Planted> found;
        std::istringstream lines(RunProcess(Programs(), {}).output);
        Planted one;
        while (lines >> one.name >> one.kind >> one.needs && std::getline(lines >> std::ws, one.report, '|') &&
               std::getline(lines, one.detail)) {
            std::replace(one.kind.begin(), one.kind.end(), '_', ' ');
            found.push_back(one);
        }
        return found;
    }();
    return all;
}

std::vector<Planted> PlantedRaces() {
    std::vector<Planted> found;
    for (const Planted& planted : AllPlanted())
        if (planted.kind == "race") found.push_back(planted);
    return found;
}

// The checks that find a kind of fault, and others that must not find more.
std::string Checks(const Planted& planted) {
    static const std::map<std::string, std::string> checks = {{"endless wait", "sync"},
                                                              {"redundant wait", "sync"},
                                                              {"missing wait", "sync,bounds,misuse"},
                                                              {"bounds", "bounds,init"},
                                                              {"leak", "leaks,races"},
                                                              {"misuse", "misuse"},
                                                              {"race", "races,init,leaks,misuse"},
                                                              {"init", "races,init,leaks,misuse"}};
    return checks.at(planted.kind);
}

ProcessResult RunProgram(const Planted& planted, const std::string& form, Settings settings = {},
                         const std::string& checks = "") {
    settings.emplace_back("PORTACL_CHECK", checks.empty() ? Checks(planted) : checks);
    settings.emplace_back("PORTACL_CHECK_WAIT_MS", "200");
    const auto kernels = ProgramDirectory() / (OnCpu() ? "kernels.so" : "kernels.ptx");
    return RunProcess(Programs(), {planted.name, form, kernels.string()}, settings);
}

size_t Count(const std::string& text, const std::string& part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

// How many reports a faulty program has: on a CUDA device the arguments of kernels are not described.
size_t ExpectedReports(const Planted& planted) {
    constexpr int kDescriptions = 1;
    return OnCpu() || planted.needs != kDescriptions ? 1 : 0;
}

std::string Name(const testing::TestParamInfo<Planted>& info) {
    return info.param.name;
}

class Fault : public testing::TestWithParam<Planted> {
  protected:
    void SetUp() override {
        constexpr int kCpuOnly = 2, kQueues = 3;
        if (GetParam().needs == kCpuOnly && !OnCpu()) GTEST_SKIP() << "for CPUs only: guard mode";
        if (GetParam().needs == kQueues) NEEDS_QUEUES(8);
    }
};

class RaceFault : public Fault {};

// Reports of all kinds.
size_t Reports(const std::string& output) {
    size_t count = 0;
    for (const char* kind :
         {"race", "init", "endless wait", "redundant wait", "missing wait", "bounds", "leak", "misuse"})
        count += Count(output, std::string("portacl: ") + kind + ": ");
    return count;
}

TEST_P(Fault, IsReportedOnceWithItsCallsAndTheirLines) {
    const Planted& planted = GetParam();
    const ProcessResult result = RunProgram(planted, "faulty");
    EXPECT_TRUE(Succeeded(result));
    EXPECT_EQ(Reports(result.output), ExpectedReports(planted)) << result.output;
    if (ExpectedReports(planted) == 0) return;
    EXPECT_EQ(Count(result.output, "portacl: " + planted.kind + ": " + planted.report), 1) << result.output;
    EXPECT_NE(result.output.find(planted.detail), std::string::npos) << result.output;
    // What a kernel does has no place in the program.
    const size_t places = planted.kind == "bounds" ? 0 : 2;
    EXPECT_GE(Count(result.output, ".cpp:"), places) << result.output;
    EXPECT_EQ(Count(result.output, "portacl: PORTACL_CHECK: 1 "), 1) << result.output;
}

// Copies, fills and memory of pools have a short way if no other check sees operations.
TEST_P(RaceFault, IsFoundByItsCheckAlone) {
    const Planted& planted = GetParam();
    const ProcessResult faulty = RunProgram(planted, "faulty", {}, "races");
    EXPECT_EQ(Reports(faulty.output), ExpectedReports(planted)) << faulty.output;
    EXPECT_EQ(RunProgram(planted, "fixed", {}, "races").output, "");
}

TEST_P(Fault, IsNotInTheCorrectedProgram) {
    const Planted& planted = GetParam();
    const ProcessResult result = RunProgram(planted, "fixed");
    EXPECT_TRUE(Succeeded(result));
    EXPECT_EQ(result.output, "");
}

// The order decides, and not the moment at which operations run.
TEST_P(Fault, DoesNotDependOnTiming) {
    const Planted& planted = GetParam();
    // One label has all seeds.
    const char* mode = std::getenv("PORTACL_CPU_ASYNC");
    const int seeds = OnCpu() && mode && std::string(mode) == "always" ? 20 : 1;
    for (int seed = 0; seed < seeds; ++seed) {
        // Without stacks the waits of all calls are counted as one.
        const std::string stacks = planted.kind == "redundant wait" ? "1" : "0";
        const Settings settings = {{"PORTACL_CPU_ASYNC", "always"},
                                   {"PORTACL_CPU_SEED", std::to_string(seed)},
                                   {"PORTACL_CHECK_STACKS", stacks}};
        const ProcessResult faulty = RunProgram(planted, "faulty", settings);
        EXPECT_EQ(Reports(faulty.output), ExpectedReports(planted)) << "seed " << seed;
        EXPECT_EQ(RunProgram(planted, "fixed", settings).output, "") << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Planted, Fault, testing::ValuesIn(AllPlanted()), Name);
INSTANTIATE_TEST_SUITE_P(Planted, RaceFault, testing::ValuesIn(PlantedRaces()), Name);

TEST(Faults, ThereAreProgramsOfEveryKind) {
    std::map<std::string, size_t> kinds;
    for (const Planted& planted : AllPlanted()) ++kinds[planted.kind];
    EXPECT_GE(kinds["race"], 84);
    EXPECT_GE(kinds["init"], 19);
    EXPECT_GE(kinds["endless wait"], 10);
    EXPECT_GE(kinds["redundant wait"], 4);
    EXPECT_GE(kinds["missing wait"], 11);
    EXPECT_GE(kinds["bounds"], 1);
    EXPECT_GE(kinds["leak"], 9);
    EXPECT_GE(kinds["misuse"], 4);
}

const Planted& Find(const std::string& name) {
    for (const Planted& planted : AllPlanted())
        if (planted.name == name) return planted;
    throw std::runtime_error("no program " + name);
}

class CheckSettings : public testing::Test {
  protected:
    std::string Read() const {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    const TemporaryFolder folder;
    const std::string path = folder.At("file");
};

TEST_F(CheckSettings, LogHasALineOfJsonForEachReport) {
    const ProcessResult result = RunProgram(Find("fill_then_read"), "faulty", {{"PORTACL_CHECK_LOG", path}});
    EXPECT_TRUE(Succeeded(result));
    const auto line = nlohmann::json::parse(Read());
    EXPECT_EQ(line["check"], "race");
    EXPECT_EQ(line["memory"]["bytes"], 65536);
    EXPECT_EQ(line["memory"]["offset"], 0);
    ASSERT_EQ(line["operations"].size(), 2);
    const auto &earlier = line["operations"][0], &later = line["operations"][1];
    EXPECT_EQ(earlier["role"], "earlier");
    EXPECT_EQ(earlier["call"], "aclrtMemsetAsync");
    EXPECT_EQ(earlier["does"], "writes");
    EXPECT_EQ(earlier["number"], 1);
    EXPECT_EQ(earlier["uses"][0]["addr"], line["memory"]["addr"]);
    EXPECT_EQ(later["call"], "aclrtMemcpyAsync");
    EXPECT_EQ(later["does"], "reads");
    EXPECT_NE(earlier["stream"], later["stream"]);
    EXPECT_LE(earlier["ms"], later["ms"]);
    EXPECT_NE(line["fix"].get<std::string>().find("aclrtStreamWaitEvent"), std::string::npos);
    ASSERT_FALSE(later["frames"].empty());
    EXPECT_NE(later["frames"].back().get<std::string>().find("main"), std::string::npos);
}

TEST_F(CheckSettings, ExitStatusIsThatOfTheProgramWithoutAReport) {
    const Settings status = {{"PORTACL_CHECK_EXIT", "77"}};
    EXPECT_EQ(RunProgram(Find("fill_then_read"), "faulty", status).exit_code, 77);
    EXPECT_EQ(RunProgram(Find("fill_then_read"), "fixed", status).exit_code, 0);
}

TEST_F(CheckSettings, SuppressedReportsAreCountedOnly) {
    std::ofstream(path) << "# known\nFillThenRead\n";
    const Settings settings = {{"PORTACL_CHECK_SUPPRESS", path}, {"PORTACL_CHECK_EXIT", "77"}};
    const ProcessResult known = RunProgram(Find("fill_then_read"), "faulty", settings);
    EXPECT_TRUE(Succeeded(known));
    EXPECT_EQ(Count(known.output, "portacl: race: "), 0) << known.output;
    EXPECT_EQ(Count(known.output, "PORTACL_CHECK: nothing reported; left out: 1 race suppressed by"), 1)
        << known.output;
    EXPECT_EQ(RunProgram(Find("read_then_fill"), "faulty", settings).exit_code, 77);
}

// The program's three leaks have three places.
TEST_F(CheckSettings, ReportsBeyondTheLimitAreCounted) {
    const Settings settings = {
        {"PORTACL_CHECK_LIMIT", "1"}, {"PORTACL_CHECK_EXIT", "77"}, {"CHECK_PROGRAM_LEAKS", "1"}};
    const ProcessResult result = RunProgram(Find("many_leaks"), "faulty", settings);
    EXPECT_EQ(result.exit_code, 77);
    EXPECT_EQ(Reports(result.output), 1) << result.output;
    EXPECT_EQ(Count(result.output, "PORTACL_CHECK: 1 leak reported; left out: 2 leaks beyond the limit of 1"), 1)
        << result.output;
}

TEST_F(CheckSettings, AByteOrderMarkIsNoPartOfAPattern) {
    std::ofstream(path) << "\xEF\xBB\xBF"
                        << "FillThenRead\r\n";
    const ProcessResult known = RunProgram(Find("fill_then_read"), "faulty", {{"PORTACL_CHECK_SUPPRESS", path}});
    EXPECT_EQ(Reports(known.output), 0) << known.output;
}

TEST_F(CheckSettings, InvalidValuesAreErrorsWithoutACheck) {
    for (const auto& [name, value] : Settings{{"PORTACL_CHECK_EXIT", "126"},
                                              {"PORTACL_CHECK_LIMIT", "0"},
                                              {"PORTACL_CHECK_STACKS", "yes"},
                                              {"PORTACL_CHECK_WAIT_MS", "-1"}}) {
        const ProcessResult result = RunProcess(Programs(), {"fill_then_read", "fixed"}, {{name, value}});
        EXPECT_EQ(result.exit_code, 3) << name;
        EXPECT_NE(result.output.find(name + " is \"" + value + "\"; allowed: "), std::string::npos) << result.output;
    }
}

TEST_F(CheckSettings, TheStackOfAThreadBeginsWithItsFunction) {
    const ProcessResult result = RunProgram(Find("on_a_thread"), "faulty", {{"PORTACL_CHECK_LOG", path}});
    EXPECT_TRUE(Succeeded(result));
    const auto frames = nlohmann::json::parse(Read())["operations"][0]["frames"];
    ASSERT_FALSE(frames.empty());
    EXPECT_NE(frames.back().get<std::string>().find("adopted.cpp:"), std::string::npos) << result.output;
    for (const char* part : {"clone3", ":clone", "start_thread", "/c++/", "0x0\n", "    0x"})
        EXPECT_EQ(Count(result.output, part), 0) << result.output;
}

TEST_F(CheckSettings, WithoutStacksTheReportNamesTheOperations) {
    const ProcessResult result = RunProgram(Find("fill_then_read"), "faulty", {{"PORTACL_CHECK_STACKS", "0"}});
    EXPECT_EQ(Count(result.output, "portacl: race: a copy reads memory that a fill writes"), 1) << result.output;
}

TEST_F(CheckSettings, InvalidValuesAreErrorsThatNameTheVariable) {
    for (const auto& [name, value] : Settings{{"PORTACL_CHECK", "racs"},
                                              {"PORTACL_CHECK_EXIT", "0"},
                                              {"PORTACL_CHECK_LIMIT", "many"},
                                              {"PORTACL_CHECK_STACKS", "2"},
                                              {"PORTACL_CHECK_LOG", "/no/such/folder/log"},
                                              {"PORTACL_CHECK_SUPPRESS", "/no/such/file"}}) {
        Settings settings = {{"PORTACL_CHECK", "all"}};
        if (name == "PORTACL_CHECK") settings.clear();
        settings.emplace_back(name, value);
        const ProcessResult result = RunProcess(Programs(), {"fill_then_read", "fixed"}, settings);
        EXPECT_EQ(result.exit_code, 3) << name;
        EXPECT_NE(result.output.find(name), std::string::npos) << result.output;
    }
}

TEST_F(CheckSettings, WorkThatStillWaitsIsJudgedAtTheEndOfTheProcess) {
    const Settings settings = {{"PORTACL_CHECK", "races"}, {"CHECK_PROGRAM_EXITS", "1"}};
    const ProcessResult result = RunProcess(Programs(), {"record_after_the_read", "faulty"}, settings);
    // The test double of CUDA's driver ends a process with an error that leaves memory to it.
    if (OnCpu()) {
        EXPECT_TRUE(Succeeded(result));
    }
    EXPECT_EQ(Reports(result.output), 1) << result.output;
}

// The read never runs.
TEST_F(CheckSettings, AnEarlierOperationThatStillWaitsIsInNoRace) {
    const Settings settings = {{"PORTACL_CHECK", "races"}, {"CHECK_PROGRAM_EXITS", "1"}};
    const ProcessResult result = RunProcess(Programs(), {"fill_beside_a_waiting_read", "faulty"}, settings);
    EXPECT_EQ(Reports(result.output), 0) << result.output;
}

TEST_F(CheckSettings, OneCheckFindsNothingOfTheOthers) {
    const std::string race = RunProcess(Programs(), {"fill_then_read", "faulty"}, {{"PORTACL_CHECK", "init"}}).output;
    const std::string init = RunProcess(Programs(), {"download", "faulty"}, {{"PORTACL_CHECK", "races"}}).output;
    EXPECT_EQ(race + init, "");
}

TEST_F(CheckSettings, OffIsSilent) {
    EXPECT_EQ(RunProcess(Programs(), {"fill_then_read", "faulty"}, {{"PORTACL_CHECK", "0"}}).output, "");
}

}  // namespace

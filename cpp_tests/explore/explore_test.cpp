// portacl-explore and PORTACL_SCHEDULE: planted errors of order are found, shown again, and not seen in corrected
// twins.
#include <acl/acl.h>

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/objects.h"
#include "support/own_process.h"

using namespace portacl_test;

namespace {

constexpr int kSchedules = 200, kReplays = 20;
constexpr std::chrono::seconds kPatience{600};

std::string Programs() {
    return (ProgramDirectory() / "explore_programs").string();
}

// The planted errors, from the child's list.
const std::vector<std::string>& AllPlanted() {
    static const std::vector<std::string> all = [] {
        std::vector<std::string> names;
        std::istringstream lines(RunProcess(Programs(), {}).output);
        for (std::string name; std::getline(lines, name);) names.push_back(name);
        return names;
    }();
    return all;
}

ProcessResult Explore(const std::vector<std::string>& command, std::vector<std::string> options = {},
                      const Settings& settings = {}) {
    options.push_back("--");
    options.insert(options.end(), command.begin(), command.end());
    return RunProcess(PORTACL_EXPLORE, options, settings, kPatience);
}

bool Has(const ProcessResult& result, const std::string& text) {
    return result.output.find(text) != std::string::npos;
}

// A file in which programs count their runs.
class Runs {
  public:
    Settings settings() const { return {{"PORTACL_TEST_RUNS", folder_.At("runs")}}; }

  private:
    const TemporaryFolder folder_;
};

// The planted errors between streams.
const std::set<std::string>& BetweenStreams() {
    static const std::set<std::string> all{"missing_wait", "third_round", "event_recorded_again",
                                           "freed_in_another_stream", "between_two_fills"};
    return all;
}

// The part of a text that the group of this expression matches.
std::string Find(const std::string& text, const char* expression) {
    std::smatch found;
    return std::regex_search(text, found, std::regex(expression)) ? found[1].str() : "";
}

std::string Contents(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

std::string Name(const testing::TestParamInfo<std::string>& info) {
    return info.param;
}

class Planted : public testing::TestWithParam<std::string> {};

// The counterpart of the next test: without a schedule the error does not show. PORTACL_TEST_PLAIN_RUNS=1000 is the
// measurement that docs/explore.md names.
TEST_P(Planted, DoesNotShowInPlainRuns) {
    const char* wanted = std::getenv("PORTACL_TEST_PLAIN_RUNS");
    const int runs = wanted ? std::atoi(wanted) : 5;
    int wrong = 0;
    for (int run = 0; run < runs; ++run) wrong += !Succeeded(RunProcess(Programs(), {GetParam(), "faulty"}));
    EXPECT_LE(wrong * 1000, runs) << wrong << " of " << runs;
}

TEST_P(Planted, IsFoundAndReplayedExactly) {
    const ProcessResult result = Explore({Programs(), GetParam(), "faulty"});
    ASSERT_EQ(result.exit_code, 1) << result.output;
    const std::string schedule = Find(result.output, "failing schedule: PORTACL_SCHEDULE=(\\S+)\n");
    const std::string schedules = Find(result.output, "summary: (\\d+) schedules? ");
    ASSERT_FALSE(schedule.empty() || schedules.empty()) << result.output;
    EXPECT_LE(std::stoi(schedules), kSchedules);
    EXPECT_NE(result.output.find("exit status 1; 3 of 3 replays fail in the same way and order"), std::string::npos)
        << result.output;
    EXPECT_TRUE(Has(result, "without a schedule 0 of 10 runs fail")) << result.output;
    // The two operations and their lines, or that no such pair is known.
    if (BetweenStreams().count(GetParam()) != 0 || GetParam() == "consumer_first") {
        const std::string race = Find(result.output, "operations that nothing orders:\n    (portacl: race: [^\n]*)");
        EXPECT_FALSE(race.empty()) << result.output;
        EXPECT_TRUE(std::regex_search(result.output, std::regex("operation [^]*orders\\.cpp:\\d+:[^]*operation [^]*"
                                                                "orders\\.cpp:\\d+:[^]*to order them: ")))
            << result.output;
        EXPECT_FALSE(Has(result, "last choices")) << result.output;
    } else {
        EXPECT_FALSE(Find(result.output, "(reports nothing with this schedule[^]*last choices[^]*\\d+ )").empty())
            << result.output;
    }
    RecordProperty("schedules", schedules);
    RecordProperty("schedule", schedule);

    const TemporaryFolder folder;
    const std::string log = folder.At("turns");
    std::string first;
    for (int replay = 0; replay < kReplays; ++replay) {
        const ProcessResult again = RunProcess(Programs(), {GetParam(), "faulty"},
                                               {{"PORTACL_SCHEDULE", schedule}, {"PORTACL_SCHEDULE_LOG", log}});
        EXPECT_EQ(again.exit_code, 1) << again.output;
        const std::string turns = Contents(log);
        if (replay == 0) first = turns;
        ASSERT_FALSE(turns.empty());
        ASSERT_EQ(turns, first) << "replay " << replay << " of " << schedule << " differs";
    }
}

TEST_P(Planted, IsNotSeenInTheCorrectedTwin) {
    const ProcessResult result =
        Explore({Programs(), GetParam(), "fixed"}, {"--schedules", std::to_string(kSchedules)});
    EXPECT_TRUE(Succeeded(result));
    EXPECT_FALSE(Find(result.output, "summary: (200) schedules with up to [1-9]\\d* choices in .* none failed").empty())
        << result.output;
}

// PORTACL_CHECK needs no schedule for an error between streams, and reports nothing in a corrected twin.
TEST_P(Planted, IsReportedIfItIsBetweenStreams) {
    const Settings checks{{"PORTACL_CHECK", "races,init,sync,bounds"}, {"PORTACL_CHECK_EXIT", "99"}};
    EXPECT_TRUE(Succeeded(RunProcess(Programs(), {GetParam(), "fixed"}, checks)));
    const ProcessResult faulty = RunProcess(Programs(), {GetParam(), "faulty"}, checks);
    EXPECT_EQ(faulty.exit_code == 99, BetweenStreams().count(GetParam()) != 0) << faulty.output;
}

INSTANTIATE_TEST_SUITE_P(Explore, Planted, testing::ValuesIn(AllPlanted()), Name);

// If a program does not choose between orders, its error is not found: the search finds it, and not chance.
TEST(Explore, DoesNotFindWhatNeedsMoreSchedulesThanItMayTry) {
    const ProcessResult result = Explore({Programs(), "between_two_fills", "faulty"}, {"--schedules", "2"});
    EXPECT_TRUE(Succeeded(result));
    EXPECT_NE(result.output.find("summary: 2 schedules"), std::string::npos) << result.output;
}

// Plain runs report this race in about a third of their runs: only if both threads submit before one has waited.
TEST(ExploreChecks, FindARaceOfThreadsAlways) {
    for (int search = 0; search < 5; ++search) {
        const ProcessResult result = Explore({Programs(), "overlapping_windows", "faulty"}, {"--check", "races"});
        ASSERT_EQ(result.exit_code, 1) << result.output;
        ASSERT_TRUE(Has(result, "  race reported; the same in 3 of 3 replays\n")) << result.output;
        ASSERT_TRUE(Has(result, "the report with this schedule:\n    portacl: race: ")) << result.output;
        ASSERT_FALSE(Find(result.output, "(orders.cpp:\\d+:[^]*orders.cpp:\\d+:)").empty()) << result.output;
        ASSERT_FALSE(Find(result.output, "replay it: (PORTACL_SCHEDULE=\\S+ PORTACL_CHECK=races )").empty())
            << result.output;
    }
}

TEST(ExploreChecks, AreSilentForTheCorrectedTwin) {
    const ProcessResult result =
        Explore({Programs(), "overlapping_windows", "fixed"}, {"--check", "races", "--schedules", "50"});
    EXPECT_TRUE(Succeeded(result));
    EXPECT_TRUE(Has(result, "summary: 50 schedules")) << result.output;
}

// Without --check the status of the program counts alone, as the corrected twin shows.
TEST(ExploreChecks, AreOffByDefault) {
    EXPECT_TRUE(Succeeded(Explore({Programs(), "overlapping_windows", "faulty"}, {"--schedules", "20"})));
}

TEST(ExploreChecks, HaveTheNamesOfTheLibrary) {
    for (const char* name : {"races", "init", "sync", "bounds", "leaks", "misuse", "all", "races,leaks"}) {
        EXPECT_TRUE(Succeeded(RunProcess(Programs(), {"does_not_end", "fixed"}, {{"PORTACL_CHECK", name}}))) << name;
        const ProcessResult result = RunProcess(PORTACL_EXPLORE, {"--check", name, "--", "/bin/true"});
        EXPECT_EQ(result.exit_code, 3) << result.output;
    }
    for (const char* name : {"race", "", "races,", "races,race"}) {
        const ProcessResult result = RunProcess(PORTACL_EXPLORE, {"--check", name, "--", "/bin/true"});
        EXPECT_EQ(result.exit_code, 2) << name << result.output;
        EXPECT_TRUE(Has(result, "\"; allowed: races, init, sync")) << result.output;
    }
}

TEST(Explore, SearchesInProgramsWhosePlainRunsFail) {
    const Runs runs;
    const ProcessResult result = Explore({Programs(), "fails_in_every_other_plain_run", "faulty"}, {}, runs.settings());
    EXPECT_EQ(result.exit_code, 1) << result.output;
    EXPECT_TRUE(Has(result, "without a schedule 5 of 10 runs fail: exit status 1; the search continues"))
        << result.output;
    EXPECT_TRUE(Has(result, "portacl: race: aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes"))
        << result.output;
}

TEST(Explore, DoesNotBlameAnOrderThatDoesNotFailAgain) {
    const Runs runs;
    const ProcessResult result = Explore({Programs(), "fails_once", "fixed"}, {"--schedules", "20"}, runs.settings());
    EXPECT_TRUE(Succeeded(result));
    EXPECT_TRUE(Has(result, "schedule lazy does not fail again in the same way, so its order alone is not the reason"))
        << result.output;
    EXPECT_TRUE(Has(result, "orders, 1 failed, but in no replay\n")) << result.output;
}

TEST(Explore, RefusesProgramsThatHaveNothingToExplore) {
    ProcessResult result = Explore({"/bin/true"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_TRUE(Has(result, "has not opened portacl's cpu backend")) << result.output;
    result = Explore({"/bin/false"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_TRUE(Has(result, "without a schedule 10 of 10 runs fail: exit status 1")) << result.output;
    EXPECT_TRUE(Has(result,
                    "has not opened portacl's cpu backend, so there is nothing to explore; it ends with exit "
                    "status 1"))
        << result.output;
    result = Explore({"/nonexistent/program"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_TRUE(Has(result, "/nonexistent/program cannot be started")) << result.output;
}

TEST(Explore, EndsProgramsThatTakeTooLong) {
    const ProcessResult result = Explore({"/bin/sleep", "1000"}, {"--seconds", "0.2"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_TRUE(Has(result, "without a schedule the program is not complete after 0.2 s")) << result.output;
}

TEST(Explore, LeavesNoFilesWhenASignalEndsIt) {
    const TemporaryFolder folder;
    const std::string while_it_runs =
        "\"$0\" -- sleep 1000 & until ls \"$TMPDIR\"/portacl-explore-*/output; do sleep 0.01; done; "
        "kill -TERM $!; wait $!; echo \"status $?\"";
    const ProcessResult result =
        RunProcess("/bin/sh", {"-c", while_it_runs, PORTACL_EXPLORE}, {{"TMPDIR", folder.path()}});
    EXPECT_TRUE(Has(result, "status 143")) << result.output;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << result.output;
}

TEST(Explore, CallsAScheduleThatRunsOutOfTimeTooSlow) {
    const ProcessResult result = Explore({Programs(), "does_not_end", "fixed"}, {"--schedules", "6", "--seconds", "2"});
    EXPECT_TRUE(Succeeded(result));
    EXPECT_TRUE(Has(result, "summary: 6 schedules")) << result.output;
    EXPECT_TRUE(Has(result,
                    "none failed, 1 too slow\n  1 schedule was too slow: the program was not complete after 2 s; set a "
                    "longer timeout "
                    "with --seconds\n"
                    "  in 1 of these, no stream or thread continued for half of the timeout"))
        << result.output;
}

TEST(Explore, EndsIfAllSchedulesAreTooSlow) {
    const ProcessResult result = Explore({Programs(), "does_not_end", "faulty"}, {"--seconds", "0.5"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_TRUE(Has(result, "summary: 5 schedules")) << result.output;
    EXPECT_TRUE(Has(result, "none complete, 5 too slow")) << result.output;
}

TEST(Explore, RefusesWrongArguments) {
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--schedules"},
                                                      {"--schedules", "x", "--", "/bin/true"},
                                                      {"--depth", "2"},
                                                      {"--"},
                                                      {"--check"}}) {
        const ProcessResult result = RunProcess(PORTACL_EXPLORE, arguments);
        EXPECT_EQ(result.exit_code, 2);
        EXPECT_NE(result.output.find("usage: portacl-explore"), std::string::npos) << result.output;
    }
}

TEST(Schedule, RefusesAWrongText) {
    const ProcessResult result = RunProcess(Programs(), {"missing_wait", "fixed"}, {{"PORTACL_SCHEDULE", "seed:x"}});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_NE(result.output.find("PORTACL_SCHEDULE is \"seed:x\"; allowed: lazy, eager or seed:N"), std::string::npos)
        << result.output;
}

TEST(Schedule, RefusesALogThatCannotBeWritten) {
    const ProcessResult result =
        RunProcess(Programs(), {"missing_wait", "fixed"},
                   {{"PORTACL_SCHEDULE", "lazy"}, {"PORTACL_SCHEDULE_LOG", "/nonexistent/turns.txt"}});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_NE(result.output.find("PORTACL_SCHEDULE_LOG: /nonexistent/turns.txt cannot be written"), std::string::npos)
        << result.output;
}

}  // namespace

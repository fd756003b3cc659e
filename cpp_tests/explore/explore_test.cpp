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

ProcessResult Explore(const std::vector<std::string>& command, std::vector<std::string> options = {}) {
    options.push_back("--");
    options.insert(options.end(), command.begin(), command.end());
    return RunProcess(PORTACL_EXPLORE, options, {}, kPatience);
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
    const std::string schedules = Find(result.output, "summary: (\\d+) schedules");
    ASSERT_FALSE(schedule.empty() || schedules.empty()) << result.output;
    EXPECT_LE(std::stoi(schedules), kSchedules);
    EXPECT_NE(result.output.find("exit status 1; 3 of 3 replays were the same in every turn"), std::string::npos)
        << result.output;
    RecordProperty("schedules", schedules);
    RecordProperty("schedule", schedule);

    const auto log = std::filesystem::temp_directory_path() / ("portacl_turns_" + std::to_string(getpid()));
    std::string first;
    for (int replay = 0; replay < kReplays; ++replay) {
        const ProcessResult again =
            RunProcess(Programs(), {GetParam(), "faulty"},
                       {{"PORTACL_SCHEDULE", schedule}, {"PORTACL_SCHEDULE_LOG", log.string()}});
        EXPECT_EQ(again.exit_code, 1) << again.output;
        const std::string turns = Contents(log);
        if (replay == 0) first = turns;
        ASSERT_FALSE(turns.empty());
        ASSERT_EQ(turns, first) << "replay " << replay << " of " << schedule << " differs";
    }
    std::filesystem::remove(log);
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
    const std::set<std::string> between_streams{"missing_wait", "third_round", "event_recorded_again",
                                                "freed_in_another_stream", "between_two_fills"};
    const Settings checks{{"PORTACL_CHECK", "races,init,sync,bounds"}, {"PORTACL_CHECK_EXIT", "99"}};
    EXPECT_TRUE(Succeeded(RunProcess(Programs(), {GetParam(), "fixed"}, checks)));
    const ProcessResult faulty = RunProcess(Programs(), {GetParam(), "faulty"}, checks);
    EXPECT_EQ(faulty.exit_code == 99, between_streams.count(GetParam()) != 0) << faulty.output;
}

INSTANTIATE_TEST_SUITE_P(Explore, Planted, testing::ValuesIn(AllPlanted()), Name);

// If a program does not choose between orders, its error is not found: the search finds it, and not chance.
TEST(Explore, DoesNotFindWhatNeedsMoreSchedulesThanItMayTry) {
    const ProcessResult result = Explore({Programs(), "between_two_fills", "faulty"}, {"--schedules", "2"});
    EXPECT_TRUE(Succeeded(result));
    EXPECT_NE(result.output.find("summary: 2 schedules"), std::string::npos) << result.output;
}

TEST(Explore, RefusesProgramsThatHaveNothingToExplore) {
    ProcessResult result = Explore({"/bin/true"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_NE(result.output.find("has not opened portacl's cpu backend"), std::string::npos) << result.output;
    result = Explore({"/bin/false"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_NE(result.output.find("fails without a schedule: exit status 1"), std::string::npos) << result.output;
    result = Explore({"/nonexistent/program"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_NE(result.output.find("/nonexistent/program cannot be started"), std::string::npos) << result.output;
}

TEST(Explore, EndsProgramsThatTakeTooLong) {
    const ProcessResult result = Explore({"/bin/sleep", "1000"}, {"--seconds", "0.2"});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_NE(result.output.find("not complete after 0.2 s"), std::string::npos) << result.output;
}

TEST(Explore, RefusesWrongArguments) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"--schedules"}, {"--schedules", "x", "--", "/bin/true"}, {"--depth", "2"}, {"--"}}) {
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

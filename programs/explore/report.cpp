#include "report.h"

#include <cstdio>
#include <sstream>
#include <utility>
#include <vector>

namespace explore {
namespace {

constexpr int kPlainRuns = 10, kReplays = 3, kShrinkingRuns = 30;
constexpr size_t kLinesOfOutput = 12, kChoices = 6;

std::vector<std::string> Lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) lines.push_back(line);
    return lines;
}

// The last lines of a text, indented.
std::string Tail(const std::vector<std::string>& lines, size_t most) {
    std::string tail;
    for (size_t i = lines.size() > most ? lines.size() - most : 0; i < lines.size(); ++i)
        tail += "    " + lines[i] + "\n";
    return tail;
}

bool BeginsWith(const std::string& text, const char* begin) {
    return text.rfind(begin, 0) == 0;
}

// The first report of PORTACL_CHECK in an output, indented. `wanted`: how it begins.
std::string ReportIn(const std::string& output, const std::string& wanted) {
    std::string report;
    for (const std::string& line : Lines(output)) {
        if (report.empty() ? BeginsWith(line, wanted.c_str()) : BeginsWith(line, "  "))
            report += "    " + line + "\n";
        else if (!report.empty())
            break;
    }
    return report;
}

// The lines of an output that no check has written.
std::vector<std::string> WithoutReports(const std::string& output) {
    std::vector<std::string> lines;
    bool is_report = false;
    for (const std::string& line : Lines(output)) {
        is_report = BeginsWith(line, "portacl: ") || (is_report && BeginsWith(line, "  "));
        if (!is_report) lines.push_back(line);
    }
    return lines;
}

// The last choices of a log: the step, who went on, and who could have.
std::string Choices(const std::string& turns) {
    std::vector<std::string> choices;
    for (const std::string& line : Lines(turns))
        if (!BeginsWith(line, "-")) choices.push_back(line);
    return Tail(choices, kChoices);
}

std::string Command(const Program& program) {
    std::string text;
    for (const std::string& part : program.command) text += (text.empty() ? "" : " ") + part;
    return text;
}

// Whether the failure is a report of --check, and not the end of the program.
bool IsReport(const Outcome& outcome) {
    const std::string& failure = outcome.failure;
    return failure.size() > kReported.size() &&
           failure.compare(failure.size() - kReported.size(), kReported.size(), kReported) == 0;
}

// Prints what the failing schedule does: a report that names operations and their source lines, or the last choices.
void Explain(const Program& program, const Schedule& schedule, const Outcome& outcome) {
    if (IsReport(outcome)) {
        const std::string kind = outcome.failure.substr(0, outcome.failure.size() - kReported.size());
        std::printf("  the report with this schedule:\n%s",
                    ReportIn(outcome.output, "portacl: " + kind + ": ").c_str());
        return;
    }
    Program checked = program;
    checked.checks = "races";
    if (const std::string race = ReportIn(Run(checked, schedule.text()).output, "portacl: race: "); !race.empty()) {
        std::printf("  with this schedule PORTACL_CHECK=races reports operations that nothing orders:\n%s",
                    race.c_str());
        return;
    }
    std::printf(
        "  PORTACL_CHECK=races reports nothing with this schedule, so the failure may depend on accesses, threads or "
        "files\n"
        "  that portacl does not see. The last choices, one per line: the number of the step, the thread or stream "
        "that\n"
        "  ran, and after each | another one that could have run:\n%s",
        Choices(outcome.turns).c_str());
}

}  // namespace

void Say(const std::string& text) {
    std::fprintf(stderr, "portacl-explore: %s\n", text.c_str());
}

Outcome PlainRuns::Add(const Program& program) {
    Outcome outcome = Run(program, "");
    ++runs_;
    if (outcome.failure.empty()) return outcome;
    ++failed_;
    if (failure_.empty()) failure_ = outcome.failure;
    return outcome;
}

void PlainRuns::Complete(const Program& program) {
    while (runs_ < kPlainRuns) Add(program);
}

std::string PlainRuns::text() const {
    const std::string counts = std::to_string(failed_) + " of " + std::to_string(runs_);
    return "without a schedule " + counts + " runs fail" + (failed_ > 0 ? ": " + failure_ : "");
}

bool Report(const Program& program, const Schedule& found, const Outcome& first, PlainRuns* plain) {
    Say("schedule " + found.text() + " fails: " + first.failure + "; shrinking it");
    Outcome outcome = first;
    const Schedule shrunk = Shrink(found, kShrinkingRuns, [&](const Schedule& simpler) {
        Outcome tried = Run(program, simpler.text());
        const bool fails = tried.failure == first.failure;
        if (fails) outcome = std::move(tried);
        return fails;
    });
    int same = 0, failed = 0;
    for (int i = 0; i < kReplays; ++i) {
        const Outcome again = Run(program, shrunk.text());
        failed += again.failure == outcome.failure;
        same += again.failure == outcome.failure && again.turns == outcome.turns;
    }
    if (failed == 0) {
        Say("schedule " + shrunk.text() +
            " does not fail again in the same way, so its order alone is not the reason; the search continues with the "
            "schedules that are left");
        return false;
    }
    plain->Complete(program);
    std::printf("failing schedule: PORTACL_SCHEDULE=%s\n", shrunk.text().c_str());
    // A report takes long to write, and what comes after it may differ.
    if (IsReport(outcome)) {
        std::printf("  %s; the same in %d of %d replays\n", outcome.failure.c_str(), failed, kReplays);
    } else {
        std::printf("  %s; %d of %d replays fail in the same way and order\n", outcome.failure.c_str(), same, kReplays);
        if (same < kReplays)
            std::printf(
                "  %d of %d replays fail in the same way, in any order; they differ, because the program also depends "
                "on time,\n"
                "  on input, or on the work of its threads between two calls of the library: see docs/explore.md\n",
                failed, kReplays);
    }
    std::printf("  %s\n", plain->text().c_str());
    Explain(program, shrunk, outcome);
    if (const std::string end = Tail(WithoutReports(outcome.output), kLinesOfOutput); !end.empty())
        std::printf("  the end of the program's output:\n%s", end.c_str());
    const std::string checks = program.checks.empty() ? "" : " PORTACL_CHECK=" + program.checks;
    std::printf("replay it: PORTACL_SCHEDULE=%s%s %s\n", shrunk.text().c_str(), checks.c_str(),
                Command(program).c_str());
    return true;
}

}  // namespace explore

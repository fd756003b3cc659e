// portacl-explore: runs a program in many orders of its streams and threads, and prints one in which it fails.
// docs/explore.md describes it. Status 0: no order fails; 1: one fails; 2: wrong arguments; 3: nothing can be explored.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <set>
#include <sstream>

#include "run.h"
#include "search.h"

namespace {

using explore::Outcome;
using explore::Schedule;

const char kUsage[] =
    "usage: portacl-explore [OPTION...] -- PROGRAM [ARGUMENT...]\n"
    "Runs PROGRAM, which uses portacl on CPUs, in many orders of its streams and threads. An order in which it ends\n"
    "with a status that is not 0, by a signal, or not in time is shrunk and printed; PORTACL_SCHEDULE replays it.\n"
    "  --schedules N   how many orders are tried (200)\n"
    "  --seconds S     the timeout of each run (10)\n"
    "  --seed N        the first of the seeds (1)\n";

constexpr int kReplays = 3, kShrinkingRuns = 30, kLinesOfOutput = 12, kTurns = 24;

struct Options {
    explore::Program program;
    long schedules = 200;
    unsigned long long seed = 1;
};

void Say(const std::string& text) {
    std::fprintf(stderr, "portacl-explore: %s\n", text.c_str());
}

bool Number(const char* text, double least, double* value) {
    char* end = nullptr;
    *value = std::strtod(text, &end);
    return end != text && *end == '\0' && *value >= least;
}

// Reads the arguments; false with a line about the first wrong one.
bool Read(int count, char** arguments, Options* options) {
    int at = 1;
    for (; at < count && std::strcmp(arguments[at], "--") != 0; at += 2) {
        const std::string name = arguments[at];
        double value = 0;
        const bool is_known = name == "--schedules" || name == "--seconds" || name == "--seed";
        if (!is_known || at + 1 == count || !Number(arguments[at + 1], name == "--seed" ? 0 : 0.1, &value)) {
            Say(is_known ? name + " needs a number" + (name == "--seed" ? ", 0 or more" : " greater than 0")
                         : "unknown argument " + name + "; write -- in front of the program");
            return false;
        }
        if (name == "--schedules") options->schedules = value < 1 ? 1 : static_cast<long>(value);
        if (name == "--seconds") options->program.seconds = value;
        if (name == "--seed") options->seed = std::strtoull(arguments[at + 1], nullptr, 10);
    }
    for (++at; at < count; ++at) options->program.command.emplace_back(arguments[at]);
    if (options->program.command.empty()) Say("no program; write it behind --");
    return !options->program.command.empty();
}

// A line that replaces itself on a terminal, and else comes every few seconds.
class Progress {
  public:
    explicit Progress(long total) : total_(total) {}
    ~Progress() { End(); }

    void Show(long done) {
        const double now = seconds();
        if (!is_terminal_ && now < next_) return;
        next_ = now + 5;
        std::fprintf(stderr, "%sportacl-explore: %ld of %ld schedules, no failure, %.1f s%s", is_terminal_ ? "\r" : "",
                     done, total_, now, is_terminal_ ? "" : "\n");
        is_open_ = is_terminal_;
    }

    void End() {
        if (is_open_) std::fputc('\n', stderr);
        is_open_ = false;
    }

    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

  private:
    const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    const bool is_terminal_ = isatty(STDERR_FILENO);
    const long total_;
    double next_ = 5;
    bool is_open_ = false;
};

// The last lines of a text, indented.
std::string Tail(const std::string& text, size_t most) {
    std::vector<std::string> lines;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);) lines.push_back(line);
    std::string tail;
    for (size_t i = lines.size() > most ? lines.size() - most : 0; i < lines.size(); ++i)
        tail += "    " + lines[i] + "\n";
    return tail;
}

// The part of a log that has choices.
std::string Choices(const std::string& turns) {
    std::string choices;
    std::istringstream all(turns);
    for (std::string line; std::getline(all, line);)
        if (line[0] != '-') choices += line + "\n";
    return choices;
}

std::string Command(const explore::Program& program) {
    std::string text;
    for (const std::string& part : program.command) text += (text.empty() ? "" : " ") + part;
    return text;
}

// Shrinks a failing schedule, replays it, and prints both.
void Report(const Options& options, const Schedule& found, const Outcome& first) {
    Say("schedule " + found.text() + " fails: " + first.failure + "; shrinking it");
    Outcome outcome = first;
    const Schedule shrunk = explore::Shrink(found, kShrinkingRuns, [&](const Schedule& simpler) {
        Outcome tried = explore::Run(options.program, simpler.text());
        const bool fails = tried.failure == first.failure;
        if (fails) outcome = std::move(tried);
        return fails;
    });
    int same = 0;
    for (int i = 0; i < kReplays; ++i) {
        const Outcome again = explore::Run(options.program, shrunk.text());
        same += again.failure == outcome.failure && again.turns == outcome.turns;
    }
    std::printf("failing schedule: PORTACL_SCHEDULE=%s\n", shrunk.text().c_str());
    std::printf("  %s; %d of %d replays were the same in every turn\n", outcome.failure.c_str(), same, kReplays);
    if (same < kReplays)
        std::printf("  what differs depends on time, input or threads between calls: see docs/explore.md\n");
    std::printf("  the last choices: the step, who went on, and after | who could have\n%s",
                Tail(Choices(outcome.turns), kTurns).c_str());
    std::printf("  the end of its output:\n%s", Tail(outcome.output, kLinesOfOutput).c_str());
    std::printf("replay it: PORTACL_SCHEDULE=%s %s\n", shrunk.text().c_str(), Command(options.program).c_str());
}

void Summary(long schedules, uint32_t steps, double seconds, size_t orders, const char* result) {
    std::printf("summary: %ld schedules with up to %u choices in %.1f s, %zu different orders, %s\n", schedules, steps,
                seconds, orders, result);
}

int Explore(const Options& options) {
    const Outcome plain = explore::Run(options.program, "");
    if (!plain.failure.empty()) {
        std::fputs(plain.output.c_str(), stderr);
        Say("the program fails without a schedule: " + plain.failure + "; mend that first");
        return 3;
    }
    Progress progress(options.schedules);
    explore::Search search(options.seed);
    uint32_t steps = 0;
    std::set<std::string> orders;
    for (long done = 0; done < options.schedules; ++done) {
        const Schedule schedule = search.Next(steps);
        const Outcome outcome = explore::Run(options.program, schedule.text());
        if (outcome.steps > steps) steps = outcome.steps;
        orders.insert(outcome.turns);
        if (!outcome.failure.empty()) {
            progress.End();
            Report(options, schedule, outcome);
            Summary(done + 1, steps, progress.seconds(), orders.size(), "1 failed");
            return 1;
        }
        if (!outcome.is_scheduled) {
            Say("the program has not opened portacl's cpu backend, so there is nothing to explore");
            return 3;
        }
        progress.Show(done + 1);
        // Without a choice all orders are the same.
        if (done == 1 && steps == 0) break;
    }
    progress.End();
    Summary(steps == 0 ? 2 : options.schedules, steps, progress.seconds(), orders.size(), "none failed");
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    Options options;
    if (count == 2 && std::strcmp(arguments[1], "--help") == 0) {
        std::fputs(kUsage, stdout);
        return 0;
    }
    if (!Read(count, arguments, &options)) {
        std::fputs(kUsage, stderr);
        return 2;
    }
    try {
        return Explore(options);
    } catch (const std::exception& failure) {
        Say(failure.what());
        return 3;
    }
}

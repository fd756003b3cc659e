// portacl-explore: runs a program in many orders of its streams and threads, and prints one in which it fails.
// docs/explore.md describes it. Status 0: no order fails; 1: one fails; 2: wrong arguments; 3: nothing can be explored.
#include <unistd.h>

#include <algorithm>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <set>
#include <sstream>

#include "report.h"
#include "run.h"
#include "search.h"

namespace {

using explore::Outcome;
using explore::Schedule;

const char kUsage[] =
    "usage: portacl-explore [OPTION...] -- PROGRAM [ARGUMENT...]\n"
    "Runs PROGRAM, which uses portacl on CPUs, in many orders of its streams and threads. PROGRAM fails if its exit\n"
    "status is not 0, or if a signal ends it. The first order in which PROGRAM fails is simplified and printed as a "
    "value\n"
    "of PORTACL_SCHEDULE. Set that variable to run PROGRAM in this order again.\n"
    "  --check LIST    a report of one of these checks (see PORTACL_CHECK) is a failure too, as in --check races,init\n"
    "  --schedules N   the number of orders to try (default 200)\n"
    "  --seconds S     the timeout of each run (default 10)\n"
    "  --seed N        the seed of the first random order (default 1); each later one has the next seed\n";

// The checks of PORTACL_CHECK.
const char* const kChecks[] = {"races", "init", "sync", "bounds", "leaks", "misuse", "all"};

// If as many schedules as this come first, and all are too slow, the search ends.
constexpr long kMostTooSlow = 5;

struct CommandLine {
    explore::Program program;
    long schedules = 200;
    unsigned long long seed = 1;
};

using explore::Say;

bool Number(const char* text, double least, double* value) {
    char* end = nullptr;
    *value = std::strtod(text, &end);
    return end != text && *end == '\0' && *value >= least;
}

// Whether a text names checks, separated by commas.
bool AreChecks(const std::string& list) {
    std::istringstream names(list + ",");
    for (std::string name; std::getline(names, name, ',');)
        if (std::find(std::begin(kChecks), std::end(kChecks), name) == std::end(kChecks)) return false;
    return true;
}

// Reads an option; false with a line about what is wrong.
bool ReadOption(const std::string& name, const char* text, CommandLine* options) {
    double value = 0;
    if (name == "--check") {
        if (text && AreChecks(text)) return options->program.checks = text, true;
        Say("--check " + (text ? "is \"" + std::string(text) + "\"" : std::string("has no value")) +
            "; allowed: races, init, sync, bounds, leaks, misuse, all, separated by commas");
        return false;
    }
    const bool is_known = name == "--schedules" || name == "--seconds" || name == "--seed";
    const char* const least = name == "--schedules" ? "1" : name == "--seconds" ? "0.1" : "0";
    if (!is_known || !text || !Number(text, std::strtod(least, nullptr), &value)) {
        Say(is_known
                ? name + (text ? " is \"" + std::string(text) + "\"" : std::string(" has no value")) +
                      "; allowed: a number, " + least + " or more"
                : "unknown option " + name + "; the usage below lists the options, and the program comes after --");
        return false;
    }
    if (name == "--schedules") options->schedules = static_cast<long>(value);
    if (name == "--seconds") options->program.seconds = value;
    if (name == "--seed") options->seed = std::strtoull(text, nullptr, 10);
    return true;
}

// Reads the arguments; false with a line about the first wrong one.
bool Read(int count, char** arguments, CommandLine* options) {
    int at = 1;
    for (; at < count && std::strcmp(arguments[at], "--") != 0; at += 2)
        if (!ReadOption(arguments[at], at + 1 < count ? arguments[at + 1] : nullptr, options)) return false;
    for (++at; at < count; ++at) options->program.command.emplace_back(arguments[at]);
    if (options->program.command.empty()) Say("the program is missing; write it after --");
    return !options->program.command.empty();
}

// A line that replaces itself on a terminal, and else comes every few seconds.
class Progress {
  public:
    explicit Progress(long total) : total_(total) {}
    ~Progress() { End(); }

    void Show(long done, bool failed_once) {
        const double now = seconds();
        if (!is_terminal_ && now < next_) return;
        next_ = now + 5;
        std::fprintf(stderr, "%sportacl-explore: %ld of %ld schedules tried, no failure%s, %.1f s%s",
                     is_terminal_ ? "\r" : "", done, total_, failed_once ? " that a replay repeats" : "", now,
                     is_terminal_ ? "" : "\n");
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

// What came of the schedules so far.
struct Tally {
    long tried = 0, too_slow = 0, stuck = 0, not_repeated = 0;
    uint32_t steps = 0;
    std::set<std::string> orders;
};

constexpr char kNoneFailed[] = "none failed";

void Summary(const Tally& tally, double seconds, const std::string& result) {
    std::string results = result;
    if (tally.not_repeated > 0) {
        const std::string count = std::to_string(tally.not_repeated);
        results = result == kNoneFailed ? count : result + ", " + count + " more";
        results += " failed, but in no replay";
    }
    std::printf("summary: %ld schedule%s with up to %u choice%s in %.1f s, %zu different order%s, %s", tally.tried,
                tally.tried == 1 ? "" : "s", tally.steps, tally.steps == 1 ? "" : "s", seconds, tally.orders.size(),
                tally.orders.size() == 1 ? "" : "s", results.c_str());
    if (tally.too_slow > 0) std::printf(", %ld too slow", tally.too_slow);
    std::printf("\n");
}

// What to do about schedules that ran out of time.
void AdviseAboutTime(const Tally& tally, const explore::Program& program) {
    if (tally.too_slow == 0) return;
    std::ostringstream text;
    text << "  " << tally.too_slow << (tally.too_slow == 1 ? " schedule was" : " schedules were")
         << " too slow: the program was not complete after " << program.seconds
         << " s; set a longer timeout with --seconds";
    if (tally.stuck > 0)
        text << "\n  in " << tally.stuck
             << " of these, no stream or thread continued for half of the timeout, so a wait may "
             << "never end; --check sync reports such a wait";
    std::printf("%s\n", text.str().c_str());
}

// Tries schedules until one fails. Returns the exit status.
int Search(const CommandLine& options, explore::PlainRuns* plain) {
    Progress progress(options.schedules);
    explore::Search search(options.seed);
    Tally tally;
    bool is_scheduled = false;
    while (tally.tried < options.schedules) {
        const Schedule schedule = search.Next(tally.steps);
        const Outcome outcome = explore::Run(options.program, schedule.text());
        tally.tried += 1;
        tally.steps = std::max(tally.steps, outcome.steps);
        tally.orders.insert(outcome.turns);
        is_scheduled |= outcome.is_scheduled;
        if (!is_scheduled && !outcome.is_too_slow) {
            Say("the program has not opened portacl's cpu backend, so there is nothing to explore" +
                (outcome.failure.empty() ? "" : "; it ends with " + outcome.failure) +
                "; set PORTACL_BACKEND=cpu, and run a program that calls aclrtSetDevice");
            return 3;
        }
        // A run that fails before it opens the device does so in any order.
        if (!outcome.failure.empty() && outcome.is_scheduled) {
            progress.End();
            if (explore::Report(options.program, schedule, outcome, plain)) {
                Summary(tally, progress.seconds(), "1 failed");
                return 1;
            }
            tally.not_repeated += 1;
        } else if (outcome.is_too_slow) {
            tally.too_slow += 1;
            tally.stuck += outcome.seconds_without_turn > options.program.seconds / 2;
            if (tally.too_slow == tally.tried && tally.tried == std::min(kMostTooSlow, options.schedules)) {
                Summary(tally, progress.seconds(), "none complete");
                AdviseAboutTime(tally, options.program);
                return 3;
            }
        }
        progress.Show(tally.tried, tally.not_repeated > 0);
        // Without a choice all orders are the same.
        if (tally.tried == 2 && tally.steps == 0 && tally.too_slow == 0) break;
    }
    progress.End();
    Summary(tally, progress.seconds(), kNoneFailed);
    AdviseAboutTime(tally, options.program);
    return 0;
}

int Explore(const CommandLine& options) {
    explore::PlainRuns plain;
    const Outcome first = plain.Add(options.program);
    if (first.is_too_slow) {
        std::fputs(first.output.c_str(), stderr);
        std::ostringstream text;
        text << "without a schedule the program is not complete after " << options.program.seconds
             << " s; set a longer timeout with --seconds";
        Say(text.str());
        return 3;
    }
    if (!first.failure.empty()) {
        plain.Complete(options.program);
        Say(plain.text() + "; the search continues");
    }
    return Search(options, &plain);
}

}  // namespace

int main(int count, char** arguments) {
    CommandLine options;
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

// Which schedules are tried, and which is the simplest that fails.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "run.h"

namespace explore {

// A value of PORTACL_SCHEDULE: the priorities at the beginning, and the steps at which the one that would go on gets
// the lowest priority.
struct Schedule {
    std::string base;
    std::vector<uint32_t> at;

    std::string text() const;
};

// Schedules, each once: the program before its streams, the streams before the program, each with one change at one
// step, spread over all steps; between them random priorities with up to three changes.
class Search {
  public:
    explicit Search(uint64_t first_seed) : seed_(first_seed) {}

    // The next schedule, if a program makes this many choices.
    Schedule Next(uint32_t steps);

  private:
    std::optional<Schedule> Systematic(uint32_t steps);
    Schedule Random(uint32_t steps);

    uint64_t count_ = 0, changes_ = 0, seed_;
    std::set<std::string> tried_;
};

// The simplest schedule that still fails, found with at most `runs` calls of `fails`: fewer changes, and a base with a
// name instead of a seed.
Schedule Shrink(Schedule schedule, int runs, const std::function<bool(const Schedule&)>& fails);

}  // namespace explore

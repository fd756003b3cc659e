// One run of a program under a schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace explore {

// How the failure of a run ends whose checks have reported something, behind the kind of the report.
const std::string kReported = " reported";

struct Outcome {
    // What is wrong with it, as in "exit status 1" or "race reported"; empty if nothing is.
    std::string failure;
    // It was ended, because it ran out of time. That is no failure.
    bool is_too_slow = false;
    // If so: the seconds since its last turn.
    double seconds_without_turn = 0;
    // What the program wrote on standard output and standard error.
    std::string output;
    // What PORTACL_SCHEDULE_LOG has: who went on at each turn, and who could have.
    std::string turns;
    // The last numbered turn: the number of choices.
    uint32_t steps = 0;
    // The library has written the log.
    bool is_scheduled = false;
};

struct Program {
    std::vector<std::string> command;
    double seconds = 10;
    // The checks whose reports are failures: a value of PORTACL_CHECK. Empty: the program's environment decides, and
    // its status alone counts.
    std::string checks;
};

// Runs the program with this value of PORTACL_SCHEDULE, or as it is if that is empty. Ends it after the timeout.
Outcome Run(const Program& program, const std::string& schedule);

}  // namespace explore

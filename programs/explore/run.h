// One run of a program under a schedule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace explore {

struct Outcome {
    // What is wrong with it, as in "exit status 1"; empty if nothing is.
    std::string failure;
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
};

// Runs the program with this value of PORTACL_SCHEDULE, or as it is if that is empty. Ends it after the timeout.
Outcome Run(const Program& program, const std::string& schedule);

}  // namespace explore

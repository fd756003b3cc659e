// What portacl-explore says about a schedule that fails.
#pragma once

#include <string>

#include "run.h"
#include "search.h"

namespace explore {

// Writes a line to standard error.
void Say(const std::string& text);

// Runs of the program without a schedule: how often these fail.
class PlainRuns {
  public:
    // Runs the program once more.
    Outcome Add(const Program& program);
    // Runs the program until there are enough runs for a sentence.
    void Complete(const Program& program);
    // The sentence, as in "without a schedule 3 of 10 runs fail: exit status 1".
    std::string text() const;

  private:
    int runs_ = 0, failed_ = 0;
    std::string failure_;
};

// Shrinks a schedule that has failed, runs it again, and prints what happens in it. False, with a line on standard
// error, if it does not fail again: its order is not the reason.
bool Report(const Program& program, const Schedule& found, const Outcome& first, PlainRuns* plain);

}  // namespace explore

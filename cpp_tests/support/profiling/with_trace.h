// A program that does not know about tracing, with PORTACL_TRACE.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "support/own_process.h"
#include "support/profiling/trace.h"

namespace portacl_test {

// Runs `body` in its own process with a trace, then calls `check` with the trace.
inline void WithTrace(const std::string& test, void (*body)(), void (*check)(const Trace&), Settings settings = {}) {
    const TemporaryFolder folder;
    const std::string path = folder.At(test + ".json");
    settings.emplace_back("PORTACL_TRACE", path);
    RunInOwnProcess(body, settings);
    if (std::getenv("PORTACL_TEST_OWN_PROCESS")) return;
    const Trace trace = Trace::Read(path);
    trace.Check();
    if (!testing::Test::HasFailure()) check(trace);
    if (testing::Test::HasFailure()) {
        std::ifstream file(path);
        std::string line;
        for (int i = 0; i < 100 && std::getline(file, line); ++i) std::cout << line << "\n";
    }
}

}  // namespace portacl_test

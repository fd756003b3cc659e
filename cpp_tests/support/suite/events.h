// Writes what happens to each test into a file as it happens, for a script that runs a program whose tests may crash or
// hang.
#pragma once

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "support/skips.h"

namespace portacl_test {

// The file is that of PORTACL_TEST_EVENTS. Its lines have fields with a tab between them:
//     run     TEST
//     passed | skipped | failed   TEST   MILLISECONDS   TEXT
// TEXT is the first failure, or why the test skipped itself. Each line is one write, so it is there when the process
// crashes with the next instruction. Programs that tests start write nothing.
class Events : public testing::EmptyTestEventListener {
  public:
    explicit Events(const Skips& skips) : skips_(skips) {
        const char* const path = std::getenv("PORTACL_TEST_EVENTS");
        if (path) file_ = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        unsetenv("PORTACL_TEST_EVENTS");
    }
    ~Events() override {
        if (file_ >= 0) close(file_);
    }

    void OnTestStart(const testing::TestInfo& test) override { Write("run\t" + Name(test)); }

    void OnTestEnd(const testing::TestInfo& test) override {
        const testing::TestResult& result = *test.result();
        const char* verdict = result.Failed() ? "failed" : "passed";
        std::string text;
        for (int i = 0; i < result.total_part_count() && text.empty(); ++i) {
            const testing::TestPartResult& part = result.GetTestPartResult(i);
            if (part.failed())
                text = std::string(part.file_name() ? part.file_name() : "") + ":" +
                       std::to_string(part.line_number()) + ": " + part.summary();
            if (part.skipped() && !result.Failed()) {
                text = Skips::FirstLine(part.summary());
                verdict = skips_.Counts(text) ? "failed" : "skipped";
            }
        }
        Write(std::string(verdict) + "\t" + Name(test) + "\t" + std::to_string(result.elapsed_time()) + "\t" +
              text.substr(0, 600));
    }

  private:
    static std::string Name(const testing::TestInfo& test) {
        return std::string(test.test_suite_name()) + "." + test.name();
    }

    void Write(std::string line) const {
        if (file_ < 0) return;
        std::replace(line.begin(), line.end(), '\n', ' ');
        line += '\n';
        [[maybe_unused]] const ssize_t written = write(file_, line.data(), line.size());
    }

    const Skips& skips_;
    int file_ = -1;
};

// Returns the status of the program.
inline int RunTests(int (*device_count)()) {
    auto* const skips = new Skips(device_count);
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    listeners.Append(new Events(*skips));  // which owns them
    listeners.Append(skips);
    const int result = RUN_ALL_TESTS();
    skips->Print();
    // On the machine that a test is for, a skipped test is a failure.
    if (skips->Invalid() == 0) return result;
    std::printf("%d tests skipped, and PORTACL_TEST_NO_SKIPS is set\n", skips->Invalid());
    return 1;
}
}  // namespace portacl_test

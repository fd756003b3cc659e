// Tests that need their own process: about its first call, its end, its environment, fork.
#pragma once

#include <gtest/gtest.h>

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/process/temporary_folder.h"

namespace portacl_test {

// The environment variables for a child: name and value.
using Settings = std::vector<std::pair<std::string, std::string>>;

struct ProcessResult {
    bool timed_out = false;
    int exit_code = -1;  // or -1
    int signal = 0;      // that ended it, or 0
    std::string output;  // stdout and stderr
};

// Returns the folder of this test program and its helper programs.
inline std::filesystem::path ProgramDirectory() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

// Returns this process's environment with some variables set. The child writes no test report.
inline std::vector<std::string> Environment(const Settings& settings) {
    std::vector<std::string> environment;
    for (char** entry = environ; *entry; ++entry) {
        const std::string name(*entry, std::strcspn(*entry, "="));
        bool replaced = name == "GTEST_OUTPUT";
        for (const auto& setting : settings) replaced = replaced || setting.first == name;
        if (!replaced) environment.push_back(*entry);
    }
    for (const auto& setting : settings) environment.push_back(setting.first + "=" + setting.second);
    return environment;
}

// Returns pointers to the texts, null-terminated, as exec expects it. The strings are not copied.
inline std::vector<char*> Pointers(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

// Returns "Suite.Name" of the running test.
inline std::string CurrentTest() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    return std::string(test->test_suite_name()) + "." + test->name();
}

// Runs a program until it ends, or kills it after `patience`.
inline ProcessResult RunProcess(const std::string& program, const std::vector<std::string>& arguments,
                                const Settings& settings = {},
                                std::chrono::seconds patience = std::chrono::seconds(120)) {
    std::vector<std::string> all{program};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const std::vector<std::string> environment = Environment(settings);
    std::vector<char*> argv = Pointers(all), envp = Pointers(environment);

    ProcessResult result;
    int ends[2];
    if (pipe(ends) != 0) {
        result.output = std::string("pipe: ") + std::strerror(errno);
        return result;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    pid_t child = 0;
    const int failure = posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), envp.data());
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failure != 0) {
        close(ends[0]);
        result.output = program + ": " + std::strerror(failure);
        return result;
    }

    // The output ends when the child and all processes that it forked have ended.
    const auto deadline = std::chrono::steady_clock::now() + patience;
    char buffer[4096];
    while (true) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        pollfd wait{ends[0], POLLIN, 0};
        const int ready = left.count() > 0 ? poll(&wait, 1, static_cast<int>(left.count())) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) {
            result.timed_out = true;
            kill(child, SIGKILL);
            break;
        }
        const ssize_t got = read(ends[0], buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        result.output.append(buffer, static_cast<size_t>(got));
    }
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    return result;
}

// Whether the process exited by itself with status 0.
inline testing::AssertionResult Succeeded(const ProcessResult& result) {
    if (!result.timed_out && result.exit_code == 0) return testing::AssertionSuccess();
    testing::AssertionResult failure = testing::AssertionFailure();
    if (result.timed_out)
        failure << "the process hung and was killed";
    else if (result.signal != 0)
        failure << "the process ended by signal " << result.signal;
    else
        failure << "the process exited with " << result.exit_code;
    return failure << "; its output:\n" << result.output;
}

// Set in the process of RunInOwnProcess: the name of its test.
constexpr const char* kOwnProcess = "PORTACL_TEST_OWN_PROCESS";

// Returns a path in the folder that a process of RunInOwnProcess has as TMPDIR. Its parent removes the folder after the
// process, and so what the library writes when the process exits.
inline std::string InOwnFolder(const std::string& name) {
    if (!std::getenv(kOwnProcess)) throw std::logic_error("only a process of RunInOwnProcess has a folder");
    return (std::filesystem::temp_directory_path() / name).string();
}

// Runs `body` in a new process of this program, from its start to its normal end (exit, static
// destructors). Its failures are failures of this test, and if it skips itself, so does this test.
inline void RunInOwnProcess(void (*body)(), const Settings& settings = {}) {
    static const char* const kDone = "[ body ran to its end ]";
    const std::string name = CurrentTest();
    const char* inside = std::getenv(kOwnProcess);
    if (inside && name == inside) {
        body();
        if (!testing::Test::HasFailure()) {
            std::printf("%s\n", kDone);
            std::fflush(stdout);
        }
        return;
    }
    Settings all = settings;
    const TemporaryFolder folder;
    all.emplace_back(kOwnProcess, name);
    all.emplace_back("TMPDIR", folder.path());
    const ProcessResult result = RunProcess("/proc/self/exe", {"--gtest_filter=" + name, "--gtest_color=no"}, all);
    EXPECT_TRUE(Succeeded(result));
    // main() of the process prints the reason.
    static const std::string kSkipped = "\nskipped: 1 test: ";
    if (const size_t at = result.output.rfind(kSkipped); at != std::string::npos) {
        const size_t reason = at + kSkipped.size();
        GTEST_SKIP() << result.output.substr(reason, result.output.find('\n', reason) - reason);
    }
    EXPECT_NE(result.output.find(kDone), std::string::npos) << "the process ended before its test did; its output:\n"
                                                            << result.output;
}

}  // namespace portacl_test

// OWN_PROCESS_TEST(suite, name, {"VARIABLE", "value"}...) { body }
#define OWN_PROCESS_TEST(suite, name, ...)                                     \
    static void suite##_##name##_Body();                                       \
    TEST(suite, name) {                                                        \
        ::portacl_test::RunInOwnProcess(suite##_##name##_Body, {__VA_ARGS__}); \
    }                                                                          \
    static void suite##_##name##_Body()

#include "run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace explore {
namespace {

using Clock = std::chrono::steady_clock;

// The running program, for the signal handler, and the signal that has arrived.
volatile sig_atomic_t running = 0, arrived = 0;

void EndTheProgram(int signal) {
    arrived = signal;
    if (running > 0) kill(-running, SIGKILL);
}

// While it exists, a signal that ends this process ends the running program first. This process ends in the destructor,
// when all that was created later is released.
class EndsWithTheProgram {
  public:
    EndsWithTheProgram() {
        for (size_t i = 0; i < kSignals.size(); ++i) before_[i] = std::signal(kSignals[i], EndTheProgram);
    }
    EndsWithTheProgram(const EndsWithTheProgram&) = delete;
    ~EndsWithTheProgram() {
        for (size_t i = 0; i < kSignals.size(); ++i) std::signal(kSignals[i], before_[i]);
        if (arrived) _exit(128 + arrived);
    }

  private:
    static constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};
    std::array<void (*)(int), 3> before_{};
};

// A folder that is removed at the end, with the files of a run.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        const char* folder = std::getenv("TMPDIR");
        std::string path = std::string(folder && *folder ? folder : "/tmp") + "/portacl-explore-XXXXXX";
        if (!mkdtemp(path.data())) throw std::runtime_error("cannot create " + path + ": " + std::strerror(errno));
        path_ = path;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    std::string file(const char* name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

std::string Contents(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

constexpr char kReports[] = "reports.";

// The variables of a run. Each process of the program has a file of reports.
std::vector<std::string> Environment(const Program& program, const std::string& schedule,
                                     const TemporaryFolder& folder) {
    std::vector<std::pair<std::string, std::string>> own{{"PORTACL_SCHEDULE=", schedule},
                                                         {"PORTACL_SCHEDULE_LOG=", folder.file("turns")}};
    if (!program.checks.empty()) {
        own.emplace_back("PORTACL_CHECK=", program.checks);
        own.emplace_back("PORTACL_CHECK_LOG=", folder.file(kReports) + "%p");
    }
    std::vector<std::string> environment;
    for (char** entry = environ; *entry; ++entry) {
        bool is_own = false;
        for (const auto& variable : own) is_own |= !std::strncmp(*entry, variable.first.c_str(), variable.first.size());
        if (!is_own) environment.emplace_back(*entry);
    }
    for (size_t i = schedule.empty() ? 2 : 0; i < own.size(); ++i) environment.push_back(own[i].first + own[i].second);
    return environment;
}

// The kind of the first report that is a failure, as in "race"; empty if there is none. A redundant wait makes a
// program slower, but not wrong.
std::string ReportedKind(const TemporaryFolder& folder) {
    const std::string begin = "{\"check\":\"";
    for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
        if (file.path().filename().string().compare(0, strlen(kReports), kReports) != 0) continue;
        std::istringstream lines(Contents(file.path()));
        for (std::string line; std::getline(lines, line);) {
            if (line.compare(0, begin.size(), begin) != 0) continue;
            const std::string kind = line.substr(begin.size(), line.find('"', begin.size()) - begin.size());
            if (kind != "redundant wait") return kind;
        }
    }
    return "";
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

// Starts the program in a process group of its own, so that its children end with it.
pid_t Start(const std::vector<std::string>& command, const std::vector<std::string>& environment, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<char*> arguments = Pointers(command), variables = Pointers(environment);
    pid_t child = 0;
    const int failure = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), variables.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) throw std::runtime_error(command[0] + " cannot be started: " + std::strerror(failure));
    return child;
}

// Waits for the end of the program, and ends it after some time. Returns its status; nothing if it was too slow.
std::optional<int> Wait(pid_t child, double seconds) {
    const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (Clock::now() >= deadline) {
            kill(-child, SIGKILL);
            waitpid(child, &status, 0);
            return {};
        }
        usleep(500);
    }
    // What it has left behind.
    kill(-child, SIGKILL);
    return status;
}

// What is wrong with the end of a program.
std::string FailureOf(int status) {
    if (WIFSIGNALED(status))
        return "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
    return WEXITSTATUS(status) == 0 ? "" : "exit status " + std::to_string(WEXITSTATUS(status));
}

// The seconds since a file was written.
double Age(const std::string& path) {
    struct stat about;
    timespec now;
    if (stat(path.c_str(), &about) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0) return 0;
    return static_cast<double>(now.tv_sec - about.st_mtim.tv_sec) +
           static_cast<double>(now.tv_nsec - about.st_mtim.tv_nsec) / 1e9;
}

// The number of the last choice in a log.
uint32_t LastStep(const std::string& turns) {
    uint32_t last = 0;
    std::istringstream lines(turns);
    for (std::string line; std::getline(lines, line);)
        if (const unsigned long step = std::strtoul(line.c_str(), nullptr, 10)) last = static_cast<uint32_t>(step);
    return last;
}

}  // namespace

Outcome Run(const Program& program, const std::string& schedule) {
    const EndsWithTheProgram ends;
    const TemporaryFolder folder;
    const int output = open(folder.file("output").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (output < 0)
        throw std::runtime_error("cannot create a file in " + folder.path().string() + ": " + std::strerror(errno));
    running = Start(program.command, Environment(program, schedule, folder), output);
    if (arrived) kill(-running, SIGKILL);
    const std::optional<int> status = Wait(running, program.seconds);
    running = 0;
    close(output);
    Outcome outcome;
    outcome.is_too_slow = !status;
    if (!status) outcome.seconds_without_turn = Age(folder.file("turns"));
    const std::string kind = program.checks.empty() ? "" : ReportedKind(folder);
    if (!kind.empty())
        outcome.failure = kind + kReported;
    else if (status)
        outcome.failure = FailureOf(*status);
    outcome.output = Contents(folder.file("output"));
    outcome.turns = Contents(folder.file("turns"));
    outcome.steps = LastStep(outcome.turns);
    outcome.is_scheduled = !outcome.turns.empty();
    return outcome;
}

}  // namespace explore

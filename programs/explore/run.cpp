#include "run.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace explore {
namespace {

using Clock = std::chrono::steady_clock;

// The running program, for the signal handler.
volatile sig_atomic_t running = 0;

void EndWithTheProgram(int signal) {
    if (running > 0) kill(-running, SIGKILL);
    _exit(128 + signal);
}

// A file that is removed at the end.
class TemporaryFile {
  public:
    TemporaryFile() {
        const char* folder = std::getenv("TMPDIR");
        path_ = std::string(folder && *folder ? folder : "/tmp") + "/portacl-explore-XXXXXX";
        descriptor_ = mkstemp(path_.data());
        if (descriptor_ < 0) throw std::runtime_error("cannot create " + path_ + ": " + std::strerror(errno));
    }
    TemporaryFile(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        close(descriptor_);
        unlink(path_.c_str());
    }

    const std::string& path() const { return path_; }
    int descriptor() const { return descriptor_; }
    std::string text() const {
        std::ostringstream text;
        text << std::ifstream(path_).rdbuf();
        return text.str();
    }

  private:
    std::string path_;
    int descriptor_ = -1;
};

std::vector<std::string> Environment(const std::string& schedule, const std::string& log) {
    std::vector<std::string> environment;
    const auto begins_with = [](const char* entry, const char* name) {
        return !std::strncmp(entry, name, strlen(name));
    };
    for (char** entry = environ; *entry; ++entry)
        if (!begins_with(*entry, "PORTACL_SCHEDULE=") && !begins_with(*entry, "PORTACL_SCHEDULE_LOG="))
            environment.push_back(*entry);
    if (!schedule.empty()) {
        environment.push_back("PORTACL_SCHEDULE=" + schedule);
        environment.push_back("PORTACL_SCHEDULE_LOG=" + log);
    }
    return environment;
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

// Waits for the end of the program. Returns what is wrong with that end.
std::string Wait(pid_t child, double seconds) {
    const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (Clock::now() >= deadline) {
            kill(-child, SIGKILL);
            waitpid(child, &status, 0);
            std::ostringstream text;
            text << "not complete after " << seconds << " s";
            return text.str();
        }
        usleep(500);
    }
    // What it has left behind.
    kill(-child, SIGKILL);
    if (WIFSIGNALED(status))
        return "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
    return WEXITSTATUS(status) == 0 ? "" : "exit status " + std::to_string(WEXITSTATUS(status));
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
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, EndWithTheProgram);
    const TemporaryFile output, log;
    running = Start(program.command, Environment(schedule, log.path()), output.descriptor());
    Outcome outcome;
    outcome.failure = Wait(running, program.seconds);
    running = 0;
    outcome.output = output.text();
    outcome.turns = log.text();
    outcome.steps = LastStep(outcome.turns);
    outcome.is_scheduled = !outcome.turns.empty();
    return outcome;
}

}  // namespace explore

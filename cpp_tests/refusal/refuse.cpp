// Runs a program and has the kernel refuse system calls that a shared object in it makes.
//
// usage: refuse count LIBRARY REPORT PROGRAM [ARGUMENT...]
//        refuse CALL ERROR NUMBER LIBRARY REPORT PROGRAM [ARGUMENT...]
//
// The first form counts. The second makes calls named CALL fail with the error number ERROR: the
// call with this NUMBER, counted from 1, or all of them (0). Only calls count that code of LIBRARY
// makes directly or through a thin function of the C library; calls that the C library and the
// loader make for themselves are let through (calls.h). The report says how often each call was
// made or refused, and where threads are that have not ended after SECONDS. The exit status is the
// program's; 128 plus the signal that ended it; or 77, with the reason in the report, if the system
// does not allow tracing.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "calls.h"
#include "code.h"

namespace {

constexpr int kSkipped = 77;
constexpr auto kPatience = std::chrono::seconds(60);

struct CommandLine {
    std::string call;  // empty: count
    int error = 0;
    long number = 0;
    std::string library;
    const char* report = nullptr;
    char** program = nullptr;
};

// The calls for which the kernel stops the tracee: those of one name or, to count, all that may be
// refused.
std::vector<sock_filter> Filter(const std::string& wanted) {
    std::vector<sock_filter> filter{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
    for (const auto& call : kCalls) {
        if (!wanted.empty() && wanted != call.name) continue;
        filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call.number), 0, 1));
        filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE));
    }
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    return filter;
}

[[noreturn]] void BecomeProgram(const CommandLine& options) {
    std::vector<sock_filter> filter = Filter(options.call);
    sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(kSkipped);
    raise(SIGSTOP);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0)
        _exit(kSkipped);
    execv(options.program[0], options.program);
    _exit(126);
}

class Tracer {
  public:
    Tracer(const CommandLine& options, pid_t child) : options_(options), child_(child) {}

    // Follows the program and all processes that it starts until it has ended. Returns its exit
    // status.
    int Run() {
        const auto deadline = std::chrono::steady_clock::now() + kPatience;
        while (!ended_) {
            int status = 0;
            const pid_t thread = waitpid(-1, &status, __WALL | WNOHANG);
            if (thread > 0) {
                HandleStop(thread, status);
                continue;
            }
            if (thread < 0 && errno == ECHILD) break;
            if (std::chrono::steady_clock::now() > deadline) {
                Hung();
                break;
            }
            usleep(100);
        }
        return status_;
    }

    void Write() const {
        FILE* report = std::fopen(options_.report, "w");
        if (!report) return;
        for (const auto& [name, count] : counts_) std::fprintf(report, "%s %ld\n", name.c_str(), count);
        std::fprintf(report, "refused %ld\n%s", refused_, hung_.c_str());
        std::fclose(report);
    }

  private:
    void HandleStop(pid_t thread, int status) {
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            threads_.erase(thread);
            if (thread != child_) return;
            ended_ = true;
            status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            return;
        }
        if (!WIFSTOPPED(status)) return;
        const bool is_new = threads_.insert(thread).second;
        const int event = status >> 16;
        int signal = WSTOPSIG(status);
        if (event == PTRACE_EVENT_SECCOMP) {
            Answer(thread);
            signal = 0;
        } else if (event == PTRACE_EVENT_EXEC) {
            code_.erase(thread);
            signal = 0;
        } else if (event != 0 || (is_new && signal == SIGSTOP)) {
            // A thread or process begins, or a new one stops for the first time.
            signal = 0;
        }
        ptrace(PTRACE_CONT, thread, nullptr, signal);
    }

    void Answer(pid_t thread) {
        Registers registers;
        if (!registers.Read(thread)) return;
        const SystemCall* call = FindCall(registers.CallNumber());
        if (!call || !IsOfLibrary(thread, *call, registers)) return;
        const long count = ++counts_[call->name];
        if (options_.call.empty() || (options_.number != 0 && count != options_.number)) return;
        ++refused_;
        registers.Refuse(thread, options_.error);
    }

    // Whether the library makes this call itself.
    bool IsOfLibrary(pid_t thread, const SystemCall& call, const Registers& registers) {
        return Code(thread).IsCalledBy(options_.library, registers.StackPointer(), call.depth);
    }

    ProcessCode& Code(pid_t thread) { return code_.try_emplace(thread, thread).first->second; }

    // Prints where each thread is, and kills them.
    void Hung() {
        hung_ = "hung\n";
        for (const pid_t thread : std::set<pid_t>(threads_)) {
            syscall(SYS_tgkill, child_, thread, SIGSTOP);
            int status = 0;
            for (int i = 0; i < 1000 && waitpid(thread, &status, __WALL | WNOHANG) == 0; ++i) usleep(1000);
            Registers registers;
            if (!WIFSTOPPED(status) || !registers.Read(thread)) continue;
            hung_ += "thread " + std::to_string(thread) + ":" +
                     Code(thread).Stack(registers.Instruction(), registers.StackPointer()) + "\n";
        }
        for (const pid_t thread : threads_) kill(thread, SIGKILL);
        status_ = 124;
    }

    const CommandLine& options_;
    pid_t child_;
    std::set<pid_t> threads_;
    std::map<pid_t, ProcessCode> code_;
    std::map<std::string, long> counts_;
    long refused_ = 0;
    std::string hung_;
    int status_ = 125;
    bool ended_ = false;
};

int Skip(const CommandLine& options, const char* why) {
    if (FILE* report = std::fopen(options.report, "w")) {
        std::fprintf(report, "skipped %s: %s\n", why, std::strerror(errno));
        std::fclose(report);
    }
    return kSkipped;
}

int Trace(const CommandLine& options) {
    const pid_t child = fork();
    if (child < 0) return Skip(options, "fork");
    if (child == 0) BecomeProgram(options);
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return Skip(options, "ptrace");
    const long wanted = PTRACE_O_EXITKILL | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                        PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC;
    if (ptrace(PTRACE_SETOPTIONS, child, nullptr, wanted) != 0) {
        kill(child, SIGKILL);
        return Skip(options, "ptrace");
    }
    ptrace(PTRACE_CONT, child, nullptr, 0);
    Tracer tracer(options, child);
    const int result = tracer.Run();
    tracer.Write();
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    CommandLine options;
    int next = 1;
    if (argc > 1 && std::strcmp(argv[1], "count") == 0) {
        next = 2;
    } else if (argc > 4) {
        options.call = argv[1];
        options.error = std::atoi(argv[2]);
        options.number = std::atol(argv[3]);
        next = 4;
    }
    if (next == 1 || argc < next + 3) {
        std::fprintf(stderr, "usage: see the beginning of refuse.cpp\n");
        return 2;
    }
    options.library = argv[next];
    options.report = argv[next + 1];
    options.program = argv + next + 2;
    if (!options.call.empty() && !FindCall(options.call)) {
        std::fprintf(stderr, "refuse: no call that may be refused is named %s\n", argv[1]);
        return 2;
    }
    return Trace(options);
}

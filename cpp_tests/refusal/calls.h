// The system calls that may be refused.
//
// Excluded, because no program works without them or because they cannot fail:
//   futex                        locks of Rust and of the C library ignore its errors
//   exit, exit_group, execve, rt_sigreturn, arch_prctl, set_tid_address,
//   set_robust_list, rseq        used by the C library and the kernel when threads begin and end
//   brk                          used by malloc
//   sched_yield, getpid, gettid, getuid, geteuid, getppid, clock_gettime, gettimeofday
//                                cannot fail, or have no result that a program checks
// Calls that the C library and the loader make for themselves (malloc's mmap, the loader's open and
// reads) are let through by their call site: the innermost call on the stack is not in the library.
#pragma once

#include <sys/syscall.h>

#include <string>

struct SystemCall {
    const char* name;
    long number;
    // How many of the innermost calls on the stack may be the library's: 1, except for calls that
    // only the C library makes on the library's behalf.
    int depth;
};

inline constexpr SystemCall kCalls[] = {
    {"read", SYS_read, 1},
    {"write", SYS_write, 1},
    {"writev", SYS_writev, 1},
    {"pread64", SYS_pread64, 1},
    {"pwrite64", SYS_pwrite64, 1},
    {"open", SYS_open, 1},
    {"openat", SYS_openat, 1},
    {"close", SYS_close, 1},
    {"stat", SYS_stat, 1},
    {"fstat", SYS_fstat, 1},
    {"lstat", SYS_lstat, 1},
    {"newfstatat", SYS_newfstatat, 1},
    {"statx", SYS_statx, 1},
    {"access", SYS_access, 1},
    {"readlink", SYS_readlink, 1},
    {"readlinkat", SYS_readlinkat, 1},
    {"getdents64", SYS_getdents64, 1},
    {"getcwd", SYS_getcwd, 1},
    {"mkdir", SYS_mkdir, 1},
    {"mkdirat", SYS_mkdirat, 1},
    {"unlink", SYS_unlink, 1},
    {"lseek", SYS_lseek, 1},
    {"ftruncate", SYS_ftruncate, 1},
    {"fallocate", SYS_fallocate, 1},
    {"flock", SYS_flock, 1},
    // The C library checks the request before it calls the kernel.
    {"fcntl", SYS_fcntl, 2},
    {"ioctl", SYS_ioctl, 1},
    {"dup", SYS_dup, 1},
    {"dup2", SYS_dup2, 1},
    {"dup3", SYS_dup3, 1},
    {"pipe2", SYS_pipe2, 1},
    {"poll", SYS_poll, 1},
    {"ppoll", SYS_ppoll, 1},
    {"socket", SYS_socket, 1},
    {"bind", SYS_bind, 1},
    {"listen", SYS_listen, 1},
    {"accept4", SYS_accept4, 1},
    {"connect", SYS_connect, 1},
    {"getsockopt", SYS_getsockopt, 1},
    {"setsockopt", SYS_setsockopt, 1},
    {"sendmsg", SYS_sendmsg, 1},
    {"recvmsg", SYS_recvmsg, 1},
    {"shutdown", SYS_shutdown, 1},
    {"memfd_create", SYS_memfd_create, 1},
    {"mmap", SYS_mmap, 1},
    {"munmap", SYS_munmap, 1},
    {"mremap", SYS_mremap, 1},
    {"mprotect", SYS_mprotect, 1},
    {"madvise", SYS_madvise, 1},
    {"mincore", SYS_mincore, 1},
    {"mlock", SYS_mlock, 1},
    {"munlock", SYS_munlock, 1},
    {"mbind", SYS_mbind, 1},
    {"membarrier", SYS_membarrier, 1},
    {"getrandom", SYS_getrandom, 1},
    {"prlimit64", SYS_prlimit64, 1},
    {"sysinfo", SYS_sysinfo, 1},
    {"uname", SYS_uname, 1},
    {"getcpu", SYS_getcpu, 1},
    {"prctl", SYS_prctl, 1},
    {"rt_sigaction", SYS_rt_sigaction, 1},
    {"rt_sigprocmask", SYS_rt_sigprocmask, 1},
    {"sigaltstack", SYS_sigaltstack, 1},
    {"sched_getaffinity", SYS_sched_getaffinity, 1},
    {"sched_setaffinity", SYS_sched_setaffinity, 1},
    {"sched_getscheduler", SYS_sched_getscheduler, 1},
    {"sched_setscheduler", SYS_sched_setscheduler, 1},
    {"sched_getparam", SYS_sched_getparam, 1},
    {"kill", SYS_kill, 1},
    {"tgkill", SYS_tgkill, 1},
    // The C library's nanosleep calls its clock_nanosleep.
    {"clock_nanosleep", SYS_clock_nanosleep, 3},
    // Threads are started by the C library: pthread_create tries one call, then the other.
    {"clone3", SYS_clone3, 12},
    {"clone", SYS_clone, 12},
};

inline const SystemCall* FindCall(long number) {
    for (const SystemCall& call : kCalls)
        if (call.number == number) return &call;
    return nullptr;
}

inline const SystemCall* FindCall(const std::string& name) {
    for (const SystemCall& call : kCalls)
        if (name == call.name) return &call;
    return nullptr;
}

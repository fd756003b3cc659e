// Makes the kernel refuse system calls of this thread and of threads that it starts, or of all.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace portacl_test {

// Makes the system call with this number fail with `error`; if `argument` has a value, only calls
// with that second argument. `flags`: SECCOMP_FILTER_FLAG_TSYNC for all threads of the process. It cannot
// be undone: use it in a separate process. False: this system does not allow it.
inline bool RefuseCall(long number, int error, std::optional<uint32_t> argument = {}, unsigned flags = 0) {
    const auto answer = static_cast<uint32_t>(SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA));
    sock_filter with_argument[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + sizeof(uint64_t)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argument.value_or(0), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_filter plain[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program{};
    program.len = argument ? sizeof with_argument / sizeof *with_argument : sizeof plain / sizeof *plain;
    program.filter = argument ? with_argument : plain;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0;
}

}  // namespace portacl_test

// Skips the rest of a test if system calls cannot be refused.
#define REFUSE_CALL(...) \
    if (!::portacl_test::RefuseCall(__VA_ARGS__)) GTEST_SKIP() << "needs seccomp filters: " << std::strerror(errno)

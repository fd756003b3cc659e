// Makes the kernel refuse system calls of this thread and of threads that it starts.
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

namespace portacl_test {

// Makes the system call with this number fail with `error`. It cannot be undone: use it in a separate process. Returns
// false if this system does not allow it.
inline bool RefuseCall(long number, int error) {
    sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, static_cast<uint32_t>(SECCOMP_RET_ERRNO | (error & SECCOMP_RET_DATA))),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program{sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

}  // namespace portacl_test

// Skips the rest of a test if system calls cannot be refused.
#define REFUSE_CALL(...) \
    if (!::portacl_test::RefuseCall(__VA_ARGS__)) GTEST_SKIP() << "needs seccomp filters: " << std::strerror(errno)

// Children and the use of the library in tests about the end of processes.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

#include "support/acl_test.h"
#include "support/base/one_of_each.h"
#include "support/threads.h"

// Objects of a process that does not clean up are no leak of this library, nor is what a forked
// child inherits from threads that it does not have.
// clang-format off
#define NO_LEAK_CHECK_AT_EXIT {"LSAN_OPTIONS", "detect_leaks=0"}
#define NO_LEAK_CHECK NO_LEAK_CHECK_AT_EXIT, {"FAKE_CUDA_LEAK_CHECK", "0"}
// clang-format on

namespace portacl_test {

// For code that runs after the tests: prints what was wrong and ends the process with a failure.
inline void Demand(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "at exit: %s\n", what);
    std::fflush(stderr);
    _exit(3);
}

// The call was refused with 107000 and the text says so.
inline void DemandRefused(aclError code, const char* call) {
    const char* text = aclGetRecentErrMsg();
    if (code == ACL_ERROR_RT_PARAM_INVALID && text && std::strstr(text, call)) return;
    std::fprintf(stderr, "at exit: %s gave %d, text: %s\n", call, code, text ? text : "(none)");
    std::fflush(stderr);
    _exit(3);
}

// Waits for a child; returns its exit status, or -1 if it did not exit by itself.
inline int ExitOf(pid_t child) {
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

// Creates, uses and destroys one object of each kind.
inline void UseOnce() {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    OneOfEach objects;
    objects.Create(0);
    objects.ExpectValid();
    std::atomic<int> called{0};
    ACL_OK(aclrtLaunchHostFunc(
        objects.stream, [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &called));
    OnNewThread([&] {
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(aclrtSynchronizeStream(objects.stream));
    });
    EXPECT_EQ(called, 1);
    ACL_OK(aclFinalize());
}

}  // namespace portacl_test

#include "base/report.h"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>

// src/algo/host/standard_stream.c
extern "C" __attribute__((visibility("hidden"))) int portacl_is_stream(int number);

namespace portacl_paddle {
namespace {

const pid_t loaded_in = getpid();

C_Status StatusOf(aclError code) {
    if (code == ACL_SUCCESS) return C_SUCCESS;
    if (code >= 200000 && code < 300000) return C_FAILED;  // out of a resource, or not supported
    if (code >= 500000) return C_INTERNAL_ERROR;
    return C_ERROR;
}

}  // namespace

void Say(const char* format, ...) {
    // The number may be a file of the program.
    if (portacl_is_stream(STDERR_FILENO) == 0) return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "portacl for Paddle: %s\n", text);
}

C_Status Answer(const char* callback, aclError code) {
    if (code != ACL_SUCCESS) {
        const char* words = aclGetRecentErrMsg();
        if (words != nullptr) {
            Say("%s: %s", callback, words);
        } else {
            Say("%s: error %d", callback, code);
        }
    }
    return StatusOf(code);
}

C_Status AnswerUnlessForked(const char* callback, aclError code) {
    return code != ACL_SUCCESS && InForkedChild() ? C_SUCCESS : Answer(callback, code);
}

C_Status Refuse(const char* callback, const char* why) {
    Say("%s: %s", callback, why);
    return C_ERROR;
}

bool InForkedChild() {
    return getpid() != loaded_in;
}

}  // namespace portacl_paddle

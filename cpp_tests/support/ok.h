// Checks calls in programs without GoogleTest that tests run: a call that fails ends the program with status 3.
#pragma once

#include <acl/acl.h>

#include <cstdio>
#include <cstdlib>

#define OK(call)                                                                                \
    do {                                                                                        \
        const aclError code = (call);                                                           \
        if (code != ACL_SUCCESS) {                                                              \
            const char* text = aclGetRecentErrMsg();                                            \
            std::fprintf(stderr, "%s returned %d: %s\n", #call, code, text ? text : "no text"); \
            std::_Exit(3);                                                                      \
        }                                                                                       \
    } while (false)

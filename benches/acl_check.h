// Ends the program with the library's text when a call fails.
#pragma once

#include <acl/acl.h>

#include <cstdio>
#include <cstdlib>

inline void CheckAcl(aclError code, const char* call) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s: %d: %s\n", call, code, text ? text : "(no text)");
    std::exit(1);
}

#define ACL(call) CheckAcl(call, #call)

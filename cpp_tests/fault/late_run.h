// Runs the program's calls late: while a thread or the process ends, after Rust's own thread-local values are gone.
#pragma once

#include <acl/acl.h>

#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "did.h"

inline void (*late_body)() = nullptr;

// Constructed before the thread's first call of the library, so destroyed after what that leaves on the thread.
struct RunsLate {
    bool armed = false;
    ~RunsLate() {
        if (armed) late_body();
    }
};

// As a static object, which is destroyed after main has returned: it chooses the status of the process.
struct RunsLast {
    bool armed = false;
    ~RunsLast() {
        if (!armed) return;
        late_body();
        std::fflush(stdout);
        if (failures != 0) std::_Exit(1);
    }
};

inline RunsLast runs_last;

// A session, so that the thread has used the library before.
inline void UseLibraryOnce() {
    void* memory = nullptr;
    DID(aclInit(nullptr));
    DID(aclrtSetDevice(0));
    DID(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_NORMAL_ONLY));
    DID(aclrtMemset(memory, 64, 1, 64));
    DID(aclrtFree(memory));
    DID(aclFinalize());
}

// With EVERY_CALL_LATE: runs `body` in the destructor of a thread-local object (thread), of a pthread key (key) or of a
// static object (static). Returns whether the variable is set.
inline bool RunLate(void (*body)()) {
    const char* const variable = std::getenv("EVERY_CALL_LATE");
    if (!variable) return false;
    const std::string when = variable;
    late_body = body;
    if (when == "static") {
        runs_last.armed = true;
        UseLibraryOnce();
    } else if (when == "thread") {
        std::thread([] {
            static thread_local RunsLate runs_late;
            runs_late.armed = true;
            UseLibraryOnce();
        }).join();
    } else {
        std::thread([] {
            pthread_key_t key = 0;
            pthread_key_create(&key, [](void*) { late_body(); });
            pthread_setspecific(key, &late_body);
            UseLibraryOnce();
        }).join();
    }
    return true;
}

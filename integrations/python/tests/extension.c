// What the tests of stacks need from an extension: calls of the library that hold the lock of the interpreter, or not,
// depending on how ctypes loads this. Public functions of CPython are declared here, so that no headers are needed.
#include <acl/acl.h>

#include <stddef.h>
#include <stdlib.h>

extern void* PyExc_ValueError;
void PyErr_SetString(void* type, const char* text);

// Fails, so that PORTACL_CHECK=misuse reports it with its stack.
int Fail(void) {
    return aclrtFree(NULL);
}

int FailWithPendingException(void) {
    PyErr_SetString(PyExc_ValueError, "pending");
    return aclrtFree(NULL);
}

static void FailLate(void) {
    aclrtFree(NULL);
}

void FailAtExit(void) {
    atexit(FailLate);
}

// A thread of C begins here.
void* FailInThread(void* unused) {
    (void)unused;
    aclrtFree(NULL);
    return NULL;
}

void HoldUntil(int* flag) {
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE)) {
    }
}

int FailAndSet(int* flag) {
    const int code = aclrtFree(NULL);
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    return code;
}

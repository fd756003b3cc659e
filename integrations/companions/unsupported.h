// Functions that programs link and that are not supported here. Each reports an error that says what is missing.
#pragma once

#include <portacl/portacl.h>

// Defines `int CALL(...)`. The calling convention allows that its arguments are unknown.
#define UNSUPPORTED(CALL, CODE, TEXT)                      \
    int CALL(void);                                        \
    int CALL(void) {                                       \
        return (int)portaclReportError(#CALL, CODE, TEXT); \
    }                                                      \
    struct CALL##_unsupported

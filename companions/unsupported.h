// Functions that programs link and that nothing here can do. Each reports an error that says what is missing.
#pragma once

#include <portacl/portacl.h>

// Defines `int CALL(...)`. By the calling convention its arguments need not be known.
#define UNSUPPORTED(CALL, CODE, TEXT)                      \
    int CALL(void);                                        \
    int CALL(void) {                                       \
        return (int)portaclReportError(#CALL, CODE, TEXT); \
    }                                                      \
    struct CALL##_unsupported

// libascendcl.so and libacl_rt.so are filters (DT_FILTER) of libportacl.so: they have the names of the runtime's
// functions, and no functions. Linkers find each name in them, so that a program records them and not libportacl.so.
// The loader puts libportacl.so in front of a filter, and finds the functions there.
#include <stdio.h>
#include <stdlib.h>

__attribute__((visibility("hidden"))) int portacl_is_stream(int number); /* src/algo/host/standard_stream.c */

__attribute__((used)) static void absent(void) {
    if (portacl_is_stream(2))
        fputs(
            "portacl: libportacl.so lacks a function of libascendcl.so or libacl_rt.so; install these libraries from "
            "one version of portacl\n",
            stderr);
    abort();
}

#define FILTERED(FUNCTION) \
    __asm__(".globl " #FUNCTION "\n.type " #FUNCTION ", %function\n.set " #FUNCTION ", absent\n");

#include "runtime_functions.inc"

/* SPDX-License-Identifier: Apache-2.0 */
/* The demangler of the C++ library that the program is linked with, if there is one. Rust has no
 * stable way to name a weak symbol, and a static program has no other way to find the function. */
#include <stddef.h>

typedef char* portacl_demangle_fn(const char* name, char* buffer, size_t* length, int* status);

extern __attribute__((weak)) portacl_demangle_fn __cxa_demangle;

portacl_demangle_fn* portacl_linked_demangle(void);

portacl_demangle_fn* portacl_linked_demangle(void) {
    return __cxa_demangle;
}

/* SPDX-License-Identifier: Apache-2.0 */

/* Destructors of thread-local values. glibc ends the process if it has no memory to register one. Here it is then not
 * registered: the library asks for the result (portacl_at_thread_end), and no value of a dependency needs its
 * destructor.
 *
 * cmake/make_libraries.sh links all references of the library here, also those of Rust's standard library. */
#include <errno.h>

int portacl_has_room(void);
int __real___cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* library);
int __wrap___cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* library);

int __wrap___cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* library) {
    return portacl_has_room() ? __real___cxa_thread_atexit_impl(destructor, object, library) : ENOMEM;
}

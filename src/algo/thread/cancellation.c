/* SPDX-License-Identifier: Apache-2.0 */

/* Runs code of the program that may be cancelled (pthread_cancel) or may end its thread (pthread_exit) inside a call of
 * the library. Both unwind the stack by force, which frames of Rust that catch panics do not survive. The unwinding
 * stops here, the library unwinds itself by a panic, and its entry then continues the end of the thread.
 *
 * The functions are those of glibc that pthread_cleanup_push calls in programs without exceptions. */
#include <pthread.h>
#include <stddef.h>

struct __jmp_buf_tag;

extern int __sigsetjmp(struct __jmp_buf_tag* to, int saves_mask) __attribute__((returns_twice));
extern void __pthread_register_cancel(__pthread_unwind_buf_t* cleanup);
extern void __pthread_unregister_cancel(__pthread_unwind_buf_t* cleanup);
extern void __pthread_unwind_next(__pthread_unwind_buf_t* cleanup) __attribute__((noreturn));

_Static_assert(sizeof(__pthread_unwind_buf_t) <= 32 * sizeof(void*), "cancellation.rs has room for it");

int portacl_run_cancellable(void (*code)(void*), void* data, __pthread_unwind_buf_t* rest);
void portacl_end_thread(__pthread_unwind_buf_t* rest) __attribute__((noreturn));

/* Runs also when an exception passes. */
static void unregister(__pthread_unwind_buf_t** cleanup) {
    __pthread_unregister_cancel(*cleanup);
}

/* Calls `code`. Returns 1 if the thread is to end, and then `rest` is for portacl_end_thread. */
__attribute__((visibility("hidden"))) int portacl_run_cancellable(void (*code)(void*), void* data,
                                                                  __pthread_unwind_buf_t* rest) {
    __pthread_unwind_buf_t cleanup;
    if (__sigsetjmp((struct __jmp_buf_tag*)(void*)cleanup.__cancel_jmp_buf, 0) != 0) {
        __pthread_unregister_cancel(&cleanup);
        *rest = cleanup;
        return 1;
    }
    __pthread_register_cancel(&cleanup);
    __attribute__((cleanup(unregister))) __pthread_unwind_buf_t* registered = &cleanup;
    code(data);
    return 0;
}

/* Continues the unwinding from here. It runs what the program has registered outside of the call. */
__attribute__((visibility("hidden"))) void portacl_end_thread(__pthread_unwind_buf_t* rest) {
    __pthread_unwind_next(rest);
}

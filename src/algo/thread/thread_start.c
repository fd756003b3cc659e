/* SPDX-License-Identifier: Apache-2.0 */

/* Threads of the library, which start only if there is memory for what glibc keeps of each thread. glibc ends the
 * process if it finds none for the first destructor of a thread-local value, or for thread-local memory of a library
 * that was loaded with dlopen. So the new thread allocates both before anything else, and its starter waits for the
 * answer. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* More bytes than glibc allocates at once: the library's thread-local memory takes less than 4 KiB. */
enum { ROOM = 16 << 10 };

/* Names the library to which a destructor belongs. */
extern void* __dso_handle __attribute__((visibility("hidden")));
int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* library);

int portacl_has_room(void);
int portacl_at_thread_end(void (*end)(void*));
int portacl_start_thread(pthread_t* thread, size_t stack, int detached, void* (*body)(void*), void* argument);

/* Whether malloc has memory for what glibc allocates next. */
int portacl_has_room(void) {
    /* The compiler would remove a pair of calls whose pointer nothing else sees. The block is too long for caches of
     * threads, which calloc does not use. */
    void* volatile room = malloc(ROOM);
    const int has_room = room != NULL;
    free(room);
    return has_room;
}

int portacl_at_thread_end(void (*end)(void*)) {
    return __cxa_thread_atexit_impl(end, NULL, &__dso_handle);
}

static void nothing(void* unused) {
    (void)unused;
}

/* Lives on the starter's stack until the answer. */
struct start {
    void* (*body)(void*);
    void* argument;
    int code;
    sem_t answered;
};

static int prepare(void) {
    static __thread volatile char touched;
    if (!portacl_has_room()) {
        return ENOMEM;
    }
    /* The first use allocates all thread-local memory of the library. */
    (void)touched;
    /* The library is not unloaded before the thread ends. */
    return portacl_at_thread_end(nothing);
}

static void* begin(void* data) {
    struct start* const start = data;
    void* (*const body)(void*) = start->body;
    void* const argument = start->argument;
    const int code = prepare();
    start->code = code;
    sem_post(&start->answered);
    return code == 0 ? body(argument) : NULL;
}

int portacl_start_thread(pthread_t* thread, size_t stack, int detached, void* (*body)(void*), void* argument) {
    struct start start = {.body = body, .argument = argument};
    pthread_attr_t attributes;
    sem_init(&start.answered, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    if (detached) {
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    }
    int code = pthread_create(thread, &attributes, begin, &start);
    pthread_attr_destroy(&attributes);
    if (code == 0) {
        while (sem_wait(&start.answered) != 0) {
        }
        code = start.code;
        if (code != 0 && !detached) {
            pthread_join(*thread, NULL);
        }
    }
    sem_destroy(&start.answered);
    return code;
}

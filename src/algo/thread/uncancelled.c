/* SPDX-License-Identifier: Apache-2.0 */

/* The library's calls of functions at which a cancelled thread ends (pthread_cancel). A forced unwinding cannot pass
 * code that catches panics, and would leave locks held, so cancellation is off during these calls: the thread ends at
 * the first such function that it calls after the library. Calls without a system call cost nothing.
 *
 * cmake/make_libraries.sh links all references of the library to FUNCTION, also those of Rust's standard library, to
 * __wrap_FUNCTION here, and __real_FUNCTION to the function itself. It takes the names (and dlsym, which finds them)
 * from cmake/cancellation_points.txt, and fails if the library uses one of them that this file does not have. */
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A function with a fixed list of parameters. */
#define UNCANCELLED(result, name, parameters, arguments)         \
    result __real_##name parameters;                             \
    result __wrap_##name parameters;                             \
    result __wrap_##name parameters {                            \
        int before;                                              \
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before); \
        result returned = __real_##name arguments;               \
        pthread_setcancelstate(before, NULL);                    \
        return returned;                                         \
    }

UNCANCELLED(int, accept, (int fd, struct sockaddr* from, socklen_t* length), (fd, from, length))
UNCANCELLED(int, accept4, (int fd, struct sockaddr* from, socklen_t* length, int flags), (fd, from, length, flags))
UNCANCELLED(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec* time, struct timespec* left),
            (clock, flags, time, left))
UNCANCELLED(int, close, (int fd), (fd))
UNCANCELLED(int, connect, (int fd, const struct sockaddr* to, socklen_t length), (fd, to, length))
UNCANCELLED(ssize_t, copy_file_range,
            (int from, off64_t* from_at, int to, off64_t* to_at, size_t length, unsigned flags),
            (from, from_at, to, to_at, length, flags))
UNCANCELLED(int, fallocate64, (int fd, int mode, off64_t from, off64_t length), (fd, mode, from, length))
UNCANCELLED(int, fdatasync, (int fd), (fd))
UNCANCELLED(int, fflush, (FILE * file), (file))
UNCANCELLED(int, fsync, (int fd), (fd))
UNCANCELLED(size_t, fwrite, (const void* from, size_t size, size_t count, FILE* file), (from, size, count, file))
UNCANCELLED(int, getaddrinfo,
            (const char* node, const char* service, const struct addrinfo* hints, struct addrinfo** found),
            (node, service, hints, found))
UNCANCELLED(ssize_t, getrandom, (void* to, size_t length, unsigned flags), (to, length, flags))
UNCANCELLED(int, msync, (void* from, size_t length, int flags), (from, length, flags))
UNCANCELLED(int, nanosleep, (const struct timespec* time, struct timespec* left), (time, left))
UNCANCELLED(int, pause, (void), ())
UNCANCELLED(int, poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout))
UNCANCELLED(int, ppoll, (struct pollfd * fds, nfds_t count, const struct timespec* timeout, const sigset_t* mask),
            (fds, count, timeout, mask))
UNCANCELLED(ssize_t, pread64, (int fd, void* to, size_t length, off64_t at), (fd, to, length, at))
UNCANCELLED(ssize_t, preadv, (int fd, const struct iovec* to, int count, off_t at), (fd, to, count, at))
UNCANCELLED(ssize_t, preadv64, (int fd, const struct iovec* to, int count, off64_t at), (fd, to, count, at))
UNCANCELLED(int, pthread_join, (pthread_t thread, void** result), (thread, result))
UNCANCELLED(ssize_t, pwrite64, (int fd, const void* from, size_t length, off64_t at), (fd, from, length, at))
UNCANCELLED(ssize_t, pwritev, (int fd, const struct iovec* from, int count, off_t at), (fd, from, count, at))
UNCANCELLED(ssize_t, pwritev64, (int fd, const struct iovec* from, int count, off64_t at), (fd, from, count, at))
UNCANCELLED(ssize_t, read, (int fd, void* to, size_t length), (fd, to, length))
UNCANCELLED(ssize_t, readv, (int fd, const struct iovec* to, int count), (fd, to, count))
UNCANCELLED(ssize_t, recv, (int fd, void* to, size_t length, int flags), (fd, to, length, flags))
UNCANCELLED(ssize_t, recvfrom,
            (int fd, void* to, size_t length, int flags, struct sockaddr* from, socklen_t* from_length),
            (fd, to, length, flags, from, from_length))
UNCANCELLED(ssize_t, recvmsg, (int fd, struct msghdr* message, int flags), (fd, message, flags))
UNCANCELLED(int, select, (int count, fd_set* readable, fd_set* writable, fd_set* exceptional, struct timeval* timeout),
            (count, readable, writable, exceptional, timeout))
UNCANCELLED(int, sem_wait, (sem_t * semaphore), (semaphore))
UNCANCELLED(ssize_t, send, (int fd, const void* from, size_t length, int flags), (fd, from, length, flags))
UNCANCELLED(int, sendmmsg, (int fd, struct mmsghdr* messages, unsigned count, int flags), (fd, messages, count, flags))
UNCANCELLED(ssize_t, sendmsg, (int fd, const struct msghdr* message, int flags), (fd, message, flags))
UNCANCELLED(ssize_t, sendto,
            (int fd, const void* from, size_t length, int flags, const struct sockaddr* to, socklen_t to_length),
            (fd, from, length, flags, to, to_length))
UNCANCELLED(int, sigtimedwait, (const sigset_t* set, siginfo_t* information, const struct timespec* timeout),
            (set, information, timeout))
UNCANCELLED(ssize_t, splice, (int from, off64_t* from_at, int to, off64_t* to_at, size_t length, unsigned flags),
            (from, from_at, to, to_at, length, flags))
UNCANCELLED(int, waitid, (idtype_t kind, id_t id, siginfo_t* information, int options),
            (kind, id, information, options))
UNCANCELLED(pid_t, waitpid, (pid_t process, int* status, int options), (process, status, options))
UNCANCELLED(ssize_t, write, (int fd, const void* from, size_t length), (fd, from, length))
UNCANCELLED(ssize_t, writev, (int fd, const struct iovec* from, int count), (fd, from, count))
/* These two run constructors and destructors of other libraries. */
UNCANCELLED(void*, dlopen, (const char* file, int mode), (file, mode))
UNCANCELLED(int, dlclose, (void* library), (library))

/* The caller passes a mode only with some flags; without them the register has any value, and no meaning. */
#define UNCANCELLED_OPEN(name)                                    \
    int __real_##name(const char* path, int flags, ...);          \
    int __wrap_##name(const char* path, int flags, mode_t mode);  \
    int __wrap_##name(const char* path, int flags, mode_t mode) { \
        int before;                                               \
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);  \
        const int fd = __real_##name(path, flags, mode);          \
        pthread_setcancelstate(before, NULL);                     \
        return fd;                                                \
    }

/* rustix calls the first on aarch64. */
UNCANCELLED_OPEN(open)
UNCANCELLED_OPEN(open64)

int __real_openat64(int folder, const char* path, int flags, ...);
int __wrap_openat64(int folder, const char* path, int flags, mode_t mode);

int __wrap_openat64(int folder, const char* path, int flags, mode_t mode) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    const int fd = __real_openat64(folder, path, flags, mode);
    pthread_setcancelstate(before, NULL);
    return fd;
}

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, void* argument);

int __wrap_fcntl(int fd, int command, void* argument) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    const int returned = __real_fcntl(fd, command, argument);
    pthread_setcancelstate(before, NULL);
    return returned;
}

int __real_vfprintf(FILE* file, const char* format, va_list arguments);
__attribute__((format(printf, 2, 3))) int __wrap_fprintf(FILE* file, const char* format, ...);

int __wrap_fprintf(FILE* file, const char* format, ...) {
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    va_list arguments;
    va_start(arguments, format);
    const int returned = __real_vfprintf(file, format, arguments);
    va_end(arguments);
    pthread_setcancelstate(before, NULL);
    return returned;
}

/* Dependencies look up functions that not every system has. The lookup finds the function here. */
void* __real_dlsym(void* library, const char* name);
void* __wrap_dlsym(void* library, const char* name);

void* __wrap_dlsym(void* library, const char* name) {
    static const struct {
        const char* name;
        void* function;
    } found_here[] = {
        {"copy_file_range", (void*)__wrap_copy_file_range},
        {"getrandom", (void*)__wrap_getrandom},
        {"preadv64", (void*)__wrap_preadv64},
        {"pwritev64", (void*)__wrap_pwritev64},
    };
    if (library == RTLD_DEFAULT) {
        for (size_t i = 0; i < sizeof found_here / sizeof *found_here; i++) {
            if (strcmp(name, found_here[i].name) == 0) {
                return found_here[i].function;
            }
        }
    }
    return __real_dlsym(library, name);
}

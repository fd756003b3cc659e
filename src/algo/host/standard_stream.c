/* SPDX-License-Identifier: Apache-2.0 */

/* Which standard streams the program was started with. The constructor runs before the program opens a file, and C has
 * one without linker sections in the source. */

#include <errno.h>
#include <fcntl.h>

__attribute__((visibility("hidden"))) int portacl_is_stream(int number);

enum { STREAMS = 3 };

static unsigned char missing[STREAMS];

__attribute__((constructor)) static void note_missing(void) {
    const int saved_errno = errno;
    for (int number = 0; number < STREAMS; number++) {
        missing[number] = fcntl(number, F_GETFD) == -1;
    }
    errno = saved_errno;
}

/* Whether a number from 0 to 2 is a standard stream. It may be called in handlers of signals. */
int portacl_is_stream(int number) {
    const int saved_errno = errno;
    const int flags = fcntl(number, F_GETFD);
    errno = saved_errno;
    return !missing[number] && flags != -1 && (flags & FD_CLOEXEC) == 0;
}

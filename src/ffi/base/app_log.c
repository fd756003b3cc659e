/* SPDX-License-Identifier: Apache-2.0 */

/* aclAppLog takes arguments like printf, which a function in Rust cannot. This is its body;
 * app_log.rs gives it its name. */

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVEL_ERROR = 3, LEVEL_SILENT = 4, LINE_CAPACITY = 2048 };

__attribute__((visibility("hidden"), format(printf, 5, 6))) void portacl_app_log(int level, const char* func,
                                                                                 const char* file, uint32_t line,
                                                                                 const char* fmt, ...);

/* The least urgent level that is written: a digit from 0 to 4; anything else counts as absent, and is reported once. */
static int threshold(void) {
    static int reported;
    static const char* const names[] = {"PORTACL_LOG_LEVEL", "ASCEND_GLOBAL_LOG_LEVEL"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char* value = getenv(names[i]);
        if (value != NULL && value[0] >= '0' && value[0] <= '0' + LEVEL_SILENT && value[1] == '\0') {
            return value[0] - '0';
        }
        if (value != NULL && value[0] != '\0' && !__atomic_exchange_n(&reported, 1, __ATOMIC_RELAXED)) {
            (void)fprintf(stderr,
                          "portacl: the environment variable %s is \"%s\"; allowed: 0 (debug) to 3 "
                          "(error), 4 (none)\n",
                          names[i], value);
        }
    }
    return LEVEL_ERROR;
}

/* How much of `capacity` a snprintf that returned `printed` has filled. */
static size_t filled(int printed, size_t capacity) {
    if (printed < 0) {
        return 0;
    }
    return (size_t)printed < capacity ? (size_t)printed : capacity - 1;
}

void portacl_app_log(int level, const char* func, const char* file, uint32_t line, const char* fmt, ...) {
    static const char* const names[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
    /* A level that does not exist is a mistake of the caller: better seen than lost. */
    if (level < 0 || level > LEVEL_ERROR) {
        level = LEVEL_ERROR;
    }
    if (level < threshold()) {
        return;
    }
    const int saved_errno = errno;
    char text[LINE_CAPACITY];
    const size_t room = sizeof text - 1; /* one is kept for the end of the line */
    size_t used = filled(snprintf(text, room, "[%s] %s:%u %s: ", names[level], file != NULL ? file : "?",
                                  (unsigned)line, func != NULL ? func : "?"),
                         room);
    va_list args;
    va_start(args, fmt);
    const int printed = vsnprintf(text + used, room - used, fmt != NULL ? fmt : "", args);
    va_end(args);
    const size_t added = filled(printed, room - used);
    used += added;
    if (printed > 0 && (size_t)printed > added && used >= 3) {
        memcpy(text + used - 3, "...", 3);
    }
    text[used++] = '\n';
    /* One call, so that lines of several threads do not mix. */
    (void)fwrite(text, 1, used, stderr);
    errno = saved_errno;
}

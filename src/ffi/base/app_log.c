/* SPDX-License-Identifier: Apache-2.0 */

/* aclAppLog takes arguments like printf, which a function in Rust cannot. This is its body;
 * app_log.rs gives it its name. */

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((visibility("hidden"))) int portacl_is_stream(int number); /* standard_stream.c */

enum { LEVEL_ERROR = 3, LEVEL_SILENT = 4, MOST_OF_A_NAME = 500, TEXT_CAPACITY = 2000 };

__attribute__((visibility("hidden"), format(printf, 5, 6))) void portacl_app_log(int level, const char* func,
                                                                                 const char* file, uint32_t line,
                                                                                 const char* fmt, ...);

/* The least urgent level that is written: a digit from 0 to 4; anything else counts as absent, and is reported once. */
static int threshold(void) {
    static int reported;
    static const char* const names[] = {"PORTACL_LOG_LEVEL", "ASCEND_GLOBAL_LOG_LEVEL"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        /* None with raised privileges, as in environment.rs. */
        const char* value = secure_getenv(names[i]);
        if (value != NULL && value[0] >= '0' && value[0] <= '0' + LEVEL_SILENT && value[1] == '\0') {
            return value[0] - '0';
        }
        if (value != NULL && value[0] != '\0' && portacl_is_stream(2) &&
            !__atomic_exchange_n(&reported, 1, __ATOMIC_RELAXED)) {
            (void)fprintf(stderr,
                          "portacl: the environment variable %s is \"%s\"; allowed: 0 (debug) to 3 "
                          "(error), 4 (none)\n",
                          names[i], value);
        }
    }
    return LEVEL_ERROR;
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
    char text[TEXT_CAPACITY];
    va_list args;
    va_start(args, fmt);
    const int printed = vsnprintf(text, sizeof text, fmt != NULL ? fmt : "", args);
    va_end(args);
    /* With room for all parts, the longest of which are cut. */
    char all[TEXT_CAPACITY + 2 * MOST_OF_A_NAME + 64];
    const int length = snprintf(all, sizeof all, "[%s] %.*s:%u %.*s: %s%s\n", names[level], MOST_OF_A_NAME,
                                file != NULL ? file : "?", (unsigned)line, MOST_OF_A_NAME, func != NULL ? func : "?",
                                printed < 0 ? "" : text, printed < TEXT_CAPACITY ? "" : "...");
    /* One call, so that lines of several threads do not mix. */
    if (length > 0 && portacl_is_stream(2)) {
        (void)fwrite(all, 1, (size_t)length, stderr);
    }
    errno = saved_errno;
}

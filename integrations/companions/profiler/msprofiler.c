// libmsprofiler: torch_npu.profiler opens it when it profiles the device, and looks up functions that the runtime has,
// or that are optional. It reads the results with the program msprof (msprof.py), which it finds by PATH.
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((visibility("hidden"))) int portacl_is_stream(int number); /* src/algo/host/standard_stream.c */

static int has_program(void) {
    const char* folders = secure_getenv("PATH");
    while (folders != NULL && *folders != 0) {
        const size_t length = strcspn(folders, ":");
        char path[PATH_MAX];
        const int needed = snprintf(path, sizeof path, "%.*s/msprof", (int)length, folders);
        if (needed > 0 && (size_t)needed < sizeof path && access(path, X_OK) == 0) return 1;
        folders += length + (folders[length] == ':');
    }
    return 0;
}

__attribute__((constructor)) static void explain(void) {
    if (portacl_is_stream(2) && !has_program())
        fputs(
            "portacl: torch_npu.profiler writes no trace_view.json, because PATH has no msprof; start the program by "
            "'python -m portacl run', or set the variables of 'python -m portacl env'. Or profile with activities="
            "[ProfilerActivity.CPU], and open portacl-*.json in the folder of the result with Perfetto "
            "(docs/profiling.md).\n",
            stderr);
}

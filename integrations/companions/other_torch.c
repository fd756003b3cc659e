// libopapi is for one release of torch. With another one it does not load, and torch_npu asks for operators by their
// names.
#define _GNU_SOURCE
#include "other_torch.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef PORTACL_TORCH_RELEASE

__attribute__((visibility("hidden"))) int portacl_is_stream(int number); /* src/algo/host/standard_stream.c */

// Stores where torch is: its library is in the folder lib of it.
static int find_torch(struct dl_phdr_info* info, size_t size, void* folder) {
    (void)size;
    const char* end = strstr(info->dlpi_name, "/lib/libtorch_cpu.so");
    if (end == NULL || end - info->dlpi_name > PATH_MAX / 2) return 0;
    snprintf(folder, PATH_MAX, "%.*s/version.py", (int)(end - info->dlpi_name), info->dlpi_name);
    return 1;
}

// Stores the release of the loaded torch, as in 2.7.1. Returns 0 if there is none, or it has no file with its version,
// as a libtorch for C++.
static int find_release(char release[32]) {
    char path[PATH_MAX];
    if (dl_iterate_phdr(find_torch, path) == 0) return 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    char text[4096];
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    text[length < 0 ? 0 : length] = 0;
    const char* version = strstr(text, "__version__ = '");
    return version != NULL && sscanf(version, "__version__ = '%31[0-9.]", release) == 1;
}

int portacl_other_torch(char* text, size_t size, const char* name) {
    char release[32];
    if (!find_release(release) || strcmp(release, PORTACL_TORCH_RELEASE) == 0) return 0;
    snprintf(text, size,
             "libopapi is built for torch " PORTACL_TORCH_RELEASE
             ", not for %s: %s%s; install torch and torch_npu " PORTACL_TORCH_RELEASE
             ", or build portacl for this torch (docs/torch.md)",
             release, name == NULL ? "no operator runs" : name, name == NULL ? "" : " does not run");
    return 1;
}

// Not all operators have a name by which torch_npu asks.
__attribute__((constructor)) static void explain(void) {
    char text[512];
    if (portacl_is_stream(2) && portacl_other_torch(text, sizeof text, NULL)) fprintf(stderr, "portacl: %s\n", text);
}

#else

int portacl_other_torch(char* text, size_t size, const char* name) {
    (void)text, (void)size, (void)name;
    return 0;
}

#endif

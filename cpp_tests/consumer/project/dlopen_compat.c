/* Opens the library with dlopen under the original library's names. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

typedef int (*get_version)(int32_t*, int32_t*, int32_t*);

int main(void) {
    static const char* const names[] = {"libascendcl.so", "libacl_rt.so"};
    void* found[2] = {NULL, NULL};
    int i;
    for (i = 0; i < 2; i++) {
        int32_t major = -1, minor = -1, patch = -1;
        void* library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        found[i] = dlsym(library, "aclrtGetVersion");
        if (found[i] == NULL || ((get_version)found[i])(&major, &minor, &patch) != 0) {
            fprintf(stderr, "%s: aclrtGetVersion is missing or fails\n", names[i]);
            return 1;
        }
    }
    if (found[0] != found[1]) {
        fprintf(stderr, "two names, two copies of the library in one process\n");
        return 1;
    }
    printf("both names are one library\n");
    return 0;
}

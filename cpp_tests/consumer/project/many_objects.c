/* Leaves many objects of the library alive at exit, which are no leaks of the program; with an
 * argument, it leaks one block itself. */
#include <acl/acl.h>

#include <stdio.h>
#include <stdlib.h>

static int failed(const char* call, aclError code) {
    fprintf(stderr, "%s: %d\n", call, code);
    return 1;
}

int main(int count, char** arguments) {
    (void)arguments;
    aclError code = aclInit(NULL);
    if (code == ACL_SUCCESS) code = aclrtSetDevice(0);
    if (code != ACL_SUCCESS) return failed("aclrtSetDevice", code);
    for (int i = 0; i < 3000; i++) {
        void* memory = NULL;
        aclrtStream stream = NULL;
        code = aclrtMalloc(&memory, 256 + (size_t)i, ACL_MEM_MALLOC_NORMAL_ONLY);
        if (code != ACL_SUCCESS) return failed("aclrtMalloc", code);
        if (i % 10 == 0) code = aclrtCreateStream(&stream);
        if (code != ACL_SUCCESS) return failed("aclrtCreateStream", code);
    }
    if (count > 1) {
        void* volatile lost = malloc(1000);
        lost = NULL;
        (void)lost;
    }
    return 0;
}

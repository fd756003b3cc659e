#include <acl/acl.h>
#include <stdio.h>

int main(void) {
    void* memory = NULL;
    if (aclrtSetDevice(0) || aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) || aclrtFree(memory) ||
        aclrtResetDevice(0)) {
        fprintf(stderr, "%s\n", aclGetRecentErrMsg());
        return 1;
    }
    puts("a device is there");
    return 0;
}

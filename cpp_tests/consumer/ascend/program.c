/* A program for Ascend devices: which library runs it? */
#include <acl/acl.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char out[16] = "over the device", in[16] = "";
    const char* name = aclrtGetSocName();
    void* memory = NULL;
    if (aclInit(NULL) || aclrtSetDevice(0) || aclrtMalloc(&memory, sizeof out, ACL_MEM_MALLOC_HUGE_FIRST) ||
        aclrtMemcpy(memory, sizeof out, out, sizeof out, ACL_MEMCPY_HOST_TO_DEVICE) ||
        aclrtMemcpy(in, sizeof in, memory, sizeof in, ACL_MEMCPY_DEVICE_TO_HOST) || aclrtFree(memory) ||
        aclrtResetDevice(0) || aclFinalize()) {
        return 1;
    }
    printf("%s: %s\n", name, in);
    return strcmp(out, in) != 0;
}

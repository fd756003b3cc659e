/* Another libascendcl.so, as an installation of the original is: no portacl in it. */
#include <acl/acl.h>
#include <stdlib.h>
#include <string.h>

const char* aclrtGetSocName(void) {
    return "another library";
}
aclError aclInit(const char* configPath) {
    (void)configPath;
    return ACL_SUCCESS;
}
aclError aclFinalize(void) {
    return ACL_SUCCESS;
}
aclError aclrtSetDevice(int32_t deviceId) {
    (void)deviceId;
    return ACL_SUCCESS;
}
aclError aclrtResetDevice(int32_t deviceId) {
    (void)deviceId;
    return ACL_SUCCESS;
}
aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
    (void)policy;
    *devPtr = malloc(size);
    return *devPtr == NULL;
}
aclError aclrtFree(void* devPtr) {
    free(devPtr);
    return ACL_SUCCESS;
}
aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
    (void)destMax;
    (void)kind;
    memcpy(dst, src, count);
    return ACL_SUCCESS;
}

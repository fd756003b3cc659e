// What raised_privileges_test runs: a program that uses a device, and prints what variables would change.
#include <acl/acl.h>

#include <cstdint>
#include <cstdio>

int main() {
    uint32_t devices = 0;
    void* memory = nullptr;
    const aclError codes[] = {aclInit(nullptr),
                              aclrtGetDeviceCount(&devices),
                              aclrtSetDevice(0),
                              aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST),
                              aclrtMemset(memory, 4096, 1, 4096),
                              aclrtFree(memory),
                              aclrtResetDevice(0),
                              aclFinalize()};
    for (const aclError code : codes)
        if (code != ACL_SUCCESS) std::printf("code %d: %s\n", code, aclGetRecentErrMsg());
    std::printf("name %s, devices %u\n", aclrtGetSocName(), devices);
    return 0;
}

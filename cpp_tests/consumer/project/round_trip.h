/* The work of every consumer, in C and in C++: copies data to the device and back. */
#ifndef ROUND_TRIP_H
#define ROUND_TRIP_H

#include <acl/acl.h>
#include <stdio.h>
#include <string.h>

#define CHECK(call)                                                         \
    do {                                                                    \
        const aclError code = (call);                                       \
        if (code != ACL_SUCCESS) {                                          \
            const char* text = aclGetRecentErrMsg();                        \
            fprintf(stderr, "%s: %d: %s\n", #call, code, text ? text : ""); \
            return 1;                                                       \
        }                                                                   \
    } while (0)

static int round_trip(void) {
    unsigned char out[4096], in[4096];
    size_t i;
    void* device = NULL;
    aclrtStream stream = NULL;
    int32_t major = -1, minor = -1, patch = -1;

    CHECK(aclrtGetVersion(&major, &minor, &patch));
    CHECK(aclInit(NULL));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtMalloc(&device, sizeof out, ACL_MEM_MALLOC_HUGE_FIRST));
    for (i = 0; i < sizeof out; i++) {
        out[i] = (unsigned char)(i * 7 + 1);
    }
    memset(in, 0, sizeof in);
    CHECK(aclrtMemcpyAsync(device, sizeof out, out, sizeof out, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    CHECK(aclrtMemcpyAsync(in, sizeof in, device, sizeof in, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtFree(device));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    if (memcmp(in, out, sizeof in) != 0) {
        fprintf(stderr, "the data came back changed\n");
        return 1;
    }
    printf("round trip done, API version %d.%d.%d\n", (int)major, (int)minor, (int)patch);
    return 0;
}

#endif

// Each C++ overload of acl_rt_api.h beside its C function: both can be called, and neither call is
// ambiguous.
#include <acl/acl.h>
#include <acl/acl_rt_api.h>

aclError call_all(float* typed, const int* constant, void* plain, aclrtStream stream, aclrtEvent event);

aclError call_all(float* typed, const int* constant, void* plain, aclrtStream stream, aclrtEvent event) {
    aclError code = aclrtMalloc(&typed, 4);
    code |= aclrtMalloc(&typed, 4, ACL_MEM_MALLOC_NORMAL_ONLY);
    code |= aclrtMalloc(&plain, 4);
    code |= aclrtMalloc(&plain, 4, ACL_MEM_MALLOC_NORMAL_ONLY);
    code |= aclrtMallocHost(&typed, 4);
    code |= aclrtMallocHost(&plain, 4);
    code |= aclrtMemAllocManaged(&typed, 4);
    code |= aclrtMemAllocManaged(&plain, 4, ACL_RT_MEM_ATTACH_GLOBAL);
    code |= aclrtMemcpy(typed, constant, 4);
    code |= aclrtMemcpy(typed, constant, 4, ACL_MEMCPY_HOST_TO_DEVICE);
    code |= aclrtMemcpy(typed, 4, constant, 4, ACL_MEMCPY_HOST_TO_DEVICE);
    code |= aclrtMemcpyAsync(typed, constant, 4, nullptr);
    code |= aclrtMemcpyAsync(typed, constant, 4, stream);
    code |= aclrtMemcpyAsync(typed, constant, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream);
    code |= aclrtMemcpyAsync(typed, 4, constant, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream);
    code |= aclrtMemset(typed, 0, 4);
    code |= aclrtMemset(typed, 4, 0, 4);
    code |= aclrtMemsetAsync(typed, 0, 4, stream);
    code |= aclrtMemsetAsync(typed, 4, 0, 4, stream);
    code |= aclrtCreateStream(&stream);
    code |= aclrtCreateStream(&stream, 0);
    code |= aclrtCreateEvent(&event);
    code |= aclrtCreateEvent(&event, ACL_EVENT_SYNC);
    return code;
}

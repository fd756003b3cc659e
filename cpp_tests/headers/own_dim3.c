// A program that defines its own dim3, as one does that also includes CUDA's headers.
struct dim3 {
    unsigned int x, y, z;
};
typedef struct dim3 dim3;

#define PORTACL_NO_DIM3
#include <acl/acl.h>

aclError launch(void* func, dim3 blocks, dim3 threads, aclrtStream stream);

aclError launch(void* func, dim3 blocks, dim3 threads, aclrtStream stream) {
    return aclrtLaunchSIMTKernelWithArgsArray(func, blocks, threads, 0, stream, NULL, NULL);
}

// Kernels that stop their device by the instruction trap.
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

using KernelTrap = WithDevice;

// A driver opens the device again in another process only.
TEST_F(KernelTrap, FailsTheDevice) {
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle stop_if = nullptr;
    aclrtStream stream = nullptr;
    ACL_OK(aclrtBinaryLoadFromFile(ProgramPath().c_str(), nullptr, &binary));
    ACL_OK(aclrtBinaryGetFunction(binary, "stop_if", &stop_if));
    ACL_OK(aclrtCreateStream(&stream));
    uint32_t condition = 0;
    void* arguments[] = {&condition};
    ACL_OK(aclrtLaunchKernelWithArgsArray(stop_if, 1, stream, nullptr, arguments));
    ACL_OK(aclrtSynchronizeStream(stream));
    condition = 1;
    ACL_OK(aclrtLaunchKernelWithArgsArray(stop_if, 1, stream, nullptr, arguments));
    ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSynchronizeStream(stream), "start another process");
    // Every later call says the same.
    void* memory = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_NORMAL_ONLY),
                     "start another process");
    ACL_FAILS(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtLaunchKernelWithArgsArray(stop_if, 1, stream, nullptr, arguments));
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSetDevice(0), "cannot be opened again", "process");
    uint32_t devices = 0;
    ACL_OK(aclrtGetDeviceCount(&devices));
    ACL_OK(aclFinalize());
    ACL_OK(aclInit(nullptr));
    ACL_FAILS_SAYING(ACL_ERROR_RT_AICORE_EXCEPTION, aclrtSetDevice(0), "cannot be opened again", "process");
}

}  // namespace

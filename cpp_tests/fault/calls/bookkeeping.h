// The part of every_call that sets modes, limits and allocators.
#pragma once

#include <cstdlib>

#include "../did.h"

// Reads the address first: device teardown frees it.
inline void UseOverflow() {
    HeldStream stream;
    void *area = nullptr, *memory = nullptr;
    DID(aclrtCtxGetFloatOverflowAddr(&area));
    DID(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN));
    DID(aclrtSetStreamOverflowSwitch(stream, 1));
    if (!DID(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_NORMAL_ONLY))) return;
    DID(aclrtGetOverflowStatus(memory, 64, stream));
    DID(aclrtResetOverflowStatus(stream));
    DID(aclrtSynchronizeStream(stream));
    DID(aclrtFree(memory));
}

// A chain of two, and a reference that outlives it.
inline void UseBuffers() {
    aclrtMbuf head = nullptr, member = nullptr, other = nullptr;
    if (!DID(aclrtAllocBuf(&head, kSize))) return;
    if (DID(aclrtAllocBuf(&member, kSize))) {
        DID(aclrtCopyBufRef(member, &other));
        DID(aclrtAppendBufChain(head, member));
    }
    DID(aclrtFreeBuf(head));
    if (other) DID(aclrtFreeBuf(other));
}

inline void UseCaches() {
    void* memory = nullptr;
    if (!DID(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_NORMAL_ONLY))) return;
    DID(aclrtCmoSetDesc(memory, memory, kSize));
    DID(aclrtCmoAsyncWithDesc(memory, ACL_RT_CMO_TYPE_PREFETCH, nullptr, nullptr));
    DID(aclrtCmoAsync(memory, kSize, ACL_RT_CMO_TYPE_FLUSH, nullptr));
    DID(aclrtDeviceL2CacheFlush(nullptr));
    DID(aclrtFree(memory));
}

// A copy that a description in device memory names, into the second half of the same memory.
inline void CopyAsDescribed() {
    constexpr auto kKind = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
    void* memory = nullptr;
    if (!DID(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_NORMAL_ONLY))) return;
    auto* bytes = static_cast<char*>(memory);
    if (DID(aclrtSetMemcpyDesc(memory, kKind, bytes + 64, bytes + 128, 64, nullptr)))
        DID(aclrtMemcpyAsyncWithDesc(memory, kKind, nullptr));
    DID(aclrtSynchronizeStream(nullptr));
    DID(aclrtFree(memory));
}

inline void AskForAtomics() {
    const auto add = ACL_RT_ATOMIC_OPERATION_INTEGER_ADD;
    uint32_t devices = 0, bits = 0;
    DID_OPTIONAL(aclrtDeviceGetHostAtomicCapabilities(&bits, &add, 1, 0));
    if (DID(aclrtGetDeviceCount(&devices)) && devices > 1)
        DID_OPTIONAL(aclrtDeviceGetP2PAtomicCapabilities(&bits, &add, 1, 0, 1));
}

inline void AskForErrors() {
    aclrtErrorInfo error{};
    DID(aclrtGetErrorVerbose(0, &error));
    DID(aclrtRepairError(0, &error));
}

// Where host memory runs out on purpose, it is left out: it reads the lines of the program in tens of thousands of
// blocks, each of which would come from the reserve.
inline void AskForPlace() {
    if (std::getenv("EVERY_CALL_LIVES") != nullptr) return;
    char place[256] = {};
    DID(portaclCallSite(place, sizeof place));
}

inline void ReportFindings() {
    const portaclFindingOperation operation = {"HcclBarrier", "operation 1 of rank 0", "train.cpp:31:Train"};
    const portaclFinding finding = {
        sizeof finding, PORTACL_FINDING_LONG_WAIT, "a finding", "to end it: wait", &operation, 1};
    DID(portaclReportFinding(&finding));
}

inline void UseResourceLimits() {
    HeldStream stream;
    uint32_t cores = 0;
    DID(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, 1));
    DID(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, &cores));
    DID(aclrtSetStreamResLimit(stream, ACL_RT_DEV_RES_VECTOR_CORE, 1));
    DID(aclrtUseStreamResInCurrentThread(stream));
    DID(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_VECTOR_CORE, &cores));
    DID(aclrtUnuseStreamResInCurrentThread(stream));
    DID(aclrtResetDeviceResLimit(0));
}

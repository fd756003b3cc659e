// The part of every_call that allocates, registers and maps memory.
#pragma once

#include <cstdlib>
#include <cstring>
#include <vector>

#include "../did.h"
#include "../held.h"

inline void UseMemory() {
    const aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_NORMAL_ONLY;
    void* address = nullptr;
    if (DID(aclrtMallocAlign32(&address, kSize, policy))) {
        DID(aclrtMemset(address, kSize, 3, kSize));
        DID(aclrtFreeWithDevSync(address));
    }
    if (DID(aclrtMallocCached(&address, kSize, policy))) {
        DID(aclrtMemFlush(address, kSize));
        DID(aclrtMemInvalidate(address, kSize));
        DID(aclrtFree(address));
    }
    if (DID(aclrtMallocForTaskScheduler(&address, kSize, policy, nullptr))) DID(aclrtFree(address));
    if (DID(aclrtMallocWithCfg(&address, kSize, policy, nullptr))) {
        DID(aclrtMemsetD32(address, kSize, 7, kSize / 4));
        DID(aclrtFree(address));
    }
    if (DID(aclrtMallocHostWithCfg(&address, kSize, nullptr))) DID(aclrtFreeHostWithDevSync(address));
    HeldMemory memory;
    void* base = nullptr;
    size_t size = 0;
    aclrtPtrAttributes attributes{};
    if (memory) {
        DID(aclrtMemGetAddressRange(memory, &base, &size));
        DID(aclrtPointerGetAttributes(memory, &attributes));
    }
    std::vector<char> pageable(kSize);
    DID(aclrtPointerGetAttributes(pageable.data(), &attributes));
    // An address of no allocation, in every query.
    (void)aclrtMemGetAddressRange(pageable.data(), &base, &size);
}

// Pages of 2 MiB or an error; a driver may map them from several parts.
inline void UseHugePages() {
    if (!IsCuda()) return;
    void* address = nullptr;
    if (!DID(aclrtMalloc(&address, kSize, ACL_MEM_MALLOC_HUGE_ONLY))) return;
    DID(aclrtMemset(address, kSize, 3, kSize));
    DID(aclrtFree(address));
}

// Host memory of the program that copies treat as pinned.
inline void RegisterMemory() {
    constexpr size_t kPage = 4096;
    void* own = std::aligned_alloc(kPage, kSize);
    if (DID_OPTIONAL(aclrtHostRegisterV2(own, kSize, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED))) {
        HeldMemory memory;
        void* address = nullptr;
        DID(aclrtHostGetDevicePointer(own, &address, 0));
        if (memory) DID(aclrtMemcpyAsync(memory, kSize, own, kSize, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
        DID(aclrtSynchronizeStream(nullptr));
        if (!DID(aclrtHostUnregister(own))) {
            // Memory that is still registered must not be reused.
            [[maybe_unused]] static void* volatile kept = nullptr;
            kept = own;
            return;
        }
    }
    std::free(own);
}

// Memory that the host and the devices use at one address.
inline void UseVirtualMemory() {
    constexpr size_t kPiece = 2 << 20;
    aclrtPhysicalMemProp props;
    std::memset(&props, 0, sizeof props);
    props.memAttr = ACL_HBM_MEM_HUGE;
    props.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    void* range = nullptr;
    if (!DID_OPTIONAL(aclrtReserveMemAddress(&range, kPiece, 0, nullptr, 1))) return;
    for (const auto place : {ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_LOCATION_TYPE_HOST}) {
        props.location.type = place;
        aclrtDrvMemHandle memory = nullptr;
        if (!DID_OPTIONAL(aclrtMallocPhysical(&memory, kPiece, &props, 0))) continue;
        if (DID(aclrtMapMem(range, kPiece, 0, memory, 0))) {
            aclrtMemAccessDesc desc{};
            desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
            desc.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
            DID(aclrtMemSetAccess(range, kPiece, &desc, 1));
            DID(aclrtMemsetAsync(range, kPiece, 1, kPiece, nullptr));
            DID(aclrtUnmapMem(range));
        }
        DID(aclrtFreePhysical(memory));
    }
    DID(aclrtReleaseMemAddress(range));
}

inline void UseManagedMemory() {
    constexpr size_t kManaged = 2 << 20;
    void* memory = nullptr;
    if (!DID_OPTIONAL(aclrtMemAllocManaged(&memory, kManaged, ACL_RT_MEM_ATTACH_GLOBAL))) return;
    const aclrtMemManagedLocation here{ACL_MEM_LOCATIONTYPE_DEVICE, 0};
    DID_OPTIONAL(aclrtMemManagedAdvise(memory, kManaged, ACL_MEM_ADVISE_SET_READ_MOSTLY, here));
    DID_OPTIONAL(aclrtMemManagedPrefetchAsync(memory, kManaged, here, 0, nullptr));
    const void* twice[] = {memory, memory};
    size_t sizes[] = {kManaged, kManaged}, firsts[] = {0};
    aclrtMemManagedLocation places[] = {here};
    DID_OPTIONAL(aclrtMemManagedPrefetchBatchAsync(twice, sizes, 2, places, firsts, 1, 0, nullptr));
    DID(aclrtMemsetAsync(memory, kManaged, 1, kManaged, nullptr));
    DID(aclrtSynchronizeStream(nullptr));
    DID(aclrtFree(memory));
}

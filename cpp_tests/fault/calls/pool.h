// The part of every_call that uses memory pools.
#pragma once

#include <unistd.h>

#include "../did.h"

// Exporter and importer in one process.
inline void SharePool(aclrtMemLocationType where) {
    aclrtMemPoolProps props{};
    props.location.type = where;
    props.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    aclrtMemPool pool = nullptr, other = nullptr;
    if (!DID(aclrtMemPoolCreate(&pool, &props))) return;
    int file = -1;
    if (DID(portaclMemPoolExportToShareableHandle(&file, pool, props.handleType, 0))) {
        void* const handle = reinterpret_cast<void*>(intptr_t{file});
        DID(portaclMemPoolImportFromShareableHandle(&other, handle, props.handleType, 0));
        close(file);
    }
    void *one = nullptr, *again = nullptr;
    portaclMemPoolPtrExportData data{sizeof data, {}};
    if (DID(aclrtMemPoolMallocAsync(&one, kSize, pool, nullptr))) {
        if (DID(portaclMemPoolExportPointer(&data, one)) && other)
            DID(portaclMemPoolImportPointer(&again, other, &data));
        for (void* ptr : {again, one})
            if (ptr && !DID(aclrtMemPoolFreeAsync(ptr, nullptr))) DID(aclrtFree(ptr));
    }
    if (other) DID(aclrtMemPoolDestroy(other));
    DID(aclrtMemPoolDestroy(pool));
}

// Memory of two devices; the reset of the second one frees it.
inline void UsePools() {
    aclrtMemPoolProps props{};
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    // Room for one block, so that the second stream must wait for the first.
    props.maxSize = 32 << 20;
    aclrtMemPool pool = nullptr;
    if (!DID(aclrtMemPoolCreate(&pool, &props))) return;
    int32_t can = 0;
    uint32_t devices = 0;
    if (DID(aclrtGetDeviceCount(&devices)) && devices > 1) DID(aclrtDeviceCanAccessPeer(&can, 1, 0));
    if (can) {
        aclrtMemAccessDesc access{};
        access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
        access.location = {1, ACL_MEM_LOCATION_TYPE_DEVICE};
        DID(portaclMemPoolSetAccess(pool, &access, 1));
    }
    const aclrtMemLocation own{0, ACL_MEM_LOCATION_TYPE_DEVICE};
    aclrtMemAccessFlags flags;
    DID(portaclMemPoolGetAccess(&flags, pool, &own));
    constexpr size_t kBlock = 24 << 20;
    HeldStream first, second;
    void *one = nullptr, *other = nullptr;
    if (DID(aclrtMemPoolMallocAsync(&one, kBlock, pool, first))) {
        DID(aclrtLaunchHostFunc(first, CountCall, nullptr));
        if (!DID(aclrtMemPoolFreeAsync(one, first))) DID(aclrtFree(one));
    }
    if (DID(aclrtMemPoolMallocAsync(&other, kBlock, pool, second))) {
        DID(aclrtMemsetAsync(other, kSize, 1, kSize, second));
        DID(aclrtSynchronizeStream(second));
        DID(aclrtFree(other));
    }
    DID(aclrtSynchronizeDevice());
    uint64_t value = 0;
    DID(aclrtMemPoolGetAttr(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT, &value));
    DID(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH, &(value = 0)));
    DID(aclrtMemPoolTrimTo(pool, 0));
    DID(portaclMemPoolGetProperty(pool, PORTACL_MEM_POOL_PROPERTY_MAX_SIZE, &value));
    DID(aclrtMemPoolDestroy(pool));

    // More than the pool may have: the call waits for frees, then fails.
    if (DID(portaclMallocAsync(&one, kSize, first)) && !DID(portaclFreeAsync(one, first))) DID(aclrtFree(one));
    FAILED(ACL_ERROR_RT_MEMORY_ALLOCATION, portaclMallocAsync(&one, size_t{1} << 39, first));
}

// Pools of a location: the default one, and one of managed memory, which becomes current.
inline void UseLocatedPools() {
    const aclrtMemLocation here{0, ACL_MEM_LOCATION_TYPE_DEVICE};
    const auto managed = static_cast<aclrtMemAllocationType>(PORTACL_MEM_ALLOCATION_TYPE_MANAGED);
    portaclMemPoolProps props{};
    props.size = sizeof props;
    props.allocType = managed;
    props.location = here;
    aclrtMemPool pool = nullptr, other = nullptr;
    DID_OPTIONAL(portaclMemGetDefaultMemPool(&other, &here, managed));
    if (!DID_OPTIONAL(portaclMemPoolCreate(&pool, &props))) return;
    DID(portaclMemSetMemPool(&here, managed, pool));
    if (DID(portaclMemGetMemPool(&other, &here, managed))) Expect(other == pool, "the current pool");
    void* memory = nullptr;
    if (DID(aclrtMemPoolMallocAsync(&memory, kSize, pool, nullptr))) {
        if (!DID(aclrtMemPoolFreeAsync(memory, nullptr))) DID(aclrtFree(memory));
    }
    DID(aclrtMemPoolDestroy(pool));
}

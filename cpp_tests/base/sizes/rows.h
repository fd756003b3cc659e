// All calls that take a size, a length or a count: a row for each such argument. tests/sizes.rs compares the rows with
// the headers.
#pragma once

#include "base/sizes/world.h"

namespace portacl_test {

inline const std::vector<SizeRow> kRowsOfAllocations = {
    {"aclrtMalloc", "size", kDeviceMemory, kBad, kNoDeviceMemory, 0, 1,
     Allocates([](World&, void** to, size_t size) { return aclrtMalloc(to, size, kHuge); }, aclrtFree)},
    {"aclrtMallocAlign32", "size", kDeviceMemory, kBad, kNoDeviceMemory, 0, 1,
     Allocates([](World&, void** to, size_t size) { return aclrtMallocAlign32(to, size, kHuge); }, aclrtFree)},
    {"aclrtMallocCached", "size", kDeviceMemory, kBad, kNoDeviceMemory, 0, 1,
     Allocates([](World&, void** to, size_t size) { return aclrtMallocCached(to, size, kHuge); }, aclrtFree)},
    {"aclrtMallocWithCfg", "size", kDeviceMemory, kBad, kNoDeviceMemory, 0, 1,
     Allocates([](World&, void** to, size_t size) { return aclrtMallocWithCfg(to, size, kHuge, nullptr); }, aclrtFree)},
    {"aclrtMallocForTaskScheduler", "size", kDeviceMemory, kBad, kNoDeviceMemory, 0, 1,
     Allocates([](World&, void** to, size_t size) { return aclrtMallocForTaskScheduler(to, size, kHuge, nullptr); },
               aclrtFree)},
    {"aclrtMemAllocManaged", "size", kDeviceMemory, kBad, kNoDeviceMemory, 0, 1,
     Allocates([](World&, void** to, size_t size) { return aclrtMemAllocManaged(to, size, ACL_RT_MEM_ATTACH_GLOBAL); },
               aclrtFree)},
    {"aclrtMallocPhysical", "size", kDeviceMemory, kBad, kNoDeviceMemory, 0, 1,
     Allocates(
         [](World&, void** to, size_t size) {
             const aclrtPhysicalMemProp props = PhysicalProps();
             return aclrtMallocPhysical(to, size, &props, 0);
         },
         aclrtFreePhysical)},
    {"aclrtMemPoolMallocAsync", "size", kDeviceMemory, kBad, kNoDeviceMemory, 0, 1,
     Allocates([](World& world, void** to,
                  size_t size) { return aclrtMemPoolMallocAsync(to, size, world.pool, world.stream); },
               aclrtFree)},
    {"portaclMallocAsync", "size", kDeviceMemory, kBad, kNoDeviceMemory, 0, 1,
     Allocates([](World& world, void** to, size_t size) { return portaclMallocAsync(to, size, world.stream); },
               aclrtFree)},
    {"aclrtMemPoolTrimTo", "minBytesToKeep", "nothing: more than the pool has is all of it", kOk, kOk, 0, 1,
     [](World& world, size_t size) { return aclrtMemPoolTrimTo(world.pool, size); }},
    {"aclrtMallocHost", "size", kHostMemory, kBad, kNoHostMemory, 0, 1,
     Allocates([](World&, void** to, size_t size) { return aclrtMallocHost(to, size); }, aclrtFreeHost)},
    {"aclrtMallocHostWithCfg", "size", kHostMemory, kBad, kNoHostMemory, 0, 1,
     Allocates([](World&, void** to, size_t size) { return aclrtMallocHostWithCfg(to, size, nullptr); },
               aclrtFreeHost)},
    {"aclrtAllocBuf", "size", kHostMemory, kBad, kNoHostMemory, 0, 1,
     Allocates([](World&, void** to, size_t size) { return aclrtAllocBuf(to, size); }, aclrtFreeBuf)},
    {"aclrtReserveMemAddress", "size", kAddresses, kBad, kNoDeviceMemory, 0, 1,
     Allocates([](World&, void** to, size_t size) { return aclrtReserveMemAddress(to, size, 0, nullptr, 1); },
               aclrtReleaseMemAddress)},
    {"aclrtReserveMemAddressNoUCMemory", "size", kAddresses, kBad, kNoDeviceMemory, 0, 1,
     Allocates([](World&, void** to, size_t size) { return aclrtReserveMemAddressNoUCMemory(to, size, 0, nullptr, 1); },
               aclrtReleaseMemAddress)},
};

// What only some backends have.
inline const std::vector<SizeRow> kRowsOfCpus = {
    {"aclrtMallocPhysical", "size", kHostMemory, kBad, kNoHostMemory, 0, 1,
     Allocates(
         [](World&, void** to, size_t size) {
             const aclrtPhysicalMemProp props = HostProps();
             return aclrtMallocPhysical(to, size, &props, 0);
         },
         aclrtFreePhysical)},
    {"aclrtMemPoolMallocAsync", "size", kHostMemory, kBad, kNoHostMemory, 0, 1,
     Allocates(
         [](World& world, void** to, size_t size) {
             aclrtMemPoolProps props = PoolProps();
             props.location = {0, ACL_MEM_LOCATION_TYPE_HOST};
             const MemPool pool(props);
             return aclrtMemPoolMallocAsync(to, size, pool, world.stream);
         },
         aclrtFree)},
};

inline const std::vector<SizeRow> kRowsOfMemory = {
    {"aclrtMemset", "maxCount", kAllocation, kBad, kRange, kBytes, 1,
     [](World& world, size_t size) { return aclrtMemset(world.device.At(), size, 1, size ? size : 1); }},
    {"aclrtMemset", "count", kRoom, kOk, kBad, kBytes, 1,
     [](World& world, size_t size) { return aclrtMemset(world.device.At(), kBytes, 1, size); }},
    {"aclrtMemsetAsync", "maxCount", kAllocation, kBad, kRange, kBytes, 1,
     [](World& world, size_t size) {
         return aclrtMemsetAsync(world.device.At(), size, 1, size ? size : 1, world.stream);
     }},
    {"aclrtMemsetAsync", "count", kRoom, kOk, kBad, kBytes, 1,
     [](World& world, size_t size) { return aclrtMemsetAsync(world.device.At(), kBytes, 1, size, world.stream); }},
    {"aclrtMemsetD32", "memSize", kAllocation, kBad, kRange, kBytes, 4,
     [](World& world, size_t size) { return aclrtMemsetD32(world.device.At(), size, 1, size ? size / 4 : 1); }},
    {"aclrtMemsetD32", "N", kRoom, kOk, kBad, kBytes / 4, 1,
     [](World& world, size_t size) { return aclrtMemsetD32(world.device.At(), kBytes, 1, size); }},
    {"aclrtMemsetD32Async", "memSize", kAllocation, kBad, kRange, kBytes, 4,
     [](World& world, size_t size) {
         return aclrtMemsetD32Async(world.device.At(), size, 1, size ? size / 4 : 1, world.stream);
     }},
    {"aclrtMemsetD32Async", "N", kRoom, kOk, kBad, kBytes / 4, 1,
     [](World& world, size_t size) { return aclrtMemsetD32Async(world.device.At(), kBytes, 1, size, world.stream); }},
    {"aclrtMemcpy", "destMax", kAllocation, kBad, kRange, kBytes, 1,
     [](World& world, size_t size) {
         return aclrtMemcpy(world.device.At(), size, world.other.At(), size ? size : 1, kInside);
     }},
    {"aclrtMemcpy", "count", kRoom, kOk, kBad, kBytes, 1,
     [](World& world, size_t size) { return aclrtMemcpy(world.pinned.At(), kBytes, world.other.At(), size, kToHost); }},
    {"aclrtMemcpyAsync", "destMax", kAllocation, kBad, kRange, kBytes, 1,
     [](World& world, size_t size) {
         return aclrtMemcpyAsync(world.device.At(), size, world.other.At(), size ? size : 1, kInside, world.stream);
     }},
    {"aclrtMemcpyAsync", "count", kRoom, kOk, kBad, kBytes, 1,
     [](World& world, size_t size) {
         return aclrtMemcpyAsync(world.pinned.At(), kBytes, world.other.At(), size, kToHost, world.stream);
     }},
    {"aclrtMemcpyAsyncWithCondition", "destMax", kAllocation, kBad, kRange, kBytes, 1,
     [](World& world, size_t size) {
         return aclrtMemcpyAsyncWithCondition(world.device.At(), size, world.other.At(), size ? size : 1, kInside,
                                              world.stream);
     }},
    {"aclrtMemcpyAsyncWithCondition", "count", kRoom, kOk, kBad, kBytes, 1,
     [](World& world, size_t size) {
         return aclrtMemcpyAsyncWithCondition(world.pinned.At(), kBytes, world.other.At(), size, kToHost, world.stream);
     }},
    {"aclrtMemcpy2d", "dpitch", kAllocation, kBad, kRange, 0, 64,
     [](World& world, size_t size) {
         return aclrtMemcpy2d(world.device.At(), size, world.pinned.At(), 8, 8, 2, kToDevice);
     }},
    {"aclrtMemcpy2d", "spitch", kAllocation, kBad, kRange, 0, 64,
     [](World& world, size_t size) {
         return aclrtMemcpy2d(world.pinned.At(), 8, world.other.At(), size, 8, 2, kToHost);
     }},
    {"aclrtMemcpy2d", "width", kAllocation, kOk, kBad, 0, 1,
     [](World& world, size_t size) {
         return aclrtMemcpy2d(world.pinned.At(), size, world.other.At(), size, size, 1, kToHost);
     }},
    {"aclrtMemcpy2d", "height", kAllocation, kOk, kBad, 0, 1,
     [](World& world, size_t size) {
         return aclrtMemcpy2d(world.pinned.At(), 8, world.other.At(), 8, 8, size, kToHost);
     }},
    {"aclrtMemcpy2dAsync", "dpitch", kAllocation, kBad, kRange, 0, 64,
     [](World& world, size_t size) {
         return aclrtMemcpy2dAsync(world.device.At(), size, world.other.At(), 8, 8, 2, kInside, world.stream);
     }},
    {"aclrtMemcpy2dAsync", "spitch", kAllocation, kBad, kRange, 0, 64,
     [](World& world, size_t size) {
         return aclrtMemcpy2dAsync(world.device.At(), 8, world.other.At(), size, 8, 2, kInside, world.stream);
     }},
    {"aclrtMemcpy2dAsync", "width", kAllocation, kOk, kBad, 0, 1,
     [](World& world, size_t size) {
         return aclrtMemcpy2dAsync(world.device.At(), size, world.other.At(), size, size, 1, kInside, world.stream);
     }},
    {"aclrtMemcpy2dAsync", "height", kAllocation, kOk, kBad, 0, 1,
     [](World& world, size_t size) {
         return aclrtMemcpy2dAsync(world.device.At(), 8, world.other.At(), 8, 8, size, kInside, world.stream);
     }},
    {"aclrtReduceAsync", "count", kAllocation, kOk, kRange, kBytes, 4,
     [](World& world, size_t size) {
         return aclrtReduceAsync(world.device.At(), world.other.At(), size, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT,
                                 world.stream, nullptr);
     }},
    {"aclrtMemFlush", "size", kAllocation, kBad, kRange, kBytes, 1,
     [](World& world, size_t size) { return aclrtMemFlush(world.device.At(), size); }},
    {"aclrtMemInvalidate", "size", kAllocation, kBad, kRange, kBytes, 1,
     [](World& world, size_t size) { return aclrtMemInvalidate(world.device.At(), size); }},
    {"aclrtCmoAsync", "size", kAllocation, kBad, kRange, kBytes, 1,
     [](World& world, size_t size) {
         return aclrtCmoAsync(world.device.At(), size, ACL_RT_CMO_TYPE_PREFETCH, world.stream);
     }},
    {"aclrtHostRegister", "size", "the memory of the program", kBad, kBad, 0, 1,
     [](World& world, size_t size) {
         void* mapped = nullptr;
         const aclError code = aclrtHostRegister(world.Page(), size, ACL_HOST_REGISTER_MAPPED, &mapped);
         return Freed(code, world.Page(), aclrtHostUnregister);
     }},
    {"aclrtHostRegisterV2", "size", "the memory of the program", kBad, kBad, 0, 1,
     [](World& world, size_t size) {
         const aclError code = aclrtHostRegisterV2(world.Page(), size, ACL_HOST_REG_MAPPED);
         return Freed(code, world.Page(), aclrtHostUnregister);
     }},
    {"aclrtMapMem", "size", "the physical memory", kBad, kBad, kPiece, 1,
     [](World& world, size_t size) {
         const aclError code = aclrtMapMem(world.range.At(), size, 0, world.physical, 0);
         return Freed(code, world.range.At(), aclrtUnmapMem);
     }},
    {"aclrtMapMem", "offset", "0: memory is mapped as a whole", kOk, kBad, 0, 1,
     [](World& world, size_t size) {
         const aclError code = aclrtMapMem(world.range.At(), kPiece, size, world.physical, 0);
         return Freed(code, world.range.At(), aclrtUnmapMem);
     }},
    {"aclrtMemManagedAdvise", "size", kAllocation, kBad, kRange, kPiece, kPiece,
     [](World& world, size_t size) {
         return aclrtMemManagedAdvise(world.managed, size, ACL_MEM_ADVISE_SET_READ_MOSTLY, {});
     }},
    {"aclrtMemManagedPrefetchAsync", "size", kAllocation, kBad, kRange, kPiece, kPiece,
     [](World& world, size_t size) {
         aclrtMemManagedLocation here{};
         here.type = ACL_MEM_LOCATIONTYPE_DEVICE;
         return aclrtMemManagedPrefetchAsync(world.managed, size, here, 0, world.stream);
     }},
    {"aclrtIpcMemGetExportKey", "size", kAllocation, kBad, kBad, 0, 1,
     [](World& world, size_t size) {
         char key[65];
         return aclrtIpcMemGetExportKey(world.device.At(), size, key, sizeof key, 1);
     }},
    {"aclrtSetBufDataLen", "len", "the buffer", kOk, kRange, 64, 1,
     [](World& world, size_t size) { return aclrtSetBufDataLen(world.buffer, size); }},
    {"aclrtSetBufUserData", "size", "96 bytes", kBad, kBad, 96, 1,
     [](World& world, size_t size) { return aclrtSetBufUserData(world.buffer, world.pinned.At(), size, 0); }},
    {"aclrtSetBufUserData", "offset", "96 bytes", kOk, kBad, 0, 1,
     [](World& world, size_t size) { return aclrtSetBufUserData(world.buffer, world.pinned.At(), 96, size); }},
    {"aclrtGetBufUserData", "size", "96 bytes", kBad, kBad, 96, 1,
     [](World& world, size_t size) { return aclrtGetBufUserData(world.buffer, world.pinned.At(), size, 0); }},
    {"aclrtGetBufUserData", "offset", "96 bytes", kOk, kBad, 0, 1,
     [](World& world, size_t size) { return aclrtGetBufUserData(world.buffer, world.pinned.At(), 96, size); }},
};

}  // namespace portacl_test

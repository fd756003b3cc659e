// More rows of the table: arrays of the caller, variants of calls, and queries with room for their results.
#pragma once

#include "base/sizes/world.h"

namespace portacl_test {

// Arrays and texts of the caller.
inline const std::vector<SizeRow> kRowsOfArrays = {
    {"aclrtNotifyBatchReset", "num", kHostMemory, kOk, kNoHostMemory, 1, 1,
     [](World& world, size_t size) { return aclrtNotifyBatchReset(&world.notify, size); }},
    {"aclrtCreateLabelList", "num", kHostMemory, kBad, kNoHostMemory, 1, 1,
     [](World& world, size_t size) {
         aclrtLabelList list = nullptr;
         const aclError code = aclrtCreateLabelList(&world.label, size, &list);
         return Freed(code, list, aclrtDestroyLabelList);
     }},
    {"aclrtMemcpyBatch", "numBatches", kHostMemory, kOk, kNoHostMemory, 1, 1,
     [](World& world, size_t size) {
         void *dst = world.device.At(), *src = world.pinned.At();
         size_t bytes = 8, index = 0, failed = 0;
         aclrtMemcpyBatchAttr attr = ToDevice();
         return aclrtMemcpyBatch(&dst, &bytes, &src, &bytes, size, &attr, &index, 1, &failed);
     }},
    {"aclrtMemcpyBatch", "numAttrs", "numBatches", kBad, kBad, 1, 1,
     [](World& world, size_t size) {
         void *dst = world.device.At(), *src = world.pinned.At();
         size_t bytes = 8, index = 0, failed = 0;
         aclrtMemcpyBatchAttr attr = ToDevice();
         return aclrtMemcpyBatch(&dst, &bytes, &src, &bytes, 1, &attr, &index, size, &failed);
     }},
    {"aclrtMemcpyBatchAsync", "numBatches", kHostMemory, kOk, kNoHostMemory, 1, 1,
     [](World& world, size_t size) {
         void *dst = world.device.At(), *src = world.pinned.At();
         size_t bytes = 8, index = 0, failed = 0;
         aclrtMemcpyBatchAttr attr = ToDevice();
         return aclrtMemcpyBatchAsync(&dst, &bytes, &src, &bytes, size, &attr, &index, 1, &failed, world.stream);
     }},
    {"aclrtMemManagedPrefetchBatchAsync", "count", kHostMemory, kBad, kNoHostMemory, 1, 1,
     [](World& world, size_t size) {
         const void* ptr = world.managed;
         size_t bytes = kPiece, first = 0;
         aclrtMemManagedLocation here{};
         here.type = ACL_MEM_LOCATIONTYPE_DEVICE;
         return aclrtMemManagedPrefetchBatchAsync(&ptr, &bytes, size, &here, &first, 1, 0, world.stream);
     }},
    {"aclrtMemManagedPrefetchBatchAsync", "numPrefetchLocs", "count", kBad, kBad, 1, 1,
     [](World& world, size_t size) {
         const void* ptr = world.managed;
         size_t bytes = kPiece, first = 0;
         aclrtMemManagedLocation here{};
         here.type = ACL_MEM_LOCATIONTYPE_DEVICE;
         return aclrtMemManagedPrefetchBatchAsync(&ptr, &bytes, 1, &here, &first, size, 0, world.stream);
     }},
    {"portaclLaunchTask", "count", "1024 buffers", kOk, kBad, 1, 1,
     [](World& world, size_t size) {
         const portaclTaskBuffer buffer{world.device.At(), 8, PORTACL_TASK_READ};
         const auto nothing = [](portaclTask, void* const*, void*) -> aclError { return ACL_SUCCESS; };
         return portaclLaunchTask(world.stream, nothing, nullptr, &buffer, size, nullptr);
     }},
    {"portaclMemoryHookList", "capacity", kNothing, kOk, kOk, 0, 1,
     [](World&, size_t size) {
         portaclMemoryHookInfo one{};
         one.structSize = sizeof one;
         size_t count = 0;
         return portaclMemoryHookList(&one, size, &count);
     }},
    {"portaclMemoryHookRegisterLimit", "most", "nothing", kOk, kOk, 0, 1,
     [](World&, size_t size) {
         uint64_t id = 0;
         const aclError code = portaclMemoryHookRegisterLimit(size, PORTACL_MEMORY_HOOK_THREAD, &id);
         if (code == ACL_SUCCESS) ExpectOk("portaclMemoryHookUnregister", portaclMemoryHookUnregister(id));
         return code;
     }},
    {"portaclDeviceName", "size", "nothing: only the name is written", kBad, kOk, 0, 1,
     [](World&, size_t size) {
         char name[1024];
         return portaclDeviceName(0, name, size);
     }},
    {"portaclCallSite", "size", "nothing: only the text is written", kBad, kOk, 0, 1,
     [](World&, size_t size) {
         char site[1024];
         return portaclCallSite(site, size);
     }},
    {"aclrtBinaryLoadFromData", "length", "the data", kBad, kBad, 0, 1,
     [](World&, size_t size) {
         const std::vector<char> data = Read(ProgramPath());
         aclrtBinHandle binary = nullptr;
         const aclError code = aclrtBinaryLoadFromData(data.data(), size, nullptr, &binary);
         return Freed(code, binary, aclrtBinaryUnLoad);
     }},
    {"aclrtLaunchKernel", "argsSize", "the parameters of the kernel", kOk, kRange, 0, 1,
     [](World& world, size_t size) {
         char byte = 0;
         return aclrtLaunchKernel(world.program.Kernel("nothing"), 1, &byte, size, world.stream);
     }},
};

inline const std::vector<SizeRow> kRowsOfVariants = {
    {"aclrtCmoAsyncWithBarrier", "size", kAllocation, kBad, kRange, kBytes, 1,
     [](World& world, size_t size) {
         return aclrtCmoAsyncWithBarrier(world.device.At(), size, ACL_RT_CMO_TYPE_INVALID, 0, world.stream);
     }},
    {"aclrtMemcpyAsyncWithOffset", "count", "destMax", kOk, kBad, 8, 1,
     [](World& world, size_t size) {
         void** const place = static_cast<void**>(world.addresses.At());
         return aclrtMemcpyAsyncWithOffset(place, 8, 0, const_cast<const void**>(place + 1), size, 0,
                                           ACL_MEMCPY_DEVICE_TO_DEVICE, world.stream);
     }},
    {"aclrtMemManagedGetAttr", "size", kAllocation, kBad, kRange, kPiece, kPiece,
     [](World& world, size_t size) {
         int32_t said = 0;
         return aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, world.managed, size, &said, 4);
     }},
    {"aclrtMemManagedGetAttr", "dataSize", "the attribute: 4 bytes", kBad, kBad, 4, 1,
     [](World& world, size_t size) {
         int32_t said[32] = {};
         return aclrtMemManagedGetAttr(ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, world.managed, kPiece, said, size);
     }},
    {"aclrtMemManagedGetAttrs", "size", kAllocation, kBad, kRange, kPiece, kPiece,
     [](World& world, size_t size) {
         int32_t said = 0;
         void* data = &said;
         size_t bytes = 4;
         aclrtMemManagedRangeAttribute attribute = ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
         return aclrtMemManagedGetAttrs(&attribute, 1, world.managed, size, &data, &bytes);
     }},
    {"aclrtMemManagedGetAttrs", "numAttributes", kHostMemory, kBad, kNoHostMemory, 1, 1,
     [](World& world, size_t size) {
         int32_t said = 0;
         void* data = &said;
         size_t bytes = 4;
         aclrtMemManagedRangeAttribute attribute = ACL_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
         return aclrtMemManagedGetAttrs(&attribute, size, world.managed, kPiece, &data, &bytes);
     }},
    {"aclrtMemcpyBatchAsync", "numAttrs", "numBatches", kBad, kBad, 1, 1,
     [](World& world, size_t size) {
         void *dst = world.device.At(), *src = world.pinned.At();
         size_t bytes = 8, index = 0, failed = 0;
         aclrtMemcpyBatchAttr attr = ToDevice();
         return aclrtMemcpyBatchAsync(&dst, &bytes, &src, &bytes, 1, &attr, &index, size, &failed, world.stream);
     }},
    {"aclrtMemcpyBatchV2", "numBatches", kHostMemory, kOk, kNoHostMemory, 1, 1,
     [](World& world, size_t size) {
         void *dst = world.device.At(), *src = world.pinned.At();
         size_t bytes = 8, index = 0;
         aclrtMemcpyBatchAttr attr = ToDevice();
         return aclrtMemcpyBatchV2(&dst, &bytes, &src, &bytes, size, &attr, &index, 1);
     }},
    {"aclrtMemcpyBatchV2", "numAttrs", "numBatches", kBad, kBad, 1, 1,
     [](World& world, size_t size) {
         void *dst = world.device.At(), *src = world.pinned.At();
         size_t bytes = 8, index = 0;
         aclrtMemcpyBatchAttr attr = ToDevice();
         return aclrtMemcpyBatchV2(&dst, &bytes, &src, &bytes, 1, &attr, &index, size);
     }},
    {"aclrtMemcpyBatchAsyncV2", "numBatches", kHostMemory, kOk, kNoHostMemory, 1, 1,
     [](World& world, size_t size) {
         void *dst = world.device.At(), *src = world.pinned.At();
         size_t bytes = 8, index = 0;
         aclrtMemcpyBatchAttr attr = ToDevice();
         return aclrtMemcpyBatchAsyncV2(&dst, &bytes, &src, &bytes, size, &attr, &index, 1, world.stream);
     }},
    {"aclrtMemcpyBatchAsyncV2", "numAttrs", "numBatches", kBad, kBad, 1, 1,
     [](World& world, size_t size) {
         void *dst = world.device.At(), *src = world.pinned.At();
         size_t bytes = 8, index = 0;
         aclrtMemcpyBatchAttr attr = ToDevice();
         return aclrtMemcpyBatchAsyncV2(&dst, &bytes, &src, &bytes, 1, &attr, &index, size, world.stream);
     }},
    {"aclrtIpcMemGetExportKey", "len", "the key: 65 bytes", kBad, kOk, 0, 1,
     [](World& world, size_t size) {
         char key[65] = {};
         const aclError code = aclrtIpcMemGetExportKey(world.device.At(), kBytes, key, size, 1);
         if (code == ACL_SUCCESS) ExpectOk("aclrtIpcMemClose", aclrtIpcMemClose(key));
         return code;
     }},
    {"aclrtGetOverflowStatus", "outputSize", kAllocation, kBad, kRange, kBytes, 1,
     [](World& world, size_t size) { return aclrtGetOverflowStatus(world.device.At(), size, world.stream); }},
};

// Queries that write what exists into the room of the caller.
inline const std::vector<SizeRow> kRowsOfQueries = {
    {"portaclMemoryListPools", "capacity", kNothing, kOk, kOk, 0, 1,
     [](World&, size_t size) {
         std::array<portaclMemoryPoolStats, 8> pools{};
         for (auto& pool : pools) pool.structSize = sizeof pool;
         size_t count = 0;
         return portaclMemoryListPools(0, pools.data(), size, &count);
     }},
    {"portaclMemoryListPageSizes", "capacity", kNothing, kOk, kOk, 0, 1,
     [](World&, size_t size) {
         std::array<portaclMemoryPageStats, 8> pages{};
         for (auto& page : pages) page.structSize = sizeof page;
         size_t count = 0;
         return portaclMemoryListPageSizes(0, PORTACL_MEMORY_DEVICE, pages.data(), size, &count);
     }},
    {"portaclMemorySnapshot", "capacity", kNothing, kOk, kOk, 0, 1,
     [](World&, size_t size) {
         std::vector<portaclMemoryAllocation> all(64);
         for (auto& one : all) one.structSize = sizeof one;
         size_t count = 0;
         return portaclMemorySnapshot(all.data(), size, &count);
     }},
    {"portaclMemoryHookRegisterLineProfile", "maxDepth", kNothing, kOk, kOk, 0, 1,
     [](World&, size_t size) {
         uint64_t id = 0;
         const aclError code = portaclMemoryHookRegisterLineProfile(size, PORTACL_MEMORY_HOOK_THREAD, &id);
         if (code == ACL_SUCCESS) ExpectOk("portaclMemoryHookUnregister", portaclMemoryHookUnregister(id));
         return code;
     }},
    {"aclrtGetMemUsageInfo", "inputNum", kNothing, kBad, kOk, 0, 1,
     [](World&, size_t size) {
         std::array<aclrtMemUsageInfo, 64> rows{};
         size_t count = 0;
         return aclrtGetMemUsageInfo(0, rows.data(), size, &count);
     }},
};

}  // namespace portacl_test

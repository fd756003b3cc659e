// The objects of calls that take sizes, and what a row of the table says about an argument.
#pragma once

#include <acl/acl_prof.h>
#include <acl/acl_rt_memory_soma.h>
#include <portacl/portacl.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/kernel/kernels.h"
#include "support/memory/virtual_memory.h"
#include "support/objects.h"
#include "support/pool/mem_pool.h"

namespace portacl_test {

// Codes of refusals. `kOk` is for sizes that the call accepts whatever they are.
constexpr aclError kOk = ACL_SUCCESS, kBad = ACL_ERROR_INVALID_PARAM, kRange = ACL_ERROR_RT_PARAM_INVALID,
                   kNoDeviceMemory = ACL_ERROR_RT_MEMORY_ALLOCATION, kNoHostMemory = ACL_ERROR_BAD_ALLOC;

// The objects that the calls use.
struct World {
    static constexpr size_t kBytes = 2 * kPiece;

    World() : device(kBytes), other(kBytes), pinned(kBytes, 0), page(kBytes), range(2 * kPiece) {
        for (const DeviceMemory* memory : {&device, &other})
            ExpectOk("aclrtMemset", aclrtMemset(memory->At(), kBytes, 0, kBytes));
        ExpectOk("aclrtMemAllocManaged", aclrtMemAllocManaged(&managed, kPiece, ACL_RT_MEM_ATTACH_GLOBAL));
        ExpectOk("aclrtAllocBuf", aclrtAllocBuf(&buffer, 64));
        ExpectOk("aclrtCreateNotify", aclrtCreateNotify(&notify, 0));
        ExpectOk("aclrtCreateLabel", aclrtCreateLabel(&label));
    }
    ~World() {
        ExpectOk("aclrtFree", aclrtFree(managed));
        ExpectOk("aclrtFreeBuf", aclrtFreeBuf(buffer));
        ExpectOk("aclrtDestroyNotify", aclrtDestroyNotify(notify));
        ExpectOk("aclrtDestroyLabel", aclrtDestroyLabel(label));
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    char* Page() { return page.data() + (4096 - reinterpret_cast<uintptr_t>(page.data()) % 4096); }

    Stream stream;
    DeviceMemory device, other;
    // The addresses of both, for copies that read them on the device.
    DeviceMemory addresses{std::vector<void*>{device.At(), other.At()}};
    PinnedMemory pinned;
    std::vector<char> page;
    void* managed = nullptr;
    Range range;
    PhysicalMemory physical;
    MemPool pool;
    aclrtMbuf buffer = nullptr;
    aclrtNotify notify = nullptr;
    aclrtLabel label = nullptr;
    Program program;
};

// Copies of a batch from the host to the device.
inline aclrtMemcpyBatchAttr ToDevice() {
    aclrtMemcpyBatchAttr attr{};
    attr.dstLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    attr.srcLoc = {0, ACL_MEM_LOCATION_TYPE_HOST};
    return attr;
}

// A row: an argument of a call.
struct SizeRow {
    const char* call;
    const char* argument;
    // What bounds the argument.
    const char* bound;
    // The results for 0, for the largest size that exists, and for all larger ones.
    aclError zero;
    aclError beyond;
    // The largest size that the call accepts; 0 if the row has none.
    size_t most;
    // Sizes are multiples of this. For others the calls return 100000.
    size_t unit;
    // Makes the call with this size. What it creates it destroys.
    std::function<aclError(World&, size_t)> run;
};

// Frees what the call has allocated, if it succeeded.
inline aclError Freed(aclError code, void* memory, aclError (*free)(void*)) {
    if (code == ACL_SUCCESS) ExpectOk("the release", free(memory));
    return code;
}

template <typename Call>
auto Allocates(Call call, aclError (*free)(void*)) {
    return [=](World& world, size_t size) {
        void* memory = nullptr;
        const aclError code = call(world, &memory, size);
        return Freed(code, memory, free);
    };
}

// What bounds an argument.
constexpr const char *kDeviceMemory = "device memory", *kHostMemory = "host memory", *kAllocation = "the allocation",
                     *kRoom = "the room that the caller names", *kAddresses = "the addresses of a process",
                     *kNothing = "nothing: only what exists is written";

constexpr size_t kBytes = World::kBytes;
constexpr auto kHuge = ACL_MEM_MALLOC_HUGE_FIRST;
constexpr auto kToHost = ACL_MEMCPY_DEVICE_TO_HOST, kToDevice = ACL_MEMCPY_HOST_TO_DEVICE,
               kInside = ACL_MEMCPY_DEVICE_TO_DEVICE;

}  // namespace portacl_test

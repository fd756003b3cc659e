// Ways to allocate and free memory, as hooks, statistics and snapshots see it.
#pragma once

#include <functional>
#include <string>

#include "support/pool/mem_pool.h"
#include "support/says.h"

namespace portacl_test {

// A way to allocate and free. `id`: the memoryId that hooks report.
struct Family {
    std::string name;
    portaclMemoryKind kind;
    int32_t device;
    std::function<aclError(size_t size, uint64_t* id)> allocate;
    std::function<aclError(uint64_t id)> release;
    // The pool's counter of used bytes.
    std::function<uint64_t()> used = nullptr;
};

template <typename T>
uint64_t Id(T handle) {
    return reinterpret_cast<uint64_t>(handle);
}

inline void* Pointer(uint64_t id) {
    return reinterpret_cast<void*>(id);
}

template <typename Call>
std::function<aclError(size_t, uint64_t*)> Take(Call call) {
    return [call](size_t size, uint64_t* id) {
        void* memory = nullptr;
        const aclError code = call(&memory, size);
        *id = Id(memory);
        return code;
    };
}

inline aclError FreeById(uint64_t id) {
    return aclrtFree(Pointer(id));
}

inline Family Physical(const char* name, portaclMemoryKind kind, int32_t device, const aclrtPhysicalMemProp& props) {
    auto allocate = [props](size_t size, uint64_t* id) {
        aclrtDrvMemHandle memory = nullptr;
        const aclError code = aclrtMallocPhysical(&memory, size, &props, 0);
        *id = Id(memory);
        return code;
    };
    auto release = [](uint64_t id) { return aclrtFreePhysical(static_cast<aclrtDrvMemHandle>(Pointer(id))); };
    return {name, kind, device, allocate, release};
}

// What a pool has reserved; the free is complete when this returns.
inline Family OfPool(const char* name, int32_t device, aclrtMemPool pool, aclrtStream stream) {
    auto allocate = Take([=](void** to, size_t size) { return aclrtMemPoolMallocAsync(to, size, pool, stream); });
    auto release = [stream](uint64_t id) {
        const aclError code = aclrtMemPoolFreeAsync(Pointer(id), stream);
        Synchronize(stream);
        return code;
    };
    return {name, PORTACL_MEMORY_POOL, device, allocate, release, [pool] { return Used(pool); }};
}

inline const char* const kHugePagesOnly = "huge pages only";

// The system has no free huge page at this moment.
struct NoHugePage {};

inline aclError Allocate(const Family& family, size_t size, uint64_t* id) {
    const aclError code = family.allocate(size, id);
    if (code == ACL_ERROR_RT_MEMORY_ALLOCATION && family.name == kHugePagesOnly) {
        TakeText();
        throw NoHugePage();
    }
    return code;
}

// A hook of this thread that writes to a file.
class BuiltInHook {
  public:
    template <typename Register>
    BuiltInHook(Register add, const std::string& path) {
        ACL_EXPECT_OK(add(path.c_str(), PORTACL_MEMORY_HOOK_THREAD, &id_));
    }
    ~BuiltInHook() { ACL_EXPECT_OK(portaclMemoryHookUnregister(id_)); }

  private:
    uint64_t id_ = 0;
};

}  // namespace portacl_test

// Memory pools in tests.
#pragma once

#include <acl/acl_rt_memory_soma.h>
#include <portacl/portacl.h>

#include <cstring>
#include <string>
#include <utility>

#include "support/objects.h"

namespace portacl_test {

constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB;

// Returns the properties of a plain pool on a device.
inline aclrtMemPoolProps PoolProps(uint32_t device = 0, size_t max_size = 0) {
    aclrtMemPoolProps props;
    std::memset(&props, 0, sizeof props);
    props.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    props.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    props.location = {device, ACL_MEM_LOCATION_TYPE_DEVICE};
    props.maxSize = max_size;
    return props;
}

inline uint64_t PoolAttribute(aclrtMemPool pool, aclrtMemPoolAttr attribute) {
    uint64_t value = 0;
    ExpectOk("aclrtMemPoolGetAttr", aclrtMemPoolGetAttr(pool, attribute, &value));
    return value;
}

inline uint64_t Reserved(aclrtMemPool pool) {
    return PoolAttribute(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT);
}

inline uint64_t Used(aclrtMemPool pool) {
    return PoolAttribute(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT);
}

// A pool on device 0, or with other properties.
class MemPool {
  public:
    explicit MemPool(const aclrtMemPoolProps& props = PoolProps()) {
        ExpectOk("aclrtMemPoolCreate", aclrtMemPoolCreate(&handle_, &props));
    }
    ~MemPool() {
        if (handle_) ExpectOk("aclrtMemPoolDestroy", aclrtMemPoolDestroy(handle_));
    }
    MemPool(const MemPool&) = delete;
    MemPool& operator=(const MemPool&) = delete;

    operator aclrtMemPool() const { return handle_; }

    // Gives the pool up: the test destroys it.
    aclrtMemPool Release() { return std::exchange(handle_, nullptr); }

    // Allocates memory. Returns null if the call fails, which fails the test.
    void* Allocate(size_t size, aclrtStream stream) const {
        void* address = nullptr;
        ExpectOk("aclrtMemPoolMallocAsync", aclrtMemPoolMallocAsync(&address, size, handle_, stream));
        return address;
    }

    void SetSwitch(aclrtMemPoolAttr attribute, int on) const {
        ExpectOk("aclrtMemPoolSetAttr", aclrtMemPoolSetAttr(handle_, attribute, &on));
    }

    // Sets the three switches for reusing memory of other streams.
    void Allow(bool follow_events, bool opportunistic, bool internal) const {
        SetSwitch(ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, follow_events);
        SetSwitch(ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC, opportunistic);
        SetSwitch(ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, internal);
    }

    void SetThreshold(uint64_t bytes) const {
        ExpectOk("aclrtMemPoolSetAttr", aclrtMemPoolSetAttr(handle_, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &bytes));
    }

  private:
    aclrtMemPool handle_ = nullptr;
};

inline void Free(void* address, aclrtStream stream) {
    ExpectOk("aclrtMemPoolFreeAsync", aclrtMemPoolFreeAsync(address, stream));
}

inline void Synchronize(aclrtStream stream) {
    ExpectOk("aclrtSynchronizeStream", aclrtSynchronizeStream(stream));
}

}  // namespace portacl_test

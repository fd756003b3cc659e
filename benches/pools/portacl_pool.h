// A pool of portacl, through the C API.
#pragma once

#include <acl/acl_rt_memory_soma.h>

#include <cstdint>
#include <vector>

#include "../acl_check.h"

// aclInit is called before the first and aclFinalize after the last.
class PortaclPool {
  public:
    static constexpr bool kEndsWhole = true;
    explicit PortaclPool(std::uint32_t streams) : streams_(streams) {
        EnterThread();
        for (aclrtStream& stream : streams_) ACL(aclrtCreateStream(&stream));
        aclrtMemPoolProps props{};
        props.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
        props.handleType = ACL_MEM_HANDLE_TYPE_NONE;
        props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
        ACL(aclrtMemPoolCreate(&pool_, &props));
        // As for the peers, memory from the device stays until the pool is destroyed.
        std::uint64_t keep = UINT64_MAX;
        ACL(aclrtMemPoolSetAttr(pool_, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &keep));
    }
    PortaclPool(const PortaclPool&) = delete;
    PortaclPool& operator=(const PortaclPool&) = delete;
    // Resets the device, which destroys the pool with all live blocks.
    ~PortaclPool() { ACL(aclrtResetDeviceForce(0)); }

    void* Allocate(std::size_t bytes, std::uint32_t stream) {
        void* memory;
        ACL(aclrtMemPoolMallocAsync(&memory, bytes, pool_, streams_[stream]));
        return memory;
    }
    void Free(void* memory, std::uint32_t stream) { ACL(aclrtMemPoolFreeAsync(memory, streams_[stream])); }
    std::uint64_t Reserved() const { return Attribute(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT); }
    std::uint64_t PeakReserved() const { return Attribute(ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH); }
    void EnterThread() const { ACL(aclrtSetDevice(0)); }

  private:
    std::uint64_t Attribute(aclrtMemPoolAttr which) const {
        std::uint64_t value = 0;
        ACL(aclrtMemPoolGetAttr(pool_, which, &value));
        return value;
    }

    std::vector<aclrtStream> streams_;
    aclrtMemPool pool_ = nullptr;
};

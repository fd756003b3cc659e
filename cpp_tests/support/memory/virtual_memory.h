// Address ranges, and physical memory to map there.
#pragma once

#include <cstring>
#include <utility>

#include "support/objects.h"

namespace portacl_test {

// Sizes and addresses are multiples of this.
constexpr size_t kPiece = 2 << 20;

inline aclrtPhysicalMemProp PhysicalProps(uint32_t device = 0) {
    aclrtPhysicalMemProp props;
    std::memset(&props, 0, sizeof props);
    props.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    props.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    props.memAttr = ACL_HBM_MEM_HUGE;
    props.location = {device, ACL_MEM_LOCATION_TYPE_DEVICE};
    return props;
}

inline aclrtPhysicalMemProp HostProps() {
    aclrtPhysicalMemProp props = PhysicalProps();
    props.location = {0, ACL_MEM_LOCATION_TYPE_HOST};
    return props;
}

// An address range without memory.
class Range {
  public:
    explicit Range(size_t size, size_t alignment = 0, void* wish = nullptr) {
        ExpectOk("aclrtReserveMemAddress", aclrtReserveMemAddress(&address_, size, alignment, wish, 1));
    }
    ~Range() {
        if (address_) ExpectOk("aclrtReleaseMemAddress", aclrtReleaseMemAddress(address_));
    }
    Range(const Range&) = delete;
    Range& operator=(const Range&) = delete;

    char* At(size_t offset = 0) const { return static_cast<char*>(address_) + offset; }

    // Gives the range up: the test releases it.
    void* Release() { return std::exchange(address_, nullptr); }

  private:
    void* address_ = nullptr;
};

// Physical memory.
class PhysicalMemory {
  public:
    explicit PhysicalMemory(size_t size = kPiece, const aclrtPhysicalMemProp& props = PhysicalProps()) {
        ExpectOk("aclrtMallocPhysical", aclrtMallocPhysical(&handle_, size, &props, 0));
    }
    ~PhysicalMemory() {
        if (handle_) ExpectOk("aclrtFreePhysical", aclrtFreePhysical(handle_));
    }
    PhysicalMemory(const PhysicalMemory&) = delete;
    PhysicalMemory& operator=(const PhysicalMemory&) = delete;

    operator aclrtDrvMemHandle() const { return handle_; }

    // Gives the memory up: the test releases it.
    aclrtDrvMemHandle Release() { return std::exchange(handle_, nullptr); }

  private:
    aclrtDrvMemHandle handle_ = nullptr;
};

// A mapping for the lifetime of this object.
class Mapping {
  public:
    Mapping(void* address, aclrtDrvMemHandle memory, size_t size = kPiece) : address_(address) {
        ExpectOk("aclrtMapMem", aclrtMapMem(address, size, 0, memory, 0));
    }
    ~Mapping() {
        if (address_) ExpectOk("aclrtUnmapMem", aclrtUnmapMem(address_));
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    // Gives the mapping up: the test unmaps it.
    void* Release() { return std::exchange(address_, nullptr); }

  private:
    void* address_;
};

}  // namespace portacl_test

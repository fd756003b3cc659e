// Memory that the host and all devices use at one address.
#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include "support/objects.h"

namespace portacl_test {

// Sizes and advised ranges are multiples of this.
constexpr size_t kManagedGrain = 2 << 20;

class ManagedMemory {
  public:
    explicit ManagedMemory(size_t size) : size_(size) {
        ExpectOk("aclrtMemAllocManaged", aclrtMemAllocManaged(&address_, size, ACL_RT_MEM_ATTACH_GLOBAL));
    }
    ManagedMemory(size_t size, unsigned char value) : ManagedMemory(size) { std::memset(address_, value, size); }
    ~ManagedMemory() {
        if (address_) ExpectOk("aclrtFree", aclrtFree(address_));
    }
    ManagedMemory(const ManagedMemory&) = delete;
    ManagedMemory& operator=(const ManagedMemory&) = delete;

    void* At(size_t offset = 0) const { return Data() + offset; }
    unsigned char* Data() const { return static_cast<unsigned char*>(address_); }
    std::vector<unsigned char> Copy() const { return {Data(), Data() + size_}; }
    void* Release() { return std::exchange(address_, nullptr); }

  private:
    void* address_ = nullptr;
    size_t size_;
};

}  // namespace portacl_test

// Objects that the fault sweep's program holds for a while and releases whatever fails meanwhile.
#pragma once

#include <acl/acl.h>

#include <cstddef>
#include <cstring>

#include "did.h"

class HeldEvent {
  public:
    HeldEvent() { DID(aclrtCreateEventExWithFlag(&handle_, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE)); }
    ~HeldEvent() {
        if (handle_) DID(aclrtDestroyEvent(handle_));
    }
    HeldEvent(const HeldEvent&) = delete;
    HeldEvent& operator=(const HeldEvent&) = delete;
    operator aclrtEvent() const { return handle_; }

  private:
    aclrtEvent handle_ = nullptr;
};

class HeldMemory {
  public:
    explicit HeldMemory(size_t size = kSize) { DID(aclrtMalloc(&address_, size, ACL_MEM_MALLOC_NORMAL_ONLY)); }
    ~HeldMemory() {
        if (address_) DID(aclrtFree(address_));
    }
    HeldMemory(const HeldMemory&) = delete;
    HeldMemory& operator=(const HeldMemory&) = delete;
    operator void*() const { return address_; }

  private:
    void* address_ = nullptr;
};

class Pinned {
  public:
    explicit Pinned(size_t size = kSize) {
        if (!DID(aclrtMallocHost(&address_, size))) return;
        std::memset(address_, 0x11, size);
    }
    ~Pinned() {
        if (address_) DID(aclrtFreeHost(address_));
    }
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
    operator void*() const { return address_; }
    bool ContainsOnly(unsigned char value, size_t size = kSize) const {
        const auto* bytes = static_cast<const unsigned char*>(address_);
        for (size_t i = 0; bytes && i < size; ++i) {
            if (bytes[i] != value) return false;
        }
        return bytes != nullptr;
    }

  private:
    void* address_ = nullptr;
};

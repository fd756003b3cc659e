// Host memory that tests register.
#pragma once

#include <sys/mman.h>

#include "support/objects.h"

namespace portacl_test {

using Bytes = std::vector<unsigned char>;

constexpr size_t kPage = 4096;
constexpr uint32_t kPinned = ACL_HOST_REG_PINNED, kMapped = ACL_HOST_REG_MAPPED;
constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr aclError kAlready = ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
constexpr aclError kNot = ACL_ERROR_HOST_MEMORY_NOT_REGISTERED;

// Pages that the library has never seen.
class Pages {
  public:
    explicit Pages(size_t size, unsigned char value = 1, void* hint = nullptr) : size_(size) {
        void* start = mmap(hint, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        EXPECT_NE(start, MAP_FAILED);
        bytes_ = static_cast<unsigned char*>(start);
        Fill(value);
    }
    ~Pages() { munmap(bytes_, size_); }
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    unsigned char* At(size_t offset = 0) const { return bytes_ + offset; }
    void Fill(unsigned char value) { std::memset(bytes_, value, size_); }
    Bytes Copy() const { return {bytes_, bytes_ + size_}; }

  private:
    unsigned char* bytes_;
    size_t size_;
};

// Registers the memory for the lifetime of this object.
class Registered {
  public:
    Registered(void* address, size_t size, uint32_t flag) : address_(address) {
        ExpectOk("aclrtHostRegisterV2", aclrtHostRegisterV2(address, size, flag));
    }
    ~Registered() { ExpectOk("aclrtHostUnregister", aclrtHostUnregister(address_)); }
    Registered(const Registered&) = delete;
    Registered& operator=(const Registered&) = delete;

  private:
    void* address_;
};

inline int LocationOf(const void* address) {
    auto reported = Poison<aclrtPtrAttributes>();
    ExpectOk("aclrtPointerGetAttributes", aclrtPointerGetAttributes(address, &reported));
    return reported.location.type;
}

class HostRegister : public WithDevice {};

}  // namespace portacl_test

// Memory in any place: pageable or pinned host memory, or memory of a device.
#pragma once

#include <memory>
#include <ostream>

#include "support/objects.h"

namespace portacl_test {

enum class Where { kPageable, kPinned, kDevice0, kDevice1 };

inline std::ostream& operator<<(std::ostream& out, Where where) {
    constexpr const char* kNames[] = {"pageable", "pinned", "device 0", "device 1"};
    return out << kNames[static_cast<int>(where)];
}

inline bool OnHost(Where where) {
    return where == Where::kPageable || where == Where::kPinned;
}

// Returns all places of this machine.
inline std::vector<Where> Places() {
    std::vector<Where> places{Where::kPageable, Where::kPinned, Where::kDevice0};
    if (DeviceCount() > 1) places.push_back(Where::kDevice1);
    return places;
}

// Makes a device current for the lifetime of this object, then restores the previous one.
class OnDevice {
  public:
    explicit OnDevice(int32_t device) {
        ExpectOk("aclrtGetCurrentContext", aclrtGetCurrentContext(&before_));
        ExpectOk("aclrtSetDevice", aclrtSetDevice(device));
    }
    ~OnDevice() { ExpectOk("aclrtSetCurrentContext", aclrtSetCurrentContext(before_)); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

  private:
    aclrtContext before_ = nullptr;
};

// Memory with contents that a test can set and read.
class AnyMemory {
  public:
    AnyMemory(Where where, size_t size) : size_(size) {
        if (where == Where::kPageable) {
            pageable_.resize(size);
        } else if (where == Where::kPinned) {
            pinned_ = std::make_unique<PinnedMemory>(size);
        } else {
            const OnDevice current(where == Where::kDevice1 ? 1 : 0);
            device_ = std::make_unique<DeviceMemory>(size);
        }
    }

    unsigned char* At(size_t offset = 0) {
        if (device_) return static_cast<unsigned char*>(device_->At(offset));
        return (pinned_ ? pinned_->Bytes() : pageable_.data()) + offset;
    }

    size_t Size() const { return size_; }

    void Set(const std::vector<unsigned char>& bytes) {
        if (device_)
            device_->Upload(bytes);
        else
            std::memcpy(At(), bytes.data(), bytes.size());
    }

    std::vector<unsigned char> Get() {
        if (device_) return device_->Download();
        return {At(), At() + size_};
    }

  private:
    size_t size_;
    std::vector<unsigned char> pageable_;
    std::unique_ptr<PinnedMemory> pinned_;
    std::unique_ptr<DeviceMemory> device_;
};

}  // namespace portacl_test

// What tests of collectives share: the device, memory with values, and codes as the suite's macros take them.
#pragma once

#include <hccl/hccl.h>

#include <vector>

#include "support/acl_test.h"

namespace hccl {

inline constexpr auto kFloat = HCCL_DATA_TYPE_FP32;

// Calls of this library have codes of their own, and leave their text in the runtime.
#define HCCL_OK(call) ACL_EXPECT_OK(static_cast<aclError>(call))
// Requires that the call fails with this code, and that its text contains another one.
#define HCCL_FAILS(call, code, text) \
    ::hccl::Fails(#call, ACL_ON_PURPOSE(static_cast<aclError>(call)), (code), (text), __FILE__, __LINE__)

inline void Fails(const char* expression, aclError got, aclError wanted, const std::string& text, const char* file,
                  int line) {
    const char* const recent = aclGetRecentErrMsg();
    const std::string found = recent != nullptr ? recent : "";
    if (got == wanted && found.find(text) != std::string::npos) return;
    ADD_FAILURE_AT(file, line) << expression << "\n  returned " << got << ", expected " << wanted
                               << "\n  text:     " << found << "\n  expected: " << text;
}

class WithStream : public portacl_test::WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        ACL_OK(aclrtCreateStream(&stream_));
    }
    void TearDown() override {
        ACL_EXPECT_OK(aclrtDestroyStream(stream_));
        WithDevice::TearDown();
    }

    aclrtStream stream_ = nullptr;
};

// Where a thread of one of several ranks keeps memory until all ranks have ended: the driver's free waits for all work
// of the device, so for operations of other ranks, which can wait for the rank that frees.
inline thread_local std::vector<void*>* freed_later = nullptr;

inline void Free(void* memory) {
    if (freed_later != nullptr) {
        freed_later->push_back(memory);
    } else {
        ACL_EXPECT_OK(aclrtFree(memory));
    }
}

// Device memory of floats.
class Floats {
  public:
    explicit Floats(const std::vector<float>& values) : count_(values.size()) {
        ACL_OK(aclrtMalloc(&memory_, bytes(), ACL_MEM_MALLOC_NORMAL_ONLY));
        ACL_OK(aclrtMemcpy(memory_, bytes(), values.data(), bytes(), ACL_MEMCPY_HOST_TO_DEVICE));
    }
    ~Floats() { Free(memory_); }
    Floats(const Floats&) = delete;
    Floats& operator=(const Floats&) = delete;

    void* get() const { return memory_; }
    void* at(size_t index) const { return static_cast<float*>(memory_) + index; }
    size_t bytes() const { return count_ * sizeof(float); }
    std::vector<float> values() const {
        std::vector<float> values(count_);
        ACL_EXPECT_OK(aclrtMemcpy(values.data(), bytes(), memory_, bytes(), ACL_MEMCPY_DEVICE_TO_HOST));
        return values;
    }

  private:
    size_t count_;
    void* memory_ = nullptr;
};

// A communicator of one rank.
inline HcclComm NewAlone() {
    HcclRootInfo info;
    HcclComm comm = nullptr;
    HCCL_OK(HcclGetRootInfo(&info));
    HCCL_OK(HcclCommInitRootInfo(1, &info, 0, &comm));
    return comm;
}

}  // namespace hccl

// Modes, and a stream to be captured, for tests of captures.
#pragma once

#include <acl/acl.h>

#include <cstddef>

#include "support/acl_test.h"
#include "support/graph/graph.h"
#include "support/objects.h"

namespace portacl_test {

constexpr auto kGlobal = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
constexpr auto kThreadLocal = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
constexpr auto kRelaxed = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
constexpr int kNone = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
constexpr int kActive = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
constexpr size_t kSize = 4096;

inline aclmdlRICaptureMode Exchange(aclmdlRICaptureMode mode) {
    ExpectOk("aclmdlRICaptureThreadExchangeMode", aclmdlRICaptureThreadExchangeMode(&mode));
    return mode;
}

// Sets this thread's capture mode for the lifetime of this object.
class ModeOfThread {
  public:
    explicit ModeOfThread(aclmdlRICaptureMode mode) : before_(Exchange(mode)) {}
    ~ModeOfThread() { Exchange(before_); }

  private:
    aclmdlRICaptureMode before_;
};

// A stream to capture, and memory for its work.
class WithCapture : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        ACL_OK(aclrtCreateStream(&stream_));
        ACL_OK(aclrtMalloc(&memory_, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    }

    void TearDown() override {
        ACL_EXPECT_OK(aclrtDestroyStreamForce(stream_));
        ACL_EXPECT_OK(aclrtFree(memory_));
        WithDevice::TearDown();
    }

    void Begin(aclmdlRICaptureMode mode = kGlobal) {
        ACL_OK(aclmdlRICaptureBegin(stream_, mode));
        EXPECT_EQ(StatusOf(stream_), kActive);
    }

    aclError Fill(aclrtStream stream, int value = 1) { return aclrtMemsetAsync(memory_, kSize, value, kSize, stream); }

    aclrtStream stream_ = nullptr;
    void* memory_ = nullptr;
};

}  // namespace portacl_test

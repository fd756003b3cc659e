// A stream that is lent to another library, which captures it: questions of this library would invalidate the capture.
#include <portacl/portacl.h>

#include "support/base/cuda_driver.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

enum Mode : unsigned { kGlobal, kThreadLocal, kRelaxed };

class NativeCapture : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        if (OnCpu()) GTEST_SKIP() << "the cpu backend has no driver below it";
        void* context = nullptr;
        ACL_OK(portaclContextGetNative(nullptr, &context));
        Driver("cuCtxSetCurrent", context);
    }

    static void Begin(void* native, Mode mode) {
        Driver("cuStreamBeginCapture_v2", native, static_cast<unsigned>(mode));
    }

    // Ends the capture, which must be valid.
    static void End(void* native) {
        int status = -1;
        Driver("cuStreamIsCapturing", native, &status);
        EXPECT_EQ(status, 1) << "the capture is not active";
        void* graph = nullptr;
        Driver("cuStreamEndCapture", native, &graph);
        Driver("cuGraphDestroy", graph);
    }
};

// The stream has work from before the capture, which uses the memory.
TEST_F(NativeCapture, IsValidAfterAFreeOnAnotherThread) {
    constexpr size_t kSize = 4 << 20;
    for (const Mode mode : {kRelaxed, kThreadLocal, kGlobal}) {
        for (const bool wrapped : {false, true}) {
            SCOPED_TRACE(testing::Message() << "mode " << mode << ", wrapped " << wrapped);
            Stream own;
            void* native = nullptr;
            aclrtStream stream = own;
            if (wrapped) {
                Driver("cuStreamCreate", &native, 1u);
                ACL_OK(portaclStreamWrapNative(native, &stream));
            } else {
                ACL_OK(portaclStreamGetNative(stream, &native));
            }
            void* memory = nullptr;
            void* pinned = nullptr;
            ACL_OK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
            ACL_OK(aclrtMallocHost(&pinned, kSize));
            Gate gate;
            ACL_OK(gate.Hold(stream));
            ACL_OK(aclrtMemsetAsync(memory, kSize, 1, kSize, stream));
            ACL_OK(aclrtMemcpyAsync(pinned, kSize, memory, kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
            Begin(native, mode);
            OnNewThread([&] {
                ACL_OK(aclrtSetDevice(0));
                ACL_OK(aclrtFree(memory));
                ACL_OK(aclrtFreeHost(pinned));
                ACL_OK(aclrtResetDevice(0));
            });
            EXPECT_FALSE(IsIdle(stream));
            End(native);
            gate.Open();
            ACL_OK(aclrtSynchronizeStream(stream));
            EXPECT_TRUE(IsIdle(stream));
            if (wrapped) {
                ACL_OK(aclrtDestroyStream(stream));
                Driver("cuStreamDestroy_v2", native);
            }
        }
    }
}

TEST_F(NativeCapture, IsValidAfterARefusedWait) {
    Stream stream;
    void* native = nullptr;
    ACL_OK(portaclStreamGetNative(stream, &native));
    Begin(native, kRelaxed);
    EXPECT_FALSE(IsIdle(stream));
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtSynchronizeStream(stream), "another library captures");
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtSynchronizeDevice(), "another library captures");
    EXPECT_FALSE(IsIdle(stream));
    End(native);
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_TRUE(IsIdle(stream));
}

}  // namespace

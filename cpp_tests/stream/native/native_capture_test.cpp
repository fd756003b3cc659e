// A stream that is lent to another library, which captures it: questions of this library would invalidate the capture.
#include <portacl/portacl.h>

#include <optional>

#include "support/base/cuda_driver.h"
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"
#include "support/transfer/batch.h"

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

// Calls that the driver forbids while it captures: of the thread that captures, and in the global mode of all threads.
TEST_F(NativeCapture, IsValidAfterCallsOfItsThread) {
    constexpr size_t kSize = 4096;
    const Stream stream;
    const Event event;
    const DeviceMemory filled(kSize);
    void* captured = nullptr;
    Driver("cuStreamCreate", &captured, 1u);
    const auto use = [&] {
        void *memory = nullptr, *pinned = nullptr, *managed = nullptr;
        size_t free = 0, total = 0;
        ACL_OK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_OK(aclrtMallocHost(&pinned, kSize));
        ACL_OK(aclrtMemAllocManaged(&managed, kSize, ACL_RT_MEM_ATTACH_GLOBAL));
        ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
        ACL_OK(aclrtMemset(memory, kSize, 1, kSize));
        ACL_OK(aclrtMemcpy(pinned, kSize, memory, kSize, ACL_MEMCPY_DEVICE_TO_HOST));
        ACL_OK(aclrtMemsetAsync(filled.At(), kSize, 1, kSize, stream));
        ACL_OK(aclrtRecordEvent(event, stream));
        (void)IsIdle(stream);
        (void)IsComplete(event);
        ACL_OK(aclrtSynchronizeEvent(event));
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclrtFree(managed));
        ACL_OK(aclrtFreeHost(pinned));
        ACL_OK(aclrtFree(memory));
        const Stream further;
        ACL_OK(aclrtMemsetAsync(filled.At(), kSize, 2, kSize, further));
    };
    for (const Mode mode : {kRelaxed, kThreadLocal, kGlobal}) {
        SCOPED_TRACE(testing::Message() << "mode " << mode);
        void* context = nullptr;
        ACL_OK(portaclContextGetNative(nullptr, &context));
        Driver("cuCtxSetCurrent", context);
        Begin(captured, mode);
        use();
        OnNewThread([&] {
            ACL_OK(aclrtSetDevice(0));
            use();
            ACL_OK(aclrtResetDevice(0));
        });
        End(captured);
    }
    Driver("cuStreamDestroy_v2", captured);
}

// A stream of this library joins a capture of a stream that another library has created.
class JoinedCapture : public NativeCapture {
  protected:
    void SetUp() override {
        NativeCapture::SetUp();
        if (IsSkipped()) return;
        joined_.emplace();
        begun_.emplace();
        ended_.emplace();
        Driver("cuStreamCreate", &native_, 1u);
        ACL_OK(portaclStreamWrapNative(native_, &wrapped_));
        Begin(native_, kRelaxed);
        ACL_OK(aclrtRecordEvent(*begun_, wrapped_));
        ACL_OK(aclrtStreamWaitEvent(*joined_, *begun_));
    }
    void TearDown() override {
        if (native_) {
            ACL_OK(aclrtDestroyStream(wrapped_));
            Driver("cuStreamDestroy_v2", native_);
        }
        joined_.reset();
        begun_.reset();
        ended_.reset();
        NativeCapture::TearDown();
    }
    // Lets the stream that began the capture wait for the joined one, and ends the capture.
    void EndJoined() {
        ACL_OK(aclrtRecordEvent(*ended_, *joined_));
        ACL_OK(aclrtStreamWaitEvent(wrapped_, *ended_));
        End(native_);
    }

    void* native_ = nullptr;
    aclrtStream wrapped_ = nullptr;
    std::optional<Stream> joined_;
    std::optional<Event> begun_;
    std::optional<Event> ended_;
};

TEST_F(JoinedCapture, AStreamThatJoinsIsNotQueried) {
    constexpr size_t kSize = 4096;
    DeviceMemory memory(std::vector<unsigned char>(kSize, 7));
    std::vector<unsigned char> pageable(kSize);
    EXPECT_FALSE(IsIdle(*joined_));
    ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 8, kSize, *joined_));
    EXPECT_FALSE(IsIdle(*joined_));
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtSynchronizeStream(*joined_), "another library captures");
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtSynchronizeStreamWithTimeout(*joined_, 10),
                     "another library captures");
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                     aclrtMemcpyAsync(pageable.data(), kSize, memory.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST, *joined_),
                     "another library captures");
    void* freed = nullptr;
    ACL_OK(aclrtMalloc(&freed, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtFree(freed));
    EndJoined();
    ACL_OK(aclrtSynchronizeStream(*joined_));
    EXPECT_TRUE(IsIdle(*joined_));
    EXPECT_EQ(memory.Download(), std::vector<unsigned char>(kSize, 7)) << "captured work has run";
}

// The driver captures single copies, and no batches.
TEST_F(JoinedCapture, ABatchIsCapturedCopyByCopy) {
    constexpr size_t kSize = 4096;
    const DeviceMemory memory(std::vector<unsigned char>(2 * kSize, 7));
    PinnedMemory pinned(2 * kSize, 8);
    Batch batch;
    batch.Add(memory.At(), pinned.At(), kSize).Add(memory.At(kSize), pinned.At(kSize), kSize).Up();
    for (const aclrtStream stream : {wrapped_, static_cast<aclrtStream>(*joined_)}) {
        for (const Batcher& batcher : Batchers()) {
            if (!batcher.asynchronous) continue;
            size_t index = 0;
            ASSERT_TRUE(Returned(batcher.name, batcher.call(batch, &index, stream), 0));
        }
    }
    EndJoined();
    ACL_OK(aclrtSynchronizeStream(*joined_));
    EXPECT_EQ(memory.Download(), std::vector<unsigned char>(2 * kSize, 7)) << "captured copies have run";
}

// The driver would call it at each launch of the graph.
TEST_F(JoinedCapture, AHostFunctionIsRefused) {
    bool has_run = false;
    const auto run = [](void* flag) { *static_cast<bool*>(flag) = true; };
    for (const aclrtStream stream : {wrapped_, static_cast<aclrtStream>(*joined_)}) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtLaunchHostFunc(stream, run, &has_run),
                         "another library captures the stream, so the captured graph cannot contain this operation");
    }
    EndJoined();
    EXPECT_FALSE(has_run);
    ACL_OK(aclrtLaunchHostFunc(*joined_, run, &has_run));
    ACL_OK(aclrtSynchronizeStream(*joined_));
    EXPECT_TRUE(has_run);
}

// The library queries when these are complete.
TEST_F(JoinedCapture, GraphsAndWaitsForValuesAreRefused) {
    constexpr size_t kSize = 4096;
    const Stream other;
    const DeviceMemory memory(std::vector<unsigned char>(kSize, 0));
    const Graph graph = Capture(other, [&] { ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, kSize, other)); });
    for (const aclrtStream stream : {wrapped_, static_cast<aclrtStream>(*joined_)}) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclmdlRIExecuteAsync(graph, stream),
                         "another library captures the stream, so the captured graph cannot contain the launch");
        ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtValueWait(memory.At(), 0, 0, stream),
                         "another library captures the stream, so the captured graph cannot contain this wait");
    }
    EndJoined();
    ACL_OK(aclmdlRIExecuteAsync(graph, *joined_));
    ACL_OK(aclrtValueWait(memory.At(), 1, 0, *joined_));
    ACL_OK(aclrtSynchronizeStream(*joined_));
}

TEST_F(JoinedCapture, AnEventOfACaptureIsNotQueried) {
    float ms = 0;
    EXPECT_FALSE(IsComplete(*begun_));
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtSynchronizeEvent(*begun_), "another library was capturing");
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclrtSynchronizeEventWithTimeout(*begun_, 10),
                     "another library was capturing");
    ACL_FAILS(ACL_ERROR_RT_EVENT_NOT_COMPLETE, aclrtEventElapsedTime(&ms, *begun_, *begun_));
    ACL_OK(aclrtStreamWaitEventWithTimeout(*joined_, *begun_, 1));
    EndJoined();
    EXPECT_FALSE(IsComplete(*begun_));
    ACL_OK(aclrtRecordEvent(*begun_, *joined_));
    ACL_OK(aclrtSynchronizeEvent(*begun_));
    EXPECT_TRUE(IsComplete(*begun_));
}

}  // namespace

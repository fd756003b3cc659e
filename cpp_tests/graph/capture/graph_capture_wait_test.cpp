// Waits and queries during captures: work that is captured cannot be waited for, other work can.

#include <cstdint>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/capture.h"
#include "support/graph/graph.h"
#include "support/objects.h"
#include "support/says.h"

namespace {

using namespace portacl_test;

using GraphCapture = WithCapture;

// A wait or query, and its code during a relaxed capture.
struct Wait {
    const char* name;
    aclError (*call)(aclrtStream, aclrtEvent);
    aclError relaxed;
};

std::vector<Wait> Waits() {
    return {
        {"aclrtSynchronizeStream", [](aclrtStream s, aclrtEvent) { return aclrtSynchronizeStream(s); },
         ACL_ERROR_RT_STREAM_CAPTURED},
        {"aclrtSynchronizeStreamWithTimeout",
         [](aclrtStream s, aclrtEvent) { return aclrtSynchronizeStreamWithTimeout(s, 1000); },
         ACL_ERROR_RT_STREAM_CAPTURED},
        {"aclrtStreamQuery",
         [](aclrtStream s, aclrtEvent) {
             aclrtStreamStatus status;
             return aclrtStreamQuery(s, &status);
         },
         ACL_ERROR_RT_STREAM_CAPTURED},
        {"aclrtSynchronizeDevice", [](aclrtStream, aclrtEvent) { return aclrtSynchronizeDevice(); },
         ACL_ERROR_RT_STREAM_CAPTURED},
        {"aclrtSynchronizeDeviceWithTimeout",
         [](aclrtStream, aclrtEvent) { return aclrtSynchronizeDeviceWithTimeout(1000); }, ACL_ERROR_RT_STREAM_CAPTURED},
        {"aclrtSynchronizeEvent", [](aclrtStream, aclrtEvent e) { return aclrtSynchronizeEvent(e); },
         ACL_ERROR_RT_EVENT_CAPTURED},
        {"aclrtSynchronizeEventWithTimeout",
         [](aclrtStream, aclrtEvent e) { return aclrtSynchronizeEventWithTimeout(e, 1000); },
         ACL_ERROR_RT_EVENT_CAPTURED},
        {"aclrtQueryEventStatus",
         [](aclrtStream, aclrtEvent e) {
             aclrtEventRecordedStatus status;
             return aclrtQueryEventStatus(e, &status);
         },
         ACL_ERROR_RT_EVENT_CAPTURED},
        {"aclrtEventElapsedTime",
         [](aclrtStream, aclrtEvent e) {
             float ms;
             return aclrtEventElapsedTime(&ms, e, e);
         },
         ACL_ERROR_RT_EVENT_CAPTURED},
        {"aclrtEventGetTimestamp",
         [](aclrtStream, aclrtEvent e) {
             uint64_t us;
             return aclrtEventGetTimestamp(e, &us);
         },
         ACL_ERROR_RT_EVENT_CAPTURED},
    };
}

TEST_F(GraphCapture, CapturedWorkCannotBeWaitedFor) {
    for (const Wait& wait : Waits()) {
        SCOPED_TRACE(wait.name);
        for (auto mode : {kGlobal, kThreadLocal, kRelaxed}) {
            const Event event;
            Begin(mode);
            ACL_OK(aclrtRecordEvent(event, stream_));
            const aclError wanted = mode == kRelaxed ? wait.relaxed : aclError{ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC};
            EXPECT_TRUE(Failed(wait.name, wait.call(stream_, event), wanted));
            EndInvalid(stream_);
            // The event is unchanged: never recorded.
            ACL_OK(aclrtSynchronizeEvent(event));
            // Nothing is being captured any more.
            ACL_OK(aclrtSynchronizeStream(stream_));
            ACL_OK(aclrtSynchronizeDevice());
        }
    }
}

TEST_F(GraphCapture, OtherStreamsCanBeWaitedFor) {
    const Stream other;
    const Event event;
    Begin();
    ACL_OK(Fill(other));
    ACL_OK(aclrtRecordEvent(event, other));
    ACL_OK(aclrtSynchronizeStream(other));
    ACL_OK(aclrtSynchronizeEvent(event));
    EXPECT_TRUE(IsIdle(other));
    EXPECT_EQ(StatusOf(stream_), kActive);
    aclmdlRI graph = nullptr;
    ACL_OK(aclmdlRICaptureEnd(stream_, &graph));
    ACL_OK(aclmdlRIDestroy(graph));
}

// An event that a stream has recorded and a capture then records belongs to the capture, until a
// stream records it again.
TEST_F(GraphCapture, TheLatestRecordOfAnEventCounts) {
    const Stream other;
    const Event event;
    ACL_OK(aclrtRecordEvent(event, other));
    ACL_OK(aclrtSynchronizeStream(other));
    EXPECT_TRUE(IsComplete(event));
    Begin(kRelaxed);
    ACL_OK(aclrtRecordEvent(event, stream_));
    ACL_OK(aclrtRecordEvent(event, other));
    ACL_OK(aclrtSynchronizeStream(other));
    EXPECT_TRUE(IsComplete(event));
    ACL_OK(aclrtRecordEvent(event, stream_));
    aclrtEventRecordedStatus status;
    ACL_FAILS(ACL_ERROR_RT_EVENT_CAPTURED, aclrtQueryEventStatus(event, &status));
    EndInvalid(stream_);
    EXPECT_TRUE(IsComplete(event)) << "it is as it was before";
}

// After an invalid call the capture takes no more work.
TEST_F(GraphCapture, InvalidCapturesTakeNothing) {
    const Event event;
    Begin();
    ACL_FAILS(ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC, aclrtSynchronizeStream(stream_));
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclrtMemsetAsync(memory_, kSize, 1, kSize, stream_),
                     "aclmdlRICaptureEnd");
    ACL_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclrtRecordEvent(event, stream_));
    auto graph = Poison<aclmdlRI>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclmdlRICaptureEnd(stream_, &graph),
                     "has ended without a graph");
    EXPECT_TRUE(IsPoison(graph));
    ACL_OK(Fill(stream_));
    ACL_OK(aclrtSynchronizeStream(stream_));
}

}  // namespace

// Capturing graphs: which streams take part, what is refused, and what invalidates a capture.

#include <string>

#include "support/acl_test.h"
#include "support/graph/capture.h"
#include "support/graph/graph.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using namespace portacl_test;

using GraphCapture = WithCapture;

// ---- queries ----

TEST_F(GraphCapture, InfoReturnsTheStateAndTheGraph) {
    auto graph = Poison<aclmdlRI>();
    EXPECT_EQ(StatusOf(stream_, &graph), kNone);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(StatusOf(nullptr), kNone);
    Begin();
    aclmdlRI during = nullptr;
    EXPECT_EQ(StatusOf(stream_, &during), kActive);
    ASSERT_NE(during, nullptr);
    ACL_FAILS(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIDestroy(during));
    ACL_FAILS(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIAbort(during));
    ACL_FAILS(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIExecuteAsync(during, nullptr));
    ACL_FAILS(ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING, aclmdlRIExecuteAsync(during, stream_));
    aclmdlRI after = nullptr;
    ACL_OK(aclmdlRICaptureEnd(stream_, &after));
    EXPECT_EQ(after, during);
    EXPECT_EQ(StatusOf(stream_, &graph), kNone);
    EXPECT_EQ(graph, nullptr);
    ACL_OK(aclmdlRIDestroy(after));
}

TEST_F(GraphCapture, ArgumentsAreChecked) {
    for (int mode : {-1, 3, 0x7fffffff}) {
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureBegin(stream_, static_cast<aclmdlRICaptureMode>(mode)),
                         "mode is " + std::to_string(mode), "0", "2");
        auto wrong = static_cast<aclmdlRICaptureMode>(mode);
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureThreadExchangeMode(&wrong),
                         "mode is " + std::to_string(mode));
        EXPECT_EQ(std::memcmp(&wrong, &mode, sizeof wrong), 0);
    }
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureThreadExchangeMode(nullptr));
    auto status = Poison<aclmdlRICaptureStatus>();
    auto graph = Poison<aclmdlRI>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureGetInfo(stream_, nullptr, &graph), "status");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureGetInfo(stream_, &status, nullptr), "modelRI");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclmdlRICaptureEnd(stream_, nullptr), "modelRI");
    Stream other;
    aclrtStream dead = other.Release();
    ACL_OK(aclrtDestroyStream(dead));
    const Event event;
    for (aclrtStream bad : {dead, static_cast<aclrtStream>(event), aclrtStream{&status}}) {
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRICaptureBegin(bad, kGlobal));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRICaptureEnd(bad, &graph));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRICaptureGetInfo(bad, &status, &graph));
    }
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRICaptureBegin(stream_, kGlobal));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRICaptureEnd(stream_, &graph));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRICaptureGetInfo(stream_, &status, &graph));
    });
    EXPECT_TRUE(IsPoison(status));
    EXPECT_TRUE(IsPoison(graph));
}

// ---- begin and end ----

TEST_F(GraphCapture, DefaultStreamsAreNotCaptured) {
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, aclmdlRICaptureBegin(nullptr, kGlobal), "default stream");
    aclmdlRI graph = nullptr;
    ACL_FAILS(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRICaptureEnd(nullptr, &graph));
    EXPECT_EQ(StatusOf(nullptr), kNone);
}

TEST_F(GraphCapture, BeginAndEndComeInPairs) {
    aclmdlRI graph = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRICaptureEnd(stream_, &graph), Shown(stream_),
                     "aclmdlRICaptureBegin");
    Begin();
    ACL_FAILS(ACL_ERROR_RT_STREAM_CAPTURED, aclmdlRICaptureBegin(stream_, kRelaxed));
    EXPECT_EQ(StatusOf(stream_), kActive);
    ACL_OK(aclmdlRICaptureEnd(stream_, &graph));
    ACL_FAILS(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRICaptureEnd(stream_, &graph));
    ACL_OK(aclmdlRIDestroy(graph));
}

TEST_F(GraphCapture, TheThreadThatBeganItEndsIt) {
    for (auto mode : {kGlobal, kThreadLocal}) {
        Begin(mode);
        auto graph = Poison<aclmdlRI>();
        OnNewThread([&] {
            ACL_OK(aclrtSetDevice(0));
            ACL_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, aclmdlRICaptureEnd(stream_, &graph));
            ACL_OK(aclrtResetDevice(0));
        });
        EXPECT_TRUE(IsPoison(graph));
        ACL_OK(aclmdlRICaptureEnd(stream_, &graph));
        ACL_OK(aclmdlRIDestroy(graph));
    }
    Begin(kRelaxed);
    OnNewThread([&] {
        ACL_OK(aclrtSetDevice(0));
        aclmdlRI graph = nullptr;
        ACL_OK(aclmdlRICaptureEnd(stream_, &graph));
        ACL_OK(aclmdlRIDestroy(graph));
        ACL_OK(aclrtResetDevice(0));
    });
}

// Earlier work of the stream continues, and recorded work does not run.
TEST_F(GraphCapture, RecordsInsteadOfRunning) {
    ACL_OK(Fill(stream_, 5));
    ACL_OK(aclrtSynchronizeStream(stream_));
    const Graph graph = Capture(stream_, [&] { ACL_OK(Fill(stream_, 7)); });
    ACL_OK(aclrtSynchronizeStream(stream_));
    unsigned char byte = 0;
    ACL_OK(aclrtMemcpy(&byte, 1, memory_, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(byte, 5);
    ACL_OK(aclmdlRIExecute(graph, -1));
    ACL_OK(aclrtMemcpy(&byte, 1, memory_, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(byte, 7);
}

// ---- streams that join ----

TEST_F(GraphCapture, StreamsJoinByEvents) {
    const Stream other;
    const Event fork, join;
    Begin();
    ACL_OK(Fill(stream_));
    ACL_OK(aclrtRecordEvent(fork, stream_));
    EXPECT_EQ(StatusOf(other), kNone);
    ACL_OK(aclrtStreamWaitEvent(other, fork));
    aclmdlRI own = nullptr, joined = nullptr;
    EXPECT_EQ(StatusOf(stream_, &own), kActive);
    EXPECT_EQ(StatusOf(other, &joined), kActive);
    EXPECT_EQ(own, joined);
    aclmdlRI graph = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, aclmdlRICaptureEnd(other, &graph), Shown(stream_));
    ACL_FAILS(ACL_ERROR_RT_STREAM_CAPTURED, aclmdlRICaptureBegin(other, kGlobal));
    ACL_OK(Fill(other, 2));
    ACL_OK(aclrtRecordEvent(join, other));
    ACL_OK(aclrtStreamWaitEvent(stream_, join));
    ACL_OK(aclmdlRICaptureEnd(stream_, &graph));
    EXPECT_EQ(StatusOf(other), kNone);
    ACL_OK(aclmdlRIDestroy(graph));
}

TEST_F(GraphCapture, JoinedStreamsMustRejoinTheOrigin) {
    const Stream other;
    const Event fork, early;
    Begin();
    ACL_OK(aclrtRecordEvent(fork, stream_));
    ACL_OK(aclrtStreamWaitEvent(other, fork));
    ACL_OK(Fill(other));
    ACL_OK(aclrtRecordEvent(early, other));
    ACL_OK(Fill(other));
    ACL_OK(aclrtStreamWaitEvent(stream_, early));
    auto graph = Poison<aclmdlRI>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_UNJOINED, aclmdlRICaptureEnd(stream_, &graph), Shown(other), Shown(stream_));
    EXPECT_TRUE(IsPoison(graph));
    EXPECT_EQ(StatusOf(stream_), kNone);
    EXPECT_EQ(StatusOf(other), kNone);
    ACL_OK(Fill(other));
    ACL_OK(aclrtSynchronizeStream(other));
}

TEST_F(GraphCapture, WorkOutsideIsNotWaitedFor) {
    const Stream other;
    const Event outside, never;
    ACL_OK(aclrtRecordEvent(outside, other));
    for (aclrtEvent event : {aclrtEvent(outside), aclrtEvent(never)}) {
        Begin();
        ACL_FAILS_SAYING(ACL_ERROR_RT_CAPTURE_DEPENDENCY, aclrtStreamWaitEvent(stream_, event), Shown(event),
                         Shown(stream_));
        EndInvalid(stream_);
    }
}

TEST_F(GraphCapture, CapturesDoNotWaitForEachOther) {
    const Stream other;
    const Event event;
    Begin();
    ACL_OK(aclmdlRICaptureBegin(other, kGlobal));
    ACL_OK(aclrtRecordEvent(event, other));
    ACL_FAILS(ACL_ERROR_STREAM_CAPTURE_CONFLICT, aclrtStreamWaitEvent(stream_, event));
    EndInvalid(other);
    EndInvalid(stream_);
}

TEST_F(GraphCapture, DefaultStreamsDoNotJoin) {
    const Event event;
    Begin();
    ACL_OK(aclrtRecordEvent(event, stream_));
    ACL_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, aclrtStreamWaitEvent(nullptr, event));
    EndInvalid(stream_);
    ACL_OK(aclrtStreamWaitEvent(nullptr, event));
}

TEST_F(GraphCapture, StreamsOfOtherDevicesDoNotJoin) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    const Event event;
    Begin();
    ACL_OK(aclrtRecordEvent(event, stream_));
    ACL_OK(aclrtSetDevice(1));
    {
        const Stream other_device;
        ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtStreamWaitEvent(other_device, event), "device");
        EXPECT_EQ(StatusOf(other_device), kNone);
    }
    ACL_OK(aclrtSetDevice(0));
    EndInvalid(stream_);
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
}

// An event stands for its latest record, in whichever stream.
TEST_F(GraphCapture, AnEventStandsForItsLatestRecord) {
    const Stream other;
    const Event event;
    Begin();
    ACL_OK(aclrtRecordEvent(event, stream_));
    ACL_OK(aclrtRecordEvent(event, other));
    ACL_OK(aclrtStreamWaitEvent(other, event));
    EXPECT_EQ(StatusOf(other), kNone);
    ACL_OK(aclrtSynchronizeEvent(event));
    ACL_FAILS(ACL_ERROR_RT_CAPTURE_DEPENDENCY, aclrtStreamWaitEvent(stream_, event));
    EndInvalid(stream_);
}

// ---- what is recorded ----

// An invalid argument is reported as such, and does not invalidate the capture.
TEST_F(GraphCapture, InvalidArgumentsKeepTheCaptureValid) {
    Begin();
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemsetAsync(nullptr, 8, 0, 8, stream_));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMemsetAsync(memory_, 8, 0, 9, stream_));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEvent(stream_, stream_));
    EXPECT_EQ(StatusOf(stream_), kActive);
    aclmdlRI graph = nullptr;
    ACL_OK(aclmdlRICaptureEnd(stream_, &graph));
    ACL_OK(aclmdlRIDestroy(graph));
}

TEST_F(GraphCapture, MemoryOfOtherDevicesIsNotRecorded) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    void* other_memory = nullptr;
    ACL_OK(aclrtMalloc(&other_memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtSetDevice(0));
    Begin();
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     aclrtMemcpyAsync(other_memory, 64, memory_, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream_), "device");
    EndInvalid(stream_);
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtFree(other_memory));
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(GraphCapture, UnsupportedWorkIsRefused) {
    const PinnedMemory pinned(64);
    Begin(kRelaxed);
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     aclrtMemcpyAsync(memory_, 64, pinned.At(), 64, ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE, stream_),
                     "ACL_MEMCPY_HOST_TO_DEVICE");
    EndInvalid(stream_);
}

// ---- destruction of streams and devices ----

TEST_F(GraphCapture, CapturedStreamsAreDestroyedByForceOnly) {
    Stream first;
    Begin();
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CAPTURED, aclrtDestroyStream(stream_), "aclmdlRICaptureEnd");
    EXPECT_EQ(StatusOf(stream_), kActive);
    Stream other;
    const Event fork;
    ACL_OK(aclrtRecordEvent(fork, stream_));
    ACL_OK(aclrtStreamWaitEvent(other, fork));
    ACL_OK(aclrtDestroyStreamForce(other.Release()));
    EndInvalid(stream_);
    // The origin stream: the others are no longer captured afterwards.
    ACL_OK(aclmdlRICaptureBegin(first, kGlobal));
    aclmdlRI graph = nullptr;
    StatusOf(first, &graph);
    const Stream third;
    ACL_OK(aclrtRecordEvent(fork, first));
    ACL_OK(aclrtStreamWaitEvent(third, fork));
    EXPECT_EQ(StatusOf(third), kActive);
    ACL_OK(aclrtDestroyStreamForce(first.Release()));
    EXPECT_EQ(StatusOf(third), kNone);
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIDestroy(graph));
    ACL_OK(aclrtSynchronizeDevice());
    const char byte = 0;
    ACL_OK(aclrtMemcpy(memory_, 1, &byte, 1, ACL_MEMCPY_HOST_TO_DEVICE));
}

TEST_F(GraphCapture, AbortsInvalidateCaptures) {
    Begin();
    ACL_OK(aclrtStreamAbort(stream_));
    EndInvalid(stream_);
}

TEST_F(GraphCapture, ContextsAreDestroyedDuringCaptures) {
    aclrtContext context = nullptr;
    aclrtContext before = nullptr;
    ACL_OK(aclrtGetCurrentContext(&before));
    ACL_OK(aclrtCreateContext(&context, 0));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclmdlRICaptureBegin(stream, kGlobal));
    aclmdlRI graph = nullptr;
    StatusOf(stream, &graph);
    ACL_OK(aclrtDestroyContext(context));
    ACL_OK(aclrtSetCurrentContext(before));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRICaptureBegin(stream, kGlobal));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIDestroy(graph));
    ACL_OK(aclrtSynchronizeDevice());
}

TEST_F(GraphCapture, RefusedInsideAHostFunction) {
    struct CaptureCalls {
        aclrtStream stream;
        aclError begin, end, info;
    } state{stream_, 0, 0, 0};
    const Stream runner;
    ACL_OK(aclrtLaunchHostFunc(
        runner,
        [](void* argument) {
            auto* s = static_cast<CaptureCalls*>(argument);
            aclmdlRI graph;
            aclmdlRICaptureStatus status;
            s->begin = aclmdlRICaptureBegin(s->stream, kGlobal);
            s->end = aclmdlRICaptureEnd(s->stream, &graph);
            s->info = aclmdlRICaptureGetInfo(s->stream, &status, &graph);
        },
        &state));
    ACL_OK(aclrtSynchronizeStream(runner));
    EXPECT_EQ(state.begin, ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(state.end, ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(state.info, ACL_ERROR_RT_PARAM_INVALID);
}

// ---- the process ----

TEST(GraphCaptureTeardown, DevicesAreResetDuringCaptures) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclmdlRICaptureBegin(stream, kGlobal));
    aclmdlRI graph = nullptr;
    StatusOf(stream, &graph);
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    auto status = Poison<aclmdlRICaptureStatus>();
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRICaptureGetInfo(stream, &status, &graph));
    // The capture forbids nothing any more.
    DeviceMemory memory(64);
    ACL_OK(aclrtMemset(memory.At(), 64, 0, 64));
    ACL_OK(aclrtFree(memory.Release()));
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRICaptureBegin(stream, kGlobal));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRICaptureEnd(stream, &graph));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRICaptureGetInfo(stream, &status, &graph));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRICaptureBegin(nullptr, kGlobal));
    // The mode belongs to the thread, and finalize does not change it.
    EXPECT_EQ(Exchange(kRelaxed), kGlobal);
    EXPECT_EQ(Exchange(kGlobal), kRelaxed);
}

}  // namespace

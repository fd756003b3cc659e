// Graphs that are built from streams bound to them. graph_build_arguments_test.cpp tests what is refused.

#include <cstdint>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/graph/build.h"
#include "support/graph/graph.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"

namespace {

using namespace portacl_test;

using Bytes = std::vector<unsigned char>;
using Words = std::vector<uint32_t>;

using GraphBuild = WithDevice;

// ---- what is recorded ----

TEST_F(GraphBuild, WorkOfABoundStreamRunsInEachRun) {
    const Program program;
    const Persistent stream;
    const Stream running;
    const DeviceMemory a(256), b(256);
    const ZeroWords marked(16);
    Log log;
    Bytes in(256, 0);
    const Built graph;
    graph.Bind(stream);
    // Pageable memory is read in each run.
    ACL_OK(aclrtMemcpyAsync(a.At(), 256, in.data(), 256, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL_OK(aclrtMemsetAsync(a.At(128), 128, 9, 64, stream));
    ACL_OK(aclrtMemcpyAsync(b.At(), 256, a.At(), 256, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL_OK(Mark(program.Kernel("mark"), marked.At(), 5, 16, stream));
    ACL_OK(log.Append(stream, 1));
    graph.End(stream);
    EXPECT_EQ(log.Size(), 0u);
    EXPECT_EQ(marked.Download<uint32_t>(), Words(16, 0));
    for (uint32_t run = 1; run <= 3; ++run) {
        in.assign(256, static_cast<unsigned char>(run));
        if (run == 2) {
            ACL_OK(aclmdlRIExecute(graph, -1));
        } else {
            ACL_OK(aclmdlRIExecuteAsync(graph, running));
            ACL_OK(aclrtSynchronizeStream(running));
        }
        Bytes wanted = in;
        std::fill(wanted.begin() + 128, wanted.begin() + 192, 9);
        EXPECT_EQ(b.Download(), wanted);
        EXPECT_EQ(marked.Download<uint32_t>(), Words(16, 5 * run));
        EXPECT_EQ(log.Size(), run);
    }
}

TEST_F(GraphBuild, StreamsAreOrderedByEvents) {
    const Persistent first, second;
    const Stream running;
    const DeviceMemory a(1 << 20), b(1 << 20), c(1 << 20);
    const Event fork(ACL_EVENT_SYNC), join(ACL_EVENT_SYNC);
    const Built graph;
    graph.Bind(first);
    graph.Bind(second);
    ACL_OK(aclrtMemsetAsync(a.At(), 1 << 20, 3, 1 << 20, first));
    ACL_OK(aclrtRecordEvent(fork, first));
    ACL_OK(aclrtStreamWaitEvent(second, fork));
    ACL_OK(aclrtMemcpyAsync(b.At(), 1 << 20, a.At(), 1 << 20, ACL_MEMCPY_DEVICE_TO_DEVICE, second));
    ACL_OK(aclrtRecordEvent(join, second));
    ACL_OK(aclrtStreamWaitEvent(first, join));
    ACL_OK(aclrtMemcpyAsync(c.At(), 1 << 20, b.At(), 1 << 20, ACL_MEMCPY_DEVICE_TO_DEVICE, first));
    ACL_OK(aclrtMemsetAsync(a.At(), 1 << 20, 4, 1 << 20, first));
    graph.End(first);
    for (int run = 0; run < 8; ++run) {
        ACL_OK(aclrtMemset(c.At(), 1 << 20, 0, 1 << 20));
        ACL_OK(aclmdlRIExecuteAsync(graph, running));
        ACL_OK(aclrtSynchronizeStream(running));
        ASSERT_EQ(c.Download(), Bytes(1 << 20, 3));
        ASSERT_EQ(a.Download(), Bytes(1 << 20, 4));
    }
}

TEST_F(GraphBuild, ARunIsOneOperationOfItsStream) {
    const Persistent stream;
    const Stream running;
    Log log;
    Gate gate;
    const Built graph;
    graph.Bind(stream);
    ACL_OK(log.Append(stream, 2));
    ACL_OK(log.Append(stream, 3));
    graph.End(stream);
    ACL_OK(gate.Hold(running));
    ACL_OK(log.Append(running, 1));
    ACL_OK(aclmdlRIExecuteAsync(graph, running));
    ACL_OK(log.Append(running, 4));
    EXPECT_FALSE(IsIdle(running));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(running));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 2, 3, 4}));
}

TEST_F(GraphBuild, GraphsMayBeNested) {
    const Persistent stream, other;
    const Stream running;
    const DeviceMemory memory(64);
    const Graph inner = Capture(running, [&] { ACL_OK(aclrtMemsetAsync(memory.At(), 32, 4, 32, running)); });
    const Built graph;
    graph.Bind(stream);
    ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, stream));
    ACL_OK(aclmdlRIExecuteAsync(inner, stream));
    graph.End(stream);
    const Built outer;
    outer.Bind(other);
    ACL_OK(aclmdlRIExecuteAsync(graph, other));
    ACL_OK(aclrtMemsetAsync(memory.At(), 16, 6, 16, other));
    outer.End(other);
    ACL_OK(aclmdlRIExecute(outer, -1));
    Bytes wanted(64, 1);
    std::fill(wanted.begin(), wanted.begin() + 32, 4);
    std::fill(wanted.begin(), wanted.begin() + 16, 6);
    EXPECT_EQ(memory.Download(), wanted);
}

// Streams that are never started do not run, nor does work after an end task.
TEST_F(GraphBuild, RunsLeaveOutUnreachableWork) {
    const Persistent head, idle;
    Log log;
    const Built graph;
    graph.Bind(head, kHead);
    graph.Bind(idle, kDefault);
    ACL_OK(log.Append(head, 1));
    ACL_OK(log.Append(idle, 2));
    ACL_OK(aclmdlRIEndTask(graph, head));
    ACL_OK(log.Append(head, 3));
    ACL_OK(aclmdlRIBuildEnd(graph, nullptr));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(log.Numbers(), std::vector<int>{1});
}

// ---- streams ----

TEST_F(GraphBuild, PersistentStreamsTakeWorkOnlyWhileTheyAreBound) {
    const Persistent stream;
    const DeviceMemory memory(64);
    const Event event(ACL_EVENT_SYNC);
    const Graph captured = Capture(Stream(), [] {});
    const auto refused = [&](aclError code, const char* word) {
        ACL_FAILS_SAYING(code, aclrtMemsetAsync(memory.At(), 64, 1, 64, stream), word);
        ACL_FAILS_SAYING(code,
                         aclrtLaunchHostFunc(
                             stream, [](void*) {}, nullptr),
                         word);
        ACL_FAILS_SAYING(code, aclrtRecordEvent(event, stream), word);
        ACL_FAILS_SAYING(code, aclmdlRIExecuteAsync(captured, stream), word);
    };
    refused(ACL_ERROR_RT_STREAM_MODEL, "aclmdlRIBindStream");
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_MODEL, aclrtStreamWaitEvent(stream, event), "aclmdlRIBindStream");
    {
        const Built graph;
        graph.Bind(stream);
        ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, stream));
        graph.End(stream);
        refused(ACL_ERROR_RT_PARAM_INVALID, "aclmdlRIUnbindStream");
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStream(stream), "aclmdlRIUnbindStream", Shown(graph));
        ACL_OK(aclmdlRIUnbindStream(graph, stream));
        refused(ACL_ERROR_RT_STREAM_MODEL, "aclmdlRIBindStream");
        // The graph keeps what was recorded.
        ACL_OK(aclmdlRIExecute(graph, -1));
        EXPECT_EQ(memory.Download(), Bytes(64, 1));
        // The stream is bound to another graph.
        const Built other;
        other.Bind(stream);
        ACL_OK(aclrtMemsetAsync(memory.At(), 64, 2, 64, stream));
        other.End(stream);
        ACL_OK(aclmdlRIExecute(other, -1));
        EXPECT_EQ(memory.Download(), Bytes(64, 2));
    }
    // Ending the graph has unbound the stream.
    refused(ACL_ERROR_RT_STREAM_MODEL, "aclmdlRIBindStream");
}

TEST_F(GraphBuild, PersistentStreamsAreAlwaysIdle) {
    const Persistent stream;
    const auto idle = [&] {
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclrtSynchronizeStreamWithTimeout(stream, 1));
        EXPECT_TRUE(IsIdle(stream));
        ACL_OK(aclrtSynchronizeDevice());
        aclmdlRI graph = nullptr;
        EXPECT_EQ(StatusOf(stream, &graph), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
        EXPECT_EQ(graph, nullptr);
        uint32_t flags = 0;
        ACL_OK(aclrtStreamGetFlags(stream, &flags));
        EXPECT_EQ(flags, ACL_STREAM_PERSISTENT);
    };
    idle();
    const Built graph;
    graph.Bind(stream);
    ACL_OK(aclrtLaunchHostFunc(
        stream, [](void*) {}, nullptr));
    idle();
    graph.End(stream);
    idle();
}

TEST_F(GraphBuild, PersistentStreamsAreNotCaptured) {
    const Persistent stream;
    const Stream capturing;
    const Event event(ACL_EVENT_SYNC), other(ACL_EVENT_SYNC);
    auto graph = Poison<aclmdlRI>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED),
                     "ACL_STREAM_PERSISTENT");
    const Built built;
    built.Bind(stream);
    ACL_FAILS(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRICaptureEnd(stream, &graph));
    ACL_OK(aclmdlRICaptureBegin(capturing, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    ACL_OK(aclrtRecordEvent(event, capturing));
    ACL_OK(aclrtRecordEvent(other, stream));
    ACL_FAILS_SAYING(ACL_ERROR_STREAM_CAPTURE_CONFLICT, aclrtStreamWaitEvent(capturing, other), Shown(built),
                     Shown(capturing));
    EndInvalid(capturing);
}

TEST_F(GraphBuild, BoundStreamsAreDestroyedByForceOnly) {
    Persistent stream, second;
    const Built graph, other;
    graph.Bind(stream);
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStream(stream), Shown(graph), "aclmdlRIUnbindStream");
    ACL_OK(aclrtDestroyStreamForce(stream.Release()));
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclmdlRIBuildEnd(graph, nullptr), "destroyed");
    // A built graph runs without its streams.
    Log log;
    other.Bind(second);
    ACL_OK(log.Append(second, 1));
    other.End(second);
    ACL_OK(aclrtDestroyStreamForce(second.Release()));
    ACL_OK(aclmdlRIExecute(other, -1));
    EXPECT_EQ(log.Size(), 1u);
}

TEST_F(GraphBuild, ManyThreadsSubmitWork) {
    std::vector<std::unique_ptr<Persistent>> streams;
    for (int i = 0; i < 4; ++i) streams.push_back(std::make_unique<Persistent>());
    const DeviceMemory memory(4 * 64);
    const Built graph;
    std::vector<std::thread> threads;
    for (size_t i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            ACL_OK(aclrtSetDevice(0));
            graph.Bind(*streams[i]);
            for (int n = 0; n < 50; ++n) ACL_OK(aclrtMemsetAsync(memory.At(i * 64), 64, n, 64, *streams[i]));
            ACL_OK(aclmdlRIEndTask(graph, *streams[i]));
            ACL_OK(aclrtResetDevice(0));
        });
    for (std::thread& thread : threads) thread.join();
    ACL_OK(aclmdlRIBuildEnd(graph, nullptr));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(memory.Download(), Bytes(4 * 64, 49));
}

// ---- lifetime ----

TEST_F(GraphBuild, RunningGraphsKeepTheirStreams) {
    const Persistent stream;
    const Stream running;
    Gate gate;
    const Built graph;
    graph.Bind(stream);
    graph.End(stream);
    ACL_OK(gate.Hold(running));
    ACL_OK(aclmdlRIExecuteAsync(graph, running));
    ACL_FAILS_SAYING(ACL_ERROR_RT_MODEL_RUNNING, aclmdlRIUnbindStream(graph, stream), Shown(graph));
    ACL_FAILS_SAYING(ACL_ERROR_RT_MODEL_RUNNING, aclmdlRIDestroy(graph), Shown(graph));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(running));
    ACL_OK(aclmdlRIUnbindStream(graph, stream));
}

TEST_F(GraphBuild, UnfinishedGraphsAreDestroyed) {
    const Persistent stream;
    Built graph;
    graph.Bind(stream);
    ACL_OK(aclrtLaunchHostFunc(
        stream, [](void*) {}, nullptr));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIUnbindStream(graph, stream), "aclmdlRIDestroy");
    ACL_OK(aclmdlRIDestroy(graph.Release()));
    ACL_FAILS(ACL_ERROR_RT_STREAM_MODEL, aclrtLaunchHostFunc(
                                             stream, [](void*) {}, nullptr));
    // Nothing was recorded, so the stream may be destroyed before the graph ends.
    const Built other;
    other.Bind(stream);
    ACL_OK(aclmdlRIUnbindStream(other, stream));
}

TEST(GraphBuildTeardown, GraphsAndStreamsEndWithTheirDevice) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    aclrtStream stream = Persistent().Release();
    aclmdlRI graph = Built().Release();
    ACL_OK(aclmdlRIBindStream(graph, stream, kHead));
    ACL_OK(aclrtLaunchHostFunc(
        stream, [](void*) {}, nullptr));
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildEnd(graph, nullptr), "released with its device");
    const Persistent next;
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIEndTask(graph, next));
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclFinalize());
    (void)const_cast<Persistent&>(next).Release();
    auto made = Poison<aclmdlRI>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRIBuildBegin(&made, 0));
    EXPECT_TRUE(IsPoison(made));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBindStream(graph, stream, kHead));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIUnbindStream(graph, stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIEndTask(graph, stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildEnd(graph, nullptr));
}

}  // namespace

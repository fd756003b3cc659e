// Running graphs: once, many times, in several streams; and what they keep. graph_random_test.cpp replays random
// programs.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/graph/run.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using namespace portacl_test;

using Words = std::vector<uint32_t>;

constexpr auto kRelaxed = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;

using GraphRun = WithDevice;

// ---- what is recorded ----

TEST_F(GraphRun, EveryKindOfWorkIsReplayed) {
    const Program program;
    const Stream stream;
    const DeviceMemory a(1024), b(1024);
    const ZeroWords rows(256), sum(16), marked(16);
    const PinnedMemory in(1024, 3), out(1024, 0);
    const Words ones(16, 1);
    const DeviceMemory one(ones);
    Log log;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtMemcpyAsync(a.At(), 1024, in.At(), 1024, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        ACL_OK(aclrtMemsetAsync(a.At(512), 512, 9, 256, stream));
        ACL_OK(aclrtMemsetD32Async(a.At(768), 256, 0x01020304, 64, stream));
        ACL_OK(aclrtMemcpyAsync(b.At(), 1024, a.At(), 1024, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        ACL_OK(aclrtMemcpy2dAsync(rows.At(), 64, b.At(), 32, 32, 16, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        ACL_OK(aclrtReduceAsync(sum.At(), one.At(), 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, stream, nullptr));
        ACL_OK(Mark(program.Kernel("mark"), marked.At(), 5, 16, stream));
        ACL_OK(log.Append(stream, 1));
        ACL_OK(aclrtMemcpyAsync(out.At(), 1024, b.At(), 1024, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ACL_OK(aclrtMemsetAsync(out.At(), 1024, 7, 8, stream));
    });
    EXPECT_EQ(log.Size(), 0u);
    for (uint32_t run = 1; run <= 3; ++run) {
        std::memset(in.At(), static_cast<int>(run), 1024);
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        std::vector<unsigned char> wanted(1024, static_cast<unsigned char>(run));
        std::fill(wanted.begin() + 512, wanted.begin() + 768, 9);
        for (size_t i = 768; i < 1024; ++i) wanted[i] = static_cast<unsigned char>(4 - i % 4);
        EXPECT_EQ(b.Download(), wanted);
        const auto copied = rows.Download();
        for (size_t row = 0; row < 16; ++row)
            for (size_t i = 0; i < 32; ++i) ASSERT_EQ(copied[row * 64 + i], wanted[row * 32 + i]);
        std::fill(wanted.begin(), wanted.begin() + 8, 7);
        EXPECT_EQ(out.Copy(), wanted);
        EXPECT_EQ(sum.Download<uint32_t>(), Words(16, run));
        EXPECT_EQ(marked.Download<uint32_t>(), Words(16, 5 * run));
        EXPECT_EQ(log.Size(), run);
    }
}

TEST_F(GraphRun, EmptyGraphsRun) {
    const Stream stream;
    const Graph graph = Capture(stream, [] {});
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclmdlRIExecute(graph, -1));
    ACL_OK(aclrtSynchronizeStream(stream));
}

// Pageable memory is read and written in each run.
TEST_F(GraphRun, PageableMemoryIsReadInEachRun) {
    const Stream stream;
    const DeviceMemory memory(256);
    std::vector<unsigned char> in(256), out(256);
    const Graph graph = Capture(
        stream,
        [&] {
            ACL_OK(aclrtMemcpyAsync(memory.At(), 256, in.data(), 256, ACL_MEMCPY_HOST_TO_DEVICE, stream));
            ACL_OK(aclrtMemcpyAsync(out.data(), 256, memory.At(), 256, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        },
        kRelaxed);
    for (int run = 1; run <= 3; ++run) {
        in.assign(256, static_cast<unsigned char>(run));
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(out, in);
    }
}

// Kernel arguments are those at the time of the recording.
TEST_F(GraphRun, ArgumentsOfKernelsAreKept) {
    const Program program;
    const Stream stream;
    const ZeroWords words(8);
    const aclrtFuncHandle mark = program.Kernel("mark");
    void* address = words.At();
    uint32_t number = 3;
    void* arguments[] = {&address, &number};
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtLaunchSIMTKernelWithArgsArray(mark, {8, 1, 1}, {1, 1, 1}, 0, stream, nullptr, arguments));
    });
    address = nullptr;
    number = 1000;
    ACL_OK(aclmdlRIExecute(graph, -1));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(words.Download<uint32_t>(), Words(8, 6));
}

TEST_F(GraphRun, EventsWithTimeAreRecordedInEachRun) {
    const Stream stream, gated;
    const Event start, end;
    const DeviceMemory memory(1 << 20);
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtRecordEvent(start, stream));
        ACL_OK(aclrtMemsetAsync(memory.At(), 1 << 20, 1, 1 << 20, stream));
        ACL_OK(aclrtRecordEvent(end, stream));
    });
    uint64_t before = 0;
    for (int run = 0; run < 2; ++run) {
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        EXPECT_FALSE(IsComplete(end));
        gate.Open();
        ACL_OK(aclrtSynchronizeEvent(end));
        float ms = -1;
        ACL_OK(aclrtEventElapsedTime(&ms, start, end));
        EXPECT_GE(ms, 0);
        uint64_t now = 0;
        ACL_OK(aclrtEventGetTimestamp(end, &now));
        EXPECT_GE(now, before);
        before = now;
    }
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(GraphRun, GraphsMayBeNested) {
    const Stream stream, other;
    const DeviceMemory a(64), b(64);
    const Event fork, join;
    const Graph inner = Capture(stream, [&] {
        ACL_OK(aclrtRecordEvent(fork, stream));
        ACL_OK(aclrtStreamWaitEvent(other, fork));
        ACL_OK(aclrtMemcpyAsync(b.At(), 64, a.At(), 32, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        ACL_OK(aclrtMemcpyAsync(b.At(32), 32, a.At(32), 32, ACL_MEMCPY_DEVICE_TO_DEVICE, other));
        ACL_OK(aclrtRecordEvent(join, other));
        ACL_OK(aclrtStreamWaitEvent(stream, join));
    });
    std::vector<Graph> outer;
    outer.push_back(Capture(stream, [&] {
        ACL_OK(aclrtMemsetAsync(a.At(), 64, 4, 64, stream));
        ACL_OK(aclmdlRIExecuteAsync(inner, stream));
        ACL_OK(aclrtMemcpyAsync(a.At(), 32, b.At(32), 32, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        ACL_OK(aclrtMemsetAsync(b.At(), 64, 6, 64, stream));
    }));
    for (int run = 0; run < 8; ++run) {
        ACL_OK(aclrtMemset(b.At(), 64, 0, 64));
        ACL_OK(aclmdlRIExecute(outer[0], -1));
        EXPECT_EQ(a.Download(), std::vector<unsigned char>(64, 4));
        EXPECT_EQ(b.Download(), std::vector<unsigned char>(64, 6));
    }
}

// ---- order ----

TEST_F(GraphRun, ARunIsOneOperationOfItsStream) {
    const Stream stream;
    Log log;
    Gate gate;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(log.Append(stream, 2));
        ACL_OK(log.Append(stream, 3));
    });
    ACL_OK(gate.Hold(stream));
    ACL_OK(log.Append(stream, 1));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(log.Append(stream, 4));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    EXPECT_FALSE(IsIdle(stream));
    EXPECT_EQ(log.Size(), 0u);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 2, 3, 4, 2, 3}));
}

TEST_F(GraphRun, RunsInSeveralStreamsAreSerialized) {
    const Stream capturing;
    const std::vector<std::unique_ptr<Stream>> streams = [] {
        std::vector<std::unique_ptr<Stream>> all;
        for (int i = 0; i < 4; ++i) all.push_back(std::make_unique<Stream>());
        return all;
    }();
    struct Guard {
        std::atomic<int> inside{0}, overlaps{0}, calls{0};
    };
    auto* guard = MakeImmortal<Guard>();
    const Graph graph = Capture(capturing, [&] {
        const auto enter = [](void* argument) {
            auto* g = static_cast<Guard*>(argument);
            if (g->inside.fetch_add(1) != 0) g->overlaps += 1;
        };
        const auto leave = [](void* argument) {
            auto* g = static_cast<Guard*>(argument);
            g->inside -= 1;
            g->calls += 1;
        };
        ACL_OK(aclrtLaunchHostFunc(capturing, enter, guard));
        ACL_OK(aclrtLaunchHostFunc(capturing, leave, guard));
    });
    for (int round = 0; round < 5; ++round)
        for (const auto& stream : streams) ACL_OK(aclmdlRIExecuteAsync(graph, *stream));
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(guard->overlaps, 0);
    EXPECT_EQ(guard->calls, 20);
}

TEST_F(GraphRun, ARunWaitsForThePreviousOne) {
    const Stream first, second;
    Log log;
    const Graph graph = Capture(first, [&] { ACL_OK(log.Append(first, 1)); });
    ExpectARunWaitsForTheOneBefore(graph, first, second, log);
}

// A run that is dropped with its stream blocks no other run.
TEST_F(GraphRun, DroppedRunsBlockNoOtherRun) {
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: a driver drops nothing that is queued";
    Stream first;
    const Stream second;
    Log log;
    Gate gate;
    const Graph graph = Capture(first, [&] { ACL_OK(log.Append(first, 1)); });
    ACL_OK(gate.Hold(first));
    ASSERT_TRUE(gate.AwaitArrival());
    ACL_OK(aclmdlRIExecuteAsync(graph, first));
    ACL_OK(aclmdlRIExecuteAsync(graph, second));
    ACL_OK(aclrtStreamAbort(first));
    ACL_OK(aclrtSynchronizeStream(second));
    EXPECT_EQ(log.Size(), 1u);
    ACL_OK(aclmdlRIExecuteAsync(graph, first));
    ACL_OK(aclmdlRIExecuteAsync(graph, second));
    ACL_OK(aclrtDestroyStreamForce(first.Release()));
    ACL_OK(aclrtSynchronizeStream(second));
    EXPECT_EQ(log.Size(), 2u);
    gate.Open();
}

// ---- lifetime ----

TEST_F(GraphRun, RunningGraphsAreNotDestroyed) {
    const Stream stream;
    Gate gate;
    const DeviceMemory memory(64);
    Graph graph = Capture(stream, [&] { ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, stream)); });
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_FAILS_SAYING(ACL_ERROR_RT_MODEL_RUNNING, aclmdlRIDestroy(graph), Shown(graph));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    aclmdlRI handle = graph.Release();
    ACL_OK(aclmdlRIDestroy(handle));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIDestroy(handle), Shown(handle), "destroyed");
}

TEST_F(GraphRun, FreedMemoryIsDetected) {
    const Stream stream;
    DeviceMemory memory(1 << 20);
    const Graph graph = Capture(stream, [&] { ACL_OK(aclrtMemsetAsync(memory.At(64), 64, 1, 64, stream)); });
    // Memory that is freed afterwards stays allocated for the run.
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    void* address = memory.Release();
    ACL_OK(aclrtFree(address));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIExecuteAsync(graph, stream), Shown(address), "freed");
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIExecute(graph, -1));
}

TEST_F(GraphRun, AbortDropsTasksThatHaveNotBegun) {
    const Stream stream;
    Log log;
    Gate gate;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(gate.Hold(stream));
        ACL_OK(log.Append(stream, 1));
    });
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ASSERT_TRUE(gate.AwaitArrival());
    ACL_OK(aclmdlRIAbort(graph));
    gate.Open();
    ExpectAbortSkipsTheRest(graph, stream, log);
}

TEST_F(GraphRun, ARunMayHaveATimeout) {
    const Stream stream;
    Gate gate;
    const Graph graph = Capture(stream, [&] { ACL_OK(gate.Hold(stream)); });
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclmdlRIExecute(graph, 20), "20 ms");
    gate.Open();
    ACL_OK(aclmdlRIExecute(graph, 30000));
    for (int timeout : {0, -2, -2147483647 - 1})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIExecute(graph, timeout),
                         "timeout is " + std::to_string(timeout));
}

// ---- arguments ----

TEST_F(GraphRun, ArgumentsAreChecked) {
    const Stream stream;
    Graph graph = Capture(stream, [] {});
    aclmdlRI dead = graph.Release();
    ACL_OK(aclmdlRIDestroy(dead));
    int local = 0;
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIExecute(nullptr, -1));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIExecuteAsync(nullptr, stream));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIAbort(nullptr));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIDestroy(nullptr));
    for (aclmdlRI bad : {dead, static_cast<aclmdlRI>(static_cast<aclrtStream>(stream)), aclmdlRI{&local}}) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIExecute(bad, -1), Shown(bad));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIExecuteAsync(bad, stream), Shown(bad));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIAbort(bad), Shown(bad));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIDestroy(bad), Shown(bad));
    }
    const Graph live = Capture(stream, [] {});
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIExecuteAsync(live, aclrtStream{&local}));
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRIExecute(live, -1));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRIExecuteAsync(live, stream));
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(aclmdlRIExecuteAsync(live, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclrtResetDevice(0));
    });
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    ACL_FAILS(ACL_ERROR_RT_STREAM_CONTEXT, aclmdlRIExecuteAsync(live, nullptr));
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(GraphRun, RefusedInsideAHostFunction) {
    struct GraphCalls {
        aclmdlRI graph;
        aclError codes[4];
    };
    const Stream stream, other;
    const Graph graph = Capture(other, [] {});
    GraphCalls state{graph, {0, 0, 0, 0}};
    ACL_OK(aclrtLaunchHostFunc(
        stream,
        [](void* argument) {
            auto* s = static_cast<GraphCalls*>(argument);
            s->codes[0] = aclmdlRIExecuteAsync(s->graph, nullptr);
            s->codes[1] = aclmdlRIExecute(s->graph, -1);
            s->codes[2] = aclmdlRIAbort(s->graph);
            s->codes[3] = aclmdlRIDestroy(s->graph);
        },
        &state));
    ACL_OK(aclrtSynchronizeStream(stream));
    for (aclError code : state.codes) EXPECT_EQ(code, ACL_ERROR_RT_PARAM_INVALID);
}

TEST(GraphTeardown, GraphsEndWithTheirDevice) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    aclmdlRI graph = Capture(stream, [] {}).Release();
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIAbort(graph), "released with its device");
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRIExecuteAsync(graph, nullptr));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIAbort(graph));
    ACL_DESTROYS_LATE(aclmdlRIDestroy(graph));
}

}  // namespace

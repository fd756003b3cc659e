// Task groups: how a graph changes between its runs and during them, and in which order.
// graph_group_arguments_test.cpp tests what is refused.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "graph/group/graph_group.h"
#include "support/acl_test.h"
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/stream/external_event.h"

namespace {

using namespace portacl_test;
using Words = std::vector<uint32_t>;

TEST_F(GraphGroup, EveryKindOfTaskCanChange) {
    const Program program;
    const Stream stream, updater;
    const DeviceMemory a(kSize), rows(kSize);
    const ZeroWords sum(16), marked(16);
    const Words ones(16, 1), twos(16, 2);
    const DeviceMemory one(ones), two(twos);
    const PinnedMemory first(kSize, 3), second(kSize, 4);
    Log log;
    const auto mark = program.Kernel("mark");
    const auto work = [&](aclrtStream to, const PinnedMemory& in, int value, size_t width, const DeviceMemory& addend,
                          uint32_t number) {
        ACL_OK(aclrtMemcpyAsync(a.At(), kSize, in.At(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, to));
        ACL_OK(aclrtMemcpy2dAsync(rows.At(), 32, in.At(), 16, width, 8, ACL_MEMCPY_HOST_TO_DEVICE, to));
        ACL_OK(aclrtMemsetAsync(a.At(128), 128, value, 64, to));
        ACL_OK(aclrtReduceAsync(sum.At(), addend.At(), 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, to, nullptr));
        ACL_OK(Mark(mark, marked.At(), number, 16, to));
        ACL_OK(log.Append(to, static_cast<int>(number)));
    };
    aclrtTaskGrp group = nullptr;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtMemsetAsync(rows.At(), kSize, 0, kSize, stream));
        group = Group(stream, [&] { work(stream, first, 9, 16, one, 5); });
        ACL_OK(log.Append(stream, 0));
    });
    ASSERT_NE(group, nullptr);
    const auto check = [&](unsigned char in, unsigned char value, size_t width, uint32_t summed, uint32_t number) {
        ACL_OK(aclmdlRIExecute(graph, -1));
        std::vector<unsigned char> wanted(kSize, in);
        std::fill(wanted.begin() + 128, wanted.begin() + 192, value);
        EXPECT_EQ(a.Download(), wanted);
        const auto copied = rows.Download();
        for (size_t i = 0; i < kSize; ++i) ASSERT_EQ(copied[i], i % 32 < width ? in : 0) << i;
        EXPECT_EQ(sum.Download<uint32_t>(), Words(16, summed));
        EXPECT_EQ(marked.Download<uint32_t>(), Words(16, number));
    };
    check(3, 9, 16, 1, 5);
    check(3, 9, 16, 2, 10);
    Change(updater, group, [&] { work(updater, second, 11, 4, two, 7); });
    ACL_OK(aclrtSynchronizeStream(updater));
    check(4, 11, 4, 4, 17);
    check(4, 11, 4, 6, 24);
    EXPECT_EQ(log.Numbers(), (std::vector<int>{5, 0, 5, 0, 7, 0, 7, 0}));
    // Nothing of the change ran, and the stream runs later work again.
    ACL_OK(log.Append(updater, 1));
    ACL_OK(aclrtSynchronizeStream(updater));
    EXPECT_EQ(log.Size(), 9u);
}

// A change is an operation of its stream: of two runs in that stream, one before and one after it,
// it changes the later one.
TEST_F(GraphGroup, RunsBeforeAChangeAreNotChanged) {
    const Stream stream;
    const PinnedMemory out(2, 0);
    aclrtTaskGrp group = nullptr;
    const Graph graph = FillGraph(stream, 1, &group);
    const auto run = [&](size_t place) {
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtMemcpyAsync(out.At(place), 1, memory_, 1, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    };
    for (int round = 0; round < 3; ++round) {
        Gate gate;
        ACL_OK(gate.Hold(stream));
        run(0);
        Change(stream, group, [&] { ACL_OK(Fill(stream, round + 2)); });
        run(1);
        gate.Open();
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(out.Copy(), (std::vector<unsigned char>{static_cast<unsigned char>(round + 1),
                                                          static_cast<unsigned char>(round + 2)}));
    }
}

// As programs with many layers use it: the graph waits for an event before each group. While it
// runs, another stream changes it layer by layer.
TEST_F(GraphGroup, ARunIsChangedWhileItWaits) {
    NEEDS_QUEUES(2);
    constexpr size_t kLayers = 5;
    const Program program;
    const Stream stream, updater;
    const auto mark = program.Kernel("mark");
    std::vector<std::unique_ptr<ExternalEvent>> events;
    for (size_t i = 0; i < kLayers; ++i) events.push_back(std::make_unique<ExternalEvent>());
    const ZeroWords words(kLayers), unchanged(kLayers);
    std::vector<aclrtTaskGrp> groups;
    const Graph graph = Capture(stream, [&] {
        for (size_t i = 0; i < kLayers; ++i) {
            ACL_OK(Mark(mark, unchanged.At(4 * i), 1, 1, stream));
            ACL_OK(aclrtStreamWaitEvent(stream, *events[i]));
            ACL_OK(aclrtResetEvent(*events[i], stream));
            groups.push_back(Group(stream, [&] { ACL_OK(Mark(mark, words.At(4 * i), 1000, 1, stream)); }));
        }
    });
    Words wanted(kLayers);
    for (uint32_t run = 1; run <= 4; ++run) {
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        for (size_t i = 0; i < kLayers; ++i) {
            const auto number = static_cast<uint32_t>(run * 10 + i);
            Change(updater, groups[i], [&] { ACL_OK(Mark(mark, words.At(4 * i), number, 1, updater)); });
            ACL_OK(aclrtRecordEvent(*events[i], updater));
            wanted[i] += number;
        }
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(words.Download<uint32_t>(), wanted);
        EXPECT_EQ(unchanged.Download<uint32_t>(), Words(kLayers, run));
    }
}

// The streams of the library share no hardware queue with the stream of a run, whichever it gets.
TEST_F(GraphGroup, RunsEndBesideAnyNumberOfStreams) {
    const Stream stream;
    std::vector<Graph> graphs;
    for (int i = 1; i <= 8; ++i) {
        aclrtTaskGrp group = nullptr;
        graphs.push_back(FillGraph(stream, i, &group));
        ACL_OK(aclmdlRIExecuteAsync(graphs.back(), stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(Byte(), i);
    }
}

TEST_F(GraphGroup, ADifferentTopologyIsRefused) {
    const Stream stream, updater;
    const DeviceMemory other(kSize);
    aclrtTaskGrp group = nullptr;
    const Graph graph = Capture(stream, [&] {
        group = Group(stream, [&] {
            ACL_OK(Fill(stream, 1));
            ACL_OK(aclrtMemcpyAsync(other.At(), 8, memory_, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        });
    });
    const auto fill = [&] { ACL_OK(Fill(updater, 2)); };
    const auto copy = [&] {
        ACL_OK(aclrtMemcpyAsync(other.At(), 8, memory_, 8, ACL_MEMCPY_DEVICE_TO_DEVICE, updater));
    };
    const auto rows = [&] {
        ACL_OK(aclrtMemcpy2dAsync(other.At(), 8, memory_, 8, 4, 2, ACL_MEMCPY_DEVICE_TO_DEVICE, updater));
    };
    Begin(updater, group, [] {});
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureTaskUpdateEnd(updater), "0 operations", "2", "is unchanged");
    Begin(updater, group, fill);
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureTaskUpdateEnd(updater), "1 operation", "2", "is unchanged");
    Begin(updater, group, [&] { fill(), copy(), copy(); });
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureTaskUpdateEnd(updater), "3 operations", "2", "is unchanged");
    Begin(updater, group, [&] { copy(), fill(); });
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureTaskUpdateEnd(updater), "operation 0", "a copy", "a fill", "is unchanged");
    Begin(updater, group, [&] { fill(), rows(); });
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureTaskUpdateEnd(updater), "operation 1", "a copy_2d", "a copy",
                     "is unchanged");
    ACL_OK(aclrtSynchronizeStream(updater));
    EXPECT_EQ(Byte(), 0);
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(Byte(), 1);
    Change(updater, group, [&] {
        fill();
        copy();
    });
    ACL_OK(aclrtSynchronizeStream(updater));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(Byte(), 2);
}

// Events, values, notifies and graphs cannot be part of a change. Such a change has no effect.
TEST_F(GraphGroup, UnsupportedTasksAreRefused) {
    const Stream stream, updater;
    const Event event;
    aclrtTaskGrp group = nullptr;
    const Graph graph = FillGraph(stream, 1, &group);
    const Graph other = Capture(stream, [] {});
    const DeviceMemory value(8);
    struct UpdaterCall {
        const char* name;
        aclError code;
        std::function<aclError()> call;
    };
    const std::vector<UpdaterCall> cases = {
        {"aclrtRecordEvent", kDead, [&] { return aclrtRecordEvent(event, updater); }},
        {"aclrtStreamWaitEvent", kDead, [&] { return aclrtStreamWaitEvent(updater, event); }},
        {"aclmdlRIExecuteAsync", kDead, [&] { return aclmdlRIExecuteAsync(other, updater); }},
        {"aclrtValueWrite", ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
         [&] { return aclrtValueWrite(value.At(), 1, 0, updater); }},
    };
    for (const UpdaterCall& c : cases) {
        SCOPED_TRACE(c.name);
        Begin(updater, group, [&] {
            EXPECT_TRUE(Failed(c.name, c.call(), c.code));
            ACL_OK(Fill(updater, 7));
        });
        ACL_FAILS_SAYING(kDead, aclmdlRICaptureTaskUpdateEnd(updater), "do not support", "is unchanged");
    }
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(Byte(), 1);
    // In the capture they are outside the group, or invalidate the capture.
    ACL_OK(aclmdlRICaptureBegin(stream, kGlobal));
    ACL_OK(aclmdlRICaptureTaskGrpBegin(stream));
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtValueWrite(value.At(), 1, 0, stream), "task group");
    EndInvalid(stream);
}

// Records and waits in a group keep their place in the graph's order, and do not change.
TEST_F(GraphGroup, EventsInAGroupOrderIt) {
    const Stream stream, branch, updater;
    const Event fork(ACL_EVENT_SYNC), join(ACL_EVENT_SYNC);
    Log log;
    aclrtTaskGrp group = nullptr;
    const Graph graph = Capture(stream, [&] {
        group = Group(stream, [&] {
            ACL_OK(log.Append(stream, 1));
            ACL_OK(aclrtRecordEvent(fork, stream));
            ACL_OK(aclrtStreamWaitEvent(branch, fork));
            ACL_OK(log.Append(branch, 2));
            ACL_OK(aclrtRecordEvent(join, branch));
            ACL_OK(aclrtStreamWaitEvent(stream, join));
            ACL_OK(log.Append(stream, 3));
        });
    });
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 2, 3}));
    Change(updater, group, [&] {
        ACL_OK(log.Append(updater, 4));
        ACL_OK(log.Append(updater, 5));
    });
    ACL_OK(aclrtSynchronizeStream(updater));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 2, 3, 4, 2, 5}));
}

TEST_F(GraphGroup, EmptyGroups) {
    const Stream stream;
    aclrtTaskGrp group = nullptr;
    const Graph graph = Capture(stream, [&] { group = Group(stream, [] {}); });
    Change(stream, group, [] {});
    Begin(stream, group, [&] { ACL_OK(Fill(stream, 1)); });
    ACL_FAILS(kDead, aclmdlRICaptureTaskUpdateEnd(stream));
    ACL_OK(aclmdlRIExecute(graph, -1));
}

TEST_F(GraphGroup, ADroppedChangeHasNoEffect) {
    const Stream stream, updater;
    aclrtTaskGrp group = nullptr;
    const Graph graph = FillGraph(stream, 1, &group);
    Gate gate;
    ACL_OK(gate.Hold(updater));
    ASSERT_TRUE(gate.AwaitArrival());
    Change(updater, group, [&] { ACL_OK(Fill(updater, 2)); });
    ACL_OK(aclrtStreamAbort(updater));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(updater));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(Byte(), 1);
}

// A nested graph does what its groups do when it is nested.
TEST_F(GraphGroup, NestedGraphsKeepTheirCurrentGroups) {
    const Stream stream;
    aclrtTaskGrp group = nullptr;
    const Graph inner = FillGraph(stream, 1, &group);
    Change(stream, group, [&] { ACL_OK(Fill(stream, 2)); });
    ACL_OK(aclrtSynchronizeStream(stream));
    const Graph outer = Capture(stream, [&] { ACL_OK(aclmdlRIExecuteAsync(inner, stream)); });
    Change(stream, group, [&] { ACL_OK(Fill(stream, 3)); });
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclmdlRIExecute(outer, -1));
    EXPECT_EQ(Byte(), 2);
    ACL_OK(aclmdlRIExecute(inner, -1));
    EXPECT_EQ(Byte(), 3);
}

// Runs of one graph are serialized, whatever their streams.
TEST_F(GraphGroup, RunsDoNotOverlap) {
    const Stream first, second;
    Log log;
    Gate gate;
    const Graph graph = Capture(first, [&] {
        ACL_OK(log.Append(first, 1));
        Group(first, [&] { ACL_OK(gate.Hold(first)); });
        ACL_OK(log.Append(first, 2));
    });
    ACL_OK(aclmdlRIExecuteAsync(graph, first));
    ACL_OK(aclmdlRIExecuteAsync(graph, second));
    ASSERT_TRUE(gate.AwaitArrival());
    ACL_FAILS(ACL_ERROR_RT_MODEL_RUNNING, aclmdlRIDestroy(graph));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1}));
    gate.Open();
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 2, 1, 2}));
}

// Memory of a group may be freed after the group names other memory, also while an earlier run is
// pending.
TEST_F(GraphGroup, FreedMemoryIsDetectedWhenTheTaskRuns) {
    NEEDS_QUEUES(2);
    const Stream stream, updater;
    const ExternalEvent event;
    DeviceMemory gone(kSize);
    aclrtTaskGrp group = nullptr;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtStreamWaitEvent(stream, event));
        ACL_OK(aclrtResetEvent(event, stream));
        group = Group(stream, [&] { ACL_OK(aclrtMemsetAsync(gone.At(), kSize, 1, kSize, stream)); });
    });
    void* address = gone.Release();
    ACL_OK(aclrtFree(address));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtRecordEvent(event, updater));
    ACL_FAILS_SAYING(kDead, aclrtSynchronizeStream(stream), "task group", Shown(address), "freed");
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    Change(updater, group, [&] { ACL_OK(Fill(updater, 6)); });
    ACL_OK(aclrtRecordEvent(event, updater));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(Byte(), 6);
}

TEST_F(GraphGroup, StreamsMayBeDestroyedDuringAChange) {
    Stream updater;
    const Stream stream;
    aclrtTaskGrp group = nullptr;
    const Graph graph = FillGraph(stream, 1, &group);
    ACL_OK(aclmdlRICaptureTaskUpdateBegin(updater, group));
    ACL_OK(Fill(updater, 3));
    // Destroying the stream does not drop the change silently.
    ACL_FAILS_SAYING(kDead, aclrtDestroyStream(updater), Shown(updater), "aclmdlRICaptureTaskUpdateEnd",
                     "aclrtDestroyStreamForce");
    ACL_OK(aclrtDestroyStreamForce(updater.Release()));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(Byte(), 1);
    Change(stream, group, [&] { ACL_OK(Fill(stream, 2)); });
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(Byte(), 2);
}

TEST_F(GraphGroup, GroupsBelongToTheirDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    const Stream stream;
    aclrtTaskGrp group = nullptr;
    const Graph graph = FillGraph(stream, 1, &group);
    ACL_OK(aclrtSetDevice(1));
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclmdlRICaptureTaskUpdateBegin(nullptr, group), Shown(group),
                     "on device 0", "on device 1");
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
}

TEST(GraphGroupTeardown, GroupsEndWithTheirDevice) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    void* memory = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    aclrtTaskGrp group = nullptr;
    const auto fill = [&] { ACL_OK(aclrtMemsetAsync(memory, 64, 1, 64, stream)); };
    aclmdlRI graph = Capture(stream, [&] { group = Group(stream, fill); }).Release();
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    Change(stream, group, fill);
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(kDead, aclmdlRICaptureTaskUpdateBegin(nullptr, group));
    ACL_OK(aclFinalize());
    ACL_FAILS(kDead, aclmdlRICaptureTaskUpdateBegin(stream, group));
    ACL_FAILS(kDead, aclmdlRICaptureTaskUpdateEnd(stream));
    ACL_FAILS(kDead, aclmdlRICaptureTaskGrpBegin(stream));
    ACL_FAILS(kDead, aclmdlRICaptureTaskGrpEnd(stream, &group));
}

}  // namespace

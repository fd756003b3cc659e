// Control flow in built graphs: labels to jump to, and streams that start other streams.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/graph/build.h"
#include "support/graph/control.h"
#include "support/graph/run.h"
#include "support/objects.h"
#include "support/says.h"

namespace {

using namespace portacl_test;

using Numbers = std::vector<int>;
using Words = std::vector<uint32_t>;

using GraphControl = WithDevice;

// ---- labels ----

TEST_F(GraphControl, AnIndexInMemoryChoosesTheLabel) {
    const Persistent stream;
    const Stream running;
    const Number index, taken;
    Label first, second, third;
    LabelList list({first, second, third});
    Log log;
    const Built graph;
    graph.Bind(stream);
    ACL_OK(log.Append(stream, 0));
    ACL_OK(aclrtSwitchLabelByIndex(index.At(), 3, list, stream));
    ACL_OK(log.Append(stream, 9));  // never reached
    const aclrtLabel labels[] = {first, second, third};
    for (int i = 0; i < 3; ++i) {
        ACL_OK(aclrtSetLabel(labels[i], stream));
        ACL_OK(taken.Write(static_cast<uint32_t>(10 + i), stream));
        ACL_OK(log.Append(stream, 1 + i));
        ACL_OK(aclmdlRIEndTask(graph, stream));
    }
    ACL_OK(aclmdlRIBuildEnd(graph, nullptr));
    // The graph does not need the labels any more.
    ACL_OK(aclrtDestroyLabelList(list.Release()));
    ACL_OK(aclrtDestroyLabel(first.Release()));
    Numbers wanted;
    const std::vector<std::pair<int32_t, int>> choices = {{1, 1}, {0, 0}, {2, 2}, {3, 2}, {-1, 2}};
    for (const auto& [number, label] : choices) {
        index.Set(number);
        ACL_OK(aclmdlRIExecuteAsync(graph, running));
        ACL_OK(aclrtSynchronizeStream(running));
        EXPECT_EQ(taken.Get(), 10 + label);
        wanted.insert(wanted.end(), {0, 1 + label});
        EXPECT_EQ(log.Numbers(), wanted);
    }
}

TEST_F(GraphControl, LabelsMakeLoops) {
    const Persistent stream;
    const Number index, count, one(1);
    const Label again, done;
    const LabelList list({again, done});
    struct Host {
        int32_t left = 0, index = 0;
    };
    auto* host = MakeImmortal<Host>();
    const Built graph;
    graph.Bind(stream);
    ACL_OK(aclrtSetLabel(again, stream));
    ACL_OK(count.Add(one, stream));
    ACL_OK(aclrtLaunchHostFunc(
        stream,
        [](void* argument) {
            auto* it = static_cast<Host*>(argument);
            it->left -= 1;
            it->index = it->left > 0 ? 0 : 1;
        },
        host));
    ACL_OK(aclrtMemcpyAsync(index.At(), 4, &host->index, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL_OK(aclrtSwitchLabelByIndex(index.At(), 2, list, stream));
    ACL_OK(aclrtSetLabel(done, stream));
    graph.End(stream);
    int total = 0;
    for (int rounds : {1, 2, 25}) {
        host->left = rounds;
        total += rounds;
        ACL_OK(aclmdlRIExecute(graph, -1));
        EXPECT_EQ(host->left, 0);
        EXPECT_EQ(count.Get(), total);
    }
}

// ---- streams ----

TEST_F(GraphControl, EveryConditionAndType) {
    constexpr int64_t kWide = int64_t{1} << 32;
    const Persistent head, yes, no;
    const DeviceMemory left(8), right(8);
    const Number taken;
    const std::vector<std::pair<int64_t, int64_t>> pairs = {{0, 0},  {1, 2},   {2, 1},     {-1, 1},
                                                            {1, -1}, {-2, -1}, {kWide, 1}, {1, -kWide}};
    const auto holds = [](int condition, int64_t a, int64_t b) {
        const bool all[] = {a == b, a != b, a > b, a >= b, a < b, a <= b};
        return all[condition];
    };
    for (int type = 0; type < 2; ++type)
        for (int condition = 0; condition < 6; ++condition) {
            SCOPED_TRACE("type " + std::to_string(type) + ", condition " + std::to_string(condition));
            const Built graph;
            graph.Bind(head);
            graph.Bind(yes, kDefault);
            graph.Bind(no, kDefault);
            ACL_OK(aclrtSwitchStream(left.At(), static_cast<aclrtCondition>(condition), right.At(),
                                     static_cast<aclrtCompareDataType>(type), yes, no, head));
            ACL_OK(taken.Write(3, head));  // never reached
            ACL_OK(taken.Write(1, yes));
            ACL_OK(aclmdlRIEndTask(graph, yes));
            ACL_OK(taken.Write(2, no));
            ACL_OK(aclmdlRIEndTask(graph, no));
            ACL_OK(aclmdlRIBuildEnd(graph, nullptr));
            for (const auto& [a, b] : pairs) {
                ACL_OK(aclrtMemcpy(left.At(), 8, &a, 8, ACL_MEMCPY_HOST_TO_DEVICE));
                ACL_OK(aclrtMemcpy(right.At(), 8, &b, 8, ACL_MEMCPY_HOST_TO_DEVICE));
                ACL_OK(aclmdlRIExecute(graph, -1));
                const bool is_wide = type == ACL_RT_SWITCH_INT64;
                const bool wanted = is_wide ? holds(condition, a, b)
                                            : holds(condition, static_cast<int32_t>(a), static_cast<int32_t>(b));
                EXPECT_EQ(taken.Get(), wanted ? 1 : 2) << a << " and " << b;
            }
        }
}

TEST_F(GraphControl, AStreamMayRestartItself) {
    const Persistent stream;
    const Number count, one(1), limit(40);
    const Built graph;
    BuildLoop(graph, stream, count, one, limit);
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(count.Get(), 40);
    // Each run starts it once at the beginning.
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(count.Get(), 41);
}

// As GraphCondition.RunsEndBesideAnyNumberOfStreams.
TEST_F(GraphControl, RunsEndBesideAnyNumberOfStreams) {
    struct Loop {
        Persistent stream;
        Number count, one{1}, limit{3};
        Built graph;

        Loop() { BuildLoop(graph, stream, count, one, limit); }
    };
    const Stream running;
    std::vector<std::unique_ptr<Loop>> loops;
    std::vector<std::unique_ptr<Stream>> others;
    for (int i = 0; i < 16; ++i) {
        loops.push_back(std::make_unique<Loop>());
        ACL_OK(aclmdlRIExecuteAsync(loops.back()->graph, running));
        ACL_OK(aclrtSynchronizeStream(running));
        EXPECT_EQ(loops.back()->count.Get(), 3);
        if (i >= 8) others.push_back(std::make_unique<Stream>());
    }
}

TEST_F(GraphControl, StartedStreamsAreOrderedAfterTheTaskThatStartsThem) {
    const Persistent head, other;
    const Stream running;
    const Number sum, one(1), ten(10), snapshot;
    Log log;
    const Built graph;
    graph.Bind(head);
    graph.Bind(other, kDefault);
    ACL_OK(sum.Write(0, head));
    ACL_OK(sum.Add(one, head));
    ACL_OK(log.Append(head, 1));
    ACL_OK(aclrtActiveStream(other, head));
    ACL_OK(sum.Add(ten, other));
    ACL_OK(log.Append(other, 2));
    ACL_OK(aclmdlRIEndTask(graph, other));
    ACL_OK(aclmdlRIBuildEnd(graph, nullptr));
    for (int run = 0; run < 20; ++run) {
        ACL_OK(aclmdlRIExecuteAsync(graph, running));
        // The run is complete when the other stream is.
        ACL_OK(aclrtMemcpyAsync(snapshot.At(), 4, sum.At(), 4, ACL_MEMCPY_DEVICE_TO_DEVICE, running));
        ACL_OK(aclrtSynchronizeStream(running));
        EXPECT_EQ(snapshot.Get(), 11);
    }
    Numbers wanted;
    for (int run = 0; run < 20; ++run) wanted.insert(wanted.end(), {1, 2});
    EXPECT_EQ(log.Numbers(), wanted);
}

// A stream that is started while it runs is run again when it ends.
TEST_F(GraphControl, EveryStartCounts) {
    const Persistent head, other;
    const Number count, one(1);
    const Built graph;
    graph.Bind(head);
    graph.Bind(other, kDefault);
    for (int i = 0; i < 5; ++i) ACL_OK(aclrtActiveStream(other, head));
    ACL_OK(count.Add(one, other));
    graph.End(head);
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(count.Get(), 5);
}

TEST_F(GraphControl, EventsOrderStreamsWithSwitches) {
    const Persistent left, right;
    const Event ready(ACL_EVENT_SYNC), done(ACL_EVENT_SYNC);
    const Number a, b, zero, seen;
    const Label end;
    const LabelList list({end});
    const Built graph;
    graph.Bind(left);
    graph.Bind(right);
    ACL_OK(a.Write(7, left));
    ACL_OK(aclrtSwitchLabelByIndex(zero.At(), 1, list, left));
    ACL_OK(aclrtSetLabel(end, left));
    ACL_OK(aclrtRecordEvent(ready, left));
    ACL_OK(aclrtStreamWaitEvent(right, ready));
    ACL_OK(aclrtMemcpyAsync(b.At(), 4, a.At(), 4, ACL_MEMCPY_DEVICE_TO_DEVICE, right));
    ACL_OK(aclrtRecordEvent(done, right));
    ACL_OK(aclrtStreamWaitEvent(left, done));
    ACL_OK(aclrtMemcpyAsync(seen.At(), 4, b.At(), 4, ACL_MEMCPY_DEVICE_TO_DEVICE, left));
    ACL_OK(a.Write(0, left));
    graph.End(left);
    for (int run = 0; run < 10; ++run) {
        b.Set(-1);
        seen.Set(-1);
        ACL_OK(aclmdlRIExecute(graph, -1));
        ASSERT_EQ(seen.Get(), 7);
        ASSERT_EQ(a.Get(), 0);
    }
}

// ---- runs ----

TEST_F(GraphControl, RunsAreSerialized) {
    NEEDS_QUEUES(2);
    const Persistent inner;
    const Stream first, second;
    const Number count, one(1), limit(1000000);
    Log log;
    const Built graph;
    graph.Bind(inner);
    ACL_OK(count.Add(one, inner));
    ACL_OK(Switch(count, ACL_RT_GREATER, limit, inner, nullptr, inner));
    ACL_OK(log.Append(inner, 1));
    graph.End(inner);
    ExpectARunWaitsForTheOneBefore(graph, first, second, log);
    for (int run = 0; run < 30; ++run) ACL_OK(aclmdlRIExecuteAsync(graph, run % 2 ? first : second));
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(count.Get(), 32);
}

// A run that waits in a host function does not block other runs.
TEST_F(GraphControl, ManyProgramsRunAtTheSameTime) {
    NEEDS_QUEUES(8);
    const size_t kCount = SharesQueues() ? kMostHeld : 6;
    const Number one(1), limit(10);
    std::vector<std::unique_ptr<Persistent>> inner;
    std::vector<std::unique_ptr<Stream>> streams;
    std::vector<std::unique_ptr<Number>> counts;
    std::vector<std::unique_ptr<Built>> graphs;
    std::vector<std::unique_ptr<Gate>> gates;
    for (size_t i = 0; i < kCount; ++i) {
        inner.push_back(std::make_unique<Persistent>());
        streams.push_back(std::make_unique<Stream>());
        counts.push_back(std::make_unique<Number>());
        graphs.push_back(std::make_unique<Built>());
        gates.push_back(std::make_unique<Gate>());
        graphs[i]->Bind(*inner[i]);
        ACL_OK(gates[i]->Hold(*inner[i]));
        ACL_OK(counts[i]->Add(one, *inner[i]));
        ACL_OK(Switch(*counts[i], ACL_RT_LESS, limit, *inner[i], nullptr, *inner[i]));
        graphs[i]->End(*inner[i]);
        ACL_OK(aclmdlRIExecuteAsync(*graphs[i], *streams[i]));
    }
    for (size_t i = kCount; i-- > 0;) {
        ASSERT_TRUE(gates[i]->AwaitArrival());
        gates[i]->Open();
        ACL_OK(aclrtSynchronizeStream(*streams[i]));
        EXPECT_EQ(counts[i]->Get(), 10);
    }
}

TEST_F(GraphControl, FreedMemoryStaysAllocatedDuringTheRun) {
    const Persistent inner;
    const Stream running;
    const Number count, one(1), limit(5);
    DeviceMemory memory(1 << 20), result(1 << 20);
    Gate gate;
    const Built graph;
    graph.Bind(inner);
    ACL_OK(gate.Hold(inner));
    ACL_OK(aclrtMemsetAsync(memory.At(), 1 << 20, 6, 1 << 20, inner));
    ACL_OK(count.Add(one, inner));
    ACL_OK(aclrtMemcpyAsync(result.At(), 1 << 20, memory.At(), 1 << 20, ACL_MEMCPY_DEVICE_TO_DEVICE, inner));
    ACL_OK(Switch(count, ACL_RT_LESS, limit, inner, nullptr, inner));
    graph.End(inner);
    ACL_OK(aclmdlRIExecuteAsync(graph, running));
    ASSERT_TRUE(gate.AwaitArrival());
    ACL_OK(aclrtFree(memory.Release()));
    // The memory is not allocated again.
    const DeviceMemory other(std::vector<unsigned char>(1 << 20, 1));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(running));
    EXPECT_EQ(other.Download(), std::vector<unsigned char>(1 << 20, 1));
    EXPECT_EQ(result.Download(), std::vector<unsigned char>(1 << 20, 6));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIExecuteAsync(graph, running), "freed");
}

}  // namespace

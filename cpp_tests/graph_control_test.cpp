// Control flow in graphs that are built: labels to jump to, and streams that start others.
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/acl_test.h"
#include "support/fault.h"
#include "support/gate.h"
#include "support/graph.h"
#include "support/graph_build.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using portacl_test::Built;
using portacl_test::DeviceCount;
using portacl_test::DeviceMemory;
using portacl_test::Event;
using portacl_test::Gate;
using portacl_test::IsIdle;
using portacl_test::IsPoison;
using portacl_test::kDefault;
using portacl_test::kHead;
using portacl_test::Label;
using portacl_test::LabelList;
using portacl_test::Log;
using portacl_test::OnNewThread;
using portacl_test::Persistent;
using portacl_test::Poison;
using portacl_test::Shown;
using portacl_test::Stream;
using Numbers = std::vector<int>;
using Words = std::vector<uint32_t>;

using GraphControl = portacl_test::WithDevice;

// A number of 32 bits in device memory.
class Number {
  public:
    explicit Number(int32_t value = 0) : memory_(std::vector<int32_t>(8, value)) {}
    void* At() const { return memory_.At(); }
    int32_t Get() const { return memory_.Download<int32_t>()[0]; }
    void Set(int32_t value) const {
        ACL_EXPECT_OK(aclrtMemcpy(At(), 4, &value, 4, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    // Adds `other`, in a stream.
    aclError Add(const Number& other, aclrtStream stream) const {
        return aclrtReduceAsync(At(), other.At(), 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32,
                                stream, nullptr);
    }
    // Sets it, in a stream.
    aclError Write(uint32_t value, aclrtStream stream) const {
        return aclrtMemsetD32Async(At(), 4, value, 1, stream);
    }

  private:
    DeviceMemory memory_;
};

aclError Switch(const Number& left, aclrtCondition condition, const Number& right, aclrtStream then,
                aclrtStream otherwise, aclrtStream stream) {
    return aclrtSwitchStream(left.At(), condition, right.At(), ACL_RT_SWITCH_INT32, then, otherwise,
                             stream);
}

// Adds 1 to `count`, for as long as that is less than `limit`.
void BuildLoop(const Built& graph, aclrtStream stream, const Number& count, const Number& one,
               const Number& limit) {
    graph.Bind(stream);
    ACL_OK(count.Add(one, stream));
    ACL_OK(Switch(count, ACL_RT_LESS, limit, stream, nullptr, stream));
    graph.End(stream);
}

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
    ACL_OK(log.Append(stream, 9));  // nobody comes here
    const aclrtLabel labels[] = {first, second, third};
    for (int i = 0; i < 3; ++i) {
        ACL_OK(aclrtSetLabel(labels[i], stream));
        ACL_OK(taken.Write(static_cast<uint32_t>(10 + i), stream));
        ACL_OK(log.Append(stream, 1 + i));
        ACL_OK(aclmdlRIEndTask(graph, stream));
    }
    ACL_OK(aclmdlRIBuildEnd(graph, nullptr));
    // The graph does without them.
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
    auto* host = portacl_test::MakeImmortal<Host>();
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
    const std::vector<std::pair<int64_t, int64_t>> pairs = {
        {0, 0}, {1, 2}, {2, 1}, {-1, 1}, {1, -1}, {-2, -1}, {kWide, 1}, {1, -kWide}};
    const auto holds = [](int condition, int64_t a, int64_t b) {
        const bool all[] = {a == b, a != b, a > b, a >= b, a < b, a <= b};
        return all[condition];
    };
    for (int type = 0; type < 2; ++type)
        for (int condition = 0; condition < 6; ++condition) {
            SCOPED_TRACE("type " + std::to_string(type) + ", condition " +
                         std::to_string(condition));
            const Built graph;
            graph.Bind(head);
            graph.Bind(yes, kDefault);
            graph.Bind(no, kDefault);
            ACL_OK(aclrtSwitchStream(left.At(), static_cast<aclrtCondition>(condition), right.At(),
                                     static_cast<aclrtCompareDataType>(type), yes, no, head));
            ACL_OK(taken.Write(3, head));  // nobody comes here
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
                const bool wanted =
                    is_wide ? holds(condition, a, b)
                            : holds(condition, static_cast<int32_t>(a), static_cast<int32_t>(b));
                EXPECT_EQ(taken.Get(), wanted ? 1 : 2) << a << " and " << b;
            }
        }
}

TEST_F(GraphControl, AStreamMayStartItselfAgain) {
    const Persistent stream;
    const Number count, one(1), limit(40);
    const Built graph;
    BuildLoop(graph, stream, count, one, limit);
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(count.Get(), 40);
    // It is there from the beginning in each run.
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(count.Get(), 41);
}

TEST_F(GraphControl, StartedStreamsComeBehindWhatStartedThem) {
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
        // The run is over when the other stream is.
        ACL_OK(
            aclrtMemcpyAsync(snapshot.At(), 4, sum.At(), 4, ACL_MEMCPY_DEVICE_TO_DEVICE, running));
        ACL_OK(aclrtSynchronizeStream(running));
        EXPECT_EQ(snapshot.Get(), 11);
    }
    Numbers wanted;
    for (int run = 0; run < 20; ++run) wanted.insert(wanted.end(), {1, 2});
    EXPECT_EQ(log.Numbers(), wanted);
}

// A stream that is started while it runs begins again at its end.
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

TEST_F(GraphControl, EventsOrderStreamsThatChoose) {
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

TEST_F(GraphControl, RunsComeOneAfterTheOther) {
    const Persistent inner;
    const Stream first, second;
    const Number count, one(1), limit(1000000);
    Log log;
    Gate gate;
    const Built graph;
    graph.Bind(inner);
    ACL_OK(count.Add(one, inner));
    ACL_OK(Switch(count, ACL_RT_GREATER, limit, inner, nullptr, inner));
    ACL_OK(log.Append(inner, 1));
    graph.End(inner);
    ACL_OK(gate.Hold(first));
    ACL_OK(aclmdlRIExecuteAsync(graph, first));
    ACL_OK(aclmdlRIExecuteAsync(graph, second));
    ACL_OK(log.Append(second, 2));
    ASSERT_TRUE(gate.AwaitArrival());
    EXPECT_EQ(log.Size(), 0u);
    EXPECT_FALSE(IsIdle(second));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(second));
    EXPECT_EQ(log.Numbers(), (Numbers{1, 1, 2}));
    ACL_OK(aclrtSynchronizeStream(first));
    for (int run = 0; run < 30; ++run)
        ACL_OK(aclmdlRIExecuteAsync(graph, run % 2 ? first : second));
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(count.Get(), 32);
}

// A program that waits in a host function holds up no other one.
TEST_F(GraphControl, ManyProgramsRunAtTheSameTime) {
    constexpr int kCount = 6;
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

TEST_F(GraphControl, MemoryThatIsFreedStaysForTheRun) {
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
    ACL_OK(aclrtMemcpyAsync(result.At(), 1 << 20, memory.At(), 1 << 20, ACL_MEMCPY_DEVICE_TO_DEVICE,
                            inner));
    ACL_OK(Switch(count, ACL_RT_LESS, limit, inner, nullptr, inner));
    graph.End(inner);
    ACL_OK(aclmdlRIExecuteAsync(graph, running));
    ASSERT_TRUE(gate.AwaitArrival());
    ACL_OK(aclrtFree(memory.Release()));
    // It is not given to anybody else.
    const DeviceMemory other(std::vector<unsigned char>(1 << 20, 1));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(running));
    EXPECT_EQ(other.Download(), std::vector<unsigned char>(1 << 20, 1));
    EXPECT_EQ(result.Download(), std::vector<unsigned char>(1 << 20, 6));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIExecuteAsync(graph, running), "freed");
}

// ---- ends before the end ----

// A loop without an end.
struct Endless {
    Persistent inner;
    Number count, one{1}, zero;
    Built graph;

    Endless() {
        graph.Bind(inner);
        ACL_EXPECT_OK(count.Add(one, inner));
        ACL_EXPECT_OK(Switch(zero, ACL_RT_EQUAL, zero, inner, nullptr, inner));
        graph.End(inner);
    }

    // It has gone round more than once.
    void AwaitRounds() const {
        const int32_t before = count.Get();
        for (const auto deadline = std::chrono::steady_clock::now() + portacl_test::kPatience;
             count.Get() - before < 3;)
            ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    }
};

TEST_F(GraphControl, AbortEndsWhatHasNoEnd) {
    const Stream running;
    const Endless endless;
    ACL_OK(aclmdlRIExecuteAsync(endless.graph, running));
    ACL_OK(aclmdlRIExecuteAsync(endless.graph, running));
    endless.AwaitRounds();
    EXPECT_FALSE(IsIdle(running));
    ACL_FAILS_SAYING(ACL_ERROR_RT_MODEL_RUNNING, aclmdlRIDestroy(endless.graph),
                     Shown(endless.graph));
    ACL_OK(aclmdlRIAbort(endless.graph));
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStream(running), "aclmdlRIAbort");
    // It can be run again.
    ACL_OK(aclmdlRIExecuteAsync(endless.graph, running));
    endless.AwaitRounds();
    ACL_OK(aclmdlRIAbort(endless.graph));
    ACL_FAILS(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStream(running));
}

TEST_F(GraphControl, AbortOfTheStreamEndsItsRuns) {
    Stream running, waiting;
    const Endless endless;
    ACL_OK(aclmdlRIExecuteAsync(endless.graph, running));
    endless.AwaitRounds();
    // Its turn comes when the first one is dropped.
    ACL_OK(aclmdlRIExecuteAsync(endless.graph, waiting));
    ACL_OK(aclrtStreamAbort(running));
    endless.AwaitRounds();
    ACL_OK(aclrtDestroyStreamForce(waiting.Release()));
    ACL_OK(aclrtStreamAbort(running));
    ACL_OK(aclrtSynchronizeStream(running));
    Log log;
    ACL_OK(log.Append(running, 1));
    ACL_OK(aclrtSynchronizeStream(running));
    EXPECT_EQ(log.Size(), 1u);
    for (const auto deadline = std::chrono::steady_clock::now() + portacl_test::kPatience;;) {
        // The device may still have the last steps in hand.
        const aclError code = aclmdlRIUnbindStream(endless.graph, endless.inner);
        if (code == ACL_SUCCESS) break;
        ASSERT_EQ(code, ACL_ERROR_RT_MODEL_RUNNING);
        ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    }
}

TEST(GraphControlLife, ResetEndsWhatHasNoEnd) {
    for (int life = 0; life < 2; ++life) {
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        aclrtStream running = nullptr;
        ACL_OK(aclrtCreateStream(&running));
        auto* endless = new Endless;
        ACL_OK(aclmdlRIExecuteAsync(endless->graph, running));
        endless->AwaitRounds();
        if (life == 0) {
            ACL_FAILS(ACL_ERROR_RT_STREAM_ABORT, aclrtResetDevice(0));
            ACL_OK(aclFinalize());
        } else {
            ACL_FAILS(ACL_ERROR_RT_STREAM_ABORT, aclFinalize());
        }
        (void)endless->graph.Release();
        (void)endless->inner.Release();
        operator delete(endless);  // what it had is gone
    }
}

// ---- failures ----

TEST_F(GraphControl, AWaitForWhatNobodyRecordedEndsTheRun) {
    const Persistent left, right;
    const Stream running;
    const Event event(ACL_EVENT_SYNC);
    const Number zero;
    const Label over, before;
    const LabelList list({over});
    Log log;
    const Built graph;
    graph.Bind(left);
    graph.Bind(right);
    ACL_OK(aclrtSwitchLabelByIndex(zero.At(), 1, list, left));
    ACL_OK(aclrtRecordEvent(event, left));
    ACL_OK(aclrtSetLabel(over, left));
    ACL_OK(aclrtStreamWaitEvent(right, event));
    ACL_OK(log.Append(right, 1));
    graph.End(right);
    for (int run = 0; run < 2; ++run) {
        ACL_OK(aclmdlRIExecuteAsync(graph, running));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(running),
                         "came to no end", Shown(graph), Shown(right));
    }
    EXPECT_EQ(log.Size(), 0u);
}

// The calls are those of the second or third round of the loop: the first run of a graph comes
// behind the run of the program, and the first three copies make the numbers.
TEST(GraphControlFault, FailuresInARoundEndTheRun) {
    for (const char* fault : {"stream.run_graph:3:later", "stream.run_graph:3", "device.copy:6"}) {
        SCOPED_TRACE(fault);
        const portacl_test::Fault armed(fault);
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        {
            const Stream running;
            const Persistent stream;
            const Number one(1), limit(1 << 30), count;
            Log log;
            const Built graph;
            graph.Bind(stream);
            ACL_OK(aclrtMemsetAsync(one.At(), 4, 0, 4, stream));
            ACL_OK(Switch(count, ACL_RT_LESS, limit, stream, nullptr, stream));
            graph.End(stream);
            ACL_OK(aclmdlRIExecuteAsync(graph, running));
            ACL_OK(log.Append(running, 1));
            const aclError code = aclrtSynchronizeStreamWithTimeout(running, 30000);
            EXPECT_NE(code, ACL_SUCCESS);
            const std::string text = portacl_test::TakeText();
            EXPECT_NE(text.find("PORTACL_FAULT"), std::string::npos) << text;
            // The stream goes on.
            EXPECT_EQ(log.Size(), 1u);
            ACL_OK(aclrtSynchronizeStream(running));
        }
        ACL_OK(aclrtResetDevice(0));
        ACL_OK(aclFinalize());
    }
}

// ---- what is refused ----

TEST_F(GraphControl, WhatWouldNeverEndIsRefused) {
    const Number zero;
    const Persistent stream, other;
    const Label again, nowhere, elsewhere;
    const LabelList loop({again}), missing({nowhere}), foreign({elsewhere});
    {
        const Built graph;
        graph.Bind(stream);
        ACL_OK(aclrtSetLabel(again, stream));
        ACL_OK(aclrtSwitchLabelByIndex(zero.At(), 1, loop, stream));
        ACL_OK(aclmdlRIEndTask(graph, stream));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildEnd(graph, nullptr), "never end",
                         Shown(stream));
    }
    {
        const Built graph;
        graph.Bind(stream);
        ACL_OK(aclrtSwitchLabelByIndex(zero.At(), 1, missing, stream));
        ACL_OK(aclmdlRIEndTask(graph, stream));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildEnd(graph, nullptr),
                         "aclrtSetLabel", Shown(nowhere));
    }
    {
        const Built graph;
        graph.Bind(stream);
        graph.Bind(other);
        ACL_OK(aclrtSetLabel(elsewhere, other));
        ACL_OK(aclrtSwitchLabelByIndex(zero.At(), 1, foreign, stream));
        ACL_OK(aclmdlRIEndTask(graph, stream));
        ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRIBuildEnd(graph, nullptr),
                         "aclrtActiveStream", Shown(elsewhere));
    }
    {
        const Built graph;
        graph.Bind(stream);
        graph.Bind(other, kDefault);
        ACL_OK(aclrtActiveStream(stream, stream));
        ACL_OK(aclmdlRIEndTask(graph, other));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildEnd(graph, nullptr),
                         "aclmdlRIEndTask");
    }
}

TEST_F(GraphControl, GraphsThatChooseAreNoPartOfOthers) {
    const Persistent stream, outer;
    const Stream capturing;
    const Number count, one(1), limit(1);
    const Built graph, other;
    BuildLoop(graph, stream, count, one, limit);
    ACL_OK(aclmdlRICaptureBegin(capturing, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRIExecuteAsync(graph, capturing),
                     "part of another graph");
    portacl_test::EndInvalid(capturing);
    other.Bind(outer);
    ACL_FAILS(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRIExecuteAsync(graph, outer));
}

// ---- arguments ----

TEST_F(GraphControl, BadLabels) {
    const Persistent stream, unbound;
    const Stream plain;
    const Built graph;
    graph.Bind(stream);
    Label label, ended;
    const aclrtLabel dead = ended.Release();
    ACL_OK(aclrtDestroyLabel(dead));
    LabelList ended_list({label});
    const aclrtLabelList dead_list = ended_list.Release();
    ACL_OK(aclrtDestroyLabelList(dead_list));
    int local = 0;
    auto list = Poison<aclrtLabelList>();
    aclrtLabel null_label[] = {label, nullptr};
    aclrtLabel good[] = {label};
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateLabel(nullptr));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyLabel(nullptr));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSetLabel(nullptr, stream));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateLabelList(nullptr, 1, &list));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtCreateLabelList(good, 1, nullptr));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateLabelList(good, 0, &list), "num");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateLabelList(null_label, 2, &list),
                     "labels[1]");
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtDestroyLabelList(nullptr));
    for (aclrtLabel bad :
         {dead, static_cast<aclrtLabel>(static_cast<aclrtStream>(stream)), aclrtLabel{&local}}) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyLabel(bad), Shown(bad));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSetLabel(bad, stream), Shown(bad));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtCreateLabelList(&bad, 1, &list),
                         Shown(bad), "labels[0]");
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyLabelList(bad), Shown(bad));
    }
    EXPECT_TRUE(IsPoison(list));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyLabelList(dead_list));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSetLabel(label, aclrtStream{&local}));
    for (aclrtStream bad :
         {aclrtStream{nullptr}, static_cast<aclrtStream>(plain), static_cast<aclrtStream>(unbound)})
        ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_MODEL, aclrtSetLabel(label, bad),
                         "aclmdlRIBindStream");
    ACL_OK(aclrtSetLabel(label, stream));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSetLabel(label, stream), "set", Shown(graph));
    graph.End(stream);
    const Label late;
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSetLabel(late, stream), "built");
}

TEST_F(GraphControl, BadJumps) {
    constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
    const Persistent stream;
    const Built graph;
    graph.Bind(stream);
    const Label label;
    const LabelList list({label, label});
    DeviceMemory memory(64), ended(64);
    void* freed = ended.Release();
    ACL_OK(aclrtFree(freed));
    int local = 0;
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSwitchLabelByIndex(nullptr, 2, list, stream));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtSwitchLabelByIndex(memory.At(), 2, nullptr, stream));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSwitchLabelByIndex(memory.At(), 0, list, stream),
                     "maxValue");
    for (uint32_t most : {3u, kMost})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID,
                         aclrtSwitchLabelByIndex(memory.At(), most, list, stream), "maxValue",
                         "2 labels");
    ACL_FAILS(ACL_ERROR_RT_ADDR_UNALIGNED, aclrtSwitchLabelByIndex(memory.At(2), 2, list, stream));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSwitchLabelByIndex(&local, 2, list, stream),
                     "ptr");
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSwitchLabelByIndex(freed, 2, list, stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID,
              aclrtSwitchLabelByIndex(memory.At(), 2, static_cast<aclrtLabelList>(label), stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID,
              aclrtSwitchLabelByIndex(memory.At(), 2, list, aclrtStream{&local}));
    ACL_FAILS(ACL_ERROR_RT_STREAM_MODEL, aclrtSwitchLabelByIndex(memory.At(), 2, list, nullptr));
}

TEST_F(GraphControl, BadSwitches) {
    const Persistent stream, other, elsewhere, unbound;
    const Built graph, second;
    graph.Bind(stream);
    graph.Bind(other, kDefault);
    second.Bind(elsewhere);
    const DeviceMemory memory(64);
    int local = 0;
    const auto call = [&](void* left, int cond, void* right, int type, aclrtStream then,
                          aclrtStream otherwise, aclrtStream on) {
        return aclrtSwitchStream(left, static_cast<aclrtCondition>(cond), right,
                                 static_cast<aclrtCompareDataType>(type), then, otherwise, on);
    };
    void *const a = memory.At(), *const b = memory.At(8);
    ACL_FAILS(
        ACL_ERROR_INVALID_PARAM,
        aclrtSwitchStream(nullptr, ACL_RT_EQUAL, b, ACL_RT_SWITCH_INT64, other, nullptr, stream));
    EXPECT_EQ(call(a, 0, nullptr, 1, other, nullptr, stream), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(call(a, 0, b, 1, nullptr, nullptr, stream), ACL_ERROR_INVALID_PARAM);
    for (int bad : {-1, 6, 0x7fffffff}) {
        EXPECT_EQ(call(a, bad, b, 1, other, nullptr, stream), ACL_ERROR_INVALID_PARAM);
        EXPECT_EQ(call(a, 0, b, bad == 6 ? 2 : bad, other, nullptr, stream),
                  ACL_ERROR_INVALID_PARAM);
    }
    EXPECT_EQ(call(memory.At(4), 0, b, 1, other, nullptr, stream), ACL_ERROR_RT_ADDR_UNALIGNED);
    EXPECT_EQ(call(a, 0, memory.At(2), 0, other, nullptr, stream), ACL_ERROR_RT_ADDR_UNALIGNED);
    EXPECT_EQ(call(&local, 0, b, 0, other, nullptr, stream), ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(call(a, 0, b, 1, other, nullptr, nullptr), ACL_ERROR_RT_STREAM_MODEL);
    for (aclrtStream bad :
         {static_cast<aclrtStream>(elsewhere), static_cast<aclrtStream>(unbound)}) {
        EXPECT_EQ(call(a, 0, b, 1, bad, nullptr, stream), ACL_ERROR_RT_STREAM_MODEL);
        EXPECT_EQ(call(a, 0, b, 1, other, bad, stream), ACL_ERROR_RT_STREAM_MODEL);
        ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_MODEL, aclrtActiveStream(bad, stream), "activeStream",
                         Shown(bad));
    }
    EXPECT_EQ(call(a, 0, b, 1, other, nullptr, unbound), ACL_ERROR_RT_STREAM_MODEL);
    EXPECT_EQ(call(a, 0, b, 1, aclrtStream{&local}, nullptr, stream), ACL_ERROR_RT_PARAM_INVALID);
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtActiveStream(nullptr, stream));
    ACL_FAILS(ACL_ERROR_RT_STREAM_MODEL, aclrtActiveStream(other, nullptr));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtActiveStream(aclrtStream{&local}, stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtActiveStream(other, aclrtStream{&local}));
}

TEST_F(GraphControl, OtherThreadsAndDevices) {
    const Persistent stream;
    const Built graph;
    const Label label;
    const LabelList list({label});
    const Number number;
    graph.Bind(stream);
    aclrtLabel labels[] = {label};
    OnNewThread([&] {
        auto made = Poison<aclrtLabel>();
        auto made_list = Poison<aclrtLabelList>();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateLabel(&made));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateLabelList(labels, 1, &made_list));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSetLabel(label, stream));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSwitchLabelByIndex(number.At(), 1, list, stream));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtActiveStream(stream, stream));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL,
                  Switch(number, ACL_RT_LESS, number, stream, nullptr, stream));
        EXPECT_TRUE(IsPoison(made) && IsPoison(made_list));
    });
    if (DeviceCount() < 2) return;
    ACL_OK(aclrtSetDevice(1));
    {
        const Label there;
        const LabelList list_there({there});
        auto made = Poison<aclrtLabelList>();
        ACL_FAILS(ACL_ERROR_RT_LABEL_CONTEXT, aclrtCreateLabelList(labels, 1, &made));
        ACL_FAILS(ACL_ERROR_RT_STREAM_CONTEXT, aclrtSetLabel(there, stream));
        ACL_OK(aclrtSetDevice(0));
        ACL_FAILS(ACL_ERROR_RT_LABEL_CONTEXT, aclrtSetLabel(there, stream));
        ACL_FAILS(ACL_ERROR_RT_LABEL_CONTEXT,
                  aclrtSwitchLabelByIndex(number.At(), 1, list_there, stream));
        ACL_OK(aclrtSetDevice(1));
    }
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(GraphControl, HostFunctionsDoNotDoIt) {
    struct State {
        aclrtLabel label;
        aclrtLabelList list;
        aclrtStream stream;
        void* address;
        aclError codes[8];
    };
    const Stream running;
    const Persistent stream;
    const Built graph;
    graph.Bind(stream);
    const Label label;
    const LabelList list({label});
    const Number number;
    State state{label, list, stream, number.At(), {}};
    ACL_OK(aclrtLaunchHostFunc(
        running,
        [](void* argument) {
            auto* s = static_cast<State*>(argument);
            aclrtLabel made = nullptr;
            aclrtLabelList made_list = nullptr;
            s->codes[0] = aclrtCreateLabel(&made);
            s->codes[1] = aclrtDestroyLabel(s->label);
            s->codes[2] = aclrtSetLabel(s->label, s->stream);
            s->codes[3] = aclrtCreateLabelList(&s->label, 1, &made_list);
            s->codes[4] = aclrtDestroyLabelList(s->list);
            s->codes[5] = aclrtSwitchLabelByIndex(s->address, 1, s->list, s->stream);
            s->codes[6] = aclrtActiveStream(s->stream, s->stream);
            s->codes[7] = aclrtSwitchStream(s->address, ACL_RT_EQUAL, s->address,
                                            ACL_RT_SWITCH_INT32, s->stream, nullptr, s->stream);
        },
        &state));
    ACL_OK(aclrtSynchronizeStream(running));
    for (aclError code : state.codes) EXPECT_EQ(code, ACL_ERROR_RT_PARAM_INVALID);
}

TEST(GraphControlLife, LabelsGoWithTheirDevice) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    const aclrtLabel label = Label().Release();
    const aclrtLabelList list = LabelList({label}).Release();
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyLabel(label), "went with its device");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyLabelList(list),
                     "went with its device");
    ACL_OK(aclFinalize());
    auto made = Poison<aclrtLabel>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateLabel(&made));
    EXPECT_TRUE(IsPoison(made));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyLabel(label));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyLabelList(list));
}

}  // namespace

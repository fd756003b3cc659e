// Graphs with tasks that run depending on a value in device memory.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "support/acl_test.h"
#include "support/fault.h"
#include "support/gate.h"
#include "support/graph/condition.h"
#include "support/graph/control.h"
#include "support/graph/graph.h"
#include "support/graph/run.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/says.h"

#include <sys/resource.h>
#include "graph/condition/graph_condition.h"

namespace {

using namespace portacl_test;

// ---- types ----

TEST_F(GraphCondition, IfRunsOneOfTwoBodies) {
    for (uint32_t count : {1u, 2u}) {
        SCOPED_TRACE(count);
        const Number taken, behind;
        std::unique_ptr<Condition> value;
        const Graph graph = Capture(s_->stream, [&] {
            value = std::make_unique<Condition>(GraphOf(s_->stream), 0, kKeep);
            ACL_OK(taken.Write(7, s_->stream));
            const Bodies bodies = AddTask(*value, kIf, count, s_->stream);
            for (uint32_t i = 0; i < count; ++i)
                CaptureBody(bodies[i], s_->body, [&] { ACL_OK(taken.Write(i, s_->body)); });
            ACL_OK(aclrtMemcpyAsync(behind.At(), 4, taken.At(), 4, ACL_MEMCPY_DEVICE_TO_DEVICE, s_->stream));
            ACL_OK(taken.Write(9, s_->stream));
        });
        for (uint64_t number :
             {uint64_t{0}, uint64_t{1}, uint64_t{0}, uint64_t{1} << 32, uint64_t{1} << 63, UINT64_MAX}) {
            value->Set(number);
            ACL_OK(aclmdlRIExecuteAsync(graph, s_->running));
            ACL_OK(aclrtSynchronizeStream(s_->running));
            const int wanted = number != 0 ? 0 : count == 2 ? 1 : 7;
            EXPECT_EQ(behind.Get(), wanted) << number;
            EXPECT_EQ(taken.Get(), 9);
            EXPECT_EQ(value->Get(), number);
        }
    }
}

TEST_F(GraphCondition, WhileRepeatsItsBody) {
    const Number rounds, one(1), minus(-1);
    for (uint32_t count : {0u, 1u, 2u, 30u}) {
        SCOPED_TRACE(count);
        const Graph graph = Capture(s_->stream, [&] {
            const Condition value(GraphOf(s_->stream), count);
            ACL_OK(rounds.Write(0, s_->stream));
            const Bodies bodies = AddTask(value, kWhile, 1, s_->stream);
            CaptureBody(bodies[0], s_->body, [&] { Count(value, minus, rounds, one, s_->body); });
            ACL_OK(rounds.Add(one, s_->stream));
        });
        // The default is assigned in each run.
        for (int run = 0; run < 3; ++run) {
            ACL_OK(aclmdlRIExecute(graph, -1));
            EXPECT_EQ(rounds.Get(), static_cast<int>(count) + 1);
        }
    }
}

TEST_F(GraphCondition, SwitchRunsTheBodyWithTheNumber) {
    constexpr uint32_t kCount = 5;
    const Number taken;
    std::unique_ptr<Condition> value;
    Bodies bodies;
    const Graph graph = Capture(s_->stream, [&] {
        value = std::make_unique<Condition>(GraphOf(s_->stream), 0, kKeep);
        ACL_OK(taken.Write(100, s_->stream));
        bodies = AddTask(*value, kSwitch, kCount, s_->stream);
    });
    // With another order of the bodies, by the stream that the graph was captured from.
    for (uint32_t i = kCount; i-- > 0;)
        CaptureBody(bodies[i], s_->stream, [&] {
            // One body is empty.
            if (i != 3) {
                ACL_OK(taken.Write(i, s_->stream));
            }
        });
    const auto limit = uint64_t{kCount};
    for (uint64_t number :
         {uint64_t{4}, uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{3}, limit, uint64_t{1} << 32, UINT64_MAX}) {
        value->Set(number);
        ACL_OK(aclmdlRIExecute(graph, -1));
        EXPECT_EQ(taken.Get(), number < kCount && number != 3 ? static_cast<int>(number) : 100);
    }
}

// ---- values ----

TEST_F(GraphCondition, ValuesPersistOrStartWithTheirDefault) {
    const Number rounds, one(1), minus(-1);
    std::unique_ptr<Condition> kept, assigned, unused;
    const Graph graph = Capture(s_->stream, [&] {
        const aclmdlRI own = GraphOf(s_->stream);
        kept = std::make_unique<Condition>(own, 77, kKeep);
        assigned = std::make_unique<Condition>(own, UINT32_MAX, kAssign);
        unused = std::make_unique<Condition>(own, 5, kAssign);
        const Bodies first = AddTask(*kept, kWhile, 1, s_->stream);
        CaptureBody(first[0], s_->body, [&] { Count(*kept, minus, rounds, one, s_->body); });
        const Bodies second = AddTask(*assigned, kIf, 1, s_->stream);
        CaptureBody(second[0], s_->body, [&] { ACL_OK(assigned->Write(3, s_->body)); });
    });
    EXPECT_EQ(kept->Get(), 0u);
    EXPECT_EQ(assigned->Get(), 0u);
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(rounds.Get(), 0);
    EXPECT_EQ(assigned->Get(), 3u);
    kept->Set(4);
    // All 64 bits are assigned.
    assigned->Set(uint64_t{1} << 40);
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(rounds.Get(), 4);
    EXPECT_EQ(kept->Get(), 0u);
    EXPECT_EQ(assigned->Get(), 3u);
    // No task reads the value, so it does not change.
    EXPECT_EQ(unused->Get(), 0u);
    unused->Set(6);
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(unused->Get(), 6u);
}

// Each way to write a value, by a task right before the choice.
TEST_F(GraphCondition, EveryWriteToMemoryWritesValues) {
    const Program program;
    const Number taken, seven(7);
    const PinnedMemory pinned(8, 0);
    struct Host {
        uint64_t value = 0;
    };
    auto* host = portacl_test::MakeImmortal<Host>();
    const std::vector<std::pair<const char*, std::function<aclError(void*, aclrtStream)>>> writers = {
        {"aclrtValueWrite", [](void* at, aclrtStream s) { return aclrtValueWrite(at, 7, 0, s); }},
        {"copy", [&](void* at,
                     aclrtStream s) { return aclrtMemcpyAsync(at, 4, seven.At(), 4, ACL_MEMCPY_DEVICE_TO_DEVICE, s); }},
        {"host memory",
         [&](void* at, aclrtStream s) {
             pinned.Bytes()[0] = 7;
             return aclrtMemcpyAsync(at, 8, pinned.At(), 8, ACL_MEMCPY_HOST_TO_DEVICE, s);
         }},
        {"kernel",
         [&](void* at, aclrtStream s) {
             // This one adds.
             const aclError code = aclrtMemsetAsync(at, 8, 0, 8, s);
             return code ? code : Mark(program.Kernel("mark"), at, 7, 1, s);
         }},
        {"fill", [](void* at, aclrtStream s) { return aclrtMemsetD32Async(at, 4, 7, 1, s); }},
        {"host function",
         [&](void* at, aclrtStream s) {
             const aclError code = aclrtLaunchHostFunc(
                 s, [](void* it) { static_cast<Host*>(it)->value = 7; }, host);
             return code ? code : aclrtMemcpyAsync(at, 8, &host->value, 8, ACL_MEMCPY_HOST_TO_DEVICE, s);
         }},
    };
    for (const auto& [name, write] : writers) {
        SCOPED_TRACE(name);
        std::unique_ptr<Condition> value;
        const Graph graph = Capture(
            s_->stream,
            [&] {
                value = std::make_unique<Condition>(GraphOf(s_->stream), 0, kAssign);
                ACL_OK(write(value->At(), s_->stream));
                const Bodies bodies = AddTask(*value, kSwitch, 8, s_->stream);
                for (uint32_t i = 0; i < 8; ++i)
                    CaptureBody(bodies[i], s_->body, [&] { ACL_OK(taken.Write(100 + i, s_->body)); });
            },
            ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
        for (int run = 0; run < 3; ++run) {
            taken.Set(-1);
            ACL_OK(aclmdlRIExecute(graph, -1));
            EXPECT_EQ(taken.Get(), 107);
            EXPECT_EQ(value->Get(), 7u);
        }
    }
}

// ---- runs ----

TEST_F(GraphCondition, RunsAreSerialized) {
    const Stream second;
    const Number rounds, one(1), minus(-1);
    const Graph graph = Capture(s_->stream, [&] {
        const Condition value(GraphOf(s_->stream), 3);
        const Bodies bodies = AddTask(value, kWhile, 1, s_->stream);
        CaptureBody(bodies[0], s_->body, [&] { Count(value, minus, rounds, one, s_->body); });
    });
    for (int run = 0; run < 20; ++run) ACL_OK(aclmdlRIExecuteAsync(graph, run % 2 ? second : s_->running));
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(rounds.Get(), 60);
}

// The library drives the run from streams of its own. Of each graph these stand in other hardware queues; with an odd
// number of them the first eight graphs have all placements, otherwise the others, which have one stream more.
TEST_F(GraphCondition, RunsEndBesideAnyNumberOfStreams) {
    const Number rounds, one(1), minus(-1);
    std::vector<Graph> graphs;
    std::vector<std::unique_ptr<Stream>> others;
    for (int i = 1; i <= 16; ++i) {
        graphs.push_back(Capture(s_->stream, [&] {
            const Condition value(GraphOf(s_->stream), 3);
            const Bodies bodies = AddTask(value, kWhile, 1, s_->stream);
            CaptureBody(bodies[0], s_->body, [&] { Count(value, minus, rounds, one, s_->body); });
        }));
        ACL_OK(aclmdlRIExecuteAsync(graphs.back(), s_->running));
        ACL_OK(aclrtSynchronizeStream(s_->running));
        EXPECT_EQ(rounds.Get(), 3 * i);
        if (i > 8) others.push_back(std::make_unique<Stream>());
    }
}

double ProcessorSeconds() {
    rusage usage{};
    EXPECT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
    const auto seconds = [](const timeval& it) { return double(it.tv_sec) + 1e-6 * double(it.tv_usec); };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The thread that decides does not poll all the time: processor time is measured, not elapsed time.
TEST_F(GraphCondition, AThousandRoundsKeepNoCoreBusy) {
    const Number rounds, one(1), minus(-1);
    const Graph graph = Capture(s_->stream, [&] {
        const Condition value(GraphOf(s_->stream), 1000);
        const Bodies bodies = AddTask(value, kWhile, 1, s_->stream);
        CaptureBody(bodies[0], s_->body, [&] {
            Count(value, minus, rounds, one, s_->body);
            ACL_OK(aclrtLaunchHostFunc(
                s_->body, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(4)); }, nullptr));
        });
    });
    const double before = ProcessorSeconds();
    const auto begin = std::chrono::steady_clock::now();
    ACL_OK(aclmdlRIExecute(graph, -1));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(rounds.Get(), 1000);
    EXPECT_GE(took.count(), 4.0);
    EXPECT_LT(ProcessorSeconds() - before, took.count() / 2);
}

// ---- ends before completion ----

// An endless loop.
struct Endless {
    Stream stream, body;
    Number count, one{1};
    Graph graph;

    Endless() : graph(Make(*this)) {}

    static Graph Make(const Endless& it) {
        return Capture(it.stream, [&it] {
            const Condition value(GraphOf(it.stream), 1);
            const Bodies bodies = AddTask(value, kWhile, 1, it.stream);
            CaptureBody(bodies[0], it.body, [&it] { ACL_OK(it.count.Add(it.one, it.body)); });
        });
    }

    // It has iterated more than once.
    void AwaitRounds() const {
        const int32_t before = count.Get();
        for (const auto deadline = std::chrono::steady_clock::now() + portacl_test::kPatience;
             count.Get() - before < 3;)
            ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    }
};

TEST_F(GraphCondition, AbortEndsAnEndlessLoop) {
    const Endless endless;
    for (int i = 0; i < 2; ++i) {
        ACL_OK(aclmdlRIExecuteAsync(endless.graph, s_->running));
        endless.AwaitRounds();
        EXPECT_FALSE(IsIdle(s_->running));
        ACL_FAILS_SAYING(ACL_ERROR_RT_MODEL_RUNNING, aclmdlRIDestroy(endless.graph), Shown(endless.graph));
        ACL_OK(aclmdlRIAbort(endless.graph));
        ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStream(s_->running), "aclmdlRIAbort");
    }
}

TEST_F(GraphCondition, AbortOfTheStreamEndsItsRuns) {
    const Endless endless;
    ACL_OK(aclmdlRIExecuteAsync(endless.graph, s_->running));
    endless.AwaitRounds();
    ACL_OK(aclrtStreamAbort(s_->running));
    ACL_OK(aclrtSynchronizeStream(s_->running));
    // Other streams run the graph next.
    ACL_OK(aclmdlRIExecuteAsync(endless.graph, s_->inner));
    endless.AwaitRounds();
    ACL_OK(aclmdlRIAbort(endless.graph));
    ACL_FAILS(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStream(s_->inner));
}

TEST_F(GraphCondition, FreedMemoryOfABodyStaysAllocatedDuringTheRun) {
    DeviceMemory memory(1 << 16), result(1 << 16);
    Gate gate;
    const Graph graph = Capture(s_->stream, [&] {
        const Condition value(GraphOf(s_->stream), 1);
        const Bodies bodies = AddTask(value, kIf, 1, s_->stream);
        CaptureBody(bodies[0], s_->body, [&] {
            ACL_OK(gate.Hold(s_->body));
            ACL_OK(aclrtMemsetAsync(memory.At(), 1 << 16, 6, 1 << 16, s_->body));
            ACL_OK(aclrtMemcpyAsync(result.At(), 1 << 16, memory.At(), 1 << 16, ACL_MEMCPY_DEVICE_TO_DEVICE, s_->body));
        });
    });
    ACL_OK(aclmdlRIExecuteAsync(graph, s_->running));
    ASSERT_TRUE(gate.AwaitArrival());
    ACL_OK(aclrtFree(memory.Release()));
    // The memory is not allocated again.
    const DeviceMemory other(std::vector<unsigned char>(1 << 16, 1));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(s_->running));
    EXPECT_EQ(other.Download(), std::vector<unsigned char>(1 << 16, 1));
    EXPECT_EQ(result.Download(), std::vector<unsigned char>(1 << 16, 6));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIExecuteAsync(graph, s_->running), "freed");
}

TEST(GraphConditionTeardown, ResetEndsAnEndlessLoop) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    aclrtStream running = nullptr;
    ACL_OK(aclrtCreateStream(&running));
    auto* endless = new Endless;
    ACL_OK(aclmdlRIExecuteAsync(endless->graph, running));
    endless->AwaitRounds();
    ACL_FAILS(ACL_ERROR_RT_STREAM_ABORT, aclrtResetDevice(0));
    ACL_OK(aclFinalize());
    operator delete(endless);  // the graph's objects are gone
}

// The failure is in a step of the second iteration, or when its value is read.
TEST(GraphConditionFault, FailuresInAnIterationEndTheRun) {
    for (const char* fault : {"stream.run_graph:3:later", "stream.run_graph:3", "device.copy:4"}) {
        SCOPED_TRACE(fault);
        const portacl_test::Fault armed(fault);
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        {
            const Stream running;
            const Endless endless;
            portacl_test::ExpectAFaultEndsTheRun(endless.graph, running);
        }
        ACL_OK(aclrtResetDevice(0));
        ACL_OK(aclFinalize());
    }
}

}  // namespace

// What bodies of conditional tasks contain.

#include <portacl/portacl.h>

#include <chrono>
#include <memory>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/graph/condition.h"
#include "support/graph/control.h"
#include "support/graph/graph.h"
#include "support/objects.h"
#include "support/says.h"

#include "graph/condition/graph_condition.h"

namespace {

using namespace portacl_test;

TEST_F(GraphCondition, BodiesMayBeNested) {
    const Number rounds, evens, one(1), minus(-1);
    std::unique_ptr<Condition> outer, inner, parity;
    const Graph graph = Capture(s_->stream, [&] {
        const aclmdlRI own = GraphOf(s_->stream);
        outer = std::make_unique<Condition>(own, 5);
        parity = std::make_unique<Condition>(own, 0);
        ACL_OK(rounds.Write(0, s_->stream));
        ACL_OK(evens.Write(0, s_->stream));
        const Bodies loop = AddTask(*outer, kWhile, 1, s_->stream);
        // Its handle starts from the default in each iteration.
        inner = std::make_unique<Condition>(loop[0], 3);
        CaptureBody(loop[0], s_->body, [&] {
            const Bodies nested = AddTask(*inner, kWhile, 1, s_->body);
            CaptureBody(nested[0], s_->inner, [&] { Count(*inner, minus, rounds, one, s_->inner); });
            ACL_OK(outer->Add(minus.At(), s_->body));
            // The handle of the outer graph keeps its value: here it alternates.
            const Bodies either = AddTask(*parity, kIf, 2, s_->body);
            CaptureBody(either[0], s_->inner, [&] { ACL_OK(parity->Write(0, s_->inner)); });
            CaptureBody(either[1], s_->inner, [&] {
                ACL_OK(evens.Add(one, s_->inner));
                ACL_OK(parity->Write(1, s_->inner));
            });
        });
    });
    for (int run = 0; run < 3; ++run) {
        ACL_OK(aclmdlRIExecute(graph, -1));
        EXPECT_EQ(rounds.Get(), 15);
        EXPECT_EQ(evens.Get(), 3);
        EXPECT_EQ(outer->Get(), 0u);
        EXPECT_EQ(inner->Get(), 0u);
    }
}

TEST_F(GraphCondition, NestingIsLimitedToSixteen) {
    const Number count, one(1);
    const Graph graph = Capture(s_->stream, [&] {
        const Condition value(GraphOf(s_->stream), 1);
        Bodies bodies = AddTask(value, kIf, 1, s_->stream);
        std::vector<std::unique_ptr<Stream>> streams;
        for (int depth = 1; depth <= 16; ++depth) {
            SCOPED_TRACE(depth);
            streams.push_back(std::make_unique<Stream>());
            const Stream& stream = *streams.back();
            ACL_OK(aclmdlRICaptureToModelRIBegin(stream, bodies[0], ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
            ACL_OK(count.Add(one, stream));
            const Condition nested(bodies[0], 1);
            if (depth < 16) {
                bodies = AddTask(nested, kIf, 1, stream);
                continue;
            }
            aclmdlRI room = nullptr;
            ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRIAddCondTask({nested, kIf, 1, &room}, stream, 0),
                             "16");
        }
        while (!streams.empty()) {
            aclmdlRI body = nullptr;
            ACL_OK(aclmdlRICaptureEnd(*streams.back(), &body));
            streams.pop_back();
        }
    });
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(count.Get(), 16);
}

// A body whose work alternates between two streams in every iteration: the event stands for the
// record of the same iteration.
TEST_F(GraphCondition, BodiesMayHaveSeveralStreams) {
    const Number a, b, total, one(1), minus(-1);
    const Event fork(ACL_EVENT_SYNC), join(ACL_EVENT_SYNC);
    Log log;
    const Graph graph = Capture(s_->stream, [&] {
        const Condition value(GraphOf(s_->stream), 20);
        const Bodies bodies = AddTask(value, kWhile, 1, s_->stream);
        CaptureBody(bodies[0], s_->body, [&] {
            ACL_OK(a.Add(one, s_->body));
            ACL_OK(log.Append(s_->body, 1));
            ACL_OK(aclrtRecordEvent(fork, s_->body));
            ACL_OK(aclrtStreamWaitEvent(s_->inner, fork));
            ACL_OK(log.Append(s_->inner, 2));
            ACL_OK(aclrtMemcpyAsync(b.At(), 4, a.At(), 4, ACL_MEMCPY_DEVICE_TO_DEVICE, s_->inner));
            ACL_OK(aclrtRecordEvent(join, s_->inner));
            ACL_OK(aclrtStreamWaitEvent(s_->body, join));
            ACL_OK(total.Add(b, s_->body));
            ACL_OK(log.Append(s_->body, 3));
            ACL_OK(value.Add(minus.At(), s_->body));
        });
    });
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(a.Get(), 20);
    EXPECT_EQ(total.Get(), 20 * 21 / 2);
    Numbers wanted;
    for (int round = 0; round < 20; ++round) wanted.insert(wanted.end(), {1, 2, 3});
    EXPECT_EQ(log.Numbers(), wanted);
}

// Work that is not ordered after a conditional task continues beside its body.
TEST_F(GraphCondition, OtherBranchesContinue) {
    NEEDS_QUEUES(2);
    const Event fork(ACL_EVENT_SYNC), join(ACL_EVENT_SYNC);
    const Stream other;
    Gate held;
    Log log;
    const Graph graph = Capture(s_->stream, [&] {
        const aclmdlRI own = GraphOf(s_->stream);
        const Condition left(own, 1), right(own, 1);
        ACL_OK(aclrtRecordEvent(fork, s_->stream));
        ACL_OK(aclrtStreamWaitEvent(other, fork));
        const Bodies first = AddTask(left, kIf, 1, s_->stream);
        CaptureBody(first[0], s_->body, [&] { ACL_OK(held.Hold(s_->body)); });
        const Bodies second = AddTask(right, kWhile, 1, other);
        CaptureBody(second[0], s_->body, [&] {
            ACL_OK(log.Append(s_->body, 1));
            ACL_OK(right.Write(0, s_->body));
        });
        ACL_OK(log.Append(other, 2));
        ACL_OK(aclrtRecordEvent(join, other));
        ACL_OK(aclrtStreamWaitEvent(s_->stream, join));
        ACL_OK(log.Append(s_->stream, 3));
    });
    ACL_OK(aclmdlRIExecuteAsync(graph, s_->running));
    ASSERT_TRUE(held.AwaitArrival());
    const auto deadline = std::chrono::steady_clock::now() + portacl_test::kPatience;
    while (log.Size() < 2) ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    EXPECT_EQ(log.Numbers(), (Numbers{1, 2}));
    EXPECT_FALSE(IsIdle(s_->running));
    held.Open();
    ACL_OK(aclrtSynchronizeStream(s_->running));
    EXPECT_EQ(log.Numbers(), (Numbers{1, 2, 3}));
}

// What other captures may contain: other graphs, timed events, 2D copies, copies whose addresses
// are in memory.
TEST_F(GraphCondition, BodiesMayContainWhatCapturesContain) {
    const Number count, one(1);
    const DeviceMemory from(std::vector<unsigned char>(64, 5)), to(64);
    const Event begin, end;
    const Graph part = Capture(s_->stream, [&] {
        ACL_OK(count.Add(one, s_->stream));
        ACL_OK(count.Add(one, s_->stream));
    });
    const Graph graph = Capture(s_->stream, [&] {
        const Condition value(GraphOf(s_->stream), 1);
        const Bodies bodies = AddTask(value, kIf, 1, s_->stream);
        CaptureBody(bodies[0], s_->body, [&] {
            ACL_OK(aclrtRecordEvent(begin, s_->body));
            ACL_OK(aclmdlRIExecuteAsync(part, s_->body));
            ACL_OK(aclrtMemcpy2dAsync(to.At(), 16, from.At(), 16, 8, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, s_->body));
            ACL_OK(aclrtRecordEvent(end, s_->body));
        });
    });
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(count.Get(), 2);
    EXPECT_EQ(to.Download()[16], 5);
    float ms = -1;
    ACL_OK(aclrtEventElapsedTime(&ms, begin, end));
    EXPECT_GE(ms, 0.0f);
}

// Pool memory belongs to the graph, not to its bodies, which use it.
TEST_F(GraphCondition, TheGraphMayAllocateFromPools) {
    const Number result;
    const Graph graph = Capture(s_->stream, [&] {
        const Condition value(GraphOf(s_->stream), 1);
        void* memory = nullptr;
        ACL_OK(portaclMallocAsync(&memory, 256, s_->stream));
        const Bodies bodies = AddTask(value, kIf, 1, s_->stream);
        CaptureBody(bodies[0], s_->body, [&] { ACL_OK(aclrtMemsetD32Async(memory, 4, 12, 1, s_->body)); });
        ACL_OK(aclrtMemcpyAsync(result.At(), 4, memory, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, s_->stream));
        ACL_OK(portaclFreeAsync(memory, s_->stream));
    });
    for (int run = 0; run < 2; ++run) {
        result.Set(0);
        ACL_OK(aclmdlRIExecute(graph, -1));
        EXPECT_EQ(result.Get(), 12);
    }
}

}  // namespace

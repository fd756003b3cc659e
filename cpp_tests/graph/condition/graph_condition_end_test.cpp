// The lifetime of conditional tasks: incomplete graphs, bodies and handles, and their ends.

#include <cstdint>

#include "graph/condition/graph_condition_arguments.h"
#include "support/acl_test.h"
#include "support/graph/condition.h"
#include "support/graph/graph.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using namespace portacl_test;

TEST_F(GraphConditionArguments, BodiesRunAndEndWithTheirGraph) {
    Bodies bodies;
    Graph graph = WithTask(kIf, 1, &bodies);
    const aclmdlRI body = bodies[0];
    for (int round = 0; round < 2; ++round) {
        SCOPED_TRACE(round);
        ACL_FAILS_SAYING(kDead, aclmdlRIDestroy(body), "body", Shown(graph));
        ACL_FAILS_SAYING(kDead, aclmdlRIExecuteAsync(body, s_->stream), "body", Shown(graph));
        ACL_FAILS_SAYING(kDead, aclmdlRIExecute(body, -1), "body", Shown(graph));
        ACL_FAILS_SAYING(kDead, aclmdlRIAbort(body), "body", Shown(graph));
        ACL_FAILS_SAYING(kDead,
                         aclmdlRIDestroyRegisterCallback(
                             body, [](void*) {}, nullptr),
                         "body", Shown(graph));
        if (round == 0) Fill(body);
    }
    ACL_OK(aclmdlRISetName(body, "then"));
    // Only the whole graph can be updated.
    const auto tasks = TasksOf(StreamsOf(body)[0]);
    ASSERT_EQ(tasks.size(), 1u);
    ACL_OK(aclmdlRITaskDisable(tasks[0]));
    ACL_FAILS_SAYING(kUnsupported, aclmdlRIUpdate(body), "conditional");
    ACL_OK(aclmdlRITaskDisable(TasksOf(StreamsOf(graph)[0])[0]));
    ACL_FAILS_SAYING(kUnsupported, aclmdlRIUpdate(graph), "conditional");
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(s_->number.Get(), 1);
    // It cannot be part of other graphs either.
    ACL_OK(aclmdlRICaptureBegin(s_->stream, kRelaxed));
    ACL_FAILS_SAYING(kDead, aclmdlRIExecuteAsync(body, s_->stream), "body");
    ACL_FAILS_SAYING(kUnsupported, aclmdlRIExecuteAsync(graph, s_->stream), "conditional", "part of another graph");
    EndInvalid(s_->stream);
    ACL_OK(aclmdlRIDestroy(graph.Release()));
    uint32_t id = 0;
    ACL_FAILS_SAYING(kDead, aclmdlRIGetId(body, &id), Shown(body));
}

// Graphs that were never completed, and destroyed graphs, leave nothing behind.
TEST_F(GraphConditionArguments, IncompleteGraphsAreFreed) {
    const auto used = [] {
        size_t free = 0, total = 0;
        ACL_EXPECT_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
        return total - free;
    };
    Bodies bodies;
    { const Graph warm = WithTask(kIf, 1, &bodies); }
    const size_t before = used();
    for (int i = 0; i < 200; ++i) {
        Graph graph = WithTask(kSwitch, 20, &bodies);
        ACL_OK(aclmdlRICaptureToModelRIBegin(s_->body, bodies[i % 20], kRelaxed));
        const Condition nested(bodies[i % 20], 0);
        AddTask(nested, kIf, 1, s_->body);
        auto made = Poison<aclmdlRI>();
        if (i % 2) {
            ACL_OK(aclmdlRICaptureEnd(s_->body, &made));
            ACL_OK(aclmdlRIDestroy(graph.Release()));
        } else {
            // The capture of a body does not keep the graph alive.
            ACL_OK(aclmdlRIDestroy(graph.Release()));
            ACL_FAILS_SAYING(kDead, aclmdlRICaptureEnd(s_->body, &made), "with the graph that contains it");
            EXPECT_TRUE(IsPoison(made));
        }
        uint64_t* value = nullptr;
        ACL_FAILS(kDead, aclmdlRICondHandleGetCondPtr(nested, &value));
    }
    EXPECT_EQ(used(), before);
}

TEST_F(GraphConditionArguments, RefusedInsideAHostFunction) {
    struct ConditionCalls {
        aclrtStream stream;
        aclmdlRI graph, body;
        aclmdlRICondHandle handle;
        aclError codes[4];
    };
    ACL_OK(aclmdlRICaptureBegin(s_->stream, kRelaxed));
    const aclmdlRI own = GraphOf(s_->stream);
    const Condition used(own, 0), value(own, 0);
    const Bodies bodies = AddTask(used, kIf, 1, s_->stream);
    const Stream running;
    ConditionCalls state{s_->stream, own, bodies[0], value, {}};
    ACL_OK(aclrtLaunchHostFunc(
        running,
        [](void* argument) {
            auto* s = static_cast<ConditionCalls*>(argument);
            aclmdlRICondHandle handle = nullptr;
            aclmdlRI room = nullptr;
            uint64_t* address = nullptr;
            s->codes[0] = aclmdlRICondHandleCreate(s->graph, 0, kAssign, &handle);
            s->codes[1] = aclmdlRIAddCondTask({s->handle, kIf, 1, &room}, s->stream, 0);
            s->codes[2] = aclmdlRICaptureToModelRIBegin(s->stream, s->body, kRelaxed);
            s->codes[3] = aclmdlRICondHandleGetCondPtr(s->handle, &address);
        },
        &state));
    ACL_OK(aclrtSynchronizeStream(running));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(state.codes[i], kDead) << i;
    EXPECT_EQ(state.codes[3], ACL_SUCCESS);
    aclmdlRI made = nullptr;
    ACL_OK(aclmdlRICaptureEnd(s_->stream, &made));
    ACL_OK(aclmdlRIDestroy(made));
}

TEST_F(GraphConditionArguments, OtherThreadsAndDevices) {
    Bodies bodies;
    const Graph graph = WithTask(kIf, 1, &bodies);
    ACL_OK(aclmdlRICaptureBegin(s_->stream, kRelaxed));
    const aclmdlRI own = GraphOf(s_->stream);
    const Condition value(own, 0);
    auto room = Poison<aclmdlRI>();
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRIAddCondTask({value, kIf, 1, &room}, s_->stream, 0));
        // A handle belongs to a graph, whatever thread or device is current.
        const Condition other(own, 0);
    });
    if (DeviceCount() >= 2) {
        ACL_OK(aclrtSetDevice(1));
        {
            const Stream there;
            ACL_FAILS(ACL_ERROR_RT_STREAM_CONTEXT, aclmdlRIAddCondTask({value, kIf, 1, &room}, s_->stream, 0));
            ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclmdlRICaptureToModelRIBegin(there, bodies[0], kRelaxed),
                             "device 1");
        }
        ACL_OK(aclrtResetDevice(1));
        ACL_OK(aclrtSetDevice(0));
    }
    EXPECT_TRUE(IsPoison(room));
    aclmdlRI made = nullptr;
    ACL_OK(aclmdlRICaptureEnd(s_->stream, &made));
    ACL_OK(aclmdlRIDestroy(made));
}

TEST(GraphConditionArgumentsTeardown, EverythingEndsWithTheDevice) {
    ACL_OK(aclInit(nullptr));
    for (int session = 0; session < 2; ++session) {
        ACL_OK(aclrtSetDevice(0));
        Stream stream;
        ACL_OK(aclmdlRICaptureBegin(stream, kRelaxed));
        const aclmdlRI graph = GraphOf(stream);
        const Condition value(graph, 0), other(graph, 0);
        const Bodies bodies = AddTask(value, kIf, 1, stream);
        (void)stream.Release();
        if (session == 0)
            ACL_OK(aclrtResetDevice(0));
        else
            ACL_OK(aclFinalize());
        auto handle = Poison<aclmdlRICondHandle>();
        auto address = Poison<uint64_t*>();
        auto room = Poison<aclmdlRI>();
        ACL_FAILS(kDead, aclmdlRICondHandleCreate(graph, 0, kAssign, &handle));
        ACL_FAILS(kDead, aclmdlRICondHandleGetCondPtr(value, &address));
        EXPECT_TRUE(IsPoison(handle) && IsPoison(address));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRIAddCondTask({other, kIf, 1, &room}, nullptr, 0));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRICaptureToModelRIBegin(nullptr, bodies[0], kRelaxed));
    }
}

}  // namespace

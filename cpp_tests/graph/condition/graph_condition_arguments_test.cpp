// Invalid calls for conditional tasks. graph_condition_end_test.cpp tests the lifetime of their handles and bodies.

#include <portacl/portacl.h>

#include <climits>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graph/condition/graph_condition_arguments.h"
#include "support/acl_test.h"
#include "support/graph/build.h"
#include "support/graph/condition.h"
#include "support/graph/graph.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/stream/external_event.h"
#include "support/threads.h"

namespace {

using namespace portacl_test;

// ---- handles ----

TEST_F(GraphConditionArguments, InvalidHandlesAreNotCreated) {
    auto handle = Poison<aclmdlRICondHandle>();
    int local = 0;
    const Graph captured = Capture(s_->stream, [&] {
        const aclmdlRI graph = GraphOf(s_->stream);
        ACL_FAILS_SAYING(kInvalid, aclmdlRICondHandleCreate(nullptr, 1, kAssign, &handle), "modelRI is null");
        ACL_FAILS_SAYING(kInvalid, aclmdlRICondHandleCreate(graph, 1, kAssign, nullptr), "handle is null");
        for (int flag : {-1, 2, INT_MAX})
            ACL_FAILS_SAYING(kInvalid,
                             aclmdlRICondHandleCreate(graph, 1, static_cast<aclmdlRICondHandleFlag>(flag), &handle),
                             "flag is " + std::to_string(flag));
    });
    Graph ended = Capture(s_->stream, [] {});
    const aclmdlRI dead = ended.Release();
    ACL_OK(aclmdlRIDestroy(dead));
    for (void* bad : {dead, static_cast<void*>(&local), static_cast<void*>(aclrtStream(s_->stream))})
        ACL_FAILS_SAYING(kDead, aclmdlRICondHandleCreate(bad, 1, kAssign, &handle), Shown(bad));
    ACL_FAILS_SAYING(kDead, aclmdlRICondHandleCreate(captured, 1, kAssign, &handle), "capture of", Shown(captured));
    const Built built;
    ACL_FAILS_SAYING(kUnsupported, aclmdlRICondHandleCreate(built, 1, kAssign, &handle), "aclrtSwitchLabelByIndex");
    EXPECT_TRUE(IsPoison(handle));
}

TEST_F(GraphConditionArguments, ValuesAreDeviceMemoryThatCannotBeFreed) {
    auto address = Poison<uint64_t*>();
    int local = 0;
    aclmdlRICondHandle handle = nullptr;
    Graph graph = Capture(s_->stream, [&] {
        const Condition value(GraphOf(s_->stream), 1);
        handle = value;
        uint64_t* again = nullptr;
        ACL_OK(aclmdlRICondHandleGetCondPtr(handle, &again));
        EXPECT_EQ(again, value.At());
        EXPECT_EQ(reinterpret_cast<uintptr_t>(again) % 8, 0u);
        ACL_FAILS_SAYING(kInvalid, aclmdlRICondHandleGetCondPtr(handle, nullptr), "ptr is null");
        ACL_FAILS_SAYING(kInvalid, aclmdlRICondHandleGetCondPtr(nullptr, &address), "handle is null");
    });
    uint64_t* value = nullptr;
    ACL_OK(aclmdlRICondHandleGetCondPtr(handle, &value));
    ACL_FAILS_SAYING(kDead, aclrtFree(value), "condition", "aclmdlRIDestroy");
    aclrtPtrAttributes attributes;
    ACL_OK(aclrtPointerGetAttributes(value, &attributes));
    EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    EXPECT_EQ(attributes.location.id, 0u);
    ACL_OK(aclrtMemset(value, 8, 1, 8));
    ACL_FAILS(kDead, aclrtMemset(value, 9, 1, 9));
    ACL_OK(aclmdlRIDestroy(graph.Release()));
    for (void* bad : {handle, static_cast<void*>(&local), static_cast<void*>(aclrtStream(s_->body))})
        ACL_FAILS_SAYING(kDead, aclmdlRICondHandleGetCondPtr(bad, &address), Shown(bad));
    EXPECT_TRUE(IsPoison(address));
    ACL_FAILS(kDead, aclrtFree(value));
}

// ---- tasks ----

TEST_F(GraphConditionArguments, BadTasksAreNotAdded) {
    auto room = Poison<aclmdlRI>();
    int local = 0;
    aclmdlRICondHandle handle = nullptr;
    const Graph graph = Capture(s_->stream, [&] {
        const Condition value(GraphOf(s_->stream), 0);
        handle = value;
        const aclrtStream stream = s_->stream;
        ACL_FAILS_SAYING(kInvalid, aclmdlRIAddCondTask({nullptr, kIf, 1, &room}, stream, 0), "params.handle is null");
        ACL_FAILS_SAYING(kInvalid, aclmdlRIAddCondTask({handle, kIf, 1, nullptr}, stream, 0),
                         "params.modelRIArray is null");
        for (int type : {-1, 3, INT_MAX})
            ACL_FAILS_SAYING(
                kInvalid, aclmdlRIAddCondTask({handle, static_cast<aclmdlRICondTaskType>(type), 1, &room}, stream, 0),
                "params.type is " + std::to_string(type));
        for (uint32_t count : {0u, 3u, UINT32_MAX})
            ACL_FAILS_SAYING(kInvalid, aclmdlRIAddCondTask({handle, kIf, count, &room}, stream, 0),
                             "params.size is " + std::to_string(count));
        for (uint32_t count : {0u, 2u, UINT32_MAX})
            ACL_FAILS_SAYING(kInvalid, aclmdlRIAddCondTask({handle, kWhile, count, &room}, stream, 0), "params.size");
        for (uint32_t count : {0u, 1025u, UINT32_MAX})
            ACL_FAILS_SAYING(kInvalid, aclmdlRIAddCondTask({handle, kSwitch, count, &room}, stream, 0), "1024");
        for (uint32_t flags : {1u, UINT32_MAX})
            ACL_FAILS_SAYING(kInvalid, aclmdlRIAddCondTask({handle, kIf, 1, &room}, stream, flags), "flags is 0x");
        for (void* bad : {static_cast<void*>(&local), static_cast<void*>(stream)})
            ACL_FAILS_SAYING(kDead, aclmdlRIAddCondTask({bad, kIf, 1, &room}, stream, 0), Shown(bad));
        ACL_FAILS(kDead, aclmdlRIAddCondTask({handle, kIf, 1, &room}, aclrtStream{&local}, 0));
        for (aclrtStream other : {aclrtStream{nullptr}, aclrtStream(s_->body)})
            ACL_FAILS(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRIAddCondTask({handle, kIf, 1, &room}, other, 0));
        EXPECT_EQ(StatusOf(stream), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
        // None of these calls has used it.
        const Bodies bodies = AddTask(value, kIf, 1, stream);
        Fill(bodies[0]);
        ACL_FAILS_SAYING(kDead, aclmdlRIAddCondTask({handle, kIf, 1, &room}, stream, 0), "another conditional task",
                         Shown(handle));
    });
    ACL_FAILS(ACL_ERROR_RT_STREAM_NOT_CAPTURED, aclmdlRIAddCondTask({handle, kIf, 1, &room}, s_->stream, 0));
    ACL_OK(aclmdlRIExecute(graph, -1));
    // Built graphs have labels and switches instead.
    const Persistent bound;
    const Built built;
    built.Bind(bound);
    ACL_FAILS_SAYING(kUnsupported, aclmdlRIAddCondTask({handle, kIf, 1, &room}, bound, 0), "aclrtSwitchLabelByIndex");
    EXPECT_TRUE(IsPoison(room));
}

TEST_F(GraphConditionArguments, HandlesBelongToTheGraphOrAnOuterOne) {
    auto room = Poison<aclmdlRI>();
    const Stream other, inner;
    ACL_OK(aclmdlRICaptureBegin(other, kRelaxed));
    const Condition foreign(GraphOf(other), 0);
    const Graph graph = Capture(s_->stream, [&] {
        const aclmdlRI own = GraphOf(s_->stream);
        const Condition value(own, 1), for_body(own, 0);
        ACL_FAILS_SAYING(kDead, aclmdlRIAddCondTask({foreign, kIf, 1, &room}, s_->stream, 0), Shown(GraphOf(other)),
                         Shown(own));
        const Bodies bodies = AddTask(value, kIf, 2, s_->stream);
        const Condition of_body(bodies[0], 0);
        ACL_FAILS(kDead, aclmdlRIAddCondTask({of_body, kIf, 1, &room}, s_->stream, 0));
        CaptureBody(bodies[1], s_->body, [&] {
            ACL_FAILS(kDead, aclmdlRIAddCondTask({of_body, kIf, 1, &room}, s_->body, 0));
            Bodies nested = AddTask(for_body, kIf, 1, s_->body);
            CaptureBody(nested[0], inner, [&] { ACL_OK(s_->number.Write(1, inner)); });
        });
        CaptureBody(bodies[0], s_->body, [&] {
            Bodies nested = AddTask(of_body, kIf, 1, s_->body);
            CaptureBody(nested[0], inner, [&] { ACL_OK(s_->number.Write(1, inner)); });
        });
    });
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(s_->number.Get(), 0);
    EXPECT_TRUE(IsPoison(room));
    aclmdlRI made = nullptr;
    ACL_OK(aclmdlRICaptureEnd(other, &made));
    ACL_OK(aclmdlRIDestroy(made));
}

// ---- bodies ----

TEST_F(GraphConditionArguments, BadCapturesOfBodies) {
    Bodies bodies;
    int local = 0;
    const Stream third;
    Graph graph = WithTask(kIf, 2, &bodies);
    const aclrtStream body = s_->body;
    ACL_FAILS_SAYING(kInvalid, aclmdlRICaptureToModelRIBegin(body, nullptr, kGlobal), "modelRI is null");
    for (int mode : {-1, 3, INT_MAX})
        ACL_FAILS_SAYING(kInvalid,
                         aclmdlRICaptureToModelRIBegin(body, bodies[0], static_cast<aclmdlRICaptureMode>(mode)),
                         "mode is " + std::to_string(mode));
    for (void* bad : {static_cast<void*>(&local), static_cast<void*>(body)})
        ACL_FAILS_SAYING(kDead, aclmdlRICaptureToModelRIBegin(body, bad, kGlobal), Shown(bad));
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureToModelRIBegin(body, graph, kGlobal), "not the body", Shown(graph));
    ACL_FAILS(kDead, aclmdlRICaptureToModelRIBegin(aclrtStream{&local}, bodies[0], kGlobal));
    ACL_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT, aclmdlRICaptureToModelRIBegin(nullptr, bodies[0], kGlobal));
    OnNewThread([&] { ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRICaptureToModelRIBegin(body, bodies[0], kGlobal)); });
    EXPECT_EQ(StatusOf(body), ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    ACL_OK(aclmdlRICaptureToModelRIBegin(body, bodies[0], kGlobal));
    EXPECT_EQ(GraphOf(body), bodies[0]);
    ACL_FAILS(ACL_ERROR_RT_STREAM_CAPTURED, aclmdlRICaptureToModelRIBegin(body, bodies[1], kGlobal));
    ACL_FAILS_SAYING(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRICaptureToModelRIBegin(third, bodies[0], kGlobal),
                     Shown(bodies[0]));
    ACL_OK(s_->number.Write(1, body));
    aclmdlRI same = nullptr;
    ACL_OK(aclmdlRICaptureEnd(body, &same));
    EXPECT_EQ(same, bodies[0]);
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureToModelRIBegin(body, bodies[0], kGlobal), "once", Shown(bodies[0]));
    ACL_OK(aclmdlRIDestroy(graph.Release()));
    ACL_FAILS_SAYING(kDead, aclmdlRICaptureToModelRIBegin(body, bodies[1], kGlobal), Shown(bodies[1]));
}

// Modes of bodies forbid the same calls as those of other captures. After a violation the body can
// be captured again.
TEST_F(GraphConditionArguments, BodiesCanBeCapturedAgain) {
    Bodies bodies;
    const Graph graph = WithTask(kIf, 1, &bodies);
    uint32_t word = 0;
    ACL_OK(aclmdlRICaptureToModelRIBegin(s_->body, bodies[0], kGlobal));
    const Condition lost(bodies[0], 0);
    const Bodies lost_bodies = AddTask(lost, kIf, 1, s_->body);
    ACL_FAILS(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
              aclrtMemcpy(&word, 4, s_->number.At(), 4, ACL_MEMCPY_DEVICE_TO_HOST));
    EndInvalid(s_->body);
    ACL_FAILS_SAYING(kDead, aclmdlRIExecute(graph, -1), "empty", Shown(bodies[0]));
    // What was captured in it is dropped.
    ACL_FAILS(kDead, aclmdlRICaptureToModelRIBegin(s_->body, lost_bodies[0], kGlobal));
    {
        // The same happens when the stream is destroyed.
        Stream stream;
        ACL_OK(aclmdlRICaptureToModelRIBegin(stream, bodies[0], kGlobal));
        ACL_OK(aclrtDestroyStreamForce(stream.Release()));
    }
    CaptureBody(
        bodies[0], s_->body,
        [&] {
            ACL_OK(aclrtMemcpy(&word, 4, s_->number.At(), 4, ACL_MEMCPY_DEVICE_TO_HOST));
            // The handle can be used again, since its task is gone.
            const Bodies nested = AddTask(lost, kIf, 2, s_->body);
            CaptureBody(nested[0], s_->stream, [] {});
            CaptureBody(nested[1], s_->stream, [&] { ACL_OK(s_->number.Write(8, s_->stream)); });
        },
        kRelaxed);
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(s_->number.Get(), 8);
}

// The mode of a body applies to that capture only.
TEST_F(GraphConditionArguments, BodiesHaveSeparateModes) {
    constexpr auto kThreadLocal = ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL;
    uint32_t word = 0;
    const auto copies = [&] { return aclrtMemcpy(&word, 4, s_->number.At(), 4, ACL_MEMCPY_DEVICE_TO_HOST); };
    Bodies bodies;
    ACL_OK(aclmdlRICaptureBegin(s_->stream, kRelaxed));
    const Condition value(GraphOf(s_->stream), 1);
    bodies = AddTask(value, kIf, 1, s_->stream);
    ACL_OK(aclmdlRICaptureToModelRIBegin(s_->body, bodies[0], kThreadLocal));
    OnNewThread([&] {
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(copies());
        aclmdlRI same = nullptr;
        ACL_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD, aclmdlRICaptureEnd(s_->body, &same));
    });
    EXPECT_EQ(copies(), ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    EndInvalid(s_->body);
    // The outer capture continues, and forbids nothing.
    EXPECT_EQ(StatusOf(s_->stream), ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    ACL_OK(copies());
    Fill(bodies[0]);
    // Neither waits for the other.
    const Event event(ACL_EVENT_SYNC);
    ACL_OK(aclrtRecordEvent(event, s_->stream));
    const Condition second(GraphOf(s_->stream), 1);
    bodies = AddTask(second, kIf, 1, s_->stream);
    ACL_OK(aclmdlRICaptureToModelRIBegin(s_->body, bodies[0], kRelaxed));
    ACL_FAILS(ACL_ERROR_STREAM_CAPTURE_CONFLICT, aclrtStreamWaitEvent(s_->body, event));
    EndInvalid(s_->body);
    EndInvalid(s_->stream);
}

TEST_F(GraphConditionArguments, RunsNeedAllBodies) {
    Bodies bodies;
    const Graph graph = WithTask(kIf, 2, &bodies);
    ACL_FAILS_SAYING(kDead, aclmdlRIExecuteAsync(graph, s_->stream), "empty", Shown(bodies[0]),
                     "aclmdlRICaptureToModelRIBegin");
    Fill(bodies[0]);
    ACL_FAILS_SAYING(kDead, aclmdlRIExecuteAsync(graph, s_->stream), "empty", Shown(bodies[1]));
    ACL_OK(aclmdlRICaptureToModelRIBegin(s_->body, bodies[1], kRelaxed));
    ACL_FAILS_SAYING(ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING, aclmdlRIExecuteAsync(graph, s_->stream),
                     "aclmdlRICaptureEnd", Shown(bodies[1]));
    EXPECT_EQ(s_->number.Get(), 0);
    aclmdlRI same = nullptr;
    ACL_OK(aclmdlRICaptureEnd(s_->body, &same));
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(s_->number.Get(), 1);
    // A loop needs a body with work.
    const Graph loop = WithTask(kWhile, 1, &bodies);
    CaptureBody(bodies[0], s_->body, [] {});
    ACL_FAILS_SAYING(kDead, aclmdlRIExecuteAsync(loop, s_->stream), "never end", Shown(bodies[0]));
}

TEST_F(GraphConditionArguments, UnsupportedCallsForConditionalGraphs) {
    const ExternalEvent outside;
    const DeviceMemory memory(64);
    const auto waits = [&](aclrtStream stream) {
        ACL_OK(aclrtValueWait(memory.At(), 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
    };
    const auto groups = [&](aclrtStream stream) {
        aclrtTaskGrp group = nullptr;
        ACL_OK(aclmdlRICaptureTaskGrpBegin(stream));
        ACL_OK(s_->number.Write(1, stream));
        ACL_OK(aclmdlRICaptureTaskGrpEnd(stream, &group));
    };
    const auto events = [&](aclrtStream stream) { ACL_OK(aclrtStreamWaitEvent(stream, outside)); };
    const std::vector<std::function<void(aclrtStream)>> all = {waits, groups, events};
    for (const auto& submit : all) {
        auto made = Poison<aclmdlRI>();
        Bodies bodies;
        ACL_OK(aclmdlRICaptureBegin(s_->stream, kRelaxed));
        const Condition value(GraphOf(s_->stream), 1);
        bodies = AddTask(value, kIf, 1, s_->stream);
        submit(s_->stream);
        ACL_FAILS_SAYING(kUnsupported, aclmdlRICaptureEnd(s_->stream, &made), "conditional tasks");
        EXPECT_TRUE(IsPoison(made));
        uint32_t id = 0;
        ACL_FAILS(kDead, aclmdlRIGetId(bodies[0], &id));
        const Graph graph = WithTask(kIf, 1, &bodies);
        ACL_OK(aclmdlRICaptureToModelRIBegin(s_->body, bodies[0], kRelaxed));
        submit(s_->body);
        ACL_FAILS_SAYING(kUnsupported, aclmdlRICaptureEnd(s_->body, &made), "conditional tasks");
        Fill(bodies[0]);
        ACL_OK(aclmdlRIExecute(graph, -1));
    }
    Bodies bodies;
    const Graph graph = WithTask(kIf, 1, &bodies);
    ACL_OK(aclmdlRICaptureToModelRIBegin(s_->body, bodies[0], kRelaxed));
    void* pooled = nullptr;
    ACL_FAILS_SAYING(kUnsupported, portaclMallocAsync(&pooled, 64, s_->body), "bodies");
    EndInvalid(s_->body);
}

}  // namespace

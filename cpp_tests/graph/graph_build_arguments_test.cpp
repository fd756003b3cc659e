// What building graphs from bound streams refuses.

#include <cstdint>
#include <limits>
#include <vector>

#include "support/acl_test.h"
#include "support/graph/build.h"
#include "support/graph/graph.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/threads.h"

namespace {

using namespace portacl_test;

using Bytes = std::vector<unsigned char>;
using Words = std::vector<uint32_t>;

using GraphBuild = WithDevice;

TEST_F(GraphBuild, EndlessGraphsAreRefused) {
    const Persistent head, idle;
    const Event event(ACL_EVENT_SYNC);
    const Built graph;
    graph.Bind(idle, kDefault);
    ACL_OK(aclrtRecordEvent(event, idle));
    // Without an end task, and with one that no path reaches.
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildEnd(graph, nullptr), "aclmdlRIEndTask");
    ACL_OK(aclmdlRIEndTask(graph, idle));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildEnd(graph, nullptr), "aclmdlRIEndTask");
    // The graph can still be built.
    graph.Bind(head);
    ACL_OK(aclmdlRIEndTask(graph, head));
    ACL_OK(aclrtStreamWaitEvent(head, event));
    ACL_OK(aclmdlRIBuildEnd(graph, nullptr));
    ACL_OK(aclmdlRIExecute(graph, -1));

    const Persistent waiting, recording;
    const Built other;
    other.Bind(waiting);
    other.Bind(recording, kDefault);
    ACL_OK(aclrtRecordEvent(event, recording));
    ACL_OK(aclrtStreamWaitEvent(waiting, event));
    ACL_OK(aclmdlRIEndTask(other, waiting));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildEnd(other, nullptr), "never end", Shown(waiting),
                     Shown(recording));
}

TEST_F(GraphBuild, OtherStreamsCannotWaitForRecordedWork) {
    const Persistent stream;
    const Stream outside;
    const Event inner(ACL_EVENT_SYNC), outer(ACL_EVENT_SYNC);
    const Built graph;
    graph.Bind(stream);
    ACL_OK(aclrtRecordEvent(inner, stream));
    ACL_FAILS_SAYING(ACL_ERROR_RT_CAPTURE_DEPENDENCY, aclrtStreamWaitEvent(outside, inner), "ACL_STREAM_PERSISTENT",
                     "not bound", Shown(graph));
    ACL_FAILS_SAYING(ACL_ERROR_RT_EVENT_CAPTURED, aclrtSynchronizeEvent(inner), "aclmdlRIBuildEnd");
    // That changed nothing.
    ACL_OK(aclrtMemcpy(&Words(1)[0], 4, &Words(1)[0], 4, ACL_MEMCPY_HOST_TO_HOST));
    ACL_OK(aclrtSynchronizeDevice());
    graph.End(stream);
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_TRUE(IsComplete(inner));

    // A wait for unrecorded work invalidates the graph, as in captures.
    const Persistent second;
    const Built other;
    other.Bind(second);
    ACL_OK(aclrtRecordEvent(outer, outside));
    ACL_FAILS_SAYING(ACL_ERROR_RT_CAPTURE_DEPENDENCY, aclrtStreamWaitEvent(second, outer), "building of modelRI",
                     Shown(other));
    ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclmdlRIEndTask(other, second), "aclmdlRIDestroy");
    ACL_FAILS(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED, aclmdlRIBuildEnd(other, nullptr));
}

TEST_F(GraphBuild, AGraphThatIsBeingBuiltDoesNotRun) {
    const Persistent stream;
    const Stream running;
    const Built graph;
    graph.Bind(stream);
    ACL_FAILS_SAYING(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIExecuteAsync(graph, running), "built", "aclmdlRIBuildEnd");
    ACL_FAILS(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIExecute(graph, -1));
    ACL_FAILS(ACL_ERROR_RT_MODEL_CAPTURED, aclmdlRIAbort(graph));
    ACL_FAILS(ACL_ERROR_RT_SUB_ACLGRAPH_IS_CAPTURING, aclmdlRIExecuteAsync(graph, stream));
    graph.End(stream);
    ACL_OK(aclmdlRIExecuteAsync(graph, running));
    ACL_OK(aclmdlRIAbort(graph));
    (void)aclrtSynchronizeStream(running);
}

TEST_F(GraphBuild, BadGraphsAndStreams) {
    const Persistent stream;
    const Stream plain;
    const Graph captured = Capture(plain, [] {});
    Built ended;
    aclmdlRI dead = ended.Release();
    ACL_OK(aclmdlRIDestroy(dead));
    aclrtStream gone = Persistent().Release();
    ACL_OK(aclrtDestroyStream(gone));
    int local = 0;
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIBindStream(nullptr, stream, kHead));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIUnbindStream(nullptr, stream));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIEndTask(nullptr, stream));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIBuildEnd(nullptr, nullptr));
    for (aclmdlRI bad : {dead, static_cast<aclmdlRI>(static_cast<aclrtStream>(stream)), aclmdlRI{&local},
                         static_cast<aclmdlRI>(captured)}) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBindStream(bad, stream, kHead), Shown(bad));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIUnbindStream(bad, stream), Shown(bad));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIEndTask(bad, stream), Shown(bad));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildEnd(bad, nullptr), Shown(bad));
    }
    const Built graph;
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIBindStream(graph, nullptr, kHead));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIUnbindStream(graph, nullptr));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIEndTask(graph, nullptr));
    for (aclrtStream bad : {gone, static_cast<aclrtStream>(static_cast<aclmdlRI>(graph)), aclrtStream{&local}}) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBindStream(graph, bad, kHead), Shown(bad));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIUnbindStream(graph, bad), Shown(bad));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIEndTask(graph, bad), Shown(bad));
    }
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBindStream(graph, plain, kHead), "ACL_STREAM_PERSISTENT");
    for (aclrtStream unbound : {static_cast<aclrtStream>(plain), static_cast<aclrtStream>(stream)}) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_MODEL, aclmdlRIUnbindStream(graph, unbound), "not bound");
        ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_MODEL, aclmdlRIEndTask(graph, unbound), "not bound");
    }
}

TEST_F(GraphBuild, BadFlagsAndStates) {
    const Persistent stream, second;
    constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
    auto made = Poison<aclmdlRI>();
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclmdlRIBuildBegin(nullptr, 0));
    for (uint32_t flag : {1u, kDefault, kMost})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclmdlRIBuildBegin(&made, flag), "flag");
    EXPECT_TRUE(IsPoison(made));
    const Built graph, other;
    for (uint32_t flag : {1u, kDefault - 1, kDefault + 1, kMost})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclmdlRIBindStream(graph, stream, flag), "flag", "0x7fffffff");
    graph.Bind(stream);
    for (aclmdlRI any : {static_cast<aclmdlRI>(graph), static_cast<aclmdlRI>(other)})
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBindStream(any, stream, kHead), "already", Shown(stream));
    ACL_FAILS(ACL_ERROR_RT_STREAM_MODEL, aclmdlRIEndTask(other, stream));
    int local = 0;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclmdlRIBuildEnd(graph, &local), "reserve", Shown(&local));
    graph.End(stream);
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBuildEnd(graph, nullptr), "built");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIBindStream(graph, second, kHead), "built");
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIEndTask(graph, stream), "built");
}

TEST_F(GraphBuild, OtherThreadsAndDevices) {
    const Persistent stream;
    const Built graph;
    OnNewThread([&] {
        auto made = Poison<aclmdlRI>();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRIBuildBegin(&made, 0));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRIBindStream(graph, stream, kHead));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRIEndTask(graph, stream));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclmdlRIUnbindStream(graph, stream));
    });
    OnNewThread([&] {
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(aclmdlRIBindStream(graph, stream, kHead));
        ACL_OK(aclrtResetDevice(0));
    });
    if (DeviceCount() > 1) {
        ACL_OK(aclrtSetDevice(1));
        {
            const Persistent there;
            ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_CONTEXT, aclmdlRIBindStream(graph, there, kHead), "device 0",
                             "device 1");
            ACL_FAILS(ACL_ERROR_RT_STREAM_CONTEXT, aclmdlRIEndTask(graph, stream));
            ACL_FAILS(ACL_ERROR_RT_STREAM_CONTEXT, aclmdlRIUnbindStream(graph, stream));
        }
        ACL_OK(aclrtResetDevice(1));
        ACL_OK(aclrtSetDevice(0));
    }
    graph.End(stream);
}

TEST_F(GraphBuild, RefusedInsideAHostFunction) {
    struct BuildCalls {
        aclmdlRI graph;
        aclrtStream stream;
        aclError codes[5];
    };
    const Stream running;
    const Persistent stream;
    const Built graph;
    BuildCalls state{graph, stream, {}};
    ACL_OK(aclrtLaunchHostFunc(
        running,
        [](void* argument) {
            auto* s = static_cast<BuildCalls*>(argument);
            aclmdlRI made = nullptr;
            s->codes[0] = aclmdlRIBuildBegin(&made, 0);
            s->codes[1] = aclmdlRIBindStream(s->graph, s->stream, kHead);
            s->codes[2] = aclmdlRIUnbindStream(s->graph, s->stream);
            s->codes[3] = aclmdlRIEndTask(s->graph, s->stream);
            s->codes[4] = aclmdlRIBuildEnd(s->graph, nullptr);
        },
        &state));
    ACL_OK(aclrtSynchronizeStream(running));
    for (aclError code : state.codes) EXPECT_EQ(code, ACL_ERROR_RT_PARAM_INVALID);
}

}  // namespace

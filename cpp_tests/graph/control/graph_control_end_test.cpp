// Graphs with control flow that end before they complete, and failures in them.

#include "support/acl_test.h"
#include "support/fault.h"
#include "support/gate.h"
#include "support/graph/build.h"
#include "support/graph/control.h"
#include "support/graph/run.h"
#include "support/objects.h"
#include "support/says.h"

namespace {

using namespace portacl_test;

using GraphControl = WithDevice;

TEST_F(GraphControl, AbortEndsAnEndlessLoop) {
    const Stream running;
    const Endless endless;
    ACL_OK(aclmdlRIExecuteAsync(endless.graph, running));
    ACL_OK(aclmdlRIExecuteAsync(endless.graph, running));
    endless.AwaitRounds();
    EXPECT_FALSE(IsIdle(running));
    ACL_FAILS_SAYING(ACL_ERROR_RT_MODEL_RUNNING, aclmdlRIDestroy(endless.graph), Shown(endless.graph));
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
    endless.AwaitEnd();
}

TEST(GraphControlTeardown, ResetEndsAnEndlessLoop) {
    for (int session = 0; session < 2; ++session) {
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        aclrtStream running = nullptr;
        ACL_OK(aclrtCreateStream(&running));
        auto* endless = new Endless;
        ACL_OK(aclmdlRIExecuteAsync(endless->graph, running));
        endless->AwaitRounds();
        if (session == 0) {
            ACL_FAILS(ACL_ERROR_RT_STREAM_ABORT, aclrtResetDevice(0));
            ACL_OK(aclFinalize());
        } else {
            ACL_FAILS(ACL_ERROR_RT_STREAM_ABORT, aclFinalize());
        }
        (void)endless->graph.Release();
        (void)endless->inner.Release();
        operator delete(endless);  // the graph's objects are gone
    }
}

TEST_F(GraphControl, AWaitForAnUnrecordedEventEndsTheRun) {
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
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(running), "did not end", Shown(graph),
                         Shown(right));
    }
    EXPECT_EQ(log.Size(), 0u);
}

// The first call of stream.run_graph submits an empty graph after the run, and the first three
// copies set the numbers. So these calls are in the second or third iteration of the loop.
TEST(GraphControlFault, FailuresInAnIterationEndTheRun) {
    for (const char* fault : {"stream.run_graph:3:later", "stream.run_graph:3", "device.copy:6"}) {
        SCOPED_TRACE(fault);
        const Fault armed(fault);
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        {
            const Stream running;
            const Persistent stream;
            const Number one(1), limit(1 << 30), count;
            const Built graph;
            graph.Bind(stream);
            ACL_OK(aclrtMemsetAsync(one.At(), 4, 0, 4, stream));
            ACL_OK(Switch(count, ACL_RT_LESS, limit, stream, nullptr, stream));
            graph.End(stream);
            ExpectAFaultEndsTheRun(graph, running);
        }
        ACL_OK(aclrtResetDevice(0));
        ACL_OK(aclFinalize());
    }
}

}  // namespace

// A run of a graph that its stream has dropped touches no memory.
#include <thread>

#include "support/acl_test.h"
#include "support/graph/control.h"
#include "support/own_process.h"

namespace {

using namespace portacl_test;

using GraphDropped = WithDevice;

}  // namespace

// On CPUs an abort waits for operations that have begun. A GPU completes what its driver holds.
TEST_F(GraphDropped, AnAbortedRunTouchesNoMemory) {
    for (int i = 0; i < 20; ++i) {
        const Stream running;
        const Endless endless;
        ACL_OK(aclmdlRIExecuteAsync(endless.graph, running));
        endless.AwaitRounds();
        ACL_OK(aclrtStreamAbort(running));
        if (OnCpu()) {
            const int32_t rounds = endless.count.Get();
            ACL_OK(aclmdlRIUnbindStream(endless.graph, endless.inner));
            std::this_thread::yield();
            EXPECT_EQ(endless.count.Get(), rounds);
        } else {
            endless.AwaitEnd();
        }
    }
}

// Destroying a stream by force waits for nothing: the run may still use memory that is freed.
TEST_F(GraphDropped, FreedMemoryStaysMappedUntilADroppedRunHasEnded) {
    for (int i = 0; i < 20; ++i) {
        Stream running;
        Endless endless;
        ACL_OK(aclmdlRIExecuteAsync(endless.graph, running));
        endless.AwaitRounds();
        ACL_OK(aclrtDestroyStreamForce(running.Release()));
        for (Number* number : {&endless.count, &endless.one, &endless.zero}) number->Free();
        endless.AwaitEnd();
    }
}

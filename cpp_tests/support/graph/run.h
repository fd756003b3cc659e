// Expectations about runs of all kinds of graphs.
#pragma once

#include <acl/acl.h>

#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

namespace portacl_test {

// Checks that a run waits for the previous one, which waits for a gate in its stream. A run appends 1.
inline void ExpectARunWaitsForTheOneBefore(aclmdlRI graph, aclrtStream first, aclrtStream second, Log& log) {
    Gate gate;
    ACL_OK(gate.Hold(first));
    ACL_OK(aclmdlRIExecuteAsync(graph, first));
    ACL_OK(aclmdlRIExecuteAsync(graph, second));
    ACL_OK(log.Append(second, 2));
    ASSERT_TRUE(gate.AwaitArrival());
    EXPECT_EQ(log.Size(), 0u);
    EXPECT_FALSE(IsIdle(second));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(second));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 1, 2}));
    ACL_OK(aclrtSynchronizeStream(first));
}

// Checks that an aborted run leaves out the rest of its tasks, if the device supports it, and that the next run is
// complete. A run appends one number.
inline void ExpectAbortSkipsTheRest(aclmdlRI graph, aclrtStream stream, Log& log) {
    if (OnCpu()) {
        ACL_FAILS_SAYING(ACL_ERROR_RT_STREAM_ABORT, aclrtSynchronizeStream(stream), "aclmdlRIAbort");
        EXPECT_EQ(log.Size(), 0u);
    } else {
        ACL_OK(aclrtSynchronizeStream(stream));
    }
    const size_t before = log.Size();
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Size(), before + 1);
}

// Checks that a failure from PORTACL_FAULT ends a run that would not end by itself, and that its stream continues.
inline void ExpectAFaultEndsTheRun(aclmdlRI graph, aclrtStream stream) {
    Log log;
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(log.Append(stream, 1));
    EXPECT_NE(aclrtSynchronizeStreamWithTimeout(stream, 30000), ACL_SUCCESS);
    const std::string text = TakeText();
    EXPECT_NE(text.find("PORTACL_FAULT"), std::string::npos) << text;
    EXPECT_EQ(log.Size(), 1u);
    ACL_OK(aclrtSynchronizeStream(stream));
}

}  // namespace portacl_test

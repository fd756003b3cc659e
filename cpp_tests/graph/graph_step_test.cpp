// What the stream of a graph does between the graph's parts: values, notifies, and copies whose
// addresses are in memory.
#include <cstdint>
#include <string>
#include <vector>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/graph/run.h"
#include "support/objects.h"
#include "support/says.h"
#include "support/stream/notify.h"

namespace {

using namespace portacl_test;

using GraphStep = WithDevice;
using Numbers = std::vector<int>;
using Bytes = std::vector<unsigned char>;

TEST_F(GraphStep, ValuesAreWrittenAndWaitedForInEachRun) {
    NEEDS_QUEUES(2);
    const Stream stream, other;
    const DeviceMemory words(std::vector<uint64_t>{0, 0});
    Log log;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(log.Append(stream, 1));
        ACL_OK(aclrtValueWrite(words.At(), 1, 0, stream));
        ACL_OK(aclrtValueWait(words.At(8), 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
        ACL_OK(aclrtValueWrite(words.At(8), 0, 0, stream));
        ACL_OK(log.Append(stream, 3));
    });
    EXPECT_EQ(words.Download<uint64_t>(), (std::vector<uint64_t>{0, 0}));
    Numbers wanted;
    for (int run = 0; run < 3; ++run) {
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtValueWait(words.At(), 1, ACL_STREAM_WAIT_VALUE_EQ, other));
        ACL_OK(aclrtValueWrite(words.At(), 0, 0, other));
        ACL_OK(log.Append(other, 2));
        ACL_OK(aclrtSynchronizeStream(other));
        EXPECT_FALSE(IsIdle(stream));
        ACL_OK(aclrtValueWrite(words.At(8), 1, 0, other));
        ACL_OK(aclrtSynchronizeStream(stream));
        wanted.insert(wanted.end(), {1, 2, 3});
        EXPECT_EQ(log.Numbers(), wanted);
    }
    EXPECT_EQ(words.Download<uint64_t>(), (std::vector<uint64_t>{0, 0}));
}

TEST_F(GraphStep, NotifiesAreRecordedAndConsumedInEachRun) {
    NEEDS_QUEUES(2);
    const Stream stream, other;
    const Notify asked, answered;
    Log log;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(log.Append(stream, 1));
        ACL_OK(aclrtRecordNotify(asked, stream));
        ACL_OK(aclrtWaitAndResetNotify(answered, stream, 0));
        ACL_OK(log.Append(stream, 3));
    });
    Numbers wanted;
    for (int run = 0; run < 3; ++run) {
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtWaitAndResetNotify(asked, other, 0));
        ACL_OK(log.Append(other, 2));
        ACL_OK(aclrtRecordNotify(answered, other));
        ACL_OK(aclrtSynchronizeStream(stream));
        wanted.insert(wanted.end(), {1, 2, 3});
        EXPECT_EQ(log.Numbers(), wanted);
    }
    // Its timeout applies.
    const Graph limited = Capture(stream, [&] { ACL_OK(aclrtWaitAndResetNotify(answered, stream, 1)); });
    ACL_OK(aclmdlRIExecuteAsync(limited, stream));
    ACL_FAILS(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(stream));
}

TEST_F(GraphStep, CountsChangeInEachRun) {
    NEEDS_QUEUES(8);
    const Stream stream, other;
    const CntNotify count;
    Log log;
    aclrtCntNotifyRecordInfo add = {};
    add.mode = ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE;
    add.value = 2;
    const Graph graph = Capture(stream, [&] { ACL_OK(aclrtCntNotifyRecord(count, stream, &add)); });
    aclrtCntNotifyWaitInfo six = {};
    six.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;
    six.value = 6;
    ACL_OK(aclrtCntNotifyWaitWithTimeout(count, other, &six));
    ACL_OK(log.Append(other, 1));
    for (int run = 0; run < 3; ++run) {
        EXPECT_EQ(log.Size(), 0u);
        ACL_OK(aclmdlRIExecute(graph, -1));
    }
    ACL_OK(aclrtSynchronizeStream(other));
    EXPECT_EQ(log.Size(), 1u);
}

TEST_F(GraphStep, IndirectCopiesReadTheirPlacesInEachRun) {
    const Stream stream;
    const DeviceMemory first(Bytes(64, 1)), second(Bytes(64, 2)), out(Bytes(128, 0));
    DeviceMemory from(std::vector<void*>{first.At()}), to(std::vector<void*>{out.At()});
    size_t size = 0;
    ACL_OK(aclrtGetMemcpyDescSize(ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, &size));
    const DeviceMemory description(size);
    ACL_OK(
        aclrtSetMemcpyDesc(description.At(), ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, first.At(), out.At(64), 64, nullptr));
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtMemsetAsync(out.At(), 128, 0, 128, stream));
        ACL_OK(aclrtMemcpyAsyncWithOffset(static_cast<void**>(to.At()), 64, 8, static_cast<const void**>(from.At()), 16,
                                          0, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream));
        ACL_OK(aclrtMemcpyAsyncWithDesc(description.At(), ACL_MEMCPY_INNER_DEVICE_TO_DEVICE, stream));
    });
    Bytes wanted(128, 0);
    std::fill(wanted.begin() + 8, wanted.begin() + 24, 1);
    std::fill(wanted.begin() + 64, wanted.end(), 1);
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(out.Download(), wanted);
    from.Upload(std::vector<void*>{second.At()});
    std::fill(wanted.begin() + 8, wanted.begin() + 24, 2);
    ACL_OK(aclmdlRIExecute(graph, -1));
    EXPECT_EQ(out.Download(), wanted);
}

// Steps between the parts belong to the run: another run begins after it, in whichever stream.
TEST_F(GraphStep, RunsDoNotOverlap) {
    NEEDS_QUEUES(8);
    const Stream first, second;
    const Notify go;
    Log log;
    const Graph graph = Capture(first, [&] {
        ACL_OK(log.Append(first, 1));
        ACL_OK(aclrtWaitAndResetNotify(go, first, 0));
        ACL_OK(log.Append(first, 2));
    });
    ACL_OK(aclmdlRIExecuteAsync(graph, first));
    ACL_OK(aclmdlRIExecuteAsync(graph, second));
    ACL_FAILS(ACL_ERROR_RT_MODEL_RUNNING, aclmdlRIDestroy(graph));
    const Stream other;
    ACL_OK(aclrtRecordNotify(go, other));
    ACL_OK(aclrtSynchronizeStream(first));
    ACL_OK(aclrtRecordNotify(go, other));
    ACL_OK(aclrtSynchronizeStream(second));
    EXPECT_EQ(log.Numbers(), (Numbers{1, 2, 1, 2}));
}

// An abort of the stream drops the rest of a run, and the graph can run again.
TEST_F(GraphStep, AbortsOfTheStreamEndRuns) {
    const Stream stream, other;
    const Notify go;
    Log log;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtWaitAndResetNotify(go, stream, 0));
        ACL_OK(log.Append(stream, 1));
    });
    if (!OnCpu()) GTEST_SKIP() << "for CPUs only: a driver drops nothing that is queued";
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtStreamAbort(stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Size(), 0u);
    ACL_OK(aclrtRecordNotify(go, stream));
    ACL_OK(aclmdlRIExecuteAsync(graph, other));
    ACL_OK(aclrtSynchronizeStream(other));
    EXPECT_EQ(log.Size(), 1u);
}

// Aborting the graph ends no wait: it skips the work after the wait, if the device can.
TEST_F(GraphStep, AbortsOfTheGraphSkipWorkAfterAWait) {
    NEEDS_QUEUES(2);
    const Stream stream, other;
    const DeviceMemory word(std::vector<uint64_t>{0});
    Log log;
    const Graph graph = Capture(stream, [&] {
        ACL_OK(aclrtValueWait(word.At(), 1, ACL_STREAM_WAIT_VALUE_EQ, stream));
        ACL_OK(log.Append(stream, 1));
    });
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclmdlRIAbort(graph));
    EXPECT_FALSE(IsIdle(stream));
    ACL_OK(aclrtValueWrite(word.At(), 1, 0, other));
    ExpectAbortSkipsTheRest(graph, stream, log);
}

TEST_F(GraphStep, FreedMemoryIsDetected) {
    const Stream stream;
    DeviceMemory word(8);
    const Graph graph = Capture(stream, [&] { ACL_OK(aclrtValueWrite(word.At(), 1, 0, stream)); });
    void* address = word.Release();
    ACL_OK(aclrtFree(address));
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclmdlRIExecuteAsync(graph, stream), Shown(address), "freed");
}

// Graphs with steps can be nested.
TEST_F(GraphStep, GraphsWithStepsMayBeNested) {
    const Stream stream;
    const Notify notify;
    Log log;
    const Graph inner = Capture(stream, [&] {
        ACL_OK(log.Append(stream, 1));
        ACL_OK(aclrtRecordNotify(notify, stream));
    });
    const Graph outer = Capture(stream, [&] {
        ACL_OK(aclmdlRIExecuteAsync(inner, stream));
        ACL_OK(aclrtWaitAndResetNotify(notify, stream, 0));
        ACL_OK(log.Append(stream, 2));
    });
    ACL_OK(aclmdlRIExecute(outer, -1));
    ACL_OK(aclmdlRIExecute(outer, -1));
    EXPECT_EQ(log.Numbers(), (Numbers{1, 2, 1, 2}));
}

}  // namespace

// Work that programs enqueue ahead, behind runs in which the library submits work: more than a queue of a driver holds.

#include <memory>
#include <thread>
#include <vector>

#include "graph/group/graph_group.h"
#include "support/acl_test.h"
#include "support/gate.h"
#include "support/graph/build.h"
#include "support/graph/control.h"
#include "support/graph/run.h"
#include "support/objects.h"

namespace {

using namespace portacl_test;

// More than the host functions and records that a queue holds, and more than all operations.
constexpr int kRecords = 200, kFills = 1200;

// A graph that adds 1 to `count` as often as `limit` says.
struct Loop {
    explicit Loop(int32_t most) : limit(most) { BuildLoop(graph, inner, count, one, limit); }
    Persistent inner;
    // support/transfer/random_num.h has a function of this name.
    class Number count, one{1}, limit;
    Built graph;
};

class GraphAhead : public GraphGroup {
  protected:
    // Holds `stream` until the program has had time to fill the queue.
    void HoldForAWhile(aclrtStream stream) {
        ACL_OK(gate_.Hold(stream));
        opener_ = std::thread([this] {
            (void)gate_.AwaitArrival();
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            gate_.Open();
        });
    }

    void TearDown() override {
        if (opener_.joinable()) opener_.join();
        GraphGroup::TearDown();
    }

  private:
    Gate gate_;
    std::thread opener_;
};

TEST_F(GraphAhead, ManyRunsWithControlFlow) {
    const Stream stream;
    const Loop loop(1);
    for (int run = 0; run < kRecords; ++run) ACL_OK(aclmdlRIExecuteAsync(loop.graph, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(loop.count.Get(), kRecords);
}

TEST_F(GraphAhead, ManyRunsOnSeveralThreads) {
    constexpr int kThreads = 4, kRuns = 12;
    const Loop loop(1);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            ACL_OK(aclrtSetDevice(0));
            const Stream stream;
            for (int run = 0; run < kRuns; ++run) ACL_OK(aclmdlRIExecuteAsync(loop.graph, stream));
            ACL_OK(aclrtSynchronizeStream(stream));
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(loop.count.Get(), kThreads * kRuns);
}

TEST_F(GraphAhead, HostFunctionsAndRecordsBehindControlFlow) {
    const Stream stream;
    const Loop loop(10);
    const Event event(ACL_EVENT_SYNC);
    Log log;
    HoldForAWhile(stream);
    ACL_OK(aclmdlRIExecuteAsync(loop.graph, stream));
    for (int i = 0; i < kRecords; ++i) {
        ACL_OK(aclrtRecordEvent(event, stream));
        ACL_OK(log.Append(stream, i));
    }
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(loop.count.Get(), 10);
    EXPECT_EQ(log.Size(), size_t{kRecords});
}

TEST_F(GraphAhead, FillsBehindControlFlow) {
    const Stream stream;
    const Loop loop(10);
    HoldForAWhile(stream);
    ACL_OK(aclmdlRIExecuteAsync(loop.graph, stream));
    for (int i = 0; i < kFills; ++i) ACL_OK(Fill(stream, i % 251));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(loop.count.Get(), 10);
    EXPECT_EQ(Byte(), (kFills - 1) % 251);
}

TEST_F(GraphAhead, HostFunctionsAndRecordsBehindATaskGroup) {
    const Stream stream;
    aclrtTaskGrp group = nullptr;
    const Graph graph = FillGraph(stream, 7, &group);
    const Event event(ACL_EVENT_SYNC);
    Log log;
    HoldForAWhile(stream);
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    for (int i = 0; i < kRecords; ++i) {
        ACL_OK(aclrtRecordEvent(event, stream));
        ACL_OK(log.Append(stream, i));
    }
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(Byte(), 7);
    EXPECT_EQ(log.Size(), size_t{kRecords});
}

TEST_F(GraphAhead, ManyRunsWithTaskGroups) {
    const Stream stream;
    aclrtTaskGrp group = nullptr;
    const Graph graph = FillGraph(stream, 7, &group);
    HoldForAWhile(stream);
    for (int run = 0; run < kRecords; ++run) ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(Byte(), 7);
}

}  // namespace

// Work that programs enqueue ahead, behind runs in which the library submits work: more than a queue of a driver holds.

#include <atomic>
#include <memory>
#include <optional>
#include <string>
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
// A queue takes more than this number of records.
constexpr int kSomeFit = 40;

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

TEST_F(GraphAhead, PoolMemoryBehindControlFlow) {
    const Stream stream;
    const Loop loop(10);
    std::vector<void*> blocks(kFills / 2);
    HoldForAWhile(stream);
    ACL_OK(aclmdlRIExecuteAsync(loop.graph, stream));
    for (void*& block : blocks) ACL_OK(portaclMallocAsync(&block, 4096, stream));
    for (void* block : blocks) ACL_OK(portaclFreeAsync(block, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(loop.count.Get(), 10);
}

// The driver gets none of these but the first, so they take no room. Nothing opens the gate meanwhile.
TEST_F(GraphAhead, PoolMemoryThatIsReusedBehindControlFlow) {
    const Stream stream;
    const Loop loop(10);
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclmdlRIExecuteAsync(loop.graph, stream));
    for (int i = 0; i < 2 * kFills; ++i) {
        void* block = nullptr;
        ACL_OK(portaclMallocAsync(&block, 4096, stream));
        ACL_OK(portaclFreeAsync(block, stream));
    }
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(loop.count.Get(), 10);
}

// The same thread opens the gate afterwards: no call with a timeout waits longer.
TEST_F(GraphAhead, TimeoutsBehindControlFlow) {
    if (OnCpu()) GTEST_SKIP() << "for CUDA only: a queue on CPUs has no limit";
    const Loop loop(10), other(1);
    const Event event(ACL_EVENT_SYNC);
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCtxGetCurrentDefaultStream(&stream));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ACL_OK(aclmdlRIExecuteAsync(loop.graph, stream));
    // A wait behind each of these, with a record of its own, would fill the queue.
    for (int i = 0; i < 2 * kSomeFit; ++i) {
        if (i < kSomeFit) {
            ACL_OK(aclrtRecordEvent(event, stream));
        }
        ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(stream, 1));
    }
    int launched = 0;
    for (; launched < kSomeFit; ++launched) {
        ASSERT_EQ(ACL_ON_PURPOSE(aclmdlRIExecute(other.graph, 1)), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        if (std::string(aclGetRecentErrMsg()).find("was not launched") != std::string::npos) break;
    }
    EXPECT_LT(launched, kSomeFit);
    gate.Open();
    ACL_OK(aclmdlRIExecute(other.graph, 30000));
    EXPECT_EQ(other.count.Get(), launched + 1);
    EXPECT_EQ(loop.count.Get(), 10);
}

// Calls for a graph while another thread waits until its run fits behind control flow. Nothing opens the gate
// meanwhile.
class WaitingLaunch : public GraphAhead {
  protected:
    static constexpr aclError kWaits = -1;

    struct Held {
        const Stream stream, capturing;
        const Loop loop{10};
        // To create it needs a stream, which may wait for a queue.
        Loop other{1};
        const Event event{ACL_EVENT_SYNC};
        Gate gate;
    };

    void SetUp() override {
        GraphAhead::SetUp();
        if (OnCpu()) GTEST_SKIP() << "for CUDA only: a queue on CPUs has no limit";
        held_.emplace();
        ACL_OK(held_->gate.Hold(held_->stream));
        ACL_OK(aclmdlRIExecuteAsync(held_->loop.graph, held_->stream));
        filling_ = std::thread([this] {
            ACL_OK(aclrtSetDevice(0));
            for (int i = 0; i < kRecords; ++i) {
                ACL_OK(aclrtRecordEvent(held_->event, held_->stream));
                ++recorded_;
            }
        });
        // It waits when the count stays the same.
        for (int before = -1; recorded_ < kSomeFit || before != recorded_;) {
            before = recorded_;
            Pause();
        }
        EXPECT_LT(recorded_, kRecords);
    }

    void TearDown() override {
        held_.reset();
        GraphAhead::TearDown();
    }

    void Launch(aclmdlRI graph) {
        launching_ = std::thread([this, graph] {
            ACL_OK(aclrtSetDevice(0));
            is_launching_ = true;
            launched_ = aclmdlRIExecuteAsync(graph, held_->stream);
        });
        while (!is_launching_) Pause();
        Pause();
    }

    void End() {
        held_->gate.Open();
        filling_.join();
        launching_.join();
        ACL_OK(aclrtSynchronizeStream(held_->stream));
    }

    // Calls for a graph before its first run, which another thread enqueues meanwhile.
    void Use(aclmdlRI graph) {
        char name[8];
        ACL_OK(aclmdlRIGetName(graph, sizeof name, name));
        for (const aclrtStream recorded : StreamsOf(graph)) EXPECT_FALSE(TasksOf(recorded).empty());
        ACL_OK(aclmdlRIUpdate(graph));
        EXPECT_EQ(launched_, kWaits);
        ACL_OK(aclmdlRIDestroy(graph));
    }

    Loop& Other() { return held_->other; }
    aclrtStream Capturing() const { return held_->capturing; }

    std::atomic<aclError> launched_{kWaits};

  private:
    static void Pause() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

    std::optional<Held> held_;
    std::atomic<int> recorded_{0};
    std::atomic<bool> is_launching_{false};
    std::thread filling_, launching_;
};

TEST_F(WaitingLaunch, LeavesTheGraphToOtherCalls) {
    Graph graph = Capture(Capturing(), [&] { ACL_OK(Fill(Capturing(), 3)); });
    Launch(graph);
    Use(graph.Release());
    End();
    EXPECT_EQ(launched_, kDead);
}

TEST_F(WaitingLaunch, LeavesAGraphOfSeveralPartsToOtherCalls) {
    aclrtTaskGrp group = nullptr;
    Graph graph = FillGraph(Capturing(), 3, &group);
    Launch(graph);
    Change(Capturing(), group, [&] { ACL_OK(Fill(Capturing(), 4)); });
    Use(graph.Release());
    End();
    EXPECT_EQ(launched_, kDead);
}

TEST_F(WaitingLaunch, LeavesAGraphWithControlFlowToOtherCalls) {
    Launch(Other().graph);
    Use(Other().graph.Release());
    End();
    EXPECT_EQ(launched_, kDead);
    EXPECT_EQ(Other().count.Get(), 0);
}

TEST_F(WaitingLaunch, RunsWhatTheGraphIsThen) {
    const Graph graph = Capture(Capturing(), [&] { ACL_OK(Fill(Capturing(), 3)); });
    Launch(graph);
    ACL_OK(aclmdlRIUpdate(graph));
    EXPECT_EQ(launched_, kWaits);
    End();
    EXPECT_EQ(launched_, 0);
    EXPECT_EQ(Byte(), 3);
}

}  // namespace

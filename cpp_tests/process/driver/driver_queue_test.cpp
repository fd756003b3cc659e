// A call that waits inside the driver, because the queue of its stream is full of another stream's work: it ends when
// that stream goes on, and the library holds no lock that other calls need. On the test double, which lets other calls
// of a context continue for that.
#include <portacl/portacl.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "support/base/cuda_driver.h"
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/objects.h"
#include "support/own_process.h"

using namespace portacl_test;

namespace {

constexpr int kRecords = 60;
constexpr size_t kSize = 4096;

unsigned WaitingCalls() {
    return DriverFunction<unsigned (*)()>("fakeCudaBlockedCalls")();
}

// With two queues: `behind` shares the queue of `held`, which waits for a gate, and `free` has the other one.
struct TwoQueues {
    const Session session;
    const Stream held, free, behind;
    const Event event{ACL_EVENT_SYNC};
    const DeviceMemory memory{kSize};
    const Graph graph = Capture(free, [this] { ACL_OK(aclrtMemsetAsync(memory.At(), kSize, 1, kSize, free)); });
    Gate gate;
};

// Makes `call` wait inside the driver, and another thread make `others` meanwhile. Opens the gate afterwards, or when
// that takes long.
void ExpectOthersGoOn(TwoQueues& world, const std::function<void()>& call, const std::function<void()>& others) {
    ACL_OK(world.gate.Hold(world.held));
    ASSERT_TRUE(world.gate.AwaitArrival());
    std::atomic<bool> has_called{false}, have_ended{false};
    std::thread calling([&] {
        ACL_OK(aclrtSetDevice(0));
        call();
        has_called = true;
    });
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (WaitingCalls() == 0 && !has_called && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    EXPECT_EQ(WaitingCalls(), 1);
    std::thread other([&] {
        ACL_OK(aclrtSetDevice(0));
        others();
        have_ended = true;
    });
    while (!have_ended && std::chrono::steady_clock::now() < until) std::this_thread::yield();
    EXPECT_TRUE(have_ended);
    EXPECT_FALSE(has_called);
    world.gate.Open();
    calling.join();
    other.join();
    ACL_OK(aclrtSynchronizeDevice());
}

// Calls that need nothing of the full queue.
void CallOthers(const TwoQueues& world) {
    auto recorded = Poison<aclrtEventRecordedStatus>();
    ACL_OK(aclrtQueryEventStatus(world.event, &recorded));
    for (const aclrtStream stream : {aclrtStream(world.held), aclrtStream(world.behind)}) {
        auto status = Poison<aclrtStreamStatus>();
        ACL_OK(aclrtStreamQuery(stream, &status));
        EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
    }
    const DeviceMemory memory(std::vector<int32_t>(kSize / 4, 7));
    const PinnedMemory pinned(kSize, 0);
    const Event other(ACL_EVENT_SYNC);
    void* block = nullptr;
    ACL_OK(portaclMallocAsync(&block, kSize, world.free));
    ACL_OK(aclrtMemsetAsync(block, kSize, 1, kSize, world.free));
    ACL_OK(portaclFreeAsync(block, world.free));
    ACL_OK(aclmdlRIExecuteAsync(world.graph, world.free));
    ACL_OK(aclmdlRIUpdate(world.graph));
    ACL_OK(aclrtRecordEvent(other, world.free));
    ACL_OK(aclrtSynchronizeEvent(other));
    ACL_OK(aclrtSynchronizeStream(world.free));
    EXPECT_EQ(memory.Download<int32_t>(), std::vector<int32_t>(kSize / 4, 7));
}

}  // namespace

// clang-format off
#define TWO_BOUNDED_QUEUES {"FAKE_CUDA_BLOCKING", "0"}, {"FAKE_CUDA_CONNECTIONS", "2"}
// clang-format on

OWN_PROCESS_TEST(DriverQueue, ARecordThatWaitsHoldsUpNoOtherCall, TWO_BOUNDED_QUEUES) {
    TwoQueues world;
    const auto record = [&] {
        for (int i = 0; i < kRecords; ++i) ACL_OK(aclrtRecordEvent(world.event, world.behind));
    };
    ExpectOthersGoOn(world, record, [&] { CallOthers(world); });
}

OWN_PROCESS_TEST(DriverQueue, AHostFunctionThatWaitsHoldsUpNoOtherCall, TWO_BOUNDED_QUEUES) {
    TwoQueues world;
    Log log;
    const auto append = [&] {
        for (int i = 0; i < kRecords; ++i) ACL_OK(log.Append(world.behind, i));
    };
    ExpectOthersGoOn(world, append, [&] { CallOthers(world); });
    EXPECT_EQ(log.Size(), size_t{kRecords});
}

OWN_PROCESS_TEST(DriverQueue, AnAllocationThatWaitsHoldsUpNoOtherCall, TWO_BOUNDED_QUEUES) {
    TwoQueues world;
    std::vector<void*> blocks(1200);
    const auto allocate = [&] {
        for (void*& block : blocks) ACL_OK(portaclMallocAsync(&block, kSize, world.behind));
    };
    ExpectOthersGoOn(world, allocate, [&] { CallOthers(world); });
    for (void* block : blocks) ACL_OK(portaclFreeAsync(block, world.behind));
    ACL_OK(aclrtSynchronizeStream(world.behind));
}

// The graph is the one that other calls use.
OWN_PROCESS_TEST(DriverQueue, ALaunchThatWaitsHoldsUpNoOtherCall, TWO_BOUNDED_QUEUES) {
    TwoQueues world;
    const auto launch = [&] {
        for (int i = 0; i < kRecords; ++i) ACL_OK(aclmdlRIExecuteAsync(world.graph, world.behind));
    };
    const auto others = [&] {
        char name[8];
        ACL_OK(aclmdlRIGetName(world.graph, sizeof name, name));
        for (const aclrtStream recorded : StreamsOf(world.graph)) EXPECT_EQ(TasksOf(recorded).size(), 1);
        ACL_FAILS(ACL_ERROR_RT_MODEL_RUNNING, aclmdlRIDestroy(world.graph));
    };
    ExpectOthersGoOn(world, launch, others);
}

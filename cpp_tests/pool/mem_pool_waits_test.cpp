// A device without memory, and frees ordered after work that needs another process or the program:
// an allocation does not wait for those, and waits for all other frees.

#include "pool/small_device.h"
#include "support/gate.h"
#include "support/graph/graph.h"
#include "support/pool/shared_pool.h"
#include "support/stream/notify.h"
#include "support/stream/reporter.h"

using namespace portacl_test;

namespace {

constexpr size_t kSmallDevice = 256 * kMiB, kMost = 200 * kMiB, kMore = 150 * kMiB;

const Settings kSmall = SmallDevice(kSmallDevice);

constexpr size_t kRoom = 65;

struct Key {
    char text[kRoom];
};

Key Export(aclrtNotify notify) {
    auto key = Poison<Key>();
    ExpectOk("aclrtNotifyGetExportKey",
             aclrtNotifyGetExportKey(notify, key.text, kRoom, ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
    return key;
}

aclrtIpcEventHandle Export(const Event& event) {
    auto handle = Poison<aclrtIpcEventHandle>();
    ExpectOk("aclrtIpcGetEventHandle", aclrtIpcGetEventHandle(event, &handle));
    return handle;
}

// A pool that does not reuse memory of other streams, with nearly all memory of the device.
class FullDevice {
  public:
    FullDevice() {
        pool_.Allow(false, false, false);
        pool_.SetThreshold(UINT64_MAX);
        memory_ = pool_.Allocate(kMost, first_);
    }
    ~FullDevice() { ACL_EXPECT_OK(aclrtSynchronizeDevice()); }

    aclrtStream First() const { return first_; }

    // Frees the first stream's block in a stream.
    void FreeIn(aclrtStream stream) { Free(memory_, stream); }
    void FreeInFirst() { FreeIn(first_); }

    // The second stream gets memory only when the free is complete.
    void ExpectNone() const {
        auto again = Poison<void*>();
        ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&again, kMore, pool_, second_));
        EXPECT_TRUE(IsPoison(again));
    }
    void ExpectSome() const {
        void* again = pool_.Allocate(kMore, second_);
        ASSERT_NE(again, nullptr);
        Free(again, second_);
    }

  private:
    Stream first_, second_;
    MemPool pool_;
    void* memory_ = nullptr;
};

// The free on this device is ordered after work of the peer, which the peer does only after the
// allocation. An allocation that waited for it would deadlock.
void ExpectNoneBeforeSignal(Peer& peer, const FullDevice& device) {
    device.ExpectNone();
    peer.Signal(1);
    peer.Await(2);
    ACL_EXPECT_OK(aclrtSynchronizeDevice());
    device.ExpectSome();
}

void ReleasePeer(Peer& peer) {
    peer.Signal(3);
    peer.Join();
}

// Runs the test in a process with a small device, and its peer in another process.
void WithPeer(void (*here)(), void (*there)(Connection&)) {
    NEEDS_A_SMALL_DEVICE();
    if (Peer::IsHere()) {
        RunAsPeer(there);
    } else {
        RunInOwnProcess(here, kSmall);
    }
}

// ---- the peer's notify, and a notify of this process that the peer records ----

void RecordOnSignal(Connection& parent) {
    const Session session;
    const Notify own;
    parent.Send(Export(own));
    const Notify other(parent.Receive<Key>().text);
    const Stream stream;
    for (const aclrtNotify notify : {aclrtNotify{own}, aclrtNotify{other}}) {
        parent.Await(1);
        ACL_EXPECT_OK(aclrtRecordNotify(notify, stream));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        parent.Signal(2);
    }
    parent.Await(3);
}

void WaitForNotifies() {
    const Session session;
    Peer peer;
    const Notify imported(peer.Receive<Key>().text), own;
    peer.Send(Export(own));
    for (const aclrtNotify notify : {aclrtNotify{imported}, aclrtNotify{own}}) {
        FullDevice device;
        ACL_EXPECT_OK(aclrtWaitAndResetNotify(notify, device.First(), 0));
        device.FreeInFirst();
        ExpectNoneBeforeSignal(peer, device);
    }
    ReleasePeer(peer);
}

// ---- an event of the peer ----

void RecordBehindAGate(Connection& parent) {
    const Session session;
    const Event event(ACL_EVENT_IPC);
    const Stream stream;
    for (int turn = 0; turn < 2; ++turn) {
        Gate gate;
        ACL_EXPECT_OK(gate.Hold(stream));
        ACL_EXPECT_OK(aclrtRecordEvent(event, stream));
        parent.Send(Export(event));
        parent.Await(1);
        gate.Open();
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        parent.Signal(2);
    }
    parent.Await(3);
}

void WaitForEvents() {
    const Session session;
    Peer peer;
    for (const bool transitively : {false, true}) {
        FullDevice device;
        const Stream third;
        aclrtEvent event = nullptr;
        const auto handle = peer.Receive<aclrtIpcEventHandle>();
        ExpectOk("aclrtIpcOpenEventHandle", aclrtIpcOpenEventHandle(handle, &event));
        ACL_EXPECT_OK(aclrtStreamWaitEvent(device.First(), event));
        if (transitively) {
            // In a stream of this process that waits for one that waits for the other process.
            const Event ours;
            ACL_EXPECT_OK(aclrtRecordEvent(ours, device.First()));
            ACL_EXPECT_OK(aclrtStreamWaitEvent(third, ours));
        }
        device.FreeIn(transitively ? aclrtStream{third} : device.First());
        ExpectNoneBeforeSignal(peer, device);
        ACL_EXPECT_OK(aclrtDestroyEvent(event));
    }
    ReleasePeer(peer);
}

// ---- work that the peer has done, and frees before the wait ----

void RecordAtOnce(Connection& parent) {
    const Session session;
    const Notify notify;
    ACL_EXPECT_OK(aclrtRecordNotify(notify, nullptr));
    ACL_EXPECT_OK(aclrtSynchronizeStream(nullptr));
    parent.Send(Export(notify));
    parent.Await(1);
    ACL_EXPECT_OK(aclrtRecordNotify(notify, nullptr));
    ACL_EXPECT_OK(aclrtSynchronizeStream(nullptr));
    parent.Signal(2);
    parent.Await(3);
}

void WaitForWhatIsOver() {
    const Session session;
    Peer peer;
    const Notify notify(peer.Receive<Key>().text);
    {
        // The other process has recorded it: the wait is complete, so the allocation waits for the
        // free.
        FullDevice device;
        ACL_EXPECT_OK(aclrtWaitAndResetNotify(notify, device.First(), 0));
        Synchronize(device.First());
        device.FreeInFirst();
        device.ExpectSome();
    }
    {
        // The free is before the wait.
        FullDevice device;
        device.FreeInFirst();
        ACL_EXPECT_OK(aclrtWaitAndResetNotify(notify, device.First(), 0));
        device.ExpectSome();
        peer.Signal(1);
        peer.Await(2);
    }
    ReleasePeer(peer);
}

// ---- work that needs the program itself; for host functions see mem_pool_attribute_test ----

void WaitForAGraph() {
    const Session session;
    FullDevice device;
    Gate gate;
    const Graph graph = Capture(device.First(), [&] { ACL_OK(gate.Hold(device.First())); });
    ACL_EXPECT_OK(aclmdlRIExecuteAsync(graph, device.First()));
    device.FreeInFirst();
    device.ExpectNone();
    gate.Open();
    Synchronize(device.First());
    device.ExpectSome();
}

void WaitForACallback() {
    const Session session;
    FullDevice device;
    std::atomic<int> called{0};
    ACL_OK(aclrtSubscribeReport(ThisThread(), device.First()));
    ACL_OK(aclrtLaunchCallback(Count, &called, ACL_CALLBACK_BLOCK, device.First()));
    device.FreeInFirst();
    device.ExpectNone();
    EXPECT_EQ(called, 0);
    ACL_OK(aclrtProcessReport(30000));
    EXPECT_EQ(called, 1);
    Synchronize(device.First());
    device.ExpectSome();
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), device.First()));
}

void OnASmallDevice(void (*test)()) {
    NEEDS_A_SMALL_DEVICE();
    RunInOwnProcess(test, kSmall);
}

}  // namespace

TEST(MemPoolWaitsTest, DoesNotWaitForFreesAfterAGraphWithHostFunctions) {
    OnASmallDevice(WaitForAGraph);
}

TEST(MemPoolWaitsTest, DoesNotWaitForFreesAfterCallbacks) {
    OnASmallDevice(WaitForACallback);
}

TEST(MemPoolWaitsTest, DoesNotWaitForFreesAfterNotifiesOfAnotherProcess) {
    WithPeer(WaitForNotifies, RecordOnSignal);
}

TEST(MemPoolWaitsTest, DoesNotWaitForFreesAfterEventsOfAnotherProcess) {
    WithPeer(WaitForEvents, RecordBehindAGate);
}

TEST(MemPoolWaitsTest, WaitsForFreesThatNeedNoOtherProcess) {
    WithPeer(WaitForWhatIsOver, RecordAtOnce);
}

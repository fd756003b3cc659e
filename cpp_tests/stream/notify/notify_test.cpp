// Notifies: recording, waiting, and how waits end.

#include <set>

#include "support/gate.h"
#include "support/says.h"
#include "support/stream/notify.h"

using namespace portacl_test;

namespace {

constexpr aclError kDead = ACL_ERROR_RT_PARAM_INVALID;
constexpr uint32_t kForEver = 0;

class NotifyTest : public WithDevice {};

TEST_F(NotifyTest, AWaitComesAfterTheRecord) {
    NEEDS_QUEUES(2);
    Stream first, second;
    Notify notify;
    Log log;
    Gate gate;
    ACL_OK(aclrtWaitAndResetNotify(notify, second, kForEver));
    ACL_OK(log.Append(second, 2));
    ACL_OK(gate.Hold(first));
    ACL_OK(log.Append(first, 1));
    ACL_OK(aclrtRecordNotify(notify, first));
    ExpectStuck(second);
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(second));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1, 2}));
    ACL_OK(aclrtSynchronizeStream(first));
}

TEST_F(NotifyTest, ARecordStaysUntilAWaitConsumesIt) {
    NEEDS_QUEUES(8);
    Stream first, second;
    Notify notify(ACL_NOTIFY_DEVICE_USE_ONLY);
    // Two records count as one.
    ACL_OK(aclrtRecordNotify(notify, first));
    ACL_OK(aclrtRecordNotify(notify, first));
    ACL_OK(aclrtSynchronizeStream(first));
    ACL_OK(aclrtWaitAndResetNotify(notify, second, kForEver));
    ACL_OK(aclrtSynchronizeStream(second));
    ACL_OK(aclrtWaitAndResetNotify(notify, second, kForEver));
    ExpectStuck(second);
    ACL_OK(aclrtRecordNotify(notify, nullptr));
    ACL_OK(aclrtSynchronizeStream(second));
}

// One stream, in its order.
TEST_F(NotifyTest, AStreamWaitsForItself) {
    Stream stream;
    Notify notify;
    for (int round = 0; round < 20; ++round) {
        ACL_OK(aclrtRecordNotify(notify, stream));
        ACL_OK(aclrtWaitAndResetNotify(notify, stream, kForEver));
    }
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(NotifyTest, EachRecordEndsOneWait) {
    NEEDS_QUEUES(8);
    const int kWaiters = SharesQueues() ? 5 : 8;
    Notify notify, other;
    Stream recorder, probe;
    std::vector<std::unique_ptr<Stream>> streams;
    for (int i = 0; i < kWaiters; ++i) {
        streams.push_back(std::make_unique<Stream>());
        ACL_OK(aclrtWaitAndResetNotify(notify, *streams[i], kForEver));
    }
    const auto ended = [&] {
        int count = 0;
        for (const auto& stream : streams) count += IsIdle(*stream);
        return count;
    };
    for (int i = 1; i <= kWaiters; ++i) {
        ACL_OK(aclrtRecordNotify(notify, recorder));
        const auto deadline = std::chrono::steady_clock::now() + kPatience;
        while (ended() < i && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
        // A later record has ended its wait, so the effects of the earlier one are complete.
        ACL_OK(aclrtWaitAndResetNotify(other, probe, kForEver));
        ACL_OK(aclrtRecordNotify(other, recorder));
        ACL_OK(aclrtSynchronizeStream(probe));
        EXPECT_EQ(ended(), i);
    }
}

TEST_F(NotifyTest, StreamsAlternate) {
    NEEDS_QUEUES(2);
    constexpr int kRounds = 200;
    Stream ping, pong;
    Notify there, back;
    DeviceMemory sum(std::vector<int32_t>(16, 0)), one(std::vector<int32_t>(16, 1));
    for (int round = 0; round < kRounds; ++round) {
        ACL_OK(aclrtReduceAsync(sum.At(), one.At(), 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, ping, nullptr));
        ACL_OK(aclrtRecordNotify(there, ping));
        ACL_OK(aclrtWaitAndResetNotify(back, ping, kForEver));
        ACL_OK(aclrtWaitAndResetNotify(there, pong, kForEver));
        ACL_OK(aclrtReduceAsync(sum.At(), one.At(), 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, pong, nullptr));
        ACL_OK(aclrtRecordNotify(back, pong));
    }
    ACL_OK(aclrtSynchronizeStream(ping));
    EXPECT_EQ(sum.Download<int32_t>(), std::vector<int32_t>(16, 2 * kRounds));
    ACL_OK(aclrtSynchronizeStream(pong));
}

TEST_F(NotifyTest, DevicesSignalEachOther) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    aclrtContext here = nullptr;
    ACL_OK(aclrtGetCurrentContext(&here));
    Notify notify;
    Stream stream;
    ACL_OK(aclrtWaitAndResetNotify(notify, stream, kForEver));
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtRecordNotify(notify, nullptr));
    ACL_OK(aclrtSetCurrentContext(here));
    ACL_OK(aclrtSynchronizeStream(stream));
    // Not earlier: that record could end either wait.
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtWaitAndResetNotify(notify, nullptr, kForEver));
    ACL_OK(aclrtSetCurrentContext(here));
    ACL_OK(aclrtRecordNotify(notify, stream));
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    ACL_OK(aclrtResetDevice(1));
    ACL_OK(aclrtSetCurrentContext(here));
}

TEST_F(NotifyTest, AWaitTimesOutAndTheStreamContinues) {
    Stream stream, recorder;
    Notify notify;
    Log log;
    const auto begin = std::chrono::steady_clock::now();
    ACL_OK(aclrtWaitAndResetNotify(notify, stream, 1));
    ACL_OK(log.Append(stream, 1));
    ACL_FAILS_SAYING(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(stream), "notify", "1s");
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{1}));
    // The wait consumed nothing, and will not.
    ACL_OK(aclrtRecordNotify(notify, recorder));
    ACL_OK(aclrtSynchronizeStream(recorder));
    ACL_OK(aclrtWaitAndResetNotify(notify, stream, 1));
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(NotifyTest, ATimeoutStopsTheContextIfConfigured) {
    aclrtStream stream = Stream().Release();
    Notify notify;
    ACL_OK(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
    ACL_OK(aclrtWaitAndResetNotify(notify, stream, 1));
    ACL_FAILS(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtSynchronizeStream(stream));
    ACL_FAILS(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtRecordNotify(notify, stream));
    ACL_OK(aclrtDestroyStream(stream));
}

// Waits end with their streams, and consume no record.
TEST_F(NotifyTest, AnAbortEndsWaits) {
    Stream stream, second;
    Notify notify, other;
    ACL_OK(aclrtWaitAndResetNotify(notify, stream, kForEver));
    ACL_OK(aclrtWaitAndResetNotify(other, stream, kForEver));
    ExpectStuck(stream);
    ACL_OK(aclrtStreamAbort(stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtRecordNotify(notify, stream));
    ACL_OK(aclrtRecordNotify(other, stream));
    ACL_OK(aclrtWaitAndResetNotify(notify, second, kForEver));
    ACL_OK(aclrtWaitAndResetNotify(other, second, kForEver));
    ACL_OK(aclrtSynchronizeStream(second));
    // All streams of the device.
    ACL_OK(aclrtWaitAndResetNotify(notify, stream, kForEver));
    ACL_OK(aclrtWaitAndResetNotify(other, second, kForEver));
    ACL_OK(aclrtDeviceTaskAbort(0, 1000));
    ACL_OK(aclrtSynchronizeDevice());
}

TEST_F(NotifyTest, ForcedDestructionEndsWaits) {
    aclrtStream stream = Stream().Release();
    Notify notify;
    const Event reached;
    ACL_OK(aclrtRecordEvent(reached, stream));
    ACL_OK(aclrtWaitAndResetNotify(notify, stream, kForEver));
    ACL_OK(aclrtWaitAndResetNotify(notify, stream, kForEver));
    ACL_OK(aclrtSynchronizeEvent(reached));
    ACL_OK(aclrtDestroyStreamForce(stream));
    Stream second;
    ACL_OK(aclrtRecordNotify(notify, second));
    ACL_OK(aclrtWaitAndResetNotify(notify, second, kForEver));
    ACL_OK(aclrtSynchronizeStream(second));
}

TEST_F(NotifyTest, DestructionKeepsPendingWork) {
    NEEDS_QUEUES(2);
    Stream first, second;
    aclrtNotify notify = Notify().Release();
    Gate gate;
    ACL_OK(aclrtWaitAndResetNotify(notify, second, kForEver));
    ACL_OK(gate.Hold(first));
    ACL_OK(aclrtRecordNotify(notify, first));
    ACL_OK(aclrtDestroyNotify(notify));
    Notify another;
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(second));
    // The new notify is not signalled.
    ACL_OK(aclrtWaitAndResetNotify(another, second, kForEver));
    ExpectStuck(second);
    ACL_OK(aclrtRecordNotify(another, first));
    ACL_OK(aclrtSynchronizeStream(second));
}

TEST_F(NotifyTest, AResetEndsPendingWaits) {
    aclrtStream first = Stream().Release(), second = Stream().Release();
    aclrtNotify notify = Notify().Release();
    PinnedMemory pinned(8, 0);
    ACL_OK(aclrtWaitAndResetNotify(notify, first, kForEver));
    ACL_OK(aclrtMemsetAsync(pinned.At(), 8, 1, 8, first));
    ACL_OK(aclrtWaitAndResetNotify(notify, second, 100));
    ACL_FAILS_SAYING(ACL_ERROR_RT_WAIT_TIMEOUT, aclrtResetDeviceForce(0), "device 0 is reset", "notify");
    EXPECT_EQ(pinned.Bytes()[0], 1);
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS_SAYING(kDead, aclrtRecordNotify(notify, nullptr), "released with its device");
}

TEST_F(NotifyTest, IdsAreSmallAndUnique) {
    std::set<uint32_t> numbers;
    Notify notifies[10];
    for (const Notify& notify : notifies) {
        uint32_t number = Poison<uint32_t>();
        ACL_OK(aclrtGetNotifyId(notify, &number));
        EXPECT_LT(number, 8192u);
        numbers.insert(number);
    }
    EXPECT_EQ(numbers.size(), 10u);
}

TEST_F(NotifyTest, TheLimitIsEnforced) {
    constexpr size_t kMost = 8192;
    std::vector<aclrtNotify> all(kMost);
    for (aclrtNotify& notify : all) ACL_OK(aclrtCreateNotify(&notify, 0));
    auto none = Poison<aclrtNotify>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_NO_NOTIFY_RESOURCE, aclrtCreateNotify(&none, 0), "8192", "aclrtCreateNotify");
    EXPECT_TRUE(IsPoison(none));
    // The last notify works like the first, and a destroyed one can be created again.
    ACL_OK(aclrtRecordNotify(all.back(), nullptr));
    ACL_OK(aclrtWaitAndResetNotify(all.back(), nullptr, kForEver));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    ACL_OK(aclrtDestroyNotify(all.back()));
    ACL_OK(aclrtCreateNotify(&all.back(), 0));
    for (aclrtNotify notify : all) ACL_OK(aclrtDestroyNotify(notify));
}

TEST_F(NotifyTest, BatchReset) {
    NEEDS_QUEUES(8);
    Stream stream;
    Notify first, second, third;
    for (aclrtNotify notify : {aclrtNotify(first), aclrtNotify(second), aclrtNotify(third)})
        ACL_OK(aclrtRecordNotify(notify, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    aclrtNotify list[] = {first, second};
    // One invalid notify makes the whole batch fail.
    int local = 0;
    aclrtNotify bad[] = {first, &local};
    ACL_FAILS_SAYING(kDead, aclrtNotifyBatchReset(bad, 2), "notifies[1]", Shown(&local));
    bad[1] = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtNotifyBatchReset(bad, 2), "notifies[1] is null");
    ACL_OK(aclrtWaitAndResetNotify(first, stream, kForEver));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtRecordNotify(first, stream));
    ACL_OK(aclrtSynchronizeStream(stream));

    ACL_OK(aclrtNotifyBatchReset(list, 2));
    ACL_OK(aclrtWaitAndResetNotify(third, stream, kForEver));
    ACL_OK(aclrtSynchronizeStream(stream));
    Stream others[2];
    for (int i : {0, 1}) {
        ACL_OK(aclrtWaitAndResetNotify(list[i], others[i], kForEver));
        ExpectStuck(others[i]);
        ACL_OK(aclrtRecordNotify(list[i], stream));
        ACL_OK(aclrtSynchronizeStream(others[i]));
    }
    ACL_OK(aclrtNotifyBatchReset(nullptr, 0));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtNotifyBatchReset(nullptr, 1), "notifies is null");
}

TEST_F(NotifyTest, BadArguments) {
    auto handle = Poison<aclrtNotify>();
    auto number = Poison<uint32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateNotify(nullptr, 0), "notify is null");
    for (uint64_t flag : {uint64_t{2}, uint64_t{1} << 32, ~uint64_t{0}})
        ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateNotify(&handle, flag), "flag is",
                         "ACL_NOTIFY_DEVICE_USE_ONLY 1");
    EXPECT_TRUE(IsPoison(handle));
    Notify notify;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetNotifyId(notify, nullptr), "notifyId");
    Stream stream;
    CntNotify counted;
    aclrtNotify dead = Notify().Release();
    ACL_OK(aclrtDestroyNotify(dead));
    int local = 0;
    for (void* bad : {static_cast<void*>(nullptr), static_cast<void*>(&local), static_cast<void*>(stream),
                      static_cast<void*>(counted), dead}) {
        const aclError code = bad ? kDead : ACL_ERROR_INVALID_PARAM;
        SCOPED_TRACE(bad);
        ACL_FAILS_SAYING(code, aclrtDestroyNotify(bad), "notify");
        ACL_FAILS_SAYING(code, aclrtRecordNotify(bad, stream), "notify");
        ACL_FAILS_SAYING(code, aclrtWaitAndResetNotify(bad, stream, 0), "notify");
        ACL_FAILS_SAYING(code, aclrtGetNotifyId(bad, &number), "notify");
        ACL_FAILS_SAYING(code, aclrtNotifyBatchReset(&bad, 1), "notifies[0]");
    }
    EXPECT_TRUE(IsPoison(number));
    aclrtStream gone = Stream().Release();
    ACL_OK(aclrtDestroyStream(gone));
    ACL_FAILS_SAYING(kDead, aclrtRecordNotify(notify, gone), "stream");
    ACL_FAILS_SAYING(kDead, aclrtWaitAndResetNotify(notify, gone, 0), "stream");
}

TEST_F(NotifyTest, WithoutAContext) {
    Notify notify;
    OnNewThread([&] {
        auto handle = Poison<aclrtNotify>();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateNotify(&handle, 0));
        EXPECT_TRUE(IsPoison(handle));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtRecordNotify(notify, nullptr));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtWaitAndResetNotify(notify, nullptr, 0));
        // These calls need no context.
        uint32_t number = 0;
        ACL_EXPECT_OK(aclrtGetNotifyId(notify, &number));
        aclrtNotify list[] = {notify};
        ACL_EXPECT_OK(aclrtNotifyBatchReset(list, 1));
    });
}

TEST_F(NotifyTest, InsideAHostFunction) {
    Stream stream;
    Notify notify;
    static aclrtNotify known;
    known = notify;
    ACL_OK(aclrtLaunchHostFunc(
        stream,
        [](void*) {
            aclrtNotify handle = nullptr, list[] = {known};
            ACL_FAILS_SAYING(kDead, aclrtCreateNotify(&handle, 0), "host function");
            ACL_FAILS_SAYING(kDead, aclrtDestroyNotify(known), "host function");
            ACL_FAILS_SAYING(kDead, aclrtRecordNotify(known, nullptr), "host function");
            ACL_FAILS_SAYING(kDead, aclrtWaitAndResetNotify(known, nullptr, 0), "host function");
            ACL_FAILS_SAYING(kDead, aclrtNotifyBatchReset(list, 1), "host function");
        },
        nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(NotifyTest, AfterFinalize) {
    aclrtNotify notify = Notify().Release();
    aclrtCntNotify counted = CntNotify().Release();
    ACL_OK(aclFinalize());
    auto handle = Poison<aclrtNotify>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateNotify(&handle, 0));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCntNotifyCreate(&handle, 0));
    ACL_DESTROYS_LATE(aclrtDestroyNotify(notify));
    ACL_FAILS(kDead, aclrtNotifyBatchReset(&notify, 1));
    ACL_DESTROYS_LATE(aclrtCntNotifyDestroy(counted));
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(kDead, aclrtRecordNotify(notify, nullptr));
    ACL_FAILS(kDead, aclrtCntNotifyReset(counted, nullptr));
    EXPECT_TRUE(IsPoison(handle));
}

}  // namespace

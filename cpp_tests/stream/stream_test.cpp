// Streams: create, destroy, and what every call does with an invalid stream. stream_synchronize_test.cpp
// tests waits and queries, stream_order_test.cpp their order.

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <set>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

class StreamCreate : public WithDevice {};

TEST_F(StreamCreate, HandlesDiffer) {
    std::set<aclrtStream> handles;
    for (int i = 0; i < 100; ++i) {
        aclrtStream stream = nullptr;
        ACL_OK(aclrtCreateStream(&stream));
        EXPECT_NE(stream, nullptr);
        EXPECT_TRUE(handles.insert(stream).second);
    }
    for (aclrtStream stream : handles) ACL_EXPECT_OK(aclrtDestroyStream(stream));
}

TEST_F(StreamCreate, NullOutputs) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateStream(nullptr), "stream", "null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateStreamWithConfig(nullptr, 0, 0), "stream", "null");
}

TEST_F(StreamCreate, WithEveryFlagAndPriority) {
    constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
    for (uint32_t priority : {0u, 1u, 7u, 1000u, kMost}) {
        for (uint32_t flag : {0u, ACL_STREAM_FAST_LAUNCH, ACL_STREAM_FAST_SYNC, ACL_STREAM_HUGE,
                              ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC, ACL_STREAM_CPU_SCHEDULE,
                              ACL_STREAM_DEVICE_USE_ONLY, kMost & ~ACL_STREAM_PERSISTENT}) {
            SCOPED_TRACE(testing::Message() << "priority " << priority << " flag " << flag);
            aclrtStream stream = nullptr;
            ACL_OK(aclrtCreateStreamWithConfig(&stream, priority, flag));
            Log log;
            ACL_OK(log.Append(stream, 1));
            // Destroying it waits for the work, whatever the flags are.
            ACL_OK(aclrtDestroyStream(stream));
            EXPECT_EQ(log.Size(), 1u);
        }
    }
}

TEST_F(StreamCreate, NeedsADeviceInThisThread) {
    OnNewThread([] {
        auto stream = Poison<aclrtStream>();
        ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStream(&stream), "aclrtSetDevice");
        ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStreamWithConfig(&stream, 0, 0), "aclrtSetDevice");
        EXPECT_TRUE(IsPoison(stream));
    });
}

TEST_F(StreamCreate, FailsAfterFinalize) {
    ACL_OK(aclFinalize());
    auto stream = Poison<aclrtStream>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStream(&stream));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStreamWithConfig(&stream, 0, 0));
    EXPECT_TRUE(IsPoison(stream));
    ACL_OK(aclInit(nullptr));
}

// Every call that takes a stream, with valid other arguments.
class StreamCalls : public WithDevice {
  protected:
    struct StreamCall {
        const char* name;
        std::function<aclError(aclrtStream)> call;
    };

    void SetUp() override {
        WithDevice::SetUp();
        if (HasFatalFailure()) return;
        device_ = std::make_unique<DeviceMemory>(64);
        pinned_ = std::make_unique<PinnedMemory>(64, 1);
        event_ = std::make_unique<Event>();
        calls_ = {
            {"aclrtSynchronizeStream", [](aclrtStream s) { return aclrtSynchronizeStream(s); }},
            {"aclrtSynchronizeStreamWithTimeout",
             [](aclrtStream s) { return aclrtSynchronizeStreamWithTimeout(s, 1000); }},
            {"aclrtStreamQuery",
             [this](aclrtStream s) {
                 status_ = Poison<aclrtStreamStatus>();
                 const aclError code = aclrtStreamQuery(s, &status_);
                 EXPECT_EQ(code == 0, !IsPoison(status_));
                 return code;
             }},
            {"aclrtStreamWaitEvent", [this](aclrtStream s) { return aclrtStreamWaitEvent(s, *event_); }},
            {"aclrtRecordEvent", [this](aclrtStream s) { return aclrtRecordEvent(*event_, s); }},
            {"aclrtMemsetAsync", [this](aclrtStream s) { return aclrtMemsetAsync(device_->At(), 64, 1, 64, s); }},
            {"aclrtMemcpyAsync",
             [this](aclrtStream s) {
                 return aclrtMemcpyAsync(device_->At(), 64, pinned_->At(), 64, ACL_MEMCPY_HOST_TO_DEVICE, s);
             }},
            {"aclrtReduceAsync",
             [this](aclrtStream s) {
                 return aclrtReduceAsync(device_->At(), device_->At(32), 32, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8,
                                         s, nullptr);
             }},
            {"aclrtLaunchHostFunc",
             [](aclrtStream s) {
                 return aclrtLaunchHostFunc(
                     s, [](void*) {}, nullptr);
             }},
        };
        destroyers_ = {
            {"aclrtDestroyStream", [](aclrtStream s) { return aclrtDestroyStream(s); }},
            {"aclrtDestroyStreamForce", [](aclrtStream s) { return aclrtDestroyStreamForce(s); }},
        };
    }

    void TearDown() override {
        ForgetObjects();
        WithDevice::TearDown();
    }

    void ForgetObjects() {
        device_.reset();
        pinned_.reset();
        event_.reset();
    }

    std::vector<StreamCall> All() const {
        std::vector<StreamCall> all = calls_;
        all.insert(all.end(), destroyers_.begin(), destroyers_.end());
        return all;
    }

    // All calls fail with `code` for `stream`, and their texts contain `words`.
    void AllFail(aclError code, aclrtStream stream, std::initializer_list<std::string> words) {
        for (const StreamCall& call : All()) EXPECT_TRUE(FailedSaying(call.name, call.call(stream), code, words));
    }

    std::unique_ptr<DeviceMemory> device_;
    std::unique_ptr<PinnedMemory> pinned_;
    std::unique_ptr<Event> event_;
    aclrtStreamStatus status_ = ACL_STREAM_STATUS_RESERVED;
    std::vector<StreamCall> calls_;
    std::vector<StreamCall> destroyers_;
};

TEST_F(StreamCalls, WorkWithAStream) {
    Stream stream;
    for (const StreamCall& call : calls_) EXPECT_TRUE(Returned(call.name, call.call(stream), 0));
}

TEST_F(StreamCalls, NullIsTheDefaultStream) {
    for (const StreamCall& call : calls_) EXPECT_TRUE(Returned(call.name, call.call(nullptr), 0));
    ACL_OK(aclrtSynchronizeStream(nullptr));
}

TEST_F(StreamCalls, NullCannotBeDestroyed) {
    for (const StreamCall& call : destroyers_)
        EXPECT_TRUE(
            FailedSaying(call.name, call.call(nullptr), ACL_ERROR_INVALID_PARAM, {"stream", "null", "default stream"}));
}

TEST_F(StreamCalls, RefuseGarbage) {
    int here = 0;
    const uintptr_t numbers[] = {
        1, 8, 0xDEADBEEF, uintptr_t{1} << 63, ~uintptr_t{0}, 0x0200000000000000, reinterpret_cast<uintptr_t>(&here)};
    for (uintptr_t number : numbers) {
        auto* garbage = reinterpret_cast<aclrtStream>(number);
        SCOPED_TRACE(garbage);
        AllFail(ACL_ERROR_RT_PARAM_INVALID, garbage, {"stream", Shown(garbage)});
    }
}

TEST_F(StreamCalls, RefuseHandlesOfOtherKinds) {
    aclrtContext context = nullptr;
    ACL_OK(aclrtGetCurrentContext(&context));
    AllFail(ACL_ERROR_RT_PARAM_INVALID, *event_, {"stream", Shown(*event_), "event"});
    AllFail(ACL_ERROR_RT_PARAM_INVALID, context, {"stream", Shown(context), "context"});
    AllFail(ACL_ERROR_RT_PARAM_INVALID, device_->At(), {"stream", Shown(device_->At())});
    // The objects still work.
    ACL_EXPECT_OK(aclrtSetCurrentContext(context));
    ACL_EXPECT_OK(aclrtSynchronizeEvent(*event_));
}

TEST_F(StreamCalls, RefuseDestroyedStreams) {
    for (const StreamCall& destroy : destroyers_) {
        SCOPED_TRACE(destroy.name);
        aclrtStream stream = Stream().Release();
        EXPECT_TRUE(Returned(destroy.name, destroy.call(stream), 0));
        AllFail(ACL_ERROR_RT_PARAM_INVALID, stream, {"stream", Shown(stream), "destroyed"});
        // Also when the slot is used by another stream.
        std::vector<std::unique_ptr<Stream>> others;
        for (int i = 0; i < 50; ++i) others.push_back(std::make_unique<Stream>());
        AllFail(ACL_ERROR_RT_PARAM_INVALID, stream, {"stream", Shown(stream)});
    }
}

TEST_F(StreamCalls, NeedADeviceInThisThread) {
    Stream stream;
    OnNewThread([&] {
        AllFail(ACL_ERROR_RT_CONTEXT_NULL, stream, {"aclrtSetDevice"});
        for (const StreamCall& call : calls_)
            EXPECT_TRUE(Failed(call.name, call.call(nullptr), ACL_ERROR_RT_CONTEXT_NULL));
    });
    ACL_OK(aclrtSynchronizeStream(stream));
}

TEST_F(StreamCalls, WorkFromAnotherThreadOfTheDevice) {
    Stream stream;
    OnNewThread([&] {
        ACL_OK(aclrtSetDevice(0));
        for (const StreamCall& call : calls_) EXPECT_TRUE(Returned(call.name, call.call(stream), 0));
        ACL_OK(aclrtSynchronizeStream(stream));
    });
}

TEST_F(StreamCalls, DestroyedByAnotherThread) {
    aclrtStream stream = Stream().Release();
    OnNewThread([&] {
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(aclrtDestroyStream(stream));
    });
    AllFail(ACL_ERROR_RT_PARAM_INVALID, stream, {"destroyed"});
}

TEST_F(StreamCalls, RefuseStreamsOfAnotherDevice) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    ACL_OK(aclrtSetDevice(1));
    Stream far;
    ACL_OK(aclrtSetDevice(0));
    AllFail(ACL_ERROR_RT_STREAM_CONTEXT, far, {"stream", Shown(far), "device 1", "device 0"});
    // The stream is valid, and works on its own device.
    ACL_OK(aclrtSetDevice(1));
    ACL_OK(aclrtSynchronizeStream(far));
    ACL_OK(aclrtDestroyStream(far.Release()));
    ACL_OK(aclrtSetDevice(0));
}

TEST_F(StreamCalls, FailAfterFinalize) {
    aclrtStream stream = Stream().Release();
    // All objects end with their device, also those that these calls would free.
    (void)device_->Release();
    (void)pinned_->Release();
    const aclrtEvent dead = event_->Release();
    ForgetObjects();
    ACL_OK(aclFinalize());
    // One of the calls destroys the stream late, the other one finds it destroyed.
    EXPECT_TRUE(Returned(destroyers_[0].name, destroyers_[0].call(stream), ACL_SUCCESS));
    for (const StreamCall& destroy : destroyers_)
        EXPECT_TRUE(
            FailedSaying(destroy.name, destroy.call(stream), ACL_ERROR_RT_PARAM_INVALID, {"stream", Shown(stream)}));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStreamWithTimeout(stream, -1));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamWaitEvent(stream, dead));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtRecordEvent(dead, stream));
    auto status = Poison<aclrtStreamStatus>();
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtStreamQuery(stream, &status));
    EXPECT_TRUE(IsPoison(status));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeStream(nullptr));
    // A new session does not make the handle valid again.
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStream(stream));
}

class StreamDestroy : public WithDevice {
  protected:
    // Waits until a call of another thread has invalidated the handle. False: it never did.
    static bool AwaitDeath(aclrtStream stream) {
        const auto deadline = std::chrono::steady_clock::now() + kPatience;
        aclrtStreamStatus status;
        while (std::chrono::steady_clock::now() < deadline) {
            if (aclrtStreamQuery(stream, &status) == ACL_ERROR_RT_PARAM_INVALID) return true;
            std::this_thread::yield();
        }
        return false;
    }
};

TEST_F(StreamDestroy, WaitsForPendingWork) {
    aclrtStream stream = Stream().Release();
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(stream));
    ACL_OK(log.Append(stream, 1));
    ASSERT_TRUE(gate.AwaitArrival());
    std::atomic<bool> returned{false};
    std::thread destroyer([&] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        ACL_EXPECT_OK(aclrtDestroyStream(stream));
        EXPECT_EQ(log.Size(), 1u);
        returned = true;
    });
    // The handle is invalid as soon as the call begins, long before it can return.
    EXPECT_TRUE(AwaitDeath(stream));
    EXPECT_FALSE(returned);
    EXPECT_EQ(log.Size(), 0u);
    gate.Open();
    destroyer.join();
    EXPECT_TRUE(returned);
}

TEST_F(StreamDestroy, ForceDoesNotWait) {
    aclrtStream stream = Stream().Release();
    Stream other;
    Event behind;
    PinnedMemory pinned(64, 5);
    DeviceMemory device(std::vector<unsigned char>(64, 1));
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(stream));
    ACL_OK(log.Append(stream, 1));
    ACL_OK(aclrtMemcpyAsync(device.At(), 64, pinned.At(), 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    ACL_OK(aclrtRecordEvent(behind, stream));
    ACL_OK(aclrtStreamWaitEvent(other, behind));
    ASSERT_TRUE(gate.AwaitArrival());
    // Returns although the gate is closed.
    ACL_OK(aclrtDestroyStreamForce(stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Size(), 0u);
    gate.Open();
    // Waits for the work behind the gate end, whether it was dropped or not.
    ACL_OK(aclrtSynchronizeStream(other));
    ACL_OK(aclrtSynchronizeEvent(behind));
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(log.Size(), 0u);
    // A driver completes the work that it holds.
    EXPECT_EQ(device.Download(), std::vector<unsigned char>(64, OnCpu() ? 1 : 5));
}

TEST_F(StreamDestroy, ForceOfAnIdleStream) {
    aclrtStream stream = Stream().Release();
    Log log;
    ACL_OK(log.Append(stream, 1));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtDestroyStreamForce(stream));
    EXPECT_EQ(log.Size(), 1u);
}

TEST_F(StreamDestroy, OnlyOneOfManyThreadsDestroys) {
    for (int round = 0; round < 50; ++round) {
        aclrtStream stream = Stream().Release();
        Log log;
        ACL_OK(log.Append(stream, 1));
        std::atomic<int> destroyed{0}, refused{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&, force = i % 2 == 1 && round % 2 == 1] {
                ACL_EXPECT_OK(aclrtSetDevice(0));
                const aclError code = force ? aclrtDestroyStreamForce(stream) : aclrtDestroyStream(stream);
                destroyed += code == 0;
                refused += code == ACL_ERROR_RT_PARAM_INVALID;
            });
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(destroyed, 1);
        EXPECT_EQ(refused, 3);
    }
}

}  // namespace

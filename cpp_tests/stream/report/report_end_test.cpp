// The end of subscriptions, streams, devices and the session while callbacks are pending.

#include <atomic>
#include <memory>

#include "support/gate.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/stream/reporter.h"

using namespace portacl_test;

// Work that never ends is left behind with its objects: no leak of this library.
// clang-format off
#define NO_LEAK_CHECK {"LSAN_OPTIONS", "detect_leaks=0"}, {"FAKE_CUDA_LEAK_CHECK", "0"}
// clang-format on

namespace {

class ReportEnd : public WithDevice {};

TEST_F(ReportEnd, UnsubscribingWaitsForCallbacks) {
    Stream stream;
    Reporter reporter;
    Standing standing;
    std::atomic<int> count{0};
    int taken = 0;
    auto launch = [&] {
        const aclError code = aclrtLaunchCallback(Count, &count, ACL_CALLBACK_NO_BLOCK, stream);
        taken += code == ACL_SUCCESS;
        return code;
    };
    ACL_OK(aclrtSubscribeReport(reporter.Id(), stream));
    ACL_OK(aclrtLaunchCallback(&Standing::Run, &standing, ACL_CALLBACK_NO_BLOCK, stream));
    standing.begun.get_future().wait();
    for (int i = 0; i < 5; ++i) ACL_OK(launch());
    std::thread unsubscriber([&] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        ACL_EXPECT_OK(aclrtUnSubscribeReport(reporter.Id(), stream));
        EXPECT_TRUE(standing.over);
    });
    // While it waits no new callback is accepted, or it might never return.
    aclError code = ACL_SUCCESS;
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (code == ACL_SUCCESS && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::yield();
        code = launch();
    }
    EXPECT_EQ(code, kNoThread);
    EXPECT_FALSE(standing.over);
    standing.go_on.set_value();
    unsubscriber.join();
    EXPECT_EQ(count, taken);
}

TEST_F(ReportEnd, UnsubscribingFailsWhileCallbacksAreNotRun) {
    Stream stream;
    std::atomic<int> count{0};
    for (uint64_t thread : {ThisThread(), kSomeThread}) {
        ACL_OK(aclrtSubscribeReport(thread, stream));
        ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream));
        // On its own thread it fails at once, on another thread after a timeout.
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtUnSubscribeReport(thread, stream), "stays subscribed",
                         "aclrtProcessReport", Hex(thread));
        ACL_FAILS(kStream, aclrtSubscribeReport(thread, stream));
        // The subscription takes callbacks again.
        ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream));
        if (thread != ThisThread()) break;
        while (count < 2) ACL_OK(aclrtProcessReport(-1));
        ACL_OK(aclrtUnSubscribeReport(thread, stream));
    }
    // Destroying the stream drops the two callbacks that did not run.
    ACL_OK(aclrtDestroyStream(stream.Release()));
    EXPECT_EQ(count, 2);
}

TEST_F(ReportEnd, DestroyingAStreamDropsCallbacksThatHaveNotStarted) {
    for (bool force : {false, true}) {
        Stream first;
        Stream stream;
        PinnedMemory memory(64, 0);
        std::atomic<int> count{0};
        Event opened, behind;
        Gate gate;
        ACL_OK(gate.Hold(first));
        ACL_OK(aclrtRecordEvent(opened, first));
        ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
        // Some callbacks are ready, some are ordered after one that blocks, and some after an
        // event.
        ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_NO_BLOCK, stream));
        ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream));
        ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream));
        ACL_OK(aclrtStreamWaitEvent(stream, opened));
        ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream));
        ACL_OK(aclrtMemsetAsync(memory.At(), 64, 1, 64, stream));
        ACL_OK(aclrtRecordEvent(behind, stream));
        if (force) {
            ACL_OK(aclrtDestroyStreamForce(stream.Release()));
            gate.Open();
        } else {
            const Opener opener(gate);
            ACL_OK(aclrtDestroyStream(stream.Release()));
            EXPECT_EQ(memory.Copy(), std::vector<unsigned char>(64, 1)) << "the stream goes on";
        }
        ACL_OK(aclrtSynchronizeEvent(behind));
        EXPECT_EQ(count, 0);
        ACL_FAILS(kThread, aclrtProcessReport(-1));
        ACL_OK(aclrtSynchronizeStream(first));
    }
}

TEST_F(ReportEnd, AbortingAStreamDropsCallbacksThatHaveNotStarted) {
    Stream stream;
    Notes notes;
    ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
    for (int number = 0; number < 3; ++number)
        ACL_OK(notes.Launch(stream, number, number == 0 ? ACL_CALLBACK_NO_BLOCK : ACL_CALLBACK_BLOCK));
    ACL_OK(aclrtStreamAbort(stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_FAILS(kTimeout, aclrtProcessReport(1));
    EXPECT_EQ(notes.Numbers(), std::vector<int>());
    ACL_OK(notes.Launch(stream, 7));
    ACL_OK(aclrtProcessReport(-1));
    EXPECT_EQ(notes.Numbers(), std::vector<int>{7});
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtUnSubscribeReport(ThisThread(), stream));
}

TEST_F(ReportEnd, DestroyingAStreamWaitsForACallbackThatRuns) {
    for (aclrtCallbackBlockType type : {ACL_CALLBACK_BLOCK, ACL_CALLBACK_NO_BLOCK}) {
        Stream stream;
        Reporter reporter;
        Standing standing;
        ACL_OK(aclrtSubscribeReport(reporter.Id(), stream));
        ACL_OK(aclrtLaunchCallback(&Standing::Run, &standing, type, stream));
        standing.begun.get_future().wait();
        std::atomic<bool> destroyed{false};
        std::thread destroyer([&] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            ACL_EXPECT_OK(aclrtDestroyStream(stream.Release()));
            EXPECT_TRUE(standing.over);
            destroyed = true;
        });
        EXPECT_FALSE(destroyed);
        standing.go_on.set_value();
        destroyer.join();
        reporter.Stop();
    }
}

TEST_F(ReportEnd, ADeviceResetDropsCallbacks) {
    const aclrtStream stream = Stream().Release();
    std::atomic<int> count{0};
    std::promise<uint64_t> id;
    std::promise<void> subscribed;
    // It waits inside the call, without callbacks.
    const aclrtStream quiet = Stream().Release();
    std::thread waiter([&] {
        id.set_value(ThisThread());
        subscribed.get_future().wait();
        ACL_FAILS(kThread, aclrtProcessReport(-1));
    });
    ACL_EXPECT_OK(aclrtSubscribeReport(id.get_future().get(), quiet));
    subscribed.set_value();
    ACL_EXPECT_OK(aclrtSubscribeReport(ThisThread(), stream));
    for (int i = 0; i < 3; ++i) ACL_EXPECT_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream));
    ACL_EXPECT_OK(aclrtResetDeviceForce(0));
    waiter.join();
    EXPECT_EQ(count, 0);
    ACL_FAILS(kThread, aclrtProcessReport(-1));
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream));
    // The thread can subscribe again after the device is opened again.
    Stream next;
    ACL_OK(aclrtSubscribeReport(ThisThread(), next));
    ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, next));
    ACL_OK(aclrtProcessReport(-1));
    EXPECT_EQ(count, 1);
}

TEST_F(ReportEnd, FinalizeEndsCallsThatWait) {
    NEEDS_QUEUES(2);
    constexpr int kThreads = 8;
    std::vector<std::thread> threads;
    std::atomic<int> count{0};
    std::vector<std::promise<uint64_t>> ids(kThreads);
    std::vector<std::promise<void>> subscribed(kThreads);
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            ids[i].set_value(ThisThread());
            subscribed[i].get_future().wait();
            while (aclrtProcessReport(-1) == ACL_SUCCESS) {
            }
            ACL_FAILS(kThread, aclrtProcessReport(-1));
        });
        const aclrtStream stream = Stream().Release();
        const uint64_t thread = ids[i].get_future().get();
        ACL_EXPECT_OK(aclrtSubscribeReport(thread, stream));
        ACL_EXPECT_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream));
        ACL_EXPECT_OK(aclrtSubscribeReport(ThisThread(), Stream().Release()));
        subscribed[i].set_value();
    }
    ACL_EXPECT_OK(aclFinalize());
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(count, kThreads);
    ACL_FAILS(kThread, aclrtProcessReport(-1));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSubscribeReport(ThisThread(), nullptr));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtUnSubscribeReport(ThisThread(), nullptr));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, nullptr));
    ACL_OK(aclInit(nullptr));
}

TEST_F(ReportEnd, StormOfSubscribersAndLaunchers) {
    constexpr int kReporters = 6, kStreamsEach = 4, kRounds = 6, kBatch = 25;
    struct ReportedStream {
        Stream stream;
        std::unique_ptr<Notes> notes;
    };
    std::vector<std::unique_ptr<Reporter>> reporters;
    for (int i = 0; i < kReporters; ++i) reporters.push_back(std::make_unique<Reporter>());
    std::vector<std::thread> launchers;
    for (int me = 0; me < kReporters; ++me)
        launchers.emplace_back([&, me] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            std::vector<ReportedStream> lanes(kStreamsEach);
            Event event;
            for (int round = 0; round < kRounds; ++round) {
                const Reporter& reporter = *reporters[(me + round) % kReporters];
                for (ReportedStream& lane : lanes) {
                    lane.notes = std::make_unique<Notes>();
                    ACL_EXPECT_OK(aclrtSubscribeReport(reporter.Id(), lane.stream));
                }
                for (int number = 0; number < kBatch; ++number)
                    for (size_t i = 0; i < lanes.size(); ++i) {
                        const bool block = (number + i) % 2 == 0;
                        ACL_EXPECT_OK(lanes[i].notes->Launch(lanes[i].stream, number,
                                                             block ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK));
                        if (number % 5 != 0) continue;
                        ACL_EXPECT_OK(aclrtRecordEvent(event, lanes[i].stream));
                        ACL_EXPECT_OK(aclrtStreamWaitEvent(lanes[(i + 1) % lanes.size()].stream, event));
                    }
                for (ReportedStream& lane : lanes) {
                    aclError code = ACL_SUCCESS;
                    // A loaded machine may not schedule the thread for a while.
                    do {
                        code = aclrtUnSubscribeReport(reporter.Id(), lane.stream);
                    } while (code == ACL_ERROR_RT_PARAM_INVALID);
                    ACL_EXPECT_OK(code);
                    EXPECT_EQ(lane.notes->Numbers(), UpTo(kBatch));
                    EXPECT_TRUE(lane.notes->AllOn(reporter.ThreadId()));
                }
            }
        });
    for (std::thread& launcher : launchers) launcher.join();
}

TEST_F(ReportEnd, StormOfDestroyedStreams) {
    constexpr int kThreads = 4, kRounds = 40, kEach = 8;
    Reporter reporter;
    auto storm = [&](int me) {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        for (int round = 0; round < kRounds; ++round) {
            const aclrtStream stream = Stream().Release();
            auto count = std::make_unique<std::atomic<int>>(0);
            ACL_EXPECT_OK(aclrtSubscribeReport(reporter.Id(), stream));
            for (int i = 0; i < kEach; ++i)
                ACL_EXPECT_OK(aclrtLaunchCallback(Count, count.get(),
                                                  (i + me) % 2 ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK, stream));
            ACL_EXPECT_OK(aclrtDestroyStream(stream));
            const int ran = *count;
            EXPECT_LE(ran, kEach);
            // Its argument is freed here: a sanitizer would find a callback that ran later.
        }
    };
    std::vector<std::thread> threads;
    for (int me = 0; me < kThreads; ++me) threads.emplace_back(storm, me);
    for (std::thread& thread : threads) thread.join();
}

OWN_PROCESS_TEST(ReportProcess, CallbackThatReturnsTooLate, NO_LEAK_CHECK, {"PORTACL_FINALIZE_TIMEOUT_MS", "100"}) {
    for (aclrtCallbackBlockType type : {ACL_CALLBACK_NO_BLOCK, ACL_CALLBACK_BLOCK}) {
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        Reporter reporter;
        Standing standing;
        std::atomic<int> behind{0};
        const aclrtStream stream = Stream().Release();
        ACL_OK(aclrtSubscribeReport(reporter.Id(), stream));
        ACL_OK(aclrtLaunchCallback(&Standing::Run, &standing, type, stream));
        ACL_OK(aclrtLaunchCallback(Count, &behind, type, stream));
        standing.begun.get_future().wait();
        ACL_FAILS_SAYING(ACL_ERROR_FAILURE, aclFinalize(), "100 ms", "callback", "PORTACL_FINALIZE_TIMEOUT_MS");
        EXPECT_FALSE(standing.over);
        standing.go_on.set_value();
        reporter.Stop();
        EXPECT_TRUE(standing.over);
        EXPECT_EQ(behind, 0);
    }
    // A new session works.
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        Stream stream;
        std::atomic<int> count{0};
        ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
        ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream));
        ACL_OK(aclrtProcessReport(-1));
        EXPECT_EQ(count, 1);
    }
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(ReportProcess, ExitWithThreadsInside, NO_LEAK_CHECK) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    static std::promise<uint64_t> id;
    static std::promise<void> subscribed;
    std::thread([] {
        id.set_value(ThisThread());
        subscribed.get_future().wait();
        (void)aclrtProcessReport(-1);
    }).detach();
    static std::atomic<int> count{0};
    const aclrtStream stream = Stream().Release();
    ACL_OK(aclrtSubscribeReport(id.get_future().get(), Stream().Release()));
    ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
    for (int i = 0; i < 3; ++i) ACL_OK(aclrtLaunchCallback(Count, &count, ACL_CALLBACK_BLOCK, stream));
    subscribed.set_value();
    EXPECT_EQ(count, 0);
}

}  // namespace

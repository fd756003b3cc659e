// Waiting streams need no threads, and a stream that waits forever blocks no other.

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "support/gate.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/process/cores.h"
#include "support/says.h"
#include "support/stream/reporter.h"

using namespace portacl_test;

// Work that never ends is left behind with its objects: no leak of this library.
// clang-format off
#define NO_LEAK_CHECK {"LSAN_OPTIONS", "detect_leaks=0"}, {"FAKE_CUDA_LEAK_CHECK", "0"}
// clang-format on

namespace {

bool IsCpu() {
    const char* backend = std::getenv("PORTACL_BACKEND");
    return backend && std::strcmp(backend, "cpu") == 0;
}

// The test double has a thread for each stream, which a sanitizer makes far more expensive.
int StreamCount() {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    constexpr int kOnCpu = 2000;
#else
    constexpr int kOnCpu = 10000;
#endif
    // Queues that streams share have less room.
    return IsCpu() ? kOnCpu : SharesQueues() ? 100 : 200;
}

int Threads() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

void ExpectFewThreads(const char* when) {
    if (!IsCpu()) return;
    const int threads = Threads();
    EXPECT_GT(threads, 1) << when << ": none but this one?";
    EXPECT_LE(threads, Cores() + 8) << when;
}

// Half of them wait for one event, the others each for the previous stream. After the wait each
// stream increments its number and calls a host function.
void BlockOnEvents() {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    const int count = StreamCount();
    {
        Stream first;
        auto streams = Streams(count);
        std::vector<std::unique_ptr<Event>> events;
        DeviceMemory sums(std::vector<int32_t>(count, 1)), one(std::vector<int32_t>{1});
        std::atomic<int> called{0};
        Gate gate;
        events.push_back(std::make_unique<Event>());
        ACL_OK(gate.Hold(first));
        ACL_OK(aclrtRecordEvent(*events[0], first));
        for (int i = 0; i < count; ++i) {
            const bool chained = i % 2 == 1;
            ACL_OK(aclrtStreamWaitEvent(*streams[i], chained ? *events.back() : *events[0]));
            ACL_OK(aclrtReduceAsync(sums.At(4 * i), one.At(), 4, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32,
                                    *streams[i], nullptr));
            ACL_OK(aclrtLaunchHostFunc(*streams[i], Count, &called));
            events.push_back(std::make_unique<Event>());
            ACL_OK(aclrtRecordEvent(*events.back(), *streams[i]));
        }
        ASSERT_TRUE(gate.AwaitArrival());
        ExpectFewThreads("while all are blocked");
        for (int i = 0; i < count; i += 100) EXPECT_FALSE(IsIdle(*streams[i])) << i;
        EXPECT_EQ(called, 0);
        gate.Open();
        ACL_OK(aclrtSynchronizeDevice());
        EXPECT_EQ(called, count);
        EXPECT_EQ(sums.Download<int32_t>(), std::vector<int32_t>(count, 2));
    }
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(ManyStreams, BlockedOnEventsNeedFewThreads) {
    NEEDS_QUEUES(8);
    BlockOnEvents();
}

OWN_PROCESS_TEST(ManyStreams, BlockedOnEventsWithATimeoutNeedFewThreads) {
    NEEDS_QUEUES(8);
    ACL_OK(aclrtSetOpWaitTimeout(3600));
    BlockOnEvents();
}

// A stream that waits for a callback needs no thread either.
OWN_PROCESS_TEST(ManyStreams, BlockedOnCallbacksNeedFewThreads) {
    NEEDS_QUEUES(8);
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    const int count = StreamCount();
    {
        auto streams = Streams(count);
        std::atomic<int> called{0};
        PinnedMemory bytes(count, 0);
        for (int i = 0; i < count; ++i) {
            ACL_OK(aclrtSubscribeReport(ThisThread(), *streams[i]));
            ACL_OK(aclrtLaunchCallback(Count, &called, ACL_CALLBACK_BLOCK, *streams[i]));
            ACL_OK(aclrtMemsetAsync(bytes.At(i), 1, 1, 1, *streams[i]));
        }
        ExpectFewThreads("while all are blocked");
        EXPECT_EQ(bytes.Copy(), std::vector<unsigned char>(count, 0));
        EXPECT_EQ(called, 0);
        while (called < count) ACL_OK(aclrtProcessReport(30000));
        ACL_OK(aclrtSynchronizeDevice());
        ExpectFewThreads("when all have continued");
        EXPECT_EQ(called, count);
        EXPECT_EQ(bytes.Copy(), std::vector<unsigned char>(count, 1));
        for (int i = 0; i < count; ++i) ACL_OK(aclrtUnSubscribeReport(ThisThread(), *streams[i]));
    }
    ACL_OK(aclFinalize());
}

// More host functions that never return than there are cores (on a GPU, fewer than it has queues):
// all other work continues, and the process can exit.
OWN_PROCESS_TEST(ManyStreams, HostFunctionsThatBlockForEverStallTheirOwnStreams, NO_LEAK_CHECK,
                 {"PORTACL_FINALIZE_TIMEOUT_MS", "200"}) {
    NEEDS_QUEUES(8);
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    const int stuck_count = SharesQueues() ? kMostHeld : 2 * Cores() + 6;
    auto* gates = new std::vector<Gate>(stuck_count);  // never opened
    std::vector<aclrtStream> stuck;
    Event behind;
    for (Gate& gate : *gates) {
        stuck.push_back(Stream().Release());
        ACL_OK(gate.Hold(stuck.back()));
    }
    ACL_OK(aclrtRecordEvent(behind, stuck[0]));
    for (Gate& gate : *gates) ASSERT_TRUE(gate.AwaitArrival());

    constexpr size_t kSize = 1 << 20;
    const int kOthers = SharesQueues() ? 3 : 50;
    constexpr int kRounds = 4;
    {
        auto others = Streams(kOthers);
        DeviceMemory device(kSize * kOthers);
        PinnedMemory out(kSize * kOthers, 0);
        Event event;
        std::atomic<int> called{0};
        for (int round = 1; round <= kRounds; ++round) {
            for (int i = 0; i < kOthers; ++i) {
                void* const part = device.At(kSize * i);
                ACL_OK(aclrtStreamWaitEvent(*others[i], event));
                ACL_OK(aclrtMemsetAsync(part, kSize, 10 * round + i, kSize, *others[i]));
                ACL_OK(aclrtLaunchHostFunc(*others[i], Count, &called));
                ACL_OK(aclrtMemcpyAsync(out.At(kSize * i), kSize, part, kSize, ACL_MEMCPY_DEVICE_TO_HOST, *others[i]));
                ACL_OK(aclrtRecordEvent(event, *others[i]));
            }
            for (int i = 0; i < kOthers; ++i) ACL_OK(aclrtSynchronizeStream(*others[i]));
            EXPECT_EQ(called, round * kOthers);
            for (int i = 0; i < kOthers; ++i) {
                EXPECT_EQ(out.Bytes()[kSize * i], 10 * round + i);
                EXPECT_EQ(out.Bytes()[kSize * (i + 1) - 1], 10 * round + i);
            }
        }
        // A synchronize of a stuck stream blocks, and returns after its timeout.
        Stream waiting;
        ACL_OK(aclrtStreamWaitEvent(waiting, behind));
        ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(waiting, 20));
        for (aclrtStream stream : stuck) EXPECT_FALSE(IsIdle(stream));
        ACL_OK(aclrtDestroyStreamForce(waiting.Release()));
    }
    ACL_OK(aclrtDestroyEvent(behind.Release()));
    ACL_FAILS_SAYING(ACL_ERROR_FAILURE, aclFinalize(), "200 ms", "PORTACL_FINALIZE_TIMEOUT_MS");
}

}  // namespace

// aclrtLaunchHostFunc: user code in stream order.

#include <array>
#include <atomic>
#include <memory>
#include <numeric>

#include "support/gate.h"
#include "support/objects.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

class HostFunction : public WithDevice {};

void Increment(void* counter) {
    static_cast<std::atomic<int>*>(counter)->fetch_add(1);
}

std::vector<int> UpTo(int count) {
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

TEST_F(HostFunction, RunsOnceInOrderOnAnotherThread) {
    Stream stream;
    Log log;
    for (int number = 0; number < 200; ++number) ACL_OK(log.Append(stream, number));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(log.Numbers(), UpTo(200));
    for (const Log::Entry& entry : log.Entries())
        EXPECT_NE(entry.thread, std::this_thread::get_id()) << "entry " << entry.number;
}

// A wait slot of the library is reused after the function has returned, and not before. The number
// of functions is below the limit at which a driver blocks the caller.
TEST_F(HostFunction, ManyMayWaitRepeatedly) {
    constexpr int kRounds = 10, kRunning = 100;
    // The queue of a GPU's driver holds some 56.
    const int held = OnCpu() ? 300 : 40;
    Stream stream;
    for (int round = 0; round < kRounds; ++round) {
        Gate gate;
        Log log;
        ACL_OK(gate.Hold(stream));
        for (int number = 0; number < held; ++number) ACL_OK(log.Append(stream, number));
        EXPECT_EQ(log.Numbers(), UpTo(0));
        gate.Open();
        for (int number = 0; number < kRunning; ++number) ACL_OK(log.Append(stream, held + number));
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(log.Numbers(), UpTo(held + kRunning)) << "round " << round;
    }
}

TEST_F(HostFunction, RunsOnTheDefaultStream) {
    Log log;
    ACL_OK(log.Append(nullptr, 7));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(log.Numbers(), std::vector<int>{7});
}

TEST_F(HostFunction, GetsItsArgumentUnchanged) {
    Stream stream;
    static std::atomic<void*> got;
    got = &got;
    ACL_OK(aclrtLaunchHostFunc(
        stream, [](void* argument) { got = argument; }, nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(got.load(), nullptr);
    int here = 0;
    ACL_OK(aclrtLaunchHostFunc(
        stream, [](void* argument) { got = argument; }, &here));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(got.load(), &here);
}

TEST_F(HostFunction, NullFunctionIsAnError) {
    Stream stream;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtLaunchHostFunc(stream, nullptr, nullptr), "fn", "null");
}

TEST_F(HostFunction, RunsBetweenItsNeighbouringOperations) {
    Stream stream;
    constexpr size_t kSize = 4096;
    DeviceMemory device(kSize);
    PinnedMemory in(kSize, 0), out(kSize, 0);
    struct Stage {
        PinnedMemory& in;
        PinnedMemory& out;
        int round = 0;
        bool right = true;
    } stage{in, out};
    constexpr int kRounds = 50;
    // Each round: device = round; out = device; the function checks out and writes in; device = in.
    for (int round = 1; round <= kRounds; ++round) {
        ACL_OK(aclrtMemsetAsync(device.At(), kSize, round, kSize, stream));
        ACL_OK(aclrtMemcpyAsync(out.At(), kSize, device.At(), kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        auto check = [](void* argument) {
            auto* stage = static_cast<Stage*>(argument);
            stage->round += 1;
            for (unsigned char byte : stage->out.Copy())
                stage->right &= byte == static_cast<unsigned char>(stage->round);
            std::memset(stage->in.At(), 100 + stage->round, stage->in.Size());
        };
        ACL_OK(aclrtLaunchHostFunc(stream, check, &stage));
        ACL_OK(aclrtMemcpyAsync(device.At(), kSize, in.At(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    }
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(stage.round, kRounds);
    EXPECT_TRUE(stage.right);
    EXPECT_EQ(device.Download(), std::vector<unsigned char>(kSize, 100 + kRounds));
}

TEST_F(HostFunction, BlocksItsStreamOnly) {
    NEEDS_QUEUES(2);
    Stream held, other;
    DeviceMemory device(4096);
    Gate gate;
    Log log;
    ACL_OK(gate.Hold(held));
    ACL_OK(log.Append(held, 1));
    ACL_OK(aclrtMemsetAsync(device.At(), 4096, 1, 4096, other));
    ACL_OK(log.Append(other, 2));
    ACL_OK(aclrtSynchronizeStream(other));
    EXPECT_EQ(log.Numbers(), std::vector<int>{2});
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(held));
    EXPECT_EQ(log.Numbers(), (std::vector<int>{2, 1}));
}

// A stream whose host function waits for that of another stream: neither may need the other's
// thread.
TEST_F(HostFunction, FunctionsOfDifferentStreamsMayWaitForEachOther) {
    NEEDS_QUEUES(8);
    static const int kStreams = SharesQueues() ? 5 : 16;
    std::vector<std::unique_ptr<Stream>> streams;
    for (int i = 0; i < kStreams; ++i) streams.push_back(std::make_unique<Stream>());
    struct Meeting {
        std::mutex mutex;
        std::condition_variable changed;
        int present = 0;
        int met = 0;
    };
    auto* meeting = MakeImmortal<Meeting>();
    auto attend = [](void* argument) {
        auto* meeting = static_cast<Meeting*>(argument);
        std::unique_lock<std::mutex> lock(meeting->mutex);
        meeting->present += 1;
        meeting->changed.notify_all();
        meeting->met += meeting->changed.wait_for(lock, kPatience, [&] { return meeting->present == kStreams; });
    };
    for (auto& stream : streams) ACL_OK(aclrtLaunchHostFunc(*stream, attend, meeting));
    for (auto& stream : streams) ACL_OK(aclrtSynchronizeStream(*stream));
    EXPECT_EQ(meeting->met, kStreams);
}

TEST_F(HostFunction, ManyOnManyStreamsEachOnce) {
    constexpr int kStreams = 64, kEach = 50;
    std::vector<std::unique_ptr<Stream>> streams;
    std::vector<Log> logs(kStreams);
    for (int i = 0; i < kStreams; ++i) streams.push_back(std::make_unique<Stream>());
    for (int number = 0; number < kEach; ++number)
        for (int i = 0; i < kStreams; ++i) ACL_OK(logs[i].Append(*streams[i], number));
    ACL_OK(aclrtSynchronizeDevice());
    for (const Log& log : logs) EXPECT_EQ(log.Numbers(), UpTo(kEach));
}

TEST_F(HostFunction, LaunchedByManyThreadsEachOnce) {
    constexpr int kThreads = 16, kEach = 100;
    Stream stream;
    std::atomic<int> count{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            for (int j = 0; j < kEach; ++j) ACL_EXPECT_OK(aclrtLaunchHostFunc(stream, Increment, &count));
        });
    for (std::thread& thread : threads) thread.join();
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(count.load(), kThreads * kEach);
}

TEST_F(HostFunction, NeedsACurrentContext) {
    Stream stream;
    std::atomic<int> count{0};
    OnNewThread([&] {
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtLaunchHostFunc(stream, Increment, &count));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtLaunchHostFunc(nullptr, Increment, &count));
    });
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(count.load(), 0);
}

TEST_F(HostFunction, AfterFinalizeNothingRuns) {
    std::atomic<int> count{0};
    ACL_OK(aclFinalize());
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtLaunchHostFunc(nullptr, Increment, &count));
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(count.load(), 0);
}

// The result of a call inside a host function, and whether its text names the call.
struct Verdict {
    std::string call;
    aclError code;
    bool named;
};

// Every call that a host function must not make.
struct Forbidden {
    aclrtStream stream;
    aclrtEvent event;
    aclrtContext context;
    void* device;
    void* pinned;
    std::vector<Verdict> verdicts;
    std::vector<bool> untouched;

    void Note(const char* call, aclError code) {
        const char* text = aclGetRecentErrMsg();
        verdicts.push_back({call, code, text && std::strstr(text, call)});
    }

    template <typename T, typename Call>
    void NoteOut(const char* name, Call call) {
        T out = Poison<T>();
        Note(name, call(&out));
        untouched.push_back(IsPoison(out));
    }

    void Try() {
        using Pointer = void*;
        using Sizes = std::array<size_t, 2>;
        NoteOut<Pointer>("aclrtMalloc", [](Pointer* out) { return aclrtMalloc(out, 64, ACL_MEM_MALLOC_NORMAL_ONLY); });
        NoteOut<Pointer>("aclrtMallocHost", [](Pointer* out) { return aclrtMallocHost(out, 64); });
        NoteOut<Pointer>("aclrtCreateStream", [](Pointer* out) { return aclrtCreateStream(out); });
        NoteOut<Pointer>("aclrtCreateStreamWithConfig",
                         [](Pointer* out) { return aclrtCreateStreamWithConfig(out, 0, 3); });
        NoteOut<Pointer>("aclrtCreateEvent", [](Pointer* out) { return aclrtCreateEvent(out); });
        NoteOut<Pointer>("aclrtCreateEventWithFlag",
                         [](Pointer* out) { return aclrtCreateEventWithFlag(out, ACL_EVENT_SYNC); });
        NoteOut<Pointer>("aclrtCreateEventExWithFlag",
                         [](Pointer* out) { return aclrtCreateEventExWithFlag(out, ACL_EVENT_SYNC); });
        NoteOut<Pointer>("aclrtCreateContext", [](Pointer* out) { return aclrtCreateContext(out, 0); });
        NoteOut<aclrtStreamStatus>("aclrtStreamQuery",
                                   [this](aclrtStreamStatus* out) { return aclrtStreamQuery(stream, out); });
        NoteOut<aclrtEventRecordedStatus>("aclrtQueryEventStatus", [this](aclrtEventRecordedStatus* out) {
            return aclrtQueryEventStatus(event, out);
        });
        NoteOut<float>("aclrtEventElapsedTime",
                       [this](float* out) { return aclrtEventElapsedTime(out, event, event); });
        NoteOut<Sizes>("aclrtGetMemInfo",
                       [](Sizes* out) { return aclrtGetMemInfo(ACL_HBM_MEM, &(*out)[0], &(*out)[1]); });
        NoteOut<aclrtPtrAttributes>("aclrtPointerGetAttributes",
                                    [this](aclrtPtrAttributes* out) { return aclrtPointerGetAttributes(device, out); });
        Note("aclrtFree", aclrtFree(device));
        Note("aclrtFreeHost", aclrtFreeHost(pinned));
        Note("aclrtMemset", aclrtMemset(device, 64, 1, 64));
        Note("aclrtMemsetAsync", aclrtMemsetAsync(device, 64, 1, 64, stream));
        Note("aclrtMemcpy", aclrtMemcpy(device, 64, pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE));
        Note("aclrtMemcpyAsync", aclrtMemcpyAsync(device, 64, pinned, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));
        Note("aclrtReduceAsync",
             aclrtReduceAsync(device, device, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8, stream, nullptr));
        Note("aclrtLaunchHostFunc", aclrtLaunchHostFunc(stream, Increment, nullptr));
        Note("aclrtSynchronizeStream", aclrtSynchronizeStream(stream));
        Note("aclrtSynchronizeStreamWithTimeout", aclrtSynchronizeStreamWithTimeout(stream, 1));
        Note("aclrtSynchronizeEvent", aclrtSynchronizeEvent(event));
        Note("aclrtSynchronizeEventWithTimeout", aclrtSynchronizeEventWithTimeout(event, 1));
        Note("aclrtSynchronizeDevice", aclrtSynchronizeDevice());
        Note("aclrtRecordEvent", aclrtRecordEvent(event, stream));
        Note("aclrtStreamWaitEvent", aclrtStreamWaitEvent(stream, event));
        Note("aclrtDestroyEvent", aclrtDestroyEvent(event));
        Note("aclrtDestroyStream", aclrtDestroyStream(stream));
        Note("aclrtDestroyStreamForce", aclrtDestroyStreamForce(stream));
        Note("aclrtDestroyContext", aclrtDestroyContext(context));
        Note("aclrtSetDevice", aclrtSetDevice(0));
        Note("aclrtResetDevice", aclrtResetDevice(0));
        Note("aclrtResetDeviceForce", aclrtResetDeviceForce(0));
        Note("aclInit", aclInit(nullptr));
        Note("aclFinalize", aclFinalize());
        Note("aclFinalizeReference", aclFinalizeReference(nullptr));
    }
};

TEST_F(HostFunction, CallsOfTheApiInsideAreRefusedAndDoNotDeadlock) {
    Stream stream;
    Event event;
    ACL_OK(aclrtRecordEvent(event, stream));
    DeviceMemory device(64);
    PinnedMemory pinned(64, 3);
    aclrtContext context = nullptr;
    ACL_OK(aclrtGetCurrentContext(&context));
    device.Upload(Pattern(64));
    Forbidden forbidden{stream, event, context, device.At(), pinned.At(), {}, {}};
    auto attempt = [](void* argument) { static_cast<Forbidden*>(argument)->Try(); };
    ACL_OK(aclrtLaunchHostFunc(stream, attempt, &forbidden));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(forbidden.verdicts.size(), 38u);
    for (const Verdict& verdict : forbidden.verdicts) {
        EXPECT_EQ(verdict.code, ACL_ERROR_RT_PARAM_INVALID) << verdict.call;
        EXPECT_TRUE(verdict.named) << verdict.call;
    }
    for (size_t i = 0; i < forbidden.untouched.size(); ++i) EXPECT_TRUE(forbidden.untouched[i]) << "output " << i;
    // None of the calls had an effect.
    EXPECT_EQ(device.Download(), Pattern(64));
    EXPECT_EQ(pinned.Copy(), std::vector<unsigned char>(64, 3));
}

TEST_F(HostFunction, PureQueriesInsideWork) {
    Stream stream;
    struct Answers {
        uint32_t count = 0;
        aclError count_code = -1;
        aclrtRunMode mode = Poison<aclrtRunMode>();
        aclError mode_code = -1;
        const char* soc = nullptr;
    } answers;
    auto ask = [](void* argument) {
        auto* answers = static_cast<Answers*>(argument);
        answers->count_code = aclrtGetDeviceCount(&answers->count);
        answers->mode_code = aclrtGetRunMode(&answers->mode);
        answers->soc = aclrtGetSocName();
    };
    ACL_OK(aclrtLaunchHostFunc(stream, ask, &answers));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(answers.count_code, 0);
    EXPECT_GE(answers.count, 1u);
    EXPECT_EQ(answers.mode_code, 0);
    EXPECT_EQ(answers.mode, ACL_HOST);
    EXPECT_NE(answers.soc, nullptr);
}

// The calling thread is not marked as inside a host function.
TEST_F(HostFunction, TheCallingThreadCanContinue) {
    Stream stream;
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ASSERT_TRUE(gate.AwaitArrival());
    DeviceMemory device(128);
    ACL_OK(aclrtMemset(device.At(), 128, 9, 128));
    EXPECT_EQ(device.Download(), std::vector<unsigned char>(128, 9));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
}

}  // namespace

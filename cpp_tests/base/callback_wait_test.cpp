// Callbacks that wait for other callbacks never deadlock (docs/callbacks.md).
#include <portacl/portacl.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "support/gate.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/stream/reporter.h"

using namespace portacl_test;

namespace {

constexpr aclError kRefused = ACL_ERROR_RT_PARAM_INVALID;

// ---- hooks that unregister each other ----

// Blocks threads until all of them have arrived.
class Barrier {
  public:
    explicit Barrier(int missing) : missing_(missing) {}
    void ArriveAndWait() {
        std::unique_lock<std::mutex> lock(mutex_);
        --missing_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return missing_ <= 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int missing_;
};

// A hook for all threads that runs a function in one of them, once.
class OneShotHook {
  public:
    OneShotHook(std::string name, portaclMemoryHookScope scope = PORTACL_MEMORY_HOOK_PROCESS) : name_(std::move(name)) {
        portaclMemoryHook hook{};
        hook.structSize = sizeof hook;
        hook.name = name_.c_str();
        hook.userData = this;
        hook.beforeMalloc = [](void* self, const portaclMemoryEvent*) {
            static_cast<OneShotHook*>(self)->Called();
            return static_cast<aclError>(ACL_SUCCESS);
        };
        ExpectOk("portaclMemoryHookRegister", portaclMemoryHookRegister(&hook, scope, &id));
    }
    ~OneShotHook() {
        // A test may have unregistered it.
        (void)portaclMemoryHookUnregister(id);
        aclGetRecentErrMsg();
    }
    OneShotHook(const OneShotHook&) = delete;
    OneShotHook& operator=(const OneShotHook&) = delete;

    // Runs `act` in the calling thread, the next time that the hook is called.
    void Do(std::function<void()> act) {
        mine = this;
        act_ = std::move(act);
    }
    static thread_local OneShotHook* mine;

    uint64_t id = 0;
    std::atomic<int> calls{0};

  private:
    void Called() {
        ++calls;
        if (mine != this) return;
        mine = nullptr;
        act_();
    }
    std::string name_;
    std::function<void()> act_;
};
thread_local OneShotHook* OneShotHook::mine = nullptr;

void CallHooks() {
    void* memory = nullptr;
    ACL_EXPECT_OK(aclrtMallocHost(&memory, 64));
    ACL_EXPECT_OK(aclrtFreeHost(memory));
}

// The result of an unregistration, with its text.
struct Outcome {
    aclError code = -1;
    std::string text;
    void Unregister(uint64_t id) {
        code = portaclMemoryHookUnregister(id);
        text = code == ACL_SUCCESS ? "" : TakeText();
    }
};

// `count` hooks, each of which unregisters the next one on its own thread while all of them run.
void UnregisterInACycle(int count) {
    std::vector<std::unique_ptr<OneShotHook>> hooks;
    for (int i = 0; i < count; ++i) hooks.push_back(std::make_unique<OneShotHook>("hook " + std::to_string(i)));
    Barrier meeting(count);
    std::vector<Outcome> outcomes(count);
    OnThreads(count, [&](int i) {
        hooks[i]->Do([&, i] {
            meeting.ArriveAndWait();
            outcomes[i].Unregister(hooks[(i + 1) % count]->id);
        });
        CallHooks();
    });
    int refused = -1;
    for (int i = 0; i < count; ++i) {
        if (outcomes[i].code == ACL_SUCCESS) continue;
        EXPECT_EQ(refused, -1) << "exactly one unregistration is refused";
        refused = i;
        EXPECT_EQ(outcomes[i].code, kRefused);
        for (const char* word : {"portaclMemoryHookUnregister", "waits for the callback", "unregister it again"})
            EXPECT_NE(outcomes[i].text.find(word), std::string::npos) << outcomes[i].text;
    }
    ASSERT_NE(refused, -1);
    // The hook is no longer called, but unregistering it again waits for it.
    OneShotHook& left = *hooks[(refused + 1) % count];
    const int calls = left.calls;
    CallHooks();
    EXPECT_EQ(left.calls, calls);
    ACL_EXPECT_OK(portaclMemoryHookUnregister(left.id));
    ACL_FAILS(kRefused, portaclMemoryHookUnregister(left.id));
}

}  // namespace

OWN_PROCESS_TEST(CallbackWait, TwoHooksThatUnregisterEachOther) {
    ACL_OK(aclInit(nullptr));
    for (int round = 0; round < 20; ++round) UnregisterInACycle(2);
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(CallbackWait, ManyHooksThatUnregisterEachOther) {
    ACL_OK(aclInit(nullptr));
    for (int round = 0; round < 20; ++round) UnregisterInACycle(5);
    ACL_OK(aclFinalize());
}

// Two threads are inside the same hook, and each waits for the other one to leave.
OWN_PROCESS_TEST(CallbackWait, AHookThatUnregistersItselfOnTwoThreads) {
    ACL_OK(aclInit(nullptr));
    for (int round = 0; round < 20; ++round) {
        portaclMemoryHook hook{};
        hook.structSize = sizeof hook;
        hook.name = "twice";
        static uint64_t id;
        static std::atomic<int> ok, refused;
        ok = refused = 0;
        static Barrier* meeting;
        Barrier both(2);
        meeting = &both;
        hook.beforeMalloc = [](void*, const portaclMemoryEvent*) {
            meeting->ArriveAndWait();
            Outcome outcome;
            outcome.Unregister(id);
            (outcome.code == ACL_SUCCESS ? ok : refused) += 1;
            return static_cast<aclError>(ACL_SUCCESS);
        };
        ACL_OK(portaclMemoryHookRegister(&hook, PORTACL_MEMORY_HOOK_PROCESS, &id));
        OnThreads(2, [](int) { CallHooks(); });
        EXPECT_EQ(ok, 1);
        EXPECT_EQ(refused, 1);
        ACL_FAILS(kRefused, portaclMemoryHookUnregister(id));
    }
    ACL_OK(aclFinalize());
}

// ---- hooks that wait for the thread that unregisters them ----

OWN_PROCESS_TEST(CallbackWait, AHostFunctionUnregistersAHookThatWaitsForItsStream) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        Stream stream;
        OneShotHook hook("waits");
        struct Argument {
            Gate gate;
            uint64_t id;
            Outcome outcome;
        };
        static Argument argument;
        argument.id = hook.id;
        Signal waits;
        ACL_OK(argument.gate.Hold(stream));
        ACL_OK(aclrtLaunchHostFunc(
            stream, [](void*) { argument.outcome.Unregister(argument.id); }, nullptr));
        hook.Do([&] {
            argument.gate.Open();
            ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        });
        CallHooks();
        EXPECT_EQ(argument.outcome.code, kRefused);
        EXPECT_NE(argument.outcome.text.find("host function"), std::string::npos) << argument.outcome.text;
        ACL_EXPECT_OK(portaclMemoryHookUnregister(hook.id));
    }
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(CallbackWait, AReportThreadUnregistersAHookThatWaitsForReports) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        Stream stream;
        OneShotHook hook("waits");
        Signal subscribed, inside, processed;
        Outcome outcome;
        std::thread reader([&] {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            ACL_EXPECT_OK(aclrtSubscribeReport(ThisThread(), stream));
            ACL_EXPECT_OK(aclrtLaunchCallback([](void*) {}, nullptr, ACL_CALLBACK_BLOCK, stream));
            subscribed.Set();
            inside.Wait();
            outcome.Unregister(hook.id);
            ACL_EXPECT_OK(aclrtProcessReport(10000));
        });
        subscribed.Wait();
        hook.Do([&] {
            inside.Set();
            ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        });
        CallHooks();
        reader.join();
        EXPECT_EQ(outcome.code, kRefused);
        EXPECT_NE(outcome.text.find("aclrtProcessReport"), std::string::npos) << outcome.text;
        ACL_EXPECT_OK(portaclMemoryHookUnregister(hook.id));
    }
    ACL_OK(aclFinalize());
}

// ---- callbacks that wait for callbacks of the same thread ----

namespace {

void Tick(void* counter) {
    ++*static_cast<std::atomic<int>*>(counter);
}

// Every call that waits for streams, inside a callback of a thread that must run a callback of a
// stream.
void WaitForStreams(const std::string& what) {
    ACL_OK(aclrtSetDevice(0));
    std::atomic<int> ran{0};
    void *memory = nullptr, *host = nullptr;
    ACL_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtMallocHost(&host, 4096));
    aclrtContext before = nullptr, context = nullptr;
    ACL_OK(aclrtGetCurrentContext(&before));
    ACL_OK(aclrtCreateContext(&context, 0));
    ACL_OK(aclrtSetCurrentContext(before));
    {
        Stream stream, behind;
        Event event;
        ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
        ACL_OK(aclrtLaunchCallback(&Tick, &ran, ACL_CALLBACK_BLOCK, stream));
        ACL_OK(aclrtRecordEvent(event, stream));
        ACL_OK(aclrtStreamWaitEvent(behind, event));
        char bytes[4096];
        const auto to_host = [&] {
            return aclrtMemcpyAsync(bytes, sizeof bytes, memory, sizeof bytes, ACL_MEMCPY_DEVICE_TO_HOST, behind);
        };
        const std::vector<std::pair<const char*, std::function<aclError()>>> waits = {
            {"aclrtSynchronizeStream", [&] { return aclrtSynchronizeStream(behind); }},
            {"aclrtSynchronizeStreamWithTimeout", [&] { return aclrtSynchronizeStreamWithTimeout(behind, -1); }},
            {"aclrtSynchronizeEvent", [&] { return aclrtSynchronizeEvent(event); }},
            {"aclrtSynchronizeEventWithTimeout", [&] { return aclrtSynchronizeEventWithTimeout(event, -1); }},
            {"aclrtSynchronizeDevice", [&] { return aclrtSynchronizeDevice(); }},
            {"aclrtSynchronizeDeviceWithTimeout", [&] { return aclrtSynchronizeDeviceWithTimeout(-1); }},
            {"aclrtMemcpyAsync", to_host},
            {"aclrtFreeWithDevSync", [&] { return aclrtFreeWithDevSync(memory); }},
            {"aclrtFreeHostWithDevSync", [&] { return aclrtFreeHostWithDevSync(host); }},
            {"aclrtDestroyContext", [&] { return aclrtDestroyContext(context); }},
            {"aclrtDestroyStream", [&] { return aclrtDestroyStream(behind); }},
        };
        for (const auto& [name, wait] : waits) {
            EXPECT_EQ(wait(), kRefused) << name;
            const std::string text = TakeText();
            for (const std::string& word : {std::string(name), "inside a " + what, std::string("1 are pending")})
                EXPECT_NE(text.find(word), std::string::npos) << name << ": " << text;
        }
        // A wait with a timeout is not refused.
        EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(behind, 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        EXPECT_EQ(ran, 0);
        ACL_EXPECT_OK(aclrtProcessReport(10000));
        EXPECT_EQ(ran, 1);
        for (const auto& [name, wait] : waits) EXPECT_EQ(wait(), ACL_SUCCESS) << name << ": " << TakeText();
        behind.Release();
        ACL_EXPECT_OK(aclrtUnSubscribeReport(ThisThread(), stream));
    }
    aclGetRecentErrMsg();
}

// Inside the first callback that runs.
int waits = 0;
void WaitOnce(const char* what) {
    if (++waits == 1) WaitForStreams(what);
}

}  // namespace

OWN_PROCESS_TEST(CallbackWait, InMemoryHooks) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        OneShotHook hook("waits");
        hook.Do([] { WaitOnce("memory hook"); });
        CallHooks();
    }
    EXPECT_EQ(waits, 1);
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(CallbackWait, InCallbacksOfInitAndFinalize) {
    const auto type = ACL_REG_TYPE_OTHER;
    ACL_OK(aclInitCallbackRegister(
        type, [](const char*, size_t, void*) { return WaitOnce("callback of aclInit"), ACL_SUCCESS; }, nullptr));
    ACL_OK(aclFinalizeCallbackRegister(
        type, [](void*) { return WaitOnce("callback of aclFinalize"), ACL_SUCCESS; }, nullptr));
    ACL_OK(aclInit(nullptr));
    EXPECT_EQ(waits, 1);
    waits = 0;
    ACL_OK(aclFinalize());
    EXPECT_EQ(waits, 1);
}

OWN_PROCESS_TEST(CallbackWait, InCallbacksOfDevicesAndStreams) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtRegDeviceStateCallback(
        "waits",
        [](int32_t, aclrtDeviceState state, void*) {
            if (state == ACL_RT_DEVICE_STATE_SET_POST) WaitOnce("device-state callback");
        },
        nullptr));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(waits, 1);
    waits = 0;
    ACL_OK(aclrtRegStreamStateCallback(
        "waits", [](aclrtStream, aclrtStreamState, void*) { WaitOnce("stream-state callback"); }, nullptr));
    { Stream stream; }
    EXPECT_EQ(waits, 2);
    waits = 0;
    ACL_OK(aclrtSetDeviceTaskAbortCallback(
        "waits", [](int32_t, aclrtDeviceTaskAbortStage, uint32_t, void*) { return WaitOnce("task-abort callback"), 0; },
        nullptr));
    ACL_OK(aclrtDeviceTaskAbort(0, 10000));
    EXPECT_EQ(waits, 2);
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(CallbackWait, InCallbacksOfSnapshots) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtSnapShotCallbackRegister(
        ACL_RT_SNAPSHOT_LOCK_PRE, [](int32_t, void*) { return WaitOnce("callback of a snapshot"), uint32_t{0}; },
        nullptr));
    ACL_OK(aclrtSnapShotProcessLock(getpid(), nullptr));
    EXPECT_EQ(waits, 1);
    ACL_OK(aclrtSnapShotProcessUnlock(getpid(), nullptr));
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(CallbackWait, InCallbacksOfGraphs) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        Stream stream;
        ACL_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
        aclmdlRI graph = nullptr;
        ACL_OK(aclmdlRICaptureEnd(stream, &graph));
        ACL_OK(aclmdlRIDestroyRegisterCallback(
            graph, [](void*) { WaitOnce("callback of a graph's end"); }, nullptr));
        ACL_OK(aclmdlRIDestroy(graph));
    }
    EXPECT_EQ(waits, 1);
    ACL_OK(aclFinalize());
}

// Destroying the stream drops its callbacks, so it does not wait for them.
OWN_PROCESS_TEST(CallbackWait, StreamsDestroyedInCallbacksDropTheirCallbacks) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    std::atomic<int> ran{0};
    OneShotHook hook("ends");
    hook.Do([&] {
        Stream stream, behind;
        Event event;
        ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
        ACL_OK(aclrtLaunchCallback(&Tick, &ran, ACL_CALLBACK_BLOCK, stream));
        ACL_EXPECT_OK(aclrtDestroyStream(stream.Release()));
    });
    CallHooks();
    hook.Do([&] {
        // The first callback waits for a callback of the second stream.
        aclrtStream behind = nullptr, stream = nullptr;
        aclrtEvent event = nullptr;
        ACL_OK(aclrtCreateStream(&behind));
        ACL_OK(aclrtCreateStream(&stream));
        ACL_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        ACL_OK(aclrtSubscribeReport(ThisThread(), stream));
        ACL_OK(aclrtLaunchCallback(&Tick, &ran, ACL_CALLBACK_BLOCK, stream));
        ACL_OK(aclrtRecordEvent(event, stream));
        ACL_OK(aclrtStreamWaitEvent(behind, event));
        ACL_EXPECT_OK(aclrtResetDevice(0));
        ACL_EXPECT_OK(aclrtSetDevice(0));
    });
    CallHooks();
    EXPECT_EQ(ran, 0);
    ACL_OK(aclFinalize());
}

// ---- unregistrations that do not wait ----

// A callback that another thread runs is unregistered at once, also from inside a callback.
OWN_PROCESS_TEST(CallbackWait, StateCallbacksAreUnregisteredWithoutWaiting) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    static Signal inside, taken_back;
    const auto stay = [](aclrtStream, aclrtStreamState state, void*) {
        if (state != ACL_RT_STREAM_STATE_CREATE_POST) return;
        inside.Set();
        taken_back.Wait();
    };
    ACL_OK(aclrtRegStreamStateCallback("stays", stay, nullptr));
    std::thread other([] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        Stream stream;
    });
    inside.Wait();
    OneShotHook hook("takes back");
    hook.Do([] {
        ACL_EXPECT_OK(aclrtRegStreamStateCallback("stays", nullptr, nullptr));
        taken_back.Set();
    });
    CallHooks();
    other.join();
    ACL_OK(aclFinalize());
}

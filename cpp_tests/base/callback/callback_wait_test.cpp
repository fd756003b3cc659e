// Callbacks that wait for other callbacks never deadlock (docs/callbacks.md). callback_wait_stream_test.cpp tests those
// that wait for streams.

#include <portacl/portacl.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/callback/one_shot_hook.h"
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

// ---- unregistrations that do not wait ----

// A callback that another thread runs is unregistered at once, also from inside a callback.
OWN_PROCESS_TEST(CallbackWait, StateCallbacksAreUnregisteredWithoutWaiting) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    static Signal inside, unregistered;
    const auto stay = [](aclrtStream, aclrtStreamState state, void*) {
        if (state != ACL_RT_STREAM_STATE_CREATE_POST) return;
        inside.Set();
        unregistered.Wait();
    };
    ACL_OK(aclrtRegStreamStateCallback("stays", stay, nullptr));
    std::thread other([] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        Stream stream;
    });
    inside.Wait();
    OneShotHook hook("unregisters it");
    hook.Do([] {
        ACL_EXPECT_OK(aclrtRegStreamStateCallback("stays", nullptr, nullptr));
        unregistered.Set();
    });
    CallHooks();
    other.join();
    ACL_OK(aclFinalize());
}

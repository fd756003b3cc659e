// Registering, listing and unregistering memory hooks.

#include <portacl/portacl.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "support/memory/memory_hook.h"

using namespace portacl_test;

namespace {

TEST_F(MemoryHook, NamesAreUnique) {
    Recorder first(call_log, "same");
    ACL_OK(first.registered);
    Recorder second(call_log, "same");
    EXPECT_EQ(second.registered, ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_TRUE(Says({"portaclMemoryHookRegister", "same", std::to_string(first.id)}));
    Recorder everywhere(call_log, "same", PORTACL_MEMORY_HOOK_PROCESS);
    EXPECT_EQ(everywhere.registered, ACL_ERROR_RT_PARAM_INVALID);
    OnNewThread([this] {
        Recorder other(call_log, "same");
        EXPECT_EQ(other.registered, ACL_SUCCESS);
    });
    aclGetRecentErrMsg();
}

TEST_F(MemoryHook, CanUnregisterItself) {
    Recorder hook(call_log, "once");
    hook.also = [&hook](const std::string&, const portaclMemoryEvent&) {
        hook.registered = ACL_ERROR_FAILURE;
        return portaclMemoryHookUnregister(hook.id);
    };
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtFree(memory));
    EXPECT_EQ(Calls(), Words{"before malloc"});
}

TEST_F(MemoryHook, UnregisteringWaitsForCallsOnOtherThreads) {
    std::promise<void> inside, go_on;
    std::future<void> may_go_on = go_on.get_future();
    std::atomic<bool> left{false};
    auto hook = std::make_unique<Recorder>(call_log, "slow", PORTACL_MEMORY_HOOK_PROCESS);
    hook->also = [&](const std::string& what, const portaclMemoryEvent&) {
        if (what != "before malloc") return ACL_SUCCESS;
        inside.set_value();
        may_go_on.wait();
        left = true;
        return ACL_SUCCESS;
    };
    std::thread other([] {
        void* memory = nullptr;
        ACL_EXPECT_OK(aclrtMallocHost(&memory, 8));
        ACL_EXPECT_OK(aclrtFreeHost(memory));
    });
    inside.get_future().wait();
    std::thread releases([&] { go_on.set_value(); });
    hook.reset();
    EXPECT_TRUE(left);
    releases.join();
    other.join();
}

TEST_F(MemoryHook, RefusesBadArguments) {
    portaclMemoryHook hook{};
    uint64_t id = Poison<uint64_t>();
    const auto scope = PORTACL_MEMORY_HOOK_THREAD;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, portaclMemoryHookRegister(nullptr, scope, &id),
                     "hook is null; pass a valid pointer");
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclMemoryHookRegister(&hook, scope, &id));
    hook.structSize = sizeof hook;
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclMemoryHookRegister(&hook, scope, &id));
    hook.name = "";
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclMemoryHookRegister(&hook, scope, &id));
    hook.name = "x";
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclMemoryHookRegister(&hook, static_cast<portaclMemoryHookScope>(2), &id));
    EXPECT_TRUE(IsPoison(id));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, portaclMemoryHookUnregister(0));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, portaclMemoryHookUnregister(~uint64_t{0}));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclMemoryHookGiveReason(nullptr));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclMemoryHookNoteFailure(nullptr));
    // All functions are null: nothing is called. The output for the number is null, too.
    ACL_OK(portaclMemoryHookRegister(&hook, scope, &id));
    void* memory = nullptr;
    ACL_OK(aclrtMallocHost(&memory, 1));
    ACL_OK(aclrtFreeHost(memory));
    ACL_OK(portaclMemoryHookUnregister(id));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, portaclMemoryHookUnregister(id));
    // Outside a hook there is no request to give a reason for.
    ACL_OK(portaclMemoryHookGiveReason("nobody"));
    ACL_OK(portaclMemoryHookNoteFailure("nobody"));
    aclGetRecentErrMsg();
}

TEST_F(MemoryHook, TheListReturnsTheirProperties) {
    size_t count = 99;
    ACL_OK(portaclMemoryHookList(nullptr, 0, &count));
    EXPECT_EQ(count, 0u);
    Recorder first(call_log, "first");
    Recorder second(call_log, "second", PORTACL_MEMORY_HOOK_PROCESS);
    first.also = [](const std::string& what, const portaclMemoryEvent&) {
        if (what == "after malloc") portaclMemoryHookNoteFailure("out of ink");
        return what == "before free" ? ACL_ERROR_FAILURE : ACL_SUCCESS;
    };
    void* memory = nullptr;
    ACL_OK(aclrtMallocHost(&memory, 1));
    ACL_FAILS(ACL_ERROR_FAILURE, aclrtFreeHost(memory));
    first.also = nullptr;
    ACL_OK(aclrtFreeHost(memory));

    portaclMemoryHookInfo infos[3] = {};
    infos[0].structSize = sizeof infos[0];
    ACL_OK(portaclMemoryHookList(infos, 3, &count));
    ASSERT_EQ(count, 2u);
    EXPECT_EQ(infos[0].id, first.id);
    EXPECT_STREQ(infos[0].name, "first");
    EXPECT_EQ(infos[0].scope, PORTACL_MEMORY_HOOK_THREAD);
    EXPECT_EQ(infos[0].isCalledHere, 1);
    EXPECT_EQ(infos[0].refusals, 1u);
    EXPECT_EQ(infos[0].failures, 1u);
    EXPECT_STREQ(infos[0].lastFailure, "out of ink");
    EXPECT_EQ(infos[1].scope, PORTACL_MEMORY_HOOK_PROCESS);
    EXPECT_EQ(infos[1].structSize, sizeof infos[1]);
    EXPECT_EQ(infos[1].refusals, 0u);
    EXPECT_EQ(infos[2].id, 0u);
    OnNewThread([&] {
        portaclMemoryHookInfo others[2] = {};
        others[0].structSize = sizeof others[0];
        ACL_OK(portaclMemoryHookList(others, 2, &count));
        EXPECT_EQ(others[0].isCalledHere, 0);
        EXPECT_EQ(others[1].isCalledHere, 1);
    });

    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclMemoryHookList(infos, 3, nullptr));
    count = 0;
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclMemoryHookList(infos, 1, &count));
    EXPECT_EQ(count, 2u);
    infos[0].structSize = 8;
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, portaclMemoryHookList(infos, 3, &count));
    aclGetRecentErrMsg();
}

}  // namespace

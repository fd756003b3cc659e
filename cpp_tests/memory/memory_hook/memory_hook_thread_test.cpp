// Memory hooks of a thread end with the thread: they are called until it has ended, then they are
// in no list and their names are free.
#include <portacl/portacl.hpp>

#include <pthread.h>

#include <atomic>
#include <string>
#include <vector>

#include "support/memory/memory_hook.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

class MemoryHookThread : public MemoryHook {};

std::vector<std::string> Registered() {
    size_t count = 0;
    ACL_EXPECT_OK(portaclMemoryHookList(nullptr, 0, &count));
    std::vector<portaclMemoryHookInfo> hooks(count + 1);
    hooks[0].structSize = sizeof hooks[0];
    ACL_EXPECT_OK(portaclMemoryHookList(hooks.data(), hooks.size(), &count));
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.push_back(hooks[i].name);
    return names;
}

std::atomic<int> reported_frees{0};

// A hook of the calling thread that is never unregistered.
uint64_t RegisterForThread(const char* name, portaclMemoryHookScope scope = PORTACL_MEMORY_HOOK_THREAD) {
    portaclMemoryHook hook{};
    hook.structSize = sizeof hook;
    hook.name = name;
    hook.afterFree = [](void*, auto*) { ++reported_frees; };
    uint64_t id = 0;
    ACL_EXPECT_OK(portaclMemoryHookRegister(&hook, scope, &id));
    return id;
}

void* Allocate() {
    void* memory = nullptr;
    ACL_EXPECT_OK(aclrtMallocHost(&memory, 100));
    return memory;
}

TEST_F(MemoryHookThread, AreNotListedAfterTheThread) {
    uint64_t ended = 0;
    OnNewThread([&] {
        ended = RegisterForThread("one");
        EXPECT_EQ(Registered(), (Words{"one"}));
    });
    EXPECT_EQ(Registered(), Words{});
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, portaclMemoryHookUnregister(ended), "id");
    size_t length = 0;
    ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, portaclMemoryHookReport(ended, nullptr, 0, &length), "id");
}

TEST_F(MemoryHookThread, FreeTheirNames) {
    OnNewThread([] { RegisterForThread("one"); });
    // A hook for all threads, for which no thread may have a hook of this name.
    const uint64_t id = RegisterForThread("one", PORTACL_MEMORY_HOOK_PROCESS);
    EXPECT_EQ(Registered(), (Words{"one"}));
    ACL_OK(portaclMemoryHookUnregister(id));
}

TEST_F(MemoryHookThread, OfOtherThreadsStay) {
    const uint64_t here = RegisterForThread("one");
    for (int round = 0; round < 20; ++round)
        OnNewThread([] {
            RegisterForThread("one");
            RegisterForThread("two");
            EXPECT_EQ(Registered(), (Words{"one", "one", "two"}));
        });
    EXPECT_EQ(Registered(), (Words{"one"}));
    reported_frees = 0;
    ACL_OK(aclrtFreeHost(Allocate()));
    EXPECT_EQ(reported_frees, 1);
    ACL_OK(portaclMemoryHookUnregister(here));
}

// Frees memory when the thread's objects are destroyed.
struct ThreadMemory {
    void* memory = nullptr;
    ~ThreadMemory() { ACL_EXPECT_OK(aclrtFreeHost(memory)); }
};

TEST_F(MemoryHookThread, AreCalledUntilTheThreadHasEnded) {
    pthread_key_t key;
    ASSERT_EQ(pthread_key_create(&key, [](void* memory) { ACL_EXPECT_OK(aclrtFreeHost(memory)); }), 0);
    reported_frees = 0;
    OnNewThread([&] {
        // Destroyed after all objects that are created later.
        thread_local ThreadMemory owner;
        owner.memory = Allocate();
        ASSERT_EQ(pthread_setspecific(key, Allocate()), 0);
        RegisterForThread("one");
    });
    EXPECT_EQ(reported_frees, 2);
    EXPECT_EQ(Registered(), Words{});
    pthread_key_delete(key);
}

TEST_F(MemoryHookThread, EndWhileOtherThreadsAllocateAndList) {
    std::atomic<bool> ended{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i)
        threads.emplace_back([&] {
            while (!ended) {
                Registered();
                ACL_EXPECT_OK(aclrtFreeHost(Allocate()));
            }
        });
    for (int round = 0; round < 200; ++round)
        OnNewThread([] {
            RegisterForThread("one");
            ACL_EXPECT_OK(aclrtFreeHost(Allocate()));
        });
    ended = true;
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(Registered(), Words{});
}

}  // namespace

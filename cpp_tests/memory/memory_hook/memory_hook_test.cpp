// Memory hooks: each behaviour that CuPy documents for MemoryHook, and the additions of this
// library.

#include <portacl/portacl.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "support/memory/memory_hook.h"
#include "support/memory/memory_live.h"

using namespace portacl_test;

namespace {

uint64_t ThisThread() {
    return static_cast<uint64_t>(gettid());
}

TEST_F(MemoryHook, IsCalledInTheOrderThatCuPyDocuments) {
    Recorder hook(call_log, "one");
    ACL_OK(hook.registered);
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_EQ(Calls(), kFromDevice);
    ACL_OK(aclrtFree(memory));
    EXPECT_EQ(Calls(), kFreed);
}

TEST_F(MemoryHook, GetsTheArgumentsThatCuPyDocumentsAndMore) {
    Recorder hook(call_log, "one");
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, kLarge + 1, ACL_MEM_MALLOC_HUGE_FIRST));
    std::vector<portacl_test::HookCall> calls = call_log.Take();
    ASSERT_EQ(calls.size(), 4u);
    const auto live = LiveMemory(PORTACL_MEMORY_DEVICE);
    ASSERT_EQ(live.size(), 1u);
    const size_t rounded = live[0].roundedSize;
    for (const auto& [name, what, event] : calls) {
        SCOPED_TRACE(what);
        EXPECT_EQ(event.structSize, sizeof event);
        EXPECT_EQ(event.deviceId, 0);
        EXPECT_EQ(event.kind, PORTACL_MEMORY_DEVICE);
        EXPECT_EQ(event.roundedSize, rounded);
        EXPECT_EQ(event.stream, nullptr);
        EXPECT_EQ(event.thread, ThisThread());
        EXPECT_EQ(event.failed, 0);
        const bool malloc = what.find("malloc") != std::string::npos;
        EXPECT_EQ(event.size, malloc ? kLarge + 1 : 0);
        const bool after = what.rfind("after", 0) == 0;
        EXPECT_EQ(event.ptr, after ? memory : nullptr);
        EXPECT_EQ(event.memoryId != 0, after);
        EXPECT_EQ(event.pageSize != 0, after);
    }
    const uint64_t id = calls.back().event.memoryId;
    ACL_OK(aclrtFree(memory));
    calls = call_log.Take();
    ASSERT_EQ(calls.size(), 2u);
    for (const auto& [name, what, event] : calls) {
        EXPECT_EQ(event.ptr, memory);
        EXPECT_EQ(event.memoryId, id);
        EXPECT_EQ(event.size, 0u);
        EXPECT_EQ(event.roundedSize, rounded);
        EXPECT_EQ(event.failed, 0);
    }
}

TEST_F(MemoryHook, AnAllocIsNotHookedIfCachedMemoryServes) {
    const char* guard = std::getenv("PORTACL_CPU_GUARD");
    if (!OnCpu() || (guard && std::string(guard) == "1"))
        GTEST_SKIP() << "for CPUs only, outside guard mode: other modes cache nothing";
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "with AddressSanitizer freed memory is poisoned and not cached";
#endif
    Recorder hook(call_log, "one");
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtFree(memory));
    (void)call_log.Take();
    void* again = nullptr;
    ACL_OK(aclrtMalloc(&again, 1000, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_EQ(again, memory);
    EXPECT_EQ(Calls(), kFromCache);
    ACL_OK(aclrtFree(again));
}

TEST_F(MemoryHook, CoversEveryFunctionThatAllocates) {
    Recorder hook(call_log, "one");
    const auto expect = [&](portaclMemoryKind kind, int32_t device, const Words& words) {
        const std::vector<portacl_test::HookCall> calls = call_log.Take();
        EXPECT_EQ(CallLog::Words(calls), words);
        for (const auto& one : calls) {
            EXPECT_EQ(one.event.kind, kind);
            EXPECT_EQ(one.event.deviceId, device);
        }
    };
    void* memory = nullptr;
    ACL_OK(aclrtMallocAlign32(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
    expect(PORTACL_MEMORY_DEVICE, 0, kFromDevice);
    ACL_OK(aclrtFreeWithDevSync(memory));
    expect(PORTACL_MEMORY_DEVICE, 0, kFreed);
    ACL_OK(aclrtMallocCached(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
    expect(PORTACL_MEMORY_DEVICE, 0, kFromDevice);
    ACL_OK(aclrtFree(memory));
    expect(PORTACL_MEMORY_DEVICE, 0, kFreed);
    ACL_OK(aclrtMallocWithCfg(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST, nullptr));
    expect(PORTACL_MEMORY_DEVICE, 0, kFromDevice);
    ACL_OK(aclrtFree(memory));
    expect(PORTACL_MEMORY_DEVICE, 0, kFreed);
    ACL_OK(aclrtMallocForTaskScheduler(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST, nullptr));
    expect(PORTACL_MEMORY_DEVICE, 0, kFromDevice);
    ACL_OK(aclrtFree(memory));
    expect(PORTACL_MEMORY_DEVICE, 0, kFreed);
    ACL_OK(aclrtMallocHost(&memory, 100));
    expect(PORTACL_MEMORY_PINNED, -1, kFromDevice);
    ACL_OK(aclrtFreeHost(memory));
    expect(PORTACL_MEMORY_PINNED, -1, kFreed);
    ACL_OK(aclrtMallocHostWithCfg(&memory, 100, nullptr));
    expect(PORTACL_MEMORY_PINNED, -1, kFromDevice);
    ACL_OK(aclrtFreeHostWithDevSync(memory));
    expect(PORTACL_MEMORY_PINNED, -1, kFreed);
    ACL_OK(aclrtMemAllocManaged(&memory, 100, ACL_RT_MEM_ATTACH_GLOBAL));
    expect(PORTACL_MEMORY_MANAGED, 0, kFromDevice);
    ACL_OK(aclrtFree(memory));
    expect(PORTACL_MEMORY_MANAGED, 0, kFreed);
}

TEST_F(MemoryHook, ReportsFailures) {
    Recorder hook(call_log, "one");
    void* memory = nullptr;
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&memory, size_t{1} << 60, ACL_MEM_MALLOC_HUGE_FIRST));
    // It exceeds the device's memory, so the device is not called.
    std::vector<portacl_test::HookCall> calls = call_log.Take();
    ASSERT_EQ(CallLog::Words(calls), kFromCache);
    EXPECT_EQ(calls[1].event.ptr, nullptr);
    EXPECT_EQ(calls[1].event.memoryId, 0u);
    EXPECT_EQ(calls[1].event.failed, 1);

    size_t free = 0, total = 0;
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    void* most = nullptr;
    ACL_OK(aclrtMalloc(&most, free / 2 + (size_t{2} << 20), ACL_MEM_MALLOC_NORMAL_ONLY));
    (void)call_log.Take();
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION,
              aclrtMalloc(&memory, free / 2 + (size_t{2} << 20), ACL_MEM_MALLOC_NORMAL_ONLY));
    calls = call_log.Take();
    ASSERT_EQ(CallLog::Words(calls), kFromDevice);
    for (const size_t after : {2, 3}) {
        EXPECT_EQ(calls[after].event.ptr, nullptr);
        EXPECT_EQ(calls[after].event.failed, 1);
    }
    ACL_OK(aclrtFree(most));
    (void)call_log.Take();
}

TEST_F(MemoryHook, IsNotCalledForCallsThatFreeNothing) {
    Recorder hook(call_log, "one");
    int local = 0;
    void* pinned = nullptr;
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMalloc(nullptr, 1, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtFree(nullptr));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(&local));
    EXPECT_EQ(Calls(), Words());
    ACL_OK(aclrtMallocHost(&pinned, 10));
    (void)call_log.Take();
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(pinned));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(static_cast<char*>(pinned) + 1));
    EXPECT_EQ(Calls(), Words());
    ACL_OK(aclrtFreeHost(pinned));
}

TEST_F(MemoryHook, SeveralAreCalledInTheOrderOfTheirRegistration) {
    Recorder first(call_log, "first"), second(call_log, "second");
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_EQ(Calls(true),
              (Words{"first: before malloc", "second: before malloc", "first: before alloc", "second: before alloc",
                     "first: after alloc", "second: after alloc", "first: after malloc", "second: after malloc"}));
    // In any order.
    ACL_OK(portaclMemoryHookUnregister(first.id));
    first.registered = ACL_ERROR_FAILURE;
    ACL_OK(aclrtFree(memory));
    EXPECT_EQ(Calls(true), (Words{"second: before free", "second: after free"}));
}

TEST_F(MemoryHook, ThreadsHavePrivateHooks) {
    CallLog others;
    Recorder mine(call_log, "mine");
    OnNewThread([&] {
        ACL_OK(aclrtSetDevice(0));
        Recorder theirs(others, "theirs");
        void* memory = nullptr;
        ACL_OK(aclrtMalloc(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
        EXPECT_EQ(CallLog::Words(others.Take()), kFromDevice);
        ACL_OK(aclrtFree(memory));
    });
    EXPECT_EQ(Calls(), Words());
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_EQ(Calls(), kFromDevice);
    ACL_OK(aclrtFree(memory));
}

TEST_F(MemoryHook, OneForTheProcessIsCalledOnAllThreads) {
    Recorder everywhere(call_log, "everywhere", PORTACL_MEMORY_HOOK_PROCESS);
    OnNewThread([] {
        ACL_OK(aclrtSetDevice(0));
        void* memory = nullptr;
        ACL_OK(aclrtMalloc(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_OK(aclrtFree(memory));
    });
    const std::vector<portacl_test::HookCall> calls = call_log.Take();
    ASSERT_EQ(calls.size(), 6u);
    EXPECT_NE(calls[0].event.thread, ThisThread());
}

TEST_F(MemoryHook, RefusesWithCodeAndReason) {
    Recorder first(call_log, "first"), strict(call_log, "strict");
    strict.also = [](const std::string& what, const portaclMemoryEvent&) {
        if (what != "before malloc") return ACL_SUCCESS;
        portaclMemoryHookGiveReason("not today");
        return 424242;
    };
    Recorder last(call_log, "last");
    void* memory = Poison<void*>();
    ACL_FAILS(424242, aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_TRUE(IsPoison(memory));
    // Hooks that agreed before are notified; hooks that were not called yet are not.
    std::vector<portacl_test::HookCall> calls = call_log.Take();
    EXPECT_EQ(CallLog::Words(calls, true),
              (Words{"first: before malloc", "strict: before malloc", "first: after malloc"}));
    EXPECT_EQ(calls[2].event.failed, 1);
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 424242);

    ACL_FAILS(424242, aclrtMallocHost(&memory, 100));
    EXPECT_NE(aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    EXPECT_TRUE(Says({"aclrtMalloc", "\"strict\"", "not today", "424242"}));
}

TEST_F(MemoryHook, ARefusedAllocOrFreeChangesNothing) {
    std::string refused;
    Recorder hook(call_log, "strict");
    hook.also = [&refused](const std::string& what, const portaclMemoryEvent&) {
        return what == refused ? ACL_ERROR_FAILURE : ACL_SUCCESS;
    };
    size_t before = 0, after = 0, total = 0;
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total));
    void* memory = nullptr;
    refused = "before alloc";
    ACL_FAILS(ACL_ERROR_FAILURE, aclrtMalloc(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total));
    ExpectFreeAgain(after, before);
    EXPECT_EQ(Calls(), (Words{"before malloc", "before alloc", "after malloc"}));

    refused = "";
    ACL_OK(aclrtMalloc(&memory, 4, ACL_MEM_MALLOC_HUGE_FIRST));
    refused = "before free";
    ACL_FAILS(ACL_ERROR_FAILURE, aclrtFree(memory));
    ACL_OK(aclrtMemset(memory, 4, 1, 4));
    refused = "";
    ACL_OK(aclrtFree(memory));
}

TEST_F(MemoryHook, MayAllocateWithoutBeingCalled) {
    Recorder hook(call_log, "nested");
    Recorder other(call_log, "other");
    void* inner = nullptr;
    hook.also = [&inner](const std::string& what, const portaclMemoryEvent&) {
        return what == "before malloc" ? aclrtMallocHost(&inner, 10) : ACL_SUCCESS;
    };
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
    const Words words = Calls(true);
    // The second hook reports the memory that the first one allocates.
    ASSERT_GE(words.size(), 6u);
    EXPECT_EQ(Words(words.begin(), words.begin() + 6),
              (Words{"nested: before malloc", "other: before malloc", "other: before alloc", "other: after alloc",
                     "other: after malloc", "other: before malloc"}));
    hook.also = nullptr;
    ACL_OK(aclrtFreeHost(inner));
    ACL_OK(aclrtFree(memory));
}

TEST_F(MemoryHook, MayUseStreamsAndResetTheDevice) {
    Recorder hook(call_log, "resets");
    hook.also = [](const std::string& what, const portaclMemoryEvent&) -> aclError {
        if (what != "before alloc") return ACL_SUCCESS;
        aclrtStream stream = nullptr;
        aclError code = aclrtCreateStream(&stream);
        code |= aclrtDestroyStream(stream);
        return code | aclrtResetDevice(0);
    };
    void* memory = nullptr;
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtSetDevice(0));
}

// A reason belongs to the callback that sets it, not to the next refusal.
TEST_F(MemoryHook, ReasonsOfOtherCallbacksAreNotReported) {
    Recorder agrees(call_log, "agrees"), refuses(call_log, "refuses");
    agrees.also = [](const std::string&, const portaclMemoryEvent&) {
        portaclMemoryHookGiveReason("no refusal");
        return ACL_SUCCESS;
    };
    refuses.also = [](const std::string& what, const portaclMemoryEvent&) {
        return what == "before malloc" ? 424242 : ACL_SUCCESS;
    };
    void* memory = nullptr;
    EXPECT_EQ(aclrtMallocHost(&memory, 100), 424242);
    const std::string text = TakeText();
    EXPECT_NE(text.find("refuses"), std::string::npos) << text;
    EXPECT_EQ(text.find("no refusal"), std::string::npos) << text;
}

}  // namespace

// The end of the process and of the library: exit without finalize, static destructors, repeated sessions, unloading,
// and user code that does not return. fork_test.cpp tests forked children.

#include "process/shutdown/shutdown.h"
#include "support/acl_test.h"
#include "support/gate.h"
#include "support/own_process.h"
#include "support/process/proc.h"
#include "support/says.h"
#include "support/threads.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

using namespace portacl_test;

namespace {

bool IsCpu() {
    const char* backend = std::getenv("PORTACL_BACKEND");
    return backend && std::strcmp(backend, "cpu") == 0;
}

// Frees its memory when it is destroyed, like static objects of many programs.
struct StaticOwner {
    OneOfEach objects;
    bool library_has_ended = false;

    ~StaticOwner() {
        if (!objects.context) return;
        if (library_has_ended) {
            DemandRefused(aclrtFree(objects.memory), "aclrtFree");
            DemandRefused(aclrtFreeHost(objects.host), "aclrtFreeHost");
            // They went with the session, so the first destroy of each succeeds.
            Demand(aclrtDestroyEvent(objects.event) == ACL_SUCCESS, "late aclrtDestroyEvent");
            Demand(aclrtDestroyStream(objects.stream) == ACL_SUCCESS, "late aclrtDestroyStream");
            Demand(aclrtDestroyContext(objects.context) == ACL_SUCCESS, "late aclrtDestroyContext");
            DemandRefused(aclrtDestroyEvent(objects.event), "aclrtDestroyEvent");
            DemandRefused(aclrtDestroyStream(objects.stream), "aclrtDestroyStream");
            DemandRefused(aclrtDestroyContext(objects.context), "aclrtDestroyContext");
            Demand(aclFinalize() == ACL_ERROR_REPEAT_FINALIZE, "aclFinalize was not refused");
            return;
        }
        Demand(aclrtFree(objects.memory) == ACL_SUCCESS, "aclrtFree");
        Demand(aclrtFreeHost(objects.host) == ACL_SUCCESS, "aclrtFreeHost");
        Demand(aclrtDestroyEvent(objects.event) == ACL_SUCCESS, "aclrtDestroyEvent");
        Demand(aclrtDestroyEvent(objects.timer) == ACL_SUCCESS, "aclrtDestroyEvent");
        Demand(aclrtDestroyStream(objects.stream) == ACL_SUCCESS, "aclrtDestroyStream");
        Demand(aclrtDestroyContext(objects.context) == ACL_SUCCESS, "aclrtDestroyContext");
        Demand(aclFinalize() == ACL_SUCCESS, "aclFinalize");
    }
};

void QueueAlot(aclrtStream stream, void* memory, size_t size) {
    for (int i = 0; i < 200; ++i) ACL_OK(aclrtMemsetAsync(memory, size, i, size, stream));
}

}  // namespace

OWN_PROCESS_TEST(Shutdown, ExitWithoutFinalize, NO_LEAK_CHECK) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    OneOfEach objects;
    objects.Create(0);
    objects.ExpectValid();
}

OWN_PROCESS_TEST(Shutdown, ExitWithWorkQueued, NO_LEAK_CHECK) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    constexpr size_t kSize = 8 << 20;
    for (int i = 0; i < 3; ++i) {
        void* memory = nullptr;
        ACL_OK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
        aclrtStream stream = nullptr;
        ACL_OK(aclrtCreateStream(&stream));
        QueueAlot(stream, memory, kSize);
    }
}

// The stream never passes the host function; the process ends anyway.
OWN_PROCESS_TEST(Shutdown, ExitWithABlockedStream, NO_LEAK_CHECK) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    static auto* gate = new Gate;  // never opened
    aclrtStream stream = nullptr;
    void* memory = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(gate->Hold(stream));
    QueueAlot(stream, memory, 1 << 20);
    EXPECT_TRUE(gate->AwaitArrival());
}

OWN_PROCESS_TEST(Shutdown, ExitWhileThreadsWork, NO_LEAK_CHECK) {
    ACL_OK(aclInit(nullptr));
    static std::atomic<int> working{0};
    for (int i = 0; i < 4; ++i) {
        std::thread([] {
            aclrtSetDevice(0);
            aclrtStream stream = nullptr;
            aclrtCreateStream(&stream);
            for (int round = 0;; ++round) {
                void *memory = nullptr, *host = nullptr;
                aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
                aclrtMallocHost(&host, 4096);
                aclrtMemcpyAsync(memory, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream);
                aclrtSynchronizeStream(stream);
                aclrtFree(memory);
                aclrtFreeHost(host);
                if (round != 10) continue;
                // No thread may keep the others from getting here.
                ++working;
                while (working < 4) std::this_thread::yield();
            }
        }).detach();
    }
    while (working < 4) std::this_thread::yield();
}

OWN_PROCESS_TEST(Shutdown, StaticDestructorsAfterFinalize) {
    static StaticOwner owner;
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    owner.objects.Create(0);
    owner.library_has_ended = true;
    ACL_OK(aclFinalize());
}

// The library itself is still there when static destructors run.
OWN_PROCESS_TEST(Shutdown, StaticDestructorsFinalize) {
    static StaticOwner owner;
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    owner.objects.Create(0);
}

OWN_PROCESS_TEST(Shutdown, FinalizeAtExit) {
    ASSERT_EQ(std::atexit([] {
                  Demand(aclFinalize() == ACL_SUCCESS, "aclFinalize");
                  Demand(aclFinalize() == ACL_ERROR_REPEAT_FINALIZE, "second aclFinalize");
              }),
              0);
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    OneOfEach objects;
    objects.Create(0);
}

// Destructors of thread-local objects run when parts of the thread are already destroyed.
OWN_PROCESS_TEST(Shutdown, ThreadLocalDestructors) {
    struct ThreadOwner {
        void* memory = nullptr;
        ~ThreadOwner() {
            if (!memory) return;
            Demand(aclrtFree(nullptr) == ACL_ERROR_INVALID_PARAM, "aclrtFree(nullptr)");
            Demand(aclGetRecentErrMsg() != nullptr, "no text");
            Demand(aclrtFree(memory) == ACL_SUCCESS, "aclrtFree");
            Demand(aclrtSetDevice(0) == ACL_SUCCESS, "aclrtSetDevice");
        }
    };
    ACL_OK(aclInit(nullptr));
    OnThreads(8, [](int) {
        static thread_local ThreadOwner owner;
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(aclrtMalloc(&owner.memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    });
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Shutdown, RepeatedSessions) {
    OnNewThread([] {});  // A sanitizer's thread starts with the first thread of the program.
    const size_t threads_before = Threads();
    size_t threads = 0, files = 0;
    // Opening a GPU may take a good part of a second.
    const auto enough = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (int session = 0; session < 100; ++session) {
        if (session >= 20 && std::chrono::steady_clock::now() > enough) break;
        UseOnce();
        if (testing::Test::HasFailure()) return;
        // A driver may keep threads; those of the library have ended once aclFinalize has returned.
        if (IsCpu()) {
            ASSERT_EQ(WaitForThreads(threads_before), threads_before) << session;
        }
        if (session == 4) {
            threads = Threads();
            files = OpenFiles();
        }
    }
    EXPECT_LE(WaitForThreads(threads), threads);
    EXPECT_LE(OpenFiles(), files);
}

TEST(Shutdown, UnloadedAndLoadedAgain) {
    Dl_info info{};
    void* function = dlsym(RTLD_DEFAULT, "aclInit");
    ASSERT_NE(function, nullptr);
    ASSERT_NE(dladdr(function, &info), 0);
    // The tables of handles are never freed: unloading the library makes them unreachable.
    const ProcessResult result =
        RunProcess(ProgramDirectory() / "unload_child", {info.dli_fname}, {NO_LEAK_CHECK_AT_EXIT});
    EXPECT_TRUE(Succeeded(result));
    EXPECT_NE(result.output.find("done"), std::string::npos) << result.output;
}

OWN_PROCESS_TEST(Shutdown, FinalizeOnAThreadOfTheLibrary) {
    struct Codes {
        aclError finalize = 0, reference = 0, init = 0;
        uint64_t left = 99;
        std::string text;
    } codes;
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtLaunchHostFunc(
        nullptr,
        [](void* out) {
            auto* codes = static_cast<Codes*>(out);
            codes->finalize = aclFinalize();
            codes->text = TakeText();
            codes->reference = aclFinalizeReference(&codes->left);
            codes->init = aclInit(nullptr);
        },
        &codes));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(codes.finalize, ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(codes.text.rfind("aclFinalize: ", 0), 0u) << codes.text;
    EXPECT_NE(codes.text.find("host function"), std::string::npos) << codes.text;
    EXPECT_EQ(codes.reference, ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_EQ(codes.left, 1u);
    EXPECT_EQ(codes.init, ACL_ERROR_RT_PARAM_INVALID);
    ACL_OK(aclFinalize());
}

// User code that never returns: finalize times out with an error, and the process can still exit.
OWN_PROCESS_TEST(Shutdown, HostFunctionThatNeverReturns, NO_LEAK_CHECK, {"PORTACL_FINALIZE_TIMEOUT_MS", "300"}) {
    using Clock = std::chrono::steady_clock;
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    static auto* gate = new Gate;  // never opened
    OneOfEach objects;
    objects.Create(0);
    ACL_OK(gate->Hold(objects.stream));
    ASSERT_TRUE(gate->AwaitArrival());
    const auto start = Clock::now();
    ACL_FAILS_SAYING(ACL_ERROR_FAILURE, aclFinalize(), "300 ms", "PORTACL_FINALIZE_TIMEOUT_MS");
    const auto took = Clock::now() - start;
    EXPECT_GE(took, std::chrono::milliseconds(300));
    // Sooner than with the default timeout.
    EXPECT_LT(took, std::chrono::seconds(5));
    // The session is ended anyway: its objects are invalid.
    objects.ExpectLateDestroys();
    objects.ExpectInvalidDeviceMemory();
    auto device = Poison<int32_t>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
}

// The user code returns after finalize timed out: the library is still loaded for its thread, and a
// new session is not disturbed.
OWN_PROCESS_TEST(Shutdown, HostFunctionThatReturnsTooLate, NO_LEAK_CHECK, {"PORTACL_FINALIZE_TIMEOUT_MS", "100"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    static Gate gate;
    static std::atomic<int> behind{0};
    ACL_OK(gate.Hold(nullptr));
    ACL_OK(aclrtLaunchHostFunc(nullptr, SlowCount, &behind));
    ASSERT_TRUE(gate.AwaitArrival());
    ACL_FAILS(ACL_ERROR_FAILURE, aclFinalize());
    gate.Open();
    for (int session = 0; session < 3; ++session) UseOnce();
}

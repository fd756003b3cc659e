// The end of the process and of the library: exit without finalize, static destructors, fork,
// repeated sessions, unloading, and user code that does not return.
#include "support/acl_test.h"
#include "support/base/every_function.h"
#include "support/base/one_of_each.h"
#include "support/gate.h"
#include "support/own_process.h"
#include "support/process/proc.h"
#include "support/says.h"
#include "support/threads.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace portacl_test;

// Objects of a process that does not clean up are no leak of this library, nor is what a forked
// child inherits from threads that it does not have.
// clang-format off
#define NO_LEAK_CHECK_AT_EXIT {"LSAN_OPTIONS", "detect_leaks=0"}
#define NO_LEAK_CHECK NO_LEAK_CHECK_AT_EXIT, {"FAKE_CUDA_LEAK_CHECK", "0"}
// clang-format on

namespace {

bool IsCpu() {
    const char* backend = std::getenv("PORTACL_BACKEND");
    return backend && std::strcmp(backend, "cpu") == 0;
}

// For code that runs after the tests: prints what was wrong and ends the process with a failure.
void Demand(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "at exit: %s\n", what);
    std::fflush(stderr);
    _exit(3);
}

// The call was refused with 107000 and the text says so.
void DemandRefused(aclError code, const char* call) {
    const char* text = aclGetRecentErrMsg();
    if (code == ACL_ERROR_RT_PARAM_INVALID && text && std::strstr(text, call)) return;
    std::fprintf(stderr, "at exit: %s gave %d, text: %s\n", call, code, text ? text : "(none)");
    std::fflush(stderr);
    _exit(3);
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

// Waits for a child; returns its exit status, or -1 if it did not exit by itself.
int ExitOf(pid_t child) {
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

// Creates, uses and destroys one object of each kind.
void UseOnce() {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    OneOfEach objects;
    objects.Create(0);
    objects.ExpectValid();
    std::atomic<int> called{0};
    ACL_OK(aclrtLaunchHostFunc(
        objects.stream, [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &called));
    OnNewThread([&] {
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(aclrtSynchronizeStream(objects.stream));
    });
    EXPECT_EQ(called, 1);
    ACL_OK(aclFinalize());
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

// In a forked child every call is refused at once; the child exits normally, and the parent
// continues.
OWN_PROCESS_TEST(Shutdown, ForkedChild, NO_LEAK_CHECK_AT_EXIT) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    OneOfEach objects;
    objects.Create(0);
    ACL_OK(aclrtSynchronizeStream(objects.stream));
    std::memset(objects.host, 0x5A, OneOfEach::kBytes);
    Gate gate;
    ACL_OK(gate.Hold(objects.stream));
    std::fflush(stdout);

    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        alarm(30);
        DemandRefused(aclrtFree(objects.memory), "aclrtFree");
        DemandRefused(aclrtFreeHost(objects.host), "aclrtFreeHost");
        DemandRefused(aclrtSynchronizeStream(objects.stream), "aclrtSynchronizeStream");
        DemandRefused(aclrtSynchronizeDevice(), "aclrtSynchronizeDevice");
        DemandRefused(aclrtDestroyStream(objects.stream), "aclrtDestroyStream");
        DemandRefused(aclInit(nullptr), "aclInit");
        DemandRefused(aclFinalize(), "aclFinalize");
        DemandRefused(aclrtSetDevice(0), "aclrtSetDevice");
        Demand(aclrtGetLastError(ACL_RT_THREAD_LEVEL) == ACL_ERROR_RT_PARAM_INVALID, "last error");
        // A refused call has changed nothing.
        auto count = Poison<uint32_t>();
        DemandRefused(aclrtGetDeviceCount(&count), "aclrtGetDeviceCount");
        Demand(IsPoison(count), "aclrtGetDeviceCount wrote in a forked child");
        // Functions without a status code cannot report a refusal, so they work.
        Demand(aclFloat16ToFloat(aclFloatToFloat16(1.5F)) == 1.5F, "half precision");
        Demand(aclDataTypeSize(ACL_FLOAT) == 4, "size of a type");
        const auto* bytes = static_cast<const unsigned char*>(objects.host);
        Demand(bytes[0] == 0x5A && bytes[OneOfEach::kBytes - 1] == 0x5A, "host memory changed");
        std::exit(0);
    }
    EXPECT_EQ(ExitOf(child), 0);
    gate.Open();
    objects.ExpectValid();
    objects.Destroy();
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Shutdown, ForkedChildEveryFunction, NO_LEAK_CHECK_AT_EXIT) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    const std::vector<EveryFunction> functions = EveryFunctionOfTheApi();
    ASSERT_GT(functions.size(), 400u);
    std::fflush(stdout);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        alarm(30);
        for (const EveryFunction& function : functions) {
            // These return errors, or only compute.
            static const std::set<std::string> kOpen = {"aclGetRecentErrMsg",   "aclrtGetLastError",
                                                        "aclrtPeekAtLastError", "aclDataTypeSize",
                                                        "aclFloat16ToFloat",    "aclFloatToFloat16"};
            if (kOpen.count(function.name)) continue;
            const Answer answer = function.call();
            const aclError code =
                answer.kind == Answer::Kind::kCode ? answer.code : aclrtGetLastError(ACL_RT_THREAD_LEVEL);
            DemandRefused(code, function.name.c_str());
        }
        std::exit(0);
    }
    EXPECT_EQ(ExitOf(child), 0);
    ACL_OK(aclrtSynchronizeDevice());
    ACL_OK(aclFinalize());
}

// One thread forks while others are inside the library and hold its locks.
OWN_PROCESS_TEST(Shutdown, ForkWhileThreadsWork) {
    ACL_OK(aclInit(nullptr));
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&stop] {
            ACL_OK(aclrtSetDevice(0));
            while (!stop) {
                void* memory = nullptr;
                ACL_OK(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
                ACL_OK(aclrtMemsetAsync(memory, 64, 1, 64, nullptr));
                ACL_OK(aclrtFree(memory));
                EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
            }
        });
    }
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            alarm(30);
            void* memory = nullptr;
            DemandRefused(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
            DemandRefused(aclrtResetDevice(0), "aclrtResetDevice");
            DemandRefused(aclFinalize(), "aclFinalize");
            _exit(0);
        }
        EXPECT_EQ(ExitOf(child), 0);
    }
    stop = true;
    for (auto& thread : threads) thread.join();
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtSynchronizeDevice());
    ACL_OK(aclFinalize());
}

// A child of a child is refused, too.
OWN_PROCESS_TEST(Shutdown, GrandchildIsRefused) {
    ACL_OK(aclInit(nullptr));
    std::fflush(stdout);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const pid_t grandchild = fork();
        if (grandchild == 0) {
            DemandRefused(aclrtSetDevice(0), "aclrtSetDevice");
            _exit(0);
        }
        _exit(ExitOf(grandchild) == 0 ? 0 : 4);
    }
    EXPECT_EQ(ExitOf(child), 0);
    ACL_OK(aclFinalize());
}

// A fork before the first call leaves two processes that can both use the library.
OWN_PROCESS_TEST(Shutdown, ForkBeforeTheFirstCall) {
    std::fflush(stdout);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    UseOnce();
    if (child == 0) _exit(testing::Test::HasFailure() ? 5 : 0);
    EXPECT_EQ(ExitOf(child), 0);
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
    objects.ExpectInvalidHandles();
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

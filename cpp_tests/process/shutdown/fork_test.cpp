// Forked children: every call is refused in a child of a process that used the library.

#include <portacl/portacl.h>

#include "process/shutdown/shutdown.h"
#include "support/acl_test.h"
#include "support/base/every_function.h"
#include "support/base/one_of_each.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/own_process.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace portacl_test;

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
    // An opened device binds the process, before the first fork.
    ACL_OK(aclrtSetDevice(0));
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
    ACL_OK(aclrtSetDevice(0));
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

// What a data loader or a test runner asks before it forks.
static void AskQuestions() {
    uint32_t count = 0;
    ACL_OK(aclrtGetDeviceCount(&count));
    EXPECT_GE(count, 1u);
    EXPECT_NE(aclrtGetSocName(), nullptr);
    char name[64];
    ACL_OK(portaclDeviceName(0, name, sizeof name));
    int64_t value = 0;
    ACL_OK(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &value));
    int32_t can = 0;
    if (count > 1) ACL_EXPECT_OK(aclrtDeviceCanAccessPeer(&can, 0, 1));
    EXPECT_NE(aclrtFree(nullptr), ACL_SUCCESS);
}

// A child after questions: it starts afresh, or a driver that has started refuses it.
static void UseAfterQuestions(bool on_cpu) {
    alarm(60);
    if (on_cpu) {
        UseOnce();
        std::exit(testing::Test::HasFailure() ? 5 : 0);
    }
    DemandRefused(aclrtSetDevice(0), "aclrtSetDevice");
    Demand(aclrtSetDevice(0) != ACL_SUCCESS, "used the driver of the parent");
    Demand(std::strstr(aclGetRecentErrMsg(), "has started the CUDA driver"), "the text of the refusal");
    _exit(0);
}

OWN_PROCESS_TEST(Shutdown, ForkAfterQuestions, NO_LEAK_CHECK_AT_EXIT) {
    for (const bool is_initialized : {false, true}) {
        if (is_initialized) {
            ACL_OK(aclInit(nullptr));
        }
        AskQuestions();
        const bool on_cpu = OnCpu();
        std::fflush(stdout);
        for (int i = 0; i < 3; ++i) {
            const pid_t child = fork();
            ASSERT_GE(child, 0);
            if (child == 0) UseAfterQuestions(on_cpu);
            EXPECT_EQ(ExitOf(child), 0);
        }
    }
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclFinalize());
}

// The parent counts devices, and its children open them: a count starts no driver (on GPUs, NVML counts).
OWN_PROCESS_TEST(Shutdown, ForkAfterCounting, NO_LEAK_CHECK_AT_EXIT) {
    uint32_t count = 0;
    ACL_OK(aclrtGetDeviceCount(&count));
    ASSERT_GE(count, 1u);
    std::fflush(stdout);
    for (int i = 0; i < 2; ++i) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            alarm(60);
            uint32_t again = 0;
            Demand(aclrtGetDeviceCount(&again) == ACL_SUCCESS && again == count, "the count in the child");
            UseOnce();
            std::exit(testing::Test::HasFailure() ? 5 : 0);
        }
        EXPECT_EQ(ExitOf(child), 0);
    }
    UseOnce();
    EXPECT_EQ(DeviceCount(), count);
}

// A child that asks as well is itself a parent after questions.
OWN_PROCESS_TEST(Shutdown, ForkInAChildAfterQuestions, NO_LEAK_CHECK_AT_EXIT) {
    AskQuestions();
    const bool on_cpu = OnCpu();
    std::fflush(stdout);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        if (on_cpu) AskQuestions();
        const pid_t grandchild = fork();
        if (grandchild == 0) UseAfterQuestions(on_cpu);
        _exit(ExitOf(grandchild) == 0 ? 0 : 4);
    }
    EXPECT_EQ(ExitOf(child), 0);
}

// A fork waits for other threads that open and end sessions.
OWN_PROCESS_TEST(Shutdown, ForkWhileThreadsAsk, NO_LEAK_CHECK_AT_EXIT) {
    const bool on_cpu = OnCpu();
    std::atomic<bool> stop{false};
    std::thread begins([&stop] {
        while (!stop) {
            ACL_OK(aclInit(nullptr));
            AskQuestions();
            ACL_OK(aclFinalize());
        }
    });
    std::thread asks([&stop] {
        uint32_t count = 0;
        while (!stop) ACL_OK(aclrtGetDeviceCount(&count));
    });
    for (int i = 0; i < 50; ++i) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            alarm(30);
            const aclError code = aclrtSetDevice(0);
            if (on_cpu) {
                void* memory = nullptr;
                Demand(code == ACL_SUCCESS, "aclrtSetDevice");
                Demand(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS, "aclrtMalloc");
                Demand(aclrtFree(memory) == ACL_SUCCESS, "aclrtFree");
            } else {
                DemandRefused(code, "aclrtSetDevice");
            }
            _exit(0);
        }
        EXPECT_EQ(ExitOf(child), 0);
    }
    stop = true;
    begins.join();
    asks.join();
}

// A fork waits for another thread that is in aclInit, also if that takes seconds.
OWN_PROCESS_TEST(Shutdown, ForkDuringALongInit, NO_LEAK_CHECK_AT_EXIT) {
    const bool on_cpu = OnCpu();
    const std::string path = InOwnFolder("configuration");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const int end = open(path.c_str(), O_RDWR | O_CLOEXEC);
    EXPECT_EQ(write(end, "{", 1), 1);
    std::thread begins([&path] { ACL_OK(aclInit(path.c_str())); });
    // The other thread has read what there is, and reads on until this end is closed.
    for (int unread = 1; unread != 0; std::this_thread::yield()) ASSERT_EQ(ioctl(end, FIONREAD, &unread), 0);
    std::thread ends([end] {
        std::this_thread::sleep_for(std::chrono::seconds(2));
        EXPECT_EQ(write(end, "}", 1), 1);
        close(end);
    });
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const aclError code = aclrtSetDevice(0);
        if (!on_cpu) DemandRefused(code, "aclrtSetDevice");
        Demand(!on_cpu || code == ACL_SUCCESS, "aclrtSetDevice");
        _exit(0);
    }
    EXPECT_EQ(ExitOf(child), 0);
    begins.join();
    ends.join();
    ACL_OK(aclFinalize());
}

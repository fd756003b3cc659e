// Threads that the program cancels (pthread_cancel) or ends (pthread_exit) inside calls and callbacks.

#include <portacl/portacl.h>

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <random>
#include <string>

#include "support/acl_test.h"
#include "support/gate.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/pool/mem_pool.h"
#include "support/process/cancelled_thread.h"
#include "support/process/temporary_folder.h"

using namespace portacl_test;

namespace {

// The number of threads that each family of calls loses. tools/checks/cancellation.sh sets a larger one.
int Cancellations() {
    const char* wanted = std::getenv("PORTACL_TEST_CANCELLATIONS");
    return wanted ? std::atoi(wanted) : 200;
}

// Calls that belong together. They create what they use, and release it.
struct Family {
    const char* name;
    void (*use)();
};

void UseDevice() {
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtResetDevice(0));
}

void UseMemory() {
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, 3 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtMemset(memory, 4096, 1, 4096));
    ACL_OK(aclrtFree(memory));
    ACL_OK(aclrtMallocHost(&memory, 3 << 20));
    ACL_OK(aclrtFreeHost(memory));
}

void UseStream() {
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtCreateEvent(&event));
    ACL_OK(aclrtMemsetAsync(memory, 1 << 20, 1, 1 << 20, stream));
    ACL_OK(
        aclrtMemcpyAsync(memory, 1024, static_cast<char*>(memory) + 4096, 1024, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    ACL_OK(aclrtRecordEvent(event, stream));
    ACL_OK(aclrtStreamWaitEvent(stream, event));
    ACL_OK(aclrtLaunchHostFunc(
        stream, [](void*) {}, nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtDestroyEvent(event));
    ACL_OK(aclrtDestroyStream(stream));
    ACL_OK(aclrtFree(memory));
}

void UseContext() {
    aclrtContext before = nullptr, context = nullptr;
    ACL_OK(aclrtGetCurrentContext(&before));
    ACL_OK(aclrtCreateContext(&context, 0));
    ACL_OK(aclrtDestroyContext(context));
    ACL_OK(aclrtSetCurrentContext(before));
}

void UseSharing() {
    void* memory = nullptr;
    char key[65] = {};
    ACL_OK(aclrtMalloc(&memory, 2 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtIpcMemGetExportKey(memory, 2 << 20, key, sizeof key, 0));
    ACL_OK(aclrtIpcMemClose(key));
    ACL_OK(aclrtFree(memory));
}

void UsePool() {
    const aclrtMemPoolProps properties = PoolProps();
    aclrtMemPool pool = nullptr;
    ACL_OK(aclrtMemPoolCreate(&pool, &properties));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    void* memory = nullptr;
    ACL_OK(aclrtMemPoolMallocAsync(&memory, 1 << 20, pool, stream));
    ACL_OK(aclrtMemPoolFreeAsync(memory, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtDestroyStream(stream));
    ACL_OK(aclrtMemPoolDestroy(pool));
}

void UseFailures() {
    EXPECT_NE(aclrtFree(const_cast<char*>("")), ACL_SUCCESS);
    EXPECT_NE(aclrtSetDevice(-1), ACL_SUCCESS);
    EXPECT_NE(aclGetRecentErrMsg(), nullptr);
    EXPECT_NE(aclrtBinaryLoadFromFile("/there/is/no/such.o", nullptr, nullptr), ACL_SUCCESS);
}

void UseReports() {
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtSubscribeReport(pthread_self(), stream));
    ACL_OK(aclrtLaunchCallback([](void*) {}, nullptr, ACL_CALLBACK_BLOCK, stream));
    ACL_OK(aclrtProcessReport(10000));
    EXPECT_EQ(aclrtProcessReport(1), ACL_ERROR_RT_REPORT_TIMEOUT);
    ACL_OK(aclrtUnSubscribeReport(pthread_self(), stream));
    ACL_OK(aclrtDestroyStream(stream));
}

void UseDiagnosis() {
    uint32_t count = 0;
    ACL_OK(aclrtGetDeviceCount(&count));
    EXPECT_NE(aclrtGetSocName(), nullptr);
    size_t live = 0;
    ACL_OK(portaclMemoryReportLeaksTo([](void*, const char*) {}, nullptr, &live));
    aclAppLog(ACL_ERROR, "UseDiagnosis", "cancel_test.cpp", 1, "%s", "");
}

constexpr Family kFamilies[] = {
    {"memory", UseMemory},   {"streams", UseStream},      {"contexts", UseContext},
    {"sharing", UseSharing}, {"pools", UsePool},          {"failures", UseFailures},
    {"reports", UseReports}, {"diagnosis", UseDiagnosis}, {"device", UseDevice},
};

// Uses everything on another thread, which hangs on a lock that a cancelled thread has left.
void ExpectThatAllWorks() {
    Thread thread([] {
        ACL_OK(aclrtSetDevice(0));
        for (const Family& family : kFamilies) {
            SCOPED_TRACE(family.name);
            family.use();
        }
        ACL_OK(aclrtResetDevice(0));
    });
    EXPECT_EQ(thread.Join(), nullptr);
}

// How long one family may take. Where a context takes a second, fewer cancellations fit.
constexpr std::chrono::seconds kPatienceOfFamily(15);

// Cancels threads inside a family at random moments.
void Cancel(const Family& family) {
    SCOPED_TRACE(family.name);
    std::mt19937 random(1);
    const int count = Cancellations();
    const auto end = std::chrono::steady_clock::now() + kPatienceOfFamily;
    for (int round = 0; round < count && (round == 0 || std::chrono::steady_clock::now() < end); ++round) {
        std::atomic<bool> begun{false};
        Thread thread([&] {
            if (family.use != UseDevice) {
                ACL_OK(aclrtSetDevice(0));
            }
            begun = true;
            while (true) {
                family.use();
                pthread_testcancel();
            }
        });
        while (!begun) std::this_thread::yield();
        const auto moment = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 300);
        while (std::chrono::steady_clock::now() < moment) {
        }
        thread.Cancel();
        EXPECT_EQ(thread.Join(), PTHREAD_CANCELED);
        if (round % 50 == 49) ExpectThatAllWorks();
    }
}

void CancelInAll() {
    ACL_OK(aclInit(nullptr));
    // The device is opened and closed by the threads of one family, and is open for the others.
    Cancel({"device", UseDevice});
    ACL_OK(aclrtSetDevice(0));
    for (const Family& family : kFamilies) Cancel(family);
    ExpectThatAllWorks();
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Cancel, InsideCallsLeavesEverythingUsable, {"PORTACL_FINALIZE_TIMEOUT_MS", "20000"}) {
    CancelInAll();
}

OWN_PROCESS_TEST(Cancel, InsideCallsUnderAllChecks, {"PORTACL_CHECK", "all"}, {"PORTACL_CHECK_LIMIT", "20"},
                 {"PORTACL_CHECK_EXIT", ""}) {
    CancelInAll();
}

TEST(Cancel, InsideCallsWhileATraceIsWritten) {
    const TemporaryFolder folder;
    RunInOwnProcess(CancelInAll, {{"PORTACL_TRACE", folder.At("trace.json")}});
}

void BeginTest() {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
}

// Ends the session, also for the threads that were cancelled: what they opened and allocated goes with it.
void EndTest() {
    ACL_OK(aclrtResetDeviceForce(0));
    ACL_OK(aclFinalize());
}

// A thread that waits in a call ends when the wait does.
TEST(Cancel, AWaitInACallIsNoCancellationPoint) {
    BeginTest();
    {
        const Stream stream;
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ASSERT_TRUE(gate.AwaitArrival());
        std::atomic<bool> returned{false};
        Thread thread([&] {
            ACL_OK(aclrtSetDevice(0));
            ACL_OK(aclrtSynchronizeStream(stream));
            returned = true;
            pthread_testcancel();
        });
        thread.Cancel();
        gate.Open();
        EXPECT_EQ(thread.Join(), PTHREAD_CANCELED);
        EXPECT_TRUE(returned);
    }
    ExpectThatAllWorks();
    EndTest();
}

// Says that a callback was reached, and waits there for the cancellation.
struct BlockingCallback {
    static void Wait() {
        reached = true;
        while (true) pause();
    }
    static void Await() {
        while (!reached) std::this_thread::yield();
        reached = false;
    }
    static std::atomic<bool> reached;
};
std::atomic<bool> BlockingCallback::reached{false};

// Declared in a frame of the program below a call: is it destroyed?
struct Destroyed {
    explicit Destroyed(std::atomic<int>& count) : count(count) {}
    ~Destroyed() { count += 1; }
    std::atomic<int>& count;
};

TEST(Cancel, ACallbackOfAStreamEndsItsThread) {
    BeginTest();
    {
        const Stream stream;
        std::atomic<int> destroyed{0};
        Thread thread([&] {
            const Destroyed frame(destroyed);
            while (aclrtProcessReport(-1) == ACL_ERROR_RT_THREAD_SUBSCRIBE) {
            }
            ADD_FAILURE() << "aclrtProcessReport has returned";
        });
        ACL_OK(aclrtSubscribeReport(thread.Id(), stream));
        const auto function = [](void* destroyed) {
            const Destroyed frame(*static_cast<std::atomic<int>*>(destroyed));
            BlockingCallback::Wait();
        };
        ACL_OK(aclrtLaunchCallback(function, &destroyed, ACL_CALLBACK_BLOCK, stream));
        BlockingCallback::Await();
        thread.Cancel();
        EXPECT_EQ(thread.Join(), PTHREAD_CANCELED);
        EXPECT_EQ(destroyed, 2);
        ACL_OK(aclrtSynchronizeStream(stream));  // the callback counts as complete
        ACL_OK(aclrtUnSubscribeReport(thread.Id(), stream));
    }
    ExpectThatAllWorks();
    EndTest();
}

TEST(Cancel, AHostFunctionOfASubscribedThreadMayExitIt) {
    BeginTest();
    {
        const Stream stream;
        static int result;
        Thread thread([] {
            while (aclrtProcessHostFunc(-1) == ACL_ERROR_RT_THREAD_SUBSCRIBE) {
            }
        });
        ACL_OK(aclrtSubscribeHostFunc(thread.Id(), stream));
        ACL_OK(aclrtLaunchHostFunc(
            stream, [](void* result) { pthread_exit(result); }, &result));
        EXPECT_EQ(thread.Join(), &result);
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclrtUnSubscribeHostFunc(thread.Id(), stream));
    }
    ExpectThatAllWorks();
    EndTest();
}

// Waits in the hook of one thread, and in no other.
thread_local bool waits_in_hooks = false;
// The memory of the call whose last hook has ended the thread.
std::atomic<void*> allocated{nullptr};

TEST(Cancel, AMemoryHookEndsItsThread) {
    BeginTest();
    for (const bool after : {false, true}) {
        portaclMemoryHook hook{};
        hook.structSize = sizeof hook;
        hook.name = "waits";
        if (after) {
            hook.afterMalloc = [](void*, const portaclMemoryEvent* event) {
                if (!waits_in_hooks) return;
                allocated = event->ptr;
                BlockingCallback::Wait();
            };
        } else {
            hook.beforeMalloc = [](void*, const portaclMemoryEvent*) -> aclError {
                if (waits_in_hooks) BlockingCallback::Wait();
                return ACL_SUCCESS;
            };
        }
        uint64_t id = 0;
        ACL_OK(portaclMemoryHookRegister(&hook, PORTACL_MEMORY_HOOK_PROCESS, &id));
        Thread thread([] {
            ACL_OK(aclrtSetDevice(0));
            waits_in_hooks = true;
            void* memory = nullptr;
            (void)aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
            ADD_FAILURE() << "aclrtMalloc has returned";
        });
        BlockingCallback::Await();
        thread.Cancel();
        EXPECT_EQ(thread.Join(), PTHREAD_CANCELED);
        ExpectThatAllWorks();
        // It waits for callbacks of other threads.
        ACL_OK(portaclMemoryHookUnregister(id));
    }
    ACL_OK(aclrtFree(allocated));  // the memory stays allocated
    EndTest();
}

OWN_PROCESS_TEST(Cancel, ACallbackOfAFinalizeEndsItsThreadAndNotTheLibrary) {
    const auto begins = [](const char*, size_t, void*) -> aclError { return ACL_SUCCESS; };
    const auto ends = [](void* waits) -> aclError {
        if (static_cast<std::atomic<bool>*>(waits)->exchange(false)) BlockingCallback::Wait();
        return ACL_SUCCESS;
    };
    static std::atomic<bool> waits{true};
    ACL_OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, begins, nullptr));
    ACL_OK(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, ends, &waits));
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    Thread thread([] { (void)aclFinalize(); });
    BlockingCallback::Await();
    thread.Cancel();
    EXPECT_EQ(thread.Join(), PTHREAD_CANCELED);
    ExpectThatAllWorks();
    EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE) << "the finalize has not taken place";
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Cancel, ACallbackForStreamsEndsItsThread) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    static std::atomic<bool> waits{true};
    const auto callback = [](aclrtStream, aclrtStreamState, void*) {
        if (waits.exchange(false)) BlockingCallback::Wait();
    };
    ACL_OK(aclrtRegStreamStateCallback("waits", callback, nullptr));
    Thread thread([] {
        ACL_OK(aclrtSetDevice(0));
        aclrtStream stream = nullptr;
        (void)aclrtCreateStream(&stream);
    });
    BlockingCallback::Await();
    thread.Cancel();
    EXPECT_EQ(thread.Join(), PTHREAD_CANCELED);
    ExpectThatAllWorks();
    ACL_OK(aclrtRegStreamStateCallback("waits", nullptr, nullptr));
    ACL_OK(aclFinalize());
}

}  // namespace

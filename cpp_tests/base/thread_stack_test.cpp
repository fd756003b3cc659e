// Stack size of the threads that run user code: that of the program's own threads, or
// PORTACL_THREAD_STACK.
#include <pthread.h>

#include <atomic>

#include "support/gate.h"
#include "support/kernel/kernels.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/process/deep.h"
#include "support/process/exhausted.h"
#include "support/process/soft_limit.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr size_t kKiB = 1 << 10;
constexpr size_t kMiB = 1 << 20;

// How much stack the user code uses, how often it ran, and the stack size at its last call.
std::atomic<uint32_t> depth{4};
std::atomic<int> calls{0};
std::atomic<size_t> stack_of_call{0};

size_t StackOfThisThread() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
    size_t size = 0;
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
    return size;
}

void Use() {
    stack_of_call = StackOfThisThread();
    if (Deep::Use(depth) == depth) ++calls;
}

void HostFunction(void*) {
    Use();
}

void OnException(aclrtExceptionInfo*) {
    Use();
}

// A host function of a graph. The CUDA driver calls it on its own thread.
void RunGraph(aclrtStream stream) {
    aclmdlRI graph = nullptr;
    ACL_OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    ACL_OK(aclrtLaunchHostFunc(stream, HostFunction, nullptr));
    ACL_OK(aclmdlRICaptureEnd(stream, &graph));
    ACL_OK(aclmdlRIExecuteAsync(graph, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclmdlRIDestroy(graph));
}

// User code on threads of the library: a host function, an exception callback, and on CPUs the host
// function of a graph.
void RunHostCode() {
    calls = 0;
    Stream stream;
    if (OnCpu()) {
        RunGraph(stream);
        EXPECT_EQ(calls, 1) << "a graph's host function";
    }
    calls = 0;
    ACL_OK(aclrtLaunchHostFunc(stream, HostFunction, nullptr));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(calls, 1) << "aclrtLaunchHostFunc";

    ACL_OK(aclrtSetExceptionInfoCallback(OnException));
    const DeviceMemory memory(256);
    ACL_OK(aclrtMemsetAsync(memory.At(), 256, 1, 256, stream));
    EXPECT_NE(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    ACL_OK(aclrtSetExceptionInfoCallback(nullptr));
    EXPECT_EQ(calls, 2) << "an exception callback";
}

// Runs a kernel with `MiB` of locals on `blocks` blocks at once, and waits for it in `wait`.
template <typename Wait>
void RunKernel(uint32_t mebibytes, uint32_t blocks, Wait wait) {
    const Program program;
    const ZeroWords words(blocks);
    Stream stream;
    void* address = words.At();
    void* arguments[] = {&address, &mebibytes};
    ACL_OK(aclrtLaunchSIMTKernelWithArgsArray(program.Kernel("deep"), {blocks, 1, 1}, {1, 1, 1}, 0, stream, nullptr,
                                              arguments));
    wait(static_cast<aclrtStream>(stream));
    EXPECT_EQ(words.Download<uint32_t>(), std::vector<uint32_t>(blocks, mebibytes));
}

void Synchronize(aclrtStream stream) {
    ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
}

// Synchronizes on a thread with a small stack, which may run blocks of the kernel itself.
void SynchronizeOnSmallStack(aclrtStream stream) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 * kKiB);
    pthread_t thread;
    const auto body = [](void* argument) -> void* {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        Synchronize(argument);
        return nullptr;
    };
    ASSERT_EQ(0, pthread_create(&thread, &attributes, body, stream));
    ASSERT_EQ(0, pthread_join(thread, nullptr));
    pthread_attr_destroy(&attributes);
}

void Begin() {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
}

void RunAll(uint32_t mebibytes) {
    depth = mebibytes;
    Begin();
    RunHostCode();
    if (OnCpu()) {
        for (const uint32_t blocks : {1u, 16u}) {
            RunKernel(mebibytes, blocks, Synchronize);
            // Often enough that the waiting thread takes a block first.
            for (int i = 0; i < 10; ++i) RunKernel(mebibytes, blocks, SynchronizeOnSmallStack);
        }
    }
    ACL_EXPECT_OK(aclFinalize());
}

size_t DefaultStack() {
    pthread_attr_t attributes;
    size_t size = 0;
    EXPECT_EQ(0, pthread_getattr_default_np(&attributes));
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
    return size;
}

const Settings kFillFails = {{"PORTACL_FAULT", "stream.fill:1:later"}};

Settings WithStack(const char* bytes) {
    Settings settings = kFillFails;
    settings.emplace_back("PORTACL_THREAD_STACK", bytes);
    return settings;
}

void UseFourMebibytes() {
    RunAll(4);
    EXPECT_EQ(stack_of_call, DefaultStack());
}

// The common `ulimit -s`, whatever this machine has.
TEST(ThreadStack, UserCodeMayHaveFourMebibytesOfLocals) {
    NEEDS_LIMIT(RLIMIT_STACK, 8 * kMiB, "a hard limit of stacks of 8 MiB or more");
    const SoftLimit limit(RLIMIT_STACK, 8 * kMiB);
    RunInOwnProcess(UseFourMebibytes, kFillFails);
}

TEST(ThreadStack, ItGrowsWithTheLimitOfTheShell) {
    NEEDS_LIMIT(RLIMIT_STACK, 32 * kMiB, "a hard limit of stacks of 32 MiB or more");
    const SoftLimit limit(RLIMIT_STACK, 32 * kMiB);
    const auto body = [] {
        RunAll(24);
        EXPECT_EQ(stack_of_call, 32 * kMiB);
    };
    RunInOwnProcess(body, kFillFails);
}

TEST(ThreadStack, WithoutALimitItIsEightMebibytes) {
    NEEDS_LIMIT(RLIMIT_STACK, RLIM_INFINITY, "stacks without a hard limit");
    const SoftLimit none(RLIMIT_STACK, RLIM_INFINITY);
    const auto body = [] {
        RunAll(4);
        EXPECT_EQ(stack_of_call, 8 * kMiB);
    };
    RunInOwnProcess(body, kFillFails);
}

TEST(ThreadStack, ItFollowsTheDefaultThatTheProgramSets) {
    const auto body = [] {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, 24 * kMiB);
        ASSERT_EQ(0, pthread_setattr_default_np(&attributes));
        pthread_attr_destroy(&attributes);
        RunAll(16);
        EXPECT_EQ(stack_of_call, 24 * kMiB);
    };
    RunInOwnProcess(body, kFillFails);
}

TEST(ThreadStack, TheVariableOverridesTheSystem) {
    const auto body = [] {
        RunAll(48);
        EXPECT_EQ(stack_of_call, 64 * kMiB);
    };
    RunInOwnProcess(body, WithStack("64M"));
}

// The minimum is enough for the library itself.
TEST(ThreadStack, TheMinimumIsEnoughForTheLibrary) {
    const auto body = [] {
        RunAll(0);
        EXPECT_EQ(stack_of_call, 256 * kKiB);
    };
    RunInOwnProcess(body, WithStack("256K"));
}

// If the system cannot allocate the stack, the call returns an error and does not crash.
TEST(ThreadStack, AnImpossibleStackSizeIsAnError) {
    const auto body = [] {
        ACL_OK(aclInit(nullptr));
        // A GPU's driver reserves more addresses than that for itself.
        if (!OnCpu()) {
            ACL_OK(aclrtSetDevice(0));
        }
        const SoftLimit addresses(RLIMIT_AS, AddressSpace() + (size_t{32} << 30));
        if (OnCpu()) {
            ACL_FAILS_SAYING(ACL_ERROR_RT_NO_STREAM_RESOURCE, aclrtSetDevice(0), "68719476736", "PORTACL_THREAD_STACK");
        } else {
            // The first host function needs a thread; without one, a driver's thread calls it.
            calls = 0;
            depth = 0;
            Stream stream;
            ACL_OK(aclrtLaunchHostFunc(stream, HostFunction, nullptr));
            ACL_OK(aclrtSynchronizeStream(stream));
            EXPECT_EQ(calls, 1);
        }
        ACL_EXPECT_OK(aclFinalize());
    };
    RunInOwnProcess(body, {{"PORTACL_THREAD_STACK", "64G"},
                           {"PORTACL_CPU_MEMORY", "64M"},
                           {"PORTACL_CPU_GUARD", "0"},
                           {"PORTACL_CHECK", "0"},  // which may switch guard mode on
                           {"FAKE_CUDA_MEMORY", "64M"}});
}

}  // namespace

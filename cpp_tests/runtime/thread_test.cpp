// State of a thread and of the process: current device, handles, reference counts.
#include "support/acl_test.h"
#include "support/base/one_of_each.h"
#include "support/says.h"
#include "support/threads.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <random>
#include <set>
#include <vector>

using namespace portacl_test;

namespace {

constexpr int kThreads = 16;

// Opening a GPU may take a good part of a second: tests that open it repeatedly stop after this
// time.
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kStressTime{10};

using Thread = WithDevice;
using ThreadWithoutDevice = Initialized;

// How often the device can be reset until it is closed: its reference count.
int ReferenceCount(int32_t device) {
    int count = 0;
    while (aclrtResetDevice(device) == ACL_SUCCESS) ++count;
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_PARAM_INVALID);
    aclGetRecentErrMsg();
    return count;
}

// Every call that needs a current context reports that and writes nothing.
void ExpectCallsWithoutContextRefused(void* memory) {
    constexpr aclError kNone = ACL_ERROR_RT_CONTEXT_NULL;
    auto device = Poison<int32_t>();
    ACL_FAILS_SAYING(kNone, aclrtGetDevice(&device), "aclrtSetDevice");
    EXPECT_TRUE(IsPoison(device));
    auto context = Poison<aclrtContext>();
    ACL_FAILS(kNone, aclrtGetCurrentContext(&context));
    EXPECT_TRUE(IsPoison(context));
    auto stream = Poison<aclrtStream>();
    ACL_FAILS(kNone, aclrtCreateStream(&stream));
    ACL_FAILS(kNone, aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_FAST_LAUNCH));
    EXPECT_TRUE(IsPoison(stream));
    auto event = Poison<aclrtEvent>();
    ACL_FAILS(kNone, aclrtCreateEvent(&event));
    ACL_FAILS(kNone, aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));
    ACL_FAILS(kNone, aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    EXPECT_TRUE(IsPoison(event));
    auto pointer = Poison<void*>();
    ACL_FAILS(kNone, aclrtMalloc(&pointer, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_TRUE(IsPoison(pointer));
    auto free = Poison<size_t>(), total = Poison<size_t>();
    ACL_FAILS(kNone, aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    EXPECT_TRUE(IsPoison(free) && IsPoison(total));
    ACL_FAILS(kNone, aclrtSynchronizeDevice());
    ACL_FAILS(kNone, aclrtSynchronizeStream(nullptr));
    ACL_FAILS(kNone, aclrtSynchronizeStreamWithTimeout(nullptr, 100));
    auto status = Poison<aclrtStreamStatus>();
    ACL_FAILS(kNone, aclrtStreamQuery(nullptr, &status));
    EXPECT_TRUE(IsPoison(status));
    ACL_FAILS(kNone, aclrtLaunchHostFunc(
                         nullptr, [](void*) {}, nullptr));
    std::array<unsigned char, 8> bytes;
    bytes.fill(0xA5);
    ACL_FAILS(kNone, aclrtMemcpy(bytes.data(), 8, memory, 8, ACL_MEMCPY_DEVICE_TO_HOST));
    ACL_FAILS(kNone, aclrtMemcpyAsync(bytes.data(), 8, memory, 8, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
    for (const unsigned char byte : bytes) EXPECT_EQ(byte, 0xA5);
    ACL_FAILS(kNone, aclrtMemset(memory, 8, 1, 8));
    ACL_FAILS(kNone, aclrtMemsetAsync(memory, 8, 1, 8, nullptr));
    ACL_FAILS(kNone,
              aclrtReduceAsync(memory, memory, 8, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, nullptr, nullptr));
}

}  // namespace

TEST_F(ThreadWithoutDevice, TheFirstHasNoContext) {
    OnNewThread([] {
        auto device = Poison<int32_t>();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
    });
}

TEST_F(Thread, ANewOneHasNoContext) {
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtMemset(memory, 4096, 9, 4096));
    OnNewThread([memory] { ExpectCallsWithoutContextRefused(memory); });
    unsigned char byte = 0;
    ACL_OK(aclrtMemcpy(&byte, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(byte, 9);
    ACL_OK(aclrtFree(memory));
}

TEST_F(Thread, WithoutAContextSomeCallsWork) {
    void* memory = nullptr;
    aclrtEvent event = nullptr;
    ACL_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtCreateEvent(&event));
    ACL_OK(aclrtRecordEvent(event, nullptr));
    OnNewThread([memory, event] {
        void* host = nullptr;
        ACL_OK(aclrtMallocHost(&host, 4096));
        std::memset(host, 1, 4096);
        ACL_OK(aclrtFreeHost(host));
        aclrtPtrAttributes attributes = {};
        ACL_OK(aclrtPointerGetAttributes(memory, &attributes));
        EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
        ACL_OK(aclrtSynchronizeEvent(event));
        ACL_OK(aclrtDestroyEvent(event));
        // Destructors run on any thread.
        ACL_OK(aclrtFree(memory));
        uint32_t count = 0;
        ACL_OK(aclrtGetDeviceCount(&count));
    });
}

TEST_F(Thread, SettingADeviceIsForOneThread) {
    uint32_t count = 0;
    ACL_OK(aclrtGetDeviceCount(&count));
    if (count < 2) GTEST_SKIP() << "needs two devices";
    OnNewThread([] {
        ACL_OK(aclrtSetDevice(1));
        int32_t device = -1;
        ACL_OK(aclrtGetDevice(&device));
        EXPECT_EQ(device, 1);
    });
    int32_t device = -1;
    ACL_OK(aclrtGetDevice(&device));
    EXPECT_EQ(device, 0);
}

TEST_F(Thread, ObjectsCrossThreads) {
    OneOfEach objects;
    objects.Create(0);
    OnNewThread([&] {
        ACL_OK(aclrtSetDevice(0));
        objects.ExpectValid();
        objects.Destroy();
    });
    objects.ExpectInvalidHandles();
    objects.ExpectInvalidDeviceMemory();
    objects.ExpectFreedHostMemory();
}

// A reset invalidates the handles of all threads; each thread gets an error and can continue.
TEST_F(Thread, AResetAffectsAllThreads) {
    Signal ready, reset;
    std::thread other([&] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        OneOfEach objects;
        objects.Create(0);
        objects.ExpectValid();
        ready.Set();
        reset.Wait();

        auto device = Poison<int32_t>();
        ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device), "aclrtSetDevice");
        EXPECT_TRUE(IsPoison(device));
        objects.ExpectLateDestroys();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeStream(nullptr));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(objects.memory));

        ACL_EXPECT_OK(aclrtSetDevice(0));
        objects.ExpectInvalidHandles();
        ACL_EXPECT_OK(aclrtFreeHost(objects.host));
        OneOfEach fresh;
        fresh.Create(0);
        fresh.ExpectValid();
        fresh.Destroy();
        ACL_EXPECT_OK(aclrtResetDevice(0));
    });
    ready.Wait();
    ACL_EXPECT_OK(aclrtResetDeviceForce(0));
    reset.Set();
    other.join();
}

TEST_F(ThreadWithoutDevice, ManyFirstSetsOpenOneDevice) {
    for (int round = 0; round < 10; ++round) {
        std::array<aclrtContext, kThreads> contexts{};
        OnThreads(kThreads, [&](int i) {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            ACL_EXPECT_OK(aclrtGetCurrentContext(&contexts[i]));
        });
        const std::set<aclrtContext> distinct(contexts.begin(), contexts.end());
        EXPECT_EQ(distinct.size(), 1u);
        EXPECT_EQ(ReferenceCount(0), kThreads);
    }
}

// The main thread keeps the device open, so it is never closed, and every set and reset counts
// once.
TEST_F(Thread, SetsAndResetsOfManyThreadsCountExactly) {
    constexpr int kRounds = 2000, kLeft = 3;
    OnThreads(kThreads, [](int) {
        for (int i = 0; i < kRounds; ++i) {
            ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
            ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
        }
        for (int i = 0; i < kLeft; ++i) ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    });
    EXPECT_EQ(ReferenceCount(0), 1 + kThreads * kLeft);
}

// No thread keeps it open: it is opened and closed all the time, and no set is lost.
TEST_F(ThreadWithoutDevice, SetsAndResetsAcrossReleasesCountExactly) {
    constexpr int kRounds = 100;
    const auto enough = Clock::now() + kStressTime;
    std::array<int, kThreads> left{};
    OnThreads(kThreads, [&left, enough](int thread) {
        std::mt19937 random(static_cast<unsigned>(thread));
        int mine = 0;
        for (int i = 0; i < kRounds && Clock::now() < enough; ++i) {
            if (mine == 0 || random() % 2 == 0) {
                ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
                ++mine;
                // The device is open while a set of this thread has no matching reset.
                aclrtStream stream = nullptr;
                ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS) << TakeText();
                ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
                ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS) << TakeText();
            } else {
                ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS) << TakeText();
                --mine;
            }
        }
        left[thread] = mine;
    });
    int sum = 0;
    for (const int one : left) sum += one;
    EXPECT_EQ(ReferenceCount(0), sum);
}

// Forced resets between sets: calls succeed or fail with a reason, and the count is right
// afterwards.
TEST_F(ThreadWithoutDevice, ForcedResetsAmongSets) {
    constexpr int kRounds = 200;
    const auto enough = Clock::now() + kStressTime;
    OnThreads(8, [enough](int thread) {
        for (int i = 0; i < kRounds && Clock::now() < enough; ++i) {
            if (thread == 0) {
                const aclError code = aclrtResetDeviceForce(0);
                ASSERT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_PARAM_INVALID) << code;
            } else {
                ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
            }
        }
    });
    const aclError code = aclrtResetDeviceForce(0);
    EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_PARAM_INVALID) << code;
    EXPECT_EQ(ReferenceCount(0), 0);
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(ReferenceCount(0), 1);
}

// Objects of one thread are destroyed while others use them: errors, no crash, no confusion of
// objects.
TEST_F(Thread, HandlesBecomeInvalidWhileOthersUseThem) {
    for (int round = 0; round < 20; ++round) {
        aclrtStream stream = nullptr;
        aclrtEvent event = nullptr;
        ACL_OK(aclrtCreateStream(&stream));
        ACL_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        OnThreads(4, [&](int thread) {
            ACL_EXPECT_OK(aclrtSetDevice(0));
            if (thread == 0) {
                ACL_EXPECT_OK(aclrtDestroyStream(stream));
                ACL_EXPECT_OK(aclrtDestroyEvent(event));
                return;
            }
            for (int i = 0; i < 50; ++i) {
                for (const aclError code : {aclrtRecordEvent(event, stream), aclrtSynchronizeStream(stream),
                                            aclrtStreamWaitEvent(stream, event), aclrtSynchronizeEvent(event)})
                    ASSERT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_PARAM_INVALID) << code;
            }
        });
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeStream(stream));
        ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtSynchronizeEvent(event));
    }
}

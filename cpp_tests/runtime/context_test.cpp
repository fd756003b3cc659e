// Contexts: create, destroy, make current.
#include "support/acl_test.h"
#include "support/base/device_ids.h"
#include "support/gate.h"
#include "support/says.h"
#include "support/threads.h"

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

using namespace portacl_test;

namespace {

constexpr aclError kBadHandle = ACL_ERROR_RT_PARAM_INVALID;

int32_t DeviceCount() {
    uint32_t count = 0;
    ACL_EXPECT_OK(aclrtGetDeviceCount(&count));
    return static_cast<int32_t>(count);
}

aclrtContext Current() {
    aclrtContext context = nullptr;
    ACL_EXPECT_OK(aclrtGetCurrentContext(&context));
    return context;
}

void ExpectNoContext() {
    auto context = Poison<aclrtContext>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetCurrentContext(&context), "context");
    EXPECT_TRUE(IsPoison(context));
}

void* AsHandle(uint64_t number) {
    return reinterpret_cast<void*>(static_cast<uintptr_t>(number));
}

// Numbers that are no valid handles.
std::vector<void*> Garbage() {
    static int variable = 0;
    return {AsHandle(1),          AsHandle(0xdeadbeef),         AsHandle(UINT64_MAX),
            AsHandle(1ull << 63), AsHandle(0x7fffffffffffffff), &variable};
}

using ContextWithoutDevice = Initialized;
using Context = WithDevice;

}  // namespace

TEST_F(ContextWithoutDevice, CreateOpensTheDevice) {
    ExpectNoContext();
    auto context = Poison<aclrtContext>();
    ACL_OK(aclrtCreateContext(&context, 0));
    EXPECT_NE(context, nullptr);
    EXPECT_EQ(Current(), context);
    int32_t device = -1;
    ACL_OK(aclrtGetDevice(&device));
    EXPECT_EQ(device, 0);
    ACL_OK(aclrtDestroyContext(context));
    ExpectNoContext();
    // The default context exists as well, for threads that set the device.
    ACL_OK(aclrtSetDevice(0));
    EXPECT_NE(Current(), context);
}

TEST_F(ContextWithoutDevice, CreateRefusesNull) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCreateContext(nullptr, 0), "context is null");
    ExpectNoContext();
}

TEST_F(ContextWithoutDevice, CreateOnDevicesThatDoNotExist) {
    const int32_t count = DeviceCount();
    for (const int32_t id : {-1, count, INT32_MIN, INT32_MAX}) {
        auto context = Poison<aclrtContext>();
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtCreateContext(&context, id),
                         "deviceId is " + std::to_string(id), AllowedIds(count));
        EXPECT_TRUE(IsPoison(context));
    }
    ExpectNoContext();
}

TEST_F(ContextWithoutDevice, GetRefusesNull) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetCurrentContext(nullptr), "context is null");
}

TEST_F(ContextWithoutDevice, InvalidHandlesAreRefused) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtSetCurrentContext(nullptr), "context is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtDestroyContext(nullptr), "context is null");
    for (void* garbage : Garbage()) {
        char shown[32];
        std::snprintf(shown, sizeof shown, "%p", garbage);
        ACL_FAILS_SAYING(kBadHandle, aclrtSetCurrentContext(garbage), "context", shown);
        ACL_FAILS_SAYING(kBadHandle, aclrtDestroyContext(garbage), "context", shown);
    }
    ExpectNoContext();
}

TEST_F(Context, HandlesOfOtherKindsAreRefused) {
    const aclrtContext before = Current();
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtCreateEvent(&event));
    ACL_FAILS_SAYING(kBadHandle, aclrtSetCurrentContext(stream), "of kind stream", "not of kind context");
    ACL_FAILS_SAYING(kBadHandle, aclrtDestroyContext(stream), "of kind stream", "not of kind context");
    ACL_FAILS_SAYING(kBadHandle, aclrtSetCurrentContext(event), "of kind event", "not of kind context");
    ACL_FAILS_SAYING(kBadHandle, aclrtDestroyContext(event), "of kind event", "not of kind context");
    EXPECT_EQ(Current(), before);
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtDestroyStream(stream));
    ACL_OK(aclrtDestroyEvent(event));
}

TEST_F(Context, CreateMakesItCurrent) {
    const aclrtContext primary = Current();
    aclrtContext first = nullptr, second = nullptr;
    ACL_OK(aclrtCreateContext(&first, 0));
    EXPECT_EQ(Current(), first);
    ACL_OK(aclrtCreateContext(&second, 0));
    EXPECT_EQ(Current(), second);
    EXPECT_NE(first, second);
    EXPECT_NE(first, primary);
    ACL_OK(aclrtSetCurrentContext(primary));
    EXPECT_EQ(Current(), primary);
    // Destroying a context that is not current has no other effect.
    ACL_OK(aclrtDestroyContext(first));
    ACL_OK(aclrtDestroyContext(second));
    EXPECT_EQ(Current(), primary);
}

TEST_F(Context, TheLastSetWins) {
    const aclrtContext primary = Current();
    aclrtContext other = nullptr;
    ACL_OK(aclrtCreateContext(&other, 0));
    for (int i = 0; i < 3; ++i) {
        ACL_OK(aclrtSetCurrentContext(primary));
        EXPECT_EQ(Current(), primary);
        ACL_OK(aclrtSetCurrentContext(other));
        EXPECT_EQ(Current(), other);
    }
    ACL_OK(aclrtDestroyContext(other));
}

TEST_F(Context, TheDeviceFollows) {
    if (DeviceCount() < 2) GTEST_SKIP() << "needs two devices";
    const aclrtContext zero = Current();
    aclrtContext one = nullptr;
    ACL_OK(aclrtCreateContext(&one, 1));
    int32_t device = -1;
    ACL_OK(aclrtGetDevice(&device));
    EXPECT_EQ(device, 1);
    ACL_OK(aclrtSetCurrentContext(zero));
    ACL_OK(aclrtGetDevice(&device));
    EXPECT_EQ(device, 0);
    ACL_OK(aclrtSetCurrentContext(one));
    ACL_OK(aclrtGetDevice(&device));
    EXPECT_EQ(device, 1);
    ACL_OK(aclrtDestroyContext(one));
}

TEST_F(Context, ADestroyedContextIsInvalid) {
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    ACL_OK(aclrtDestroyContext(context));
    ACL_FAILS_SAYING(kBadHandle, aclrtDestroyContext(context), "context", "was destroyed");
    ACL_FAILS_SAYING(kBadHandle, aclrtSetCurrentContext(context), "context", "was destroyed");
}

TEST_F(Context, DestroyingTheCurrentContextLeavesNone) {
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    ACL_OK(aclrtDestroyContext(context));
    ExpectNoContext();
    auto device = Poison<int32_t>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
    EXPECT_TRUE(IsPoison(device));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeStream(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtSynchronizeStream(nullptr));
}

TEST_F(Context, DefaultContextsAreNotDestroyed) {
    const aclrtContext primary = Current();
    ACL_FAILS_SAYING(kBadHandle, aclrtDestroyContext(primary), "default context", "aclrtResetDevice");
    EXPECT_EQ(Current(), primary);
    ACL_OK(aclrtSynchronizeStream(nullptr));
}

TEST_F(Context, DestroyWaitsForItsStreams) {
    aclrtContext context = nullptr;
    aclrtStream stream = nullptr;
    std::atomic<int> done{0};
    ACL_OK(aclrtCreateContext(&context, 0));
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtLaunchHostFunc(nullptr, SlowCount, &done));
    ACL_OK(aclrtLaunchHostFunc(stream, SlowCount, &done));
    ACL_OK(aclrtDestroyContext(context));
    EXPECT_EQ(done, 2);
    // Its streams are destroyed with it.
    ACL_OK(aclrtSetDevice(0));
    ACL_FAILS(kBadHandle, aclrtSynchronizeStream(stream));
    ACL_OK(aclrtDestroyStream(stream));  // a late destroy succeeds once
    ACL_FAILS(kBadHandle, aclrtDestroyStream(stream));
}

TEST_F(Context, DestroyLeavesOtherContextsAlone) {
    const aclrtContext primary = Current();
    aclrtStream stream = nullptr;
    void* memory = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    ACL_OK(aclrtDestroyContext(context));
    ACL_OK(aclrtSetCurrentContext(primary));
    ACL_OK(aclrtMemsetAsync(memory, 4096, 1, 4096, stream));
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtMemsetAsync(memory, 4096, 1, 4096, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    ACL_OK(aclrtFree(memory));
    ACL_OK(aclrtDestroyStream(stream));
}

// NULL is a different stream in every context; these streams do not wait for each other.
TEST_F(Context, EachHasItsOwnDefaultStream) {
    NEEDS_QUEUES(2);
    const aclrtContext primary = Current();
    std::atomic<int> held{0}, done{0};
    Gate gate;
    ACL_OK(gate.Hold(nullptr));
    ACL_OK(aclrtLaunchHostFunc(nullptr, SlowCount, &held));
    aclrtContext other = nullptr;
    ACL_OK(aclrtCreateContext(&other, 0));
    ACL_OK(aclrtLaunchHostFunc(nullptr, SlowCount, &done));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(done, 1);
    EXPECT_EQ(held, 0);
    gate.Open();
    ACL_OK(aclrtSetCurrentContext(primary));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    EXPECT_EQ(held, 1);
    ACL_OK(aclrtDestroyContext(other));
}

// Only the device must be the same.
TEST_F(Context, StreamsWorkFromOtherContextsOfTheDevice) {
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    aclrtContext other = nullptr;
    ACL_OK(aclrtCreateContext(&other, 0));
    std::atomic<int> done{0};
    ACL_OK(aclrtLaunchHostFunc(stream, SlowCount, &done));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(done, 1);
    ACL_OK(aclrtDestroyStream(stream));
    ACL_OK(aclrtDestroyContext(other));
}

TEST_F(Context, CurrentInSeveralThreads) {
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    std::atomic<int> done{0};
    OnThreads(8, [&](int) {
        ACL_OK(aclrtSetCurrentContext(context));
        EXPECT_EQ(Current(), context);
        ACL_OK(aclrtLaunchHostFunc(nullptr, SlowCount, &done));
        ACL_OK(aclrtSynchronizeStream(nullptr));
    });
    EXPECT_EQ(done, 8);
    ACL_OK(aclrtDestroyContext(context));
}

TEST_F(Context, DestroyedInAnotherThread) {
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    OnNewThread([context] { ACL_OK(aclrtDestroyContext(context)); });
    ExpectNoContext();
    aclrtStream stream = nullptr;
    ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtCreateStream(&stream), "destroyed");
    ACL_OK(aclrtSetDevice(0));
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtDestroyStream(stream));
}

// A handle is a number that is never reused, and no pointer.
TEST_F(Context, HandlesAreNotReused) {
    const aclrtContext primary = Current();
    std::set<aclrtContext> seen{primary};
    for (int i = 0; i < 500; ++i) {
        aclrtContext context = nullptr;
        ACL_OK(aclrtCreateContext(&context, 0));
        EXPECT_TRUE(seen.insert(context).second) << context;
        EXPECT_EQ(reinterpret_cast<uintptr_t>(context) >> 63, 0u);
        ACL_OK(aclrtDestroyContext(context));
    }
    for (aclrtContext old : seen) {
        if (old == primary) continue;
        ASSERT_EQ(aclrtSetCurrentContext(old), kBadHandle);
    }
}

TEST_F(Context, OneOfManyThreadsDestroys) {
    for (int round = 0; round < 20; ++round) {
        aclrtContext context = nullptr;
        ACL_OK(aclrtCreateContext(&context, 0));
        std::atomic<int> destroyed{0}, refused{0};
        OnThreads(8, [&](int) {
            const aclError code = aclrtDestroyContext(context);
            if (code == ACL_SUCCESS) ++destroyed;
            if (code == kBadHandle) ++refused;
        });
        EXPECT_EQ(destroyed, 1);
        EXPECT_EQ(refused, 7);
    }
}

namespace {

int32_t PrimaryIsActive(int32_t device) {
    auto active = Poison<int32_t>();
    ACL_EXPECT_OK(aclrtGetPrimaryCtxState(device, nullptr, &active));
    return active;
}

aclrtStream DefaultStream() {
    auto stream = Poison<aclrtStream>();
    ACL_EXPECT_OK(aclrtCtxGetCurrentDefaultStream(&stream));
    return stream;
}

}  // namespace

TEST_F(ContextWithoutDevice, ItsDefaultStreamIsNull) {
    ACL_OK(aclrtSetDevice(0));
    const aclrtStream stream = DefaultStream();
    EXPECT_NE(stream, nullptr);
    EXPECT_EQ(DefaultStream(), stream);
    int32_t id = -1, id_of_null = -2;
    ACL_OK(aclrtStreamGetId(stream, &id));
    ACL_OK(aclrtStreamGetId(nullptr, &id_of_null));
    EXPECT_EQ(id, id_of_null);
    std::atomic<int> done{0};
    ACL_OK(aclrtLaunchHostFunc(nullptr, SlowCount, &done));
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(done, 1);
    ACL_FAILS_SAYING(kBadHandle, aclrtDestroyStream(stream), "default stream");
    // Another context has another default stream; in another thread it is the same.
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    EXPECT_NE(DefaultStream(), stream);
    OnNewThread([stream] {
        ACL_OK(aclrtSetDevice(0));
        EXPECT_EQ(DefaultStream(), stream);
    });
    const aclrtStream gone = DefaultStream();
    ACL_OK(aclrtDestroyContext(context));
    ACL_FAILS(kBadHandle, aclrtSynchronizeStream(gone));
}

TEST_F(ContextWithoutDevice, ADefaultStreamNeedsAContextAndAnOutput) {
    auto stream = Poison<aclrtStream>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtCtxGetCurrentDefaultStream(&stream));
    EXPECT_TRUE(IsPoison(stream));
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtCtxGetCurrentDefaultStream(nullptr), "stream is null");
}

TEST_F(ContextWithoutDevice, ThePrimaryContextExistsFromSetToReset) {
    for (int32_t device = 0; device < DeviceCount(); ++device) {
        EXPECT_EQ(PrimaryIsActive(device), 0);
        ACL_OK(aclrtSetDevice(device));
        ACL_OK(aclrtSetDevice(device));
        EXPECT_EQ(PrimaryIsActive(device), 1);
        OnNewThread([device] { EXPECT_EQ(PrimaryIsActive(device), 1); });
        ACL_OK(aclrtResetDevice(device));
        EXPECT_EQ(PrimaryIsActive(device), 1);
        ACL_OK(aclrtResetDevice(device));
        EXPECT_EQ(PrimaryIsActive(device), 0);
    }
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    EXPECT_EQ(PrimaryIsActive(0), 1);
    ACL_OK(aclrtResetDeviceForce(0));
    EXPECT_EQ(PrimaryIsActive(0), 0);
}

TEST_F(ContextWithoutDevice, ThePrimaryContextsStateChecksArguments) {
    auto active = Poison<int32_t>();
    uint32_t flags = 0;
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetPrimaryCtxState(0, nullptr, nullptr), "active is null");
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtGetPrimaryCtxState(0, &flags, &active), "flags is " + Shown(&flags),
                     "must be null");
    for (const int32_t device : {-1, DeviceCount(), INT32_MIN, INT32_MAX})
        ACL_FAILS_SAYING(ACL_ERROR_RT_INVALID_DEVICEID, aclrtGetPrimaryCtxState(device, nullptr, &active),
                         "deviceId is " + std::to_string(device));
    EXPECT_TRUE(IsPoison(active));
}

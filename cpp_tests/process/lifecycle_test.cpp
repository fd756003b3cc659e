// Lifecycle of the process: what each kind of call returns before, during, after and between
// sessions. Every row starts in its own process.
#include "support/acl_test.h"
#include "support/base/one_of_each.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/threads.h"

#include <array>
#include <cstring>
#include <thread>

using namespace portacl_test;

namespace {

// Column 1: queries that need nothing.
void ExpectPureQueriesWork() {
    int32_t major = -1, minor = -1, patch = -1;
    ACL_EXPECT_OK(aclrtGetVersion(&major, &minor, &patch));
    EXPECT_EQ(major, ACL_MAJOR_VERSION);
    EXPECT_NE(aclrtGetSocName(), nullptr);
    aclrtRunMode mode = ACL_DEVICE;
    ACL_EXPECT_OK(aclrtGetRunMode(&mode));
    EXPECT_EQ(mode, ACL_HOST);
    auto count = Poison<uint32_t>();
    ACL_EXPECT_OK(aclrtGetDeviceCount(&count));
    EXPECT_GE(count, 1u);
    EXPECT_LE(count, 64u);
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

// Column 2 where it works: everything works after aclrtSetDevice.
void ExpectEverythingWorks() {
    ACL_OK(aclrtSetDevice(0));
    OneOfEach objects;
    objects.Create(0);
    objects.ExpectValid();
    std::array<char, 64> bytes{};
    ACL_EXPECT_OK(aclrtMemcpy(bytes.data(), 64, objects.memory, 64, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(bytes[63], 7);
    ACL_EXPECT_OK(aclrtSynchronizeDevice());
    objects.Destroy();
    ACL_EXPECT_OK(aclrtResetDevice(0));
}

// Column 2 where it does not work: 107002 with a text that names the remedy, and nothing is
// written.
void ExpectCreationRefused() {
    constexpr aclError kEnded = ACL_ERROR_RT_CONTEXT_NULL;
    auto handle = Poison<void*>();
    ACL_FAILS_SAYING(kEnded, aclrtCreateContext(&handle, 0), "finalized", "aclInit");
    ACL_FAILS_SAYING(kEnded, aclrtCreateStream(&handle), "finalized", "aclInit");
    ACL_FAILS_SAYING(kEnded, aclrtCreateStreamWithConfig(&handle, 0, 0), "finalized");
    ACL_FAILS_SAYING(kEnded, aclrtCreateEvent(&handle), "finalized");
    ACL_FAILS_SAYING(kEnded, aclrtCreateEventWithFlag(&handle, ACL_EVENT_SYNC), "finalized");
    ACL_FAILS_SAYING(kEnded, aclrtCreateEventExWithFlag(&handle, ACL_EVENT_SYNC), "finalized");
    ACL_FAILS_SAYING(kEnded, aclrtMalloc(&handle, 64, ACL_MEM_MALLOC_HUGE_FIRST), "finalized");
    ACL_FAILS_SAYING(kEnded, aclrtMallocHost(&handle, 64), "finalized");
    ACL_FAILS_SAYING(kEnded, aclrtGetCurrentContext(&handle), "finalized");
    EXPECT_TRUE(IsPoison(handle));
    auto device = Poison<int32_t>();
    ACL_FAILS_SAYING(kEnded, aclrtGetDevice(&device), "finalized");
    EXPECT_TRUE(IsPoison(device));
    auto free = Poison<size_t>(), total = Poison<size_t>();
    ACL_FAILS_SAYING(kEnded, aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), "finalized");
    EXPECT_TRUE(IsPoison(free) && IsPoison(total));
    std::array<char, 8> to{}, from{1};
    ACL_FAILS_SAYING(kEnded, aclrtMemcpy(to.data(), 8, from.data(), 8, ACL_MEMCPY_HOST_TO_HOST), "finalized");
    EXPECT_EQ(to[0], 0);
    ACL_FAILS_SAYING(kEnded, aclrtSynchronizeDevice(), "finalized");
    ACL_FAILS_SAYING(kEnded, aclrtSynchronizeStream(nullptr), "finalized");
    ACL_FAILS_SAYING(kEnded,
                     aclrtLaunchHostFunc(
                         nullptr, [](void*) {}, nullptr),
                     "finalized");
    ACL_FAILS_SAYING(kEnded, aclrtResetDevice(0), "finalized");
    ACL_FAILS_SAYING(kEnded, aclrtResetDeviceForce(0), "finalized");
    // A copy of 0 bytes succeeds in every state.
    ACL_EXPECT_OK(aclrtMemcpy(nullptr, 0, nullptr, 0, ACL_MEMCPY_HOST_TO_HOST));
}

// Column 3 with invalid objects.
void ExpectInvalid(const OneOfEach& objects) {
    objects.ExpectInvalidHandles();
    objects.ExpectInvalidDeviceMemory();
    objects.ExpectFreedHostMemory();
}

// A session that leaves its objects behind, ended by `end`.
OneOfEach LiveAndEnd(aclError (*end)()) {
    OneOfEach objects;
    EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    objects.Create(0);
    objects.ExpectValid();
    EXPECT_EQ(end(), ACL_SUCCESS);
    return objects;
}

aclError Finalize() {
    return aclFinalize();
}
aclError FinalizeReference() {
    return aclFinalizeReference(nullptr);
}

void FinalizedRow(aclError (*end)()) {
    const OneOfEach objects = LiveAndEnd(end);
    ExpectPureQueriesWork();
    ExpectCreationRefused();
    objects.ExpectNoUse();
    OnNewThread([&] {
        ExpectPureQueriesWork();
        ExpectCreationRefused();
        objects.ExpectLateDestroys();
    });
    ExpectInvalid(objects);
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
}

void InitializedAgainRow(aclError (*end)()) {
    const OneOfEach objects = LiveAndEnd(end);
    ACL_OK(aclInit(nullptr));
    ExpectPureQueriesWork();
    objects.ExpectLateDestroys();
    ExpectInvalid(objects);
    ExpectEverythingWorks();
    // With a device, too.
    ACL_OK(aclrtSetDevice(0));
    ExpectInvalid(objects);
    ACL_OK(aclFinalize());
    ExpectInvalid(objects);
}

}  // namespace

OWN_PROCESS_TEST(Lifecycle, NeverInitializedQueries) {
    ExpectPureQueriesWork();
}

OWN_PROCESS_TEST(Lifecycle, NeverInitializedCountFirst) {
    auto count = Poison<uint32_t>();
    ACL_OK(aclrtGetDeviceCount(&count));
    EXPECT_GE(count, 1u);
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Lifecycle, NeverInitializedEverythingWorks) {
    ExpectEverythingWorks();
    ExpectPureQueriesWork();
    ACL_FAILS(ACL_ERROR_REPEAT_FINALIZE, aclFinalize());
}

OWN_PROCESS_TEST(Lifecycle, NeverInitializedContextFirst) {
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    ACL_OK(aclrtDestroyContext(context));
    // Releases the device.
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Lifecycle, NeverInitializedPinnedMemoryFirst) {
    void* host = nullptr;
    ACL_OK(aclrtMallocHost(&host, 4096));
    std::memset(host, 1, 4096);
    ACL_OK(aclrtFreeHost(host));
}

OWN_PROCESS_TEST(Lifecycle, NeverInitializedNeedsADevice) {
    auto device = Poison<int32_t>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device), "aclrtSetDevice");
    auto memory = Poison<void*>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtSynchronizeStream(nullptr));
    EXPECT_TRUE(IsPoison(device) && IsPoison(memory));
}

// Objects that were created before aclInit stay valid after it.
OWN_PROCESS_TEST(Lifecycle, InitAfterUse) {
    ACL_OK(aclrtSetDevice(0));
    OneOfEach objects;
    objects.Create(0);
    ACL_OK(aclInit(nullptr));
    objects.ExpectValid();
    ACL_OK(aclFinalize());
    objects.ExpectLateDestroys();
    ExpectInvalid(objects);
}

OWN_PROCESS_TEST(Lifecycle, Live) {
    ACL_OK(aclInit(nullptr));
    ExpectPureQueriesWork();
    ExpectEverythingWorks();
    ExpectEverythingWorks();
    ExpectPureQueriesWork();
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Lifecycle, Finalized) {
    FinalizedRow(Finalize);
}

OWN_PROCESS_TEST(Lifecycle, FinalizedByReference) {
    FinalizedRow(FinalizeReference);
}

OWN_PROCESS_TEST(Lifecycle, FinalizedUnused) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclFinalize());
    ExpectPureQueriesWork();
    ExpectCreationRefused();
}

OWN_PROCESS_TEST(Lifecycle, InitializedAgain) {
    InitializedAgainRow(Finalize);
}

OWN_PROCESS_TEST(Lifecycle, InitializedAgainByReference) {
    InitializedAgainRow(FinalizeReference);
}

OWN_PROCESS_TEST(Lifecycle, SetDeviceOpensANewSession) {
    const OneOfEach objects = LiveAndEnd(Finalize);
    ExpectEverythingWorks();
    ACL_OK(aclrtSetDevice(0));
    objects.ExpectLateDestroys();
    ExpectInvalid(objects);
    // A refused aclrtSetDevice does not open a session.
    ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(-1));
    ACL_OK(aclInit(nullptr));
    ExpectEverythingWorks();
    ACL_OK(aclFinalize());
    ExpectCreationRefused();
}

// The current context of other threads ends with the session, too.
OWN_PROCESS_TEST(Lifecycle, AThreadFromTheEarlierSession) {
    Signal ready, ended, refused, again;
    ACL_OK(aclInit(nullptr));
    std::thread other([&] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        ready.Set();
        ended.Wait();
        auto device = Poison<int32_t>();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
        ExpectCreationRefused();
        refused.Set();
        again.Wait();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtGetDevice(&device));
        EXPECT_TRUE(IsPoison(device));
        ExpectEverythingWorks();
    });
    ready.Wait();
    ACL_EXPECT_OK(aclFinalize());
    ended.Set();
    refused.Wait();
    ACL_EXPECT_OK(aclInit(nullptr));
    again.Set();
    other.join();
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(Lifecycle, FinalizeWaitsForPendingWork) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    std::atomic<int> done{0};
    std::array<aclrtStream, 3> streams{};
    for (auto& stream : streams) {
        ACL_OK(aclrtCreateStream(&stream));
        for (int i = 0; i < 3; ++i) ACL_OK(aclrtLaunchHostFunc(stream, SlowCount, &done));
    }
    ACL_OK(aclFinalize());
    EXPECT_EQ(done, 9);
}

// The very first call fails: it must have a text although nothing was initialized.
OWN_PROCESS_TEST(Lifecycle, FirstCallFails) {
    ACL_FAILS_SAYING(ACL_ERROR_INVALID_PARAM, aclrtFree(nullptr), "devPtr is null");
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_INVALID_PARAM);
}

OWN_PROCESS_TEST(Lifecycle, FirstCallAsksForTheText) {
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

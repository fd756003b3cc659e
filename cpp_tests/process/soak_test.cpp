// Repeated creation and destruction leaks nothing: no memory, no threads, no descriptors, no
// mappings.
//
// PORTACL_TEST_SOAK_SECONDS makes each part run that long, instead of a number of rounds that suits
// a test; the bounds stay the same. For hours, run the program itself, because ctest has a timeout.

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "support/acl_test.h"
#include "support/kernel/kernels.h"
#include "support/process/usage.h"
#include "support/transfer/random_num.h"

using namespace portacl_test;

namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kSize = 8 << 10;
constexpr size_t kLarge = 300 << 10;
constexpr size_t kPinned = 1 << 20;
// Rounds after which everything has its final size: tables, arenas, caches of the C library.
constexpr int kWarmUp = 100;
constexpr int kRounds = 200;
// How much memory may still change after that. The smallest block, 32 bytes, leaked by each round
// would be more.
constexpr size_t kHeapSlack = kRounds * 31;
constexpr size_t kResidentSlack = 2 << 20;
constexpr size_t kMappingSlack = kRounds / 8;

// Whether memory can be measured exactly. Thread caches of the C library count as allocated; the
// tests disable them with GLIBC_TUNABLES=glibc.malloc.tcache_count=0 on backends without a driver.
// Without that, the program only measures what a driver does not change, and not for long.
bool Exact() {
    const char* tunables = std::getenv("GLIBC_TUNABLES");
    return !kSanitized && tunables && std::strstr(tunables, "glibc.malloc.tcache_count=0");
}
constexpr std::chrono::seconds kLongest{8};
// How long threads and descriptors may take to disappear after the last round.
constexpr std::chrono::seconds kPatience{10};

std::chrono::seconds Duration() {
    const char* text = std::getenv("PORTACL_TEST_SOAK_SECONDS");
    return std::chrono::seconds(text ? std::atoi(text) : 0);
}

// Runs rounds, and returns what they leaked; "" if nothing.
template <typename Round>
std::string Soak(Round round, std::chrono::seconds duration = Duration(), std::chrono::seconds patience = kPatience) {
    auto start = Clock::now();
    const auto is_long = [&start] { return !Exact() && Clock::now() - start > kLongest; };
    for (int i = 0; i < kWarmUp && !is_long() && !testing::Test::HasFailure(); ++i) round(i);
    const Usage before = Usage::Least();
    start = Clock::now();
    auto said = start;
    int done = 0;
    while ((done < kRounds && !is_long()) || Clock::now() - start < duration) {
        round(done++);
        if (testing::Test::HasFailure()) return "a round failed";
        if (Clock::now() - said > std::chrono::seconds(10)) {
            said = Clock::now();
            std::printf("%d rounds: %s\n", done, Usage::Now().InWords().c_str());
            std::fflush(stdout);
        }
    }
    const Usage after = Usage::AfterCleanup(before, patience);
    std::string left;
    auto check = [&](const char* what, size_t was, size_t is, size_t slack) {
        if (is > was + slack)
            left += std::string(what) + " grew from " + std::to_string(was) + " to " + std::to_string(is) + " in " +
                    std::to_string(done) + " rounds\n";
    };
    // One object leaked per round would be more.
    const size_t some = Exact() ? 0 : static_cast<size_t>(done) / 2;
    check("threads", before.threads, after.threads, some);
    check("descriptors", before.files, after.files, some);
    if (Exact()) {
        check("mappings", before.mappings, after.mappings, kMappingSlack);
        check("heap", before.heap, after.heap, kHeapSlack);
        check("resident memory", before.resident, after.resident, kResidentSlack);
    }
    std::printf("%d rounds, before: %s\n%d rounds, after:  %s\n", kWarmUp, before.InWords().c_str(), done,
                after.InWords().c_str());
    return left;
}

std::atomic<int> called{0};

void CountCall(void*) {
    ++called;
}

void IgnoreException(aclrtExceptionInfo*) {}

// One object of each kind: created, used, destroyed.
void UseEverything() {
    void *memory = nullptr, *large = nullptr, *pinned = nullptr;
    ACL_OK(aclrtMalloc(&memory, kSize, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtMalloc(&large, kLarge, ACL_MEM_MALLOC_NORMAL_ONLY));
    ACL_OK(aclrtMallocHost(&pinned, kPinned));
    std::vector<char> pageable(kSize, 1);
    aclrtContext before = nullptr, context = nullptr;
    ACL_OK(aclrtGetCurrentContext(&before));
    ACL_OK(aclrtCreateContext(&context, 0));
    aclrtStream streams[2] = {};
    aclrtEvent events[3] = {};
    for (aclrtStream& stream : streams) ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtCreateEvent(&events[0]));
    ACL_OK(aclrtCreateEventWithFlag(&events[1], ACL_EVENT_SYNC));
    ACL_OK(aclrtCreateEventExWithFlag(&events[2], ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));

    ACL_OK(aclrtMemcpyAsync(memory, kSize, pageable.data(), kSize, ACL_MEMCPY_HOST_TO_DEVICE, streams[0]));
    ACL_OK(aclrtMemsetAsync(large, kLarge, 7, kLarge, streams[0]));
    ACL_OK(aclrtLaunchHostFunc(streams[0], CountCall, nullptr));
    ACL_OK(aclrtRecordEvent(events[2], streams[0]));
    ACL_OK(aclrtStreamWaitEvent(streams[1], events[2]));
    ACL_OK(aclrtMemcpyAsync(pinned, kLarge, large, kLarge, ACL_MEMCPY_DEVICE_TO_HOST, streams[1]));
    ACL_OK(aclrtReduceAsync(memory, large, kSize, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8, streams[1], nullptr));
    ACL_OK(aclrtRecordEvent(events[0], streams[1]));
    ACL_OK(aclrtSynchronizeEvent(events[0]));
    std::thread([context] {
        ACL_OK(aclrtSetCurrentContext(context));
        ACL_OK(aclrtLaunchHostFunc(nullptr, CountCall, nullptr));
        ACL_OK(aclrtSynchronizeStream(nullptr));
    }).join();

    // Freed and destroyed with pending work.
    ACL_OK(aclrtMemsetAsync(large, kLarge, 8, kLarge, streams[0]));
    ACL_OK(aclrtFree(large));
    ACL_OK(aclrtRecordEvent(events[1], streams[0]));
    ACL_OK(aclrtStreamWaitEventWithTimeout(streams[1], events[1], 3600));
    ACL_OK(aclrtResetEvent(events[1], streams[1]));
    for (aclrtEvent event : events) ACL_OK(aclrtDestroyEvent(event));
    ACL_OK(aclrtDestroyStreamForce(streams[0]));
    ACL_OK(aclrtDestroyStream(streams[1]));
    ACL_OK(aclrtFree(memory));
    ACL_OK(aclrtFreeHost(pinned));
    ACL_OK(aclrtSetCurrentContext(before));
    ACL_OK(aclrtDestroyContext(context));
}

// As UseEverything, with functions that are used less often.
void UseMore() {
    const auto self = static_cast<uint64_t>(pthread_self());
    void *managed = nullptr, *own = std::aligned_alloc(4096, kSize), *address = nullptr;
    ACL_OK(aclrtMemAllocManaged(&managed, 2 << 20, ACL_RT_MEM_ATTACH_GLOBAL));
    ACL_OK(aclrtHostRegisterV2(own, kSize, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED));
    ACL_OK(aclrtHostGetDevicePointer(own, &address, 0));
    aclrtStreamConfigHandle* description = aclrtCreateStreamConfigHandle();
    aclrtStream described = nullptr, reports = nullptr;
    ACL_OK(aclrtCreateStreamV2(&described, description));
    ACL_OK(aclrtDestroyStreamConfigHandle(description));
    ACL_OK(aclrtCreateStream(&reports));
    aclrtEvent event = nullptr;
    ACL_OK(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    aclDataBuffer* buffer = aclCreateDataBuffer(own, kSize);
    ACL_OK(aclrtExceptionInfoCallbackRegister(IgnoreException));

    ACL_OK(aclrtMemcpyAsync(managed, kSize, own, kSize, ACL_MEMCPY_DEFAULT, described));
    ACL_OK(aclrtMemcpy2dAsync(managed, 128, own, 128, 64, 32, ACL_MEMCPY_HOST_TO_DEVICE, described));
    {
        // Unloaded while its kernel is pending.
        const Program program;
        ACL_OK(Mark(program.Kernel("mark"), managed, 1, kSize / sizeof(uint32_t), described));
    }
    ACL_OK(aclrtRecordEvent(event, described));
    ACL_OK(aclrtStreamWaitEventWithTimeout(reports, event, 60));
    ACL_OK(aclrtResetEvent(event, reports));
    ACL_OK(aclrtSubscribeReport(self, reports));
    ACL_OK(aclrtLaunchCallback(CountCall, nullptr, ACL_CALLBACK_BLOCK, reports));
    ACL_OK(aclrtProcessReport(60000));
    ACL_OK(aclrtLaunchCallback(CountCall, nullptr, ACL_CALLBACK_NO_BLOCK, reports));
    ACL_OK(aclrtProcessReport(60000));
    ACL_OK(aclrtSynchronizeStream(reports));
    ACL_OK(aclrtUnSubscribeReport(self, reports));
    ACL_OK(aclrtLaunchHostFunc(described, CountCall, nullptr));
    ACL_OK(aclrtStreamAbort(described));

    ACL_OK(aclrtExceptionInfoCallbackUnregister(IgnoreException));
    ACL_OK(aclDestroyDataBuffer(buffer));
    ACL_OK(aclrtDestroyEvent(event));
    ACL_OK(aclrtDestroyStream(described));
    ACL_OK(aclrtDestroyStream(reports));
    ACL_OK(aclrtHostUnregister(own));
    ACL_OK(aclrtFree(managed));
    std::free(own);
}

// Notifies of streams and of processes, and random numbers.
void UseSignals() {
    aclrtStream first = nullptr, second = nullptr;
    aclrtNotify notify = nullptr;
    aclrtCntNotify counted = nullptr;
    aclrtEvent event = nullptr, opened = nullptr;
    void* words = nullptr;
    ACL_OK(aclrtCreateStream(&first));
    ACL_OK(aclrtCreateStream(&second));
    ACL_OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    ACL_OK(aclrtCntNotifyCreate(&counted, 0));
    ACL_OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC));
    ACL_OK(aclrtMalloc(&words, kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
    ACL_OK(aclrtMemset(words, kSize, 0, kSize));
    char key[65];
    aclrtIpcEventHandle handle{};
    ACL_OK(aclrtNotifyGetExportKey(notify, key, sizeof key, ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION));
    ACL_OK(aclrtIpcGetEventHandle(event, &handle));
    ACL_OK(aclrtIpcOpenEventHandle(handle, &opened));

    auto* const numbers = static_cast<char*>(words) + kSize / 2;
    const auto task = RandomNumbers(kNormal, ACL_FLOAT, 0.0f, 1.0f, numbers, kSize / 8, 1, words);
    ACL_OK(aclrtRandomNumAsync(&task, first, nullptr));
    ACL_OK(aclrtRecordNotify(notify, first));
    ACL_OK(aclrtWaitAndResetNotify(notify, second, 0));
    ACL_OK(aclrtRecordEvent(event, first));
    ACL_OK(aclrtStreamWaitEvent(second, opened));
    ACL_OK(aclrtValueWrite(numbers, 5, 0, first));
    ACL_OK(aclrtValueWait(numbers, 5, ACL_STREAM_WAIT_VALUE_EQ, second));
    aclrtCntNotifyRecordInfo add{ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 2};
    ACL_OK(aclrtCntNotifyRecord(counted, second, &add));
    ACL_OK(aclrtRecordEvent(opened, second));
    ACL_OK(aclrtSynchronizeEvent(event));
    ACL_OK(aclrtSynchronizeStream(second));

    // Destroyed with a pending record.
    ACL_OK(aclrtRecordNotify(notify, first));
    ACL_OK(aclrtRecordEvent(event, first));
    ACL_OK(aclrtDestroyEvent(opened));
    ACL_OK(aclrtDestroyEvent(event));
    ACL_OK(aclrtDestroyNotify(notify));
    ACL_OK(aclrtCntNotifyDestroy(counted));
    ACL_OK(aclrtDestroyStream(second));
    ACL_OK(aclrtDestroyStream(first));
    ACL_OK(aclrtFree(words));
}

// Failed calls leak nothing either.
void FailEverything() {
    void* address = nullptr;
    size_t free = 0, total = 0;
    void* small = nullptr;
    ACL_OK(aclrtMalloc(&small, kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
    ACL_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&address, total - kSize / 2, ACL_MEM_MALLOC_NORMAL_ONLY));
    ACL_OK(aclrtFree(small));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtMallocHost(&address, 0));
    ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtSetDevice(1000));
    aclrtContext context = nullptr;
    ACL_FAILS(ACL_ERROR_RT_INVALID_DEVICEID, aclrtCreateContext(&context, -1));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtLaunchHostFunc(stream, nullptr, nullptr));
    ACL_FAILS(ACL_ERROR_INVALID_PARAM, aclrtRecordEvent(nullptr, stream));
    ACL_OK(aclrtDestroyStream(stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtDestroyStream(stream));
    ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(&address));
}

// Objects that a reset or a finalize must free.
void LeaveThings(int32_t device) {
    ACL_OK(aclrtSetDevice(device));
    void* address = nullptr;
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    aclrtContext context = nullptr;
    ACL_OK(aclrtMalloc(&address, kLarge, ACL_MEM_MALLOC_NORMAL_ONLY));
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtCreateEvent(&event));
    ACL_OK(aclrtMemsetAsync(address, kLarge, 1, kLarge, stream));
    ACL_OK(aclrtRecordEvent(event, stream));
    ACL_OK(aclrtLaunchHostFunc(stream, CountCall, nullptr));
    ACL_OK(aclrtCreateContext(&context, device));
}

// The library remembers the latest 4,096 objects of a kind that went with their owner: the rounds alone reach that
// late.
void LeaveManyObjects() {
    ACL_OK(aclInit(nullptr));
    for (int batch = 0; batch < 9; ++batch) {
        ACL_OK(aclrtSetDevice(0));
        for (int i = 0; i < 500; ++i) {
            void *stream = nullptr, *event = nullptr, *context = nullptr;
            ACL_OK(aclrtCreateStream(&stream));
            ACL_OK(aclrtCreateEvent(&event));
            ACL_OK(aclrtCreateContext(&context, 0));
        }
        ACL_OK(aclrtResetDeviceForce(0));
    }
    ACL_OK(aclFinalize());
}

// The measurement must detect the smallest possible leak.
TEST(Soak, DetectsALeakOfOneObjectPerRound) {
    std::vector<std::unique_ptr<char[]>> blocks;
    blocks.reserve(kWarmUp + kRounds);
    const std::string left = Soak([&](int) { blocks.emplace_back(new char[16]); }, {});
    EXPECT_EQ(left.find("heap") != std::string::npos, Exact()) << left;
    std::vector<int> files;
    auto open_last = [&](int round) {
        if (round == kRounds - 1 || !Exact()) files.push_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
    };
    EXPECT_NE(Soak(open_last, {}, {}).find("descriptors"), std::string::npos);
    for (int file : files) close(file);
}

TEST(Soak, OneLongSessionDoesNotGrow) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    const std::string left = Soak([](int) {
        UseEverything();
        UseMore();
        UseSignals();
        FailEverything();
    });
    EXPECT_EQ(left, "");
    ACL_OK(aclFinalize());
}

TEST(Soak, ResettingDevicesDoesNotGrow) {
    LeaveManyObjects();
    ACL_OK(aclInit(nullptr));
    uint32_t devices = 0;
    ACL_OK(aclrtGetDeviceCount(&devices));
    const std::string left = Soak([devices](int round) {
        const auto device = static_cast<int32_t>(static_cast<uint32_t>(round) % devices);
        LeaveThings(device);
        ACL_OK((round % 2 == 0 ? aclrtResetDevice : aclrtResetDeviceForce)(device));
    });
    EXPECT_EQ(left, "");
    ACL_OK(aclFinalize());
}

// Fills the address map for the device's memory: the test double reuses addresses late, so rounds reach new parts.
void UseAllAddresses() {
    constexpr size_t kBlock = 4096;
    constexpr size_t kMost = (size_t{4} << 20) / kBlock;
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    std::vector<void*> blocks;
    void* block = nullptr;
    while (blocks.size() < kMost && aclrtMalloc(&block, kBlock, ACL_MEM_MALLOC_NORMAL_ONLY) == ACL_SUCCESS)
        blocks.push_back(block);
    for (void* one : blocks) ACL_OK(aclrtFree(one));
    ACL_OK(aclFinalize());
}

TEST(Soak, ManySessionsDoNotGrow) {
    UseAllAddresses();
    LeaveManyObjects();
    // Different calls fail in turn, also while the session opens and ends.
    const char* const faults[] = {"driver.open:1",       "device.create_stream:1", "device.alloc:1",
                                  "driver.alloc_host:1", "device.create_event:1",  "stream.fill:1:later",
                                  "stream.host_fn:1",    "stream.synchronize:1",   "device.close:1"};
    const std::string left = Soak([&faults](int round) {
        const size_t turn = static_cast<size_t>(round) / 2 % std::size(faults);
        const char* fault = round % 2 == 0 ? "" : faults[turn];
        setenv("PORTACL_FAULT", fault, 1);
        ACL_OK(aclInit(nullptr));
        unsetenv("PORTACL_FAULT");
        if (*fault == '\0') {
            ACL_OK(aclrtSetDevice(0));
            UseEverything();
            UseMore();
            UseSignals();
            LeaveThings(0);
            void* pinned = nullptr;
            ACL_OK(aclrtMallocHost(&pinned, kSize));
            ACL_OK(aclFinalize());
            return;
        }
        // Which of these fails depends on the round.
        void* address = nullptr;
        aclrtStream stream = nullptr;
        aclrtEvent event = nullptr;
        int failures = 0;
        failures += aclrtSetDevice(0) != 0;
        failures += aclrtMalloc(&address, kSize, ACL_MEM_MALLOC_NORMAL_ONLY) != 0;
        failures += aclrtCreateStream(&stream) != 0;
        failures += aclrtCreateEvent(&event) != 0;
        failures += address && aclrtMemsetAsync(address, kSize, 1, kSize, stream) != 0;
        failures += aclrtLaunchHostFunc(stream, CountCall, nullptr) != 0;
        failures += aclrtMallocHost(&address, kSize) != 0;
        failures += aclFinalize() != 0;
        EXPECT_GE(failures, 1) << fault;
    });
    EXPECT_EQ(left, "");
}

}  // namespace

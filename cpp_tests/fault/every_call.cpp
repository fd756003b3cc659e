// A program that uses the whole API and survives every failure: it prints which call failed and
// why, continues, and frees everything. The fault sweep makes each of its backend calls fail once.

#include <acl/acl.h>
#include <portacl/portacl.h>

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "calls/bookkeeping.h"
#include "calls/graph.h"
#include "calls/ipc.h"
#include "calls/kernel.h"
#include "calls/pool.h"
#include "calls/random.h"
#include "calls/snapshot.h"
#include "did.h"
#include "held.h"

namespace {

void UseDevice() {
    uint32_t count = 0;
    int32_t device = -1, active = 0, least = 0, greatest = 0;
    DID(aclrtGetDeviceCount(&count));
    DID(aclrtGetDevice(&device));
    DID(aclrtGetPrimaryCtxState(0, nullptr, &active));
    DID(aclrtDeviceGetStreamPriorityRange(&least, &greatest));
    aclrtRunMode mode{};
    DID(aclrtGetRunMode(&mode));
    size_t free = 0, total = 0;
    DID(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    Expect(free > 0 && free <= total, "free memory");
    aclrtDeviceStatus status{};
    DID(aclrtQueryDeviceStatus(0, &status));
    int64_t fact = 0;
    DID(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &fact));
    aclrtUtilizationInfo utilization{};
    DID_OPTIONAL(aclrtGetDeviceUtilizationRate(0, &utilization));
    aclrtUuid uuid{};
    DID(aclrtDeviceGetUuid(0, &uuid));
    char address[32] = {};
    DID(aclrtDeviceGetPCIBusId(0, address, sizeof address));
    aclrtMemUsageInfo usage[4] = {};
    size_t rows = 0;
    DID(aclrtGetMemUsageInfo(0, usage, 4, &rows));
    DID(aclrtSynchronizeDevice());
    DID(aclrtSynchronizeDeviceWithTimeout(10000));
}

void UseContexts() {
    aclrtContext before = nullptr, context = nullptr;
    DID(aclrtGetCurrentContext(&before));
    if (!DID(aclrtCreateContext(&context, 0))) return;
    aclrtStream stream = nullptr;
    DID(aclrtCtxGetCurrentDefaultStream(&stream));
    DID(aclrtLaunchHostFunc(stream, CountCall, nullptr));
    DID(aclrtSynchronizeStream(stream));
    DID(aclrtSetCurrentContext(before));
    DID(aclrtDestroyContext(context));
}

void UseMemory() {
    const aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_NORMAL_ONLY;
    void* address = nullptr;
    if (DID(aclrtMallocAlign32(&address, kSize, policy))) {
        DID(aclrtMemset(address, kSize, 3, kSize));
        DID(aclrtFreeWithDevSync(address));
    }
    if (DID(aclrtMallocCached(&address, kSize, policy))) {
        DID(aclrtMemFlush(address, kSize));
        DID(aclrtMemInvalidate(address, kSize));
        DID(aclrtFree(address));
    }
    if (DID(aclrtMallocForTaskScheduler(&address, kSize, policy, nullptr))) DID(aclrtFree(address));
    if (DID(aclrtMallocWithCfg(&address, kSize, policy, nullptr))) {
        DID(aclrtMemsetD32(address, kSize, 7, kSize / 4));
        DID(aclrtFree(address));
    }
    if (DID(aclrtMallocHostWithCfg(&address, kSize, nullptr))) DID(aclrtFreeHostWithDevSync(address));
    Memory memory;
    void* base = nullptr;
    size_t size = 0;
    DID(aclrtMemGetAddressRange(memory, &base, &size));
    aclrtPtrAttributes attributes{};
    DID(aclrtPointerGetAttributes(memory, &attributes));
    std::vector<char> pageable(kSize);
    DID(aclrtPointerGetAttributes(pageable.data(), &attributes));
    // An address of no allocation, in every query.
    (void)aclrtMemGetAddressRange(pageable.data(), &base, &size);
}

// Pages of 2 MiB or an error; a driver may map them from several parts.
void UseHugePages() {
    if (!IsCuda()) return;
    void* address = nullptr;
    if (!DID(aclrtMalloc(&address, kSize, ACL_MEM_MALLOC_HUGE_ONLY))) return;
    DID(aclrtMemset(address, kSize, 3, kSize));
    DID(aclrtFree(address));
}

// Host memory of the program that copies treat as pinned.
void RegisterMemory() {
    constexpr size_t kPage = 4096;
    void* own = std::aligned_alloc(kPage, kSize);
    if (DID_OPTIONAL(aclrtHostRegisterV2(own, kSize, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED))) {
        Memory memory;
        void* address = nullptr;
        DID(aclrtHostGetDevicePointer(own, &address, 0));
        DID(aclrtMemcpyAsync(memory, kSize, own, kSize, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
        DID(aclrtSynchronizeStream(nullptr));
        if (!DID(aclrtHostUnregister(own))) {
            // Memory that is still registered must not be reused.
            [[maybe_unused]] static void* volatile kept = nullptr;
            kept = own;
            return;
        }
    }
    std::free(own);
}

// Memory that the host and the devices use at one address.
void UseVirtualMemory() {
    constexpr size_t kPiece = 2 << 20;
    aclrtPhysicalMemProp props;
    std::memset(&props, 0, sizeof props);
    props.memAttr = ACL_HBM_MEM_HUGE;
    props.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    void* range = nullptr;
    if (!DID_OPTIONAL(aclrtReserveMemAddress(&range, kPiece, 0, nullptr, 1))) return;
    for (const auto place : {ACL_MEM_LOCATION_TYPE_DEVICE, ACL_MEM_LOCATION_TYPE_HOST}) {
        props.location.type = place;
        aclrtDrvMemHandle memory = nullptr;
        if (!DID_OPTIONAL(aclrtMallocPhysical(&memory, kPiece, &props, 0))) continue;
        if (DID(aclrtMapMem(range, kPiece, 0, memory, 0))) {
            aclrtMemAccessDesc desc{};
            desc.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
            desc.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
            DID(aclrtMemSetAccess(range, kPiece, &desc, 1));
            DID(aclrtMemsetAsync(range, kPiece, 1, kPiece, nullptr));
            DID(aclrtUnmapMem(range));
        }
        DID(aclrtFreePhysical(memory));
    }
    DID(aclrtReleaseMemAddress(range));
}

void UseManagedMemory() {
    constexpr size_t kManaged = 2 << 20;
    void* memory = nullptr;
    if (!DID_OPTIONAL(aclrtMemAllocManaged(&memory, kManaged, ACL_RT_MEM_ATTACH_GLOBAL))) return;
    const aclrtMemManagedLocation here{ACL_MEM_LOCATIONTYPE_DEVICE, 0};
    DID_OPTIONAL(aclrtMemManagedAdvise(memory, kManaged, ACL_MEM_ADVISE_SET_READ_MOSTLY, here));
    DID_OPTIONAL(aclrtMemManagedPrefetchAsync(memory, kManaged, here, 0, nullptr));
    DID(aclrtMemsetAsync(memory, kManaged, 1, kManaged, nullptr));
    DID(aclrtSynchronizeStream(nullptr));
    DID(aclrtFree(memory));
}

void CopyNow() {
    Memory a, b;
    Pinned pinned;
    std::vector<unsigned char> pageable(kSize, 0x22);
    DID(aclrtMemcpy(a, kSize, pageable.data(), kSize, ACL_MEMCPY_HOST_TO_DEVICE));
    DID(aclrtMemcpy(b, kSize, a, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE));
    DID(aclrtMemcpy(pinned, kSize, b, kSize, ACL_MEMCPY_DEVICE_TO_HOST));
    Expect(pinned.ContainsOnly(0x22), "what went to the device and back");
    DID(aclrtMemcpy(pageable.data(), kSize, pinned, kSize, ACL_MEMCPY_HOST_TO_HOST));
}

void CopyInOrder(size_t size) {
    Stream stream;
    Memory a(size), b(size);
    Pinned from(size), to(size);
    std::vector<unsigned char> pageable(size, 0x33);
    DID(aclrtMemcpyAsync(a, size, from, size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    DID(aclrtMemcpyAsync(a, size, pageable.data(), size, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    DID(aclrtMemsetAsync(b, size, 0x44, size, stream));
    DID(aclrtReduceAsync(b, a, size, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT8, stream, nullptr));
    DID(aclrtLaunchHostFunc(stream, CountCall, nullptr));
    DID(aclrtMemcpyAsync(to, size, b, size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    DID(aclrtMemsetD32Async(b, size, 0x55555555, size / 4, stream));
    DID(aclrtMemcpyAsync(pageable.data(), size, b, size, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    aclrtStreamStatus status{};
    DID(aclrtStreamQuery(stream, &status));
    DID(aclrtSynchronizeStreamWithTimeout(stream, 20000));
    DID(aclrtSynchronizeStream(stream));
    Expect(to.ContainsOnly(0x77, size), "a sum of a fill and a copy");
    Expect(pageable[size - 1] == 0x55, "a fill with words");
}

// Every second row of 64 bytes is copied to the device and back; so are both halves, as a batch.
void CopyRowsAndBatches() {
    constexpr size_t kRow = 64, kRows = kSize / kRow / 2, kHalf = kSize / 2;
    Stream stream;
    Memory memory;
    Pinned from, to;
    aclrtMemcpyBatchAttr up{}, down{};
    up.dstLoc.type = down.srcLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    up.srcLoc.type = down.dstLoc.type = ACL_MEM_LOCATION_TYPE_HOST;
    const auto halves = [](void* first) {
        return std::vector<void*>{first, first ? static_cast<char*>(first) + kHalf : nullptr};
    };
    std::vector<void*> device = halves(memory), in = halves(from), out = halves(to);
    size_t sizes[] = {kHalf, kHalf}, first = 0, blamed = 0;
    DID(aclrtMemcpyBatch(device.data(), sizes, in.data(), sizes, 2, &up, &first, 1, &blamed));
    DID(aclrtMemcpy2d(memory, 2 * kRow, from, kRow, kRow, kRows, ACL_MEMCPY_HOST_TO_DEVICE));
    DID(aclrtMemcpyBatchV2(out.data(), sizes, device.data(), sizes, 2, &down, &first, 1));
    Expect(to.ContainsOnly(0x11), "a batch");
    DID(aclrtMemsetAsync(memory, kSize, 0x66, kSize, stream));
    DID(aclrtMemcpy2dAsync(memory, 2 * kRow, from, kRow, kRow, kRows, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    DID(aclrtMemcpyBatchAsync(out.data(), sizes, device.data(), sizes, 2, &down, &first, 1, &blamed, stream));
    DID(aclrtSynchronizeStream(stream));
    const auto* bytes = static_cast<const unsigned char*>(static_cast<void*>(to));
    Expect(bytes && bytes[kRow - 1] == 0x11 && bytes[kRow] == 0x66, "rows between a fill");
}

void UseStreams() {
    Stream stream;
    int32_t id = 0;
    uint32_t number = 0;
    DID(aclrtStreamGetId(stream, &id));
    DID(aclrtStreamGetFlags(stream, &number));
    DID(aclrtStreamGetPriority(stream, &number));
    DID(aclrtGetStreamAvailableNum(&number));
    aclrtStream other = nullptr;
    if (!DID(aclrtCreateStreamWithConfig(&other, 0, ACL_STREAM_FAST_LAUNCH))) return;
    DID(aclrtLaunchHostFunc(other, CountCall, nullptr));
    DID(aclrtSynchronizeStream(other));
    DID(aclrtDestroyStreamForce(other));
}

void UseEvents() {
    Stream first, second;
    Event start, end;
    aclrtEvent plain = nullptr, flagged = nullptr;
    DID(aclrtCreateEvent(&plain));
    DID(aclrtCreateEventWithFlag(&flagged, ACL_EVENT_SYNC));
    uint32_t number = 0;
    DID(aclrtGetEventId(start, &number));
    DID(aclrtGetEventAvailNum(&number));
    DID(aclrtRecordEvent(start, first));
    DID(aclrtLaunchHostFunc(first, CountCall, nullptr));
    DID(aclrtRecordEvent(end, first));
    DID(aclrtStreamWaitEvent(second, end));
    DID(aclrtRecordEvent(plain, second));
    aclrtEventRecordedStatus status{};
    DID(aclrtQueryEventStatus(plain, &status));
    DID(aclrtSynchronizeEvent(plain));
    DID(aclrtSynchronizeEventWithTimeout(end, 20000));
    float ms = -1;
    DID(aclrtEventElapsedTime(&ms, start, end));
    Expect(ms >= 0, "the time between two events");
    if (plain) DID(aclrtDestroyEvent(plain));
    if (flagged) DID(aclrtDestroyEvent(flagged));
}

void UseEventsMore() {
    Stream stream;
    aclrtEvent reset = nullptr;
    if (!DID(aclrtCreateEventWithFlag(&reset, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE))) return;
    DID(aclrtRecordEvent(reset, stream));
    DID(aclrtStreamWaitEventWithTimeout(stream, reset, 20));
    DID(aclrtSynchronizeStream(stream));
    uint64_t time = 0;
    DID(aclrtEventGetTimestamp(reset, &time));
    aclrtEventWaitStatus waits{};
    DID(aclrtQueryEventWaitStatus(reset, &waits));
    aclrtEventStatus status{};
    DID(aclrtQueryEvent(reset, &status));
    DID(aclrtResetEvent(reset, stream));
    DID(aclrtSynchronizeStream(stream));
    DID(aclrtDestroyEvent(reset));
}

// Values that one stream writes and another waits for.
void UseValues() {
    Stream first, second;
    Memory memory;
    Pinned pinned;
    if (!memory || !pinned) return;
    for (void* word : {static_cast<void*>(memory), static_cast<void*>(pinned)}) {
        if (!DID(aclrtMemset(word, kSize, 0, kSize))) return;
        // A wait for a value that no stream writes would last until teardown.
        if (!DID_OPTIONAL(aclrtValueWrite(word, 5, 0, first))) return;
        if (!DID(aclrtSynchronizeStream(first))) continue;
        DID(aclrtValueWait(word, 5, ACL_STREAM_WAIT_VALUE_EQ, second));
        DID(aclrtSynchronizeStream(second));
    }
}

void UseNotifies() {
    Stream first, second;
    aclrtNotify notify = nullptr;
    uint32_t number = 0;
    if (DID(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT))) {
        DID(aclrtGetNotifyId(notify, &number));
        // The record was submitted and failed when it ran: the notify was not signalled.
        DID(aclrtRecordNotify(notify, first));
        DID(aclrtSynchronizeStream(first));
        DID_OPTIONAL(aclrtWaitAndResetNotify(notify, second, 1));
        DID(aclrtSynchronizeStream(second));
        DID(aclrtNotifyBatchReset(&notify, 1));
        char key[65] = {};
        aclrtNotify imported = nullptr;
        if (DID(aclrtNotifyGetExportKey(notify, key, sizeof key, 2)) &&
            DID(aclrtNotifyImportByKey(&imported, key, 0))) {
            DID(aclrtRecordNotify(imported, first));
            DID(aclrtSynchronizeStream(first));
            DID(aclrtDestroyNotify(imported));
        }
        DID(aclrtDestroyNotify(notify));
    }
    aclrtCntNotify counted = nullptr;
    if (!DID(aclrtCntNotifyCreate(&counted, ACL_NOTIFY_DEFAULT))) return;
    DID(aclrtCntNotifyGetId(counted, &number));
    aclrtCntNotifyRecordInfo add{ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE, 3};
    aclrtCntNotifyWaitInfo wait{ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE, 3, 1, 1, {}};
    DID(aclrtCntNotifyRecord(counted, first, &add));
    DID_OPTIONAL(aclrtCntNotifyWaitWithTimeout(counted, second, &wait));
    DID(aclrtSynchronizeStream(first));
    DID(aclrtSynchronizeStream(second));
    DID(aclrtCntNotifyReset(counted, first));
    DID(aclrtSynchronizeStream(first));
    DID(aclrtCntNotifyDestroy(counted));
}

// A stream created from a description. Its attributes change; it is aborted and used again.
void UseStreamsMore() {
    aclrtStream stream = nullptr;
    aclrtStreamConfigHandle* description = aclrtCreateStreamConfigHandle();
    const uint32_t priority = 0;
    DID(aclrtSetStreamConfigOpt(description, ACL_RT_STREAM_PRIORITY, &priority, sizeof priority));
    const bool made = DID(aclrtCreateStreamV2(&stream, description));
    DID(aclrtDestroyStreamConfigHandle(description));
    if (!made) return;
    aclrtStreamAttrValue value{};
    DID(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value));
    DID_OPTIONAL(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, &value));
    DID(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
    DID(aclrtLaunchHostFunc(stream, CountCall, nullptr));
    DID(aclrtSynchronizeStream(stream));
    DID(aclrtStreamAbort(stream));
    DID(aclrtLaunchHostFunc(stream, CountCall, nullptr));
    DID(aclrtSynchronizeStream(stream));
    DID(aclrtDestroyStream(stream));
}

// A stream that wraps the driver's, if there is a driver.
void WrapStream() {
    Stream stream;
    void* native = nullptr;
    const aclError code = portaclStreamGetNative(stream, &native);
    // Without a driver the address is ignored.
    if (code == ACL_ERROR_RT_FEATURE_NOT_SUPPORT)
        native = &native;
    else if (!Did(code, "portaclStreamGetNative"))
        return;
    aclrtStream wrapped = nullptr;
    if (!DID_OPTIONAL(portaclStreamWrapNative(native, &wrapped))) return;
    DID(aclrtLaunchHostFunc(wrapped, CountCall, nullptr));
    DID(aclrtSynchronizeStream(wrapped));
    DID(aclrtDestroyStream(wrapped));
}

// Callbacks and host functions that this thread runs itself.
void UseReports() {
    constexpr int32_t kMs = 2000;
    const auto self = static_cast<uint64_t>(pthread_self());
    Stream reports, functions;
    if (DID(aclrtSubscribeReport(self, reports))) {
        if (DID(aclrtLaunchCallback(CountCall, nullptr, ACL_CALLBACK_BLOCK, reports))) DID(aclrtProcessReport(kMs));
        DID(aclrtSynchronizeStream(reports));
        DID(aclrtUnSubscribeReport(self, reports));
    }
    if (DID(aclrtSubscribeHostFunc(self, functions))) {
        if (DID(aclrtLaunchHostFunc(functions, CountCall, nullptr))) DID(aclrtProcessHostFunc(kMs));
        DID(aclrtSynchronizeStream(functions));
        DID(aclrtUnSubscribeHostFunc(self, functions));
    }
}

void UseTwoDevices() {
    uint32_t count = 0;
    if (!DID(aclrtGetDeviceCount(&count)) || count < 2) return;
    Memory here;
    Pinned host;
    if (!DID(aclrtSetDevice(1))) return;
    void* there = nullptr;
    DID(aclrtMalloc(&there, kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    DID(aclrtCreateStream(&stream));
    DID(aclrtCreateEvent(&event));
    int32_t can = 0;
    DID(aclrtDeviceCanAccessPeer(&can, 1, 0));
    if (can) {
        DID(aclrtDeviceEnablePeerAccess(0, 0));
        int32_t status = 0;
        DID(aclrtDevicePeerAccessStatus(1, 0, &status));
    }
    if (there && here) {
        DID(aclrtMemcpy(there, kSize, here, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE));
        DID(aclrtMemcpyAsync(there, kSize, here, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        DID(aclrtMemcpy2dAsync(there, 64, here, 64, 32, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
        DID(aclrtMemcpyAsync(host, kSize, here, kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    }
    if (can) DID(aclrtDeviceDisablePeerAccess(0));
    if (there) DID(aclrtMemsetAsync(there, kSize, 1, kSize, stream));
    if (event) DID(aclrtRecordEvent(event, stream));
    DID(aclrtResetDeviceForce(1));
    DID(aclrtSetDevice(0));
}

// Left for aclFinalize on purpose.
void LeaveThingsBehind() {
    void* address = nullptr;
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    DID(aclrtMalloc(&address, kSize, ACL_MEM_MALLOC_NORMAL_ONLY));
    DID(aclrtMallocHost(&address, kSize));
    DID(aclrtCreateStream(&stream));
    DID(aclrtCreateEvent(&event));
    DID(aclrtLaunchHostFunc(stream, CountCall, nullptr));
}

// The parts of the program. A sweep runs one part once for each backend call of the part.
struct Part {
    const char* name;
    void (*run)(const char* kernels, const char* ptx);
};

const Part kParts[] = {
    {"device",
     [](const char*, const char*) {
         UseDevice();
         UseContexts();
         UseOverflow();
         UseResourceLimits();
         UseBuffers();
         UseCaches();
         AskForAtomics();
         AskForErrors();
         UseTwoDevices();
     }},
    {"memory",
     [](const char*, const char*) {
         UseMemory();
         UseHugePages();
         RegisterMemory();
         UseManagedMemory();
         UseVirtualMemory();
         TakeSnapshot();
     }},
    {"copies",
     [](const char*, const char*) {
         CopyNow();
         CopyInOrder(kSize);
         CopyInOrder(kLarge);
         CopyRowsAndBatches();
         CopyAsDescribed();
     }},
    {"numbers", [](const char*, const char*) { MakeRandomNumbers(); }},
    {"kernels",
     [](const char* kernels, const char* ptx) {
         UseKernels(kernels, ptx);
         LaunchKernels();
     }},
    {"captures",
     [](const char* kernels, const char* ptx) {
         CaptureKernels(kernels, ptx);
         CaptureConditions();
     }},
    {"replays", [](const char*, const char*) { CaptureGraphs(); }},
    {"graphs",
     [](const char*, const char*) {
         BuildGraphs();
         BuildProgram();
         ChangeGraphs();
     }},
    {"streams",
     [](const char*, const char*) {
         UseStreams();
         UseStreamsMore();
         UseEvents();
         UseEventsMore();
         UseValues();
         UseNotifies();
         WrapStream();
         UseReports();
     }},
    {"sharing",
     [](const char*, const char*) {
         ShareMemory();
         UsePools();
         SharePool(ACL_MEM_LOCATION_TYPE_DEVICE);
         if (!IsCuda()) SharePool(ACL_MEM_LOCATION_TYPE_HOST_NUMA);
     }},
};

void Live(const std::string& wanted, const char* kernels, const char* ptx) {
    // A failed aclInit may be repeated.
    if (!DID(aclInit(nullptr))) DID(aclInit(nullptr));
    if (DID(aclrtSetDevice(0))) {
        for (const Part& part : kParts)
            if (wanted == "all" || wanted == part.name) part.run(kernels, ptx);
        DID(aclrtResetDevice(0));
    }
    if (DID(aclrtSetDevice(0))) LeaveThingsBehind();
    DID(aclFinalize());
    std::printf("%d host functions called, %d calls failed\n", host_functions.load(), failures);
}

char** arguments = nullptr;

void RunRequestedParts() {
    Live(arguments[1], arguments[2], arguments[3]);
}

}  // namespace

// Arguments: a part, or "all"; the kernels of cpp_tests/kernels, as a shared object and as PTX. Or
// the argument that makes this the process that exports memory.
int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], kExporter) == 0) {
        // Allocations of this process are the ones that fail.
        unsetenv("PORTACL_TEST_HOST_FAULT");
        return ExportAndWait();
    }
    const std::string wanted = argc == 4 ? argv[1] : "";
    bool is_known = wanted == "all";
    for (const Part& part : kParts) is_known |= part.name == wanted;
    if (!is_known) {
        std::fprintf(stderr, "usage: every_call PART KERNELS PTX\n");
        return 2;
    }
    arguments = argv;
    if (RunOnStack(RunRequestedParts)) return failures == 0 ? 0 : 1;
    RunRequestedParts();
    if (!std::getenv("EVERY_CALL_LIVES")) return failures == 0 ? 0 : 1;
    // Whatever failed before, everything works again with memory.
    const int before = failures;
    failures = 0;
    unsetenv("PORTACL_TEST_HOST_FAULT");
    std::printf("second session\n");
    RunRequestedParts();
    if (failures != 0) return 2;
    return before == 0 ? 0 : 1;
}

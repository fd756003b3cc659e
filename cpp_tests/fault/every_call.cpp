// A program that uses the whole API and survives every failure: it prints which call failed and
// why, continues, and frees everything. The fault sweep makes each of its backend calls fail once.

#include <acl/acl.h>
#include <portacl/portacl.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "calls/bookkeeping.h"
#include "calls/copy.h"
#include "calls/graph.h"
#include "calls/ipc.h"
#include "calls/kernel.h"
#include "calls/memory.h"
#include "calls/pool.h"
#include "calls/random.h"
#include "calls/snapshot.h"
#include "calls/stream.h"
#include "did.h"
#include "held.h"
#include "late_run.h"

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

void UseTwoDevices() {
    uint32_t count = 0;
    if (!DID(aclrtGetDeviceCount(&count)) || count < 2) return;
    HeldMemory here;
    if (here) DID(aclrtMemset(here, kSize, 2, kSize));
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
    if (there && here && host) {
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
struct ProgramPart {
    const char* name;
    void (*run)(const char* kernels, const char* ptx);
};

const ProgramPart kParts[] = {
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
         AskForPlace();
         ReportFindings();
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
         UseLocatedPools();
         SharePool(ACL_MEM_LOCATION_TYPE_DEVICE);
         if (!IsCuda()) SharePool(ACL_MEM_LOCATION_TYPE_HOST_NUMA);
     }},
};

void Live(const std::string& wanted, const char* kernels, const char* ptx) {
    // A failed aclInit may be repeated.
    if (!DID(aclInit(nullptr))) DID(aclInit(nullptr));
    if (DID(aclrtSetDevice(0))) {
        for (const ProgramPart& part : kParts)
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
    // The sweeps read stdout and stderr of all processes from one pipe; each line arrives whole.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    if (argc == 2 && std::strcmp(argv[1], kExporter) == 0) {
        // Allocations of this process are the ones that fail.
        unsetenv("PORTACL_TEST_HOST_FAULT");
        // Two processes must not write the same hook log.
        unsetenv("PORTACL_MEMORY_HOOK");
        return ExportAndWait();
    }
    const std::string wanted = argc == 4 ? argv[1] : "";
    bool is_known = wanted == "all";
    for (const ProgramPart& part : kParts) is_known |= part.name == wanted;
    if (!is_known) {
        std::fprintf(stderr, "usage: every_call PART KERNELS PTX\n");
        return 2;
    }
    arguments = argv;
    if (RunOnStack(RunRequestedParts) || RunLate(RunRequestedParts)) return failures == 0 ? 0 : 1;
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

// Failures below the CUDA backend, on the test double: no driver, a driver without devices, a driver that is too old.
// Other files: driver_error_test has refused driver calls, driver_nvml_test an NVML that reports nothing,
// foreign_context_test contexts of other libraries, shutdown_test exit, fork_test fork.

#include <acl/acl_rt_memory_soma.h>
#include <portacl/portacl.h>

#include <dlfcn.h>

#include <filesystem>
#include <fstream>

#include "process/driver/driver_path.h"
#include "support/gate.h"
#include "support/graph/build.h"
#include "support/graph/condition.h"
#include "support/graph/graph.h"
#include "support/kernel/kernels.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/stream/notify.h"
#include "support/works.h"

using namespace portacl_test;

namespace {

constexpr size_t kSize = 4096;
constexpr size_t kMiB = size_t{1} << 20;

// A driver file that is no library.
std::string BrokenDriver() {
    const std::filesystem::path directory = ProgramDirectory() / "broken_driver";
    std::filesystem::create_directories(directory);
    for (const char* name : {"libcuda.so.1", "libcuda.so"}) std::ofstream(directory / name, std::ios::app).flush();
    return PathWith(directory.string());
}

std::string BackendName() {
    const char* name = portaclBackendName();
    return name ? name : "none: " + TakeText();
}

// Every first call of the library reports what is wrong with the driver, and leaves no state.
void ExpectNoBackend(const std::string& why, const std::string& remedy) {
    constexpr aclError kCode = ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    auto count = Poison<uint32_t>();
    auto address = Poison<void*>();
    for (int round = 0; round < 2; ++round) {
        ACL_FAILS_SAYING(kCode, aclInit(nullptr), why, remedy);
        ACL_FAILS_SAYING(kCode, aclrtGetDeviceCount(&count), why, remedy);
        ACL_FAILS_SAYING(kCode, aclrtSetDevice(0), why, remedy);
        ACL_FAILS_SAYING(kCode, aclrtMallocHost(&address, kSize), why, remedy);
    }
    EXPECT_TRUE(IsPoison(count) && IsPoison(address));
    EXPECT_EQ(portaclBackendName(), nullptr);
    ExpectHostCallsWork();
}

void ExpectCpuInstead() {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    EXPECT_EQ(BackendName(), "cpu");
    ExpectWorks();
    ACL_OK(aclFinalize());
}

bool HasRealDriver() {
    return dlopen("libcuda.so.1", RTLD_NOW) != nullptr;
}

}  // namespace

#define NAMED \
    { "PORTACL_BACKEND", "cuda" }
#define AUTO \
    { "PORTACL_BACKEND", "auto" }
#define NO_DRIVER \
    { "LD_LIBRARY_PATH", PathWith("") }
#define BROKEN_DRIVER \
    { "LD_LIBRARY_PATH", BrokenDriver() }
#define NO_DEVICES \
    { "FAKE_CUDA_DEVICES", "0" }

OWN_PROCESS_TEST(NoDriver, ByNameIsAnError, NAMED, NO_DRIVER) {
    if (HasRealDriver()) GTEST_SKIP() << "needs a machine without a driver";
    ExpectNoBackend("the CUDA driver cannot be loaded: tried libcuda.so.1", "use the cpu backend");
}

OWN_PROCESS_TEST(NoDriver, TheCpuIsTheFallback, AUTO, NO_DRIVER) {
    if (HasRealDriver()) GTEST_SKIP() << "needs a machine without a driver";
    ExpectCpuInstead();
}

OWN_PROCESS_TEST(BrokenDriver, ByNameIsAnError, NAMED, BROKEN_DRIVER) {
    ExpectNoBackend("broken_driver/libcuda.so.1: file too short", "use the cpu backend");
}

OWN_PROCESS_TEST(BrokenDriver, TheCpuIsTheFallback, AUTO, BROKEN_DRIVER) {
    ExpectCpuInstead();
}

OWN_PROCESS_TEST(NoDevices, ByNameIsAnError, NAMED, NO_DEVICES) {
    ExpectNoBackend("cuInit returned 100 CUDA_ERROR_NO_DEVICE: there is no CUDA device", "CUDA_VISIBLE_DEVICES");
}

OWN_PROCESS_TEST(NoDevices, TheCpuIsTheFallback, AUTO, NO_DEVICES) {
    ExpectCpuInstead();
}

OWN_PROCESS_TEST(InitFails, DriverAndKernelModuleDoNotMatch, NAMED, {"FAKE_CUDA_INIT_ERROR", "803"}) {
    ExpectNoBackend("cuInit returned 803 CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "nvidia-smi");
}

OWN_PROCESS_TEST(InitFails, WithAnUnknownStatus, NAMED, {"FAKE_CUDA_INIT_ERROR", "987"}) {
    ExpectNoBackend("cuInit returned 987; ", "use the cpu backend");
}

OWN_PROCESS_TEST(InitFails, TheCpuIsTheFallback, AUTO, {"FAKE_CUDA_INIT_ERROR", "999"}) {
    ExpectCpuInstead();
}

// A machine that has just started: the next aclInit asks the driver again.
OWN_PROCESS_TEST(InitFails, OnlyAtFirst, NAMED, {"FAKE_CUDA_FAIL", "cuInit:1:802,cuDeviceGetCount:1:999"}) {
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclInit(nullptr), "cuInit returned 802");
    ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR, aclInit(nullptr),
                     "cuDeviceGetCount returned 999 CUDA_ERROR_UNKNOWN");
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ExpectWorks();
    ACL_OK(aclFinalize());
}

// Its streams cannot wait for words in memory, and it has one version of each function.
OWN_PROCESS_TEST(OldDriver, SupportsTheBasics, OLD_DRIVER) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ExpectWorks();
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    Gate gate;
    ACL_OK(gate.Hold(stream));
    ASSERT_TRUE(gate.AwaitArrival());
    EXPECT_FALSE(IsIdle(stream));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(stream));
    ACL_OK(aclrtDestroyStream(stream));
    void* managed = nullptr;
    ACL_OK(aclrtMemAllocManaged(&managed, kSize, ACL_RT_MEM_ATTACH_GLOBAL));
    ACL_OK(aclrtMemset(managed, kSize, 0x33, kSize));
    EXPECT_EQ(*static_cast<unsigned char*>(managed), 0x33);
    ACL_OK(aclrtFree(managed));
    ACL_OK(aclFinalize());
}

// They run on the driver's thread, one after the other.
OWN_PROCESS_TEST(OldDriver, HostFunctionsAreSerialized, OLD_DRIVER) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    aclrtStream first = nullptr, second = nullptr;
    ACL_OK(aclrtCreateStream(&first));
    ACL_OK(aclrtCreateStream(&second));
    Gate gate, other;
    ACL_OK(gate.Hold(first));
    ASSERT_TRUE(gate.AwaitArrival());
    ACL_OK(other.Hold(second));
    other.Open();
    EXPECT_FALSE(IsIdle(second));
    // A wait with a timeout: the function of the first stream is still running.
    ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(second, 20));
    gate.Open();
    ACL_OK(aclrtSynchronizeStream(second));
    ACL_OK(aclrtSynchronizeStream(first));
    ACL_OK(aclFinalize());
}

// Runs that the host drives wait for it in their stream.
OWN_PROCESS_TEST(OldDriver, GraphsHaveNoControlFlow, OLD_DRIVER) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        const portacl_test::Persistent stream;
        const portacl_test::DeviceMemory memory(64);
        const portacl_test::Built graph;
        graph.Bind(stream);
        ACL_OK(aclrtSwitchStream(memory.At(), ACL_RT_EQUAL, memory.At(), ACL_RT_SWITCH_INT32, stream, nullptr, stream));
        ACL_OK(aclmdlRIEndTask(graph, stream));
        ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclmdlRIBuildEnd(graph, nullptr), "wait for the host");
        const portacl_test::Stream captured;
        const portacl_test::Graph other = portacl_test::Capture(captured, [&] {
            const portacl_test::Condition value(portacl_test::GraphOf(captured), 1);
            aclmdlRI body = nullptr;
            ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                             aclmdlRIAddCondTask({value, portacl_test::kIf, 1, &body}, captured, 0),
                             "wait for the host", "conditional tasks");
            EXPECT_EQ(body, nullptr);
        });
        // The valid part of the capture is a graph that runs.
        ACL_OK(aclmdlRIExecute(other, -1));
    }
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(OldDriver, ReportsWhatIsMissing, OLD_DRIVER) {
    constexpr size_t kBlock = 2 * kMiB;
    constexpr aclError kLacking = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    const std::string version = "the CUDA driver (version 11.4) has no ", remedy = "a newer driver";
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    void* managed = nullptr;
    ACL_OK(aclrtMemAllocManaged(&managed, kBlock, ACL_RT_MEM_ATTACH_GLOBAL));
    const aclrtMemManagedLocation here{ACL_MEM_LOCATIONTYPE_DEVICE, 0};
    ACL_FAILS_SAYING(kLacking, aclrtMemManagedAdvise(managed, kBlock, ACL_MEM_ADVISE_SET_READ_MOSTLY, here),
                     version + "cuMemAdvise_v2", remedy);
    ACL_FAILS_SAYING(kLacking, aclrtMemManagedPrefetchAsync(managed, kBlock, here, 0, nullptr),
                     version + "cuMemPrefetchAsync_v2", remedy);
    auto pool = Poison<aclrtMemPool>();
    aclrtMemPoolProps properties{};
    properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    ACL_FAILS_SAYING(kLacking, aclrtMemPoolCreate(&pool, &properties), "memory pools");
    ACL_FAILS_SAYING(kLacking, portaclMemGetDefaultMemPool(&pool, &properties.location, properties.allocType),
                     "memory pools");
    EXPECT_TRUE(IsPoison(pool));
    // The calls before and after each refused call work.
    ACL_OK(aclrtMemsetAsync(managed, kBlock, 1, kBlock, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    ACL_OK(aclrtFree(managed));
    {
        Stream first, second;
        Event event;
        Gate gate;
        ACL_OK(gate.Hold(first));
        ACL_OK(aclrtRecordEvent(event, first));
        ACL_FAILS_SAYING(kLacking, aclrtStreamWaitEventWithTimeout(second, event, 1000), "aclrtStreamWaitEvent");
        // The limit of the process is not mentioned, because this call does not use it.
        ACL_OK(aclrtSetOpWaitTimeout(1));
        ACL_OK(aclrtStreamWaitEvent(second, event));
        ACL_FAILS(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, aclrtSynchronizeStreamWithTimeout(second, 1100));
        gate.Open();
        ACL_OK(aclrtSynchronizeDevice());
        ACL_OK(aclrtSetOpWaitTimeout(0));
        PinnedMemory word(8, 0);
        ACL_FAILS_SAYING(kLacking, aclrtValueWrite(word.At(), 1, 0, first), "cuStreamWriteValue64", "use an event");
        ACL_FAILS_SAYING(kLacking, aclrtValueWait(word.At(), 1, 0, first), "cuStreamWaitValue64", "use an event");
        ACL_OK(aclrtSynchronizeStream(first));
        Notify notify;
        ACL_OK(aclrtRecordNotify(notify, first));
        ACL_FAILS_SAYING(kLacking, aclrtWaitAndResetNotify(notify, second, 1), "use an event");
        ACL_OK(aclrtSynchronizeStream(first));
    }
    const auto add = ACL_RT_ATOMIC_OPERATION_INTEGER_ADD;
    uint32_t bits = 0;
    ACL_FAILS_SAYING(kLacking, aclrtDeviceGetHostAtomicCapabilities(&bits, &add, 1, 0), version);
    ExpectWorks();
    ACL_OK(aclFinalize());
}

// Such drivers do not return parameters: they come from the PTX.
OWN_PROCESS_TEST(OldDriver, ParametersAreReturnedAndChecked, OLD_DRIVER) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        const Program program;
        const aclrtFuncHandle mark = program.Kernel("mark");
        size_t count = 0, offset = 0, size = 0;
        ACL_OK(aclrtFunctionGetParamCount(mark, &count));
        EXPECT_EQ(count, 2u);
        ACL_OK(aclrtFunctionGetParamInfo(mark, 1, &offset, &size));
        EXPECT_EQ(offset, 8u);
        EXPECT_EQ(size, 4u);
        const Stream stream;
        const ZeroWords words(256);
        void* address = words.At();
        uint32_t number = 5;
        void* arguments[] = {&address, &number};
        // A graph keeps arguments whose sizes are known.
        const Graph graph =
            Capture(stream, [&] { ACL_OK(aclrtLaunchKernelWithArgsArray(mark, 1, stream, nullptr, arguments)); });
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(words.Download<uint32_t>(), std::vector<uint32_t>(256, 5));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtLaunchKernel(mark, 2, arguments, 3, stream), "3 bytes",
                         "12 bytes for 2 parameters");
    }
    ACL_OK(aclFinalize());
}

// A copy in a graph is a row, which is as long as its pitch. Real drivers take rows below 2 GiB.
OWN_PROCESS_TEST(LimitedPitch, CopiesInGraphsAreDivided, NAMED, {"FAKE_CUDA_MAX_PITCH", "4096"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    {
        constexpr size_t kLength = 3 * kSize + 5, kWidth = kSize + 7, kPitch = 2 * kSize;
        const std::vector<unsigned char> data = Pattern(2 * kPitch);
        const Stream stream;
        const DeviceMemory from(data), plain(kLength), rows(std::vector<unsigned char>(2 * kPitch, 0));
        const Graph graph = Capture(stream, [&] {
            ACL_OK(aclrtMemcpyAsync(plain.At(), kLength, from.At(), kLength, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
            ACL_OK(aclrtMemcpy2dAsync(rows.At(), kPitch, from.At(), kPitch, kWidth, 2, ACL_MEMCPY_DEVICE_TO_DEVICE,
                                      stream));
        });
        ACL_OK(aclmdlRIExecuteAsync(graph, stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        EXPECT_EQ(plain.Download(), std::vector<unsigned char>(data.begin(), data.begin() + kLength));
        std::vector<unsigned char> wanted(2 * kPitch, 0);
        for (const size_t row : {size_t{0}, kPitch}) std::copy_n(&data[row], kWidth, &wanted[row]);
        EXPECT_EQ(rows.Download(), wanted);
    }
    ACL_OK(aclFinalize());
}

// Such drivers have pools, but none of managed memory.
OWN_PROCESS_TEST(DriverOfCuda12, HasNoPoolsOfManagedMemory, {"FAKE_CUDA_DRIVER_VERSION", "12080"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    uint64_t can = 1;
    ACL_OK(portaclDeviceGetMemPoolSupport(0, PORTACL_MEM_POOL_SUPPORT_MANAGED, &can));
    EXPECT_EQ(can, 0u);
    auto pool = Poison<aclrtMemPool>();
    const aclrtMemLocation here = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    const auto managed = static_cast<aclrtMemAllocationType>(PORTACL_MEM_ALLOCATION_TYPE_MANAGED);
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, portaclMemGetDefaultMemPool(&pool, &here, managed),
                     "CUDA 13 and later", "use aclrtMemAllocManaged");
    EXPECT_TRUE(IsPoison(pool));
    ACL_OK(portaclMemGetDefaultMemPool(&pool, &here, ACL_MEM_ALLOCATION_TYPE_PINNED));
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(VirtualGpu, WorksWithoutTheFeaturesThatItLacks, {"FAKE_CUDA_VGPU", "1"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    ExpectWorks();
    auto memory = Poison<void*>();
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtMemAllocManaged(&memory, 4096, ACL_RT_MEM_ATTACH_GLOBAL),
                     "cuMemAllocManaged returned 801");
    ACL_FAILS_SAYING(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, aclrtReserveMemAddress(&memory, 2 << 20, 0, nullptr, 1),
                     "cuMemAddressReserve returned 801");
    ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_ONLY));
    EXPECT_TRUE(IsPoison(memory));
    ACL_OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL_OK(aclrtFree(memory));
    int32_t can = -1;
    ACL_OK(aclrtDeviceCanAccessPeer(&can, 0, 1));
    EXPECT_EQ(can, 0);
    EXPECT_NE(aclrtDeviceEnablePeerAccess(1, 0), ACL_SUCCESS);
    ExpectWorks();
    ACL_OK(aclFinalize());
}

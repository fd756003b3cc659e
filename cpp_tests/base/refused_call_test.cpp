// System calls that the kernel refuses: the error is about the call and not about the program's
// arguments.
#include <fcntl.h>
#include <sys/mman.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "support/memory/far_address.h"
#include "support/memory/virtual_memory.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/pool/mem_pool.h"
#include "support/process/refused_call.h"
#include "support/process/snapshot.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

constexpr aclError kUnsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;

bool IsCpu() {
    return std::string(portaclBackendName()) == "cpu";
}

bool IsGuarded() {
    const char* guard = std::getenv("PORTACL_CPU_GUARD");
    return guard && std::string(guard) == "1";
}

// Copies bytes 0, 1, 2, ... to a device and back.
void RoundTrip(void* device, size_t size) {
    std::vector<unsigned char> sent(size), received(size);
    std::iota(sent.begin(), sent.end(), static_cast<unsigned char>(0));
    ACL_OK(aclrtMemcpy(device, size, sent.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
    ACL_OK(aclrtMemcpy(received.data(), size, device, size, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(sent, received);
}

// Memory of this process works, whatever kind it is.
void UseMemory() {
    for (const size_t size : {size_t{100}, size_t{5000}, size_t{5} << 20}) {
        for (const auto policy : {ACL_MEM_MALLOC_NORMAL_ONLY, ACL_MEM_MALLOC_HUGE_FIRST}) {
            void* memory = nullptr;
            ACL_OK(aclrtMalloc(&memory, size, policy));
            RoundTrip(memory, size);
            ACL_OK(aclrtFree(memory));
        }
    }
    void* managed = nullptr;
    ACL_OK(aclrtMemAllocManaged(&managed, kMiB, ACL_RT_MEM_ATTACH_GLOBAL));
    RoundTrip(managed, kMiB);
    ACL_OK(aclrtFree(managed));
    const aclrtMemPoolProps props = PoolProps();
    aclrtMemPool pool = nullptr;
    ACL_OK(aclrtMemPoolCreate(&pool, &props));
    void* pooled = nullptr;
    ACL_OK(aclrtMemPoolMallocAsync(&pooled, kMiB, pool, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    RoundTrip(pooled, kMiB);
    ACL_OK(aclrtMemPoolFreeAsync(pooled, nullptr));
    ACL_OK(aclrtSynchronizeStream(nullptr));
    ACL_OK(aclrtMemPoolDestroy(pool));
}

// A snapshot restores written bytes, zeros, and memory that was never written.
void TakeSnapshot() {
    constexpr size_t size = 5 * kMiB + 12345;
    void* written = nullptr;
    void* untouched = nullptr;
    ACL_OK(aclrtMalloc(&written, size, ACL_MEM_MALLOC_NORMAL_ONLY));
    ACL_OK(aclrtMalloc(&untouched, size, ACL_MEM_MALLOC_NORMAL_ONLY));
    std::vector<unsigned char> sent(size), received(size);
    std::iota(sent.begin(), sent.end(), static_cast<unsigned char>(3));
    std::fill(sent.begin() + 2 * kMiB, sent.begin() + 4 * kMiB, static_cast<unsigned char>(0));
    ACL_OK(aclrtMemcpy(written, size, sent.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
    ACL_OK(Lock());
    ACL_OK(Backup());
    ACL_OK(Restore());
    ACL_OK(Unlock());
    ACL_OK(aclrtMemcpy(received.data(), size, written, size, ACL_MEMCPY_DEVICE_TO_HOST));
    EXPECT_EQ(sent, received);
    RoundTrip(untouched, size);
    ACL_OK(aclrtFree(written));
    ACL_OK(aclrtFree(untouched));
}

// Calls that need a file fail, name the refused system call, and change nothing.
void NeedFiles(const std::string& error) {
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, 2 * kMiB, ACL_MEM_MALLOC_NORMAL_ONLY));
    char key[65] = {};
    ACL_FAILS_SAYING(kUnsupported, aclrtIpcMemGetExportKey(memory, 2 * kMiB, key, sizeof key, 0),
                     "memfd_create: " + error, "device 0");
    RoundTrip(memory, 2 * kMiB);
    ACL_OK(aclrtFree(memory));
    const aclrtPhysicalMemProp physical = PhysicalProps();
    auto handle = Poison<aclrtDrvMemHandle>();
    ACL_FAILS_SAYING(kUnsupported, aclrtMallocPhysical(&handle, 2 * kMiB, &physical, 0), "memfd_create: " + error,
                     "device 0");
    const aclrtPhysicalMemProp on_host = HostProps();
    ACL_FAILS_SAYING(kUnsupported, aclrtMallocPhysical(&handle, 2 * kMiB, &on_host, 0), "memfd_create: " + error);
    EXPECT_TRUE(IsPoison(handle));
    aclrtMemPoolProps shared = PoolProps();
    shared.handleType = ACL_MEM_HANDLE_TYPE_POSIX;
    auto pool = Poison<aclrtMemPool>();
    ACL_FAILS_SAYING(kUnsupported, aclrtMemPoolCreate(&pool, &shared), "memfd_create: " + error);
    EXPECT_TRUE(IsPoison(pool));
}

void OpenWithoutFiles(int error) {
    ACL_OK(aclInit(nullptr));
    REFUSE_CALL(SYS_memfd_create, error);
    const std::string said = std::string(std::strerror(error)) + " (os error " + std::to_string(error) + ")";
    if (IsCpu() && IsGuarded()) {
        ACL_FAILS_SAYING(kUnsupported, aclrtSetDevice(0), "memfd_create: " + said, "PORTACL_CPU_GUARD");
        ACL_OK(aclFinalize());
        return;
    }
    ACL_OK(aclrtSetDevice(0));
    UseMemory();
    if (DriverHas("cuCheckpointProcessLock")) TakeSnapshot();
    if (IsCpu()) NeedFiles(said);
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclFinalize());
}

}  // namespace

OWN_PROCESS_TEST(RefusedCall, DeviceMemoryIsPrivateWhereNoFileMayBeMade) {
    OpenWithoutFiles(EPERM);
}

OWN_PROCESS_TEST(RefusedCall, DeviceMemoryIsPrivateWhereTheKernelHasNoSuchFiles) {
    OpenWithoutFiles(ENOSYS);
}

// Registration checks whether pages are mapped. If the check itself is refused, the pages count as
// mapped.
static void Register(int error) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    const size_t page = 4096, size = 8 * page;
    void* const mapped = mmap(FarAddress(), size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    REFUSE_CALL(SYS_mincore, error);
    void* seen = nullptr;
    ACL_OK(aclrtHostRegister(mapped, size, ACL_HOST_REGISTER_MAPPED, &seen));
    void* device = nullptr;
    ACL_OK(aclrtMalloc(&device, size, ACL_MEM_MALLOC_NORMAL_ONLY));
    RoundTrip(device, size);
    ACL_OK(aclrtHostUnregister(mapped));
    if (IsCpu()) {
        // An unmapped page is still an error, and the text claims no more than is known.
        char* const hole = static_cast<char*>(mapped) + 5 * page;
        ASSERT_EQ(0, munmap(hole, page));
        ACL_FAILS_SAYING(ACL_ERROR_RT_DRV_INTERNAL_ERROR,
                         aclrtHostRegister(mapped, size, ACL_HOST_REGISTER_MAPPED, &seen), Shown(hole),
                         error == ENOMEM ? "mapped" : "mincore: ");
    }
    ACL_OK(aclrtFree(device));
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclFinalize());
}

OWN_PROCESS_TEST(RefusedCall, ForbiddenQuestionsAboutPagesAreNoHoles) {
    Register(EPERM);
}

OWN_PROCESS_TEST(RefusedCall, UnansweredQuestionsAboutPagesAreNoHoles) {
    Register(EAGAIN);
}

OWN_PROCESS_TEST(RefusedCall, MemoryThatCanBeReadIsNoHole) {
    Register(ENOMEM);
}

// Releases need a barrier in all threads, which a sandbox may forbid after the start.
OWN_PROCESS_TEST(RefusedCall, ThingsAreReleasedWithoutTheKernelsBarrier) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    aclrtStream stream = nullptr;
    ACL_OK(aclrtCreateStream(&stream));
    ACL_OK(aclrtDestroyStream(stream));
    REFUSE_CALL(SYS_membarrier, EPERM);
    for (int i = 0; i < 40; ++i) {
        ACL_OK(aclrtCreateStream(&stream));
        ACL_OK(aclrtSynchronizeStream(stream));
        ACL_OK(aclrtDestroyStream(stream));
    }
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclFinalize());
}

// The thread that serves other processes waits for connections, and for its own end, with system
// calls that the kernel can refuse.
static void Offer(long number, int error) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, 2 * kMiB, ACL_MEM_MALLOC_NORMAL_ONLY));
    REFUSE_CALL(number, error);
    char key[65] = {};
    const aclError code =
        aclrtIpcMemGetExportKey(memory, 2 * kMiB, key, sizeof key, ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION);
    if (code == ACL_SUCCESS) {
        ACL_OK(aclrtIpcMemClose(key));
    } else {
        EXPECT_NE(TakeText().find("(os error " + std::to_string(error) + ")"), std::string::npos);
    }
    ACL_OK(aclrtFree(memory));
    ACL_OK(aclrtResetDevice(0));
    ACL_OK(aclFinalize());
}

#ifdef SYS_poll
OWN_PROCESS_TEST(RefusedCall, TheEndNeedsNoPoll) {
    Offer(SYS_poll, EPERM);
}
#endif

OWN_PROCESS_TEST(RefusedCall, TheEndNeedsNoShutdown) {
    Offer(SYS_shutdown, EPERM);
}

OWN_PROCESS_TEST(RefusedCall, TheEndNeedsNoSocket) {
    Offer(SYS_socket, EPERM);
}

// Reports that cannot be written are dropped: a program's stderr may be closed or full.
OWN_PROCESS_TEST(RefusedCall, NoticesThatCannotBeWrittenAreDropped, {"PORTACL_LEAK_CHECK", "1"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    void* memory = nullptr;
    ACL_OK(aclrtMalloc(&memory, 2 * kMiB, ACL_MEM_MALLOC_NORMAL_ONLY));
    const int full = open("/dev/full", O_WRONLY), before = dup(STDERR_FILENO);
    ASSERT_GE(dup2(full, STDERR_FILENO), 0);
    size_t live = 0;
    ACL_OK(portaclMemoryReportLeaks(&live));
    EXPECT_EQ(live, 1u);
    ASSERT_GE(dup2(before, STDERR_FILENO), 0);
    ACL_OK(aclrtFree(memory));
    ACL_OK(aclFinalize());
}

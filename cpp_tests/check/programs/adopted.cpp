// Accesses outside of allocations, leaks, and calls that fail.
#include <cstdlib>
#include <thread>

#include "check/programs/program.h"

namespace {

// Two of the word's four bytes are behind the allocation.
void PastTheEnd(World& world, bool is_fixed) {
    char* memory = nullptr;
    OK(aclrtMalloc(reinterpret_cast<void**>(&memory), 100, ACL_MEM_MALLOC_HUGE_FIRST));
    void* base = nullptr;
    size_t size = 0;
    OK(aclrtMemGetAddressRange(memory, &base, &size));
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle kernel = nullptr;
    OK(aclrtBinaryLoadFromFile(world.kernels, nullptr, &binary));
    OK(aclrtBinaryGetFunction(binary, "mark", &kernel));
    struct {
        void* words;
        uint32_t number;
    } arguments{memory + size - (is_fixed ? 4 : 0), 0x01010101};
    OK(aclrtLaunchKernelV2(kernel, 1, &arguments, sizeof arguments, nullptr, world.first));
    // It reports the damage, too.
    static_cast<void>(aclrtSynchronizeStream(world.first));
    OK(aclrtBinaryUnLoad(binary));
    OK(aclrtFree(memory));
}

void Memory(World&, bool is_fixed) {
    void* memory = nullptr;
    OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    if (is_fixed) OK(aclrtFree(memory));
}

// 100 bytes lie in a longer block, with bytes that may be read behind them.
void SmallMemory(World&, bool is_fixed) {
    void* memory = nullptr;
    OK(aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    if (is_fixed) OK(aclrtFree(memory));
}

void SmallPoolMemory(World& world, bool is_fixed) {
    void* block = nullptr;
    OK(portaclMallocAsync(&block, 100, world.first));
    if (is_fixed) OK(portaclFreeAsync(block, world.first));
}

// With CHECK_PROGRAM_LEAKS there are more leaks, at other places.
void ManyLeaks(World&, bool is_fixed) {
    if (is_fixed) return;
    aclrtEvent event = nullptr;
    OK(aclrtCreateEvent(&event));
    if (!std::getenv("CHECK_PROGRAM_LEAKS")) return;
    OK(aclrtCreateEvent(&event));
    OK(aclrtCreateEvent(&event));
}

[[gnu::noinline]] void MakeEvent(bool is_fixed) {
    aclrtEvent event = nullptr;
    OK(aclrtCreateEvent(&event));
    if (is_fixed) OK(aclrtDestroyEvent(event));
}

void OnAThread(World&, bool is_fixed) {
    std::thread([is_fixed] {
        OK(aclrtSetDevice(0));
        MakeEvent(is_fixed);
        OK(aclrtResetDevice(0));
    }).join();
}

void HostMemory(World&, bool is_fixed) {
    void* memory = nullptr;
    OK(aclrtMallocHost(&memory, 4096));
    if (is_fixed) OK(aclrtFreeHost(memory));
}

void PoolMemory(World& world, bool is_fixed) {
    void* block = nullptr;
    OK(portaclMallocAsync(&block, 4096, world.first));
    if (is_fixed) OK(portaclFreeAsync(block, world.first));
}

void Stream(World&, bool is_fixed) {
    aclrtStream stream = nullptr;
    OK(aclrtCreateStream(&stream));
    if (is_fixed) OK(aclrtDestroyStream(stream));
}

void Event(World&, bool is_fixed) {
    aclrtEvent event = nullptr;
    OK(aclrtCreateEvent(&event));
    if (is_fixed) OK(aclrtDestroyEvent(event));
}

void TooMuch(World& world, bool is_fixed) {
    static_cast<void>(aclrtMemset(world.device, world.kSize, 0, world.kSize + (is_fixed ? 0 : 1)));
}

void FreedTwice(World&, bool is_fixed) {
    void* memory = nullptr;
    OK(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    OK(aclrtFree(memory));
    if (!is_fixed) static_cast<void>(aclrtFree(memory));
}

// A call whose code is an answer is no mistake.
void Answers(World& world, bool is_fixed) {
    // Another initialization, and a thread without a device.
    static_cast<void>(aclInit(nullptr));
    std::thread([] {
        int32_t device = 0;
        aclrtContext context = nullptr;
        static_cast<void>(aclrtGetDevice(&device));
        static_cast<void>(aclrtGetCurrentContext(&context));
        // Before a stream is subscribed, and after.
        static_cast<void>(aclrtProcessReport(1));
    }).join();
    int64_t option = 0;
    static_cast<void>(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &option));
    // Timeouts.
    aclrtNotify notify = nullptr;
    OK(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT));
    OK(aclrtWaitAndResetNotify(notify, world.second, 0));
    static_cast<void>(aclrtSynchronizeStreamWithTimeout(world.second, 1));
    OK(aclrtRecordNotify(notify, world.first));
    world.Drain();
    OK(aclrtDestroyNotify(notify));
    // No memory, and no such feature.
    void* memory = nullptr;
    static_cast<void>(aclrtMalloc(&memory, size_t{1} << 50, ACL_MEM_MALLOC_HUGE_FIRST));
    static_cast<void>(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE1G_ONLY));
    if (!is_fixed) static_cast<void>(aclrtProcessReport(-2));
}

void DestroyedStream(World&, bool is_fixed) {
    aclrtStream stream = nullptr;
    OK(aclrtCreateStream(&stream));
    if (is_fixed) OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyStream(stream));
    if (!is_fixed) static_cast<void>(aclrtSynchronizeStream(stream));
}

}  // namespace

const std::vector<Program> kAdopted = {
    {"past_the_end", PastTheEnd, "bounds", "a write changed 4 bytes at offset 1", "", kCpu},
    {"leaked_memory", Memory, "leak", "at aclrtResetDevice", "bytes of device memory on device 0"},
    {"leaked_small_memory", SmallMemory, "leak", "at aclrtResetDevice 100 bytes of device memory on device 0",
     "  100 bytes at 0x"},
    {"leaked_small_pool_memory", SmallPoolMemory, "leak", "at aclrtResetDevice 100 bytes of memory in pool",
     ", offset 0 of an allocation of 100 bytes"},
    {"leaked_host_memory", HostMemory, "leak", "at aclFinalize 4096 bytes of page-locked host memory"},
    {"leaked_pool_memory", PoolMemory, "leak", "at aclrtResetDevice 4096 bytes of memory in pool"},
    {"leaked_stream", Stream, "leak", "at aclrtResetDevice stream"},
    {"leaked_event", Event, "leak", "at aclrtResetDevice event"},
    {"on_a_thread", OnAThread, "leak", "at aclrtResetDevice event"},
    {"many_leaks", ManyLeaks, "leak", "at aclrtResetDevice event"},
    {"answers", Answers, "misuse", "aclrtProcessReport returned 100000", "  to mend it: correct the argument", kQueues},
    {"too_much", TooMuch, "misuse", "aclrtMemset returned 10"},
    {"freed_twice", FreedTwice, "misuse", "aclrtFree returned 107000"},
    {"destroyed_stream", DestroyedStream, "misuse", "aclrtSynchronizeStream returned 107"},
};

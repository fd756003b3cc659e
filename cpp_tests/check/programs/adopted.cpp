// Accesses outside of allocations, leaks, and calls that fail.
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

void DestroyedStream(World&, bool is_fixed) {
    aclrtStream stream = nullptr;
    OK(aclrtCreateStream(&stream));
    if (is_fixed) OK(aclrtSynchronizeStream(stream));
    OK(aclrtDestroyStream(stream));
    if (!is_fixed) static_cast<void>(aclrtSynchronizeStream(stream));
}

}  // namespace

const std::vector<Program> kAdopted = {
    {"past_the_end", PastTheEnd, "bounds", "4 bytes at offset 1", "", kCpu},
    {"leaked_memory", Memory, "leak", "at aclrtResetDevice", "bytes of device memory of device 0"},
    {"leaked_host_memory", HostMemory, "leak", "at aclFinalize 4096 bytes of page-locked host memory"},
    {"leaked_pool_memory", PoolMemory, "leak", "at aclrtResetDevice 4096 bytes of memory of device 0, of pool"},
    {"leaked_stream", Stream, "leak", "at aclrtResetDevice stream"},
    {"leaked_event", Event, "leak", "at aclrtResetDevice event"},
    {"too_much", TooMuch, "misuse", "aclrtMemset returned 10"},
    {"freed_twice", FreedTwice, "misuse", "aclrtFree returned 107000"},
    {"destroyed_stream", DestroyedStream, "misuse", "aclrtSynchronizeStream returned 107"},
};

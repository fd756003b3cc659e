// overrun_child KERNELS MEMORY FAULT: makes one invalid access and prints what the library reports.
// Built plain and with AddressSanitizer.
#include <portacl/portacl.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#define CALL(call)                                                          \
    do {                                                                    \
        const aclError code_ = (call);                                      \
        if (code_ != ACL_SUCCESS) {                                         \
            std::printf("%s: %d %s\n", #call, code_, aclGetRecentErrMsg()); \
            std::exit(3);                                                   \
        }                                                                   \
    } while (false)

namespace {

constexpr size_t kFar = 2'400'000;

struct Memory {
    char* at = nullptr;
    size_t size = 0;  // bytes that the program may use
};

std::string kind;
aclrtStream stream = nullptr;

// A range of addresses whose first quarter is mapped: kFar past its end is still in the range, so it
// is never other memory of the program.
void AllocateMapped(Memory* memory) {
    memory->size = 2 << 20;
    CALL(aclrtReserveMemAddress(reinterpret_cast<void**>(&memory->at), 4 * memory->size, 0, nullptr, 1));
    static_assert(kFar < 3 * (size_t{2} << 20));
    aclrtPhysicalMemProp props{};
    props.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    props.memAttr = ACL_HBM_MEM_HUGE;
    props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    aclrtDrvMemHandle physical = nullptr;
    CALL(aclrtMallocPhysical(&physical, memory->size, &props, 0));
    CALL(aclrtMapMem(memory->at, memory->size, 0, physical, 0));
    aclrtMemAccessDesc access{};
    access.flags = ACL_RT_MEM_ACCESS_FLAGS_READWRITE;
    access.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    CALL(aclrtMemSetAccess(memory->at, memory->size, &access, 1));
    CALL(aclrtFreePhysical(physical));
}

// Memory of a graph whose launch allocates it.
void AllocateInGraph(void** out, size_t size) {
    aclmdlRI graph = nullptr;
    CALL(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    CALL(portaclMallocAsync(out, size, stream));
    CALL(aclmdlRICaptureEnd(stream, &graph));
    CALL(aclmdlRIExecuteAsync(graph, stream));
    CALL(aclrtSynchronizeStream(stream));
    CALL(aclmdlRIDestroy(graph));
}

Memory Allocate() {
    Memory memory;
    void** out = reinterpret_cast<void**>(&memory.at);
    memory.size = 4000;
    if (kind == "device") {
        CALL(aclrtMalloc(out, memory.size, ACL_MEM_MALLOC_HUGE_FIRST));
    } else if (kind == "small") {
        memory.size = 96;
        CALL(aclrtMalloc(out, memory.size, ACL_MEM_MALLOC_HUGE_FIRST));
    } else if (kind == "rounded") {
        // In one page of 2 MiB.
        memory.size = 1'500'000;
        CALL(aclrtMalloc(out, memory.size, ACL_MEM_MALLOC_HUGE_FIRST));
    } else if (kind == "large") {
        memory.size = 3 << 20;
        CALL(aclrtMalloc(out, memory.size, ACL_MEM_MALLOC_HUGE_FIRST));
    } else if (kind == "pinned") {
        CALL(aclrtMallocHost(out, memory.size));
    } else if (kind == "managed") {
        memory.size = 2 << 20;
        CALL(aclrtMemAllocManaged(out, memory.size, ACL_RT_MEM_ATTACH_GLOBAL));
    } else if (kind == "mapped") {
        AllocateMapped(&memory);
    } else if (kind == "graph") {
        memory.size = 3584;
        AllocateInGraph(out, memory.size);
    } else {
        memory.size = 3584;
        CALL(portaclMallocAsync(out, memory.size, stream));
    }
    return memory;
}

void Free(const Memory& memory) {
    if (kind == "pinned") {
        CALL(aclrtFreeHost(memory.at));
    } else if (kind == "mapped") {
        CALL(aclrtUnmapMem(memory.at));
    } else if (kind == "pool" || kind == "graph") {
        CALL(portaclFreeAsync(memory.at, stream));
        CALL(aclrtSynchronizeStream(stream));
    } else {
        CALL(aclrtFree(memory.at));
    }
}

void HostWrite(char* at) {
    *reinterpret_cast<volatile uint32_t*>(at) = 7;
}

}  // namespace

int main(int, char** arguments) {
    kind = arguments[2];
    const std::string fault = arguments[3];
    CALL(aclInit(nullptr));
    CALL(aclrtSetDevice(0));
    CALL(aclrtCreateStream(&stream));
    aclrtBinHandle binary = nullptr;
    CALL(aclrtBinaryLoadFromFile(arguments[1], nullptr, &binary));

    const Memory before = Allocate();
    const Memory memory = Allocate();
    const Memory behind = Allocate();
    std::printf("size %zu\n", memory.size);
    std::fflush(stdout);
    const auto launch = [&](const char* name, const char* words, uint64_t offset) {
        aclrtFuncHandle function = nullptr;
        CALL(aclrtBinaryGetFunction(binary, name, &function));
        void* at[] = {&words, &offset};
        const bool writes = std::string(name) == "write_at";
        CALL(aclrtLaunchSIMTKernelWithArgsArray(function, {1, 1, 1}, {1, 1, 1}, 0, stream, nullptr,
                                                writes ? at : nullptr));
        const aclError code = aclrtSynchronizeStream(stream);
        std::printf("synchronize: %d %s\n", code, code != 0 ? aclGetRecentErrMsg() : "");
        std::fflush(stdout);
    };
    // Inside the allocation, from the first byte to the last one.
    launch("write_at", memory.at, 0);
    launch("write_at", memory.at, memory.size - 4);
    const char* guard = std::getenv("PORTACL_CPU_GUARD");
    if (guard == nullptr || std::string(guard) != "1" || kind == "pinned" || kind == "managed") {
        HostWrite(memory.at);
        HostWrite(memory.at + memory.size - 4);
    }
    if (fault == "names") launch("say_where", nullptr, 0);
    // No allocation follows this one; blocks of a pool are adjacent.
    const Memory last =
        std::max({before, memory, behind}, [](const Memory& a, const Memory& b) { return a.at < b.at; });
    const Memory& overrun = kind == "pool" || kind == "graph" ? last : memory;
    if (fault == "host-near") HostWrite(overrun.at + overrun.size);
    if (fault == "host-far") HostWrite(last.at + last.size + kFar);
    if (fault == "kernel-near") launch("write_at", overrun.at, overrun.size);
    if (fault == "kernel-before") launch("write_at", memory.at, static_cast<uint64_t>(-4));
    if (fault == "kernel-far") launch("write_at", last.at, last.size + kFar);
    Free(memory);
    if (fault == "host-freed") HostWrite(memory.at + 8);
    // Calls refuse pointers to freed memory, so the kernel gets a live pointer and an offset.
    const auto distance = static_cast<uint64_t>(memory.at - behind.at);
    if (fault == "kernel-freed") launch("write_at", behind.at, distance + 8);
    Free(before);
    Free(behind);
    CALL(aclrtBinaryUnLoad(binary));
    CALL(aclrtDestroyStream(stream));
    CALL(aclrtResetDevice(0));
    CALL(aclFinalize());
    std::printf("done\n");
    return 0;
}

// Memory with several addresses, and addresses of different memory in turn.
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "check/programs/program.h"

extern char** environ;

namespace {

constexpr size_t kPiece = 2 << 20;

// Addresses without memory.
class ReservedRange {
  public:
    explicit ReservedRange(size_t size = kPiece) { OK(aclrtReserveMemAddress(&address_, size, 0, nullptr, 1)); }
    ~ReservedRange() { OK(aclrtReleaseMemAddress(address_)); }
    ReservedRange(const ReservedRange&) = delete;
    ReservedRange& operator=(const ReservedRange&) = delete;
    char* At(size_t offset = 0) const { return static_cast<char*>(address_) + offset; }

  private:
    void* address_ = nullptr;
};

// Memory without an address.
class Physical {
  public:
    Physical() {
        aclrtPhysicalMemProp props{};
        props.handleType = ACL_MEM_HANDLE_TYPE_NONE;
        props.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
        props.memAttr = ACL_HBM_MEM_HUGE;
        props.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
        OK(aclrtMallocPhysical(&handle_, kPiece, &props, 0));
    }
    ~Physical() { OK(aclrtFreePhysical(handle_)); }
    Physical(const Physical&) = delete;
    Physical& operator=(const Physical&) = delete;
    void MapAt(char* address) const { OK(aclrtMapMem(address, kPiece, 0, handle_, 0)); }

  private:
    aclrtDrvMemHandle handle_ = nullptr;
};

void Unmap(char* address) {
    OK(aclrtUnmapMem(address));
}

void TwoAddresses(World& world, bool is_fixed) {
    const ReservedRange one, two;
    const Physical memory;
    memory.MapAt(one.At());
    memory.MapAt(two.At());
    world.Fill(one.At(), world.first);
    if (is_fixed) world.Order();
    world.Fill(two.At(), world.second);
    world.Drain();
    Unmap(one.At());
    Unmap(two.At());
}

// Only the parts that overlap are the same memory.
void PartsOfTwoAddresses(World& world, bool is_fixed) {
    const ReservedRange one, two;
    const Physical memory;
    memory.MapAt(one.At());
    memory.MapAt(two.At());
    world.Fill(one.At(), world.first);
    world.Fill(two.At(world.kSize - (is_fixed ? 0 : 64)), world.second);
    world.Drain();
    Unmap(one.At());
    Unmap(two.At());
}

// The same address, with other memory in the correct program.
void MappedAgain(World& world, bool is_fixed) {
    const ReservedRange range;
    const Physical memory, other;
    memory.MapAt(range.At());
    world.Fill(range.At(), world.first);
    Unmap(range.At());
    (is_fixed ? other : memory).MapAt(range.At());
    world.Fill(range.At(), world.second);
    world.Drain();
    Unmap(range.At());
}

void Moved(World& world, bool is_fixed) {
    const ReservedRange one, two;
    const Physical memory;
    memory.MapAt(one.At());
    world.Fill(one.At(), world.first);
    Unmap(one.At());
    memory.MapAt(two.At());
    if (is_fixed) world.Order();
    world.Fill(two.At(), world.second);
    world.Drain();
    Unmap(two.At());
}

// One fill of two mappings, which lie in another order at the second place.
void AcrossMappings(World& world, bool is_fixed) {
    const ReservedRange one(2 * kPiece), two(2 * kPiece);
    const Physical low, high;
    low.MapAt(one.At());
    high.MapAt(one.At(kPiece));
    high.MapAt(two.At());
    low.MapAt(two.At(kPiece));
    world.Fill(one.At(kPiece - 64), world.first, 128);
    if (is_fixed) world.Order();
    world.Fill(two.At(2 * kPiece - 8), world.second, 8);
    world.Drain();
    for (const ReservedRange* range : {&one, &two})
        for (const size_t offset : {size_t{0}, kPiece}) Unmap(range->At(offset));
}

void HostReadsAtAnotherAddress(World& world, bool is_fixed) {
    const ReservedRange one, two;
    const Physical memory;
    memory.MapAt(one.At());
    memory.MapAt(two.At());
    world.Fill(one.At(), world.first);
    if (is_fixed) OK(aclrtSynchronizeStream(world.first));
    OK(aclrtMemcpy(world.pageable.data(), world.kSize, two.At(), world.kSize, ACL_MEMCPY_DEVICE_TO_HOST));
    world.Drain();
    Unmap(one.At());
    Unmap(two.At());
}

// A graph keeps addresses. The second run uses what is mapped there by then.
void GraphAfterRemapping(World& world, bool is_fixed) {
    const ReservedRange range, view;
    const Physical memory, other;
    memory.MapAt(range.At());
    aclmdlRI graph = nullptr;
    OK(aclmdlRICaptureBegin(world.first, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    world.Fill(range.At(), world.first);
    OK(aclmdlRICaptureEnd(world.first, &graph));
    OK(aclmdlRIExecuteAsync(graph, world.first));
    world.Drain();
    Unmap(range.At());
    other.MapAt(range.At());
    (is_fixed ? memory : other).MapAt(view.At());
    OK(aclmdlRIExecuteAsync(graph, world.first));
    world.Fill(view.At(), world.second);
    world.Drain();
    OK(aclmdlRIDestroy(graph));
    Unmap(range.At());
    Unmap(view.At());
}

// A value is the same word at both addresses.
void ValueAtAnotherAddress(World& world, bool is_fixed) {
    const ReservedRange one, two;
    const Physical memory;
    memory.MapAt(one.At());
    memory.MapAt(two.At());
    OK(aclrtMemset(one.At(), 64, 0, 64));
    world.Fill(world.device, world.first);
    OK(aclrtValueWrite(one.At(), 1, 0, world.first));
    if (is_fixed) OK(aclrtValueWait(two.At(), 1, 1, world.second));
    world.ToHost(world.second, world.device);
    world.Drain();
    Unmap(one.At());
    Unmap(two.At());
}

// The program has mapped one file twice, and registered both addresses.
void RegisteredTwice(World& world, bool is_fixed) {
    const int file = memfd_create("shared", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, world.kSize) != 0) std::abort();
    void* addresses[2];
    for (void*& address : addresses) {
        address = mmap(nullptr, world.kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (address == MAP_FAILED) std::abort();
        OK(aclrtHostRegisterV2(address, world.kSize, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED));
    }
    const auto to_host = [&](void* address, aclrtStream stream) {
        OK(aclrtMemcpyAsync(address, world.kSize, world.device, world.kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    };
    to_host(addresses[0], world.first);
    if (is_fixed) world.Order();
    to_host(addresses[1], world.second);
    world.Drain();
    for (void* address : addresses) {
        OK(aclrtHostUnregister(address));
        munmap(address, world.kSize);
    }
    close(file);
}

// Another process that exports its memory by two keys.
class Exporter {
  public:
    Exporter() {
        int to[2], from[2];
        if (pipe(to) != 0 || pipe(from) != 0) std::abort();
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, to[0], 0);
        posix_spawn_file_actions_adddup2(&actions, from[1], 1);
        for (const int end : {to[0], to[1], from[0], from[1]}) posix_spawn_file_actions_addclose(&actions, end);
        char program[] = "/proc/self/exe", mode[] = "export";
        char* arguments[] = {program, mode, nullptr};
        if (posix_spawn(&process_, program, &actions, nullptr, arguments, environ) != 0) std::abort();
        posix_spawn_file_actions_destroy(&actions);
        close(to[0]);
        close(from[1]);
        input_ = to[1];
        FILE* output = fdopen(from[0], "r");
        char line[256];
        for (std::string& key : keys) {
            if (!std::fgets(line, sizeof line, output)) std::abort();
            key = std::string(line, std::char_traits<char>::length(line) - 1);
        }
        std::fclose(output);
    }
    ~Exporter() {
        close(input_);
        waitpid(process_, nullptr, 0);
    }
    Exporter(const Exporter&) = delete;
    Exporter& operator=(const Exporter&) = delete;
    std::string keys[2];

  private:
    pid_t process_ = 0;
    int input_ = -1;
};

void ImportedTwice(World& world, bool is_fixed) {
    const Exporter exporter;
    void* addresses[2] = {};
    for (int index : {0, 1}) OK(aclrtIpcMemImportByKey(&addresses[index], exporter.keys[index].c_str(), 0));
    world.Fill(static_cast<char*>(addresses[0]), world.first);
    if (is_fixed) world.Order();
    world.Fill(static_cast<char*>(addresses[1]), world.second);
    world.Drain();
    for (const std::string& key : exporter.keys) OK(aclrtIpcMemClose(key.c_str()));
}

}  // namespace

void ExportUntilEndOfInput() {
    OK(aclInit(nullptr));
    OK(aclrtSetDevice(0));
    void* memory = nullptr;
    OK(aclrtMalloc(&memory, kPiece, ACL_MEM_MALLOC_HUGE_FIRST));
    char keys[2][65] = {};
    for (auto& key : keys) {
        OK(aclrtIpcMemGetExportKey(memory, kPiece, key, sizeof key, ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION));
        std::puts(key);
    }
    std::fflush(stdout);
    char byte = 0;
    while (read(0, &byte, 1) > 0) {
    }
    OK(aclrtFree(memory));
    OK(aclrtResetDevice(0));
    OK(aclFinalize());
}

const std::vector<Program> kPlaces = {
    {"two_addresses", TwoAddresses, "race", "aclrtMemsetAsync writes memory that aclrtMemsetAsync writes, and nothing",
     " (also mapped at 0x"},
    {"parts_of_two_addresses", PartsOfTwoAddresses, "race",
     "aclrtMemsetAsync writes memory that aclrtMemsetAsync writes, and nothing", "  64 bytes at 0x"},
    {"mapped_again", MappedAgain, "race", "aclrtMemsetAsync writes memory that aclrtMemsetAsync writes, and nothing"},
    {"moved", Moved, "race", "aclrtMemsetAsync writes memory that aclrtMemsetAsync writes, and nothing"},
    {"across_mappings", AcrossMappings, "race",
     "aclrtMemsetAsync writes memory that aclrtMemsetAsync writes, and nothing", "  8 bytes at 0x"},
    {"host_reads_at_another_address", HostReadsAtAnotherAddress, "race",
     "aclrtMemcpy reads memory that aclrtMemsetAsync writes, and nothing"},
    {"graph_after_remapping", GraphAfterRemapping, "race",
     "aclrtMemsetAsync writes memory that aclmdlRIExecuteAsync writes, and nothing"},
    {"value_at_another_address", ValueAtAnotherAddress, "race",
     "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing"},
    {"registered_twice", RegisteredTwice, "race",
     "aclrtMemcpyAsync writes memory that aclrtMemcpyAsync writes, and nothing", " (also mapped at 0x"},
    {"imported_twice", ImportedTwice, "race",
     "aclrtMemsetAsync writes memory that aclrtMemsetAsync writes, and nothing"},
};

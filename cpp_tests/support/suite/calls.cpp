// A library for LD_PRELOAD that writes down the last calls of the CUDA driver that each thread made, in a file in the
// folder PORTACL_TEST_CALLS, named by the process. The file is mapped, so it can be read while no thread of the process
// runs, and after its end. tools/gpu/hang.py prints it.
//
// It stands between the program and dlsym, which everyone finds the driver's functions with, so the product needs no
// code for this and no call costs anything without it.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace {

constexpr size_t kFunctions = 256, kPlaces = 4096, kCalls = 8;

struct Record {
    uint64_t began, ended;  // CLOCK_MONOTONIC in nanoseconds; 0: not yet
    int64_t status;
    char name[40];
};
struct Place {
    uint32_t thread, count;
    int64_t unused[6];
    Record calls[kCalls];
};
struct File {
    Place places[kPlaces];
};

using ArgumentWord = uintptr_t;
using Function = int (*)(ArgumentWord, ArgumentWord, ArgumentWord, ArgumentWord, ArgumentWord, ArgumentWord,
                         ArgumentWord, ArgumentWord, ArgumentWord, ArgumentWord, ArgumentWord, ArgumentWord,
                         ArgumentWord, ArgumentWord, ArgumentWord, ArgumentWord, ArgumentWord, ArgumentWord);
using LookUp = void* (*)(void*, const char*) noexcept;

std::atomic<File*> file{nullptr};
std::atomic<uint32_t> threads{0};
std::atomic<size_t> functions{0};
std::array<Function, kFunctions> function_of;
std::array<char[40], kFunctions> name_of;
thread_local Place* place = nullptr;

uint64_t Now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// The file of this process. Threads that find none at the same time map the same one.
File* Open() {
    const char* const folder = getenv("PORTACL_TEST_CALLS");
    if (!folder) return nullptr;
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", folder, getpid());
    const int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) return nullptr;
    void* memory = MAP_FAILED;
    if (ftruncate(descriptor, sizeof(File)) == 0)
        memory = mmap(nullptr, sizeof(File), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    return memory == MAP_FAILED ? nullptr : static_cast<File*>(memory);
}

// The next record of the calling thread. Threads beyond the number of places share them.
Record* Begin(size_t index) {
    File* const mapped = file.load(std::memory_order_acquire);
    if (!mapped) return nullptr;
    if (!place) {
        place = &mapped->places[threads.fetch_add(1) % kPlaces];
        place->thread = static_cast<uint32_t>(syscall(SYS_gettid));
    }
    Record& record = place->calls[place->count % kCalls];
    record.began = Now();
    record.ended = 0;
    memcpy(record.name, name_of[index], sizeof record.name);
    std::atomic_signal_fence(std::memory_order_release);
    ++place->count;
    return &record;
}

// Passes on as many words as the function with the most arguments has. A structure that is passed by value is on the
// stack, and within them; what the caller did not pass is not read by the function.
template <size_t Index>
int Call(ArgumentWord a, ArgumentWord b, ArgumentWord c, ArgumentWord d, ArgumentWord e, ArgumentWord f, ArgumentWord g,
         ArgumentWord h, ArgumentWord i, ArgumentWord j, ArgumentWord k, ArgumentWord l, ArgumentWord m, ArgumentWord n,
         ArgumentWord o, ArgumentWord p, ArgumentWord q, ArgumentWord r) {
    Record* const record = Begin(Index);
    const int status = function_of[Index](a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
    if (record) {
        record->status = status;
        record->ended = Now();
    }
    return status;
}

template <size_t... Indices>
constexpr std::array<Function, sizeof...(Indices)> Calls(std::index_sequence<Indices...>) {
    return {Call<Indices>...};
}
constexpr auto kRecording = Calls(std::make_index_sequence<kFunctions>());

// Whether the name is that of a function of the driver that returns a status and takes words: cuXxx.
bool IsOfDriver(const char* name) {
    return name && name[0] == 'c' && name[1] == 'u' && name[2] >= 'A' && name[2] <= 'Z' &&
           !strstr(name, "GetProcAddress") && !strstr(name, "GetExportTable") && strlen(name) < sizeof name_of[0];
}

void* Recording(void* found, const char* name) {
    if (!found || !file.load(std::memory_order_acquire)) return found;
    for (size_t at = 0; at < functions.load(std::memory_order_acquire); ++at)
        if (function_of[at] == reinterpret_cast<Function>(found)) return reinterpret_cast<void*>(kRecording[at]);
    const size_t mine = functions.load();
    if (mine >= kFunctions) return found;
    function_of[mine] = reinterpret_cast<Function>(found);
    strcpy(name_of[mine], name);
    functions.store(mine + 1, std::memory_order_release);
    return reinterpret_cast<void*>(kRecording[mine]);
}

__attribute__((noinline, cold)) LookUp Original() {
    for (const char* version : {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"})
        if (void* const found = dlvsym(RTLD_NEXT, "dlsym", version)) return reinterpret_cast<LookUp>(found);
    abort();
}

std::atomic<LookUp> original_look_up{nullptr};

LookUp OriginalLookUp() {
    LookUp found = original_look_up.load(std::memory_order_relaxed);
    if (!found) original_look_up.store(found = Original(), std::memory_order_relaxed);
    return found;
}

__attribute__((noinline)) void* FindRecording(void* handle, const char* name) {
    static std::atomic_flag locked = ATOMIC_FLAG_INIT;
    while (locked.test_and_set(std::memory_order_acquire)) {
    }
    if (!file.load()) file.store(Open(), std::memory_order_release);
    void* const found = Recording(OriginalLookUp()(handle, name), name);
    locked.clear(std::memory_order_release);
    return found;
}

}  // namespace

// The lookup of other functions is the last thing that this one does, so it has no frame: glibc takes the caller of
// RTLD_NEXT from the return address.
extern "C" __attribute__((visibility("default"))) void* dlsym(void* handle, const char* name) noexcept {
    if (IsOfDriver(name) && handle != RTLD_NEXT && handle != RTLD_DEFAULT) return FindRecording(handle, name);
    return OriginalLookUp()(handle, name);
}

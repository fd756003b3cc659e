// Measures API calls above an empty call through a shared library, on one thread and on two. All
// are measured alternately in one run, so that a change of the machine's speed affects all of them.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "acl_check.h"
#include "measure.h"

extern "C" int bench_empty_call(void* argument);

namespace {

constexpr int kRounds = 21;
// The number of calls in a series. A copy to a GPU takes microseconds.
const int kCalls = [] {
    const char* backend = std::getenv("PORTACL_BACKEND");
    return backend && std::strcmp(backend, "cuda") == 0 ? 2'000 : 200'000;
}();
constexpr std::size_t kSmall = 64;

// The objects of one thread: its stream and its memory. Without the alignment one thread reads a cache line that the
// other writes.
struct alignas(128) ThreadObjects {
    aclrtStream stream = nullptr;
    void* device = nullptr;
    char host[kSmall] = "";
    char other[kSmall] = "";
};

void Expect(int code, const char* call) {
    CheckAcl(code, call);
}

struct Row {
    const char* name;
    void (*calls)(ThreadObjects&, int count);
    std::vector<double> one = {}, two = {};
};

// A function that makes `count` calls, so that nothing but a loop is around them.
#define ROW(name, call)                                           \
    {                                                             \
        name, [](ThreadObjects& mine, int count) {                \
            (void)mine;                                           \
            for (int i = 0; i < count; i++)                       \
                if (const int code = (call)) Expect(code, #call); \
        }                                                         \
    }

int CopyWithoutLibrary(ThreadObjects& mine) {
    std::memcpy(mine.other, mine.host, kSmall);
    asm volatile("" : : "r"(mine.other) : "memory");
    return 0;
}

int GetDevice() {
    int32_t device;
    return aclrtGetDevice(&device);
}

double Alone(Row& row, ThreadObjects& mine) {
    const auto start = bench::Clock::now();
    row.calls(mine, kCalls);
    return bench::NanosecondsSince(start) / kCalls;
}

// Returns the nanoseconds of a call while another thread makes the same calls all the time.
double WithAnother(Row& row, ThreadObjects& mine, ThreadObjects& theirs) {
    std::atomic<bool> runs{false}, over{false};
    std::thread other([&] {
        Expect(aclrtSetDevice(0), "aclrtSetDevice");
        while (!over) {
            row.calls(theirs, kCalls / 100);
            runs = true;
        }
    });
    while (!runs) std::this_thread::yield();
    const double took = Alone(row, mine);
    over = true;
    other.join();
    return took;
}

}  // namespace

int main() {
    ACL(aclInit(nullptr));
    ACL(aclrtSetDevice(0));
    ThreadObjects objects[2];
    for (ThreadObjects& each : objects) {
        ACL(aclrtCreateStream(&each.stream));
        ACL(aclrtMalloc(&each.device, kSmall, ACL_MEM_MALLOC_HUGE_FIRST));
    }

    Row rows[] = {
        ROW("empty call", bench_empty_call(nullptr)),
        ROW("memcpy of 64 B", CopyWithoutLibrary(mine)),
        ROW("aclrtPeekAtLastError", aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL)),
        ROW("aclrtGetDevice", GetDevice()),
        ROW("aclrtSetDevice (the current one)", aclrtSetDevice(0)),
        ROW("aclrtSynchronizeStream (idle)", aclrtSynchronizeStream(mine.stream)),
        ROW("aclrtMemcpy of 64 B", aclrtMemcpy(mine.device, kSmall, mine.host, kSmall, ACL_MEMCPY_HOST_TO_DEVICE)),
    };
    for (int round = 0; round < kRounds; round++)
        for (Row& row : rows) {
            row.one.push_back(Alone(row, objects[0]));
            row.two.push_back(WithAnother(row, objects[0], objects[1]));
        }
    char name[128];
    for (const Row& row : rows) {
        std::snprintf(name, sizeof name, "call: %s", row.name);
        bench::Report(name, bench::Median(row.one), "ns");
        std::snprintf(name, sizeof name, "two threads: %s", row.name);
        bench::Report(name, bench::Median(row.two), "ns");
    }

    for (ThreadObjects& each : objects) {
        ACL(aclrtFree(each.device));
        ACL(aclrtDestroyStream(each.stream));
    }
    ACL(aclrtResetDevice(0));
    ACL(aclFinalize());
}

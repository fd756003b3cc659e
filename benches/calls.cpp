// Makes one API call of the CPU backend many times, for counting its instructions: bench_calls NAME CALLS.
#include <acl/acl_rt_memory_soma.h>

#include <cstdlib>
#include <cstring>

#include "acl_check.h"

namespace {

constexpr std::size_t kSmall = 64;
// The number of calls between two waits: fewer than a stream queues before the caller has to wait.
constexpr int kBatch = 200;

struct Objects {
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    void* device = nullptr;
    void* pinned = nullptr;
    char pageable[kSmall] = "";
    aclrtMemPool pool = nullptr;

    Objects() {
        ACL(aclInit(nullptr));
        ACL(aclrtSetDevice(0));
        ACL(aclrtCreateStream(&stream));
        ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        ACL(aclrtMalloc(&device, kSmall, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL(aclrtMallocHost(&pinned, kSmall));
        ACL(aclrtRecordEvent(event, stream));
        ACL(aclrtSynchronizeStream(stream));
    }

    // Creates a pool. Not every process does this, because where pools exist the library tracks the order of streams.
    aclrtMemPool Pool() {
        if (pool) return pool;
        aclrtMemPoolProps props{};
        props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
        ACL(aclrtMemPoolCreate(&pool, &props));
        return pool;
    }

    ~Objects() {
        if (pool) ACL(aclrtMemPoolDestroy(pool));
        ACL(aclrtFreeHost(pinned));
        ACL(aclrtFree(device));
        ACL(aclrtDestroyEvent(event));
        ACL(aclrtDestroyStream(stream));
        ACL(aclrtResetDevice(0));
        ACL(aclFinalize());
    }
};

const struct {
    const char* name;
    void (*call)(Objects&);
} kRows[] = {
    {"aclrtSynchronizeStream (idle)", [](Objects& o) { ACL(aclrtSynchronizeStream(o.stream)); }},
    {"aclrtQueryEventStatus",
     [](Objects& o) {
         aclrtEventRecordedStatus status;
         ACL(aclrtQueryEventStatus(o.event, &status));
     }},
    {"aclrtMemcpy of 64 B",
     [](Objects& o) { ACL(aclrtMemcpy(o.device, kSmall, o.pageable, kSmall, ACL_MEMCPY_HOST_TO_DEVICE)); }},
    {"aclrtMemcpyAsync of 64 B",
     [](Objects& o) {
         ACL(aclrtMemcpyAsync(o.device, kSmall, o.pinned, kSmall, ACL_MEMCPY_HOST_TO_DEVICE, o.stream));
     }},
    {"aclrtMemsetAsync of 64 B", [](Objects& o) { ACL(aclrtMemsetAsync(o.device, kSmall, 1, kSmall, o.stream)); }},
    {"aclrtRecordEvent", [](Objects& o) { ACL(aclrtRecordEvent(o.event, o.stream)); }},
    {"aclrtMalloc + aclrtFree, 4 KiB",
     [](Objects& o) {
         (void)o;
         void* memory;
         ACL(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
         ACL(aclrtFree(memory));
     }},
    {"aclrtMemPoolMallocAsync + FreeAsync",
     [](Objects& o) {
         void* memory;
         ACL(aclrtMemPoolMallocAsync(&memory, 4096, o.Pool(), o.stream));
         ACL(aclrtMemPoolFreeAsync(memory, o.stream));
     }},
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: bench_calls NAME CALLS\n");
        return 1;
    }
    const int calls = std::atoi(argv[2]);
    for (const auto& row : kRows) {
        if (std::strcmp(row.name, argv[1]) != 0) continue;
        Objects objects;
        for (int done = 1; done <= calls; done++) {
            row.call(objects);
            if (done % kBatch == 0) ACL(aclrtSynchronizeStream(objects.stream));
        }
        return 0;
    }
    std::fprintf(stderr, "no row is called %s\n", argv[1]);
    return 1;
}

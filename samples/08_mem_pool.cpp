// Stream-ordered memory: two streams share a pool, and neither waits for memory.
//
// Usage: 08_mem_pool [ROUNDS]
//
// In each round a stream allocates memory from the pool, fills it, copies it to the host and frees
// it. All operations are enqueued without waiting. An event orders the second stream after the
// first, so that the pool can reuse the memory that the first stream has just freed. The last lines
// print how much memory that took.

#include <acl/acl.h>
#include <acl/acl_rt_memory_soma.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

// Ends the program with the library's text.
void Check(aclError code, const char* call) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s returned %d: %s\n", call, code, text ? text : "no error text");
    std::exit(1);
}

#define CHECK(call) Check(call, #call)

constexpr size_t kBytes = 8 << 20;

uint64_t Ask(aclrtMemPool pool, aclrtMemPoolAttr attribute) {
    uint64_t value = 0;
    CHECK(aclrtMemPoolGetAttr(pool, attribute, &value));
    return value;
}

// Allocates, fills, copies and frees memory of the pool: only enqueues these operations.
void UseMemory(aclrtMemPool pool, aclrtStream stream, int value, unsigned char* last_byte) {
    void* memory = nullptr;
    CHECK(aclrtMemPoolMallocAsync(&memory, kBytes, pool, stream));
    CHECK(aclrtMemsetAsync(memory, kBytes, value, kBytes, stream));
    CHECK(
        aclrtMemcpyAsync(last_byte, 1, static_cast<char*>(memory) + kBytes - 1, 1, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    CHECK(aclrtMemPoolFreeAsync(memory, stream));
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
    if (rounds < 1) {
        std::fprintf(stderr, "usage: %s [ROUNDS]\n", argv[0]);
        return 2;
    }
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));

    aclrtMemPoolProps props;
    std::memset(&props, 0, sizeof props);
    props.allocType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    props.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    props.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    aclrtMemPool pool = nullptr;
    CHECK(aclrtMemPoolCreate(&pool, &props));
    // The release threshold: the pool keeps up to this much at a synchronize, for the next round.
    uint64_t keep = 64 << 20;
    CHECK(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &keep));

    aclrtStream first = nullptr, second = nullptr;
    aclrtEvent freed = nullptr;
    CHECK(aclrtCreateStream(&first));
    CHECK(aclrtCreateStream(&second));
    CHECK(aclrtCreateEventExWithFlag(&freed, ACL_EVENT_SYNC));

    // Page-locked, so that copies to it are asynchronous.
    void* host = nullptr;
    CHECK(aclrtMallocHost(&host, 2 * static_cast<size_t>(rounds)));
    auto* bytes = static_cast<unsigned char*>(host);
    for (int round = 0; round < rounds; ++round) {
        UseMemory(pool, first, round % 251, bytes + 2 * round);
        CHECK(aclrtRecordEvent(freed, first));
        CHECK(aclrtStreamWaitEvent(second, freed));
        UseMemory(pool, second, (round + 1) % 251, bytes + 2 * round + 1);
    }
    // It has waited for the first stream.
    CHECK(aclrtSynchronizeStream(second));

    int wrong = 0;
    for (int round = 0; round < rounds; ++round) {
        wrong += bytes[2 * round] != round % 251;
        wrong += bytes[2 * round + 1] != (round + 1) % 251;
    }
    std::printf("%d allocations of %zu MiB, %d of them wrong\n", 2 * rounds, kBytes >> 20, wrong);
    std::printf("most in use at once: %llu MiB, most taken from the device: %llu MiB\n",
                static_cast<unsigned long long>(Ask(pool, ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH) >> 20),
                static_cast<unsigned long long>(Ask(pool, ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH) >> 20));

    CHECK(aclrtFreeHost(host));
    CHECK(aclrtDestroyEvent(freed));
    CHECK(aclrtDestroyStream(second));
    CHECK(aclrtDestroyStream(first));
    CHECK(aclrtMemPoolDestroy(pool));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return wrong == 0 ? 0 : 1;
}

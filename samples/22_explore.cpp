// Orders of streams: two buffers of device memory pass data from one stream to another. An upload may overwrite a
// buffer only after the other stream has read it. Started with "faulty", the program does not wait for that. The work
// is short, so the results are right in most runs all the same. portacl-explore runs the program in other orders and
// finds one in which they are wrong:
//
//     portacl-explore -- ./22_explore faulty
//
// usage: 22_explore [faulty]     exit status 1: the results are wrong

#include <acl/acl.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kPieces = 4;
constexpr size_t kBytes = 4096;

// Ends the program with the library's text if a call failed.
#define CHECK(call) Check((call), #call, __LINE__)

void Check(aclError code, const char* call, int line) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: %s\nreturned %d: %s\n", __FILE__, line, call, code, text ? text : "no error text");
    std::exit(EXIT_FAILURE);
}

// One of the two buffers.
struct Buffer {
    void* memory = nullptr;
    aclrtEvent is_filled = nullptr, is_read = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
    const bool is_faulty = argc > 1 && std::strcmp(argv[1], "faulty") == 0;
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    aclrtStream upload = nullptr, work = nullptr;
    CHECK(aclrtCreateStream(&upload));
    CHECK(aclrtCreateStream(&work));
    Buffer buffers[2];
    for (Buffer& buffer : buffers) {
        CHECK(aclrtMalloc(&buffer.memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtCreateEventExWithFlag(&buffer.is_filled, ACL_EVENT_SYNC));
        CHECK(aclrtCreateEventExWithFlag(&buffer.is_read, ACL_EVENT_SYNC));
    }
    char *input = nullptr, *output = nullptr;
    CHECK(aclrtMallocHost(reinterpret_cast<void**>(&input), kPieces * kBytes));
    CHECK(aclrtMallocHost(reinterpret_cast<void**>(&output), kPieces * kBytes));
    for (int i = 0; i < kPieces; i++) std::memset(input + i * kBytes, i + 1, kBytes);

    for (int i = 0; i < kPieces; i++) {
        Buffer& buffer = buffers[i % 2];
        // The wait that the faulty program lacks. A wait for an event that was never recorded ends at once.
        if (!is_faulty) CHECK(aclrtStreamWaitEvent(upload, buffer.is_read));
        CHECK(aclrtMemcpyAsync(buffer.memory, kBytes, input + i * kBytes, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, upload));
        CHECK(aclrtRecordEvent(buffer.is_filled, upload));
        CHECK(aclrtStreamWaitEvent(work, buffer.is_filled));
        CHECK(aclrtMemcpyAsync(output + i * kBytes, kBytes, buffer.memory, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, work));
        CHECK(aclrtRecordEvent(buffer.is_read, work));
    }
    CHECK(aclrtSynchronizeStream(upload));
    CHECK(aclrtSynchronizeStream(work));

    int wrong = 0;
    for (int i = 0; i < kPieces; i++) {
        if (std::memcmp(output + i * kBytes, input + i * kBytes, kBytes) == 0) continue;
        std::printf("wrong: piece %d of the output is piece %d of the input\n", i + 1, output[i * kBytes]);
        wrong++;
    }
    if (wrong == 0) std::printf("%d pieces went through two buffers\n", kPieces);

    CHECK(aclrtFreeHost(output));
    CHECK(aclrtFreeHost(input));
    for (Buffer& buffer : buffers) {
        CHECK(aclrtDestroyEvent(buffer.is_read));
        CHECK(aclrtDestroyEvent(buffer.is_filled));
        CHECK(aclrtFree(buffer.memory));
    }
    CHECK(aclrtDestroyStream(work));
    CHECK(aclrtDestroyStream(upload));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

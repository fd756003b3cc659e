// Tasks: host code in stream order with access to device memory. One streams results to a file while the device goes
// on.
//
// A device generates one block of numbers after the other, in two buffers. A second stream writes each block to a file
// by a task: a function that gets an address at which the host can read the block, on every backend. It runs on a
// thread of its own, while the first stream generates the next block. If the file cannot be written, the task fails its
// stream with the error number and a text, and the wait at the end reports both. If the stream were aborted, the task
// would stop between two parts of a block.
//
// usage: 23_task_to_file [BLOCKS [FILE]]     default: 16 blocks of 262144 numbers, a file that is removed at the end

#include <acl/acl.h>
#include <portacl/portacl.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr size_t kNumbers = 262144;
constexpr size_t kBytes = kNumbers * sizeof(int32_t);
// The task checks between two parts whether it should stop.
constexpr size_t kPart = 256 << 10;
constexpr int kBuffers = 2;

// Ends the program with the library's text if a call failed.
#define CHECK(call) Check((call), #call, __LINE__)

void Check(aclError code, const char* call, int line) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: %s\nreturned %d: %s\n", __FILE__, line, call, code, text ? text : "no error text");
    std::exit(EXIT_FAILURE);
}

// The argument of the tasks.
struct Output {
    int file;
    std::string path;
};

// The task: writes a block to the file.
aclError WriteBlock(portaclTask task, void* const* buffers, void* data) {
    const auto* output = static_cast<const Output*>(data);
    const auto* block = static_cast<const char*>(buffers[0]);
    size_t written = 0;
    while (written < kBytes) {
        portaclTaskState state = PORTACL_TASK_RUNS;
        if (portaclTaskGetState(task, &state) != ACL_SUCCESS || state == PORTACL_TASK_DROPPED) return ACL_SUCCESS;
        const ssize_t now = write(output->file, block + written, std::min(kPart, kBytes - written));
        if (now < 0) {
            const int error = errno;
            return portaclTaskFail(task, error, (output->path + ": " + std::strerror(error)).c_str());
        }
        written += static_cast<size_t>(now);
    }
    return ACL_SUCCESS;
}

// Generates blocks on one stream, and writes them on another one. Every number of block n is n + 1.
void Generate(int count, Output* output) {
    aclrtStream compute = nullptr, writer = nullptr;
    aclrtEvent full[kBuffers] = {}, empty[kBuffers] = {};
    void *current = nullptr, *one = nullptr, *buffer[kBuffers] = {};
    CHECK(aclrtCreateStream(&compute));
    CHECK(aclrtCreateStream(&writer));
    for (aclrtEvent& event : full) CHECK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    for (aclrtEvent& event : empty) CHECK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
    CHECK(aclrtMalloc(&current, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&one, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    for (void*& memory : buffer) CHECK(aclrtMalloc(&memory, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));

    portaclTaskOptions options = {};
    options.structSize = sizeof options;
    options.name = "write a block";
    CHECK(aclrtMemsetAsync(current, kBytes, 0, kBytes, compute));
    CHECK(aclrtMemsetD32Async(one, kBytes, 1, kNumbers, compute));
    for (int n = 0; n < count; ++n) {
        const int place = n % kBuffers;
        CHECK(aclrtReduceAsync(current, one, kBytes, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, compute, nullptr));
        // The buffer is free when the task has written its previous block.
        if (n >= kBuffers) CHECK(aclrtStreamWaitEvent(compute, empty[place]));
        CHECK(aclrtMemcpyAsync(buffer[place], kBytes, current, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, compute));
        CHECK(aclrtRecordEvent(full[place], compute));
        CHECK(aclrtStreamWaitEvent(writer, full[place]));
        const portaclTaskBuffer block = {buffer[place], kBytes, PORTACL_TASK_READ};
        CHECK(portaclLaunchTask(writer, WriteBlock, output, &block, 1, &options));
        CHECK(aclrtRecordEvent(empty[place], writer));
    }
    // A failure of a task is returned here.
    CHECK(aclrtSynchronizeStream(writer));

    for (void* memory : buffer) CHECK(aclrtFree(memory));
    CHECK(aclrtFree(one));
    CHECK(aclrtFree(current));
    for (aclrtEvent event : empty) CHECK(aclrtDestroyEvent(event));
    for (aclrtEvent event : full) CHECK(aclrtDestroyEvent(event));
    CHECK(aclrtDestroyStream(writer));
    CHECK(aclrtDestroyStream(compute));
}

// Whether the file contains the blocks.
bool IsRight(const Output& output, int count) {
    std::vector<int32_t> block(kNumbers);
    if (lseek(output.file, 0, SEEK_SET) != 0) return false;
    for (int n = 0; n < count; ++n) {
        size_t got = 0;
        while (got < kBytes) {
            const ssize_t now = read(output.file, reinterpret_cast<char*>(block.data()) + got, kBytes - got);
            if (now <= 0) return false;
            got += static_cast<size_t>(now);
        }
        for (int32_t number : block)
            if (number != n + 1) return false;
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 16;
    if (count < 1) {
        std::fprintf(stderr, "usage: %s [BLOCKS [FILE]], at least 1\n", argv[0]);
        return EXIT_FAILURE;
    }
    std::FILE* file = argc > 2 ? std::fopen(argv[2], "w+b") : std::tmpfile();
    if (!file) {
        std::perror(argc > 2 ? argv[2] : "a temporary file");
        return EXIT_FAILURE;
    }
    Output output{fileno(file), argc > 2 ? argv[2] : "a temporary file"};
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    Generate(count, &output);
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    const bool right = IsRight(output, count);
    std::fclose(file);
    std::printf("%d blocks of %zu numbers written to %s while the device went on: %s\n", count, kNumbers,
                output.path.c_str(), right ? "right" : "WRONG");
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

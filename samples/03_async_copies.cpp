// Copies that overlap compute: the same work in one stream and in two, measured by events.
//
// An array is processed in chunks: copy a chunk to the device, compute, copy it back. In one stream
// these run one after the other. With two streams the copies of a chunk overlap the computation of
// the previous chunk. Pinned host memory makes the copies asynchronous; events order the streams
// and measure the time.
//
// usage: 03_async_copies [ELEMENTS]     default: 8388608 floats, 32 MiB

#include <acl/acl.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr size_t kParts = 16;
// How often a chunk is added to its sum: work for the device between the copies.
constexpr int kRounds = 6;
constexpr size_t kStreams = 2;

// Ends the program with the library's text if a call failed.
#define CHECK(call) Check((call), #call, __LINE__)

void Check(aclError code, const char* call, int line) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: %s\nreturned %d: %s\n", __FILE__, line, call, code, text ? text : "no error text");
    std::exit(EXIT_FAILURE);
}

// A stream with its own device memory, so that two chunks can be processed at the same time.
struct Lane {
    aclrtStream stream = nullptr;
    void* input = nullptr;
    void* sum = nullptr;
    aclrtEvent done = nullptr;

    explicit Lane(size_t bytes) {
        CHECK(aclrtCreateStream(&stream));
        CHECK(aclrtMalloc(&input, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtMalloc(&sum, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        CHECK(aclrtCreateEventExWithFlag(&done, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    }
    ~Lane() {
        CHECK(aclrtDestroyEvent(done));
        CHECK(aclrtFree(sum));
        CHECK(aclrtFree(input));
        CHECK(aclrtDestroyStream(stream));
    }
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;
};

// Enqueues all operations of one chunk without waiting.
void EnqueuePart(const Lane& lane, const float* from, float* to, size_t bytes) {
    CHECK(aclrtMemcpyAsync(lane.input, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE, lane.stream));
    CHECK(aclrtMemsetAsync(lane.sum, bytes, 0, bytes, lane.stream));
    for (int round = 0; round < kRounds; ++round)
        CHECK(aclrtReduceAsync(lane.sum, lane.input, bytes, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, lane.stream,
                               nullptr));
    CHECK(aclrtMemcpyAsync(to, bytes, lane.sum, bytes, ACL_MEMCPY_DEVICE_TO_HOST, lane.stream));
}

// Processes all chunks with the first `streams` lanes in turn. Returns milliseconds, measured on
// the device.
float Run(const std::array<Lane, kStreams>& lanes, size_t streams, const float* from, float* to, size_t count) {
    aclrtEvent start = nullptr;
    CHECK(aclrtCreateEventExWithFlag(&start, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE));
    CHECK(aclrtRecordEvent(start, lanes[0].stream));
    // No stream starts before the clock does.
    for (size_t i = 1; i < streams; ++i) CHECK(aclrtStreamWaitEvent(lanes[i].stream, start));

    const size_t part = count / kParts;
    for (size_t i = 0; i < kParts; ++i) {
        const size_t length = i + 1 < kParts ? part : count - i * part;
        EnqueuePart(lanes[i % streams], from + i * part, to + i * part, length * sizeof(float));
    }

    // The first stream waits for the others, so that its last event is after all work.
    for (size_t i = 1; i < streams; ++i) {
        CHECK(aclrtRecordEvent(lanes[i].done, lanes[i].stream));
        CHECK(aclrtStreamWaitEvent(lanes[0].stream, lanes[i].done));
    }
    CHECK(aclrtRecordEvent(lanes[0].done, lanes[0].stream));
    CHECK(aclrtSynchronizeStream(lanes[0].stream));

    float ms = 0;
    CHECK(aclrtEventElapsedTime(&ms, start, lanes[0].done));
    CHECK(aclrtDestroyEvent(start));
    return ms;
}

size_t CountWrong(const float* input, const float* output, size_t count) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; ++i) wrong += output[i] != kRounds * input[i];
    return wrong;
}

size_t ElementsFrom(int argc, char** argv) {
    if (argc < 2) return size_t{8} << 20;
    char* end = nullptr;
    const unsigned long long count = std::strtoull(argv[1], &end, 10);
    const bool number = end != argv[1] && *end == '\0' && argv[1][0] != '-';
    if (argc > 2 || !number || count < kParts || count > SIZE_MAX / sizeof(float) / 8) {
        std::fprintf(stderr, "usage: %s [ELEMENTS]\nELEMENTS is a whole number, at least %zu\n", argv[0], kParts);
        std::exit(EXIT_FAILURE);
    }
    return count;
}

}  // namespace

int main(int argc, char** argv) {
    const size_t count = ElementsFrom(argc, argv);
    const size_t bytes = count * sizeof(float);
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));

    void *input_address = nullptr, *output_address = nullptr;
    CHECK(aclrtMallocHost(&input_address, bytes));
    CHECK(aclrtMallocHost(&output_address, bytes));
    auto *input = static_cast<float*>(input_address), *output = static_cast<float*>(output_address);
    for (size_t i = 0; i < count; ++i) input[i] = static_cast<float>(i % 4096);

    std::printf("%zu floats (%.1f MiB) in %zu pieces: copy in, add %d times, copy out\n\n", count,
                double(bytes) / (1 << 20), kParts, kRounds);
    size_t wrong = 0;
    {
        const size_t largest = (count - count / kParts * (kParts - 1)) * sizeof(float);
        const std::array<Lane, kStreams> lanes{Lane(largest), Lane(largest)};
        // One warm-up run for kernels and caches, then the measured runs.
        Run(lanes, kStreams, input, output, count);
        float times[kStreams] = {};
        for (size_t streams = 1; streams <= kStreams; ++streams) {
            for (size_t i = 0; i < count; ++i) output[i] = -1;
            times[streams - 1] = Run(lanes, streams, input, output, count);
            wrong += CountWrong(input, output, count);
        }
        const double moved = 2.0 * double(bytes);
        std::printf("%-22s %12s %20s\n", "", "time", "copied in and out");
        std::printf("%-22s %9.3f ms %15.2f GB/s\n", "one stream", double(times[0]), moved / times[0] / 1e6);
        std::printf("%-22s %9.3f ms %15.2f GB/s\n", "two streams", double(times[1]), moved / times[1] / 1e6);
        const double saved = 100.0 * (1.0 - double(times[1]) / double(times[0]));
        std::printf("\noverlap: two streams took %.0f %% %s time (%.2f times as fast)\n", saved < 0 ? -saved : saved,
                    saved < 0 ? "more" : "less", double(times[0]) / double(times[1]));
    }

    CHECK(aclrtFreeHost(output));
    CHECK(aclrtFreeHost(input));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    if (wrong != 0) {
        std::fprintf(stderr, "%zu elements are wrong\n", wrong);
        return EXIT_FAILURE;
    }
    std::printf("all elements are right\n");
    std::puts(
        "What this shows: pinned memory makes copies asynchronous. With two streams the copies of one piece run while\n"
        "the other piece is computed; events order the streams, and the host waits once.");
    return EXIT_SUCCESS;
}

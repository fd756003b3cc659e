// A trace of a pipeline: three streams process chunks of an array one after the other, and the
// trace shows where each waits for whom. Open the file that is written in https://ui.perfetto.dev.
//
// Chunks are copied to the device in one stream, computed in the second, copied back in the third.
// Events order them, and become arrows; the program's steps and ranges are in the trace as well.
// PORTACL_TRACE=FILE does the same without a change to the program.
//
// usage: 15_trace [FOLDER [STEPS]]     default: portacl_traces in the current folder, 4

#include <acl/acl.h>
#include <acl/acl_prof.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr size_t kFloats = 1 << 19, kBytes = kFloats * sizeof(float);
constexpr int kPieces = 3, kBuffers = 2;

// Ends the program with the library's text if a call failed.
#define CHECK(call) Check((call), #call, __LINE__)

void Check(aclError code, const char* call, int line) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: %s\nreturned %d: %s\n", __FILE__, line, call, code, text ? text : "no error text");
    std::exit(EXIT_FAILURE);
}

// Device memory of a chunk that is being processed, and its progress.
struct Buffer {
    void* input = nullptr;
    void* sum = nullptr;
    aclrtEvent filled = nullptr, computed = nullptr, fetched = nullptr;
};

struct Pipeline {
    aclrtStream upload = nullptr, compute = nullptr, download = nullptr;
    std::array<Buffer, kBuffers> buffers;
    // Page-locked, so that copies are asynchronous.
    void* source = nullptr;
    void* result = nullptr;

    Pipeline() {
        for (aclrtStream* stream : {&upload, &compute, &download}) CHECK(aclrtCreateStream(stream));
        for (Buffer& buffer : buffers) {
            CHECK(aclrtMalloc(&buffer.input, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
            CHECK(aclrtMalloc(&buffer.sum, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
            for (aclrtEvent* event : {&buffer.filled, &buffer.computed, &buffer.fetched}) {
                CHECK(aclrtCreateEventExWithFlag(event, ACL_EVENT_SYNC));
            }
        }
        CHECK(aclrtMallocHost(&source, kPieces * kBytes));
        CHECK(aclrtMallocHost(&result, kPieces * kBytes));
    }

    ~Pipeline() {
        CHECK(aclrtFreeHost(result));
        CHECK(aclrtFreeHost(source));
        for (Buffer& buffer : buffers) {
            for (aclrtEvent event : {buffer.filled, buffer.computed, buffer.fetched}) {
                CHECK(aclrtDestroyEvent(event));
            }
            CHECK(aclrtFree(buffer.sum));
            CHECK(aclrtFree(buffer.input));
        }
        for (aclrtStream stream : {upload, compute, download}) CHECK(aclrtDestroyStream(stream));
    }
};

// Enqueues one chunk: multiplies its values by three, from the first stream to the third.
void Submit(Pipeline& pipeline, int piece, void* stamp) {
    const std::string text = "submit piece " + std::to_string(piece);
    CHECK(aclprofSetStampTraceMessage(stamp, text.data(), static_cast<uint32_t>(text.size())));
    CHECK(aclprofPush(stamp));
    Buffer& buffer = pipeline.buffers[static_cast<size_t>(piece % kBuffers)];
    const size_t offset = static_cast<size_t>(piece) * kBytes;

    // The previous use of the buffer must be complete.
    CHECK(aclrtStreamWaitEvent(pipeline.upload, buffer.computed));
    CHECK(aclrtMemcpyAsync(buffer.input, kBytes, static_cast<char*>(pipeline.source) + offset, kBytes,
                           ACL_MEMCPY_HOST_TO_DEVICE, pipeline.upload));
    CHECK(aclrtRecordEvent(buffer.filled, pipeline.upload));

    CHECK(aclrtStreamWaitEvent(pipeline.compute, buffer.fetched));
    CHECK(aclrtStreamWaitEvent(pipeline.compute, buffer.filled));
    CHECK(aclrtMemsetAsync(buffer.sum, kBytes, 0, kBytes, pipeline.compute));
    for (int i = 0; i < 3; ++i) {
        CHECK(aclrtReduceAsync(buffer.sum, buffer.input, kBytes, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT,
                               pipeline.compute, nullptr));
    }
    CHECK(aclrtRecordEvent(buffer.computed, pipeline.compute));

    CHECK(aclrtStreamWaitEvent(pipeline.download, buffer.computed));
    CHECK(aclrtMemcpyAsync(static_cast<char*>(pipeline.result) + offset, kBytes, buffer.sum, kBytes,
                           ACL_MEMCPY_DEVICE_TO_HOST, pipeline.download));
    CHECK(aclrtRecordEvent(buffer.fetched, pipeline.download));
    CHECK(aclprofPop());
}

size_t Wrong(const Pipeline& pipeline) {
    const auto* source = static_cast<const float*>(pipeline.source);
    const auto* result = static_cast<const float*>(pipeline.result);
    size_t wrong = 0;
    for (size_t i = 0; i < kPieces * kFloats; ++i) wrong += result[i] != 3 * source[i];
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string folder = argc > 1 ? argv[1] : "portacl_traces";
    const int steps = argc > 2 ? std::atoi(argv[2]) : 4;

    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    size_t wrong = 0;
    {
        Pipeline pipeline;
        auto* source = static_cast<float*>(pipeline.source);
        for (size_t i = 0; i < kPieces * kFloats; ++i) source[i] = static_cast<float>(i % 1000);

        uint32_t devices[] = {0};
        CHECK(aclprofInit(folder.c_str(), folder.size()));
        aclprofConfig* config = aclprofCreateConfig(devices, 1, ACL_AICORE_NONE, nullptr, ACL_PROF_TASK_TIME);
        if (!config) CHECK(ACL_ERROR_FAILURE);
        void* stamp = aclprofCreateStamp();
        aclprofStepInfo* step = aclprofCreateStepInfo();

        CHECK(aclprofStart(config));
        for (int i = 0; i < steps; ++i) {
            CHECK(aclprofGetStepTimestamp(step, ACL_STEP_START, pipeline.upload));
            for (int piece = 0; piece < kPieces; ++piece) Submit(pipeline, piece, stamp);
            CHECK(aclprofGetStepTimestamp(step, ACL_STEP_END, pipeline.download));
            CHECK(aclrtSynchronizeStream(pipeline.download));
            wrong += Wrong(pipeline);
        }
        CHECK(aclprofStop(config));

        aclprofDestroyStepInfo(step);
        aclprofDestroyStamp(stamp);
        CHECK(aclprofFinalize());
        CHECK(aclprofDestroyConfig(config));
    }
    CHECK(aclFinalize());
    std::printf("%d steps, %zu values wrong; the trace is in %s\n", steps, wrong, folder.c_str());
    return wrong == 0 && steps > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// A graph: the work of two streams is captured once and launched many times; each launch reads the
// current contents of pinned memory. Events in the graph measure the last launch. With a file name
// the program writes a picture of the graph for Graphviz: dot -Tsvg FILE.
#include <acl/acl.h>
#include <portacl/portacl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

void Check(const char* call, aclError code) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s failed: %s\n", call, text ? text : "no error text");
    std::exit(1);
}
#define CHECK(call) Check(#call, call)

constexpr size_t kWords = 1 << 18, kBytes = kWords * sizeof(int32_t);

void* DeviceMemory() {
    void* address = nullptr;
    CHECK(aclrtMalloc(&address, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return address;
}

}  // namespace

int main(int argc, char** argv) {
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    aclrtStream first = nullptr, second = nullptr;
    CHECK(aclrtCreateStream(&first));
    CHECK(aclrtCreateStream(&second));
    aclrtEvent begin = nullptr, fork = nullptr, join = nullptr, end = nullptr;
    for (aclrtEvent* timed : {&begin, &end}) CHECK(aclrtCreateEventExWithFlag(timed, ACL_EVENT_TIME_LINE));
    for (aclrtEvent* order : {&fork, &join}) CHECK(aclrtCreateEventExWithFlag(order, ACL_EVENT_SYNC));
    void* const input = DeviceMemory();
    void* const other = DeviceMemory();
    void* host = nullptr;
    CHECK(aclrtMallocHost(&host, kBytes));
    auto* const words = static_cast<int32_t*>(host);

    // sum = input + 100. None of this runs yet.
    CHECK(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    CHECK(aclrtRecordEvent(begin, first));
    CHECK(aclrtRecordEvent(fork, first));
    CHECK(aclrtStreamWaitEvent(second, fork));  // the second stream joins
    CHECK(aclrtMemcpyAsync(input, kBytes, host, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, first));
    CHECK(aclrtMemsetD32Async(other, kBytes, 100, kWords, second));
    CHECK(aclrtRecordEvent(join, second));
    CHECK(aclrtStreamWaitEvent(first, join));  // and the first stream waits for it
    CHECK(aclrtReduceAsync(input, other, kBytes, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, first, nullptr));
    CHECK(aclrtMemcpyAsync(host, kBytes, input, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, first));
    CHECK(aclrtRecordEvent(end, first));
    aclmdlRI graph = nullptr;
    CHECK(aclmdlRICaptureEnd(first, &graph));
    CHECK(aclmdlRISetName(graph, "input + 100"));
    if (argc > 1) CHECK(portaclGraphPrintDot(graph, argv[1]));

    for (int32_t run = 0; run < 3; ++run) {
        for (size_t i = 0; i < kWords; ++i) words[i] = static_cast<int32_t>(i) + run;
        CHECK(aclmdlRIExecuteAsync(graph, first));
        CHECK(aclrtSynchronizeStream(first));
        for (size_t i = 0; i < kWords; ++i) {
            const int32_t wanted = static_cast<int32_t>(i) + run + 100;
            if (words[i] != wanted) {
                std::fprintf(stderr, "run %d: word %zu is %d, not %d\n", run, i, words[i], wanted);
                return 1;
            }
        }
    }
    float ms = 0;
    CHECK(aclrtEventElapsedTime(&ms, begin, end));
    std::printf("3 runs of one graph over %zu numbers; the last one took %.1f us on the device\n", kWords,
                double(ms) * 1e3);
    std::puts(
        "What this shows: the operations of two streams were captured once, without running. Each launch is one call,\n"
        "runs all of them in their order, and reads what pinned memory contains at that time.");

    CHECK(aclmdlRIDestroy(graph));
    CHECK(aclrtFreeHost(host));
    CHECK(aclrtFree(other));
    CHECK(aclrtFree(input));
    for (aclrtEvent event : {begin, fork, join, end}) CHECK(aclrtDestroyEvent(event));
    CHECK(aclrtDestroyStream(second));
    CHECK(aclrtDestroyStream(first));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}

// A loop in a graph: the distance of each cell of a line from the nearest source. In each step
// every cell reads its two neighbours; the graph repeats the step until nothing changes any more.
// With a file name the program writes a picture of the graph for Graphviz: dot -Tsvg FILE.
#include <acl/acl.h>
#include <portacl/portacl.h>

#include <algorithm>
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

constexpr size_t kMost = 512;
constexpr int32_t kFar = 1 << 20;

int32_t* DeviceMemory(const std::vector<int32_t>& values) {
    void* address = nullptr;
    const size_t bytes = values.size() * sizeof(int32_t);
    CHECK(aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemcpy(address, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    return static_cast<int32_t*>(address);
}

// In pinned memory: the results of the latest and the previous step, and the condition.
struct Watch {
    int32_t now[kMost], before[kMost];
    uint64_t goes_on;
    int rounds;
};

// Called in each iteration: did anything change?
void Compare(void* argument) {
    auto* watch = static_cast<Watch*>(argument);
    watch->goes_on = std::memcmp(watch->now, watch->before, sizeof watch->now) != 0;
    std::memcpy(watch->before, watch->now, sizeof watch->now);
    watch->rounds += 1;
}

}  // namespace

int main(int argc, char** argv) {
    const size_t cells = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : kMost;
    if (cells < 2 || cells > kMost) {
        std::fprintf(stderr, "20_conditional [CELLS [FILE]]: 2 to %zu cells\n", kMost);
        return 2;
    }
    const size_t bytes = cells * sizeof(int32_t);
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    aclrtStream stream = nullptr, inner = nullptr;
    CHECK(aclrtCreateStream(&stream));
    CHECK(aclrtCreateStream(&inner));
    const std::vector<size_t> sources = {cells / 12, cells / 2};
    int32_t* const distance = DeviceMemory(std::vector<int32_t>(cells, kFar));
    int32_t* const shifted = DeviceMemory(std::vector<int32_t>(cells, kFar));
    int32_t* const ones = DeviceMemory(std::vector<int32_t>(cells, 1));
    void* pinned = nullptr;
    CHECK(aclrtMallocHost(&pinned, sizeof(Watch)));
    auto* const watch = static_cast<Watch*>(pinned);

    // The graph: initializes all distances, sets the sources to 0, and then runs the loop, whose
    // body is a separate graph.
    aclmdlRI graph = nullptr, body = nullptr;
    aclmdlRICaptureStatus status;
    aclmdlRICondHandle handle = nullptr;
    uint64_t* goes_on = nullptr;
    CHECK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    CHECK(aclmdlRICaptureGetInfo(stream, &status, &graph));
    CHECK(aclmdlRICondHandleCreate(graph, 1, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &handle));
    CHECK(aclmdlRICondHandleGetCondPtr(handle, &goes_on));
    CHECK(aclrtMemsetD32Async(distance, bytes, kFar, cells, stream));
    for (size_t source : sources) CHECK(aclrtMemsetD32Async(distance + source, sizeof(int32_t), 0, 1, stream));
    CHECK(aclmdlRIAddCondTask({handle, ACL_MODEL_RI_COND_TYPE_WHILE, 1, &body}, stream, 0));
    CHECK(aclmdlRICaptureEnd(stream, &graph));
    CHECK(aclmdlRISetName(graph, "distances"));

    // One step, from the left and from the right: distance = min(distance, neighbour's + 1).
    CHECK(aclmdlRICaptureToModelRIBegin(inner, body, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
    const size_t most = bytes - sizeof(int32_t);
    const struct { int32_t *to, *from; } sides[] = {{shifted + 1, distance}, {shifted, distance + 1}};
    for (const auto& side : sides) {
        CHECK(aclrtMemsetD32Async(shifted, bytes, kFar, cells, inner));
        CHECK(aclrtMemcpyAsync(side.to, most, side.from, most, ACL_MEMCPY_DEVICE_TO_DEVICE, inner));
        CHECK(aclrtReduceAsync(shifted, ones, bytes, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_INT32, inner, nullptr));
        CHECK(aclrtReduceAsync(distance, shifted, bytes, ACL_RT_MEMCPY_SDMA_AUTOMATIC_MIN, ACL_INT32, inner, nullptr));
    }
    // The body itself decides whether there is another iteration.
    CHECK(aclrtMemcpyAsync(watch->now, bytes, distance, bytes, ACL_MEMCPY_DEVICE_TO_HOST, inner));
    CHECK(aclrtLaunchHostFunc(inner, Compare, watch));
    CHECK(aclrtMemcpyAsync(goes_on, sizeof(uint64_t), &watch->goes_on, sizeof(uint64_t), ACL_MEMCPY_HOST_TO_DEVICE,
                           inner));
    CHECK(aclmdlRICaptureEnd(inner, &body));
    CHECK(aclmdlRISetName(body, "a step"));
    if (argc > 2) CHECK(portaclGraphPrintDot(graph, argv[2]));

    for (int run = 0; run < 2; ++run) {
        std::memset(watch, 0, sizeof(Watch));
        CHECK(aclmdlRIExecuteAsync(graph, stream));
        CHECK(aclrtSynchronizeStream(stream));
        for (size_t i = 0; i < cells; ++i) {
            int32_t wanted = kFar;
            for (size_t source : sources)
                wanted = std::min(wanted, static_cast<int32_t>(i > source ? i - source : source - i));
            if (watch->now[i] != wanted) {
                std::fprintf(stderr, "cell %zu is %d from a source, not %d\n", i, watch->now[i], wanted);
                return 1;
            }
        }
        std::printf("distances of %zu cells after %d steps, in one run of a graph\n", cells, watch->rounds);
    }

    std::puts(
        "What this shows: a graph repeats a part of itself until its own work says that nothing changes any more. The\n"
        "program launches it once, and does not count the steps.");

    CHECK(aclmdlRIDestroy(graph));
    CHECK(aclrtFreeHost(pinned));
    for (int32_t* memory : {ones, shifted, distance}) CHECK(aclrtFree(memory));
    CHECK(aclrtDestroyStream(inner));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}

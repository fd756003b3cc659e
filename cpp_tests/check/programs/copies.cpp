// Races of each kind of operation.
#include "check/programs/program.h"

namespace {

void FillThenRead(World& world, bool is_fixed) {
    world.Fill(world.device, world.first);
    if (is_fixed) world.Order();
    world.ToHost(world.second, world.device);
}

void ReadThenFill(World& world, bool is_fixed) {
    world.ToHost(world.first, world.device);
    if (is_fixed) world.Order();
    world.Fill(world.device, world.second);
}

void UploadThenCopy(World& world, bool is_fixed) {
    OK(aclrtMemcpyAsync(world.device, world.kSize, world.pinned, world.kSize, ACL_MEMCPY_HOST_TO_DEVICE, world.first));
    if (is_fixed) world.Order();
    OK(aclrtMemcpyAsync(world.other, world.kSize, world.device, world.kSize, ACL_MEMCPY_DEVICE_TO_DEVICE,
                        world.second));
}

// Both write the same pinned memory.
void TwoDownloads(World& world, bool is_fixed) {
    world.ToHost(world.first, world.device);
    if (is_fixed) world.Order();
    world.ToHost(world.second, world.other);
}

// The ranges have one byte in common, or none.
void OneByte(World& world, bool is_fixed) {
    world.Fill(world.device, world.first, 1001);
    const size_t from = is_fixed ? 1001 : 1000;
    world.ToHost(world.second, world.device + from, 24);
}

// Each stream has its own columns of a matrix, or both have column 64.
void Columns(World& world, bool is_fixed) {
    const size_t pitch = 256, width = 64, rows = 32, shared = is_fixed ? 0 : 1;
    OK(aclrtMemcpy2dAsync(world.device, pitch, world.pinned, pitch, width + shared, rows, ACL_MEMCPY_HOST_TO_DEVICE,
                          world.first));
    OK(aclrtMemcpy2dAsync(world.device + width, pitch, world.other, pitch, width, rows, ACL_MEMCPY_DEVICE_TO_DEVICE,
                          world.second));
}

void Reduction(World& world, bool is_fixed) {
    world.Fill(world.other, world.first);
    if (is_fixed) world.Order();
    OK(aclrtReduceAsync(world.device, world.other, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, world.second,
                        nullptr));
}

// A reduction writes its destination.
void Accumulator(World& world, bool is_fixed) {
    OK(aclrtReduceAsync(world.device, world.other, 64, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, world.first,
                        nullptr));
    if (is_fixed) world.Order();
    world.ToHost(world.second, world.device);
}

void Words(World& world, bool is_fixed) {
    OK(aclrtMemsetD32Async(world.device, world.kSize, 7, 1024, world.first));
    if (is_fixed) world.Order();
    world.ToHost(world.second, world.device, 64);
}

// A graph's memory is that of its tasks.
void Graph(World& world, bool is_fixed) {
    aclmdlRI graph = nullptr;
    OK(aclmdlRICaptureBegin(world.first, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    world.Fill(world.device, world.first, 4096);
    OK(aclmdlRICaptureEnd(world.first, &graph));
    OK(aclmdlRIExecuteAsync(graph, world.first));
    if (is_fixed) world.Order();
    world.ToHost(world.second, world.device);
    OK(aclrtSynchronizeDevice());
    OK(aclmdlRIDestroy(graph));
}

// Runs of one graph are one after the other, and not those of two.
void RunsOfAGraph(World& world, bool is_fixed) {
    const auto capture = [&] {
        aclmdlRI graph = nullptr;
        OK(aclmdlRICaptureBegin(world.first, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
        world.Fill(world.device, world.first);
        OK(aclmdlRICaptureEnd(world.first, &graph));
        return graph;
    };
    const aclmdlRI one = capture(), other = capture();
    OK(aclmdlRIExecuteAsync(one, world.first));
    OK(aclmdlRIExecuteAsync(is_fixed ? one : other, world.second));
    OK(aclrtSynchronizeDevice());
    OK(aclmdlRIDestroy(one));
    OK(aclmdlRIDestroy(other));
}

// The kernel's description says that it writes its first argument.
void Mark(World& world, bool is_fixed, bool is_in_graph) {
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle kernel = nullptr;
    aclmdlRI graph = nullptr;
    OK(aclrtBinaryLoadFromFile(world.kernels, nullptr, &binary));
    OK(aclrtBinaryGetFunction(binary, "mark", &kernel));
    OK(aclrtSynchronizeDevice());
    struct {
        void* words;
        uint32_t number;
    } arguments{world.device, 3};
    if (is_in_graph) OK(aclmdlRICaptureBegin(world.first, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    OK(aclrtLaunchKernelV2(kernel, 1, &arguments, sizeof arguments, nullptr, world.first));
    if (is_in_graph) {
        OK(aclmdlRICaptureEnd(world.first, &graph));
        OK(aclmdlRIExecuteAsync(graph, world.first));
    }
    if (is_fixed) world.Order();
    world.ToHost(world.second, world.device);
    OK(aclrtSynchronizeDevice());
    if (graph) OK(aclmdlRIDestroy(graph));
    OK(aclrtBinaryUnLoad(binary));
}

void Kernel(World& world, bool is_fixed) {
    Mark(world, is_fixed, false);
}

void KernelInAGraph(World& world, bool is_fixed) {
    Mark(world, is_fixed, true);
}

}  // namespace

const std::vector<Program> kCopies = {
    {"fill_then_read", FillThenRead, "race", "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing"},
    {"read_then_fill", ReadThenFill, "race", "aclrtMemsetAsync writes memory that aclrtMemcpyAsync reads, and nothing"},
    {"upload_then_copy", UploadThenCopy, "race",
     "aclrtMemcpyAsync reads memory that aclrtMemcpyAsync writes, and nothing"},
    {"two_downloads", TwoDownloads, "race", "aclrtMemcpyAsync writes memory that aclrtMemcpyAsync writes, and nothing"},
    {"one_byte", OneByte, "race", "aclrtMemcpyAsync reads memory that aclrtMemsetAsync writes, and nothing"},
    {"columns", Columns, "race", "aclrtMemcpy2dAsync writes memory that aclrtMemcpy2dAsync writes, and nothing"},
    {"reduction", Reduction, "race", "aclrtReduceAsync reads memory that aclrtMemsetAsync writes, and nothing"},
    {"accumulator", Accumulator, "race", "aclrtMemcpyAsync reads memory that aclrtReduceAsync writes, and nothing"},
    {"words", Words, "race", "aclrtMemcpyAsync reads memory that aclrtMemsetD32Async writes, and nothing"},
    {"graph", Graph, "race", "aclrtMemcpyAsync reads memory that aclmdlRIExecuteAsync writes, and nothing"},
    {"kernel", Kernel, "race", "aclrtMemcpyAsync reads memory that aclrtLaunchKernelV2 writes, and nothing", "",
     kDescriptions},
    {"runs_of_a_graph", RunsOfAGraph, "race",
     "aclmdlRIExecuteAsync writes memory that aclmdlRIExecuteAsync writes, and nothing"},
    {"kernel_in_a_graph", KernelInAGraph, "race",
     "aclrtMemcpyAsync reads memory that aclmdlRIExecuteAsync writes, and nothing", "", kDescriptions},
};

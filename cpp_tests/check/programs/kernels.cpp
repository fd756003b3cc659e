// Kernels that say which memory a launch uses.
#include <cstdlib>
#include <functional>

#include "check/programs/program.h"

namespace {

constexpr size_t kBytes = 4096;

// The kernel adds kBytes of numbers to others.
struct AddWords {
    explicit AddWords(World& world) {
        OK(aclrtBinaryLoadFromFile(world.kernels, nullptr, &binary));
        OK(aclrtBinaryGetFunction(binary, "add_words", &kernel));
    }
    struct Arguments {
        void *to, *from;
        uint64_t count = kBytes / sizeof(uint32_t);
    };
    void Run(char* to, char* from, aclrtStream stream) {
        Arguments arguments{to, from};
        OK(aclrtLaunchKernelV2(kernel, 1, &arguments, sizeof arguments, nullptr, stream));
    }
    // As a graph, that the stream runs. `before`: what the graph does first.
    void RunGraph(
        char* to, char* from, aclrtStream stream, const std::function<void()>& before = [] {}) {
        OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
        before();
        Run(to, from, stream);
        OK(aclmdlRICaptureEnd(stream, &graph));
        OK(aclmdlRIExecuteAsync(graph, stream));
    }
    // Later runs of the graph in this stream use this memory.
    void Update(char* to, char* from, aclrtStream stream) {
        aclmdlRITask task = nullptr;
        uint32_t count = 1;
        OK(aclmdlRIGetTasksByStream(stream, &task, &count));
        aclmdlRITaskParams params = {};
        OK(aclmdlRITaskGetParams(task, &params));
        Arguments arguments{to, from};
        params.kernelTaskParams.args = &arguments;
        params.kernelTaskParams.argsSize = sizeof arguments;
        OK(aclmdlRITaskSetParams(task, &params));
        OK(aclmdlRIUpdate(graph));
    }
    ~AddWords() {
        OK(aclrtSynchronizeDevice());
        if (graph) OK(aclmdlRIDestroy(graph));
        OK(aclrtBinaryUnLoad(binary));
    }
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle kernel = nullptr;
    aclmdlRI graph = nullptr;
};

// A launch without enough arguments is refused before the kernel says what it uses.
void ShortArguments(World& world, bool is_fixed) {
    AddWords add(world);
    if (is_fixed) return add.Run(world.other, world.device, world.first);
    const uint64_t first = 0;
    if (aclrtLaunchKernelV2(add.kernel, 1, &first, sizeof first, nullptr, world.first) == ACL_SUCCESS) std::abort();
}

void NoArguments(World& world, bool is_fixed) {
    AddWords add(world);
    if (is_fixed) return add.Run(world.other, world.device, world.first);
    const aclError code = aclrtLaunchKernelWithArgsArray(add.kernel, 1, world.first, nullptr, nullptr);
    if (code == ACL_SUCCESS) std::abort();
}

// The other stream writes the last bytes that the kernel reads, or the first ones behind them.
void LastBytes(World& world, bool is_fixed) {
    AddWords add(world);
    add.Run(world.other, world.device, world.first);
    world.Fill(world.device + kBytes - (is_fixed ? 0 : 64), world.second, 64);
}

// Kernels of two streams may read the same numbers, and not write the same sums.
void SharedInput(World& world, bool is_fixed) {
    AddWords add(world);
    add.Run(world.other, world.device, world.first);
    add.Run(world.other + (is_fixed ? kBytes : 0), world.device, world.second);
}

// The same in graphs.
void LastBytesInAGraph(World& world, bool is_fixed) {
    AddWords add(world);
    add.RunGraph(world.other, world.device, world.first);
    world.Fill(world.device + kBytes - (is_fixed ? 0 : 64), world.second, 64);
}

void SharedInputOfGraphs(World& world, bool is_fixed) {
    AddWords add(world), other(world);
    add.RunGraph(world.other, world.device, world.first);
    other.RunGraph(world.other + (is_fixed ? kBytes : 0), world.device, world.second);
}

// The graph's kernel gets other arguments before the second run.
void UpdatedInAGraph(World& world, bool is_fixed) {
    AddWords add(world);
    add.RunGraph(world.other, world.device, world.first);
    OK(aclrtSynchronizeStream(world.first));
    add.Update(world.other + (is_fixed ? 2 : 1) * kBytes, world.device, world.first);
    OK(aclmdlRIExecuteAsync(add.graph, world.first));
    world.Fill(world.other, world.second, 2 * kBytes);
}

char* Allocate(size_t size) {
    char* memory = nullptr;
    OK(aclrtMalloc(reinterpret_cast<void**>(&memory), size, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

// The last numbers have no contents.
void ReadsWithoutContents(World& world, bool is_fixed) {
    char* memory = Allocate(World::kSize);
    world.Fill(memory, world.first, kBytes - (is_fixed ? 0 : 64));
    AddWords(world).Run(world.device, memory, world.first);
    OK(aclrtFree(memory));
}

void ReadsWithoutContentsInAGraph(World& world, bool is_fixed) {
    char* memory = Allocate(World::kSize);
    const auto fill = [&] { world.Fill(memory, world.first, kBytes - (is_fixed ? 0 : 64)); };
    AddWords(world).RunGraph(world.device, memory, world.first, fill);
    OK(aclrtFree(memory));
}

// The kernel gives contents to its sums, and not to the rest of their allocation.
void ReadSums(World& world, char* memory, bool is_fixed) {
    const size_t size = kBytes + (is_fixed ? 0 : 64);
    OK(aclrtMemcpy(world.pageable.data(), size, memory, size, ACL_MEMCPY_DEVICE_TO_HOST));
    OK(aclrtFree(memory));
}

void Sums(World& world, bool is_fixed) {
    char* memory = Allocate(World::kSize);
    AddWords(world).Run(memory, world.device, world.first);
    ReadSums(world, memory, is_fixed);
}

void SumsOfAGraph(World& world, bool is_fixed) {
    char* memory = Allocate(World::kSize);
    AddWords(world).RunGraph(memory, world.device, world.first);
    ReadSums(world, memory, is_fixed);
}

// A stream that stops after a failure, and refuses operations from then on. It has a context of its own, because the
// others of its context stop as well.
class StoppingStream {
  public:
    explicit StoppingStream(const World& world) {
        OK(aclrtGetCurrentContext(&before_));
        OK(aclrtCreateContext(&own_, 0));
        OK(aclrtCreateStream(&handle_));
        OK(aclrtSetStreamFailureMode(handle_, ACL_STOP_ON_FAILURE));
        OK(aclrtBinaryLoadFromFile(world.kernels, nullptr, &binary_));
    }
    ~StoppingStream() {
        OK(aclrtDestroyStreamForce(handle_));
        OK(aclrtBinaryUnLoad(binary_));
        OK(aclrtSetCurrentContext(before_));
        OK(aclrtDestroyContext(own_));
    }
    StoppingStream(const StoppingStream&) = delete;
    StoppingStream& operator=(const StoppingStream&) = delete;

    void Stop() {
        aclrtFuncHandle fails = nullptr;
        OK(aclrtBinaryGetFunction(binary_, "fails", &fails));
        struct {
            uint32_t first;
            int32_t code;
        } arguments{0, 561103};
        OK(aclrtLaunchKernelV2(fails, 1, &arguments, sizeof arguments, nullptr, handle_));
        Refuses(aclrtSynchronizeStream(handle_));
    }

    static void Refuses(aclError result) {
        if (result == ACL_SUCCESS) std::abort();
    }

    operator aclrtStream() const { return handle_; }

  private:
    aclrtContext before_ = nullptr, own_ = nullptr;
    aclrtStream handle_ = nullptr;
    aclrtBinHandle binary_ = nullptr;
};

// Refused operations use no memory.
void Refused(World& world, bool is_fixed) {
    {
        StoppingStream stream(world);
        stream.Stop();
        stream.Refuses(aclrtMemsetAsync(world.device, world.kSize, 1, world.kSize, stream));
    }
    world.Fill(world.device, world.first);
    if (!is_fixed) world.Fill(world.device, world.second);
}

// Nor does the run of a graph.
void RefusedGraph(World& world, bool is_fixed) {
    {
        StoppingStream stream(world);
        aclmdlRI graph = nullptr;
        OK(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
        world.Fill(world.device, stream);
        OK(aclmdlRICaptureEnd(stream, &graph));
        stream.Stop();
        stream.Refuses(aclmdlRIExecuteAsync(graph, stream));
        OK(aclmdlRIDestroy(graph));
    }
    world.Fill(world.device, world.first);
    if (!is_fixed) world.Fill(world.device, world.second);
}

// A refused wait waits for nothing, so a refused fill behind it is not after the first fill.
void RefusedWait(World& world, bool is_fixed) {
    world.Fill(world.device, world.first);
    {
        StoppingStream stream(world);
        stream.Stop();
        aclrtEvent event = nullptr;
        OK(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        OK(aclrtRecordEvent(event, world.first));
        stream.Refuses(aclrtStreamWaitEvent(stream, event));
        stream.Refuses(aclrtMemsetAsync(world.other, world.kSize, 1, world.kSize, stream));
        OK(aclrtDestroyEvent(event));
    }
    if (is_fixed) world.Order();
    world.Fill(world.device, world.second);
}

// A kernel behind the copy writes a word of a managed pool, which the program reads until it has changed. In the faulty
// program the kernel is in the other stream.
void ManagedWord(World& world, bool is_fixed) {
    AddWords add(world);
    world.Fill(world.device, world.first);
    const aclrtMemLocation device = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    aclrtMemPool pool = nullptr;
    OK(portaclMemGetDefaultMemPool(&pool, &device,
                                   static_cast<aclrtMemAllocationType>(PORTACL_MEM_ALLOCATION_TYPE_MANAGED)));
    void* sums = nullptr;
    OK(aclrtMemPoolMallocAsync(&sums, kBytes, pool, world.first));
    OK(aclrtSynchronizeStream(world.first));
    OK(aclrtMemset(sums, kBytes, 0, kBytes));

    world.ToHost(world.first, world.other);
    add.Run(static_cast<char*>(sums), world.device, is_fixed ? world.first : world.second);
    while (*static_cast<volatile uint32_t*>(sums) == 0) {
    }
    static_cast<void>(*const_cast<const volatile char*>(world.pinned));
    world.Drain();
    OK(aclrtMemPoolFreeAsync(sums, world.first));
}

}  // namespace

const std::vector<Program> kKernels = {
    {"last_bytes_of_a_kernel", LastBytes, "race",
     "aclrtMemsetAsync writes memory that aclrtLaunchKernelV2 reads, and nothing", "64 bytes at", kCpu},
    {"input_of_two_kernels", SharedInput, "race",
     "aclrtLaunchKernelV2 writes memory that aclrtLaunchKernelV2 writes, and nothing", "4096 bytes at", kCpu},
    {"last_bytes_in_a_graph", LastBytesInAGraph, "race",
     "aclrtMemsetAsync writes memory that aclmdlRIExecuteAsync reads, and nothing", "64 bytes at", kCpu},
    {"input_of_two_graphs", SharedInputOfGraphs, "race",
     "aclmdlRIExecuteAsync writes memory that aclmdlRIExecuteAsync writes, and nothing", "4096 bytes at", kCpu},
    {"updated_in_a_graph", UpdatedInAGraph, "race",
     "aclrtMemsetAsync writes memory that aclmdlRIExecuteAsync writes, and nothing", "4096 bytes at", kCpu},
    {"read_to_the_end_in_a_graph", ReadsWithoutContentsInAGraph, "init",
     "aclmdlRIExecuteAsync reads 64 bytes that nothing wrote since aclrtMalloc", "", kCpu},
    {"behind_what_a_graph_wrote", SumsOfAGraph, "init",
     "aclrtMemcpy reads 64 bytes that nothing wrote since aclrtMalloc", "", kCpu},
    {"read_by_a_kernel_to_the_end", ReadsWithoutContents, "init",
     "aclrtLaunchKernelV2 reads 64 bytes that nothing wrote since aclrtMalloc", "", kCpu},
    {"behind_what_a_kernel_wrote", Sums, "init", "aclrtMemcpy reads 64 bytes that nothing wrote since aclrtMalloc", "",
     kCpu},
    {"short_arguments", ShortArguments, "misuse",
     "aclrtLaunchKernelV2 returned 107000: the launch has 8 bytes of arguments", "", kCpu},
    {"no_arguments", NoArguments, "misuse", "aclrtLaunchKernelWithArgsArray returned 107000: args is null", "", kCpu},
    {"managed_word", ManagedWord, "missing_wait",
     "the program reads memory that aclrtMemcpyAsync writes, without waiting for it",
     "to wait for it: call aclrtSynchronizeStream for stream", kCpu},
    {"refused", Refused, "race", "aclrtMemsetAsync writes memory that aclrtMemsetAsync writes, and nothing", "", kCpu},
    {"refused_graph", RefusedGraph, "race", "aclrtMemsetAsync writes memory that aclrtMemsetAsync writes, and nothing",
     "", kCpu},
    {"refused_wait", RefusedWait, "race", "aclrtMemsetAsync writes memory that aclrtMemsetAsync writes, and nothing",
     "", kCpu},
};

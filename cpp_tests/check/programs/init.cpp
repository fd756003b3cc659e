// Reads of device memory that nothing wrote since its allocation.
#include "check/programs/program.h"

namespace {

constexpr size_t kSize = World::kSize;

char* Allocate(size_t size = kSize) {
    char* memory = nullptr;
    OK(aclrtMalloc(reinterpret_cast<void**>(&memory), size, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

void Clear(char* memory, size_t size = kSize) {
    OK(aclrtMemset(memory, size, 0, size));
}

void Read(World& world, const char* memory, size_t size = kSize) {
    OK(aclrtMemcpy(world.pageable.data(), size, memory, size, ACL_MEMCPY_DEVICE_TO_HOST));
}

void Download(World& world, bool is_fixed) {
    char* memory = Allocate();
    if (is_fixed) Clear(memory);
    Read(world, memory);
    OK(aclrtFree(memory));
}

void DownloadLater(World& world, bool is_fixed) {
    char* memory = Allocate();
    if (is_fixed) world.Fill(memory, world.first);
    world.ToHost(world.first, memory);
    OK(aclrtSynchronizeStream(world.first));
    OK(aclrtFree(memory));
}

// The last byte, or none, is left out.
void OneByteLess(World& world, bool is_fixed) {
    char* memory = Allocate();
    Clear(memory, is_fixed ? kSize : kSize - 1);
    Read(world, memory);
    OK(aclrtFree(memory));
}

void Half(World& world, bool is_fixed) {
    char* memory = Allocate();
    OK(aclrtMemcpy(memory, kSize / 2, world.pageable.data(), kSize / 2, ACL_MEMCPY_HOST_TO_DEVICE));
    Read(world, memory, is_fixed ? kSize / 2 : kSize);
    OK(aclrtFree(memory));
}

// A copy passes on what has no contents.
void Copied(World& world, bool is_fixed) {
    char* memory = Allocate();
    if (is_fixed) world.Fill(memory, world.first);
    OK(aclrtMemcpyAsync(world.device, kSize, memory, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE, world.first));
    OK(aclrtSynchronizeStream(world.first));
    OK(aclrtFree(memory));
    Read(world, world.device);
}

// Only what the program reads of a copy counts.
void PartOfACopy(World& world, bool is_fixed) {
    char* memory = Allocate();
    Clear(memory, 4096);
    OK(aclrtMemcpy(world.device, kSize, memory, kSize, ACL_MEMCPY_DEVICE_TO_DEVICE));
    Read(world, world.device + (is_fixed ? 0 : 4000), 4096);
    OK(aclrtFree(memory));
}

// The gaps between the rows have no contents.
void Rows(World& world, bool is_fixed) {
    const size_t pitch = 256, width = 192, rows = 16;
    char* memory = Allocate();
    OK(aclrtMemcpy2d(memory, pitch, world.pageable.data(), width, width, rows, ACL_MEMCPY_HOST_TO_DEVICE));
    if (is_fixed) {
        OK(aclrtMemcpy2d(world.pageable.data(), width, memory, pitch, width, rows, ACL_MEMCPY_DEVICE_TO_HOST));
    } else {
        Read(world, memory, pitch * (rows - 1) + width);
    }
    OK(aclrtFree(memory));
}

void Reduce(World& world, char* sum, char* terms) {
    OK(aclrtReduceAsync(sum, terms, 1024, ACL_RT_MEMCPY_SDMA_AUTOMATIC_SUM, ACL_FLOAT, world.first, nullptr));
    OK(aclrtSynchronizeStream(world.first));
}

void Terms(World& world, bool is_fixed) {
    char* memory = Allocate();
    if (is_fixed) world.Fill(memory, world.first);
    Reduce(world, world.device, memory);
    OK(aclrtFree(memory));
}

// A sum that does not begin with 0.
void Sum(World& world, bool is_fixed) {
    char* memory = Allocate();
    if (is_fixed) world.Fill(memory, world.first);
    Reduce(world, memory, world.device);
    Read(world, memory, 1024);
    OK(aclrtFree(memory));
}

// A new allocation at the place of an old one has none of its contents.
void Again(World& world, bool is_fixed) {
    char* memory = Allocate();
    Clear(memory);
    OK(aclrtFree(memory));
    memory = Allocate();
    if (is_fixed) Clear(memory);
    Read(world, memory);
    OK(aclrtFree(memory));
}

void Pool(World& world, bool is_fixed) {
    for (int round = 0; round < 2; ++round) {
        void* block = nullptr;
        OK(portaclMallocAsync(&block, kSize, world.first));
        const bool writes = round == 0 || is_fixed;
        if (writes) world.Fill(static_cast<char*>(block), world.first);
        world.ToHost(world.first, static_cast<char*>(block));
        OK(portaclFreeAsync(block, world.first));
    }
}

void Graph(World& world, bool is_fixed) {
    char* memory = Allocate();
    aclmdlRI graph = nullptr;
    OK(aclmdlRICaptureBegin(world.first, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    if (is_fixed) world.Fill(memory, world.first);
    world.ToHost(world.first, memory);
    OK(aclmdlRICaptureEnd(world.first, &graph));
    OK(aclmdlRIExecuteAsync(graph, world.first));
    OK(aclrtSynchronizeStream(world.first));
    OK(aclmdlRIDestroy(graph));
    OK(aclrtFree(memory));
}

// Memory that a graph allocates has no contents at the beginning of a run.
void GraphMemory(World& world, bool is_fixed) {
    aclmdlRI graph = nullptr;
    void* block = nullptr;
    OK(aclmdlRICaptureBegin(world.first, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL));
    OK(portaclMallocAsync(&block, kSize, world.first));
    if (is_fixed) world.Fill(static_cast<char*>(block), world.first);
    world.ToHost(world.first, static_cast<char*>(block));
    OK(portaclFreeAsync(block, world.first));
    OK(aclmdlRICaptureEnd(world.first, &graph));
    for (int run = 0; run < 2; ++run) OK(aclmdlRIExecuteAsync(graph, world.first));
    OK(aclrtSynchronizeStream(world.first));
    OK(aclmdlRIDestroy(graph));
}

struct Binary {
    explicit Binary(World& world, const char* name) {
        OK(aclrtBinaryLoadFromFile(world.kernels, nullptr, &binary));
        OK(aclrtBinaryGetFunction(binary, name, &kernel));
    }
    template <typename Arguments>
    void Run(Arguments arguments, World& world) {
        OK(aclrtLaunchKernelV2(kernel, 1, &arguments, sizeof arguments, nullptr, world.first));
        OK(aclrtSynchronizeStream(world.first));
    }
    ~Binary() { OK(aclrtBinaryUnLoad(binary)); }
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle kernel = nullptr;
};

// A kernel writes what it has the address of.
void WrittenByAKernel(World& world, bool is_fixed) {
    char* memory = Allocate();
    struct {
        void* words;
        uint32_t number;
    } arguments{is_fixed ? memory : world.device, 3};
    Binary(world, "mark").Run(arguments, world);
    Read(world, memory, 4);
    OK(aclrtFree(memory));
}

// The kernel's description says that it reads what its second argument points to.
void ReadByAKernel(World& world, bool is_fixed) {
    char* memory = Allocate();
    if (is_fixed) Clear(memory);
    struct {
        void* words;
        const void* pair;
    } arguments{world.device, memory};
    Binary(world, "add_pair").Run(arguments, world);
    OK(aclrtFree(memory));
}

}  // namespace

const std::vector<Program> kInit = {
    {"download", Download, "init", "aclrtMemcpy reads 65536 bytes that nothing wrote since aclrtMalloc allocated"},
    {"download_later", DownloadLater, "init",
     "aclrtMemcpyAsync reads 65536 bytes that nothing wrote since aclrtMalloc"},
    {"one_byte_less", OneByteLess, "init",
     "aclrtMemcpy reads 1 byte that nothing wrote since aclrtMalloc allocated it"},
    {"half", Half, "init", "aclrtMemcpy reads 32768 bytes that nothing wrote since aclrtMalloc allocated them"},
    {"copied", Copied, "init", "aclrtMemcpy reads 65536 bytes that nothing wrote since aclrtMalloc allocated them"},
    {"part_of_a_copy", PartOfACopy, "init", "aclrtMemcpy reads 4000 bytes that nothing wrote since aclrtMalloc"},
    {"rows", Rows, "init", "aclrtMemcpy reads 960 bytes that nothing wrote since aclrtMalloc allocated them"},
    {"terms", Terms, "init", "aclrtReduceAsync reads 1024 bytes that nothing wrote since aclrtMalloc"},
    {"sum", Sum, "init", "aclrtReduceAsync reads 1024 bytes that nothing wrote since aclrtMalloc"},
    {"allocated_again", Again, "init", "aclrtMemcpy reads 65536 bytes that nothing wrote since aclrtMalloc allocated"},
    {"pool", Pool, "init", "aclrtMemcpyAsync reads 65536 bytes that nothing wrote since portaclMallocAsync"},
    {"read_by_a_graph", Graph, "init", "aclmdlRIExecuteAsync reads 65536 bytes that nothing wrote since aclrtMalloc"},
    {"memory_of_a_graph", GraphMemory, "init", "aclmdlRIExecuteAsync reads 65536 bytes that nothing wrote since acl"},
    {"written_by_a_kernel", WrittenByAKernel, "init", "aclrtMemcpy reads 4 bytes that nothing wrote since aclrtMalloc",
     "", kNothing},
    {"read_by_a_kernel", ReadByAKernel, "init", "aclrtLaunchKernelV2 reads 1 byte that nothing wrote since aclrtMalloc",
     "", kDescriptions},
};

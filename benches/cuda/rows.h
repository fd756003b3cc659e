// The objects of the API and of the driver that bench_cuda compares, and the rows of calls.
#pragma once

#include <acl/acl_rt_memory_soma.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "../acl_check.h"
#include "../peers/cuda_driver.h"

namespace {

constexpr std::size_t kSmall = 64;
constexpr std::size_t kPooled = 1u << 20;
// Parameters of the kernel in blocks.ptx.
constexpr unsigned kThreads = 256;

const cuda::Driver& Raw() {
    static const cuda::Driver driver;
    return driver;
}

// Returns the text of the kernel, which is next to the program.
std::string KernelText() {
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    std::ifstream file(folder / "blocks.ptx");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!text.empty()) return text;
    std::fprintf(stderr, "there is no blocks.ptx beside the program\n");
    std::exit(1);
}

// The same objects of the API and of the driver.
struct DriverObjects {
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    void* device = nullptr;
    void* pinned = nullptr;
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle kernel = nullptr;
    aclrtMemPool pool = nullptr;

    cuda::ContextHandle raw_context = nullptr;
    cuda::StreamHandle raw_stream = nullptr;
    cuda::EventHandle raw_event = nullptr;
    cuda::Address raw_device = 0;
    void* raw_pinned = nullptr;
    cuda::ModuleHandle raw_module = nullptr;
    cuda::KernelHandle raw_kernel = nullptr;
    // The kernel's argument.
    std::uint64_t steps = 0;
    void* arguments[1] = {&steps};
    cuda::PoolHandle raw_pool = nullptr;
    // One counter for each side, for pairs whose sizes alternate.
    unsigned pairs = 0, raw_pairs = 0;
    // The word that the stream of a host function waits for, as in the API.
    std::atomic<std::uint32_t>* word = nullptr;
    std::uint32_t called = 0;

    explicit DriverObjects(std::size_t bytes) {
        ACL(aclInit(nullptr));
        ACL(aclrtSetDevice(0));
        ACL(aclrtCreateStream(&stream));
        ACL(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
        ACL(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL(aclrtMallocHost(&pinned, bytes));
        const std::string text = KernelText();
        ACL(aclrtBinaryLoadFromData(text.c_str(), text.size(), nullptr, &binary));
        ACL(aclrtBinaryGetFunction(binary, "work", &kernel));
        // The pools keep their memory: a row measures the calls, not the mapping of memory.
        std::uint64_t keep = UINT64_MAX;
        aclrtMemPoolProps props{};
        props.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
        ACL(aclrtMemPoolCreate(&pool, &props));
        ACL(aclrtMemPoolSetAttr(pool, ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD, &keep));
        const cuda::Driver& raw = Raw();
        raw.Init(0);
        raw.Retain(&raw_context, 0);
        raw.SetCurrent(raw_context);
        raw.StreamCreate(&raw_stream, cuda::kNonBlocking);
        raw.EventCreate(&raw_event, cuda::kNoTiming);
        raw.MemAlloc(&raw_device, bytes);
        raw.HostAlloc(&raw_pinned, bytes, 0);
        raw.ModuleLoad(&raw_module, text.c_str());
        raw.ModuleFind(&raw_kernel, raw_module, "work");
        const cuda::PoolOptions options;
        raw.PoolCreate(&raw_pool, &options);
        raw.PoolSet(raw_pool, cuda::kReleaseThreshold, &keep);
        void* page = nullptr;
        raw.HostAlloc(&page, 4096, 0);
        word = new (page) std::atomic<std::uint32_t>(0);
        std::memset(pinned, 1, bytes);
        std::memset(raw_pinned, 1, bytes);
    }

    ~DriverObjects() {
        const cuda::Driver& raw = Raw();
        raw.ModuleUnload(raw_module);
        raw.PoolDestroy(raw_pool);
        raw.FreeHost(word);
        raw.FreeHost(raw_pinned);
        raw.MemFree(raw_device);
        raw.EventDestroy(raw_event);
        raw.StreamDestroy(raw_stream);
        raw.Release(0);
        ACL(aclrtBinaryUnLoad(binary));
        ACL(aclrtMemPoolDestroy(pool));
        ACL(aclrtFreeHost(pinned));
        ACL(aclrtFree(device));
        ACL(aclrtDestroyEvent(event));
        ACL(aclrtDestroyStream(stream));
        ACL(aclrtResetDevice(0));
        ACL(aclFinalize());
    }

    void Finish() {
        ACL(aclrtSynchronizeStream(stream));
        Raw().StreamSynchronize(raw_stream);
    }
};

void RawLaunch(DriverObjects& o, unsigned blocks, cuda::StreamHandle stream) {
    Raw().Launch(o.raw_kernel, blocks, 1, 1, kThreads, 1, 1, 0, stream, o.arguments, nullptr);
}

void AllocateAndFree(DriverObjects& o, std::size_t bytes) {
    void* memory;
    ACL(aclrtMemPoolMallocAsync(&memory, bytes, o.pool, o.stream));
    ACL(aclrtMemPoolFreeAsync(memory, o.stream));
}

void RawAllocateAndFree(DriverObjects& o, std::size_t bytes) {
    cuda::Address memory;
    Raw().PoolAlloc(&memory, bytes, o.raw_pool, o.raw_stream);
    Raw().FreeAsync(memory, o.raw_stream);
}

// One or two calls that enqueue work, and the same driver calls.
struct ComparedCall {
    const char* name;
    double limit;
    void (*api)(DriverObjects&);
    void (*raw)(DriverObjects&);
    // Whether the API queries the current context.
    bool asks = true;
};

const ComparedCall kRows[] = {
    {"aclrtMemcpyAsync", 30,
     [](DriverObjects& o) {
         ACL(aclrtMemcpyAsync(o.device, kSmall, o.pinned, kSmall, ACL_MEMCPY_HOST_TO_DEVICE, o.stream));
     },
     [](DriverObjects& o) { Raw().CopyIn(o.raw_device, o.raw_pinned, kSmall, o.raw_stream); }},
    {"aclrtRecordEvent", 30, [](DriverObjects& o) { ACL(aclrtRecordEvent(o.event, o.stream)); },
     [](DriverObjects& o) { Raw().EventRecord(o.raw_event, o.raw_stream); }},
    {"aclrtStreamWaitEvent", 30, [](DriverObjects& o) { ACL(aclrtStreamWaitEvent(o.stream, o.event)); },
     [](DriverObjects& o) { Raw().StreamWaitEvent(o.raw_stream, o.raw_event, 0); }},
    {"aclrtLaunchHostFunc", 30,
     [](DriverObjects& o) {
         ACL(aclrtLaunchHostFunc(
             o.stream, [](void*) {}, nullptr));
     },
     [](DriverObjects& o) {
         const auto notify = [](void* objects) {
             auto& mine = *static_cast<DriverObjects*>(objects);
             mine.word->fetch_add(1, std::memory_order_release);
         };
         Raw().LaunchHostFunc(o.raw_stream, notify, &o);
         Raw().WaitValue(o.raw_stream, reinterpret_cast<cuda::Address>(o.word), ++o.called, cuda::kWaitUntilEqual);
     }},
    {"aclrtLaunchKernelWithArgsArray", 50,
     [](DriverObjects& o) { ACL(aclrtLaunchKernelWithArgsArray(o.kernel, 1, o.stream, nullptr, o.arguments)); },
     [](DriverObjects& o) { RawLaunch(o, 1, o.raw_stream); }},
    // A loop reuses the memory that it freed, without the driver.
    {"aclrtMemPoolMallocAsync + FreeAsync", 30, [](DriverObjects& o) { AllocateAndFree(o, kPooled); },
     [](DriverObjects& o) { RawAllocateAndFree(o, kPooled); }, false},
    // These two lengths call the driver each time.
    {"aclrtMemPoolMallocAsync + FreeAsync, two lengths by turns", 30,
     [](DriverObjects& o) { AllocateAndFree(o, kPooled << (++o.pairs & 1)); },
     [](DriverObjects& o) { RawAllocateAndFree(o, kPooled << (++o.raw_pairs & 1)); }, false},
};

// Only counted: a driver's free waits for the work of busy streams.
constexpr char kBesideBusyStreams[] = "aclrtMalloc + aclrtFree, 4 KiB, beside 16 busy streams";

void MallocAndFree(std::size_t bytes) {
    void* memory;
    ACL(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL(aclrtFree(memory));
}

// Streams that are busy until the end.
class BusyStreams {
  public:
    BusyStreams() {
        // To create a stream waits while another one holds the hardware queue that it will share.
        for (aclrtStream& stream : streams_) ACL(aclrtCreateStream(&stream));
        const auto wait = [](void* is_over) {
            while (!*static_cast<std::atomic<bool>*>(is_over))
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        };
        for (aclrtStream stream : streams_) ACL(aclrtLaunchHostFunc(stream, wait, &is_over_));
    }
    ~BusyStreams() {
        is_over_ = true;
        for (aclrtStream stream : streams_) ACL(aclrtSynchronizeStream(stream));
        for (aclrtStream stream : streams_) ACL(aclrtDestroyStream(stream));
    }
    BusyStreams(const BusyStreams&) = delete;
    BusyStreams& operator=(const BusyStreams&) = delete;

  private:
    aclrtStream streams_[16] = {};
    std::atomic<bool> is_over_{false};
};

}  // namespace

// The bare CUDA driver, loaded at run time as portacl does, with the functions that the benchmarks
// need.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace cuda {

using Result = int;
using Address = unsigned long long;
using Context = void*;
using Stream = void*;
using Event = void*;
using Module = void*;
using Kernel = void*;
using Pool = void*;

struct PoolOptions {
    int allocation_type = 1;  // pinned, the only one
    int handle_types = 0;
    int location_type = 1;  // a device
    int location = 0;
    void* security = nullptr;
    std::size_t most = 0;
    unsigned char reserved[56] = {};
};

constexpr unsigned kNonBlocking = 1;     // of streams
constexpr unsigned kNoTiming = 2;        // of events
constexpr unsigned kWaitUntilEqual = 1;  // of a wait for a value
constexpr int kReleaseThreshold = 4;     // of pools

inline void* Symbol(const char* name) {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    void* const symbol = library ? dlsym(library, name) : nullptr;
    if (symbol) return symbol;
    std::fprintf(stderr, "libcuda.so.1 has no %s: %s\n", name, dlerror());
    std::exit(1);
}

template <typename... Arguments>
struct Function {
    const char* name;
    Result (*call)(Arguments...) = reinterpret_cast<Result (*)(Arguments...)>(Symbol(name));

    // Ends the program when the driver refuses.
    void operator()(Arguments... arguments) const {
        const Result result = call(arguments...);
        if (result == 0) return;
        std::fprintf(stderr, "%s: driver error %d\n", name, result);
        std::exit(1);
    }
};

struct Driver {
    Function<unsigned> Init{"cuInit"};
    Function<Context*, int> Retain{"cuDevicePrimaryCtxRetain"};
    Function<Context> SetCurrent{"cuCtxSetCurrent"};
    Function<Context*> GetCurrent{"cuCtxGetCurrent"};
    Function<int> Release{"cuDevicePrimaryCtxRelease_v2"};
    Function<Stream*, unsigned> StreamCreate{"cuStreamCreate"};
    Function<Stream> StreamDestroy{"cuStreamDestroy_v2"};
    Function<Stream> StreamSynchronize{"cuStreamSynchronize"};
    Function<Stream, Event, unsigned> StreamWaitEvent{"cuStreamWaitEvent"};
    Function<Stream, Address, std::uint32_t, unsigned> WaitValue{"cuStreamWaitValue32_v2"};
    Function<Event*, unsigned> EventCreate{"cuEventCreate"};
    Function<Event> EventDestroy{"cuEventDestroy_v2"};
    Function<Event, Stream> EventRecord{"cuEventRecord"};
    Function<Event> EventSynchronize{"cuEventSynchronize"};
    Function<Stream, void (*)(void*), void*> LaunchHostFunc{"cuLaunchHostFunc"};
    Function<Address*, std::size_t> MemAlloc{"cuMemAlloc_v2"};
    Function<Address> MemFree{"cuMemFree_v2"};
    Function<void**, std::size_t, unsigned> HostAlloc{"cuMemHostAlloc"};
    Function<void*> FreeHost{"cuMemFreeHost"};
    Function<Pool*, const PoolOptions*> PoolCreate{"cuMemPoolCreate"};
    Function<Pool> PoolDestroy{"cuMemPoolDestroy"};
    Function<Pool, int, void*> PoolSet{"cuMemPoolSetAttribute"};
    Function<Address*, std::size_t, Pool, Stream> PoolAlloc{"cuMemAllocFromPoolAsync"};
    Function<Address, Stream> FreeAsync{"cuMemFreeAsync"};
    Function<Address, const void*, std::size_t, Stream> CopyIn{"cuMemcpyHtoDAsync_v2"};
    Function<void*, Address, std::size_t, Stream> CopyOut{"cuMemcpyDtoHAsync_v2"};
    Function<Module*, const void*> ModuleLoad{"cuModuleLoadData"};
    Function<Module> ModuleUnload{"cuModuleUnload"};
    Function<Kernel*, Module, const char*> ModuleFind{"cuModuleGetFunction"};
    Function<Kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void**, void**>
        Launch{"cuLaunchKernel"};
    Function<void*, Address, std::size_t> CopyOutNow{"cuMemcpyDtoH_v2"};
};

}  // namespace cuda

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
using ContextHandle = void*;
using StreamHandle = void*;
using EventHandle = void*;
using ModuleHandle = void*;
using KernelHandle = void*;
using PoolHandle = void*;

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
    Function<ContextHandle*, int> Retain{"cuDevicePrimaryCtxRetain"};
    Function<ContextHandle> SetCurrent{"cuCtxSetCurrent"};
    Function<ContextHandle*> GetCurrent{"cuCtxGetCurrent"};
    Function<int> Release{"cuDevicePrimaryCtxRelease_v2"};
    Function<StreamHandle*, unsigned> StreamCreate{"cuStreamCreate"};
    Function<StreamHandle> StreamDestroy{"cuStreamDestroy_v2"};
    Function<StreamHandle> StreamSynchronize{"cuStreamSynchronize"};
    Function<StreamHandle, EventHandle, unsigned> StreamWaitEvent{"cuStreamWaitEvent"};
    Function<StreamHandle, Address, std::uint32_t, unsigned> WaitValue{"cuStreamWaitValue32_v2"};
    Function<EventHandle*, unsigned> EventCreate{"cuEventCreate"};
    Function<EventHandle> EventDestroy{"cuEventDestroy_v2"};
    Function<EventHandle, StreamHandle> EventRecord{"cuEventRecord"};
    Function<EventHandle> EventSynchronize{"cuEventSynchronize"};
    Function<StreamHandle, void (*)(void*), void*> LaunchHostFunc{"cuLaunchHostFunc"};
    Function<Address*, std::size_t> MemAlloc{"cuMemAlloc_v2"};
    Function<Address> MemFree{"cuMemFree_v2"};
    Function<void**, std::size_t, unsigned> HostAlloc{"cuMemHostAlloc"};
    Function<void*> FreeHost{"cuMemFreeHost"};
    Function<PoolHandle*, const PoolOptions*> PoolCreate{"cuMemPoolCreate"};
    Function<PoolHandle> PoolDestroy{"cuMemPoolDestroy"};
    Function<PoolHandle, int, void*> PoolSet{"cuMemPoolSetAttribute"};
    Function<Address*, std::size_t, PoolHandle, StreamHandle> PoolAlloc{"cuMemAllocFromPoolAsync"};
    Function<Address, StreamHandle> FreeAsync{"cuMemFreeAsync"};
    Function<Address, const void*, std::size_t, StreamHandle> CopyIn{"cuMemcpyHtoDAsync_v2"};
    Function<void*, Address, std::size_t, StreamHandle> CopyOut{"cuMemcpyDtoHAsync_v2"};
    Function<ModuleHandle*, const void*> ModuleLoad{"cuModuleLoadData"};
    Function<ModuleHandle> ModuleUnload{"cuModuleUnload"};
    Function<KernelHandle*, ModuleHandle, const char*> ModuleFind{"cuModuleGetFunction"};
    Function<KernelHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, StreamHandle, void**,
             void**>
        Launch{"cuLaunchKernel"};
    Function<void*, Address, std::size_t> CopyOutNow{"cuMemcpyDtoH_v2"};
};

}  // namespace cuda

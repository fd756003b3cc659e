// The part of the fault sweep's program that runs kernels.
#pragma once

#include <portacl/portacl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

#include "../did.h"
#include "../held.h"
#include "graph.h"

// The kernels of cpp_tests/kernels for this backend: one of them with more shared memory than the
// default limit of a kernel.
inline void UseKernels(const char* for_cpus, const char* for_gpus) {
    const bool on_cpu = !IsCuda();
    aclrtBinHandle program = nullptr;
    if (!DID(aclrtBinaryLoadFromFile(on_cpu ? for_cpus : for_gpus, nullptr, &program))) return;
    HeldStream stream;
    aclrtFuncHandle mark = nullptr, nothing = nullptr, add_pair = nullptr;
    // The variable after the number is copied from the device.
    DID(aclrtBinaryGetFunctionByEntry(program, 7, &mark));
    DID(aclrtBinaryGetFunction(program, "nothing", &nothing));
    DID(aclrtBinaryGetFunction(program, "add_pair", &add_pair));
    int symbol = 0;
    if (DID(portaclRegisterSymbol(program, &symbol, "kernel_step"))) {
        const uint32_t step = 9;
        uint32_t back = 0;
        DID(aclrtMemcpyToSymbol(&symbol, &step, sizeof step, 0, ACL_MEMCPY_HOST_TO_DEVICE));
        DID(aclrtMemcpyFromSymbol(&back, sizeof back, &symbol, sizeof back, 0, ACL_MEMCPY_DEVICE_TO_HOST));
        Expect(back == step, "a variable that was written");
    }
    {
        HeldMemory words;
        void* address = words;
        uint32_t number = 1;
        void* arguments[] = {&address, &number};
        if (mark && address) DID(aclrtLaunchKernelWithArgsArray(mark, 1, stream, nullptr, arguments));
        if (nothing)
            DID(aclrtLaunchSIMTKernelWithArgsArray(nothing, {1, 1, 1}, {1, 1, 1}, on_cpu ? 0 : 64 << 10, stream,
                                                   nullptr, nullptr));
        struct {
            void* words;
            const void* pair;
            char gap[48];
            uint32_t data[2];
        } block{address, nullptr, {}, {1, 2}};
        aclrtPlaceHolderInfo place{offsetof(decltype(block), pair), offsetof(decltype(block), data)};
        if (add_pair && address)
            DID(aclrtLaunchKernelWithHostArgs(add_pair, 1, stream, nullptr, &block, sizeof block, &place, 1));
        DID(aclrtSynchronizeStream(stream));
    }
    DID(aclrtBinaryUnLoad(program));
}

// The same kernel in a graph.
inline void CaptureKernels(const char* for_cpus, const char* for_gpus) {
    aclrtBinHandle program = nullptr;
    if (!DID(aclrtBinaryLoadFromFile(IsCuda() ? for_gpus : for_cpus, nullptr, &program))) return;
    aclrtFuncHandle mark = nullptr;
    DID(aclrtBinaryGetFunction(program, "mark", &mark));
    {
        HeldStream stream;
        HeldMemory words;
        void* address = words;
        uint32_t number = 1;
        void* arguments[] = {&address, &number};
        aclmdlRI graph = nullptr;
        if (mark && address && DID(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL))) {
            DID(aclrtLaunchKernelWithArgsArray(mark, 1, stream, nullptr, arguments));
            if (DID(aclmdlRICaptureEnd(stream, &graph))) RunAndDestroy(graph, stream);
        }
    }
    DID(aclrtBinaryUnLoad(program));
}

// out = a + b by the kernel of samples/05_kernel.cpp, which is beside this program.
inline void LaunchKernels() {
    const char* backend = portaclBackendName();
    const bool cuda = backend && std::strcmp(backend, "cuda") == 0;
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const std::string program = folder / (cuda ? "vector_add.ptx" : "vector_add.so");
    HeldStream stream;
    HeldMemory out, a;
    Pinned sum;
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle kernel = nullptr;
    if (!DID(aclrtBinaryLoadFromFile(program.c_str(), nullptr, &binary))) return;
    if (DID(aclrtBinaryGetFunction(binary, "vector_add", &kernel)) && out && a && sum) {
        DID(aclrtMemsetAsync(a, kSize, 0, kSize, stream));
        void* out_address = out;
        void* a_address = a;
        uint64_t count = kSize / sizeof(float);
        std::array<void*, 4> each{&out_address, &a_address, &a_address, &count};
        DID(aclrtLaunchKernelWithArgsArray(kernel, 3, stream, nullptr, each.data()));
        DID(aclrtMemcpyAsync(sum, kSize, out, kSize, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    }
    DID(aclrtBinaryUnLoad(binary));
    DID(aclrtSynchronizeStream(stream));
    Expect(sum.ContainsOnly(0), "sums of zeros");
}

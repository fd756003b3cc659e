// The driver as a whole, and the attributes of devices.

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>

#include "base/call.h"
#include "base/config.h"
#include "base/fault.h"
#include "runtime/context.h"
#include "stream/stream.h"

namespace fake {
namespace {

struct Attribute {
    int number;
    int value;
};

// The number of CU_DEVICE_ATTRIBUTE_MAX_PITCH.
constexpr int kMaxPitch = 11;

// The attributes' values, which are invented and of realistic size. Attributes that are not listed are refused as
// unknown.
constexpr Attribute kAttributes[] = {
    {1, 1024},        // most threads per block
    {2, 1024},        // block x
    {3, 1024},        // block y
    {4, 64},          // block z
    {5, 2147483647},  // grid x
    {6, 65535},       // grid y
    {7, 65535},       // grid z
    {8, 49152},       // shared memory per block
    {97, 101376},     // the same, with consent
    {9, 65536},       // constant memory
    {10, 32},         // warp
    {12, 65536},      // registers per block
    {13, 1500000},    // clock, kHz
    {14, 512},        // texture alignment
    {15, 1},          // copies beside kernels
    {16, 8},          // multiprocessors
    {17, 0},          // kernel timeout
    {18, 0},          // integrated
    {19, 1},          // maps host memory
    {20, 0},          // compute mode: default
    {30, 512},        // surface alignment
    {31, 1},          // concurrent kernels
    {32, 1},          // ECC
    {34, 0},          // PCI device
    {35, 0},          // TCC
    {36, 2000000},    // memory clock, kHz
    {37, 1024},       // memory bus width
    {38, 8388608},    // L2 cache
    {39, 2048},       // threads per multiprocessor
    {40, 2},          // copy engines
    {41, 1},          // unified addressing
    {50, 0},          // PCI domain
    {75, 8},          // compute capability
    {76, 0},          //
    {78, 1},          // stream priorities
    {81, 102400},     // shared memory per multiprocessor
    {82, 65536},      // registers per multiprocessor
    {83, 1},          // managed memory
    {84, 0},          // several GPUs on a board
    {85, 0},          // board group
    {86, 0},          // native host atomics
    {87, 2},          // single to double ratio
    {88, 0},          // pageable memory access
    {89, 1},          // concurrent managed access
    {90, 1},          // compute preemption
    {91, 1},          // host pointers for registered memory
    {92, 0},          // stream memory operations (first version)
    {95, 0},          // cooperative launch
    {97, 101376},     // shared memory per block, opted in
    {99, 1},          // host register
    {100, 0},         // host page tables
    {101, 0},         // direct managed access
    {102, 1},         // virtual memory management
    {103, 1},         // sharing by file descriptor
    {106, 32},        // blocks per multiprocessor
    {116, 0},         // GPUDirect RDMA
    {117, 0},         // its flushes
    {118, 0},         // its order
    {124, 0},         // dma-buf
};

constexpr int kPciBusId = 33;

// Assumption: A virtual GPU may lack unified memory, access between devices, and virtual memory management: their
// attributes are 0, and their functions return 217 or 801.
// Source: NVIDIA Virtual GPU Software documentation, CUDA Toolkit Support: Unified Memory and Peer-to-Peer. Virtual
// memory management is not named there: not known, and no virtual GPU was tried
// Test: none: the tests on a card need these features; VirtualGpu.WorksWithoutTheFeaturesThatItLacks is for the fake
// driver

// What a virtual GPU lacks: managed memory, concurrent access to it, virtual memory management, and sharing that.
constexpr int kNotVirtual[] = {83, 89, 102, 103};
// Stream memory operations of 64 bits, and with the comparison NOR.
constexpr int kStreamValues64 = 122;
constexpr int kStreamValuesNor = 123;
// Memory pools: whether they are supported, and the handle types for sharing them.
constexpr int kMemoryPoolsSupported = 115;
constexpr int kPoolHandleTypes = 119;
constexpr int kHostNumaPools = 142;
constexpr int kHostPools = 144;
// The formats that engines for decompression read, and two of them: DEFLATE and Snappy.
constexpr int kDecompression = 136;
constexpr int kFormats = 3;

CUresult check(const Call& call, const void* out, CUdevice ordinal) {
    if (call.refused()) return call.refused();
    if (device(ordinal) == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_DEVICE, "no device %d, there are %zu", ordinal, state().contexts.size());
    }
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "the output is null");
    return CUDA_SUCCESS;
}

void create_devices() {
    State& all = state();
    // The number is in proportion to the memory, because address space is scarce under sanitizers.
    const size_t addresses = config().memory * 16;
    all.pinned_arena = std::make_unique<Arena>(addresses, false);
    all.mapped_arena = std::make_unique<Arena>(addresses, true);
    for (int ordinal = 0; ordinal < config().devices; ++ordinal) {
        all.contexts.push_back(std::make_unique<Context>(ordinal, config().memory));
        name_context(*all.contexts.back());
    }
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuInit(unsigned flags) {
    Call call(__func__, Needs::kNothing);
    if (call.refused()) return call.refused();
    if (flags != 0) return call.misuse(CUDA_ERROR_INVALID_VALUE, "Flags are 0x%x, not 0", flags);
    State& all = state();
    if (all.initialised) return CUDA_SUCCESS;
    if (config().init_error != 0) return config().init_error;
    if (config().devices == 0) return CUDA_ERROR_NO_DEVICE;
    create_devices();
    all.initialised = true;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuDriverGetVersion(int* out) {
    Call call(__func__, Needs::kNothing);
    if (call.refused()) return call.refused();
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "driverVersion is null");
    *out = config().driver_version;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuDeviceGetCount(int* out) {
    Call call(__func__, Needs::kDriver);
    if (call.refused()) return call.refused();
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "count is null");
    *out = static_cast<int>(state().contexts.size());
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuDeviceGet(CUdevice* out, int ordinal) {
    Call call(__func__, Needs::kDriver);
    if (CUresult code = check(call, out, ordinal)) return code;
    *out = ordinal;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuDeviceGetName(char* out, int length, CUdevice ordinal) {
    Call call(__func__, Needs::kDriver);
    if (CUresult code = check(call, out, ordinal)) return code;
    if (length <= 0) return call.misuse(CUDA_ERROR_INVALID_VALUE, "len is %d", length);
    snprintf(out, static_cast<size_t>(length), "fake_cuda test device %d", ordinal);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuDeviceTotalMem_v2(size_t* out, CUdevice ordinal) {
    Call call(__func__, Needs::kDriver);
    if (CUresult code = check(call, out, ordinal)) return code;
    *out = device(ordinal)->device->total;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuDeviceGetAttribute(int* out, int attribute, CUdevice ordinal) {
    Call call(__func__, Needs::kDriver);
    if (CUresult code = check(call, out, ordinal)) return code;
    if (attribute == kPciBusId) {
        *out = ordinal + 1;
        return CUDA_SUCCESS;
    }
    if (attribute == kMaxPitch) {
        *out = static_cast<int>(config().max_pitch);
        return CUDA_SUCCESS;
    }
    if (attribute == kHostNumaPools || attribute == kHostPools) {
        *out = config().memory_pools ? 1 : 0;
        return CUDA_SUCCESS;
    }
    if (attribute == kStreamValues64 || attribute == kStreamValuesNor) {
        *out = kVersion.has_stream_values;
        return CUDA_SUCCESS;
    }
    if (attribute == kMemoryPoolsSupported || attribute == kPoolHandleTypes) {
        // File descriptors, the first handle type, are supported.
        *out = config().memory_pools ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : 0;
        return CUDA_SUCCESS;
    }
    if (attribute == kDecompression && config().decompress) {
        *out = kFormats;
        return CUDA_SUCCESS;
    }
    if (config().vgpu && std::count(std::begin(kNotVirtual), std::end(kNotVirtual), attribute) != 0) {
        *out = 0;
        return CUDA_SUCCESS;
    }
    const auto found = std::find_if(std::begin(kAttributes), std::end(kAttributes),
                                    [=](const Attribute& a) { return a.number == attribute; });
    if (found == std::end(kAttributes)) return CUDA_ERROR_INVALID_VALUE;
    *out = found->value;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice ordinal) {
    if (CUresult code = cuDeviceGetAttribute(major, 75, ordinal)) return code;
    return cuDeviceGetAttribute(minor, 76, ordinal);
}

FAKE_CUDA_EXPORT CUresult cuDeviceGetUuid_v2(CUuuid* out, CUdevice ordinal) {
    Call call(__func__, Needs::kDriver);
    if (CUresult code = check(call, out, ordinal)) return code;
    memcpy(out->bytes, "fake_cuda device", sizeof out->bytes);
    out->bytes[15] = static_cast<char>(ordinal);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuDeviceGetUuid(CUuuid* out, CUdevice ordinal) {
    return cuDeviceGetUuid_v2(out, ordinal);
}

FAKE_CUDA_EXPORT CUresult cuDeviceGetPCIBusId(char* out, int length, CUdevice ordinal) {
    Call call(__func__, Needs::kDriver);
    if (CUresult code = check(call, out, ordinal)) return code;
    if (length < 13) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "len is %d, needed are 13", length);
    }
    snprintf(out, static_cast<size_t>(length), "0000:%02X:00.0", ordinal + 1);
    return CUDA_SUCCESS;
}

#include "run/launch.h"

#include <c10/core/StreamGuard.h>
#include <portacl/portacl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <mutex>
#include <vector>

#include "kernel/kernel.h"
#include "run/plain_aten.h"
#include "run/status.h"
#include "run/uses.h"

// The module of kernel/kernel.cpp, embedded by CMake.
extern "C" const char portacl_operators_kernel[];
extern "C" const char portacl_operators_kernel_end[];

namespace operators {

namespace {

constexpr int32_t kMostDevices = 64;
constexpr size_t kKernels = std::size(kCapacities);

// Throws if a call of the runtime has failed. The runtime's text ends with the code, which is added again.
void Succeed(const char* call, aclError code) {
    if (code == ACL_SUCCESS) return;
    const char* recent = aclGetRecentErrMsg();
    const std::string text = recent != nullptr ? recent : call;
    throw Refusal(code, text.substr(0, text.rfind(" (error ")));
}

void Compute(const portaclBlock* block, uintptr_t address, void* const* storages) {
    auto* const work = reinterpret_cast<Work*>(address);
    try {
        const PlainAten plain;
        // at::set_num_threads sets the number of the thread that calls it and of threads that use ATen for the first
        // time. This one may have used it before.
#if OPERATORS_TORCH >= 207
        at::init_num_threads();
#else
        // Either call takes milliseconds: it makes a pool of threads again.
        if (at::get_num_threads() != work->threads) at::set_num_threads(work->threads);
#endif
        work->Compute({{storages, work->storages.size()}, at::kCPU});
    } catch (...) {
        const Failure failure = CurrentFailure();
        portaclKernelFail(block, failure.code, (std::string(work->name) + ": " + failure.text).c_str());
    }
}

// Ends a launch, which is over.
void EndLaunch(uintptr_t address) {
    finished.Add(reinterpret_cast<Work*>(address));
}

// What is made while it lives belongs to this library: leak reports name what the program makes.
struct NotOfTheProgram {
    NotOfTheProgram() { portaclLeakCheckPause(); }
    ~NotOfTheProgram() { portaclLeakCheckResume(); }
    NotOfTheProgram(const NotOfTheProgram&) = delete;
    NotOfTheProgram& operator=(const NotOfTheProgram&) = delete;
};

// The kernels on one device. A reset of the device, or aclFinalize, makes them invalid.
struct Kernels {
    std::mutex mutex;
    aclrtBinHandle binary = nullptr;
    std::array<std::atomic<aclrtFuncHandle>, kKernels> functions{};

    void Load() {
        const std::lock_guard<std::mutex> lock(mutex);
        const NotOfTheProgram kernels;
        const auto size = static_cast<size_t>(portacl_operators_kernel_end - portacl_operators_kernel);
        Succeed("aclrtBinaryLoadFromData", aclrtBinaryLoadFromData(portacl_operators_kernel, size, nullptr, &binary));
        for (size_t i = 0; i < kKernels; ++i) {
            aclrtFuncHandle function = nullptr;
            Succeed("aclrtBinaryGetFunction", aclrtBinaryGetFunction(binary, kKernelNames[i], &function));
            functions[i].store(function, std::memory_order_release);
        }
    }
};

Kernels& KernelsOfDevice() {
    static auto* const devices = new std::array<Kernels, kMostDevices>;
    int32_t device = 0;
    Succeed("aclrtGetDevice", aclrtGetDevice(&device));
    if (device < 0 || device >= kMostDevices)
        throw Refusal(ACLNN_ERR_RUNTIME_ERROR, "the current device is ", device, "; operators run on devices 0 to ",
                      kMostDevices - 1);
    return (*devices)[static_cast<size_t>(device)];
}

// Whether calls are recorded instead of run: the stream is being captured, or is one that graphs are built from.
bool IsOfGraph(aclrtStream stream) {
    auto status = ACL_MODEL_RI_CAPTURE_STATUS_NONE;
    aclmdlRI graph = nullptr;
    Succeed("aclmdlRICaptureGetInfo", aclmdlRICaptureGetInfo(stream, &status, &graph));
    uint32_t flags = 0;
    if (stream != nullptr) Succeed("aclrtStreamGetFlags", aclrtStreamGetFlags(stream, &flags));
    return status != ACL_MODEL_RI_CAPTURE_STATUS_NONE || (flags & ACL_STREAM_PERSISTENT) != 0;
}

// Computes on the calling thread, which enqueues ATen's kernels in the program's stream. ATen's temporary memory is
// libtorch's.
void ComputeOnCuda(Work& work, aclrtStream stream) {
    if (!at::hasCUDA())
        throw Refusal(
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            "on CUDA, operators need a libtorch with CUDA support, but the loaded libtorch lacks it or finds no "
            "device; install a libtorch for this CUDA driver, or set PORTACL_BACKEND=cpu");
    if (IsOfGraph(stream))
        throw Refusal(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                      "on CUDA, operators cannot be captured or built into graphs; call them in other streams, or set "
                      "PORTACL_BACKEND=cpu");
    int32_t device = 0;
    int32_t native_device = 0;
    void* native_stream = nullptr;
    Succeed("aclrtGetDevice", aclrtGetDevice(&device));
    Succeed("portaclDeviceGetNative", portaclDeviceGetNative(device, &native_device));
    Succeed("portaclStreamGetNative", portaclStreamGetNative(stream, &native_stream));
    const c10::Device where(at::kCUDA, static_cast<c10::DeviceIndex>(native_device));
    const PlainAten plain;
    // Libtorch identifies a stream that it has not made by its handle.
    const c10::StreamGuard guard(
        c10::Stream(c10::Stream::UNSAFE, where, reinterpret_cast<c10::StreamId>(native_stream)));
    work.Compute({work.storages, where});
}

// A launch of more storages than a kernel has parameters for. One kernel after the other stores where its part of the
// storages is on the device; the last one runs the operator.
struct Batch {
    struct Part {
        Batch* batch;
        size_t first;
        size_t count;
    };
    explicit Batch(WorkPointer owned) : work(std::move(owned)), storages(work->storages.size()) {
        constexpr size_t kMost = kCapacities[kKernels - 1];
        for (size_t first = 0; first < storages.size(); first += kMost)
            parts.push_back({this, first, std::min(kMost, storages.size() - first)});
        left = parts.size();
    }
    WorkPointer work;
    std::vector<void*> storages;
    std::vector<Part> parts;
    // The number of parts that are not released.
    std::atomic<size_t> left{0};
};

void RunPart(const portaclBlock* block, uintptr_t address, void* const* storages) {
    const auto& part = *reinterpret_cast<const Batch::Part*>(address);
    Batch& batch = *part.batch;
    std::copy(storages, storages + part.count, batch.storages.begin() + static_cast<std::ptrdiff_t>(part.first));
    if (part.first + part.count < batch.storages.size()) return;
    // An abort between the launches has dropped the earlier parts.
    for (size_t i = 0; i < batch.storages.size(); ++i) {
        if (batch.storages[i] != nullptr || batch.work->used[i].view->numel() == 0) continue;
        const std::string text = std::string(batch.work->name) +
                                 ": an abort of the stream dropped a part of this call; call the operator again";
        portaclKernelFail(block, ACLNN_ERR_INNER, text.c_str());
        return;
    }
    Compute(block, reinterpret_cast<uintptr_t>(batch.work.get()), batch.storages.data());
}

void DropParts(Batch* batch, size_t count) {
    if (batch->left.fetch_sub(count, std::memory_order_acq_rel) != count) return;
    finished.Add(batch->work.release());
    delete batch;
}

void EndPart(uintptr_t address) {
    DropParts(reinterpret_cast<const Batch::Part*>(address)->batch, 1);
}

// Only the last part uses memory: of all storages, which it does not get as its parameters.
size_t UsesOfPart(uintptr_t address, void* const*, portaclUse* uses, size_t capacity) {
    const auto& part = *reinterpret_cast<const Batch::Part*>(address);
    const Work& work = *part.batch->work;
    if (part.first + part.count < work.storages.size()) return 0;
    return UsesOf(reinterpret_cast<uintptr_t>(&work), work.storages.data(), uses, capacity);
}

// Throws if a tensor with elements has no memory. Its address may have been set after the first phase.
void CheckMemory(const Work& work) {
    for (size_t i = 0; i < work.storages.size(); ++i)
        if (work.storages[i] == nullptr && work.used[i].view->numel() > 0)
            throw Refusal(ACLNN_ERR_PARAM_NULLPTR, ParameterName(work, work.used[i].position, work.used[i].element),
                          " has ", work.used[i].view->numel(),
                          work.used[i].view->numel() == 1 ? " element" : " elements",
                          ", but its tensorData is null; pass an address");
}

// Launches the smallest kernel that has parameters for the storages.
void LaunchKernel(Head head, c10::ArrayRef<void*> given, aclrtStream stream) {
    size_t kind = 0;
    while (kCapacities[kind] < given.size()) ++kind;
    std::array<void*, kCapacities[kKernels - 1]> storages;
    std::array<void*, kCapacities[kKernels - 1] + 1> arguments;
    arguments[0] = &head;
    for (size_t i = 0; i < kCapacities[kind]; ++i) {
        storages[i] = i < given.size() ? given[i] : nullptr;
        arguments[i + 1] = &storages[i];
    }

    Kernels& kernels = KernelsOfDevice();
    const auto launch = [&] {
        const aclrtFuncHandle function = kernels.functions[kind].load(std::memory_order_acquire);
        return function == nullptr ? static_cast<aclError>(ACL_ERROR_RT_PARAM_INVALID)
                                   : aclrtLaunchKernelWithArgsArray(function, 1, stream, nullptr, arguments.data());
    };
    aclError code = launch();
    if (code == ACL_ERROR_RT_PARAM_INVALID) {
        ForgetFailure();
        kernels.Load();
        code = launch();
    }
    Succeed("aclrtLaunchKernelWithArgsArray", code);
}

void LaunchBatch(WorkPointer work, aclrtStream stream) {
    // It goes with the last part, perhaps before this returns.
    auto* const batch = new Batch(std::move(work));
    const size_t count = batch->parts.size();
    for (size_t i = 0; i < count; ++i) {
        const Batch::Part& part = batch->parts[i];
        try {
            LaunchKernel({{&RunPart, &EndPart, &UsesOfPart}, reinterpret_cast<uintptr_t>(&part)},
                         c10::ArrayRef<void*>(batch->work->storages).slice(part.first, part.count), stream);
        } catch (...) {
            DropParts(batch, count - i);
            throw;
        }
    }
}

}  // namespace

void LaunchWork(WorkPointer work, aclrtStream stream) {
    CheckMemory(*work);
    const char* backend = portaclBackendName();
    if (backend != nullptr && std::strcmp(backend, "cuda") == 0) return ComputeOnCuda(*work, stream);
    if (work->storages.size() > kCapacities[kKernels - 1]) return LaunchBatch(std::move(work), stream);
    LaunchKernel({{&Compute, &EndLaunch, &UsesOf}, reinterpret_cast<uintptr_t>(work.get())}, work->storages, stream);
    // The launch owns it.
    static_cast<void>(work.release());
}

}  // namespace operators

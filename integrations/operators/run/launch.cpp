#include "run/launch.h"

#include <ATen/record_function.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <portacl/portacl.h>

#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <mutex>

#include "kernel/kernel.h"
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

// Drops the text of a failure that is none for the program.
void ForgetFailure() {
    static_cast<void>(aclGetRecentErrMsg());
    static_cast<void>(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

// Rejects an output of another shape. ATen would warn about it and give it the right one, but here it is memory of the
// program.
class RefuseResize final : public c10::WarningHandler {
  public:
#if OPERATORS_TORCH >= 200
    void process(const c10::Warning& warning) override {
        Refuse(warning.msg());
        c10::WarningHandler::process(warning);
    }
#else
    void process(const c10::SourceLocation& where, const std::string& text, const bool verbatim) override {
        Refuse(text);
        c10::WarningHandler::process(where, text, verbatim);
    }
#endif

  private:
    static void Refuse(const std::string& text) {
        if (text.find("resized") != std::string::npos) throw Refusal(ACLNN_ERR_PARAM_INVALID, text);
    }
};

// Gives ATen its initial state while it lives. Threads that wait for a stream run kernels, too. They may be threads of
// Python, with a state of ATen that is none of the operator's: autograd, autocast, dispatch to Python, profilers.
class PlainAten {
  public:
    PlainAten() : keys_(Keys()), records_(false), warnings_(&handler_) {}

  private:
    static inline const c10::DispatchKeySet kExcluded =
        c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset | c10::python_ks |
        c10::DispatchKeySet{c10::DispatchKey::PythonDispatcher, c10::DispatchKey::FuncTorchDynamicLayerFrontMode,
                            c10::DispatchKey::FuncTorchDynamicLayerBackMode, c10::DispatchKey::FuncTorchBatched,
                            c10::DispatchKey::Functionalize}
#if OPERATORS_TORCH >= 201
        | c10::DispatchKeySet{c10::DispatchKey::BatchedNestedTensor, c10::DispatchKey::PreDispatch}
#endif
    ;
    static c10::impl::LocalDispatchKeySet Keys() {
        c10::impl::PODLocalDispatchKeySet keys{};
        keys.set_included(c10::DispatchKeySet(c10::DispatchKey::BackendSelect));
        keys.set_excluded(kExcluded);
        return keys;
    }
    c10::impl::ForceDispatchKeyGuard keys_;
    at::RecordFunctionGuard records_;
    RefuseResize handler_;
#if OPERATORS_TORCH >= 200
    c10::WarningUtils::WarningHandlerGuard warnings_;
#else
    c10::Warning::WarningHandlerGuard warnings_;
#endif
};

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
        throw Refusal(ACLNN_ERR_RUNTIME_ERROR, "the device is ", device, "; operators run on devices 0 to ",
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
            "on CUDA, operators need a libtorch with CUDA support, but the loaded libtorch finds no CUDA; use another "
            "libtorch, or set PORTACL_BACKEND=cpu");
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

// Throws if a tensor with elements has no memory. Its address may have been set after the first phase.
void CheckMemory(const Work& work) {
    for (size_t i = 0; i < work.storages.size(); ++i)
        if (work.storages[i] == nullptr && work.used[i].view->numel() > 0)
            throw Refusal(ACLNN_ERR_PARAM_NULLPTR, ParameterName(work, work.used[i].position, work.used[i].element),
                          " has ", work.used[i].view->numel(),
                          " elements, but its tensorData is null; pass an address");
}

}  // namespace

void LaunchWork(WorkPointer work, aclrtStream stream) {
    CheckMemory(*work);
    const char* backend = portaclBackendName();
    if (backend != nullptr && std::strcmp(backend, "cuda") == 0) return ComputeOnCuda(*work, stream);
    const size_t count = work->storages.size();
    size_t kind = 0;
    while (kind < kKernels && kCapacities[kind] < count) ++kind;
    if (kind == kKernels)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "the arguments have ", count, " tensors; at most ",
                      kCapacities[kKernels - 1], " are supported, so split the lists");

    Head head{{&Compute, &EndLaunch, &UsesOf}, reinterpret_cast<uintptr_t>(work.get())};
    std::array<void*, kCapacities[kKernels - 1]> storages;
    std::array<void*, kCapacities[kKernels - 1] + 1> arguments;
    arguments[0] = &head;
    for (size_t i = 0; i < kCapacities[kind]; ++i) {
        storages[i] = i < count ? work->storages[i] : nullptr;
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
    // The launch owns it.
    static_cast<void>(work.release());
}

}  // namespace operators

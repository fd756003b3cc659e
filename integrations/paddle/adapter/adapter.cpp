// Paddle's CPU kernels as kernels of the device. Each is registered for the device, for every data type that the CPU
// has; a call builds the CPU's form of the arguments over the device's memory, calls the CPU kernel, and hands the
// results back. So a program gets the CPU's results, and what an operator does in place stays in place.
#include <paddle/phi/core/kernel_context.h>
#include <paddle/phi/core/kernel_factory.h>

#include <cstring>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "device_memory.h"
#include "kernels_of_others.h"
#include "signature.h"
#include "trampolines.h"
#include "views.h"
#include "worker.h"

namespace portacl_paddle {
namespace {

struct Adapted {
    std::string name;
    phi::Kernel cpu;
    Signature signature;
};

const DeviceMemory* device_memory = nullptr;
// By number; complete before the first call.
std::vector<Adapted> adapted;

// Containers that the CPU kernel gets in place of the caller's, as long as the call takes.
struct Containers {
    std::list<paddle::optional<phi::DenseTensor>> tensors;
    std::list<paddle::optional<phi::SelectedRows>> rows;
    std::list<std::vector<phi::TensorBase*>> lists;
    std::list<paddle::optional<std::vector<const phi::DenseTensor*>>> optional_lists;
};

template <typename T>
std::uintptr_t Address(T& object) {
    return reinterpret_cast<std::uintptr_t>(&object);
}

// All lists of pointers to tensors have the same form: a tensor's address is that of its TensorBase, its only base.
std::uintptr_t List(std::uintptr_t given, bool is_output, Views& views, Containers& containers) {
    std::vector<phi::TensorBase*> list = *reinterpret_cast<const std::vector<phi::TensorBase*>*>(given);
    for (phi::TensorBase*& tensor : list) {
        tensor = is_output ? views.Output(tensor) : const_cast<phi::TensorBase*>(views.Input(tensor));
    }
    containers.lists.push_back(std::move(list));
    return Address(containers.lists.back());
}

std::uintptr_t Translate(const TensorArgument& argument, std::uintptr_t given, Views& views, Containers& containers) {
    switch (argument.kind) {
        case Kind::kTensor: {
            auto* const tensor = reinterpret_cast<phi::TensorBase*>(given);
            return reinterpret_cast<std::uintptr_t>(argument.is_output ? views.Output(tensor) : views.Input(tensor));
        }
        case Kind::kOptionalTensor: {
            const auto& optional = *reinterpret_cast<const paddle::optional<phi::DenseTensor>*>(given);
            if (!optional) return given;
            containers.tensors.emplace_back(views.Copy(*optional));
            return Address(containers.tensors.back());
        }
        case Kind::kOptionalRows: {
            const auto& optional = *reinterpret_cast<const paddle::optional<phi::SelectedRows>*>(given);
            if (!optional) return given;
            containers.rows.emplace_back(static_cast<const phi::SelectedRows&>(*views.Input(&*optional)));
            return Address(containers.rows.back());
        }
        case Kind::kOptionalTensors: {
            const auto& optional =
                *reinterpret_cast<const paddle::optional<std::vector<const phi::DenseTensor*>>*>(given);
            if (!optional) return given;
            std::vector<const phi::DenseTensor*> list = *optional;
            for (auto& tensor : list) tensor = static_cast<const phi::DenseTensor*>(views.Input(tensor));
            containers.optional_lists.emplace_back(std::move(list));
            return Address(containers.optional_lists.back());
        }
        default:
            return List(given, argument.is_output, views, containers);
    }
}

phi::Attribute Translate(const phi::Attribute& attribute, Views& views) {
    const auto view = [&](const phi::TensorRef& tensor) {
        return phi::TensorRef(static_cast<const phi::DenseTensor*>(views.Input(tensor.Get())));
    };
    if (const auto* const tensor = paddle::get_if<phi::TensorRef>(&attribute)) return view(*tensor);
    if (const auto* const tensors = paddle::get_if<std::vector<phi::TensorRef>>(&attribute)) {
        std::vector<phi::TensorRef> list;
        for (const phi::TensorRef& tensor : *tensors) list.push_back(view(tensor));
        return list;
    }
    return attribute;
}

phi::KernelContext Translate(phi::KernelContext& given, const phi::KernelArgsDef& arguments, phi::CPUContext& context,
                             Views& views) {
    phi::KernelContext translated(&context);
    for (std::size_t i = 0; i < given.InputsSize(); ++i) {
        translated.EmplaceBackInputWithoutSetRange(views.Input(given.MutableInputAt(i)));
    }
    for (std::size_t i = 0; i < given.OutputsSize(); ++i) {
        translated.EmplaceBackOutputWithoutSetRange(views.Output(given.MutableOutputAt(i)));
    }
    for (std::size_t i = 0; i < arguments.input_defs().size(); ++i) {
        translated.AssignInputRange(std::pair<int, int>(given.InputRangeAt(i)), i);
    }
    for (std::size_t i = 0; i < arguments.output_defs().size(); ++i) {
        translated.AssignOutputRange(std::pair<int, int>(given.OutputRangeAt(i)), i);
    }
    for (std::size_t i = 0; i < given.AttrsSize(); ++i) translated.EmplaceBackAttr(Translate(given.AttrAt(i), views));
    return translated;
}

}  // namespace

void RunInContext(std::size_t number, phi::KernelContext* given) {
    const Adapted& kernel = adapted[number];
    const DeviceOfCall device(*device_memory, given->GetDeviceContext<phi::CustomContext>(), kernel.name.c_str());
    device.Wait();
    Worker worker(device);
    Views views(device, worker.Tensors());
    phi::KernelContext context = Translate(*given, kernel.cpu.args_def(), worker.Context(), views);
    kernel.cpu(&context);
    views.Return();
}

void RunDirectly(std::size_t number, DirectCall& call) {
    const Adapted& kernel = adapted[number];
    const auto& given = *reinterpret_cast<const phi::DeviceContext*>(call.words[0]);
    const DeviceOfCall device(*device_memory, static_cast<const phi::CustomContext&>(given), kernel.name.c_str());
    device.Wait();
    Worker worker(device);
    Views views(device, worker.Tensors());
    Containers containers;
    const phi::DeviceContext& context = worker.Context();
    call.words[0] = Address(context);
    for (const TensorArgument& argument : kernel.signature.tensors) {
        call.words[argument.word] = Translate(argument, call.words[argument.word], views, containers);
    }
    Invoke(kernel.cpu.GetVariadicKernelFn<void*>(), call);
    views.Return();
}

namespace {

struct Registration {
    phi::KernelKey key;
    phi::Kernel kernel;
};

// Paddle has kernels for all custom devices under this name.
bool DeviceHas(const phi::KernelKeyMap& kernels, phi::Backend device, const phi::KernelKey& key) {
    for (const phi::Backend backend : {device, phi::Backend::CUSTOM}) {
        if (kernels.count(phi::KernelKey(backend, key.layout(), key.dtype())) != 0) return true;
    }
    return false;
}

// The CPU kernel as one of the device. It takes its inputs from wherever they are, on the host or the device: if Paddle
// moved them, an operator in place would write to something else than it reads.
phi::Kernel ForDevice(const phi::Kernel& cpu, std::size_t number, phi::Backend device) {
    phi::Kernel kernel(InContext(number), Directly(number));
    *kernel.mutable_args_def() = cpu.args_def();
    kernel.get_kerneltype_forvar_fn_ = cpu.get_kerneltype_forvar_fn_;
    for (auto& input : kernel.mutable_args_def()->input_defs()) input.SetBackend(phi::Backend::ALL_BACKEND);
    for (auto& output : kernel.mutable_args_def()->output_defs()) {
        if (output.backend == phi::Backend::CPU) output.SetBackend(device);
    }
    return kernel;
}

void RegisterName(const std::string& name, phi::KernelKeyMap& kernels, phi::Backend device) {
    std::vector<Registration> found;
    for (const auto& [key, cpu] : kernels) {
        if (key.backend() != phi::Backend::CPU || DeviceHas(kernels, device, key)) continue;
        if (cpu.GetKernelRegisteredType() != phi::KernelRegisteredType::FUNCTION) continue;
        auto signature = SignatureOf(cpu.args_def());
        if (!signature || adapted.size() >= kTrampolines) continue;
        found.push_back({phi::KernelKey(device, key.layout(), key.dtype()), ForDevice(cpu, adapted.size(), device)});
        adapted.push_back({name, cpu, std::move(*signature)});
    }
    for (const Registration& one : found) kernels[one.key] = one.kernel;
}

}  // namespace
}  // namespace portacl_paddle

extern "C" __attribute__((visibility("default"))) const char portacl_paddle_release[] = PORTACL_PADDLE_RELEASE;

extern "C" __attribute__((visibility("default"))) const char* portacl_paddle_adapt(
    const char* device_type, const portacl_paddle::DeviceMemory* memory) {
    using namespace portacl_paddle;
    if (memory->size != sizeof(DeviceMemory)) return "it is from another version of portacl; install portacl again";
    device_memory = memory;
    const phi::Backend device = paddle::experimental::StringToBackend(device_type);
    for (auto& [name, kernels] : phi::KernelFactory::Instance().kernels()) {
        if (!BelongsToOthers(name, memory->is_on_host)) RegisterName(name, kernels, device);
    }
    return nullptr;
}

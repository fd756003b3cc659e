// Paddle's CPU kernels as kernels of the device. Each is registered for the device, for every data type that the CPU
// has; a call builds the CPU's form of the arguments over the device's memory, calls the CPU kernel, and hands the
// results back. So a program gets the CPU's results, and what an operator does in place stays in place.
#include <paddle/phi/core/kernel_context.h>
#include <paddle/phi/core/kernel_factory.h>

#include <cstring>
#include <list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "device_memory.h"
#include "half.h"
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
    phi::DataType half;  // the type that it is registered for, if it is a kernel of single precision for half precision
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

// An input, null if there is none. Paddle 3.0 spells the function without an `n`; the name is looked up in each
// release.
template <typename Context>
auto InputOf(Context& given, std::size_t index, int) -> decltype(given.MutableInputAt(index)) {
    return given.MutableInputAt(index);
}
template <typename Context>
auto InputOf(Context& given, std::size_t index, long) -> decltype(given.MutableIutputAt(index)) {
    return given.MutableIutputAt(index);
}

phi::Attribute Translate(const phi::Attribute& attribute, phi::DataType half, Views& views) {
    const auto* const type = paddle::get_if<phi::DataType>(&attribute);
    if (type != nullptr && half != phi::DataType::UNDEFINED && IsHalf(*type)) return kSingle;
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

// The arguments of a call that are tensors, in their order; null for one that is absent. Only of calls with half
// precision.
struct Arguments {
    std::vector<const phi::TensorBase*> inputs;
    std::vector<const phi::TensorBase*> outputs;
};

const phi::DenseTensor* Dense(const phi::TensorBase* tensor) {
    return tensor != nullptr && phi::DenseTensor::classof(tensor) ? static_cast<const phi::DenseTensor*>(tensor)
                                                                  : nullptr;
}

// An optimizer's parameter of half precision may have a master in single precision, the last of the outputs, which it
// is computed from. CPU kernels of single precision read the parameter and leave the master as it is.
void FindMaster(const Arguments& arguments, Views& views) {
    if (arguments.inputs.empty() || arguments.outputs.empty()) return;
    const phi::DenseTensor* const parameter = Dense(arguments.inputs.front());
    const phi::DenseTensor* const updated = Dense(arguments.outputs.front());
    const phi::DenseTensor* const master = Dense(arguments.outputs.back());
    if (parameter == nullptr || updated == nullptr || master == nullptr) return;
    if (!parameter->has_allocation() || !master->has_allocation() || parameter->Holder() != updated->Holder()) return;
    if (!IsHalf(parameter->dtype()) || master->dtype() != kSingle || master->dims() != parameter->dims()) return;
    for (const phi::TensorBase* input : arguments.inputs) {
        const phi::DenseTensor* const tensor = Dense(input);
        if (tensor != nullptr && tensor->Holder() == master->Holder()) return views.UseMaster(*parameter, *master);
    }
}

[[noreturn]] void RefuseMasters(const Adapted& kernel) {
    throw std::runtime_error("portacl: " + kernel.name +
                             ": the operator gets a list of master parameters in single precision, "
                             "which the device does not support; pass use_multi_tensor=False to the optimizer");
}

Arguments ArgumentsOf(phi::KernelContext& given, const Adapted& kernel) {
    Arguments arguments;
    const std::size_t inputs = kernel.cpu.args_def().input_defs().size();
    for (std::size_t i = 0; i < inputs; ++i) {
        const int first = given.InputRangeAt(i).first;
        arguments.inputs.push_back(InputOf(given, first, 0));
        const bool is_list = kernel.signature.tensors[i].kind == Kind::kOptionalTensors;
        if (is_list && arguments.inputs.back() != nullptr) RefuseMasters(kernel);
    }
    for (std::size_t i = 0; i < given.OutputsSize(); ++i) arguments.outputs.push_back(given.MutableOutputAt(i));
    return arguments;
}

Arguments ArgumentsOf(const DirectCall& call, const Adapted& kernel) {
    Arguments arguments;
    for (const TensorArgument& argument : kernel.signature.tensors) {
        const std::uintptr_t given = call.words[argument.word];
        const phi::TensorBase* tensor = nullptr;
        if (argument.kind == Kind::kTensor) {
            tensor = reinterpret_cast<const phi::TensorBase*>(given);
        } else if (argument.kind == Kind::kOptionalTensor) {
            const auto& optional = *reinterpret_cast<const paddle::optional<phi::DenseTensor>*>(given);
            if (optional) tensor = &*optional;
        } else if (argument.kind == Kind::kOptionalTensors) {
            if (*reinterpret_cast<const paddle::optional<std::vector<const phi::DenseTensor*>>*>(given)) {
                RefuseMasters(kernel);
            }
        }
        (argument.is_output ? arguments.outputs : arguments.inputs).push_back(tensor);
    }
    return arguments;
}

phi::KernelContext Translate(phi::KernelContext& given, const Adapted& kernel, phi::CPUContext& context, Views& views) {
    phi::KernelContext translated(&context);
    const phi::KernelArgsDef& arguments = kernel.cpu.args_def();
    for (std::size_t i = 0; i < given.InputsSize(); ++i) {
        translated.EmplaceBackInputWithoutSetRange(views.Input(InputOf(given, i, 0)));
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
    for (std::size_t i = 0; i < given.AttrsSize(); ++i) {
        translated.EmplaceBackAttr(Translate(given.AttrAt(i), kernel.half, views));
    }
    return translated;
}

}  // namespace

void RunInContext(std::size_t number, phi::KernelContext* given) {
    const Adapted& kernel = adapted[number];
    const DeviceOfCall device(*device_memory, given->GetDeviceContext<phi::CustomContext>(), kernel.name.c_str());
    device.Wait();
    Worker worker(device);
    Views views(device, worker.Tensors(), kernel.half);
    if (kernel.half != phi::DataType::UNDEFINED) FindMaster(ArgumentsOf(*given, kernel), views);
    phi::KernelContext context = Translate(*given, kernel, worker.Context(), views);
    kernel.cpu(&context);
    views.Return();
}

void RunDirectly(std::size_t number, DirectCall& call) {
    const Adapted& kernel = adapted[number];
    const auto& given = *reinterpret_cast<const phi::DeviceContext*>(call.words[0]);
    const DeviceOfCall device(*device_memory, static_cast<const phi::CustomContext&>(given), kernel.name.c_str());
    device.Wait();
    Worker worker(device);
    Views views(device, worker.Tensors(), kernel.half);
    Containers containers;
    if (kernel.half != phi::DataType::UNDEFINED) {
        FindMaster(ArgumentsOf(call, kernel), views);
        for (const std::uint8_t word : kernel.signature.data_types) {
            auto& type = call.words[word];
            if (IsHalf(static_cast<phi::DataType>(type))) type = static_cast<std::uintptr_t>(kSingle);
        }
    }
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
phi::Kernel ForDevice(const phi::Kernel& cpu, phi::DataType half, std::size_t number, phi::Backend device) {
    phi::Kernel kernel(InContext(number), Directly(number));
    *kernel.mutable_args_def() = cpu.args_def();
    kernel.get_kerneltype_forvar_fn_ = cpu.get_kerneltype_forvar_fn_;
    for (auto& input : kernel.mutable_args_def()->input_defs()) input.SetBackend(phi::Backend::ALL_BACKEND);
    for (auto& output : kernel.mutable_args_def()->output_defs()) {
        if (output.backend == phi::Backend::CPU) output.SetBackend(device);
    }
    if (half == phi::DataType::UNDEFINED) return kernel;
    for (auto& input : kernel.mutable_args_def()->input_defs()) {
        if (input.dtype == kSingle) input.SetDataType(half);
    }
    for (auto& output : kernel.mutable_args_def()->output_defs()) {
        if (output.dtype == kSingle) output.SetDataType(half);
    }
    return kernel;
}

// The types of half precision that a CPU kernel serves for want of another, after its own.
std::vector<phi::DataType> TypesOf(const std::string& name, const phi::KernelKeyMap& kernels,
                                   const phi::KernelKey& key) {
    std::vector<phi::DataType> types{phi::DataType::UNDEFINED};
    if (key.dtype() != kSingle || DependsOnBits(name)) return types;
    for (const phi::DataType half : kHalfTypes) {
        if (kernels.count(phi::KernelKey(phi::Backend::CPU, key.layout(), half)) == 0) types.push_back(half);
    }
    return types;
}

void RegisterName(const std::string& name, phi::KernelKeyMap& kernels, phi::Backend device) {
    std::vector<Registration> found;
    for (const auto& [key, cpu] : kernels) {
        if (key.backend() != phi::Backend::CPU) continue;
        if (cpu.GetKernelRegisteredType() != phi::KernelRegisteredType::FUNCTION) continue;
        for (const phi::DataType half : TypesOf(name, kernels, key)) {
            const phi::DataType type = half == phi::DataType::UNDEFINED ? key.dtype() : half;
            const phi::KernelKey registered(device, key.layout(), type);
            if (DeviceHas(kernels, device, registered)) continue;
            auto signature = SignatureOf(cpu.args_def());
            if (!signature || adapted.size() >= kTrampolines) continue;
            found.push_back({registered, ForDevice(cpu, half, adapted.size(), device)});
            adapted.push_back({name, cpu, std::move(*signature), half});
        }
    }
    for (const Registration& one : found) kernels[one.key] = one.kernel;
}

}  // namespace
}  // namespace portacl_paddle

extern "C" __attribute__((visibility("default"))) const char portacl_paddle_release[] = PORTACL_PADDLE_RELEASE;

extern "C" __attribute__((visibility("default"))) const char* portacl_paddle_adapt(
    const char* device_type, const portacl_paddle::DeviceMemory* memory) {
    using namespace portacl_paddle;
    if (memory->size != sizeof(DeviceMemory)) return "it is from another version of portacl";
    device_memory = memory;
    const phi::Backend device = paddle::experimental::StringToBackend(device_type);
    for (auto& [name, kernels] : phi::KernelFactory::Instance().kernels()) {
        if (!BelongsToOthers(name, memory->is_on_host)) RegisterName(name, kernels, device);
    }
    return nullptr;
}

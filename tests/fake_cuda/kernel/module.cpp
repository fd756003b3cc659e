#include "kernel/module.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <regex>

#include "base/call.h"
#include "base/config.h"
#include "memory/memory.h"
#include "stream/stream.h"

// Assumption: cuFuncGetParamInfo returns 1 after the last parameter of a kernel.
// Source: CUDA Driver API, Execution Control: cuFuncGetParamInfo
// Test: KernelInfo.ParametersAreReturned

// Assumption: To load a module, and to look a kernel up for the first time, may wait for all work in the context.
// Source: CUDA Programming Guide, Lazy Loading: Concurrent Execution
// Test: Reduce.TheFirstOneDoesNotWaitForABlockedStream

namespace fake {
namespace {

// The maximum with opt-in, see cuFuncSetAttribute.
constexpr int kMostSharedBytes = 101376;

// Returns the newest PTX version, times ten, that a driver of this version reads: CUDA 11.4 reads 7.4, and 13.0 reads
// 9.0.
int newest_ptx(int driver_version) {
    return (driver_version / 1000 - 4) * 10 + driver_version % 1000 / 10;
}

// Parses the variables of a PTX text: numbers, and arrays of them, with their initial values or 0.
void read_variables(const std::string& text, std::map<std::string, Variable>* variables) {
    const std::regex variable(R"(\.(?:global|const)\s+(?:\.align\s+\d+\s+)?\.[usfb](8|16|32|64)\s+([A-Za-z_$][\w$]*))"
                              R"(\s*(?:\[\s*(\d+)\s*\])?\s*(?:=\s*\{?([^;}]*)\}?\s*)?;)");
    const std::regex number("0f([0-9A-Fa-f]{8})|[0-9]+");
    for (std::sregex_iterator at(text.begin(), text.end(), variable), end; at != end; ++at) {
        const size_t size = std::stoul((*at)[1]) / 8;
        const size_t count = (*at)[3].matched ? std::stoul((*at)[3]) : 1;
        Variable found;
        found.bytes.resize(size * count);
        const std::string values = (*at)[4];
        size_t offset = 0;
        for (std::sregex_iterator one(values.begin(), values.end(), number); one != end && offset < found.bytes.size();
             ++one, offset += size) {
            const bool real = (*one)[1].matched;
            const uint64_t value = std::stoull(one->str(real ? 1 : 0), nullptr, real ? 16 : 10);
            memcpy(found.bytes.data() + offset, &value, size);
        }
        variables->emplace((*at)[2], std::move(found));
    }
}

// Parses the entries of a PTX text. It knows enough of the language for portacl's modules:
// comments, directives, and entries with their parameters.
CUresult read_ptx(const Call& call, const std::string& image, PtxProgram* program) {
    const std::string text = std::regex_replace(image, std::regex("//[^\n]*"), "");
    std::smatch match;
    if (!std::regex_search(text, match, std::regex(R"(^\s*\.version\s+(\d+)\.(\d+))"))) {
        return call.misuse(CUDA_ERROR_INVALID_IMAGE, "the image does not begin with .version");
    }
    program->version = std::stoi(match[1]) * 10 + std::stoi(match[2]);
    if (!std::regex_search(text, std::regex(R"(\.target\s+sm_\d+)")) ||
        !std::regex_search(text, std::regex(R"(\.address_size\s+64)"))) {
        return call.misuse(CUDA_ERROR_INVALID_PTX, "the image lacks .target or .address_size 64");
    }
    const std::regex entry(R"(\.entry\s+([A-Za-z_$][\w$]*)\s*\(([^)]*)\)\s*(\.maxntid\s+(\d+))?)");
    // A parameter is a number, or a structure as an array of bytes with its alignment.
    const std::regex parameter(R"(\.param\s+(?:\.align\s+(\d+)\s+)?\.[usfb](8|16|32|64)\s+[\w$]+(?:\[(\d+)\])?)");
    for (std::sregex_iterator at(text.begin(), text.end(), entry), end; at != end; ++at) {
        const std::string name = (*at)[1];
        const std::string parameters = (*at)[2];
        Entry found;
        if ((*at)[4].matched) found.most_threads = static_cast<unsigned>(std::stoul((*at)[4]));
        for (std::sregex_iterator one(parameters.begin(), parameters.end(), parameter); one != end; ++one) {
            const size_t element = std::stoul((*one)[2]) / 8;
            const size_t alignment = (*one)[1].matched ? std::stoul((*one)[1]) : element;
            const size_t size = element * ((*one)[3].matched ? std::stoul((*one)[3]) : 1);
            found.parameters.push_back({(found.size() + alignment - 1) / alignment * alignment, size});
        }
        program->entries.emplace(name, std::move(found));
    }
    read_variables(text, &program->variables);
    return CUDA_SUCCESS;
}

void forget_variables(const Module& module) {
    for (const auto& [name, variable] : module.program.variables) {
        if (variable.address != 0) state().blocks.erase(variable.address);
    }
}

CUresult load(const Call& call, CUmodule* out, const void* image) {
    if (call.refused()) return call.refused();
    if (out == nullptr || image == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "module or image is null");
    }
    call.block(call.context(), work_so_far(call.context()));
    auto module = std::make_shared<Module>();
    module->context = &call.context();
    const auto* const start = static_cast<const char*>(image);
    const std::string text(start, strnlen(start, size_t{16} << 20));
    const auto translated = translated_programs().find(hash_of(text));
    if (translated != translated_programs().end()) {
        module->program = translated->second;
    } else if (CUresult code = read_ptx(call, text, &module->program)) {
        return code;
    }
    if (module->program.version > newest_ptx(config().driver_version)) return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    for (auto& [name, variable] : module->program.variables) {
        const auto block = allocate_device(call.context(), variable.bytes.size());
        if (block == nullptr) {
            forget_variables(*module);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }
        block->is_variable = true;
        memcpy(block->bytes, variable.bytes.data(), variable.bytes.size());
        variable.address = block->address;
    }
    *out = reinterpret_cast<CUmodule>(state().modules.add(std::move(module)));
    return CUDA_SUCCESS;
}

}  // namespace

std::shared_ptr<Function> find_function(const Call& call, CUfunction handle, CUresult* code) {
    auto function = state().functions.find(number_of(handle));
    if (function == nullptr) {
        *code = call.refuse_handle(state().functions, "function", number_of(handle));
    }
    return function;
}

}  // namespace fake

using namespace fake;

// Assumption: PTX of version 6.4 for sm_52 loads on every device of compute capability 5.2 or later. Floating-point
// results are those of IEEE 754, NaNs are canonical.
// Source: PTX ISA, PTX Module Directives: .target; Floating Point Instructions
// Test: Reduce.Float16RoundsToEvenAndOverflowsToInfinity, Reduce.InfinitiesNaNsAndZeros

FAKE_CUDA_EXPORT CUresult cuModuleLoadData(CUmodule* out, const void* image) {
    Call call(__func__, Needs::kContext);
    return load(call, out, image);
}

FAKE_CUDA_EXPORT CUresult cuModuleLoadDataEx(CUmodule* out, const void* image, unsigned count, const int* options,
                                             void** values) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (count != 0 && (options == nullptr || values == nullptr)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "options or optionValues is null");
    }
    return load(call, out, image);
}

// Assumption: A launch that is pending when its module is unloaded needs the module until it is complete.
// Source: CUDA Driver API, Module Management: cuModuleUnload, which says nothing of pending launches. Not known; the
// next run on a card asks it by tests/interop/queue_probe.py
// Test: none: the library unloads a module after its launches (KernelLaunch.APendingLaunchOutlivesItsProgram), so its
// tests pass either way

FAKE_CUDA_EXPORT CUresult cuModuleUnload(CUmodule handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const auto module = state().modules.find(number_of(handle));
    if (module == nullptr) return call.refuse_handle(state().modules, "module", number_of(handle));
    // Pending launches of its kernels complete first.
    call.block(*module->context, work_so_far(*module->context));
    for (const auto& entry : module->functions) {
        state().functions.remove(entry.second);
    }
    forget_variables(*module);
    state().modules.remove(number_of(handle));
    return module->context->sticky;
}

FAKE_CUDA_EXPORT CUresult cuModuleGetFunction(CUfunction* out, CUmodule handle, const char* name) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const auto module = state().modules.find(number_of(handle));
    if (module == nullptr) return call.refuse_handle(state().modules, "module", number_of(handle));
    if (out == nullptr || name == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "hfunc or name is null");
    }
    const auto entry = module->program.entries.find(name);
    if (entry == module->program.entries.end()) return CUDA_ERROR_NOT_FOUND;
    const auto known = module->functions.find(name);
    if (known != module->functions.end()) {
        *out = reinterpret_cast<CUfunction>(known->second);
        return CUDA_SUCCESS;
    }
    call.block(*module->context, work_so_far(*module->context));
    auto function = std::make_shared<Function>();
    function->context = module->context;
    function->name = name;
    function->entry = entry->second;
    function->variables = module->program.variables;
    if (function->entry.run == nullptr) {
        fprintf(stderr, "fake_cuda: cannot run %s: only the PTX that ptx.py has translated is known here\n", name);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    const uint64_t issued = state().functions.add(std::move(function));
    module->functions.emplace(name, issued);
    *out = reinterpret_cast<CUfunction>(issued);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr* out, size_t* size, CUmodule handle, const char* name) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const auto module = state().modules.find(number_of(handle));
    if (module == nullptr) return call.refuse_handle(state().modules, "module", number_of(handle));
    if (name == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "name is null");
    const auto found = module->program.variables.find(name);
    if (found == module->program.variables.end()) return CUDA_ERROR_NOT_FOUND;
    if (out != nullptr) *out = found->second.address;
    if (size != nullptr) *size = found->second.bytes.size();
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuFuncGetAttribute(int* out, int attribute, CUfunction handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto function = find_function(call, handle, &code);
    if (function == nullptr) return code;
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "pi is null");
    // Threads per block, shared, constant and local bytes, registers, PTX version, binary version.
    const int kValues[] = {static_cast<int>(function->entry.most_threads), 0, 0, 0, 32, 52, 80};
    if (attribute < 0 || static_cast<size_t>(attribute) >= std::size(kValues)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = kValues[attribute];
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuFuncSetAttribute(CUfunction handle, int attribute, int value) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto function = find_function(call, handle, &code);
    if (function == nullptr) return code;
    constexpr int kMaxDynamicSharedSizeBytes = 8;
    if (attribute != kMaxDynamicSharedSizeBytes || value < 0 || value > kMostSharedBytes) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "attribute %d, value %d; here only 8, the bytes of shared memory, can be "
                           "set, to %d at most",
                           attribute, value, kMostSharedBytes);
    }
    function->most_shared = static_cast<unsigned>(value);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t* offset, size_t* size) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto function = find_function(call, handle, &code);
    if (function == nullptr) return code;
    // Callers find out in this way how many there are.
    if (index >= function->entry.parameters.size()) return CUDA_ERROR_INVALID_VALUE;
    if (offset == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "paramOffset is null");
    *offset = function->entry.parameters[index].offset;
    if (size != nullptr) *size = function->entry.parameters[index].size;
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                         unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                         CUstream stream_handle, void** parameters, void** extra) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    if (find_function(call, function, &code) == nullptr) return code;
    const auto stream = find_stream_to_submit(call, stream_handle, &code);
    if (stream == nullptr) return code;
    Launch launch;
    const Grid grid{{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}};
    code = make_launch(call, function, grid, shared, *stream->context, parameters, extra, &launch);
    return code == CUDA_SUCCESS ? queue_launch(call, *stream, launch) : code;
}

#include "module.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <regex>

#include "call.h"
#include "config.h"
#include "memory.h"
#include "stream.h"

namespace fake {
namespace {

constexpr unsigned kMostThreads = 1024;
constexpr unsigned kMostShared = 49152;

using ull = unsigned long long;

// The newest PTX version, times ten, that a driver of this version reads: CUDA 11.4 knows 7.4, and
// 13.0 knows 9.0.
int newest_ptx(int driver_version) {
    return (driver_version / 1000 - 4) * 10 + driver_version % 1000 / 10;
}

// Reads the entries of a PTX text. Enough of the language to know our own modules: comments,
// directives, and entries with their parameters.
CUresult read_ptx(const Call& call, const char* image, std::set<std::string>* entries) {
    const size_t length = strnlen(image, size_t{16} << 20);
    const std::string text =
        std::regex_replace(std::string(image, length), std::regex("//[^\n]*"), "");
    std::smatch match;
    if (!std::regex_search(text, match, std::regex(R"(^\s*\.version\s+(\d+)\.(\d+))"))) {
        return call.misuse(CUDA_ERROR_INVALID_IMAGE, "the image does not begin with .version");
    }
    const int version = std::stoi(match[1]) * 10 + std::stoi(match[2]);
    if (version > newest_ptx(config().driver_version)) {
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    if (!std::regex_search(text, std::regex(R"(\.target\s+sm_\d+)")) ||
        !std::regex_search(text, std::regex(R"(\.address_size\s+64)"))) {
        return call.misuse(CUDA_ERROR_INVALID_PTX, "the image lacks .target or .address_size 64");
    }
    const std::regex entry(R"(\.entry\s+([A-Za-z_$][\w$]*)\s*\(([^)]*)\))");
    const std::regex parameter(R"(\.param\s+\.u64\b)");
    for (std::sregex_iterator at(text.begin(), text.end(), entry), end; at != end; ++at) {
        const std::string name = (*at)[1];
        const std::string parameters = (*at)[2];
        const auto count =
            std::distance(std::sregex_iterator(parameters.begin(), parameters.end(), parameter),
                          std::sregex_iterator());
        if (find_reduction(name).run != nullptr && count != 3) {
            return call.misuse(CUDA_ERROR_INVALID_PTX, "%s has %td 64-bit parameters, not 3",
                               name.c_str(), count);
        }
        entries->insert(name);
    }
    return CUDA_SUCCESS;
}

CUresult load(const Call& call, CUmodule* out, const void* image) {
    if (call.refused()) return call.refused();
    if (out == nullptr || image == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "module or image is null");
    }
    auto module = std::make_shared<Module>();
    module->context = &call.context();
    if (CUresult code = read_ptx(call, static_cast<const char*>(image), &module->entries)) {
        return code;
    }
    *out = reinterpret_cast<CUmodule>(state().modules.add(std::move(module)));
    return CUDA_SUCCESS;
}

std::shared_ptr<Function> find_function(const Call& call, CUfunction handle, CUresult* code) {
    auto function = state().functions.find(number_of(handle));
    if (function == nullptr) {
        *code = call.misuse(CUDA_ERROR_INVALID_HANDLE, "function %p %s", static_cast<void*>(handle),
                            state().functions.why_not(number_of(handle)));
    }
    return function;
}

// What a kernel's access to a bad address does on a device. Unlike there, the reason is told.
CUresult fail(const Function& function, CUresult code, const char* argument, uint64_t address,
              const char* why) {
    char text[200];
    snprintf(text, sizeof text, "kernel argument %s 0x%llx %s", argument, ull{address}, why);
    const Lock lock(state().mutex);
    report_misuse(function.name.c_str(), text);
    return code;
}

struct Arguments {
    uint64_t dst;
    uint64_t src;
    uint64_t count;
};

// Translates a kernel's pointer when it runs; null and a failure if the device could not reach it.
uint8_t* reach(const Function& function, const char* argument, uint64_t address, uint64_t count,
               CUresult* failure, std::vector<std::shared_ptr<Block>>* keep) {
    const size_t element = function.reduction.element_size;
    if (address % element != 0) {
        *failure = fail(function, CUDA_ERROR_MISALIGNED_ADDRESS, argument, address,
                        "is not aligned to the element");
        return nullptr;
    }
    const char* why = nullptr;
    {
        const Lock lock(state().mutex);
        const auto block = find_block(address);
        const Context& here = *function.context;
        if (block == nullptr) {
            why = "is no live device or pinned memory";
        } else if (count > (block->size - (address - block->address)) / element) {
            why = "and the count cross the end of the memory";
        } else if (block->kind == BlockKind::kDevice && block->context != &here &&
                   here.peers.count(block->context->ordinal) == 0) {
            why = "is memory of another device without peer access";
        } else if (block->kind == BlockKind::kMapped &&
                   (block->access.count(here.ordinal) == 0 ||
                    block->access.at(here.ordinal) != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)) {
            why = "is mapped without access";
        } else {
            keep->push_back(block);
            return block->bytes + (address - block->address);
        }
    }
    *failure = fail(function, CUDA_ERROR_ILLEGAL_ADDRESS, argument, address, why);
    return nullptr;
}

CUresult run(const Function& function, const Arguments& arguments, uint64_t threads) {
    if (arguments.count == 0) {
        return CUDA_SUCCESS;
    }
    std::vector<std::shared_ptr<Block>> keep;
    CUresult failure = CUDA_SUCCESS;
    uint8_t* const dst = reach(function, "dst", arguments.dst, arguments.count, &failure, &keep);
    const uint8_t* const src =
        dst == nullptr ? nullptr
                       : reach(function, "src", arguments.src, arguments.count, &failure, &keep);
    if (src != nullptr) {
        function.reduction.run(dst, src, arguments.count, threads);
    }
    // Memory is given back under the lock only.
    const Lock lock(state().mutex);
    keep.clear();
    return failure;
}

}  // namespace
}  // namespace fake

using namespace fake;

FAKE_CUDA_EXPORT CUresult cuModuleLoadData(CUmodule* out, const void* image) {
    Call call(__func__, Needs::kContext);
    return load(call, out, image);
}

FAKE_CUDA_EXPORT CUresult cuModuleLoadDataEx(CUmodule* out, const void* image, unsigned count,
                                             const int* options, void** values) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    if (count != 0 && (options == nullptr || values == nullptr)) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "options or optionValues is null");
    }
    return load(call, out, image);
}

FAKE_CUDA_EXPORT CUresult cuModuleUnload(CUmodule handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const auto module = state().modules.find(number_of(handle));
    if (module == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_HANDLE, "module %p %s", static_cast<void*>(handle),
                           state().modules.why_not(number_of(handle)));
    }
    // Kernels of it that are queued run to their end first.
    const CUresult code = wait_for_device(call.lock(), *module->context);
    for (const auto& entry : module->functions) {
        state().functions.remove(entry.second);
    }
    state().modules.remove(number_of(handle));
    return code;
}

FAKE_CUDA_EXPORT CUresult cuModuleGetFunction(CUfunction* out, CUmodule handle, const char* name) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    const auto module = state().modules.find(number_of(handle));
    if (module == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_HANDLE, "module %p %s", static_cast<void*>(handle),
                           state().modules.why_not(number_of(handle)));
    }
    if (out == nullptr || name == nullptr) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE, "hfunc or name is null");
    }
    if (module->entries.count(name) == 0) return CUDA_ERROR_NOT_FOUND;
    const auto known = module->functions.find(name);
    if (known != module->functions.end()) {
        *out = reinterpret_cast<CUfunction>(known->second);
        return CUDA_SUCCESS;
    }
    auto function = std::make_shared<Function>();
    function->context = module->context;
    function->name = name;
    function->reduction = find_reduction(name);
    if (function->reduction.run == nullptr) {
        fprintf(stderr, "fake_cuda: cannot run %s: only portacl's own kernels are known here\n",
                name);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    const uint64_t issued = state().functions.add(std::move(function));
    module->functions.emplace(name, issued);
    *out = reinterpret_cast<CUfunction>(issued);
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuFuncGetAttribute(int* out, int attribute, CUfunction handle) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    if (find_function(call, handle, &code) == nullptr) return code;
    if (out == nullptr) return call.misuse(CUDA_ERROR_INVALID_VALUE, "pi is null");
    // Threads per block, shared, constant and local bytes, registers, PTX version, binary version.
    constexpr int kValues[] = {1024, 0, 0, 0, 32, 52, 80};
    if (attribute < 0 || static_cast<size_t>(attribute) >= std::size(kValues)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = kValues[attribute];
    return CUDA_SUCCESS;
}

FAKE_CUDA_EXPORT CUresult cuLaunchKernel(CUfunction function_handle, unsigned grid_x,
                                         unsigned grid_y, unsigned grid_z, unsigned block_x,
                                         unsigned block_y, unsigned block_z, unsigned shared,
                                         CUstream stream_handle, void** parameters, void** extra) {
    Call call(__func__, Needs::kContext);
    if (call.refused()) return call.refused();
    CUresult code = CUDA_SUCCESS;
    const auto function = find_function(call, function_handle, &code);
    if (function == nullptr) return code;
    const auto stream = find_stream_to_submit(call, stream_handle, &code);
    if (stream == nullptr) return code;
    if (function->context != stream->context) {
        return call.misuse(CUDA_ERROR_INVALID_HANDLE,
                           "the function belongs to device %d, the stream to device %d",
                           function->context->ordinal, stream->context->ordinal);
    }
    // The kernels know one dimension only; in another, threads would do the same work twice.
    if (grid_x == 0 || grid_x > 0x7FFFFFFF || grid_y != 1 || grid_z != 1 || block_x == 0 ||
        block_x > kMostThreads || block_y != 1 || block_z != 1 || shared > kMostShared) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "grid %u x %u x %u of blocks %u x %u x %u with %u bytes of shared "
                           "memory; here the last two of each must be 1, a block has at most %u "
                           "threads and %u bytes",
                           grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, kMostThreads,
                           kMostShared);
    }
    if (extra != nullptr || parameters == nullptr ||
        std::any_of(parameters, parameters + 3, [](const void* p) { return p == nullptr; })) {
        return call.misuse(CUDA_ERROR_INVALID_VALUE,
                           "kernelParams must be three pointers, extra must be null");
    }
    Arguments arguments{};
    memcpy(&arguments.dst, parameters[0], sizeof arguments.dst);
    memcpy(&arguments.src, parameters[1], sizeof arguments.src);
    memcpy(&arguments.count, parameters[2], sizeof arguments.count);
    Operation operation;
    operation.body = [function, arguments, threads = uint64_t{grid_x} * block_x] {
        return run(*function, arguments, threads);
    };
    code = submit(call, *stream, std::move(operation));
    if (code == CUDA_SUCCESS) ++state().launches[function->name];
    return code;
}

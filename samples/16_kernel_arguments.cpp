// out = scale * in + offset: a kernel with a variable that the host sets, and with options that
// each launch passes.
//
// The variable is set through a symbol: an address of this program that represents it. The options
// are a structure whose address the kernel receives. One launch passes them after its arguments, in
// one block; other launches use an argument list and change the options in between.
//
// usage: 16_kernel_arguments [PROGRAM]     default: the binary next to this program,
// kernels/scale_add.cpp or .ptx

#include <acl/acl.h>
#include <portacl/portacl.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace {

// Ends the program with the library's text if a call failed.
#define CHECK(call) Check((call), #call, __LINE__)

void Check(aclError code, const char* call, int line) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: %s\nreturned %d: %s\n", __FILE__, line, call, code, text ? text : "no error text");
    std::exit(EXIT_FAILURE);
}

// The binary for the current backend.
std::string ProgramFrom(int argc, char** argv) {
    if (argc > 1) return argv[1];
    const char* backend = portaclBackendName();
    const bool cuda = backend != nullptr && std::string(backend) == "cuda";
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return folder / (cuda ? "scale_add.ptx" : "scale_add.so");
}

// The same declaration as in the kernel.
struct Options {
    uint64_t first, end;
    float offset;
};

// The kernel's arguments in one block, followed by the structure whose address it receives.
struct KernelArguments {
    void* out;
    void* in;
    const Options* options;
    alignas(64) Options data;
};

// Represents the variable of the kernel's binary. It is never read.
float scale;

constexpr uint64_t kCount = 1 << 20;
constexpr uint32_t kBlocks = 64;

}  // namespace

int main(int argc, char** argv) {
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle kernel = nullptr;
    CHECK(aclrtBinaryLoadFromFile(ProgramFrom(argc, argv).c_str(), nullptr, &binary));
    CHECK(aclrtBinaryGetFunction(binary, "scale_add", &kernel));
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));

    const size_t bytes = kCount * sizeof(float);
    void* out = nullptr;
    void* in = nullptr;
    CHECK(aclrtMalloc(&out, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMalloc(&in, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    std::vector<float> numbers(kCount);
    for (uint64_t i = 0; i < kCount; ++i) numbers[i] = static_cast<float>(i % 1000);
    CHECK(aclrtMemcpy(in, bytes, numbers.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));

    // In stream order, like everything below.
    const float factor = 3;
    CHECK(portaclRegisterSymbol(binary, &scale, "scale"));
    CHECK(aclrtMemcpyToSymbolAsync(&scale, &factor, sizeof factor, 0, ACL_MEMCPY_HOST_TO_DEVICE, stream));

    // The first half: everything in one block, which the caller can reuse when the call returns.
    KernelArguments block{out, in, nullptr, {0, kCount / 2, 10}};
    aclrtPlaceHolderInfo place{offsetof(KernelArguments, options), offsetof(KernelArguments, data)};
    CHECK(aclrtLaunchKernelWithHostArgs(kernel, kBlocks, stream, nullptr, &block, sizeof block, &place, 1));

    // The second half: a list, launched once for each of its quarters.
    aclrtArgsHandle list = nullptr;
    aclrtParamHandle first = nullptr, second = nullptr, third = nullptr;
    void* buffer = nullptr;
    CHECK(aclrtKernelArgsInit(kernel, &list));
    CHECK(aclrtKernelArgsAppend(list, &out, sizeof out, &first));
    CHECK(aclrtKernelArgsAppend(list, &in, sizeof in, &second));
    CHECK(aclrtKernelArgsAppendPlaceHolder(list, &third));
    CHECK(aclrtKernelArgsGetPlaceHolderBuffer(list, third, sizeof(Options), &buffer));
    CHECK(aclrtKernelArgsFinalize(list));
    for (uint64_t quarter = 2; quarter < 4; ++quarter) {
        const Options options{kCount / 4 * quarter, kCount / 4 * (quarter + 1), static_cast<float>(100 * quarter)};
        std::memcpy(buffer, &options, sizeof options);
        CHECK(aclrtLaunchKernelWithConfig(kernel, kBlocks, stream, nullptr, list, nullptr));
    }

    std::vector<float> result(kCount);
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(result.data(), bytes, out, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < kCount; ++i) {
        const uint64_t quarter = i / (kCount / 4);
        const float offset = quarter < 2 ? 10 : static_cast<float>(100 * quarter);
        wrong += result[i] != factor * numbers[i] + offset;
    }
    std::printf("%llu numbers by three launches: %llu wrong\n", static_cast<unsigned long long>(kCount),
                static_cast<unsigned long long>(wrong));

    CHECK(aclrtFree(in));
    CHECK(aclrtFree(out));
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtBinaryUnLoad(binary));  // also releases the list
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

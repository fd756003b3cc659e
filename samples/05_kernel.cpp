// out = a + b with a custom kernel: the same calls on a CPU and on a GPU.
//
// Only the binary with the kernel differs: for the cpu backend a shared object built from
// kernels/vector_add.cpp, for the cuda backend the PTX text kernels/vector_add.ptx. It is loaded
// from a file, the kernel is found by its name, and a launch passes pointers to the arguments,
// which are copied during the call.
//
// usage: 05_kernel [ELEMENTS [PROGRAM]]     default: 1048576 floats, and the binary next to this
// program

#include <acl/acl.h>
#include <portacl/portacl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
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

uint64_t ElementsFrom(int argc, char** argv) {
    if (argc < 2) return uint64_t{1} << 20;
    char* end = nullptr;
    const unsigned long long count = std::strtoull(argv[1], &end, 10);
    if (*end != '\0' || count == 0 || count > (uint64_t{1} << 40)) {
        std::fprintf(stderr, "usage: 05_kernel [ELEMENTS [PROGRAM]], 1 to 2^40 elements\n");
        std::exit(EXIT_FAILURE);
    }
    return count;
}

// The binary for the current backend.
std::string ProgramFrom(int argc, char** argv) {
    if (argc > 2) return argv[2];
    const char* backend = portaclBackendName();
    const bool cuda = backend != nullptr && std::string(backend) == "cuda";
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return folder / (cuda ? "vector_add.ptx" : "vector_add.so");
}

}  // namespace

int main(int argc, char** argv) {
    const uint64_t count = ElementsFrom(argc, argv);
    const size_t bytes = count * sizeof(float);
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    const std::string program = ProgramFrom(argc, argv);

    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle kernel = nullptr;
    CHECK(aclrtBinaryLoadFromFile(program.c_str(), nullptr, &binary));
    CHECK(aclrtBinaryGetFunction(binary, "vector_add", &kernel));

    std::vector<float> a(count), b(count), sum(count);
    for (uint64_t i = 0; i < count; ++i) {
        a[i] = static_cast<float>(i % 1000);
        b[i] = static_cast<float>(i % 7) / 4;
    }
    void* out_device = nullptr;
    void* a_device = nullptr;
    void* b_device = nullptr;
    for (void** memory : {&out_device, &a_device, &b_device}) {
        CHECK(aclrtMalloc(memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    CHECK(aclrtMemcpy(a_device, bytes, a.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    CHECK(aclrtMemcpy(b_device, bytes, b.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));

    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));
    void* arguments[] = {&out_device, &a_device, &b_device, const_cast<uint64_t*>(&count)};
    // 64 blocks, and the device chooses the number of threads: the kernel works with any number.
    constexpr uint32_t kBlocks = 64;
    CHECK(aclrtLaunchKernelWithArgsArray(kernel, kBlocks, stream, nullptr, arguments));
    // The binary can be unloaded: pending launches keep what they need.
    CHECK(aclrtBinaryUnLoad(binary));
    CHECK(aclrtSynchronizeStream(stream));
    CHECK(aclrtMemcpy(sum.data(), bytes, out_device, bytes, ACL_MEMCPY_DEVICE_TO_HOST));

    uint64_t wrong = 0;
    for (uint64_t i = 0; i < count; ++i) wrong += sum[i] != a[i] + b[i];
    std::printf("%llu sums by %u blocks of %s: %llu wrong\n", static_cast<unsigned long long>(count), kBlocks,
                program.c_str(), static_cast<unsigned long long>(wrong));

    CHECK(aclrtDestroyStream(stream));
    for (void* memory : {out_device, a_device, b_device}) CHECK(aclrtFree(memory));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// The program of 01_device_memory, with an operator for the computation: pinned memory, copies to the device,
// out = a + 2 * b, the copy back. No Python, no kernel of the program's. Needs libopapi (docs/torch.md).
#include <acl/acl.h>
#include <aclnnop/aclnn_add.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

void Check(int code, const char* call) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s returned %d: %s\n", call, code, text != nullptr ? text : "no error text");
    std::exit(1);
}

// Floats in pinned memory and in device memory, with a tensor over the latter.
struct Vector {
    float* host = nullptr;
    void* device = nullptr;
    aclTensor* tensor = nullptr;

    Vector(int64_t count, float value) {
        const size_t bytes = static_cast<size_t>(count) * sizeof(float);
        Check(aclrtMallocHost(reinterpret_cast<void**>(&host), bytes), "aclrtMallocHost");
        std::fill_n(host, count, value);
        Check(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        tensor = aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &count, 1, device);
        Check(tensor == nullptr, "aclCreateTensor");
    }
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;
    ~Vector() {
        aclDestroyTensor(tensor);
        aclrtFree(device);
        aclrtFreeHost(host);
    }
};

// The first phase checks and copies its arguments; the second one enqueues the operator.
void Add(const Vector& a, const Vector& b, const Vector& out, aclrtStream stream) {
    float two = 2;
    const aclScalar* alpha = aclCreateScalar(&two, ACL_FLOAT);
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    Check(aclnnAddGetWorkspaceSize(a.tensor, b.tensor, alpha, out.tensor, &size, &executor),
          "aclnnAddGetWorkspaceSize");
    aclDestroyScalar(alpha);
    void* workspace = nullptr;
    if (size > 0) Check(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    Check(aclnnAdd(workspace, size, executor, stream), "aclnnAdd");
    Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
    if (workspace != nullptr) Check(aclrtFree(workspace), "aclrtFree");
}

}  // namespace

int main() {
    constexpr int64_t kCount = 1 << 20;
    constexpr size_t kBytes = kCount * sizeof(float);
    Check(aclInit(nullptr), "aclInit");
    Check(aclrtSetDevice(0), "aclrtSetDevice");
    aclrtStream stream = nullptr;
    Check(aclrtCreateStream(&stream), "aclrtCreateStream");
    {
        const Vector a(kCount, 1), b(kCount, 20), out(kCount, 0);
        for (const Vector* input : {&a, &b})
            Check(aclrtMemcpy(input->device, kBytes, input->host, kBytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
        Add(a, b, out, stream);
        Check(aclrtMemcpy(out.host, kBytes, out.device, kBytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
        for (int64_t i = 0; i < kCount; ++i)
            if (out.host[i] != 41)
                return std::fprintf(stderr, "element %lld is %f in place of 41\n", static_cast<long long>(i),
                                    static_cast<double>(out.host[i])),
                       1;
        std::printf("%lld times 1 + 2 * 20 = %.0f\n", static_cast<long long>(kCount), static_cast<double>(out.host[0]));
    }
    Check(aclrtDestroyStream(stream), "aclrtDestroyStream");
    Check(aclrtResetDevice(0), "aclrtResetDevice");
    Check(aclFinalize(), "aclFinalize");
}

// Adds two vectors with an operator: c = a + 2 * b. No Python, no kernel of the program's.
#include <acl/acl.h>
#include <aclnnop/aclnn_add.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

void Check(int code, const char* call) {
    if (code == ACL_SUCCESS) return;
    const char* text = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s returned %d: %s\n", call, code, text != nullptr ? text : "no text");
    std::exit(1);
}

// Device memory with a tensor over it.
struct Vector {
    void* memory = nullptr;
    aclTensor* tensor = nullptr;

    explicit Vector(const std::vector<float>& values) {
        const size_t bytes = values.size() * sizeof(float);
        const auto count = static_cast<int64_t>(values.size());
        Check(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        Check(aclrtMemcpy(memory, bytes, values.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
        tensor = aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &count, 1, memory);
        Check(tensor == nullptr, "aclCreateTensor");
    }
    Vector(const Vector&) = delete;
    Vector& operator=(const Vector&) = delete;
    ~Vector() {
        aclDestroyTensor(tensor);
        aclrtFree(memory);
    }
};

}  // namespace

int main() {
    constexpr size_t kCount = 16;
    Check(aclInit(nullptr), "aclInit");
    Check(aclrtSetDevice(0), "aclrtSetDevice");
    aclrtStream stream = nullptr;
    Check(aclrtCreateStream(&stream), "aclrtCreateStream");
    {
        const Vector a(std::vector<float>(kCount, 1)), b(std::vector<float>(kCount, 20)),
            c(std::vector<float>(kCount, 0));
        float two = 2;
        const aclScalar* alpha = aclCreateScalar(&two, ACL_FLOAT);

        // The first phase checks and copies its arguments; the second one enqueues the operator.
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        Check(aclnnAddGetWorkspaceSize(a.tensor, b.tensor, alpha, c.tensor, &size, &executor),
              "aclnnAddGetWorkspaceSize");
        aclDestroyScalar(alpha);
        void* workspace = nullptr;
        if (size > 0) Check(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
        Check(aclnnAdd(workspace, size, executor, stream), "aclnnAdd");
        Check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");

        std::vector<float> result(kCount);
        const size_t bytes = kCount * sizeof(float);
        Check(aclrtMemcpy(result.data(), bytes, c.memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
        for (const float value : result)
            if (value != 41) return std::fprintf(stderr, "%f in place of 41\n", static_cast<double>(value)), 1;
        std::printf("%zu times 1 + 2 * 20 = %.0f\n", kCount, static_cast<double>(result[0]));
        aclrtFree(workspace);
    }
    Check(aclrtDestroyStream(stream), "aclrtDestroyStream");
    Check(aclFinalize(), "aclFinalize");
}

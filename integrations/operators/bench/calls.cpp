// Measures what an operator costs in C beside the same one of ATen: aclnnAdd of 16 floats, from the creation of the
// tensors to their release, and at::add_out. Prints medians of alternating rounds.
#include <ATen/ATen.h>
#include <acl/acl.h>
#include <aclnnop/aclnn_add.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

constexpr int kCalls = 2000, kRounds = 31;
constexpr int64_t kCount = 16;

template <typename Call>
double Nanoseconds(Call call) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / kCalls;
}

double Median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
    return values[kRounds / 2];
}

aclTensor* Make(void* memory) {
    return aclCreateTensor(&kCount, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &kCount, 1, memory);
}

}  // namespace

int main() {
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    void *a = nullptr, *b = nullptr, *c = nullptr;
    for (void** memory : {&a, &b, &c}) {
        aclrtMalloc(memory, kCount * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemset(*memory, kCount * sizeof(float), 0, kCount * sizeof(float));
    }
    const at::Tensor x = at::zeros({kCount}), y = at::zeros({kCount});
    at::Tensor z = at::zeros({kCount});

    int failures = 0;
    const auto one = [&] {
        float value = 1;
        aclTensor *self = Make(a), *other = Make(b), *out = Make(c);
        aclScalar* alpha = aclCreateScalar(&value, ACL_FLOAT);
        uint64_t size = 0;
        aclOpExecutor* executor = nullptr;
        failures += aclnnAddGetWorkspaceSize(self, other, alpha, out, &size, &executor) != ACL_SUCCESS;
        failures += aclnnAdd(nullptr, 0, executor, stream) != ACL_SUCCESS;
        aclDestroyTensor(self), aclDestroyTensor(other), aclDestroyTensor(out), aclDestroyScalar(alpha);
    };
    std::vector<double> operators, aten;
    for (int i = 0; i < kRounds; ++i) {
        operators.push_back(Nanoseconds(one));
        failures += aclrtSynchronizeStream(stream) != ACL_SUCCESS;
        aten.push_back(Nanoseconds([&] {
            const c10::InferenceMode guard;
            at::add_out(z, x, y, 1);
        }));
    }
    std::printf("aclnnAdd of 16 floats, create to destroy: %.0f ns; at::add_out: %.0f ns; over it: %.0f ns\n",
                Median(operators), Median(aten), Median(operators) - Median(aten));
    for (void* memory : {a, b, c}) aclrtFree(memory);
    aclrtDestroyStream(stream);
    aclFinalize();
    return failures != 0;
}

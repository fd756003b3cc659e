#include "transfer/random_num.h"

#include <cmath>
#include <cstring>
#include <utility>

// Built-in names of the CUDA compiler. CMakeLists.txt disables fused operations for the host
// compiler.
#define __device__
#define __global__
#define __launch_bounds__(threads)

namespace {

struct Dimension {
    unsigned x;
};

// The device thread that this host thread currently runs.
thread_local Dimension threadIdx;
thread_local Dimension blockIdx;
thread_local Dimension blockDim;
thread_local Dimension gridDim;

float __int_as_float(int bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int __float_as_int(float value) {
    int bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float __fadd_rn(float a, float b) {
    return a + b;
}

float __fmul_rn(float a, float b) {
    return a * b;
}

float __fdiv_rn(float a, float b) {
    return a / b;
}

float __fsqrt_rn(float a) {
    return std::sqrt(a);
}

unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<unsigned long long>(static_cast<Wide>(a) * b >> 64);
}

}  // namespace

namespace source {
#include "../../../src/backend/cuda/kernels/random_num.cu"
}

namespace fake {
namespace {

// How many bytes of the output the task writes.
uint64_t bytes_of(const source::Task& task) {
    const uint64_t count = source::count_of(task);
    if (task.distribution == source::kDropout) return (count + 7) / 8;
    switch (task.element) {
        case source::kFloat16:
        case source::kBFloat16:
            return 2 * count;
        case source::kInt64:
        case source::kUInt64:
            return 8 * count;
        default:
            return 4 * count;
    }
}

// Replaces device addresses by the host's; false if one is not accessible.
bool translate(const Reach& reach, source::Task* task) {
    const auto at = [&](const char* name, const void* address, size_t size, size_t aligned) {
        return reach(name, reinterpret_cast<uintptr_t>(address), size / aligned, aligned);
    };
    const std::pair<const char*, source::Number*> numbers[] = {
        {"first", &task->first}, {"second", &task->second}, {"seed", &task->seed}, {"count", &task->count}};
    for (const auto& [name, number] : numbers) {
        if (number->at == nullptr) continue;
        number->at = at(name, number->at, number->size, number->size);
        if (number->at == nullptr) return false;
    }
    if (task->counter != nullptr) {
        task->counter = reinterpret_cast<source::Size*>(at("counter", task->counter, 16, 8));
        if (task->counter == nullptr) return false;
    }
    const uint64_t bytes = bytes_of(*task);
    if (bytes == 0) return true;
    const uint64_t count = source::count_of(*task);
    const size_t element = task->distribution == source::kDropout ? 1 : bytes / count;
    task->dst = at("dst", task->dst, bytes, element);
    return task->dst != nullptr;
}

template <typename Kernel>
bool run(const std::vector<uint8_t>& arguments, const Grid& grid, const Reach& reach, Kernel kernel) {
    source::Task task;
    memcpy(&task, arguments.data(), sizeof task);
    if (!translate(reach, &task)) return false;
    gridDim.x = grid.blocks[0];
    blockDim.x = grid.threads[0];
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) {
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) kernel(task);
    }
    return true;
}

template <void (*kKernel)(source::Task)>
bool generate(const std::vector<uint8_t>& arguments, const Grid& grid, const Reach& reach, const AddressOf&) {
    return run(arguments, grid, reach, kKernel);
}

bool advance(const std::vector<uint8_t>& arguments, const Grid& grid, const Reach& reach, const AddressOf&) {
    uint64_t per_block;
    memcpy(&per_block, arguments.data() + sizeof(source::Task), sizeof per_block);
    return run(arguments, grid, reach,
               [&](const source::Task& task) { source::portacl_random_num_advance(task, per_block); });
}

}  // namespace

UserKernel find_random_num_kernel(const std::string& name) {
    const std::pair<const char*, UserKernel> kernels[] = {
        {"portacl_random_num_bits", generate<source::portacl_random_num_bits>},
        {"portacl_random_num_floats", generate<source::portacl_random_num_floats>},
        {"portacl_random_num_integers_32", generate<source::portacl_random_num_integers_32>},
        {"portacl_random_num_integers_64", generate<source::portacl_random_num_integers_64>},
        {"portacl_random_num_advance", advance}};
    for (const auto& [known, kernel] : kernels) {
        if (name == known) return kernel;
    }
    return nullptr;
}

}  // namespace fake

// Half precision. Paddle's CPU has kernels of single precision for nearly all operators, and few of half precision: for
// the others the tensors of a call are widened, and the results rounded.
#pragma once

#include <paddle/phi/common/data_type.h>
#include <paddle/phi/core/allocator.h>

#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>
#include <type_traits>
#include <unordered_set>

#include "host_view.h"

namespace portacl_paddle {

constexpr phi::DataType kHalfTypes[] = {phi::DataType::FLOAT16, phi::DataType::BFLOAT16};
constexpr phi::DataType kSingle = phi::DataType::FLOAT32;

inline bool IsHalf(phi::DataType type) {
    return type == phi::DataType::FLOAT16 || type == phi::DataType::BFLOAT16;
}

// Kernels that read or write the bits of their elements, or files, or join the memory of tensors.
inline bool DependsOnBits(const std::string& kernel) {
    static const std::unordered_set<std::string> names{
        "coalesce_tensor", "load", "load_combine", "nextafter", "save", "save_combine", "view_dtype"};
    return names.count(kernel) != 0;
}

// Host memory of `size` bytes on the CPU's place.
class WideMemory final : public phi::Allocation {
  public:
    explicit WideMemory(std::size_t size) : phi::Allocation(Make(size), size, Host()) {}
    ~WideMemory() override { std::free(ptr_); }

  private:
    static void* Make(std::size_t size) {
        constexpr std::size_t kAlignment = 64;
        void* const memory = std::aligned_alloc(kAlignment, (size / kAlignment + 1) * kAlignment);
        if (memory == nullptr) throw std::bad_alloc();
        return memory;
    }
};

// `type` is one of kHalfTypes, of the elements at `from`.
inline void Widen(phi::DataType type, const void* from, std::size_t count, float* to) {
    const auto convert = [&](const auto* elements) {
        for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(elements[i]);
    };
    if (type == phi::DataType::FLOAT16) return convert(static_cast<const phi::dtype::float16*>(from));
    convert(static_cast<const phi::dtype::bfloat16*>(from));
}

// Rounds as Paddle does.
inline void Narrow(phi::DataType type, const float* from, std::size_t count, void* to) {
    const auto convert = [&](auto* elements) {
        for (std::size_t i = 0; i < count; ++i) {
            elements[i] = static_cast<std::remove_reference_t<decltype(*elements)>>(from[i]);
        }
    };
    if (type == phi::DataType::FLOAT16) return convert(static_cast<phi::dtype::float16*>(to));
    convert(static_cast<phi::dtype::bfloat16*>(to));
}

}  // namespace portacl_paddle

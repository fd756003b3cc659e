// Where the arguments of a kernel are when it is called by its C++ declaration, by the calling convention of the
// processor.
#pragma once

#include <paddle/phi/core/kernel_factory.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace portacl_paddle {

#if defined(__x86_64__)
constexpr std::size_t kIntegerRegisters = 6;
#elif defined(__aarch64__)
constexpr std::size_t kIntegerRegisters = 8;
#else
#error "the calling convention of this processor is not known here"
#endif
constexpr std::size_t kFloatRegisters = 8;
// Words of the stack that are passed on. Kernels have up to 29 arguments.
constexpr std::size_t kStackWords = 32;
constexpr std::size_t kWords = kIntegerRegisters + kStackWords;

enum class Kind : std::uint8_t {
    kTensor,           // const TensorBase&, or TensorBase*
    kOptionalTensor,   // const optional<DenseTensor>&
    kOptionalRows,     // const optional<SelectedRows>&
    kTensors,          // const std::vector<const DenseTensor*>&, or std::vector<DenseTensor*>
    kRowsList,         // const std::vector<const SelectedRows*>&
    kArrays,           // const std::vector<const TensorArray*>&
    kBases,            // const std::vector<const TensorBase*>&
    kOptionalTensors,  // const optional<std::vector<const DenseTensor*>>&
};

struct TensorArgument {
    Kind kind;
    bool is_output;
    std::uint8_t word;  // its index in the integer registers, followed by those of the stack
};

struct Signature {
    std::vector<TensorArgument> tensors;
    std::vector<std::uint8_t> data_types;  // words of attributes
};

// The signature of a kernel; nothing if it has arguments that the adapter does not know.
std::optional<Signature> SignatureOf(const phi::KernelArgsDef& arguments);

}  // namespace portacl_paddle

#include "signature.h"

#include <paddle/phi/common/place.h>
#include <paddle/phi/core/selected_rows.h>
#include <paddle/phi/core/sparse_coo_tensor.h>
#include <paddle/phi/core/sparse_csr_tensor.h>
#include <paddle/phi/core/tensor_array.h>

#include <type_traits>

namespace portacl_paddle {
namespace {

using phi::AttributeType;

// Places are passed as two integers.
static_assert(std::is_trivially_copyable_v<phi::Place> && sizeof(phi::Place) == 2 * sizeof(std::uintptr_t));

std::optional<Kind> KindOfInput(const std::type_index& type) {
    using phi::DenseTensor;
    if (type == typeid(DenseTensor) || type == typeid(phi::SelectedRows) || type == typeid(phi::SparseCooTensor) ||
        type == typeid(phi::SparseCsrTensor) || type == typeid(phi::TensorArray)) {
        return Kind::kTensor;
    }
    if (type == typeid(paddle::optional<DenseTensor>)) return Kind::kOptionalTensor;
    if (type == typeid(paddle::optional<phi::SelectedRows>)) return Kind::kOptionalRows;
    if (type == typeid(std::vector<const DenseTensor*>)) return Kind::kTensors;
    if (type == typeid(std::vector<const phi::SelectedRows*>)) return Kind::kRowsList;
    if (type == typeid(std::vector<const phi::TensorArray*>)) return Kind::kArrays;
    if (type == typeid(std::vector<const phi::TensorBase*>)) return Kind::kBases;
    if (type == typeid(paddle::optional<std::vector<const DenseTensor*>>)) return Kind::kOptionalTensors;
    return std::nullopt;
}

std::optional<Kind> KindOfOutput(const std::type_index& type) {
    if (type == typeid(phi::DenseTensor*) || type == typeid(phi::SelectedRows*) ||
        type == typeid(phi::SparseCooTensor*) || type == typeid(phi::SparseCsrTensor*) ||
        type == typeid(phi::TensorArray*)) {
        return Kind::kTensor;
    }
    if (type == typeid(std::vector<phi::DenseTensor*>)) return Kind::kTensors;
    return std::nullopt;
}

// Assigns places to arguments, in their order.
class Places {
  public:
    std::size_t Integers(std::size_t count) {
        if (integers_ + count <= kIntegerRegisters) {
            integers_ += count;
            return integers_ - count;
        }
#ifdef __aarch64__
        integers_ = kIntegerRegisters;  // no later argument is in a register
#endif
        stack_ += count;
        return kIntegerRegisters + stack_ - count;
    }
    void Float() {
        if (floats_ < kFloatRegisters) {
            ++floats_;
        } else {
            ++stack_;
        }
    }
    bool Fits() const {
        return stack_ <= kStackWords;
    }

  private:
    std::size_t integers_ = 0;
    std::size_t floats_ = 0;
    std::size_t stack_ = 0;
};

void PlaceAttribute(AttributeType type, Places& places) {
    switch (type) {
        case AttributeType::FLOAT32:
        case AttributeType::FLOAT64:
            return places.Float();
        case AttributeType::PLACE:
            places.Integers(2);
            return;
        default:  // an integer, an enumerator, or a reference
            places.Integers(1);
    }
}

}  // namespace

std::optional<Signature> SignatureOf(const phi::KernelArgsDef& arguments) {
    Signature signature;
    Places places;
    places.Integers(1);  // the context
    const auto add = [&](std::optional<Kind> kind, bool is_output) {
        if (!kind) return false;
        signature.tensors.push_back({*kind, is_output, static_cast<std::uint8_t>(places.Integers(1))});
        return true;
    };
    for (const auto& input : arguments.input_defs()) {
        if (!add(KindOfInput(input.type_index), false)) return std::nullopt;
    }
    for (const auto& attribute : arguments.attribute_defs()) {
        if (attribute.type_index == AttributeType::DATA_TYPE) {
            signature.data_types.push_back(static_cast<std::uint8_t>(places.Integers(1)));
        } else {
            PlaceAttribute(attribute.type_index, places);
        }
    }
    for (const auto& output : arguments.output_defs()) {
        if (!add(KindOfOutput(output.type_index), true)) return std::nullopt;
    }
    if (!places.Fits()) return std::nullopt;
    return signature;
}

}  // namespace portacl_paddle

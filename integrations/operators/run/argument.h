// Converts an argument of the C functions to one of ATen: its C type, what the first phase keeps, and what the operator
// gets. There is one specialization of Argument for each type of run/aten.h.
#pragma once

#include <string>
#include <vector>

#include "meta/data_type.h"
#include "meta/objects.h"
#include "run/status.h"
#include "run/view.h"
#include "run/work.h"

namespace operators {

// The arguments of one call, which are taken in order.
class Intake {
  public:
    Intake(Work& work, const char* parameters) : work_(work) { work.parameters = parameters; }

    // Takes the next argument, a live object.
    template <typename T>
    const T& Next(const T* passed) {
        const int position = position_++;
        if (passed == nullptr) throw Refusal(ACLNN_ERR_PARAM_NULLPTR, NullText(ParameterName(work_, position)));
        if ((passed->mark.load(std::memory_order_acquire) & ~kInList) == T::kLive) return *passed;
        return Live(ParameterName(work_, position), *passed);
    }
    // Takes the next argument, which may be null.
    void Next() { ++position_; }

    // Returns an element of the list that was taken last.
    template <typename T>
    const T& Element(const T* passed, size_t index) {
        if (passed != nullptr) return *passed;
        throw Refusal(ACLNN_ERR_PARAM_NULLPTR, ParameterName(work_, position_ - 1, static_cast<int32_t>(index)),
                      " is null");
    }

    [[noreturn]] void RefuseInt4(int32_t element) const {
        throw Refusal(ACLNN_ERR_PARAM_INVALID, ParameterName(work_, position_ - 1, element),
                      " is of the type ACL_INT4, which the operator does not take here; pass numbers of 8 bits "
                      "(ACL_INT8)");
    }

    // Registers the storage of a tensor that was taken last, or of an element of a list; the kernel gets its address.
    size_t Place(const at::Tensor& view, Does does, int32_t element) {
        work_.storages.push_back(BaseOf(view));
        work_.used.push_back({view.unsafeGetTensorImpl(), does, static_cast<int16_t>(position_ - 1), element});
        return work_.storages.size() - 1;
    }

  private:
    Work& work_;
    int position_ = 0;
};

// A tensor, and the index of its storage.
struct Held {
    at::Tensor view;
    size_t place;
    at::Tensor At(Addresses addresses) const {
        return MoveView(view, addresses.device.is_meta() ? nullptr : addresses.storages[place], addresses.device);
    }
};

inline Held Hold(const aclTensor& tensor, Intake& intake, Does does, int32_t element = -1) {
    if (tensor.type == ACL_INT4) intake.RefuseInt4(element);
    return {tensor.view, intake.Place(tensor.view, does, element)};
}

template <typename Parameter>
struct Argument;

// Numbers are their own C type.
template <typename T>
struct PlainArgument {
    using C = T;
    using Kept = T;
    static T Take(T passed, Intake& intake) { return intake.Next(), passed; }
    static T Unpack(T kept, Addresses) { return kept; }
};
template <>
struct Argument<bool> : PlainArgument<bool> {};
template <>
struct Argument<int8_t> : PlainArgument<int8_t> {};
template <>
struct Argument<int64_t> : PlainArgument<int64_t> {};
template <>
struct Argument<float> : PlainArgument<float> {};
template <>
struct Argument<double> : PlainArgument<double> {};

template <>
struct Argument<Seed> {
    using C = int64_t;
    using Kept = Seed;
    static Seed Take(int64_t passed, Intake& intake) { return intake.Next(), Seed{passed}; }
    static Seed Unpack(Seed kept, Addresses) { return kept; }
};

template <Does kDoes>
struct TensorArgument {
    using C = const aclTensor*;
    using Kept = Held;
    static Held Take(C passed, Intake& intake) { return Hold(intake.Next(passed), intake, kDoes); }
    static at::Tensor Unpack(const Held& kept, Addresses addresses) { return kept.At(addresses); }
};
template <>
struct Argument<In> : TensorArgument<Does::kRead> {};
template <>
struct Argument<Out> : TensorArgument<Does::kWrite> {};
template <>
struct Argument<Part> : TensorArgument<Does::kMayRead> {
    static PartlyRead Unpack(const Held& kept, Addresses addresses) { return PartlyRead(kept.At(addresses)); }
};
template <>
struct Argument<Packed> : TensorArgument<Does::kRead> {
    static Held Take(C passed, Intake& intake) {
        const at::Tensor& view = intake.Next(passed).view;
        return {view, intake.Place(view, Does::kRead, -1)};
    }
    static Unpacked Unpack(const Held& kept, Addresses addresses) {
        const at::Tensor view = kept.At(addresses);
        return Unpacked(view.scalar_type() == kInt4 ? operators::Unpack(view) : view);
    }
};

template <Does kDoes>
struct MaybeTensorArgument {
    using C = const aclTensor*;
    using Kept = Optional<Held>;
    static Kept Take(C passed, Intake& intake) {
        if (passed == nullptr) return intake.Next(), Kept();
        return Kept(Hold(intake.Next(passed), intake, kDoes));
    }
    static Optional<at::Tensor> Unpack(const Kept& kept, Addresses addresses) {
        return kept ? Optional<at::Tensor>(kept->At(addresses)) : kNone;
    }
};
template <>
struct Argument<MaybeIn> : MaybeTensorArgument<Does::kRead> {};
template <>
struct Argument<MaybeOut> : MaybeTensorArgument<Does::kWrite> {};

template <>
struct Argument<Unsized> : TensorArgument<Does::kWriteStorage> {
    static Grown Unpack(const Held& kept, Addresses addresses) {
        const at::Tensor memory = kept.At(addresses);
        return {memory, addresses.device.is_meta() ? memory : kept.view};
    }
};

// Values that the first phase copies, and that the operator gets as they are.
template <typename Object, typename KeptType>
struct CopiedArgument {
    using C = const Object*;
    using Kept = KeptType;
    static const Kept& Unpack(const Kept& kept, Addresses) { return kept; }
};

template <>
struct Argument<Number> : CopiedArgument<aclScalar, at::Scalar> {
    static Kept Take(C passed, Intake& intake) { return intake.Next(passed).value; }
};
template <>
struct Argument<Factor> : CopiedArgument<aclScalar, AnyValue> {
    static Kept Take(C passed, Intake& intake) { return Kept(intake.Next(passed).value); }
};
template <>
struct Argument<MaybeNumber> : CopiedArgument<aclScalar, Optional<at::Scalar>> {
    static Kept Take(C passed, Intake& intake) {
        if (passed == nullptr) return intake.Next(), Kept();
        return Kept(intake.Next(passed).value);
    }
};
template <>
struct Argument<Ints> : CopiedArgument<aclIntArray, c10::SmallVector<int64_t, 6>> {
    static Kept Take(C passed, Intake& intake) { return intake.Next(passed).values; }
};
template <>
struct Argument<MaybeInts> : CopiedArgument<aclIntArray, Optional<c10::SmallVector<int64_t, 6>>> {
    static Kept Take(C passed, Intake& intake) {
        if (passed == nullptr) return intake.Next(), Kept();
        return Kept(intake.Next(passed).values);
    }
    static MaybeInts Unpack(const Kept& kept, Addresses) { return kept ? MaybeInts(Ints(*kept)) : MaybeInts(); }
};
template <>
struct Argument<Floats> : CopiedArgument<aclFloatArray, std::vector<double>> {
    static Kept Take(C passed, Intake& intake) { return intake.Next(passed).values; }
};
template <>
struct Argument<Flags> : CopiedArgument<aclBoolArray, c10::SmallVector<bool, 0>> {
    static Kept Take(C passed, Intake& intake) { return intake.Next(passed).values; }
};
template <>
struct Argument<Text> : CopiedArgument<char, std::string> {
    static Kept Take(C passed, Intake& intake) { return intake.Next(), passed == nullptr ? "" : passed; }
};

template <>
struct Argument<Numbers> : CopiedArgument<aclScalarList, std::vector<at::Scalar>> {
    static Kept Take(C passed, Intake& intake) {
        Kept kept;
        for (const auto& scalar : intake.Next(passed).values)
            kept.push_back(intake.Element(scalar.get(), kept.size()).value);
        return kept;
    }
};

template <>
struct Argument<Type> {
    using C = aclDataType;
    using Kept = at::ScalarType;
    static Kept Take(C passed, Intake& intake) { return intake.Next(), ScalarTypeOf(passed); }
    static Kept Unpack(Kept kept, Addresses) { return kept; }
};

template <Does kDoes>
struct TensorsArgument {
    using C = const aclTensorList*;
    using Kept = std::vector<Held>;
    static Kept Take(C passed, Intake& intake) {
        Kept kept;
        for (const auto& tensor : intake.Next(passed).values) {
            const size_t index = kept.size();
            kept.push_back(Hold(intake.Element(tensor.get(), index), intake, kDoes, static_cast<int32_t>(index)));
        }
        return kept;
    }
    static std::vector<at::Tensor> Unpack(const Kept& kept, Addresses addresses) {
        std::vector<at::Tensor> tensors;
        tensors.reserve(kept.size());
        for (const Held& held : kept) tensors.push_back(held.At(addresses));
        return tensors;
    }
};
template <>
struct Argument<Tensors> : TensorsArgument<Does::kRead> {};
template <>
struct Argument<Parts> : TensorsArgument<Does::kMayRead> {
    static PartlyReadList Unpack(const Kept& kept, Addresses addresses) {
        return {TensorsArgument::Unpack(kept, addresses)};
    }
};
template <>
struct Argument<Outs> : TensorsArgument<Does::kWrite> {
    static Written Unpack(const Kept& kept, Addresses addresses) { return {TensorsArgument::Unpack(kept, addresses)}; }
};

template <>
struct Argument<MaybeTensors> {
    using C = const aclTensorList*;
    using Kept = Optional<std::vector<Held>>;
    static Kept Take(C passed, Intake& intake) {
        if (passed == nullptr) return intake.Next(), Kept();
        return Kept(Argument<Tensors>::Take(passed, intake));
    }
    static Optional<std::vector<at::Tensor>> Unpack(const Kept& kept, Addresses addresses) {
        return kept ? Optional<std::vector<at::Tensor>>(Argument<Tensors>::Unpack(*kept, addresses)) : kNone;
    }
};

// A list whose elements may be null, or have no elements at all: both stand for all of a dimension.
template <>
struct Argument<Indices> {
    using C = const aclTensorList*;
    using Kept = std::vector<Optional<Held>>;
    static Kept Take(C passed, Intake& intake) {
        Kept kept;
        for (const auto& tensor : intake.Next(passed).values) {
            const bool all = tensor == nullptr || (tensor->view.numel() == 0 && tensor->view.dim() == 1);
            kept.push_back(all ? kNone
                               : Optional<Held>(Hold(*tensor, intake, Does::kRead, static_cast<int32_t>(kept.size()))));
        }
        return kept;
    }
    static c10::List<Optional<at::Tensor>> Unpack(const Kept& kept, Addresses addresses) {
        c10::List<Optional<at::Tensor>> tensors;
        for (const auto& held : kept) tensors.push_back(held ? Optional<at::Tensor>(held->At(addresses)) : kNone);
        return tensors;
    }
};

}  // namespace operators

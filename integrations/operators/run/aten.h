// ATen, with the names that rows of operators use.
#pragma once

#include <ATen/ATen.h>
#include <torch/version.h>

#include <optional>
#include <utility>
#include <vector>

// Torch's release as a number: 1.13 is 113. The library compiles with 1.13 (Debian's libtorch-dev) and 2.x.
#define OPERATORS_TORCH (TORCH_VERSION_MAJOR * 100 + TORCH_VERSION_MINOR)

namespace operators {

#if OPERATORS_TORCH >= 202
template <typename T>
using Optional = std::optional<T>;
inline constexpr auto kNone = std::nullopt;
#else
template <typename T>
using Optional = c10::optional<T>;
inline constexpr auto kNone = c10::nullopt;
#endif

using In = const at::Tensor&;
// An input of which an operator may read a part only.
struct PartlyRead : at::Tensor {
    explicit PartlyRead(at::Tensor tensor) : at::Tensor(std::move(tensor)) {}
};
using Part = const PartlyRead&;
// An input of whole numbers of 8 bits, or of 4 bits (ACL_INT4), which the operator gets as numbers of 8 bits.
struct Unpacked : at::Tensor {
    explicit Unpacked(at::Tensor tensor) : at::Tensor(std::move(tensor)) {}
};
using Packed = const Unpacked&;
using MaybeIn = const Optional<at::Tensor>&;
using Out = at::Tensor&;
using MaybeOut = Optional<at::Tensor>&;
using Number = const at::Scalar&;
using MaybeNumber = const Optional<at::Scalar>&;
// A number whose value, other than its type, decides nothing about the other arguments. It may differ in each call.
struct AnyValue : at::Scalar {
    AnyValue() = default;
    explicit AnyValue(const at::Scalar& number) : at::Scalar(number) {}
};
using Factor = const AnyValue&;
// A seed of random numbers, or the offset that goes with it.
struct Seed {
    int64_t value;
    operator int64_t() const { return value; }
};
using Ints = at::IntArrayRef;
using MaybeInts = at::OptionalIntArrayRef;
using Floats = at::ArrayRef<double>;
using Flags = at::ArrayRef<bool>;
using Tensors = at::TensorList;
// A list of inputs of which an operator may read a part only.
struct PartlyReadList {
    std::vector<at::Tensor> tensors;
    operator at::TensorList() const { return tensors; }
};
using Parts = const PartlyReadList&;
using MaybeTensors = const Optional<std::vector<at::Tensor>>&;
// A list of outputs.
struct Written {
    std::vector<at::Tensor> tensors;
    operator at::TensorList() const { return tensors; }
};
using Outs = const Written&;
using Indices = const c10::List<Optional<at::Tensor>>&;
using Numbers = at::ArrayRef<at::Scalar>;
// An output whose shape is known when the operator has run: its memory has room for the largest result. aclGetViewShape
// returns the shape after the stream was synchronized.
struct Grown {
    at::Tensor memory;
    at::Tensor seen;
};
using Unsized = const Grown&;
using Type = at::ScalarType;
using Text = const std::string&;

}  // namespace operators

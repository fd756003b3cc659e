// ATen, with the names that rows of operators use.
#pragma once

#include <ATen/ATen.h>

#include <optional>

namespace operators {

using In = const at::Tensor&;
using MaybeIn = const std::optional<at::Tensor>&;
using Out = at::Tensor&;
using MaybeOut = std::optional<at::Tensor>&;
using Number = const at::Scalar&;
using MaybeNumber = const std::optional<at::Scalar>&;
using Ints = at::IntArrayRef;
using MaybeInts = at::OptionalIntArrayRef;
using Floats = at::ArrayRef<double>;
using Flags = at::ArrayRef<bool>;
using Tensors = at::TensorList;
using Indices = const c10::List<std::optional<at::Tensor>>&;
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

// Tensors of ATen over memory that belongs to the program.
#pragma once

#include "run/aten.h"
#include "run/status.h"

namespace operators {

// Returns the beginning of a view's storage.
inline void* BaseOf(const at::Tensor& view) {
    return view.storage().data_ptr().get();
}

// Creates a view of `bytes` bytes at `base`, which are not read here. Operators cannot change its shape.
inline at::Tensor MakeView(void* base, size_t bytes, at::ScalarType type, at::IntArrayRef sizes,
                           at::IntArrayRef strides, int64_t offset, c10::Device device = at::kCPU) {
    c10::Storage storage(c10::Storage::use_byte_size_t(), bytes, at::DataPtr(base, device));
    const auto key = device.is_cpu()    ? c10::DispatchKey::CPU
                     : device.is_meta() ? c10::DispatchKey::Meta
                                        : c10::DispatchKey::CUDA;
    auto view = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), c10::DispatchKeySet(key),
                                                         c10::scalarTypeToTypeMeta(type));
    c10::TensorImpl* const impl = view.unsafeGetTensorImpl();
    impl->set_sizes_and_strides(sizes, strides, offset);
    impl->set_allow_tensor_metadata_change(false);
    return view;
}

// The type of views of ACL_INT4: two elements share a byte, the one with the lower index has its lower half. Sizes,
// strides and the offset count elements. ATen takes each for a byte, so no function of ATen gets such a view.
constexpr at::ScalarType kInt4 = at::kQUInt4x2;

// Returns the number of bytes of elements that begin with a byte.
inline size_t BytesOf(size_t elements, at::ScalarType type) {
    return type == kInt4 ? elements / 2 + elements % 2 : elements * c10::elementSize(type);
}

// Returns the index of the last element of a view that has elements.
inline int64_t LastOf(const c10::TensorImpl& view) {
    int64_t last = view.storage_offset();
    for (int64_t i = 0; i < view.dim(); ++i) last += (view.sizes()[i] - 1) * view.strides()[i];
    return last;
}

// Writes a result of any size to an output, whose shape it becomes.
inline void Write(const Grown& out, const at::Tensor& result) {
    if (result.numel() > out.memory.numel())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "an output has memory for ", out.memory.numel(),
                      " elements, but the result has ", result.numel(), "; pass an output with more memory");
    const at::Tensor whole = result.contiguous();
    out.memory.as_strided(whole.sizes(), whole.strides()).copy_(whole);
    c10::TensorImpl* const seen = out.seen.unsafeGetTensorImpl();
    seen->set_allow_tensor_metadata_change(true);
    seen->set_sizes_contiguous(whole.sizes());
    seen->set_allow_tensor_metadata_change(false);
}

// Returns the same view with its storage at another address, or on another device.
inline at::Tensor MoveView(const at::Tensor& view, void* base, c10::Device device) {
    if (BaseOf(view) == base && device.is_cpu()) return view;
    return MakeView(base, view.storage().nbytes(), view.scalar_type(), view.sizes(), view.strides(),
                    view.storage_offset(), device);
}

// Returns both halves of each byte as numbers of 8 bits, in a new last dimension.
inline at::Tensor HalvesOf(const at::Tensor& bytes) {
    const at::Tensor lower = at::bitwise_right_shift(at::bitwise_left_shift(bytes, 4), 4);
    return at::stack({lower, at::bitwise_right_shift(bytes, 4)}, -1);
}

// Returns the elements of a view of ACL_INT4 as numbers of 8 bits.
inline at::Tensor Unpack(const at::Tensor& view) {
    if (view.numel() == 0) return at::empty(view.sizes(), view.options().dtype(at::kChar));
    const int64_t first = view.storage_offset() / 2;
    const int64_t bytes = LastOf(*view.unsafeGetTensorImpl()) / 2 - first + 1;
    const at::Tensor pairs =
        MakeView(BaseOf(view), view.storage().nbytes(), at::kChar, {bytes}, {1}, first, view.device());
    return HalvesOf(pairs).as_strided(view.sizes(), view.strides(), view.storage_offset() % 2);
}

}  // namespace operators

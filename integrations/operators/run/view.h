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

// Writes a result of any size to an output, whose shape it becomes.
inline void Write(const Grown& out, const at::Tensor& result) {
    if (result.numel() > out.memory.numel())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "the result has ", result.numel(), " elements; out has room for ",
                      out.memory.numel());
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

}  // namespace operators

// Functions that rows of operators share.
#pragma once

#include <ATen/CPUGeneratorImpl.h>

#include "run/operator.h"

namespace operators {

// Returns a number as a tensor, which counts as a number where types are promoted.
inline at::Tensor Wrapped(const at::Scalar& number) {
    at::Tensor tensor = c10::scalar_to_tensor(number);
    tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
    return tensor;
}

// Writes a result to an output with as many elements, perhaps of another shape or type.
inline void Put(at::Tensor& out, const at::Tensor& result) {
    if (out.numel() != result.numel())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "an output has the shape ", out.sizes(),
                      "; it must have as many elements as the result, whose shape is ", result.sizes());
    out.copy_(result.sizes() == out.sizes() ? result : result.reshape(out.sizes()));
}

// Writes a result to an output that may be missing.
inline void Put(Optional<at::Tensor>& out, const at::Tensor& result) {
    if (out && result.defined()) Put(*out, result);
}

// Writes two results. Indices may be of another type than ATen's.
inline void PutBoth(at::Tensor& first, at::Tensor& second, const std::tuple<at::Tensor, at::Tensor>& results) {
    Put(first, std::get<0>(results));
    Put(second, std::get<1>(results));
}

// These checks are for functions of ATen that read as many elements as other arguments have, without a check of sizes.

// Throws if two tensors have different shapes.
inline void CheckSame(const char* name, const at::Tensor& tensor, const char* of_name, const at::Tensor& of) {
    if (tensor.sizes() != of.sizes())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has the shape ", tensor.sizes(), "; it must have the shape of ",
                      of_name, ", ", of.sizes());
}

// Throws if a tensor has fewer elements.
inline void CheckCount(const char* name, const at::Tensor& tensor, int64_t count) {
    if (tensor.numel() < count)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has the shape ", tensor.sizes(), "; it must have at least ",
                      count, count == 1 ? " element" : " elements");
}

// Throws if a tensor is there and has fewer elements.
inline void CheckCount(const char* name, const Optional<at::Tensor>& tensor, int64_t count) {
    if (tensor) CheckCount(name, *tensor, count);
}

// Throws if an optional tensor is missing that the other arguments need.
inline void CheckPresent(const char* name, const Optional<at::Tensor>& tensor, const char* when) {
    if (!tensor) throw Refusal(ACLNN_ERR_PARAM_NULLPTR, name, " is null; it is required ", when);
}

// Throws if a number is not positive.
inline void CheckPositive(const char* name, int64_t number) {
    if (number < 1) throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " is ", number, "; it must be at least 1");
}

// Returns the bytes of a mask of dropout, which has a bit for each element. Throws if they are too few, or not
// contiguous.
inline int64_t CheckMask(const char* name, const at::Tensor& mask, at::IntArrayRef sizes) {
    int64_t count = 1;
    for (const int64_t size : sizes)
        if (size < 0 || __builtin_mul_overflow(count, size, &count))
            throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " is for the shape ", sizes,
                          "; no size may be negative, and the product of the sizes must fit into int64_t");
    const int64_t bytes = count / 8 + (count % 8 != 0 ? 1 : 0);
    if (!mask.is_contiguous())
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has the strides ", mask.strides(), "; it must be contiguous");
    if (mask.numel() < bytes / mask.element_size() + (bytes % mask.element_size() != 0 ? 1 : 0))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " has ", mask.numel() * mask.element_size(),
                      mask.numel() * mask.element_size() == 1 ? " byte" : " bytes", "; it must have at least ", bytes,
                      ", a bit for each of ", count, count == 1 ? " element" : " elements");
    return count;
}

// Returns which of the three gradients are wanted.
inline std::array<bool, 3> Three(Flags flags) {
    if (flags.size() != 3)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "outputMask has ", flags.size(), " elements; it must have 3");
    return {flags[0], flags[1], flags[2]};
}

// Returns indices of the type that ATen requires.
inline at::Tensor Long(const at::Tensor& indices) {
    return indices.scalar_type() == at::kInt ? indices.to(at::kLong) : indices;
}

// Returns what dropout multiplies elements by: 0, or the inverse of the probability of keeping one. The mask has a bit
// for each element, which is set if the element is kept.
inline at::Tensor Kept(const char* name, const at::Tensor& mask, at::IntArrayRef sizes, double probability) {
    const int64_t count = CheckMask(name, mask, sizes);
    at::Tensor kept = at::empty(sizes, at::kFloat);
    const at::Tensor on_host = mask.cpu();
    const auto* bytes = static_cast<const uint8_t*>(on_host.data_ptr());
    auto* factors = kept.data_ptr<float>();
    const float scale = probability > 0 ? static_cast<float>(1 / probability) : 0;
    for (int64_t i = 0; i < count; ++i) factors[i] = (bytes[i / 8] >> i % 8 & 1) != 0 ? scale : 0;
    return kept;
}

// Returns random numbers that depend on both, as the API numbers them, for a tensor of `device`.
inline at::Generator Random(int64_t seed, int64_t offset, c10::Device device = at::kCPU) {
    const auto mixed = static_cast<uint64_t>(seed) + static_cast<uint64_t>(offset) * 0x9e3779b97f4a7c15u;
    if (device.is_cpu() || device.is_meta()) return at::detail::createCPUGenerator(mixed);
    at::Generator generator = at::globalContext().defaultGenerator(device).clone();
    generator.set_current_seed(mixed);
    return generator;
}

}  // namespace operators

using namespace operators;

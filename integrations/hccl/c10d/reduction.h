// Elements of all types of HCCL as tensors of types that Gloo and ATen reduce.
#pragma once

#include <ATen/ATen.h>
#include <hccl/hccl_types.h>

namespace hccl {

// Host memory as a tensor. The memory outlives it.
at::Tensor Bytes(void* memory, size_t bytes);
at::Tensor Elements(void* memory, uint64_t count, HcclDataType type);

// Returns elements of a type that Gloo reduces: the same tensor, or a copy in another type.
at::Tensor Widen(const at::Tensor& elements, HcclDataType type, HcclReduceOp reduction);
// Writes the reduced elements of Widen back.
void Narrow(const at::Tensor& elements, const at::Tensor& reduced, HcclDataType type, HcclReduceOp reduction);

// Reduces the rows of a matrix into one row.
void ReduceRows(const at::Tensor& row, const at::Tensor& rows, HcclDataType type, HcclReduceOp reduction);

}  // namespace hccl

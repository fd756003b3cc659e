#include "c10d/reduction.h"

#include <limits>

namespace hccl {

namespace {

// Unsigned numbers are tensors of the signed type of their size, since ATen has few operators for the others.
at::ScalarType TypeOf(HcclDataType type) {
    switch (type) {
        case HCCL_DATA_TYPE_INT8:
            return at::kChar;
        case HCCL_DATA_TYPE_INT16:
        case HCCL_DATA_TYPE_UINT16:
            return at::kShort;
        case HCCL_DATA_TYPE_INT32:
        case HCCL_DATA_TYPE_UINT32:
            return at::kInt;
        case HCCL_DATA_TYPE_FP16:
            return at::kHalf;
        case HCCL_DATA_TYPE_FP32:
            return at::kFloat;
        case HCCL_DATA_TYPE_INT64:
        case HCCL_DATA_TYPE_UINT64:
            return at::kLong;
        case HCCL_DATA_TYPE_FP64:
            return at::kDouble;
        case HCCL_DATA_TYPE_BFP16:
            return at::kBFloat16;
        case HCCL_DATA_TYPE_UINT8:
        case HCCL_DATA_TYPE_INT128:
            break;
    }
    return at::kByte;
}

constexpr int64_t kSign = std::numeric_limits<int64_t>::min();

// Numbers of 64 bits without a sign have the sums and products of numbers with one. Their order is that of the numbers
// with the first bit flipped.
bool NeedsFlip(HcclDataType type, HcclReduceOp reduction) {
    return type == HCCL_DATA_TYPE_UINT64 && (reduction == HCCL_REDUCE_MAX || reduction == HCCL_REDUCE_MIN);
}

}  // namespace

at::Tensor Bytes(void* memory, size_t bytes) {
    return at::from_blob(memory, {static_cast<int64_t>(bytes)}, at::kByte);
}

at::Tensor Elements(void* memory, uint64_t count, HcclDataType type) {
    return at::from_blob(memory, {static_cast<int64_t>(count)}, TypeOf(type));
}

at::Tensor Widen(const at::Tensor& elements, HcclDataType type, HcclReduceOp reduction) {
    if (NeedsFlip(type, reduction)) return elements.bitwise_xor(kSign);
    switch (type) {
        case HCCL_DATA_TYPE_INT16:
            return elements.to(at::kInt);
        case HCCL_DATA_TYPE_UINT16:
            return elements.to(at::kInt).bitwise_and(0xffff);
        case HCCL_DATA_TYPE_UINT32:
            return elements.to(at::kLong).bitwise_and(0xffffffff);
        // An assignment of Gloo's float16 can do nothing: it compares the bits of one number with the value of the
        // other.
        case HCCL_DATA_TYPE_FP16:
            return elements.to(at::kFloat);
        default:
            return elements;
    }
}

void Narrow(const at::Tensor& elements, const at::Tensor& reduced, HcclDataType type, HcclReduceOp reduction) {
    if (reduced.is_same(elements)) return;
    elements.copy_(NeedsFlip(type, reduction) ? reduced.bitwise_xor(kSign) : reduced);
}

void ReduceRows(const at::Tensor& row, const at::Tensor& rows, HcclDataType type, HcclReduceOp reduction) {
    const at::Tensor wide = Widen(rows, type, reduction);
    at::Tensor reduced;
    switch (reduction) {
        case HCCL_REDUCE_SUM:
            reduced = at::sum(wide, {0}, false, wide.scalar_type());
            break;
        case HCCL_REDUCE_PROD:
            reduced = at::prod(wide, 0, false, wide.scalar_type());
            break;
        case HCCL_REDUCE_MAX:
            reduced = at::amax(wide, {0});
            break;
        case HCCL_REDUCE_MIN:
            reduced = at::amin(wide, {0});
            break;
    }
    Narrow(row, reduced, type, reduction);
}

}  // namespace hccl

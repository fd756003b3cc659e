#include "meta/data_type.h"

#include <cstring>

#include "run/status.h"

namespace operators {

namespace {

template <typename T>
at::Scalar Read(const void* value) {
    T read;
    std::memcpy(&read, value, sizeof read);
    return at::Scalar(read);
}

struct TypeMapping {
    aclDataType type;
    at::ScalarType scalar_type;
    at::Scalar (*read)(const void*);
};

constexpr TypeMapping kTypes[] = {
    {ACL_FLOAT, at::kFloat, Read<float>},
    {ACL_FLOAT16, at::kHalf, Read<at::Half>},
    {ACL_BF16, at::kBFloat16, Read<at::BFloat16>},
    {ACL_DOUBLE, at::kDouble, Read<double>},
    {ACL_INT8, at::kChar, Read<int8_t>},
    {ACL_UINT8, at::kByte, Read<uint8_t>},
    {ACL_INT16, at::kShort, Read<int16_t>},
    {ACL_INT32, at::kInt, Read<int32_t>},
    {ACL_INT64, at::kLong, Read<int64_t>},
    {ACL_BOOL, at::kBool, Read<bool>},
    {ACL_COMPLEX32, at::kComplexHalf, Read<c10::complex<at::Half>>},
    {ACL_COMPLEX64, at::kComplexFloat, Read<c10::complex<float>>},
    {ACL_COMPLEX128, at::kComplexDouble, Read<c10::complex<double>>},
#if OPERATORS_TORCH >= 203
    {ACL_UINT16, at::kUInt16, Read<uint16_t>},
    {ACL_UINT32, at::kUInt32, Read<uint32_t>},
    {ACL_UINT64, at::kUInt64, Read<uint64_t>},
#endif
};

const TypeMapping& RowOf(aclDataType type) {
    for (const TypeMapping& row : kTypes)
        if (row.type == type) return row;
    throw Refusal(ACLNN_ERR_PARAM_INVALID, "dataType is ", static_cast<int>(type),
                  "; the loaded libtorch does not compute with this type. Use float, half, bfloat16, double, int8 to "
#if OPERATORS_TORCH >= 203
                  "int64, uint8 to uint64, "
#else
                  "int64, uint8, "
#endif
                  "bool or complex");
}

}  // namespace

at::ScalarType ScalarTypeOf(aclDataType type) {
    return RowOf(type).scalar_type;
}

at::Scalar ReadScalar(const void* value, aclDataType type) {
    return RowOf(type).read(value);
}

}  // namespace operators

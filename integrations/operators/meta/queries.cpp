// Returns what programs query of the objects.
#include <aclnnop/aclnn_trans_matmul_weight.h>

#include "meta/data_type.h"
#include "meta/objects.h"
#include "run/status.h"

namespace {

using operators::Guarded;
using operators::Live;
using operators::NotNull;

// An argument of a call, with its name.
template <typename T>
struct Named {
    const char* name;
    T* value;
};
template <typename T>
Named(const char*, T*) -> Named<T>;

aclnnStatus QueryArray(const char* call, const aclTensor* tensor, Named<int64_t*> values, Named<uint64_t> count,
                       at::IntArrayRef (*read)(const aclTensor&)) {
    return Guarded(call, [&] {
        const at::IntArrayRef found = read(Live("tensor", NotNull("tensor", tensor)));
        NotNull(values.name, values.value);
        NotNull(count.name, count.value);
        auto* const copy = new int64_t[found.size()];
        std::copy(found.begin(), found.end(), copy);
        *values.value = copy;
        *count.value = found.size();
    });
}

template <typename Result, typename Object, typename Read>
aclnnStatus Query(const char* call, Named<const Object> object, Named<Result> result, Read read) {
    return Guarded(call, [&] {
        const Result found = read(Live(object.name, NotNull(object.name, object.value)));
        NotNull(result.name, result.value) = found;
    });
}

constexpr auto kSize = [](const auto& object) { return static_cast<uint64_t>(object.values.size()); };

}  // namespace

extern "C" {

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
    return QueryArray(__func__, tensor, {"viewDims", viewDims}, {"viewDimsNum", viewDimsNum},
                      [](const aclTensor& it) { return it.view.sizes(); });
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum) {
    return QueryArray(__func__, tensor, {"stridesValue", stridesValue}, {"stridesNum", stridesNum},
                      [](const aclTensor& it) { return it.view.strides(); });
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims, uint64_t* storageDimsNum) {
    return QueryArray(__func__, tensor, {"storageDims", storageDims}, {"storageDimsNum", storageDimsNum},
                      [](const aclTensor& it) { return at::IntArrayRef(it.storage_sizes); });
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
    return Query(__func__, Named{"tensor", tensor}, Named{"offset", offset},
                 [](const aclTensor& it) { return it.view.storage_offset(); });
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
    return Query(__func__, Named{"tensor", tensor}, Named{"format", format},
                 [](const aclTensor& it) { return it.format; });
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
    return Query(__func__, Named{"tensor", tensor}, Named{"dataType", dataType},
                 [](const aclTensor& it) { return it.type; });
}

aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
    return Query(__func__, Named{"array", array}, Named{"size", size}, kSize);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray* array, uint64_t* size) {
    return Query(__func__, Named{"array", array}, Named{"size", size}, kSize);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
    return Query(__func__, Named{"array", array}, Named{"size", size}, kSize);
}

aclnnStatus aclGetTensorListSize(const aclTensorList* list, uint64_t* size) {
    return Query(__func__, Named{"list", list}, Named{"size", size}, kSize);
}

aclnnStatus aclGetScalarListSize(const aclScalarList* list, uint64_t* size) {
    return Query(__func__, Named{"list", list}, Named{"size", size}, kSize);
}

aclnnStatus aclnnCalculateMatmulWeightSizeV2(const aclIntArray* tensorShape, aclDataType dataType,
                                             uint64_t* weightTensorSize) {
    return Guarded(__func__, [&] {
        const auto& shape = Live("tensorShape", NotNull("tensorShape", tensorShape)).values;
        uint64_t bytes = c10::elementSize(operators::ScalarTypeOf(dataType));
        for (const int64_t size : shape)
            if (size < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes))
                throw operators::Refusal(ACLNN_ERR_PARAM_INVALID, "tensorShape is ", at::IntArrayRef(shape),
                                         "; no size may be negative, and the matrix must have less than 2^64 bytes");
        NotNull("weightTensorSize", weightTensorSize) = bytes;
    });
}

}  // extern "C"

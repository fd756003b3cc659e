// Creates and releases the objects.
#include "meta/objects.h"

#include "meta/data_type.h"
#include "run/status.h"
#include "run/view.h"

namespace {

using operators::Guarded;
using operators::GuardedPointer;
using operators::NotNull;
using operators::Refusal;

constexpr uint64_t kMostDimensions = 64;

// Whether the elements of a format are in the order of the sizes.
bool IsPlain(aclFormat format) {
    switch (format) {
        case ACL_FORMAT_ND:
        case ACL_FORMAT_NCHW:
        case ACL_FORMAT_NHWC:
        case ACL_FORMAT_NCDHW:
        case ACL_FORMAT_NDHWC:
        case ACL_FORMAT_NCL:
        case ACL_FORMAT_UNDEFINED:
            return true;
        default:
            return false;
    }
}

at::IntArrayRef Array(const char* name, const int64_t* values, const char* count_name, uint64_t count) {
    if (count > kMostDimensions)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, count_name, " is ", count, "; at most ", kMostDimensions,
                      " are allowed");
    if (count > 0) NotNull(name, values);
    return {values, static_cast<size_t>(count)};
}

// Throws if an element of the view is outside of the storage.
void CheckBounds(at::IntArrayRef sizes, at::IntArrayRef strides, int64_t offset, int64_t elements) {
    int64_t last = offset;
    for (size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] < 0)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "viewDims[", i, "] is ", sizes[i], "; it must not be negative");
        if (strides[i] < 0)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "strides[", i, "] is ", strides[i], "; it must not be negative");
        if (sizes[i] == 0) return;
        int64_t step = 0;
        if (__builtin_mul_overflow(sizes[i] - 1, strides[i], &step) || __builtin_add_overflow(last, step, &last))
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "the view ends beyond the largest number of elements");
    }
    if (offset < 0 || last >= elements)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "the view reaches from element ", offset, " to ", last,
                      " of a storage of ", elements, " elements");
}

int64_t Product(at::IntArrayRef sizes) {
    int64_t product = 1;
    for (const int64_t size : sizes)
        if (size < 0 || __builtin_mul_overflow(product, size, &product))
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "storageDims describe no storage: ", sizes);
    return product;
}

template <typename Object>
aclnnStatus Destroy(const Object* object) {
    delete object;
    return ACL_SUCCESS;
}

// Creates an object from an array of the API.
template <typename Object, typename T>
Object* CopyArray(const char* call, const T* value, uint64_t size) {
    return GuardedPointer(call, [&] {
        if (size > 0) NotNull("value", value);
        auto made = std::make_unique<Object>();
        made->values.assign(value, value + size);
        return made.release();
    });
}

// Creates a list of the API as an object. The list owns the elements; after a failure it owns none.
template <typename List, typename Element>
List* TakeElements(const char* call, const Element* const* value, uint64_t size) {
    return GuardedPointer(call, [&] {
        if (size > 0) NotNull("value", value);
        auto made = std::make_unique<List>();
        made->values.reserve(size);
        for (uint64_t i = 0; i < size; ++i) made->values.emplace_back(value[i]);
        return made.release();
    });
}

}  // namespace

extern "C" {

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t* strides,
                           int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                           void* tensorData) {
    return GuardedPointer(__func__, [&] {
        const at::IntArrayRef sizes = Array("viewDims", viewDims, "viewDimsNum", viewDimsNum);
        const at::IntArrayRef storage = Array("storageDims", storageDims, "storageDimsNum", storageDimsNum);
        const at::ScalarType type = operators::ScalarTypeOf(dataType);
        if (!IsPlain(format))
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "format is ", static_cast<int>(format),
                          ", in which elements have another order in memory; convert the tensor to ACL_FORMAT_ND");
        c10::SmallVector<int64_t, 6> steps(sizes.size());
        int64_t step = 1;
        for (size_t i = sizes.size(); i-- > 0; step *= std::max<int64_t>(sizes[i], 1)) steps[i] = step;
        if (strides != nullptr) steps.assign(strides, strides + sizes.size());
        const int64_t elements = Product(storage);
        CheckBounds(sizes, steps, offset, elements);
        return new aclTensor{
            operators::MakeView(tensorData, elements * c10::elementSize(type), type, sizes, steps, offset), dataType,
            format, storage.vec()};
    });
}

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
    return GuardedPointer(__func__, [&] {
        NotNull("value", static_cast<const char*>(value));
        return new aclScalar{operators::ReadScalar(value, dataType)};
    });
}

aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
    return CopyArray<aclIntArray>(__func__, value, size);
}

aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
    return CopyArray<aclFloatArray>(__func__, value, size);
}

aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
    return CopyArray<aclBoolArray>(__func__, value, size);
}

aclTensorList* aclCreateTensorList(const aclTensor* const* value, uint64_t size) {
    return TakeElements<aclTensorList>(__func__, value, size);
}

aclScalarList* aclCreateScalarList(const aclScalar* const* value, uint64_t size) {
    return TakeElements<aclScalarList>(__func__, value, size);
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
    return Destroy(tensor);
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
    return Destroy(scalar);
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
    return Destroy(array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
    return Destroy(array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
    return Destroy(array);
}

aclnnStatus aclDestroyTensorList(const aclTensorList* list) {
    return Destroy(list);
}

aclnnStatus aclDestroyScalarList(const aclScalarList* list) {
    return Destroy(list);
}

}  // extern "C"

// Creates and releases the objects.
#include "meta/objects.h"

#include <acl/acl_rt.h>

#include <algorithm>

#include "meta/data_type.h"
#include "run/status.h"
#include "run/view.h"

namespace {

using operators::Guarded;
using operators::GuardedPointer;
using operators::NotNull;
using operators::Refusal;

constexpr uint64_t kMostDimensions = 64;
// More elements, of at most 16 bytes each, than there is memory: every size in bytes fits.
constexpr int64_t kMostElements = int64_t{1} << 58;

at::IntArrayRef Array(const char* name, const int64_t* values, const char* count_name, uint64_t count) {
    if (count > kMostDimensions)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, count_name, " is ", count, "; at most ", kMostDimensions,
                      " are allowed");
    if (count > 0) NotNull(name, values);
    return {values, static_cast<size_t>(count)};
}

// The storage of a view: its address, and the elements that the program states.
struct Stated {
    void* data;
    at::ScalarType type;
    int64_t elements;
};

// Returns the end of the allocation or mapping around an address, or null if there is none.
char* EndAround(void* address) {
    void* base = nullptr;
    size_t size = 0;
    if (aclrtMemGetAddressRange(address, &base, &size) == ACL_SUCCESS) return static_cast<char*>(base) + size;
    operators::ForgetFailure();
    return nullptr;
}

// Whether an address is in mapped memory (aclrtMapMem) that the current device may access.
bool IsMapped(void* address) {
    aclrtMemLocation location{0, ACL_MEM_LOCATION_TYPE_DEVICE};
    uint64_t access = ACL_RT_MEM_ACCESS_FLAGS_NONE;
    int32_t device = 0;
    if (aclrtGetDevice(&device) == ACL_SUCCESS) {
        location.id = static_cast<uint32_t>(device);
        if (aclrtMemGetAccess(address, &location, &access) == ACL_SUCCESS)
            return access != ACL_RT_MEM_ACCESS_FLAGS_NONE;
    }
    operators::ForgetFailure();
    return false;
}

// Whether there is memory for this many elements: in one allocation, or in adjacent mappings, because pools that grow
// map memory behind what they have mapped before.
bool HasRoom(const Stated& storage, int64_t elements) {
    if (storage.data == nullptr) return false;
    auto* const data = static_cast<char*>(storage.data);
    const size_t needed = operators::BytesOf(static_cast<size_t>(elements), storage.type);
    char* end = EndAround(data);
    while (end != nullptr && static_cast<size_t>(end - data) < needed)
        end = IsMapped(end - 1) && IsMapped(end) ? EndAround(end) : nullptr;
    return end != nullptr;
}

// Returns how many elements the storage has: as many as stated, or more, if the view needs them and there is memory for
// them, because programs pass storages that they have resized. Throws if the view needs more.
int64_t CheckBounds(at::IntArrayRef sizes, at::IntArrayRef strides, int64_t offset, const Stated& storage) {
    int64_t last = offset, count = 1;
    for (size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] < 0)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "viewDims[", i, "] is ", sizes[i], "; it must not be negative");
        if (strides[i] < 0)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "strides[", i, "] is ", strides[i], "; it must not be negative");
        if (sizes[i] == 0) return storage.elements;
        if (__builtin_mul_overflow(count, sizes[i], &count) || count > kMostElements)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "viewDims is ", sizes, "; at most ", kMostElements,
                          " elements are allowed");
        int64_t step = 0;
        if (__builtin_mul_overflow(sizes[i] - 1, strides[i], &step) || __builtin_add_overflow(last, step, &last))
            throw Refusal(ACLNN_ERR_PARAM_INVALID,
                          "viewDims, strides and offset select an element whose index exceeds int64_t; pass smaller "
                          "values");
    }
    if (offset >= 0 && last < storage.elements) return storage.elements;
    if (offset < 0 || last >= kMostElements || !HasRoom(storage, last + 1))
        throw Refusal(ACLNN_ERR_PARAM_INVALID, "viewDims, strides and offset select the elements with index ", offset,
                      " to ", last, " (counted from 0), but the storage has ", storage.elements,
                      " elements; pass a view inside the storage");
    return last + 1;
}

// Whether a shape has no elements.
bool IsEmpty(at::IntArrayRef sizes) {
    return std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
}

int64_t Product(at::IntArrayRef sizes) {
    int64_t product = 1;
    for (const int64_t size : sizes)
        if (size < 0 || __builtin_mul_overflow(product, size, &product) || product > kMostElements)
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "storageDims is ", sizes, "; no size may be negative, and at most ",
                          kMostElements, " elements are allowed");
    return product;
}

// Returns the strides of elements without gaps.
c10::SmallVector<int64_t, 6> StridesOf(at::IntArrayRef sizes) {
    c10::SmallVector<int64_t, 6> steps(sizes.size());
    int64_t step = 1;
    for (size_t i = sizes.size(); i-- > 0;) {
        steps[i] = step;
        if (__builtin_mul_overflow(step, std::max<int64_t>(sizes[i], 1), &step))
            throw Refusal(ACLNN_ERR_PARAM_INVALID, "viewDims is ", sizes, "; at most ", kMostElements,
                          " elements are allowed");
    }
    return steps;
}

template <typename Object>
aclnnStatus Destroy(const char* call, const char* name, const Object* object) {
    return Guarded(call, [&] {
        if (object == nullptr || operators::Store<Object>::Get().End(const_cast<Object&>(*object), Object::kLive))
            return;
        // The list still uses it. Programs destroy both, or the elements alone.
        uint64_t mark = Object::kLive | operators::kInList;
        if (const_cast<Object&>(*object).mark.compare_exchange_strong(mark,
                                                                      Object::kLive | operators::kDestroyedInList))
            return;
        operators::Live(name, *object);
    });
}

// Throws if a count of elements cannot be one of an array in memory.
template <typename T>
void CheckCount(const T* value, uint64_t size) {
    constexpr uint64_t kMost = (uint64_t{1} << 46) / sizeof(T);
    if (size > kMost) throw Refusal(ACLNN_ERR_PARAM_INVALID, "size is ", size, "; at most ", kMost, " are allowed");
    if (size > 0) NotNull("value", value);
}

// Creates an object from an array of the API.
template <typename Object, typename T>
Object* CopyArray(const char* call, const T* value, uint64_t size) {
    return GuardedPointer(call, [&] {
        CheckCount(value, size);
        typename Object::Contents made;
        made.values.assign(value, value + size);
        return operators::Store<Object>::Get().Make(std::move(made));
    });
}

// Throws if an element of a list is none, or is in a list already.
template <typename Element>
void CheckElement(const std::string& name, const Element& element) {
    if ((operators::Live(name, element).mark.load() & operators::kInList) != 0)
        throw Refusal(ACLNN_ERR_PARAM_INVALID, name,
                      " is in a list already; an object can be in one list only, and only once");
}

// Creates a list of the API as an object. The list owns the elements, which may be null; after a failure it owns none.
template <typename List, typename Element>
List* TakeElements(const char* call, const Element* const* value, uint64_t size) {
    return GuardedPointer(call, [&] {
        CheckCount(value, size);
        typename List::Contents made;
        made.values.reserve(size);
        const auto release_all = [&] {
            for (auto& element : made.values)
                if (element != nullptr) const_cast<Element*>(element.release())->mark.store(Element::kLive);
        };
        try {
            for (uint64_t i = 0; i < size; ++i) {
                uint64_t live = Element::kLive;
                auto* const element = const_cast<Element*>(value[i]);
                if (element != nullptr && !element->mark.compare_exchange_strong(live, live | operators::kInList))
                    CheckElement("value[" + std::to_string(i) + "]", *element);
                made.values.emplace_back(element);
            }
            return operators::Store<List>::Get().Make(std::move(made));
        } catch (...) {
            release_all();
            throw;
        }
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
        const at::ScalarType type = dataType == ACL_INT4 ? operators::kInt4 : operators::ScalarTypeOf(dataType);
        c10::SmallVector<int64_t, 6> steps = StridesOf(sizes);
        if (strides != nullptr) steps.assign(strides, strides + sizes.size());
        // Programs state any storage for a tensor without elements.
        const int64_t stated = IsEmpty(sizes) ? 0 : Product(storage);
        const int64_t elements = CheckBounds(sizes, steps, offset, {tensorData, type, stated});
        const size_t bytes = operators::BytesOf(static_cast<size_t>(elements), type);
        return operators::Store<aclTensor>::Get().Make(
            {operators::MakeView(tensorData, bytes, type, sizes, steps, offset), dataType, format, storage.vec()});
    });
}

aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
    return GuardedPointer(__func__, [&] {
        NotNull("value", static_cast<const char*>(value));
        return operators::Store<aclScalar>::Get().Make({operators::ReadScalar(value, dataType)});
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
    return Destroy(__func__, "tensor", tensor);
}

aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
    return Destroy(__func__, "scalar", scalar);
}

aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
    return Destroy(__func__, "array", array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
    return Destroy(__func__, "array", array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
    return Destroy(__func__, "array", array);
}

aclnnStatus aclDestroyTensorList(const aclTensorList* list) {
    return Destroy(__func__, "list", list);
}

aclnnStatus aclDestroyScalarList(const aclScalarList* list) {
    return Destroy(__func__, "list", list);
}

}  // extern "C"

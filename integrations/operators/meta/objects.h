// The objects that programs create for operators. Each keeps its values in ATen's terms.
#pragma once

#include <aclnn/acl_meta.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "run/aten.h"
#include "run/status.h"

namespace operators {

// The first bytes of every object: what it is, or 0 after its end. The memory of an object is never returned, and
// serves objects of the same kind only, so an object that is used after its end, or as one of another kind, is
// recognized.
struct Mark {
    std::atomic<uint64_t> mark{0};
    Mark* next_free = nullptr;
};

// The marks of live objects are these, plus the number of a kind. An element of a list has another bit: its end is that
// of the list.
constexpr uint64_t kMark = 0x706f'7274'6163'6c00;
constexpr uint64_t kInList = uint64_t{1} << 63;
// And one that the program has destroyed another: only the list uses it then.
constexpr uint64_t kDestroyedInList = kInList | uint64_t{1} << 59;
static_assert((kMark & kDestroyedInList) == 0);
constexpr const char* kKinds[] = {"a tensor",     "a scalar",      "an int array", "a float array",
                                  "a bool array", "a tensor list", "a scalar list"};

template <typename ContentsType, uint64_t kKind>
struct ObjectOf : Mark, ContentsType {
    using Contents = ContentsType;
    static constexpr uint64_t kLive = kMark + kKind;
    static constexpr const char* kName = kKinds[kKind];
};

// Returns what is at the place of an object of another kind.
inline std::string InWords(uint64_t mark) {
    const uint64_t kind = (mark & ~kInList) - kMark;
    return kind < std::size(kKinds) ? kKinds[kind] : "not an object of this library, or was destroyed";
}

// Returns the object, if it is one of this kind and lives.
template <typename T>
const T& Live(const std::string& name, const T& object) {
    const uint64_t mark = object.mark.load(std::memory_order_acquire);
    if ((mark & ~kInList) == T::kLive) return object;
    throw Refusal(ACLNN_ERR_PARAM_INVALID, name, " is ", InWords(mark), "; pass ", T::kName, " that is not destroyed");
}

// The memory of objects of one kind.
template <typename T>
class Store {
  public:
    // Returns the store, which is never destroyed: threads of the process can outlive its static objects.
    static Store& Get() {
        static auto* const store = new Store;
        return *store;
    }

    T* Make(typename T::Contents contents) {
        T& made = Unused();
        static_cast<typename T::Contents&>(made) = std::move(contents);
        made.mark.store(T::kLive, std::memory_order_release);
        return &made;
    }

    // Ends an object whose mark is `expected`. Returns false if it has another mark, also if another thread ends it
    // now.
    bool End(T& object, uint64_t expected) {
        if (!object.mark.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) return false;
        { const typename T::Contents dropped = std::exchange(static_cast<typename T::Contents&>(object), {}); }
        const std::lock_guard<std::mutex> lock(mutex_);
        object.next_free = nullptr;
        (last_ != nullptr ? last_->next_free : first_) = &object;
        last_ = &object;
        ++free_;
        return true;
    }

  private:
    // Objects that have ended wait before their memory is used again, so that a late use is recognized.
    static constexpr size_t kLeastFree = 4096;

    T& Unused() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (free_ <= kLeastFree) return all_.emplace_back();
        Mark* const found = first_;
        first_ = found->next_free;
        --free_;
        return static_cast<T&>(*found);
    }

    std::mutex mutex_;
    std::deque<T> all_;
    Mark* first_ = nullptr;
    Mark* last_ = nullptr;
    size_t free_ = 0;
};

// Ends an element of a list.
template <typename T>
struct EndInList {
    void operator()(const T* object) const {
        auto& element = const_cast<T&>(*object);
        if (!Store<T>::Get().End(element, T::kLive | kInList))
            Store<T>::Get().End(element, T::kLive | kDestroyedInList);
    }
};
template <typename T>
using ListElement = std::unique_ptr<const T, EndInList<T>>;

struct TensorContents {
    at::Tensor view;
    aclDataType type;
    aclFormat format;
    std::vector<int64_t> storage_sizes;
};
struct ScalarContents {
    at::Scalar value;
};
struct IntArrayContents {
    c10::SmallVector<int64_t, 6> values;
};
struct FloatArrayContents {
    std::vector<double> values;
};
struct BoolArrayContents {
    // All on the heap: GCC 12 takes elements inside the object for uninitialized.
    c10::SmallVector<bool, 0> values;
};
template <typename T>
struct ListContents {
    std::vector<ListElement<T>> values;
};

}  // namespace operators

struct aclTensor : operators::ObjectOf<operators::TensorContents, 0> {};
struct aclScalar : operators::ObjectOf<operators::ScalarContents, 1> {};
struct aclIntArray : operators::ObjectOf<operators::IntArrayContents, 2> {};
struct aclFloatArray : operators::ObjectOf<operators::FloatArrayContents, 3> {};
struct aclBoolArray : operators::ObjectOf<operators::BoolArrayContents, 4> {};
struct aclTensorList : operators::ObjectOf<operators::ListContents<aclTensor>, 5> {};
struct aclScalarList : operators::ObjectOf<operators::ListContents<aclScalar>, 6> {};

// An operator with its arguments, which a kernel runs later.
#pragma once

#include <ATen/Parallel.h>

#include <atomic>
#include <memory>
#include <string>

#include "run/aten.h"

namespace operators {

// The place where an operator runs: the addresses of the tensors' storages there, in the order of the arguments, and
// ATen's device. On the device `meta` tensors have no memory, and there are no addresses.
struct Addresses {
    c10::ArrayRef<void*> storages;
    c10::Device device;
};

// What an operator does with a tensor.
enum class Does : uint8_t { kRead, kMayRead, kWrite, kWriteStorage };

// A tensor of an operator. What the first phase keeps holds the view.
struct Used {
    const c10::TensorImpl* view;
    Does does;
    // The position of the parameter, and the index in it if it is a list, else -1.
    int16_t position;
    int32_t element;
};

class Work {
  public:
    explicit Work(const char* name) : name(name) {}
    virtual ~Work() = default;
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    // Runs the operator. Throws what ATen throws.
    virtual void Compute(Addresses addresses) = 0;

    // The name of the call of its second phase.
    const char* const name;
    c10::SmallVector<void*, 16> storages;
    // The uses of the storages.
    c10::SmallVector<Used, 4> used;
    // The types and names of the parameters, as in "(In self, In other)".
    const char* parameters = nullptr;
#if OPERATORS_TORCH < 207
    // The number of ATen's threads in the thread that calls the first phase.
    const int threads = at::get_num_threads();
#endif
    // The number of holders: the executor, if it is repeatable, and every launch that has not run.
    std::atomic<int> holders{1};
    // The work that was finished before this, until both are released.
    Work* next = nullptr;
};

// Returns the name of a parameter, or of an element of a list.
inline std::string ParameterName(const Work& work, int position, int32_t element = -1) {
    std::string rest(work.parameters + 1);
    for (; position > 0; --position) rest.erase(0, rest.find(',') + 1);
    rest.erase(rest.find_first_of(",)"));
    const std::string name = rest.substr(rest.rfind(' ') + 1);
    return element < 0 ? name : name + "[" + std::to_string(element) + "]";
}

struct Release {
    void operator()(Work* work) const {
        if (work->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) delete work;
    }
};
using WorkPointer = std::unique_ptr<Work, Release>;

// Work that has run, and that a thread that prepares operators will release. That thread has allocated the parts, and
// an allocator releases them faster there than on the thread of a stream.
class Finished {
  public:
    // Takes the part of a holder.
    void Add(Work* work) {
        if (work->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        work->next = first_.load(std::memory_order_relaxed);
        while (!first_.compare_exchange_weak(work->next, work, std::memory_order_release, std::memory_order_relaxed)) {
        }
    }
    void ReleaseAll() {
        if (first_.load(std::memory_order_relaxed) == nullptr) return;
        Work* work = first_.exchange(nullptr, std::memory_order_acquire);
        while (work != nullptr) {
            Work* const next = work->next;
            delete work;
            work = next;
        }
    }

  private:
    std::atomic<Work*> first_{nullptr};
};

inline Finished finished;

inline WorkPointer Retain(Work& work) {
    work.holders.fetch_add(1, std::memory_order_relaxed);
    return WorkPointer(&work);
}

}  // namespace operators

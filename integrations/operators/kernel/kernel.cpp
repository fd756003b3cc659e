// The kernel that runs operators. It is a separate module, because a launch translates the addresses of device memory,
// and because only kernels run in stream order with failures of their own. It calls back into the library of operators.
#include "kernel/kernel.h"

#include <utility>

namespace {

template <size_t>
using Storage = void*;

// Defines a parameter for each storage, because the library recognizes pointers among parameters only.
template <typename Numbers>
struct Kernel;
template <size_t... I>
struct Kernel<std::index_sequence<I...>> {
    static void Run(const portaclBlock& block, operators::Head head, Storage<I>... storage) {
        void* const storages[] = {storage...};
        head.callbacks.compute(&block, head.work, storages);
    }
};

// Reports the memory of a launch. The storages follow the head in memory.
size_t Uses(const void* arguments, portaclUse* uses, size_t capacity) {
    const auto* head = static_cast<const operators::Head*>(arguments);
    return head->callbacks.uses(head->work, reinterpret_cast<void* const*>(head + 1), uses, capacity);
}

void Release(const void* arguments) {
    const auto* head = static_cast<const operators::Head*>(arguments);
    head->callbacks.release(head->work);
}

}  // namespace

#define EXPORT __attribute__((visibility("default")))

// Defines a kernel for this number of storages, the release of its launches, and the memory that they use.
#define RUN(COUNT)                                                                                \
    PORTACL_KERNEL(run_##COUNT, Kernel<std::make_index_sequence<COUNT>>::Run);                    \
    extern "C" {                                                                                  \
    EXPORT void run_##COUNT##_portacl_release(const void*);                                       \
    void run_##COUNT##_portacl_release(const void* arguments) {                                   \
        Release(arguments);                                                                       \
    }                                                                                             \
    EXPORT size_t run_##COUNT##_portacl_uses(const void*, portaclUse*, size_t);                   \
    size_t run_##COUNT##_portacl_uses(const void* arguments, portaclUse* uses, size_t capacity) { \
        return Uses(arguments, uses, capacity);                                                   \
    }                                                                                             \
    }                                                                                             \
    static_assert(true, "the macro wants a semicolon behind it")

RUN(4);
RUN(16);
RUN(64);
RUN(256);

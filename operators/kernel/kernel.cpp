// The kernel that runs operators: a module of its own, because a launch translates the addresses of device memory, and
// because only kernels run in stream order with failures of their own. It calls back into the library of operators.
#include "kernel/kernel.h"

#include <utility>

namespace {

template <size_t>
using Storage = void*;

// A parameter for each storage: the library recognizes pointers among parameters only.
template <typename Numbers>
struct Kernel;
template <size_t... I>
struct Kernel<std::index_sequence<I...>> {
    static void Run(const portaclBlock& block, operators::Head head, Storage<I>... storage) {
        void* const storages[] = {storage...};
        head.callbacks.compute(&block, head.work, storages);
    }
};

void Release(const void* arguments) {
    const auto* head = static_cast<const operators::Head*>(arguments);
    head->callbacks.release(head->work);
}

}  // namespace

// A kernel for this many storages, and the release of its launches.
#define RUN(COUNT)                                                                          \
    PORTACL_KERNEL(run_##COUNT, Kernel<std::make_index_sequence<COUNT>>::Run);              \
    extern "C" {                                                                            \
    __attribute__((visibility("default"))) void run_##COUNT##_portacl_release(const void*); \
    void run_##COUNT##_portacl_release(const void* arguments) {                             \
        Release(arguments);                                                                 \
    }                                                                                       \
    }                                                                                       \
    static_assert(true, "the macro wants a semicolon behind it")

RUN(4);
RUN(16);
RUN(64);
RUN(256);

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
    static void Run(const portaclBlock& block, operators::Computation compute, uintptr_t work, Storage<I>... storage) {
        void* const storages[] = {storage...};
        compute(&block, work, storages);
    }
};

}  // namespace

PORTACL_KERNEL(run_4, Kernel<std::make_index_sequence<4>>::Run);
PORTACL_KERNEL(run_16, Kernel<std::make_index_sequence<16>>::Run);
PORTACL_KERNEL(run_64, Kernel<std::make_index_sequence<64>>::Run);
PORTACL_KERNEL(run_256, Kernel<std::make_index_sequence<256>>::Run);

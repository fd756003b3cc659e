// Runs the pools' workloads on jemalloc, which is linked to this program. None of the memory is touched.
#include <jemalloc/jemalloc.h>

#include <cstdlib>

#include "../pools/pool_workloads.h"

namespace {

class Jemalloc {
  public:
    static constexpr bool kEndsWhole = false;

    explicit Jemalloc(std::uint32_t) {}

    void* Allocate(std::size_t bytes, std::uint32_t) {
        void* memory = std::malloc(bytes);
        if (!memory) std::exit(1);
        return memory;
    }
    void Free(void* memory, std::uint32_t) { std::free(memory); }
    // Returns 0: the process's memory includes leftovers of earlier runs and is not comparable.
    std::uint64_t PeakReserved() const { return 0; }
    void EnterThread() const {}
};

}  // namespace

int main() {
    // The allocator under test is jemalloc, not the C library's.
    unsigned arenas = 0;
    std::size_t size = sizeof arenas;
    if (mallctl("arenas.narenas", &arenas, &size, nullptr, 0) != 0 || arenas == 0) return 1;
    bench::RunPools({bench::Pooled<Jemalloc>("jemalloc")});
}

// Measures the same allocations by jemalloc (linked to this program) and by the kernel.
#include <jemalloc/jemalloc.h>
#include <sys/mman.h>

#include <cstdlib>

#include "../measure.h"

namespace {

constexpr int kRounds = 9;
constexpr std::size_t kLarge = 64u << 20;
constexpr std::size_t kPage = 4096;

void* Map(std::size_t bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::exit(1);
    return memory;
}

template <typename Pair>
void Pairs(const char* name, int calls, Pair pair) {
    pair();
    std::vector<double> took;
    for (int round = 0; round < kRounds; round++) took.push_back(bench::PerCall(calls, pair));
    bench::Report(name, bench::Median(took), "ns");
}

void JemallocPair(std::size_t bytes) {
    void* volatile memory = std::malloc(bytes);
    std::free(memory);
}

// Maps, touches and locks small pages, as a program without huge pages does. If the limit of locked
// memory is lower, the lock fails, and the pages are still touched.
void LockSmallPages() {
    std::vector<double> took;
    for (int round = 0; round < kRounds; round++) {
        const auto start = bench::Clock::now();
        char* memory = static_cast<char*>(Map(kLarge));
        madvise(memory, kLarge, MADV_NOHUGEPAGE);
        for (std::size_t at = 0; at < kLarge; at += kPage) static_cast<volatile char*>(memory)[at] = 1;
        mlock(memory, kLarge);
        took.push_back(bench::NanosecondsSince(start));
        munmap(memory, kLarge);
    }
    bench::Report("64 MiB of small pages mapped, touched, locked", bench::Median(took), "ns");
}

}  // namespace

int main() {
    // The allocator under test is jemalloc, not the C library's.
    unsigned arenas = 0;
    std::size_t size = sizeof arenas;
    if (mallctl("arenas.narenas", &arenas, &size, nullptr, 0) != 0 || arenas == 0) return 1;
    Pairs("allocate + free 4 KiB", 200'000, [] { JemallocPair(4u << 10); });
    Pairs("allocate + free 1 MiB", 20'000, [] { JemallocPair(1u << 20); });
    Pairs("map + unmap 64 MiB", 2'000, [] { munmap(Map(kLarge), kLarge); });
    LockSmallPages();
}

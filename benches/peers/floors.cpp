// The limits of the machine: copies by every method, and a round trip between two threads.
#include <immintrin.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "../workloads.h"

namespace {

using CopyFunction = void (*)(char*, const char*, std::size_t);

void Plain(char* to, const char* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
}

#if defined(__x86_64__)
void Streaming(char* to, const char* from, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; i += 64) {
        for (int part = 0; part < 64; part += 16)
            _mm_stream_si128(reinterpret_cast<__m128i*>(to + i + part),
                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i + part)));
    }
    _mm_sfence();
}

void RepMovsb(char* to, const char* from, std::size_t bytes) {
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
#endif

// Measures copies with `threads` threads that are already running: their start is not part of the copy.
double MedianOfCopies(CopyFunction copy, int threads, char* to, const char* from, std::size_t bytes) {
    const std::size_t part = bytes / threads;
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, nullptr, threads);
    constexpr int kTimes = 9;
    std::vector<std::thread> others;
    for (int thread = 1; thread < threads; thread++)
        others.emplace_back([&, thread] {
            for (int i = 0; i < kTimes; i++) {
                pthread_barrier_wait(&barrier);
                copy(to + part * thread, from + part * thread, part);
                pthread_barrier_wait(&barrier);
            }
        });
    const auto took = bench::Each(kTimes, [&] {
        if (threads > 1) pthread_barrier_wait(&barrier);
        copy(to, from, part);
        if (threads > 1) pthread_barrier_wait(&barrier);
    });
    for (std::thread& other : others) other.join();
    pthread_barrier_destroy(&barrier);
    return bench::Median(took);
}

// Allocates memory on 2 MiB pages, as device memory and pinned memory are.
char* Pages(std::size_t bytes) {
    void* memory = std::aligned_alloc(2u << 20, bytes);
    if (memory == nullptr) std::exit(1);
    madvise(memory, bytes, MADV_HUGEPAGE);
    std::memset(memory, 1, bytes);
    return static_cast<char*>(memory);
}

void Futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
    syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

// Measures a round trip: this thread wakes another, which wakes this one. That is the minimum cost of a host function
// and a synchronize without spinning.
void FutexRoundTrip() {
    constexpr std::uint32_t kTrips = 2'000;
    std::atomic<std::uint32_t> there{0}, back{0};
    const auto await = [](std::atomic<std::uint32_t>& word, std::uint32_t old) {
        while (word.load() == old) Futex(word, FUTEX_WAIT, old);
    };
    const auto post = [](std::atomic<std::uint32_t>& word, std::uint32_t value) {
        word.store(value);
        Futex(word, FUTEX_WAKE, 1);
    };
    std::thread other([&] {
        for (std::uint32_t trip = 1; trip <= kTrips; trip++) {
            await(there, trip - 1);
            post(back, trip);
        }
    });
    std::uint32_t trip = 0;
    const auto took = bench::Each(kTrips, [&] {
        trip++;
        post(there, trip);
        await(back, trip - 1);
    });
    other.join();
    bench::Report("futex round trip, p50", bench::Median(took), "ns");
}

}  // namespace

int main() {
    const std::size_t largest = bench::Sizes().back();
    char* from = Pages(largest);
    char* to = Pages(largest);
    for (const std::size_t size : bench::Sizes()) {
        const int rounds = bench::RoundsFor(size);
        // A copy of 64 bytes is shorter than reading the clock.
        const int calls = size <= (64u << 10) ? 64 : 1;
        std::vector<double> took;
        for (int round = 0; round < rounds; round++)
            took.push_back(bench::PerCall(calls, [&] {
                Plain(to, from, size);
                asm volatile("" : : "r"(to) : "memory");
            }));
        bench::ReportAt("memcpy", size, bench::Median(took), "ns");
    }
    struct Method {
        const char* name;
        CopyFunction copy;
    };
    const Method methods[] = {
        {"memcpy", Plain},
#if defined(__x86_64__)
        {"streaming stores", Streaming},
        {"rep movsb", RepMovsb},
#endif
    };
    for (const Method& method : methods)
        for (int threads = 1; threads <= 2; threads++) {
            char name[64];
            std::snprintf(name, sizeof name, "256 MiB by %s, %d thread%s", method.name, threads,
                          threads > 1 ? "s" : "");
            bench::Report(name, MedianOfCopies(method.copy, threads, to, from, largest), "ns");
        }
    FutexRoundTrip();
    std::free(from);
    std::free(to);
}

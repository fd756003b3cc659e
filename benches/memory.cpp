// Measures allocation and release through the API.
#include <portacl/portacl.h>

#include <sys/mman.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "acl_check.h"
#include "measure.h"

namespace {

constexpr int kRounds = 9;
constexpr std::size_t kLarge = 64u << 20;

void Pair(std::size_t bytes) {
    void* memory;
    ACL(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    ACL(aclrtFree(memory));
}

void Pairs(const char* name, std::size_t bytes, int calls) {
    Pair(bytes);
    std::vector<double> took;
    for (int round = 0; round < kRounds; round++) took.push_back(bench::PerCall(calls, [=] { Pair(bytes); }));
    bench::Report(name, bench::Median(took), "ns");
}

// Measures memory that was not used before: the device is opened again each time.
double FirstUse(aclrtMemMallocPolicy policy) {
    std::vector<double> took;
    for (int round = 0; round < kRounds; round++) {
        ACL(aclrtSetDevice(1));
        const auto start = bench::Clock::now();
        void* memory;
        ACL(aclrtMalloc(&memory, kLarge, policy));
        ACL(aclrtMemset(memory, kLarge, 0, kLarge));
        took.push_back(bench::NanosecondsSince(start));
        ACL(aclrtFree(memory));
        ACL(aclrtResetDevice(1));
    }
    return bench::Median(took);
}

// New memory as from the C library, on 2 MiB pages if the system has them.
class HugePages {
  public:
    HugePages() {
        constexpr std::size_t page = 2u << 20;
        whole_ = mmap(nullptr, kWhole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (whole_ == MAP_FAILED) std::exit(1);
        const auto at = reinterpret_cast<std::uintptr_t>(whole_);
        data_ = static_cast<char*>(whole_) + (page - at % page) % page;
        madvise(data_, kLarge, MADV_HUGEPAGE);
    }
    ~HugePages() { munmap(whole_, kWhole); }
    HugePages(const HugePages&) = delete;
    HugePages& operator=(const HugePages&) = delete;

    char* data() const { return data_; }

  private:
    static constexpr std::size_t kWhole = kLarge + (2u << 20);
    void* whole_;
    char* data_;
};

// Measures a copy to memory that was not used before, and the same without the library, alternating.
void FirstCopy() {
    const HugePages source;
    std::memset(source.data(), 1, kLarge);
    std::vector<double> device, plain;
    for (int round = 0; round < kRounds; round++) {
        ACL(aclrtSetDevice(1));
        auto start = bench::Clock::now();
        void* memory;
        ACL(aclrtMalloc(&memory, kLarge, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL(aclrtMemcpy(memory, kLarge, source.data(), kLarge, ACL_MEMCPY_HOST_TO_DEVICE));
        device.push_back(bench::NanosecondsSince(start));
        ACL(aclrtFree(memory));
        ACL(aclrtResetDevice(1));
        start = bench::Clock::now();
        const HugePages host;
        std::memcpy(host.data(), source.data(), kLarge);
        plain.push_back(bench::NanosecondsSince(start));
    }
    bench::Report("first copy of 64 MiB", bench::Median(device), "ns");
    bench::Report("first copy of 64 MiB, plain memory", bench::Median(plain), "ns");
}

void Pinned() {
    std::vector<double> cold, kept;
    for (int round = 0; round < kRounds; round++) {
        ACL(aclInit(nullptr));
        for (auto* times : {&cold, &kept}) {
            const auto start = bench::Clock::now();
            void* memory;
            ACL(aclrtMallocHost(&memory, kLarge));
            times->push_back(bench::NanosecondsSince(start));
            std::memset(memory, 1, kLarge);
            ACL(aclrtFreeHost(memory));
        }
        ACL(aclFinalize());
    }
    bench::Report("pinned 64 MiB, cold", bench::Median(cold), "ns");
    bench::Report("pinned 64 MiB, kept", bench::Median(kept), "ns");
}

constexpr int kLive = 100'000;

// Returns the processor time of this thread: with another busy thread, elapsed time alone is not useful.
double NanosecondsOfThread() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Returns the slowest pair of an allocation and its release on another thread while `body` runs.
template <typename Body>
double SlowestBeside(Body body) {
    std::atomic<bool> stop{false};
    std::atomic<double> slowest{0};
    std::thread beside([&] {
        ACL(aclrtSetDevice(0));
        while (!stop) {
            const auto start = bench::Clock::now();
            Pair(3u << 20);  // through the address map
            slowest = std::max(slowest.load(), bench::NanosecondsSince(start));
        }
    });
    body();
    stop = true;
    beside.join();
    return slowest;
}

// Measures a snapshot of many live allocations, and its effect on another thread, compared with the same time without a
// snapshot.
void Snapshots() {
    std::vector<void*> live(kLive);
    for (void*& memory : live) ACL(aclrtMalloc(&memory, 256, ACL_MEM_MALLOC_NORMAL_ONLY));
    std::vector<portaclMemoryAllocation> all(kLive + 10);
    std::vector<double> took, with, without;
    for (int round = 0; round < kRounds; round++) {
        double each = 0;
        with.push_back(SlowestBeside([&] {
            const auto start = bench::Clock::now();
            const double computed = NanosecondsOfThread();
            std::size_t count = 0;
            all[0].structSize = sizeof all[0];
            ACL(portaclMemorySnapshot(all.data(), all.size(), &count));
            took.push_back((NanosecondsOfThread() - computed) / kLive);
            each = bench::NanosecondsSince(start);
        }));
        without.push_back(
            SlowestBeside([=] { std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<long>(each))); }));
    }
    bench::Report("snapshot of 100,000, each", bench::Median(took), "ns");
    bench::Report("slowest allocate + free beside a snapshot", bench::Median(with), "ns");
    bench::Report("slowest allocate + free beside none", bench::Median(without), "ns");
    for (void* memory : live) ACL(aclrtFree(memory));
}

}  // namespace

int main() {
    Pinned();
    ACL(aclInit(nullptr));
    bench::Report("first use of 64 MiB, huge pages", FirstUse(ACL_MEM_MALLOC_HUGE_FIRST), "ns");
    bench::Report("first use of 64 MiB, normal pages", FirstUse(ACL_MEM_MALLOC_NORMAL_ONLY), "ns");
    FirstCopy();
    ACL(aclrtSetDevice(0));
    Pairs("allocate + free 4 KiB", 4u << 10, 200'000);
    Pairs("allocate + free 1 MiB", 1u << 20, 100'000);
    Pairs("allocate + free 64 MiB", kLarge, 200);
    Snapshots();
    ACL(aclrtResetDevice(0));
    ACL(aclFinalize());
}

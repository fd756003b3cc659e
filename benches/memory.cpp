// Allocation and release through the API.
#include <cstring>

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
    for (int round = 0; round < kRounds; round++)
        took.push_back(bench::PerCall(calls, [=] { Pair(bytes); }));
    bench::Report(name, bench::Median(took), "ns");
}

// Memory that nobody had before: the device is opened anew each time.
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

}  // namespace

int main() {
    Pinned();
    ACL(aclInit(nullptr));
    bench::Report("first use of 64 MiB, huge pages", FirstUse(ACL_MEM_MALLOC_HUGE_FIRST), "ns");
    bench::Report("first use of 64 MiB, normal pages", FirstUse(ACL_MEM_MALLOC_NORMAL_ONLY), "ns");
    ACL(aclrtSetDevice(0));
    Pairs("allocate + free 4 KiB", 4u << 10, 200'000);
    Pairs("allocate + free 1 MiB", 1u << 20, 100'000);
    Pairs("allocate + free 64 MiB", kLarge, 200);
    ACL(aclrtResetDevice(0));
    ACL(aclFinalize());
}

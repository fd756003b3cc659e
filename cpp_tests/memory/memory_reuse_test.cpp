// Memory that is freed and allocated repeatedly: the cache of freed blocks is not visible except by
// its speed.

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <random>

#include "support/gate.h"
#include "support/objects.h"
#include "support/own_process.h"
#include "support/says.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

constexpr size_t kKiB = 1024, kMiB = 1024 * kKiB;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

size_t FreeBytes() {
    size_t free = 0, total = 0;
    ExpectOk("aclrtGetMemInfo", aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
    EXPECT_LE(free, total);
    return free;
}

void* Allocate(size_t size, aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST) {
    void* address = nullptr;
    ExpectOk("aclrtMalloc", aclrtMalloc(&address, size, policy));
    return address;
}

class Reuse : public WithDevice {};

// A second free is an error before and after the reuse, and the block has the new size.
TEST_F(Reuse, FreedMemoryIsInvalidUntilItIsAllocatedAgain) {
    for (size_t size : {size_t{1}, size_t{64}, 4 * kKiB, 100 * kKiB, kMiB, 2 * kMiB}) {
        SCOPED_TRACE(size);
        for (int round = 0; round < 5; ++round) {
            void* address = Allocate(size);
            void* base = nullptr;
            size_t length = 0;
            ACL_OK(aclrtMemGetAddressRange(address, &base, &length));
            EXPECT_EQ(base, address);
            EXPECT_GE(length, size);
            ACL_OK(aclrtMemset(address, length, round, length));
            ACL_OK(aclrtFree(address));
            ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(address), Shown(address), "was freed");
            ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemset(address, size, 1, size));
            ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtMemGetAddressRange(address, &base, &length));
            auto reported = Poison<aclrtPtrAttributes>();
            ACL_OK(aclrtPointerGetAttributes(address, &reported));
            EXPECT_EQ(reported.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
        }
    }
}

// If sizes or policies were confused, length, page size or alignment would show it.
TEST_F(Reuse, RequestsGetTheirSizeAndPolicy) {
    std::mt19937 random(3);
    for (int round = 0; round < 2000; ++round) {
        const size_t size = 1 + random() % (random() % 8 == 0 ? 3 * kMiB : 10000);
        const auto policy = random() % 2 ? ACL_MEM_MALLOC_NORMAL_ONLY : ACL_MEM_MALLOC_HUGE_FIRST;
        auto address = Poison<void*>();
        if (random() % 4 == 0)
            ACL_OK(aclrtMallocAlign32(&address, size, policy));
        else
            ACL_OK(aclrtMalloc(&address, size, policy));
        void* base = nullptr;
        size_t length = 0;
        ACL_OK(aclrtMemGetAddressRange(address, &base, &length));
        EXPECT_EQ(base, address);
        EXPECT_GE(length, size);
        EXPECT_LE(length, size + 64);
        ACL_OK(aclrtFree(address));
    }
}

TEST_F(Reuse, FreeMemoryIsReported) {
    const size_t before = FreeBytes();
    for (size_t size : {size_t{100}, 4 * kKiB, kMiB, 6 * kMiB}) {
        // A driver counts pages of 2 MiB, which many small allocations share.
        const bool is_reported = OnCpu() || size >= 2 * kMiB;
        std::vector<void*> all;
        for (int i = 0; i < 40; ++i) all.push_back(Allocate(size));
        const size_t least = FreeBytes();
        if (is_reported) {
            EXPECT_LE(least + 40 * size, before);
        }
        ACL_OK(aclrtFree(all.back()));
        all.pop_back();
        if (is_reported) {
            EXPECT_GE(FreeBytes(), least + size);
        }
        all.push_back(Allocate(size));
        ExpectFreeAgain(FreeBytes(), least);
        for (void* one : all) ACL_OK(aclrtFree(one));
        ExpectFreeAgain(FreeBytes(), before);
    }
}

// Other threads free what this one allocated, and vice versa.
TEST_F(Reuse, AcrossThreads) {
    const size_t before = FreeBytes();
    OnThreads(8, [](int thread) {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        std::mt19937 random(static_cast<unsigned>(thread));
        static std::mutex mutex;
        static std::vector<std::pair<void*, unsigned char>> shared;
        for (int round = 0; round < 400; ++round) {
            constexpr size_t kSize = 4096;
            const auto value = static_cast<unsigned char>(random());
            void* mine = Allocate(kSize);
            ACL_EXPECT_OK(aclrtMemset(mine, kSize, value, kSize));
            std::pair<void*, unsigned char> other{nullptr, 0};
            {
                const std::lock_guard<std::mutex> lock(mutex);
                shared.emplace_back(mine, value);
                std::swap(shared[random() % shared.size()], shared.back());
                if (random() % 4 != 0 || round > 380) {
                    other = shared.back();
                    shared.pop_back();
                }
            }
            if (!other.first) continue;
            // No other thread has written to it.
            std::vector<unsigned char> seen(kSize);
            ACL_EXPECT_OK(aclrtMemcpy(seen.data(), kSize, other.first, kSize, ACL_MEMCPY_DEVICE_TO_HOST));
            EXPECT_EQ(seen, std::vector<unsigned char>(kSize, other.second));
            ACL_EXPECT_OK(aclrtFree(other.first));
        }
        while (true) {
            const std::lock_guard<std::mutex> lock(mutex);
            if (shared.empty()) break;
            ACL_EXPECT_OK(aclrtFree(shared.back().first));
            shared.pop_back();
        }
    });
    ExpectFreeAgain(FreeBytes(), before);
}

// Of several threads that free the same memory at the same time, one succeeds.
TEST_F(Reuse, OneOfSeveralFreesSucceeds) {
    constexpr int kThreads = 3, kBlocks = 500;
    std::vector<void*> all;
    for (int i = 0; i < kBlocks; ++i) all.push_back(Allocate(4096));
    std::atomic<int> freed{0};
    OnThreads(kThreads, [&](int) {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        for (void* one : all) {
            const aclError code = aclrtFree(one);
            if (code == ACL_SUCCESS) ++freed;
            EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_RT_PARAM_INVALID) << code;
        }
    });
    EXPECT_EQ(freed, kBlocks);
}

// Destructors of thread-local objects of the program run after those of the library.
TEST_F(Reuse, AtTheVeryEndOfAThread) {
    struct Late {
        bool frees = false;
        ~Late() {
            if (!frees) return;
            for (int i = 0; i < 3; ++i) ACL_EXPECT_OK(aclrtFree(Allocate(4096)));
        }
    };
    const size_t before = FreeBytes();
    OnNewThread([] {
        // First, so that it is destroyed last.
        static thread_local Late late;
        late.frees = true;
        ACL_EXPECT_OK(aclrtSetDevice(0));
        ACL_EXPECT_OK(aclrtFree(Allocate(4096)));
    });
    ExpectFreeAgain(FreeBytes(), before);
}

// No memory of an ended thread is lost.
TEST_F(Reuse, AfterThreadsHaveEnded) {
    const size_t before = FreeBytes();
    for (int i = 0; i < 100; ++i)
        OnNewThread([] {
            ACL_OK(aclrtSetDevice(0));
            std::vector<void*> all;
            for (int n = 0; n < 20; ++n) all.push_back(Allocate(64 * kKiB));
            for (void* one : all) ACL_OK(aclrtFree(one));
        });
    ExpectFreeAgain(FreeBytes(), before);
}

TEST_F(Reuse, WaitsForQueuedWork) {
    Stream stream;
    PinnedMemory seen(4096, 0);
    void* address = Allocate(4096);
    ACL_OK(aclrtFree(address));
    void* again = Allocate(4096);
    ACL_OK(aclrtMemset(again, 4096, 0x55, 4096));
    std::vector<void*> later;
    {
        Gate gate;
        ACL_OK(gate.Hold(stream));
        ACL_OK(aclrtMemcpyAsync(seen.At(), 4096, again, 4096, ACL_MEMCPY_DEVICE_TO_HOST, stream));
        ACL_OK(aclrtFree(again));
        for (int i = 0; i < 50; ++i) {
            later.push_back(Allocate(4096));
            EXPECT_NE(later.back(), again);
            ACL_OK(aclrtMemset(later.back(), 4096, 0xEE, 4096));
        }
    }
    ACL_OK(aclrtSynchronizeStream(stream));
    EXPECT_EQ(seen.Copy(), std::vector<unsigned char>(4096, 0x55));
    for (void* one : later) ACL_OK(aclrtFree(one));
}

TEST_F(Reuse, ResetFreesEverything) {
    for (int session = 0; session < 3; ++session) {
        std::vector<void*> all;
        for (int i = 0; i < 30; ++i) all.push_back(Allocate(4096));
        for (size_t i = 0; i < all.size(); i += 2) ACL_OK(aclrtFree(all[i]));
        ACL_OK(aclrtResetDevice(0));
        for (void* one : all) ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(one));
        ACL_OK(aclrtSetDevice(0));
        void* fresh = Allocate(4096);
        ACL_OK(aclrtMemset(fresh, 4096, 1, 4096));
        ACL_OK(aclrtFree(fresh));
    }
}

// A destroyed context allocates nothing, also if its device has cached memory.
TEST_F(Reuse, NeedsALiveContext) {
    aclrtContext context = nullptr;
    ACL_OK(aclrtCreateContext(&context, 0));
    ACL_OK(aclrtFree(Allocate(4096)));
    ACL_OK(aclrtDestroyContext(context));
    auto address = Poison<void*>();
    ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMalloc(&address, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_TRUE(IsPoison(address));
    ACL_OK(aclrtSetDevice(0));
}

// All memory can be allocated, wherever blocks are cached: first as small blocks, freed by many
// threads, then as one block.
OWN_PROCESS_TEST(Limits, AllMemoryCanBeAllocatedAgain, {"PORTACL_BACKEND", "cpu"}, {"PORTACL_CPU_MEMORY", "64M"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    constexpr size_t kTotal = 64 * kMiB, kTail = 64;
    // Checks and a sanitizer together take a millisecond for each of 131,072 blocks.
    const bool is_slow = kSanitized && std::getenv("PORTACL_CHECK") != nullptr;
    for (size_t size : {size_t{64}, 4 * kKiB, 256 * kKiB, kMiB}) {
        if (is_slow && size == 64) continue;
        SCOPED_TRACE(size);
        EXPECT_EQ(FreeBytes(), kTotal);
        std::vector<void*> all;
        auto address = Poison<void*>();
        while (aclrtMalloc(&address, size, ACL_MEM_MALLOC_NORMAL_ONLY) == 0)
            all.push_back(std::exchange(address, Poison<void*>()));
        EXPECT_TRUE(IsPoison(address));
        // Until no free range has room for one more block.
        EXPECT_LT(FreeBytes(), size + kTail + 4 * kKiB);
        std::atomic<size_t> next{0};
        OnThreads(8, [&](int) {
            for (size_t i; (i = next++) < all.size();) ACL_EXPECT_OK(aclrtFree(all[i]));
        });
        EXPECT_EQ(FreeBytes(), kTotal);
        void* whole = Allocate(kTotal - kTail);
        ACL_FAILS(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMalloc(&address, 4 * kKiB, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_OK(aclrtFree(whole));
    }
    ACL_OK(aclFinalize());
}

// What another thread, which lives on, has freed is not missing here.
OWN_PROCESS_TEST(Limits, LivingThreadsKeepNoMemoryFromOthers, {"PORTACL_BACKEND", "cpu"},
                 {"PORTACL_CPU_MEMORY", "64M"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    constexpr size_t kTotal = 64 * kMiB, kTail = 64;
    Signal freed, over;
    std::thread other([&] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        std::vector<void*> all;
        for (int i = 0; i < 200; ++i) all.push_back(Allocate(4096));
        for (void* one : all) ACL_EXPECT_OK(aclrtFree(one));
        freed.Set();
        over.Wait();
        // Its blocks are gone, and it allocates new ones.
        ACL_EXPECT_OK(aclrtFree(Allocate(4096)));
    });
    freed.Wait();
    EXPECT_EQ(FreeBytes(), kTotal);
    ACL_OK(aclrtFree(Allocate(kTotal - kTail)));
    over.Set();
    other.join();
    EXPECT_EQ(FreeBytes(), kTotal);
    ACL_OK(aclFinalize());
}

size_t ResidentBytes() {
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    size_t all = 0, resident = 0;
    EXPECT_EQ(std::fscanf(file, "%zu %zu", &all, &resident), 2);
    std::fclose(file);
    return resident * size_t(sysconf(_SC_PAGESIZE));
}

// One million small live allocations: the memory of the process per allocation, besides the
// untouched memory itself.
OWN_PROCESS_TEST(Limits, AMillionSmallAllocations, {"PORTACL_BACKEND", "cpu"}, {"PORTACL_CPU_MEMORY", "1G"}) {
    ACL_OK(aclInit(nullptr));
    ACL_OK(aclrtSetDevice(0));
    // Sanitizers record each allocation and take longer.
    constexpr size_t kCount = kSanitized ? 50'000 : 1'000'000, kSize = 64;
    const size_t before = FreeBytes(), resident = ResidentBytes();
    std::vector<void*> all(kCount);
    for (void*& one : all) one = Allocate(kSize);
    const size_t own = kCount * sizeof(void*);
    const size_t each = (ResidentBytes() - resident - own) / kCount;
    std::printf("bytes of the process for each allocation: %zu, of the device: %zu\n", each,
                (before - FreeBytes()) / kCount);
    // A record has 64 bytes, plus 4 for each 256 bytes of addresses; in guard mode also the page of
    // each allocation that has its own page.
    const char* guard = std::getenv("PORTACL_CPU_GUARD");
    if (!kSanitized) {
        EXPECT_LE(each, guard != nullptr && *guard == '1' ? 256u : 160u);
    }
    EXPECT_LE(before - FreeBytes(), kCount * 512 + 64 * kKiB);
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
    std::shuffle(all.begin(), all.end(), std::mt19937(1));
    for (size_t i = 0; i < 1000; ++i) {
        ACL_OK(aclrtMemset(all[i], kSize, int(i), kSize));
        std::vector<unsigned char> seen(kSize);
        ACL_OK(aclrtMemcpy(seen.data(), kSize, all[i], kSize, ACL_MEMCPY_DEVICE_TO_HOST));
        EXPECT_EQ(seen, std::vector<unsigned char>(kSize, static_cast<unsigned char>(i)));
    }
    for (void* one : all) ASSERT_EQ(aclrtFree(one), 0);
    EXPECT_EQ(FreeBytes(), before);
    for (size_t i = 0; i < 1000; ++i) ACL_FAILS(ACL_ERROR_RT_PARAM_INVALID, aclrtFree(all[i]));
    ACL_OK(aclFinalize());
}

class ReuseHost : public WithDevice {};

TEST_F(ReuseHost, LargeMemoryIsUsableEachTime) {
    for (size_t size : {4 * kMiB, 64 * kMiB, 4 * kMiB, 5 * kMiB, 60 * kMiB, 64 * kMiB}) {
        PinnedMemory pinned(size, 7);
        void* address = pinned.Release();
        ACL_OK(aclrtFreeHost(address));
        ACL_FAILS_SAYING(ACL_ERROR_RT_PARAM_INVALID, aclrtFreeHost(address), "was freed");
    }
}

// Two live allocations never share a byte.
TEST_F(ReuseHost, LiveAllocationsDoNotOverlap) {
    std::vector<std::unique_ptr<PinnedMemory>> all;
    for (int round = 0; round < 3; ++round) {
        for (unsigned char i = 0; i < 10; ++i)
            all.push_back(std::make_unique<PinnedMemory>(3 * kMiB + i * kMiB / 4, i));
        for (unsigned char i = 0; i < 10; ++i)
            EXPECT_TRUE(all[i]->Copy() == std::vector<unsigned char>(3 * kMiB + i * kMiB / 4, i));
        all.clear();
    }
}

}  // namespace

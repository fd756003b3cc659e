// Memory pools used by many threads at once.

#include <array>
#include <atomic>
#include <vector>

#include "support/pool/mem_pool.h"
#include "support/threads.h"

using namespace portacl_test;

namespace {

class MemPoolThreadTest : public WithDevice {};

}  // namespace

TEST_F(MemPoolThreadTest, ThreadsNeedACurrentContext) {
    const MemPool pool;
    void* memory = pool.Allocate(1, nullptr);
    OnNewThread([&] {
        auto other = Poison<void*>();
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemPoolMallocAsync(&other, 1, pool, nullptr));
        EXPECT_TRUE(IsPoison(other));
        ACL_FAILS(ACL_ERROR_RT_CONTEXT_NULL, aclrtMemPoolFreeAsync(memory, nullptr));
        // Queries need none.
        EXPECT_GE(Used(pool), 1u);
        ACL_EXPECT_OK(aclrtMemPoolTrimTo(pool, 0));
    });
    OnNewThread([&] {
        ACL_EXPECT_OK(aclrtSetDevice(0));
        Free(memory, nullptr);
    });
}

TEST_F(MemPoolThreadTest, SixteenThreadsOnOnePool) {
    constexpr int kThreads = 16, kTurns = 200;
    const MemPool pool;
    pool.SetThreshold(UINT64_MAX);
    std::array<Stream, 4> streams;
    OnThreads(kThreads, [&](int thread) {
        ACL_OK(aclrtSetDevice(0));
        std::vector<std::pair<void*, size_t>> mine;
        uint64_t state = thread + 1;
        auto random = [&state] {
            state ^= state << 13;
            state ^= state >> 7;
            return state ^= state << 17;
        };
        const aclrtStream stream = streams[thread % streams.size()];
        for (int turn = 0; turn < kTurns; ++turn) {
            const size_t size = 1 + random() % (64 * kKiB);
            void* memory = pool.Allocate(size, stream);
            ASSERT_NE(memory, nullptr);
            ACL_OK(aclrtMemsetAsync(memory, size, thread, size, stream));
            mine.emplace_back(memory, size);
            if (mine.size() > 8) {
                const size_t which = random() % mine.size();
                Free(mine[which].first, stream);
                mine.erase(mine.begin() + static_cast<long>(which));
            }
        }
        // No other thread has written to this thread's blocks.
        Synchronize(stream);
        for (const auto& [memory, size] : mine) {
            std::vector<unsigned char> back(size);
            ACL_OK(aclrtMemcpy(back.data(), size, memory, size, ACL_MEMCPY_DEVICE_TO_HOST));
            EXPECT_EQ(back, std::vector<unsigned char>(size, static_cast<unsigned char>(thread)));
            Free(memory, stream);
        }
    });
    ACL_OK(aclrtSynchronizeDevice());
    EXPECT_EQ(Used(pool), 0u);
    EXPECT_LE(Used(pool), Reserved(pool));
}

TEST_F(MemPoolThreadTest, OfTwoThreadsThatFreeTheSameMemoryOneSucceeds) {
    const Stream stream;
    const MemPool pool;
    for (int turn = 0; turn < 200; ++turn) {
        void* memory = pool.Allocate(1000, stream);
        std::atomic<int> freed{0};
        OnThreads(2, [&](int thread) {
            ACL_OK(aclrtSetDevice(0));
            const aclError code = thread == 0 ? aclrtMemPoolFreeAsync(memory, stream) : aclrtFree(memory);
            EXPECT_TRUE(code == 0 || code == ACL_ERROR_RT_PARAM_INVALID);
            freed += code == 0;
        });
        EXPECT_EQ(freed, 1);
        Synchronize(stream);
    }
    EXPECT_EQ(Used(pool), 0u);
}

TEST_F(MemPoolThreadTest, PoolsAreDestroyedWhileOthersAllocate) {
    const Stream stream;
    for (int turn = 0; turn < 50; ++turn) {
        MemPool pool;
        const aclrtMemPool handle = pool.Release();
        OnThreads(3, [&](int thread) {
            ACL_OK(aclrtSetDevice(0));
            if (thread == 0) {
                ACL_EXPECT_OK(aclrtMemPoolDestroy(handle));
                return;
            }
            for (void* memory = nullptr; aclrtMemPoolMallocAsync(&memory, 1000, handle, stream) == ACL_SUCCESS;) {
                ACL_EXPECT_OK(aclrtMemsetAsync(memory, 1000, 1, 1000, stream));
                Free(memory, stream);
            }
        });
    }
}

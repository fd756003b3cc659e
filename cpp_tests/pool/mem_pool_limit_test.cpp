// A pool that cannot grow, because of its maxSize or because its device is full: which requests it
// serves does not depend on when the work before frees runs.

#include <functional>
#include <random>
#include <vector>

#include "pool/small_device.h"
#include "support/gate.h"
#include "support/memory/hook_recorder.h"
#include "support/pool/mem_pool.h"
#include "support/pool/shared_pool.h"
#include "support/says.h"

using namespace portacl_test;

namespace {

// A small device, and the limit of a pool on it: some slots of one size.
constexpr size_t kSmallDevice = 200 * kMiB, kSlot = 64 * kMiB, kSlots = 3, kAll = kSlots * kSlot;
constexpr int kStreams = 3;

const Settings kSmall = SmallDevice(kSmallDevice);

enum class Limit { kMaxSize, kDevice };

// A block of the program.
struct PoolBlock {
    void* address;
    size_t slots;
    int stream;
};

// Work that keeps the stream busy for a while and uses the memory.
void Work(void* address, aclrtStream stream) {
    ACL_EXPECT_OK(aclrtMemsetAsync(address, kMiB, 1, kMiB, stream));
}

// A random sequence of allocations and frees in several streams, compared with a model: an
// allocation succeeds if enough slots are free. Freed slots count as free, whether the free has run
// or not.
class Sequence {
  public:
    Sequence(Limit limit, bool reuses, unsigned seed)
        : pool_(PoolProps(0, limit == Limit::kMaxSize ? kAll : 0)), random_(seed) {
        pool_.Allow(reuses, reuses, reuses);
        pool_.SetThreshold(UINT64_MAX);
    }

    ~Sequence() {
        while (!live_.empty()) FreeOne();
        ACL_EXPECT_OK(aclrtSynchronizeDevice());
    }

    // Slots whose frees are ordered after work that needs the program: allocations do not wait for
    // them.
    void BlockFrees(size_t slots, Gate& gate, aclrtStream held) {
        std::vector<void*> blocks;
        for (size_t i = 0; i < slots; ++i) blocks.push_back(pool_.Allocate(kSlot, held));
        ACL_EXPECT_OK(gate.Hold(held));
        for (void* block : blocks) Free(block, held);
        held_ += slots;
    }

    void Run(int steps) {
        for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
            if (Below(5) < 3) {
                Request(Below(6) == 0 ? kSlots : 1);
            } else if (!live_.empty()) {
                FreeOne();
            }
        }
    }

    int Served() const { return served_; }
    int Refused() const { return refused_; }

  private:
    size_t Below(size_t end) { return random_() % end; }

    size_t UsedSlots() const {
        size_t slots = held_;
        for (const PoolBlock& block : live_) slots += block.slots;
        return slots;
    }

    void Request(size_t slots) {
        const int stream = static_cast<int>(Below(kStreams));
        const bool fits = UsedSlots() + slots <= kSlots;
        void* address = nullptr;
        const aclError code = aclrtMemPoolMallocAsync(&address, slots * kSlot, pool_, streams_[stream]);
        EXPECT_EQ(code, fits ? ACL_SUCCESS : ACL_ERROR_RT_MEMORY_ALLOCATION)
            << slots << " slots, " << UsedSlots() << " of " << kSlots << " taken: " << Text();
        ++(fits ? served_ : refused_);
        if (code != ACL_SUCCESS) return;
        live_.push_back({address, slots, stream});
        Work(address, streams_[stream]);
    }

    static std::string Text() {
        const char* text = aclGetRecentErrMsg();
        return text ? text : "no text";
    }

    void FreeOne() {
        const size_t at = Below(live_.size());
        const PoolBlock block = live_[at];
        live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(at));
        for (int i = 0; i < 3; ++i) Work(block.address, streams_[block.stream]);
        Free(block.address, streams_[block.stream]);
    }

    Stream streams_[kStreams];
    MemPool pool_;
    std::mt19937 random_;
    std::vector<PoolBlock> live_;
    size_t held_ = 0;
    int served_ = 0, refused_ = 0;
};

void ExpectTheModel(Limit limit, bool reuses) {
    int served = 0, refused = 0;
    for (unsigned seed = 1; seed <= 3 && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("sequence " + std::to_string(seed));
        Sequence sequence(limit, reuses, seed);
        sequence.Run(60);
        served += sequence.Served();
        refused += sequence.Refused();
    }
    // The sequence has successes and failures.
    EXPECT_GT(served, 30);
    EXPECT_GT(refused, 10);
}

void ExpectTheModelForEachLimit() {
    const Session session;
    for (const Limit limit : {Limit::kMaxSize, Limit::kDevice}) {
        SCOPED_TRACE(limit == Limit::kMaxSize ? "maxSize" : "the device");
        for (const bool reuses : {false, true}) ExpectTheModel(limit, reuses);
    }
}

// The same with a registered hook.
void ExpectTheModelBetweenHooks() {
    const Session session;
    CallLog call_log;
    const Recorder hook(call_log, "one");
    for (const Limit limit : {Limit::kMaxSize, Limit::kDevice}) ExpectTheModel(limit, false);
    (void)call_log.Take();
}

// A free after a host function is available to other streams only when the function has returned,
// however long that takes.
void ExpectTheModelBesideWhatIsHeldBack() {
    const Session session;
    for (const Limit limit : {Limit::kMaxSize, Limit::kDevice}) {
        for (unsigned seed = 1; seed <= 4; ++seed) {
            const Stream held;
            Sequence sequence(limit, false, seed);
            Gate gate;
            sequence.BlockFrees(1, gate, held);
            sequence.Run(40);
            gate.Open();
        }
    }
}

// Each seed delays work by other times.
void OnManySeeds(void (*test)()) {
    NEEDS_A_SMALL_DEVICE();
    const bool is_delayed = std::getenv("PORTACL_CPU_ASYNC") != nullptr;
    const bool is_child = std::getenv("PORTACL_CPU_SEED") != nullptr;
    for (int seed = 1; seed <= (is_delayed && !is_child ? 6 : 1); ++seed) {
        Settings settings = kSmall;
        settings.emplace_back("PORTACL_CPU_SEED", std::to_string(seed));
        RunInOwnProcess(test, settings);
        if (testing::Test::HasFailure()) break;
    }
}

class MemPoolLimit : public WithDevice {};

}  // namespace

TEST(MemPoolLimitSeeds, ResultsAreTheSameForEachLimit) {
    OnManySeeds(ExpectTheModelForEachLimit);
}

TEST(MemPoolLimitSeeds, ResultsAreTheSameWithHooks) {
    OnManySeeds(ExpectTheModelBetweenHooks);
}

TEST(MemPoolLimitSeeds, ResultsAreTheSameBesideFreesAfterHostFunctions) {
    NEEDS_QUEUES(8);
    OnManySeeds(ExpectTheModelBesideWhatIsHeldBack);
}

// Allocations of any length: a failed one would also fail after a synchronize.
TEST_F(MemPoolLimit, AFailedAllocationAlsoFailsAfterASynchronize) {
    constexpr size_t kMost = 64 * kMiB;
    int refused = 0;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const Stream streams[kStreams];
        const MemPool pool(PoolProps(0, kMost));
        const bool reuses = seed % 2 == 0;
        pool.Allow(reuses, reuses, reuses);
        pool.SetThreshold(seed % 4 < 2 ? UINT64_MAX : 0);
        std::vector<PoolBlock> live;
        const auto free_one = [&] {
            const size_t at = random() % live.size();
            for (int i = 0; i < 3; ++i) Work(live[at].address, streams[live[at].stream]);
            Free(live[at].address, streams[live[at].stream]);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
        };
        for (int step = 0; step < 60; ++step) {
            if (random() % 3 == 0 && !live.empty()) {
                free_one();
                continue;
            }
            const int stream = static_cast<int>(random() % kStreams);
            const size_t size = kMiB + random() % (random() % 4 == 0 ? kMost : 12 * kMiB);
            void* address = nullptr;
            const aclError code = aclrtMemPoolMallocAsync(&address, size, pool, streams[stream]);
            if (code == ACL_SUCCESS) {
                live.push_back({address, 1, stream});
                continue;
            }
            ++refused;
            EXPECT_EQ(code, ACL_ERROR_RT_MEMORY_ALLOCATION);
            ACL_OK(aclrtSynchronizeDevice());
            EXPECT_TRUE(Returned("after a synchronize", aclrtMemPoolMallocAsync(&address, size, pool, streams[stream]),
                                 ACL_ERROR_RT_MEMORY_ALLOCATION));
        }
        while (!live.empty()) free_one();
        ACL_OK(aclrtSynchronizeDevice());
    }
    EXPECT_GT(refused, 50);
}

// A regression: the needed segments were freed in the same stream, after pending work.
TEST_F(MemPoolLimit, FreesOfTheSameStreamAreWaitedFor) {
    const Stream stream;
    const MemPool pool(PoolProps(0, 64 * kMiB));
    pool.SetThreshold(UINT64_MAX);
    for (int turn = 0; turn < 20; ++turn) {
        void* const first = pool.Allocate(20 * kMiB, stream);
        void* const second = pool.Allocate(20 * kMiB, stream);
        for (void* half : {first, second}) {
            ACL_EXPECT_OK(aclrtMemsetAsync(half, 20 * kMiB, 1, 20 * kMiB, stream));
            Free(half, stream);
        }
        void* const all = pool.Allocate(64 * kMiB, stream);
        ASSERT_NE(all, nullptr);
        Free(all, stream);
    }
    Synchronize(stream);
}

// No free helps an allocation that is longer than the limit minus the live blocks.
TEST_F(MemPoolLimit, AnAllocationThatCannotFitFailsWithoutWaiting) {
    const Stream busy, stream;
    const MemPool pool(PoolProps(0, 64 * kMiB));
    void* const kept = pool.Allocate(20 * kMiB, stream);
    void* const freed = pool.Allocate(20 * kMiB, busy);
    Gate gate;
    ACL_OK(gate.Hold(busy));
    Free(freed, busy);
    for (const size_t size : {46 * kMiB, 65 * kMiB}) {
        void* none = nullptr;
        ACL_FAILS_SAYING(ACL_ERROR_RT_MEMORY_ALLOCATION, aclrtMemPoolMallocAsync(&none, size, pool, stream),
                         std::to_string(size));
    }
    EXPECT_FALSE(IsIdle(busy));
    gate.Open();
    Free(kept, stream);
    ACL_OK(aclrtSynchronizeDevice());
}

// The modules: each operation, type, reduction and root against a reference, on host memory. The program is built for
// each module; the ranks are threads.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>
#include <type_traits>

#include "base/types.h"
#include "engine/library.h"
#include "tests/short_numbers.h"
#include "tests/worlds.h"

namespace hccl {
namespace {

constexpr uint64_t kCount = 37;

// A name for a communicator. All of a process meet in one store.
std::string NewName() {
    static std::atomic<int> next{0};
    return "test-" + std::to_string(next++);
}

// Where ranks leave texts for each other, in place of the hub.
class Letters {
  public:
    explicit Letters(uint32_t size) : texts_(size) {}

    std::vector<std::string> Exchange(uint32_t rank, const std::vector<std::string>& texts) {
        std::unique_lock<std::mutex> held(lock_);
        texts_[rank] = texts;
        arrived_++;
        changed_.notify_all();
        changed_.wait(held, [&] { return arrived_ == texts_.size(); });
        std::vector<std::string> own;
        for (const auto& of : texts_) own.push_back(of[rank]);
        return own;
    }

  private:
    std::mutex lock_;
    std::condition_variable changed_;
    std::vector<std::vector<std::string>> texts_;
    size_t arrived_ = 0;
};

// All ranks of a world, in this process.
class World {
  public:
    explicit World(uint32_t size, std::chrono::seconds patience = std::chrono::seconds(30)) : movers_(size) {
        const std::string meeting = LoadedMover().meet("127.0.0.1");
        const std::string name = NewName();
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        Letters letters(size);
        const auto texts = RunRanks(size, [&](uint32_t rank) {
            const auto exchange = [&](const auto& own) { return letters.Exchange(rank, own); };
            movers_[rank] = LoadedMover().join({meeting, name, "127.0.0.1", rank, size, deadline, patience, exchange});
        });
        for (const std::string& text : texts) EXPECT_EQ(text, "");
    }

    uint32_t size() const { return static_cast<uint32_t>(movers_.size()); }
    Mover& mover(uint32_t rank) { return *movers_[rank]; }

    // Runs what `make` returns for each rank.
    void Run(const std::function<Operation(uint32_t)>& make) {
        const auto texts = RunRanks(size(), [&](uint32_t rank) { movers_[rank]->Run(make(rank)); });
        for (const std::string& text : texts) EXPECT_EQ(text, "");
    }

  private:
    std::vector<std::unique_ptr<Mover>> movers_;
};

template <typename T>
using Buffers = std::vector<std::vector<T>>;

// 1, 2 or 3: products of four ranks fit each type.
template <typename T>
T Value(uint32_t rank, uint64_t index) {
    return static_cast<T>(static_cast<float>((rank * 7 + index) % 3 + 1));
}

template <typename T>
Buffers<T> Values(uint32_t ranks, uint64_t count) {
    Buffers<T> buffers(ranks, std::vector<T>(count));
    for (uint32_t rank = 0; rank < ranks; rank++) {
        for (uint64_t index = 0; index < count; index++) buffers[rank][index] = Value<T>(rank, index);
    }
    return buffers;
}

template <typename T>
T Reduced(const Buffers<T>& send, uint64_t index, HcclReduceOp reduction) {
    float result = static_cast<float>(send[0][index]);
    for (size_t rank = 1; rank < send.size(); rank++) {
        const auto next = static_cast<float>(send[rank][index]);
        if (reduction == HCCL_REDUCE_SUM) result += next;
        if (reduction == HCCL_REDUCE_PROD) result *= next;
        if (reduction == HCCL_REDUCE_MAX) result = std::max(result, next);
        if (reduction == HCCL_REDUCE_MIN) result = std::min(result, next);
    }
    return static_cast<T>(result);
}

template <typename T>
Operation New(Kind kind, HcclDataType type, const std::vector<T>& send, std::vector<T>& recv, uint64_t count) {
    Operation operation(kind, "test");
    operation.count = count;
    operation.type = type;
    operation.send = send.data();
    operation.recv = recv.data();
    operation.send_bytes = send.size() * sizeof(T);
    operation.recv_bytes = recv.size() * sizeof(T);
    return operation;
}

template <typename T>
void CheckReductions(World& world, HcclDataType type) {
    const uint32_t size = world.size();
    for (const HcclReduceOp reduction : {HCCL_REDUCE_SUM, HCCL_REDUCE_PROD, HCCL_REDUCE_MAX, HCCL_REDUCE_MIN}) {
        SCOPED_TRACE(std::string(NameOf(type)) + " " + NameOf(reduction) + ", ranks: " + std::to_string(size));
        const Buffers<T> send = Values<T>(size, kCount * size);
        Buffers<T> all(size, std::vector<T>(kCount * size));
        Buffers<T> part(size, std::vector<T>(kCount));
        const auto with = [&](Kind kind, uint32_t rank, Buffers<T>& recv, uint64_t count, uint32_t root) {
            Operation operation = New(kind, type, send[rank], recv[rank], count);
            operation.reduction = reduction;
            operation.root = root;
            return operation;
        };
        world.Run([&](uint32_t rank) { return with(Kind::kAllReduce, rank, all, kCount * size, 0); });
        for (uint32_t rank = 0; rank < size; rank++) {
            for (uint64_t index = 0; index < all[rank].size(); index++) {
                ASSERT_EQ(all[rank][index], Reduced(send, index, reduction)) << rank << " " << index;
            }
        }
        world.Run([&](uint32_t rank) { return with(Kind::kReduceScatter, rank, part, kCount, 0); });
        for (uint32_t rank = 0; rank < size; rank++) {
            for (uint64_t index = 0; index < kCount; index++) {
                ASSERT_EQ(part[rank][index], Reduced(send, rank * kCount + index, reduction)) << rank << " " << index;
            }
        }
        for (uint32_t root = 0; root < size; root++) {
            Buffers<T> result(size, std::vector<T>(kCount * size));
            const Buffers<T> before = send;
            world.Run([&](uint32_t rank) { return with(Kind::kReduce, rank, result, kCount * size, root); });
            ASSERT_TRUE(before == send) << "a source was overwritten";
            for (uint64_t index = 0; index < kCount * size; index++) {
                ASSERT_EQ(result[root][index], Reduced(send, index, reduction)) << root << " " << index;
            }
        }
    }
}

class MoverTest : public testing::TestWithParam<uint32_t> {};

TEST_P(MoverTest, ReducesEachTypeByEachReduction) {
    World world(GetParam());
    CheckReductions<int8_t>(world, HCCL_DATA_TYPE_INT8);
    CheckReductions<int16_t>(world, HCCL_DATA_TYPE_INT16);
    CheckReductions<int32_t>(world, HCCL_DATA_TYPE_INT32);
    CheckReductions<int64_t>(world, HCCL_DATA_TYPE_INT64);
    CheckReductions<uint8_t>(world, HCCL_DATA_TYPE_UINT8);
    CheckReductions<uint16_t>(world, HCCL_DATA_TYPE_UINT16);
    CheckReductions<uint32_t>(world, HCCL_DATA_TYPE_UINT32);
    CheckReductions<uint64_t>(world, HCCL_DATA_TYPE_UINT64);
    CheckReductions<float>(world, HCCL_DATA_TYPE_FP32);
    CheckReductions<double>(world, HCCL_DATA_TYPE_FP64);
    CheckReductions<Half>(world, HCCL_DATA_TYPE_FP16);
    CheckReductions<BFloat>(world, HCCL_DATA_TYPE_BFP16);
}

// Numbers that are negative as signed ones.
TEST_P(MoverTest, ComparesUnsignedNumbers) {
    World world(GetParam());
    const uint32_t size = world.size();
    const auto check = [&](auto value, HcclDataType type, HcclReduceOp reduction, auto expected) {
        using T = decltype(value);
        std::vector<std::vector<T>> send(size, {1});
        send[0] = {value};
        std::vector<std::vector<T>> recv(size, {0});
        world.Run([&](uint32_t rank) {
            Operation operation = New(Kind::kAllReduce, type, send[rank], recv[rank], 1);
            operation.reduction = reduction;
            return operation;
        });
        for (const auto& result : recv) EXPECT_EQ(result[0], expected) << NameOf(type) << " " << NameOf(reduction);
    };
    const auto of_type = [&](auto most, HcclDataType type) {
        check(most, type, HCCL_REDUCE_MAX, most);
        check(most, type, HCCL_REDUCE_MIN, static_cast<decltype(most)>(1));
    };
    of_type(std::numeric_limits<uint8_t>::max(), HCCL_DATA_TYPE_UINT8);
    of_type(std::numeric_limits<uint16_t>::max(), HCCL_DATA_TYPE_UINT16);
    of_type(std::numeric_limits<uint32_t>::max(), HCCL_DATA_TYPE_UINT32);
    of_type(std::numeric_limits<uint64_t>::max(), HCCL_DATA_TYPE_UINT64);
}

// Gloo's own numbers of 16 bits compare the bits of a destination with the value of a result, and then keep the
// destination.
template <typename T>
void CheckSumInPlace(uint32_t size, HcclDataType type) {
    World world(size);
    Buffers<T> memory(size, std::vector<T>(kCount, T(0)));
    const T one(1);
    // Its sum with 1 is rounded to itself.
    const T large(one.bits);
    memory[0].assign(kCount, one);
    memory[1].assign(kCount, large);
    world.Run([&](uint32_t rank) { return New(Kind::kAllReduce, type, memory[rank], memory[rank], kCount); });
    for (const auto& result : memory) EXPECT_TRUE(result == std::vector<T>(kCount, large));
}

TEST_P(MoverTest, AddsShortNumbersInPlace) {
    CheckSumInPlace<Half>(GetParam(), HCCL_DATA_TYPE_FP16);
    CheckSumInPlace<BFloat>(GetParam(), HCCL_DATA_TYPE_BFP16);
}

TEST_P(MoverTest, MovesElements) {
    World world(GetParam());
    const uint32_t size = world.size();
    const HcclDataType type = HCCL_DATA_TYPE_INT32;
    const Buffers<int> one = Values<int>(size, kCount);
    const Buffers<int> many = Values<int>(size, kCount * size);
    Buffers<int> gathered(size, std::vector<int>(kCount * size));
    world.Run([&](uint32_t rank) { return New(Kind::kAllGather, type, one[rank], gathered[rank], kCount); });
    for (uint32_t rank = 0; rank < size; rank++) {
        for (uint64_t index = 0; index < kCount * size; index++) {
            ASSERT_EQ(gathered[rank][index], one[index / kCount][index % kCount]);
        }
    }
    for (uint32_t root = 0; root < size; root++) {
        Buffers<int> copies(size, std::vector<int>(kCount));
        copies[root] = one[root];
        world.Run([&](uint32_t rank) {
            Operation operation = New(Kind::kBroadcast, type, copies[rank], copies[rank], kCount);
            (rank == root ? operation.recv_bytes : operation.send_bytes) = 0;
            operation.root = root;
            return operation;
        });
        Buffers<int> parts(size, std::vector<int>(kCount));
        world.Run([&](uint32_t rank) {
            Operation operation = New(Kind::kScatter, type, many[rank], parts[rank], kCount);
            operation.root = root;
            return operation;
        });
        for (uint32_t rank = 0; rank < size; rank++) {
            EXPECT_EQ(copies[rank], one[root]);
            EXPECT_TRUE(std::equal(parts[rank].begin(), parts[rank].end(), many[root].begin() + rank * kCount));
        }
    }
}

// Rank 0 gathers into one buffer. The others do so in place, and their parts have gaps, as copies of a GPU's memory do.
TEST_P(MoverTest, GathersPartsInPlace) {
    World world(GetParam());
    const uint32_t size = world.size();
    const Buffers<int> one = Values<int>(size, kCount);
    Buffers<int> recv(size, std::vector<int>((kCount + 3) * size, -1));
    Buffers<int> expected = recv;
    world.Run([&](uint32_t rank) {
        Operation operation = New(Kind::kAllGather, HCCL_DATA_TYPE_INT32, one[rank], recv[rank], kCount);
        for (uint32_t from = 0; from < size; from++) {
            const uint64_t first = from * (rank > 0 ? kCount + 3 : kCount);
            std::copy(one[from].begin(), one[from].end(), &expected[rank][first]);
            if (rank > 0) operation.received.push_back({&recv[rank][first], operation.send_bytes});
        }
        operation.recv_bytes = operation.send_bytes * size;
        if (rank > 0) operation.send = std::copy_n(&one[rank][0], kCount, &recv[rank][rank * (kCount + 3)]) - kCount;
        return operation;
    });
    EXPECT_EQ(recv, expected);
}

// Rank r sends s + 1 elements to rank s, none if both are even; parts lie with gaps, in the opposite order.
TEST_P(MoverTest, ExchangesPartsOfDifferentSizes) {
    World world(GetParam());
    const uint32_t size = world.size();
    const auto elements = [](uint32_t from, uint32_t to) -> size_t {
        return from % 2 == 0 && to % 2 == 0 ? 0 : to + 1;
    };
    const size_t room = size + 3;
    const Buffers<int> send = Values<int>(size, room * size);
    Buffers<int> recv(size, std::vector<int>(room * size, -1));
    world.Run([&](uint32_t rank) {
        Operation operation(Kind::kAllToAll, "test");
        for (uint32_t other = 0; other < size; other++) {
            const size_t first = (size - 1 - other) * room;
            int* const from = const_cast<int*>(&send[rank][first]);
            operation.sent.push_back({from, elements(rank, other) * sizeof(int)});
            operation.received.push_back({&recv[rank][first], elements(other, rank) * sizeof(int)});
        }
        return operation;
    });
    for (uint32_t rank = 0; rank < size; rank++) {
        for (uint32_t other = 0; other < size; other++) {
            const size_t to = (size - 1 - other) * room;
            const size_t from = (size - 1 - rank) * room;
            for (size_t index = 0; index < room; index++) {
                const int expected = index < elements(other, rank) ? send[other][from + index] : -1;
                ASSERT_EQ(recv[rank][to + index], expected) << rank << " from " << other << " at " << index;
            }
        }
    }
}

// Each rank sends two messages to each, itself included, and posts its receives before its sends.
TEST_P(MoverTest, RunsBatches) {
    World world(GetParam());
    const uint32_t size = world.size();
    Buffers<int> send(size, std::vector<int>(2 * size));
    Buffers<int> recv(size, std::vector<int>(2 * size));
    for (uint32_t rank = 0; rank < size; rank++) {
        std::iota(send[rank].begin(), send[rank].end(), static_cast<int>(100 * rank));
    }
    world.Run([&](uint32_t rank) {
        Operation operation(Kind::kBatch, "test");
        for (uint32_t peer = 0; peer < size; peer++) {
            for (uint32_t half : {0, 1}) {
                operation.batch.push_back({false, &recv[rank][2 * peer + half], sizeof(int), peer});
            }
        }
        for (uint32_t peer = 0; peer < size; peer++) {
            for (uint32_t half : {0, 1}) {
                operation.batch.push_back({true, &send[rank][2 * peer + half], sizeof(int), peer});
            }
        }
        return operation;
    });
    for (uint32_t rank = 0; rank < size; rank++) {
        for (uint32_t peer = 0; peer < size; peer++) {
            EXPECT_EQ(recv[rank][2 * peer], send[peer][2 * rank]);
            EXPECT_EQ(recv[rank][2 * peer + 1], send[peer][2 * rank + 1]);
        }
    }
}

TEST_P(MoverTest, SendsToTheNextRank) {
    World world(GetParam());
    const uint32_t size = world.size();
    const Buffers<int> send = Values<int>(size, kCount);
    Buffers<int> recv(size, std::vector<int>(kCount));
    for (uint32_t from = 0; from < size; from++) {
        const uint32_t to = (from + 1) % size;
        world.Run([&](uint32_t rank) {
            Operation operation = New(rank == from ? Kind::kSend
                                      : rank == to ? Kind::kRecv
                                                   : Kind::kBarrier,
                                      HCCL_DATA_TYPE_INT32, send[rank], recv[rank], kCount);
            operation.root = rank == from ? to : from;
            if (operation.kind == Kind::kBarrier) operation = Operation(Kind::kBatch, "nothing");
            return operation;
        });
        EXPECT_EQ(recv[to], send[from]);
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, MoverTest, testing::Values(2, 4));

TEST(Mover, AClosedMoverEndsARunningOperation) {
    World world(2);
    Buffers<uint8_t> buffers(2, std::vector<uint8_t>(kCount));
    // The other rank takes no part.
    std::thread closer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        world.mover(0).Close();
    });
    std::string text;
    try {
        Operation operation = New(Kind::kAllReduce, HCCL_DATA_TYPE_UINT8, buffers[0], buffers[0], kCount);
        world.mover(0).Run(operation);
    } catch (const Failure& failure) {
        text = failure.what();
    }
    closer.join();
    EXPECT_NE(text, "");
    EXPECT_EQ(text.find("did not answer"), std::string::npos) << text;
    // It stays closed.
    EXPECT_THROW(world.mover(0).Run(Operation(Kind::kBarrier, "test")), Failure);
}

TEST(Mover, AnOperationWithoutTheOtherRankEndsInTime) {
    World world(2, std::chrono::seconds(1));
    std::string text;
    try {
        world.mover(0).Run(Operation(Kind::kBarrier, "test"));
    } catch (const Failure& failure) {
        text = failure.what();
    }
    EXPECT_NE(text.find("another rank did not answer within 1 s; check that"), std::string::npos) << text;
}

}  // namespace
}  // namespace hccl

// Collectives between ranks of one process. Without the system's libgloo there is one rank.
#include <cmath>
#include <cstdlib>
#include <string>

#include "collective/ranks.h"
#include "tests/short_numbers.h"

using namespace paddle_test;
using hccl::BFloat;
using hccl::Half;

namespace {

// A machine to which the tests were copied has no module for several ranks.
std::size_t Size() {
    return Path() == PORTACL_PADDLE_PLUGIN ? PORTACL_TEST_RANKS : 1;
}

class Collectives : public WithDevice {
  protected:
    // Each rank waits in its stream for the others.
    void SetUp() override {
        // On a GPU a collective of one rank may stand behind that of another, which waits for it: streams share queues.
        const char* const backend = std::getenv("PORTACL_BACKEND");
        if (backend != nullptr && std::string(backend) == "cuda")
            GTEST_SKIP() << "for CPUs only: ranks of one process that share a device share its hardware queues";
        WithDevice::SetUp();
        NEEDS_QUEUES(8);
    }
};

// The value of an element. All types hold it, its reductions, and its average over three ranks.
double ValueOf(std::size_t rank, std::size_t index) {
    return index % 4 == 3 || (rank + index) % 2 == 1 ? 3 : 0;
}

template <typename Number>
std::vector<Number> ValuesOf(std::size_t rank, std::size_t count) {
    std::vector<Number> values;
    for (std::size_t index = 0; index < count; ++index) {
        values.push_back(static_cast<Number>(static_cast<float>(ValueOf(rank, index))));
    }
    return values;
}

double Reduced(C_CCLReduceOp op, std::size_t index) {
    double result = ValueOf(0, index);
    for (std::size_t rank = 1; rank < Size(); ++rank) {
        const double value = ValueOf(rank, index);
        if (op == SUM || op == AVG) result += value;
        if (op == PRODUCT) result *= value;
        if (op == MAX) result = std::max(result, value);
        if (op == MIN) result = std::min(result, value);
    }
    return op == AVG ? result / static_cast<double>(Size()) : result;
}

template <typename Number>
void ExpectReduced(const std::vector<Number>& found, C_CCLReduceOp op, std::size_t first, const char* what) {
    for (std::size_t index = 0; index < found.size(); ++index) {
        const auto wanted = static_cast<Number>(static_cast<float>(Reduced(op, first + index)));
        EXPECT_TRUE(found[index] == wanted) << what << ", op " << op << ", element " << first + index;
    }
}

template <typename Number>
void TestReductions(const Rank& own, C_DataType type) {
    constexpr std::size_t kCount = 4;
    const Callbacks& p = Plugin();
    for (const C_CCLReduceOp op : {SUM, AVG, MAX, MIN, PRODUCT}) {
        const Numbers<Number> send(own.device, ValuesOf<Number>(own.rank, kCount));
        const Numbers<Number> recv(own.device, std::vector<Number>(kCount));
        EXPECT_EQ(p.xccl_all_reduce(send.get(), recv.get(), kCount, type, op, own.comm, own.stream), C_SUCCESS);
        ExpectReduced(recv.values(), op, 0, "all_reduce");

        const std::size_t root = Size() - 1;
        const Numbers<Number> at_root(own.device, std::vector<Number>(kCount));
        EXPECT_EQ(p.xccl_reduce(send.get(), at_root.get(), kCount, type, op, root, own.comm, own.stream), C_SUCCESS);
        if (own.rank == root) ExpectReduced(at_root.values(), op, 0, "reduce");

        const Numbers<Number> whole(own.device, ValuesOf<Number>(own.rank, kCount * Size()));
        const Numbers<Number> part(own.device, std::vector<Number>(kCount));
        EXPECT_EQ(p.xccl_reduce_scatter(whole.get(), part.get(), kCount, type, op, own.comm, own.stream), C_SUCCESS);
        ExpectReduced(part.values(), op, kCount * own.rank, "reduce_scatter");
    }
}

TEST_F(Collectives, ReduceAllTypes) {
    RunRanks(Size(), [](const Rank& own) {
        TestReductions<std::uint8_t>(own, UINT8);
        TestReductions<std::uint16_t>(own, UINT16);
        TestReductions<std::uint32_t>(own, UINT32);
        TestReductions<std::uint64_t>(own, UINT64);
        TestReductions<std::int8_t>(own, INT8);
        TestReductions<std::int16_t>(own, INT16);
        TestReductions<std::int32_t>(own, INT32);
        TestReductions<std::int64_t>(own, INT64);
        TestReductions<float>(own, FLOAT32);
        TestReductions<double>(own, FLOAT64);
        TestReductions<Half>(own, FLOAT16);
        TestReductions<BFloat>(own, BFLOAT16);
    });
}

// The rank 0 has the value, others have 0.
template <typename Number>
std::vector<Number> Average(const Rank& own, C_DataType type, const std::vector<Number>& of_first) {
    const Numbers<Number> memory(own.device, own.rank == 0 ? of_first : std::vector<Number>(of_first.size()));
    EXPECT_EQ(Plugin().xccl_all_reduce(memory.get(), memory.get(), of_first.size(), type, AVG, own.comm, own.stream),
              C_SUCCESS);
    return memory.values();
}

TEST_F(Collectives, AveragesAreRounded) {
    if (Size() != 3) GTEST_SKIP() << "needs three ranks";
    RunRanks(Size(), [](const Rank& own) {
        // 1/3, the largest number, one below the normal ones, the smallest one, an infinity, no number, and minus 1/3.
        using Bits = std::vector<std::uint16_t>;
        EXPECT_EQ(Average<std::uint16_t>(own, FLOAT16, {0x3c00, 0x7bff, 0x0403, 1, 0x7c00, 0x7e00, 0xbc00}),
                  (Bits{0x3555, 0x7555, 0x0156, 0, 0x7c00, 0x7e00, 0xb555}));
        EXPECT_EQ(Average<std::uint16_t>(own, BFLOAT16, {0x3f80, 0x7f80, 0x7fc0, 0xbf80}),
                  (Bits{0x3eab, 0x7f80, 0x7fc0, 0xbeab}));
        EXPECT_EQ(Average<std::int32_t>(own, INT32, {10, -10}), (std::vector<std::int32_t>{3, -3}));
        EXPECT_EQ(Average<float>(own, FLOAT32, {1})[0], 1.0f / 3.0f);
    });
}

TEST_F(Collectives, AComplexNumberIsTwoNumbers) {
    RunRanks(Size(), [](const Rank& own) {
        const Numbers<float> memory(own.device, ValuesOf<float>(own.rank, 4));
        const Callbacks& p = Plugin();
        EXPECT_EQ(p.xccl_all_reduce(memory.get(), memory.get(), 2, COMPLEX64, SUM, own.comm, own.stream), C_SUCCESS);
        ExpectReduced(memory.values(), SUM, 0, "complex");
        EXPECT_EQ(p.xccl_all_reduce(memory.get(), memory.get(), 2, COMPLEX64, MAX, own.comm, own.stream), C_ERROR);
    });
}

TEST_F(Collectives, DataGoesWhereItBelongs) {
    RunRanks(Size(), [](const Rank& own) {
        const Callbacks& p = Plugin();
        using Values = std::vector<std::int64_t>;
        const auto mine = static_cast<std::int64_t>(own.rank) + 10;
        const Numbers<std::int64_t> memory(own.device, {mine});
        const Numbers<std::int64_t> all(own.device, Values(Size()));
        EXPECT_EQ(p.xccl_all_gather(memory.get(), all.get(), 1, INT64, own.comm, own.stream), C_SUCCESS);
        Values wanted;
        for (std::size_t rank = 0; rank < Size(); ++rank) wanted.push_back(static_cast<std::int64_t>(rank) + 10);
        EXPECT_EQ(all.values(), wanted);
        for (std::size_t root = 0; root < Size(); ++root) {
            const Numbers<std::int64_t> sent(own.device, {mine});
            EXPECT_EQ(p.xccl_broadcast(sent.get(), 1, INT64, root, own.comm, own.stream), C_SUCCESS);
            EXPECT_EQ(sent.values()[0], wanted[root]);
        }
    });
}

// Rank r sends r + 1 elements to each rank.
TEST_F(Collectives, EachRankSendsToEach) {
    RunRanks(Size(), [](const Rank& own) {
        std::vector<float> values;
        std::vector<const void*> sends;
        std::vector<void*> receives;
        std::vector<std::size_t> sent(Size(), own.rank + 1), received;
        const std::vector<C_DataType> types(Size(), FLOAT32);
        std::size_t count = 0;
        for (std::size_t rank = 0; rank < Size(); ++rank) {
            values.insert(values.end(), own.rank + 1, static_cast<float>(10 * own.rank + rank));
            received.push_back(rank + 1);
            count += rank + 1;
        }
        const Numbers<float> from(own.device, values), to(own.device, std::vector<float>(count));
        std::vector<float> wanted;
        for (std::size_t rank = 0, at = 0; rank < Size(); at += received[rank++]) {
            sends.push_back(from.get(rank * (own.rank + 1)));
            receives.push_back(to.get(at));
            wanted.insert(wanted.end(), rank + 1, static_cast<float>(10 * rank + own.rank));
        }
        EXPECT_EQ(Plugin().xccl_all_to_all(sends.data(), sent.data(), types.data(), receives.data(), received.data(),
                                           types.data(), own.rank, Size(), own.comm, own.stream),
                  C_SUCCESS);
        EXPECT_EQ(to.values(), wanted);
    });
}

// Without a group, each rank would wait in its send for the receive of the next one.
TEST_F(Collectives, TransfersOfAGroupAreOneOperation) {
    RunRanks(Size(), [](const Rank& own) {
        const Callbacks& p = Plugin();
        const std::size_t right = (own.rank + 1) % Size(), left = (own.rank + Size() - 1) % Size();
        const Numbers<float> send(own.device, {static_cast<float>(own.rank)}), recv(own.device, {-1.0f});
        EXPECT_EQ(p.xccl_group_start(), C_SUCCESS);
        EXPECT_EQ(p.xccl_send(send.get(), 1, FLOAT32, right, own.comm, own.stream), C_SUCCESS);
        EXPECT_EQ(p.xccl_group_start(), C_SUCCESS);
        EXPECT_EQ(p.xccl_recv(recv.get(), 1, FLOAT32, left, own.comm, own.stream), C_SUCCESS);
        EXPECT_EQ(p.xccl_group_end(), C_SUCCESS);
        EXPECT_EQ(own.Synchronize(), C_SUCCESS);
        EXPECT_EQ(recv.values()[0], -1.0f) << "the group has not ended";
        EXPECT_EQ(p.xccl_group_end(), C_SUCCESS);
        EXPECT_EQ(recv.values()[0], static_cast<float>(left));
    });
}

TEST_F(Collectives, PairsOfRanksExchangeMessages) {
    if (Size() < 2) GTEST_SKIP() << "needs two ranks";
    RunRanks(Size(), [](const Rank& own) {
        const Numbers<float> memory(own.device, {own.rank == 0 ? 5.0f : 0.0f});
        const Callbacks& p = Plugin();
        if (own.rank == 0) {
            EXPECT_EQ(p.xccl_send(memory.get(), 1, FLOAT32, 1, own.comm, own.stream), C_SUCCESS);
        } else if (own.rank == 1) {
            EXPECT_EQ(p.xccl_recv(memory.get(), 1, FLOAT32, 0, own.comm, own.stream), C_SUCCESS);
        }
        EXPECT_EQ(own.Synchronize(), C_SUCCESS);
        EXPECT_EQ(memory.values()[0], own.rank < 2 ? 5.0f : 0.0f);
    });
}

TEST_F(Collectives, ARankThatEndsFailsTheOthers) {
    if (Size() < 2) GTEST_SKIP() << "needs two ranks";
    ErrorOutput output;
    RunRanks(Size(), [](const Rank& own) {
        if (own.rank == 0) return;
        const Numbers<float> memory(own.device, {1.0f});
        EXPECT_NE(Plugin().xccl_all_reduce(memory.get(), memory.get(), 1, FLOAT32, SUM, own.comm, own.stream),
                  C_SUCCESS);
    });
    EXPECT_NE(output.Take().find("HcclAllReduce"), std::string::npos);
}

}  // namespace

// What callbacks of collectives refuse, and the texts.
#include "collective/ranks.h"

using namespace paddle_test;

namespace {

class CollectiveRefusals : public WithDevice {
  protected:
    void SetUp() override {
        WithDevice::SetUp();
        ASSERT_EQ(Plugin().xccl_comm_init_rank(1, id_.get(), 0, &comm_), C_SUCCESS);
    }
    void TearDown() override { EXPECT_EQ(Plugin().xccl_destroy_comm(comm_), C_SUCCESS); }

    // Requires that a call fails, and writes these words.
    template <typename Call>
    static void Refuses(const char* words, const Call& call) {
        ErrorOutput output;
        EXPECT_NE(call(), C_SUCCESS) << words;
        const std::string text = output.Take();
        EXPECT_NE(text.find(words), std::string::npos) << text;
    }

    UniqueId id_;
    C_CCLComm comm_ = nullptr;
};

TEST_F(CollectiveRefusals, BytesThatAreNotThere) {
    const Callbacks& p = Plugin();
    char byte = 0;
    C_CCLRootId small{1, &byte}, none{4108, nullptr};
    C_CCLComm comm = nullptr;
    Refuses("size is null", [&] { return p.xccl_get_unique_id_size(nullptr); });
    for (C_CCLRootId* id : {static_cast<C_CCLRootId*>(nullptr), &none}) {
        Refuses("unique_id or its data is null", [&] { return p.xccl_get_unique_id(id); });
        Refuses("unique_id or its data is null", [&] { return p.xccl_comm_init_rank(1, id, 0, &comm); });
    }
    Refuses("unique_id->sz is less than", [&] { return p.xccl_get_unique_id(&small); });
    Refuses("unique_id->sz is less than", [&] { return p.xccl_comm_init_rank(1, &small, 0, &comm); });
    Refuses("comm is null", [&] { return p.xccl_comm_init_rank(1, id_.get(), 0, nullptr); });
    EXPECT_EQ(byte, 0);
}

TEST_F(CollectiveRefusals, RanksOutsideOfTheWorld) {
    const Callbacks& p = Plugin();
    const Memory memory(0, 8);
    C_CCLComm comm = nullptr;
    const std::size_t beyond = std::size_t{1} << 32;
    Refuses("nRanks is 0", [&] { return p.xccl_comm_init_rank(0, id_.get(), 0, &comm); });
    Refuses("nRanks is 4294967295", [&] { return p.xccl_comm_init_rank(beyond, id_.get(), 0, &comm); });
    Refuses("rank is 1", [&] { return p.xccl_comm_init_rank(1, id_.get(), 1, &comm); });
    Refuses("rank is 4294967295", [&] { return p.xccl_comm_init_rank(1, id_.get(), beyond, &comm); });
    Refuses("root is 1", [&] { return p.xccl_broadcast(memory.At(), 1, FLOAT32, 1, comm_, nullptr); });
    for (const std::size_t root : {std::size_t{1}, beyond}) {
        Refuses("root is", [&] { return p.xccl_broadcast(memory.At(), 1, FLOAT32, root, comm_, nullptr); });
        Refuses("root is",
                [&] { return p.xccl_reduce(memory.At(), memory.At(), 1, FLOAT32, SUM, root, comm_, nullptr); });
        Refuses("Rank is", [&] { return p.xccl_send(memory.At(), 1, FLOAT32, root, comm_, nullptr); });
        Refuses("Rank is", [&] { return p.xccl_recv(memory.At(), 1, FLOAT32, root, comm_, nullptr); });
    }
    EXPECT_EQ(comm, nullptr);
    // Twice as many numbers are not 0.
    const std::size_t half = std::size_t{1} << 63;
    Refuses("count is", [&] { return p.xccl_broadcast(memory.At(), half, COMPLEX64, 0, comm_, nullptr); });
}

// Paddle throws when a callback fails, and does not end its group. Later transfers run at once all the same.
TEST_F(CollectiveRefusals, AFailureInAGroupEndsTheGroup) {
    const Callbacks& p = Plugin();
    const Memory memory(0, 8);
    const std::size_t beyond = 7;
    const auto fail = [&](int call) {
        switch (call) {
            case 0:
                return p.xccl_send(memory.At(), 1, UNDEFINED, 0, comm_, nullptr);
            case 1:
                return p.xccl_all_reduce(memory.At(), memory.At(), 1, UNDEFINED, SUM, comm_, nullptr);
            case 2:
                return p.xccl_broadcast(memory.At(), 1, FLOAT32, beyond, comm_, nullptr);
            default:
                return p.xccl_comm_init_rank(1, nullptr, 0, nullptr);
        }
    };
    for (int call = 0; call < 4; ++call) {
        ASSERT_EQ(p.xccl_group_start(), C_SUCCESS);
        Refuses("", [&] { return fail(call); });
        Refuses("this thread has no group", [&] { return p.xccl_group_end(); });
    }
}

TEST_F(CollectiveRefusals, TypesAndReductionsThatDoNotExist) {
    const Callbacks& p = Plugin();
    const Memory memory(0, 16);
    void* const it = memory.At();
    const auto type = static_cast<C_DataType>(99);
    const auto op = static_cast<C_CCLReduceOp>(99);
    const std::size_t one = 1;
    const void* from = it;
    void* to = it;
    Refuses("data_type is 99; allowed: BOOL", [&] { return p.xccl_all_reduce(it, it, 1, type, SUM, comm_, nullptr); });
    Refuses("data_type is 0; allowed: BOOL", [&] { return p.xccl_all_gather(it, it, 1, UNDEFINED, comm_, nullptr); });
    Refuses("send_type[0] is 99 and recv_type[0] is 99; allowed: BOOL",
            [&] { return p.xccl_all_to_all(&from, &one, &type, &to, &one, &type, 0, 1, comm_, nullptr); });
    Refuses("op is 99; allowed: SUM", [&] { return p.xccl_all_reduce(it, it, 1, FLOAT32, op, comm_, nullptr); });
    Refuses("allowed for complex numbers: SUM and AVG",
            [&] { return p.xccl_all_reduce(it, it, 1, COMPLEX128, PRODUCT, comm_, nullptr); });
}

TEST_F(CollectiveRefusals, WhatIsNoCommunicator) {
    const Callbacks& p = Plugin();
    const Memory memory(0, 8);
    char name[128] = {};
    EXPECT_EQ(p.xccl_get_comm_name(comm_, name), C_SUCCESS);
    EXPECT_EQ(std::string(name).rfind("portacl-", 0), 0u) << name;
    Refuses("not a live communicator", [&] { return p.xccl_get_comm_name(nullptr, name); });
    Refuses("not a live communicator",
            [&] { return p.xccl_all_reduce(memory.At(), memory.At(), 1, FLOAT32, SUM, nullptr, nullptr); });
    Refuses("not a live communicator",
            [&] { return p.xccl_reduce(memory.At(), memory.At(), 1, FLOAT32, SUM, 0, nullptr, nullptr); });
    // Destructors of Paddle call it, so it says why and succeeds.
    ErrorOutput output;
    EXPECT_EQ(p.xccl_destroy_comm(nullptr), C_SUCCESS);
    EXPECT_NE(output.Take().find("not a live communicator"), std::string::npos);
}

TEST_F(CollectiveRefusals, TheEndOfAGroupThatHasNotBegun) {
    Refuses("this thread has no group", [] { return Plugin().xccl_group_end(); });
    // A group that fails is over.
    const Memory memory(0, 8);
    ASSERT_EQ(Plugin().xccl_group_start(), C_SUCCESS);
    ASSERT_EQ(Plugin().xccl_send(memory.At(), 1, FLOAT32, 0, comm_, nullptr), C_SUCCESS);
    Refuses("without a receive; add the receive to sendRecvInfo", [] { return Plugin().xccl_group_end(); });
    ASSERT_EQ(Plugin().xccl_group_start(), C_SUCCESS);
    EXPECT_EQ(Plugin().xccl_group_end(), C_SUCCESS);
}

}  // namespace

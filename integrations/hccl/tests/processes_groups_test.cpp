// HcclCreateSubCommConfig between processes, over libgloo.
#include "tests/processes.h"

namespace hccl {
namespace {

// Pairs of ranks, then all in another order; rank 0, whose process has the hub, ends first.
TEST(ProcessGroups, GroupsWithinACommunicator) {
    for (const uint32_t size : {2, 4}) {
        Processes ranks(size, [](Rank& own) {
            const HcclComm comm = own.Join();
            const aclrtStream stream = Rank::NewStream();
            const auto sum_is = [&](HcclComm group, float wanted) {
                float value = static_cast<float>(own.rank + 1);
                void* const memory = Rank::NewMemory({value});
                Rank::Require(Rank::AddAll(memory, 1, group, stream), "HcclAllReduce");
                Rank::Require(aclrtMemcpy(&value, sizeof value, memory, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST),
                              "copy");
                Rank::Require(value == wanted, "a sum is wrong");
                Rank::Require(aclrtFree(memory), "aclrtFree");
            };
            const uint32_t pair[] = {own.rank / 2 * 2 + 1, own.rank / 2 * 2};
            std::vector<uint32_t> turned;
            for (uint32_t rank = 0; rank < own.size; rank++) turned.push_back((rank + 1) % own.size);
            HcclComm of_pair = nullptr;
            HcclComm of_all = nullptr;
            Rank::Require(HcclCreateSubCommConfig(&comm, 2, pair, 1, 1 - own.rank % 2, nullptr, &of_pair), "pair");
            Rank::Require(HcclCreateSubCommConfig(&comm, own.size, turned.data(), 1,
                                                  (own.rank + own.size - 1) % own.size, nullptr, &of_all),
                          "all");
            Rank::Require(HcclCommDestroy(comm), "HcclCommDestroy");
            for (int time = 0; time < 20; time++) {
                sum_is(of_pair, static_cast<float>(2 * (own.rank / 2 * 2) + 3));
                sum_is(of_all, static_cast<float>(own.size * (own.size + 1) / 2));
            }
            Rank::Require(HcclCommDestroy(of_all), "HcclCommDestroy");
            Rank::Require(HcclCommDestroy(of_pair), "HcclCommDestroy");
        });
        ranks.ExpectSuccess();
    }
}

// The rank whose process has the hub ends first: existing groups go on, and new ones are refused with a text.
TEST(ProcessGroups, GroupsNeedTheProcessOfTheHubAtTheirStart) {
    Processes ranks(3, [](Rank& own) {
        const HcclComm comm = own.Join();
        const aclrtStream stream = Rank::NewStream();
        void* const memory = Rank::NewMemory({1});
        const uint32_t others[] = {1, 2};
        HcclComm group = nullptr;
        if (own.rank > 0) {
            Rank::Require(HcclCreateSubCommConfig(&comm, 2, others, 1, own.rank - 1, nullptr, &group), "first");
        }
        Rank::Require(Rank::AddAll(memory, 1, comm, stream), "HcclAllReduce");
        own.Arrive();
        if (own.rank == 0) return;
        std::this_thread::sleep_for(Milliseconds(500));
        HcclComm late = nullptr;
        own.RequireFailure(HcclCreateSubCommConfig(&comm, 2, others, 1, own.rank - 1, nullptr, &late), HCCL_E_REMOTE,
                           "the process of rank 0, which connects the members, has ended");
        Rank::Require(Rank::AddAll(memory, 1, group, stream), "HcclAllReduce");
    });
    ranks.ExpectSuccess();
}

// A member is killed while another one waits for it in the call.
TEST(ProcessGroups, AKilledRankEndsTheWaitForAGroup) {
    Processes ranks(3, [](Rank& own) {
        const HcclComm comm = own.Join();
        own.Arrive();
        if (own.rank == 2) std::this_thread::sleep_for(std::chrono::seconds(60));
        const uint32_t members[] = {own.rank, 2};
        HcclComm group = nullptr;
        own.RequireFailure(HcclCreateSubCommConfig(&comm, 2, members, own.rank, 0, nullptr, &group), HCCL_E_REMOTE,
                           "the process of rank 2 has ended");
    });
    ranks.AwaitArrival();
    std::this_thread::sleep_for(Milliseconds(100));
    ranks.Signal(2, SIGKILL);
    for (uint32_t rank = 0; rank < 2; rank++) EXPECT_EQ(ranks.Status(rank), 0);
}

}  // namespace
}  // namespace hccl

// HcclCreateSubCommConfig: groups within a communicator.
#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <string>

#include "tests/local_mover.h"
#include "tests/meshed.h"
#include "tests/variable.h"

namespace hccl {
namespace {

using List = std::vector<uint32_t>;

class GroupsTest : public MeshedTest {
  protected:
    // Creates a group that the rank is in.
    static HcclResult Divide(const Rank& own, const List& ranks, uint64_t id, HcclComm* group) {
        const auto place = std::find(ranks.begin(), ranks.end(), own.rank) - ranks.begin();
        return HcclCreateSubCommConfig(&own.comm, static_cast<uint32_t>(ranks.size()), ranks.data(), id,
                                       static_cast<uint32_t>(place), nullptr, group);
    }
    static float SumOf(HcclComm comm, aclrtStream stream, float value) {
        const Floats memory({value});
        HCCL_OK(HcclAllReduce(memory.get(), memory.get(), 1, kFloat, HCCL_REDUCE_SUM, comm, stream));
        ACL_EXPECT_OK(aclrtSynchronizeStream(stream));
        return memory.values()[0];
    }
    static std::string NameOf(HcclComm comm) {
        char name[128] = {};
        HCCL_OK(HcclGetCommName(comm, name));
        return name;
    }
};

// Ranks that are no members do not call it.
TEST_F(GroupsTest, MembersHaveRanksInTheOrderOfTheList) {
    std::vector<std::string> names(4);
    Run(4, [&](Rank& own) {
        if (own.rank == 1) return;
        const List ranks = {3, 0, 2};
        HcclComm group = nullptr;
        HCCL_OK(Divide(own, ranks, 9, &group));
        uint32_t rank = 7;
        uint32_t size = 7;
        HCCL_OK(HcclGetRankId(group, &rank));
        HCCL_OK(HcclGetRankSize(group, &size));
        EXPECT_EQ(size, 3u);
        ASSERT_LT(rank, 3u);
        EXPECT_EQ(ranks[rank], own.rank);
        names[own.rank] = NameOf(group);
        EXPECT_NE(names[own.rank], NameOf(own.comm));
        // The root is rank 3 of the communicator.
        const Floats memory({static_cast<float>(own.rank)});
        HCCL_OK(HcclBroadcast(memory.get(), 1, kFloat, 0, group, own.stream));
        ACL_OK(aclrtSynchronizeStream(own.stream));
        EXPECT_EQ(memory.values()[0], 3);
        EXPECT_EQ(SumOf(group, own.stream, static_cast<float>(own.rank)), 5);
        HCCL_OK(HcclCommDestroy(group));
    });
    EXPECT_EQ(names[0], names[2]);
    EXPECT_EQ(names[0], names[3]);
}

TEST_F(GroupsTest, GroupsOutliveTheirCommunicator) {
    Run(2, [](Rank& own) {
        HcclComm group = nullptr;
        HCCL_OK(Divide(own, {1, 0}, 1, &group));
        HCCL_OK(HcclCommDestroy(own.comm));
        HcclComm second = nullptr;
        HCCL_FAILS(Divide(own, {0, 1}, 1, &second), HCCL_E_PARA, "not a live communicator");
        own.comm = nullptr;
        EXPECT_EQ(SumOf(group, own.stream, 2), 4);
        // Groups are divided as well.
        own.comm = group;
        own.rank = 1 - own.rank;
        HCCL_OK(Divide(own, {0, 1}, 1, &second));
        EXPECT_EQ(SumOf(second, own.stream, 3), 6);
        HCCL_OK(HcclCommDestroy(second));
    });
}

// Rows and columns, as trainers divide a world, beside operations of the communicator.
TEST_F(GroupsTest, GroupsRunBesideEachOther) {
    Run(4, [](Rank& own) {
        const Floats memory({1});
        HCCL_OK(HcclAllReduce(memory.get(), memory.get(), 1, kFloat, HCCL_REDUCE_SUM, own.comm, own.stream));
        const uint32_t row = own.rank / 2 * 2;
        const uint32_t column = own.rank % 2;
        HcclComm groups[2] = {};
        HCCL_OK(Divide(own, {row, row + 1}, 1, &groups[0]));
        HCCL_OK(Divide(own, {column, column + 2}, 2, &groups[1]));
        const auto value = static_cast<float>(own.rank);
        EXPECT_EQ(SumOf(groups[0], own.stream, value), static_cast<float>(2 * row + 1));
        EXPECT_EQ(SumOf(groups[1], own.stream, value), static_cast<float>(2 * column + 2));
        EXPECT_EQ(memory.values()[0], 4);
        for (const HcclComm group : groups) HCCL_OK(HcclCommDestroy(group));
    });
}

TEST_F(GroupsTest, ThreadsCreateThemInAnyOrder) {
    Run(2, [](Rank& own) {
        std::vector<std::thread> threads;
        for (uint32_t index = 0; index < 4; index++) {
            threads.emplace_back([&own, id = own.rank == 0 ? index : 3 - index] {
                ACL_OK(aclrtSetDevice(0));
                HcclComm group = nullptr;
                HCCL_OK(Divide(own, {0, 1}, id, &group));
                HCCL_OK(HcclCommDestroy(group));
            });
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        for (std::thread& thread : threads) thread.join();
    });
}

TEST_F(GroupsTest, AGroupOfOneNeedsNoOther) {
    Run(2, [](Rank& own) {
        if (own.rank == 1) return;
        HcclComm group = nullptr;
        HCCL_OK(Divide(own, {0}, 1, &group));
        EXPECT_EQ(SumOf(group, own.stream, 5), 5);
        HCCL_OK(HcclCommDestroy(group));
    });
}

TEST_F(GroupsTest, ARankAloneDividesItsWorld) {
    const HcclComm comm = NewAlone();
    const uint32_t ranks[] = {0, 0};
    HcclComm group = nullptr;
    HCCL_OK(HcclCreateSubCommConfig(&comm, 1, ranks, 1, 0, nullptr, &group));
    HCCL_OK(HcclCommDestroy(comm));
    EXPECT_EQ(SumOf(group, stream_, 5), 5);
    HCCL_OK(HcclCommDestroy(group));
}

TEST_F(GroupsTest, WrongArgumentsAreRefused) {
    Run(3, [](Rank& own) {
        if (own.rank != 1) return;
        const List ranks = {0, 1, 1, 3};
        const HcclComm none = nullptr;
        HcclComm group = nullptr;
        const auto divide = [&](uint32_t count, const uint32_t* list, uint32_t rank) {
            return HcclCreateSubCommConfig(&own.comm, count, list, 0, rank, nullptr, &group);
        };
        const uint32_t* const list = ranks.data();
        HCCL_FAILS(HcclCreateSubCommConfig(nullptr, 2, list, 0, 1, nullptr, &group), HCCL_E_PTR, "comm is null");
        HCCL_FAILS(HcclCreateSubCommConfig(&none, 2, list, 0, 1, nullptr, &group), HCCL_E_PTR, "comm is");
        HCCL_FAILS(HcclCreateSubCommConfig(&own.comm, 2, list, 0, 1, nullptr, nullptr), HCCL_E_PTR, "subComm is null");
        HCCL_FAILS(divide(2, nullptr, 1), HCCL_E_PTR, "ranks is null");
        HCCL_FAILS(divide(0, list, 0), HCCL_E_PARA, "nRanks is 0; allowed: 1 to 3");
        HCCL_FAILS(divide(4, list, 0), HCCL_E_PARA, "nRanks is 4; allowed: 1 to 3");
        HCCL_FAILS(divide(2, list, 2), HCCL_E_PARA, "rank is 2; allowed: 0 to 1 (nRanks is 2)");
        HCCL_FAILS(divide(3, list, 1), HCCL_E_PARA, "ranks[2] is 1, the same as ranks[1]");
        HCCL_FAILS(divide(2, list + 2, 0), HCCL_E_PARA, "ranks[1] is 3; allowed: 0 to 2");
        HCCL_FAILS(divide(1, list, 0), HCCL_E_PARA, "ranks does not contain 1");
        HCCL_FAILS(divide(2, list, 0), HCCL_E_PARA, "rank is 0; allowed: 1, the index");
        EXPECT_EQ(group, nullptr);
    });
}

TEST_F(GroupsTest, AMemberThatDoesNotComeIsNamed) {
    const Variable limit("HCCL_CONNECT_TIMEOUT", "1");
    std::atomic<bool> has_failed{false};
    Run(3, [&](Rank& own) {
        HcclComm group = nullptr;
        if (own.rank == 0) {
            HCCL_FAILS(Divide(own, {0, 2}, 1, &group), HCCL_E_INTERNAL, "in time: rank 2 has not arrived; let");
            has_failed = true;
        }
        while (!has_failed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
}

TEST_F(GroupsTest, IdsThatDifferFailOnAllMembersInTime) {
    const Variable limit("HCCL_CONNECT_TIMEOUT", "1");
    Run(2, [](Rank& own) {
        HcclComm group = nullptr;
        HCCL_FAILS(Divide(own, {0, 1}, 5 + own.rank, &group), HCCL_E_PARA,
                   "rank 1: HcclCreateSubCommConfig id 6 of ranks 0, 1 at ");
    });
}

TEST_F(GroupsTest, ListsThatDifferFailOnAllMembersAtOnce) {
    std::atomic<int> running{2};
    Run(3, [&](Rank& own) {
        HcclComm group = nullptr;
        const List ranks = own.rank == 0 ? List{0, 1} : List{0, 1, 2};
        // A member may come when the others have their answer.
        while (own.rank == 2 && running > 0) std::this_thread::yield();
        if (own.rank == 2) return;
        HCCL_FAILS(Divide(own, ranks, 5, &group), HCCL_E_PARA,
                   "rank 0: HcclCreateSubCommConfig id 5 of ranks 0, 1 at ");
        running--;
    });
}

TEST_F(GroupsTest, TheEndOfACommunicatorEndsTheWait) {
    std::atomic<bool> has_ended{false};
    Run(3, [&](Rank& own) {
        HcclComm group = nullptr;
        if (own.rank == 0) {
            const HcclComm comm = own.comm;
            std::thread destroys([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
                HCCL_OK(HcclCommDestroy(comm));
            });
            HCCL_FAILS(Divide(own, {0, 2}, 1, &group), HCCL_E_INTERNAL, "was destroyed while this call waited");
            destroys.join();
            own.comm = nullptr;
            has_ended = true;
        } else if (own.rank == 1) {
            HCCL_FAILS(Divide(own, {1, 0}, 1, &group), HCCL_E_REMOTE, "rank 0 has left the communicator");
        } else {
            while (!has_ended) std::this_thread::yield();
        }
    });
}

TEST_F(GroupsTest, ACommunicatorThatHasFailedIsNotDivided) {
    Run(2, [](Rank& own) {
        const Floats memory({1});
        HcclComm group = nullptr;
        if (own.rank == 1) {
            // Its operation is dropped, so that the communicator fails.
            std::atomic<bool> may_go{false};
            const auto wait = [](void* flag) {
                while (!*static_cast<std::atomic<bool>*>(flag)) std::this_thread::yield();
            };
            ACL_OK(aclrtLaunchHostFunc(own.stream, wait, &may_go));
            HCCL_OK(HcclBarrier(own.comm, own.stream));
            std::thread later([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
                may_go = true;
            });
            ACL_EXPECT_OK(aclrtStreamAbort(own.stream));
            later.join();
            ACL_OK(aclrtSynchronizeStream(own.stream));
            HCCL_FAILS(Divide(own, {1, 0}, 1, &group), HCCL_E_INTERNAL, "was dropped before it ran");
            HCCL_FAILS(Divide(own, {1}, 1, &group), HCCL_E_INTERNAL, "was dropped before it ran");
        } else {
            HCCL_FAILS(Divide(own, {1, 0}, 1, &group), HCCL_E_REMOTE, "rank 1 has failed: HcclBarrier was dropped");
        }
    });
}

// The ranks of its texts are those of the group, so they name it.
TEST_F(GroupsTest, FailuresOfAGroupNameIt) {
    // Rank 1 of the group, and 2 of the communicator.
    FailNext(1, "out of luck");
    Together together(2);
    Run(3, [&](Rank& own) {
        if (own.rank == 0) return;
        HcclComm group = nullptr;
        HCCL_OK(Divide(own, {1, 2}, 7, &group));
        together.Hold(own);
        HCCL_OK(HcclBarrier(group, own.stream));
        together.HasEnqueued();
        const std::string about = "out of luck; the communicator is the group id 7 of ranks 1, 2 of ";
        HCCL_FAILS(aclrtSynchronizeStream(own.stream), own.rank == 2 ? HCCL_E_INTERNAL : HCCL_E_REMOTE,
                   about + NameOf(own.comm));
        HCCL_OK(HcclCommDestroy(group));
    });
}

class CheckedGroupsTest : public GroupsTest {
  private:
    const Variable check_{"PORTACL_CHECK", "collectives"};
};

TEST_F(CheckedGroupsTest, CallsOfAGroupAreCompared) {
    Run(3, [](Rank& own) {
        HcclComm group = nullptr;
        if (own.rank == 1) return;
        HCCL_OK(Divide(own, {2, 0}, 4, &group));
        EXPECT_EQ(SumOf(group, own.stream, 1), 2);
        const Floats memory({1, 2});
        HCCL_OK(HcclAllReduce(memory.get(), memory.get(), own.rank == 0 ? 1 : 2, kFloat, HCCL_REDUCE_SUM, group,
                              own.stream));
        HCCL_FAILS(aclrtSynchronizeStream(own.stream), HCCL_E_PARA, "; rank 1: HcclAllReduce float32 1 sum at ");
        HCCL_FAILS(HcclBarrier(group, own.stream), HCCL_E_PARA, "; the communicator is the group id 4 of ranks 2, 0");
        HCCL_OK(HcclCommDestroy(group));
    });
}

TEST_F(CheckedGroupsTest, IdsThatDifferAreReportedOnAll) {
    const Variable notice("PORTACL_CHECK_WAIT_MS", "100");
    const Variable limit("HCCL_CONNECT_TIMEOUT", "2");
    Run(2, [](Rank& own) {
        HcclComm group = nullptr;
        HCCL_FAILS(Divide(own, {0, 1}, own.rank, &group), HCCL_E_PARA, "the calls of the ranks do not match");
    });
}

}  // namespace
}  // namespace hccl

// What the hub says of calls of HcclCreateSubCommConfig.
#include "watch/groups.h"

#include <gtest/gtest.h>

#include <numeric>

namespace hccl {
namespace {

using List = std::vector<uint32_t>;
using Answers = std::vector<GroupTable::Answer>;

GroupCall GroupOf(uint64_t id, const List& ranks, const char* place = "") {
    GroupCall call;
    call.id = id;
    call.ranks = ranks;
    call.place = place;
    return call;
}

TEST(Groups, TheLastMemberReleasesAll) {
    GroupTable table;
    GroupCall root = GroupOf(5, {2, 0});
    root.info = "the root's";
    EXPECT_TRUE(table.Arrive(0, 7, GroupOf(5, {2, 0})).empty());
    const Answers answers = table.Arrive(2, 3, root);
    ASSERT_EQ(answers.size(), 2u);
    for (const auto& answer : answers) {
        EXPECT_EQ(answer.number, answer.rank == 0 ? 7u : 3u);
        EXPECT_EQ(answer.code, HCCL_SUCCESS);
        EXPECT_EQ(answer.text, "the root's");
    }
    // The id is free again.
    EXPECT_TRUE(table.Arrive(0, 8, GroupOf(5, {0, 1})).empty());
}

TEST(Groups, ListsOfOneIdThatDifferAreAMismatch) {
    GroupTable table;
    table.Arrive(1, 1, GroupOf(5, {0, 1, 2}, "a.py:2"));
    table.Arrive(2, 1, GroupOf(5, {0, 1, 2}, "a.py:2"));
    const Answers answers = table.Arrive(0, 1, GroupOf(5, {0, 1}, "a.py:1"));
    ASSERT_EQ(answers.size(), 3u);
    for (const auto& answer : answers) {
        EXPECT_EQ(answer.code, HCCL_E_PARA);
        EXPECT_EQ(answer.text,
                  "the calls of the ranks do not match: rank 0: HcclCreateSubCommConfig id 5 of ranks 0, 1 at a.py:1; "
                  "rank 1: HcclCreateSubCommConfig id 5 of ranks 0, 1, 2 at a.py:2; pass the same id, and the same "
                  "ranks in the same order, in all members");
    }
    // So does another order: it makes another rank the root.
    EXPECT_TRUE(table.Arrive(0, 2, GroupOf(6, {0, 1})).empty());
    EXPECT_EQ(table.Arrive(1, 2, GroupOf(6, {1, 0})).size(), 2u);
}

TEST(Groups, GroupsWithoutACommonMemberMayHaveOneId) {
    GroupTable table;
    EXPECT_TRUE(table.Arrive(0, 1, GroupOf(5, {0, 1})).empty());
    EXPECT_TRUE(table.Arrive(2, 1, GroupOf(5, {2, 3})).empty());
    // A member of both creates one after the other.
    EXPECT_TRUE(table.Arrive(4, 1, GroupOf(5, {1, 4})).empty());
    EXPECT_EQ(table.Arrive(3, 1, GroupOf(5, {2, 3})).size(), 2u);
    EXPECT_EQ(table.Arrive(1, 1, GroupOf(5, {0, 1})).size(), 2u);
    EXPECT_EQ(table.Arrive(1, 2, GroupOf(5, {1, 4})).size(), 2u);
}

// Threads of a rank may come in any order, so only the end of a wait shows it.
TEST(Groups, IdsThatDifferAreAMismatchInTheEnd) {
    GroupTable table;
    EXPECT_TRUE(table.Arrive(0, 1, GroupOf(5, {0, 1})).empty());
    EXPECT_TRUE(table.Arrive(1, 1, GroupOf(6, {0, 1})).empty());
    const std::string text =
        "the calls of the ranks do not match: rank 0: HcclCreateSubCommConfig id 5 of ranks 0, 1; rank 1: "
        "HcclCreateSubCommConfig id 6 of ranks 0, 1; pass the same id";
    EXPECT_EQ(table.Missing(0, 1).substr(0, text.size()), text);
    EXPECT_EQ(table.Missing(1, 1).substr(0, text.size()), text);
    const Answers answers = table.Cancel(0, 1);
    ASSERT_EQ(answers.size(), 2u);
    for (const auto& answer : answers) {
        EXPECT_EQ(answer.code, HCCL_E_PARA);
        EXPECT_EQ(answer.text.substr(0, text.size()), text);
    }
    EXPECT_TRUE(table.Cancel(1, 1).empty());
}

TEST(Groups, ARankThatWaitsInBothIsNoMismatch) {
    GroupTable table;
    table.Arrive(0, 1, GroupOf(5, {0, 1, 2}));
    table.Arrive(0, 2, GroupOf(6, {0, 1}));
    table.Arrive(1, 1, GroupOf(5, {0, 1, 2}));
    EXPECT_EQ(table.Missing(1, 1), "rank 2 has not arrived");
    EXPECT_EQ(table.Missing(0, 2),
              "rank 1 has not arrived, and waits in HcclCreateSubCommConfig id 5 of ranks 0, 1, 2");
    EXPECT_EQ(table.Arrive(1, 2, GroupOf(6, {0, 1})).size(), 2u);
}

TEST(Groups, OneThatEndsCanComeAgain) {
    GroupTable table;
    table.Arrive(0, 1, GroupOf(5, {0, 1}));
    const Answers answers = table.Cancel(0, 1);
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].code, HCCL_E_INTERNAL);
    EXPECT_NE(answers[0].text.find("in time: rank 1 has not arrived; let all"), std::string::npos) << answers[0].text;
    EXPECT_TRUE(table.Arrive(0, 2, GroupOf(5, {0, 1})).empty());
    const Answers second = table.Arrive(0, 3, GroupOf(5, {0, 1}));
    ASSERT_EQ(second.size(), 1u);
    EXPECT_EQ(second[0].number, 3u);
    EXPECT_EQ(second[0].code, HCCL_E_PARA);
    EXPECT_EQ(table.Arrive(1, 1, GroupOf(5, {0, 1})).size(), 2u);
}

TEST(Groups, ARankThatHasLeftIsAwaitedByNone) {
    GroupTable table;
    table.Arrive(0, 1, GroupOf(5, {0, 1}));
    table.Arrive(2, 1, GroupOf(5, {2, 3}));
    const Answers answers = table.Leave(1);
    ASSERT_EQ(answers.size(), 1u);
    EXPECT_EQ(answers[0].rank, 0u);
    EXPECT_EQ(answers[0].code, HCCL_E_REMOTE);
    EXPECT_EQ(answers[0].text.substr(0, 15), "rank 1 has left");
    EXPECT_EQ(table.Arrive(3, 1, GroupOf(6, {1, 3}))[0].code, HCCL_E_REMOTE);
}

TEST(Groups, TextsThatNoRankSends) {
    EXPECT_FALSE(GroupCall::Unpack(""));
    const std::string packed = GroupOf(5, {0, 1}, "a.py:1").Pack();
    for (size_t length = 0; length < packed.size(); length++) {
        EXPECT_FALSE(GroupCall::Unpack(packed.substr(0, length))) << length;
    }
    EXPECT_EQ(GroupCall::Unpack(packed)->Text(), GroupOf(5, {0, 1}, "a.py:1").Text());
    EXPECT_FALSE(GroupCall::Unpack(GroupOf(5, {}).Pack()));
    List many(20);
    std::iota(many.begin(), many.end(), 0);
    EXPECT_EQ(GroupOf(5, many).Name(), "id 5 of ranks 0, 1, 2, 3, 4, 5, 6, 7 and 12 more");
}

}  // namespace
}  // namespace hccl

// What the hub says of the calls of all ranks.
#include "watch/calls.h"

#include <gtest/gtest.h>

namespace hccl {
namespace {

Call All(const char* function, const char* elements, const char* place = "") {
    Call call;
    call.function = function;
    call.elements = elements;
    call.place = place;
    call.number = 1;
    return call;
}

Call With(Call::Form form, uint32_t peer, const char* elements = "float32 4") {
    Call call = All(form == Call::kSend   ? "HcclSend"
                    : form == Call::kRecv ? "HcclRecv"
                                          : "HcclBatchSendRecv",
                    elements);
    call.form = form;
    call.peer = peer;
    return call;
}

using Ranks = std::vector<uint32_t>;

TEST(Calls, KeepTheirPartsOnTheWay) {
    Call call = With(Call::kRecv, 3);
    call.place = "train.py:31:step";
    const auto found = Call::Unpack(call.Pack());
    ASSERT_TRUE(found);
    EXPECT_EQ(found->Text(), "HcclRecv from rank 3 float32 4 at train.py:31:step (operation 1)");
    EXPECT_EQ(found->form, Call::kRecv);
    EXPECT_FALSE(Call::Unpack("short"));
    EXPECT_FALSE(Call::Unpack(std::string(40, 'x')));
}

TEST(Calls, TheLastRankReleasesAll) {
    CallTable table(3);
    EXPECT_EQ(table.Arrive(2, All("HcclBarrier", "")).released, Ranks{});
    EXPECT_EQ(table.Arrive(0, All("HcclBarrier", "")).released, Ranks{});
    EXPECT_EQ(table.Arrive(1, All("HcclBarrier", "")).released, (Ranks{0, 1, 2}));
    EXPECT_EQ(table.Arrive(1, All("HcclBarrier", "")).released, Ranks{});
}

TEST(Calls, DifferentCallsAreAMismatch) {
    CallTable table(3);
    table.Arrive(1, All("HcclBroadcast", "float32 1024 root 0", "train.py:40"));
    const auto verdict = table.Arrive(0, All("HcclAllReduce", "float32 1024 sum", "train.py:31"));
    EXPECT_EQ(
        verdict.mismatch.text,
        "the calls of the ranks do not match: rank 0: HcclAllReduce float32 1024 sum at train.py:31 (operation 1); "
        "rank 1: HcclBroadcast float32 1024 root 0 at train.py:40 (operation 1); let all ranks call the same "
        "operations in the same order");
    EXPECT_EQ(verdict.released, Ranks{});
}

TEST(Calls, AMismatchKeepsItsPartsOnTheWay) {
    CallTable table(3);
    table.Arrive(1, All("HcclBroadcast", "float32 1024 root 0", "train.py:40"));
    const Mismatch sent = table.Arrive(0, All("HcclAllReduce", "float32 1024 sum", "train.py:31")).mismatch;
    const auto found = Mismatch::Unpack(sent.Pack());
    ASSERT_TRUE(found);
    EXPECT_EQ(found->text, sent.text);
    EXPECT_EQ(found->advice, "let all ranks call the same operations in the same order");
    ASSERT_EQ(found->sides.size(), 2u);
    EXPECT_EQ(found->sides[0].rank, 0u);
    EXPECT_EQ(found->sides[0].call->Name(), "HcclAllReduce float32 1024 sum");
    EXPECT_EQ(found->sides[1].call->place, "train.py:40");
    CallTable left(2);
    left.Leave(1);
    const auto gone = Mismatch::Unpack(left.Arrive(0, All("HcclBarrier", "")).mismatch.Pack());
    ASSERT_TRUE(gone);
    EXPECT_TRUE(gone->sides[0].call);
    EXPECT_FALSE(gone->sides[1].call);
    EXPECT_FALSE(Mismatch::Unpack(sent.Pack() + "more"));
}

TEST(Calls, ASendAndItsReceiveReleaseEachOther) {
    CallTable table(3);
    EXPECT_EQ(table.Arrive(0, With(Call::kSend, 2)).released, Ranks{});
    EXPECT_EQ(table.Arrive(1, With(Call::kRecv, 0)).released, Ranks{});
    EXPECT_EQ(table.Arrive(2, With(Call::kRecv, 0)).released, (Ranks{0, 2}));
    EXPECT_EQ(table.Arrive(0, With(Call::kSend, 1)).released, (Ranks{0, 1}));
}

TEST(Calls, ExchangesThatCannotEndAreAMismatch) {
    const auto mismatch = [](const Call& zero, const Call& one) {
        CallTable table(2);
        table.Arrive(0, zero);
        return table.Arrive(1, one).mismatch.text;
    };
    EXPECT_NE(mismatch(With(Call::kSend, 1), With(Call::kSend, 0)), "");
    EXPECT_NE(mismatch(With(Call::kRecv, 1), With(Call::kRecv, 0)), "");
    EXPECT_NE(mismatch(With(Call::kSend, 1), With(Call::kRecv, 0, "float32 5")), "");
    EXPECT_NE(mismatch(With(Call::kSend, 1), All("HcclBarrier", "")), "");
    EXPECT_NE(mismatch(All("HcclBarrier", ""), With(Call::kRecv, 0)), "");
    EXPECT_EQ(mismatch(With(Call::kSend, 1), With(Call::kRecv, 0)), "");
}

TEST(Calls, ABatchIsNotFollowed) {
    CallTable table(3);
    EXPECT_EQ(table.Arrive(0, With(Call::kRecv, 1)).released, Ranks{});
    EXPECT_EQ(table.Arrive(1, With(Call::kBatch, 0)).released, (Ranks{1, 0}));
    EXPECT_EQ(table.Arrive(2, With(Call::kSend, 1)).released, Ranks{2});
    // One that ends a batch meets others in a collective.
    EXPECT_EQ(table.Arrive(0, All("HcclBarrier", "")).mismatch.text, "");
    EXPECT_EQ(table.Arrive(1, All("HcclBarrier", "")).mismatch.text, "");
    EXPECT_EQ(table.Arrive(2, All("HcclBarrier", "")).released, (Ranks{0, 1, 2}));
}

// The rank that a batch has released may be behind its receive already.
TEST(Calls, ABatchThatHasEndedHoldsNoReceiveBack) {
    CallTable table(2);
    table.Arrive(0, With(Call::kBatch, 1));
    EXPECT_EQ(table.Arrive(1, With(Call::kSend, 0)).released, Ranks{1});
    EXPECT_EQ(table.Arrive(1, All("HcclBarrier", "")).released, Ranks{});
    const auto late = table.Arrive(0, With(Call::kRecv, 1));
    EXPECT_EQ(late.mismatch.text, "");
    EXPECT_EQ(late.released, Ranks{0});
    EXPECT_EQ(table.Arrive(0, All("HcclBarrier", "")).released, (Ranks{0, 1}));
    // The collective ends it.
    EXPECT_EQ(table.Arrive(1, With(Call::kSend, 0)).released, Ranks{});
    EXPECT_NE(table.Arrive(0, All("HcclBarrier", "")).mismatch.text, "");
}

TEST(Calls, AReceiveFromARankThatHasLeftIsNotHeldBack) {
    CallTable table(3);
    table.Arrive(1, With(Call::kRecv, 2));
    const auto left = table.Leave(2);
    EXPECT_EQ(left.released, Ranks{1});
    EXPECT_EQ(left.mismatch.text, "");
    EXPECT_EQ(table.Arrive(1, With(Call::kRecv, 2)).released, Ranks{1});
    EXPECT_EQ(table.Arrive(1, With(Call::kSend, 0)).released, Ranks{});
    EXPECT_EQ(table.Arrive(0, With(Call::kRecv, 1)).released, (Ranks{0, 1}));
}

TEST(Calls, ACollectiveWithoutARankThatHasLeftIsAMismatch) {
    const std::string text =
        "the calls of the ranks do not match: rank 0: HcclBarrier (operation 1); rank 2 has left; let all ranks call "
        "the "
        "same operations in the same order";
    CallTable early(3);
    EXPECT_EQ(early.Leave(2).mismatch.text, "");
    const auto arrival = early.Arrive(0, All("HcclBarrier", ""));
    EXPECT_EQ(arrival.mismatch.text, text);
    EXPECT_EQ(arrival.released, Ranks{});
    CallTable late(3);
    EXPECT_EQ(late.Arrive(0, All("HcclBarrier", "")).mismatch.text, "");
    EXPECT_EQ(late.Leave(2).mismatch.text, text);
}

TEST(Calls, MissingRanksAreNamedWithTheirPlace) {
    CallTable table(3);
    for (const uint32_t rank : {0, 1, 2}) table.Arrive(rank, All("HcclBarrier", "", "a.py:1"));
    table.Arrive(0, All("HcclAllReduce", "int8 1 sum", "a.py:2"));
    EXPECT_EQ(table.Missing(0),
              "rank 1 has not arrived, its latest call is HcclBarrier at a.py:1 (operation 1); rank 2 has not arrived, "
              "its latest call is HcclBarrier at a.py:1 (operation 1)");
    EXPECT_EQ(table.Missing(1), "");
    CallTable other(2);
    other.Arrive(0, With(Call::kSend, 1));
    EXPECT_EQ(other.Missing(0), "rank 1 has not arrived, and has called nothing");
}

}  // namespace
}  // namespace hccl

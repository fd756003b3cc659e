// Texts that ranks exchange at the start, over the hub.
#include <gtest/gtest.h>

#include "tests/hub.h"
#include "tests/worlds.h"
#include "watch/member.h"

namespace hccl {
namespace {

TEST(Exchange, EachRankGetsWhatTheOthersSentToIt) {
    const Invitation invitation = NewHub();
    constexpr uint32_t kSize = 5;
    // More than one read of a socket.
    constexpr size_t kLength = 10000;
    const auto text = [](uint32_t from, uint32_t to) {
        return std::string(kLength, static_cast<char>('a' + from * kSize + to));
    };
    const auto failures = RunRanks(kSize, [&](uint32_t rank) {
        Member member(invitation, rank, kSize, Soon());
        std::vector<std::string> own;
        for (uint32_t to = 0; to < kSize; to++) own.push_back(text(rank, to));
        const std::vector<std::string> theirs = member.Exchange(own, Soon());
        ASSERT_EQ(theirs.size(), kSize);
        for (uint32_t from = 0; from < kSize; from++) EXPECT_EQ(theirs[from], text(from, rank));
    });
    for (const std::string& failure : failures) EXPECT_EQ(failure, "");
}

TEST(Exchange, AFailureOfOneRankEndsIt) {
    const Invitation invitation = NewHub();
    const auto failures = RunRanks(3, [&](uint32_t rank) {
        Member member(invitation, rank, 3, Soon());
        if (rank == 2) return member.ReportFailure(Failure(HCCL_E_INTERNAL, "no such address"));
        member.Exchange({"a", "b", "c"}, Soon());
    });
    EXPECT_EQ(failures[0], "rank 2 has failed: no such address");
    EXPECT_EQ(failures[1], failures[0]);
}

TEST(Exchange, ARankThatSendsNothingEndsItInTime) {
    const Invitation invitation = NewHub();
    const auto failures = RunRanks(2, [&](uint32_t rank) {
        Member member(invitation, rank, 2, Soon());
        const auto moment = std::chrono::milliseconds(300);
        if (rank == 1) return std::this_thread::sleep_for(2 * moment);
        member.Exchange({"a", "b"}, Clock::now() + moment);
    });
    EXPECT_NE(failures[0].find("a rank has not sent its address in time; check"), std::string::npos) << failures[0];
}

}  // namespace
}  // namespace hccl

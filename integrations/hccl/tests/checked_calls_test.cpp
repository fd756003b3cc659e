// PORTACL_CHECK=collectives: calls of ranks that do not fit, and ranks that do not come. processes_reports_test.cpp
// tests the reports.
#include <atomic>

#include "tests/hub.h"
#include "tests/meshed.h"
#include "tests/variable.h"
#include "tests/worlds.h"
#include "watch/member.h"

namespace hccl {
namespace {

class CheckedCallsTest : public MeshedTest {
  private:
    const Variable check_{"PORTACL_CHECK", "sync,collectives"};
};

HcclResult AddAll(const Floats& memory, uint64_t count, Rank& own) {
    return HcclAllReduce(memory.get(), memory.get(), count, kFloat, HCCL_REDUCE_SUM, own.comm, own.stream);
}

TEST_F(CheckedCallsTest, CallsThatFitRun) {
    Run(3, [](Rank& own) {
        const Floats memory({1});
        for (int time = 0; time < 20; time++) HCCL_OK(AddAll(memory, 1, own));
        HCCL_OK(HcclBroadcast(memory.get(), 1, kFloat, 2, own.comm, own.stream));
        HCCL_OK(HcclBarrier(own.comm, own.stream));
        ACL_OK(aclrtSynchronizeStream(own.stream));
        EXPECT_EQ(memory.values(), (std::vector<float>{3486784401.0f}));
    });
}

// The ranks fail, with both sides and their lines, before one waits for an operation that does not come.
TEST_F(CheckedCallsTest, CallsThatDoNotFitFailOnAllRanks) {
    Together together(3);
    Run(3, [&](Rank& own) {
        const Floats memory({1, 2});
        HCCL_OK(HcclBarrier(own.comm, own.stream));
        together.Hold(own);
        if (own.rank == 1) {
            HCCL_OK(HcclBroadcast(memory.get(), 2, kFloat, 0, own.comm, own.stream));
        } else {
            HCCL_OK(AddAll(memory, 2, own));
        }
        together.HasEnqueued();
        const aclError code = aclrtSynchronizeStream(own.stream);
        const char* const recent = aclGetRecentErrMsg();
        const std::string text = recent != nullptr ? recent : "";
        EXPECT_EQ(code, HCCL_E_PARA);
        for (const char* part :
             {"the calls of the ranks do not match: rank ", ": HcclAllReduce float32 2 sum at ",
              "rank 1: HcclBroadcast float32 2 root 0 at ", "checked_calls_test.cpp:", " (operation 2)", "AddAll"}) {
            EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
        }
    });
}

TEST_F(CheckedCallsTest, CountsThatDifferFail) {
    Run(2, [](Rank& own) {
        const Floats memory({1, 2});
        HCCL_OK(AddAll(memory, own.rank + 1, own));
        HCCL_FAILS(aclrtSynchronizeStream(own.stream), HCCL_E_PARA, "rank 1: HcclAllReduce float32 2 sum");
    });
}

TEST_F(CheckedCallsTest, AWaitEndsInTime) {
    const Variable limit("HCCL_EXEC_TIMEOUT", "1");
    std::atomic<bool> has_failed{false};
    Run(2, [&](Rank& own) {
        if (own.rank == 1) {
            HCCL_OK(HcclBarrier(own.comm, own.stream));
            ACL_OK(aclrtSynchronizeStream(own.stream));
            while (!has_failed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return;
        }
        HCCL_OK(HcclBarrier(own.comm, own.stream));
        HCCL_OK(HcclBarrier(own.comm, own.stream));
        HCCL_FAILS(aclrtSynchronizeStream(own.stream), HCCL_E_REMOTE, "within 1 s: rank 1 has not arrived");
        has_failed = true;
    });
}

TEST_F(CheckedCallsTest, DestroyEndsAWaitForOtherCalls) {
    Run(2, [](Rank& own) {
        if (own.rank == 1) return std::this_thread::sleep_for(std::chrono::milliseconds(300));
        HCCL_OK(HcclBarrier(own.comm, own.stream));
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        HCCL_OK(HcclCommDestroy(own.comm));
        own.comm = nullptr;
        HCCL_FAILS(aclrtSynchronizeStream(own.stream), HCCL_E_INTERNAL, "was destroyed");
    });
}

TEST_F(CheckedCallsTest, ARankThatHasLeftFailsACollectiveOfTheOthers) {
    Run(3, [](Rank& own) {
        HCCL_OK(HcclBarrier(own.comm, own.stream));
        ACL_OK(aclrtSynchronizeStream(own.stream));
        if (own.rank == 2) return;
        // One waits already when the rank leaves, or both come later.
        if (own.rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(100));
        const HcclResult code = HcclBarrier(own.comm, own.stream);
        HCCL_FAILS(code != HCCL_SUCCESS ? static_cast<aclError>(code) : aclrtSynchronizeStream(own.stream), HCCL_E_PARA,
                   "HcclBarrier at ");
        HCCL_FAILS(HcclBarrier(own.comm, own.stream), HCCL_E_PARA, "; rank 2 has left; let all ranks");
    });
}

TEST(CheckedCalls, AreSetForAllRanksOrNone) {
    const Invitation invitation = NewHub();
    const auto failures = RunRanks(2, [&](uint32_t rank) {
        const auto deadline = Clock::now() + std::chrono::seconds(1);
        const CallCheck check = {std::chrono::seconds(1), std::chrono::seconds(1)};
        const Member member(invitation, rank, 2, deadline, rank == 0 ? std::nullopt : std::optional(check));
    });
    // The one that comes first waits in vain.
    const std::string texts = failures[0] + failures[1];
    EXPECT_NE(texts.find("PORTACL_CHECK=collectives (or all) is set for some ranks only"), std::string::npos) << texts;
}

}  // namespace
}  // namespace hccl

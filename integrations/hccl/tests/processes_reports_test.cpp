// What PORTACL_CHECK_LOG, _EXIT, _SUPPRESS and _STACKS do with reports of collectives, in each of two processes.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "tests/processes.h"
#include "tests/variable.h"

namespace hccl {
namespace {

constexpr int kStatus = 77;
constexpr std::array<int, 2> kBoth = {kStatus, kStatus};

class ReportsTest : public testing::Test {
  protected:
    void SetUp() override { ASSERT_NE(mkdtemp(folder_), nullptr); }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    // Runs two ranks with these patterns, and expects these statuses.
    void Run(const std::string& patterns, std::array<int, 2> statuses, const std::function<void(Rank&)>& body) const {
        const std::string file = std::string(folder_) + "/patterns";
        std::ofstream(file) << patterns;
        const Variable checks("PORTACL_CHECK", "collectives");
        const Variable log("PORTACL_CHECK_LOG", (std::string(folder_) + "/log.%p").c_str());
        const Variable exit("PORTACL_CHECK_EXIT", std::to_string(kStatus).c_str());
        const Variable suppress("PORTACL_CHECK_SUPPRESS", file.c_str());
        Processes ranks(2, body);
        for (uint32_t rank = 0; rank < 2; rank++) EXPECT_EQ(ranks.Status(rank), statuses[rank]) << "rank " << rank;
    }
    // The lines of each process.
    std::vector<std::vector<std::string>> Logs() const {
        std::vector<std::vector<std::string>> logs;
        for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
            if (entry.path().filename() == "patterns") continue;
            std::ifstream file(entry.path());
            logs.emplace_back();
            for (std::string line; std::getline(file, line);) logs.back().push_back(line);
        }
        return logs;
    }
    // Expects that this number of processes has logged a report with all parts.
    void ExpectOf(size_t processes, const std::vector<std::string>& parts) const {
        std::string all;
        size_t count = 0;
        for (const auto& lines : Logs()) {
            const auto has = [&](const std::string& line) {
                return std::all_of(parts.begin(), parts.end(),
                                   [&](const auto& part) { return line.find(part) != std::string::npos; });
            };
            count += std::any_of(lines.begin(), lines.end(), has);
            for (const std::string& line : lines) all += line + '\n';
        }
        EXPECT_EQ(count, processes) << all;
    }
    // Expects this number of reports of all processes.
    void ExpectReports(size_t count) const {
        const auto logs = Logs();
        EXPECT_EQ(logs.size(), 2u);
        size_t found = 0;
        for (const auto& lines : logs) found += lines.size();
        EXPECT_EQ(found, count);
    }

  private:
    char folder_[32] = "/tmp/hccl_reports_XXXXXX";
};

void AddDifferentCounts(Rank& own) {
    const HcclComm comm = own.Join();
    const aclrtStream stream = Rank::NewStream();
    void* const memory = Rank::NewMemory({1, 2});
    Rank::Require(Rank::AddAll(memory, 2, comm, stream), "HcclAllReduce");
    own.RequireFailure(Rank::AddAll(memory, own.rank + 1, comm, stream), HCCL_E_PARA,
                       "rank 1: HcclAllReduce float32 2");
}

TEST_F(ReportsTest, EachProcessLogsTheMismatchAndEndsWithTheStatus) {
    Run("race: HcclAllReduce\n", kBoth, AddDifferentCounts);
    ExpectOf(2, {R"({"check":"collectives","what":"the calls of rank 0 and rank 1 do not match")",
                 R"("call":"HcclAllReduce float32 1 sum")", R"("position":"operation 2 of rank 0")",
                 R"("call":"HcclAllReduce float32 2 sum")", R"("position":"operation 2 of rank 1")",
                 "processes.h:", "AddAll", "let all ranks call the same operations in the same order"});
    ExpectReports(2);
}

TEST_F(ReportsTest, AnOperationSuppressesThem) {
    Run("collectives: HcclAllReduce\n", {0, 0}, AddDifferentCounts);
    ExpectReports(0);
}

TEST_F(ReportsTest, ASourceLineSuppressesThem) {
    Run("/processes.h:\nprocesses.h:\n", {0, 0}, AddDifferentCounts);
    ExpectReports(0);
}

TEST_F(ReportsTest, WithoutStacksTheyHaveNoLines) {
    const Variable stacks("PORTACL_CHECK_STACKS", "0");
    Run("processes.h:\n", kBoth, AddDifferentCounts);
    ExpectOf(2, {R"("frames":[])"});
}

// The other rank comes at last.
TEST_F(ReportsTest, ALongWaitIsNoFault) {
    const Variable notice("PORTACL_CHECK_WAIT_MS", "100");
    Run("", {0, 0}, [](Rank& own) {
        const HcclComm comm = own.Join();
        const aclrtStream stream = Rank::NewStream();
        void* const memory = Rank::NewMemory({1});
        if (own.rank == 1) std::this_thread::sleep_for(std::chrono::seconds(2));
        Rank::Require(Rank::AddAll(memory, 1, comm, stream), "HcclAllReduce");
    });
    ExpectOf(1, {R"({"check":"long wait","what":"rank 0 waits in HcclAllReduce float32 1 sum at )",
                 "rank 1 has not arrived, and has called nothing", R"("position":"operation 1 of rank 0")"});
}

// The other rank does not come.
TEST_F(ReportsTest, AWaitInVainIsAFault) {
    const Variable limit("HCCL_EXEC_TIMEOUT", "1");
    Run("", {kStatus, 0}, [](Rank& own) {
        const HcclComm comm = own.Join();
        const aclrtStream stream = Rank::NewStream();
        void* const memory = Rank::NewMemory({1});
        if (own.rank == 1) {
            const uint32_t members[] = {1, 0};
            HcclComm group = nullptr;
            own.RequireFailure(HcclCreateSubCommConfig(&comm, 2, members, 5, 0, nullptr, &group), HCCL_E_REMOTE,
                               "rank 0 has failed");
            return;
        }
        own.RequireFailure(Rank::AddAll(memory, 1, comm, stream), HCCL_E_REMOTE, "within 1 s: rank 1 has not arrived");
    });
    ExpectOf(1, {R"({"check":"collectives","what":"other ranks made no call that matches HcclAllReduce)",
                 "within 1 s: rank 1 has not arrived"});
}

TEST_F(ReportsTest, MembersThatCreateDifferentGroupsAreReported) {
    Run("", kBoth, [](Rank& own) {
        const HcclComm comm = own.Join();
        const uint32_t members[] = {own.rank, 1 - own.rank};
        HcclComm group = nullptr;
        own.RequireFailure(HcclCreateSubCommConfig(&comm, 2, members, 5, 0, nullptr, &group), HCCL_E_PARA,
                           "the calls of the ranks do not match");
    });
    ExpectOf(2, {R"({"check":"collectives","what":"the calls of the ranks do not match: rank 0: Hccl)",
                 R"("call":"HcclCreateSubCommConfig id 5 of ranks )", R"("position":"by rank )"});
}

// They wait for each other, in calls that differ.
TEST_F(ReportsTest, MembersWithDifferentIdsAreReported) {
    const Variable notice("PORTACL_CHECK_WAIT_MS", "100");
    // The first source line takes seconds on a busy machine.
    const Variable limit("HCCL_CONNECT_TIMEOUT", "10");
    Run("", kBoth, [](Rank& own) {
        const HcclComm comm = own.Join();
        const uint32_t members[] = {0, 1};
        HcclComm group = nullptr;
        own.RequireFailure(HcclCreateSubCommConfig(&comm, 2, members, own.rank, own.rank, nullptr, &group), HCCL_E_PARA,
                           "the calls of the ranks do not match");
    });
    const char* const what =
        ": the calls of the ranks do not match: rank 0: HcclCreateSubCommConfig id 0 of ranks 0, 1 at ";
    // The second rank may arrive after the first one's notice.
    ExpectOf(2, {R"({"check":"long wait","what":"rank )", " waits in HcclCreateSubCommConfig id "});
    ExpectOf(2, {R"({"check":"collectives",)", what + 2});
}

TEST_F(ReportsTest, AWaitForAMemberNamesIt) {
    const Variable notice("PORTACL_CHECK_WAIT_MS", "100");
    Run("", {0, 0}, [](Rank& own) {
        const HcclComm comm = own.Join();
        const aclrtStream stream = Rank::NewStream();
        Rank::Require(HcclBarrier(comm, stream), "HcclBarrier");
        Rank::Require(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
        // Much longer than the notice takes, and much shorter than the limit.
        if (own.rank == 1) std::this_thread::sleep_for(std::chrono::seconds(2));
        const uint32_t members[] = {0, 1};
        HcclComm group = nullptr;
        Rank::Require(HcclCreateSubCommConfig(&comm, 2, members, 3, own.rank, nullptr, &group), "group");
    });
    ExpectOf(1, {"rank 0 waits in HcclCreateSubCommConfig id 3 of ranks 0, 1 at ",
                 ": rank 1 has not arrived, its latest call is HcclBarrier at "});
}

// One process that plays a rank has no other calls to compare: nothing is reported, and the settings are accepted.
TEST_F(ReportsTest, AWorldThatDoesNotExistHasNone) {
    const Variable world("PORTACL_HCCL", "fake:1/256");
    Run("", {0, 0}, [](Rank& own) {
        HcclRootInfo info = {};
        HcclComm comm = nullptr;
        Rank::Require(HcclGetRootInfo(&info), "HcclGetRootInfo");
        Rank::Require(HcclCommInitRootInfo(256, &info, 1, &comm), "HcclCommInitRootInfo");
        const aclrtStream stream = Rank::NewStream();
        void* const memory = Rank::NewMemory({1, 2});
        Rank::Require(Rank::AddAll(memory, own.rank + 1, comm, stream), "HcclAllReduce");
    });
    ExpectReports(0);
}

}  // namespace
}  // namespace hccl
